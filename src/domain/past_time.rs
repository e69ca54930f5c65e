//! Points in the past as people write them: `9h` ago, `09:00`, `yesterday`, `monday 9:00`, a date.

use chrono::{DateTime, Datelike, Days, Duration, NaiveDate, NaiveTime, TimeZone, Utc, Weekday};

use super::snooze::{local_time, parse_clock, split_amount};

/// Parses a past time in the user's zone. A day without a time means its beginning. The error is a
/// one-line message with examples.
pub fn parse_past_time<Z: TimeZone>(
    text: &str,
    now: &DateTime<Z>,
) -> Result<DateTime<Utc>, String> {
    let words = text.trim().to_lowercase();
    let at = parse_time(&words, now).ok_or_else(|| {
        format!(
            "\"{}\" is not a time; write it like 9h, 09:00, yesterday, monday or 2026-07-09",
            text.trim()
        )
    })?;
    if at > *now {
        Err(format!("\"{}\" is in the future", text.trim()))
    } else {
        Ok(at.with_timezone(&Utc))
    }
}

/// The beginning of the week: Monday, in the user's zone.
pub fn start_of_week<Z: TimeZone>(now: &DateTime<Z>) -> DateTime<Utc> {
    parse_past_time("monday", now).unwrap_or_else(|_| now.with_timezone(&Utc))
}

fn parse_time<Z: TimeZone>(words: &str, now: &DateTime<Z>) -> Option<DateTime<Z>> {
    if let Ok(at) = DateTime::parse_from_rfc3339(&words.to_uppercase()) {
        return Some(at.with_timezone(&now.timezone()));
    }
    if let Some((number, unit)) =
        split_amount(words).filter(|(_, unit)| !matches!(*unit, "am" | "pm"))
    {
        let number = i64::from(number);
        let ago = match unit {
            "m" | "min" | "minute" | "minutes" => Duration::minutes(number),
            "h" | "hour" | "hours" => Duration::hours(number),
            "d" | "day" | "days" => Duration::days(number),
            "w" | "week" | "weeks" => Duration::weeks(number),
            _ => return None,
        };
        return now.clone().checked_sub_signed(ago);
    }
    let today = now.date_naive();
    if let Some(time) = parse_clock(words).filter(|_| words.contains([':', 'm'])) {
        return local_time(now, today.and_time(time));
    }
    let (day, time) = match words.split_once(' ') {
        Some((day, time)) => (day, parse_clock(time.trim())?),
        None => (words, NaiveTime::MIN),
    };
    local_time(now, parse_day(day, today)?.and_time(time))
}

fn parse_day(word: &str, today: NaiveDate) -> Option<NaiveDate> {
    match word {
        "today" => return Some(today),
        "yesterday" => return today.pred_opt(),
        _ => {}
    }
    if let Ok(date) = word.parse() {
        return Some(date);
    }
    let weekday: Weekday = word.parse().ok()?;
    today.checked_sub_days(Days::new(today.weekday().days_since(weekday).into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A Thursday, in the afternoon, west of Greenwich.
    fn since(text: &str) -> Result<String, String> {
        let now = DateTime::parse_from_rfc3339("2026-07-09T16:20:00-07:00").unwrap();
        parse_past_time(text, &now).map(|at| {
            at.with_timezone(&now.timezone())
                .format("%a %m-%d %H:%M")
                .to_string()
        })
    }

    #[test]
    fn a_past_time_is_written_as_people_say_it() {
        for (text, expected) in [
            ("9h", "Thu 07-09 07:20"),
            ("90 min", "Thu 07-09 14:50"),
            ("2d", "Tue 07-07 16:20"),
            ("1 week", "Thu 07-02 16:20"),
            ("09:00", "Thu 07-09 09:00"),
            ("9am", "Thu 07-09 09:00"),
            ("today", "Thu 07-09 00:00"),
            ("Yesterday 17:10", "Wed 07-08 17:10"),
            ("monday", "Mon 07-06 00:00"),
            ("thursday 9:00", "Thu 07-09 09:00"),
            ("2026-07-01", "Wed 07-01 00:00"),
            ("2026-07-09T16:00:00Z", "Thu 07-09 09:00"),
        ] {
            assert_eq!(since(text).as_deref(), Ok(expected), "{text}");
        }
        let now = DateTime::parse_from_rfc3339("2026-07-09T16:20:00-07:00").unwrap();
        assert_eq!(
            start_of_week(&now).to_rfc3339(),
            "2026-07-06T07:00:00+00:00"
        );
    }

    #[test]
    fn a_time_that_cannot_be_is_rejected_with_examples() {
        for wrong in ["", "9", "soon", "25:00", "3x", "2026-13-01", "99999999999d"] {
            let error = since(wrong).unwrap_err();
            assert!(
                error.contains("write it like 9h, 09:00"),
                "{wrong}: {error}"
            );
        }
        assert_eq!(since("17:00").unwrap_err(), "\"17:00\" is in the future");
        assert_eq!(
            since("2026-08-01").unwrap_err(),
            "\"2026-08-01\" is in the future"
        );
    }
}
