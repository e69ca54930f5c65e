//! How people see dates, times and numbers, as the user chose: for the console and for the tables
//! of the command line.
//!
//! The choice holds for the thread that draws or prints, which sets it before it does. Never here:
//! JSON, CSV, what is sent or saved.

use std::cell::Cell;

use chrono::{Datelike, FixedOffset, NaiveDate, NaiveDateTime};

/// What the user chose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DisplayFormat {
    pub date: DateFormat,
    pub number: NumberFormat,
    /// The time zone; `None` for that of this machine.
    pub offset: Option<FixedOffset>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DateFormat {
    /// `2026-07-02`
    #[default]
    Iso,
    /// `07/02/2026`
    Us,
    /// `02.07.2026`
    DayFirst,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NumberFormat {
    /// `1,234.5`
    #[default]
    Comma,
    /// `1.234,5`
    Point,
    /// `1 234,5`
    Space,
    /// `1'234.5`
    Apostrophe,
    /// `1234.5`
    Plain,
}

/// US dollars in at most seven cells: `$41.2M`, `$118M`, `$325k`, `$950`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "not negative, and no sum of money is beyond 64 bits"
)]
pub fn format_dollars(dollars: f64) -> String {
    let (value, unit) = match dollars.abs() {
        v if v >= 999.5e6 => (v / 1e9, "B"),
        v if v >= 999.5e3 => (v / 1e6, "M"),
        v if v >= 999.5 => (v / 1e3, "k"),
        v => (v, ""),
    };
    // Whole numbers are written several times as fast as fractions. Half a tenth goes to the even
    // one.
    let tenths = (value * 10.0).round_ties_even() as u64;
    let has_tenths = value < 100.0 && !unit.is_empty() && !tenths.is_multiple_of(10);
    let digits = if has_tenths {
        format!("{}.{}", tenths / 10, tenths % 10)
    } else {
        (value.round_ties_even() as u64).to_string()
    };
    let sign = if dollars < 0.0 { "-$" } else { "$" };
    [sign, &format_digits(&digits), unit].concat()
}

impl DateFormat {
    /// The names in the configuration.
    pub const NAMES: [(&str, DateFormat); 3] = [
        ("iso", DateFormat::Iso),
        ("us", DateFormat::Us),
        ("day-first", DateFormat::DayFirst),
    ];
}

impl NumberFormat {
    /// The names in the configuration: each is an example.
    pub const NAMES: [(&str, NumberFormat); 5] = [
        ("1,234.5", NumberFormat::Comma),
        ("1.234,5", NumberFormat::Point),
        ("1 234,5", NumberFormat::Space),
        ("1'234.5", NumberFormat::Apostrophe),
        ("1234.5", NumberFormat::Plain),
    ];

    /// Between groups of three digits, and before the decimals.
    fn separators(self) -> (&'static str, &'static str) {
        match self {
            NumberFormat::Comma => (",", "."),
            NumberFormat::Point => (".", ","),
            NumberFormat::Space => (" ", ","),
            NumberFormat::Apostrophe => ("'", "."),
            NumberFormat::Plain => ("", "."),
        }
    }
}

thread_local! {
    static CURRENT: Cell<DisplayFormat> = const {
        Cell::new(DisplayFormat { date: DateFormat::Iso, number: NumberFormat::Comma, offset: None })
    };
}

impl DisplayFormat {
    /// What holds for this thread.
    pub fn current() -> DisplayFormat {
        CURRENT.get()
    }

    /// Makes this the format of this thread.
    pub fn apply(self) {
        CURRENT.set(self);
    }
}

/// A number as a program writes it (`-1234.5`) as the user reads it: `-1,234.5`.
pub fn format_digits(number: &str) -> String {
    let (group, decimal) = CURRENT.get().number.separators();
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let (sign, digits) = whole
        .strip_prefix('-')
        .map_or(("", whole), |digits| ("-", digits));
    let mut out = String::with_capacity(number.len() * 2);
    out.push_str(sign);
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push_str(group);
        }
        out.push(digit);
    }
    if !fraction.is_empty() {
        out.push_str(decimal);
        out.push_str(fraction);
    }
    out
}

/// A day in full: `2026-07-02`. Ten cells in every format.
pub fn format_date(day: NaiveDate) -> String {
    let pattern = match CURRENT.get().date {
        DateFormat::Iso => "%Y-%m-%d",
        DateFormat::Us => "%m/%d/%Y",
        DateFormat::DayFirst => "%d.%m.%Y",
    };
    day.format(pattern).to_string()
}

/// A day without its year: `07-02`. Five cells in every format.
pub fn format_short_date(day: NaiveDate) -> String {
    let (month, day) = (day.month(), day.day());
    match CURRENT.get().date {
        DateFormat::Iso => format!("{month:02}-{day:02}"),
        DateFormat::Us => format!("{month:02}/{day:02}"),
        DateFormat::DayFirst => format!("{day:02}.{month:02}"),
    }
}

/// A day: without its year if that is the one of `today`.
pub fn format_recent_date(day: NaiveDate, today: NaiveDate) -> String {
    if day.year() == today.year() {
        format_short_date(day)
    } else {
        format_date(day)
    }
}

/// Day and minute: `2026-07-02 09:20`.
pub fn format_moment(at: NaiveDateTime) -> String {
    format!("{} {}", format_date(at.date()), at.format("%H:%M"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The format of a name, the default without one.
    fn named<T: Copy>(names: &[(&str, T)], name: &str) -> T {
        let found = names.iter().find(|(known, _)| *known == name);
        found.unwrap_or(&names[0]).1
    }

    fn with(date: &str, number: &str) {
        DisplayFormat {
            date: named(&DateFormat::NAMES, date),
            number: named(&NumberFormat::NAMES, number),
            offset: None,
        }
        .apply();
    }

    #[test]
    fn numbers_are_grouped_and_have_a_decimal_mark_as_their_name_shows() {
        for (name, _) in NumberFormat::NAMES {
            with("iso", name);
            assert_eq!(format_digits("1234.5"), name);
        }
        with("iso", "1.234,5");
        assert_eq!(
            ["-1234567", "-100", "999", "0.25", "41.2"].map(format_digits),
            ["-1.234.567", "-100", "999", "0,25", "41,2"]
        );
        with("iso", "?");
        assert_eq!(format_digits("-1234567"), "-1,234,567");
    }

    #[test]
    fn dates_have_the_order_of_the_user_and_the_same_width() {
        let day = "2026-07-02".parse().unwrap();
        for (name, long, short) in [
            ("iso", "2026-07-02", "07-02"),
            ("us", "07/02/2026", "07/02"),
            ("day-first", "02.07.2026", "02.07"),
        ] {
            with(name, "");
            assert_eq!(
                (format_date(day), format_short_date(day)),
                (long.to_owned(), short.to_owned())
            );
            assert_eq!(
                format_recent_date(day, "2026-12-31".parse().unwrap()),
                short
            );
            assert_eq!(format_recent_date(day, "2027-01-01".parse().unwrap()), long);
            assert_eq!(
                format_moment(day.and_hms_opt(9, 20, 0).unwrap()),
                format!("{long} 09:20")
            );
        }
    }
}
