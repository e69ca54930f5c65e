//! Undo and redo: one stack for all kinds of changes, in the order in which they were made. A step
//! whose undo or redo did not arrive stays where it was.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::app::Context;
use crate::app::action::Action;
use crate::app::change::Change;
use crate::app::context::outbox::offline;
use crate::app::context::outbox::reconcile;
use crate::app::context::subscriptions;
use crate::app::effect::Effect;
use crate::app::format::pluralize;
use crate::app::msg::{CallResult, payload};
use crate::app::notice::Notice;
use crate::app::outbox::pending_write::PendingWrite;
use crate::app::outbox::preflight::UndoRequest;
use crate::app::outbox::reconciliation::Resend;
use crate::app::outbox::undo_history::{StepCause, StepItems, UndoStack, UndoStep};
use crate::app::outbox::{DeferredTarget, Outbox};
use crate::domain::SignalId;
use crate::domain::journal::{
    AUTO_RESEND_WINDOW, EntryCause, InterruptedTriage, JournalChange, JournalEntry, SavedState,
};
use crate::domain::writes::ReversibleWrite;

impl Context {
    pub(in crate::app) fn on_undo_reply(&mut self, request: UndoRequest, result: CallResult) {
        match request {
            UndoRequest::Signals(read) => self.on_preflight_page(*read, payload(result)),
            UndoRequest::Attribution(check) => self.on_attribution_page(*check, payload(result)),
            UndoRequest::Record(kind, id) => self.on_preflight_record(&kind, id, result),
            UndoRequest::Members => {
                let result = payload(result).map(|members| self.store_members(members));
                self.on_preflight_settings(result);
            }
            UndoRequest::Subscriptions => {
                let result = payload(result).map(|list| {
                    subscriptions::store_subscriptions(
                        list,
                        &mut self.work,
                        &mut self.subscriptions,
                    )
                });
                self.on_preflight_settings(result);
            }
        }
    }

    /// Restores what earlier runs did on this machine: undo steps, and triage whose result is
    /// unknown.
    pub(in crate::app) fn restore_saved_state(&mut self, past: SavedState) {
        self.work.publish(Change::RunsRestored(past.search_runs));
        self.views.set_searches(past.named_searches);
        self.work.publish(Change::Views);
        self.restore_saved_searches(past.saved_searches);
        self.restore_snoozes(past.snoozes);
        for note in past.promises {
            self.promises.take_note(note);
        }
        let interrupted = past.interrupted_triage;
        let known = past.entries.iter().chain(&past.unconfirmed_writes);
        let numbers = number_entries(known.chain(interrupted.iter().map(|triage| &triage.entry)));
        for triage in &interrupted {
            let number = numbers[&triage.entry.op];
            let is_later = |op: Uuid| numbers[&op] > number;
            let applied = past
                .entries
                .iter()
                .filter(|entry| is_later(entry.op))
                .flat_map(|entry| entry.change.signal_ids());
            let sent = interrupted
                .iter()
                .filter(|other| is_later(other.entry.op))
                .flat_map(|other| other.ids.iter().copied());
            self.reconcile_interrupted(number, triage, &applied.chain(sent).collect());
        }
        let mut before = self.rebuild_history(
            past.entries,
            past.unconfirmed_writes,
            &interrupted,
            &numbers,
        );
        // What was done since the start is newer.
        if self.outbox.history.done.is_empty() && self.outbox.history.undone.is_empty() {
            self.outbox.history.undone = before.undone;
        }
        before.done.append(&mut self.outbox.history.done);
        self.outbox.history.done = before.done;
        let count: usize = interrupted.iter().map(|triage| triage.ids.len()).sum();
        if count > 0 {
            let text = format!(
                "{} interrupted when gantry ended: checking the result",
                pluralize(count, "signal")
            );
            self.ui.warn(text);
            reconcile::reconcile_if_due(&mut self.work, &mut self.outbox);
        }
    }

    /// Has a triage looked up that was interrupted when an earlier run ended. It is sent again if
    /// it is recent, as what it was, but for what was triaged `later`.
    fn reconcile_interrupted(
        &mut self,
        number: u64,
        triage: &InterruptedTriage,
        later: &HashSet<SignalId>,
    ) {
        let InterruptedTriage { entry, ids } = triage;
        let (until, cause) = (
            entry.at + AUTO_RESEND_WINDOW,
            StepCause::from(entry.cause.clone()),
        );
        let at = self.clock.to_service_time(entry.at);
        let Some(step) = UndoStep::from_journal(
            number,
            JournalEntry {
                at,
                ..entry.clone()
            },
        ) else {
            return;
        };
        let step = step.first_direction(cause);
        let Some(from) = step.tab_left() else { return };
        let tab = self.queue.tab_state_mut(from);
        tab.marks.extend(ids);
        tab.unconfirmed.extend(ids);
        let unknown: HashSet<SignalId> = ids.iter().copied().collect();
        let resend =
            (self.clock.now < until && self.team.can_write(&self.session).is_ok()).then(|| {
                Resend {
                    op: entry.op,
                    until,
                    ids: unknown.difference(later).copied().collect(),
                }
            });
        let write = PendingWrite::interrupted(cause, step, &unknown);
        // What is found is recorded with the entry that it has.
        self.work.emit(Effect::JournalWrite {
            slot: write.slot(),
            op: Some(entry.op),
            cause: entry.cause.clone(),
            description: entry.description.clone(),
            group: entry.group,
            change: entry.change.clone(),
        });
        reconcile::reconcile_triage(write, resend, &mut self.work, &mut self.outbox);
    }

    /// Rebuilds the steps of earlier runs. Interrupted ones are sent again if they are recent,
    /// otherwise reported. Interrupted triage is looked up first; it only ends what could be redone
    /// before it.
    fn rebuild_history(
        &mut self,
        acts: Vec<JournalEntry>,
        mut cut: Vec<JournalEntry>,
        interrupted: &[InterruptedTriage],
        numbers: &HashMap<Uuid, u64>,
    ) -> UndoStack {
        // What must not be done twice stays in the log only.
        let is_once = |changes: &[ReversibleWrite]| {
            changes
                .iter()
                .any(|change| change.forward.is_non_idempotent())
        };
        cut.retain(
            |act| matches!(&act.change, JournalChange::Write { changes, .. } if !is_once(changes)),
        );
        // An undo or redo is not sent again unasked: its key checks first for colleagues' changes.
        let is_fresh = |act: &JournalEntry| {
            act.cause == EntryCause::New
                && self.clock.now < act.at + AUTO_RESEND_WINDOW
                && self.team.can_write(&self.session).is_ok()
        };
        let again: HashSet<Uuid> = cut
            .iter()
            .filter(|act| is_fresh(act))
            .map(|act| act.op)
            .collect();
        let known: HashSet<Uuid> = acts
            .iter()
            .map(|act| act.op)
            .filter(|op| !again.contains(op))
            .collect();
        let acts = acts
            .into_iter()
            .filter(|act| known.contains(&act.op))
            .map(|act| (act, true));
        let unsettled = cut
            .into_iter()
            .chain(interrupted.iter().map(|triage| triage.entry.clone()));
        let mut all: Vec<(JournalEntry, bool)> =
            acts.chain(unsettled.map(|act| (act, false))).collect();
        all.sort_by_key(|(act, _)| numbers[&act.op]);
        let mut journal = UndoStack::default();
        for (act, arrived) in all {
            let (op, cause) = (act.op, act.cause.clone());
            if !arrived && act.change.signal_ids().next().is_some() {
                if cause == EntryCause::New {
                    journal.undone.clear();
                }
                continue;
            }
            if again.contains(&op) {
                journal.undone.clear();
                let JournalChange::Write { changes, .. } = act.change else {
                    continue;
                };
                let items = StepItems::Changes(changes);
                let done_at = self.clock.to_service_time(act.at);
                let step = UndoStep {
                    number: 0,
                    description: act.description,
                    done_at,
                    group: None,
                    items,
                };
                self.start_write(cause.into(), Some(op), step);
                continue;
            }
            if arrived && act.change.is_empty() {
                // It changed nothing, but an undo or redo of this kind still removed its step.
                if cause != EntryCause::New {
                    journal.pop_step(&cause);
                }
                continue;
            }
            let act = JournalEntry {
                at: self.clock.to_service_time(act.at),
                ..act
            };
            let Some(step) = UndoStep::from_journal(numbers[&op], act) else {
                continue;
            };
            // The applied part of an interrupted write was journaled separately.
            if arrived || !known.contains(&op) {
                let is_new = match cause {
                    EntryCause::Undo => journal.remove_undone(&step),
                    EntryCause::Redo => journal.remove_redone(&step),
                    _ => {
                        journal.undone.clear();
                        true
                    }
                };
                if !is_new {
                    continue;
                }
            }
            if !arrived {
                let (what, hint) = if cause == EntryCause::Undo {
                    ("undo of ", "{undo} undoes it")
                } else {
                    ("", "{redo} saves it again")
                };
                let text = format!(
                    "{what}{} was interrupted when gantry ended and may not be saved",
                    step.description
                );
                self.ui.notice = Some(Notice::warning(text).with_hint(hint));
            }
            journal.push_step(&cause, arrived, step);
        }
        journal
    }

    /// Undoes the last step, after checking that nobody changed it since; asks when somebody did.
    /// When the key had to wait, that is the last step before it.
    pub fn undo(&mut self) {
        if let Some(waiting) = offline::waiting_step_to_undo(&self.outbox).map(|step| step.number) {
            return self.take_back(waiting);
        }
        let up_to = match self.outbox.deferred_target {
            None => Some(u64::MAX),
            Some(DeferredTarget::UpTo(last)) => Some(last),
            Some(DeferredTarget::Group(_)) => None,
        };
        if let Some((what, before)) = up_to.and_then(|last| self.outbox.take_final_act(last)) {
            let text = format!(
                "{} does not undo “{what}”. Before it: {}",
                self.keymap.expand_keys("{undo}"),
                before.description
            );
            let notice = Notice::warning(text).with_hint("{undo} undoes that one");
            return self.ui.notice = Some(notice);
        }
        let done = &self.outbox.history.done;
        let step = match self.outbox.deferred_target {
            None => done.last(),
            Some(DeferredTarget::UpTo(last)) => done.iter().rfind(|step| step.number <= last),
            Some(DeferredTarget::Group(group)) => {
                done.iter().rfind(|step| step.group == Some(group))
            }
        };
        match step.cloned() {
            Some(step) => self.preflight_step(Action::Undo(Box::new(step))),
            None => self
                .ui
                .warn("Nothing to undo: this change was undone already."),
        }
    }

    /// Redoes the last undone step, after the same check.
    pub fn redo(&mut self) {
        let undone = &self.outbox.history.undone;
        let step = match self.outbox.deferred_target {
            Some(DeferredTarget::Group(group)) => {
                undone.iter().rfind(|step| step.group == Some(group))
            }
            _ => self.outbox.history.next_undone(),
        };
        match step.cloned() {
            // It is checked before it is sent.
            Some(step)
                if step
                    .tab_left()
                    .is_some_and(|from| offline::must_wait(from, &self.queue, &self.outbox)) =>
            {
                self.redo_step(&step)
            }
            Some(step) => {
                self.outbox.redo_number = Some(self.outbox.take_number());
                self.preflight_step(Action::Redo(Box::new(step)));
            }
            None => {}
        }
    }

    pub(in crate::app) fn undo_step(&mut self, step: &UndoStep) {
        match self.outbox.history.take_done(step) {
            Some(step) => self.undo_write(step),
            None => self
                .ui
                .warn("Nothing to undo: this change was undone already."),
        }
    }

    pub(in crate::app) fn redo_step(&mut self, step: &UndoStep) {
        // A new change made during the check has emptied the redo stack; redo was pressed before
        // it.
        let step = self
            .outbox
            .history
            .take_undone(step)
            .unwrap_or_else(|| step.clone());
        self.redo_write(step);
    }
}

/// Keeps what was done, so that undo does not skip it without a word.
pub fn note_final_act(what: String, outbox: &mut Outbox) {
    let number = outbox.take_number();
    outbox.set_final_act(number, what);
}

/// Whether a change is in progress.
pub fn is_writing(outbox: &Outbox) -> bool {
    outbox.is_writing()
}

/// Numbers the changes of earlier runs in their order.
fn number_entries<'a>(entries: impl Iterator<Item = &'a JournalEntry>) -> HashMap<Uuid, u64> {
    let mut order: Vec<(DateTime<Utc>, Uuid)> = entries.map(|entry| (entry.at, entry.op)).collect();
    order.sort();
    let mut numbers = HashMap::new();
    for ((_, op), number) in order.into_iter().zip(1..) {
        numbers.entry(op).or_insert(number);
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::msg::{Msg, Push};
    use crate::app::testing::{ANA, TestConsole, many_rows, morning_queue, parse_time, signal_id};
    use crate::app::{AppSettings, ConsoleSession};
    use crate::domain::health::Health;
    use crate::domain::journal::TriageMove;
    use crate::domain::queue::TriageStatus;
    use crate::domain::request_error::{RequestError, RequestErrorKind, ServiceError};

    /// A journal entry that marked a signal done.
    fn triage_entry(cause: EntryCause, n: usize, words: &str) -> JournalEntry {
        let (before, after) = match cause {
            EntryCause::Undo => (TriageStatus::Done, TriageStatus::New),
            _ => (TriageStatus::New, TriageStatus::Done),
        };
        let row = morning_queue()
            .into_iter()
            .find(|row| row.signal.id == signal_id(n))
            .and_then(|row| serde_json::to_value(row).ok());
        let signals = vec![TriageMove {
            id: signal_id(n).0,
            row,
        }];
        JournalEntry {
            op: Uuid::from_u128(n as u128),
            at: parse_time("2026-07-09T08:00:00Z"),
            cause,
            original_op: None,
            group: None,
            reason: "queue.done".to_owned(),
            description: words.to_owned(),
            change: JournalChange::Triage {
                before,
                after,
                signals,
            },
        }
    }

    /// A console just started on a machine with these journal entries; in the service, signals
    /// `done` are done.
    fn start_with(
        acts: Vec<JournalEntry>,
        broken: Vec<InterruptedTriage>,
        done: &[usize],
    ) -> TestConsole {
        let session = ConsoleSession {
            label: "demo".to_owned(),
            connected: true,
            read_only: false,
            is_dashboard_only: false,
        };
        let mut console =
            TestConsole::with_session(session, morning_queue(), (120, 36), AppSettings::default())
                .user_marks_done(ANA, done);
        console.saved_state = SavedState {
            entries: acts,
            interrupted_triage: broken,
            ..SavedState::default()
        };
        console.poll().serve()
    }

    fn interrupted(cause: EntryCause, at: &str, ids: &[usize]) -> Vec<InterruptedTriage> {
        let all = ids
            .iter()
            .map(|n| triage_entry(cause.clone(), *n, "one").change);
        let moves = all.flat_map(|change| match change {
            JournalChange::Triage { signals, .. } => signals,
            change => panic!("{change:?}"),
        });
        let mut entry = triage_entry(cause.clone(), ids[0], &pluralize(ids.len(), "signal"));
        let JournalChange::Triage { signals, .. } = &mut entry.change else {
            panic!("{entry:?}")
        };
        *signals = moves.collect();
        let entry = JournalEntry {
            op: Uuid::from_u128(0xD0 + ids[0] as u128),
            at: parse_time(at),
            ..entry
        };
        vec![InterruptedTriage {
            entry,
            ids: ids.iter().map(|n| signal_id(*n)).collect(),
        }]
    }

    #[test]
    fn writes_pending_in_another_gantry_are_reported_at_startup() {
        let mut console = TestConsole::with_rows(morning_queue());
        console.saved_state = SavedState {
            writes_in_other_process: 12,
            ..SavedState::default()
        };
        let screen = console
            .restart_after(chrono::Duration::seconds(2))
            .screen_text();
        assert!(
            screen.contains("another gantry on this machine is still sending 12 changes"),
            "{screen}"
        );
    }

    #[test]
    fn triage_before_a_restart_can_be_undone_and_redone() {
        let console = start_with(
            vec![triage_entry(
                EntryCause::New,
                1,
                "permit issued on Harbor Yard Lofts",
            )],
            vec![],
            &[1],
        );
        assert_eq!(console.service_new_count(), 15);
        let console = console.press("z").serve();
        assert_eq!(
            (console.service_new_count(), console.triage_calls().last()),
            (16, Some(&(1, TriageStatus::New)))
        );
        assert!(
            console
                .notice_text()
                .contains("permit issued on Harbor Yard Lofts"),
            "{}",
            console.notice_text()
        );
        assert_eq!(console.press("Z").serve().service_new_count(), 15);
    }

    #[test]
    fn an_undo_that_was_not_sent_is_the_next_to_be_undone() {
        let lost = || RequestError::new_not_sent("no network");
        let console = TestConsole::with_rows(morning_queue())
            .press("e")
            .serve()
            .press("e")
            .serve()
            .press("z")
            .serve_next()
            .fail_next(lost());
        assert_eq!(
            (
                console.context().outbox.history.done.len(),
                console.context().outbox.history.undone.len()
            ),
            (2, 0)
        );
        let console = console.press("z").serve();
        assert!(
            console
                .notice_text()
                .contains("entitlement approval on Union Depot Tower"),
            "{}",
            console.notice_text()
        );
        let console = console.press("Z").serve_next().fail_next(lost());
        assert_eq!(
            (
                console.context().outbox.history.done.len(),
                console.context().outbox.history.undone.len()
            ),
            (1, 1)
        );
        assert_eq!(console.press("Z").serve().service_new_count(), 14);
    }

    #[test]
    fn the_rest_of_a_partly_sent_undo_is_the_next_to_be_undone() {
        let mut console = TestConsole::with_rows(many_rows(150)).press("G").serve();
        console.context_mut().queue.new.marks = (1..=150).map(signal_id).collect();
        let console = console
            .press("e Down Enter")
            .serve()
            .press("z")
            .serve_next()
            .serve_next()
            .fail_next(RequestError::new_not_sent("no network"));
        assert_eq!(
            (
                console.context().outbox.history.undo_description(),
                console.context().outbox.history.redo_description()
            ),
            (Some("50 signals"), Some("100 signals"))
        );
        assert_eq!(console.press("z").serve().service_new_count(), 150);
    }

    #[test]
    fn an_undo_that_the_service_rejects_does_not_block_earlier_steps() {
        let gone = ServiceError {
            status: 404,
            ..ServiceError::default()
        };
        let gone = RequestError {
            kind: RequestErrorKind::Rejected(gone),
            message: "no such signal".to_owned(),
        };
        let console = TestConsole::with_rows(morning_queue())
            .press("e")
            .serve()
            .press("e")
            .serve()
            .press("z")
            .serve_next()
            .fail_next(gone);
        assert!(
            console
                .context()
                .outbox
                .history
                .undo_description()
                .is_some_and(|words| words.contains("Harbor Yard Lofts"))
        );
    }

    #[test]
    fn an_undo_waiting_for_its_preflight_read_reverts_its_own_step() {
        let mut console =
            start_with(vec![triage_entry(EntryCause::New, 1, "one")], vec![], &[1]).press("z e");
        console.pending_calls.swap(0, 1);
        let console = console.serve();
        assert_eq!(
            (
                console.service_new_count(),
                console.context().outbox.history.undo_description()
            ),
            (15, Some("entitlement approval on Union Depot Tower"))
        );
    }

    #[test]
    fn an_undo_confirmation_keeps_its_step_when_another_triage_completes() {
        let health = |health| Msg::Pushed(Push::Health(health));
        let offline = Health::Offline {
            since: chrono::DateTime::UNIX_EPOCH,
            reason: "no network".to_owned(),
        };
        let console = start_with(vec![triage_entry(EntryCause::New, 1, "one")], vec![], &[1]);
        let console = console
            .press("e")
            .fail_next(RequestError::new_not_sent("no network"))
            .send(health(offline));
        let console = console
            .edit_rows(|rows| rows[0].triage_status = Some(TriageStatus::New))
            .press("g u j Enter")
            .serve();
        assert!(
            console.screen_text().contains("undo anyway"),
            "{}",
            console.screen_text()
        );
        let console = console.send(health(Health::Online)).serve();
        assert_eq!(console.service_new_count(), 15, "what waited was sent");
        let console = console.press("y Enter").serve();
        assert_eq!(
            (
                console.service_new_count(),
                console
                    .context()
                    .outbox
                    .history
                    .undo_description()
                    .is_some()
            ),
            (15, true)
        );
        assert_ne!(
            console.context().outbox.history.undo_description(),
            Some("one")
        );
    }

    #[test]
    fn undo_reverts_only_the_signals_that_this_user_changed() {
        let console = TestConsole::with_rows(morning_queue())
            .ben_marks_done(&[1, 2])
            .press("Space Space Space e")
            .serve();
        let text = "done: permit issued on Mill & 4th Mixed Use, 2 were already done, the last by Ben K. at 09:20, for everyone";
        assert_eq!(
            (console.notice_text().as_str(), console.service_new_count()),
            (text, 13)
        );
        let console = console.press("z").serve();
        assert_eq!(
            (console.service_new_count(), console.triage_calls().last()),
            (14, Some(&(1, TriageStatus::New)))
        );
        assert_eq!(
            console
                .restart()
                .context()
                .outbox
                .history
                .redo_description(),
            Some("permit issued on Mill & 4th Mixed Use")
        );
    }

    #[test]
    fn a_triage_that_changed_nothing_adds_no_step_and_names_who_was_first() {
        let console = TestConsole::with_rows(morning_queue())
            .press("e")
            .serve()
            .ben_marks_done(&[2])
            .press("e")
            .serve();
        assert_eq!(
            console.notice_text(),
            "Already done by Ben K. at 09:20. Nothing changed."
        );
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
    }

    #[test]
    fn undo_in_the_same_session_asks_before_overwriting_a_colleagues_triage() {
        let console = TestConsole::with_rows(morning_queue()).press("e").serve();
        let console = console
            .edit_rows(|rows| rows[0].triage_status = Some(TriageStatus::New))
            .ben_marks_done(&[1])
            .press("z")
            .serve();
        assert!(
            console
                .screen_text()
                .contains("Harbor Yard Lofts: done by Ben K. at"),
            "{}",
            console.screen_text()
        );
        assert_eq!(console.triage_calls().len(), 1, "nothing was sent");
        assert_eq!(console.press("y Enter").serve().service_new_count(), 16);
    }

    #[test]
    fn redo_asks_before_overwriting_like_undo() {
        let console = TestConsole::with_rows(morning_queue())
            .press("e")
            .serve()
            .press("z")
            .serve()
            .ben_marks_done(&[1])
            .press("Z")
            .serve();
        assert!(
            console
                .screen_text()
                .contains("1 signal no longer where you left it"),
            "{}",
            console.screen_text()
        );
        assert_eq!(console.triage_calls().len(), 2);
    }

    #[test]
    fn undo_of_a_partial_return_to_new_asks_first() {
        let console = TestConsole::with_rows(morning_queue())
            .ben_marks_done(&[1, 2])
            .poll()
            .serve()
            .press("]")
            .serve();
        let console = console
            .press("Space Space")
            .edit_rows(|rows| rows[0].triage_status = Some(TriageStatus::New));
        let console = console.press("U").serve();
        assert_eq!(
            console.notice_text(),
            "back to New: 2 signals on 2 projects, 1 already New, for everyone"
        );
        let console = console.press("z").serve();
        assert!(
            console.screen_text().contains("1 of these 2 signals"),
            "{}",
            console.screen_text()
        );
    }

    #[test]
    fn a_failed_attribution_read_makes_undo_ask() {
        let console = TestConsole::with_rows(morning_queue())
            .ben_marks_done(&[1])
            .press("Space Space e")
            .serve_next()
            .fail_next(RequestError::new_not_sent("no network"));
        assert_eq!(
            console.notice_text(),
            "done: 2 signals on 2 projects, 1 already done, for everyone"
        );
        let console = console.serve().press("z").serve();
        assert!(
            console
                .screen_text()
                .contains("Harbor Yard Lofts: done by Ben K."),
            "{}",
            console.screen_text()
        );
    }

    #[test]
    fn undo_right_after_a_triage_runs_once_the_triage_is_done() {
        let console = TestConsole::with_rows(morning_queue()).press("e z");
        assert_eq!(console.notice_text(), "undo waits until the write is done");
        let console = console.serve();
        assert_eq!(
            (console.service_new_count(), console.triage_calls().len()),
            (16, 2)
        );
        let console = console.press("Z j e").serve();
        assert_eq!(
            console.service_new_count(),
            14,
            "and redo, with another triage in progress"
        );
        assert_eq!(
            console.press("z z").serve().service_new_count(),
            16,
            "and two undos"
        );
    }

    #[test]
    fn a_deferred_undo_is_dropped_when_the_triage_fails_or_changes_nothing() {
        let console = TestConsole::with_rows(morning_queue())
            .press("e")
            .serve()
            .press("e z")
            .fail_next(RequestError {
                kind: RequestErrorKind::NotJournaled,
                message: "no folder".to_owned(),
            });
        assert!(
            console.notice_text().ends_with("; undo was dropped"),
            "{}",
            console.notice_text()
        );
        assert_eq!(
            (
                console.serve().service_new_count(),
                "the step before it is kept"
            ),
            (15, "the step before it is kept")
        );
        let console = TestConsole::with_rows(morning_queue())
            .press("e")
            .serve()
            .ben_marks_done(&[2])
            .press("e z")
            .serve();
        assert_eq!(
            console.notice_text(),
            "Already done by Ben K. at 09:20. Nothing changed; undo was dropped."
        );
        assert_eq!(console.service_new_count(), 14);
    }

    #[test]
    fn deferred_commands_are_bounded_and_cancelled_together() {
        let console = TestConsole::with_rows(morning_queue())
            .press("e")
            .press(&["z"; 9].join(" "));
        assert!(
            console
                .notice_text()
                .contains("8 commands are already waiting"),
            "{}",
            console.notice_text()
        );
        let console = console.press("Ctrl-c");
        assert!(
            console
                .notice_text()
                .contains("8 waiting commands were dropped"),
            "{}",
            console.notice_text()
        );
        assert_eq!(console.serve().triage_calls().len(), 1);
    }

    #[test]
    fn a_note_can_be_started_while_a_triage_is_pending() {
        let console = TestConsole::with_rows(morning_queue()).press("e a n");
        assert!(
            console.screen_text().contains("Annotate"),
            "{}",
            console.screen_text()
        );
        assert_eq!(console.type_text("z").serve().triage_calls().len(), 1);
    }

    #[test]
    fn undo_steps_are_in_the_order_of_the_actions_whichever_is_answered_first() {
        for is_reversed in [false, true] {
            let mut console = TestConsole::with_rows(morning_queue()).press("e e");
            if is_reversed {
                console.pending_calls.make_contiguous().reverse();
            }
            let console = console.serve();
            let description = console.context().outbox.history.undo_description();
            assert_eq!(
                description,
                Some("entitlement approval on Union Depot Tower"),
                "{is_reversed}"
            );
            assert_eq!(console.press("z").serve().triage_calls().len(), 3);
        }
    }

    #[test]
    fn triage_undone_before_a_restart_can_be_redone() {
        let acts = vec![
            triage_entry(EntryCause::New, 1, "one"),
            triage_entry(EntryCause::New, 2, "two"),
            triage_entry(EntryCause::Undo, 2, "two"),
        ];
        let console = start_with(acts, vec![], &[1]);
        assert_eq!(
            (
                console.context().outbox.history.undo_description(),
                console.context().outbox.history.redo_description()
            ),
            (Some("one"), Some("two"))
        );
        assert_eq!(console.press("Z").serve().service_new_count(), 14);
    }

    #[test]
    fn a_refresh_does_not_duplicate_undo_steps() {
        let console = start_with(
            vec![
                triage_entry(EntryCause::New, 1, "one"),
                triage_entry(EntryCause::New, 2, "two"),
            ],
            vec![],
            &[1, 2],
        )
        .press("R")
        .serve();
        assert_eq!(console.context().outbox.history.done.len(), 2);
    }

    #[test]
    fn a_triage_interrupted_long_ago_is_reconciled_and_not_resent() {
        let console = start_with(
            vec![],
            interrupted(EntryCause::New, "2026-07-09T07:00:00Z", &[1, 2]),
            &[2],
        );
        assert!(console.triage_calls().is_empty());
        assert!(
            console
                .notice_text()
                .contains("1 done, 1 not changed, still marked"),
            "{}",
            console.notice_text()
        );
        let not_gone = vec![signal_id(1)];
        let verified = Effect::JournalReconciled {
            status: TriageStatus::Done,
            applied: vec![signal_id(2)],
            not_applied: not_gone,
        };
        assert!(console.effects.contains(&verified), "{:?}", console.effects);
        assert_eq!(
            console.press("e").serve().service_new_count(),
            14,
            "e sends what is marked"
        );
    }

    #[test]
    fn an_interrupted_triage_that_was_applied_can_be_undone() {
        let console = start_with(
            vec![],
            interrupted(EntryCause::New, "2026-07-09T07:00:00Z", &[1, 2]),
            &[2],
        );
        assert_eq!(
            console.context().outbox.history.undo_description(),
            Some("1 signal")
        );
        assert_eq!(
            console.press("z").serve().triage_calls(),
            [(1, TriageStatus::New)]
        );
    }

    #[test]
    fn an_interrupted_undo_that_was_applied_can_be_redone() {
        let undo = interrupted(EntryCause::Undo, "2026-07-09T09:00:00Z", &[1]);
        let console = start_with(vec![triage_entry(EntryCause::New, 1, "one")], undo, &[]);
        let history = &console.context().outbox.history;
        assert_eq!(
            (history.undo_description(), history.redo_description()),
            (None, Some("one"))
        );
    }

    #[test]
    fn interrupted_triage_of_both_lists_is_checked() {
        let mut broken = interrupted(EntryCause::New, "2026-07-09T07:00:00Z", &[1]);
        broken.extend(
            interrupted(EntryCause::Undo, "2026-07-09T07:00:00Z", &[2])
                .into_iter()
                .map(|mut triage| {
                    triage.entry.cause = EntryCause::New;
                    triage
                }),
        );
        let console = start_with(vec![], broken, &[1]);
        assert_eq!(
            (
                console.context().queue.new.unconfirmed.len(),
                console.context().queue.done.unconfirmed.len()
            ),
            (0, 0)
        );
        assert_eq!(console.context().outbox.history.done.len(), 2);
    }

    #[test]
    fn a_recently_interrupted_triage_is_resent() {
        let console = start_with(
            vec![],
            interrupted(EntryCause::New, "2026-07-09T09:19:30Z", &[1, 2]),
            &[2],
        );
        assert_eq!(
            (console.service_new_count(), console.triage_calls().last()),
            (14, Some(&(1, TriageStatus::Done)))
        );
    }

    #[test]
    fn a_resent_triage_is_journaled_before_the_first_is_reconciled() {
        let console = start_with(
            vec![],
            interrupted(EntryCause::New, "2026-07-09T09:19:30Z", &[1]),
            &[],
        );
        let settled = |console: &TestConsole| {
            let of_one = |effect: &&Effect| matches!(effect, Effect::JournalReconciled { not_applied, .. } if *not_applied == [signal_id(1)]);
            console.effects.iter().position(|effect| of_one(&effect))
        };
        let begun = console
            .effects
            .iter()
            .rposition(|effect| matches!(effect, Effect::JournalWrite { .. }));
        assert!(
            begun.is_some() && begun < settled(&console),
            "{:?}",
            console.effects
        );
    }

    #[test]
    fn a_triage_is_journaled_before_it_is_sent() {
        let console = TestConsole::with_rows(morning_queue()).press("e");
        let Some(Effect::JournalWrite {
            description: words,
            change,
            ..
        }) = console.effects.last()
        else {
            panic!("{:?}", console.effects)
        };
        assert!(
            words.contains("Harbor Yard Lofts") && change.record_count() == 1,
            "{words}"
        );
        assert!(console.triage_calls().len() == 1, "its call comes after");
    }
}
