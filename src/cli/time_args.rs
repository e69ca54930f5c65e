//! Points in time as arguments: a date, a timestamp, or a duration ago.

use chrono::{DateTime, Duration, Local, NaiveDate, Utc};

use crate::config::duration;
use crate::domain::past_time::parse_past_time;

#[derive(Debug, clap::Args)]
pub struct SinceArgs {
    /// Start: a duration (9h), time of day, weekday, date or timestamp
    #[arg(long, value_name = "WHEN", default_value = "24h", value_parser = parse_since)]
    pub(super) since: DateTime<Utc>,
}

/// Parses a date (midnight UTC) or an RFC 3339 timestamp.
pub(super) fn parse_timestamp(text: &str) -> Result<DateTime<Utc>, String> {
    let day = || text.parse::<NaiveDate>().ok()?.and_hms_opt(0, 0, 0).map(|at| at.and_utc());
    DateTime::parse_from_rfc3339(text)
        .ok()
        .map(|at| at.with_timezone(&Utc))
        .or_else(day)
        .ok_or_else(|| format!("\"{text}\" is not a date; write it like 2018-12-01 or 2018-12-01T09:00:00Z"))
}

/// Parses a past time: a duration ago, a date (midnight UTC) or a timestamp, a time of today, a weekday.
fn parse_since(text: &str) -> Result<DateTime<Utc>, String> {
    let ago = || Utc::now().checked_sub_signed(Duration::from_std(duration::parse(text).ok()?).ok()?);
    if let Some(at) = parse_timestamp(text).ok().or_else(ago) {
        return Ok(at);
    }
    parse_past_time(text, &Local::now())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_read_as_midnight_utc() {
        assert_eq!(parse_timestamp("2018-12-01").unwrap().to_rfc3339(), "2018-12-01T00:00:00+00:00");
        assert!(parse_timestamp("1 December").is_err());
    }
}
