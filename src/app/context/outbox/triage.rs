//! Triage: optimistic on the screen, sent in batches, confirmed row by row, undone as one step.
//!
//! A triage takes its rows off the list at once and keeps them until every batch is confirmed. A
//! rejected batch puts its rows back, marked, with the reason; a batch whose outcome is unknown
//! puts them back with a question mark, and `reconcile` looks it up. What was applied becomes one
//! undo step.
//!
//! One triage of a list is under way at a time. Those that follow wait for its replies, and then
//! leave together: a hundred presses of a key are few requests, and still a hundred undo steps.

use std::collections::BTreeMap;

use std::collections::HashSet;

use uuid::Uuid;

use crate::app::change::Change;
use crate::app::context::outbox::triage_messages::describe_removed;
use crate::app::context::outbox::{failures, offline, reconcile, triage_messages};
use crate::app::context::promises;
use crate::app::context::{bulk_confirmation, queue};
use crate::app::effect::Effect;
use crate::app::model::queue::SignalQueue;
use crate::app::notice::Notice;
use crate::app::outbox::pending_write::{Outcome, PendingWrite};
use crate::app::outbox::undo_history::{StepCause, StepItems, TriagedSignals, UndoStep};
use crate::app::outbox::{LastAct, Outbox};
use crate::app::{AppSettings, Context, Screen};
use crate::domain::SignalId;
use crate::domain::queue::QueueTab;

impl Context {
    /// Marks signals of `from` done, or puts them back to New; asks first when there are many, and
    /// once when they are a colleague's.
    pub fn triage(&mut self, from: QueueTab, ids: Vec<SignalId>) {
        let owners = match from {
            QueueTab::New => self.unasked_owners(&ids),
            QueueTab::Done | QueueTab::Today => BTreeMap::new(),
        };
        if !owners.is_empty() || bulk_confirmation::is_bulk_triage(from, &ids, &self.queue) {
            bulk_confirmation::confirm_triage(from, ids, &owners, &mut self.ui, &self.queue)
        } else {
            self.triage_confirmed(from, ids)
        }
    }

    /// How many of these signals belong to each colleague about whom the user was not asked yet.
    fn unasked_owners(&self, ids: &[SignalId]) -> BTreeMap<String, usize> {
        let Some(me) = self.team.caller() else {
            return BTreeMap::new();
        };
        let is_asked =
            |owner: &&str| !me.is_called(owner) && !self.team.asked_owners.contains(*owner);
        let mut owners = BTreeMap::new();
        for id in ids {
            let row = self
                .queue
                .new
                .list
                .row(*id)
                .or_else(|| self.queue.today.list.row(*id));
            let owner = row.and_then(|row| self.queue.facts.owner(&row.signal));
            if let Some(owner) = owner.filter(is_asked) {
                *owners.entry(owner.to_owned()).or_default() += 1;
            }
        }
        owners
    }

    /// The same after the confirmation. What waited in steps of its own when an earlier run ended
    /// is sent in them.
    pub(in crate::app) fn triage_confirmed(&mut self, from: QueueTab, ids: Vec<SignalId>) {
        if from == QueueTab::New {
            let owners = self.unasked_owners(&ids).into_keys();
            self.team.asked_owners.extend(owners);
        }
        for ids in self.outbox.offline.take_restored(from, ids) {
            self.triage_grouped(from, ids, None);
        }
    }

    /// The same, undone together with the other steps of a group. Without the service it waits.
    pub(in crate::app::context) fn triage_grouped(
        &mut self,
        from: QueueTab,
        mut ids: Vec<SignalId>,
        group: Option<Uuid>,
    ) {
        let is_queued = ids.iter().any(|id| self.outbox.offline.is_waiting(*id));
        ids.retain(|id| !self.outbox.is_signal_pending(*id));
        if ids.is_empty() {
            self.ui.notice = is_queued
                .then(|| Notice::info("already queued"))
                .or(self.ui.notice.take());
            return;
        }
        self.outbox.last_act = Some(LastAct::Triage(from));
        self.outbox.history.undone.clear();
        if offline::must_wait(from, &self.queue, &self.outbox) {
            return self.queue_triage(from, &ids, group);
        }
        let description = triage_messages::describe_signals(from, &ids, &self.queue);
        let rows = self
            .queue
            .remove_signals(from, &ids, self.settings.after_triage);
        let group = self.end_snoozes_with(&ids, group);
        let items = StepItems::Signals(TriagedSignals {
            from,
            rows,
            uncertain_count: 0,
        });
        self.start_write(
            StepCause::New,
            None,
            UndoStep {
                number: 0,
                description,
                done_at: self.clock.service_now(),
                group,
                items,
            },
        );
    }

    /// Puts the signals of a step back on the list that they left.
    pub(super) fn return_signals(&mut self, signals: &TriagedSignals) {
        let ids: Vec<SignalId> = signals.rows.iter().map(|row| row.id).collect();
        self.queue.change_list(signals.from.other(), |list| {
            list.remove_rows(&ids);
        });
        self.queue
            .change_list(signals.from, |list| list.restore_rows(signals.rows.clone()));
        // The cursor returns to what came back. An open signal is left only for one that costs
        // nothing to show.
        if self.queue.tab.listing() == signals.from {
            promises::update_today(self);
            match self.ui.screen() {
                Screen::Detail => self.work.publish(Change::SignalsReturned(ids)),
                _ => self.queue.current_tab_mut().move_to_first_of(&ids),
            }
        }
    }

    /// Puts back the rows that were not triaged, and finds out which of the others this triage
    /// changed.
    pub(super) fn finish_triage(&mut self, triage: PendingWrite, from: QueueTab) {
        let unknown = triage.signals_where(|outcome| matches!(outcome, Outcome::Unknown(_)));
        let failed = triage.signals_where(|outcome| outcome.reason().is_some());
        let marked: Vec<SignalId> =
            triage.signals_where(|outcome| outcome.reason().is_some() && !triage.waits(outcome));
        if failed.is_empty() {
            let confirmed = triage.signals_where(|_| true);
            let tab = self.queue.tab_state_mut(from);
            tab.left_during_read
                .extend(confirmed.iter().filter(|_| tab.pending_page.is_some()));
        } else {
            queue::cancel_queue_reads(|_| true, &mut self.work, &mut self.queue);
        }
        let tab = self.queue.tab_state_mut(from);
        tab.marks.extend(&marked);
        tab.unconfirmed.extend(&unknown);
        // An undone step was put back on the other list at once; what failed leaves it again.
        if triage.cause() == StepCause::Undo {
            self.queue.change_list(from.other(), |list| {
                list.remove_rows(&failed);
            });
            self.queue.mark_stale();
        } else {
            // The slots of an act's rows were counted when the acts before it had left.
            let leaving: HashSet<SignalId> = self.outbox.signals_leaving(from).collect();
            let back: HashSet<SignalId> = failed
                .iter()
                .copied()
                .filter(|id| !leaving.contains(id))
                .collect();
            self.queue.change_list(from, |list| {
                for act in triage.acts().rev().filter(|_| !back.is_empty()) {
                    if let StepItems::Signals(signals) = act.items {
                        list.restore_rows(
                            signals
                                .rows
                                .into_iter()
                                .filter(|row| back.contains(&row.id)),
                        );
                    }
                }
            });
            self.queue.tab_state_mut(from).move_to_first_of(&marked);
            self.queue.tab_state_mut(from.other()).stale = true;
        }
        failures::record_triage_failures(&triage, from, &self.clock, &mut self.outbox);
        let known = triage.signals_where(|outcome| !matches!(outcome, Outcome::Unknown(_)));
        reconcile::settle_retried(from, &known, &mut self.work, &mut self.outbox);
        if !unknown.is_empty() {
            reconcile::reconcile_triage(triage.clone(), None, &mut self.work, &mut self.outbox);
        }
        self.queue.shift_counts(from, triage.changed_count());
        let waiting: HashSet<SignalId> = triage
            .signals_where(|outcome| triage.waits(outcome))
            .into_iter()
            .collect();
        for act in triage
            .acts()
            .map(|act| act.signals_where(|id| waiting.contains(&id)))
            .filter(|act| !act.is_empty())
        {
            self.outbox.offline.add(act);
        }
        self.attribute_triage(triage);
        self.work.emit(Effect::Poll);
    }
}

/// Keeps a triage until the one before it is confirmed, together with others that wait.
pub(super) fn hold_triage(write: PendingWrite, outbox: &mut Outbox) {
    let Some(waiting) = outbox.joinable_triage(&write) else {
        return outbox.insert(write);
    };
    let rows = [&*waiting, &write]
        .into_iter()
        .filter_map(PendingWrite::signals)
        .flat_map(|signals| &signals.rows);
    let description = describe_removed(rows);
    waiting.join(write, description);
}

/// Takes the signals of a step off their list once more.
pub(super) fn remove_again(
    signals: &mut TriagedSignals,
    queue: &mut SignalQueue,
    settings: &AppSettings,
) {
    let ids: Vec<SignalId> = signals.rows.iter().map(|row| row.id).collect();
    signals.rows = queue.remove_signals(signals.from, &ids, settings.after_triage);
}
