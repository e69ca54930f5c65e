//! Points in time as arguments: a date, a timestamp, or a duration ago.

use chrono::{DateTime, Duration, Local, NaiveDate, Utc};

use crate::config::duration;
use crate::domain::past_time::parse_past_time;

use super::error::CliError;

#[derive(Debug, clap::Args)]
pub struct SinceArgs {
    /// Start: a duration (9h), time of day, weekday, date or timestamp
    #[arg(long, value_name = "WHEN", default_value = "24h", value_parser = check_since)]
    since: String,
}

impl SinceArgs {
    /// The start, at this time of the clock that it is meant by.
    ///
    /// # Errors
    /// If it is in the future.
    pub(super) fn resolve(&self, now: DateTime<Utc>) -> Result<DateTime<Utc>, CliError> {
        parse_since(&self.since, now).map_err(CliError::usage)
    }
}

/// Parses a date (midnight UTC) or an RFC 3339 timestamp.
pub(super) fn parse_timestamp(text: &str) -> Result<DateTime<Utc>, String> {
    let day = || {
        text.parse::<NaiveDate>()
            .ok()?
            .and_hms_opt(0, 0, 0)
            .map(|at| at.and_utc())
    };
    DateTime::parse_from_rfc3339(text)
        .ok()
        .map(|at| at.with_timezone(&Utc))
        .or_else(day)
        .ok_or_else(|| {
            format!("\"{text}\" is not a date; write it like 2018-12-01 or 2018-12-01T09:00:00Z")
        })
}

/// Checks only the form: whether a time lies ahead depends on the clock.
fn check_since(text: &str) -> Result<String, String> {
    let late = NaiveDate::from_ymd_opt(9999, 12, 31)
        .and_then(|day| day.and_hms_opt(23, 59, 59))
        .unwrap_or_default();
    parse_since(text, late.and_utc()).map(|_| text.to_owned())
}

/// Parses a past time: a duration ago, a date (midnight UTC) or a timestamp, a time of today, a
/// weekday.
fn parse_since(text: &str, now: DateTime<Utc>) -> Result<DateTime<Utc>, String> {
    let ago = || now.checked_sub_signed(Duration::from_std(duration::parse(text).ok()?).ok()?);
    if let Some(at) = parse_timestamp(text).ok().or_else(ago) {
        return Ok(at);
    }
    parse_past_time(text, &now.with_timezone(&Local))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_read_as_midnight_utc() {
        assert_eq!(
            parse_timestamp("2018-12-01").unwrap().to_rfc3339(),
            "2018-12-01T00:00:00+00:00"
        );
        assert!(parse_timestamp("1 December").is_err());
    }

    #[test]
    fn a_start_is_meant_by_the_clock_of_the_service() {
        let since = |text: &str, now: &str| {
            SinceArgs {
                since: check_since(text)?,
            }
            .resolve(now.parse().unwrap())
            .map_err(|_| "late".to_owned())
        };
        assert_eq!(
            since("9h", "2018-12-01T12:00:00Z").unwrap().to_rfc3339(),
            "2018-12-01T03:00:00+00:00"
        );
        assert_eq!(
            since("2018-11-30", "2018-12-01T12:00:00Z")
                .unwrap()
                .to_rfc3339(),
            "2018-11-30T00:00:00+00:00"
        );
        assert_eq!(
            since("2018-12-24 9:00", "2018-12-01T12:00:00Z").unwrap_err(),
            "late"
        );
        assert!(
            since("soon", "2018-12-01T12:00:00Z")
                .unwrap_err()
                .contains("is not a time")
        );
    }
}
