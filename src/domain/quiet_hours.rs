//! Hours of the day in which nothing rings.

use std::fmt;

const MINUTES_PER_DAY: u16 = 24 * 60;

/// From one minute of the day to another, which may be on the next day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuietHours {
    pub from: u16,
    pub to: u16,
}

impl QuietHours {
    /// Whether a minute of the day is quiet.
    pub fn contains(self, minute: u16) -> bool {
        let length = (self.to + MINUTES_PER_DAY - self.from) % MINUTES_PER_DAY;
        (minute % MINUTES_PER_DAY + MINUTES_PER_DAY - self.from) % MINUTES_PER_DAY < length
    }
}

impl fmt::Display for QuietHours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}:{:02}-{}:{:02}",
            self.from / 60,
            self.from % 60,
            self.to / 60,
            self.to % 60
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quiet_hours_may_pass_midnight_and_end_on_the_minute() {
        let night = QuietHours {
            from: 18 * 60,
            to: 8 * 60,
        };
        let quiet = [18 * 60, 23 * 60 + 59, 0, 7 * 60 + 59];
        assert!(quiet.into_iter().all(|minute| night.contains(minute)));
        assert!(!night.contains(8 * 60) && !night.contains(17 * 60 + 59));
        let noon = QuietHours {
            from: 12 * 60,
            to: 13 * 60,
        };
        assert!(noon.contains(12 * 60 + 30) && !noon.contains(0) && !noon.contains(13 * 60));
        assert_eq!(night.to_string(), "18:00-8:00");
    }
}
