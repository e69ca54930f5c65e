//! Rows that cannot be used: why, and how they are written out.
//!
//! Never here: what a column means.

use std::borrow::Cow;

/// More line breaks than a field of a permit has.
const MAX_LINE_BREAKS: usize = 200;
/// What the first filled cell of a line with totals begins with.
const TOTAL_WORDS: &[&str] = &[
    "total",
    "grand total",
    "sum",
    "subtotal",
    "gesamt",
    "summe",
    "insgesamt",
    "suma",
    "soma",
    "totale",
    "somme",
    "ensemble",
    "totaal",
    "totales",
    "count",
    "anzahl",
];

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
    let first = record.iter().map(str::trim).find(|cell| !cell.is_empty()).unwrap_or_default().to_lowercase();
    let words = first.trim_end_matches(|c: char| !c.is_alphabetic());
    TOTAL_WORDS.iter().any(|total| words == *total || words.strip_prefix(total).is_some_and(|rest| rest.starts_with([' ', ':'])))
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
