//! The dates of a question: "since September", "in the last 30 days", "before 2026-03-01", "this
//! month".

use chrono::{Datelike, Days, Months, NaiveDate, Weekday};

use super::tokens::{Part, Question, Range, RangeKind, ReadPart};

/// The first and the last day of a day, a month or a year.
type Period = (NaiveDate, NaiveDate);

/// How dates are written, what completes them to the first day, and which period they are.
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

/// The week, month, quarter or year with this day.
fn find_period(day: NaiveDate, unit: &str) -> Option<Period> {
    let months = match unit {
        "day" => return Some((day, day)),
        "week" => {
            let monday = day.week(Weekday::Mon).checked_first_day()?;
            return Some((monday, monday.checked_add_days(Days::new(6))?));
        }
        "month" => 1,
        "quarter" => 3,
        _ => 12,
    };
    let month = day.month0() / months * months + 1;
    let first = NaiveDate::from_ymd_opt(day.year(), month, 1)?;
    let next = first.checked_add_months(Months::new(months))?;
    Some((first, next.pred_opt()?))
}

/// So many days, weeks, months, quarters or years earlier.
fn go_back(day: NaiveDate, count: u32, unit: &str) -> Option<NaiveDate> {
    match unit {
        "day" => day.checked_sub_days(Days::new(count.into())),
        "week" => go_back(day, count * 7, "day"),
        "month" => day.checked_sub_months(Months::new(count)),
        "quarter" => go_back(day, count * 3, "month"),
        _ => go_back(day, count * 12, "month"),
    }
}

fn parse_date(text: &str) -> Option<Period> {
    let mut periods = FORMATS.iter().filter_map(|(format, rest, unit)| {
        let day = NaiveDate::parse_from_str(&format!("{text}{rest}"), format).ok()?;
        find_period(day, unit).filter(|_| (1990..=2100).contains(&day.year()))
    });
    periods.next()
}

impl Question<'_> {
    /// A range of days, with the word that says what they are the days of.
    pub fn read_days(&self, at: usize) -> ReadPart {
        let (key, start) = self.take("dated", at);
        let (how, from) = self.take("dates", start);
        let is_date = how.is_some() || self.skip("days", from) > from;
        let period = self.read_period(from).filter(|_| is_date);
        let Some(((first, mut last), mut end)) = period else {
            // "next 30 days", "last few months"
            let (_, vague) = self.find("vague_days", at)?;
            let mut units = (vague..vague + 4).filter_map(|at| self.find("time_units", at));
            return Some((Part::Unclear, units.next()?.1));
        };
        let is_joined = match self.word(end) {
            "and" => how == Some(".."),
            "to" | "until" | "till" | "through" => matches!(how, Some(">=" | "..")),
            _ => false,
        };
        let other = self.read_period(end + 1).filter(|_| is_joined);
        if let Some(((_, other), after)) = other {
            (last, end) = (other, after);
        }
        let comparison = match how {
            _ if other.is_some() => "=",
            // the last 30 days go on
            _ if last == NaiveDate::MAX => ">=",
            Some("by") => return Some((Part::Unclear, end)),
            Some("..") => return None,
            how => how.unwrap_or("="),
        };
        let days = [first, last].map(|day| f64::from(day.num_days_from_ce()));
        Some((Range::compare(key, RangeKind::Days, comparison, days), end))
    }

    /// A day, a month, a quarter or a year. "The last 30 days" have no end.
    fn read_period(&self, at: usize) -> Option<(Period, usize)> {
        let start = self.skip("articles", at);
        if let Some((edge, after)) = self.find("edges", start) {
            let ((first, last), end) = self.read_period(after)?;
            let day = if edge == "first" { first } else { last };
            return Some(((day, day), end));
        }
        if let Some((ago, end)) = self.find("moments", at) {
            let (count, unit) = ago.split_once(' ')?;
            let day = go_back(self.today, count.parse().ok()?, unit)?;
            return Some((find_period(day, unit)?, end));
        }
        if let "last" | "past" | "previous" = self.word(start) {
            let (count, unit) = self.read_count(start + 1).unwrap_or((1, start + 1));
            let (unit, end) = self.find("time_units", unit)?;
            let first = go_back(self.today, count, unit)?;
            return Some(((first, NaiveDate::MAX), end));
        }
        if let Ok(weekday) = self.word(start).parse::<Weekday>() {
            let count = self.today.weekday().days_since(weekday);
            let day = go_back(self.today, count, "day")?;
            return Some(((day, day), start + 1));
        }
        self.read_date(start)
    }

    /// A date in one of the formats. Without a year it is the last one that has begun.
    fn read_date(&self, start: usize) -> Option<(Period, usize)> {
        let (month, _) = self.take("months", start);
        let first = month.unwrap_or(self.word(start));
        let ends = start + 1..self.words.len().min(start + 5) + 1;
        let mut dates = ends.rev().filter_map(|end| {
            let words = (start + 1..end).map(|at| self.word(at));
            let words = words.filter(|word| ![",", "of", "st", "nd", "rd", "th"].contains(word));
            let text = words.fold(first.to_owned(), |text, word| format!("{text} {word}"));
            let years = [self.today.year(), self.today.year() - 1].into_iter();
            let dates = years.filter_map(|year| parse_date(&format!("{text} {year}")));
            let begun = || dates.filter(|(first, _)| *first <= self.today).max();
            let date = parse_date(&text).or_else(begun);
            let is_whole = ![",", "of"].contains(&self.word(end - 1));
            Some((date.filter(|_| is_whole)?, end))
        });
        dates.next()
    }
}
