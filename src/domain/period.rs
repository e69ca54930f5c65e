//! Ranges of days as people write and say them: `June 15`, `Q2 2026`, `in November 2026`.

use chrono::{Datelike, Days, Months, NaiveDate, Weekday};

/// How dates are written, what completes them to their first day, and which period they are.
const FORMATS: &[(&str, &str, &str)] = &[
    ("%Y-%m-%d", "", "day"),
    ("%m/%d/%Y", "", "day"),
    ("%m/%d %Y", "", "day"),
    ("%B %d %Y", "", "day"),
    ("%d %B %Y", "", "day"),
    ("%Y-%m-%d", "-01", "month"),
    ("%B %Y %d", " 1", "month"),
    ("quarter %B %Y %d", " 1", "quarter"),
    ("%Y %m-%d", " 01-01", "year"),
];

/// A range of days.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    pub first: NaiveDate,
    /// The last day, inclusive.
    pub last: NaiveDate,
}

impl Period {
    pub fn new(first: NaiveDate, last: NaiveDate) -> Period {
        Period { first, last }
    }

    /// The day, week, month, quarter or year with this day.
    pub fn containing(day: NaiveDate, unit: &str) -> Option<Period> {
        let week = day.week(Weekday::Mon);
        let (monday, sunday) = (week.checked_first_day()?, week.checked_last_day()?);
        let months = match unit {
            "day" => return Some(Period::new(day, day)),
            "week" => return Some(Period::new(monday, sunday)),
            "month" => 1,
            "quarter" => 3,
            _ => 12,
        };
        let month = day.month0() / months * months + 1;
        let first = NaiveDate::from_ymd_opt(day.year(), month, 1)?;
        let next = first.checked_add_months(Months::new(months))?;
        Some(Period::new(first, next.pred_opt()?))
    }

    /// A date as people write it, with its year: `2026-05-01`, `6/15/2026`, `june 15 2026`, `june
    /// 2026`, `quarter april 2026`, `2026`.
    pub fn parse(text: &str) -> Option<Period> {
        let mut periods = FORMATS.iter().filter_map(|(format, rest, unit)| {
            let day = NaiveDate::parse_from_str(&format!("{text}{rest}"), format).ok()?;
            Period::containing(day, unit).filter(|_| (1990..=2100).contains(&day.year()))
        });
        periods.next()
    }

    /// `in November 2026`, `on July 8, 2026`, `from March 1 to May 15, 2026`.
    pub fn describe(self) -> String {
        let Period { first, last } = self;
        let is_whole = |unit| Period::containing(first, unit) == Some(self);
        match () {
            () if is_whole("day") => format!("on {}", describe_day(first)),
            () if is_whole("month") => format!("in {}", first.format("%B %Y")),
            () if is_whole("year") => format!("in {}", first.year()),
            () if first.year() == last.year() => {
                let first = first.format("%B %-d");
                format!("from {first} to {}", describe_day(last))
            }
            () => format!("from {} to {}", describe_day(first), describe_day(last)),
        }
    }
}

/// `July 8, 2026`.
pub fn describe_day(day: NaiveDate) -> String {
    day.format("%B %-d, %Y").to_string()
}

/// So many days, weeks, months, quarters or years earlier.
pub fn go_back(day: NaiveDate, count: u32, unit: &str) -> Option<NaiveDate> {
    match unit {
        "day" => day.checked_sub_days(Days::new(count.into())),
        "week" => go_back(day, count * 7, "day"),
        "month" => day.checked_sub_months(Months::new(count)),
        "quarter" => go_back(day, count * 3, "month"),
        _ => go_back(day, count * 12, "month"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_period_that_is_written_is_said_again() {
        for (written, said) in [
            ("2026-05-01", "on May 1, 2026"),
            ("6/15/2026", "on June 15, 2026"),
            ("15 june 2026", "on June 15, 2026"),
            ("june 2026", "in June 2026"),
            ("2026-06", "in June 2026"),
            ("quarter april 2026", "from April 1 to June 30, 2026"),
            ("2025", "in 2025"),
        ] {
            assert_eq!(Period::parse(written).unwrap().describe(), said);
        }
        assert_eq!(Period::parse("1066"), None);
        let winter = [(2025, 12), (2026, 3)]
            .map(|(year, month)| NaiveDate::from_ymd_opt(year, month, 1).expect("the day exists"));
        assert_eq!(
            Period::new(winter[0], winter[1]).describe(),
            "from December 1, 2025 to March 1, 2026"
        );
    }
}
