//! An object whose field names the interface does not show: a field is looked for under the names that services give it.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::lenient;

/// The fields of an object as they were sent.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(transparent)]
pub struct AliasedFields(Map<String, Value>);

impl AliasedFields {
    /// The field of the first of these names that is there and not null.
    pub fn get(&self, names: &[&str]) -> Option<&Value> {
        let exact = names.iter().filter_map(|name| self.0.get(*name));
        let like =
            names.iter().filter_map(|name| self.0.iter().find(|(sent, _)| names_match(sent, name)).map(|(_, value)| value));
        exact.chain(like).find(|value| !value.is_null())
    }

    /// The same as a `T`; none when it is something else.
    pub fn parse<T: DeserializeOwned>(&self, names: &[&str]) -> Option<T> {
        serde_json::from_value(self.get(names)?.clone()).ok()
    }

    /// The same as a text; a number, and yes or no, by their words.
    pub fn text(&self, names: &[&str]) -> Option<String> {
        match self.get(names)? {
            Value::String(text) => Some(text.clone()),
            value @ (Value::Number(_) | Value::Bool(_)) => Some(value.to_string()),
            _ => None,
        }
    }

    /// The same as a count.
    pub fn count(&self, names: &[&str]) -> Option<u64> {
        lenient::parse_count(self.get(names)?)
    }

    /// The same as a person: see [`lenient::person`].
    pub fn person(&self, names: &[&str]) -> Option<String> {
        lenient::person(self.get(names)?).ok()?
    }
}

/// Two names, or two words of an enum, that differ in case and separators alone: `viewType` and `view_type`.
pub fn names_match(one: &str, other: &str) -> bool {
    let letters =
        |text: &'_ str| -> Vec<char> { text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect() };
    one == other || letters(one) == letters(other)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_field_is_found_by_exact_name_then_any_case_skipping_nulls() {
        let sent = |value: Value| serde_json::from_value::<AliasedFields>(value).unwrap();
        let kind = |value: Value| sent(value).parse::<String>(&["type", "view_type"]);
        assert_eq!(kind(json!({"view_type": "b", "type": "a"})).as_deref(), Some("a"));
        assert_eq!(kind(json!({"type": null, "viewType": "b"})).as_deref(), Some("b"));
        assert_eq!(kind(json!({"Type": "c"})).as_deref(), Some("c"));
        assert_eq!(kind(json!({"type": 7})), None);
    }
}
