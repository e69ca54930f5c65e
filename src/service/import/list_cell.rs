//! A list or an object in a cell: several addresses, or several firms with their phones.

use std::borrow::Cow;

use serde_json::Value;

use super::values;
use super::words::{self, PermitField};

/// The fields of an object in a cell.
type Fields = serde_json::Map<String, Value>;

/// The text of the first field whose key is wanted.
fn field_text(fields: &Fields, is_wanted: impl Fn(&str) -> bool) -> Option<String> {
    let mut wanted = fields.iter().filter(|(key, _)| is_wanted(key));
    wanted.find_map(|(_, value)| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    })
}

/// What is in a cell that holds a list, the primary one first: of `["1 Elm St", "3 Elm St"]` or
/// `{1 Elm St,3 Elm St}` both, of objects what this function finds.
fn list_items<T: for<'t> From<&'t str>>(
    text: &str,
    item_of: impl Fn(&Fields) -> Option<T>,
) -> Option<Vec<T>> {
    let inner = text.strip_prefix(['[', '{'])?.strip_suffix([']', '}'])?;
    let mut items = match serde_json::from_str(text) {
        Ok(Value::Array(items)) => items,
        Ok(item) => vec![item],
        Err(_) if inner.contains(['{', ':']) => Vec::new(),
        Err(_) => {
            let is_around = |c: char| c.is_whitespace() || "'\"".contains(c);
            let parts = inner.split(',').map(|part| part.trim_matches(is_around));
            parts.map(Value::from).collect()
        }
    };
    let is_primary = |(key, value): (&String, &Value)| {
        let text = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        let is_yes = values::parse_yes_or_no(&text) == Some(true);
        is_yes && words::has_value_word("primary", key) || words::is_word_of("primary", &text)
    };
    items.sort_by_key(|item| {
        let fields = item.as_object();
        !fields.is_some_and(|fields| fields.iter().any(is_primary))
    });
    let found = items.iter().filter_map(|item| match item {
        Value::Object(fields) => item_of(fields),
        item => item.as_str().map(T::from),
    });
    Some(found.collect())
}

/// The address in a cell: of a list the primary one, or the first.
pub fn address_in(text: &str) -> Cow<'_, str> {
    use PermitField::{Address, StreetName, StreetNumber};
    let texts: Option<Vec<String>> = list_items(text, |fields| {
        let is_street = |field| matches!(field, Address | StreetName);
        let street = field_text(fields, |key| words::is_named(key, is_street))?;
        let number = field_text(fields, |key| {
            words::is_word_of("plain_number", key)
                || words::is_named(key, |field| field == StreetNumber)
        });
        let number = number.filter(|number| !street.starts_with(number.as_str()));
        Some(number.map_or_else(|| street.clone(), |number| format!("{number} {street}")))
    });
    match texts {
        Some(texts) => texts.into_iter().next().unwrap_or_default().into(),
        None => text.into(),
    }
}

/// The name of a firm or a person in a cell, and what an object there says beside it.
pub struct ListedName {
    pub name: String,
    pub phone: Option<String>,
    pub email: Option<String>,
}

impl From<&str> for ListedName {
    fn from(name: &str) -> ListedName {
        ListedName {
            name: name.to_owned(),
            phone: None,
            email: None,
        }
    }
}

/// The names of firms and people in a cell: of a list all of them.
pub fn names_in(text: &str) -> Vec<ListedName> {
    let is_firm = |field: PermitField| field.is_firm() || field == PermitField::Firm;
    let is_name = |key: &str| words::normalize(key) == "name" || words::is_named(key, is_firm);
    let names = list_items(text, |fields| {
        let beside = |list| field_text(fields, |key| words::has_value_word(list, key));
        Some(ListedName {
            name: field_text(fields, is_name)?,
            phone: beside("phone_mark").and_then(|phone| values::format_phone(&phone)),
            email: beside("email_mark").filter(|email| email.contains('@')),
        })
    });
    names.unwrap_or_else(|| vec![text.into()])
}
