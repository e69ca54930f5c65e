//! The poller: requests the counts of the queue, and nothing else, while the console is open.
//!
//! [`PollSchedule`] decides when, as a function of what happened; [`run_poller`] sleeps and asks.
//! It sleeps in the machine's running time: a laptop that was closed overnight asks once when it
//! wakes.
//!
//! Never here: what the counts mean, rows, and anything that may cost a credit.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use futures_util::FutureExt as _;
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

use super::backend::Backend;
use super::event::Event;
use crate::app::msg::Push;
use crate::domain::clock_skew::measure_clock_skew;
use crate::domain::health::Health;
use crate::domain::request_error::RequestError;

/// The shortest and longest interval.
pub const SCHEDULE_INTERVAL_BOUNDS: std::ops::RangeInclusive<Duration> =
    Duration::from_secs(5)..=Duration::from_secs(300);
/// Seconds to the next attempt after one, two, … failures in a row.
const BACKOFF_SECONDS: [u64; 7] = [1, 2, 4, 8, 16, 30, 60];
/// Minimum time between two requests, however often the person asks.
const MIN_POLL_GAP: Duration = Duration::from_secs(1);

/// A command to the poller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PollCommand {
    PollNow,
    /// Changes the interval; `None` polls only when asked.
    SetInterval(Option<Duration>),
}

/// When to poll next.
#[derive(Clone, Debug)]
pub struct PollSchedule {
    /// `None`: only when asked.
    interval: Option<Duration>,
    failures: usize,
    /// The service's `Retry-After`.
    retry_after: Duration,
    /// The credential was rejected: only the person can change that.
    is_stopped: bool,
}

impl PollSchedule {
    pub fn new(every: Option<Duration>) -> Self {
        let mut schedule = PollSchedule {
            interval: every,
            failures: 0,
            retry_after: Duration::ZERO,
            is_stopped: false,
        };
        schedule.set_interval(every);
        schedule
    }

    /// Sets the interval, within [`SCHEDULE_INTERVAL_BOUNDS`].
    pub fn set_interval(&mut self, every: Option<Duration>) {
        self.interval = every.map(|every| {
            every.clamp(
                *SCHEDULE_INTERVAL_BOUNDS.start(),
                *SCHEDULE_INTERVAL_BOUNDS.end(),
            )
        });
    }

    /// The person asked to try again: a rejected credential may have been replaced.
    pub fn allow_retry(&mut self) {
        self.is_stopped = false;
    }

    pub fn record_success(&mut self) {
        (self.failures, self.retry_after, self.is_stopped) = (0, Duration::ZERO, false);
    }

    /// Records that the service did not answer, or rejected the request.
    pub fn record_failure(&mut self, failure: &RequestError) {
        self.failures += 1;
        self.is_stopped = matches!(failure.status(), Some(401 | 403)) && !failure.is_temporary();
        self.retry_after = failure.retry_after().unwrap_or_default();
    }

    /// How long to wait; `chance` from 0 to 1 spreads the consoles of a team. `None` when stopped,
    /// or when polling is off.
    pub fn next_delay(&self, chance: f64) -> Option<Duration> {
        let interval = self.interval.filter(|_| !self.is_stopped)?;
        let spread = |middle: Duration, part: f64| {
            middle.mul_f64(1.0 - part + 2.0 * part * chance.clamp(0.0, 1.0))
        };
        let pause = match self.failures.checked_sub(1) {
            None => spread(interval, 0.1),
            Some(n) => spread(
                Duration::from_secs(BACKOFF_SECONDS.get(n).copied().unwrap_or(60)),
                0.2,
            ),
        };
        Some(pause.max(self.retry_after))
    }

    /// The shortest wait when the person asks for a poll now.
    pub fn min_delay(&self) -> Duration {
        self.retry_after.max(MIN_POLL_GAP)
    }
}

/// Polls from the first [`PollCommand::PollNow`] on, once a service is connected, until the
/// receiver is gone.
pub async fn run_poller(
    every: Option<Duration>,
    mut service: watch::Receiver<Option<Arc<dyn Backend>>>,
    mut orders: mpsc::Receiver<PollCommand>,
    events: mpsc::Sender<Event>,
    now: fn() -> DateTime<Utc>,
) {
    let mut schedule = PollSchedule::new(every);
    let mut last: Option<Instant> = None;
    let mut next: Option<Instant> = None;
    loop {
        let asked = service.borrow_and_update().clone();
        tokio::select! {
            changed = service.changed() => {
                if changed.is_err() {
                    return;
                }
                schedule = PollSchedule::new(schedule.interval);
                continue;
            }
            order = orders.recv() => {
                match order {
                    None => return,
                    Some(PollCommand::SetInterval(every)) => {
                        schedule.set_interval(every);
                        // A poll that is already due stays due: the person may have asked for it.
                        if next.is_none_or(|next| next > Instant::now()) {
                            let pause = next.or(last).and(schedule.next_delay(rand::random()));
                            next = pause.map(|pause| last.unwrap_or_else(Instant::now) + pause);
                        }
                    }
                    Some(PollCommand::PollNow) => {
                        schedule.allow_retry();
                        let earliest = last.map_or_else(Instant::now, |last| last + schedule.min_delay());
                        next = Some(next.map_or(earliest, |next| next.min(earliest)));
                    }
                }
                continue;
            }
            () = sleep_until(next), if asked.is_some() => {}
        }
        let Some(asked) = asked else { continue };
        // A panic in the client must not end polling: a screen without news would look like a quiet
        // day.
        let service_now = asked.clone();
        let result = AssertUnwindSafe(asked.queue_stats()).catch_unwind().await;
        let result = result.unwrap_or_else(|_| {
            Err(RequestError::new_ambiguous(
                "internal error; see the log for details",
            ))
        });
        last = Some(Instant::now());
        let (result, skew) = match result {
            Ok((stats, date)) => {
                schedule.record_success();
                (
                    Ok(stats),
                    date.map(|date| measure_clock_skew(date, now()))
                        .unwrap_or_default(),
                )
            }
            Err(failure) => {
                schedule.record_failure(&failure);
                (Err(failure), TimeDelta::zero())
            }
        };
        next = schedule
            .next_delay(rand::random())
            .map(|pause| Instant::now() + pause);
        if events
            .send(Push::Stats { result, skew }.into())
            .await
            .is_err()
        {
            return;
        }
        // Commands and other consoles of this machine snooze too.
        let read_at = now();
        if let Some(snoozes) = service_now.load_snoozes().await
            && events
                .send(Push::Snoozes { read_at, snoozes }.into())
                .await
                .is_err()
        {
            return;
        }
    }
}

/// Reports the health of the current service, and of any that replaces it, until the receiver is
/// gone.
pub async fn watch_health(
    mut service: watch::Receiver<Option<Arc<dyn Backend>>>,
    events: mpsc::Sender<Event>,
) {
    let mut health = watch::Sender::new(Health::Connecting).subscribe();
    loop {
        tokio::select! {
            changed = service.changed() => {
                if changed.is_err() {
                    return;
                }
                if let Some(service) = &*service.borrow_and_update() {
                    health = service.health();
                    health.mark_changed();
                }
            }
            // A service that reports nothing has dropped its end.
            Ok(()) = health.changed() => {
                let health = health.borrow_and_update().clone();
                if events.send(Push::Health(health).into()).await.is_err() {
                    return;
                }
            }
        }
    }
}

/// Waits until a time, or forever.
pub(super) async fn sleep_until(time: Option<Instant>) {
    match time {
        Some(time) => tokio::time::sleep_until(time).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::app::effect::ServiceCall;
    use crate::app::msg::Msg;
    use crate::app::msg::Reply;
    use crate::domain::queue::QueueStats;
    use crate::domain::request_error::{RequestErrorKind, ServiceError};
    use crate::runtime::backend::BackendFuture;

    fn http_error(status: u16, retry_after: Option<u64>) -> RequestError {
        let retry_after = retry_after.map(Duration::from_secs);
        RequestError {
            kind: RequestErrorKind::Rejected(ServiceError {
                status,
                retry_after,
                ..ServiceError::default()
            }),
            message: String::new(),
        }
    }

    #[test]
    fn the_interval_has_ten_percent_jitter_and_stays_within_its_range() {
        let schedule = PollSchedule::new(Some(Duration::from_secs(20)));
        assert_eq!(schedule.next_delay(0.0), Some(Duration::from_secs(18)));
        assert_eq!(schedule.next_delay(1.0), Some(Duration::from_secs(22)));
        assert_eq!(
            PollSchedule::new(Some(Duration::from_secs(1))).next_delay(0.5),
            Some(Duration::from_secs(5))
        );
        assert_eq!(
            PollSchedule::new(Some(Duration::from_secs(9999))).next_delay(0.5),
            Some(Duration::from_secs(300))
        );
    }

    #[test]
    fn the_delay_grows_with_each_failure_until_a_success() {
        let mut schedule = PollSchedule::new(Some(Duration::from_secs(15)));
        let mut waits = Vec::new();
        for _ in 0..9 {
            schedule.record_failure(&RequestError::new_not_sent("refused"));
            waits.push(schedule.next_delay(0.5).unwrap().as_secs());
        }
        assert_eq!(waits, [1, 2, 4, 8, 16, 30, 60, 60, 60]);
        schedule.record_success();
        assert_eq!(schedule.next_delay(0.5), Some(Duration::from_secs(15)));
    }

    #[test]
    fn a_rejected_credential_stops_polling_until_the_user_retries() {
        let mut schedule = PollSchedule::new(Some(Duration::from_secs(15)));
        schedule.record_failure(&http_error(401, None));
        assert_eq!(schedule.next_delay(0.5), None);
        schedule.allow_retry();
        assert!(schedule.next_delay(0.5).is_some());
    }

    #[test]
    fn a_retry_after_is_respected() {
        let mut schedule = PollSchedule::new(Some(Duration::from_secs(15)));
        schedule.record_failure(&http_error(429, Some(90)));
        assert_eq!(schedule.next_delay(0.0), Some(Duration::from_secs(90)));
        assert_eq!(schedule.min_delay(), Duration::from_secs(90));
    }

    /// Records when it was polled and answers as the test wants.
    struct RecordingBackend {
        start: Instant,
        polled_at: Mutex<Vec<u64>>,
        failures: Mutex<Vec<RequestError>>,
    }

    impl Backend for RecordingBackend {
        fn call(
            self: Arc<Self>,
            _: ServiceCall,
            _: super::super::backend::CallContext,
        ) -> BackendFuture<Reply> {
            unreachable!("the poller only requests the stats")
        }

        fn queue_stats(self: Arc<Self>) -> BackendFuture<(QueueStats, Option<DateTime<Utc>>)> {
            self.polled_at
                .lock()
                .unwrap()
                .push(self.start.elapsed().as_secs());
            let answer = self
                .failures
                .lock()
                .unwrap()
                .pop()
                .map_or_else(|| Ok((QueueStats::default(), None)), Err);
            Box::pin(async move { answer })
        }
    }

    struct PollFixture {
        backend: Arc<RecordingBackend>,
        commands: mpsc::Sender<PollCommand>,
        events: mpsc::Receiver<Event>,
        _service: watch::Sender<Option<Arc<dyn Backend>>>,
    }

    fn fixture(answers: Vec<RequestError>) -> PollFixture {
        let diary = Arc::new(RecordingBackend {
            start: Instant::now(),
            polled_at: Mutex::default(),
            failures: Mutex::new(answers),
        });
        let service: watch::Sender<Option<Arc<dyn Backend>>> =
            watch::Sender::new(Some(diary.clone()));
        let (orders, ordered) = mpsc::channel(8);
        let (push, pushed) = mpsc::channel(64);
        tokio::spawn(run_poller(
            Some(Duration::from_secs(15)),
            service.subscribe(),
            ordered,
            push,
            || DateTime::UNIX_EPOCH,
        ));
        orders.try_send(PollCommand::PollNow).unwrap();
        PollFixture {
            backend: diary,
            commands: orders,
            events: pushed,
            _service: service,
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_counts_are_polled_when_asked_and_then_at_the_interval() {
        let mut bench = fixture(vec![]);
        for _ in 0..5 {
            bench.events.recv().await.unwrap();
        }
        let asked = bench.backend.polled_at.lock().unwrap().clone();
        assert_eq!(asked[0], 0);
        assert!(
            asked
                .windows(2)
                .all(|pair| (13..=17).contains(&(pair[1] - pair[0]))),
            "{asked:?}"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn switched_off_only_the_person_polls_until_it_is_switched_on() {
        let mut bench = fixture(vec![RequestError::new_not_sent("connection refused")]);
        bench
            .commands
            .try_send(PollCommand::SetInterval(None))
            .unwrap();
        bench.events.recv().await.unwrap();
        tokio::time::sleep(Duration::from_secs(24 * 3600)).await;
        assert_eq!(
            bench.backend.polled_at.lock().unwrap().len(),
            1,
            "a failure is not retried either"
        );
        bench.commands.try_send(PollCommand::PollNow).unwrap();
        bench.events.recv().await.unwrap();
        bench
            .commands
            .try_send(PollCommand::SetInterval(Some(Duration::from_secs(15))))
            .unwrap();
        bench.events.recv().await.unwrap();
        let asked = bench.backend.polled_at.lock().unwrap().clone();
        assert!(
            asked.len() == 3 && (13..=17).contains(&(asked[2] - asked[1])),
            "{asked:?}"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_day_without_the_service_takes_fewer_than_1500_polls() {
        let away = || RequestError::new_not_sent("connection refused");
        let mut bench = fixture((0..5_000).map(|_| away()).collect());
        tokio::spawn(async move { while bench.events.recv().await.is_some() {} });
        tokio::time::sleep(Duration::from_secs(24 * 3600)).await;
        let asked = bench.backend.polled_at.lock().unwrap().len();
        assert!((1_000..1_500).contains(&asked), "{asked}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_jump_of_the_clock_is_one_poll_and_missed_polls_are_not_made_up() {
        let mut bench = fixture(vec![]);
        bench.events.recv().await.unwrap();
        tokio::time::advance(Duration::from_secs(60 * 3600)).await;
        bench.events.recv().await.unwrap();
        tokio::time::sleep(Duration::from_secs(5)).await;
        assert_eq!(bench.backend.polled_at.lock().unwrap().len(), 2);
    }

    /// A client that panics.
    struct PanickingBackend(Mutex<usize>);

    impl Backend for PanickingBackend {
        fn call(
            self: Arc<Self>,
            _: ServiceCall,
            _: super::super::backend::CallContext,
        ) -> BackendFuture<Reply> {
            unreachable!("the poller only requests the stats")
        }

        fn queue_stats(self: Arc<Self>) -> BackendFuture<(QueueStats, Option<DateTime<Utc>>)> {
            Box::pin(async move {
                let asked = {
                    let mut asked = self.0.lock().unwrap();
                    *asked += 1;
                    *asked
                };
                if asked == 1 {
                    panic!("a bug")
                } else {
                    Ok((QueueStats::default(), None))
                }
            })
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_panic_in_the_client_is_reported_and_polling_continues() {
        let service: watch::Sender<Option<Arc<dyn Backend>>> =
            watch::Sender::new(Some(Arc::new(PanickingBackend(Mutex::default()))));
        let ((orders, ordered), (push, mut pushed)) = (mpsc::channel(8), mpsc::channel(64));
        orders.try_send(PollCommand::PollNow).unwrap();
        tokio::spawn(run_poller(
            Some(Duration::from_secs(15)),
            service.subscribe(),
            ordered,
            push,
            || DateTime::UNIX_EPOCH,
        ));
        let told = |event| {
            matches!(
                event,
                Some(Event::Msg(Msg::Pushed(Push::Stats { result: Ok(_), .. })))
            )
        };
        assert!(
            !told(pushed.recv().await),
            "reported like any other failure"
        );
        assert!(told(pushed.recv().await));
    }

    #[test]
    fn twenty_consoles_started_together_never_poll_ten_times_in_one_second() {
        let schedule = PollSchedule::new(Some(Duration::from_secs(30)));
        let mut asked = vec![0u32; 25 * 3600];
        for _ in 0..20 {
            // All start at once.
            let mut at = Duration::ZERO;
            let next = || schedule.next_delay(rand::random()).unwrap();
            // A team's consoles drift apart within the first minutes.
            for _ in 0..40 {
                at += next();
            }
            while at < Duration::from_secs(24 * 3600) {
                asked[at.as_secs() as usize] += 1;
                at += next();
            }
        }
        assert!(
            asked.iter().all(|asked| *asked <= 9),
            "{:?}",
            asked.iter().max()
        );
    }

    #[tokio::test(start_paused = true)]
    async fn manual_refreshes_poll_early_but_never_in_a_burst() {
        let mut bench = fixture(vec![]);
        bench.events.recv().await.unwrap();
        for _ in 0..5 {
            bench.commands.send(PollCommand::PollNow).await.unwrap();
        }
        bench.events.recv().await.unwrap();
        bench.events.recv().await.unwrap();
        let asked = bench.backend.polled_at.lock().unwrap().clone();
        assert_eq!(asked[..2], [0, 1]);
        assert!(asked[2] >= 14, "{asked:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn after_a_rejected_credential_nothing_is_polled_until_the_user_retries() {
        let mut bench = fixture(vec![http_error(401, None)]);
        bench.events.recv().await.unwrap();
        tokio::time::sleep(Duration::from_secs(24 * 3600)).await;
        assert_eq!(bench.backend.polled_at.lock().unwrap().len(), 1);
        bench.commands.send(PollCommand::PollNow).await.unwrap();
        bench.events.recv().await.unwrap();
        assert_eq!(bench.backend.polled_at.lock().unwrap().len(), 2);
    }
}
