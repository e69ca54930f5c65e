//! What may be repeated: the class of a route says how often, and after what kind of trouble.

use std::time::Duration;

use backon::{BackoffBuilder, ExponentialBuilder};

/// The most sends of one request.
pub(super) const SENDS: u32 = 3;
/// The longest `Retry-After` that is waited for while a person waits; a longer one is told.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);
/// What a 429 without a usable `Retry-After` asks for.
pub(super) const UNSAID: Duration = Duration::from_secs(30);
/// The longest `Retry-After` that is believed.
pub(super) const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

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
    /// A write of which the outcome is read before it is repeated.
    Check,
    /// A write with an idempotency key.
    Keyed,
    /// A write that is never repeated unless it surely was not sent.
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
    /// 429, or a 503 that names its time: surely not applied.
    Later,
    /// Nothing that a repeat could mend: a refusal, a time limit, TLS, a redirect, a web page.
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
            (Trouble::Lost, Class::Check | Class::Once) | (Trouble::Unusable, _) => 1,
        }
    }
}

/// The pauses between sends: doubled each time, with a random half.
pub(super) fn pauses() -> impl Iterator<Item = Duration> {
    ExponentialBuilder::default()
        .with_min_delay(Duration::from_millis(150))
        .with_max_delay(Duration::from_secs(2))
        .with_max_times(SENDS as usize)
        .with_jitter()
        .with_jitter_seed(rand::random())
        .build()
}

/// Reads a `Retry-After` in seconds; a date or anything else is [`UNSAID`].
pub(super) fn retry_after(header: Option<&str>) -> Duration {
    let seconds = header.and_then(|text| text.trim().parse::<u64>().ok());
    seconds.map_or(UNSAID, |seconds| Duration::from_secs(seconds).min(LONGEST))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_have_been_applied_is_repeated_only_where_a_repeat_changes_nothing() {
        for (class, sends) in [
            (Class::FreeRead, 3),
            (Class::PaidRead, 2),
            (Class::Safe, 3),
            (Class::Delete, 3),
            (Class::Check, 1),
            (Class::Keyed, 3),
            (Class::Once, 1),
        ] {
            assert_eq!(class.sends(Trouble::Lost), sends, "{class:?}");
            assert_eq!(class.sends(Trouble::NotSent), 3, "{class:?}");
            assert_eq!(class.sends(Trouble::Final), 1, "{class:?}");
        }
        assert_eq!(Class::PaidRead.sends(Trouble::Unusable), 1, "a lost answer may have been paid for");
    }

    #[test]
    fn pauses_differ_and_stay_short() {
        let (one, two): (Vec<_>, Vec<_>) = (pauses().collect(), pauses().collect());
        assert_ne!(one, two);
        assert!(one.iter().all(|pause| *pause <= Duration::from_secs(4)));
    }

    #[test]
    fn a_retry_after_is_seconds_and_anything_else_half_a_minute() {
        assert_eq!(retry_after(Some("7")), Duration::from_secs(7));
        assert_eq!(retry_after(Some("999999999")), LONGEST);
        for odd in [None, Some("-1"), Some("soon"), Some("Wed, 21 Oct 2026 07:28:00 GMT")] {
            assert_eq!(retry_after(odd), UNSAID);
        }
    }
}
