//! Team: who has access to the workspace and who was asked to join; what may be changed, by whom, and why not.
//!
//! Members and invitations are read when the screen opens, and again after each change: the interface does not show what a change
//! answers. All of it costs nothing.

pub mod commands;
pub mod draw;
mod layout;
pub mod side_panel;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use uuid::Uuid;

use crate::app::App;
use crate::app::effect::{ServiceCall, Slot};
use crate::app::msg::Token;
use crate::app::pending_writes::{ReversibleWrite, WriteOp};
use crate::app::records::LoadState;
use crate::domain::members::{Invitation, Member, MemberAction, Permissions, Role};
use crate::domain::request_error::RequestError;
use crate::domain::workspace::CallerKind;
use crate::ui::scroll::ScrollState;

/// The Team pane. The members are the console's own: every pane names people.
#[derive(Clone, Debug, Default)]
pub struct TeamPane {
    /// Who was asked to join, the newest first.
    pub invitations: Vec<Invitation>,
    /// How far reading the members has come.
    pub members_load: LoadState,
    /// How far reading the invitations has come.
    pub load: LoadState,
    /// The cursor in the members.
    pub members_scroll: ScrollState,
    /// The cursor in the invitations.
    pub invitations_scroll: ScrollState,
    /// The keys move in the invitations.
    pub invitations_focused: bool,
    /// What stands beside is shown in place of the lists, where there is room for one alone.
    pub panel_open: bool,
    /// Why a change of a member or an invitation was not done.
    pub write_errors: BTreeMap<Uuid, String>,
    /// Who was not invited, and why.
    pub rejected_invitation: Option<(String, String)>,
    /// An address that was typed and not invited yet.
    pub invitation_draft: String,
    /// What is done once its name was typed.
    pub pending_removal: Option<PendingRemoval>,
    pending_reads: (Option<Token>, Option<Token>),
}

/// Something that ends somebody's access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingRemoval {
    /// What is done.
    pub act: MemberAction,
    /// Whom it is about: what has to be typed.
    pub name: String,
    /// What was done then, in words.
    pub words: String,
}

impl TeamPane {
    /// The invitation under the cursor, where the keys move among them.
    pub fn current_invitation(&self) -> Option<&Invitation> {
        self.invitations.get(self.invitations_scroll.cursor).filter(|_| self.invitations_focused)
    }
}

/// Whom an act is about; nobody for an invitation that is not there yet.
fn target_id(act: &MemberAction) -> Option<Uuid> {
    match act {
        MemberAction::Invite { .. } => None,
        MemberAction::Revoke(invitation) => Some(invitation.0),
        MemberAction::SetRole(user, _) | MemberAction::Remove(user) => Some(user.0),
    }
}

impl App {
    /// Who is asking, as far as the service tells.
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

    /// The member under the cursor of the team, where the keys move among them.
    pub fn current_member(&self) -> Option<&Member> {
        self.members.get(self.team.members_scroll.cursor).filter(|_| !self.team.invitations_focused)
    }

    /// Reads the team when the screen is shown for the first time.
    pub fn open_team(&mut self) {
        if self.team.load.needs_load() || self.team.members_load.needs_load() {
            self.read_team();
        }
    }

    /// Reads members and invitations.
    pub fn read_team(&mut self) {
        for load in [&mut self.team.members_load, &mut self.team.load] {
            if *load != LoadState::Ready {
                *load = LoadState::Loading;
            }
        }
        self.team.pending_reads = (
            Some(self.call_service(Slot::Members, ServiceCall::Members)),
            Some(self.call_service(Slot::Invitations, ServiceCall::Invitations)),
        );
    }

    /// Takes the members, whoever asked for them.
    pub(in crate::app) fn on_members_reply(&mut self, token: Token, members: Vec<Member>) {
        self.team.pending_reads.0.take_if(|asked| *asked == token);
        let here = self.members.get(self.team.members_scroll.cursor).map(|member| member.id);
        self.members = members;
        self.team.members_load = LoadState::Ready;
        if let Some(at) = self.members.iter().position(|member| Some(member.id) == here) {
            self.team.members_scroll.cursor = at;
        }
    }

    /// Takes the invitations.
    pub(in crate::app) fn on_invitations_reply(&mut self, token: Token, invitations: Vec<Invitation>) {
        self.team.pending_reads.1.take_if(|asked| *asked == token);
        let here = self.team.invitations.get(self.team.invitations_scroll.cursor).map(|invitation| invitation.id);
        self.team.invitations = invitations;
        self.team.load = LoadState::Ready;
        if let Some(at) = self.team.invitations.iter().position(|invitation| Some(invitation.id) == here) {
            self.team.invitations_scroll.cursor = at;
        }
    }

    /// The team could not be read; false when it was not asked for. Each half says so by itself.
    pub(in crate::app) fn on_team_failed(&mut self, token: Token, failure: &RequestError) -> bool {
        if self.team.pending_reads.0.take_if(|asked| *asked == token).is_some() {
            if self.members.is_empty() {
                self.team.members_load = LoadState::Failed(failure.message.clone());
            } else {
                self.show_failure("the members could not be read", failure, "{team.refresh} tries again");
            }
        } else if self.team.pending_reads.1.take_if(|asked| *asked == token).is_some() {
            if self.team.invitations.is_empty() {
                self.team.load = LoadState::Failed(failure.message.clone());
            } else {
                self.show_failure("the invitations could not be read", failure, "{team.refresh} tries again");
            }
        } else {
            return false;
        }
        true
    }

    /// What was done is read back; what was not says why, and an address that was typed is kept.
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

    /// A member whose role is not as a step left it, in words.
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

    /// The keys move in the other list.
    pub(in crate::app) fn switch_team_list(&mut self) {
        self.team.invitations_focused = !self.team.invitations_focused;
    }

    /// A click goes to a row of one of the lists: first the members are counted, then the invitations.
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
