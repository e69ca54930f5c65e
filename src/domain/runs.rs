//! Runs: searches of the index with their rows, saved so that rows once paid for are shown again for free.

use chrono::{DateTime, Utc};

use super::records::Record;
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
