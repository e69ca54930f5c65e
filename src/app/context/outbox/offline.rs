//! Triage that could not be sent because the service does not respond: its rows stay marked, and it is sent when the service is
//! back.
//!
//! Unmarking a row cancels its triage. Before anything is sent the list is read (`reconcile`), so that a colleague's triage is
//! not repeated. What is queued when the program ends, even by a kill, is marked again at the next start and sent on request.
//! Triage on the rows of a cached queue waits for the first reply.
//!
//! Never here: what may have been applied. That is verified, not queued.

use chrono::{DateTime, Utc};

use crate::app::change::Change;
use crate::app::drafts::{DraftName, RestoredDrafts};
use crate::app::format::pluralize;
use crate::app::notice::Notice;
use crate::app::outbox::LastAct;
use crate::app::overlay::Overlay;
use crate::app::overlay::choice::Choice;
use crate::app::{AfterTriage, Context, Screen};
use crate::domain::SignalId;
use crate::domain::health::Health;
use crate::domain::queue::{QueueTab, TriageStatus};
use crate::domain::request_error::RequestError;

impl Context {
    /// Queues signals whose triage was not sent.
    pub(super) fn enqueue_triage(&mut self, from: QueueTab, ids: &[SignalId]) {
        self.outbox.offline.add_signals(from, ids);
        self.add_outbox_hint();
    }

    /// Queues signals known only from the previous session; they are re-read before being sent, as somebody may have triaged them
    /// since. Signals already queued are skipped; when all are, the ones under the cursor are meant.
    pub(super) fn enqueue_until_first_response(&mut self, from: QueueTab, ids: Vec<SignalId>) {
        let waits: Vec<SignalId> = self.outbox_entries().map(|(_, id)| id).collect();
        let new = |ids: Vec<SignalId>| ids.into_iter().filter(|id| !waits.contains(id)).collect::<Vec<_>>();
        let ids =
            Some(new(ids)).filter(|ids| !ids.is_empty()).unwrap_or_else(|| new(self.queue.tab_state(from).ids_under_cursor()));
        let take_back = if self.screen == Screen::Queue { "{queue.mark} cancels" } else { "" };
        if ids.is_empty() {
            self.notice = Some(Notice::info("already queued").with_hint(take_back));
            return;
        }
        let words = self.describe_signals(from, &ids);
        let tab = self.queue.tab_state_mut(from);
        tab.range_anchor = None;
        tab.marks.extend(&ids);
        let is_next = self.settings.after_triage == AfterTriage::Next && tab.ids_under_cursor().iter().any(|id| ids.contains(id));
        tab.scroll.cursor += usize::from(is_next && tab.scroll.cursor + 1 < tab.len());
        self.outbox.last_act = Some(LastAct::Triage(from));
        self.outbox.offline.await_first_response();
        self.notice = Some(Notice::warning(format!("queued until the service is back: {words}")).with_hint(take_back));
        self.enqueue_triage(from, &ids);
    }

    /// The service replied for the first time: sends what waited for it.
    pub(in crate::app) fn flush_after_first_response(&mut self) {
        if self.outbox.offline.on_response() {
            self.flush_outbox();
        }
    }

    /// Marks what was queued when the program ended, and verifies its state.
    pub(in crate::app) fn restore_outbox(&mut self, drafts: &RestoredDrafts) {
        let kept: Vec<(TriageStatus, SignalId)> = drafts.content(&DraftName::Outbox).unwrap_or_default();
        if kept.is_empty() {
            return;
        }
        for from in [QueueTab::New, QueueTab::Done] {
            let ids: Vec<SignalId> = kept.iter().filter(|(status, _)| *status == from.status()).map(|(_, id)| *id).collect();
            if ids.is_empty() {
                continue;
            }
            self.queue.tab_state_mut(from).marks.extend(&ids);
            self.enqueue_triage(from, &ids);
            self.reconcile_signals(from, &ids);
        }
        let text = format!("{} not sent before gantry ended: checking the result", pluralize(kept.len(), "signal"));
        self.notice = Some(Notice::warning(text));
        self.reconcile_if_due();
    }

    /// Saves the queued signals with the status they are in.
    pub(in crate::app) fn save_outbox(&mut self) {
        let held: Vec<(TriageStatus, SignalId)> = self.outbox_entries().map(|(from, id)| (from.status(), id)).collect();
        self.save_draft(&DraftName::Outbox, (!held.is_empty()).then_some(&held));
    }

    /// Takes the service's health.
    pub(in crate::app) fn set_health(&mut self, health: Health) {
        let is_back = self.outbox.offline.set_health(&health);
        if let Health::Offline { reason, .. } = &health {
            self.record_response(Some(&RequestError::new_not_sent(reason.clone())));
        }
        self.connection.health = health;
        self.add_outbox_hint();
        if is_back {
            self.flush_outbox();
            self.reload_failed_lists();
        }
    }

    /// Reloads the lists that failed to load; all of them are free.
    fn reload_failed_lists(&mut self) {
        if self.views.load().is_failed() {
            self.read_views();
        }
        self.resume_descriptions();
        self.publish(Change::Reconnected);
    }

    /// Sends what is queued, one list after the other, each after it was read.
    pub(super) fn flush_outbox(&mut self) {
        if !self.outbox.offline.is_ready() {
            return;
        }
        let Some((from, _)) = self.outbox_entries().next() else {
            return self.outbox.offline.end_flush();
        };
        let ids: Vec<SignalId> = self.outbox_entries().filter(|(tab, _)| *tab == from).map(|(_, id)| id).collect();
        self.reconcile_signals(from, &ids).retry_until(Some(DateTime::<Utc>::MAX_UTC));
        self.reconcile_if_due();
    }

    pub(in crate::app) fn outbox_len(&self) -> usize {
        self.outbox_entries().count()
    }

    /// Asks before quitting with queued triage: it is not sent automatically at the next start.
    pub(in crate::app) fn confirm_quit_with_outbox(&mut self) {
        let text = format!(
            "{} could not be sent: the service does not respond. They will be marked again at the next start.",
            pluralize(self.outbox_len(), "change")
        );
        self.overlay = Some(Overlay::Choice(Choice::confirm_quit(text)));
    }

    /// The line that is printed at exit.
    pub(in crate::app) fn outbox_exit_line(&self) -> Option<String> {
        (self.outbox_len() > 0).then(|| {
            format!(
                "gantry: {} of the queue could not be sent: the service did not respond",
                pluralize(self.outbox_len(), "change")
            )
        })
    }

    /// The queued signals that are still marked.
    pub(in crate::app) fn outbox_entries(&self) -> impl Iterator<Item = (QueueTab, SignalId)> {
        self.outbox.offline.entries().filter(|(from, id)| self.queue.tab_state(*from).marks.contains(id))
    }

    fn add_outbox_hint(&mut self) {
        if self.outbox.offline.is_offline()
            && self.outbox_len() > 0
            && let Some(notice) = self.notice.as_mut().filter(|notice| notice.hint.is_empty())
        {
            notice.hint = "will be sent when the service is back; unmark to cancel".into();
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::app::effect::{Effect, ServiceCall};
    use crate::app::msg::{Msg, Push};
    use crate::app::testing::{TestConsole, morning_queue, signal_id};
    use crate::domain::health::Health;
    use crate::domain::request_error::RequestError;

    fn go_offline(console: TestConsole) -> TestConsole {
        let offline = Health::Offline { since: chrono::DateTime::UNIX_EPOCH, reason: "connection refused".to_owned() };
        console.send(Msg::Pushed(Push::Health(offline)))
    }

    fn go_online(console: TestConsole) -> TestConsole {
        console.send(Msg::Pushed(Push::Health(Health::Online))).serve()
    }

    /// Three signals are marked done while the service is unreachable.
    fn with_queued_triage() -> TestConsole {
        let console = TestConsole::with_rows(morning_queue())
            .press("Space Space Space e")
            .fail_next(RequestError::new_not_sent("connection refused"));
        go_offline(console)
    }

    fn triage_call_count(console: &TestConsole) -> usize {
        console.calls.iter().filter(|call| matches!(call, ServiceCall::Triage { .. })).count()
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
        for (key, what) in
            [("2", "Austin GC watchlist"), ("4", "construction loan"), ("7", "permit-call-script"), ("6", "Ana R. ")]
        {
            let console = go_offline(failed(key));
            let (asked, spent) = (console.calls.len(), console.service.spent);
            let console = console.send(Msg::Pushed(Push::Health(Health::Online)));
            assert!((1..=3).contains(&(console.calls.len() - asked)), "{key}: {:?}", console.calls);
            let console = console.serve();
            assert!(console.screen_text().contains(what), "{}", console.screen_text());
            assert_eq!(console.service.spent, spent, "free of charge");
            let console = failed(key).press("1").press(key).serve();
            assert!(console.screen_text().contains(what), "{}", console.screen_text());
        }
    }

    #[test]
    fn queued_triage_is_sent_once_when_the_service_is_back() {
        let console = with_queued_triage();
        assert!(console.notice_text().contains("3 not sent, still marked"), "{}", console.notice_text());
        assert!(console.screen_text().contains("will be sent when the service is back"), "{}", console.screen_text());
        assert_eq!(console.service_new_count(), 16);
        let console = go_online(console);
        assert_eq!((console.service_new_count(), triage_call_count(&console)), (13, 2));
        let console = go_online(go_offline(console));
        assert_eq!(triage_call_count(&console), 2, "it is not sent again");
        assert_eq!(console.press("z").serve().service_new_count(), 16, "one undo step");
    }

    #[test]
    fn queued_triage_is_marked_again_after_a_kill_and_sent_on_request() {
        let console = with_queued_triage().restart();
        assert!(console.notice_text().contains("0 done, 3 not changed, still marked"), "{}", console.notice_text());
        assert_eq!((console.service_new_count(), triage_call_count(&console)), (16, 0));
        let console = console.press("e").serve();
        assert_eq!(console.service_new_count(), 13);
        let console = console.restart();
        assert!(!console.notice_text().contains("marked") && triage_call_count(&console) == 0, "{}", console.notice_text());
    }

    #[test]
    fn only_queued_triage_that_is_still_open_is_marked_again_at_startup() {
        let console = with_queued_triage().ben_marks_done(&[1, 2]).restart();
        assert!(console.notice_text().contains("2 done, 1 not changed, still marked"), "{}", console.notice_text());
    }

    #[test]
    fn queued_triage_skips_what_a_colleague_has_done_since() {
        let console = go_online(with_queued_triage().ben_marks_done(&[1, 2]));
        let Some(ServiceCall::Triage { ids, .. }) = console.calls.iter().rfind(|call| matches!(call, ServiceCall::Triage { .. }))
        else {
            panic!("nothing was sent")
        };
        assert_eq!(ids, &[signal_id(3)]);
    }

    #[test]
    fn unmarking_while_offline_removes_a_signal_from_the_outbox() {
        let console = go_online(with_queued_triage().press("* n"));
        assert_eq!((console.service_new_count(), triage_call_count(&console)), (16, 1));
    }

    #[test]
    fn a_removed_signal_stays_out_of_the_outbox_when_marked_again() {
        let console = go_online(go_offline(go_online(with_queued_triage().press("* n")).press("* a")));
        assert_eq!((console.service_new_count(), triage_call_count(&console)), (16, 1));
    }

    #[test]
    fn triage_that_was_not_sent_for_another_reason_is_not_retried() {
        let console = TestConsole::with_rows(morning_queue())
            .press("e")
            .fail_next(RequestError::new_not_sent("it could not be written down first"));
        let console = console.poll().serve();
        assert_eq!((console.service_new_count(), triage_call_count(&console)), (16, 1));
    }

    #[test]
    fn quitting_with_queued_triage_asks_and_reports_what_was_not_sent() {
        let console = with_queued_triage().press("q");
        assert!(console.screen_text().contains("3 changes could not be sent") && !console.effects.contains(&Effect::Quit));
        let console = console.press("y Enter");
        assert!(console.effects.contains(&Effect::Quit));
        assert_eq!(console.app.exit_lines(), ["gantry: 3 changes of the queue could not be sent: the service did not respond"]);
    }

    /// A signal of each list is triaged while the service is unreachable.
    fn with_queued_triage_of_both_lists() -> TestConsole {
        let lost = || RequestError::new_not_sent("connection refused");
        let console = TestConsole::with_rows(morning_queue()).ben_marks_done(&[1]).poll().serve().press("]").serve();
        let console = console.press("U").fail_next(lost()).press("[").serve().press("e").fail_next(lost());
        assert_eq!(console.app.exit_lines(), ["gantry: 2 changes of the queue could not be sent: the service did not respond"]);
        go_offline(console)
    }

    #[test]
    fn queued_triage_of_both_lists_is_sent() {
        let console = go_online(with_queued_triage_of_both_lists()).poll().serve();
        assert_eq!(console.triage_calls().len(), 4, "{:?}", console.triage_calls());
        assert_eq!(console.context().outbox_len(), 0);
        assert!(!console.context().outbox.offline.is_flushing());
    }

    #[test]
    fn queued_triage_of_both_lists_is_marked_again_after_a_kill() {
        let console = with_queued_triage_of_both_lists().restart();
        assert_eq!(console.context().outbox_len(), 2);
        assert!(!console.context().outbox.reconciliation.is_due(), "both were read");
    }

    #[test]
    fn queued_triage_is_kept_while_its_list_is_read() {
        let console = with_queued_triage().send(Msg::Pushed(Push::Health(Health::Online))).press("q");
        assert!(console.screen_text().contains("3 changes could not be sent"), "{}", console.screen_text());
        assert_eq!(console.app.exit_lines().len(), 1);
    }
}
