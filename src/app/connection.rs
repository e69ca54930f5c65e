//! Whether the service answers: one state, always on the screen.

use chrono::{DateTime, Duration, FixedOffset, Utc};

use super::effect::{Call, Effect, Slot};
use super::format::{count, moment};
use super::notice::Notice;
use super::{App, Screen, msg::Token, overlay::Overlay};
use crate::domain::failure::{RequestError, RequestErrorKind};
use crate::domain::health::Health;
use crate::domain::queue::{QueueSignal, QueueStats};

/// Without an answer for so long, the person was away.
const AWAY: Duration = Duration::hours(1);

/// What is known of the connection.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Connection {
    /// How the service answers.
    pub health: Health,
    /// How far its clock is ahead.
    pub skew: Duration,
    /// When the counts were read last.
    pub stats_at: Option<DateTime<Utc>>,
    heard_once: bool,
}

impl App {
    /// Whether there is a service to ask.
    pub fn is_connected(&self) -> bool {
        self.session.connected
    }

    /// Takes note of an answer or of a failure to get one. How the service answers, the client tells by itself.
    pub(super) fn heard(&mut self, failure: Option<&RequestError>) {
        let Some(failure) = failure else {
            if !std::mem::replace(&mut self.connection.heard_once, true) {
                self.exit.status = 0;
                self.exit.line = None;
            }
            return;
        };
        let is_told =
            matches!(failure.kind, RequestErrorKind::Cancelled | RequestErrorKind::OverBudget | RequestErrorKind::ReadOnly)
                || self.has_last_for(failure);
        if !is_told && !self.connection.heard_once && self.is_connected() {
            self.never_heard(failure);
        }
    }

    /// A service that refuses from the start means a wrong address, token or plan: the program says so and ends. One that does not
    /// answer may do so later: the screen stays, and the reason is said once more at the end.
    fn never_heard(&mut self, failure: &RequestError) {
        self.exit.status = match failure.status() {
            Some(401 | 403) => 3,
            Some(404) => 4,
            Some(_) => 1,
            None => 5,
        };
        self.exit.line = Some(format!("gantry: {}", failure.message));
        if failure.status().is_some() {
            self.out.push(Effect::Quit);
        }
    }

    /// Takes the counts, or why there are none.
    pub(super) fn polled(&mut self, result: Result<QueueStats, RequestError>, skew: Duration) {
        match result {
            Ok(stats) => {
                self.heard(None);
                self.welcome_back(&stats);
                self.connection.skew = skew;
                self.opened_at.get_or_insert(self.service_now());
                self.connection.stats_at = Some(self.now);
                let counts = (stats.new_count, stats.done_count);
                if self.acts.open.is_empty() {
                    let stale = self.queue.counts.is_some_and(|known| known != counts);
                    for tab in [&mut self.queue.new, &mut self.queue.done].into_iter().filter(|_| stale) {
                        (tab.stale, tab.reads) = (true, 0);
                    }
                    self.queue.counts = Some(counts);
                }
                self.watch_poll(&stats);
                self.subscriptions.recount(&stats);
                self.stats = Some(stats);
                self.read_wall();
                for tab in [&mut self.queue.new, &mut self.queue.done] {
                    tab.try_again();
                }
                if !self.session.watches && !std::mem::replace(&mut self.past_asked, true) {
                    self.call(Slot::Past, Call::Past);
                }
                if !self.meta_asked && !self.session.watches {
                    self.ask_meta();
                }
                self.send_unheard();
                self.verify_if_due();
                if self.notice.is_none() {
                    self.say_not_written();
                }
            }
            Err(failure) => {
                self.watch.polls.1 += 1;
                self.heard(Some(&failure));
            }
        }
    }

    /// A moment of this machine's clock as the screen shows all of them: on the service's clock, in the person's zone.
    pub fn clock_time(&self, at: DateTime<Utc>) -> DateTime<FixedOffset> {
        at.checked_add_signed(self.connection.skew).unwrap_or(at).with_timezone(&self.settings.utc_offset)
    }

    /// The same, as short as it can be said now.
    pub fn when(&self, at: DateTime<Utc>) -> String {
        moment(self.clock_time(at).to_utc(), self.service_now(), self.settings.utc_offset)
    }

    /// Asks for the counts now. That somebody looks again is no new credential.
    pub(super) fn look_again(&mut self) {
        if self.is_connected() && self.connection.health != Health::SignedOut {
            self.out.push(Effect::Poll);
        }
    }

    /// The machine slept for so long: what is shown is as old as that, and read again at once.
    pub(super) fn woke(&mut self, slept: Duration) {
        self.look_again();
        if !self.session.watches {
            let time = match (slept.num_hours(), slept.num_minutes() % 60) {
                (0, minutes) => format!("{minutes} min"),
                (hours, minutes) => format!("{hours} h {minutes} min"),
            };
            self.notice = Some(Notice::note(format!("resumed after {time}, asking again")));
        }
    }

    /// After a long time without an answer, what came meanwhile is said once.
    fn welcome_back(&mut self, stats: &QueueStats) {
        let (Some(at), Some(before)) = (self.connection.stats_at, &self.stats) else { return };
        let came = stats.new_count.saturating_sub(before.new_count);
        if came > 0 && self.now - at >= AWAY && !self.session.watches {
            let is_recent = self.now - at < Duration::days(7);
            let since = if is_recent { self.clock_time(at).format("%a %H:%M").to_string() } else { self.when(at) };
            self.notice = Some(Notice::note(format!("+{} new since {since}", count(came))));
        }
    }

    /// How far the clocks of machine and service are apart, where that is a fault worth a word.
    pub(super) fn clocks(&self) -> Option<String> {
        let far = self.connection.skew.abs();
        let in_words = match far {
            _ if self.settings.as_of || far < Duration::minutes(1) || far > Duration::days(400) => return None,
            _ if far < Duration::hours(2) => format!("{} min", far.num_minutes()),
            _ if far < Duration::days(2) => format!("{} h", far.num_hours()),
            _ => format!("{} days", far.num_days()),
        };
        let way = if self.connection.skew > Duration::zero() { "behind" } else { "ahead of" };
        Some(format!("this machine's clock is {in_words} {way} the service's"))
    }

    /// Asks for what stands in the header and explains names: all free, none of it polled.
    pub fn ask_meta(&mut self) {
        self.meta_asked = true;
        self.call(Slot::Workspace, Call::Workspace);
        self.call(Slot::Members, Call::Members);
        self.call(Slot::Credits, Call::Credits);
    }

    /// Credits were spent: the meter moves at once, and is read again when the price was not told.
    pub(super) fn spent(&mut self, credits: Option<u64>) {
        self.spending.book(credits.unwrap_or(0));
        match (credits, &mut self.credits) {
            (Some(spent), Some(meter)) => {
                meter.used = meter.used.map(|used| used.saturating_add(spent));
                meter.remaining = meter.remaining.map(|left| left.saturating_sub(spent));
            }
            _ => {
                self.call(Slot::Credits, Call::Credits);
            }
        }
    }

    /// No browser opened a page: its address goes to the clipboard instead.
    pub(super) fn not_opened(&mut self, url: String, why: &str) {
        let text = format!("No browser opened ({why}). The address was sent to the terminal's clipboard instead: {url}");
        self.notice = Some(Notice::warn(text));
        self.out.push(Effect::Copy(url));
    }

    /// Says what failed and why; `hint` tells what can be done.
    pub(super) fn failed(&mut self, what: &str, failure: &RequestError, hint: &'static str) {
        self.notice = Some(Notice::bad(format!("{what}: {}", failure.message)).with(hint));
    }

    /// Says why a signal has its priority: from the workspace's subscriptions, which are read once and on each question.
    pub fn explain_priority(&mut self, row: Option<QueueSignal>) {
        let Some(row) = row else { return };
        let token = self.call(Slot::Subscriptions, Call::Subscriptions);
        self.overlay = Some(Overlay::why(&row, None));
        self.why = Some((token, row));
    }

    /// The subscriptions are read: a priority that was asked about can be explained.
    pub(super) fn explained(&mut self, token: Token) {
        if let Some((_, row)) = self.why.take_if(|(asked, _)| *asked == token)
            && matches!(self.overlay, Some(Overlay::Facts(..)))
        {
            self.overlay = Some(Overlay::why(&row, Some(&self.subscriptions.list)));
        }
    }

    pub(super) fn why_failed(&mut self, token: Token, failure: &RequestError) -> bool {
        if self.why.take_if(|(asked, _)| *asked == token).is_none() {
            return false;
        }
        self.overlay.take_if(|overlay| matches!(overlay, Overlay::Facts(..)));
        self.failed("the subscriptions could not be read", failure, "");
        true
    }

    /// The first screen's choice was reached, or not.
    pub(super) fn connected(&mut self, token: Token, result: Result<String, RequestError>) {
        if !self.start.take(token) {
            return;
        }
        match result {
            Ok(label) => {
                self.session.label = label;
                self.session.connected = true;
                self.screen = Screen::Queue;
                self.notice = None;
                self.out.push(Effect::Poll);
            }
            Err(failure) => self.start.failed(&failure),
        }
    }

    pub(super) fn start_failed(&mut self, token: Token, failure: RequestError) -> bool {
        let ours = self.start.is_waiting_for(token);
        self.connected(token, Err(failure));
        ours
    }
}

#[cfg(test)]
mod tests {
    use chrono::Duration;

    use crate::app::msg::{Msg, Push};
    use crate::app::testing::{Console, morning};
    use crate::app::{Effect, Settings};
    use crate::domain::budgets::CreditsSpent;
    use crate::domain::credits::{Credits, LedgerReport, MeterReconciliation, UsageSum};
    use crate::domain::failure::RequestError;
    use crate::domain::health::Health;
    use crate::domain::queue::{QueueStats, SignalTypeCount};

    #[test]
    fn a_clock_that_differs_by_more_than_a_minute_is_said_unless_that_is_meant() {
        for (skew, said) in [
            (Duration::seconds(30), None),
            (Duration::minutes(90), Some("this machine's clock is 90 min behind the service's")),
            (-Duration::hours(3), Some("this machine's clock is 3 h ahead of the service's")),
            (Duration::days(365), Some("this machine's clock is 365 days behind the service's")),
        ] {
            let pushed = || Msg::Pushed(Push::Stats { result: Ok(QueueStats::default()), skew });
            let screen = Console::over(morning()).send(pushed()).screen();
            assert!(said.is_none_or(|said| screen.contains(said)), "{screen}");
            assert_eq!(screen.contains("clock is"), said.is_some(), "{screen}");
            let then = Settings { as_of: true, ..Settings::default() };
            let screen = Console::sized(morning(), (120, 36), then).poll().serve().send(pushed()).screen();
            assert!(!screen.contains("clock is"), "{screen}");
        }
    }

    #[test]
    fn a_meter_that_is_as_large_as_a_number_can_be_stays_so() {
        let mut console = Console::over(morning()).press("Enter");
        console.app.credits = Some(Credits { used: Some(u64::MAX), remaining: Some(0), ..Credits::default() });
        console.app.spending.book(u64::MAX);
        let console = console.serve();
        assert_eq!(console.app.credits.as_ref().and_then(|credits| credits.used), Some(u64::MAX), "{}", console.screen());
    }

    #[test]
    fn no_number_of_the_service_overflows() {
        use crate::domain::signals::SignalType;
        for n in [0, 1, 1 << 31, 1 << 63, u64::MAX] {
            let count = |kind: &SignalType| SignalTypeCount { signal_type: kind.clone(), new_count: n };
            let stats = QueueStats {
                new_count: n,
                high_priority_new_count: n,
                done_count: n,
                type_counts: SignalType::ALL.iter().map(count).collect(),
            };
            let pushed = |stats| Msg::Pushed(Push::Stats { result: Ok(stats), skew: Duration::zero() });
            for size in [(200, 60), (120, 36), (80, 24), (60, 20)] {
                let mut console = Console::sized(morning(), size, Settings::default()).poll().serve();
                let meter = Credits { limit: Some(n), used: Some(n), remaining: Some(n), ..Credits::default() };
                let at = console.app.now;
                let (route, reason) = ("GET /data/projects".to_owned(), "queue.open".to_owned());
                let tally = UsageSum { at, route, reason, requests: 1, credits: n, unknown: 1 };
                console.desk.ledger = Some(LedgerReport {
                    meter: Ok(meter.clone()),
                    reconciliation: Some(MeterReconciliation { since: at, used: n, booked: n, unknown: n, drift: i64::MIN }),
                    spent: CreditsSpent { session: n, day: n },
                    readings: vec![(at, n), (at, n)],
                    usage: vec![tally.clone(), tally],
                    latest_entries: Vec::new(),
                });
                console.app.credits = Some(meter);
                let mut console = console.press("Enter").serve().press("Esc e").serve().press("z").serve();
                for key in ["1", "2", "3", "4", "5", "6", "7", "8", "9"] {
                    console = console.send(pushed(QueueStats::default())).press(key).serve();
                    console = console.after(Duration::minutes(11)).send(pushed(stats.clone())).serve();
                    assert!(!console.screen().is_empty());
                }
            }
        }
    }

    #[test]
    fn after_a_weekend_the_first_answer_says_what_came_since() {
        let rows = morning();
        let friday = Console::over(rows[..4].to_vec());
        let monday = friday.after(Duration::hours(62)).colleague(|here| *here = rows).poll();
        assert_eq!(monday.notice(), "+12 new since Thu 09:20");
        let console =
            Console::over(morning()[..4].to_vec()).after(Duration::minutes(20)).colleague(|here| *here = morning()).poll();
        assert_eq!(console.notice(), "", "twenty minutes are no weekend");
    }

    #[test]
    fn a_machine_that_slept_says_for_how_long_and_asks_at_once() {
        let slept = || Msg::Pushed(Push::Slept(Duration::minutes(7 * 60 + 12)));
        let mut console = Console::over(morning());
        console.effects.clear();
        let console = console.send(slept());
        assert_eq!(console.notice(), "resumed after 7 h 12 min, asking again");
        assert_eq!(console.effects, [Effect::Poll]);
        let mut refused = console.send(Msg::Pushed(Push::Health(Health::SignedOut)));
        refused.effects.clear();
        assert!(!refused.send(slept()).effects.contains(&Effect::Poll), "a sleep is no new credential");
    }

    #[test]
    fn a_page_that_no_browser_opens_is_said_and_its_address_copied() {
        let console = Console::over(morning()).press("o");
        assert!(console.notice().starts_with("Asked the browser to open"), "{}", console.notice());
        let url = "https://permits.example.gov/BP-2026-1".to_owned();
        let console = console.send(Msg::Pushed(Push::NotOpened { url: url.clone(), why: "xdg-open: exit status: 3".to_owned() }));
        let screen = console.screen();
        assert!(screen.contains("No browser opened (xdg-open: exit status: 3)") && screen.contains(&url), "{screen}");
        assert!(console.effects.contains(&Effect::Copy(url)));
    }

    #[test]
    fn a_service_that_does_not_answer_at_the_start_is_asked_again_and_the_program_stays() {
        let unreachable = || RequestError::new_not_sent("cannot reach 127.0.0.1:9: connection refused");
        let console = Console::sized(morning(), (120, 36), Settings::default()).fail(unreachable());
        assert!(!console.effects.contains(&Effect::Quit), "{}", console.screen());
        assert!(
            console.screen().contains("cannot reach 127.0.0.1:9") && console.screen().contains("R tries"),
            "{}",
            console.screen()
        );
        assert_eq!((console.app.exit_status(), console.app.closing_lines().len()), (5, 1), "who gives up is told why");
        let console = console.press("R").poll().serve();
        assert_eq!((console.app.exit_status(), console.app.closing_lines().len()), (0, 0));
        assert!(console.screen().contains("New 16"), "{}", console.screen());
    }

    #[test]
    fn who_quits_before_anything_was_answered_is_told_why_also_when_only_the_client_has_noticed() {
        let reason = "cannot reach 127.0.0.1:9: connection refused".to_owned();
        let since = crate::app::testing::moment(crate::app::testing::NOW);
        let offline = Msg::Pushed(Push::Health(Health::Offline { since, reason: reason.clone() }));
        let console = Console::sized(morning(), (120, 36), Settings::default()).send(offline);
        assert_eq!((console.app.exit_status(), console.app.closing_lines()), (5, vec![format!("gantry: {reason}")]));
        assert!(!console.effects.contains(&Effect::Quit));
    }

    #[test]
    fn every_time_on_the_screen_is_on_the_services_clock() {
        let skew = Duration::days(-2_776) - Duration::hours(7);
        let then = Settings { as_of: true, ..Settings::default() };
        let stats = Ok(QueueStats::default());
        let console = Console::sized(morning(), (120, 36), then).serve().send(Msg::Pushed(Push::Stats { result: stats, skew }));
        assert!(console.screen().contains("as of 02:20:14"), "{}", console.screen());
        let offline =
            Health::Offline { since: crate::app::testing::moment(crate::app::testing::NOW), reason: "no route".to_owned() };
        let console = console.send(Msg::Pushed(Push::Health(offline)));
        assert!(console.screen().contains("offline since 02:20"), "{}", console.screen());
        assert!(!console.screen().contains("09:20"), "{}", console.screen());
    }

    #[test]
    fn what_this_machine_could_not_do_is_said() {
        let why = "no browser could be started (not found); the page is https://permits.example.gov/1";
        let console = Console::over(morning()).send(Msg::Pushed(Push::Unable(why.to_owned())));
        assert!(console.screen().contains(why), "{}", console.screen());
    }
}
