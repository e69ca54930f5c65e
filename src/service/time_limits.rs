//! How long a request may take.

use std::time::Duration;

/// The time limits of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeLimits {
    /// For the whole request.
    pub request: Duration,
    /// For a read, including the wait for other reads.
    pub read: Duration,
    /// For a write, including the wait for other writes: clients are to get the answer before they
    /// give up by themselves.
    pub write: Duration,
}

impl Default for TimeLimits {
    fn default() -> Self {
        TimeLimits {
            request: Duration::from_secs(30),
            read: Duration::from_secs(10),
            write: Duration::from_secs(15),
        }
    }
}

/// What is left of a request when its write is given up: the outcome is still reported.
const ANSWER_TIME: Duration = Duration::from_secs(1);

impl TimeLimits {
    /// How long a write may take whose request has taken this long.
    pub fn write_after(&self, elapsed: Duration) -> Duration {
        let left = self.request.saturating_sub(ANSWER_TIME + elapsed);
        self.write.min(left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_has_the_time_of_a_write_or_what_is_left_of_its_request() {
        let after = |seconds| {
            TimeLimits::default()
                .write_after(Duration::from_secs(seconds))
                .as_secs()
        };
        assert_eq!([0, 10, 20, 29, 60].map(after), [15, 15, 9, 0, 0]);
    }
}
