//! CSV cells and rows.

use serde_json::Value;
use serde_json::value::RawValue;

use super::json::format_json;
use crate::text;

/// A value as a CSV cell: texts as they are, lists of texts joined with `; `, the rest as JSON. A
/// text that a spreadsheet would treat as a formula is prefixed with `'`.
pub fn format_csv_cell(value: Option<&RawValue>) -> String {
    let Some(raw) = value else {
        return String::new();
    };
    match serde_json::from_str::<Value>(raw.get()) {
        Ok(value @ (Value::Null | Value::String(_) | Value::Array(_))) => {
            text::escape_formula(&text::sanitize_block(&value_text(&value))).into_owned()
        }
        _ => format_json(raw.get(), false),
    }
}

/// A value as plain text: a text as it is, a list joined with `; `.
pub fn value_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(items)
            if items
                .iter()
                .all(|item| !item.is_object() && !item.is_array()) =>
        {
            items.iter().map(value_text).collect::<Vec<_>>().join("; ")
        }
        other => other.to_string(),
    }
}

/// Records as CSV rows; cells are quoted where necessary.
pub fn write_rows<R: IntoIterator<Item: AsRef<[u8]>>>(
    records: impl IntoIterator<Item = R>,
) -> String {
    let mut csv = csv::WriterBuilder::new()
        .flexible(true)
        .from_writer(Vec::new());
    for record in records {
        csv.write_record(record)
            .expect("writing to memory cannot fail, and the writer is flexible");
    }
    String::from_utf8_lossy(&csv.into_inner().unwrap_or_default()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_never_hold_a_formula_and_keep_numbers() {
        for (json, expected) in [
            ("\"=1+1\"", "'=1+1"),
            ("\"@x\"", "'@x"),
            ("-5", "-5"),
            ("\"plain\"", "plain"),
            ("null", ""),
            ("[\"=a\"]", "'=a"),
            ("[\"\\u2060\", \"a\"]", "; a"),
            ("\"\\u200b=1\"", "'=1"),
            ("\"\\ufeff\\u00ad@x\"", "'@x"),
            ("[\"\\u2060+a\"]", "'+a"),
            ("\"\\t=1\"", "' =1"),
            ("[\"\\n=1\"]", "'\n=1"),
            ("{\"lat\":1}", "{\"lat\":1}"),
        ] {
            let raw: Box<RawValue> = serde_json::from_str(json).unwrap();
            assert_eq!(format_csv_cell(Some(&raw)), expected, "{json}");
        }
    }

    #[test]
    fn a_cell_with_a_comma_a_quote_or_a_line_end_is_quoted() {
        assert_eq!(
            write_rows([["a,b", "\"c\"", "d\ne"]]),
            "\"a,b\",\"\"\"c\"\"\",\"d\ne\"\n"
        );
    }
}
