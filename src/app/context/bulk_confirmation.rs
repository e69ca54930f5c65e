//! Bulk writes ask first: from twenty rows on, a confirmation says what will be written. Its
//! preselected answer changes nothing.

use std::collections::BTreeMap;

use crate::app::Context;
use crate::app::action::Action;
use crate::app::context::Ui;
use crate::app::format::{format_count, format_dollars, humanize, pluralize};
use crate::app::model::frequency::count_values;
use crate::app::model::queue::SignalQueue;
use crate::domain::SignalId;
use crate::domain::lenient::Number;
use crate::domain::queue::{Priority, QueueSignal, QueueTab};
use crate::domain::writes::ReversibleWrite;

/// A write of this many rows asks first.
pub(in crate::app) const BULK_THRESHOLD: usize = 20;

impl Context {
    /// Writes changes; asks first when there are many.
    pub fn write_or_confirm(
        &mut self,
        verb: &str,
        scope: String,
        words: String,
        changes: Vec<ReversibleWrite>,
    ) {
        if changes.len() < BULK_THRESHOLD {
            self.write_changes(words, changes);
        } else {
            self.ui.confirm_change(
                verb,
                format!("{scope} This applies to the whole team."),
                Action::Write(words, changes),
            );
        }
    }
}

/// Whether triage of these signals asks first: they are many, or some of them or of the range
/// are not loaded.
pub(in crate::app) fn is_bulk_triage(
    from: QueueTab,
    ids: &[SignalId],
    queue: &SignalQueue,
) -> bool {
    let tab = queue.tab_state(from);
    let is_part_unread = ids.len() > 1 && tab.unread_in_range() > 0
        || ids.iter().any(|id| {
            let is_known = tab.list.row(*id).is_some() || queue.today.list.row(*id).is_some();
            !is_known
        });
    ids.len() >= BULK_THRESHOLD || is_part_unread
}

pub(in crate::app) fn confirm_triage(
    from: QueueTab,
    ids: Vec<SignalId>,
    owners: &BTreeMap<String, usize>,
    ui: &mut Ui,
    queue: &SignalQueue,
) {
    let tab = queue.tab_state(from);
    let signals = pluralize(ids.len(), "signal");
    let verb = match from {
        QueueTab::New | QueueTab::Today => format!("mark {signals} done"),
        QueueTab::Done => format!("move {signals} back to New"),
    };
    let scope = format!(
        "{} of {}",
        format_count(ids.len() as u64),
        pluralize(tab.list.total(), "row")
    );
    let scope = match (
        tab.loaded_ranges_label(),
        ids.iter().filter(|id| tab.list.row(**id).is_none()).count(),
    ) {
        (None, _) => format!("{scope} in this list."),
        (Some(loaded), 0) => {
            format!(
                "{scope} in this list. Only {loaded} are loaded; rows that are not loaded stay as they are."
            )
        }
        (Some(loaded), gone) => {
            let gone = format_count(gone as u64);
            format!(
                "{scope} in this list; {gone} were marked and are no longer loaded. Only {loaded} are; others stay as they are."
            )
        }
    };
    let owners = owners.iter().map(|(owner, count)| {
        let signals = pluralize(*count, "signal");
        format!("{signals} on accounts of {owner}, as the tag owner:{owner} says. You are asked once.\n\n")
    });
    let owners: String = owners.collect();
    let preview = describe_triage(from, &ids, queue);
    ui.confirm_change(
        &verb,
        format!("{owners}{scope}\n\n{preview}"),
        Action::Triage(from, ids),
    );
}

/// What a triage affects: how many of each priority and type, their cost, and what is not on
/// the screen.
fn describe_triage(from: QueueTab, ids: &[SignalId], queue: &SignalQueue) -> String {
    let tab = queue.tab_state(from);
    let rows: Vec<&QueueSignal> = ids.iter().filter_map(|id| tab.list.row(*id)).collect();
    let priorities = count_values(
        rows.iter()
            .map(|row| row.priority.as_ref().map_or("unknown", Priority::as_str)),
    );
    let types = count_values(rows.iter().map(|row| {
        row.signal
            .signal_type
            .as_ref()
            .map_or("unknown", |kind| kind.as_str())
    }));
    let costs: Vec<f64> = rows
        .iter()
        .filter_map(|row| row.signal.reported_cost_usd.as_ref()?.as_f64())
        .collect();
    let mut lines = Vec::new();
    if !rows.is_empty() {
        lines.extend([
            format!("priority   {}", list_counts(&priorities, 3)),
            format!("type       {}", list_counts(&types, MAX_TYPES_LISTED)),
            format!(
                "cost       {} reported by {} of {}",
                format_dollars(&Number::Float(costs.iter().sum())),
                format_count(costs.len() as u64),
                format_count(rows.len() as u64)
            ),
        ]);
    }
    for (count, what) in [
        (
            tab.hidden_mark_count(),
            "marked and hidden: they stay as they are",
        ),
        (ids.len() - rows.len(), "marked before and not loaded now"),
        (
            tab.unread_in_range(),
            "in the range and not loaded: they stay as they are",
        ),
    ] {
        if count > 0 {
            lines.push(format!("{:<10} {what}", format_count(count as u64)));
        }
    }
    lines.push(String::new());
    lines.push("This applies to the whole team.".to_owned());
    lines.join("\n")
}

/// Types that the preview names; the others are counted.
const MAX_TYPES_LISTED: usize = 4;

/// `150 permit filed, 80 permit issued, 12 of 3 other types`
fn list_counts(counts: &[(&str, usize)], most: usize) -> String {
    let (named, others) = counts.split_at(most.min(counts.len()));
    let named = named
        .iter()
        .map(|(value, count)| format!("{} {}", format_count(*count as u64), humanize(value)));
    let rest: usize = others.iter().map(|(_, count)| count).sum();
    let rest = (rest > 0).then(|| pluralize(rest, "other"));
    named.chain(rest).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use crate::app::testing::{TestConsole, many_rows, morning_queue};
    use crate::domain::queue::TriageStatus;

    #[test]
    fn three_hundred_filtered_rows_are_done_with_five_keys_after_a_preview() {
        let console = TestConsole::with_rows(many_rows(300)).press("* A").serve();
        assert_eq!(
            (
                console.context().queue.new.marks.len(),
                console.notice_text().as_str()
            ),
            (300, "300 marked")
        );
        let console = console.press("e");
        let screen = console.screen_text();
        for shown in [
            "Mark 300 signals done?",
            "300 medium",
            "300 permit filed",
            "$300M reported by 300 of 300",
            "whole team",
        ] {
            assert!(screen.contains(shown), "{shown}\n{screen}");
        }
        assert!(console.triage_calls().is_empty());
        let console = console.press("y Enter").serve();
        assert_eq!(console.service_new_count(), 0);
        assert_eq!(console.press("z").serve().service_new_count(), 300);
    }

    #[test]
    fn loading_all_rows_to_mark_them_can_be_stopped_and_then_marks_nothing() {
        let console = TestConsole::with_rows(many_rows(1_000))
            .press("* A")
            .serve_next();
        assert!(
            console.notice_text().contains("of 1,000 rows loaded"),
            "{}",
            console.notice_text()
        );
        let console = console.press("Ctrl-c").serve();
        assert!(console.context().queue.new.marks.is_empty());
    }

    #[test]
    fn many_requests_are_announced_before_all_rows_are_marked() {
        let console = TestConsole::with_rows(many_rows(5_000)).press("* A");
        assert!(
            console.screen_text().contains("requests"),
            "{}",
            console.screen_text()
        );
        let console = console.press("Esc").serve();
        assert!(console.context().queue.new.marks.is_empty());
        assert_eq!(
            console
                .press("* A y Enter")
                .serve()
                .context()
                .queue
                .new
                .marks
                .len(),
            5_000
        );
    }

    #[test]
    fn a_few_rows_are_marked_done_without_a_preview() {
        let console = TestConsole::with_rows(morning_queue())
            .press("* =")
            .type_text("priority:")
            .press("Enter e")
            .serve();
        assert_eq!(console.triage_calls(), [(7, TriageStatus::Done)]);
    }
}
