//! Steps that can be undone and redone, and the check in the queue whether a colleague has changed
//! their signals since. Reading the queue is free.
//!
//! Never here: writes.

use chrono::{DateTime, Duration, Utc};
use uuid::Uuid;

use crate::cli::record_annotation::find_caller;
use crate::cli::session::Session;
use crate::cli::unchanged_signals;
use crate::client::Client;
use crate::domain::SignalId;
use crate::domain::journal::{EntryCause, JournalChange, TriageMove, UndoHistory};
use crate::domain::queue::{QueueSignal, TriageStatus};
use crate::domain::request_error::RequestError;
use crate::domain::snooze::SnoozeChange;

use super::messages;

/// How many steps of earlier runs can be undone.
const MAX_RESTORED_TRIAGE_STEPS: u32 = 50;

/// What can be undone and redone.
pub(super) enum UndoableStep {
    Triage(ConversationStep),
    Snooze(Box<SnoozeStep>),
}

/// A signal that was snoozed, or whose snooze was ended, on this machine only.
pub(super) struct SnoozeStep {
    pub(super) op: Option<Uuid>,
    pub(super) description: String,
    pub(super) change: SnoozeChange,
}

/// A triage of signals from one status to the other.
pub(super) struct ConversationStep {
    pub(super) op: Option<Uuid>,
    pub(super) description: String,
    pub(super) before: TriageStatus,
    pub(super) after: TriageStatus,
    pub(super) signals: Vec<TriageMove>,
    /// When it was done, on the service's clock.
    pub(super) done_at: DateTime<Utc>,
    /// How many of the signals it did not change, if it is unknown which.
    pub(super) uncertain: usize,
}

/// The current state of a step's signals, read right before it is sent.
pub(super) struct StepCheck {
    /// Signals whose status is no longer `before`: sending them would change nothing.
    pub(super) already_moved: Vec<SignalId>,
    /// The question that the user has to confirm first.
    pub(super) question: Option<String>,
}

impl ConversationStep {
    pub(super) fn inverse(self) -> ConversationStep {
        ConversationStep {
            before: self.after,
            after: self.before,
            ..self
        }
    }

    /// Removes signals that this step does not change.
    pub(super) fn exclude(&mut self, ids: &[SignalId]) {
        let all = self.signals.len();
        self.signals
            .retain(|moved| !ids.contains(&SignalId(moved.id)));
        if self.signals.len() < all {
            self.description =
                describe_signals(&self.signals).unwrap_or_else(|| match self.signals.len() {
                    1 => "a signal".to_owned(),
                    n => format!("{n} signals"),
                });
        }
    }

    /// Reads the current state of the signals.
    pub(super) async fn check(
        &self,
        client: &Client,
        now: DateTime<Utc>,
    ) -> Result<StepCheck, RequestError> {
        let (rows, is_whole) = unchanged_signals::read_queue(client, &self.before).await?;
        let ids = self.signals.iter().map(|moved| SignalId(moved.id));
        let (there, missing): (Vec<_>, Vec<_>) = ids.partition(|id| rows.contains_key(id));
        let there: Vec<&QueueSignal> = there.iter().filter_map(|id| rows.get(id)).collect();
        let mut reasons = Vec::new();
        if there
            .iter()
            .any(|row| row.triaged_by.is_some() || row.triaged_at.is_some())
        {
            let me = find_caller(client).await?;
            let mut theirs: Vec<_> = there
                .iter()
                .filter(|row| row.is_marked_by_other(me.as_ref(), self.done_at))
                .collect();
            theirs.sort_by_key(|row| row.triaged_at.as_ref().and_then(|when| when.date_time()));
            if let Some(last) = theirs.last() {
                let mut by = last.triaged_by.clone();
                unchanged_signals::identify_members(client, by.iter_mut()).await;
                let at = last.triaged_at.as_ref().and_then(|when| when.date_time());
                reasons.push(messages::marked_by_others_message(
                    theirs.len(),
                    self.signals.len(),
                    &self.before,
                    by.as_ref().map(|by| by.label(None)),
                    at,
                    now,
                ));
            }
        }
        if self.uncertain > 0 {
            let (n, all, status) = (self.uncertain, self.signals.len(), &self.before);
            let were = if n == 1 { "was" } else { "were" };
            reasons.push(format!(
                "{n} of {all} {were} {status} before you did this, and it is unknown which."
            ));
        }
        if !missing.is_empty() && !is_whole {
            let (n, rows) = (missing.len(), rows.len());
            let were = if n == 1 { "was" } else { "were" };
            reasons.push(format!(
                "{n} {were} not found in the first {rows} signals of the queue, and so not checked."
            ));
        }
        let question = (!reasons.is_empty()).then(|| reasons.join(" "));
        Ok(StepCheck {
            already_moved: if is_whole { missing } else { Vec::new() },
            question,
        })
    }
}

/// Describes signals; `None` if their rows are unknown.
fn describe_signals(signals: &[TriageMove]) -> Option<String> {
    let row = |moved: &TriageMove| serde_json::from_value::<QueueSignal>(moved.row.clone()?).ok();
    let rows = signals.iter().map(row).collect::<Option<Vec<_>>>()?;
    Some(messages::triage_description(
        &rows.iter().collect::<Vec<_>>(),
    ))
}

/// Restores the steps of earlier runs, including the console's, that can be undone or redone:
/// triage and snoozes since the last change of another kind, which only the console can undo.
pub(super) async fn restore_steps(session: &Session, skew: Duration) -> UndoHistory<UndoableStep> {
    let mut steps = UndoHistory::default();
    for entry in session
        .journal()
        .last_entries(MAX_RESTORED_TRIAGE_STEPS)
        .await
        .unwrap_or_default()
    {
        let (before, after, signals) = match entry.change {
            JournalChange::Triage {
                before,
                after,
                signals,
            } => (before, after, signals),
            JournalChange::Snooze { mut changes }
                if entry.group.is_none() && changes.len() == 1 =>
            {
                steps.pop_step(&entry.cause);
                let step = |change| SnoozeStep {
                    op: Some(entry.op),
                    description: entry.description,
                    change,
                };
                if let Some(change) = changes.pop() {
                    steps.push_step(
                        &entry.cause,
                        true,
                        UndoableStep::Snooze(Box::new(step(change))),
                    );
                }
                continue;
            }
            _ => {
                steps = UndoHistory::default();
                continue;
            }
        };
        let changed = !signals.is_empty();
        if changed || entry.cause != EntryCause::New {
            steps.pop_step(&entry.cause);
        }
        if changed {
            let words = describe_signals(&signals).unwrap_or(entry.description);
            steps.push_step(
                &entry.cause,
                true,
                UndoableStep::Triage(ConversationStep {
                    op: Some(entry.op),
                    description: words,
                    before,
                    after,
                    signals,
                    done_at: entry.at + skew,
                    uncertain: 0,
                }),
            );
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_step_is_described_by_the_signals_it_changed() {
        let id = |nth: u128| Uuid::from_u128(nth);
        let moved = |nth: u128, project: &str| TriageMove {
            id: id(nth),
            row: Some(
                json!({"id": id(nth), "signal_type": "permit_filed", "project_name": project}),
            ),
        };
        let (before, after) = (TriageStatus::New, TriageStatus::Done);
        let signals = vec![
            moved(1, "Pier 9"),
            moved(2, "Pier 9"),
            moved(3, "Mill 4"),
            TriageMove {
                id: id(4),
                row: None,
            },
        ];
        let words = "4 signals".to_owned();
        let mut step = ConversationStep {
            op: None,
            description: words,
            before,
            after,
            signals,
            done_at: Utc::now(),
            uncertain: 0,
        };
        for (left_out, words) in [
            (9, "4 signals"),
            (2, "3 signals"),
            (4, "2 signals"),
            (3, "permit filed on Pier 9"),
        ] {
            step.exclude(&[SignalId(id(left_out))]);
            assert_eq!(step.description, words);
        }
    }
}
