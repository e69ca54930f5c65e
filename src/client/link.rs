//! The way to one service, shared by all that use it: how many requests may be under way, what has to wait, and how it answers.
//!
//! Never here: a request, a clock. What happened is told with its moment; [`Health`] comes out.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use chrono::{DateTime, Utc};
use tokio::sync::{Semaphore, SemaphorePermit, watch};
use tokio::time::Instant;

use crate::domain::failure::{RequestError, RequestErrorKind};
use crate::domain::health::Health;

use super::retry::Budget;

/// Requests under way at one time, in all.
const AT_ONCE: usize = 4;
/// So many sends in a row without an answer and the service is away.
const IN_A_ROW: usize = 5;
/// The same for so many within [`WINDOW`].
const IN_THE_WINDOW: usize = 3;
const WINDOW: Duration = Duration::from_secs(10);
/// Routes that every member of a workspace with the plan may ask: their 403 is about the workspace and not about the question.
const EVERYBODYS: &[&str] = &["/workspace", "/signals/queue/stats"];

/// A moment by both clocks: one for waits, one for people.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    pub(super) running: Instant,
    pub(super) wall: DateTime<Utc>,
}

#[derive(Debug)]
pub(super) struct Link {
    pub(super) budget: Arc<Budget>,
    places: Semaphore,
    health: watch::Sender<Health>,
    heard: Mutex<Heard>,
}

/// What was heard of the service.
#[derive(Debug, Default)]
struct Heard {
    /// A request has been answered with what was asked for.
    once: bool,
    /// The latest sends that got no answer, since one did.
    missed: VecDeque<Instant>,
    /// Routes that the service wants to be left alone, until when.
    holds: HashMap<String, Instant>,
    /// The credential was refused so.
    refused: Option<RequestError>,
    /// Routes whose pages are smaller than the interface says.
    limits: HashMap<String, u32>,
}

impl Link {
    pub(super) fn new(budget: Arc<Budget>) -> Link {
        Link { budget, places: Semaphore::new(AT_ONCE), health: watch::Sender::new(Health::Connecting), heard: Mutex::default() }
    }

    /// Waits for a free place. It is free again when the permit is dropped, and so is that of a request that is given up.
    pub(super) async fn place(&self) -> Option<SemaphorePermit<'_>> {
        self.places.acquire().await.ok()
    }

    /// How the service answers, as it changes.
    pub(super) fn health(&self) -> watch::Receiver<Health> {
        self.health.subscribe()
    }

    /// Nothing has come lately: a request is a trial, and not repeated.
    pub(super) fn is_offline(&self) -> bool {
        matches!(*self.health.borrow(), Health::Offline { .. })
    }

    /// The person wants it tried again with the credential that was refused.
    pub(super) fn try_again(&self) {
        if self.heard().refused.take().is_some() {
            self.tell(Health::Connecting);
        }
    }

    /// Why nothing may be sent any more.
    pub(super) fn refused(&self) -> Option<RequestError> {
        self.heard().refused.clone()
    }

    /// How long a route still has to be left alone.
    pub(super) fn hold(&self, route: &str, now: Moment) -> Option<Duration> {
        let mut heard = self.heard();
        heard.holds.retain(|_, until| *until > now.running);
        heard.holds.get(route).map(|until| *until - now.running)
    }

    /// The most rows that a route sends at once, where it has said so.
    pub(super) fn limit(&self, route: &str) -> Option<u32> {
        self.heard().limits.get(route).copied()
    }

    /// A route has said so.
    pub(super) fn learn_limit(&self, route: &str, limit: u32) {
        self.heard().limits.insert(route.to_owned(), limit);
    }

    /// An answer is long in coming.
    pub(super) fn slow(&self) {
        if matches!(*self.health.borrow(), Health::Connecting | Health::Online) {
            self.tell(Health::Slow);
        }
    }

    /// What was asked for has come.
    pub(super) fn answered(&self, now: Moment) {
        let mut heard = self.heard();
        heard.once = true;
        heard.missed.clear();
        let health = heard.waits(now).unwrap_or(Health::Online);
        drop(heard);
        self.tell(health);
    }

    /// A send came to nothing: a refusal, or no usable answer, with the time that the service wants to be left alone for.
    pub(super) fn missed(&self, route: &str, failure: &RequestError, wait: Option<Duration>, now: Moment) {
        let mut heard = self.heard();
        if let Some(wait) = wait {
            heard.holds.insert(route.to_owned(), now.running + wait);
        }
        let health = match &failure.kind {
            RequestErrorKind::Cancelled | RequestErrorKind::OverBudget | RequestErrorKind::ReadOnly => return,
            RequestErrorKind::Rejected(refusal) if refusal.status == 401 => {
                heard.refused = Some(failure.clone());
                Health::SignedOut
            }
            RequestErrorKind::Rejected(refusal) => {
                heard.missed.clear();
                let everybodys = EVERYBODYS.iter().any(|path| route.ends_with(path));
                match heard.waits(now) {
                    None if refusal.status == 403 && (everybodys || !heard.once) => Health::Forbidden(failure.message.clone()),
                    None => Health::Online,
                    Some(limited) => limited,
                }
            }
            RequestErrorKind::NotSent | RequestErrorKind::Ambiguous => {
                heard.missed.push_back(now.running);
                if heard.missed.len() > IN_A_ROW {
                    heard.missed.pop_front();
                }
                let recent = heard.missed.iter().filter(|at| now.running.duration_since(**at) <= WINDOW).count();
                match &*self.health.borrow() {
                    Health::Offline { since, .. } => Health::Offline { since: *since, reason: failure.message.clone() },
                    _ if heard.missed.len() >= IN_A_ROW || recent >= IN_THE_WINDOW => {
                        Health::Offline { since: now.wall, reason: failure.message.clone() }
                    }
                    _ => Health::Slow,
                }
            }
        };
        drop(heard);
        self.tell(health);
    }

    /// A request was given up: what never left will not leave a second later either.
    pub(super) fn gave_up(&self, failure: &RequestError, now: Moment) {
        if failure.kind == RequestErrorKind::NotSent && !self.is_offline() {
            self.tell(Health::Offline { since: now.wall, reason: failure.message.clone() });
        }
    }

    fn heard(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, health: Health) {
        self.health.send_if_modified(|known| {
            let changed = *known != health;
            *known = health;
            changed
        });
    }
}

impl Heard {
    /// The service wants something to wait.
    fn waits(&self, now: Moment) -> Option<Health> {
        let longest = self.holds.values().filter(|until| **until > now.running).max()?;
        Some(Health::RateLimited { until: now.wall + (*longest - now.running) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::failure::ServiceError;

    struct Bench {
        link: Link,
        began: Instant,
        at: Duration,
    }

    fn bench() -> Bench {
        Bench { link: Link::new(Budget::full()), began: Instant::now(), at: Duration::ZERO }
    }

    fn refused(status: u16, retry_after: Option<u64>) -> RequestError {
        let retry_after = retry_after.map(Duration::from_secs);
        RequestError {
            kind: RequestErrorKind::Rejected(ServiceError { status, retry_after, ..ServiceError::default() }),
            message: "no".to_owned(),
        }
    }

    impl Bench {
        fn now(&self) -> Moment {
            Moment { running: self.began + self.at, wall: DateTime::UNIX_EPOCH + self.at }
        }

        fn after(&mut self, seconds: u64) -> &mut Bench {
            self.at += Duration::from_secs(seconds);
            self
        }

        fn answered(&self) -> Health {
            self.link.answered(self.now());
            self.health()
        }

        fn missed(&self, failure: RequestError) -> Health {
            let wait = match &failure.kind {
                RequestErrorKind::Rejected(refusal) => refusal.retry_after,
                _ => None,
            };
            self.link.missed("GET /signals", &failure, wait, self.now());
            self.health()
        }

        fn lost(&self) -> Health {
            self.missed(RequestError::new_ambiguous("cut"))
        }

        fn health(&self) -> Health {
            self.link.health().borrow().clone()
        }
    }

    fn offline(seconds: u64) -> Health {
        Health::Offline { since: DateTime::UNIX_EPOCH + Duration::from_secs(seconds), reason: "cut".to_owned() }
    }

    #[test]
    fn three_lost_answers_within_ten_seconds_are_an_outage_and_so_are_five_in_a_row() {
        let mut bench = bench();
        assert_eq!(bench.health(), Health::Connecting);
        assert_eq!([bench.lost(), bench.lost(), bench.answered(), bench.lost()].last(), Some(&Health::Slow));
        assert_eq!(bench.after(9).lost(), Health::Slow);
        assert_eq!(bench.after(1).lost(), offline(10));
        assert_eq!(bench.after(60).lost(), offline(10), "since then");
        assert_eq!(bench.answered(), Health::Online);
        let states: Vec<_> = (0..5).map(|_| bench.after(20).lost()).collect();
        assert_eq!(states[..4], [Health::Slow, Health::Slow, Health::Slow, Health::Slow]);
        assert_eq!(states[4], offline(170));
    }

    #[test]
    fn a_request_that_never_left_is_an_outage_once_it_is_given_up() {
        let bench = bench();
        let failure = RequestError::new_not_sent("cut");
        assert_eq!(bench.missed(failure.clone()), Health::Slow);
        bench.link.gave_up(&failure, bench.now());
        assert_eq!(bench.health(), offline(0));
    }

    #[test]
    fn a_route_is_left_alone_for_as_long_as_the_service_says() {
        let mut bench = bench();
        assert_eq!(
            bench.missed(refused(429, Some(30))),
            Health::RateLimited { until: DateTime::UNIX_EPOCH + Duration::from_secs(30) }
        );
        bench.after(10);
        assert_eq!(bench.link.hold("GET /signals", bench.now()), Some(Duration::from_secs(20)));
        assert_eq!(bench.link.hold("GET /workspace", bench.now()), None);
        assert!(matches!(bench.answered(), Health::RateLimited { .. }), "another route's answer does not end it");
        bench.after(20);
        assert_eq!(bench.link.hold("GET /signals", bench.now()), None);
        assert_eq!(bench.answered(), Health::Online);
    }

    #[test]
    fn after_a_refused_credential_nothing_may_be_sent_until_the_person_acts() {
        let bench = bench();
        bench.answered();
        assert_eq!(bench.missed(refused(401, None)), Health::SignedOut);
        assert_eq!(bench.link.refused(), Some(refused(401, None)));
        bench.link.try_again();
        assert_eq!((bench.link.refused(), bench.health()), (None, Health::Connecting));
    }

    #[test]
    fn a_refusal_of_one_question_is_no_trouble_with_the_service_and_one_of_everything_is() {
        let bench = bench();
        assert_eq!(bench.missed(refused(403, None)), Health::Forbidden("no".to_owned()));
        bench.answered();
        assert_eq!(bench.missed(refused(403, None)), Health::Online);
        assert_eq!(bench.missed(refused(404, None)), Health::Online);
        bench.link.missed("GET /signals/queue/stats", &refused(403, None), None, bench.now());
        assert_eq!(bench.health(), Health::Forbidden("no".to_owned()));
    }

    #[tokio::test]
    async fn four_requests_are_under_way_at_most() {
        let link = Link::new(Budget::full());
        let mut held = Vec::new();
        for _ in 0..AT_ONCE {
            held.push(link.place().await.unwrap());
        }
        assert!(futures_util::FutureExt::now_or_never(link.place()).is_none());
        held.pop();
        assert!(futures_util::FutureExt::now_or_never(link.place()).is_some());
    }
}
