//! The dates of a question: "since September", "in the last 30 days", "before 2026-03-01", "this
//! month".

use chrono::{Datelike, Days, Months, NaiveDate, Weekday};
use serde_json::{Value, json};

use super::amounts::parse_count;
use super::lexicon::starts_with;
use super::{Negation, QuestionParser};
use crate::service::dataset::Dataset;
use crate::service::search::fields::FilterKind;

const MONTHS: &[&str] = &[
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// Words before a number of days, weeks, months or years that end today, longer ones first.
const RECENT: &[&[&str]] = &[
    &["in", "the", "last"],
    &["in", "the", "past"],
    &["in", "last"],
    &["in", "past"],
    &["within", "the", "last"],
    &["within", "the", "past"],
    &["within", "last"],
    &["over", "the", "last"],
    &["over", "the", "past"],
    &["during", "the", "last"],
    &["during", "the", "past"],
    &["for", "the", "last"],
    &["for", "the", "past"],
    &["the", "last"],
    &["the", "past"],
    &["last"],
    &["past"],
    &["previous"],
];

/// Some days, from the first to the last.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Period {
    first: NaiveDate,
    last: NaiveDate,
}

/// The ends of a range of days.
type DayRange = (Option<NaiveDate>, Option<NaiveDate>);

fn month_period(year: i32, month: u32) -> Option<Period> {
    let first = NaiveDate::from_ymd_opt(year, month, 1)?;
    Some(Period {
        first,
        last: first.checked_add_months(Months::new(1))?.pred_opt()?,
    })
}

fn year_period(year: i32) -> Option<Period> {
    Some(Period {
        first: NaiveDate::from_ymd_opt(year, 1, 1)?,
        last: NaiveDate::from_ymd_opt(year, 12, 31)?,
    })
}

fn quarter_period(year: i32, quarter: u32) -> Option<Period> {
    let (first, last) = (
        month_period(year, quarter * 3 - 2)?,
        month_period(year, quarter * 3)?,
    );
    Some(Period {
        first: first.first,
        last: last.last,
    })
}

fn month_number(word: &str) -> Option<u32> {
    let is_short = |name: &str| {
        word.len() >= 3 && (name[..3] == *word || (name == "september" && word == "sept"))
    };
    let at = MONTHS
        .iter()
        .position(|name| word == *name || is_short(name))?;
    u32::try_from(at + 1).ok()
}

fn year_number(word: &str) -> Option<i32> {
    word.parse()
        .ok()
        .filter(|year| word.len() == 4 && (1990..=2100).contains(year))
}

fn day_number(word: &str) -> Option<u32> {
    let bare = ["st", "nd", "rd", "th"]
        .iter()
        .find_map(|end| word.strip_suffix(end))
        .unwrap_or(word);
    bare.parse()
        .ok()
        .filter(|day| (1..=31).contains(day) && bare.len() <= 2)
}

/// The first of these units before today's, and the number of units: "month" or "weeks".
fn unit_start(today: NaiveDate, unit: &str, count: u32) -> Option<NaiveDate> {
    match unit.trim_end_matches('s') {
        "day" => today.checked_sub_days(Days::new(count.into())),
        "week" => today.checked_sub_days(Days::new(u64::from(count) * 7)),
        "month" => today.checked_sub_months(Months::new(count)),
        "quarter" => today.checked_sub_months(Months::new(count.checked_mul(3)?)),
        "year" => today.checked_sub_months(Months::new(count.checked_mul(12)?)),
        _ => None,
    }
}

/// "this month", "last year": the calendar unit with today, or the one before.
fn calendar_unit(today: NaiveDate, unit: &str, before: bool) -> Option<Period> {
    let back = |months: u32| today.checked_sub_months(Months::new(if before { months } else { 0 }));
    match unit {
        "week" => {
            let monday = today.checked_sub_days(Days::new(
                u64::from(today.weekday().num_days_from_monday()) + if before { 7 } else { 0 },
            ))?;
            Some(Period {
                first: monday,
                last: monday.checked_add_days(Days::new(6))?,
            })
        }
        "month" => back(1).and_then(|day| month_period(day.year(), day.month())),
        "quarter" => back(3).and_then(|day| quarter_period(day.year(), day.month0() / 3 + 1)),
        "year" => back(12).and_then(|day| year_period(day.year())),
        _ => None,
    }
}

/// A day, a month, a quarter or a year, and the number of words. Without a year it is the last one
/// that has begun.
fn parse_period(words: &[String], today: NaiveDate) -> Option<(Period, usize)> {
    let word = |at: usize| words.get(at).map(String::as_str);
    let day = |day: NaiveDate| Period {
        first: day,
        last: day,
    };
    let begun = |period: fn(i32, u32) -> Option<Period>, n: u32| {
        [today.year(), today.year() - 1]
            .into_iter()
            .filter_map(|year| period(year, n))
            .find(|period| period.first <= today)
    };
    let first = word(0)?;
    if let ("the", Some(rest)) = (first, words.get(1..)) {
        return parse_period(rest, today).map(|(period, count)| (period, count + 1));
    }
    if matches!(first, "start" | "beginning" | "end") && word(1) == Some("of") {
        let the = 2 + usize::from(word(2) == Some("the"));
        let unit = word(the)
            .and_then(|unit| calendar_unit(today, unit, false))
            .map(|period| (period, 1));
        let (period, count) = unit.or_else(|| parse_period(words.get(the..)?, today))?;
        return Some((
            day(if first == "end" {
                period.last
            } else {
                period.first
            }),
            the + count,
        ));
    }
    if first.len() == 10
        && let Ok(date) = first.parse()
    {
        return Some((day(date), 1));
    }
    if let Some((year, month)) = first.split_once('-').filter(|_| first.len() == 7) {
        return Some((month_period(year.parse().ok()?, month.parse().ok()?)?, 1));
    }
    if let [month, date, year @ ..] = first.split('/').collect::<Vec<_>>().as_slice() {
        let year: i32 = match year {
            [] => begun(month_period, month.parse().ok()?)?.first.year(),
            [year] => year
                .parse()
                .ok()
                .map(|year: i32| if year < 100 { 2000 + year } else { year })?,
            _ => return None,
        };
        return Some((
            day(NaiveDate::from_ymd_opt(
                year,
                month.parse().ok()?,
                date.parse().ok()?,
            )?),
            1,
        ));
    }
    if let Some(year) = year_number(first) {
        return Some((year_period(year)?, 1));
    }
    if let Some(quarter) = first
        .strip_prefix('q')
        .and_then(|n| n.parse().ok())
        .filter(|n| (1..=4).contains(n))
    {
        let year = word(1).and_then(year_number);
        let period = year.map_or_else(
            || begun(quarter_period, quarter),
            |year| quarter_period(year, quarter),
        )?;
        return Some((period, 1 + usize::from(year.is_some())));
    }
    match first {
        "today" => return Some((day(today), 1)),
        "yesterday" => return Some((day(today.pred_opt()?), 1)),
        "this" | "last" => return Some((calendar_unit(today, word(1)?, first == "last")?, 2)),
        _ => {}
    }
    if let (Ok(weekday), true) = (first.parse::<Weekday>(), first.ends_with("day")) {
        return (0..7)
            .filter_map(|back| today.checked_sub_days(Days::new(back)))
            .find(|day| day.weekday() == weekday)
            .map(|date| (day(date), 1));
    }
    // "15 September", "September 15, 2025", "September 2025", "September of 2025"
    let (date, month, mut at) = match (day_number(first), word(1), word(2)) {
        (Some(date), Some("of"), Some(month)) => (Some(date), month_number(month)?, 3),
        (Some(date), Some(month), _) => (Some(date), month_number(month)?, 2),
        _ => {
            let date = word(1).and_then(day_number);
            (date, month_number(first)?, 1 + usize::from(date.is_some()))
        }
    };
    let comma = usize::from(matches!(word(at), Some("," | "of")));
    let year = word(at + comma).and_then(year_number);
    at += if year.is_some() { comma + 1 } else { 0 };
    let whole = year.map_or_else(
        || begun(month_period, month),
        |year| month_period(year, month),
    )?;
    match date {
        Some(date) => Some((day(whole.first.with_day(date)?), at)),
        None => Some((whole, at)),
    }
}

/// A range of days, and the number of words.
fn parse_range(words: &[String], today: NaiveDate) -> Option<(DayRange, usize)> {
    let period = |at: usize| {
        parse_period(words.get(at..)?, today).map(|(period, count)| (period, at + count))
    };
    let first = words[0].as_str();
    if let Some(start) = RECENT.iter().find(|start| starts_with(words, start)) {
        let rest = &words[start.len()..];
        if let Some((count, taken)) = parse_count(rest) {
            let unit = rest.get(taken)?;
            return Some((
                (Some(unit_start(today, unit, count)?), None),
                start.len() + taken + 1,
            ));
        }
        let unit = rest.first()?;
        // "last year" is a calendar year, "in the last year" the twelve months until today
        let is_calendar = matches!(start, [word] if *word != "past");
        let (min, max) = match calendar_unit(today, unit, true).filter(|_| is_calendar) {
            Some(period) => (period.first, Some(period.last)),
            None => (unit_start(today, unit, 1).filter(|_| !is_calendar)?, None),
        };
        return Some(((Some(min), max), start.len() + 1));
    }
    let ends: (DayRange, usize) = match first {
        "since" | "starting" => {
            let (period, count) = period(1)?;
            ((Some(period.first), None), count)
        }
        "after" => {
            let (period, count) = period(1)?;
            ((Some(period.last.succ_opt()?), None), count)
        }
        "before" => {
            let (period, count) = period(1)?;
            ((None, Some(period.first.pred_opt()?)), count)
        }
        "until" | "till" | "through" => {
            let (period, count) = period(1)?;
            ((None, Some(period.last)), count)
        }
        "from" | "between" => {
            let (from, count) = period(1)?;
            let joint = words.get(count).map(String::as_str);
            let joins = if first == "between" {
                joint == Some("and")
            } else {
                matches!(joint, Some("to" | "until" | "till" | "through"))
            };
            match period(count + 1).filter(|_| joins) {
                Some((to, count)) => (
                    (Some(from.first.min(to.first)), Some(from.last.max(to.last))),
                    count,
                ),
                None if first == "from" => ((Some(from.first), None), count),
                None => return None,
            }
        }
        "in" | "during" | "on" => {
            let (period, count) = period(1)?;
            ((Some(period.first), Some(period.last)), count)
        }
        "today" | "yesterday" | "this" => {
            let (period, count) = period(0)?;
            ((Some(period.first), Some(period.last)), count)
        }
        "older" if words.get(1).map(String::as_str) == Some("than") => {
            let (count, taken) = parse_count(&words[2..])?;
            let day = unit_start(today, words.get(2 + taken)?, count)?;
            ((None, Some(day)), 3 + taken)
        }
        "newer" if words.get(1).map(String::as_str) == Some("than") => {
            let (count, taken) = parse_count(&words[2..])?;
            (
                (Some(unit_start(today, words.get(2 + taken)?, count)?), None),
                3 + taken,
            )
        }
        _ => return None,
    };
    Some(ends)
}

/// The number of words of a date that is not expressible: "next 30 days", "by June", "the last few
/// months".
fn vague_date(words: &[String], today: NaiveDate) -> usize {
    let is_unit = |word: &String| unit_start(today, word, 1).is_some();
    let until_unit = |at: usize| {
        words[at..]
            .iter()
            .take(4)
            .position(is_unit)
            .map_or(0, |more| at + more + 1)
    };
    match words[0].as_str() {
        "next" | "coming" | "upcoming" | "within" | "last" | "past" => until_unit(1),
        "by" => words
            .get(1..)
            .and_then(|rest| parse_period(rest, today))
            .map_or(0, |(_, count)| 1 + count),
        _ => 0,
    }
}

/// Whether a date begins here.
pub(super) fn starts_date(words: &[String], today: NaiveDate) -> bool {
    !words.is_empty() && parse_range(words, today).is_some()
}

impl QuestionParser {
    /// Parses a date. What it belongs to must be understood: the words before it, if they are not,
    /// take it with them.
    pub(super) fn parse_dates(&mut self, words: &[String], after_unknown: bool) -> usize {
        if self.negation != Negation::None {
            return 0;
        }
        let today = self.now.date_naive();
        let Some(((min, max), count)) = parse_range(words, today) else {
            let count = vague_date(words, today);
            return if count > 0 {
                self.ignore(words, count)
            } else {
                0
            };
        };
        // "completed in 2025" is not known, only what is completed and when its last signal was
        let of_stage = self
            .last
            .is_some_and(|last| last.relation.is_none() && last.key == "stage");
        if after_unknown || (of_stage && self.conjunction.is_none()) {
            return self.ignore(words, count);
        }
        let value = |day: Option<NaiveDate>| day.map(|day| json!(day.to_string()));
        let (min, max): (Option<Value>, Option<Value>) = (value(min), value(max));
        let key = self.date_key.take();
        if self.dataset == Dataset::Signals {
            self.last = None;
        }
        if key.is_none() && self.add_signal_dates(min.clone(), max.clone()) {
            return count;
        }
        if self.add_range(|kind| matches!(kind, FilterKind::Date), key, min, max) {
            count
        } else {
            self.ignore(words, count)
        }
    }
}
