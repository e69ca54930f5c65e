//! Searches: what is looked for, where, in which order (interface: Data API search, book searches, View-record search).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::ViewId;
use super::book::{Dataset, RecordKind};
use super::filters::Filters;
use super::records::Record;

/// The most rows of one page (Limits: page size).
pub const MAX_SEARCH_PAGE_ROWS: u32 = 100;

/// What is searched for. A row costs a credit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Search {
    /// A text; empty for none. The index takes none.
    pub query: String,
    /// Criteria.
    pub filters: Filters,
    /// Criteria as JSON, instead of [`Search::filters`].
    pub raw_filters: Option<Value>,
    /// The order; the route's own when absent.
    pub sort: Option<SortOrder>,
}

impl Search {
    /// Nothing narrows it: it finds all that there is, in whatever order.
    pub fn is_unfiltered(&self) -> bool {
        self.query.is_empty() && self.filters.is_empty() && self.raw_filters.is_none()
    }

    /// The criteria as the interface's JSON; none when nothing narrows the search.
    pub fn criteria(&self) -> Option<Value> {
        self.raw_filters.clone().or_else(|| (!self.filters.is_empty()).then(|| self.filters.to_json()))
    }
}

/// An order. The direction is always sent: the interface's default is descending even for names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SortOrder {
    /// A sort key of the route.
    pub field: String,
    /// From the least on.
    pub ascending: bool,
}

/// Where rows come from: one route each.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordSource {
    /// The global index.
    Index(Dataset),
    /// The workspace's book.
    Book(RecordKind),
    /// The records of a View.
    View(ViewId, RecordKind),
}

impl RecordSource {
    /// What its rows are.
    pub fn dataset(&self) -> Dataset {
        match self {
            RecordSource::Index(dataset) => dataset.clone(),
            RecordSource::Book(shelf) | RecordSource::View(_, shelf) => shelf.into(),
        }
    }

    /// What its rows are, when they can be saved in a book: signals can not.
    pub fn record_kind(&self) -> Option<RecordKind> {
        match self {
            RecordSource::Index(Dataset::Signals) => None,
            RecordSource::Index(dataset) => Some(dataset.as_str().into()),
            RecordSource::Book(shelf) | RecordSource::View(_, shelf) => Some(shelf.clone()),
        }
    }

    /// The sort keys of its route, the default first, each with its natural direction: ascending or not.
    pub fn sort_keys(&self) -> &'static [(&'static str, bool)] {
        const NAMED_RECORD_SORT_KEYS: &[(&str, bool)] = &[("name", true), ("created_at", false), ("projects_count", false)];
        const PROJECT_SORT_KEYS: &[(&str, bool)] =
            &[("last_signal_at", false), ("name", true), ("created_at", false), ("signals_count", false)];
        match self {
            RecordSource::Book(RecordKind::Accounts) => {
                &[("updated_at", false), ("atlas_score", false), ("name", true), ("created_at", false), ("projects_count", false)]
            }
            RecordSource::Book(RecordKind::Contacts) => {
                &[("updated_at", false), ("name", true), ("created_at", false), ("projects_count", false)]
            }
            RecordSource::Book(RecordKind::Projects) => &[
                ("updated_at", false),
                ("name", true),
                ("created_at", false),
                ("last_signal_at", false),
                ("signals_count", false),
            ],
            RecordSource::Index(Dataset::Projects) | RecordSource::View(_, RecordKind::Projects) => PROJECT_SORT_KEYS,
            RecordSource::Index(Dataset::Signals) => &[("filed_at", false), ("discovered_at", false)],
            RecordSource::Index(Dataset::Accounts | Dataset::Contacts)
            | RecordSource::View(_, RecordKind::Accounts | RecordKind::Contacts) => NAMED_RECORD_SORT_KEYS,
            _ => &[],
        }
    }

    /// Whether a text can be looked for (`query`): not in the index.
    pub fn accepts_query(&self) -> bool {
        !matches!(self, RecordSource::Index(_))
    }
}

/// A page of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchPage {
    /// The rows, in the service's order.
    pub rows: Vec<Record>,
    /// Rows that had no usable id or were no objects.
    pub unreadable: usize,
    /// How many match in all, at most 1,000, where the service says so.
    pub total: Option<u64>,
    /// More match than `total` says.
    pub total_is_capped: bool,
    /// Where the next page begins; none after the last.
    pub search_after: Option<String>,
    /// What the page cost, where the service says so.
    pub credits: Option<u64>,
}
