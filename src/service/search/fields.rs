//! Everything that can be filtered and sorted: for each dataset its keys, where each is valid, what
//! values it takes and which column it reads. The grammar, the evaluator, field discovery and
//! `/filters` read the table `assets/search/keys.toml`; keys are listed nowhere else.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::SearchScope;
use crate::domain::signals::SignalType;
use crate::service::dataset::Dataset;
use crate::service::sample::vocabulary;

/// A key of `filters`.
#[derive(Deserialize)]
pub struct FilterKey {
    pub key: &'static str,
    pub label: &'static str,
    /// What values it takes.
    pub kind: FilterKind,
    /// Where its value is stored.
    #[serde(default)]
    pub column: FilterColumn,
    /// The only grammar of a search in which it is valid, if not in both.
    only: Option<FilterDialect>,
}

/// What values a key takes.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FilterKind {
    /// Text, compared by a rule.
    Text(TextMatch),
    /// One of these words, case-sensitive.
    Enum(EnumValues),
    /// The id of a record.
    Uuid,
    Boolean,
    /// A range of numbers.
    Number,
    /// A range of days.
    Date,
    /// Criteria that a related record must match, or that none may match.
    Relation(Relation),
}

/// How a text is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextMatch {
    /// Fuzzy, unless `exact_match` asks for equality ignoring case.
    Fuzzy,
    /// Equal, ignoring case.
    AnyCase,
    /// Equal, case-sensitive.
    Exact,
}

/// The words of an enum.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EnumValues {
    AccountTypes,
    Tiers,
    Stages,
    PrimaryUses,
    GcStatuses,
    /// The signal types of the interface.
    SignalTypes,
}

impl EnumValues {
    pub fn to_vec(self) -> Vec<&'static str> {
        let words = match self {
            EnumValues::AccountTypes => vocabulary::ACCOUNT_TYPES,
            EnumValues::Tiers => vocabulary::ACCOUNT_TIERS,
            EnumValues::Stages => vocabulary::STAGES,
            EnumValues::PrimaryUses => vocabulary::PRIMARY_USES,
            EnumValues::GcStatuses => vocabulary::GC_STATUSES,
            EnumValues::SignalTypes => {
                return SignalType::ALL.iter().map(SignalType::as_str).collect();
            }
        };
        words.to_vec()
    }
}

/// Where a key's value is stored.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FilterColumn {
    /// In the column of the record with the key's name.
    #[default]
    Record,
    /// In a column of the record that contains a list of words.
    RecordList(&'static str),
    /// In the column of the book with the key's name.
    Book,
    /// In the tags of the book.
    Tags,
    /// The role in the row that relates a project and an account.
    JoinRow,
    /// Whether a column of the record has a value.
    HasValue(&'static str),
    /// In related records.
    Related,
}

/// How records of another dataset belong to a record.
#[derive(Deserialize)]
pub struct Relation {
    pub related: Dataset,
    /// Whether the key requires that there are none.
    #[serde(default)]
    pub negated: bool,
    /// The inner keys in the book; the Data API has all keys of the related dataset.
    #[serde(default)]
    book_keys: Vec<String>,
}

/// All keys of a part of the table, wherever they are valid.
fn all_keys(part: &str) -> &'static [FilterKey] {
    static KEYS: LazyLock<HashMap<String, Vec<FilterKey>>> = LazyLock::new(|| {
        toml::from_str(include_str!("../../../assets/search/keys.toml"))
            .expect("embedded data is valid")
    });
    &KEYS[part]
}

/// The grammars that have filter keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FilterDialect {
    /// Filters of the Data API.
    Data,
    /// Filters of book searches and View-record searches.
    Book,
    /// The stored definition of a Dynamic View: all keys of a record.
    Definition,
}

impl SearchScope<'_> {
    /// The grammar of this scope's filters.
    pub fn grammar(&self) -> FilterDialect {
        if matches!(self, SearchScope::Data) {
            FilterDialect::Data
        } else {
            FilterDialect::Book
        }
    }
}

/// The keys valid in a grammar.
pub fn filter_keys(dataset: Dataset, place: FilterDialect) -> Vec<&'static FilterKey> {
    let all = all_keys(dataset.plural()).iter();
    let mut found: Vec<&FilterKey> = all.filter(|field| field.is_valid_in(place)).collect();
    found.dedup_by_key(|field| field.key);
    found
}

impl FilterKey {
    /// The keys within a relational filter; empty for other keys.
    pub fn inner_keys(&self, place: FilterDialect) -> Vec<&'static FilterKey> {
        let FilterKind::Relation(relation) = &self.kind else {
            return Vec::new();
        };
        let mut inner: Vec<&'static FilterKey> = match self.key {
            "has_account" | "without_account" => all_keys("project_account").iter().collect(),
            _ => Vec::new(),
        };
        let data = filter_keys(relation.related, FilterDialect::Data).into_iter();
        inner.extend(
            data.filter(|field| place == FilterDialect::Definition || !field.is_relation()),
        );
        if place == FilterDialect::Book {
            inner.retain(|field| relation.book_keys.iter().any(|key| key == field.key));
        }
        inner
    }

    fn is_valid_in(&self, place: FilterDialect) -> bool {
        place == FilterDialect::Definition || self.only.is_none_or(|only| only == place)
    }

    pub fn is_relation(&self) -> bool {
        matches!(self.kind, FilterKind::Relation(_))
    }
}

impl std::fmt::Debug for FilterKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.key)
    }
}

/// A key that rows can be sorted by.
#[derive(Debug, PartialEq, Eq)]
pub struct SortKey {
    pub key: &'static str,
    /// The SQL of its value, in terms of `r` and `b`.
    pub sql: &'static str,
    /// Whether the value may be missing; such rows come last in either direction.
    pub nullable: bool,
}

const fn sort_key(key: &'static str, sql: &'static str) -> SortKey {
    SortKey {
        key,
        sql,
        nullable: false,
    }
}

const BY_NAME: SortKey = sort_key("name", "r.name COLLATE NOCASE");
const BY_CREATION: SortKey = sort_key("created_at", "r.created_at");
const BY_PROJECTS: SortKey = sort_key("projects_count", "r.projects_count");
const BY_SIGNALS: SortKey = sort_key("signals_count", "r.signals_count");
const BY_UPDATE: SortKey = sort_key("updated_at", "b.updated_at");
const BY_SCORE: SortKey = SortKey {
    key: "atlas_score",
    sql: "b.atlas_score",
    nullable: true,
};
const BY_LAST_SIGNAL: SortKey = SortKey {
    key: "last_signal_at",
    sql: "r.last_signal_at",
    nullable: true,
};

static RECORD_SORTS: &[SortKey] = &[BY_NAME, BY_CREATION, BY_PROJECTS];
static PROJECT_SORTS: &[SortKey] = &[BY_LAST_SIGNAL, BY_NAME, BY_CREATION, BY_SIGNALS];
static SIGNAL_SORTS: &[SortKey] = &[
    sort_key("filed_at", "r.filed_at"),
    sort_key("discovered_at", "r.discovered_at"),
];
static BOOK_ACCOUNT_SORTS: &[SortKey] = &[BY_UPDATE, BY_SCORE, BY_NAME, BY_CREATION, BY_PROJECTS];
static BOOK_CONTACT_SORTS: &[SortKey] = &[BY_UPDATE, BY_NAME, BY_CREATION, BY_PROJECTS];
static BOOK_PROJECT_SORTS: &[SortKey] =
    &[BY_UPDATE, BY_NAME, BY_CREATION, BY_LAST_SIGNAL, BY_SIGNALS];

/// The sort keys of a search, the default first, and whether the default is descending.
pub fn sort_keys(dataset: Dataset, base: &SearchScope<'_>) -> (&'static [SortKey], bool) {
    match (base, dataset) {
        (SearchScope::Book, Dataset::Accounts) => (BOOK_ACCOUNT_SORTS, true),
        (SearchScope::Book, Dataset::Contacts) => (BOOK_CONTACT_SORTS, true),
        (SearchScope::Book, Dataset::Projects) => (BOOK_PROJECT_SORTS, true),
        (_, Dataset::Accounts | Dataset::Contacts) => (RECORD_SORTS, false),
        (_, Dataset::Projects) => (PROJECT_SORTS, true),
        (_, Dataset::Signals) => (SIGNAL_SORTS, true),
    }
}
