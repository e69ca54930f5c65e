//! Triage: optimistic on the screen, sent in batches, confirmed row by row, undone as one step.
//!
//! A triage takes its rows off the list at once and keeps them until every batch is confirmed. A rejected batch puts its rows
//! back, marked, with the reason; a batch whose result is unknown puts them back with a question mark, and
//! [`reconcile`](crate::app::reconcile) reads their state. What was applied becomes one step of the journal.

use std::collections::HashSet;

use crate::app::Context;
use crate::app::effect::{Effect, ServiceCall, Slot};
use crate::app::format::pluralize;
use crate::app::model::signal_list::RemovedRow;
use crate::app::msg::Reply;
use crate::app::notice::Notice;
use crate::app::outbox::attribution::TriageResult;
use crate::app::outbox::triage::{PendingTriage, TriagePart};
use crate::app::outbox::undo_history::{StepCause, TriageUndoStep};
use crate::app::requests::Request;
use crate::domain::SignalId;
use crate::domain::journal::{JournalChange, TriageMove};
use crate::domain::queue::{MAX_TRIAGE_SIGNALS, QueueTab};
use crate::domain::request_error::{RequestError, RequestErrorKind};

impl Context {
    /// Marks signals of `from` done, or puts them back to New; asks first when there are many.
    pub fn triage(&mut self, from: QueueTab, ids: Vec<SignalId>) {
        if self.is_bulk_triage(from, &ids) { self.confirm_triage(from, ids) } else { self.triage_confirmed(from, ids) }
    }

    /// The same after the confirmation. On rows of a cached queue it waits until the service responds.
    pub(in crate::app) fn triage_confirmed(&mut self, from: QueueTab, ids: Vec<SignalId>) {
        if self.queue.previous_queue_for(from).is_some() {
            self.enqueue_until_first_response(from, ids)
        } else {
            self.triage_now(from, ids)
        }
    }

    /// The same, sent at once.
    pub(in crate::app) fn triage_now(&mut self, from: QueueTab, ids: Vec<SignalId>) {
        let ids: Vec<SignalId> = ids.into_iter().filter(|id| !self.outbox.pending_triages.is_pending(*id)).collect();
        if ids.is_empty() {
            return;
        }
        let words = self.describe_signals(from, &ids);
        self.outbox.pending_triages.last_tab = Some(from);
        self.outbox.history.undone.clear();
        let taken = self.queue.remove_signals(from, &ids, self.settings.after_triage);
        self.start_triage(
            StepCause::New,
            TriageUndoStep { from, description: words, removed: taken, done_at: self.service_now(), uncertain_count: 0 },
        );
    }

    pub(in crate::app) fn undo_triage(&mut self, step: TriageUndoStep) {
        let back = step.from.other();
        let ids: Vec<SignalId> = step.removed.iter().map(|taken| taken.id).collect();
        self.queue.tab_state_mut(back).preserve_cursor(|list| {
            list.remove_rows(&ids);
        });
        self.queue.tab_state_mut(step.from).preserve_cursor(|list| list.restore_rows(step.removed.clone()));
        self.start_triage(StepCause::Undo, step.inverse());
    }

    pub(in crate::app) fn redo_triage(&mut self, step: TriageUndoStep) {
        let ids: Vec<SignalId> = step.removed.iter().map(|taken| taken.id).collect();
        let taken = self.queue.remove_signals(step.from, &ids, self.settings.after_triage);
        self.start_triage(StepCause::Redo, TriageUndoStep { removed: taken, ..step });
    }

    /// Cancels what has not left yet.
    pub fn cancel_triages(&mut self) {
        for act in &self.outbox.pending_triages.in_flight {
            self.effects.push(Effect::Cancel(Slot::Triage(act.number)));
        }
    }

    fn start_triage(&mut self, cause: StepCause, step: TriageUndoStep) {
        let TriageUndoStep { from, description: words, removed: taken, done_at: since, uncertain_count: doubt } = step;
        self.cancel_queue_reads();
        self.outbox.pending_triages.next_number += 1;
        let number = self.outbox.pending_triages.next_number;
        let ids: Vec<SignalId> = taken.iter().map(|taken| taken.id).collect();
        let mut act = PendingTriage {
            number,
            cause,
            from,
            description: words,
            done_at: since,
            uncertain_count: doubt,
            started_at: self.service_now(),
            removed: taken.into_iter().map(|taken| (taken.id, taken)).collect(),
            unanswered: 0,
            answered_parts: Vec::new(),
            rejected: Vec::new(),
            never_accepted: HashSet::new(),
            reason: None,
            unknown: Vec::new(),
            unsent: Vec::new(),
            deferred: Vec::new(),
        };
        let moved = |taken: &RemovedRow| TriageMove {
            id: taken.id.0,
            row: taken.row.as_ref().and_then(|row| serde_json::to_value(row).ok()),
        };
        let signals = act.removed.values().map(moved).collect();
        let change = JournalChange::Triage { before: from.status(), after: from.other().status(), signals };
        self.effects.push(Effect::JournalWrite {
            slot: Slot::Triage(number),
            op: None,
            cause: cause.into(),
            description: act.description.clone(),
            change,
        });
        for chunk in ids.chunks(MAX_TRIAGE_SIGNALS) {
            self.send_triage(&mut act, chunk.to_vec());
        }
        let going = if from == QueueTab::New { "marking done" } else { "moving back to New" };
        self.notice = Some(Notice::info(format!("{going}: {}", act.description)).with_hint("Ctrl-c cancels"));
        self.outbox.pending_triages.in_flight.push(act);
    }

    fn send_triage(&mut self, act: &mut PendingTriage, ids: Vec<SignalId>) {
        let status = act.from.other().status();
        act.unanswered += ids.len();
        let request = Request::Triage(TriagePart { number: act.number, ids: ids.clone() });
        self.call_service(Slot::Triage(act.number), ServiceCall::Triage { ids, status }, request);
    }

    /// Takes the reply to a batch.
    pub(in crate::app) fn on_triage_reply(&mut self, part: TriagePart, result: Result<Reply, RequestError>) {
        let TriagePart { number, ids } = part;
        let Some(at) = self.outbox.pending_triages.in_flight.iter().position(|act| act.number == number) else { return };
        let mut act = self.outbox.pending_triages.in_flight.remove(at);
        act.unanswered -= ids.len();
        let result = result.and_then(|reply| match reply {
            Reply::Triaged(changed) => Ok(changed),
            _ => Err(RequestError::new_ambiguous("unexpected response")),
        });
        match result {
            Ok(changed) => act.answered_parts.push((ids, changed)),
            Err(failure) => self.on_triage_part_failed(&mut act, ids, &failure),
        }
        if act.unanswered == 0 {
            self.finish_triage(act);
        } else {
            let done = act.removed.len() - act.unanswered();
            self.notice = Some(
                Notice::info(format!("{} of {} sent: {}", done, pluralize(act.removed.len(), "signal"), act.description))
                    .with_hint("Ctrl-c cancels"),
            );
            self.outbox.pending_triages.in_flight.insert(at, act);
        }
    }

    /// One bad ID can make the service reject its whole batch: a rejected batch is sent again in halves, down to that ID.
    fn on_triage_part_failed(&mut self, act: &mut PendingTriage, ids: Vec<SignalId>, failure: &RequestError) {
        match &failure.kind {
            RequestErrorKind::Rejected(refusal) if matches!(refusal.status, 400 | 404 | 422) && ids.len() > 1 => {
                let (left, right) = ids.split_at(ids.len() / 2);
                self.send_triage(act, left.to_vec());
                self.send_triage(act, right.to_vec());
            }
            RequestErrorKind::Rejected(_) => {
                act.never_accepted.extend(ids.iter().filter(|_| failure.is_permanent()));
                act.rejected.extend(ids);
                act.reason = Some(failure.message.clone());
            }
            RequestErrorKind::NotSent | RequestErrorKind::OverBudget | RequestErrorKind::ReadOnly => {
                if failure.kind == RequestErrorKind::NotSent {
                    act.deferred.extend(&ids);
                }
                act.unsent.extend(ids);
                act.reason = Some(failure.message.clone());
            }
            RequestErrorKind::Cancelled => act.unsent.extend(ids),
            RequestErrorKind::Ambiguous => {
                act.unknown.extend(ids);
                act.reason = Some(failure.message.clone());
            }
        }
    }

    fn finish_triage(&mut self, act: PendingTriage) {
        let PendingTriage {
            number,
            cause,
            from,
            description: words,
            done_at: since,
            uncertain_count: doubt,
            started_at: began,
            removed: mut taken,
            answered_parts: answered,
            rejected: refused,
            never_accepted: hopeless,
            ..
        } = act;
        let PendingTriage { reason, unknown, unsent, deferred: held, .. } = act;
        let all = taken.len();
        let back: Vec<RemovedRow> =
            [&refused, &unsent, &unknown].into_iter().flatten().filter_map(|id| taken.remove(id)).collect();
        let returned = !back.is_empty();
        let tab = self.queue.tab_state_mut(from);
        tab.marks.extend(back.iter().map(|taken| taken.id));
        tab.unconfirmed.extend(unknown.iter().copied());
        if cause != StepCause::New {
            let taken: Vec<RemovedRow> = back.iter().filter(|taken| !hopeless.contains(&taken.id)).cloned().collect();
            let words = if taken.len() < all { pluralize(taken.len(), "signal") } else { words.clone() };
            self.push_triage_step(
                cause,
                false,
                TriageUndoStep { from, description: words, removed: taken, done_at: since, uncertain_count: doubt },
            );
        }
        // An undone step was put back on the other list at once; what failed leaves it again.
        let failed: Vec<SignalId> = back.iter().map(|taken| taken.id).collect();
        if cause == StepCause::Undo {
            self.queue.tab_state_mut(from.other()).preserve_cursor(|list| {
                list.remove_rows(&failed);
            });
            self.queue.mark_stale();
        } else {
            let tab = self.queue.tab_state_mut(from);
            tab.preserve_cursor(|list| list.restore_rows(back));
            tab.move_to_first_of(&failed);
            self.queue.tab_state_mut(from.other()).stale = true;
        }
        let taken: Vec<RemovedRow> = taken.into_values().collect();
        let count = taken.len();
        let words = if returned && count > 0 { pluralize(count, "signal") } else { words };
        if unknown.is_empty() {
            self.finish_retried_triage();
        } else {
            self.add_unknown_triage(from, &unknown, count);
        }
        let failed = [refused.len(), unsent.len(), unknown.len()];
        let answered = TriageResult {
            number,
            cause,
            from,
            description: words,
            started_at: began,
            removed: taken,
            parts: answered,
            failed_counts: failed,
            reason,
        };
        self.queue.shift_counts(from, answered.changed_count());
        self.attribute_triage(answered);
        self.enqueue_triage(from, &held);
        self.effects.push(Effect::Poll);
    }
}
