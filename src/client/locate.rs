//! Where an answer holds what was asked for when the interface does not show its shape: the only list in the answer is the list,
//! and the only object in it the object.
//!
//! Never here: shapes that the interface shows. Those are read where it shows them, and nowhere else.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use super::request::Payload;

/// An object with its values unread; of a repeated key the last counts.
pub(super) type Object<'a> = HashMap<Cow<'a, str>, &'a RawValue>;

/// What a service calls a list when it does not call it by the name of its rows; the first that is there counts.
const WRAPPERS: &[&str] = &["items", "records", "results", "rows", "list", "entries", "data"];
/// What stands beside the payload and holds none of it.
const BESIDE: &[&str] = &["metadata", "meta", "pagination", "page", "paging", "links", "warnings", "errors"];
/// Wrappers within wrappers.
const DEEPEST: usize = 4;

/// A value that is an object.
pub(super) fn object(raw: &RawValue) -> Option<Object<'_>> {
    serde_json::from_str(raw.get()).ok()
}

/// The list of this name, under `data` or beside it; without that name the only list that there is.
pub(super) fn list<'a>(whole: &'a RawValue, name: &str) -> Option<&'a RawValue> {
    let data = object(whole).and_then(|whole| whole.get("data").copied());
    data.and_then(|data| list_within(data, name, DEEPEST)).or_else(|| list_within(whole, name, DEEPEST))
}

fn list_within<'a>(raw: &'a RawValue, name: &str, depth: usize) -> Option<&'a RawValue> {
    if raw.get().starts_with('[') {
        return Some(raw);
    }
    let object = object(raw).filter(|_| depth > 0)?;
    let within = |value: &&'a RawValue| list_within(value, name, depth - 1);
    let named = std::iter::once(&name).chain(WRAPPERS).find_map(|name| object.get(*name).and_then(within));
    named.or_else(|| {
        let mut lists = payload(&object).filter_map(|(_, value)| within(&value));
        lists.next().filter(|_| lists.next().is_none())
    })
}

/// The rows of a list, for what is looked up in it.
pub(super) fn all(whole: &Value, payload: Payload) -> Option<Vec<Value>> {
    let Payload::List(name, one, id) = payload else { return None };
    let whole = to_raw_value(whole).ok()?;
    let rows: Vec<&RawValue> = serde_json::from_str(list(&whole, name)?.get()).ok()?;
    Some(rows.into_iter().filter_map(|raw| serde_json::from_str(row(raw, one, id).get()).ok()).collect())
}

/// A row as an object: an id that stands alone is one that has only its id, and what lies a level deeper comes up.
pub(super) fn row<'a>(raw: &'a RawValue, one: &str, id: &str) -> Cow<'a, RawValue> {
    if raw.get().starts_with('"') {
        return to_raw_value(&HashMap::from([(id, raw)])).map_or(Cow::Borrowed(raw), Cow::Owned);
    }
    lifted(raw, one).map_or(Cow::Borrowed(raw), Cow::Owned)
}

/// The object of this name, under `data` or instead of it, with what stands beside it there; without that name the only object that
/// there is.
pub(super) fn thing<'a>(whole: &'a RawValue, one: &str) -> Cow<'a, RawValue> {
    let mut found = object(whole).and_then(|whole| whole.get("data").copied()).unwrap_or(whole);
    for _ in 0..DEEPEST {
        if let Some(lifted) = lifted(found, one) {
            return Cow::Owned(lifted);
        }
        let only = serde_json::from_str::<[&RawValue; 1]>(found.get()).ok().map(|[only]| only).or_else(|| {
            let object = object(found)?;
            let mut values = payload(&object).map(|(_, value)| value);
            values.next().filter(|_| values.next().is_none())
        });
        match only.filter(|only| only.get().starts_with(['{', '['])) {
            Some(deeper) => found = deeper,
            None => break,
        }
    }
    Cow::Borrowed(found)
}

/// An object whose field of this name is an object: both in one, the inner fields before the outer.
fn lifted(raw: &RawValue, one: &str) -> Option<Box<RawValue>> {
    let mut fields = object(raw)?;
    let inner = object(fields.get(one)?)?;
    fields.remove(one);
    fields.retain(|name, _| !BESIDE.contains(&name.as_ref()));
    fields.extend(inner);
    to_raw_value(&fields).ok()
}

fn payload<'o, 'a>(object: &'o Object<'a>) -> impl Iterator<Item = (&'o str, &'a RawValue)> {
    object.iter().map(|(name, value)| (name.as_ref(), *value)).filter(|(name, _)| !BESIDE.contains(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(json: &str) -> Box<RawValue> {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn the_only_list_in_an_answer_is_the_list() {
        for (json, expected) in [
            (r#"{"data":{"views":[1]}}"#, Some("[1]")),
            (r#"{"data":[1]}"#, Some("[1]")),
            (r#"{"data":{"records":{"items":[1]}},"metadata":{"warnings":[2]}}"#, Some("[1]")),
            (r#"{"data":{"other":[2],"views":[1]}}"#, Some("[1]")),
            (r#"{"data":{"other":[2],"items":[1]}}"#, Some("[1]")),
            (r#"{"data":{"other":[2],"more":[1]}}"#, None),
            (r#"{"data":null,"views":[1]}"#, Some("[1]")),
            (r#"[]"#, Some("[]")),
            (r#"{"data":{"views":null}}"#, None),
            (r#"{"metadata":{"warnings":[1]}}"#, None),
            (r#"{"a":{"b":{"c":{"d":{"e":[1]}}}}}"#, None),
            (r#""views""#, None),
        ] {
            assert_eq!(list(&raw(json), "views").map(RawValue::get), expected, "{json}");
        }
    }

    #[test]
    fn digits_that_no_number_holds_pass_through() {
        let whole = raw(r#"{"data":{"view":{"id":"a","n":123456789012345678901234567890},"more":1e400}}"#);
        let found = thing(&whole, "view").get().to_owned();
        assert!(found.contains("123456789012345678901234567890") && found.contains("1e400"), "{found}");
    }

    #[test]
    fn a_record_whose_only_field_is_a_text_stays_as_it_is() {
        assert_eq!(thing(&raw(r#"{"data":{"id":"a"}}"#), "view").get(), r#"{"id":"a"}"#);
        assert_eq!(thing(&raw("null"), "view").get(), "null");
    }
}
