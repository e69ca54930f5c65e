//! The queue of the previous session: shown again at start-up, with its age, until the queue has
//! been loaded.
//!
//! Its rows can be browsed, searched, opened and marked. Triage is queued as it is while offline,
//! because a colleague may have triaged a row since. A filter runs on the service; clearing it
//! brings the saved rows back.

use crate::app::ConsoleSession;
use chrono::Duration;

use crate::app::context::clock::Clock;
use crate::app::model::load_state::LoadState;
use crate::app::model::queue::SignalQueue;
use crate::app::outbox::Outbox;
use crate::app::{Context, Effect, format};
use crate::domain::SignalId;
use crate::domain::queue::{MAX_QUEUE_PAGE_ROWS, QueueSignal, QueueSnapshot, QueueTab};
use crate::domain::request_error::RequestError;

/// How often the queue is saved while the program runs.
const SAVE_INTERVAL: Duration = Duration::minutes(1);

impl Context {
    /// Shows the queue of the previous session.
    pub(in crate::app) fn show_previous_queue(&mut self, last: QueueSnapshot) {
        if !last.rows.is_empty() && self.queue.new.load != LoadState::Ready {
            self.look_up_facts(last.rows.iter().map(|row| &row.signal));
            self.queue.cache.previous = Some(last);
            self.queue.show_previous_rows();
        }
    }

    /// Saves the queue for the next start, at most once per [`SAVE_INTERVAL`].
    pub(super) fn save_queue_snapshot(&mut self) {
        if self
            .queue
            .cache
            .saved_at
            .is_none_or(|at| (self.clock.now - at).abs() >= SAVE_INTERVAL)
            && let Some(last) = queue_snapshot(&self.queue, &self.session)
        {
            self.queue.cache.saved_at = Some(self.clock.now);
            self.work.emit(Effect::SaveQueueSnapshot(Box::new(last)));
        }
    }
}

/// The first rows of the New list as loaded, to be saved for the next start.
pub fn queue_snapshot(queue: &SignalQueue, session: &ConsoleSession) -> Option<QueueSnapshot> {
    let new = &queue.new;
    if session.is_dashboard_only || queue.is_filtered() || new.load != LoadState::Ready {
        return None;
    }
    let rows: Vec<QueueSignal> = (0..MAX_QUEUE_PAGE_ROWS as usize)
        .map_while(|slot| new.list.row_at(slot).cloned())
        .collect();
    if rows.is_empty() && !new.list.is_empty() {
        return None;
    }
    Some(QueueSnapshot {
        read_at: new.read_at?,
        total: new.list.total(),
        rows,
    })
}

/// The queue was loaded: drops the saved rows, and marks on signals that are gone and not
/// queued for triage.
pub(super) fn drop_previous_queue(is_whole: bool, queue: &mut SignalQueue, outbox: &Outbox) {
    if queue.cache.previous.take().is_some() && is_whole {
        let held: Vec<SignalId> = outbox.outbox_entries(queue).map(|(_, id)| id).collect();
        let new = &mut queue.new;
        new.marks
            .retain(|id| new.list.row(*id).is_some() || held.contains(id));
    }
}

/// Whether the saved queue lets the program continue although the service is unreachable.
pub(in crate::app) fn can_show_previous_queue(failure: &RequestError, queue: &SignalQueue) -> bool {
    queue.cache.previous.is_some() && failure.is_temporary()
}

/// The age of a tab's rows, if they are from the previous session: `as of 17:10 yesterday`.
pub fn previous_queue_age(tab: QueueTab, clock: &Clock, queue: &SignalQueue) -> Option<String> {
    let last = queue.previous_queue_for(tab)?;
    Some(format!(
        "as of {}",
        format::format_time_in_sentence(
            clock.to_service_time(last.read_at),
            clock.service_now(),
            clock.utc_offset
        )
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::effect::ServiceCall;
    use crate::app::msg::{Msg, Push};
    use crate::app::testing::{
        TestConsole, golden, many_rows, morning_queue, parse_time, queue_row, signal_id,
    };
    use crate::app::{AppSettings, ConsoleSession};
    use crate::domain::health::Health;
    use crate::domain::queue::TriageStatus;
    use crate::domain::request_error::{RequestErrorKind, ServiceError};

    fn previous_queue(rows: Vec<QueueSignal>) -> QueueSnapshot {
        QueueSnapshot {
            read_at: parse_time("2026-07-08T17:10:00Z"),
            total: rows.len() as u64,
            rows,
        }
    }

    /// A console whose first request is unanswered, with yesterday's queue on the screen.
    fn start_unanswered(here: Vec<QueueSignal>, last: QueueSnapshot) -> TestConsole {
        start_unanswered_sized((120, 36), here, last)
    }

    fn start_unanswered_sized(
        size: (u16, u16),
        here: Vec<QueueSignal>,
        last: QueueSnapshot,
    ) -> TestConsole {
        TestConsole::with_size(here, size, AppSettings::default())
            .send(Msg::Pushed(Push::QueueSnapshot(Box::new(last))))
    }

    /// The service is unreachable from the start.
    fn go_offline(console: TestConsole) -> TestConsole {
        let refused = || RequestError::new_not_sent("connection refused");
        let stats = Push::Stats {
            result: Err(refused()),
            skew: Duration::zero(),
        };
        let offline = Health::Offline {
            since: parse_time("2026-07-09T09:20:14Z"),
            reason: "connection refused".to_owned(),
        };
        console
            .fail_next(refused())
            .send(Msg::Pushed(stats))
            .send(Msg::Pushed(Push::Health(offline)))
    }

    fn come_online(console: TestConsole) -> TestConsole {
        console
            .send(Msg::Pushed(Push::Health(Health::Online)))
            .poll()
            .serve()
    }

    /// The queues saved for the next start, newest last.
    fn saved_queues(console: &TestConsole) -> Vec<&QueueSnapshot> {
        let kept = console.effects.iter();
        kept.filter_map(|effect| {
            if let Effect::SaveQueueSnapshot(queue) = effect {
                Some(&**queue)
            } else {
                None
            }
        })
        .collect()
    }

    fn snapshot(console: &TestConsole) -> Option<QueueSnapshot> {
        let cx = console.context();
        queue_snapshot(&cx.queue, &cx.session)
    }

    #[test]
    fn the_first_frame_shows_the_rows_of_yesterday_and_says_so() {
        let console = start_unanswered(morning_queue(), previous_queue(morning_queue()));
        let screen = console.screen_text();
        assert!(
            screen.contains("New 1 of 16 as of 17:10 yesterday"),
            "{screen}"
        );
        assert!(
            screen.contains("Harbor Yard Lofts") && screen.contains("connecting"),
            "{screen}"
        );
        assert_eq!(
            console.calls.len(),
            1,
            "only the usual start-up request is sent"
        );
        let screen = console.poll().serve().screen_text();
        assert!(
            screen.contains("New 1 of 16") && !screen.contains("yesterday"),
            "{screen}"
        );
    }

    #[test]
    fn a_long_cached_queue_says_how_much_of_it_is_there() {
        let queue = QueueSnapshot {
            total: 1_204,
            ..previous_queue(many_rows(200))
        };
        let screen = start_unanswered(many_rows(1_300), queue)
            .press("G")
            .screen_text();
        assert!(
            screen.contains("New 200 of 1,204 as of 17:10 yesterday")
                && screen.contains(" first 200 "),
            "{screen}"
        );
        let queue = QueueSnapshot {
            total: 1_204,
            ..previous_queue(many_rows(200))
        };
        assert!(
            start_unanswered_sized((60, 20), many_rows(1_300), queue)
                .press("Space")
                .screen_text()
                .contains(" 1 marked"),
            "marks take precedence over it"
        );
    }

    #[test]
    fn without_the_service_the_rows_of_yesterday_stay_and_can_be_browsed() {
        let console = go_offline(start_unanswered(
            morning_queue(),
            previous_queue(morning_queue()),
        ));
        assert!(!console.effects.contains(&Effect::Quit));
        let screen = console.screen_text();
        assert!(
            screen.contains("OFFLINE") && screen.contains("as of 17:10 yesterday"),
            "{screen}"
        );
        assert!(
            screen.contains("offline since 09:20: connection refused"),
            "{screen}"
        );
        let console = console.press("/").type_text("eastgate").press("Enter");
        assert_eq!(console.cursor_id(), signal_id(5));
        let asked = console.calls.len();
        let console = console.press("p p j Space");
        assert_eq!(
            (console.calls.len(), console.context().queue.new.marks.len()),
            (asked, 1)
        );
        let screen = console.press("k Enter").screen_text();
        assert!(
            screen.contains("as of 17:10 yesterday"),
            "the age is shown for an open signal too\n{screen}"
        );
    }

    #[test]
    fn a_rejected_token_ends_the_program_despite_the_rows_of_yesterday() {
        let refusal = ServiceError {
            status: 401,
            ..ServiceError::default()
        };
        let refused = RequestError {
            kind: RequestErrorKind::Rejected(refusal),
            message: "the token was refused".to_owned(),
        };
        let console =
            start_unanswered(morning_queue(), previous_queue(morning_queue())).fail_next(refused);
        assert!(console.effects.contains(&Effect::Quit));
        assert_eq!(console.context().exit_state.exit_status(), 3);
    }

    #[test]
    fn fresh_rows_replace_the_cached_ones_and_the_cursor_stays_on_its_signal() {
        let mut here = morning_queue();
        here.remove(2);
        here.insert(
            0,
            queue_row(
                20,
                "high",
                "permit_issued",
                "2026-07-09",
                (1, "Harbor Yard Lofts"),
                None,
            ),
        );
        let console = come_online(go_offline(
            start_unanswered(here.clone(), previous_queue(morning_queue())).press("j j j"),
        ));
        assert_eq!(
            (console.cursor_id(), console.context().queue.new.list.len()),
            (signal_id(4), 16)
        );
        assert_eq!(
            console.notice_text(),
            "",
            "removed signals disappear silently"
        );
        let console = come_online(go_offline(
            start_unanswered(here, previous_queue(morning_queue())).press("j j"),
        ));
        assert_eq!(
            console.cursor_id(),
            signal_id(2),
            "its own signal is gone: it keeps its place"
        );
    }

    #[test]
    fn a_cursor_far_down_is_found_by_a_deeper_read() {
        let new = |n: usize| {
            queue_row(
                1_000 + n,
                "high",
                "permit_issued",
                "2026-07-09",
                (900, "Pier 9"),
                None,
            )
        };
        let here: Vec<QueueSignal> = (0..20).map(new).chain(many_rows(300)).collect();
        let console = start_unanswered(here, previous_queue(many_rows(200)))
            .press("Ctrl-d Ctrl-d Ctrl-d Ctrl-d Ctrl-d Ctrl-d Ctrl-d Ctrl-d")
            .poll()
            .serve();
        let at = console.context().queue.new.scroll.cursor;
        assert_eq!(
            (console.cursor_id(), at > 100),
            (signal_id(at - 20 + 1), true),
            "{at}"
        );
    }

    #[test]
    fn triage_of_cached_rows_waits_until_the_list_was_read() {
        let console = go_offline(start_unanswered(
            morning_queue(),
            previous_queue(morning_queue()),
        ))
        .press("e e")
        .ben_marks_done(&[1]);
        assert_eq!(console.triage_calls(), []);
        assert_eq!(
            (
                console.cursor_id(),
                console
                    .context()
                    .outbox
                    .outbox_len(&console.context().queue)
            ),
            (signal_id(3), 2)
        );
        assert_eq!(
            console.notice_text(),
            "queued until the service is back: entitlement approval on Union Depot Tower"
        );
        assert!(
            console.screen_text().contains("z takes it back"),
            "{}",
            console.screen_text()
        );
        let console = come_online(console);
        assert_eq!(
            console.triage_calls(),
            [(1, TriageStatus::Done)],
            "a colleague's triage is not repeated"
        );
        assert_eq!(
            (
                console.service_new_count(),
                console.context().queue.new.list.len()
            ),
            (14, 14)
        );
        assert_eq!(
            console.press("z").serve().service_new_count(),
            15,
            "nor undone"
        );
    }

    #[test]
    fn triage_before_the_first_answer_waits_for_it() {
        let console = start_unanswered(morning_queue(), previous_queue(morning_queue()))
            .press("e Space Space e");
        assert_eq!(
            (
                console.triage_calls(),
                console
                    .context()
                    .outbox
                    .outbox_len(&console.context().queue)
            ),
            (vec![], 3)
        );
        let console = console.poll().serve();
        assert_eq!(
            console.triage_calls(),
            [(1, TriageStatus::Done), (2, TriageStatus::Done)],
            "two presses"
        );
        assert_eq!(console.service_new_count(), 13);
    }

    #[test]
    fn triage_before_the_first_answer_is_in_the_handoff() {
        let console = start_unanswered(morning_queue(), previous_queue(morning_queue()))
            .press("e :")
            .type_text("handoff");
        let screen = console.press("Enter").serve().screen_text();
        assert!(
            screen.contains("Waiting until the service responds")
                && screen.contains("mark done: permit"),
            "{screen}"
        );
    }

    #[test]
    fn triage_undone_before_the_first_answer_is_not_sent_and_quitting_asks_about_the_rest() {
        let console = start_unanswered(morning_queue(), previous_queue(morning_queue())).press("e");
        assert!(
            console
                .press("q")
                .screen_text()
                .contains("1 change could not be sent")
        );
        let console = start_unanswered(morning_queue(), previous_queue(morning_queue()))
            .press("e z")
            .poll()
            .serve();
        assert_eq!(console.triage_calls(), []);
    }

    #[test]
    fn marks_on_signals_that_left_meanwhile_are_dropped() {
        let console = start_unanswered(morning_queue(), previous_queue(morning_queue()))
            .press("Space Space")
            .ben_marks_done(&[1])
            .poll()
            .serve();
        assert_eq!(console.context().queue.new.marks, [signal_id(2)].into());
    }

    #[test]
    fn a_filter_asks_the_service_and_clearing_it_brings_back_the_cached_rows() {
        let console = go_offline(start_unanswered(
            morning_queue(),
            previous_queue(morning_queue()),
        ))
        .press("!")
        .fail_next(RequestError::new_not_sent("connection refused"));
        assert!(
            console.screen_text().contains("could not load the queue"),
            "{}",
            console.screen_text()
        );
        let console = console.press("F");
        assert!(
            console.screen_text().contains("as of 17:10 yesterday"),
            "{}",
            console.screen_text()
        );
        let console = come_online(console.press("!"));
        assert!(
            console.screen_text().contains("New 1 of 7"),
            "{}",
            console.screen_text()
        );
        assert!(
            !console.press("F").screen_text().contains("yesterday"),
            "the service has answered since"
        );
    }

    #[test]
    fn the_saved_journal_is_read_after_the_first_answer_whatever_was_pressed() {
        let console = come_online(
            go_offline(start_unanswered(
                morning_queue(),
                previous_queue(morning_queue()),
            ))
            .press("R"),
        );
        assert!(console.calls.contains(&ServiceCall::SavedState));
    }

    #[test]
    fn the_head_of_the_queue_is_saved_once_a_minute_and_at_exit() {
        let console = TestConsole::with_rows(many_rows(300));
        assert_eq!(saved_queues(&console).len(), 1);
        let first = saved_queues(&console)[0];
        assert_eq!(
            (first.rows.len(), first.total, first.read_at),
            (100, 300, parse_time(crate::app::testing::NOW))
        );
        let arrives = |console: TestConsole, n| {
            console
                .edit_rows(|rows| {
                    rows.insert(
                        0,
                        queue_row(
                            n,
                            "high",
                            "permit_issued",
                            "2026-07-09",
                            (900, "Pier 9"),
                            None,
                        ),
                    )
                })
                .poll()
                .serve()
        };
        let console = arrives(console.advance_time(Duration::seconds(59)), 1_001);
        assert_eq!(saved_queues(&console).len(), 1, "not on every read");
        let console = arrives(console.advance_time(Duration::seconds(1)), 1_002);
        assert_eq!(
            saved_queues(&console)[1].rows[0].signal.id,
            signal_id(1_002)
        );
        let console = console.press("g g e").serve();
        let queue = snapshot(&console).unwrap();
        assert_eq!(
            (queue.rows[0].signal.id, queue.rows.len(), queue.total),
            (signal_id(1_001), 199, 301)
        );
    }

    #[test]
    fn a_filtered_cached_or_dashboard_queue_is_not_saved() {
        let console = TestConsole::with_rows(morning_queue()).press("!").serve();
        assert_eq!(snapshot(&console), None);
        let session = ConsoleSession {
            label: "acme-west".to_owned(),
            connected: true,
            read_only: false,
            is_dashboard_only: true,
        };
        let wall =
            TestConsole::with_session(session, morning_queue(), (120, 36), AppSettings::default())
                .poll()
                .serve();
        assert_eq!((snapshot(&wall), saved_queues(&wall).len()), (None, 0));
        let console = go_offline(start_unanswered(
            morning_queue(),
            previous_queue(morning_queue()),
        ));
        assert_eq!(
            (snapshot(&console), saved_queues(&console).len()),
            (None, 0)
        );
    }

    #[test]
    fn an_empty_cached_queue_shows_nothing_and_an_empty_queue_is_saved_as_empty() {
        assert!(
            start_unanswered(morning_queue(), previous_queue(vec![]))
                .screen_text()
                .contains("loading the queue")
        );
        assert_eq!(saved_queues(&TestConsole::with_rows(vec![]))[0].rows, []);
    }

    #[test]
    fn golden_screens_of_the_cached_queue() {
        let at = |size| {
            go_offline(start_unanswered_sized(
                size,
                morning_queue(),
                previous_queue(morning_queue()),
            ))
            .press("j e")
        };
        golden!("queue_last_120x36", at((120, 36)));
        golden!("queue_last_80x24", at((80, 24)));
        golden!("queue_last_60x20", at((60, 20)));
        golden!(
            "queue_last_40x8",
            go_offline(start_unanswered_sized(
                (40, 8),
                morning_queue(),
                previous_queue(morning_queue())
            ))
        );
    }
}
