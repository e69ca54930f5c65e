//! The service's clock: a value that is passed along, so that a file of past years can be served as of then.

use std::sync::atomic::{AtomicI64, Ordering};

use chrono::{DateTime, Utc};

/// A clock that goes with the machine's time of day, from a moment that was chosen: what the machine sleeps through has passed.
///
/// It never goes backwards. Where the machine's time of day is set back, it stands until that has caught up.
#[derive(Debug)]
pub struct Clock {
    /// Milliseconds ahead of the machine's time of day.
    offset_millis: i64,
    /// What it last showed.
    last_shown: AtomicI64,
}

impl Clock {
    /// The machine's time of day.
    pub fn from_system_time() -> Self {
        let now = Utc::now();
        Clock::with_time(now, now)
    }

    /// A clock that shows `moment` now.
    pub fn starting_at(moment: DateTime<Utc>) -> Self {
        Clock::with_time(moment, Utc::now())
    }

    /// What it shows, to the millisecond: the precision that the database keeps.
    pub fn now(&self) -> DateTime<Utc> {
        self.time_at(Utc::now())
    }

    fn with_time(moment: DateTime<Utc>, machine: DateTime<Utc>) -> Self {
        let millis = moment.timestamp_millis();
        Clock { offset_millis: millis - machine.timestamp_millis(), last_shown: millis.into() }
    }

    fn time_at(&self, machine: DateTime<Utc>) -> DateTime<Utc> {
        let millis = machine.timestamp_millis().saturating_add(self.offset_millis);
        let shown = self.last_shown.fetch_max(millis, Ordering::Relaxed).max(millis);
        DateTime::from_timestamp_millis(shown).unwrap_or(DateTime::<Utc>::MAX_UTC)
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;

    #[test]
    fn time_asleep_counts_and_a_system_clock_set_back_pauses_the_clock() {
        let evening: DateTime<Utc> = "2026-03-02T22:00:00Z".parse().unwrap();
        let years_ago: DateTime<Utc> = "2018-12-01T00:00:00Z".parse().unwrap();
        for from in [evening, years_ago] {
            let clock = Clock::with_time(from, evening);
            let shown =
                [0, 1, 481, 421, 482].map(|minutes| (clock.time_at(evening + TimeDelta::minutes(minutes)) - from).num_minutes());
            assert_eq!(shown, [0, 1, 481, 481, 482], "from {from}");
        }
    }
}
