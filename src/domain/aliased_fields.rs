//! An object whose field names the interface does not show: fields are looked up under the names
//! that services use.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::lenient;

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(transparent)]
pub struct AliasedFields(Map<String, Value>);

impl AliasedFields {
    /// The first of these fields that is present and not null.
    pub fn get(&self, names: &[&str]) -> Option<&Value> {
        let exact = names.iter().filter_map(|name| self.0.get(*name));
        let like = names.iter().filter_map(|name| {
            self.0
                .iter()
                .find(|(sent, _)| names_match(sent, name))
                .map(|(_, value)| value)
        });
        exact.chain(like).find(|value| !value.is_null())
    }

    /// Whether any of these fields is present, even if it is null.
    pub fn contains(&self, names: &[&str]) -> bool {
        self.0
            .keys()
            .any(|sent| names.iter().any(|name| names_match(sent, name)))
    }

    /// The first of these fields as a `T`; `None` if it has another type.
    pub fn parse<T: DeserializeOwned>(&self, names: &[&str]) -> Option<T> {
        serde_json::from_value(self.get(names)?.clone()).ok()
    }

    /// The first of these fields as a text; numbers and booleans are converted.
    pub fn text(&self, names: &[&str]) -> Option<String> {
        match self.get(names)? {
            Value::String(text) => Some(text.clone()),
            value @ (Value::Number(_) | Value::Bool(_)) => Some(value.to_string()),
            _ => None,
        }
    }

    pub fn count(&self, names: &[&str]) -> Option<u64> {
        lenient::parse_count(self.get(names)?)
    }

    /// The first of these fields as words: a list of texts, or a text that separates them.
    pub fn words(&self, names: &[&str]) -> Vec<String> {
        match self.get(names) {
            Some(Value::Array(items)) => items
                .iter()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect(),
            Some(Value::String(text)) => text
                .split([' ', ','])
                .filter(|word| !word.is_empty())
                .map(str::to_owned)
                .collect(),
            _ => Vec::new(),
        }
    }
}

/// Whether two names differ only in case and separators: `viewType` and `view_type`.
pub fn names_match(one: &str, other: &str) -> bool {
    let letters = |text: &'_ str| -> Vec<char> {
        text.chars()
            .filter(|c| c.is_alphanumeric())
            .flat_map(char::to_lowercase)
            .collect()
    };
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
        assert_eq!(
            kind(json!({"view_type": "b", "type": "a"})).as_deref(),
            Some("a")
        );
        assert_eq!(
            kind(json!({"type": null, "viewType": "b"})).as_deref(),
            Some("b")
        );
        assert_eq!(kind(json!({"Type": "c"})).as_deref(), Some("c"));
        assert_eq!(kind(json!({"type": 7})), None);
    }
}
