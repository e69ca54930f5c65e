//! The team's commands.

use super::PendingRemoval;
use crate::app::App;
use crate::app::action::Action;
use crate::app::command::{AppCommand, Availability, Scope};
use crate::app::notice::Notice;
use crate::app::overlay::Overlay;
use crate::app::overlay::choice::{Choice, ChoiceOption};
use crate::app::pending_writes::{ReversibleWrite, WriteOp};
use crate::app::prompt::{Prompt, PromptKind};
use crate::domain::members::{Invitation, InvitationStatus, Member, MemberAction, Role};

/// In the order of the help screen.
pub const COMMANDS: &[AppCommand] = &[
    AppCommand::new("team.open", &["Enter", "l", "Right"], "open", "show the member or the invitation", Scope::Team, |app| {
        app.team.panel_open = true;
    })
    .with_hint(6)
    .available_when(can_open),
    AppCommand::new("team.invite", &["i"], "invite", "invite someone by email", Scope::Team, |app| {
        // An invitation that is no longer pending prefills its address, to invite again.
        let now = app.service_now();
        let over = app
            .team
            .current_invitation()
            .filter(|it| it.status(now) != InvitationStatus::Pending && app.team.invitation_draft.is_empty());
        match over.and_then(|it| it.email.clone()) {
            Some(email) => app.prompt = Some(Prompt::new("invite", &email, PromptKind::InviteAddress)),
            None => app.open_prompt("invite", PromptKind::InviteAddress),
        }
    })
    .with_hint(1)
    .with_write()
    .available_when(can_administer),
    AppCommand::new("team.role", &["m"], "role", "change the member's role", Scope::Team, choose_role)
        .with_hint(2)
        .with_write()
        .available_when(can_change_role),
    AppCommand::new(
        "team.remove",
        &["D"],
        "remove",
        "remove the member or revoke the invitation; you see the effect first",
        Scope::Team,
        confirm_removal,
    )
    .with_hint(3)
    .with_write()
    .available_when(can_remove),
    AppCommand::new(
        "team.switch",
        &["Tab", "Shift-Tab"],
        "other list",
        "switch between members and invitations",
        Scope::Team,
        App::switch_team_list,
    )
    .with_hint(4),
    AppCommand::new("team.find", &["/"], "find", "find a name or email address", Scope::Team, |app| {
        app.prompt = Some(Prompt::new("/", "", PromptKind::FindPeople));
    })
    .with_hint(7),
    AppCommand::new("team.find.next", &["n"], "next match", "go to the next match", Scope::Team, |app| {
        app.find_team_member(true)
    })
    .available_when(App::can_repeat_find),
    AppCommand::new("team.find.previous", &["N"], "previous match", "go to the previous match", Scope::Team, |app| {
        app.find_team_member(false)
    })
    .available_when(App::can_repeat_find),
    AppCommand::new("team.refresh", &["R"], "refresh", "refresh members and invitations", Scope::Team, App::read_team)
        .with_hint(5),
    AppCommand::new("team.copy.id", &["y i"], "id", "copy the id", Scope::Team, |app| {
        let id = app
            .current_member()
            .map(|member| member.id.to_string())
            .or(app.team.current_invitation().map(|it| it.id.to_string()));
        app.copy_to_clipboard("id", id);
    }),
    AppCommand::new("team.copy.address", &["y a"], "address", "copy the email address", Scope::Team, |app| {
        let address = app.current_member().and_then(|member| member.email.clone());
        app.copy_to_clipboard("address", address.or(app.team.current_invitation().and_then(|it| it.email.clone())));
    }),
    AppCommand::new("team.copy.name", &["y n"], "name", "copy the name", Scope::Team, |app| {
        app.copy_to_clipboard(
            "name",
            app.current_member().map(Member::name).or(app.team.current_invitation().map(Invitation::name)),
        );
    }),
    AppCommand::new("team.copy.json", &["y j"], "JSON", "copy the member or the invitation as JSON", Scope::Team, |app| {
        let member = app.current_member().and_then(|member| serde_json::to_string_pretty(member).ok());
        app.copy_to_clipboard("JSON", member.or_else(|| serde_json::to_string_pretty(app.team.current_invitation()?).ok()));
    }),
];

fn can_open(app: &App) -> Availability {
    if app.layout.side_panel.is_empty() { Ok(()) } else { Err("it is already shown".into()) }
}

fn can_administer(app: &App) -> Availability {
    app.can_write()?;
    Ok(app.caller_permissions().check_administer()?)
}

fn can_change_role(app: &App) -> Availability {
    app.can_write()?;
    let member = app.current_member().ok_or("an invitation's role cannot change: revoke it and invite again")?;
    Ok(app.caller_permissions().check_change_member(member)?)
}

fn can_remove(app: &App) -> Availability {
    app.can_write()?;
    match (app.current_member(), app.team.current_invitation()) {
        (Some(member), _) => Ok(app.caller_permissions().check_set_role(member, None, &app.members)?),
        (None, Some(invitation)) => Ok(app.may_revoke_invitation(invitation)?),
        (None, None) => Err("nobody here".into()),
    }
}

fn write_intent(act: MemberAction, words: String, back: Option<MemberAction>) -> Action {
    Action::Write(words, vec![ReversibleWrite { forward: WriteOp::Team(act), back: back.map(WriteOp::Team) }])
}

/// Offers every role; unavailable ones show the reason.
fn choose_role(app: &mut App) {
    let Some(member) = app.current_member().cloned() else { return };
    let permissions = app.caller_permissions();
    let name = member.name();
    let picks = Role::ALL.iter().map(|role| {
        let then = match permissions.check_set_role(&member, Some(role), &app.members) {
            Ok(()) => {
                let back = member.role.clone().map(|before| MemberAction::SetRole(member.id, before));
                write_intent(MemberAction::SetRole(member.id, role.clone()), format!("role of {name}: {role}"), back)
            }
            Err(why) => Action::ShowUnavailable(why),
        };
        let note = if let Action::ShowUnavailable(why) = &then { why.clone() } else { String::new() };
        ChoiceOption { label: role.as_str().to_owned(), note, action: then }
    });
    let mut choice = Choice::new(format!("Role of {name}"), "0 cr", picks.collect());
    // Preselect the current role, so that pressing two keys in a hurry changes nothing.
    choice.selected = Role::ALL.iter().position(|role| member.role.as_ref() == Some(role)).unwrap_or(0);
    app.overlay = Some(Overlay::Choice(choice));
}

/// Shows the effect and asks for confirmation; under an API key, which belongs to no person, the name must be typed.
fn confirm_removal(app: &mut App) {
    let permissions = app.caller_permissions();
    let (removal, text) = match (app.current_member(), app.team.current_invitation()) {
        (Some(member), _) => {
            let name = member.email.clone().unwrap_or_else(|| member.name());
            let whom = if !permissions.is_api_key && permissions.user == Some(member.id) { "You lose" } else { "They lose" };
            let text = format!(
                "Removes {} from the workspace. {whom} access and favorites at once; their work stays. Only a new \
                 invitation brings them back.",
                if name == member.name() { name.clone() } else { format!("{} ({name})", member.name()) }
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
    if permissions.is_api_key {
        app.notice = Some(Notice::warning(format!("type {} to confirm: this revokes access", removal.name)));
        app.prompt = Some(Prompt::new("address", "", PromptKind::ConfirmRemoval));
        app.team.pending_removal = Some(removal);
        return;
    }
    let verb = if matches!(removal.action, MemberAction::Revoke(_)) { "revoke the invitation" } else { "remove the member" };
    app.confirm_change(verb, text, write_intent(removal.action, removal.description, None));
}

impl App {
    /// Goes to the next or previous match in the focused list.
    pub(in crate::app) fn find_team_member(&mut self, forward: bool) {
        let wanted = self.last_find.to_lowercase();
        let holds = |texts: [Option<&str>; 2]| texts.into_iter().flatten().any(|text| text.to_lowercase().contains(&wanted));
        let at = |rows: Vec<bool>| rows.into_iter().enumerate().filter(|(_, holds)| *holds).map(|(at, _)| at).collect();
        let (matches, scroll): (Vec<usize>, _) = if self.team.invitations_focused {
            let rows = self.team.invitations.iter().map(|it| holds([it.email.as_deref(), None])).collect();
            (at(rows), &mut self.team.invitations_scroll)
        } else {
            let rows = self.members.iter().map(|it| holds([it.email.as_deref(), Some(&it.name())])).collect();
            (at(rows), &mut self.team.members_scroll)
        };
        self.notice = Some(match scroll.jump_to_next(&matches, forward) {
            Some(at) => Notice::info(format!("{} of {}: {}", at + 1, matches.len(), self.last_find))
                .with_hint("{team.find.next} {team.find.previous}"),
            None => Notice::warning(format!("not found here: {}", self.last_find))
                .with_hint("{team.switch} switches to the other list"),
        });
    }

    /// Asks for the role to offer to a typed address, which is kept until it is invited.
    pub(in crate::app) fn invite_member(&mut self, email: &str) {
        email.clone_into(&mut self.team.invitation_draft);
        self.team.rejected_invitation = None;
        if email.is_empty() {
            return;
        }
        let offer = |role: Role, note: &str| ChoiceOption {
            label: role.as_str().to_owned(),
            note: note.to_owned(),
            action: write_intent(
                MemberAction::Invite { email: email.to_owned(), role: role.clone() },
                format!("invitation of {email} as {role}"),
                None,
            ),
        };
        let picks = vec![offer(Role::Member, "book, Views and triage"), offer(Role::Admin, "also manages the team")];
        let text = self.workspace.as_ref().and_then(|workspace| workspace.invitation_notice()).unwrap_or_default().to_owned();
        self.overlay = Some(Overlay::Choice(Choice { text, ..Choice::new(format!("Invite {email} as"), "0 cr", picks) }));
    }

    /// Handles the name typed to confirm a removal.
    pub(in crate::app) fn confirm_removal_by_name(&mut self, typed: &str) {
        let Some(PendingRemoval { action: act, name, description: words }) = self.team.pending_removal.take() else { return };
        if typed == name {
            self.perform(write_intent(act, words, None));
        } else {
            self.notice =
                Some(Notice::warning(format!("{typed:?} is not {name}: nothing changed")).with_hint("{team.remove} retries"));
        }
    }
}
