//! Values as services really send them: a number as text, a date where a date-time was promised, a field of another type.
//!
//! Reading is lenient, field by field, so that one odd field costs one cell and never the row; sending is strict.

use chrono::{DateTime, Datelike, NaiveDate, Utc};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::DeserializeOwned};
use serde_json::Value;

/// Reads a field as `T`, or as absent when it is null or of another shape.
///
/// # Errors
/// Only when the text is no JSON at all.
pub fn option<'de, D: Deserializer<'de>, T: DeserializeOwned>(deserializer: D) -> Result<Option<T>, D::Error> {
    Ok(serde_json::from_value(Value::deserialize(deserializer)?).ok())
}

/// Reads an array as the elements that are a `T`, or as none when it is null or no array.
///
/// # Errors
/// Only when the text is no JSON at all.
pub fn list<'de, D: Deserializer<'de>, T: DeserializeOwned>(deserializer: D) -> Result<Vec<T>, D::Error> {
    Ok(match Value::deserialize(deserializer)? {
        Value::Array(items) => items.into_iter().filter_map(|item| serde_json::from_value(item).ok()).collect(),
        _ => Vec::new(),
    })
}

/// A moment: read when it can be, kept as text when it cannot.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum When {
    /// A moment in UTC; a bare date is its midnight.
    At(DateTime<Utc>),
    /// What was sent and could not be read as a moment.
    Unread(Box<str>),
}

impl When {
    /// The moment, when it could be read.
    pub fn at(&self) -> Option<DateTime<Utc>> {
        match self {
            When::At(at) => Some(*at),
            When::Unread(_) => None,
        }
    }

    /// The UTC day, when it could be read.
    pub fn day(&self) -> Option<NaiveDate> {
        self.at().map(|at| at.date_naive())
    }
}

impl From<&str> for When {
    fn from(text: &str) -> Self {
        let day = || text.parse::<NaiveDate>().ok().and_then(|day| day.and_hms_opt(0, 0, 0)).map(|at| at.and_utc());
        // A year of more than four digits is no date of this world, and the last of them cannot be told in every time zone.
        let has_four_digits = |at: &DateTime<Utc>| (0..=9_999).contains(&at.year());
        DateTime::parse_from_rfc3339(text)
            .map(|at| at.with_timezone(&Utc))
            .ok()
            .or_else(day)
            .filter(has_four_digits)
            .map_or_else(|| When::Unread(text.into()), When::At)
    }
}

impl From<DateTime<Utc>> for When {
    fn from(at: DateTime<Utc>) -> Self {
        When::At(at)
    }
}

impl<'de> Deserialize<'de> for When {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(std::borrow::Cow::<str>::deserialize(deserializer)?.as_ref().into())
    }
}

impl Serialize for When {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            When::At(at) => serializer.collect_str(&at.to_rfc3339_opts(chrono::SecondsFormat::AutoSi, true)),
            When::Unread(text) => serializer.serialize_str(text),
        }
    }
}

/// The sum of counts, which no count that was sent can make overflow.
pub fn sum(counts: impl IntoIterator<Item = u64>) -> u64 {
    counts.into_iter().fold(0, u64::saturating_add)
}

/// A number with its precision: `12`, `12.0` and `"12"` are twelve, anything else is the text that came.
#[derive(Clone, Debug, PartialEq)]
pub enum Num {
    /// A whole number.
    Int(i64),
    /// A number with a fraction.
    Float(f64),
    /// What was sent and could not be read as a number.
    Unread(Box<str>),
}

impl Num {
    /// The value for comparing and drawing; unknown when it could not be read.
    pub fn value(&self) -> Option<f64> {
        match self {
            #[expect(clippy::cast_precision_loss, reason = "for drawing; the digits themselves are kept")]
            Num::Int(n) => Some(*n as f64),
            Num::Float(n) => Some(*n),
            Num::Unread(_) => None,
        }
    }
}

impl From<i64> for Num {
    fn from(n: i64) -> Self {
        Num::Int(n)
    }
}

impl<'de> Deserialize<'de> for Num {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = match Value::deserialize(deserializer)? {
            Value::Number(n) => n.to_string(),
            Value::String(s) => s,
            other => return Err(serde::de::Error::custom(format!("expected a number, found {other}"))),
        };
        if let Ok(n) = text.trim().parse() {
            return Ok(Num::Int(n));
        }
        Ok(match text.trim().parse::<f64>() {
            #[expect(clippy::cast_possible_truncation, reason = "whole and far inside i64")]
            Ok(n) if n.fract() == 0.0 && n.abs() < 9e15 => Num::Int(n as i64),
            Ok(n) if n.is_finite() && n.abs() < 9e15 => Num::Float(n),
            _ => Num::Unread(text.into()),
        })
    }
}

impl Serialize for Num {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Num::Int(n) => serializer.serialize_i64(*n),
            Num::Float(n) => serializer.serialize_f64(*n),
            Num::Unread(text) => serializer.serialize_str(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_read_from_every_clean_spelling_and_kept_otherwise() {
        for (json, expected) in [
            ("12", Num::Int(12)),
            ("12.0", Num::Int(12)),
            ("1e0", Num::Int(1)),
            ("\"12\"", Num::Int(12)),
            ("12.5", Num::Float(12.5)),
            ("\"1,200\"", Num::Unread("1,200".into())),
            ("99999999999999999999", Num::Unread("1e+20".into())),
        ] {
            assert_eq!(serde_json::from_str::<Num>(json).unwrap(), expected, "{json}");
        }
        assert!(serde_json::from_str::<Num>("[1]").is_err());
    }

    #[test]
    fn a_moment_is_read_from_a_date_or_a_date_time_and_kept_otherwise() {
        assert_eq!(When::from("2026-07-02").day(), NaiveDate::from_ymd_opt(2026, 7, 2));
        assert_eq!(When::from("2026-07-02T23:30:00-02:00").day(), NaiveDate::from_ymd_opt(2026, 7, 3));
        assert_eq!(When::from("2026-02-31").at(), None);
        assert_eq!(serde_json::to_string(&When::from("soon")).unwrap(), "\"soon\"");
    }
}
