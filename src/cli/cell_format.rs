//! Formats a single value as a table cell.

use chrono::{DateTime, Local, Utc};
use serde::Deserialize as _;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::domain::display_format::{self, DisplayFormat, NumberFormat};
use crate::domain::lenient::{DateOrDateTime, Number};
use crate::domain::person::Person;
use crate::export::csv::value_text;
use crate::text;

use super::columns::FieldKind;

/// Formats a value for a table, sanitized and on one line; a missing value is a dash.
pub(super) fn format_table_cell(value: Option<&RawValue>, kind: FieldKind) -> String {
    let value = value
        .and_then(|raw| serde_json::from_str::<Value>(raw.get()).ok())
        .unwrap_or_default();
    let text = match (kind, &value) {
        (FieldKind::Date, Value::String(moment)) => DateOrDateTime::from(moment.as_str())
            .date()
            .map_or_else(|| moment.clone(), display_format::format_date),
        (FieldKind::Time, Value::String(moment)) => DateOrDateTime::from(moment.as_str())
            .date_time()
            .map_or_else(|| moment.replace('_', " "), format_local_moment),
        (FieldKind::Money, value) => {
            match value
                .as_f64()
                .or_else(|| Number::deserialize(value).ok()?.as_f64())
                .filter(|dollars| dollars.abs() < MAX_SHORT_DOLLARS)
            {
                Some(dollars) => display_format::format_dollars(dollars),
                None => value_text(value),
            }
        }
        // By default numbers are plain, as in the other formats.
        (kind, Value::Number(number))
            if kind.is_numeric() && DisplayFormat::current().number != NumberFormat::Comma =>
        {
            display_format::format_digits(&number.to_string())
        }
        // A nested record is shown by its name, and a person by the best one.
        (_, value @ Value::Object(fields)) => match (fields.get("name"), Person::from_value(value))
        {
            (Some(name), _) => value_text(name),
            (None, Some(person)) => person.label(None).to_owned(),
            (None, None) => value_text(value),
        },
        (_, value) => value_text(value),
    };
    if text.is_empty() {
        "-".to_owned()
    } else {
        text::sanitize_line(&text).into_owned()
    }
}

/// A time in the time zone of the user.
fn format_local_moment(at: DateTime<Utc>) -> String {
    let local = |at: DateTime<Utc>| at.with_timezone(&Local).naive_local();
    let offset = DisplayFormat::current().offset;
    display_format::format_moment(offset.map_or_else(
        || local(at),
        |offset| at.with_timezone(&offset).naive_local(),
    ))
}

/// Amounts from this size on are shown unchanged.
const MAX_SHORT_DOLLARS: f64 = 1e21;

#[cfg(test)]
mod tests {
    use super::*;

    fn raw_json(json: &str) -> Box<RawValue> {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn a_table_abbreviates_days_and_money_and_shows_a_dash_for_missing_values() {
        for (json, kind, expected) in [
            ("\"2026-07-02T09:00:00Z\"", FieldKind::Date, "2026-07-02"),
            (
                "\"2026-07-02T23:30:00-02:00\"",
                FieldKind::Date,
                "2026-07-03",
            ),
            ("\"2026-07-02T09:05\"", FieldKind::Date, "2026-07-02"),
            ("\"next week\"", FieldKind::Date, "next week"),
            ("41200000", FieldKind::Money, "$41.2M"),
            ("\"12500\"", FieldKind::Money, "$12.5k"),
            ("999960", FieldKind::Money, "$1M"),
            ("900", FieldKind::Money, "$900"),
            ("2500", FieldKind::Money, "$2.5k"),
            ("200000", FieldKind::Money, "$200k"),
            ("\"4,250,000\"", FieldKind::Money, "$4.2M"),
            ("1e300", FieldKind::Money, "1e+300"),
            ("[\"a\",\"b\"]", FieldKind::Text, "a; b"),
            ("\"a\\u001b[2J\"", FieldKind::Text, "a␛[2J"),
            (
                r#"{"id":"u1","display_name":"Ana R."}"#,
                FieldKind::Text,
                "Ana R.",
            ),
            (
                r#"{"lat":1,"lng":2}"#,
                FieldKind::Text,
                r#"{"lat":1,"lng":2}"#,
            ),
            ("null", FieldKind::Text, "-"),
            ("\"\"", FieldKind::Text, "-"),
        ] {
            assert_eq!(
                format_table_cell(Some(&raw_json(json)), kind),
                expected,
                "{json}"
            );
        }
        assert_eq!(format_table_cell(None, FieldKind::Date), "-");
    }
}
