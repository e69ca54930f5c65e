//! The user's rules: what they propose for the new signals that are shown, and doing what the user left marked of it.
//!
//! A proposal is made when it is asked for and changes nothing. What is done is done by the triage and the snoozes.

use super::QueuePane;
use crate::app::Context;
use crate::app::command::Availability;
use crate::app::format::{format_count, format_dollars, humanize, pluralize};
use crate::app::notice::Notice;
use crate::app::overlay::Overlay;
use crate::app::overlay::picker::{Picker, PickerEntry, PickerKind};
use crate::domain::SignalId;
use crate::domain::queue::{QueueSignal, QueueTab};
use crate::domain::rules::{Rule, RuleAction};
use crate::domain::snooze::{SnoozeUntil, parse_snooze_until};
use crate::text;

/// A proposal has at most this many rows; the next one has those that follow.
const MAX_PROPOSALS: usize = 500;
/// Cells of a rule's name in the list.
const NAME_CELLS: usize = 14;

/// What a rule would do with a signal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Proposal {
    id: SignalId,
    /// `None` marks it done.
    until: Option<SnoozeUntil>,
}

pub(super) fn can_propose(_: &QueuePane, cx: &Context) -> Availability {
    cx.can_write()?;
    match cx.queue.tab {
        _ if cx.settings().rules.is_empty() => {
            Err("none yet; write them as [[rules]] into config.toml: gantry config edit".into())
        }
        QueueTab::Done | QueueTab::Snoozed => Err("rules are for new signals".into()),
        QueueTab::New if cx.queue.previous_queue_for(QueueTab::New).is_some() => {
            Err("these rows are from the last session".into())
        }
        QueueTab::New => Ok(()),
    }
}

/// Lists what the first rule that matches each row would do.
pub(super) fn propose(pane: &mut QueuePane, cx: &mut Context) {
    let now = cx.service_now().with_timezone(&cx.settings().utc_offset);
    let (mut rules, mut wrong) = (Vec::new(), String::new());
    for rule in &cx.settings().rules {
        match &rule.action {
            RuleAction::Done => rules.push((rule, None)),
            RuleAction::Snooze(until) => match parse_snooze_until(until, &now) {
                Ok(until) => rules.push((rule, Some(until))),
                Err(why) => wrong.push_str(&format!(" The rule {} is left out: {why}.", rule.name)),
            },
        }
    }
    let rows = cx.queue.new.shown_rows().filter(|row| !cx.outbox().is_signal_pending(row.signal.id));
    let found = rows.filter_map(|row| {
        let facts = cx.queue.row_facts(row);
        Some((row, *rules.iter().find(|(rule, _)| rule.conditions.matches(&facts))?))
    });
    let mut found: Vec<(&QueueSignal, (&Rule, Option<SnoozeUntil>))> = found.take(MAX_PROPOSALS + 1).collect();
    let has_more = found.len() > MAX_PROPOSALS;
    found.truncate(MAX_PROPOSALS);
    let unread = unread_note(cx);
    if found.is_empty() {
        let text = format!("No rule matches a loaded row of this list.{unread}{wrong}");
        cx.notice = Some(Notice::info(text));
        return;
    }
    let widest = found.iter().map(|(_, (rule, _))| text::display_width(&action_label(rule))).max().unwrap_or(0);
    let entries: Vec<PickerEntry> = found.iter().map(|(row, (rule, until))| entry(cx, row, rule, *until, widest)).collect();
    let proposals: Vec<Proposal> = found.iter().map(|(row, (_, until))| Proposal { id: row.signal.id, until: *until }).collect();
    let all: Vec<&str> = entries.iter().map(|entry| entry.key.as_str()).collect();
    let title = format!("Rules: {}", pluralize(entries.len(), "row"));
    let mut picker = Picker::multi_choice(title, entries.clone(), &all, true, PickerKind::Proposals);
    let more = if has_more { " More rows match; apply these first." } else { "" };
    picker.summary = format!("{}.{more}{unread}{wrong}", describe_actions(&proposals));
    pane.proposals = proposals;
    cx.overlay = Some(Overlay::Picker(picker));
}

/// How many rows are not loaded, and the key that loads them.
fn unread_note(cx: &Context) -> String {
    let tab = &cx.queue.new;
    match tab.unread_count() {
        0 => String::new(),
        _ => {
            let (loaded, all) = (format_count(tab.list.loaded_count() as u64), pluralize(tab.list.total(), "row"));
            cx.keymap().expand_keys(&format!(" {loaded} of {all} loaded; {{queue.load.all}} in the queue loads the rest."))
        }
    }
}

/// `3 done for everyone, 2 snoozed on this machine only`
fn describe_actions(proposals: &[Proposal]) -> String {
    let snoozed = proposals.iter().filter(|proposal| proposal.until.is_some()).count();
    let parts = [(proposals.len() - snoozed, "done for everyone"), (snoozed, "snoozed on this machine only")];
    let parts = parts.into_iter().filter(|(count, _)| *count > 0);
    parts.map(|(count, what)| format!("{} {what}", format_count(count as u64))).collect::<Vec<_>>().join(", ")
}

fn action_label(rule: &Rule) -> String {
    match &rule.action {
        RuleAction::Done => "done".to_owned(),
        RuleAction::Snooze(until) => format!("snooze {until}"),
    }
}

/// `done  permit issued  415 Mission St`, and on the right `$2k  small jobs`.
fn entry(cx: &Context, row: &QueueSignal, rule: &Rule, until: Option<SnoozeUntil>, widest: usize) -> PickerEntry {
    let (signal, facts) = (&row.signal, cx.queue.row_facts(row));
    let action = action_label(rule);
    let kind = signal.signal_type.as_ref().map_or_else(|| "signal".to_owned(), |kind| humanize(kind.as_str()));
    let place = signal.project_name.as_deref().or(signal.project_primary_address.as_deref()).unwrap_or("unnamed project");
    let name = text::truncate(&rule.name, NAME_CELLS, cx.settings().theme.glyphs().ellipsis);
    let cost = signal.reported_cost_usd.as_ref().map(format_dollars);
    let until = until.map(|until| format!("until {}", cx.format_until(until)));
    let details = [until.as_deref(), facts.description, signal.project_primary_address.as_deref(), facts.city];
    let details: Vec<&str> = details.into_iter().flatten().filter(|text| !text.is_empty()).collect();
    PickerEntry {
        key: signal.id.to_string(),
        label: format!("{action}{}  {kind}  {place}", " ".repeat(widest.saturating_sub(text::display_width(&action)))),
        note: [cost.as_deref(), Some(name.as_ref())].into_iter().flatten().collect::<Vec<_>>().join("  "),
        detail: format!("{} ({}): {}", rule.name, rule.conditions, details.join(", ")),
    }
}

impl QueuePane {
    /// Does what was proposed for these signals, as far as they are still new.
    pub(super) fn apply_rules(&mut self, marked: &[SignalId], cx: &mut Context) {
        let is_new = |id: &SignalId| cx.queue.new.list.row(*id).is_some() && !cx.outbox().is_signal_pending(*id);
        let (kept, gone): (Vec<Proposal>, Vec<Proposal>) = std::mem::take(&mut self.proposals)
            .into_iter()
            .filter(|proposal| marked.contains(&proposal.id))
            .partition(|proposal| is_new(&proposal.id));
        let done: Vec<SignalId> = kept.iter().filter(|proposal| proposal.until.is_none()).map(|proposal| proposal.id).collect();
        let snoozed: Vec<(SignalId, SnoozeUntil)> =
            kept.iter().filter_map(|proposal| Some((proposal.id, proposal.until?))).collect();
        let hint = match (done.is_empty(), snoozed.is_empty()) {
            (true, true) => "",
            (false, false) => "{undo} twice undoes both",
            _ => "{undo} undoes",
        };
        let mut text = match kept.is_empty() {
            true => "rules: nothing changed".to_owned(),
            false => format!("rules: {}", describe_actions(&kept)),
        };
        if !gone.is_empty() {
            text.push_str(&format!("; {} no longer new", format_count(gone.len() as u64)));
        }
        if !snoozed.is_empty() {
            let outlasting = cx.snooze_signals(&snoozed, None);
            if outlasting > 0 {
                text.push_str(&format!("; {} will have left the queue by then", pluralize(outlasting, "signal")));
            }
        }
        if !done.is_empty() {
            cx.triage_confirmed(QueueTab::New, done);
        }
        cx.notice = Some(Notice::info(text).with_hint(hint));
    }
}
