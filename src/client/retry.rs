//! What may be repeated, how often and how soon: the class of a route, and what the process can afford.

use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;

use chrono::{DateTime, Utc};

/// The most sends of one request.
pub(super) const SENDS: u32 = 3;
/// Times that a list is asked for again with a smaller limit.
pub(super) const LIMITS: u32 = 2;
/// The longest `Retry-After` that is waited for while a person waits; a longer one is told.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);
/// What a 429 without a usable `Retry-After` asks for.
pub(super) const UNSAID: Duration = Duration::from_secs(30);
/// The longest `Retry-After` that is believed.
pub(super) const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);
/// What a repeat takes from the [`Budget`].
pub(super) const PRICE: u32 = 5;
/// No pause between two sends is shorter.
const SHORTEST: Duration = Duration::from_millis(100);

/// How a route may be repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// A read that costs nothing.
    FreeRead,
    /// A read that costs credits, or may: a lost answer is paid for once more at most.
    PaidRead,
    /// A write that sets absolute values: a repeat changes nothing.
    Safe,
    /// A single delete: after a lost answer, 404 says that it was applied.
    Delete,
    /// A write with an idempotency key.
    Keyed,
    /// A write that is never repeated unless it surely was not sent, or its check says that it was not applied.
    Once,
}

/// What went wrong with one send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// Nothing left this machine.
    NotSent,
    /// Reset, cut, 408, 5xx: it may have been applied.
    Lost,
    /// A 2xx that is not the expected JSON.
    Unusable,
    /// 429: surely not applied.
    Later,
    /// Nothing that a repeat could mend: a refusal, TLS, a redirect, a web page, silence for as long as a person waits, an answer
    /// that stalls or is too large.
    Final,
}

impl Class {
    /// How often a request of this class may be sent in all, after this trouble.
    pub(super) fn sends(self, trouble: Trouble) -> u32 {
        match (trouble, self) {
            (Trouble::Final, _) => 1,
            (Trouble::NotSent | Trouble::Later, _) => SENDS,
            (Trouble::Lost, Class::FreeRead | Class::Safe | Class::Delete | Class::Keyed) => SENDS,
            (Trouble::Lost, Class::PaidRead) => 2,
            (Trouble::Unusable, Class::FreeRead) => 2,
            (Trouble::Lost, Class::Once) | (Trouble::Unusable, _) => 1,
        }
    }
}

/// The pause before the send that follows so many: anywhere up to half a second, twice that after each further one. `chance` is
/// from 0 to 1.
pub(super) fn pause(sends: u32, chance: f64) -> Duration {
    let longest = Duration::from_millis(500 << sends.saturating_sub(1).min(5)).min(Duration::from_secs(20));
    SHORTEST + (longest - SHORTEST).mul_f64(chance)
}

/// What is waited for when the service asks for a time: that, and up to a fifth more, so that not all come back at once.
pub(super) fn spread(asked: Duration, chance: f64) -> Duration {
    asked.mul_f64(1.0 + 0.2 * chance)
}

/// Reads a `Retry-After`: seconds, or a date against the clock of whoever sent it. Anything else is [`UNSAID`].
pub(super) fn retry_after(header: Option<&str>, now: DateTime<Utc>) -> Duration {
    let text = header.unwrap_or_default().trim();
    let seconds = || text.parse().ok().map(Duration::from_secs);
    let date = || {
        let at = DateTime::parse_from_rfc2822(text).ok()?;
        Some((at.with_timezone(&Utc) - now).to_std().unwrap_or_default())
    };
    seconds().or_else(date).unwrap_or(UNSAID).min(LONGEST)
}

/// What is left for repeats: an outage must not be answered by more requests than a quiet day has.
#[derive(Debug)]
pub(super) struct Budget(Mutex<u32>);

impl Budget {
    const FULL: u32 = 100;

    /// One that is full.
    pub(super) fn full() -> Arc<Budget> {
        Arc::new(Budget(Mutex::new(Budget::FULL)))
    }

    /// The one of this process.
    pub(super) fn of_the_process() -> Arc<Budget> {
        static BUDGET: LazyLock<Arc<Budget>> = LazyLock::new(Budget::full);
        BUDGET.clone()
    }

    /// Takes the price of a repeat; false when there is too little left.
    pub(super) fn spend(&self, price: u32) -> bool {
        let mut left = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let after = left.checked_sub(price);
        *left = after.unwrap_or(*left);
        after.is_some()
    }

    /// An answer came, after repeats of this price: they have paid.
    pub(super) fn earn(&self, spent: u32) {
        let mut left = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *left = (*left + spent.max(1)).min(Budget::FULL);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_have_been_applied_is_repeated_only_where_a_repeat_changes_nothing() {
        for (class, lost) in [
            (Class::FreeRead, 3),
            (Class::PaidRead, 2),
            (Class::Safe, 3),
            (Class::Delete, 3),
            (Class::Keyed, 3),
            (Class::Once, 1),
        ] {
            assert_eq!(class.sends(Trouble::Lost), lost, "{class:?}");
            assert_eq!((class.sends(Trouble::NotSent), class.sends(Trouble::Final)), (3, 1), "{class:?}");
        }
        assert_eq!(Class::PaidRead.sends(Trouble::Unusable), 1, "a lost answer may have been paid for");
    }

    #[test]
    fn a_pause_is_anywhere_between_a_tenth_of_a_second_and_a_bound_that_doubles() {
        let bounds = |sends| (pause(sends, 0.0).as_millis(), pause(sends, 1.0).as_millis());
        assert_eq!([1, 2, 3, 9].map(bounds), [(100, 500), (100, 1_000), (100, 2_000), (100, 16_000)]);
    }

    #[test]
    fn a_retry_after_is_seconds_or_a_date_and_anything_else_half_a_minute() {
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
            assert_eq!(retry_after(header, now), Duration::from_secs(seconds), "{header:?}");
        }
    }

    #[test]
    fn a_wait_that_was_asked_for_is_never_shortened() {
        let asked = Duration::from_secs(10);
        assert_eq!((spread(asked, 0.0), spread(asked, 1.0)), (asked, Duration::from_secs(12)));
    }

    #[test]
    fn repeats_end_when_an_outage_has_eaten_the_budget_and_answers_bring_it_back() {
        let budget = Budget::full();
        assert_eq!((0..100).filter(|_| budget.spend(PRICE)).count(), 20);
        assert!(!budget.spend(1));
        (0..4).for_each(|_| budget.earn(0));
        assert!(!budget.spend(PRICE));
        budget.earn(PRICE);
        assert!(budget.spend(PRICE));
        (0..500).for_each(|_| budget.earn(5));
        assert!(budget.spend(100) && !budget.spend(1));
    }
}
