//! Runs: searches with their rows, saved so that rows once paid for are shown again for free.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::ViewId;
use super::book::RecordKind;
use super::records::{Record, RecordFields};
use super::search::{RecordSource, Search};

/// A search that was run, or only counted.
#[derive(Clone, Debug, PartialEq)]
pub struct SavedSearchRun {
    /// When it was first sent, by the service's clock.
    pub sent_at: DateTime<Utc>,
    pub source: RecordSource,
    pub search: Search,
    /// When its first page was read, by the service's clock; `None` if it was only counted.
    pub read_at: Option<DateTime<Utc>>,
    /// Number of matches, at most 1,000, if reported.
    pub total: Option<u64>,
    /// There are more matches than `total`.
    pub is_capped: bool,
    pub credits_spent: u64,
    /// Rows that could not be decoded.
    pub unreadable: usize,
    /// The cursor of the next page; `None` after the last.
    pub search_after: Option<String>,
    /// In the service's order.
    pub rows: Vec<Record>,
}

/// A search of the book or of a View whose rows are saved on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedSearch {
    pub source: RecordSource,
    pub search: Search,
    /// When its first page was read, by the service's clock.
    pub read_at: DateTime<Utc>,
}

/// What changed in saved rows since they were read: own writes, and newer reads.
#[derive(Clone, Debug, PartialEq)]
pub enum SavedRowsChange {
    /// Values of a record, for the rows that have these fields.
    Update(Uuid, RecordFields),
    /// Records that left the book.
    LeaveBook(RecordKind, Vec<Uuid>),
    /// Records that joined the book, each with its row as far as it is known.
    JoinBook(RecordKind, Vec<(Uuid, Option<Record>)>),
    /// Records that left a View.
    LeaveView(ViewId, Vec<Uuid>),
    /// Records that joined a View, each with its row as far as it is known.
    JoinView(ViewId, Vec<(Uuid, Option<Record>)>),
    /// A View that is gone.
    DeleteView(ViewId),
}
