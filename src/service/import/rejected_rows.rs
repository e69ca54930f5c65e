//! Rows that cannot be used: why, and how they are written out.
//!
//! Never here: what a column means.

use std::borrow::Cow;

use super::words;

/// More line breaks than a field of a permit has.
const MAX_LINE_BREAKS: usize = 200;

/// Why a row that is wider or narrower than the header is rejected.
pub fn wrong_width_reason(record: &csv::StringRecord) -> &'static str {
    let breaks = record.iter().map(|field| field.matches('\n').count()).max().unwrap_or_default();
    if breaks > MAX_LINE_BREAKS {
        "a quoted field of more than 200 lines (is a quote missing?)"
    } else {
        "a row with more or fewer fields than the header"
    }
}

/// Whether the first filled cell names a total.
pub fn is_total_line(record: &csv::StringRecord) -> bool {
    let first = words::normalize(record.iter().find(|cell| !cell.trim().is_empty()).unwrap_or_default());
    let first = first.trim_end_matches(|c: char| !c.is_alphabetic());
    let begins = |total: &String| first == total || first.strip_prefix(total.as_str()).is_some_and(|rest| rest.starts_with(' '));
    words::value_words("total").iter().any(begins)
}

/// A field as a cell that no spreadsheet treats as a formula, because the file is untrusted. Fields that are not UTF-8 stay as
/// they are.
pub fn csv_safe_cell(field: &[u8]) -> Cow<'_, [u8]> {
    match std::str::from_utf8(field).map(crate::text::escape_formula) {
        Ok(Cow::Owned(text)) => text.into_bytes().into(),
        // A formula begins with an ASCII byte, whatever follows it.
        Err(_) if field.trim_ascii_start().first().is_some_and(|byte| b"=+-@".contains(byte)) => [b"'", field].concat().into(),
        _ => field.into(),
    }
}
