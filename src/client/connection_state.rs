//! Shared state of the connection to one service: concurrency limit, rate limits, health.
//!
//! Never here: a request, a clock. Every event is passed in with its time; [`Health`] comes out.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use chrono::{DateTime, Utc};
use tokio::sync::{Semaphore, SemaphorePermit, watch};
use tokio::time::Instant;

use crate::domain::health::Health;
use crate::domain::request_error::{RequestError, RequestErrorKind};
use crate::interface::{AllowedCallers, RouteId};

use super::retry_policy::RetryBudget;

/// Maximum number of concurrent requests.
const MAX_CONCURRENT_REQUESTS: usize = 4;
/// The service counts as offline after this many failed sends in a row.
const MAX_FAILURES_IN_A_ROW: usize = 5;
/// The same for failures within [`FAILURE_WINDOW`].
const MAX_FAILURES_IN_WINDOW: usize = 3;
const FAILURE_WINDOW: Duration = Duration::from_secs(10);
/// Routes open to every member of a workspace with the plan: a 403 there concerns the workspace,
/// not the request.
const MEMBER_ROUTES: [RouteId; 2] = [RouteId::ShowWorkspace, RouteId::ShowQueueStats];

/// A time on both clocks: monotonic for waits, wall time for people.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timestamp {
    pub(super) monotonic: Instant,
    pub(super) wall: DateTime<Utc>,
}

#[derive(Debug)]
pub(super) struct ConnectionState {
    pub(super) budget: Arc<RetryBudget>,
    permits: Semaphore,
    health: watch::Sender<Health>,
    history: Mutex<ResponseHistory>,
}

/// What is known about the service from its responses.
#[derive(Debug, Default)]
struct ResponseHistory {
    /// At least one request has succeeded.
    has_succeeded: bool,
    /// Failed sends since the last response.
    failures: VecDeque<Instant>,
    /// Rate-limited routes and when they may be used again.
    retry_after: HashMap<String, Instant>,
    /// The failure that rejected the credential.
    auth_failure: Option<RequestError>,
    /// Routes whose pages are smaller than the interface documents.
    page_limits: HashMap<String, u32>,
}

impl ConnectionState {
    pub(super) fn new(budget: Arc<RetryBudget>) -> ConnectionState {
        ConnectionState {
            budget,
            permits: Semaphore::new(MAX_CONCURRENT_REQUESTS),
            health: watch::Sender::new(Health::Connecting),
            history: Mutex::default(),
        }
    }

    /// Waits for a free slot. Dropping the permit, also by cancelling the request, releases it.
    pub(super) async fn acquire(&self) -> Option<SemaphorePermit<'_>> {
        self.permits.acquire().await.ok()
    }

    pub(super) fn health(&self) -> watch::Receiver<Health> {
        self.health.subscribe()
    }

    /// Nothing has been received lately: the next request is a probe and is not retried.
    pub(super) fn is_offline(&self) -> bool {
        matches!(*self.health.borrow(), Health::Offline { .. })
    }

    /// Allows the rejected credential to be sent once more, because the person asked for it.
    pub(super) fn retry_credential(&self) {
        if self.history().auth_failure.take().is_some() {
            self.set_health(Health::Connecting);
        }
    }

    /// Why nothing may be sent any more: the credential was rejected.
    pub(super) fn auth_failure(&self) -> Option<RequestError> {
        self.history().auth_failure.clone()
    }

    /// How long a route is still rate limited.
    pub(super) fn throttled_for(&self, route: &str, now: Timestamp) -> Option<Duration> {
        let mut heard = self.history();
        heard.retry_after.retain(|_, until| *until > now.monotonic);
        heard
            .retry_after
            .get(route)
            .map(|until| *until - now.monotonic)
    }

    /// The largest page a route accepts, where it has reported one.
    pub(super) fn page_limit(&self, route: &str) -> Option<u32> {
        self.history().page_limits.get(route).copied()
    }

    pub(super) fn set_page_limit(&self, route: &str, limit: u32) {
        self.history().page_limits.insert(route.to_owned(), limit);
    }

    /// Records that a response is slow.
    pub(super) fn record_slow(&self) {
        if matches!(*self.health.borrow(), Health::Connecting | Health::Online) {
            self.set_health(Health::Slow);
        }
    }

    pub(super) fn record_success(&self, now: Timestamp) {
        let mut heard = self.history();
        heard.has_succeeded = true;
        heard.failures.clear();
        let health = heard.rate_limit(now).unwrap_or(Health::Online);
        drop(heard);
        self.set_health(health);
    }

    /// Records a failed send: a rejection or no usable response, with the `Retry-After` if there
    /// was one.
    pub(super) fn record_failure(
        &self,
        route: &str,
        failure: &RequestError,
        wait: Option<Duration>,
        now: Timestamp,
    ) {
        let mut heard = self.history();
        if let Some(wait) = wait {
            heard
                .retry_after
                .insert(route.to_owned(), now.monotonic + wait);
        }
        let health = match &failure.kind {
            RequestErrorKind::Cancelled
            | RequestErrorKind::OverBudget
            | RequestErrorKind::ReadOnly
            | RequestErrorKind::NotJournaled => return,
            RequestErrorKind::Rejected(refusal)
                if refusal.status == 401 && !needs_person(route) =>
            {
                heard.auth_failure = Some(failure.clone());
                Health::SignedOut
            }
            RequestErrorKind::Rejected(refusal) => {
                heard.failures.clear();
                let everybodys = find_route(route).is_some_and(|id| MEMBER_ROUTES.contains(&id));
                match heard.rate_limit(now) {
                    None if refusal.status == 403 && (everybodys || !heard.has_succeeded) => {
                        Health::Forbidden(failure.message.clone())
                    }
                    None => Health::Online,
                    Some(limited) => limited,
                }
            }
            RequestErrorKind::NotSent | RequestErrorKind::Ambiguous => {
                heard.failures.push_back(now.monotonic);
                if heard.failures.len() > MAX_FAILURES_IN_A_ROW {
                    heard.failures.pop_front();
                }
                let recent = heard
                    .failures
                    .iter()
                    .filter(|at| now.monotonic.duration_since(**at) <= FAILURE_WINDOW)
                    .count();
                match &*self.health.borrow() {
                    Health::Offline { since, .. } => Health::Offline {
                        since: *since,
                        reason: failure.message.clone(),
                    },
                    _ if heard.failures.len() >= MAX_FAILURES_IN_A_ROW
                        || recent >= MAX_FAILURES_IN_WINDOW =>
                    {
                        Health::Offline {
                            since: now.wall,
                            reason: failure.message.clone(),
                        }
                    }
                    _ => Health::Slow,
                }
            }
        };
        drop(heard);
        self.set_health(health);
    }

    /// Records that a request was given up: what could not be sent now cannot be sent a second
    /// later either.
    pub(super) fn record_give_up(&self, failure: &RequestError, now: Timestamp) {
        if failure.kind == RequestErrorKind::NotSent && !self.is_offline() {
            self.set_health(Health::Offline {
                since: now.wall,
                reason: failure.message.clone(),
            });
        }
    }

    fn history(&self) -> MutexGuard<'_, ResponseHistory> {
        self.history.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set_health(&self, health: Health) {
        self.health.send_if_modified(|known| {
            let changed = *known != health;
            *known = health;
            changed
        });
    }
}

/// Whether a route needs the token of a person: a 401 there does not reject a key, which the others
/// accept.
pub(super) fn needs_person(route: &str) -> bool {
    find_route(route).is_some_and(|id| id.route().callers == AllowedCallers::Users)
}

fn find_route(route: &str) -> Option<RouteId> {
    let (method, path) = route.split_once(' ')?;
    RouteId::find(method, path)
}

impl ResponseHistory {
    /// The latest time until which any route is rate limited.
    fn rate_limit(&self, now: Timestamp) -> Option<Health> {
        let longest = self
            .retry_after
            .values()
            .filter(|until| **until > now.monotonic)
            .max()?;
        Some(Health::RateLimited {
            until: now.wall + (*longest - now.monotonic),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::request_error::ServiceError;

    struct ConnectionFixture {
        connection: ConnectionState,
        start: Instant,
        elapsed: Duration,
    }

    fn fixture() -> ConnectionFixture {
        ConnectionFixture {
            connection: ConnectionState::new(RetryBudget::new_full()),
            start: Instant::now(),
            elapsed: Duration::ZERO,
        }
    }

    fn http_error(status: u16, retry_after: Option<u64>) -> RequestError {
        let retry_after = retry_after.map(Duration::from_secs);
        RequestError {
            kind: RequestErrorKind::Rejected(ServiceError {
                status,
                retry_after,
                ..ServiceError::default()
            }),
            message: "no".to_owned(),
        }
    }

    impl ConnectionFixture {
        fn now(&self) -> Timestamp {
            Timestamp {
                monotonic: self.start + self.elapsed,
                wall: DateTime::UNIX_EPOCH + self.elapsed,
            }
        }

        fn advance(&mut self, seconds: u64) -> &mut ConnectionFixture {
            self.elapsed += Duration::from_secs(seconds);
            self
        }

        fn succeed(&self) -> Health {
            self.connection.record_success(self.now());
            self.health()
        }

        fn fail(&self, failure: RequestError) -> Health {
            let wait = match &failure.kind {
                RequestErrorKind::Rejected(refusal) => refusal.retry_after,
                _ => None,
            };
            self.connection
                .record_failure("GET /signals", &failure, wait, self.now());
            self.health()
        }

        fn lose_response(&self) -> Health {
            self.fail(RequestError::new_ambiguous("cut"))
        }

        fn health(&self) -> Health {
            self.connection.health().borrow().clone()
        }
    }

    fn offline_since(seconds: u64) -> Health {
        Health::Offline {
            since: DateTime::UNIX_EPOCH + Duration::from_secs(seconds),
            reason: "cut".to_owned(),
        }
    }

    #[test]
    fn three_lost_answers_within_ten_seconds_are_an_outage_and_so_are_five_in_a_row() {
        let mut bench = fixture();
        assert_eq!(bench.health(), Health::Connecting);
        assert_eq!(
            [
                bench.lose_response(),
                bench.lose_response(),
                bench.succeed(),
                bench.lose_response()
            ]
            .last(),
            Some(&Health::Slow)
        );
        assert_eq!(bench.advance(9).lose_response(), Health::Slow);
        assert_eq!(bench.advance(1).lose_response(), offline_since(10));
        assert_eq!(
            bench.advance(60).lose_response(),
            offline_since(10),
            "since then"
        );
        assert_eq!(bench.succeed(), Health::Online);
        let states: Vec<_> = (0..5).map(|_| bench.advance(20).lose_response()).collect();
        assert_eq!(
            states[..4],
            [Health::Slow, Health::Slow, Health::Slow, Health::Slow]
        );
        assert_eq!(states[4], offline_since(170));
    }

    #[test]
    fn a_request_that_was_never_sent_is_an_outage_once_it_is_given_up() {
        let bench = fixture();
        let failure = RequestError::new_not_sent("cut");
        assert_eq!(bench.fail(failure.clone()), Health::Slow);
        bench.connection.record_give_up(&failure, bench.now());
        assert_eq!(bench.health(), offline_since(0));
    }

    #[test]
    fn a_rate_limited_route_is_not_called_until_its_retry_after_ends() {
        let mut bench = fixture();
        assert_eq!(
            bench.fail(http_error(429, Some(30))),
            Health::RateLimited {
                until: DateTime::UNIX_EPOCH + Duration::from_secs(30)
            }
        );
        bench.advance(10);
        assert_eq!(
            bench.connection.throttled_for("GET /signals", bench.now()),
            Some(Duration::from_secs(20))
        );
        assert_eq!(
            bench
                .connection
                .throttled_for("GET /workspace", bench.now()),
            None
        );
        assert!(
            matches!(bench.succeed(), Health::RateLimited { .. }),
            "another route's answer does not end it"
        );
        bench.advance(20);
        assert_eq!(
            bench.connection.throttled_for("GET /signals", bench.now()),
            None
        );
        assert_eq!(bench.succeed(), Health::Online);
    }

    #[test]
    fn after_a_rejected_credential_nothing_is_sent_until_the_user_retries() {
        let bench = fixture();
        bench.succeed();
        assert_eq!(bench.fail(http_error(401, None)), Health::SignedOut);
        assert_eq!(bench.connection.auth_failure(), Some(http_error(401, None)));
        bench.connection.retry_credential();
        assert_eq!(
            (bench.connection.auth_failure(), bench.health()),
            (None, Health::Connecting)
        );
    }

    #[test]
    fn a_401_of_a_route_that_needs_a_person_does_not_end_the_session_of_a_key() {
        let bench = fixture();
        bench.succeed();
        for route in [
            "GET /workspace/favorite-views",
            "POST /workspace/favorite-views/upsert",
        ] {
            bench
                .connection
                .record_failure(route, &http_error(401, None), None, bench.now());
            assert_eq!(
                (bench.connection.auth_failure(), bench.health()),
                (None, Health::Online),
                "{route}"
            );
        }
    }

    #[test]
    fn a_403_means_forbidden_only_from_a_member_route_or_before_any_success() {
        let bench = fixture();
        assert_eq!(
            bench.fail(http_error(403, None)),
            Health::Forbidden("no".to_owned())
        );
        bench.succeed();
        assert_eq!(bench.fail(http_error(403, None)), Health::Online);
        assert_eq!(bench.fail(http_error(404, None)), Health::Online);
        bench.connection.record_failure(
            "GET /signals/queue/stats",
            &http_error(403, None),
            None,
            bench.now(),
        );
        assert_eq!(bench.health(), Health::Forbidden("no".to_owned()));
    }

    #[tokio::test]
    async fn at_most_four_requests_run_at_once() {
        let link = ConnectionState::new(RetryBudget::new_full());
        let mut held = Vec::new();
        for _ in 0..MAX_CONCURRENT_REQUESTS {
            held.push(link.acquire().await.unwrap());
        }
        assert!(futures_util::FutureExt::now_or_never(link.acquire()).is_none());
        held.pop();
        assert!(futures_util::FutureExt::now_or_never(link.acquire()).is_some());
    }
}
