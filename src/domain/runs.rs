//! Runs: searches of the index that were sent, with the rows that they found. What was paid for once is shown again for nothing.

use chrono::{DateTime, Utc};

use super::records::Record;
use super::search::{RecordSource, Search};

/// A search that was run, or only counted.
#[derive(Clone, Debug, PartialEq)]
pub struct SavedSearchRun {
    /// When it was sent first, on the service's clock.
    pub sent_at: DateTime<Utc>,
    /// Where was searched.
    pub source: RecordSource,
    /// What was looked for.
    pub search: Search,
    /// When its first page was read, on the service's clock; none for one that was only counted.
    pub read_at: Option<DateTime<Utc>>,
    /// How many match, at most 1,000, where that was told.
    pub total: Option<u64>,
    /// More match than `total` says.
    pub is_capped: bool,
    /// Credits that it has cost.
    pub credits_spent: u64,
    /// Rows that came and could not be read.
    pub unreadable: usize,
    /// Where the next page begins; none after the last.
    pub search_after: Option<String>,
    /// Its rows, in the service's order.
    pub rows: Vec<Record>,
}
