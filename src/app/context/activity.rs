//! What colleagues do meanwhile: when the counts show that others marked signals done, one read of
//! the Done rows says who.
//!
//! Only where reading is proved to be free. One quiet line; it never replaces a result that was not
//! read yet.

use crate::app::Context;
use crate::app::effect::{ServiceCall, Slot};
use crate::app::format::format_count;
use crate::app::model::description_reads::SignalPrice;
use crate::app::model::frequency::count_values;
use crate::app::model::queue::QueueRequest;
use crate::app::msg::CallResult;
use crate::app::requests::Request;
use crate::domain::pages::Page;
use crate::domain::person::Person;
use crate::domain::queue::{MAX_QUEUE_PAGE_ROWS, QueueFilter, QueueSignal, TriageStatus};
use crate::ui::TextRole;

/// This many colleagues are named.
const MAX_COLLEAGUES: usize = 3;

impl Context {
    /// Whether what colleagues do is read.
    pub(super) fn reads_activity(&self) -> bool {
        self.descriptions.price == SignalPrice::Free
            && !self.session.is_dashboard_only
            && self.team.caller().is_some()
    }

    /// More signals are done than this console has marked: reads who marked them.
    pub(super) fn read_activity(&mut self) {
        if self.reads_activity() && !self.work.requests.is_slot_open(&Slot::Activity) {
            let filter = QueueFilter::with_status(TriageStatus::Done);
            let call = ServiceCall::Queue {
                filter,
                offset: 0,
                limit: MAX_QUEUE_PAGE_ROWS,
            };
            self.work
                .call_service(Slot::Activity, call, Request::Queue(QueueRequest::Activity));
        }
    }

    /// Says in one line what colleagues marked done since the console opened. A failure is not
    /// worth a word.
    pub(super) fn on_activity_reply(&mut self, result: CallResult<Page<QueueSignal>>) {
        let (Ok(page), Some(since), Some(me)) =
            (result, self.queue.news.opened_at, self.team.caller())
        else {
            return;
        };
        let people = count_values(page.rows.iter().filter_map(|row| {
            let at = row.triaged_time();
            row.triaged_by
                .as_ref()
                .filter(|by| me.is_same(by) == Some(false) && at.is_some_and(|at| at > since))
        }));
        let is_whole = page
            .total
            .is_some_and(|total| total <= page.rows.len() as u64);
        let more = if is_whole { "" } else { "+" };
        let line = |(by, count): &(&Person, usize)| {
            format!(
                "{}: {}{more} done",
                self.queue.user_name(Some(by)),
                format_count(*count as u64)
            )
        };
        let lines: Vec<String> = people.iter().take(MAX_COLLEAGUES).map(line).collect();
        let is_free = self
            .ui
            .notice
            .as_ref()
            .is_none_or(|notice| notice.is_read || notice.role == TextRole::Muted);
        if !lines.is_empty() && is_free && self.ui.prompt.is_none() {
            let since = self.clock.format_time(since);
            self.ui
                .inform(format!("{} since {since}", lines.join(", ")));
        }
    }
}

#[cfg(test)]
mod tests {
    use chrono::Duration;

    use crate::app::msg::{Msg, Push, StoredFacts};
    use crate::app::testing::{TestConsole, morning_queue};

    fn free_console() -> TestConsole {
        let free = StoredFacts {
            has_free_signal_reads: true,
            ..StoredFacts::default()
        };
        TestConsole::with_rows(morning_queue())
            .send(Msg::Pushed(Push::StoredFacts(Box::new(free))))
            .serve()
    }

    #[test]
    fn one_quiet_line_says_what_a_colleague_marked_done() {
        let console = free_console()
            .advance_time(Duration::minutes(30))
            .ben_marks_done(&[3, 4, 5])
            .poll()
            .serve();
        assert_eq!(console.notice_text(), "Ben K.: 3 done since 09:20");
        let calls = console.calls.len();
        let console = console.poll().serve();
        assert_eq!(
            console.calls.len(),
            calls,
            "nothing changed, so nothing is read"
        );
    }

    #[test]
    fn nothing_is_read_of_colleagues_where_reading_may_cost() {
        let console = TestConsole::with_rows(morning_queue())
            .advance_time(Duration::minutes(30))
            .ben_marks_done(&[3, 4, 5]);
        let console = console.poll().serve();
        assert!(
            !console.notice_text().contains("done since"),
            "{}",
            console.notice_text()
        );
    }

    #[test]
    fn own_triage_is_not_the_activity_of_a_colleague() {
        let console = free_console()
            .advance_time(Duration::minutes(30))
            .press("e")
            .serve()
            .poll()
            .serve();
        assert!(
            !console.notice_text().contains("since"),
            "{}",
            console.notice_text()
        );
    }
}
