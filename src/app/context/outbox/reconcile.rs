//! Looks up triage of unknown outcome: the result is read, never guessed.
//!
//! An interrupted write may or may not have been applied. When the service responds again, the list
//! that the signals came from is read: those that are still there were not applied and stay marked;
//! the others leave. What was in flight when the program ended is sent again within two minutes, as
//! what it was: an act as that act, an undo or redo through its check for colleagues' changes.

use std::collections::HashSet;

use uuid::Uuid;

use crate::app::Context;
use crate::app::action::Action;
use crate::app::context::Work;
use crate::app::context::clock::Clock;
use crate::app::context::outbox::triage;
use crate::app::effect::{Effect, Slot};
use crate::app::format::{format_count, pluralize};
use crate::app::msg::{CallResult, payload};
use crate::app::notice::Notice;
use crate::app::outbox::Outbox;
use crate::app::outbox::pending_write::{Outcome, PendingWrite};
use crate::app::outbox::reconciliation::{
    FinishedReconciliation, ReconcileProgress, Resend, UnknownTriage,
};
use crate::app::outbox::undo_history::{StepCause, StepItems, UndoStep};
use crate::app::requests::Request;
use crate::domain::SignalId;
use crate::domain::pages::Page;
use crate::domain::queue::{QueueSignal, QueueTab};

/// What is sent again of a triage that an earlier run left.
struct SentAgain {
    cause: StepCause,
    /// Its journal entry.
    op: Uuid,
    /// Its number, if all of it is sent again.
    number: Option<u64>,
    /// What is done, or undone or redone.
    step: UndoStep,
}

impl Context {
    /// Takes a page of the check. After a failure the next poll starts it again.
    pub(in crate::app) fn on_reconcile_reply(&mut self, result: CallResult) {
        let Ok(page) = payload::<Page<QueueSignal>>(result) else {
            return;
        };
        let warning = match self.outbox.reconciliation.insert_page(&page) {
            ReconcileProgress::Reading => {
                return request_reconcile_page(&mut self.work, &self.outbox);
            }
            ReconcileProgress::Done => return self.finish_reconciliation(),
            ReconcileProgress::Incomplete => {
                "the service sent an incomplete list, so the result is unknown; repeating the action is safe"
            }
            ReconcileProgress::TooLong => {
                "Too many signals to verify. Repeating the action is safe."
            }
        };
        self.outbox.reconciliation.take_current();
        self.outbox.offline.end_flush();
        self.ui.warn(warning);
    }

    fn finish_reconciliation(&mut self) {
        let FinishedReconciliation {
            from,
            applied,
            not_applied,
            triages,
        } = self.outbox.reconciliation.take_current();
        let ids = |ids: &[SignalId]| ids.iter().copied().collect::<HashSet<SignalId>>();
        let waiting = self
            .outbox
            .offline
            .take_checked(from, &ids(&applied), &ids(&not_applied));
        let has_waited = |id: SignalId| {
            waiting
                .iter()
                .any(|step| step.signal_ids().any(|waiting| waiting == id))
        };
        let resent = triages_to_resend(
            &triages,
            |id| not_applied.contains(&id) && !has_waited(id),
            &self.clock,
            &self.outbox,
        );
        let retried: Vec<SignalId> = resent
            .iter()
            .flat_map(|again| again.step.signal_ids())
            .collect();
        let known = not_applied
            .iter()
            .copied()
            .filter(|id| !retried.contains(id))
            .collect();
        let status = from.other().status();
        self.work.emit(Effect::JournalReconciled {
            status,
            applied: applied.clone(),
            not_applied: known,
        });
        let tab = self.queue.tab_state_mut(from);
        tab.unconfirmed.clear();
        for id in applied.iter().chain(&retried) {
            tab.marks.remove(id);
        }
        self.queue.change_list(from, |list| {
            list.remove_rows(&applied);
        });
        self.queue.mark_stale();
        self.outbox.failures.remove_signals(applied.iter().copied());
        self.outbox.failures.set_unchanged(&not_applied);
        let triages: Vec<PendingWrite> =
            triages.into_iter().map(|unknown| unknown.triage).collect();
        let applied_count = applied.len()
            + triages
                .iter()
                .map(|triage| triage.applied_step().len())
                .sum::<usize>();
        let mut applied: HashSet<SignalId> = applied.into_iter().collect();
        // The latest first: a signal that was sent twice belongs to the later triage.
        for triage in triages.iter().rev() {
            let unknown = triage.signals_where(|outcome| matches!(outcome, Outcome::Unknown(_)));
            let found: HashSet<SignalId> = unknown
                .into_iter()
                .filter(|id| applied.remove(id))
                .collect();
            for act in triage
                .acts()
                .rev()
                .filter(|act| act.signal_ids().any(|id| found.contains(&id)))
            {
                let (slot, step) = (
                    Slot::Write(act.number),
                    UndoStep {
                        done_at: triage.started_at(),
                        ..act
                    },
                );
                if let Some(applied) =
                    self.outbox
                        .history
                        .settle_signals(triage.cause(), step, &found)
                {
                    self.work.emit(Effect::JournalApplied {
                        slot,
                        change: applied.journal_change(),
                        settles_interrupted: false,
                    });
                }
            }
        }
        if !resent.is_empty() || waiting.iter().any(|step| !step.is_empty()) {
            self.outbox.add_retried(&retried);
            for SentAgain {
                cause,
                op,
                number,
                step,
            } in resent
            {
                match cause {
                    StepCause::New => self.send_again(Some(op), step),
                    StepCause::Undo => self.preflight_step(Action::Undo(Box::new(step))),
                    StepCause::Redo => {
                        self.outbox.redo_number = number;
                        self.preflight_step(Action::Redo(Box::new(step)));
                    }
                }
            }
            waiting
                .into_iter()
                .for_each(|step| self.send_again(None, step));
            return self.flush_outbox();
        }
        self.flush_outbox();
        reconcile_if_due(&mut self.work, &mut self.outbox);
        let verb = if from == QueueTab::New {
            "done"
        } else {
            "back to New"
        };
        self.ui.notice = Some(match not_applied.len() {
            // Everything that was looked up was taken back meanwhile.
            0 if applied_count == 0 => return,
            0 => Notice::success(format!(
                "checked: all {} {verb}",
                pluralize(applied_count, "signal")
            )),
            left => {
                let (applied, left) = (
                    format_count(applied_count as u64),
                    format_count(left as u64),
                );
                Notice::warning(format!(
                    "checked: {applied} {verb}, {left} not changed, still marked"
                ))
                .with_hint("{queue.done} resends them")
            }
        });
    }

    /// Sends a step that has waited, or was interrupted. `op` is its journal entry, if it has one.
    fn send_again(&mut self, op: Option<Uuid>, mut step: UndoStep) {
        if let StepItems::Signals(signals) = &mut step.items {
            triage::remove_again(signals, &mut self.queue, &self.settings);
        }
        self.start_write(StepCause::New, op, step);
    }
}

/// Has signals that came from `from` looked up: a check in progress begins again.
pub(super) fn reconcile_signals(
    from: QueueTab,
    ids: &[SignalId],
    work: &mut Work,
    outbox: &mut Outbox,
) {
    work.requests.abandon(&Slot::Reconcile);
    outbox.reconciliation.add_signals(from, ids);
}

/// Has the signals of a triage looked up whose outcome is unknown.
pub(super) fn reconcile_triage(
    triage: PendingWrite,
    resend: Option<Resend>,
    work: &mut Work,
    outbox: &mut Outbox,
) {
    work.requests.abandon(&Slot::Reconcile);
    outbox.reconciliation.add_triage(triage, resend);
}

/// Starts the check when one is due and no triage is in progress. What a triage changed joins
/// its step, so that comes first.
pub(in crate::app) fn reconcile_if_due(work: &mut Work, outbox: &mut Outbox) {
    let is_blocked = outbox.is_triaging()
        || [Slot::Reconcile, Slot::Attribution]
            .iter()
            .any(|slot| work.requests.is_slot_open(slot));
    if outbox.reconciliation.is_due() && !is_blocked {
        outbox.reconciliation.restart();
        request_reconcile_page(work, outbox);
    }
}

fn request_reconcile_page(work: &mut Work, outbox: &Outbox) {
    if let Some(call) = outbox.reconciliation.call() {
        work.call_service(Slot::Reconcile, call, Request::Reconcile);
    }
}

/// What is sent again of triages that an earlier run left, oldest first. Of several undos and
/// redos only the last: the replies to those before it were lost earlier, and their steps are
/// where they were.
fn triages_to_resend(
    triages: &[UnknownTriage],
    is_open: impl Fn(SignalId) -> bool,
    clock: &Clock,
    outbox: &Outbox,
) -> Vec<SentAgain> {
    let history = &outbox.history;
    let mut resent: Vec<SentAgain> = Vec::new();
    for UnknownTriage { triage, resend } in triages {
        let Some(resend) = resend.as_ref().filter(|resend| clock.now <= resend.until) else {
            continue;
        };
        let later = history
            .done
            .iter()
            .chain(&history.undone)
            .filter(|step| step.number > triage.number());
        let later: HashSet<SignalId> = later.flat_map(UndoStep::signal_ids).collect();
        let is_due = |id| {
            resend.ids.contains(&id)
                && is_open(id)
                && !later.contains(&id)
                && !outbox.is_signal_pending(id)
        };
        let (cause, step) = (triage.cause(), triage.step().signals_where(is_due));
        let number = (step.len() == triage.step().len()).then_some(triage.number());
        let step = if cause == StepCause::New {
            Some(step)
        } else {
            history.step_with(cause, &step)
        };
        let Some(step) = step.filter(|step| !step.is_empty()) else {
            continue;
        };
        resent.retain(|before| before.cause == StepCause::New || cause == StepCause::New);
        resent.push(SentAgain {
            cause,
            op: resend.op,
            number,
            step,
        });
    }
    resent
}

/// Journals that the first attempt to triage these signals was not applied: its repetition is
/// over, or the user decides on it.
pub(super) fn settle_retried(
    from: QueueTab,
    ids: &[SignalId],
    work: &mut Work,
    outbox: &mut Outbox,
) {
    let not_applied = outbox.take_retried(ids);
    if !not_applied.is_empty() {
        work.emit(Effect::JournalReconciled {
            status: from.other().status(),
            applied: Vec::new(),
            not_applied,
        });
    }
}

/// The same for a step that is not undone or redone without a question.
pub(super) fn settle_retried_step(intent: &Action, work: &mut Work, outbox: &mut Outbox) {
    let (Action::Undo(step) | Action::Redo(step)) = intent else {
        return;
    };
    let ids: Vec<SignalId> = step.signal_ids().collect();
    if let Some(from) = step.tab_left() {
        settle_retried(
            if matches!(intent, Action::Undo(_)) {
                from.other()
            } else {
                from
            },
            &ids,
            work,
            outbox,
        );
    }
}

#[cfg(test)]
mod tests {
    use crate::app::effect::ServiceCall;
    use crate::app::testing::{ANA, TestConsole, many_rows, morning_queue, signal_id};
    use crate::domain::queue::TriageStatus;
    use crate::domain::request_error::RequestError;

    fn lose_reply(console: TestConsole) -> TestConsole {
        console.fail_next(RequestError::new_ambiguous("the connection broke"))
    }

    #[test]
    fn a_triage_that_is_found_applied_can_be_undone() {
        let console = lose_reply(TestConsole::with_rows(morning_queue()).press("e"));
        assert_eq!(console.context().outbox.history.undo_description(), None);
        let console = console.user_marks_done(ANA, &[1]).poll().serve();
        assert_eq!(console.notice_text(), "checked: all 1 signal done");
        assert!(
            console
                .context()
                .outbox
                .history
                .undo_description()
                .is_some_and(|words| words.contains("Harbor Yard Lofts"))
        );
        let console = console.restart();
        assert!(
            console
                .context()
                .outbox
                .history
                .undo_description()
                .is_some_and(|words| words.contains("Harbor Yard Lofts"))
        );
        assert_eq!(console.press("z").serve().service_new_count(), 16);
    }

    #[test]
    fn signals_that_are_found_applied_join_the_step_of_their_triage() {
        let mut console = TestConsole::with_rows(many_rows(150)).press("G").serve();
        console.context_mut().queue.new.marks = (1..=150).map(signal_id).collect();
        let console = lose_reply(console.press("e Down Enter").serve_next());
        assert_eq!(
            console.context().outbox.history.undo_description(),
            Some("100 signals")
        );
        let later = console.edit_rows(|rows| {
            rows.iter_mut()
                .for_each(|row| row.triage_status = Some(TriageStatus::Done))
        });
        let console = later.poll().serve();
        assert_eq!(console.context().outbox.history.done.len(), 1);
        assert_eq!(console.press("z").serve().service_new_count(), 150);
    }

    #[test]
    fn an_undo_that_is_found_applied_can_be_redone() {
        let console = lose_reply(
            TestConsole::with_rows(morning_queue())
                .press("e")
                .serve()
                .press("z")
                .serve_next(),
        );
        let of = |console: &TestConsole| {
            (
                console.context().outbox.history.done.len(),
                console.context().outbox.history.undone.len(),
            )
        };
        assert_eq!(of(&console), (1, 0), "until it is looked up");
        let console = console
            .edit_rows(|rows| rows[0].triage_status = Some(TriageStatus::New))
            .poll()
            .serve();
        assert_eq!(of(&console), (0, 1));
        let console = console.restart();
        assert_eq!(of(&console), (0, 1));
        assert_eq!(console.press("Z").serve().service_new_count(), 15);
    }

    #[test]
    fn a_triage_that_is_found_not_applied_leaves_no_step() {
        let console = lose_reply(TestConsole::with_rows(morning_queue()).press("e"))
            .poll()
            .serve();
        assert!(
            console
                .notice_text()
                .contains("1 not changed, still marked"),
            "{}",
            console.notice_text()
        );
        assert_eq!(console.context().outbox.history.undo_description(), None);
    }

    #[test]
    fn a_signal_that_is_triaged_again_before_the_check_has_one_step() {
        let console = lose_reply(TestConsole::with_rows(morning_queue()).press("e"))
            .press("e")
            .serve()
            .poll()
            .serve();
        assert_eq!(
            (
                console.context().outbox.history.done.len(),
                console.service_new_count()
            ),
            (1, 15)
        );
        let console = console.press("z").serve();
        assert_eq!(
            (
                console.service_new_count(),
                console.context().outbox.history.undo_description()
            ),
            (16, None)
        );
    }

    #[test]
    fn a_triage_that_is_lost_twice_and_found_applied_has_one_step() {
        let console =
            lose_reply(lose_reply(TestConsole::with_rows(morning_queue()).press("e")).press("e"));
        let console = console.user_marks_done(ANA, &[1]).poll().serve();
        assert_eq!(console.context().outbox.history.done.len(), 1);
        assert_eq!(console.restart().context().outbox.history.done.len(), 1);
    }

    #[test]
    fn a_redo_that_is_found_applied_after_a_new_triage_can_be_undone() {
        let console = TestConsole::with_rows(morning_queue())
            .press("e")
            .serve()
            .press("z")
            .serve()
            .press("Z")
            .serve_next();
        let console = lose_reply(console)
            .user_marks_done(ANA, &[1])
            .press("* n j e")
            .serve()
            .poll()
            .serve();
        assert_eq!(console.service_new_count(), 14);
        let console = console.press("z").serve().press("z").serve();
        assert_eq!(console.service_new_count(), 16, "{}", console.screen_text());
    }

    #[test]
    fn signals_that_are_found_applied_wait_for_the_rest_of_their_triage() {
        let mut console = TestConsole::with_rows(many_rows(150))
            .press("G")
            .serve()
            .ben_marks_done(&[1, 2]);
        console.context_mut().queue.new.marks = (1..=150).map(signal_id).collect();
        let console = lose_reply(console.press("e Down Enter").serve_next());
        let mut console = console
            .user_marks_done(ANA, &(101..=150).collect::<Vec<_>>())
            .poll();
        console.pending_calls.make_contiguous().reverse();
        let console = console.serve();
        assert_eq!(console.context().outbox.history.done.len(), 1);
        let console = console.restart();
        assert_eq!(console.context().outbox.history.done.len(), 1);
        assert_eq!(console.press("z").serve().service_new_count(), 148);
    }

    #[test]
    fn a_triage_during_the_check_does_not_hide_signals_from_it() {
        let mut console = TestConsole::with_rows(many_rows(400)).press("G").serve();
        console.context_mut().queue.new.marks = [signal_id(201)].into();
        let mut console = lose_reply(console.press("e Down Enter")).poll();
        let first = |console: &TestConsole, is: fn(&ServiceCall) -> bool| {
            console
                .pending_calls
                .iter()
                .position(|(_, call)| is(call))
                .unwrap()
        };
        let check = first(&console, |call| {
            matches!(call, ServiceCall::Queue { limit: 200, .. })
        });
        console.pending_calls.swap(0, check);
        let mut console = console.serve_next();
        console.context_mut().queue.new.marks = [signal_id(1)].into();
        let mut console = console.press("e");
        let triage = first(&console, |call| matches!(call, ServiceCall::Triage { .. }));
        console.pending_calls.swap(0, triage);
        let console = console.serve().poll().serve();
        assert!(
            console
                .notice_text()
                .contains("1 not changed, still marked"),
            "{}",
            console.notice_text()
        );
    }

    #[test]
    fn undo_leaves_signals_that_were_found_during_its_check() {
        let mut console = TestConsole::with_rows(many_rows(150)).press("G").serve();
        console.context_mut().queue.new.marks = (1..=150).map(signal_id).collect();
        let console = lose_reply(console.press("e Down Enter").serve_next()).press("z");
        let later = console.edit_rows(|rows| {
            rows.iter_mut()
                .for_each(|row| row.triage_status = Some(TriageStatus::Done))
        });
        let mut console = later.poll();
        console.pending_calls.make_contiguous().reverse();
        let console = console.serve();
        assert_eq!(
            (
                console.service_new_count(),
                console.context().outbox.history.undo_description()
            ),
            (100, Some("50 signals"))
        );
        assert_eq!(console.press("z").serve().service_new_count(), 150);
    }
}
