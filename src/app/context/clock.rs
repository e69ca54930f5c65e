//! The time, on this machine's clock and on the service's, and how it is written.

use chrono::{DateTime, Duration, FixedOffset, NaiveDateTime, NaiveTime, Utc};

use crate::app::format::format_time;
use crate::domain::display_format::format_date;

pub(in crate::app) struct Clock {
    pub(super) now: DateTime<Utc>,
    /// How far the service's clock is ahead of this machine's.
    pub(super) skew: Duration,
    /// The offset of the user's time zone.
    pub(super) utc_offset: FixedOffset,
    /// The service's clock was set to a day.
    pub(super) is_simulated: bool,
}

impl Clock {
    pub fn now(&self) -> DateTime<Utc> {
        self.now
    }

    /// The current time on the service's clock.
    pub fn service_now(&self) -> DateTime<Utc> {
        self.to_service_time(self.now)
    }

    /// Converts a time of this machine's clock, as its journal and ledger store it, to the
    /// service's clock.
    pub fn to_service_time(&self, at: DateTime<Utc>) -> DateTime<Utc> {
        at.checked_add_signed(self.skew).unwrap_or(at)
    }

    pub fn skew(&self) -> Duration {
        self.skew
    }

    pub fn utc_offset(&self) -> FixedOffset {
        self.utc_offset
    }

    /// The service's time in the user's time zone.
    pub fn local_now(&self) -> DateTime<FixedOffset> {
        self.service_now().with_timezone(&self.utc_offset)
    }

    /// A time of the service by the user's clock.
    pub fn to_local(&self, at: DateTime<Utc>) -> NaiveDateTime {
        at.with_timezone(&self.utc_offset).naive_local()
    }

    /// When the counts were read: the time, or the day where the clock was set to one.
    pub fn format_count_time(&self, at: DateTime<Utc>, format: &str) -> String {
        let at = self.to_display_time(at);
        match self.is_simulated {
            true => format_date(at.date_naive()),
            false => at.format(format).to_string(),
        }
    }

    /// A time of the service, as short as possible.
    pub fn format_time(&self, at: DateTime<Utc>) -> String {
        format_time(at, self.service_now(), self.utc_offset)
    }

    /// Converts a time of this machine's clock for display: to the service's clock, in the user's
    /// time zone.
    pub fn to_display_time(&self, at: DateTime<Utc>) -> DateTime<FixedOffset> {
        self.to_service_time(at).with_timezone(&self.utc_offset)
    }

    /// A time of the service in a copy or a file, in the user's time zone; a day has none.
    pub fn format_exported_time(&self, at: DateTime<Utc>) -> String {
        if at.time() == NaiveTime::MIN {
            return at.format("%Y-%m-%d").to_string();
        }
        let at = at.with_timezone(&self.utc_offset);
        at.format("%Y-%m-%d %H:%M").to_string()
    }

    /// A time of this machine's clock, as short as possible.
    pub fn format_display_time(&self, at: DateTime<Utc>) -> String {
        self.format_time(self.to_service_time(at))
    }
}
