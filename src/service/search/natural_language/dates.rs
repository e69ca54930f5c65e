//! The dates of a question: "since September", "in the last 30 days", "before 2026-03-01", "this
//! month".

use chrono::{Datelike, NaiveDate, Weekday};

use super::tokens::{Part, Question, Range, RangeKind, ReadPart, write_test};
use crate::domain::period::{Period, go_back};

impl<'a> Question<'a> {
    /// A range of days, with the word that says what they are the days of.
    pub fn read_days(&self, at: usize) -> ReadPart<'a> {
        let (key, start) = self.take("dated", at);
        let (how, start) = self.take("dates", start);
        let date = || self.read_date(start).filter(|_| how.is_some());
        let (period, end) = self.read_moment(start).or_else(date)?;
        let compare = |how, last: NaiveDate| {
            let before = period.first.pred_opt().unwrap_or(period.first);
            let after = last.succ_opt().unwrap_or(last);
            let test = write_test(how, [before, period.first, last, after]);
            let kind = RangeKind::Days;
            Part::Range(Range { key, kind, test })
        };
        let is_joined = match self.word(end) {
            "and" => how == Some(".."),
            "to" | "until" | "till" | "through" => matches!(how, Some(">=" | "..")),
            _ => false,
        };
        let other = || {
            self.read_moment(end + 1)
                .or_else(|| self.read_date(end + 1))
        };
        if let Some((other, end)) = is_joined.then(other).flatten() {
            return Some((compare("=", other.last), end));
        }
        match how {
            // the last 30 days go on
            _ if period.last == NaiveDate::MAX => Some((compare(">=", period.last), end)),
            Some("..") => None,
            Some("by") => Some((Part::Unknown, end)),
            how => Some((compare(how.unwrap_or("="), period.last), end)),
        }
    }

    /// "this month", "yesterday"; "the last 30 days" have no end.
    fn read_moment(&self, at: usize) -> Option<(Period, usize)> {
        if let Some((ago, end)) = self.find("moments", at) {
            let (count, unit) = ago.split_once(' ')?;
            let day = go_back(self.today, count.parse().ok()?, unit)?;
            return Some((Period::containing(day, unit)?, end));
        }
        let start = self.find("passed", at)?.1;
        let (count, unit) = self.read_count(start).unwrap_or((1, start));
        let (unit, end) = self.find("time_units", unit)?;
        let first = go_back(self.today, count, unit)?;
        Some((Period::new(first, NaiveDate::MAX), end))
    }

    /// What needs a word before it to be a date. Without a year it is the last one that has begun.
    fn read_date(&self, at: usize) -> Option<(Period, usize)> {
        if let Some((unit, end)) = self.find("current", at) {
            return Some((Period::containing(self.today, unit)?, end));
        }
        let start = self.skip("articles", at);
        if let Ok(weekday) = self.word(start).parse::<Weekday>() {
            let count = self.today.weekday().days_since(weekday);
            let day = go_back(self.today, count, "day")?;
            return Some((Period::new(day, day), start + 1));
        }
        let first = self.take("months", start).0.unwrap_or(self.word(start));
        let year = self.today.year();
        let years = ["", &format!(" {year}"), &format!(" {}", year - 1)];
        let ends = start + 1..self.words.len().min(start + 5) + 1;
        let mut dates = ends.rev().filter_map(|end| {
            let words = (start + 1..end).map(|at| self.word(at));
            let words = words.filter(|word| ![",", "of", "st", "nd", "rd", "th"].contains(word));
            let text = words.fold(first.to_owned(), |text, word| format!("{text} {word}"));
            let mut dates = years.iter().filter_map(|year| {
                let date = Period::parse(&format!("{text}{year}"))?;
                (year.is_empty() || date.first <= self.today).then_some(date)
            });
            let is_whole = ![",", "of"].contains(&self.word(end - 1));
            Some((dates.next().filter(|_| is_whole)?, end))
        });
        dates.next()
    }
}
