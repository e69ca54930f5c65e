//! One value as a table or a CSV file holds it.

use serde_json::Value;
use serde_json::value::RawValue;

use crate::text;

use super::columns::Kind;
use super::json::layout;

/// A value as a table shows it, safe and on one line; what is not there is a dash.
pub(super) fn shown(value: Option<&RawValue>, kind: Kind) -> String {
    let value = value.and_then(|raw| serde_json::from_str::<Value>(raw.get()).ok()).unwrap_or_default();
    let text = match (kind, &value) {
        (Kind::Day, Value::String(moment)) => moment.get(..10).unwrap_or(moment).to_owned(),
        (Kind::Money, value) => match value.as_f64().or_else(|| value.as_str()?.parse().ok()) {
            // Minus nothing is nothing.
            Some(dollars) => money(dollars + 0.0),
            None => words(value),
        },
        // A record within a row goes by its name.
        (_, value) => value.get("name").map_or_else(|| words(value), words),
    };
    if text.is_empty() { "-".to_owned() } else { text::line(&text).into_owned() }
}

/// A value as CSV holds it: texts as they are, lists of texts with `; ` between, the rest as JSON. A text that a spreadsheet
/// would take for a formula gets a `'` before it.
pub(super) fn plain(value: Option<&RawValue>) -> String {
    let Some(raw) = value else { return String::new() };
    match serde_json::from_str::<Value>(raw.get()) {
        Ok(Value::String(text)) => {
            let guard = if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { "'" } else { "" };
            format!("{guard}{}", text::block(&text))
        }
        Ok(Value::Null) => String::new(),
        Ok(value @ Value::Array(_)) => {
            let words = words(&value);
            format!("{}{}", if words.starts_with(['=', '+', '-', '@']) { "'" } else { "" }, text::block(&words))
        }
        _ => layout(raw.get(), false),
    }
}

fn words(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(items) if items.iter().all(|item| !item.is_object() && !item.is_array()) => {
            items.iter().map(words).collect::<Vec<_>>().join("; ")
        }
        other => other.to_string(),
    }
}

fn money(dollars: f64) -> String {
    let (amount, unit) = match dollars.abs() {
        size if size >= 999_950_000.0 => (dollars / 1e9, "B"),
        size if size >= 999_950.0 => (dollars / 1e6, "M"),
        size if size >= 10_000.0 => (dollars / 1e3, "k"),
        _ => return format!("${dollars:.0}"),
    };
    format!("${amount:.1}{unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(json: &str) -> Box<RawValue> {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn a_table_shows_days_and_money_shortly_and_a_dash_for_what_is_not_there() {
        for (json, kind, expected) in [
            ("\"2026-07-02T09:00:00Z\"", Kind::Day, "2026-07-02"),
            ("41200000", Kind::Money, "$41.2M"),
            ("\"12500\"", Kind::Money, "$12.5k"),
            ("999960", Kind::Money, "$1.0M"),
            ("900", Kind::Money, "$900"),
            ("[\"a\",\"b\"]", Kind::Text, "a; b"),
            ("\"a\\u001b[2J\"", Kind::Text, "a␛[2J"),
            ("null", Kind::Text, "-"),
            ("\"\"", Kind::Text, "-"),
        ] {
            assert_eq!(shown(Some(&raw(json)), kind), expected, "{json}");
        }
        assert_eq!(shown(None, Kind::Day), "-");
    }

    #[test]
    fn csv_never_holds_a_formula_and_keeps_numbers() {
        for (json, expected) in [
            ("\"=1+1\"", "'=1+1"),
            ("\"@x\"", "'@x"),
            ("-5", "-5"),
            ("\"plain\"", "plain"),
            ("null", ""),
            ("[\"=a\"]", "'=a"),
            ("{\"lat\":1}", "{\"lat\":1}"),
        ] {
            assert_eq!(plain(Some(&raw(json))), expected, "{json}");
        }
    }
}
