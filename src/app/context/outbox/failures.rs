//! What failed: kept until it succeeds, and tried again on request.

use std::collections::BTreeMap;

use crate::app::Context;
use crate::app::action::Action;
use crate::app::context::clock::Clock;
use crate::app::context::outbox::conflicts;
use crate::app::context::outbox::triage_messages::describe_removed;
use crate::app::outbox::Outbox;
use crate::app::outbox::failures::{FailedItem, Failure};
use crate::app::outbox::pending_write::{Outcome, PendingWrite};
use crate::app::outbox::undo_history::StepCause;
use crate::domain::SignalId;
use crate::domain::queue::QueueTab;
use crate::domain::writes::{ReversibleWrite, WriteOp};

impl Context {
    /// The same for a write of changes.
    pub(super) fn record_change_failures(
        &mut self,
        write: &PendingWrite,
        failed: &[(ReversibleWrite, String)],
    ) {
        for change in write.step().changes() {
            self.outbox
                .failures
                .remove(&FailedItem::Change(Box::new(change.clone())));
        }
        for (change, reason) in failed {
            let what = match &change.forward {
                WriteOp::Annotate(kind, id, _) | WriteOp::Forget(kind, id) => {
                    format!(
                        "{}: {}",
                        conflicts::record_display_name(kind, *id, &self.records, &self.outbox),
                        write.step().description
                    )
                }
                _ => write.step().description.clone(),
            };
            let item = FailedItem::Change(Box::new(change.clone()));
            let (at, reason, cause) = (self.clock.service_now(), reason.clone(), write.cause());
            let write = write.step().description.clone();
            self.outbox.failures.add(Failure {
                at,
                cause,
                item,
                what,
                write,
                reason,
            });
        }
    }

    /// Tries failed items again: new writes together, an undo or a redo through its check.
    pub(in crate::app::context) fn retry_failures(&mut self, failures: Vec<Failure>) {
        if let Err(reason) = self.team.can_write(&self.session) {
            self.ui.warn(format!("retry: {reason}"));
            return;
        }
        if self.is_busy() {
            self.ui
                .warn("A write is in progress. Retry once it is done.");
            return;
        }
        let mut signals: [(QueueTab, Vec<SignalId>); 2] =
            [(QueueTab::New, Vec::new()), (QueueTab::Done, Vec::new())];
        let mut changes: BTreeMap<String, Vec<ReversibleWrite>> = BTreeMap::new();
        let mut step = None;
        for failure in failures {
            match (failure.cause, failure.item) {
                (StepCause::New, FailedItem::Signal(from, id)) => {
                    signals
                        .iter_mut()
                        .filter(|(tab, _)| *tab == from)
                        .for_each(|(_, ids)| ids.push(id));
                }
                (StepCause::New, FailedItem::Change(change)) => {
                    changes.entry(failure.write).or_default().push(*change);
                }
                (cause, item) => {
                    let is_redo = cause == StepCause::Redo;
                    let of = self
                        .outbox
                        .history
                        .newest_step_of(&item, is_redo)
                        .cloned()
                        .map(Box::new);
                    step = step.or(of.map(|step| {
                        if is_redo {
                            Action::Redo(step)
                        } else {
                            Action::Undo(step)
                        }
                    }));
                }
            }
        }
        for (from, ids) in signals.into_iter().filter(|(_, ids)| !ids.is_empty()) {
            self.triage(from, ids);
        }
        for (description, changes) in changes {
            self.write_changes(description, changes);
        }
        if let Some(action) = step {
            self.preflight_step(action);
        }
    }
}

/// Keeps what failed of a triage, and forgets earlier failures of what did not. What waits for
/// the service is not a failure.
pub(super) fn record_triage_failures(
    triage: &PendingWrite,
    from: QueueTab,
    clock: &Clock,
    outbox: &mut Outbox,
) {
    let (at, cause) = (clock.service_now(), triage.cause());
    let is_failed = |outcome: &Outcome| outcome.reason().is_some() && !triage.waits(outcome);
    let (failed, rest): (Vec<_>, Vec<_>) = triage
        .signal_outcomes()
        .partition(|(_, outcome)| is_failed(outcome));
    outbox
        .failures
        .remove_signals(rest.into_iter().map(|(row, _)| row.id));
    for (row, outcome) in failed {
        let reason = match outcome {
            Outcome::Unknown(reason) => format!("result unknown: {reason}"),
            outcome => outcome.reason().unwrap_or_default().to_owned(),
        };
        let what = describe_removed([row].into_iter());
        let write = what.clone();
        outbox.failures.add(Failure {
            at,
            cause,
            item: FailedItem::Signal(from, row.id),
            what,
            write,
            reason,
        });
    }
}
