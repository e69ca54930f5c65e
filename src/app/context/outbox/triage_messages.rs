//! Triage in words: what a change is about, and its result.
//!
//! Never here: what is sent or undone (`triage`).

use std::collections::HashSet;

use crate::app::format::pluralize;
use crate::app::model::queue::SignalQueue;
use crate::app::model::signal_list::RemovedRow;
use crate::app::notice::Notice;
use crate::app::outbox::offline::SentSteps;
use crate::app::outbox::pending_write::PendingWrite;
use crate::app::outbox::undo_history::{StepCause, UndoStep};
use crate::domain::SignalId;
use crate::domain::queue::{QueueSignal, QueueTab};

/// Describes signals that were removed from a list.
pub(super) fn describe_removed<'a>(taken: impl Iterator<Item = &'a RemovedRow> + Clone) -> String {
    describe_rows(
        &taken
            .clone()
            .filter_map(|taken| taken.row.as_ref())
            .collect::<Vec<_>>(),
        taken.count(),
    )
}

/// One signal: type and project. Several on one project: their number and the project. Otherwise:
/// how many on how many projects.
fn describe_rows(rows: &[&QueueSignal], all: usize) -> String {
    let name = |row: &QueueSignal| row.signal.project_name.clone();
    if let ([row], 1) = (rows, all) {
        let what = row.signal.type_label();
        return name(row).map_or(what.clone(), |project| format!("{what} on {project}"));
    }
    let projects: HashSet<_> = rows
        .iter()
        .filter_map(|row| row.signal.project_id)
        .collect();
    let signals = pluralize(all, "signal");
    match (projects.len(), rows.first().and_then(|row| name(row))) {
        (1, Some(project)) if rows.len() == all => format!("{signals} on {project}"),
        (n, _) if n > 1 => format!("{signals} on {}", pluralize(n, "project")),
        _ => signals,
    }
}

/// Reports what became of several acts that had waited for the service, in one line.
pub(super) fn sent_notice(sent: &SentSteps) -> Notice {
    let counts = [
        (sent.done, "done, for everyone"),
        (sent.returned, "back to New, for everyone"),
        (sent.already, "already so"),
        (sent.failed, "refused, still marked"),
    ];
    let parts: Vec<String> = counts
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{} {what}", pluralize(count, "signal")))
        .collect();
    let text = format!("sent: {}", parts.join("; "));
    match &sent.reason {
        _ if sent.failed == 0 => Notice::success(text).with_hint("{undo} undoes the last"),
        Some(reason) => Notice::error(format!("{text}: {reason}")),
        None => Notice::error(text),
    }
}

/// Reports what happened, and to how many signals, in one line. `already` reports those that had
/// the new state before.
pub(super) fn triage_outcome_notice(
    triage: &PendingWrite,
    from: QueueTab,
    applied: &UndoStep,
    already: Option<String>,
) -> Notice {
    let failed = triage.failed_counts();
    let [refused, unsent, unknown] = failed;
    let waiting = triage.items_where(|outcome| triage.waits(outcome));
    let verb = match triage.cause() {
        // The service notes who marks it done now.
        StepCause::Undo if from == QueueTab::New => "done again, by you",
        StepCause::Undo => "undone",
        StepCause::Redo => "redone",
        StepCause::New if from == QueueTab::New => "done",
        StepCause::New => "back to New",
    };
    let mut parts = Vec::new();
    if !applied.is_empty() {
        parts.push(format!("{verb}: {}", applied.description));
    }
    parts.extend(already);
    for (count, what) in [
        (refused, "rejected"),
        (unsent, "not sent"),
        (unknown, "unknown, will be checked"),
    ] {
        if count > 0 {
            parts.push(format!(
                "{} {what}",
                crate::app::format::format_count(count as u64)
            ));
        }
    }
    if !waiting.is_empty() {
        parts.push(format!(
            "queued until the service is back: {}",
            waiting.description
        ));
    }
    let text = parts.join(", ");
    if failed == [0; 3] && !waiting.is_empty() {
        let hint = if triage.act_count() > 1 {
            "{undo} takes the last back"
        } else {
            "{undo} takes it back"
        };
        return Notice::warning(format!(
            "{text}; {}",
            triage.last_reason().unwrap_or_default()
        ))
        .with_hint(hint);
    }
    if failed == [0; 3] {
        let hint = match triage.cause() {
            StepCause::Undo => "{redo} redoes",
            _ if triage.act_count() > 1 => "{undo} undoes the last",
            _ => "{undo} undoes",
        };
        return Notice::success(format!("{text}, for everyone")).with_hint(hint);
    }
    let text = match triage.last_reason() {
        Some(reason) => format!("{text}, still marked: {reason}"),
        None => format!("{text}, still marked"),
    };
    Notice::error(text)
}

/// Describes signals of a list.
pub fn describe_signals(tab: QueueTab, ids: &[SignalId], queue: &SignalQueue) -> String {
    let list = &queue.tab_state(tab).list;
    describe_rows(
        &ids.iter()
            .filter_map(|id| list.row(*id))
            .collect::<Vec<_>>(),
        ids.len(),
    )
}
