//! Reading what a request says, strictly: unknown keys, wrong types and sizes are refused with the path to the field.
//!
//! The same reader serves bodies and query parameters, so that an issue looks the same whichever it is about.

use chrono::{DateTime, NaiveDate, Utc};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::refusal::Refusal;
use crate::domain::patch::Patch;

/// JSON in which no object says a key twice: a plain reader would keep one of the two and forget the other without a word.
#[derive(Clone, Debug, PartialEq)]
pub struct Once(pub Value);

impl<'de> Deserialize<'de> for Once {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader).map(Once)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
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
        Ok(text.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut all = Vec::new();
        while let Some(Once(item)) = items.next_element()? {
            all.push(item);
        }
        Ok(Value::Array(all))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            if map.contains_key(&key) {
                return Err(A::Error::custom(format!("{key} is said twice")));
            }
            map.insert(key, entries.next_value::<Once>()?.0);
        }
        Ok(Value::Object(map))
    }
}

/// A value with the path that leads to it.
#[derive(Clone, Debug)]
pub struct At<'a> {
    /// The value.
    pub value: &'a Value,
    /// The keys and indices that lead to it.
    pub path: Vec<Value>,
}

/// `{expected: word}`, which an issue of the kind `invalid_type` carries.
pub fn expected(word: &str) -> Value {
    json!({ "expected": word })
}

impl<'a> At<'a> {
    /// The root of a body.
    pub fn root(value: &'a Value) -> Self {
        At { value, path: Vec::new() }
    }

    /// A part of this value.
    pub fn step(&self, step: impl Into<Value>, value: &'a Value) -> At<'a> {
        let mut path = self.path.clone();
        path.push(step.into());
        At { value, path }
    }

    /// A 400 about this value.
    pub fn issue(&self, code: &str, message: impl Into<String>, helps: Value) -> Refusal {
        Refusal::issue(code, &self.path, message, helps)
    }

    /// A 400: this value is of another type.
    pub fn not_a(&self, expected_word: &str) -> Refusal {
        self.issue("invalid_type", format!("must be {expected_word}"), expected(expected_word))
    }

    /// As an object.
    pub fn object(&self) -> Result<Form<'a>, Refusal> {
        let map = self.value.as_object().ok_or_else(|| self.not_a("object"))?;
        Ok(Form { at: self.clone(), map })
    }

    /// As an array of between `min` and `max` items.
    pub fn items(&self, min: usize, max: usize) -> Result<Vec<At<'a>>, Refusal> {
        let items = self.value.as_array().ok_or_else(|| self.not_a("array"))?;
        if items.len() < min {
            return Err(self.issue("too_small", format!("needs at least {min}"), json!({ "minimum": min })));
        }
        if items.len() > max {
            return Err(self.issue("too_big", format!("takes at most {max}"), json!({ "maximum": max })));
        }
        Ok(items.iter().enumerate().map(|(index, item)| self.step(index, item)).collect())
    }

    /// As text.
    pub fn text(&self) -> Result<&'a str, Refusal> {
        self.value.as_str().ok_or_else(|| self.not_a("string"))
    }

    /// As text of between `min` and `max` characters.
    pub fn text_of(&self, min: usize, max: usize) -> Result<&'a str, Refusal> {
        let text = self.text()?;
        let count = text.chars().count();
        if count < min {
            return Err(self.issue("too_small", format!("needs at least {min} characters"), json!({ "minimum": min })));
        }
        if count > max {
            return Err(self.issue("too_big", format!("takes at most {max} characters"), json!({ "maximum": max })));
        }
        Ok(text)
    }

    /// As a UUID, or an id that is one.
    pub fn id<T: From<Uuid>>(&self) -> Result<T, Refusal> {
        self.value.as_str().and_then(|text| Uuid::try_parse(text).ok()).map(T::from).ok_or_else(|| self.not_a("uuid"))
    }

    /// As a boolean.
    pub fn flag(&self) -> Result<bool, Refusal> {
        self.value.as_bool().ok_or_else(|| self.not_a("boolean"))
    }

    /// As a whole number from `min` to `max`; `12.0` is one.
    pub fn whole(&self, min: i64, max: i64) -> Result<i64, Refusal> {
        let fraction_free = || self.value.as_f64().filter(|n| n.fract() == 0.0 && n.abs() < 9e15).map(|n| n as i64);
        let number = self.value.as_i64().or_else(fraction_free).ok_or_else(|| self.not_a("integer"))?;
        if number < min {
            return Err(self.issue("too_small", format!("must be at least {min}"), json!({ "minimum": min })));
        }
        if number > max {
            return Err(self.issue("too_big", format!("must be at most {max}"), json!({ "maximum": max })));
        }
        Ok(number)
    }

    /// As one of the words that are allowed.
    pub fn word<'w>(&self, allowed: &[&'w str]) -> Result<&'w str, Refusal> {
        let found = self.value.as_str().and_then(|text| allowed.iter().find(|word| **word == text));
        found.copied().ok_or_else(|| {
            let message = format!("must be one of {}", allowed.join(", "));
            self.issue("invalid_enum_value", message, json!({"received": self.value, "allowed": allowed}))
        })
    }

    /// As a day, `YYYY-MM-DD`.
    pub fn day(&self) -> Result<NaiveDate, Refusal> {
        // the parser alone takes signs, spaces and single digits
        let shaped =
            |text: &&str| text.len() == 10 && text.bytes().enumerate().all(|(n, b)| (n == 4 || n == 7) ^ b.is_ascii_digit());
        let day = self.value.as_str().filter(shaped).and_then(|text| NaiveDate::parse_from_str(text, "%Y-%m-%d").ok());
        day.ok_or_else(|| self.not_a("date (YYYY-MM-DD)"))
    }

    /// As a moment: ISO 8601 with an offset, or a bare day, which is its first instant in UTC.
    pub fn moment(&self) -> Result<DateTime<Utc>, Refusal> {
        let refusal = || self.not_a("ISO 8601 date-time");
        let text = self.value.as_str().ok_or_else(refusal)?;
        // an unescaped `+` of an offset arrives as a space
        let spelled = text.replacen(' ', if text.len() > 19 { "+" } else { "T" }, 1);
        if let Ok(moment) = DateTime::parse_from_rfc3339(&spelled) {
            return Ok(moment.to_utc());
        }
        let naive = chrono::NaiveDateTime::parse_from_str(&spelled, "%Y-%m-%dT%H:%M:%S%.f").ok();
        let midnight = || self.day().ok().and_then(|day| day.and_hms_opt(0, 0, 0));
        naive.or_else(midnight).map(|moment| moment.and_utc()).ok_or_else(refusal)
    }
}

/// An object of a request.
#[derive(Clone, Debug)]
pub struct Form<'a> {
    at: At<'a>,
    map: &'a Map<String, Value>,
}

impl<'a> Form<'a> {
    /// Refuses keys that the interface does not name.
    pub fn only(self, keys: &[&str]) -> Result<Self, Refusal> {
        match self.map.iter().find(|(key, _)| !keys.contains(&key.as_str())) {
            Some((key, value)) => Err(Refusal::unknown_key(&self.at.step(key.as_str(), value).path, keys)),
            None => Ok(self),
        }
    }

    /// A field that must be there.
    pub fn need(&self, key: &str) -> Result<At<'a>, Refusal> {
        self.get(key).ok_or_else(|| {
            let mut path = self.at.path.clone();
            path.push(key.into());
            Refusal::issue("required", &path, "is required", Value::Null)
        })
    }

    /// A field that may be left out.
    pub fn get(&self, key: &str) -> Option<At<'a>> {
        self.map.get(key).map(|value| self.at.step(key, value))
    }

    /// A field that may be left out, read.
    pub fn read<T>(&self, key: &str, read: impl FnOnce(At<'a>) -> Result<T, Refusal>) -> Result<Option<T>, Refusal> {
        self.get(key).map(read).transpose()
    }

    /// A field of a partial update, where `null` clears.
    pub fn patch<T>(&self, key: &str, read: impl FnOnce(At<'a>) -> Result<T, Refusal>) -> Result<Patch<T>, Refusal> {
        match self.get(key) {
            None => Ok(Patch::Keep),
            Some(at) if at.value.is_null() => Ok(Patch::Clear),
            Some(at) => read(at).map(Patch::Set),
        }
    }

    /// Where this object stands.
    pub fn at(&self) -> &At<'a> {
        &self.at
    }
}
