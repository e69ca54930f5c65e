//! How far the service's clock is ahead of this machine's.

use chrono::{DateTime, TimeDelta, Utc};

/// Less is the duration of a request and the precision of a header.
const MIN_CLOCK_SKEW: TimeDelta = TimeDelta::seconds(2);

/// How far the service's clock is ahead, as the date of a response shows it; nothing if that is not
/// worth reporting.
pub fn measure_clock_skew(date: DateTime<Utc>, now: DateTime<Utc>) -> TimeDelta {
    Some(date - now)
        .filter(|skew| skew.abs() >= MIN_CLOCK_SKEW)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_less_than_two_seconds_apart_have_no_skew() {
        let now = DateTime::UNIX_EPOCH;
        assert_eq!(
            measure_clock_skew(now + TimeDelta::milliseconds(1900), now),
            TimeDelta::zero()
        );
        assert_eq!(
            measure_clock_skew(now - TimeDelta::hours(2), now),
            TimeDelta::hours(-2)
        );
    }
}
