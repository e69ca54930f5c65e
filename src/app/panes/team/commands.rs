//! The team's commands.

use crate::app::Context;
use crate::app::action::Action;
use crate::app::command::{Availability, require, shared};
use crate::app::drafts::DraftName;
use crate::app::notice::Notice;
use crate::app::overlay::Overlay;
use crate::app::overlay::choice::{Choice, ChoiceOption};
use crate::app::pane_command::PaneCommand;
use crate::app::panes::team::messages::TeamPrompt;
use crate::app::panes::team::side_panel::check_revoke;
use crate::app::panes::team::{PendingRemoval, TeamPane};
use crate::app::prompt::Prompt;
use crate::domain::email_address::parse_email;
use crate::domain::members::{Invitation, Member, MemberAction, Role};
use crate::domain::writes::{ReversibleWrite, WriteOp};

type Row = PaneCommand<TeamPane>;

const INVITE: TeamPrompt = TeamPrompt::InviteAddress;
const INVITE_LABEL: &str = "email to invite";

/// In the order of the help screen.
pub const COMMANDS: &[Row] = &[
    Row::at("team.open", &shared::OPEN, |team, _| {
        team.panel_open = true;
    })
    .with_hint(6)
    .available_when(can_open),
    Row::new(
        "team.invite",
        &["i"],
        "invite",
        "invite someone by email",
        |team, cx| {
            // An invitation that is over prefills its address, to invite again.
            let now = cx.clock.service_now();
            let over = team
                .current_invitation()
                .filter(|it| !it.may_be_open(now) && team.invitation_draft.is_empty());
            match over.and_then(|it| it.email.clone()) {
                Some(email) => cx.ui.prompt = Some(Prompt::new(INVITE_LABEL, &email, INVITE)),
                None => cx.drafts.open_prompt(
                    INVITE_LABEL,
                    INVITE,
                    DraftName::InvitationAddress,
                    &team.invitation_draft,
                    &mut cx.ui,
                ),
            }
        },
    )
    .with_hint(1)
    .with_write()
    .available_when(can_administer),
    Row::new(
        "team.role",
        &["m"],
        "role",
        "change the member's role",
        choose_role,
    )
    .with_hint(2)
    .with_write()
    .available_when(can_change_role),
    Row::at("team.remove", &shared::DELETE, confirm_removal)
        .with_words(
            "remove",
            "remove the member or revoke the invitation; you see the effect first",
        )
        .with_hint(3)
        .with_write()
        .available_when(can_remove),
    Row::at("team.switch", &shared::OTHER_PANE, |team, _| {
        team.invitations_focused = !team.invitations_focused
    })
    .with_title("other list")
    .with_hint(4),
    Row::at("team.refresh", &shared::REFRESH, TeamPane::read).with_hint(5),
    Row::at("team.copy.id", &shared::COPY_ID, |team, cx| {
        let id = team
            .current_member(cx)
            .map(|member| member.id.to_string())
            .or(team.current_invitation().map(|it| it.id.to_string()));
        cx.copy_to_clipboard("id", id);
    })
    .with_description("copy the id of the member or of the invitation"),
    Row::at("team.copy.address", &shared::COPY_ADDRESS, |team, cx| {
        let address = team
            .current_member(cx)
            .and_then(|member| member.email.clone());
        cx.copy_to_clipboard(
            "address",
            address.or(team.current_invitation().and_then(|it| it.email.clone())),
        );
    })
    .with_description("copy the email address"),
    Row::at("team.copy.name", &shared::COPY_NAME, |team, cx| {
        cx.copy_to_clipboard(
            "name",
            team.current_member(cx)
                .map(Member::name)
                .or(team.current_invitation().map(Invitation::name)),
        );
    }),
    Row::at("team.copy.json", &shared::COPY_JSON, |team, cx| {
        let member = team
            .current_member(cx)
            .and_then(|member| serde_json::to_string_pretty(member).ok());
        cx.copy_to_clipboard(
            "JSON",
            member.or_else(|| serde_json::to_string_pretty(team.current_invitation()?).ok()),
        );
    }),
];

fn can_open(_: &TeamPane, cx: &Context) -> Availability {
    require(
        cx.frame.layout().side_panel.is_empty(),
        "it is already shown",
    )
}

fn can_administer(_: &TeamPane, cx: &Context) -> Availability {
    Ok(cx.team.caller_permissions().check_administer()?)
}

fn can_change_role(team: &TeamPane, cx: &Context) -> Availability {
    let member = team
        .current_member(cx)
        .ok_or("an invitation's role cannot change: revoke it and invite again")?;
    Ok(cx.team.caller_permissions().check_change_member(member)?)
}

fn can_remove(team: &TeamPane, cx: &Context) -> Availability {
    match (team.current_member(cx), team.current_invitation()) {
        (Some(member), _) => {
            Ok(cx
                .team
                .caller_permissions()
                .check_set_role(member, None, &cx.team.members)?)
        }
        (None, Some(invitation)) => Ok(check_revoke(invitation, cx)?),
        (None, None) => Err("nobody here".into()),
    }
}

fn write_intent(act: MemberAction, words: String, back: Option<MemberAction>) -> Action {
    Action::Write(
        words,
        vec![ReversibleWrite {
            forward: WriteOp::Team(act),
            back: back.map(WriteOp::Team),
        }],
    )
}

/// Offers every role; unavailable ones show the reason.
fn choose_role(team: &mut TeamPane, cx: &mut Context) {
    let Some(member) = team.current_member(cx).cloned() else {
        return;
    };
    let permissions = cx.team.caller_permissions();
    let name = member.name();
    let picks = Role::ALL.iter().map(|role| {
        let then = match permissions.check_set_role(&member, Some(role), &cx.team.members) {
            Ok(()) => {
                let back = member
                    .role
                    .clone()
                    .map(|before| MemberAction::SetRole(member.id, before));
                write_intent(
                    MemberAction::SetRole(member.id, role.clone()),
                    format!("role of {name}: {role}"),
                    back,
                )
            }
            Err(why) => Action::ShowUnavailable(why),
        };
        let note = if let Action::ShowUnavailable(why) = &then {
            why.clone()
        } else {
            String::new()
        };
        ChoiceOption {
            label: role.as_str().to_owned(),
            note,
            action: then,
        }
    });
    let mut choice = Choice::new(format!("Role of {name}"), "0 cr", picks.collect());
    // Preselect the current role, so that pressing two keys in a hurry changes nothing.
    let lowest = Role::ALL.len() - 1;
    choice.selected = Role::ALL
        .iter()
        .position(|role| member.role.as_ref() == Some(role))
        .unwrap_or(lowest);
    cx.ui.overlay = Some(Overlay::Choice(choice));
}

/// Shows the effect and asks for confirmation; under an API key, which belongs to no person, the
/// name must be typed.
fn confirm_removal(team: &mut TeamPane, cx: &mut Context) {
    let permissions = cx.team.caller_permissions();
    let (removal, text) = match (team.current_member(cx), team.current_invitation()) {
        (Some(member), _) => {
            let name = member.email.clone().unwrap_or_else(|| member.name());
            let whom = if !permissions.is_api_key && permissions.user == Some(member.id) {
                "You lose"
            } else {
                "They lose"
            };
            let text = format!(
                "Removes {} from the workspace. {whom} access and favorites at once; their work stays. Only a new \
                 invitation brings them back.",
                if name == member.name() {
                    name.clone()
                } else {
                    format!("{} ({name})", member.name())
                }
            );
            (
                PendingRemoval {
                    action: MemberAction::Remove(member.id),
                    description: format!("removal of {}", member.name()),
                    name,
                },
                text,
            )
        }
        (None, Some(invitation)) => {
            let name = invitation.name();
            let text = format!(
                "Revokes the invitation of {name}. Its link stops working at once. This cannot be undone; the record stays."
            );
            (
                PendingRemoval {
                    action: MemberAction::Revoke(invitation.id),
                    description: format!("revocation of {name}'s invitation"),
                    name,
                },
                text,
            )
        }
        (None, None) => return,
    };
    let is_owner = team
        .current_member(cx)
        .is_some_and(|member| member.role == Some(Role::Owner));
    if permissions.is_api_key || is_owner {
        cx.ui.warn(format!(
            "type {} to confirm: this revokes access",
            removal.name
        ));
        cx.ui.prompt = Some(Prompt::new("address", "", TeamPrompt::ConfirmRemoval));
        team.pending_removal = Some(removal);
        return;
    }
    let verb = if matches!(removal.action, MemberAction::Revoke(_)) {
        "revoke the invitation"
    } else {
        "remove the member"
    };
    cx.ui.confirm_change(
        verb,
        text,
        write_intent(removal.action, removal.description, None),
    );
}

impl TeamPane {
    /// Takes the answer to a prompt.
    pub fn on_prompt(&mut self, prompt: TeamPrompt, text: &str, cx: &mut Context) {
        match prompt {
            TeamPrompt::InviteAddress => self.invite(text, cx),
            TeamPrompt::ConfirmRemoval => self.confirm_removal_by_name(text, cx),
        }
    }

    /// An address that can be invited, from what was typed.
    ///
    /// # Errors
    /// It is no address, or somebody has it or an invitation to it already.
    fn parse_new_address(&self, text: &str, cx: &Context) -> Result<String, String> {
        let email = parse_email(text).ok_or(format!("{text} is not an email address"))?;
        let mut members = cx.team.members.iter();
        if let Some(member) = members.find(|member| member.has_address(&email)) {
            return Err(format!("{} is already a member", member.name()));
        }
        let now = cx.clock.service_now();
        let is_open = |invitation: &Invitation| {
            let known = invitation.email.as_deref();
            invitation.may_be_open(now)
                && known.is_some_and(|known| known.eq_ignore_ascii_case(&email))
        };
        match self.invitations.iter().any(is_open) {
            true => Err(format!("{email} is already invited")),
            false => Ok(email),
        }
    }

    /// Asks for the role to offer to a typed address, which is kept until it is invited. What cannot
    /// be invited stays in the prompt.
    fn invite(&mut self, text: &str, cx: &mut Context) {
        self.invitation_draft.clear();
        self.rejected_invitation = None;
        if text.is_empty() {
            return;
        }
        let email = match self.parse_new_address(text, cx) {
            Ok(email) => email,
            Err(why) => {
                cx.ui.ask_again(INVITE_LABEL, text, INVITE, why);
                return;
            }
        };
        text.clone_into(&mut self.invitation_draft);
        let offer = |role: Role, note: &str| ChoiceOption {
            label: role.as_str().to_owned(),
            note: note.to_owned(),
            action: write_intent(
                MemberAction::Invite {
                    email: email.clone(),
                    role: role.clone(),
                },
                format!("invitation of {email} as {role}"),
                None,
            ),
        };
        let picks = vec![
            offer(Role::Member, "book, Views and triage"),
            offer(Role::Admin, "also manages the team"),
        ];
        let text = cx
            .team
            .workspace
            .as_ref()
            .and_then(|workspace| workspace.invitation_notice())
            .unwrap_or_default()
            .to_owned();
        cx.ui.overlay = Some(Overlay::Choice(Choice {
            text,
            ..Choice::new(format!("Invite {email} as"), "0 cr", picks)
        }));
    }

    /// Handles the name typed to confirm a removal.
    fn confirm_removal_by_name(&mut self, typed: &str, cx: &mut Context) {
        let Some(PendingRemoval {
            action: act,
            name,
            description: words,
        }) = self.pending_removal.take()
        else {
            return;
        };
        if typed == name {
            cx.work.perform(write_intent(act, words, None));
        } else {
            cx.ui.notice = Some(
                Notice::warning(format!("{typed:?} is not {name}: nothing changed"))
                    .with_hint("{team.remove} retries"),
            );
        }
    }
}
