//! The search in the loaded rows of a list: what was looked for, and where the user was when the
//! prompt opened.

use crate::domain::text_query::TextQuery;

#[derive(Clone, Debug, Default)]
pub struct FindState {
    /// The last search, which the keys for the next and the previous match repeat.
    pub last: String,
    /// It could not look at everything: reading what it lacks was offered.
    pub offers_reading: bool,
    /// Where the list was when the prompt opened.
    pub origin: Option<FindOrigin>,
}

/// A list before its rows were searched.
#[derive(Clone, Debug)]
pub struct FindOrigin {
    pub line: usize,
    /// How many rows are loaded.
    pub rows: usize,
    /// What the list was narrowed to.
    pub query: Option<TextQuery>,
}
