//! The table of everything that can be filtered and sorted: for each dataset its keys, where each
//! is valid, what values it takes and which column it reads. The grammar, the evaluator, field
//! discovery and `/filters` read this table; keys are listed nowhere else.

use super::SearchScope;
use crate::domain::signals::SignalType;
use crate::service::dataset::Dataset;
use crate::service::sample::vocabulary;

/// A key of `filters`.
pub struct FilterKey {
    pub key: &'static str,
    pub label: &'static str,
    /// What values it takes.
    pub kind: FilterKind,
    /// Where its value is stored.
    pub column: FilterColumn,
    grammars: u8,
}

/// Valid in the Data API.
const DATA_BIT: u8 = 1;
/// Valid in book searches and View-record searches.
const BOOK_BIT: u8 = 2;
const BOTH_BITS: u8 = DATA_BIT | BOOK_BIT;

/// What values a key takes.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextMatch {
    /// Fuzzy, unless `exact_match` asks for equality ignoring case.
    Fuzzy,
    /// Equal, ignoring case.
    AnyCase,
    /// Equal, case-sensitive.
    Exact,
}

/// The words of an enum.
#[derive(Clone, Copy)]
pub enum EnumValues {
    List(&'static [&'static str]),
    /// The signal types of the interface.
    SignalTypes,
}

impl EnumValues {
    pub fn to_vec(self) -> Vec<&'static str> {
        match self {
            EnumValues::List(words) => words.to_vec(),
            EnumValues::SignalTypes => SignalType::ALL.iter().map(SignalType::as_str).collect(),
        }
    }
}

/// Where a key's value is stored.
#[derive(Clone, Copy)]
pub enum FilterColumn {
    /// In a column of the record.
    Record(&'static str),
    /// In a column of the record that contains a list of words.
    RecordList(&'static str),
    /// In a column of the book.
    Book(&'static str),
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
pub struct Relation {
    pub related: Dataset,
    /// Whether the key requires that there are none.
    pub negated: bool,
    /// The inner keys in the book; the Data API has all keys of the related dataset.
    book_keys: &'static [&'static str],
}

const FUZZY_TEXT: FilterKind = FilterKind::Text(TextMatch::Fuzzy);
const ANY_CASE_TEXT: FilterKind = FilterKind::Text(TextMatch::AnyCase);
const EXACT_TEXT: FilterKind = FilterKind::Text(TextMatch::Exact);

const fn enum_kind(list: &'static [&'static str]) -> FilterKind {
    FilterKind::Enum(EnumValues::List(list))
}

const fn new_key(
    key: &'static str,
    label: &'static str,
    kind: FilterKind,
    column: FilterColumn,
    places: u8,
) -> FilterKey {
    FilterKey {
        key,
        label,
        kind,
        column,
        grammars: places,
    }
}

const fn record_key(
    key: &'static str,
    label: &'static str,
    kind: FilterKind,
    places: u8,
) -> FilterKey {
    new_key(key, label, kind, FilterColumn::Record(key), places)
}

const fn relation_key(
    key: &'static str,
    label: &'static str,
    related: Dataset,
    book: &'static [&'static str],
    places: u8,
) -> FilterKey {
    let kind = FilterKind::Relation(Relation {
        related,
        negated: key.as_bytes()[0] == b'w',
        book_keys: book,
    });
    new_key(key, label, kind, FilterColumn::Related, places)
}

const STATUS_KEY: FilterKey = new_key(
    "workspace_status",
    "Workspace status",
    EXACT_TEXT,
    FilterColumn::Book("workspace_status"),
    BOOK_BIT,
);
const TAGS_KEY: FilterKey = new_key("tags", "Tags", EXACT_TEXT, FilterColumn::Tags, BOOK_BIT);
const CITY_KEY: FilterKey = record_key("city", "City", FUZZY_TEXT, BOTH_BITS);
const STATE_KEY: FilterKey = record_key("state", "State", ANY_CASE_TEXT, BOTH_BITS);
const NAME_KEY: FilterKey = record_key("name", "Name", FUZZY_TEXT, BOTH_BITS);

const PROJECT_INNER_KEYS: &[&str] = &["stage", "primary_use", "city", "residential_units"];
const SIGNAL_INNER_KEYS: &[&str] = &["signal_type", "filed_at"];
const CONTACT_INNER_KEYS: &[&str] = &["title", "name"];

static ACCOUNT_KEYS: &[FilterKey] = &[
    new_key(
        "account_type",
        "Account type",
        enum_kind(vocabulary::ACCOUNT_TYPES),
        FilterColumn::RecordList("account_types"),
        BOTH_BITS,
    ),
    CITY_KEY,
    STATE_KEY,
    NAME_KEY,
    new_key(
        "icp_tier",
        "ICP tier",
        enum_kind(&["tier_1", "tier_2", "tier_3", "disqualified"]),
        FilterColumn::Book("icp_tier"),
        BOOK_BIT,
    ),
    STATUS_KEY,
    TAGS_KEY,
    new_key(
        "atlas_score",
        "Atlas score",
        FilterKind::Number,
        FilterColumn::Book("atlas_score"),
        BOOK_BIT,
    ),
    relation_key(
        "has_project",
        "Has a project",
        Dataset::Projects,
        PROJECT_INNER_KEYS,
        BOTH_BITS,
    ),
    relation_key(
        "without_project",
        "Has no project",
        Dataset::Projects,
        &[],
        DATA_BIT,
    ),
    relation_key(
        "has_signal",
        "Has a signal",
        Dataset::Signals,
        SIGNAL_INNER_KEYS,
        BOTH_BITS,
    ),
    relation_key(
        "without_signal",
        "Has no signal",
        Dataset::Signals,
        &[],
        DATA_BIT,
    ),
    relation_key(
        "has_contact",
        "Has a contact",
        Dataset::Contacts,
        CONTACT_INNER_KEYS,
        BOTH_BITS,
    ),
    relation_key(
        "without_contact",
        "Has no contact",
        Dataset::Contacts,
        &[],
        DATA_BIT,
    ),
];

static CONTACT_KEYS: &[FilterKey] = &[
    NAME_KEY,
    record_key("title", "Title", FUZZY_TEXT, BOTH_BITS),
    record_key("email", "Email address", FUZZY_TEXT, DATA_BIT),
    record_key("email", "Email address", ANY_CASE_TEXT, BOOK_BIT),
    record_key("account_id", "Account", FilterKind::Uuid, BOTH_BITS),
    STATUS_KEY,
    TAGS_KEY,
    relation_key(
        "at_account",
        "At an account",
        Dataset::Accounts,
        &["account_type", "name"],
        BOTH_BITS,
    ),
    relation_key(
        "on_project",
        "On a project",
        Dataset::Projects,
        &["stage", "primary_use", "city"],
        BOTH_BITS,
    ),
];

static PROJECT_KEYS: &[FilterKey] = &[
    record_key("stage", "Stage", enum_kind(vocabulary::STAGES), BOTH_BITS),
    record_key(
        "primary_use",
        "Primary use",
        enum_kind(vocabulary::PRIMARY_USES),
        BOTH_BITS,
    ),
    CITY_KEY,
    STATE_KEY,
    NAME_KEY,
    record_key(
        "gc_status",
        "General contractor",
        enum_kind(vocabulary::GC_STATUSES),
        BOTH_BITS,
    ),
    new_key(
        "stories_known",
        "Stories known",
        FilterKind::Boolean,
        FilterColumn::HasValue("stories"),
        DATA_BIT,
    ),
    record_key("stories", "Stories", FilterKind::Number, BOTH_BITS),
    record_key(
        "residential_units",
        "Residential units",
        FilterKind::Number,
        BOTH_BITS,
    ),
    record_key(
        "gross_floor_area_sf",
        "Gross floor area, sq ft",
        FilterKind::Number,
        BOTH_BITS,
    ),
    record_key(
        "cost_of_construction_usd",
        "Cost of construction, USD",
        FilterKind::Number,
        BOTH_BITS,
    ),
    record_key("last_signal_at", "Last signal", FilterKind::Date, BOTH_BITS),
    STATUS_KEY,
    TAGS_KEY,
    relation_key(
        "has_account",
        "Has an account",
        Dataset::Accounts,
        &["role", "name", "account_type"],
        BOTH_BITS,
    ),
    relation_key(
        "without_account",
        "Has no account",
        Dataset::Accounts,
        &[],
        DATA_BIT,
    ),
    relation_key(
        "has_signal",
        "Has a signal",
        Dataset::Signals,
        SIGNAL_INNER_KEYS,
        BOTH_BITS,
    ),
    relation_key(
        "without_signal",
        "Has no signal",
        Dataset::Signals,
        &[],
        DATA_BIT,
    ),
    relation_key(
        "has_contact",
        "Has a contact",
        Dataset::Contacts,
        CONTACT_INNER_KEYS,
        BOTH_BITS,
    ),
    relation_key(
        "without_contact",
        "Has no contact",
        Dataset::Contacts,
        &[],
        DATA_BIT,
    ),
];

static SIGNAL_KEYS: &[FilterKey] = &[
    record_key(
        "signal_type",
        "Signal type",
        FilterKind::Enum(EnumValues::SignalTypes),
        DATA_BIT,
    ),
    record_key("project_id", "Project", FilterKind::Uuid, DATA_BIT),
    record_key("filed_at", "Filed", FilterKind::Date, DATA_BIT),
    record_key("discovered_at", "Discovered", FilterKind::Date, DATA_BIT),
    relation_key(
        "for_project",
        "For a project",
        Dataset::Projects,
        &[],
        DATA_BIT,
    ),
    relation_key(
        "for_account",
        "For an account",
        Dataset::Accounts,
        &[],
        DATA_BIT,
    ),
];

/// An account's role in a project, which belongs to the relation of the two.
static ROLE_KEY: FilterKey = new_key(
    "role",
    "Role",
    enum_kind(vocabulary::ACCOUNT_TYPES),
    FilterColumn::JoinRow,
    BOTH_BITS,
);

/// All keys of a dataset, wherever they are valid.
fn all_keys(dataset: Dataset) -> &'static [FilterKey] {
    match dataset {
        Dataset::Accounts => ACCOUNT_KEYS,
        Dataset::Contacts => CONTACT_KEYS,
        Dataset::Projects => PROJECT_KEYS,
        Dataset::Signals => SIGNAL_KEYS,
    }
}

/// The grammars that have filter keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    let all = all_keys(dataset).iter();
    match place {
        FilterDialect::Data => all.filter(|field| field.grammars & DATA_BIT != 0).collect(),
        FilterDialect::Book => all.filter(|field| field.grammars & BOOK_BIT != 0).collect(),
        FilterDialect::Definition => {
            let mut found: Vec<&FilterKey> = all.collect();
            found.dedup_by_key(|field| field.key);
            found
        }
    }
}

impl FilterKey {
    /// The keys within a relational filter; empty for other keys.
    pub fn inner_keys(&self, place: FilterDialect) -> Vec<&'static FilterKey> {
        let FilterKind::Relation(relation) = &self.kind else {
            return Vec::new();
        };
        let role = matches!(self.key, "has_account" | "without_account");
        let mut inner: Vec<&'static FilterKey> = role.then_some(&ROLE_KEY).into_iter().collect();
        let data = all_keys(relation.related)
            .iter()
            .filter(|field| field.grammars & DATA_BIT != 0);
        inner.extend(
            data.filter(|field| place == FilterDialect::Definition || !field.is_relation()),
        );
        if place == FilterDialect::Book {
            inner.retain(|field| relation.book_keys.contains(&field.key));
        }
        inner
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
