//! Searches: for what, where, in which order (interface: Data API search, book searches,
//! View-record search).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::ViewId;
use super::book::{Dataset, RecordKind};
use super::conditions::Conditions;
use super::field_kind::humanize_key;
use super::records::Record;

/// The largest total that a search reports (Limits: reported total cap).
pub const MAX_REPORTED_TOTAL: u64 = 1_000;
/// Maximum number of rows of a page (Limits: page size).
pub const MAX_SEARCH_PAGE_ROWS: u32 = 100;

/// A search. Each row costs a credit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Search {
    /// Text; may be empty. The index does not accept any.
    pub query: String,
    pub filters: Conditions,
    /// Filters as JSON, instead of [`Search::filters`].
    pub raw_filters: Option<Value>,
    /// The order; by default the route's own.
    pub sort: Option<SortOrder>,
    /// So many rows are read at once, if fewer than a page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

impl Search {
    /// Nothing restricts it: it finds everything.
    pub fn is_unfiltered(&self) -> bool {
        self.query.is_empty() && self.filters.is_empty() && self.raw_filters.is_none()
    }

    /// The filters as the interface's JSON; `None` if there are none.
    pub fn criteria(&self) -> Option<Value> {
        self.raw_filters
            .clone()
            .or_else(|| (!self.filters.is_empty()).then(|| self.filters.to_json()))
    }
}

/// A sort order. The direction is always sent, because the interface's default is descending even
/// for names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SortOrder {
    /// A sort key of the route.
    pub field: String,
    pub ascending: bool,
}

impl SortOrder {
    /// `newest signal first`, `last changed first`.
    pub fn describe(&self) -> String {
        let [first, reversed] = match self.field.as_str() {
            "name" => ["A to Z", "Z to A"],
            "updated_at" => ["least recently changed first", "last changed first"],
            "created_at" => ["oldest first", "newest first"],
            "last_signal_at" => ["oldest signal first", "newest signal first"],
            "filed_at" => ["oldest filing first", "newest filing first"],
            "discovered_at" => ["earliest found first", "last found first"],
            field => {
                let name = humanize_key(field.trim_end_matches("_count"));
                let ends = match field.ends_with("_count") {
                    true => ["fewest", "most"],
                    false => ["lowest", "highest"],
                };
                return format!("{} {name} first", ends[usize::from(!self.ascending)]);
            }
        };
        if self.ascending { first } else { reversed }.to_owned()
    }
}

/// Where rows come from, one route each.
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
    /// The dataset of its rows.
    pub fn dataset(&self) -> Dataset {
        match self {
            RecordSource::Index(dataset) => dataset.clone(),
            RecordSource::Book(kind) | RecordSource::View(_, kind) => kind.into(),
        }
    }

    /// The record kind of its rows; `None` for signals, which cannot be saved in a book.
    pub fn record_kind(&self) -> Option<RecordKind> {
        match self {
            RecordSource::Index(Dataset::Signals) => None,
            RecordSource::Index(dataset) => Some(dataset.as_str().into()),
            RecordSource::Book(kind) | RecordSource::View(_, kind) => Some(kind.clone()),
        }
    }

    /// The sort keys of its route, the default first, each with its natural direction (true for
    /// ascending).
    pub fn sort_keys(&self) -> &'static [(&'static str, bool)] {
        const NAMED_RECORD_SORT_KEYS: &[(&str, bool)] = &[
            ("name", true),
            ("created_at", false),
            ("projects_count", false),
        ];
        const PROJECT_SORT_KEYS: &[(&str, bool)] = &[
            ("last_signal_at", false),
            ("name", true),
            ("created_at", false),
            ("signals_count", false),
        ];
        match self {
            RecordSource::Book(RecordKind::Accounts) => &[
                ("updated_at", false),
                ("atlas_score", false),
                ("name", true),
                ("created_at", false),
                ("projects_count", false),
            ],
            RecordSource::Book(RecordKind::Contacts) => &[
                ("updated_at", false),
                ("name", true),
                ("created_at", false),
                ("projects_count", false),
            ],
            RecordSource::Book(RecordKind::Projects) => &[
                ("updated_at", false),
                ("name", true),
                ("created_at", false),
                ("last_signal_at", false),
                ("signals_count", false),
            ],
            RecordSource::Index(Dataset::Projects)
            | RecordSource::View(_, RecordKind::Projects) => PROJECT_SORT_KEYS,
            RecordSource::Index(Dataset::Signals) => {
                &[("filed_at", false), ("discovered_at", false)]
            }
            RecordSource::Index(Dataset::Accounts | Dataset::Contacts)
            | RecordSource::View(_, RecordKind::Accounts | RecordKind::Contacts) => {
                NAMED_RECORD_SORT_KEYS
            }
            _ => &[],
        }
    }

    /// Whether a text (`query`) is accepted: not by the index.
    pub fn accepts_query(&self) -> bool {
        !matches!(self, RecordSource::Index(_))
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchPage {
    /// In the service's order.
    pub rows: Vec<Record>,
    /// Rows without a usable id, or that are not objects.
    pub unreadable: usize,
    /// Number of matches, at most 1,000, where the service reports it.
    pub total: Option<u64>,
    /// There are more matches than `total`.
    pub total_is_capped: bool,
    /// The cursor of the next page; `None` after the last.
    pub search_after: Option<String>,
    /// The cost of the page, where the service reports it.
    pub credits: Option<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_described_in_words() {
        for (field, ascending, words) in [
            ("last_signal_at", false, "newest signal first"),
            ("updated_at", false, "last changed first"),
            ("name", true, "A to Z"),
            ("projects_count", false, "most projects first"),
            ("atlas_score", true, "lowest score first"),
        ] {
            let field = field.to_owned();
            assert_eq!(SortOrder { field, ascending }.describe(), words);
        }
    }
}
