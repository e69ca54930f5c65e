//! What this machine keeps of what it has read, by kind.

use chrono::{DateTime, Utc};
use serde::Serialize;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CacheKind {
    BookLists,
    ViewLists,
    /// Searches of the index.
    Searches,
    /// Single records with everything around them.
    Records,
    /// What signals are about.
    Descriptions,
}

impl CacheKind {
    pub const ALL: [CacheKind; 5] = [
        CacheKind::BookLists,
        CacheKind::ViewLists,
        CacheKind::Searches,
        CacheKind::Records,
        CacheKind::Descriptions,
    ];

    pub fn is_list(self) -> bool {
        matches!(
            self,
            CacheKind::BookLists | CacheKind::ViewLists | CacheKind::Searches
        )
    }
}

/// How much is kept of a kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CacheUsage {
    pub kind: CacheKind,
    /// The number of lists; `None` for a kind that has none.
    pub lists: Option<u64>,
    pub rows: u64,
    pub bytes: u64,
    pub oldest: Option<DateTime<Utc>>,
    pub newest: Option<DateTime<Utc>>,
    /// What reading it cost, as far as known.
    pub credits: Option<u64>,
}
