//! Team: members and invitations of the workspace; which changes are allowed, and why others are
//! not.
//!
//! Members and invitations are read when the screen opens and after each change, because the
//! interface does not specify what a change returns. All of it is free.

mod columns;
pub(crate) mod commands;
pub(crate) mod draw;
mod layout;
pub(in crate::app) mod messages;
pub(crate) mod side_panel;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use uuid::Uuid;

use crate::app::action::Action;
use crate::app::change::Change;
use crate::app::command::Scope;
use crate::app::effect::{ServiceCall, Slot};
use crate::app::focused_list::FocusedList;
use crate::app::layout::FrameLayout;
use crate::app::list::{self, list_of};
use crate::app::model::list_table::ListLines;
use crate::app::model::load_state::LoadState;
use crate::app::msg::{CallResult, payload};
use crate::app::notice::Notice;
use crate::app::overlay::join_code::NewJoinCode;
use crate::app::pane::{ClickedRow, Pane, PaneEvent, PaneFocus};
use crate::app::panes::team::columns::{Invitations, Members};
use crate::app::panes::team::messages::{TeamAction, TeamRequest};
use crate::app::{Context, Screen};
use crate::domain::members::{Invitation, InvitationDelivery, Member, MemberAction};
use crate::domain::writes::{ReversibleWrite, WriteOp};

/// The members themselves are in the context, because every pane shows names.
#[derive(Clone, Debug, Default)]
pub struct TeamPane {
    /// Newest first.
    pub invitations: Vec<Invitation>,
    pub members_load: LoadState,
    /// Load state of the invitations.
    pub load: LoadState,
    member_lines: ListLines,
    invitation_lines: ListLines,
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

impl TeamPane {
    /// The invitation under the cursor, if that list has the focus.
    pub fn current_invitation(&self) -> Option<&Invitation> {
        self.invitations
            .get(self.invitation_lines.current_row())
            .filter(|_| self.invitations_focused)
    }

    fn focused_lines_mut(&mut self) -> &mut ListLines {
        if self.invitations_focused {
            &mut self.invitation_lines
        } else {
            &mut self.member_lines
        }
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

/// Shows the join code of a new invitation, or says where it is.
fn report_delivery(email: &str, delivery: &InvitationDelivery, cx: &mut Context) {
    let sends_no_mail = cx
        .team
        .workspace
        .as_ref()
        .is_some_and(|workspace| workspace.sends_invitations == Some(false));
    if let Some(code) = &delivery.join_code {
        cx.join_codes.push_back(NewJoinCode {
            email: email.to_owned(),
            code: code.clone(),
            expires_at: delivery.expires_at.clone(),
        });
    } else if delivery.is_mailed {
        cx.ui.notice = Some(Notice::success(format!(
            "done: invitation; the join code is in the mail to {email}"
        )));
    } else if sends_no_mail {
        let notice = Notice::warning(format!("{email} is invited; there is no join code"));
        cx.ui.notice = Some(
            notice.with_hint("for one, start gantry serve, then run gantry invitations renew"),
        );
    }
}

impl TeamPane {
    /// The member under the cursor, if that list has the focus.
    pub fn current_member<'a>(&self, cx: &'a Context) -> Option<&'a Member> {
        cx.team
            .members
            .get(self.member_lines.current_row())
            .filter(|_| !self.invitations_focused)
    }

    pub fn perform(&mut self, TeamAction::Show(member): TeamAction, cx: &mut Context) {
        cx.work.perform(Action::GoTo(Screen::Team));
        self.invitations_focused = false;
        self.member_lines
            .move_to_row(cx.team.members.iter().position(|known| known.id == member));
    }

    fn read(&mut self, cx: &mut Context) {
        for load in [&mut self.members_load, &mut self.load] {
            if *load != LoadState::Ready {
                *load = LoadState::Loading;
            }
        }
        cx.work
            .call_service(Slot::Members, ServiceCall::Members, TeamRequest::Members);
        cx.work.call_service(
            Slot::Invitations,
            ServiceCall::Invitations,
            TeamRequest::Invitations,
        );
    }

    pub fn on_reply(&mut self, request: TeamRequest, result: CallResult, cx: &mut Context) {
        match request {
            TeamRequest::Members => match payload(result) {
                Ok(members) => cx.store_members(members),
                Err(failure) if cx.team.members.is_empty() => {
                    self.members_load = LoadState::Failed(failure.message)
                }
                Err(failure) => cx.ui.show_failure(
                    "could not load the members",
                    &failure,
                    "{team.refresh} retries",
                ),
            },
            TeamRequest::Invitations => match payload(result) {
                Ok(invitations) => self.store_invitations(invitations, cx),
                Err(failure) if self.invitations.is_empty() => {
                    self.load = LoadState::Failed(failure.message)
                }
                Err(failure) => cx.ui.show_failure(
                    "could not load the invitations",
                    &failure,
                    "{team.refresh} retries",
                ),
            },
        }
    }

    fn store_invitations(&mut self, invitations: Vec<Invitation>, cx: &Context) {
        let here = self
            .invitations
            .get(self.invitation_lines.current_row())
            .map(|invitation| invitation.id);
        self.invitations = invitations;
        self.load = LoadState::Ready;
        self.arrange(cx);
        self.invitation_lines.move_to_row(
            self.invitations
                .iter()
                .position(|invitation| Some(invitation.id) == here),
        );
    }

    /// Reads the team again after writes; failures keep their reason, and a typed address is kept.
    fn on_written(
        &mut self,
        applied: &[ReversibleWrite],
        failed: &[(ReversibleWrite, String)],
        cx: &mut Context,
    ) {
        let act = |change: &ReversibleWrite| match &change.forward {
            WriteOp::Team(act) => Some(act.clone()),
            _ => None,
        };
        let done: Vec<MemberAction> = applied.iter().filter_map(act).collect();
        let left: Vec<(MemberAction, String)> = failed
            .iter()
            .filter_map(|(change, why)| Some((act(change)?, why.clone())))
            .collect();
        if done.is_empty() && left.is_empty() {
            return;
        }
        for act in &done {
            self.rejected_invitation = None;
            if matches!(act, MemberAction::Invite { .. }) {
                self.invitation_draft.clear();
            }
            target_id(act).map(|id| self.write_errors.remove(&id));
        }
        for (act, why) in &left {
            if let MemberAction::Invite { email, .. } = act {
                self.rejected_invitation = Some((email.clone(), why.clone()));
            }
        }
        self.write_errors.extend(
            left.iter()
                .filter_map(|(act, why)| Some((target_id(act)?, why.clone()))),
        );
        self.read(cx);
    }

    fn arrange(&mut self, cx: &Context) {
        self.member_lines = list::arrange::<Members>(self, cx);
        self.invitation_lines = list::arrange::<Invitations>(self, cx);
    }
}

impl Pane for TeamPane {
    fn focus(&self, _cx: &Context) -> PaneFocus {
        Scope::Team.into()
    }

    fn layout(&mut self, areas: &mut FrameLayout, body: Rect, cx: &mut Context) {
        self.lay_out(areas, body, cx);
    }

    fn draw(&self, cx: &Context, buf: &mut Buffer) -> Option<Position> {
        draw::draw(self, cx, buf);
        None
    }

    fn on_event(&mut self, event: PaneEvent<'_>, cx: &mut Context) {
        match event {
            PaneEvent::Opened if self.load.needs_load() || self.members_load.needs_load() => {
                self.read(cx)
            }
            PaneEvent::Changed(Change::Members(before)) => {
                self.members_load = LoadState::Ready;
                let here = before
                    .get(self.member_lines.current_row())
                    .map(|member| member.id);
                self.arrange(cx);
                self.member_lines.move_to_row(
                    cx.team
                        .members
                        .iter()
                        .position(|member| Some(member.id) == here),
                );
            }
            PaneEvent::Changed(Change::Invited(email, delivery)) => {
                report_delivery(email, delivery, cx)
            }
            PaneEvent::Changed(Change::Written(write)) => {
                self.on_written(&write.applied, &write.failed, cx)
            }
            PaneEvent::Changed(Change::Reconnected)
                if self.load.is_failed() || self.members_load.is_failed() =>
            {
                self.read(cx)
            }
            PaneEvent::TabSwitched { .. } => {
                self.invitations_focused = !self.invitations_focused;
            }
            PaneEvent::Back
                if std::mem::take(&mut self.panel_open) && cx.frame.layout().panel.is_empty() => {}
            PaneEvent::Back => {
                self.invitations_focused = false;
                cx.ui.notice = None;
            }
            _ => {}
        }
    }

    /// `line` counts the members first, then the invitations.
    fn click_row(&mut self, row: ClickedRow, _cx: &mut Context) -> Option<&'static str> {
        let members = self.member_lines.len();
        self.invitations_focused = row.line >= members;
        if self.invitations_focused {
            self.invitation_lines.click(row.line - members);
        } else {
            self.member_lines.click(row.line);
        }
        None
    }

    fn list<'a>(&'a self, cx: &'a Context) -> Option<Box<dyn FocusedList<'a> + 'a>> {
        Some(if self.invitations_focused {
            Box::new(list_of::<Invitations>(self, cx))
        } else {
            Box::new(list_of::<Members>(self, cx))
        })
    }

    fn list_lines_mut(&mut self) -> Option<&mut ListLines> {
        Some(self.focused_lines_mut())
    }
}
