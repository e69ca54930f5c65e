//! The polling task: asks for the counts of the queue, and for nothing else, for as long as the console is open.
//!
//! [`Schedule`] decides when, as a function of what happened; [`run`] sleeps and asks. Sleeping is by the machine's running time:
//! a laptop that was shut for a night asks once when it wakes.
//!
//! Never here: what the counts mean, rows, and anything that may cost a credit.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use futures_util::FutureExt as _;
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

use super::ask::Service;
use super::event::Event;
use crate::app::msg::{Msg, Push};
use crate::domain::failure::{RequestError, RequestErrorKind};
use crate::domain::health::Health;

/// The shortest and the longest interval that can be asked for.
pub const INTERVALS: std::ops::RangeInclusive<Duration> = Duration::from_secs(5)..=Duration::from_secs(300);
/// Seconds to the next try after one, two, … failures in a row.
const BACKOFF: [u64; 7] = [1, 2, 4, 8, 16, 30, 60];
/// However often the person asks, two questions are so far apart.
const APART: Duration = Duration::from_secs(1);
/// Clocks that differ by less agree: the header has whole seconds and took its time to arrive.
const AGREED: TimeDelta = TimeDelta::seconds(2);

/// An order to the polling task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Ask now.
    Now,
    /// Ask at this interval from now on.
    Every(Duration),
}

/// When to ask next.
#[derive(Clone, Debug)]
pub struct Schedule {
    every: Duration,
    failures: usize,
    /// The service said when to come again.
    told: Duration,
    /// The credential was refused: only the person can change that.
    stopped: bool,
}

impl Schedule {
    /// A schedule at this interval.
    pub fn new(every: Duration) -> Self {
        let mut schedule = Schedule { every, failures: 0, told: Duration::ZERO, stopped: false };
        schedule.every(every);
        schedule
    }

    /// Another interval, within [`INTERVALS`].
    pub fn every(&mut self, every: Duration) {
        self.every = every.clamp(*INTERVALS.start(), *INTERVALS.end());
    }

    /// The person acted: a refused credential may have been replaced.
    pub fn asked(&mut self) {
        self.stopped = false;
    }

    /// The service answered.
    pub fn answered(&mut self) {
        (self.failures, self.told, self.stopped) = (0, Duration::ZERO, false);
    }

    /// The service did not answer, or refused.
    pub fn failed(&mut self, failure: &RequestError) {
        self.failures += 1;
        self.stopped = matches!(failure.status(), Some(401 | 403));
        self.told = match &failure.kind {
            RequestErrorKind::Rejected(refusal) => refusal.retry_after.unwrap_or_default(),
            _ => Duration::ZERO,
        };
    }

    /// How long to wait before asking, with chance from 0 to 1 spreading the consoles of a team; for ever when stopped.
    pub fn pause(&self, chance: f64) -> Option<Duration> {
        if self.stopped {
            return None;
        }
        let spread = |middle: Duration, part: f64| middle.mul_f64(1.0 - part + 2.0 * part * chance.clamp(0.0, 1.0));
        let pause = match self.failures.checked_sub(1) {
            None => spread(self.every, 0.1),
            Some(n) => spread(Duration::from_secs(BACKOFF.get(n).copied().unwrap_or(60)), 0.2),
        };
        Some(pause.max(self.told))
    }

    /// The least wait before asking when the person wants it now.
    pub fn least(&self) -> Duration {
        self.told.max(APART)
    }
}

/// Polls until nobody listens. Asks at once when a service is there, and whenever another takes its place.
pub async fn run(
    every: Duration,
    mut service: watch::Receiver<Option<Arc<dyn Service>>>,
    mut orders: mpsc::Receiver<Order>,
    events: mpsc::Sender<Event>,
    now: fn() -> DateTime<Utc>,
) {
    let mut schedule = Schedule::new(every);
    let mut last: Option<Instant> = None;
    let mut next = Some(Instant::now());
    loop {
        let asked = service.borrow_and_update().clone();
        tokio::select! {
            changed = service.changed() => {
                if changed.is_err() {
                    return;
                }
                schedule = Schedule::new(schedule.every);
                next = Some(Instant::now());
                continue;
            }
            order = orders.recv() => {
                match order {
                    None => return,
                    Some(Order::Every(every)) => {
                        schedule.every(every);
                        next = next.and(schedule.pause(rand::random())).map(|pause| last.unwrap_or_else(Instant::now) + pause);
                    }
                    Some(Order::Now) => {
                        schedule.asked();
                        let earliest = last.map_or_else(Instant::now, |last| last + schedule.least());
                        next = Some(next.map_or(earliest, |next| next.min(earliest)));
                    }
                }
                continue;
            }
            () = until(next), if asked.is_some() => {}
        }
        let Some(asked) = asked else { continue };
        // A bug in the client must not end the polling: a screen that says nothing new would look like a quiet day.
        let result = AssertUnwindSafe(asked.stats()).catch_unwind().await;
        let result =
            result.unwrap_or_else(|_| Err(RequestError::new_ambiguous("gantry hit a bug while it asked; the log says where")));
        last = Some(Instant::now());
        let (result, skew) = match result {
            Ok((stats, date)) => {
                schedule.answered();
                (Ok(stats), skew(date, now()))
            }
            Err(failure) => {
                schedule.failed(&failure);
                (Err(failure), TimeDelta::zero())
            }
        };
        next = schedule.pause(rand::random()).map(|pause| Instant::now() + pause);
        if events.send(Event::Msg(Msg::Pushed(Push::Stats { result, skew }))).await.is_err() {
            return;
        }
    }
}

/// Tells how the service answers, and how whoever takes its place does, until nobody listens.
pub async fn watch_health(mut service: watch::Receiver<Option<Arc<dyn Service>>>, events: mpsc::Sender<Event>) {
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
            // A service that tells nothing has dropped its end.
            Ok(()) = health.changed() => {
                let health = health.borrow_and_update().clone();
                if events.send(Event::Msg(Msg::Pushed(Push::Health(health)))).await.is_err() {
                    return;
                }
            }
        }
    }
}

async fn until(next: Option<Instant>) {
    match next {
        Some(next) => tokio::time::sleep_until(next).await,
        None => std::future::pending().await,
    }
}

/// How far the service's clock is ahead, where it is worth a word.
fn skew(date: Option<DateTime<Utc>>, now: DateTime<Utc>) -> TimeDelta {
    date.map(|date| date - now).filter(|skew| skew.abs() >= AGREED).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::app::effect::Call;
    use crate::app::msg::Reply;
    use crate::domain::failure::ServiceError;
    use crate::domain::queue::QueueStats;
    use crate::runtime::ask::Answering;

    fn refused(status: u16, retry_after: Option<u64>) -> RequestError {
        let retry_after = retry_after.map(Duration::from_secs);
        RequestError {
            kind: RequestErrorKind::Rejected(ServiceError { status, retry_after, ..ServiceError::default() }),
            message: String::new(),
        }
    }

    #[test]
    fn the_interval_is_spread_by_a_tenth_and_stays_between_five_seconds_and_five_minutes() {
        let schedule = Schedule::new(Duration::from_secs(20));
        assert_eq!(schedule.pause(0.0), Some(Duration::from_secs(18)));
        assert_eq!(schedule.pause(1.0), Some(Duration::from_secs(22)));
        assert_eq!(Schedule::new(Duration::from_secs(1)).pause(0.5), Some(Duration::from_secs(5)));
        assert_eq!(Schedule::new(Duration::from_secs(9999)).pause(0.5), Some(Duration::from_secs(300)));
    }

    #[test]
    fn failures_are_followed_by_longer_and_longer_waits_until_an_answer() {
        let mut schedule = Schedule::new(Duration::from_secs(15));
        let mut waits = Vec::new();
        for _ in 0..9 {
            schedule.failed(&RequestError::new_not_sent("refused"));
            waits.push(schedule.pause(0.5).unwrap().as_secs());
        }
        assert_eq!(waits, [1, 2, 4, 8, 16, 30, 60, 60, 60]);
        schedule.answered();
        assert_eq!(schedule.pause(0.5), Some(Duration::from_secs(15)));
    }

    #[test]
    fn a_refused_credential_stops_the_questions_until_the_person_acts() {
        let mut schedule = Schedule::new(Duration::from_secs(15));
        schedule.failed(&refused(401, None));
        assert_eq!(schedule.pause(0.5), None);
        schedule.asked();
        assert!(schedule.pause(0.5).is_some());
    }

    #[test]
    fn a_service_that_says_when_to_come_again_is_not_asked_earlier() {
        let mut schedule = Schedule::new(Duration::from_secs(15));
        schedule.failed(&refused(429, Some(90)));
        assert_eq!(schedule.pause(0.0), Some(Duration::from_secs(90)));
        assert_eq!(schedule.least(), Duration::from_secs(90));
    }

    #[test]
    fn clocks_that_differ_by_less_than_two_seconds_agree() {
        let now: DateTime<Utc> = "2026-07-09T12:00:00Z".parse().unwrap();
        assert_eq!(skew(Some(now + TimeDelta::milliseconds(1900)), now), TimeDelta::zero());
        assert_eq!(skew(Some(now - TimeDelta::hours(2)), now), TimeDelta::hours(-2));
        assert_eq!(skew(None, now), TimeDelta::zero());
    }

    /// Writes down when it was asked, and answers what the test wants.
    struct Diary {
        began: Instant,
        asked: Mutex<Vec<u64>>,
        answers: Mutex<Vec<RequestError>>,
    }

    impl Service for Diary {
        fn ask(self: Arc<Self>, _: Call, _: super::super::ask::Why) -> Answering<Reply> {
            unreachable!("the polling task asks for the stats alone")
        }

        fn stats(self: Arc<Self>) -> Answering<(QueueStats, Option<DateTime<Utc>>)> {
            self.asked.lock().unwrap().push(self.began.elapsed().as_secs());
            let answer = self.answers.lock().unwrap().pop().map_or_else(|| Ok((QueueStats::default(), None)), Err);
            Box::pin(async move { answer })
        }
    }

    struct Bench {
        diary: Arc<Diary>,
        orders: mpsc::Sender<Order>,
        pushed: mpsc::Receiver<Event>,
        _service: watch::Sender<Option<Arc<dyn Service>>>,
    }

    fn bench(answers: Vec<RequestError>) -> Bench {
        let diary = Arc::new(Diary { began: Instant::now(), asked: Mutex::default(), answers: Mutex::new(answers) });
        let service: watch::Sender<Option<Arc<dyn Service>>> = watch::Sender::new(Some(diary.clone()));
        let (orders, ordered) = mpsc::channel(8);
        let (push, pushed) = mpsc::channel(64);
        tokio::spawn(run(Duration::from_secs(15), service.subscribe(), ordered, push, || DateTime::UNIX_EPOCH));
        Bench { diary, orders, pushed, _service: service }
    }

    #[tokio::test(start_paused = true)]
    async fn the_counts_are_asked_for_at_once_and_then_at_the_interval() {
        let mut bench = bench(vec![]);
        for _ in 0..5 {
            bench.pushed.recv().await.unwrap();
        }
        let asked = bench.diary.asked.lock().unwrap().clone();
        assert_eq!(asked[0], 0);
        assert!(asked.windows(2).all(|pair| (13..=17).contains(&(pair[1] - pair[0]))), "{asked:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_day_without_the_service_is_fewer_than_1500_questions() {
        let away = || RequestError::new_not_sent("connection refused");
        let mut bench = bench((0..5_000).map(|_| away()).collect());
        tokio::spawn(async move { while bench.pushed.recv().await.is_some() {} });
        tokio::time::sleep(Duration::from_secs(24 * 3600)).await;
        let asked = bench.diary.asked.lock().unwrap().len();
        assert!((1_000..1_500).contains(&asked), "{asked}");
    }

    #[tokio::test(start_paused = true)]
    async fn time_that_jumped_is_one_question_and_not_those_that_were_missed() {
        let mut bench = bench(vec![]);
        bench.pushed.recv().await.unwrap();
        tokio::time::advance(Duration::from_secs(60 * 3600)).await;
        bench.pushed.recv().await.unwrap();
        tokio::time::sleep(Duration::from_secs(5)).await;
        assert_eq!(bench.diary.asked.lock().unwrap().len(), 2);
    }

    /// A bug in the client.
    struct Broken(Mutex<usize>);

    impl Service for Broken {
        fn ask(self: Arc<Self>, _: Call, _: super::super::ask::Why) -> Answering<Reply> {
            unreachable!("the polling task asks for the stats alone")
        }

        fn stats(self: Arc<Self>) -> Answering<(QueueStats, Option<DateTime<Utc>>)> {
            Box::pin(async move {
                let asked = {
                    let mut asked = self.0.lock().unwrap();
                    *asked += 1;
                    *asked
                };
                if asked == 1 { panic!("a bug") } else { Ok((QueueStats::default(), None)) }
            })
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_bug_in_the_client_is_told_and_the_polls_go_on() {
        let service: watch::Sender<Option<Arc<dyn Service>>> = watch::Sender::new(Some(Arc::new(Broken(Mutex::default()))));
        let ((_orders, ordered), (push, mut pushed)) = (mpsc::channel(8), mpsc::channel(64));
        tokio::spawn(run(Duration::from_secs(15), service.subscribe(), ordered, push, || DateTime::UNIX_EPOCH));
        let told = |event| matches!(event, Some(Event::Msg(Msg::Pushed(Push::Stats { result: Ok(_), .. }))));
        assert!(!told(pushed.recv().await), "it is a failure like any other");
        assert!(told(pushed.recv().await));
    }

    #[test]
    fn twenty_screens_that_are_switched_on_together_come_apart_and_never_ask_ten_times_in_one_second() {
        let schedule = Schedule::new(Duration::from_secs(30));
        let mut asked = vec![0u32; 25 * 3600];
        for _ in 0..20 {
            // All are switched on at once.
            let mut at = Duration::ZERO;
            let next = || schedule.pause(rand::random()).unwrap();
            // A team's screens come apart within the first minutes.
            for _ in 0..40 {
                at += next();
            }
            while at < Duration::from_secs(24 * 3600) {
                asked[at.as_secs() as usize] += 1;
                at += next();
            }
        }
        assert!(asked.iter().all(|asked| *asked <= 9), "{:?}", asked.iter().max());
    }

    #[tokio::test(start_paused = true)]
    async fn the_person_does_not_wait_for_the_interval_and_cannot_cause_a_storm() {
        let mut bench = bench(vec![]);
        bench.pushed.recv().await.unwrap();
        for _ in 0..5 {
            bench.orders.send(Order::Now).await.unwrap();
        }
        bench.pushed.recv().await.unwrap();
        bench.pushed.recv().await.unwrap();
        let asked = bench.diary.asked.lock().unwrap().clone();
        assert_eq!(asked[..2], [0, 1]);
        assert!(asked[2] >= 14, "{asked:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn after_a_refused_credential_nothing_is_asked_until_the_person_acts() {
        let mut bench = bench(vec![refused(401, None)]);
        bench.pushed.recv().await.unwrap();
        tokio::time::sleep(Duration::from_secs(24 * 3600)).await;
        assert_eq!(bench.diary.asked.lock().unwrap().len(), 1);
        bench.orders.send(Order::Now).await.unwrap();
        bench.pushed.recv().await.unwrap();
        assert_eq!(bench.diary.asked.lock().unwrap().len(), 2);
    }
}
