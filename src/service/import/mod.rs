//! Real permits: a city's public permit file (CSV) read into the index. Places become projects, permits become signals, firms and
//! people named in them become accounts and contacts.
//!
//! What the columns of a file mean is a [`layout::Layout`], a table in TOML; there is no code for a city. Ids are made from natural keys
//! (UUID version 5), so that the same file read again changes nothing and a newer one adds what is new. Permit files carry local times
//! without a zone: the local day is taken as the same day in UTC, and the time of day is dropped.
//! Never here: SQL (see [`crate::service::db::index_import`]), a clock, a print.

use std::collections::BTreeMap;

pub mod columns;
pub mod fold;
pub mod layout;
pub mod read;
pub mod values;

/// What an import did.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Report {
    /// Rows of the file, without its header.
    pub rows: u64,
    /// Permits that were used: one row each.
    pub permits: u64,
    /// Further rows of permits that were used: other addresses, or the same row twice.
    pub further: u64,
    /// Projects: places.
    pub projects: Tally,
    /// Signals.
    pub signals: Tally,
    /// Accounts: firms, once for each time they are named.
    pub accounts: Tally,
    /// Contacts: people.
    pub contacts: Tally,
    /// Rows that could not be used, by reason.
    pub rejected: BTreeMap<&'static str, Refused>,
    /// What was odd in rows that were used.
    pub remarks: BTreeMap<&'static str, Refused>,
    /// The reading was stopped before the end of the file.
    pub stopped: bool,
}

/// How many records of a kind were new, changed, or as before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Tally {
    /// Were not there.
    pub new: u64,
    /// Said something else before.
    pub changed: u64,
    /// Were there as they are.
    pub same: u64,
}

/// How often a reason was met, and where first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Refused {
    /// How many rows.
    pub rows: u64,
    /// The line of the file where the first of them begins.
    pub first_line: u64,
}

impl Report {
    /// Rows that could not be used.
    pub fn refused(&self) -> u64 {
        self.rejected.values().map(|refused| refused.rows).sum()
    }

    fn reject(&mut self, reason: &'static str, line: u64) {
        note(&mut self.rejected, reason, line);
    }

    fn remark(&mut self, reason: &'static str, line: u64) {
        note(&mut self.remarks, reason, line);
    }
}

fn note(map: &mut BTreeMap<&'static str, Refused>, reason: &'static str, line: u64) {
    map.entry(reason).or_insert(Refused { rows: 0, first_line: line }).rows += 1;
}

/// How far an import is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Rows read.
    pub rows: u64,
    /// Bytes of the file read.
    pub bytes: u64,
}

/// Why an import cannot be done.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The layout.
    #[error(transparent)]
    Layout(#[from] layout::LayoutError),
    /// The file holds nothing.
    #[error("the file is empty: there is no header to read")]
    Empty,
    /// The layout is for another file.
    #[error("the file does not have the columns of the layout: {list} not found", list = .0.join(", "))]
    MissingColumns(Vec<String>),
    /// The file cannot be read.
    #[error("the file cannot be read: {0}")]
    File(#[from] std::io::Error),
    /// The file is no CSV.
    #[error("the file cannot be read as CSV: {0}")]
    Csv(#[from] csv::Error),
    /// The database refuses.
    #[error("the database: {0}")]
    Database(#[from] rusqlite::Error),
}
