//! Dates as cities write them: numbers in one of three orders, names of months, times behind them.
//!
//! Never here: a decision between two readings of a date; see [`possible_dates`].

use chrono::{DateTime, Days, NaiveDate, NaiveTime, Timelike, Utc};

/// The order of day, month and year.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DateOrder {
    Dmy,
    Mdy,
    Ymd,
}

impl DateOrder {
    pub const ALL: [DateOrder; 3] = [DateOrder::Dmy, DateOrder::Mdy, DateOrder::Ymd];

    /// `dmy`, `mdy` or `ymd`.
    pub fn from_word(word: &str) -> Option<DateOrder> {
        DateOrder::ALL
            .into_iter()
            .find(|order| order.word() == word)
    }

    pub fn word(self) -> &'static str {
        match self {
            DateOrder::Dmy => "dmy",
            DateOrder::Mdy => "mdy",
            DateOrder::Ymd => "ymd",
        }
    }

    /// The order in words.
    pub fn description(self) -> &'static str {
        match self {
            DateOrder::Dmy => "day first",
            DateOrder::Mdy => "month first",
            DateOrder::Ymd => "year first",
        }
    }
}

fn month_by_name(word: &str) -> Option<u32> {
    let word = super::words::normalize(word);
    let is_word = word.len() >= 3 && word.chars().all(char::is_alphabetic) && word.len() <= 10;
    let mut months = super::words::exact_words("months").iter();
    let found = months.position(|names| names.split(' ').any(|name| word.starts_with(name)));
    found.filter(|_| is_word).map(|at| at as u32 + 1)
}

/// The number of a month: `3`, `03`, `March`.
pub fn month_number(text: &str) -> Option<u32> {
    match text.parse() {
        Ok(number) => Some(number).filter(|number| (1..=12).contains(number) && text.len() <= 2),
        Err(_) => month_by_name(text),
    }
}

/// Reads a date, in any way of writing it, with numbers in this order. The time of day is dropped.
pub fn parse_ordered(text: &str, order: DateOrder) -> Option<NaiveDate> {
    let text = text.trim();
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return parse_digits(text);
    }
    if let Some(day) = day_of_number(text) {
        return Some(day);
    }
    let mut parts: Vec<&str> = Vec::with_capacity(3);
    let mut rest = text;
    while parts.len() < 3 {
        rest = rest.trim_start_matches(|c: char| !c.is_alphanumeric());
        let is_number = rest.starts_with(|c: char| c.is_ascii_digit());
        let end = rest
            .find(|c: char| {
                if is_number {
                    !c.is_ascii_digit()
                } else {
                    !c.is_alphabetic()
                }
            })
            .unwrap_or(rest.len());
        let (word, behind) = rest.split_at(end);
        if word.is_empty() {
            return None;
        }
        rest = behind;
        match is_number {
            true => {
                parts.push(word);
                rest = ["st", "nd", "rd", "th", "er"]
                    .iter()
                    .find_map(|ending| rest.strip_prefix(ending))
                    .unwrap_or(rest);
            }
            false
                if month_by_name(word).is_some()
                    && !parts.iter().any(|part| month_by_name(part).is_some()) =>
            {
                parts.push(word)
            }
            // the day of the week, `de`
            false if rest.starts_with([' ', ',', '.']) => {}
            false => return None,
        }
    }
    is_time(rest).then_some(())?;
    let [first, second, third] = parts[..] else {
        return None;
    };
    if let Some(month) = month_by_name(second) {
        return if first.len() == 4 {
            date(first, month, third)
        } else {
            date(third, month, first)
        };
    }
    if let Some(month) = month_by_name(first) {
        return date(third, month, second);
    }
    let (year, month, day) = match order {
        _ if first.len() == 4 => (first, second, third),
        DateOrder::Ymd if third.len() <= 2 => (first, second, third),
        DateOrder::Dmy => (third, second, first),
        DateOrder::Mdy => (third, first, second),
        DateOrder::Ymd => return None,
    };
    (month.len() <= 2).then(|| date(year, month.parse().ok()?, day))?
}

/// `20240315`, a day number of Excel, or the time since 1970.
fn parse_digits(text: &str) -> Option<NaiveDate> {
    match text.len() {
        5 => day_of_number(text),
        8 => date(&text[..4], text[4..6].parse().ok()?, &text[6..]),
        _ => parse_epoch(text).map(|moment| moment.date_naive()),
    }
}

/// Excel's numbers of the days from 1950 to 2099.
const DAY_NUMBERS: std::ops::Range<u64> = 18_264..73_051;

/// A day as Excel counts it: `45351` is 29 February 2024. A fraction is the time of day.
fn day_of_number(text: &str) -> Option<NaiveDate> {
    let (days, time) = text.split_once('.').unwrap_or((text, "0"));
    let number: u64 = days
        .parse()
        .ok()
        .filter(|_| days.len() == 5 && time.bytes().all(|byte| byte.is_ascii_digit()))?;
    let start = NaiveDate::from_ymd_opt(1899, 12, 30)?;
    DAY_NUMBERS
        .contains(&number)
        .then(|| start.checked_add_days(Days::new(number)))?
}

/// Seconds or milliseconds since 1970.
fn parse_epoch(text: &str) -> Option<DateTime<Utc>> {
    // `0000412733` is a number, and no day in 1970
    let number: i64 = text.parse().ok().filter(|_| !text.starts_with('0'))?;
    match text.len() {
        10 => DateTime::from_timestamp(number, 0),
        12 | 13 => DateTime::from_timestamp_millis(number),
        _ => None,
    }
}

/// Whether a number can only be a date in a column of dates: anywhere else it is a number.
pub fn is_number_of_a_day(text: &str) -> bool {
    let text = text.trim();
    day_of_number(text).is_some() || text.len() == 10 && parse_digits(text).is_some()
}

/// A moment: the time since 1970, or a date with its time and zone, such as
/// `2024-02-29T23:00:00.000Z`.
pub fn parse_instant(text: &str) -> Option<DateTime<Utc>> {
    let text = text.trim();
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return parse_epoch(text);
    }
    let written = text.replace('/', "-").replacen(' ', "T", 1);
    let written = if written.ends_with("+00") {
        format!("{written}:00")
    } else {
        written
    };
    DateTime::parse_from_rfc3339(&written)
        .ok()
        .map(|moment| moment.to_utc())
}

/// The day that begins at a moment, if that is midnight somewhere: the hours before noon are
/// midnight west of Greenwich, the others east of it.
pub fn day_beginning_at(moment: DateTime<Utc>) -> Option<NaiveDate> {
    let day = moment.date_naive();
    if moment.hour() < 11 {
        Some(day)
    } else {
        day.succ_opt()
    }
}

/// Whether a moment is midnight where it is midnight at this time in UTC, or an hour away from it
/// in the other half of the year.
pub fn is_local_midnight(moment: DateTime<Utc>, midnight: NaiveTime) -> bool {
    let seconds = moment.time().signed_duration_since(midnight).num_seconds();
    [0, 1, 23].contains(&(seconds.abs() / 3600)) && seconds % 3600 == 0
}

/// Whether moments are midnights of one place: all at the same time of day, or at two that are an
/// hour apart, and not all at 00:00.
pub fn are_local_midnights(moments: &[DateTime<Utc>]) -> bool {
    let mut times: Vec<u32> = moments
        .iter()
        .map(|moment| moment.num_seconds_from_midnight())
        .collect();
    times.sort_unstable();
    times.dedup();
    let is_quarter = |time: &u32| time.is_multiple_of(15 * 60);
    times.iter().all(is_quarter)
        && match times[..] {
            [time] => time != 0,
            [first, second] => {
                [1, 23].contains(&((second - first) / 3600))
                    && (second - first).is_multiple_of(3600)
            }
            _ => false,
        }
}

/// Whether this is a day and a month without a year: `3/4`, `13.4.`.
pub fn lacks_year(text: &str) -> bool {
    let mut parts = text.trim().trim_end_matches('.').split(['/', '.', '-']);
    let number = |part: Option<&str>, most: u32| {
        part.filter(|part| part.len() <= 2)
            .and_then(|part| part.parse().ok())
            .is_some_and(|number: u32| (1..=most).contains(&number))
    };
    number(parts.next(), 31) && number(parts.next(), 31) && parts.next().is_none()
}

/// Dates that stand for none in databases: 30 December 1899, and the first days of 1900 and 1970.
pub fn is_placeholder(date: NaiveDate) -> bool {
    [(1899, 12, 30), (1899, 12, 31), (1900, 1, 1), (1970, 1, 1)]
        .into_iter()
        .any(|(year, month, day)| NaiveDate::from_ymd_opt(year, month, day) == Some(date))
}

/// Whether a text begins with a date that databases write for none and that is no day of a permit:
/// `1753-01-01`, `12/31/9999`.
pub fn is_of_no_time(text: &str) -> bool {
    let is_none = |part: &&str| ["0001", "1753", "9999"].contains(part);
    date_parts(text).is_some_and(|parts| parts.iter().any(is_none))
}

/// Whether a date is written with two digits for its year: `3/14/23`.
pub fn has_short_year(text: &str) -> bool {
    let is_short = |part: &&str| part.len() <= 2 && part.parse::<u8>().is_ok();
    date_parts(text).is_some_and(|parts| parts.iter().all(is_short))
}

/// The three parts of a date at the beginning of a text.
fn date_parts(text: &str) -> Option<[&str; 3]> {
    let date = text.split([' ', 'T']).next()?;
    let parts: Vec<&str> = date.split(['-', '/', '.']).collect();
    parts.try_into().ok()
}

/// Whether this is nothing, or a time of day with its zone.
fn is_time(rest: &str) -> bool {
    // `(Pacific Daylight Time)`
    let rest = rest.split('(').next().unwrap_or_default();
    let rest = rest
        .trim()
        .trim_start_matches([',', '.', '\''])
        .trim_start();
    // `PDT`: the day is that of the place
    let is_zone = |word: &str| word.len() <= 5 && word.bytes().all(|c| c.is_ascii_uppercase());
    let rest = match rest.rsplit_once(' ') {
        Some((time, zone)) if time.contains(':') && is_zone(zone) => time,
        _ => rest,
    };
    let body = rest
        .strip_prefix(['T', 't'])
        .unwrap_or(rest)
        .to_ascii_lowercase();
    let body = ["a.m.", "p.m.", "am", "pm", "uhr", "utc", "gmt", "h", "z"]
        .iter()
        .fold(body, |body, word| body.replace(word, ""));
    body.chars()
        .all(|c| c.is_ascii_digit() || " :.,+-".contains(c))
        && (body.trim().is_empty() || rest.contains([':', 'h']))
}

fn date(year: &str, month: u32, day: &str) -> Option<NaiveDate> {
    let number: i32 = year.parse().ok()?;
    let year = match year.len() {
        4 => number,
        2 if number < 70 => 2000 + number,
        2 => 1900 + number,
        _ => return None,
    };
    let day = (day.len() <= 2).then(|| day.parse().ok())??;
    NaiveDate::from_ymd_opt(year, month, day).filter(|_| (1850..=2150).contains(&year))
}

/// The readings of a date: one for each order in which it is a date. All the same if the order does
/// not matter. None for a number that is a date only in a column of dates.
pub fn possible_dates(text: &str) -> Vec<(DateOrder, NaiveDate)> {
    if is_number_of_a_day(text) {
        return Vec::new();
    }
    // `03/04/24` is hardly ever written with the year first: only with dashes
    let orders = DateOrder::ALL.into_iter().filter(|order| {
        *order != DateOrder::Ymd || !text.contains(['/', '.']) || is_year_first(text)
    });
    orders
        .filter_map(|order| parse_ordered(text, order).map(|date| (order, date)))
        .collect()
}

fn is_year_first(text: &str) -> bool {
    text.trim().bytes().take_while(u8::is_ascii_digit).count() >= 4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_read_however_it_is_written() {
        let third_of_april = NaiveDate::from_ymd_opt(2024, 4, 3);
        for (text, order) in [
            ("03/04/2024", DateOrder::Dmy),
            ("3.4.2024", DateOrder::Dmy),
            ("03.04.24 08:15", DateOrder::Dmy),
            ("04/03/2024 08:38:41 AM", DateOrder::Mdy),
            ("4-3-24", DateOrder::Mdy),
            ("2024-04-03", DateOrder::Mdy),
            ("2024/04/03 00:00:00+00", DateOrder::Dmy),
            ("2024-04-03T23:59:00.000Z", DateOrder::Ymd),
            ("24-04-03", DateOrder::Ymd),
            ("20240403", DateOrder::Dmy),
            ("3 Apr 2024", DateOrder::Mdy),
            ("April 3, 2024", DateOrder::Dmy),
            ("Wed, 3rd April 2024", DateOrder::Mdy),
            ("3. April 2024", DateOrder::Dmy),
            ("3 de abril de 2024", DateOrder::Dmy),
            ("3 avril 2024", DateOrder::Dmy),
            ("03-avr-24", DateOrder::Dmy),
            ("3 aprile 2024 10h15", DateOrder::Dmy),
            ("1712102400000", DateOrder::Dmy),
            ("2024-04-03 23:30:00 PDT", DateOrder::Mdy),
            ("Apr 3 2024 9:15PM PST", DateOrder::Mdy),
            ("03.04.2024 23:30 CEST", DateOrder::Dmy),
            (
                "Wed Apr 03 2024 23:30:00 GMT-0700 (Pacific Daylight Time)",
                DateOrder::Mdy,
            ),
        ] {
            assert_eq!(
                parse_ordered(text, order),
                third_of_april,
                "{text} {order:?}"
            );
        }
        for text in [
            "soon",
            "",
            "31/02/2024",
            "2024",
            "12",
            "03/04",
            "03/04/2024 and more",
            "03/04/2024 ABC",
            "2024-04-03 10:00 or LATER",
            "45385",
            "1/2/3/4",
            "10.123.456",
            "P-2024-04-03-7",
        ] {
            assert!(
                possible_dates(text).is_empty(),
                "{text} {:?}",
                possible_dates(text)
            );
        }
    }

    #[test]
    fn numbers_in_a_column_of_dates_are_read_as_spreadsheets_and_databases_count() {
        let day = |text: &str| parse_ordered(text, DateOrder::Mdy).map(|date| date.to_string());
        assert_eq!(day("45351").as_deref(), Some("2024-02-29"));
        assert_eq!(day("45351.75").as_deref(), Some("2024-02-29"));
        assert_eq!(day("1709251200").as_deref(), Some("2024-03-01"));
        assert_eq!(day("1709251200000").as_deref(), Some("2024-03-01"));
        assert_eq!(
            (day("12345"), day("99999"), day("123456")),
            (None, None, None)
        );
        assert!(
            is_number_of_a_day("45351") && possible_dates("45351").is_empty(),
            "elsewhere it is a number"
        );
    }

    #[test]
    fn moments_at_midnight_of_their_place_are_that_day() {
        let moments = |texts: &[&str]| {
            texts
                .iter()
                .filter_map(|text| parse_instant(text))
                .collect::<Vec<_>>()
        };
        let berlin = moments(&["1709247600000", "2024-06-30T22:00:00.000Z"]);
        assert!(berlin.len() == 2 && are_local_midnights(&berlin));
        let days: Vec<String> = berlin
            .into_iter()
            .filter_map(day_beginning_at)
            .map(|day| day.to_string())
            .collect();
        assert_eq!(days, ["2024-03-01", "2024-07-01"]);
        let chicago = moments(&["2024/03/01 06:00:00+00", "2024-07-01T05:00:00Z"]);
        assert!(are_local_midnights(&chicago));
        assert_eq!(
            day_beginning_at(chicago[0])
                .map(|day| day.to_string())
                .as_deref(),
            Some("2024-03-01")
        );
        let auckland = moments(&["2024-02-29T11:00:00Z"]);
        assert_eq!(
            day_beginning_at(auckland[0])
                .map(|day| day.to_string())
                .as_deref(),
            Some("2024-03-01")
        );
        assert!(!are_local_midnights(&moments(&["2024-03-01T00:00:00Z"])));
        assert!(!are_local_midnights(&moments(&[
            "2024-03-01T08:17:00Z",
            "2024-03-02T09:00:00Z"
        ])));
    }

    #[test]
    fn a_date_with_several_readings_has_all_of_them() {
        let readings = |text: &str| {
            possible_dates(text)
                .into_iter()
                .map(|(order, date)| (order, date.to_string()))
                .collect::<Vec<_>>()
        };
        let day_first = |date: &str| (DateOrder::Dmy, date.to_owned());
        let month_first = |date: &str| (DateOrder::Mdy, date.to_owned());
        assert_eq!(
            readings("03/04/2024"),
            [day_first("2024-04-03"), month_first("2024-03-04")]
        );
        assert_eq!(readings("13/04/2024"), [day_first("2024-04-13")]);
        assert_eq!(readings("05/13/24"), [month_first("2024-05-13")]);
        assert_eq!(readings("24-03-05").len(), 2);
    }
}
