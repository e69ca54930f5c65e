//! Dates as cities write them: numbers in one of three orders, names of months, times behind them.
//!
//! Never here: a decision between two readings of a date; see [`possible_dates`].

use chrono::NaiveDate;

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
        DateOrder::ALL.into_iter().find(|order| order.word() == word)
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

/// The beginnings of the names of months in English, Spanish, German, French, Portuguese, Italian and Dutch, without accents.
const MONTHS: [&[&str]; 12] = [
    &["jan", "ene", "gen"],
    &["feb", "fev"],
    &["mar", "mrt", "maa", "mrz"],
    &["apr", "abr", "avr"],
    &["may", "mai", "mag", "mei"],
    &["jun", "juin", "giu"],
    &["jul", "juil", "lug"],
    &["aug", "ago", "aou"],
    &["sep", "set"],
    &["oct", "okt", "out", "ott"],
    &["nov"],
    &["dec", "dez", "dic"],
];

fn month_by_name(word: &str) -> Option<u32> {
    let word = super::words::normalize(word);
    let is_word = word.len() >= 3 && word.chars().all(char::is_alphabetic) && word.len() <= 10;
    let found = MONTHS.iter().position(|names| names.iter().any(|name| word.starts_with(name)));
    found.filter(|_| is_word).map(|at| at as u32 + 1)
}

/// Reads a date, in any way of writing it, with numbers in this order. The time of day is dropped.
pub fn parse_ordered(text: &str, order: DateOrder) -> Option<NaiveDate> {
    let text = text.trim();
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return parse_digits(text);
    }
    let mut parts: Vec<&str> = Vec::with_capacity(3);
    let mut rest = text;
    while parts.len() < 3 {
        rest = rest.trim_start_matches(|c: char| !c.is_alphanumeric());
        let is_number = rest.starts_with(|c: char| c.is_ascii_digit());
        let end = rest.find(|c: char| if is_number { !c.is_ascii_digit() } else { !c.is_alphabetic() }).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(end);
        if word.is_empty() {
            return None;
        }
        rest = behind;
        match is_number {
            true => {
                parts.push(word);
                rest = ["st", "nd", "rd", "th", "er"].iter().find_map(|ending| rest.strip_prefix(ending)).unwrap_or(rest);
            }
            false if month_by_name(word).is_some() && !parts.iter().any(|part| month_by_name(part).is_some()) => parts.push(word),
            // the day of the week, `de`
            false if rest.starts_with([' ', ',', '.']) => {}
            false => return None,
        }
    }
    is_time(rest).then_some(())?;
    let [first, second, third] = parts[..] else { return None };
    if let Some(month) = month_by_name(second) {
        return if first.len() == 4 { date(first, month, third) } else { date(third, month, first) };
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

/// `20240315`, or milliseconds since 1970.
fn parse_digits(text: &str) -> Option<NaiveDate> {
    match text.len() {
        8 => date(&text[..4], text[4..6].parse().ok()?, &text[6..]),
        12 | 13 => chrono::DateTime::from_timestamp_millis(text.parse().ok()?).map(|moment| moment.date_naive()),
        _ => None,
    }
}

/// Whether this is nothing, or a time of day with its zone.
fn is_time(rest: &str) -> bool {
    let rest = rest.trim().trim_start_matches([',', '.', '\'']).trim_start();
    let body = rest.strip_prefix(['T', 't']).unwrap_or(rest).to_ascii_lowercase();
    let body = ["a.m.", "p.m.", "am", "pm", "uhr", "utc", "gmt", "h", "z"].iter().fold(body, |body, word| body.replace(word, ""));
    body.chars().all(|c| c.is_ascii_digit() || " :.,+-".contains(c)) && (body.trim().is_empty() || rest.contains([':', 'h']))
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

/// The readings of a date: one for each order in which it is a date. All the same if the order does not matter.
pub fn possible_dates(text: &str) -> Vec<(DateOrder, NaiveDate)> {
    // `03/04/24` is hardly ever written with the year first: only with dashes
    let orders =
        DateOrder::ALL.into_iter().filter(|order| *order != DateOrder::Ymd || !text.contains(['/', '.']) || is_year_first(text));
    orders.filter_map(|order| parse_ordered(text, order).map(|date| (order, date))).collect()
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
        ] {
            assert_eq!(parse_ordered(text, order), third_of_april, "{text} {order:?}");
        }
        for text in [
            "soon",
            "",
            "31/02/2024",
            "2024",
            "12",
            "03/04",
            "03/04/2024 and more",
            "45385",
            "1/2/3/4",
            "10.123.456",
            "P-2024-04-03-7",
        ] {
            assert!(possible_dates(text).is_empty(), "{text} {:?}", possible_dates(text));
        }
    }

    #[test]
    fn a_date_with_several_readings_has_all_of_them() {
        let readings =
            |text: &str| possible_dates(text).into_iter().map(|(order, date)| (order, date.to_string())).collect::<Vec<_>>();
        let day_first = |date: &str| (DateOrder::Dmy, date.to_owned());
        let month_first = |date: &str| (DateOrder::Mdy, date.to_owned());
        assert_eq!(readings("03/04/2024"), [day_first("2024-04-03"), month_first("2024-03-04")]);
        assert_eq!(readings("13/04/2024"), [day_first("2024-04-13")]);
        assert_eq!(readings("05/13/24"), [month_first("2024-05-13")]);
        assert_eq!(readings("24-03-05").len(), 2);
    }
}
