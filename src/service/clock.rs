//! The service's clock: passed in as a value, so that a file of past years can be served as of that
//! time.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};

/// A clock that follows the system time from a chosen moment: time during which the machine is
/// suspended counts.
///
/// It never goes backwards. If the system time is set back, the clock stops until the system time
/// has caught up.
#[derive(Debug)]
pub struct Clock {
    /// Milliseconds ahead of the system time.
    offset_millis: i64,
    /// The last value returned.
    last_shown: AtomicI64,
}

impl Clock {
    /// The system time.
    pub fn from_system_time() -> Self {
        Clock::starting_at(read_system_time())
    }

    /// A clock that starts at `moment` now.
    pub fn starting_at(moment: DateTime<Utc>) -> Self {
        Clock::with_time(moment, Utc::now())
    }

    /// The current time in milliseconds, the precision of the database.
    pub fn now(&self) -> DateTime<Utc> {
        self.time_at(Utc::now())
    }

    fn with_time(moment: DateTime<Utc>, machine: DateTime<Utc>) -> Self {
        let millis = moment.timestamp_millis();
        Clock {
            offset_millis: millis - machine.timestamp_millis(),
            last_shown: millis.into(),
        }
    }

    fn time_at(&self, machine: DateTime<Utc>) -> DateTime<Utc> {
        let millis = machine
            .timestamp_millis()
            .saturating_add(self.offset_millis);
        let shown = self
            .last_shown
            .fetch_max(millis, Ordering::Relaxed)
            .max(millis);
        DateTime::from_timestamp_millis(shown).unwrap_or(DateTime::<Utc>::MAX_UTC)
    }
}

/// The time of this machine, whatever day the data is served as of.
pub fn read_system_time() -> DateTime<Utc> {
    Utc::now()
}

/// Measures how long something takes.
pub struct Stopwatch(Instant);

impl Stopwatch {
    pub fn start() -> Self {
        Stopwatch(Instant::now())
    }

    pub fn elapsed(&self) -> Duration {
        self.0.elapsed()
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
            let shown = [0, 1, 481, 421, 482].map(|minutes| {
                (clock.time_at(evening + TimeDelta::minutes(minutes)) - from).num_minutes()
            });
            assert_eq!(shown, [0, 1, 481, 481, 482], "from {from}");
        }
    }
}
