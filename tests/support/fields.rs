//! Checks records against the interface's tables: exactly these fields, each with its type.
#![allow(dead_code, reason = "each test uses only a part of it")]

use std::collections::BTreeSet;

use chrono::{DateTime, NaiveDate, Utc};
use serde_json::Value;
use uuid::Uuid;

/// A row of a table: the field and its type. `string?` may be null, `string[]` is a list,
/// `new|done` is one of these words.
pub type FieldRow = (&'static str, &'static str);

/// Asserts that a record has exactly the fields of a table; reports the row that does not match.
#[track_caller]
pub fn assert_fields(record: &Value, table: &[FieldRow]) {
    let found: BTreeSet<&str> = record
        .as_object()
        .expect("an object")
        .keys()
        .map(String::as_str)
        .collect();
    let wanted: BTreeSet<&str> = table.iter().map(|(key, _)| *key).collect();
    assert_eq!(found, wanted, "{record}");
    for (key, kind) in table {
        assert!(
            has_type(&record[*key], kind),
            "{key} is {}, not {kind}",
            record[*key]
        );
    }
}

/// Whether a value has a type.
pub fn has_type(value: &Value, kind: &str) -> bool {
    if let Some(kind) = kind.strip_suffix('?') {
        return value.is_null() || has_type(value, kind);
    }
    if let Some(kind) = kind.strip_suffix("[]") {
        return value
            .as_array()
            .is_some_and(|items| items.iter().all(|item| has_type(item, kind)));
    }
    match kind {
        "uuid" => value
            .as_str()
            .is_some_and(|text| Uuid::try_parse(text).is_ok()),
        "string" => value.is_string(),
        "moment" => value
            .as_str()
            .is_some_and(|text| text.parse::<DateTime<Utc>>().is_ok()),
        "date" => value
            .as_str()
            .is_some_and(|text| text.len() == 10 && text.parse::<NaiveDate>().is_ok()),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        "boolean" => value.is_boolean(),
        "object" => value.is_object(),
        words => value
            .as_str()
            .is_some_and(|text| words.split('|').any(|word| word == text)),
    }
}

/// The ids of rows, in order.
#[track_caller]
pub fn ids(rows: &Value) -> Vec<String> {
    let rows = rows
        .as_array()
        .unwrap_or_else(|| panic!("rows, not {rows}"));
    rows.iter()
        .map(|row| row["id"].as_str().expect("an id").to_owned())
        .collect()
}

/// A text, encoded for a query.
pub fn percent_encoded(text: &str) -> String {
    text.bytes()
        .map(|byte| {
            if byte.is_ascii_alphanumeric() {
                (byte as char).to_string()
            } else {
                format!("%{byte:02X}")
            }
        })
        .collect()
}
