//! Finds the payload of a response whose shape the interface does not show: the only list is the
//! list, and the only object the object.
//!
//! Never here: shapes that the interface shows. Those are read from their documented place and
//! nowhere else.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use crate::interface::{PayloadPath, RouteId};

/// An object with raw values; the last of duplicate keys wins.
pub(super) type RawObject<'a> = HashMap<Cow<'a, str>, &'a RawValue>;

/// Generic names for a list that is not named after its rows; the first match wins.
const WRAPPER_KEYS: &[&str] = &[
    "items", "records", "results", "rows", "list", "entries", "data",
];
/// Keys next to the payload that never contain it.
const METADATA_KEYS: &[&str] = &[
    "metadata",
    "meta",
    "pagination",
    "page",
    "paging",
    "links",
    "warnings",
    "errors",
];
/// Generic names for an object that is not named after what it is, and keys that only the object
/// itself has.
const OBJECT_WRAPPER_KEYS: &[&str] = &["result", "item", "record", "data", "payload", "response"];
const IDENTIFYING_KEYS: &[&str] = &[
    "id", "uuid", "name", "title", "slug", "path", "content", "email",
];
/// Maximum nesting of wrappers.
const MAX_WRAPPER_DEPTH: usize = 4;

pub(super) fn parse_object(raw: &RawValue) -> Option<RawObject<'_>> {
    serde_json::from_str(raw.get()).ok()
}

/// The list of this name, under `data` or next to it; otherwise the only list.
pub(super) fn find_list<'a>(whole: &'a RawValue, name: &str) -> Option<&'a RawValue> {
    let data = parse_object(whole).and_then(|whole| whole.get("data").copied());
    data.and_then(|data| find_list_within(data, name, MAX_WRAPPER_DEPTH))
        .or_else(|| find_list_within(whole, name, MAX_WRAPPER_DEPTH))
}

fn find_list_within<'a>(raw: &'a RawValue, name: &str, depth: usize) -> Option<&'a RawValue> {
    if raw.get().starts_with('[') {
        return Some(raw);
    }
    let object = parse_object(raw).filter(|_| depth > 0)?;
    let within = |value: &&'a RawValue| find_list_within(value, name, depth - 1);
    let named = std::iter::once(&name)
        .chain(WRAPPER_KEYS)
        .find_map(|name| object.get(*name).and_then(within));
    named.or_else(|| {
        let mut lists = payload_fields(&object).filter_map(|(_, value)| within(&value));
        lists.next().filter(|_| lists.next().is_none())
    })
}

/// The rows of a list that this route returned, for lookups.
pub(super) fn list_rows(whole: &Value, route: RouteId) -> Option<Vec<Value>> {
    let PayloadPath::List(name, one, id) = route.route().payload else {
        return None;
    };
    let whole = to_raw_value(whole).ok()?;
    let rows: Vec<&RawValue> = serde_json::from_str(find_list(&whole, name)?.get()).ok()?;
    Some(
        rows.into_iter()
            .filter_map(|raw| serde_json::from_str(row_object(raw, one, id).get()).ok())
            .collect(),
    )
}

/// A row as an object: a bare id becomes an object with that id, and a nested object is flattened.
pub(super) fn row_object<'a>(raw: &'a RawValue, one: &str, id: &str) -> Cow<'a, RawValue> {
    if raw.get().starts_with('"') {
        return to_raw_value(&HashMap::from([(id, raw)])).map_or(Cow::Borrowed(raw), Cow::Owned);
    }
    flatten_field(raw, one).map_or(Cow::Borrowed(raw), Cow::Owned)
}

/// The object of this name, under `data` or in its place, merged with its sibling fields; otherwise
/// the only object.
pub(super) fn find_object<'a>(whole: &'a RawValue, one: &str) -> Cow<'a, RawValue> {
    let mut found = parse_object(whole)
        .and_then(|whole| whole.get("data").copied())
        .unwrap_or(whole);
    for _ in 0..MAX_WRAPPER_DEPTH {
        if let Some(lifted) = flatten_field(found, one) {
            return Cow::Owned(lifted);
        }
        let only = serde_json::from_str::<[&RawValue; 1]>(found.get())
            .ok()
            .map(|[only]| only)
            .or_else(|| {
                let object = parse_object(found)?;
                let wrapped = || {
                    OBJECT_WRAPPER_KEYS
                        .iter()
                        .find_map(|key| object.get(*key).copied())
                };
                let wrapped = wrapped().filter(|_| {
                    IDENTIFYING_KEYS
                        .iter()
                        .all(|key| !object.contains_key(*key))
                });
                let mut values = payload_fields(&object).map(|(_, value)| value);
                wrapped.or_else(|| values.next().filter(|_| values.next().is_none()))
            });
        match only.filter(|only| only.get().starts_with(['{', '['])) {
            Some(deeper) => found = deeper,
            None => break,
        }
    }
    Cow::Borrowed(found)
}

/// Flattens an object whose field of this name is an object; inner fields win.
fn flatten_field(raw: &RawValue, one: &str) -> Option<Box<RawValue>> {
    let mut fields = parse_object(raw)?;
    let inner = parse_object(fields.get(one)?)?;
    fields.remove(one);
    fields.retain(|name, _| !METADATA_KEYS.contains(&name.as_ref()));
    fields.extend(inner);
    to_raw_value(&fields).ok()
}

fn payload_fields<'o, 'a>(
    object: &'o RawObject<'a>,
) -> impl Iterator<Item = (&'o str, &'a RawValue)> {
    object
        .iter()
        .map(|(name, value)| (name.as_ref(), *value))
        .filter(|(name, _)| !METADATA_KEYS.contains(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw_json(json: &str) -> Box<RawValue> {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn the_only_list_in_an_answer_is_the_list() {
        for (json, expected) in [
            (r#"{"data":{"views":[1]}}"#, Some("[1]")),
            (r#"{"data":[1]}"#, Some("[1]")),
            (
                r#"{"data":{"records":{"items":[1]}},"metadata":{"warnings":[2]}}"#,
                Some("[1]"),
            ),
            (r#"{"data":{"other":[2],"views":[1]}}"#, Some("[1]")),
            (r#"{"data":{"other":[2],"items":[1]}}"#, Some("[1]")),
            (r#"{"data":{"other":{"more":[1]}}}"#, Some("[1]")),
            (r#"{"data":{"other":[2],"more":[1]}}"#, None),
            (r#"{"data":null,"views":[1]}"#, Some("[1]")),
            (r#"[]"#, Some("[]")),
            (r#"{"data":{"views":null}}"#, None),
            (r#"{"metadata":{"warnings":[1]}}"#, None),
            (r#"{"a":{"b":{"c":{"d":{"e":[1]}}}}}"#, None),
            (r#""views""#, None),
        ] {
            assert_eq!(
                find_list(&raw_json(json), "views").map(RawValue::get),
                expected,
                "{json}"
            );
        }
    }

    #[test]
    fn an_object_is_found_in_nested_wrappers_and_beside_other_fields_but_never_inside_itself() {
        let skill = r#"{"id":"a","author":{"skill":{"id":"b"}}}"#;
        for json in [
            format!(r#"{{"data":{{"result":{{"skill":{skill}}}}}}}"#),
            format!(
                r#"{{"data":{{"workspace_id":"w","result":{{"skill":{skill}}},"took_ms":3}}}}"#
            ),
            format!(r#"{{"data":{{"workspace_id":"w","item":{skill}}}}}"#),
            format!(r#"{{"data":{{"response":{{"payload":{skill}}}}}}}"#),
            format!(r#"{{"data":{skill}}}"#),
        ] {
            let found: Value =
                serde_json::from_str(find_object(&raw_json(&json), "skill").get()).unwrap();
            assert_eq!(found["id"], "a", "{json}");
        }
        let workspace = r#"{"workspace_id":"w","caller":{"user_id":"u"}}"#;
        assert_eq!(
            find_object(&raw_json(workspace), "workspace").get(),
            workspace
        );
    }

    #[test]
    fn numbers_too_large_for_any_type_are_passed_through() {
        let whole = raw_json(
            r#"{"data":{"view":{"id":"a","n":123456789012345678901234567890},"more":1e400}}"#,
        );
        let found = find_object(&whole, "view").get().to_owned();
        assert!(
            found.contains("123456789012345678901234567890") && found.contains("1e400"),
            "{found}"
        );
    }

    #[test]
    fn an_object_with_only_a_text_field_is_not_unwrapped() {
        assert_eq!(
            find_object(&raw_json(r#"{"data":{"id":"a"}}"#), "view").get(),
            r#"{"id":"a"}"#
        );
        assert_eq!(find_object(&raw_json("null"), "view").get(), "null");
    }
}
