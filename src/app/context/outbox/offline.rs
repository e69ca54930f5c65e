//! Triage that waits because the service does not respond: its rows stay in the list, and it is
//! sent when the service is back.
//!
//! Each press is a step of its own: undo takes it back, and once it was sent, undoes it. Before
//! anything is sent the list is read (`reconcile`), so that a colleague's triage is not repeated.
//! What waits when the program ends, even by a kill, is marked at the next start and sent on
//! request, step by step. Triage on the rows of a cached queue waits for the first reply.
//!
//! Never here: what may have been applied. That is verified, and does not wait.

use uuid::Uuid;

use crate::app::change::Change;
use crate::app::context::outbox::{deferred_commands, reconcile, triage_messages};
use crate::app::context::{Ui, views};
use crate::app::drafts::{DraftName, RestoredDrafts};
use crate::app::format::pluralize;
use crate::app::model::queue::SignalQueue;
use crate::app::model::signal_list::RemovedRow;
use crate::app::notice::Notice;
use crate::app::outbox::undo_history::{StepCause, StepItems, TriagedSignals, UndoStep};
use crate::app::outbox::{DeferredTarget, Outbox};
use crate::app::overlay::Overlay;
use crate::app::overlay::choice::Choice;
use crate::app::{AfterTriage, Context};
use crate::domain::SignalId;
use crate::domain::drafts::HeldTriage;
use crate::domain::health::Health;
use crate::domain::queue::QueueTab;
use crate::domain::request_error::RequestError;

impl Outbox {
    pub(in crate::app) fn outbox_len(&self, queue: &SignalQueue) -> usize {
        self.outbox_entries(queue).count()
    }

    /// The signals whose triage waits, and those of an earlier run that are still marked.
    pub(in crate::app) fn outbox_entries(
        &self,
        queue: &SignalQueue,
    ) -> impl Iterator<Item = (QueueTab, SignalId)> {
        self.unsent_steps(queue)
            .flat_map(|(from, ids)| ids.into_iter().map(move |id| (from, id)))
    }

    /// The same, step by step.
    fn unsent_steps(&self, queue: &SignalQueue) -> impl Iterator<Item = (QueueTab, Vec<SignalId>)> {
        let offline = &self.offline;
        let marked = |(from, ids): (QueueTab, &[SignalId])| {
            let marks = &queue.tab_state(from).marks;
            (
                from,
                ids.iter()
                    .copied()
                    .filter(|id| marks.contains(id))
                    .collect::<Vec<_>>(),
            )
        };
        let waiting = offline
            .waiting()
            .iter()
            .filter_map(|step| Some((step.tab_left()?, step.signal_ids().collect())));
        offline
            .restored()
            .map(marked)
            .filter(|(_, ids)| !ids.is_empty())
            .chain(waiting)
    }
}

impl Context {
    /// Has a triage wait until the service responds. The cursor moves on as if its rows had left.
    pub(super) fn queue_triage(&mut self, from: QueueTab, ids: &[SignalId], group: Option<Uuid>) {
        let description = triage_messages::describe_signals(from, ids, &self.queue);
        let group = self.end_snoozes_with(ids, group);
        let tab = self.queue.tab_state_mut(from);
        tab.range_anchor = None;
        tab.marks.retain(|id| !ids.contains(id));
        let rows = ids
            .iter()
            .map(|id| RemovedRow {
                slot: None,
                id: *id,
                row: tab.list.row(*id).cloned(),
            })
            .collect();
        let items = StepItems::Signals(TriagedSignals {
            from,
            rows,
            uncertain_count: 0,
        });
        let step = UndoStep {
            number: self.outbox.take_number(),
            description,
            done_at: self.clock.service_now(),
            group,
            items,
        };
        queue_step(step, &mut self.ui, &mut self.outbox);
        self.queue.is_today_stale = true;
        self.leave_waiting_rows(from);
        // The service may be back already.
        self.poll_now();
    }

    /// Moves the cursor off a row that waits, to where it would be if the row had left.
    fn leave_waiting_rows(&mut self, from: QueueTab) {
        let (tab, offline) = (self.queue.tab_state_mut(from), &self.outbox.offline);
        let waits = |line: &usize| {
            let ids = tab
                .line_at(*line)
                .map(|line| tab.ids_on_line(line))
                .unwrap_or_default();
            !ids.is_empty() && ids.iter().all(|id| offline.is_waiting(*id))
        };
        let here = tab.scroll.cursor;
        let (below, above) = (
            (here..tab.len()).find(|line| !waits(line)),
            (0..here).rev().find(|line| !waits(line)),
        );
        let next = match self.settings.after_triage {
            AfterTriage::Back if waits(&here) => above.or(below),
            AfterTriage::Back | AfterTriage::Next | AfterTriage::Stay => below.or(above),
        };
        tab.move_to_line(next.unwrap_or(here));
    }

    /// Takes a waiting step back: it is not sent.
    pub(in crate::app::context) fn take_back(&mut self, number: u64) {
        let Some(step) = self.outbox.offline.take(number) else {
            return;
        };
        deferred_commands::defer_grouped_undo(&step, &self.keymap, &mut self.outbox);
        let ids: Vec<SignalId> = step.signal_ids().collect();
        if let Some(from) = step.tab_left() {
            self.outbox.reconciliation.drop_signals(from, &ids);
            self.queue.tab_state_mut(from).move_to_first_of(&ids);
        }
        let text = format!("undone before it was sent: {}", step.description);
        self.ui.notice = Some(Notice::info(text).with_hint("{redo} queues it again"));
        let step = UndoStep {
            number: self.outbox.take_number(),
            ..step.inverse()
        };
        self.outbox.history.insert_step(StepCause::Undo, true, step);
    }

    /// The service responded: sends what began to wait since it last did.
    pub(in crate::app) fn flush_after_response(&mut self) {
        if self.outbox.offline.on_response() {
            self.flush_outbox();
        }
    }

    /// Marks what waited when the program ended, and verifies its state.
    pub(in crate::app) fn restore_outbox(&mut self, drafts: &RestoredDrafts) {
        let held: Vec<HeldTriage> = drafts.content(&DraftName::Outbox).unwrap_or_default();
        for from in [QueueTab::New, QueueTab::Done] {
            let mut all = Vec::new();
            for HeldTriage(_, ids) in held
                .iter()
                .filter(|HeldTriage(status, _)| *status == from.status())
            {
                self.queue.tab_state_mut(from).marks.extend(ids);
                self.outbox.offline.restore(from, ids.clone());
                all.extend(ids);
            }
            if !all.is_empty() {
                reconcile::reconcile_signals(from, &all, &mut self.work, &mut self.outbox);
            }
        }
        let count: usize = held.iter().map(|HeldTriage(_, ids)| ids.len()).sum();
        if count > 0 {
            let text = format!(
                "{} not sent before gantry ended: checking the result",
                pluralize(count, "signal")
            );
            self.ui.warn(text);
            reconcile::reconcile_if_due(&mut self.work, &mut self.outbox);
        }
    }

    /// Saves what waits, step by step.
    pub(in crate::app) fn save_outbox(&mut self) {
        let held: Vec<HeldTriage> = self
            .outbox
            .unsent_steps(&self.queue)
            .map(|(from, ids)| HeldTriage(from.status(), ids))
            .collect();
        self.drafts.save_draft(
            &DraftName::Outbox,
            (!held.is_empty()).then_some(&held),
            &mut self.work,
        );
    }

    /// Takes the service's health.
    pub(in crate::app) fn set_health(&mut self, health: Health) {
        let is_back = self.outbox.offline.set_health(&health);
        if let Health::Offline { reason, .. } = &health {
            self.record_response(Some(&RequestError::new_not_sent(reason.clone())));
        }
        self.connection.health = health;
        if is_back {
            self.flush_outbox();
            self.reload_failed_lists();
        }
    }

    /// Reloads the lists that failed to load; all of them are free.
    fn reload_failed_lists(&mut self) {
        if self.views.load().is_failed() {
            views::read_views(&mut self.work, &mut self.views);
        }
        self.descriptions.resume_descriptions();
        self.work.publish(Change::Reconnected);
    }

    /// Sends what waits, one list after the other, each after it was read.
    pub(super) fn flush_outbox(&mut self) {
        if !self.outbox.offline.is_ready() {
            return;
        }
        self.take_back_marks_of_unsaved_calls();
        let Some(from) = self
            .outbox
            .offline
            .waiting()
            .first()
            .and_then(UndoStep::tab_left)
        else {
            return self.outbox.offline.end_flush();
        };
        let ids: Vec<SignalId> = self.outbox.offline.waiting_from(from).collect();
        reconcile::reconcile_signals(from, &ids, &mut self.work, &mut self.outbox);
        reconcile::reconcile_if_due(&mut self.work, &mut self.outbox);
    }

    /// Asks before quitting with triage that was not sent: it is not sent automatically at the next
    /// start.
    pub(in crate::app) fn confirm_quit_with_outbox(&mut self) {
        let text = format!(
            "{} could not be sent: the service does not respond. They will be marked again at the next start.",
            pluralize(self.outbox.outbox_len(&self.queue), "change")
        );
        self.ui.overlay = Some(Overlay::Choice(Choice::confirm_quit(text)));
    }
}

/// The waiting step that undo is about: the last one, unless something was done since.
pub(super) fn waiting_step_to_undo(outbox: &Outbox) -> Option<&UndoStep> {
    let is_meant = |step: &&UndoStep| match outbox.deferred_target {
        None => true,
        Some(DeferredTarget::UpTo(last)) => step.number <= last,
        Some(DeferredTarget::Group(group)) => step.group == Some(group),
    };
    let done = outbox
        .history
        .done
        .iter()
        .rfind(is_meant)
        .map(|step| step.number);
    outbox
        .offline
        .waiting()
        .iter()
        .rfind(is_meant)
        .filter(|step| Some(step.number) > done)
}

/// Whether a triage of this list waits for the service instead of being sent. Rows of an
/// earlier session are read again first: somebody may have triaged them since.
pub(super) fn must_wait(from: QueueTab, queue: &SignalQueue, outbox: &Outbox) -> bool {
    outbox.offline.is_offline() || queue.previous_queue_for(from).is_some()
}

/// Has a step wait until the service responds.
pub(super) fn queue_step(step: UndoStep, ui: &mut Ui, outbox: &mut Outbox) {
    let text = format!("queued until the service is back: {}", step.description);
    ui.notice = Some(Notice::warning(text).with_hint("{undo} takes it back"));
    outbox.offline.add(step);
}

/// The line that is printed at exit.
pub(in crate::app) fn outbox_exit_line(queue: &SignalQueue, outbox: &Outbox) -> Option<String> {
    (outbox.outbox_len(queue) > 0).then(|| {
        format!(
            "gantry: {} of the queue could not be sent: the service did not respond",
            pluralize(outbox.outbox_len(queue), "change")
        )
    })
}

#[cfg(test)]
mod tests {
    use crate::app::context::outbox::triage_messages::sent_notice;
    use crate::app::effect::{Effect, ServiceCall};
    use crate::app::msg::{Msg, Push};
    use crate::app::outbox::offline::SentSteps;
    use crate::app::testing::fake_workspace::rejection;
    use crate::app::testing::{TestConsole, morning_queue, signal_id};
    use crate::domain::SignalId;
    use crate::domain::health::Health;
    use crate::domain::request_error::{RequestError, RequestErrorKind};

    fn go_offline(console: TestConsole) -> TestConsole {
        let offline = Health::Offline {
            since: chrono::DateTime::UNIX_EPOCH,
            reason: "connection refused".to_owned(),
        };
        console.send(Msg::Pushed(Push::Health(offline)))
    }

    fn go_online(console: TestConsole) -> TestConsole {
        console
            .send(Msg::Pushed(Push::Health(Health::Online)))
            .serve()
    }

    /// Three signals are marked done while the service is unreachable.
    fn with_queued_triage() -> TestConsole {
        let console = TestConsole::with_rows(morning_queue())
            .press("Space Space Space e")
            .fail_next(RequestError::new_not_sent("connection refused"));
        go_offline(console)
    }

    fn triage_call_count(console: &TestConsole) -> usize {
        console
            .calls
            .iter()
            .filter(|call| matches!(call, ServiceCall::Triage { .. }))
            .count()
    }

    #[test]
    fn failed_lists_are_reloaded_when_the_service_is_back_or_the_screen_opens() {
        let failed = |key: &str| {
            let mut console = TestConsole::with_rows(morning_queue()).press(key);
            while !console.pending_calls.is_empty() {
                console = console.fail_next(RequestError::new_not_sent("connection refused"));
            }
            console
        };
        for (key, what) in [
            ("2", "Austin GC watchlist"),
            ("4", "construction loan"),
            ("7", "permit-call-script"),
            ("6", "Ana R. "),
        ] {
            let console = go_offline(failed(key));
            let (asked, spent) = (console.calls.len(), console.service.spent);
            let console = console.send(Msg::Pushed(Push::Health(Health::Online)));
            assert!(
                (1..=3).contains(&(console.calls.len() - asked)),
                "{key}: {:?}",
                console.calls
            );
            let console = console.serve();
            assert!(
                console.screen_text().contains(what),
                "{}",
                console.screen_text()
            );
            assert_eq!(console.service.spent, spent, "free of charge");
            let console = failed(key).press("1").press(key).serve();
            assert!(
                console.screen_text().contains(what),
                "{}",
                console.screen_text()
            );
        }
    }

    /// The signals that wait, step by step.
    fn waiting(console: &TestConsole) -> Vec<Vec<SignalId>> {
        let steps = console.context().outbox.offline.waiting();
        steps
            .iter()
            .map(|step| step.signal_ids().collect())
            .collect()
    }

    fn ids(steps: &[&[usize]]) -> Vec<Vec<SignalId>> {
        steps
            .iter()
            .map(|step| step.iter().map(|n| signal_id(*n)).collect())
            .collect()
    }

    /// Every press of three finds the service down.
    fn with_three_steps() -> TestConsole {
        let console = go_offline(TestConsole::with_rows(morning_queue())).press("e j e j e");
        assert_eq!(waiting(&console), ids(&[&[1], &[3], &[5]]));
        console
    }

    #[test]
    fn each_press_waits_with_its_own_row_and_the_cursor_moves_on() {
        let console = with_three_steps();
        assert_eq!(
            (console.cursor_id(), console.context().queue.new.list.len()),
            (signal_id(6), 16)
        );
        assert_eq!(
            (
                console.triage_calls().len(),
                console.context().queue.new.marks.len()
            ),
            (0, 0)
        );
        assert_eq!(
            console.notice_text(),
            "queued until the service is back: permit issued on Eastgate Hotel"
        );
        let screen = console.screen_text();
        assert!(
            screen.contains("3 waiting") && screen.contains("z takes it back"),
            "{screen}"
        );
        let waiting_rows = screen.lines().filter(|line| line.contains("│ ○ ")).count();
        assert_eq!(waiting_rows, 3, "{screen}");
    }

    #[test]
    fn presses_of_which_the_first_finds_out_that_the_service_is_down_wait_one_by_one() {
        let mut console = TestConsole::with_rows(morning_queue()).press("e j e j e");
        while !console.pending_calls.is_empty() {
            console = console.fail_next(RequestError::new_not_sent("connection refused"));
        }
        let console = go_offline(console);
        assert_eq!(waiting(&console), ids(&[&[1], &[3], &[5]]));
        assert_eq!(
            console.cursor_id(),
            signal_id(6),
            "{}",
            console.screen_text()
        );
        assert_eq!(waiting(&console.press("e")).len(), 4);
    }

    #[test]
    fn what_waits_is_sent_when_the_service_is_back_and_each_step_is_undone_on_its_own() {
        let console = go_online(with_three_steps());
        assert_eq!(
            (console.service_new_count(), waiting(&console).len()),
            (13, 0)
        );
        assert!(
            console.triage_calls().len() <= 2,
            "steps share requests: {:?}",
            console.triage_calls()
        );
        let console = console.press("z").serve();
        assert_eq!(
            console.notice_text(),
            "undone: permit issued on Eastgate Hotel, for everyone"
        );
        assert_eq!(
            console
                .press("z")
                .serve()
                .press("z")
                .serve()
                .service_new_count(),
            16
        );
    }

    #[test]
    fn one_notice_says_what_became_of_all_that_waited() {
        let console = go_online(with_three_steps());
        assert_eq!(console.notice_text(), "sent: 3 signals done, for everyone");
        let console = go_online(with_three_steps().ben_marks_done(&[3]));
        assert_eq!(
            console.notice_text(),
            "sent: 2 signals done, for everyone; 1 signal already so"
        );
        let sent = SentSteps {
            steps: 3,
            done: 2,
            failed: 1,
            reason: Some("no such signal".to_owned()),
            ..SentSteps::default()
        };
        assert_eq!(
            sent_notice(&sent).text,
            "sent: 2 signals done, for everyone; 1 signal refused, still marked: no such signal"
        );
    }

    #[test]
    fn a_step_that_waits_is_taken_back_by_undo_and_queued_again_by_redo() {
        let console = with_three_steps().press("z");
        assert_eq!(
            console.notice_text(),
            "undone before it was sent: permit issued on Eastgate Hotel"
        );
        assert_eq!(
            (waiting(&console), console.cursor_id()),
            (ids(&[&[1], &[3]]), signal_id(5))
        );
        let console = console.press("z Z Z z");
        assert_eq!(waiting(&console), ids(&[&[1], &[3]]));
        let console = go_online(console);
        assert_eq!(
            (console.service_new_count(), waiting(&console).len()),
            (14, 0)
        );
    }

    #[test]
    fn what_only_waits_is_not_offered_to_be_retried() {
        let waits = go_offline(TestConsole::with_rows(morning_queue())).press("e g !");
        let screen = waits.screen_text();
        assert!(
            screen.contains("Sent when the service responds again"),
            "{screen}"
        );
        assert!(!screen.contains("retry"), "{screen}");
        let failed = TestConsole::with_rows(morning_queue())
            .press("e")
            .fail_next(rejection(500, "internal", "the table is locked"))
            .serve();
        let console = go_offline(failed).press("* n j e g !");
        assert!(console.screen_text().contains("r retry   R retry all"));
        let screen = console.press("j").screen_text();
        assert!(
            !screen.contains("r retry") && screen.contains("R retry all"),
            "{screen}"
        );
    }

    #[test]
    fn a_step_that_is_taken_back_while_the_service_returns_is_not_sent() {
        let console = go_offline(TestConsole::with_rows(morning_queue())).press("e j e");
        let console = console
            .send(Msg::Pushed(Push::Health(Health::Online)))
            .press("z")
            .serve()
            .poll()
            .serve();
        assert_eq!(
            (console.service_new_count(), console.triage_calls().len()),
            (15, 1),
            "{}",
            console.notice_text()
        );
        let console = go_offline(console)
            .press("e")
            .send(Msg::Pushed(Push::Health(Health::Online)))
            .press("z")
            .serve();
        assert!(
            console
                .notice_text()
                .starts_with("undone before it was sent"),
            "{}",
            console.notice_text()
        );
        assert_eq!(
            (
                console.poll().serve().service_new_count(),
                "nothing is left"
            ),
            (15, "nothing is left")
        );
    }

    #[test]
    fn undo_goes_through_what_waits_and_what_was_snoozed_in_the_order_of_the_keys() {
        let console = go_offline(TestConsole::with_rows(morning_queue())).press("e H Enter e");
        assert_eq!(
            (
                waiting(&console).len(),
                console.context().queue.snoozes.sleeping_count()
            ),
            (2, 1)
        );
        let console = console.press("z z");
        assert_eq!(
            (
                waiting(&console).len(),
                console.context().queue.snoozes.sleeping_count()
            ),
            (1, 0)
        );
        let console = go_online(console.press("Z"));
        assert_eq!(
            (
                console.service_new_count(),
                console.context().queue.snoozes.sleeping_count()
            ),
            (15, 1)
        );
        let console = console.press("z").serve();
        assert_eq!(
            (
                console.service_new_count(),
                console.context().queue.snoozes.sleeping_count()
            ),
            (15, 0)
        );
    }

    #[test]
    fn undo_after_a_press_that_finds_the_service_down_takes_it_back() {
        let console = TestConsole::with_rows(morning_queue()).press("e z");
        let console = console.fail_next(RequestError::new_not_sent("connection refused"));
        assert_eq!(
            (
                waiting(&console).len(),
                console
                    .context()
                    .outbox
                    .outbox_len(&console.context().queue)
            ),
            (0, 0),
            "{}",
            console.notice_text()
        );
        assert_eq!(go_online(go_offline(console)).service_new_count(), 16);
    }

    #[test]
    fn undo_means_the_last_press_although_the_one_before_it_waited_for_the_service() {
        let console = with_three_steps()
            .send(Msg::Pushed(Push::Health(Health::Online)))
            .press("e")
            .serve()
            .poll()
            .serve();
        assert_eq!(console.service_new_count(), 12);
        let console = console.press("z").serve();
        assert_eq!(
            console.notice_text(),
            "undone: construction loan on Harbor Yard Lofts, for everyone"
        );
    }

    #[test]
    fn a_row_that_waits_does_not_wait_twice_and_is_in_the_undo_list() {
        let console = with_three_steps().press("g g e");
        assert_eq!(
            (console.notice_text().as_str(), waiting(&console).len()),
            ("already queued", 3)
        );
        let console = console.press("g u j j");
        assert!(
            console
                .screen_text()
                .contains("permit issued on Harbor Yard Lofts"),
            "{}",
            console.screen_text()
        );
        assert_eq!(waiting(&console.press("Enter")), ids(&[&[3], &[5]]));
    }

    #[test]
    fn what_waits_is_marked_again_after_a_kill_and_sent_on_request_step_by_step() {
        let console = with_three_steps().restart();
        assert!(
            console
                .notice_text()
                .contains("0 done, 3 not changed, still marked"),
            "{}",
            console.notice_text()
        );
        assert_eq!(
            (console.service_new_count(), triage_call_count(&console)),
            (16, 0)
        );
        let console = console.press("e").serve();
        assert_eq!(console.service_new_count(), 13);
        let console = console.press("z").serve();
        assert_eq!(console.service_new_count(), 14, "{}", console.notice_text());
        let console = console.restart();
        assert!(
            !console.notice_text().contains("marked") && triage_call_count(&console) == 0,
            "{}",
            console.notice_text()
        );
    }

    #[test]
    fn queued_triage_is_sent_once_when_the_service_is_back() {
        let console = with_queued_triage();
        let notice = console.notice_text();
        assert_eq!(
            notice,
            "queued until the service is back: 3 signals on 3 projects; connection refused"
        );
        assert_eq!(console.service_new_count(), 16);
        let console = go_online(console);
        assert_eq!(
            (console.service_new_count(), triage_call_count(&console)),
            (13, 2)
        );
        let console = go_online(go_offline(console));
        assert_eq!(triage_call_count(&console), 2, "it is not sent again");
        assert_eq!(
            console.press("z").serve().service_new_count(),
            16,
            "one undo step"
        );
    }

    #[test]
    fn only_queued_triage_that_is_still_open_is_marked_again_at_startup() {
        let console = with_queued_triage().ben_marks_done(&[1, 2]).restart();
        assert!(
            console
                .notice_text()
                .contains("2 done, 1 not changed, still marked"),
            "{}",
            console.notice_text()
        );
    }

    #[test]
    fn queued_triage_skips_what_a_colleague_has_done_since() {
        let console = go_online(with_queued_triage().ben_marks_done(&[1, 2]));
        let Some(ServiceCall::Triage { ids, .. }) = console
            .calls
            .iter()
            .rfind(|call| matches!(call, ServiceCall::Triage { .. }))
        else {
            panic!("nothing was sent")
        };
        assert_eq!(ids, &[signal_id(3)]);
        let console = go_online(with_three_steps().ben_marks_done(&[1, 3, 5]));
        assert_eq!(
            (
                console.triage_calls().len(),
                console
                    .context()
                    .outbox
                    .outbox_len(&console.context().queue)
            ),
            (0, 0)
        );
        assert_eq!(
            console.context().outbox.history.done.len(),
            0,
            "nothing to undo"
        );
    }

    #[test]
    fn triage_that_was_not_sent_for_another_reason_is_not_retried() {
        let kind = RequestErrorKind::NotJournaled;
        let console = TestConsole::with_rows(morning_queue())
            .press("e")
            .fail_next(RequestError {
                kind,
                message: "it could not be written down first".to_owned(),
            });
        assert!(
            console.notice_text().contains("still marked: it could not"),
            "{}",
            console.notice_text()
        );
        let console = go_online(go_offline(console)).poll().serve();
        assert_eq!(
            (console.service_new_count(), triage_call_count(&console)),
            (16, 1)
        );
    }

    #[test]
    fn quitting_with_queued_triage_asks_and_reports_what_was_not_sent() {
        let console = with_queued_triage().press("q");
        assert!(
            console
                .screen_text()
                .contains("3 changes could not be sent")
                && !console.effects.contains(&Effect::Quit)
        );
        let console = console.press("y Enter");
        assert!(console.effects.contains(&Effect::Quit));
        assert_eq!(
            console.app.exit_lines(),
            ["gantry: 3 changes of the queue could not be sent: the service did not respond"]
        );
    }

    /// A signal of each list is triaged while the service is unreachable.
    fn with_queued_triage_of_both_lists() -> TestConsole {
        let lost = || RequestError::new_not_sent("connection refused");
        let console = TestConsole::with_rows(morning_queue())
            .ben_marks_done(&[1])
            .poll()
            .serve()
            .press("]")
            .serve();
        let console = console
            .press("U")
            .fail_next(lost())
            .press("[")
            .serve()
            .press("e")
            .fail_next(lost());
        assert_eq!(
            console.app.exit_lines(),
            ["gantry: 2 changes of the queue could not be sent: the service did not respond"]
        );
        go_offline(console)
    }

    #[test]
    fn queued_triage_of_both_lists_is_sent() {
        let console = go_online(with_queued_triage_of_both_lists()).poll().serve();
        assert_eq!(
            console.triage_calls().len(),
            4,
            "{:?}",
            console.triage_calls()
        );
        assert_eq!(
            console
                .context()
                .outbox
                .outbox_len(&console.context().queue),
            0
        );
        assert!(!console.context().outbox.offline.is_flushing());
    }

    #[test]
    fn queued_triage_of_both_lists_is_marked_again_after_a_kill() {
        let console = with_queued_triage_of_both_lists().restart();
        assert_eq!(
            console
                .context()
                .outbox
                .outbox_len(&console.context().queue),
            2
        );
        assert!(
            !console.context().outbox.reconciliation.is_due(),
            "both were read"
        );
    }

    #[test]
    fn queued_triage_is_kept_while_its_list_is_read() {
        let console = with_queued_triage()
            .send(Msg::Pushed(Push::Health(Health::Online)))
            .press("q");
        assert!(
            console
                .screen_text()
                .contains("3 changes could not be sent"),
            "{}",
            console.screen_text()
        );
        assert_eq!(console.app.exit_lines().len(), 1);
    }
}
