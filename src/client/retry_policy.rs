//! Retry policy: per-route class, back-off and retry budget.

use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;

use chrono::{DateTime, Utc};

use crate::interface::RetryClass;

/// Maximum number of sends of one request.
pub(super) const MAX_SENDS: u32 = 3;
/// How often a list is requested again with a smaller limit.
pub(super) const MAX_LIMIT_RETRIES: u32 = 2;
/// The longest `Retry-After` worth waiting for while a person waits; a longer one is reported.
pub(super) const MAX_INTERACTIVE_WAIT: Duration = Duration::from_secs(5);
/// Assumed for a 429 without a usable `Retry-After`.
pub(super) const DEFAULT_RETRY_AFTER: Duration = Duration::from_secs(30);
/// Longer `Retry-After` values are cut to this.
pub(super) const MAX_RETRY_AFTER: Duration = Duration::from_secs(24 * 60 * 60);
/// What a retry takes from the [`RetryBudget`].
pub(super) const RETRY_COST: u32 = 5;
/// Shortest pause between two sends.
const MIN_BACKOFF: Duration = Duration::from_millis(100);

/// How one send failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AttemptError {
    /// Nothing left this machine.
    NotSent,
    /// Reset, cut, 408, 5xx: it may have been applied.
    Lost,
    /// A 2xx that is not the expected JSON.
    Unusable,
    /// 429: certainly not applied.
    Later,
    /// A retry would not help: a rejection, TLS, a redirect, a web page, the timeout that a person
    /// waits for, a response that stalls or is too large.
    Final,
}

impl RetryClass {
    /// How often a request of this class may be sent in total after this error.
    pub(super) fn max_sends(self, trouble: AttemptError) -> u32 {
        match (trouble, self) {
            (AttemptError::Final, _) => 1,
            (AttemptError::NotSent | AttemptError::Later, _) => MAX_SENDS,
            (
                AttemptError::Lost,
                RetryClass::FreeRead
                | RetryClass::Idempotent
                | RetryClass::Delete
                | RetryClass::WithIdempotencyKey,
            ) => MAX_SENDS,
            (AttemptError::Lost, RetryClass::PaidRead) => 2,
            (AttemptError::Unusable, RetryClass::FreeRead) => 2,
            (AttemptError::Lost, RetryClass::NonIdempotent) | (AttemptError::Unusable, _) => 1,
        }
    }
}

/// The pause after this many sends: random, up to half a second, doubling each time. `chance` is
/// from 0 to 1.
pub(super) fn backoff(sends: u32, chance: f64) -> Duration {
    let longest =
        Duration::from_millis(500 << sends.saturating_sub(1).min(5)).min(Duration::from_secs(20));
    MIN_BACKOFF + (longest - MIN_BACKOFF).mul_f64(chance)
}

/// The wait for a `Retry-After`: up to a fifth longer, so that not all clients return at once.
pub(super) fn add_jitter(asked: Duration, chance: f64) -> Duration {
    asked.mul_f64(1.0 + 0.2 * chance)
}

/// Parses a `Retry-After`: seconds, or a date by the sender's clock. Anything else is
/// [`DEFAULT_RETRY_AFTER`].
pub(super) fn parse_retry_after(header: Option<&str>, now: DateTime<Utc>) -> Duration {
    let text = header.unwrap_or_default().trim();
    let seconds = || text.parse().ok().map(Duration::from_secs);
    let date = || {
        let at = DateTime::parse_from_rfc2822(text).ok()?;
        Some((at.with_timezone(&Utc) - now).to_std().unwrap_or_default())
    };
    seconds()
        .or_else(date)
        .unwrap_or(DEFAULT_RETRY_AFTER)
        .min(MAX_RETRY_AFTER)
}

/// Retries that are still allowed: an outage must not cause more requests than a normal day.
#[derive(Debug)]
pub(super) struct RetryBudget(Mutex<u32>);

impl RetryBudget {
    const CAPACITY: u32 = 100;

    pub(super) fn new_full() -> Arc<RetryBudget> {
        Arc::new(RetryBudget(Mutex::new(RetryBudget::CAPACITY)))
    }

    /// The budget shared by the whole process.
    pub(super) fn process_wide() -> Arc<RetryBudget> {
        static BUDGET: LazyLock<Arc<RetryBudget>> = LazyLock::new(RetryBudget::new_full);
        BUDGET.clone()
    }

    /// Takes the price of a retry; false if too little is left.
    pub(super) fn try_spend(&self, price: u32) -> bool {
        let mut left = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let after = left.checked_sub(price);
        *left = after.unwrap_or(*left);
        after.is_some()
    }

    /// A response came after retries of this price: refund them.
    pub(super) fn refill(&self, spent: u32) {
        let mut left = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *left = (*left + spent.max(1)).min(RetryBudget::CAPACITY);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lost_write_is_retried_only_where_a_retry_changes_nothing() {
        for (class, lost) in [
            (RetryClass::FreeRead, 3),
            (RetryClass::PaidRead, 2),
            (RetryClass::Idempotent, 3),
            (RetryClass::Delete, 3),
            (RetryClass::WithIdempotencyKey, 3),
            (RetryClass::NonIdempotent, 1),
        ] {
            assert_eq!(class.max_sends(AttemptError::Lost), lost, "{class:?}");
            assert_eq!(
                (
                    class.max_sends(AttemptError::NotSent),
                    class.max_sends(AttemptError::Final)
                ),
                (3, 1),
                "{class:?}"
            );
        }
        assert_eq!(
            RetryClass::PaidRead.max_sends(AttemptError::Unusable),
            1,
            "a lost answer may have been paid for"
        );
    }

    #[test]
    fn backoff_is_between_100_ms_and_a_bound_that_doubles() {
        let bounds = |sends| {
            (
                backoff(sends, 0.0).as_millis(),
                backoff(sends, 1.0).as_millis(),
            )
        };
        assert_eq!(
            [1, 2, 3, 9].map(bounds),
            [(100, 500), (100, 1_000), (100, 2_000), (100, 16_000)]
        );
    }

    #[test]
    fn retry_after_is_seconds_or_a_date_and_defaults_to_30_seconds() {
        let now = "2026-10-21T07:27:00Z".parse().unwrap();
        for (header, seconds) in [
            (Some("7"), 7),
            (Some("0"), 0),
            (Some("999999999"), 86_400),
            (Some("Wed, 21 Oct 2026 07:28:00 GMT"), 60),
            (Some("Wed, 21 Oct 2026 07:26:00 GMT"), 0),
            (Some("Wed, 21 Oct 2099 07:28:00 GMT"), 86_400),
            (None, 30),
            (Some(""), 30),
            (Some("-1"), 30),
            (Some("soon"), 30),
            (Some("1.5"), 30),
        ] {
            assert_eq!(
                parse_retry_after(header, now),
                Duration::from_secs(seconds),
                "{header:?}"
            );
        }
    }

    #[test]
    fn a_requested_wait_is_never_shortened() {
        let asked = Duration::from_secs(10);
        assert_eq!(
            (add_jitter(asked, 0.0), add_jitter(asked, 1.0)),
            (asked, Duration::from_secs(12))
        );
    }

    #[test]
    fn retries_stop_when_the_budget_is_spent_and_responses_refill_it() {
        let budget = RetryBudget::new_full();
        assert_eq!(
            (0..100).filter(|_| budget.try_spend(RETRY_COST)).count(),
            20
        );
        assert!(!budget.try_spend(1));
        (0..4).for_each(|_| budget.refill(0));
        assert!(!budget.try_spend(RETRY_COST));
        budget.refill(RETRY_COST);
        assert!(budget.try_spend(RETRY_COST));
        (0..500).for_each(|_| budget.refill(5));
        assert!(budget.try_spend(100) && !budget.try_spend(1));
    }
}
