//! The user's rules: what they propose for the new signals that are shown, and doing what the user
//! left marked of it.
//!
//! A proposal is made when it is asked for and changes nothing. What is done is done by the triage
//! and the snoozes.

use std::collections::HashSet;

use uuid::Uuid;

use super::QueuePane;
use crate::app::Context;
use crate::app::command::Availability;
use crate::app::context::snooze;
use crate::app::format::{format_count, format_dollars, pluralize};
use crate::app::notice::Notice;
use crate::app::overlay::Overlay;
use crate::app::overlay::picker::{Picker, PickerEntry, PickerKind};
use crate::domain::SignalId;
use crate::domain::annotate::AnnotationAddition;
use crate::domain::book::RecordKind;
use crate::domain::queue::{QueueSignal, QueueTab};
use crate::domain::queue_tabs::SavedTab;
use crate::domain::row_matcher::TabMatcher;
use crate::domain::rules::RuleAction;
use crate::domain::snooze::{SnoozeUntil, parse_snooze_until};
use crate::text;

/// A proposal has at most this many rows; the next one has those that follow.
const MAX_PROPOSALS: usize = 500;
/// Cells of a rule's name in the list.
const NAME_CELLS: usize = 14;

/// A tab with its action.
type Rule<'a> = (&'a SavedTab, &'a RuleAction);

/// What a rule would do with a signal.
#[derive(Clone, Debug)]
pub(super) struct Proposal {
    id: SignalId,
    action: ProposedAction,
}

#[derive(Clone, Debug)]
enum ProposedAction {
    Done,
    Snooze(SnoozeUntil),
    Annotate(ProposedAnnotation),
}

#[derive(Clone, Debug)]
struct ProposedAnnotation {
    kind: RecordKind,
    id: Uuid,
    name: String,
    addition: AnnotationAddition,
    /// Whether it may be in the book: then it is read right before it is written, for a credit.
    is_read: bool,
}

pub(super) fn can_propose(_: &QueuePane, cx: &Context) -> Availability {
    let mut tabs = cx.queue.saved_tabs().iter();
    match cx.queue.tab {
        _ if !tabs.any(|tab| tab.action.is_some()) => {
            Err("no tab has an action yet; {go.settings} gives it one in the settings".into())
        }
        QueueTab::Done | QueueTab::Today => Err("rules are for new signals".into()),
        QueueTab::New if cx.queue.previous_queue_for(QueueTab::New).is_some() => {
            Err("these rows are from the last session".into())
        }
        QueueTab::New => Ok(()),
    }
}

/// The rules that speak about the shown rows: that of the shown tab, or all.
fn list_rules(cx: &Context) -> Vec<Rule<'_>> {
    fn rule_of(tab: &SavedTab) -> Option<Rule<'_>> {
        Some((tab, tab.action.as_ref()?))
    }
    match cx.queue.shown_saved_tab().and_then(rule_of) {
        Some(shown) => vec![shown],
        None => cx.queue.saved_tabs().iter().filter_map(rule_of).collect(),
    }
}

/// Lists what the first rule that matches each row would do.
pub(super) fn propose(pane: &mut QueuePane, cx: &mut Context) {
    let now = cx.clock.local_now();
    let (mut rules, mut wrong) = (Vec::new(), String::new());
    for rule in list_rules(cx) {
        let (tab, action) = rule;
        let matcher = TabMatcher::new(&tab.settings).without_typos();
        match action {
            RuleAction::Done | RuleAction::Annotate(..) => rules.push((rule, matcher, None)),
            RuleAction::Snooze(until) => match parse_snooze_until(until, &now) {
                Ok(until) => rules.push((rule, matcher, Some(until))),
                Err(why) => wrong.push_str(&format!(" The rule {} is left out: {why}.", tab.name)),
            },
        }
    }
    let rows = cx
        .queue
        .new
        .shown_rows()
        .filter(|row| !cx.outbox.is_signal_pending(row.signal.id));
    let mut annotated = HashSet::new();
    let found = rows.filter_map(|row| {
        let facts = cx.queue.describe_row(row);
        let mut matching = rules
            .iter()
            .filter(|(_, matcher, _)| matcher.matches(row, || facts));
        matching.find_map(|(rule, _, until)| {
            Some((
                row,
                *rule,
                proposed_action(cx, row, *rule, *until, &mut annotated)?,
            ))
        })
    });
    let mut found: Vec<(&QueueSignal, Rule, ProposedAction)> =
        found.take(MAX_PROPOSALS + 1).collect();
    let has_more = found.len() > MAX_PROPOSALS;
    found.truncate(MAX_PROPOSALS);
    let unread = unread_note(cx);
    if found.is_empty() {
        let text = format!("No rule matches a loaded row of this list.{unread}{wrong}");
        cx.ui.inform(text);
        return;
    }
    let widest = found
        .iter()
        .map(|(_, (_, action), _)| text::display_width(&action.label()))
        .max()
        .unwrap_or(0);
    let entries: Vec<PickerEntry> = found
        .iter()
        .map(|(row, rule, action)| entry(cx, row, *rule, action, widest))
        .collect();
    let proposals: Vec<Proposal> = found
        .into_iter()
        .map(|(row, _, action)| Proposal {
            id: row.signal.id,
            action,
        })
        .collect();
    let all: Vec<&str> = entries.iter().map(|entry| entry.key.as_str()).collect();
    let title = format!("Rules: {}", pluralize(entries.len(), "row"));
    let mut picker =
        Picker::multi_choice(title, entries.clone(), &all, true, PickerKind::Proposals);
    let more = if has_more {
        " More rows match; apply these first."
    } else {
        ""
    };
    picker.summary = format!("{}.{more}{unread}{wrong}", describe_actions(&proposals));
    pane.proposals = proposals;
    cx.ui.overlay = Some(Overlay::Picker(picker));
}

/// How many rows are not loaded, and the key that loads them.
fn unread_note(cx: &Context) -> String {
    let tab = &cx.queue.new;
    match tab.unread_count() {
        0 => String::new(),
        _ => {
            let (loaded, all) = (
                format_count(tab.list.loaded_count() as u64),
                pluralize(tab.list.total(), "row"),
            );
            cx.keymap.expand_keys(&format!(
                " {loaded} of {all} loaded; {{queue.load.all}} in the queue loads the rest."
            ))
        }
    }
}

/// What a rule does with a row; `None` if it has nothing to do there. A record is annotated once,
/// however many rows are about it.
fn proposed_action(
    cx: &Context,
    row: &QueueSignal,
    (_, action): Rule<'_>,
    until: Option<SnoozeUntil>,
    annotated: &mut HashSet<Uuid>,
) -> Option<ProposedAction> {
    let RuleAction::Annotate(kind, addition) = action else {
        return Some(until.map_or(ProposedAction::Done, ProposedAction::Snooze));
    };
    let project = row.signal.project_id?;
    let (id, name) = match kind {
        RecordKind::Accounts => cx.queue.facts.main_account(project)?,
        _ => (project.0, row.signal.project_label()),
    };
    if annotated.contains(&id)
        || cx.has_annotation(kind, id, addition)
        || cx.outbox.is_record_pending(id)
    {
        return None;
    }
    annotated.insert(id);
    let is_read = cx.records.is_known_in_book(kind, id) != Some(false);
    let (kind, name, addition) = (kind.clone(), name.to_owned(), addition.clone());
    Some(ProposedAction::Annotate(ProposedAnnotation {
        kind,
        id,
        name,
        addition,
        is_read,
    }))
}

/// `3 done for everyone, 2 snoozed on this machine only`
fn describe_actions(proposals: &[Proposal]) -> String {
    let count = |is: fn(&ProposedAction) -> bool| {
        proposals
            .iter()
            .filter(|proposal| is(&proposal.action))
            .count()
    };
    let reads = count(
        |action| matches!(action, ProposedAction::Annotate(annotation) if annotation.is_read),
    );
    let annotated = match reads {
        0 => "annotated for everyone".to_owned(),
        reads => format!(
            "annotated for everyone (up to {} cr: those in the book are read first)",
            format_count(reads as u64)
        ),
    };
    let parts = [
        (
            count(|action| matches!(action, ProposedAction::Done)),
            "done for everyone",
        ),
        (
            count(|action| matches!(action, ProposedAction::Snooze(_))),
            "snoozed on this machine only",
        ),
        (
            count(|action| matches!(action, ProposedAction::Annotate(_))),
            annotated.as_str(),
        ),
    ];
    let parts = parts.into_iter().filter(|(count, _)| *count > 0);
    parts
        .map(|(count, what)| format!("{} {what}", format_count(count as u64)))
        .collect::<Vec<_>>()
        .join(", ")
}

/// `project Pier 9: status "check", tags +a +b, note +"call them"`
fn describe_annotation(annotation: &ProposedAnnotation) -> String {
    let AnnotationAddition { status, tags, note } = &annotation.addition;
    let parts = [
        status.as_ref().map(|status| format!("status \"{status}\"")),
        (!tags.is_empty()).then(|| format!("tags +{}", tags.join(" +"))),
        note.as_ref().map(|note| format!("note +\"{note}\"")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    format!(
        "{} {}: {}",
        annotation.kind.singular_name(),
        annotation.name,
        parts.join(", ")
    )
}

/// `done  permit issued  415 Mission St`, and on the right `$2k  small jobs`.
fn entry(
    cx: &Context,
    row: &QueueSignal,
    (tab, rule): Rule<'_>,
    action: &ProposedAction,
    widest: usize,
) -> PickerEntry {
    let (signal, facts) = (&row.signal, cx.queue.describe_row(row));
    let effect = match action {
        ProposedAction::Done => None,
        ProposedAction::Snooze(until) => {
            Some(format!("until {}", snooze::format_until(*until, &cx.clock)))
        }
        ProposedAction::Annotate(annotation) => Some(describe_annotation(annotation)),
    };
    let action = rule.label();
    let kind = signal.type_label();
    let place = signal
        .project_name
        .as_deref()
        .or(signal.project_primary_address.as_deref())
        .unwrap_or("unnamed project");
    let name = text::truncate(&tab.name, NAME_CELLS, cx.settings.theme.glyphs().ellipsis);
    let cost = signal.reported_cost_usd.as_ref().map(format_dollars);
    let details = [
        effect.as_deref(),
        facts.description,
        signal.project_primary_address.as_deref(),
        facts.city,
    ];
    let details: Vec<&str> = details
        .into_iter()
        .flatten()
        .filter(|text| !text.is_empty())
        .collect();
    PickerEntry {
        key: signal.id.to_string(),
        label: format!(
            "{action}{}  {kind}  {place}",
            " ".repeat(widest.saturating_sub(text::display_width(&action)))
        ),
        note: [cost.as_deref(), Some(name.as_ref())]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join("  "),
        detail: format!(
            "{} ({}): {}",
            tab.name,
            tab.settings.summarize(),
            details.join(", ")
        ),
    }
}

impl QueuePane {
    /// Does what was proposed for these signals, as far as they are still new.
    pub(super) fn apply_rules(&mut self, marked: &[SignalId], cx: &mut Context) {
        let is_new = |id: &SignalId| {
            cx.queue.new.list.row(*id).is_some() && !cx.outbox.is_signal_pending(*id)
        };
        let (kept, gone): (Vec<Proposal>, Vec<Proposal>) = std::mem::take(&mut self.proposals)
            .into_iter()
            .filter(|proposal| marked.contains(&proposal.id))
            .partition(|proposal| is_new(&proposal.id));
        let (mut done, mut snoozed, mut changes) = (Vec::new(), Vec::new(), Vec::new());
        for Proposal { id, action } in &kept {
            match action {
                ProposedAction::Done => done.push(*id),
                ProposedAction::Snooze(until) => snoozed.push((*id, *until)),
                ProposedAction::Annotate(to) => {
                    changes.push(cx.records.addition_change(&to.kind, to.id, &to.addition))
                }
            }
        }
        let mut text = match kept.is_empty() {
            true => "rules: nothing changed".to_owned(),
            false => format!("rules: {}", describe_actions(&kept)),
        };
        if !gone.is_empty() {
            text.push_str(&format!(
                "; {} no longer new",
                format_count(gone.len() as u64)
            ));
        }
        let outlasting = cx.apply_as_one(done, &snoozed, changes);
        if outlasting > 0 {
            text.push_str(&format!(
                "; {} will have left the queue by then",
                pluralize(outlasting, "signal")
            ));
        }
        let hint = if kept.is_empty() {
            ""
        } else {
            "{undo} undoes all of it"
        };
        cx.ui.notice = Some(Notice::info(text).with_hint(hint));
    }
}
