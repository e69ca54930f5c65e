//! The Skills pane's commands.

use serde_json::json;

use super::filter;
use crate::app::App;
use crate::app::action::Action;
use crate::app::command::{AppCommand, Availability, Scope};
use crate::app::format::pluralize;
use crate::app::notice::Notice;
use crate::app::overlay::Overlay;
use crate::app::overlay::choice::{Choice, ChoiceOption};
use crate::app::pending_writes::{ReversibleWrite, WriteOp};
use crate::app::prompt::{Prompt, PromptKind};
use crate::domain::skills::{self, Skill, SkillAudience, SkillFilter, SkillLifecycle};

/// In the order of the help screen.
pub const COMMANDS: &[AppCommand] = &[
    AppCommand::new(
        "skills.open",
        &["Enter", "l", "Right"],
        "open",
        "open the Skill with its files and revisions",
        Scope::Skills,
        App::open_skill,
    )
    .with_hint(1)
    .available_when(has_skill),
    AppCommand::new("skills.mark", &["Space", "x"], "mark", "mark the Skill and move down", Scope::Skills, mark)
        .with_hint(6)
        .available_when(has_skill),
    AppCommand::new("skills.unmark", &["* n"], "none", "clear all marks", Scope::Skills, |app| app.skills.marks.clear()),
    AppCommand::new(
        "skills.filter",
        &["f"],
        "filter",
        "filter by source, lifecycle, audience, installed, date, text",
        Scope::Skills,
        |app| {
            app.prompt = Some(Prompt::new("filter", &filter::format_filter(&app.skills.filter), PromptKind::FilterSkills));
        },
    )
    .with_hint(2),
    AppCommand::new("skills.all", &["F"], "no filter", "clear the filter", Scope::Skills, |app| {
        app.skills.found_by = None;
        app.skills.filter = SkillFilter::default();
        app.read_skills();
    }),
    AppCommand::new("skills.find", &["/"], "find", "find Skills by words, best match first", Scope::Skills, |app| {
        app.prompt = Some(Prompt::new("find", "", PromptKind::FindSkills));
    })
    .with_hint(3),
    AppCommand::new("skills.refresh", &["R"], "refresh", "refresh the list of Skills", Scope::Skills, |app| {
        app.read_skills();
        app.read_open_skill();
    }),
    AppCommand::new("skills.switch", &["Tab", "Shift-Tab"], "Skill", "go to the open Skill", Scope::Skills, |app| {
        app.skills.skill_focused = true
    })
    .available_when(|app| {
        if app.skills.open.is_some() {
            Ok(())
        } else {
            Err(app.keymap.expand_keys("no Skill is open; {skills.open} opens one").into())
        }
    }),
    AppCommand::new("skill.back", &["Tab", "Shift-Tab", "h", "Left"], "Skills", "go back to the Skills", Scope::Skill, |app| {
        app.skills.skill_focused = false;
    })
    .with_hint(7),
    AppCommand::new("skill.older", &["["], "older", "show the previous revision", Scope::Skill, |app| {
        app.show_adjacent_revision(true)
    })
    .with_hint(2)
    .available_when(|app| can_show_adjacent(app, true)),
    AppCommand::new("skill.newer", &["]"], "newer", "show the next revision", Scope::Skill, |app| {
        app.show_adjacent_revision(false)
    })
    .with_hint(3)
    .available_when(|app| can_show_adjacent(app, false)),
    AppCommand::new("skill.diff", &["d"], "diff", "compare two revisions", Scope::Skill, choose_comparison)
        .with_hint(1)
        .available_when(can_diff),
    AppCommand::new("skill.down", &["J"], "scroll", "scroll the text down", Scope::Skill, |app| scroll(app, 1)).with_hint(4),
    AppCommand::new("skill.up", &["K"], "scroll up", "scroll the text up", Scope::Skill, |app| scroll(app, -1)),
    AppCommand::new("skill.refresh", &["R"], "refresh", "refresh the Skill", Scope::Skill, App::read_open_skill),
    AppCommand::new(
        "skills.new",
        &["A"],
        "new draft",
        "write a new Skill in your own editor",
        Scope::SkillEditing,
        App::open_new_skill_editor,
    )
    .with_hint(4)
    .with_write()
    .available_when(can_write),
    AppCommand::new("skills.edit", &["E"], "edit", "edit the Skills in your own editor", Scope::SkillEditing, App::edit_skills)
        .with_hint(5)
        .with_write()
        .available_when(can_edit),
    AppCommand::new("skills.publish", &["m p"], "publish", "publish the Skills to their audience", Scope::SkillEditing, |app| {
        send_change(app, skills::SkillAction::Publish)
    })
    .with_hint(5)
    .with_immediate_write()
    .available_when(|app| can_send_change(app, skills::SkillAction::Publish)),
    AppCommand::new(
        "skills.unpublish",
        &["m u"],
        "unpublish",
        "unpublish the Skills, taking them out of use",
        Scope::SkillEditing,
        |app| send_change(app, skills::SkillAction::Unpublish),
    )
    .with_immediate_write()
    .available_when(|app| can_send_change(app, skills::SkillAction::Unpublish)),
    AppCommand::new(
        "skills.install",
        &["m i"],
        "install",
        "install the Skills (official ones only)",
        Scope::SkillEditing,
        |app| send_change(app, skills::SkillAction::Install),
    )
    .with_immediate_write()
    .available_when(|app| can_send_change(app, skills::SkillAction::Install)),
    AppCommand::new(
        "skills.uninstall",
        &["m x"],
        "uninstall",
        "uninstall the Skills (official ones only)",
        Scope::SkillEditing,
        |app| send_change(app, skills::SkillAction::Uninstall),
    )
    .with_immediate_write()
    .available_when(|app| can_send_change(app, skills::SkillAction::Uninstall)),
    AppCommand::new("skills.fork", &["m f"], "fork", "fork the Skills into your own drafts", Scope::SkillEditing, fork)
        .with_immediate_write()
        .available_when(|app| can_send_change(app, skills::SkillAction::Fork)),
    AppCommand::new("skills.move", &["m m"], "move", "move the Skills to another audience", Scope::SkillEditing, choose_audience)
        .with_write()
        .available_when(|app| can_send_change(app, skills::SkillAction::Move)),
    AppCommand::new(
        "skills.transfer",
        &["m t"],
        "transfer",
        "transfer the Skills to another member",
        Scope::SkillEditing,
        choose_new_owner,
    )
    .with_write()
    .available_when(|app| can_send_change(app, skills::SkillAction::Transfer)),
    AppCommand::new(
        "skills.again",
        &["m r"],
        "retry",
        "retry unanswered requests (never applied twice)",
        Scope::SkillEditing,
        |app| {
            app.resend_skill_calls();
        },
    )
    .with_immediate_write()
    .available_when(|app| if app.skills.unconfirmed.is_empty() { Err("no unanswered requests".into()) } else { can_write(app) }),
    AppCommand::new(
        "skills.go_on",
        &["m e"],
        "resume",
        "resume your rejected draft",
        Scope::SkillEditing,
        App::resume_skill_draft,
    )
    .with_write()
    .available_when(has_unsent_text),
    AppCommand::new("skills.drop", &["m X"], "discard", "discard your rejected draft", Scope::SkillEditing, |app| {
        app.discard_skill_draft();
        app.notice = Some(Notice::info("draft discarded"));
    })
    .available_when(has_unsent_text),
    AppCommand::new("skills.delete", &["D"], "delete", "delete the Skills permanently", Scope::SkillEditing, delete)
        .with_hint(8)
        .with_write()
        .available_when(|app| can_send_change(app, skills::SkillAction::Delete)),
];

fn has_skill(app: &App) -> Availability {
    if app.skills.current_skill().is_some() { Ok(()) } else { Err("no Skill here".into()) }
}

fn has_unsent_text(app: &App) -> Availability {
    if app.skills.unsent_text.is_some() { Ok(()) } else { Err("no saved draft".into()) }
}

/// Whether both the console and the token may write.
fn can_write(app: &App) -> Availability {
    app.can_write()?;
    app.token_may_write()
}

/// The selected Skills that the change applies to.
fn targets(app: &App, change: skills::SkillAction) -> Vec<&Skill> {
    app.skills.selection().into_iter().filter(|skill| rejection_reason(change, skill).is_none()).collect()
}

/// Why a change does not apply to a Skill, as far as its fields show. The service rejects the rest with its own message.
fn rejection_reason(change: skills::SkillAction, skill: &Skill) -> Option<&'static str> {
    use skills::SkillAction as C;
    match (change, &skill.lifecycle) {
        (C::Install | C::Uninstall, _) if !skill.is_official() => Some("only official Skills can be installed or uninstalled"),
        (C::Install, _) if skill.installed == Some(true) => Some("already installed"),
        (C::Uninstall, _) if skill.installed == Some(false) => Some("not installed"),
        (C::Install | C::Uninstall | C::Fork | C::Create, _) => None,
        _ if skill.is_official() => Some("official Skills cannot be changed; {skills.fork} forks one into your own draft"),
        (C::Publish, Some(SkillLifecycle::Published)) => Some("already published"),
        (C::Unpublish, Some(SkillLifecycle::Unpublished)) => Some("already unpublished"),
        _ => None,
    }
}

fn can_send_change(app: &App, change: skills::SkillAction) -> Availability {
    can_write(app)?;
    has_skill(app)?;
    let first = app.skills.selection().into_iter().next().and_then(|skill| rejection_reason(change, skill));
    match first {
        Some(why) if targets(app, change).is_empty() => Err(app.keymap.expand_keys(why).into()),
        _ => Ok(()),
    }
}

fn can_edit(app: &App) -> Availability {
    can_send_change(app, skills::SkillAction::Update)?;
    match app.skills.selection().into_iter().find_map(|skill| rejection_reason(skills::SkillAction::Update, skill)) {
        Some(why) => Err(app.keymap.expand_keys(why).into()),
        None => Ok(()),
    }
}

fn can_show_adjacent(app: &App, older: bool) -> Availability {
    match app.skills.open.as_ref().and_then(|open| open.adjacent_revision(older)) {
        Some(_) => Ok(()),
        None => Err(if older { "this is the oldest revision" } else { "this is the newest revision" }.into()),
    }
}

fn can_diff(app: &App) -> Availability {
    match &app.skills.open {
        Some(open) if open.revisions.len() > 1 => Ok(()),
        _ => Err("only one revision, nothing to compare".into()),
    }
}

fn mark(app: &mut App) {
    if let Some(id) = app.skills.current_skill().map(|skill| skill.id.clone())
        && !app.skills.marks.remove(&id)
    {
        app.skills.marks.insert(id);
    }
    app.perform(Action::MoveCursor(1));
}

fn scroll(app: &mut App, lines: isize) {
    if let Some(open) = &mut app.skills.open {
        open.top = open.top.saturating_add_signed(lines * 3);
    }
}

/// Offers to compare the current revision with each other one, starting with its predecessor.
fn choose_comparison(app: &mut App) {
    let Some(open) = &app.skills.open else { return };
    let shown = open.revision;
    let others = open.revisions.iter().map(|revision| revision.revision).filter(|other| *other != shown);
    let (mut older, newer): (Vec<u64>, Vec<u64>) = others.partition(|other| *other < shown);
    older.extend(newer.into_iter().rev());
    let pick = |other: u64| {
        let (old, new) = (other.min(shown), other.max(shown));
        let when = open.revisions.iter().find(|revision| revision.revision == other);
        let note =
            when.and_then(|revision| revision.created_at.as_ref()).map(crate::app::format::format_full_day).unwrap_or_default();
        ChoiceOption { label: format!("revisions {old} and {new}"), note, action: Action::DiffSkill(old, new) }
    };
    let picks = older.into_iter().map(pick).collect();
    app.overlay = Some(Overlay::Choice(Choice::new("Compare", "0 cr", picks)));
}

fn skills_label(skills: &[&Skill]) -> String {
    if let [skill] = skills { skill.title() } else { pluralize(skills.len(), "Skill") }
}

/// Sends a change that needs no parameters, with its inverse if there is one.
fn send_change(app: &mut App, change: skills::SkillAction) {
    use skills::SkillAction as C;
    let skills: Vec<Skill> = targets(app, change).into_iter().cloned().collect();
    let words = format!("{} {}", change.as_str(), skills_label(&skills.iter().collect::<Vec<_>>()));
    let mut changes = Vec::new();
    for skill in skills {
        let back = match (change, &skill.lifecycle) {
            (C::Publish, Some(SkillLifecycle::Unpublished)) => Some(C::Unpublish),
            (C::Unpublish, Some(SkillLifecycle::Published)) => Some(C::Publish),
            (C::Install, _) => Some(C::Uninstall),
            (C::Uninstall, _) => Some(C::Install),
            _ => None,
        };
        let body = json!({"skill_id": skill.id});
        let back = back.map(|back| WriteOp::Skill(app.new_skill_call(back, Some(skill.id.clone()), body.clone())));
        changes.push(ReversibleWrite { forward: WriteOp::Skill(app.new_skill_call(change, Some(skill.id.clone()), body)), back });
    }
    app.write_skills(words, changes);
}

fn fork(app: &mut App) {
    let skills = targets(app, skills::SkillAction::Fork);
    match skills.as_slice() {
        [one] => {
            let name = one.name.clone().unwrap_or_default();
            app.skills.fork_source = Some(one.id.clone());
            app.prompt = Some(Prompt::new("name of the fork", &name, PromptKind::ForkSkill));
        }
        _ => send_change(app, skills::SkillAction::Fork),
    }
}

fn choose_audience(app: &mut App) {
    let title = format!("Audience of {}", skills_label(&targets(app, skills::SkillAction::Move)));
    let pick = |audience: &SkillAudience| {
        let note = match audience {
            SkillAudience::Personal => "only its owner",
            _ => "every member",
        };
        ChoiceOption { label: audience.to_string(), note: note.to_owned(), action: Action::SetSkillsAudience(audience.clone()) }
    };
    app.overlay = Some(Overlay::Choice(Choice::new(title, "0 cr", SkillAudience::ALL.iter().map(pick).collect())));
}

fn choose_new_owner(app: &mut App) {
    if app.members.is_empty() {
        app.notice = Some(Notice::warning("the members are not loaded yet").with_hint("{skills.refresh} loads them"));
        app.request_header_data();
        return;
    }
    let title = format!("Transfer {} to", skills_label(&targets(app, skills::SkillAction::Transfer)));
    let pick = |member: &crate::domain::members::Member| ChoiceOption {
        label: member.name(),
        note: member.role.as_ref().map(ToString::to_string).unwrap_or_default(),
        action: Action::TransferSkills(member.id),
    };
    let picks = app.members.iter().map(pick).collect();
    let text = "You cannot undo this: only the new owner can give a Skill back.".to_owned();
    app.overlay = Some(Overlay::Choice(Choice { text, ..Choice::new(title, "0 cr", picks) }));
}

fn delete(app: &mut App) {
    let skills: Vec<Skill> = targets(app, skills::SkillAction::Delete).into_iter().cloned().collect();
    let words = format!("delete {}", skills_label(&skills.iter().collect::<Vec<_>>()));
    let names: Vec<String> = skills.iter().map(Skill::title).collect();
    let changes = skills
        .iter()
        .map(|skill| {
            let order = app.new_skill_call(skills::SkillAction::Delete, Some(skill.id.clone()), json!({"skill_id": skill.id}));
            ReversibleWrite { forward: WriteOp::Skill(order), back: None }
        })
        .collect();
    let text = format!("Deletes {} with all revisions for everyone. This cannot be undone.", names.join(", "));
    app.confirm_change(&words.clone(), text, Action::Write(words, changes));
}

impl App {
    /// Whether the token may write, judging by the scopes the service reported.
    pub fn token_may_write(&self) -> Availability {
        let scopes = self.workspace.as_ref().and_then(|workspace| workspace.caller.as_ref()).map(|caller| &caller.scopes);
        match scopes {
            Some(scopes) if !scopes.is_empty() && !scopes.iter().any(|scope| scope == "workspace:write") => {
                Err(format!("the token cannot write: it has {}, not workspace:write", scopes.join(", ")).into())
            }
            _ => Ok(()),
        }
    }

    /// Filters the list of Skills; invalid input stays in the prompt.
    pub fn filter_skills(&mut self, text: &str) {
        match filter::parse_filter(text) {
            Ok(filter) => {
                self.skills.filter = filter;
                self.skills.found_by = None;
                self.read_skills();
            }
            Err(why) => {
                self.prompt = Some(Prompt::new("filter", text, PromptKind::FilterSkills));
                self.notice = Some(Notice::warning(why));
            }
        }
    }

    pub fn find_skills(&mut self, text: &str) {
        self.skills.found_by = Some(text.to_owned()).filter(|text| !text.is_empty());
        self.skills.scroll = crate::ui::scroll::ScrollState::default();
        self.read_skills();
    }

    /// Forks a Skill into a draft; an empty name keeps the original's.
    pub fn fork_skill(&mut self, name: &str) {
        let Some(id) = self.skills.fork_source.take() else { return };
        let title = self.skills.get(&id).map(Skill::title).unwrap_or_default();
        let body = if name.is_empty() { json!({"skill_id": id}) } else { json!({"skill_id": id, "name": name}) };
        let order = self.new_skill_call(skills::SkillAction::Fork, Some(id), body);
        self.write_changes(format!("fork {title}"), vec![ReversibleWrite { forward: WriteOp::Skill(order), back: None }]);
    }

    /// Writes changes to Skills; many at once need confirmation.
    fn write_skills(&mut self, words: String, changes: Vec<ReversibleWrite>) {
        let scope = format!("{} of {} in this list.", changes.len(), pluralize(self.skills.list.len(), "Skill"));
        self.write_or_confirm(&words.clone(), scope, words, changes);
    }

    pub fn set_skills_audience(&mut self, audience: &SkillAudience) {
        let skills: Vec<Skill> = targets(self, skills::SkillAction::Move).into_iter().cloned().collect();
        let words = format!("move {} to {audience}", skills_label(&skills.iter().collect::<Vec<_>>()));
        let mut changes = Vec::new();
        for skill in skills.iter().filter(|skill| skill.audience.as_ref() != Some(audience)) {
            let mut order = |to: &SkillAudience| {
                WriteOp::Skill(self.new_skill_call(
                    skills::SkillAction::Move,
                    Some(skill.id.clone()),
                    json!({"skill_id": skill.id, "audience": to.as_str()}),
                ))
            };
            changes.push(ReversibleWrite { forward: order(audience), back: skill.audience.as_ref().map(order) });
        }
        if changes.is_empty() {
            self.notice = Some(Notice::info(format!("{words}: no change needed")));
        }
        self.write_skills(words, changes);
    }

    pub fn transfer_skills(&mut self, to: crate::domain::UserId) {
        let skills: Vec<Skill> = targets(self, skills::SkillAction::Transfer).into_iter().cloned().collect();
        let words =
            format!("transfer {} to {}", skills_label(&skills.iter().collect::<Vec<_>>()), self.user_name(Some(&to.to_string())));
        let mut changes = Vec::new();
        for skill in skills {
            let body = json!({"skill_id": skill.id, "user_id": to});
            let order = self.new_skill_call(skills::SkillAction::Transfer, Some(skill.id.clone()), body);
            changes.push(ReversibleWrite { forward: WriteOp::Skill(order), back: None });
        }
        self.write_skills(words, changes);
    }
}
