//! The service's clock: a value that is passed along, so that a file of past years can be served as of then.

use std::time::Instant;

use chrono::{DateTime, TimeDelta, Utc};

/// A clock that runs at the pace of this machine's monotonic clock from a moment that was chosen.
///
/// It never goes backwards, whatever happens to the machine's own time of day.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    from: DateTime<Utc>,
    since: Instant,
}

impl Clock {
    /// The machine's time of day.
    pub fn real() -> Self {
        Clock::starting_at(Utc::now())
    }

    /// A clock that shows `moment` now.
    pub fn starting_at(moment: DateTime<Utc>) -> Self {
        Clock { from: moment, since: Instant::now() }
    }

    /// What it shows, to the millisecond: the precision that the database keeps.
    pub fn now(&self) -> DateTime<Utc> {
        let passed = i64::try_from(self.since.elapsed().as_millis()).unwrap_or(i64::MAX);
        let shown = self.from.checked_add_signed(TimeDelta::milliseconds(passed)).unwrap_or(DateTime::<Utc>::MAX_UTC);
        DateTime::from_timestamp_millis(shown.timestamp_millis()).unwrap_or(shown)
    }
}
