//! Team: members and invitations of the workspace; which changes are allowed, and why others are not.
//!
//! Members and invitations are read when the screen opens and after each change, because the interface does not specify what a
//! change returns. All of it is free.

pub(crate) mod commands;
pub(crate) mod draw;
mod layout;
pub(crate) mod side_panel;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use uuid::Uuid;

use crate::app::App;
use crate::app::effect::{ServiceCall, Slot};
use crate::app::msg::{Reply, payload};
use crate::app::pending_writes::{ReversibleWrite, WriteOp};
use crate::app::records::LoadState;
use crate::app::requests::Request;
use crate::domain::members::{Invitation, Member, MemberAction, Permissions, Role};
use crate::domain::request_error::RequestError;
use crate::domain::workspace::CallerKind;
use crate::ui::scroll::ScrollState;

/// The members themselves are in [`App`], because every pane shows names.
#[derive(Clone, Debug, Default)]
pub struct TeamPane {
    /// Newest first.
    pub invitations: Vec<Invitation>,
    pub members_load: LoadState,
    /// Load state of the invitations.
    pub load: LoadState,
    pub members_scroll: ScrollState,
    pub invitations_scroll: ScrollState,
    pub invitations_focused: bool,
    /// The side panel replaces the lists if there is room for only one of them.
    pub panel_open: bool,
    /// Why changing a member or an invitation failed.
    pub write_errors: BTreeMap<Uuid, String>,
    /// The address and reason of the last rejected invitation.
    pub rejected_invitation: Option<(String, String)>,
    /// An address typed but not invited yet.
    pub invitation_draft: String,
    /// The removal that waits for its name to be typed.
    pub pending_removal: Option<PendingRemoval>,
}

/// A change that revokes somebody's access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingRemoval {
    pub action: MemberAction,
    /// The name the user must type to confirm.
    pub name: String,
    /// Description for the result notice.
    pub description: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TeamRequest {
    Members,
    Invitations,
}

impl TeamPane {
    /// The invitation under the cursor, if that list has the focus.
    pub fn current_invitation(&self) -> Option<&Invitation> {
        self.invitations.get(self.invitations_scroll.cursor).filter(|_| self.invitations_focused)
    }
}

/// The id of the member or invitation to change; `None` for a new invitation.
fn target_id(act: &MemberAction) -> Option<Uuid> {
    match act {
        MemberAction::Invite { .. } => None,
        MemberAction::Revoke(invitation) => Some(invitation.0),
        MemberAction::SetRole(user, _) | MemberAction::Remove(user) => Some(user.0),
    }
}

impl App {
    /// The caller's permissions, as far as the service reports them. API keys count as admins.
    pub fn caller_permissions(&self) -> Permissions {
        let Some(caller) = self.workspace.as_ref().and_then(|workspace| workspace.caller.as_ref()) else {
            return Permissions::default();
        };
        let is_key = caller.kind == Some(CallerKind::ApiKey);
        let listed = self.members.iter().find(|member| Some(member.id) == caller.user_id).and_then(|member| member.role.clone());
        Permissions {
            user: caller.user_id,
            is_api_key: is_key,
            role: if is_key { Some(Role::Admin) } else { caller.role.clone().or(listed) },
            cannot_write: !caller.scopes.is_empty() && !caller.scopes.iter().any(|scope| scope == "workspace:write"),
        }
    }

    /// The member under the cursor, if that list has the focus.
    pub fn current_member(&self) -> Option<&Member> {
        self.members.get(self.team.members_scroll.cursor).filter(|_| !self.team.invitations_focused)
    }

    /// Loads the team when the screen is first shown.
    pub fn open_team(&mut self) {
        if self.team.load.needs_load() || self.team.members_load.needs_load() {
            self.read_team();
        }
    }

    pub fn read_team(&mut self) {
        for load in [&mut self.team.members_load, &mut self.team.load] {
            if *load != LoadState::Ready {
                *load = LoadState::Loading;
            }
        }
        self.call_service(Slot::Members, ServiceCall::Members, Request::Team(TeamRequest::Members));
        self.call_service(Slot::Invitations, ServiceCall::Invitations, Request::Team(TeamRequest::Invitations));
    }

    pub(in crate::app) fn on_team_reply(&mut self, request: TeamRequest, result: Result<Reply, RequestError>) {
        match request {
            TeamRequest::Members => match payload(result) {
                Ok(members) => self.store_members(members),
                Err(failure) if self.members.is_empty() => self.team.members_load = LoadState::Failed(failure.message),
                Err(failure) => self.show_failure("could not load the members", &failure, "{team.refresh} retries"),
            },
            TeamRequest::Invitations => match payload(result) {
                Ok(invitations) => self.store_invitations(invitations),
                Err(failure) if self.team.invitations.is_empty() => self.team.load = LoadState::Failed(failure.message),
                Err(failure) => self.show_failure("could not load the invitations", &failure, "{team.refresh} retries"),
            },
        }
    }

    /// Takes the members, whoever asked for them.
    pub(in crate::app) fn store_members(&mut self, members: Vec<Member>) {
        let here = self.members.get(self.team.members_scroll.cursor).map(|member| member.id);
        self.members = members;
        self.team.members_load = LoadState::Ready;
        if let Some(at) = self.members.iter().position(|member| Some(member.id) == here) {
            self.team.members_scroll.cursor = at;
        }
    }

    fn store_invitations(&mut self, invitations: Vec<Invitation>) {
        let here = self.team.invitations.get(self.team.invitations_scroll.cursor).map(|invitation| invitation.id);
        self.team.invitations = invitations;
        self.team.load = LoadState::Ready;
        if let Some(at) = self.team.invitations.iter().position(|invitation| Some(invitation.id) == here) {
            self.team.invitations_scroll.cursor = at;
        }
    }

    /// Reads the team again after writes; failures keep their reason, and a typed address is kept.
    pub(in crate::app) fn on_team_writes_finished(&mut self, applied: &[ReversibleWrite], failed: &[(ReversibleWrite, String)]) {
        let act = |change: &ReversibleWrite| match &change.forward {
            WriteOp::Team(act) => Some(act.clone()),
            _ => None,
        };
        let done: Vec<MemberAction> = applied.iter().filter_map(act).collect();
        let left: Vec<(MemberAction, String)> =
            failed.iter().filter_map(|(change, why)| Some((act(change)?, why.clone()))).collect();
        if done.is_empty() && left.is_empty() {
            return;
        }
        for act in &done {
            self.team.rejected_invitation = None;
            if matches!(act, MemberAction::Invite { .. }) {
                self.team.invitation_draft.clear();
            }
            target_id(act).map(|id| self.team.write_errors.remove(&id));
        }
        for (act, why) in &left {
            if let MemberAction::Invite { email, .. } = act {
                self.team.rejected_invitation = Some((email.clone(), why.clone()));
            }
        }
        self.team.write_errors.extend(left.iter().filter_map(|(act, why)| Some((target_id(act)?, why.clone()))));
        self.read_team();
    }

    /// Describes a member whose role changed since a step set it.
    pub(in crate::app) fn role_conflict(&self, left: &WriteOp) -> Option<String> {
        let WriteOp::Team(MemberAction::SetRole(user, role)) = left else { return None };
        let member = self.members.iter().find(|member| member.id == *user)?;
        let now = member.role.as_ref().filter(|now| *now != role)?;
        Some(format!("{} is {now}", member.name()))
    }

    pub(in crate::app) fn move_team_cursor(&mut self, rows: isize) {
        if self.team.invitations_focused {
            let len = self.team.invitations.len();
            self.team.invitations_scroll.move_cursor(rows, len);
        } else {
            let len = self.members.len();
            self.team.members_scroll.move_cursor(rows, len);
        }
    }

    pub(in crate::app) fn switch_team_list(&mut self) {
        self.team.invitations_focused = !self.team.invitations_focused;
    }

    /// Moves to a clicked row; `line` counts the members first, then the invitations.
    pub(in crate::app) fn click_team(&mut self, line: usize) {
        let members = self.members.len();
        self.team.invitations_focused = line >= members;
        if self.team.invitations_focused {
            self.team.invitations_scroll.cursor = line - members;
        } else {
            self.team.members_scroll.cursor = line;
        }
    }

    pub(in crate::app) fn leave_team(&mut self) {
        if !std::mem::take(&mut self.team.panel_open) || !self.layout.panel.is_empty() {
            self.team.invitations_focused = false;
            self.notice = None;
        }
    }
}
