//! Rows that cannot be used: why, and how they are written out.
//!
//! Never here: what a column means.

use std::borrow::Cow;

use super::table::Flaw;
use super::words;

/// Why a row is rejected whose permit would move one of an earlier file.
pub const REUSED_NUMBER: &str = "the number of a permit elsewhere and of another time: a permit needs more than its number (--key)";

/// Why a row is rejected that has no date but that of a completion that is none.
pub const ONLY_OPEN_COMPLETION: &str = "only a completion date to come, or that of a certificate or inspection that completes nothing: --column 'HEADING=issued' names that of the permit";

/// A quote that nothing closes.
pub const OPEN_QUOTE: &str = "a quotation mark that is not closed, read as text";

/// Why a row is not imported, and the value that is the reason.
pub struct Rejection {
    pub reason: &'static str,
    pub value: String,
}

impl Rejection {
    pub fn new(reason: &'static str, value: impl Into<String>) -> Rejection {
        Rejection {
            reason,
            value: value.into(),
        }
    }
}

const WRONG_WIDTH: &str = "a row with more or fewer fields than the header";
const OPEN_QUOTE_AND_WIDTH: &str =
    "a quotation mark that is not closed, and more or fewer fields than the header";
const TOO_LONG: &str = "a line of more than 4 MB";

/// The header of another file that was joined to this one.
pub const OTHER_HEADER: &str = "a header with its columns in another order; the rows below are read by the first one: divide the file there";

/// What is wrong with the file itself, so that a script should know.
pub const DAMAGES: &[&str] = &[
    OPEN_QUOTE,
    WRONG_WIDTH,
    OPEN_QUOTE_AND_WIDTH,
    TOO_LONG,
    OTHER_HEADER,
];

/// Why a row that is wider or narrower than the header is rejected.
pub fn wrong_width(record: &csv::StringRecord, flaw: Option<Flaw>) -> Rejection {
    let reason = match flaw {
        None => WRONG_WIDTH,
        Some(Flaw::Quote) => OPEN_QUOTE_AND_WIDTH,
        Some(Flaw::TooLong) => return Rejection::new(TOO_LONG, ""),
    };
    let s = if record.len() == 1 { "" } else { "s" };
    Rejection::new(reason, format!("{} field{s}", record.len()))
}

/// Whether the first filled cell names a total.
pub fn is_total_line(record: &csv::StringRecord) -> bool {
    let first = words::normalize(
        record
            .iter()
            .find(|cell| !cell.trim().is_empty())
            .unwrap_or_default(),
    );
    let first = first.trim_end_matches(|c: char| !c.is_alphabetic());
    let begins = |total: &String| {
        first == total
            || first
                .strip_prefix(total.as_str())
                .is_some_and(|rest| rest.starts_with(' '))
    };
    words::value_words("total").iter().any(begins)
}

/// A field as a cell that no spreadsheet treats as a formula, because the file is untrusted. Fields
/// that are not UTF-8 stay as they are.
pub fn csv_safe_cell(field: &[u8]) -> Cow<'_, [u8]> {
    match std::str::from_utf8(field).map(crate::text::escape_formula) {
        Ok(Cow::Owned(text)) => text.into_bytes().into(),
        // A formula begins with an ASCII byte, whatever follows it.
        Err(_)
            if field
                .trim_ascii_start()
                .first()
                .is_some_and(|byte| b"=+-@".contains(byte)) =>
        {
            [b"'", field].concat().into()
        }
        _ => field.into(),
    }
}
