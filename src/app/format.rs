//! Numbers, times and names as the screen shows them. Unknown is never zero: what is unknown is
//! `None`.

use chrono::{DateTime, FixedOffset, NaiveDate, Utc};

use crate::domain::display_format;
use crate::domain::field_kind::humanize_key;
use crate::domain::lenient::{DateOrDateTime, Number};

/// With thousands separators: `1,284`.
pub fn format_count(n: u64) -> String {
    display_format::format_digits(&n.to_string())
}

/// How many rows are marked, and how many of them are not shown: no act is about those.
pub fn marked_label(marked: usize, hidden: usize) -> String {
    let hidden = if hidden > 0 {
        format!(", {} hidden", format_count(hidden as u64))
    } else {
        String::new()
    };
    format!("{} marked{hidden}", format_count(marked as u64))
}

/// A number in full: `212,400`, `3.1`; unchanged text when it is not a number.
pub fn format_number(num: &Number) -> String {
    match num {
        Number::Int(n) => format!(
            "{}{}",
            if *n < 0 { "-" } else { "" },
            format_count(n.unsigned_abs())
        ),
        Number::Float(n) => {
            // without the sign of -0, which is the sum of nothing
            let text = format!("{:.2}", n + 0.0);
            display_format::format_digits(text.trim_end_matches('0').trim_end_matches('.'))
        }
        Number::Unparsed(text) => text.to_string(),
    }
}

/// US dollars in at most seven cells: `$41.2M`, `$118M`, `$325k`, `$950`.
pub fn format_dollars(num: &Number) -> String {
    num.as_f64()
        .map_or_else(|| format_number(num), display_format::format_dollars)
}

/// A filing day, short: `07-02` this year, `2025-11-18` otherwise.
pub fn format_day(when: &DateOrDateTime, today: NaiveDate) -> String {
    match (when, when.date()) {
        (_, Some(day)) => display_format::format_recent_date(day, today),
        (DateOrDateTime::Unparsed(text), None) => text.to_string(),
        (DateOrDateTime::At(_), None) => String::new(),
    }
}

/// A filing day in full: `2026-07-02`.
pub fn format_full_day(when: &DateOrDateTime) -> String {
    match (when, when.date()) {
        (_, Some(day)) => display_format::format_date(day),
        (DateOrDateTime::Unparsed(text), None) => text.to_string(),
        (DateOrDateTime::At(_), None) => String::new(),
    }
}

/// How long ago a day was: `today`, `1 day ago`, `in 3 days`.
pub fn format_days_ago(when: &DateOrDateTime, today: NaiveDate) -> Option<String> {
    let days = (today - when.date()?).num_days();
    Some(match days {
        0 => "today".to_owned(),
        1 => "1 day ago".to_owned(),
        -1 => "in 1 day".to_owned(),
        days if days < 0 => format!("in {} days", -days),
        days => format!("{days} days ago"),
    })
}

/// A time in the user's zone: `09:20` today, `07-02 09:20` this year, with the year otherwise.
pub fn format_time(at: DateTime<Utc>, now: DateTime<Utc>, zone: FixedOffset) -> String {
    let (at, today) = (
        at.with_timezone(&zone).naive_local(),
        now.with_timezone(&zone).date_naive(),
    );
    let time = at.format("%H:%M");
    if at.date() == today {
        time.to_string()
    } else {
        format!(
            "{} {time}",
            display_format::format_recent_date(at.date(), today)
        )
    }
}

/// A time in a sentence: `17:10`, `17:10 yesterday`, otherwise as [`format_time`].
pub fn format_time_in_sentence(at: DateTime<Utc>, now: DateTime<Utc>, zone: FixedOffset) -> String {
    let (there, here) = (at.with_timezone(&zone), now.with_timezone(&zone));
    if there.date_naive().succ_opt() == Some(here.date_naive()) {
        return format!("{} yesterday", there.format("%H:%M"));
    }
    format_time(at, now, zone)
}

/// `1 signal`, `3 signals`.
pub fn pluralize(n: impl TryInto<u64>, one: &str) -> String {
    let n = n.try_into().unwrap_or(u64::MAX);
    format!("{} {one}{}", format_count(n), if n == 1 { "" } else { "s" })
}

/// A wire name as text: `permit issued`.
pub fn humanize(wire: &str) -> String {
    humanize_key(wire)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::display_format::{DateFormat, DisplayFormat, NumberFormat};

    #[test]
    fn dollar_amounts_are_abbreviated() {
        for (value, text) in [
            (41_200_000, "$41.2M"),
            (118_000_000, "$118M"),
            (1_000_000, "$1M"),
            (999_999, "$1M"),
            (325_000, "$325k"),
            (54_000, "$54k"),
            (950, "$950"),
            (1_250_000_000, "$1.2B"),
            (0, "$0"),
        ] {
            assert_eq!(format_dollars(&Number::Int(value)), text, "{value}");
        }
        assert_eq!(format_dollars(&Number::Unparsed("1,000".into())), "1,000");
        let none: f64 = std::iter::empty::<f64>().sum();
        assert_eq!(format_dollars(&Number::Float(none)), "$0");
        assert_eq!(format_number(&Number::Float(none)), "0");
    }

    #[test]
    fn numbers_are_written_in_full_with_thousands_separators() {
        assert_eq!(format_number(&Number::Int(212_400)), "212,400");
        assert_eq!(format_number(&Number::Float(1_234.5)), "1,234.5");
        assert_eq!(format_number(&Number::Int(-1_000)), "-1,000");
        assert_eq!(format_number(&Number::Float(0.25)), "0.25");
    }

    #[test]
    fn dates_times_and_numbers_are_written_as_the_user_chose() {
        DisplayFormat {
            date: DateFormat::DayFirst,
            number: NumberFormat::Point,
            offset: None,
        }
        .apply();
        let (at, zone) = (
            "2026-07-02T22:30:00Z".parse().unwrap(),
            FixedOffset::east_opt(7_200).unwrap(),
        );
        assert_eq!(
            format_time(at, "2026-12-01T00:00:00Z".parse().unwrap(), zone),
            "03.07 00:30"
        );
        assert_eq!(
            format_time(at, "2027-12-01T00:00:00Z".parse().unwrap(), zone),
            "03.07.2026 00:30"
        );
        assert_eq!(
            format_full_day(&DateOrDateTime::from("2026-07-02")),
            "02.07.2026"
        );
        assert_eq!(format_dollars(&Number::Int(41_200_000)), "$41,2M");
        assert_eq!(
            (format_count(1_284), format_number(&Number::Float(-1_234.5))),
            ("1.284".to_owned(), "-1.234,5".to_owned())
        );
    }

    #[test]
    fn a_day_of_another_year_includes_the_year() {
        let today = "2026-07-09".parse().unwrap();
        assert_eq!(
            format_day(&DateOrDateTime::from("2026-07-02T00:00:00Z"), today),
            "07-02"
        );
        assert_eq!(
            format_day(&DateOrDateTime::from("2025-11-18"), today),
            "2025-11-18"
        );
        assert_eq!(
            format_day(&DateOrDateTime::from("next week"), today),
            "next week"
        );
        assert_eq!(
            format_days_ago(&DateOrDateTime::from("2026-07-02"), today).as_deref(),
            Some("7 days ago")
        );
    }
}
