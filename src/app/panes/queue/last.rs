//! The queue of the run before: what stood on the screen last stands there again, with its age, until it was read anew.
//!
//! Its rows can be gone through, looked for, opened and marked. What triages them waits as it does while nothing answers, because
//! somebody may have been there since. A filter asks the service; without one the rows are there again.

use chrono::{DateTime, Duration, Utc};

use super::reading::{ABOVE, Ask};
use super::{Queue, Tab};
use crate::app::records::LoadState;
use crate::app::records::list::WINDOW_ROWS;
use crate::app::{App, Effect, format};
use crate::domain::SignalId;
use crate::domain::failure::{RequestError, RequestErrorKind};
use crate::domain::pages::Page;
use crate::domain::queue::{MAX_QUEUE_PAGE_ROWS, QueueSignal, QueueSnapshot};

/// While the program runs, the queue is kept this often.
const EVERY: Duration = Duration::minutes(1);

/// What is known of the queue beyond this run of the program.
#[derive(Clone, Debug, Default)]
pub struct Kept {
    /// What the run before left, until the queue was read.
    pub last: Option<QueueSnapshot>,
    /// When it was kept for the next run.
    at: Option<DateTime<Utc>>,
}

impl Queue {
    /// The queue of the run before, when the rows of this tab are those.
    pub fn last_of(&self, tab: Tab) -> Option<&QueueSnapshot> {
        self.kept.last.as_ref().filter(|_| tab == Tab::New && !self.is_filtered())
    }

    /// Puts the rows of the run before on the screen, when they belong there.
    pub(super) fn place_last(&mut self) {
        if let Some(last) = self.last_of(Tab::New) {
            let (rows, total) = (last.rows.clone(), Some(last.rows.len() as u64));
            self.new.keep_place(|list| {
                list.insert_page(Page { rows, unreadable: 0, offset: 0, total }, WINDOW_ROWS, true);
            });
        }
    }

    /// The cursor is on a row of the run before that is not among the first that were read: more are read before those rows go.
    pub(super) fn reads_deeper(&self, tab: Tab, ask: Ask, page: &Page<QueueSignal>) -> bool {
        let state = self.tab(tab);
        let end = u64::from(page.offset) + page.rows.len() as u64;
        let is_there = |row: &QueueSignal| page.rows.iter().any(|read| read.signal.id == row.signal.id);
        self.last_of(tab).is_some()
            && ask.limit < MAX_QUEUE_PAGE_ROWS
            && state.scroll.cursor + ABOVE >= WINDOW_ROWS as usize
            && page.total.is_some_and(|total| total > end)
            && !state.current().is_some_and(is_there)
    }
}

impl App {
    /// Shows the queue of the run before.
    pub(in crate::app) fn show_last(&mut self, last: QueueSnapshot) {
        if !last.rows.is_empty() && self.queue.new.load != LoadState::Ready {
            self.queue.kept.last = Some(last);
            self.queue.place_last();
        }
    }

    /// The queue was read: the rows of the run before are done with, and so are marks on what went since and does not wait.
    pub(super) fn drop_last(&mut self, is_whole: bool) {
        if self.queue.kept.last.take().is_some() && is_whole {
            let held: Vec<SignalId> = self.outbox_entries().map(|(_, id)| id).collect();
            let new = &mut self.queue.new;
            new.marks.retain(|id| new.list.row(*id).is_some() || held.contains(id));
        }
    }

    /// Without an answer there is still something to look at: the program goes on.
    pub(in crate::app) fn has_last_for(&self, failure: &RequestError) -> bool {
        self.queue.kept.last.is_some() && matches!(failure.kind, RequestErrorKind::NotSent | RequestErrorKind::Ambiguous)
    }

    /// How old the rows of a tab are, when they are of the run before: `as of 17:10 yesterday`.
    pub fn last_age(&self, tab: Tab) -> Option<String> {
        let last = self.queue.last_of(tab)?;
        Some(format!(
            "as of {}",
            format::format_time_in_sentence(
                self.to_display_time(last.read_at).to_utc(),
                self.service_now(),
                self.settings.utc_offset
            )
        ))
    }

    /// The head of the list of new signals as it was read, for the next start.
    pub fn last_queue(&self) -> Option<QueueSnapshot> {
        let new = &self.queue.new;
        if self.session.is_dashboard_only || self.queue.is_filtered() || new.load != LoadState::Ready {
            return None;
        }
        let rows: Vec<QueueSignal> = (0..MAX_QUEUE_PAGE_ROWS as usize).map_while(|slot| new.list.row_at(slot).cloned()).collect();
        if rows.is_empty() && !new.list.is_empty() {
            return None;
        }
        Some(QueueSnapshot { read_at: new.read_at?, total: new.list.total(), rows })
    }

    /// Keeps the queue for the next start, now and then.
    pub(super) fn keep_queue(&mut self) {
        if self.queue.kept.at.is_none_or(|at| (self.now - at).abs() >= EVERY)
            && let Some(last) = self.last_queue()
        {
            self.queue.kept.at = Some(self.now);
            self.effects.push(Effect::SaveQueueSnapshot(Box::new(last)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::effect::ServiceCall;
    use crate::app::msg::{Msg, Push};
    use crate::app::testing::{TestConsole, golden, many_rows, morning_queue, parse_time, queue_row, signal_id};
    use crate::app::{AppSettings, ConsoleSession};
    use crate::domain::failure::ServiceError;
    use crate::domain::health::Health;
    use crate::domain::queue::TriageStatus;

    fn last(rows: Vec<QueueSignal>) -> QueueSnapshot {
        QueueSnapshot { read_at: parse_time("2026-07-08T17:10:00Z"), total: rows.len() as u64, rows }
    }

    /// A console that has asked and was not answered, over what stood on the screen yesterday.
    fn started(here: Vec<QueueSignal>, last: QueueSnapshot) -> TestConsole {
        sized((120, 36), here, last)
    }

    fn sized(size: (u16, u16), here: Vec<QueueSignal>, last: QueueSnapshot) -> TestConsole {
        TestConsole::with_size(here, size, AppSettings::default()).send(Msg::Pushed(Push::QueueSnapshot(Box::new(last))))
    }

    /// Nothing answers, at the start already.
    fn away(console: TestConsole) -> TestConsole {
        let refused = || RequestError::new_not_sent("connection refused");
        let stats = Push::Stats { result: Err(refused()), skew: Duration::zero() };
        let offline = Health::Offline { since: parse_time("2026-07-09T09:20:14Z"), reason: "connection refused".to_owned() };
        console.fail_next(refused()).send(Msg::Pushed(stats)).send(Msg::Pushed(Push::Health(offline)))
    }

    fn back(console: TestConsole) -> TestConsole {
        console.send(Msg::Pushed(Push::Health(Health::Online))).poll().serve()
    }

    /// What was kept for the next start, the newest last.
    fn kept(console: &TestConsole) -> Vec<&QueueSnapshot> {
        let kept = console.effects.iter();
        kept.filter_map(|effect| if let Effect::SaveQueueSnapshot(queue) = effect { Some(&**queue) } else { None }).collect()
    }

    #[test]
    fn the_first_frame_has_the_rows_of_yesterday_and_says_so() {
        let console = started(morning_queue(), last(morning_queue()));
        let screen = console.screen_text();
        assert!(screen.contains("New 1 of 16 as of 17:10 yesterday"), "{screen}");
        assert!(screen.contains("Harbor Yard Lofts") && screen.contains("connecting"), "{screen}");
        assert_eq!(console.calls.len(), 1, "nothing is asked for but what is at every start");
        let screen = console.poll().serve().screen_text();
        assert!(screen.contains("New 1 of 16") && !screen.contains("yesterday"), "{screen}");
    }

    #[test]
    fn of_a_long_queue_it_is_said_how_much_is_there() {
        let queue = QueueSnapshot { total: 1_204, ..last(many_rows(200)) };
        let screen = started(many_rows(1_300), queue).press("G").screen_text();
        assert!(screen.contains("New 200 of 1,204 as of 17:10 yesterday") && screen.contains(" first 200 "), "{screen}");
        let queue = QueueSnapshot { total: 1_204, ..last(many_rows(200)) };
        assert!(
            sized((60, 20), many_rows(1_300), queue).press("Space").screen_text().contains(" 1 marked "),
            "marks have the room before it"
        );
    }

    #[test]
    fn without_the_service_at_the_start_the_rows_of_yesterday_stay_and_can_be_gone_through() {
        let console = away(started(morning_queue(), last(morning_queue())));
        assert!(!console.effects.contains(&Effect::Quit));
        let screen = console.screen_text();
        assert!(screen.contains("OFFLINE") && screen.contains("as of 17:10 yesterday"), "{screen}");
        assert!(screen.contains("offline since 09:20: connection refused"), "{screen}");
        let console = console.press("/").type_text("eastgate").press("Enter");
        assert_eq!(console.cursor_id(), signal_id(5));
        let asked = console.calls.len();
        let console = console.press("p p j Space");
        assert_eq!((console.calls.len(), console.app.queue.new.marks.len()), (asked, 1));
        let screen = console.press("k Enter").screen_text();
        assert!(screen.contains("as of 17:10 yesterday"), "of an opened signal it is said as well\n{screen}");
    }

    #[test]
    fn a_token_that_was_refused_ends_the_program_whatever_stood_there_yesterday() {
        let refusal = ServiceError { status: 401, ..ServiceError::default() };
        let refused = RequestError { kind: RequestErrorKind::Rejected(refusal), message: "the token was refused".to_owned() };
        let console = started(morning_queue(), last(morning_queue())).fail_next(refused);
        assert!(console.effects.contains(&Effect::Quit));
        assert_eq!(console.app.exit_status(), 3);
    }

    #[test]
    fn what_is_read_takes_their_place_and_the_cursor_stays_on_its_signal() {
        let mut here = morning_queue();
        here.remove(2);
        here.insert(0, queue_row(20, "high", "permit_issued", "2026-07-09", (1, "Harbor Yard Lofts"), None));
        let console = back(away(started(here.clone(), last(morning_queue())).press("j j j")));
        assert_eq!((console.cursor_id(), console.app.queue.new.list.len()), (signal_id(4), 16));
        assert_eq!(console.notice_text(), "", "what went is simply gone");
        let console = back(away(started(here, last(morning_queue())).press("j j")));
        assert_eq!(console.cursor_id(), signal_id(2), "its own signal is gone: it stands where it stood");
    }

    #[test]
    fn a_cursor_far_down_is_found_below_what_is_read_first() {
        let new = |n: usize| queue_row(1_000 + n, "high", "permit_issued", "2026-07-09", (900, "Pier 9"), None);
        let here: Vec<QueueSignal> = (0..20).map(new).chain(many_rows(300)).collect();
        let console =
            started(here, last(many_rows(200))).press("Ctrl-d Ctrl-d Ctrl-d Ctrl-d Ctrl-d Ctrl-d Ctrl-d Ctrl-d").poll().serve();
        let at = console.app.queue.new.scroll.cursor;
        assert_eq!((console.cursor_id(), at > 100), (signal_id(at - 20 + 1), true), "{at}");
    }

    #[test]
    fn what_is_marked_done_waits_and_goes_out_once_the_list_was_looked_at() {
        let console = away(started(morning_queue(), last(morning_queue()))).press("e e").ben_marks_done(&[1]);
        assert_eq!(console.triage_calls(), []);
        assert_eq!((console.cursor_id(), console.app.queue.new.marks.len()), (signal_id(3), 2));
        assert_eq!(console.notice_text(), "waits for the service: entitlement approval on Union Depot Tower");
        assert!(console.screen_text().contains("Space takes it back"), "{}", console.screen_text());
        let console = back(console);
        assert_eq!(console.triage_calls(), [(1, TriageStatus::Done)], "what a colleague did is not done over");
        assert_eq!((console.service_new_count(), console.app.queue.new.list.len()), (14, 14));
        assert_eq!(console.press("z").serve().service_new_count(), 15, "nor taken back");
    }

    #[test]
    fn what_is_marked_done_before_the_first_answer_waits_for_it() {
        let console = started(morning_queue(), last(morning_queue())).press("e Space Space e");
        assert_eq!((console.triage_calls(), console.app.queue.new.marks.len()), (vec![], 3));
        let console = console.poll().serve();
        assert_eq!((console.triage_calls(), console.service_new_count()), (vec![(3, TriageStatus::Done)], 13));
    }

    #[test]
    fn what_is_unmarked_before_the_first_answer_is_not_sent_and_quitting_over_the_rest_asks() {
        let console = started(morning_queue(), last(morning_queue())).press("e");
        assert!(console.press("q").screen_text().contains("1 change were not sent"));
        let console = started(morning_queue(), last(morning_queue())).press("e * n").poll().serve();
        assert_eq!(console.triage_calls(), []);
    }

    #[test]
    fn marks_on_what_went_meanwhile_are_gone_with_it() {
        let console = started(morning_queue(), last(morning_queue())).press("Space Space").ben_marks_done(&[1]).poll().serve();
        assert_eq!(console.app.queue.new.marks, [signal_id(2)].into());
    }

    #[test]
    fn a_filter_asks_the_service_and_without_one_the_rows_of_yesterday_are_there_again() {
        let console = away(started(morning_queue(), last(morning_queue())))
            .press("!")
            .fail_next(RequestError::new_not_sent("connection refused"));
        assert!(console.screen_text().contains("the queue could not be read"), "{}", console.screen_text());
        let console = console.press("F");
        assert!(console.screen_text().contains("as of 17:10 yesterday"), "{}", console.screen_text());
        let console = back(console.press("!"));
        assert!(console.screen_text().contains("New 1 of 7"), "{}", console.screen_text());
        assert!(!console.press("F").screen_text().contains("yesterday"), "the service was heard since");
    }

    #[test]
    fn what_was_done_before_is_known_after_the_first_answer_whatever_was_pressed_until_then() {
        let console = back(away(started(morning_queue(), last(morning_queue()))).press("R"));
        assert!(console.calls.contains(&ServiceCall::SavedState));
    }

    #[test]
    fn the_head_of_the_queue_is_kept_once_a_minute_and_at_the_end_as_it_then_stands() {
        let console = TestConsole::with_rows(many_rows(300));
        assert_eq!(kept(&console).len(), 1);
        let first = kept(&console)[0];
        assert_eq!((first.rows.len(), first.total, first.read_at), (100, 300, parse_time(crate::app::testing::NOW)));
        let arrives = |console: TestConsole, n| {
            console
                .edit_rows(|rows| rows.insert(0, queue_row(n, "high", "permit_issued", "2026-07-09", (900, "Pier 9"), None)))
                .poll()
                .serve()
        };
        let console = arrives(console.advance_time(Duration::seconds(59)), 1_001);
        assert_eq!(kept(&console).len(), 1, "not with every read");
        let console = arrives(console.advance_time(Duration::seconds(1)), 1_002);
        assert_eq!(kept(&console)[1].rows[0].signal.id, signal_id(1_002));
        let queue = console.press("g g e").serve().app.last_queue().unwrap();
        assert_eq!((queue.rows[0].signal.id, queue.rows.len(), queue.total), (signal_id(1_001), 199, 301));
    }

    #[test]
    fn nothing_is_kept_of_a_filtered_queue_of_the_wall_or_of_what_was_kept_before() {
        let console = TestConsole::with_rows(morning_queue()).press("!").serve();
        assert_eq!(console.app.last_queue(), None);
        let session =
            ConsoleSession { label: "acme-west".to_owned(), connected: true, read_only: false, is_dashboard_only: true };
        let wall = TestConsole::with_session(session, morning_queue(), (120, 36), AppSettings::default()).poll().serve();
        assert_eq!((wall.app.last_queue(), kept(&wall).len()), (None, 0));
        let console = away(started(morning_queue(), last(morning_queue())));
        assert_eq!((console.app.last_queue(), kept(&console).len()), (None, 0));
    }

    #[test]
    fn a_queue_that_was_left_empty_shows_nothing_and_an_empty_one_is_kept_as_such() {
        assert!(started(morning_queue(), last(vec![])).screen_text().contains("reading the queue"));
        assert_eq!(kept(&TestConsole::with_rows(vec![]))[0].rows, []);
    }

    #[test]
    fn golden_screens_of_the_queue_of_yesterday() {
        let at = |size| away(sized(size, morning_queue(), last(morning_queue()))).press("j e");
        golden!("queue_last_120x36", at((120, 36)));
        golden!("queue_last_80x24", at((80, 24)));
        golden!("queue_last_60x20", at((60, 20)));
        golden!("queue_last_40x8", away(sized((40, 8), morning_queue(), last(morning_queue()))));
    }
}
