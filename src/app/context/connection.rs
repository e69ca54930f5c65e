//! Polls and replies as the header shows them: the counts, the workspace, the meter, and when the
//! service was last reached.

use chrono::Duration;

use crate::app::change::Change;
use crate::app::connection::{HeaderReads, HeaderRequest};
use crate::app::context::clock::Clock;
use crate::app::context::outbox::reconcile;
use crate::app::context::{ConnectionStatus, Work, cached_queue, descriptions, subscriptions};
use crate::app::effect::{Effect, ServiceCall, Slot};
use crate::app::format::format_count;
use crate::app::msg::{CallResult, ConnectedService, payload};
use crate::app::overlay::{Overlay, PRIORITY_TITLE, explain_priority};
use crate::app::requests::Request;
use crate::app::{AppSettings, ConsoleSession, Context, ExitState, Screen};
use crate::domain::health::Health;
use crate::domain::queue::{QueueSignal, QueueStats};
use crate::domain::request_error::{RequestError, RequestErrorKind};

/// After this long without a reply the user was away.
const AWAY_THRESHOLD: Duration = Duration::hours(1);

impl ConsoleSession {
    /// Whether there is a service to call.
    pub fn is_connected(&self) -> bool {
        self.connected
    }
}

impl HeaderReads {
    fn read_next_header_data(&mut self, work: &mut Work) {
        match self.reads.pop() {
            Some(HeaderRequest::Workspace) => {
                let request = Request::Header(HeaderRequest::Workspace);
                work.call_service(Slot::Workspace, ServiceCall::Workspace, request);
            }
            Some(HeaderRequest::Members) => work.read_members(),
            Some(HeaderRequest::Meter) => work.read_meter(),
            None => {}
        }
    }

    /// The journal and drafts of earlier runs could not be read: the next poll asks again.
    pub(in crate::app) fn retry_saved_state(&mut self) {
        self.saved_state_requested = false;
    }
}

impl Context {
    /// Records a reply or a failure. The client reports the connection's health separately.
    pub(in crate::app) fn record_response(&mut self, failure: Option<&RequestError>) {
        let Some(failure) = failure else {
            if !std::mem::replace(&mut self.connection.has_responded, true) {
                self.exit_state.status = 0;
                self.exit_state.message = None;
            }
            return;
        };
        let is_reported = matches!(
            failure.kind,
            RequestErrorKind::Cancelled
                | RequestErrorKind::OverBudget
                | RequestErrorKind::ReadOnly
                | RequestErrorKind::NotJournaled
        ) || cached_queue::can_show_previous_queue(failure, &self.queue);
        if !is_reported && !self.connection.has_responded && self.session.is_connected() {
            fail_first_contact(failure, &mut self.work, &mut self.exit_state);
        }
    }

    /// Has the counts polled once the rows of the first screen are there: nothing is requested
    /// before them.
    pub(in crate::app) fn start_polling(&mut self) {
        if self.session.is_connected()
            && !self.connection.is_polled
            && self.queue.current_tab().pending_page.is_none()
        {
            self.connection.is_polled = true;
            self.work.emit(Effect::Poll);
        }
    }

    /// Takes the counts, or the failure to read them.
    pub(in crate::app) fn on_stats(&mut self, result: CallResult<QueueStats>, skew: Duration) {
        match result {
            Ok(stats) => {
                self.record_response(None);
                self.announce_new_signals(&stats);
                self.clock.skew = skew;
                let opened_at = self.clock.service_now();
                self.queue.news.opened_at.get_or_insert(opened_at);
                self.save_visit_if_due();
                self.connection.stats_read_at = Some(self.clock.now);
                let counts = (stats.new_count, stats.done_count);
                if !self.outbox.is_triaging() && self.queue.replace_counts(counts) {
                    self.queue.restart_reads();
                    if self
                        .stats
                        .as_ref()
                        .is_some_and(|before| stats.done_count > before.done_count)
                    {
                        self.read_activity();
                    }
                }
                self.subscriptions.update_counts(&stats);
                let before = self.stats.replace(stats);
                self.work.publish(Change::Counts(before));
                self.queue.allow_retry();
                if !self.session.is_dashboard_only
                    && !std::mem::replace(&mut self.header.saved_state_requested, true)
                {
                    self.work.call_service(
                        Slot::SavedState,
                        ServiceCall::SavedState,
                        Request::SavedState,
                    );
                }
                if !self.header.is_requested {
                    self.request_header_data();
                }
                self.flush_after_response();
                reconcile::reconcile_if_due(&mut self.work, &mut self.outbox);
            }
            Err(failure) => {
                self.work.publish(Change::PollFailed);
                self.record_response(Some(&failure));
            }
        }
    }

    /// Polls now, unless polling is off. After a rejected token it does not: focusing the window
    /// does not make the token valid.
    pub(in crate::app) fn poll_now(&mut self) {
        if self.settings.poll_interval.is_some()
            && self.connection.is_polled
            && self.connection.health != Health::SignedOut
        {
            self.work.emit(Effect::Poll);
        }
    }

    /// After a suspend the screen is out of date by `slept`: refreshes at once.
    pub(in crate::app) fn on_system_resumed(&mut self, slept: Duration) {
        self.poll_now();
        if !self.session.is_dashboard_only {
            let time = match (slept.num_hours(), slept.num_minutes() % 60) {
                (0, minutes) => format!("{minutes} min"),
                (hours, minutes) => format!("{hours} h {minutes} min"),
            };
            let refreshing = if self.settings.poll_interval.is_some() {
                "; refreshing"
            } else {
                ""
            };
            self.ui.inform(format!("resumed after {time}{refreshing}"));
        }
    }

    /// After a long absence, reports once how many signals are new.
    fn announce_new_signals(&mut self, stats: &QueueStats) {
        let (Some(at), Some(before)) = (self.connection.stats_read_at, &self.stats) else {
            return;
        };
        let came = stats.new_count.saturating_sub(before.new_count);
        if came > 0 && self.clock.now - at >= AWAY_THRESHOLD && !self.session.is_dashboard_only {
            let is_recent = self.clock.now - at < Duration::days(7);
            let since = if is_recent {
                self.clock
                    .to_display_time(at)
                    .format("%a %H:%M")
                    .to_string()
            } else {
                self.clock.format_display_time(at)
            };
            self.ui
                .inform(format!("+{} new since {since}", format_count(came)));
        }
    }

    /// Reads what the header shows and what resolves names: all free, and not polled.
    pub fn request_header_data(&mut self) {
        self.header.is_requested = true;
        self.header.reads = match self.session.is_dashboard_only {
            // The wall bears its name, and reads the rest when it needs it.
            true => vec![HeaderRequest::Workspace],
            false => vec![
                HeaderRequest::Meter,
                HeaderRequest::Members,
                HeaderRequest::Workspace,
            ],
        };
        self.header.read_next_header_data(&mut self.work);
    }

    /// Takes small data of the workspace. A failure leaves what is known, and unless the service
    /// rejected the request for good, the next poll asks again.
    pub(in crate::app) fn on_header_reply(&mut self, request: HeaderRequest, result: CallResult) {
        let taken = match request {
            HeaderRequest::Workspace => payload(result).map(|workspace| {
                self.team.workspace = Some(workspace);
                self.restore_last_visit();
            }),
            HeaderRequest::Members => payload(result).map(|members| self.store_members(members)),
            HeaderRequest::Meter => payload(result).map(|(credits, spent)| {
                self.descriptions.take_signal_price(&credits);
                self.work.on_meter_reply(Some(credits));
                self.work.budget.update_spent(spent);
            }),
        };
        if taken.is_err_and(|failure| failure.status().is_none() || failure.is_temporary()) {
            self.header.is_requested = false;
            self.header.reads.clear();
        }
        self.header.read_next_header_data(&mut self.work);
    }

    /// Explains a signal's priority from the workspace's subscriptions, which are read again each
    /// time.
    pub fn explain_priority(&mut self, row: Option<QueueSignal>) {
        let Some(row) = row else { return };
        let relevance = descriptions::explain_relevance(&row, &self.queue);
        self.ui.overlay = Some(Overlay::Page(explain_priority(&row, None, relevance)));
        self.work.call_service(
            Slot::Priority,
            ServiceCall::Subscriptions,
            Request::Priority(Box::new(row)),
        );
    }

    pub(in crate::app) fn on_priority_reply(&mut self, row: &QueueSignal, result: CallResult) {
        let is_shown =
            matches!(&self.ui.overlay, Some(Overlay::Page(page)) if page.title == PRIORITY_TITLE);
        match payload(result) {
            Ok(list) => {
                subscriptions::store_subscriptions(list, &mut self.work, &mut self.subscriptions);
                if is_shown {
                    let relevance = descriptions::explain_relevance(row, &self.queue);
                    let subscriptions = Some(self.subscriptions.all());
                    let page = explain_priority(row, subscriptions, relevance);
                    self.ui.overlay = Some(Overlay::Page(page));
                }
            }
            Err(failure) => {
                self.ui.overlay.take_if(|_| is_shown);
                self.ui
                    .show_failure("could not load the subscriptions", &failure, "");
            }
        }
    }

    /// Notes what the service of this session is.
    pub(in crate::app) fn on_connected(&mut self, service: ConnectedService) {
        self.session.label = service.label;
        self.session.read_only |= service.is_read_only;
        self.settings.is_sample = service.is_sample;
        self.settings.is_local = service.is_local;
        self.connection.busiest_day = service.busiest_day;
    }

    /// Goes to the queue of what the first screen opened.
    pub(in crate::app) fn start_session(&mut self, service: ConnectedService) {
        self.on_connected(service);
        self.session.connected = true;
        self.ui.show_screen(Screen::Queue);
        self.ui.notice = None;
        self.restore_queue_settings();
        self.show_first_run_card();
    }
}

/// A service that rejects the first request means a wrong address, token or plan: the program
/// reports it and exits. What may pass by itself is waited for: the console stays open and the
/// reason is repeated at exit.
fn fail_first_contact(failure: &RequestError, work: &mut Work, exit_state: &mut ExitState) {
    exit_state.status = failure.exit_status();
    exit_state.message = Some(format!("gantry: {}", failure.message));
    if !failure.is_temporary() {
        work.emit(Effect::Quit);
    }
}

/// Until when some requests must wait, if they must.
pub(in crate::app) fn rate_limit_label(
    clock: &Clock,
    connection: &ConnectionStatus,
) -> Option<String> {
    let Health::RateLimited { until } = connection.health else {
        return None;
    };
    let (until, now) = (
        clock.to_display_time(until),
        clock.to_display_time(clock.now),
    );
    if until <= now {
        return None;
    }
    let is_today = until.date_naive() == now.date_naive();
    let time = if is_today {
        until.format("%H:%M:%S").to_string()
    } else {
        until.format("%a %H:%M").to_string()
    };
    Some(format!("rate limited until {time}"))
}

/// How far the two clocks differ, where that is worth a warning.
pub(in crate::app) fn clock_skew_message(clock: &Clock, settings: &AppSettings) -> Option<String> {
    let far = clock.skew.abs();
    let in_words = match far {
        _ if settings.is_clock_simulated
            || far < Duration::minutes(1)
            || far > Duration::days(400) =>
        {
            return None;
        }
        _ if far < Duration::hours(2) => format!("{} min", far.num_minutes()),
        _ if far < Duration::days(2) => format!("{} h", far.num_hours()),
        _ => format!("{} days", far.num_days()),
    };
    let way = if clock.skew > Duration::zero() {
        "behind"
    } else {
        "ahead of"
    };
    Some(format!(
        "this machine's clock is {in_words} {way} the service's"
    ))
}

#[cfg(test)]
mod tests {
    use chrono::Duration;

    use crate::app::msg::{CopyResult, Msg, Push};
    use crate::app::panes::credits::tests::day_of_work;
    use crate::app::testing::{NOW, TestConsole, morning_queue, parse_time};
    use crate::app::{AppSettings, ConsoleSession, Effect};
    use crate::domain::budgets::CreditsSpent;
    use crate::domain::credits::{Credits, LedgerReport, MeterReconciliation, UsageSum};
    use crate::domain::health::Health;
    use crate::domain::journal_lines::JournalLine;
    use crate::domain::queue::{QueueStats, SignalTypeCount};
    use crate::domain::request_error::{RequestError, RequestErrorKind, ServiceError};

    #[test]
    fn a_clock_skew_of_over_a_minute_is_shown_unless_the_clock_is_simulated() {
        for (skew, expected) in [
            (Duration::seconds(30), None),
            (
                Duration::minutes(90),
                Some("this machine's clock is 90 min behind the service's"),
            ),
            (
                -Duration::hours(3),
                Some("this machine's clock is 3 h ahead of the service's"),
            ),
            (
                Duration::days(365),
                Some("this machine's clock is 365 days behind the service's"),
            ),
        ] {
            let pushed = || {
                Msg::Pushed(Push::Stats {
                    result: Ok(QueueStats::default()),
                    skew,
                })
            };
            let screen = TestConsole::with_rows(morning_queue())
                .send(pushed())
                .screen_text();
            assert!(
                expected.is_none_or(|expected| screen.contains(expected)),
                "{screen}"
            );
            assert_eq!(screen.contains("clock is"), expected.is_some(), "{screen}");
            let then = AppSettings {
                is_clock_simulated: true,
                ..AppSettings::default()
            };
            let screen = TestConsole::with_size(morning_queue(), (120, 36), then)
                .poll()
                .serve()
                .send(pushed())
                .screen_text();
            assert!(!screen.contains("clock is"), "{screen}");
        }
    }

    #[test]
    fn the_counts_are_requested_once_the_first_rows_are_there_and_focus_does_not_hurry_them() {
        let polls = |console: &TestConsole| {
            console
                .effects
                .iter()
                .filter(|effect| **effect == Effect::Poll)
                .count()
        };
        let start = || TestConsole::with_size(morning_queue(), (120, 36), AppSettings::default());
        let console = start().send(Msg::Focused(true)).press("j");
        assert_eq!((polls(&console), console.calls.len()), (0, 1));
        assert!(
            console.screen_text().contains("connecting"),
            "{}",
            console.screen_text()
        );
        let console = console.serve();
        assert_eq!(polls(&console), 1);
        assert!(
            console.screen_text().contains("connected"),
            "{}",
            console.screen_text()
        );
        assert_eq!(
            polls(&start().fail_next(RequestError::new_not_sent("connection refused"))),
            1
        );
    }

    #[test]
    fn a_signal_that_came_between_the_first_rows_and_the_first_counts_is_read() {
        let console = TestConsole::with_size(
            morning_queue()[..4].to_vec(),
            (120, 36),
            AppSettings::default(),
        )
        .serve();
        let console = console
            .edit_rows(|here| *here = morning_queue())
            .poll()
            .serve();
        assert!(
            console.screen_text().contains("New 1 of 16"),
            "{}",
            console.screen_text()
        );
    }

    #[test]
    fn a_meter_at_the_largest_number_does_not_overflow() {
        let mut console = TestConsole::with_rows(morning_queue()).press("Enter");
        console.context_mut().work.budget.credits = Some(Credits {
            used: Some(u64::MAX),
            remaining: Some(0),
            ..Credits::default()
        });
        console.context_mut().work.budget.add_spend(u64::MAX);
        let console = console.serve();
        assert_eq!(
            console
                .context()
                .work
                .budget
                .credits
                .as_ref()
                .and_then(|credits| credits.used),
            Some(u64::MAX),
            "{}",
            console.screen_text()
        );
    }

    #[test]
    fn no_number_from_the_service_overflows() {
        use crate::domain::signals::SignalType;
        for n in [0, 1, 1 << 31, 1 << 63, u64::MAX] {
            let count = |kind: &SignalType| SignalTypeCount {
                signal_type: kind.clone(),
                new_count: n,
            };
            let stats = QueueStats {
                new_count: n,
                high_priority_new_count: n,
                done_count: n,
                type_counts: SignalType::ALL.iter().map(count).collect(),
            };
            let pushed = |stats| {
                Msg::Pushed(Push::Stats {
                    result: Ok(stats),
                    skew: Duration::zero(),
                })
            };
            for size in [(200, 60), (120, 36), (80, 24), (60, 20)] {
                let mut console =
                    TestConsole::with_size(morning_queue(), size, AppSettings::default())
                        .poll()
                        .serve();
                let meter = Credits {
                    limit: Some(n),
                    used: Some(n),
                    remaining: Some(n),
                    ..Credits::default()
                };
                let at = console.context().clock.now;
                let (route, reason) = ("GET /data/projects".to_owned(), "queue.open".to_owned());
                let tally = UsageSum {
                    at,
                    route,
                    reason,
                    requests: 1,
                    credits: n,
                    unknown: 1,
                };
                console.service.ledger = Some(LedgerReport {
                    meter: Ok(meter.clone()),
                    reconciliation: Some(MeterReconciliation {
                        since: at,
                        used: n,
                        booked: n,
                        unknown: n,
                        drift: i64::MIN,
                    }),
                    spent: CreditsSpent { session: n, day: n },
                    readings: vec![(at, n), (at, n)],
                    usage: vec![tally.clone(), tally],
                    latest_entries: Vec::new(),
                });
                console.context_mut().work.budget.credits = Some(meter);
                let mut console = console
                    .press("Enter")
                    .serve()
                    .press("Esc e")
                    .serve()
                    .press("z")
                    .serve();
                for key in ["1", "2", "3", "4", "5", "6", "7", "8", "9"] {
                    console = console
                        .send(pushed(QueueStats::default()))
                        .press(key)
                        .serve();
                    console = console
                        .advance_time(Duration::minutes(11))
                        .send(pushed(stats.clone()))
                        .serve();
                    assert!(!console.screen_text().is_empty());
                }
            }
        }
    }

    #[test]
    fn the_first_poll_after_a_weekend_shows_how_many_signals_came() {
        let rows = morning_queue();
        let friday = TestConsole::with_rows(rows[..4].to_vec());
        let monday = friday
            .advance_time(Duration::hours(62))
            .edit_rows(|here| *here = rows)
            .poll();
        assert_eq!(monday.notice_text(), "+12 new since Thu 09:20");
        let console = TestConsole::with_rows(morning_queue()[..4].to_vec())
            .advance_time(Duration::minutes(20))
            .edit_rows(|here| *here = morning_queue())
            .poll();
        assert_eq!(
            console.notice_text(),
            "",
            "twenty minutes are not a weekend"
        );
    }

    #[test]
    fn after_a_suspend_its_length_is_shown_and_the_service_polled() {
        let slept = || Msg::Pushed(Push::SystemSuspended(Duration::minutes(7 * 60 + 12)));
        let mut console = TestConsole::with_rows(morning_queue());
        console.effects.clear();
        let console = console.send(slept());
        assert_eq!(
            console.notice_text(),
            "resumed after 7 h 12 min; refreshing"
        );
        assert_eq!(console.effects, [Effect::Poll]);
        let mut refused = console.send(Msg::Pushed(Push::Health(Health::SignedOut)));
        refused.effects.clear();
        assert!(
            !refused.send(slept()).effects.contains(&Effect::Poll),
            "a suspend is not a new credential"
        );
    }

    #[test]
    fn a_failed_browser_is_reported_and_the_address_copied() {
        let console = TestConsole::with_rows(morning_queue()).press("o");
        assert!(
            console.notice_text().starts_with("Opening a page of"),
            "{}",
            console.notice_text()
        );
        let url = "https://permits.example.gov/BP-2026-1".to_owned();
        let console = console.send(Msg::Pushed(Push::BrowserFailed {
            url: url.clone(),
            reason: "xdg-open: exit status: 3".to_owned(),
        }));
        let screen = console.screen_text();
        assert!(
            screen.contains("no browser opened (xdg-open: exit status: 3)")
                && screen.contains(&url),
            "{screen}"
        );
        assert_eq!(console.copied_text(), Some(url.as_str()));
        let what = console
            .effects
            .iter()
            .rev()
            .find_map(|effect| match effect {
                Effect::CopyToClipboard { what, .. } => Some(what.clone()),
                _ => None,
            });
        let what = what.expect("a copy");
        assert!(!what.contains("exit status"), "{what}");
        let copied = console.send(Msg::Pushed(Push::Copied {
            what,
            result: CopyResult::Terminal,
        }));
        let screen = copied.screen_text();
        assert!(
            screen.contains(&url) && screen.contains("(no browser opened)"),
            "{screen}"
        );
    }

    #[test]
    fn the_console_stays_open_when_the_service_is_unreachable_at_startup() {
        let unreachable =
            || RequestError::new_not_sent("cannot reach 127.0.0.1:9: connection refused");
        let console = TestConsole::with_size(morning_queue(), (120, 36), AppSettings::default())
            .fail_next(unreachable());
        assert!(
            !console.effects.contains(&Effect::Quit),
            "{}",
            console.screen_text()
        );
        assert!(
            console.screen_text().contains("cannot reach 127.0.0.1:9")
                && console.screen_text().contains("R retries"),
            "{}",
            console.screen_text()
        );
        assert_eq!(
            (
                console.context().exit_state.exit_status(),
                console.app.exit_lines().len()
            ),
            (5, 1),
            "whoever gives up sees why"
        );
        let console = console.press("R").poll().serve();
        assert_eq!(
            (
                console.context().exit_state.exit_status(),
                console.app.exit_lines().len()
            ),
            (0, 0)
        );
        assert!(
            console.screen_text().contains("New 16"),
            "{}",
            console.screen_text()
        );
    }

    #[test]
    fn a_rate_limit_at_startup_is_waited_for_and_shown_with_its_end() {
        let limited = |status, seconds: u64| {
            let retry_after = Some(std::time::Duration::from_secs(seconds));
            let refusal = ServiceError {
                status,
                retry_after,
                ..ServiceError::default()
            };
            RequestError {
                kind: RequestErrorKind::Rejected(refusal),
                message: "rate limited; try again later".to_owned(),
            }
        };
        let health = |seconds| {
            let until = parse_time(NOW) + Duration::seconds(seconds);
            Msg::Pushed(Push::Health(Health::RateLimited { until }))
        };
        for (status, seconds, until) in [
            (429, 30, "rate limited until 09:20:44"),
            (403, 86_400, "rate limited until Fri 09:20"),
        ] {
            let wait = i64::try_from(seconds).unwrap();
            let console =
                TestConsole::with_size(morning_queue(), (120, 36), AppSettings::default());
            let console = console
                .fail_next(limited(status, seconds))
                .send(health(wait));
            let screen = console.screen_text();
            assert!(!console.effects.contains(&Effect::Quit), "{screen}");
            assert!(
                screen.contains(until) && screen.contains("the queue is loaded then"),
                "{screen}"
            );
            assert_eq!(
                (
                    console.notice_text().as_str(),
                    console.app.exit_lines().len()
                ),
                ("", 1)
            );
            let console = console.advance_time(Duration::seconds(wait)).poll().serve();
            assert!(
                console.screen_text().contains("New 16"),
                "{}",
                console.screen_text()
            );
            assert!(console.app.exit_lines().is_empty());

            let session = ConsoleSession {
                label: "wall".to_owned(),
                connected: true,
                read_only: false,
                is_dashboard_only: true,
            };
            let wall = TestConsole::with_session(
                session,
                morning_queue(),
                (120, 36),
                AppSettings::default(),
            );
            let failed = Push::Stats {
                result: Err(limited(status, seconds)),
                skew: Duration::zero(),
            };
            let wall = wall.send(Msg::Pushed(failed)).send(health(wait));
            assert!(
                !wall.effects.contains(&Effect::Quit),
                "{}",
                wall.screen_text()
            );
            assert!(
                wall.screen_text()
                    .contains(&format!("{until}; the counts are loaded then")),
                "{}",
                wall.screen_text()
            );
        }
    }

    #[test]
    fn quitting_before_any_response_prints_why_the_service_is_unreachable() {
        let reason = "cannot reach 127.0.0.1:9: connection refused".to_owned();
        let since = parse_time(NOW);
        let offline = Msg::Pushed(Push::Health(Health::Offline {
            since,
            reason: reason.clone(),
        }));
        let console = TestConsole::with_size(morning_queue(), (120, 36), AppSettings::default())
            .send(offline);
        assert_eq!(
            (
                console.context().exit_state.exit_status(),
                console.app.exit_lines()
            ),
            (5, vec![format!("gantry: {reason}")])
        );
        assert!(!console.effects.contains(&Effect::Quit));
    }

    #[test]
    fn a_console_that_shows_a_day_of_the_past_names_the_day() {
        let then = AppSettings {
            is_clock_simulated: true,
            ..AppSettings::default()
        };
        for (size, words) in [((120, 36), "as of 2018-12-02"), ((80, 24), "2018-12-02")] {
            let console = TestConsole::with_size(morning_queue(), size, then.clone())
                .serve()
                .send(Msg::Pushed(Push::Stats {
                    result: Ok(QueueStats::default()),
                    skew: Duration::days(-2_776) - Duration::hours(7),
                }));
            let screen = console.screen_text();
            assert!(screen.contains(words), "{screen}");
            let wall = console.press("9").serve().screen_text();
            assert!(wall.contains("as of 2018-12-02"), "{wall}");
        }
    }

    #[test]
    fn every_time_on_the_screen_uses_the_service_clock() {
        let skew = Duration::days(-2_776) - Duration::hours(7);
        let then = AppSettings {
            is_clock_simulated: true,
            ..AppSettings::default()
        };
        let stats = Ok(QueueStats::default());
        let console = TestConsole::with_size(morning_queue(), (120, 36), then)
            .serve()
            .send(Msg::Pushed(Push::Stats {
                result: stats,
                skew,
            }));
        assert!(
            console.screen_text().contains("as of 2018-12-02"),
            "{}",
            console.screen_text()
        );
        let offline = Health::Offline {
            since: parse_time(NOW),
            reason: "no route".to_owned(),
        };
        let console = console.send(Msg::Pushed(Push::Health(offline)));
        assert!(
            console.screen_text().contains("offline since 02:20"),
            "{}",
            console.screen_text()
        );
        assert!(
            !console.screen_text().contains("09:20"),
            "{}",
            console.screen_text()
        );
    }

    #[test]
    fn what_this_machine_recorded_is_shown_on_the_service_clock() {
        let skew = Duration::days(-2_776) - Duration::hours(7);
        let mut console = TestConsole::with_rows(morning_queue()).send(Msg::Pushed(Push::Stats {
            result: Ok(QueueStats::default()),
            skew,
        }));
        let at = parse_time(NOW);
        let (what, result) = (
            "done: permit issued on 160 Spear St".to_owned(),
            "1 item, done".to_owned(),
        );
        console.journal = vec![JournalLine {
            at,
            what,
            result,
            reason: None,
            is_ok: true,
            command: None,
        }];
        console.service.ledger = Some(day_of_work());
        let mut console = console.serve().press("e").serve();
        for (typed, expected) in [
            ("journal", &["02:20 done: permit issued"][..]),
            (
                "handoff",
                &["Since 1 December 2018, 02:20", "02:20 marked done"],
            ),
            ("credits", &["as of 02:20"]),
        ] {
            console = console.press(":").type_text(typed).press("Enter").serve();
            let screen = console.screen_text();
            for text in expected {
                assert!(screen.contains(text), "{text}: {screen}");
            }
            assert!(!screen.contains(" 09:"), "{screen}");
            console = console.press("Esc");
        }
    }

    #[test]
    fn a_failed_effect_is_shown() {
        let why =
            "no browser could be started (not found); the page is https://permits.example.gov/1";
        let console = TestConsole::with_rows(morning_queue())
            .send(Msg::Pushed(Push::EffectFailed(why.to_owned())));
        assert!(
            console.screen_text().contains(why),
            "{}",
            console.screen_text()
        );
    }
}
