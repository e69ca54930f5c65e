//! Lists of accounts, contacts or projects from elsewhere, as a file: read, and matched with the
//! records of the index.
//!
//! Never here: reading a file, calling the service, writing what was matched.

mod columns;
mod file;
mod lines;
mod matching;

pub use columns::ColumnRole;
pub use file::{ListFile, MAX_LIST_BYTES, MAX_LIST_LINES, windows_1252_char};
pub use lines::{Candidate, Fit, LineState, LineTerms, ListLine};
pub use matching::{ListImport, MatchStep};
