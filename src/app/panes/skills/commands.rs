//! The Skills pane's commands.

use crate::app::Context;
use crate::app::command::{Availability, require, shared};
use crate::app::format::format_full_day;
use crate::app::notice::Notice;
use crate::app::overlay::Overlay;
use crate::app::overlay::choice::{Choice, ChoiceOption};
use crate::app::pane_command::PaneCommand;
use crate::app::panes::skills::messages::{SkillsAction, SkillsPrompt};
use crate::app::panes::skills::writes::{rejection_reason, skills_label};
use crate::app::panes::skills::{SkillsPane, filter};
use crate::app::prompt::Prompt;
use crate::domain::members::Member;
use crate::domain::skills::{SkillAction, SkillAudience, SkillFilter};
use crate::ui::scroll::ScrollState;

type Row = PaneCommand<SkillsPane>;

const FILTER: SkillsPrompt = SkillsPrompt::Filter;

/// In the order of the help screen.
pub const COMMANDS: &[Row] = &[
    Row::at("skills.open", &shared::OPEN, SkillsPane::open_current)
        .with_hint(1)
        .available_when(has_skill),
    Row::at("skills.filter", &shared::FILTER, |pane, cx| {
        cx.ui.prompt = Some(Prompt::new(
            "filter",
            &filter::format_filter(&pane.filter),
            FILTER,
        ));
    })
    .with_description("filter by source, lifecycle, audience, installed, date, text")
    .with_hint(2),
    Row::at("skills.all", &shared::NO_FILTER, |pane, cx| {
        pane.found_by = None;
        pane.filter = SkillFilter::default();
        pane.read(cx);
    }),
    Row::new(
        "skills.find",
        &[";"],
        "words",
        "have the service find Skills by words, best match first",
        |_, cx| {
            cx.ui.prompt = Some(Prompt::new("words", "", SkillsPrompt::Find));
        },
    )
    .with_hint(3),
    Row::at("skills.refresh", &shared::REFRESH, |pane, cx| {
        pane.read(cx);
        pane.read_open(cx);
    }),
    Row::at("skills.switch", &shared::OTHER_PANE, |pane, _| {
        pane.skill_focused = true;
    })
    .with_title("Skill")
    .available_when(|pane, _| {
        require(
            pane.open.is_some(),
            "no Skill is open; {skills.open} opens one",
        )
    }),
];

pub const SKILL_COMMANDS: &[Row] = &[
    Row::at("skill.back", &shared::OTHER_PANE, |pane, _| {
        pane.skill_focused = false;
    })
    .with_keys(&["Tab", "Shift-Tab", "h", "Left"])
    .with_title("Skills")
    .with_hint(7),
    Row::at("skill.older", &shared::PREVIOUS_TAB, |pane, cx| {
        pane.show_adjacent_revision(true, cx)
    })
    .with_title("older")
    .with_hint(2)
    .available_when(|pane, _| can_show_adjacent(pane, true)),
    Row::at("skill.newer", &shared::NEXT_TAB, |pane, cx| {
        pane.show_adjacent_revision(false, cx)
    })
    .with_title("newer")
    .with_hint(3)
    .available_when(|pane, _| can_show_adjacent(pane, false)),
    Row::new(
        "skill.diff",
        &["d"],
        "diff",
        "compare two revisions",
        choose_comparison,
    )
    .with_hint(1)
    .available_when(can_diff),
    Row::at("skill.down", &shared::PANEL_DOWN, |pane, _| scroll(pane, 1))
        .with_title("scroll")
        .with_hint(4),
    Row::at("skill.up", &shared::PANEL_UP, |pane, _| scroll(pane, -1)),
    Row::at("skill.refresh", &shared::REFRESH, SkillsPane::read_open),
];

pub const EDITING_COMMANDS: &[Row] = &[
    Row::at("skills.new", &shared::CREATE, SkillsPane::write_new)
        .with_words("new draft", "write a new Skill in your own editor")
        .with_hint(3)
        .with_write()
        .available_when(can_write),
    Row::at("skills.edit", &shared::EDIT, SkillsPane::edit_selection)
        .with_description("edit the Skills in your own editor")
        .with_hint(3)
        .with_write()
        .available_when(can_edit),
    Row::new(
        "skills.publish",
        &["m p"],
        "publish",
        "publish the Skills to their audience",
        SkillsPane::confirm_publication,
    )
    .with_hint(3)
    .with_write()
    .available_when(|pane, cx| can_send(pane, cx, SkillAction::Publish)),
    Row::new(
        "skills.unpublish",
        &["m u"],
        "unpublish",
        "unpublish the Skills, taking them out of use",
        |pane, cx| pane.send(SkillAction::Unpublish, cx),
    )
    .with_immediate_write()
    .available_when(|pane, cx| can_send(pane, cx, SkillAction::Unpublish)),
    Row::new(
        "skills.install",
        &["m i"],
        "install",
        "install the Skills (official ones only)",
        |pane, cx| pane.send(SkillAction::Install, cx),
    )
    .with_immediate_write()
    .available_when(|pane, cx| can_send(pane, cx, SkillAction::Install)),
    Row::new(
        "skills.uninstall",
        &["m x"],
        "uninstall",
        "uninstall the Skills (official ones only)",
        |pane, cx| pane.send(SkillAction::Uninstall, cx),
    )
    .with_immediate_write()
    .available_when(|pane, cx| can_send(pane, cx, SkillAction::Uninstall)),
    Row::new(
        "skills.fork",
        &["m f"],
        "fork",
        "fork the Skills into your own drafts",
        fork,
    )
    .with_immediate_write()
    .available_when(|pane, cx| can_send(pane, cx, SkillAction::Fork)),
    Row::new(
        "skills.move",
        &["m m"],
        "move",
        "move the Skills to another audience",
        choose_audience,
    )
    .with_write()
    .available_when(|pane, cx| can_send(pane, cx, SkillAction::Move)),
    Row::new(
        "skills.transfer",
        &["m t"],
        "transfer",
        "transfer the Skills to another member",
        choose_new_owner,
    )
    .with_write()
    .available_when(|pane, cx| can_send(pane, cx, SkillAction::Transfer)),
    Row::new(
        "skills.again",
        &["m r"],
        "retry",
        "retry unanswered requests (never applied twice)",
        SkillsPane::resend,
    )
    .with_immediate_write()
    .available_when(|pane, cx| {
        if pane.unconfirmed.is_empty() {
            Err("no unanswered requests".into())
        } else {
            can_write(pane, cx)
        }
    }),
    Row::new(
        "skills.go_on",
        &["m e"],
        "resume",
        "resume your rejected draft",
        SkillsPane::resume_draft,
    )
    .with_write()
    .available_when(has_unsent_text),
    Row::new(
        "skills.drop",
        &["m X"],
        "discard",
        "discard your rejected draft",
        |pane, cx| {
            pane.discard_draft(cx);
            cx.ui.inform("draft discarded");
        },
    )
    .available_when(has_unsent_text),
    Row::at("skills.delete", &shared::DELETE, SkillsPane::confirm_delete)
        .with_description("delete the Skills permanently")
        .with_hint(8)
        .with_write()
        .available_when(|pane, cx| can_send(pane, cx, SkillAction::Delete)),
];

fn has_skill(pane: &SkillsPane, _cx: &Context) -> Availability {
    require(pane.current_skill().is_some(), "no Skill here")
}

fn has_unsent_text(pane: &SkillsPane, _cx: &Context) -> Availability {
    require(pane.unsent_text.is_some(), "no saved draft")
}

/// Whether the token may write.
fn can_write(_pane: &SkillsPane, cx: &Context) -> Availability {
    cx.team.can_write(&cx.session)
}

fn can_send(pane: &SkillsPane, cx: &Context, action: SkillAction) -> Availability {
    can_write(pane, cx)?;
    has_skill(pane, cx)?;
    let first = pane
        .selection()
        .first()
        .and_then(|skill| rejection_reason(action, skill));
    match first {
        Some(why) if pane.targets(action).is_empty() => Err(why.into()),
        _ => Ok(()),
    }
}

fn can_edit(pane: &SkillsPane, cx: &Context) -> Availability {
    can_send(pane, cx, SkillAction::Update)?;
    match pane
        .selection()
        .into_iter()
        .find_map(|skill| rejection_reason(SkillAction::Update, skill))
    {
        Some(why) => Err(why.into()),
        None => Ok(()),
    }
}

fn can_show_adjacent(pane: &SkillsPane, older: bool) -> Availability {
    match pane
        .open
        .as_ref()
        .and_then(|open| open.adjacent_revision(older))
    {
        Some(_) => Ok(()),
        None => Err(if older {
            "this is the oldest revision"
        } else {
            "this is the newest revision"
        }
        .into()),
    }
}

fn can_diff(pane: &SkillsPane, _cx: &Context) -> Availability {
    match &pane.open {
        Some(open) if open.revisions.len() > 1 => Ok(()),
        _ => Err("only one revision, nothing to compare".into()),
    }
}

fn scroll(pane: &mut SkillsPane, lines: isize) {
    if let Some(open) = &mut pane.open {
        open.top = open.top.saturating_add_signed(lines * 3);
    }
}

/// Offers to compare the current revision with each other one, starting with its predecessor.
fn choose_comparison(pane: &mut SkillsPane, cx: &mut Context) {
    let Some(open) = &pane.open else { return };
    let shown = open.revision;
    let others = open
        .revisions
        .iter()
        .map(|revision| revision.revision)
        .filter(|other| *other != shown);
    let (mut older, newer): (Vec<u64>, Vec<u64>) = others.partition(|other| *other < shown);
    older.extend(newer.into_iter().rev());
    let pick = |other: u64| {
        let (old, new) = (other.min(shown), other.max(shown));
        let when = open
            .revisions
            .iter()
            .find(|revision| revision.revision == other);
        let note = when
            .and_then(|revision| revision.created_at.as_ref())
            .map(format_full_day)
            .unwrap_or_default();
        ChoiceOption {
            label: format!("revisions {old} and {new}"),
            note,
            action: SkillsAction::Compare(old, new).into(),
        }
    };
    let picks = older.into_iter().map(pick).collect();
    cx.ui.overlay = Some(Overlay::Choice(Choice::new("Compare", "0 cr", picks)));
}

fn fork(pane: &mut SkillsPane, cx: &mut Context) {
    let skills = pane.targets(SkillAction::Fork);
    match skills.as_slice() {
        [one] => {
            let name = one.name.clone().unwrap_or_default();
            pane.fork_source = Some(one.id.clone());
            cx.ui.prompt = Some(Prompt::new(
                "name of the fork",
                &name,
                SkillsPrompt::ForkName,
            ));
        }
        _ => pane.send(SkillAction::Fork, cx),
    }
}

fn choose_audience(pane: &mut SkillsPane, cx: &mut Context) {
    let title = format!(
        "Audience of {}",
        skills_label(&pane.targets(SkillAction::Move))
    );
    let pick = |audience: &SkillAudience| {
        let note = match audience {
            SkillAudience::Personal => "only its owner",
            _ => "every member",
        };
        ChoiceOption {
            label: audience.to_string(),
            note: note.to_owned(),
            action: SkillsAction::SetAudience(audience.clone()).into(),
        }
    };
    // The current one is preselected, so that pressing two keys in a hurry changes nothing.
    let targets = pane.targets(SkillAction::Move);
    let current = targets.first().and_then(|skill| skill.audience.as_ref());
    let selected = SkillAudience::ALL
        .iter()
        .position(|audience| Some(audience) == current)
        .unwrap_or_default();
    let choice = Choice::new(title, "0 cr", SkillAudience::ALL.iter().map(pick).collect());
    cx.ui.overlay = Some(Overlay::Choice(Choice { selected, ..choice }));
}

fn choose_new_owner(pane: &mut SkillsPane, cx: &mut Context) {
    if cx.team.members.is_empty() {
        cx.ui.notice = Some(
            Notice::warning("the members are not loaded yet")
                .with_hint("{skills.refresh} loads them"),
        );
        cx.request_header_data();
        return;
    }
    let title = format!(
        "Transfer {} to",
        skills_label(&pane.targets(SkillAction::Transfer))
    );
    let pick = |member: &Member| ChoiceOption {
        label: member.name(),
        note: member
            .role
            .as_ref()
            .map(ToString::to_string)
            .unwrap_or_default(),
        action: SkillsAction::Transfer(member.id).into(),
    };
    let picks = cx.team.members.iter().map(pick).collect();
    let text = "You cannot undo this: only the new owner can give a Skill back.";
    let choice = Choice::question(title, text, "nobody", picks);
    cx.ui.overlay = Some(Overlay::Choice(Choice {
        note: "0 cr".to_owned(),
        ..choice
    }));
}

impl SkillsPane {
    pub fn perform(&mut self, action: SkillsAction, cx: &mut Context) {
        match action {
            SkillsAction::Compare(old, new) => self.compare(old, new, cx),
            SkillsAction::SetAudience(audience) => self.set_audience(&audience, cx),
            SkillsAction::Transfer(to) => self.transfer(to, cx),
        }
    }

    /// Takes the answer to a prompt.
    pub fn on_prompt(&mut self, prompt: SkillsPrompt, text: &str, cx: &mut Context) {
        match prompt {
            SkillsPrompt::Filter => self.set_filter(text, cx),
            SkillsPrompt::Find => {
                self.found_by = Some(text.to_owned()).filter(|text| !text.is_empty());
                self.lines.scroll = ScrollState::default();
                self.read(cx);
            }
            SkillsPrompt::ForkName => self.fork_as(text, cx),
        }
    }

    /// Filters the list; invalid input stays in the prompt.
    fn set_filter(&mut self, text: &str, cx: &mut Context) {
        match filter::parse_filter(text) {
            Ok(filter) => {
                self.filter = filter;
                self.found_by = None;
                self.read(cx);
            }
            Err(why) => {
                cx.ui.ask_again("filter", text, FILTER, why);
            }
        }
    }
}
