//! Strict reading of requests: unknown keys, wrong types and sizes are rejected with the path to
//! the field.
//!
//! Bodies and query parameters share this reader, so that an issue looks the same for both. What a
//! name, an email address and the path of a file may contain is decided here, for the commands too
//! that write to a database without a service.

use std::fmt::Display;

use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::api_error::ApiError;
use super::db::sql::storable_text;
use crate::domain::email_address;
use crate::domain::patch::Patch;
use crate::text;

/// JSON without duplicate keys: a plain reader would keep one of the two values and silently drop
/// the other. Texts are as they can be stored.
#[derive(Clone, Debug, PartialEq)]
pub struct StrictJson(pub Value);

impl<'de> Deserialize<'de> for StrictJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer
            .deserialize_any(StrictJsonVisitor)
            .map(StrictJson)
    }
}

struct StrictJsonVisitor;

impl<'de> Visitor<'de> for StrictJsonVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Value, E> {
        Ok(flag.into())
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(storable_text(text).into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut all = Vec::new();
        while let Some(StrictJson(item)) = items.next_element()? {
            all.push(item);
        }
        Ok(Value::Array(all))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            let key = storable_text(&key).into_owned();
            if map.contains_key(&key) {
                return Err(A::Error::custom(format!("duplicate key {key}")));
            }
            map.insert(key, entries.next_value::<StrictJson>()?.0);
        }
        Ok(Value::Object(map))
    }
}

/// A value and the path to it.
#[derive(Clone, Debug)]
pub struct InputValue<'a> {
    pub value: &'a Value,
    /// The keys and indices that lead to the value.
    pub path: Vec<Value>,
}

/// `{expected: word}`, the hint of issues of the kind `invalid_type`.
pub fn expected_type(word: &str) -> Value {
    json!({ "expected": word })
}

impl<'a> InputValue<'a> {
    /// The root of a body.
    pub fn root(value: &'a Value) -> Self {
        InputValue {
            value,
            path: Vec::new(),
        }
    }

    pub fn child(&self, step: impl Into<Value>, value: &'a Value) -> InputValue<'a> {
        let mut path = self.path.clone();
        path.push(step.into());
        InputValue { value, path }
    }

    /// A 400 about this value.
    pub fn issue(&self, code: &str, message: impl Into<String>, helps: Value) -> ApiError {
        ApiError::invalid_field(code, &self.path, message, helps)
    }

    /// A 400: this value has the wrong type.
    pub fn wrong_type(&self, expected_word: &str) -> ApiError {
        self.issue(
            "invalid_type",
            format!("must be {expected_word}"),
            expected_type(expected_word),
        )
    }

    pub fn object(&self) -> Result<InputObject<'a>, ApiError> {
        let map = self
            .value
            .as_object()
            .ok_or_else(|| self.wrong_type("object"))?;
        Ok(InputObject {
            location: self.clone(),
            map,
        })
    }

    /// As an array of `min` to `max` items.
    pub fn items(&self, min: usize, max: usize) -> Result<Vec<InputValue<'a>>, ApiError> {
        let items = self
            .value
            .as_array()
            .ok_or_else(|| self.wrong_type("array"))?;
        let words = [
            "too few items: the minimum is",
            "too many items: the maximum is",
        ];
        self.check_range(items.len(), min, max, words, "")?;
        Ok(items
            .iter()
            .enumerate()
            .map(|(index, item)| self.child(index, item))
            .collect())
    }

    pub fn text(&self) -> Result<&'a str, ApiError> {
        self.value.as_str().ok_or_else(|| self.wrong_type("string"))
    }

    /// Rejects a size that is not from `min` to `max`.
    fn check_range<N: PartialOrd + Display + Serialize>(
        &self,
        size: N,
        min: N,
        max: N,
        [too_small, too_big]: [&str; 2],
        unit: &str,
    ) -> Result<(), ApiError> {
        if size < min {
            let message = format!("{too_small} {min}{unit}");
            return Err(self.issue("too_small", message, json!({ "minimum": min })));
        }
        if size > max {
            let message = format!("{too_big} {max}{unit}");
            return Err(self.issue("too_big", message, json!({ "maximum": max })));
        }
        Ok(())
    }

    /// As text of at most `max` bytes.
    pub fn text_of_bytes(&self, max: usize) -> Result<&'a str, ApiError> {
        let text = self.text()?;
        let words = ["", "too long: the maximum is"];
        self.check_range(text.len(), 0, max, words, " bytes")?;
        Ok(text)
    }

    /// As text of `min` to `max` characters.
    pub fn text_of_length(&self, min: usize, max: usize) -> Result<&'a str, ApiError> {
        let text = self.text()?;
        let count = text.chars().count();
        let words = ["too short: the minimum is", "too long: the maximum is"];
        self.check_range(count, min, max, words, " characters")?;
        Ok(text)
    }

    /// As a name of at most `max` characters; see [`parse_name`].
    pub fn name(&self, max: usize) -> Result<&'a str, ApiError> {
        let text = self.text_of_length(1, max)?;
        if text.trim().is_empty() {
            return Err(self.issue("too_small", "must not be blank", json!({"minimum": 1})));
        }
        let reason =
            "must not contain control characters, directional marks or invisible characters";
        parse_name(text).ok_or_else(|| self.issue("not_allowed", reason, Value::Null))
    }

    /// As an email address; see [`parse_email`].
    pub fn email(&self) -> Result<String, ApiError> {
        parse_email(self.text_of_length(1, 254)?).ok_or_else(|| {
            self.issue(
                "invalid_type",
                "must be an email address",
                expected_type("email"),
            )
        })
    }

    /// As the path of a file in a bundle, with `/` between folders, that every system can create
    /// where it belongs and will show.
    pub fn file_path(&self, max: usize) -> Result<&'a str, ApiError> {
        let path = self.text_of_length(1, max)?;
        match find_path_fault(path) {
            None => Ok(path),
            Some(fault) => {
                let expected = "a relative path within the bundle";
                Err(self.issue(
                    "invalid_type",
                    format!("must be {expected}, {fault}"),
                    expected_type(expected),
                ))
            }
        }
    }

    /// As a UUID or a typed id.
    pub fn id<T: From<Uuid>>(&self) -> Result<T, ApiError> {
        self.value
            .as_str()
            .and_then(|text| Uuid::try_parse(text).ok())
            .map(T::from)
            .ok_or_else(|| self.wrong_type("uuid"))
    }

    pub fn boolean(&self) -> Result<bool, ApiError> {
        self.value
            .as_bool()
            .ok_or_else(|| self.wrong_type("boolean"))
    }

    /// As a whole number from `min` to `max`; `12.0` counts as one.
    pub fn integer(&self, min: i64, max: i64) -> Result<i64, ApiError> {
        let fraction_free = || {
            self.value
                .as_f64()
                .filter(|n| n.fract() == 0.0 && n.abs() < 9e15)
                .map(|n| n as i64)
        };
        let number = self
            .value
            .as_i64()
            .or_else(fraction_free)
            .ok_or_else(|| self.wrong_type("integer"))?;
        let words = ["must be at least", "must be at most"];
        self.check_range(number, min, max, words, "")?;
        Ok(number)
    }

    /// As one of the allowed words.
    pub fn one_of<'w>(&self, allowed: &[&'w str]) -> Result<&'w str, ApiError> {
        let found = self
            .value
            .as_str()
            .and_then(|text| allowed.iter().find(|word| **word == text));
        found.copied().ok_or_else(|| {
            let message = format!("must be one of {}", allowed.join(", "));
            self.issue(
                "invalid_enum_value",
                message,
                json!({"received": self.value, "allowed": allowed}),
            )
        })
    }

    /// As a date, `YYYY-MM-DD`.
    pub fn date(&self) -> Result<NaiveDate, ApiError> {
        // the parser by itself accepts signs, spaces and single digits
        let shaped = |text: &&str| {
            text.len() == 10
                && text
                    .bytes()
                    .enumerate()
                    .all(|(n, b)| (n == 4 || n == 7) ^ b.is_ascii_digit())
        };
        let day = self
            .value
            .as_str()
            .filter(shaped)
            .and_then(|text| NaiveDate::parse_from_str(text, "%Y-%m-%d").ok());
        day.ok_or_else(|| self.wrong_type("date (YYYY-MM-DD)"))
    }

    /// As a moment: ISO 8601 with an offset, or a date, which means its first instant in UTC.
    pub fn date_time(&self) -> Result<DateTime<Utc>, ApiError> {
        let refusal = || self.wrong_type("ISO 8601 date-time");
        let text = self.value.as_str().ok_or_else(refusal)?;
        // an unescaped `+` of an offset arrives as a space
        let spelled = text.replacen(' ', if text.len() > 19 { "+" } else { "T" }, 1);
        if let Ok(moment) = DateTime::parse_from_rfc3339(&spelled) {
            return Ok(moment.to_utc());
        }
        let naive = chrono::NaiveDateTime::parse_from_str(&spelled, "%Y-%m-%dT%H:%M:%S%.f").ok();
        let midnight = || self.date().ok().and_then(|day| day.and_hms_opt(0, 0, 0));
        naive
            .or_else(midnight)
            .map(|moment| moment.and_utc())
            .ok_or_else(refusal)
    }
}

/// A name of a person, a team or a View, without the space around it. `None` if nothing is left, or
/// if it contains a character that turns or hides what is next to it: a name stands for somebody,
/// so it must look like what it is.
pub fn parse_name(text: &str) -> Option<&str> {
    let name = text.trim();
    (!name.is_empty() && name.chars().all(is_legible)).then_some(name)
}

/// An email address as a person reads it: without characters that are not seen or belong to the
/// spelling of a name.
pub fn parse_email(text: &str) -> Option<String> {
    let is_odd = |c: char| !is_legible(c) || matches!(c, '\u{200c}' | '\u{200d}' | '\u{fe0f}');
    email_address::parse_email(text).filter(|address| !address.contains(is_odd))
}

/// What of a path some system would hide, misplace or not create.
fn find_path_fault(path: &str) -> Option<&'static str> {
    if path
        .chars()
        .any(|c| !is_legible(c) || "\\<>:\"|?*".contains(c))
    {
        return Some("without \\ < > : \" | ? * and invisible characters");
    }
    path.split('/').find_map(|name| {
        let stem = name
            .split('.')
            .next()
            .unwrap_or_default()
            .trim_end()
            .to_lowercase();
        let device = stem.strip_suffix(|c: char| c.is_ascii_digit() || "¹²³".contains(c));
        match name {
            "" => Some("without / at its begin or end"),
            "." | ".." => Some("without . and .."),
            _ if name.starts_with('.') => Some("without hidden files and folders"),
            _ if name.ends_with(['.', ' ']) => {
                Some("without a dot or a space at the end of a name")
            }
            _ if RESERVED_NAMES.contains(&stem.as_str())
                || device.is_some_and(|name| NUMBERED_DEVICES.contains(&name)) =>
            {
                Some("without names that Windows reserves for devices")
            }
            _ => None,
        }
    })
}

/// Names that Windows reserves, with any ending: a file cannot have them.
const RESERVED_NAMES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];
/// The same with a digit.
const NUMBERED_DEVICES: [&str; 2] = ["com", "lpt"];

/// Whether a character is shown as it is, beside what is next to it. U+FFFD is what another one
/// was. The joiner U+200C belongs to the spelling of some languages.
fn is_legible(c: char) -> bool {
    (text::is_displayable(c) || c == '\u{200c}') && c != char::REPLACEMENT_CHARACTER
}

/// An object in a request.
#[derive(Clone, Debug)]
pub struct InputObject<'a> {
    location: InputValue<'a>,
    map: &'a Map<String, Value>,
}

impl<'a> InputObject<'a> {
    /// Rejects keys that the interface does not name.
    pub fn reject_unknown_keys(self, keys: &[&str]) -> Result<Self, ApiError> {
        match self
            .map
            .iter()
            .find(|(key, _)| !keys.contains(&key.as_str()))
        {
            Some((key, value)) => Err(ApiError::unknown_key(
                &self.location.child(key.as_str(), value).path,
                keys,
            )),
            None => Ok(self),
        }
    }

    /// A required field.
    pub fn required_field(&self, key: &str) -> Result<InputValue<'a>, ApiError> {
        self.get(key).ok_or_else(|| {
            let mut path = self.location.path.clone();
            path.push(key.into());
            ApiError::invalid_field("required", &path, "is required", Value::Null)
        })
    }

    /// An optional field.
    pub fn get(&self, key: &str) -> Option<InputValue<'a>> {
        self.map
            .get(key)
            .map(|value| self.location.child(key, value))
    }

    /// An optional field, parsed.
    pub fn optional_field<T>(
        &self,
        key: &str,
        read: impl FnOnce(InputValue<'a>) -> Result<T, ApiError>,
    ) -> Result<Option<T>, ApiError> {
        self.get(key).map(read).transpose()
    }

    /// A field of a partial update, where `null` clears the value.
    pub fn patch<T>(
        &self,
        key: &str,
        read: impl FnOnce(InputValue<'a>) -> Result<T, ApiError>,
    ) -> Result<Patch<T>, ApiError> {
        match self.get(key) {
            None => Ok(Patch::Keep),
            Some(at) if at.value.is_null() => Ok(Patch::Clear),
            Some(at) => read(at).map(Patch::Set),
        }
    }

    /// The object itself, for issues about it.
    pub fn location(&self) -> &InputValue<'a> {
        &self.location
    }
}
