//! Values as services really send them: a number as text, a date instead of a date-time, a field of
//! another type.
//!
//! Decoding is lenient, field by field, so that an invalid field costs one cell and never the row;
//! encoding is strict.

use chrono::{DateTime, Datelike, NaiveDate, NaiveDateTime, Utc};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::DeserializeOwned};
use serde_json::Value;

/// Decodes a field as `T`; `None` if it is null or has another shape.
pub fn option<'de, D: Deserializer<'de>, T: DeserializeOwned>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    Ok(serde_json::from_value(Value::deserialize(deserializer)?).ok())
}

/// Decodes an array, keeping the elements that are a `T`; empty if it is null or not an array.
pub fn list<'de, D: Deserializer<'de>, T: DeserializeOwned>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    Ok(match Value::deserialize(deserializer)? {
        Value::Array(items) => items
            .into_iter()
            .filter_map(|item| serde_json::from_value(item).ok())
            .collect(),
        _ => Vec::new(),
    })
}

/// The largest plausible count: JSON represents every whole number up to it exactly.
const MAX_EXACT_INTEGER: u64 = 1 << 53;

/// A count: `1234`, `1234.0`, `"1234"` and `"1,234"`; negative, fractional or implausible numbers
/// are `None`.
pub fn parse_count(value: &Value) -> Option<u64> {
    let number = match value {
        Value::Number(number) => number.as_u64().or_else(|| whole_number(number.as_f64()?)),
        Value::String(text) => {
            let text = strip_digit_grouping(text.trim());
            text.parse()
                .ok()
                .or_else(|| whole_number(text.parse().ok()?))
        }
        _ => None,
    };
    number.filter(|number| *number <= MAX_EXACT_INTEGER)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "whole and within bounds"
)]
fn whole_number(number: f64) -> Option<u64> {
    (number.fract() == 0.0 && (0.0..=MAX_EXACT_INTEGER as f64).contains(&number))
        .then_some(number as u64)
}

/// Removes thousands separators from a number; any other text is returned as it is.
fn strip_digit_grouping(text: &str) -> std::borrow::Cow<'_, str> {
    let is_mark = |c: char| matches!(c, ',' | ' ' | '_' | '\'' | '\u{a0}' | '\u{202f}');
    let (digits, fraction) = text.split_once('.').unwrap_or((text, ""));
    let mut groups = digits.split(is_mark);
    let is_first = groups
        .next()
        .is_some_and(|first| (1..=3).contains(&first.trim_start_matches('-').len()));
    let rest: Vec<&str> = groups.collect();
    let is_group =
        |group: &&str| group.len() == 3 && group.bytes().all(|byte| byte.is_ascii_digit());
    if !is_first || rest.is_empty() || !rest.iter().all(is_group) {
        return text.into();
    }
    let digits = digits.replace(is_mark, "");
    if fraction.is_empty() {
        digits.into()
    } else {
        format!("{digits}.{fraction}").into()
    }
}

/// Decodes a field as a count; `None` if it is not one.
pub fn some_count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    Ok(parse_count(&Value::deserialize(deserializer)?))
}

/// Decodes a required count.
pub fn count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let value = Value::deserialize(deserializer)?;
    parse_count(&value)
        .ok_or_else(|| serde::de::Error::custom(format!("expected a count, found {value}")))
}

/// A boolean; unknown values are false.
pub fn parse_flag(value: &Value) -> bool {
    match value {
        Value::Bool(yes) => *yes,
        Value::Number(number) => number.as_u64() == Some(1),
        Value::String(text) => matches!(text.trim(), "true" | "1"),
        _ => false,
    }
}

/// Decodes a boolean; unknown values are false.
pub fn flag<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    Ok(parse_flag(&Value::deserialize(deserializer)?))
}

/// A date or time: parsed if possible, otherwise kept as text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum DateOrDateTime {
    /// A time in UTC; a bare date is its midnight.
    At(DateTime<Utc>),
    /// The text that could not be parsed.
    Unparsed(Box<str>),
}

impl DateOrDateTime {
    pub fn date_time(&self) -> Option<DateTime<Utc>> {
        match self {
            DateOrDateTime::At(at) => Some(*at),
            DateOrDateTime::Unparsed(_) => None,
        }
    }

    /// The UTC date, if it could be parsed.
    pub fn date(&self) -> Option<NaiveDate> {
        self.date_time().map(|at| at.date_naive())
    }
}

/// Formats with a zone, in addition to RFC 3339. A time without a zone is UTC.
const ZONED_FORMATS: &[&str] = &[
    "%Y-%m-%dT%H:%M:%S%.f%#z",
    "%Y-%m-%dT%H:%M%#z",
    "%Y%m%dT%H%M%S%.f%#z",
];
const UNZONED_FORMATS: &[&str] = &["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%dT%H:%M", "%Y%m%dT%H%M%S%.f"];

impl From<&str> for DateOrDateTime {
    fn from(text: &str) -> Self {
        // Leave room for time zones: the last four-digit year cannot be shown in each of them.
        let has_four_digits = |at: &DateTime<Utc>| (0..=9_999).contains(&at.year());
        parse_date_time(text)
            .filter(has_four_digits)
            .map_or_else(|| DateOrDateTime::Unparsed(text.into()), DateOrDateTime::At)
    }
}

/// A date or time as services write it: ISO 8601 with or without separators, a space for the `T`,
/// no seconds, a comma before their fraction, `+0000`, the name of the zone after its offset, no
/// zone, no time. Years have four digits.
fn parse_date_time(text: &str) -> Option<DateTime<Utc>> {
    let text = text.trim();
    let is_basic = text
        .as_bytes()
        .get(8)
        .is_some_and(|byte| matches!(byte, b'T' | b't'));
    let year = if is_basic { 8 } else { 4 };
    if !(is_basic || text.as_bytes().get(4) == Some(&b'-'))
        || !text.bytes().take(year).all(|byte| byte.is_ascii_digit())
    {
        return None;
    }
    if let Ok(at) = DateTime::parse_from_rfc3339(text) {
        return Some(at.with_timezone(&Utc));
    }
    let text = text.split_once('[').map_or(text, |(text, _)| text);
    let mut text = text
        .replacen([' ', 't'], "T", 1)
        .replacen(',', ".", 1)
        .replace([' ', '\u{202f}'], "");
    if let Some(bare) = text
        .strip_suffix(['Z', 'z'])
        .or_else(|| text.strip_suffix("UTC"))
    {
        text = format!("{bare}+0000");
    }
    let zoned = ZONED_FORMATS
        .iter()
        .find_map(|form| DateTime::parse_from_str(&text, form).ok())
        .map(|at| at.with_timezone(&Utc));
    let unzoned = || {
        UNZONED_FORMATS
            .iter()
            .find_map(|form| NaiveDateTime::parse_from_str(&text, form).ok())
            .map(|at| at.and_utc())
    };
    let day = || {
        text.parse::<NaiveDate>()
            .ok()?
            .and_hms_opt(0, 0, 0)
            .map(|at| at.and_utc())
    };
    zoned.or_else(unzoned).or_else(day)
}

impl From<DateTime<Utc>> for DateOrDateTime {
    fn from(at: DateTime<Utc>) -> Self {
        DateOrDateTime::At(at)
    }
}

impl<'de> Deserialize<'de> for DateOrDateTime {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(text) => Ok(text.as_str().into()),
            // Seconds or milliseconds: the number alone does not say, so it is kept as text.
            Value::Number(number) => Ok(DateOrDateTime::Unparsed(number.to_string().into())),
            other => Err(serde::de::Error::custom(format!(
                "expected a date or time, found {other}"
            ))),
        }
    }
}

impl Serialize for DateOrDateTime {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            DateOrDateTime::At(at) => {
                serializer.collect_str(&at.to_rfc3339_opts(chrono::SecondsFormat::AutoSi, true))
            }
            DateOrDateTime::Unparsed(text) => serializer.serialize_str(text),
        }
    }
}

/// The saturating sum of counts, which come from services and may be any number.
pub fn saturating_sum(counts: impl IntoIterator<Item = u64>) -> u64 {
    counts.into_iter().fold(0, u64::saturating_add)
}

/// A number with its precision: `12`, `12.0` and `"12"` are twelve, anything else is kept as text.
#[derive(Clone, Debug, PartialEq)]
pub enum Number {
    Int(i64),
    Float(f64),
    /// The text that could not be parsed as a number.
    Unparsed(Box<str>),
}

impl Number {
    /// The value for comparing and drawing; `None` if it could not be parsed.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            #[expect(
                clippy::cast_precision_loss,
                reason = "for drawing; the digits themselves are kept"
            )]
            Number::Int(n) => Some(*n as f64),
            Number::Float(n) => Some(*n),
            Number::Unparsed(_) => None,
        }
    }
}

impl From<i64> for Number {
    fn from(n: i64) -> Self {
        Number::Int(n)
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = match Value::deserialize(deserializer)? {
            Value::Number(n) => n.to_string(),
            Value::String(s) => s,
            other => {
                return Err(serde::de::Error::custom(format!(
                    "expected a number, found {other}"
                )));
            }
        };
        let digits = strip_digit_grouping(text.trim());
        if let Ok(n) = digits.parse() {
            return Ok(Number::Int(n));
        }
        Ok(match digits.parse::<f64>() {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "a whole number well within i64"
            )]
            Ok(n) if n.fract() == 0.0 && n.abs() < 9e15 => Number::Int(n as i64),
            Ok(n) if n.is_finite() && n.abs() < 9e15 => Number::Float(n),
            _ => Number::Unparsed(text.into()),
        })
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Number::Int(n) => serializer.serialize_i64(*n),
            Number::Float(n) => serializer.serialize_f64(*n),
            Number::Unparsed(text) => serializer.serialize_str(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_parsed_from_any_clean_spelling_or_kept_as_text() {
        for (json, expected) in [
            ("12", Number::Int(12)),
            ("12.0", Number::Int(12)),
            ("1e0", Number::Int(1)),
            ("\"12\"", Number::Int(12)),
            ("12.5", Number::Float(12.5)),
            ("\"1,200\"", Number::Int(1_200)),
            ("\"1 200.5\"", Number::Float(1_200.5)),
            ("\"1,20\"", Number::Unparsed("1,20".into())),
            ("1e300", Number::Unparsed("1e+300".into())),
            ("99999999999999999999", Number::Unparsed("1e+20".into())),
        ] {
            assert_eq!(
                serde_json::from_str::<Number>(json).unwrap(),
                expected,
                "{json}"
            );
        }
        assert!(serde_json::from_str::<Number>("[1]").is_err());
    }

    #[test]
    fn a_date_or_date_time_is_parsed_or_kept_as_text() {
        assert_eq!(
            DateOrDateTime::from("2026-07-02").date(),
            NaiveDate::from_ymd_opt(2026, 7, 2)
        );
        assert_eq!(
            DateOrDateTime::from("2026-07-02T23:30:00-02:00").date(),
            NaiveDate::from_ymd_opt(2026, 7, 3)
        );
        assert_eq!(DateOrDateTime::from("2026-02-31").date_time(), None);
        assert_eq!(
            serde_json::to_string(&DateOrDateTime::from("soon")).unwrap(),
            "\"soon\""
        );
    }

    #[test]
    fn unusual_date_time_formats_are_parsed() {
        let expected: DateTime<Utc> = "2026-07-02T09:05:00Z".parse().unwrap();
        for text in [
            "2026-07-02T09:05:00Z",
            "2026-07-02T09:05:00",
            "2026-07-02T09:05:00.000",
            "2026-07-02T09:05",
            "2026-07-02T09:05Z",
            "2026-07-02T09:05:00+0000",
            "2026-07-02T09:05+0000",
            "2026-07-02T09:05:00+00",
            "2026-07-02T11:05:00+0200",
            "2026-07-02 09:05:00",
            "2026-07-02 09:05:00+00:00",
            "2026-07-02 09:05:00 UTC",
            "2026-07-02 09:05:00 +0000",
            " 2026-07-02T09:05:00z ",
            "2026-07-02t09:05:00,000z",
            "2026-07-02T11:05:00+02:00[Europe/Berlin]",
            "20260702T090500Z",
            "20260702T110500.000+0200",
        ] {
            assert_eq!(
                DateOrDateTime::from(text).date_time(),
                Some(expected),
                "{text}"
            );
        }
        for odd in [
            "+262142-12-31",
            "-0001-01-01",
            "99999-01-01",
            "2026-07-02T25:00",
            "1783000000",
            "",
            "09:05",
            "Z",
            "20260702",
            "20260732T090500Z",
        ] {
            assert_eq!(DateOrDateTime::from(odd).date_time(), None, "{odd}");
        }
        assert_eq!(
            serde_json::from_str::<DateOrDateTime>("1783000000").unwrap(),
            DateOrDateTime::Unparsed("1783000000".into())
        );
    }

    #[test]
    fn a_count_is_parsed_from_any_clean_spelling_or_is_unknown() {
        for (json, expected) in [
            ("0", Some(0)),
            ("1234", Some(1234)),
            ("1234.0", Some(1234)),
            ("\"1234\"", Some(1234)),
            ("\"1,234\"", Some(1234)),
            ("\"1 234 567\"", Some(1_234_567)),
            ("\"1,234.0\"", Some(1234)),
            ("2147483648", Some(1 << 31)),
            ("9007199254740992", Some(1 << 53)),
            ("-1", None),
            ("\"-1,234\"", None),
            ("1.5", None),
            ("9223372036854775808", None),
            ("18446744073709551616", None),
            ("1e300", None),
            ("\"12,34\"", None),
            ("\"1.234\"", None),
            ("\"many\"", None),
            ("null", None),
            ("[1]", None),
        ] {
            assert_eq!(
                parse_count(&serde_json::from_str(json).unwrap()),
                expected,
                "{json}"
            );
        }
    }
}
