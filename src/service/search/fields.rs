//! The one table of what can be filtered and sorted: per dataset its keys, where each is valid, what it takes and which column
//! it reads. The grammar, the SQL, fields discovery and `/filters` read this table; nothing lists keys by hand.

use super::{Base, Dataset};
use crate::domain::signals::SignalType;
use crate::service::sample::vocabulary;

/// A key of `filters`.
pub struct Field {
    /// The key.
    pub key: &'static str,
    /// Its name for people.
    pub label: &'static str,
    /// What it takes.
    pub kind: Kind,
    /// Where its value is.
    pub column: Column,
    places: u8,
}

/// In the Data API.
const DATA: u8 = 1;
/// In book searches and View-record searches.
const BOOK: u8 = 2;
const BOTH: u8 = DATA | BOOK;

/// What a key takes.
pub enum Kind {
    /// Text, compared by a rule.
    Text(Rule),
    /// One of these words, as spelled.
    Enum(Words),
    /// The id of a record.
    Uuid,
    /// True or false.
    Boolean,
    /// A range of numbers.
    Number,
    /// A range of days.
    Date,
    /// Criteria that a related record meets, or that none does.
    Relation(Relation),
}

/// How a text is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Fuzzy, unless `exact_match` asks for the same text in any case.
    Fuzzy,
    /// The same text in any case.
    AnyCase,
    /// The same text, exactly as written.
    AsWritten,
}

/// The words of an enum.
#[derive(Clone, Copy)]
pub enum Words {
    /// These.
    List(&'static [&'static str]),
    /// The signal types of the interface.
    SignalTypes,
}

impl Words {
    /// All of them.
    pub fn all(self) -> Vec<&'static str> {
        match self {
            Words::List(words) => words.to_vec(),
            Words::SignalTypes => SignalType::ALL.iter().map(SignalType::as_str).collect(),
        }
    }
}

/// Where a key finds its value.
#[derive(Clone, Copy)]
pub enum Column {
    /// In a column of the record.
    Of(&'static str),
    /// In a list of words in a column of the record.
    ListOf(&'static str),
    /// In a column of the book.
    Book(&'static str),
    /// In the tags of the book.
    Tags,
    /// In a column of the row that relates two records.
    Link(&'static str),
    /// Whether a column of the record has a value.
    Known(&'static str),
    /// In related records.
    Related,
}

/// How records of another dataset belong to a record.
pub struct Relation {
    /// Their dataset.
    pub related: Dataset,
    /// Whether the key asks that there be none.
    pub negated: bool,
    /// The rows by which they belong to it.
    pub link: &'static Link,
    /// The inner keys of the book; the Data API has all of the related dataset.
    book: &'static [&'static str],
}

/// How a related record `$x` belongs to a record `$r`: straight, or by a row `$l` of a table between the two.
pub struct Link {
    /// The dataset of `$x`.
    pub related: Dataset,
    /// The table between the two; empty when there is none.
    pub between: &'static str,
    /// The condition about `$r` and `$l`; empty when there is no table between the two.
    pub near: &'static str,
    /// The condition about `$x` and `$l`, or `$x` and `$r`.
    pub far: &'static str,
    /// The column of `$r` that counts the related records.
    pub count: Option<&'static str>,
}

const FUZZY: Kind = Kind::Text(Rule::Fuzzy);
const ANY_CASE: Kind = Kind::Text(Rule::AnyCase);
const AS_WRITTEN: Kind = Kind::Text(Rule::AsWritten);

const fn words(list: &'static [&'static str]) -> Kind {
    Kind::Enum(Words::List(list))
}

const fn field(key: &'static str, label: &'static str, kind: Kind, column: Column, places: u8) -> Field {
    Field { key, label, kind, column, places }
}

const fn own(key: &'static str, label: &'static str, kind: Kind, places: u8) -> Field {
    field(key, label, kind, Column::Of(key), places)
}

const fn relation(
    key: &'static str,
    label: &'static str,
    link: &'static Link,
    book: &'static [&'static str],
    places: u8,
) -> Field {
    let kind = Kind::Relation(Relation { related: link.related, negated: key.as_bytes()[0] == b'w', link, book });
    field(key, label, kind, Column::Related, places)
}

const STATUS: Field = field("workspace_status", "Workspace status", AS_WRITTEN, Column::Book("workspace_status"), BOOK);
const TAGS: Field = field("tags", "Tags", AS_WRITTEN, Column::Tags, BOOK);
const CITY: Field = own("city", "City", FUZZY, BOTH);
const STATE: Field = own("state", "State", ANY_CASE, BOTH);
const NAME: Field = own("name", "Name", FUZZY, BOTH);

const fn straight(related: Dataset, far: &'static str, count: Option<&'static str>) -> Link {
    Link { related, between: "", near: "", far, count }
}

const fn by_part(related: Dataset, near: &'static str, far: &'static str, count: Option<&'static str>) -> Link {
    Link { related, between: "project_accounts", near, far, count }
}

const fn by_person(related: Dataset, near: &'static str, far: &'static str, count: Option<&'static str>) -> Link {
    Link { related, between: "project_contacts", near, far, count }
}

static FIRM_PROJECTS: Link = by_part(Dataset::Projects, "$l.account_id = $r.id", "$x.id = $l.project_id", Some("projects_count"));
static FIRM_SIGNALS: Link = by_part(Dataset::Signals, "$l.account_id = $r.id", "$x.project_id = $l.project_id", None);
static FIRM_PEOPLE: Link = straight(Dataset::Contacts, "$x.account_id = $r.id", None);
static PERSON_FIRM: Link = straight(Dataset::Accounts, "$x.id = $r.account_id", None);
static PERSON_PROJECTS: Link =
    by_person(Dataset::Projects, "$l.contact_id = $r.id", "$x.id = $l.project_id", Some("projects_count"));
static PROJECT_FIRMS: Link = by_part(Dataset::Accounts, "$l.project_id = $r.id", "$x.id = $l.account_id", None);
static PROJECT_SIGNALS: Link = straight(Dataset::Signals, "$x.project_id = $r.id", Some("signals_count"));
static PROJECT_PEOPLE: Link = by_person(Dataset::Contacts, "$l.project_id = $r.id", "$x.id = $l.contact_id", None);
static SIGNAL_PROJECT: Link = straight(Dataset::Projects, "$x.id = $r.project_id", None);
static SIGNAL_FIRMS: Link = by_part(Dataset::Accounts, "$l.project_id = $r.project_id", "$x.id = $l.account_id", None);

const IN_PROJECT: &[&str] = &["stage", "primary_use", "city", "residential_units"];
const IN_SIGNAL: &[&str] = &["signal_type", "filed_at"];
const IN_CONTACT: &[&str] = &["title", "name"];

static ACCOUNTS: &[Field] = &[
    field("account_type", "Account type", words(vocabulary::ACCOUNT_TYPES), Column::ListOf("account_types"), BOTH),
    CITY,
    STATE,
    NAME,
    field("icp_tier", "ICP tier", words(&["tier_1", "tier_2", "tier_3", "disqualified"]), Column::Book("icp_tier"), BOOK),
    STATUS,
    TAGS,
    field("atlas_score", "Atlas score", Kind::Number, Column::Book("atlas_score"), BOOK),
    relation("has_project", "Has a project", &FIRM_PROJECTS, IN_PROJECT, BOTH),
    relation("without_project", "Has no project", &FIRM_PROJECTS, &[], DATA),
    relation("has_signal", "Has a signal", &FIRM_SIGNALS, IN_SIGNAL, BOTH),
    relation("without_signal", "Has no signal", &FIRM_SIGNALS, &[], DATA),
    relation("has_contact", "Has a contact", &FIRM_PEOPLE, IN_CONTACT, BOTH),
    relation("without_contact", "Has no contact", &FIRM_PEOPLE, &[], DATA),
];

static CONTACTS: &[Field] = &[
    NAME,
    own("title", "Title", FUZZY, BOTH),
    own("email", "E-mail address", FUZZY, DATA),
    own("email", "E-mail address", ANY_CASE, BOOK),
    own("account_id", "Account", Kind::Uuid, BOTH),
    STATUS,
    TAGS,
    relation("at_account", "At an account", &PERSON_FIRM, &["account_type", "name"], BOTH),
    relation("on_project", "On a project", &PERSON_PROJECTS, &["stage", "primary_use", "city"], BOTH),
];

static PROJECTS: &[Field] = &[
    own("stage", "Stage", words(vocabulary::STAGES), BOTH),
    own("primary_use", "Primary use", words(vocabulary::PRIMARY_USES), BOTH),
    CITY,
    STATE,
    NAME,
    own("gc_status", "General contractor", words(vocabulary::GC_STATUSES), BOTH),
    field("stories_known", "Stories known", Kind::Boolean, Column::Known("stories"), DATA),
    own("stories", "Stories", Kind::Number, BOTH),
    own("residential_units", "Residential units", Kind::Number, BOTH),
    own("gross_floor_area_sf", "Gross floor area, sq ft", Kind::Number, BOTH),
    own("cost_of_construction_usd", "Cost of construction, USD", Kind::Number, BOTH),
    own("last_signal_at", "Last signal", Kind::Date, BOTH),
    STATUS,
    TAGS,
    relation("has_account", "Has an account", &PROJECT_FIRMS, &["role", "name", "account_type"], BOTH),
    relation("without_account", "Has no account", &PROJECT_FIRMS, &[], DATA),
    relation("has_signal", "Has a signal", &PROJECT_SIGNALS, IN_SIGNAL, BOTH),
    relation("without_signal", "Has no signal", &PROJECT_SIGNALS, &[], DATA),
    relation("has_contact", "Has a contact", &PROJECT_PEOPLE, IN_CONTACT, BOTH),
    relation("without_contact", "Has no contact", &PROJECT_PEOPLE, &[], DATA),
];

static SIGNALS: &[Field] = &[
    own("signal_type", "Signal type", Kind::Enum(Words::SignalTypes), DATA),
    own("project_id", "Project", Kind::Uuid, DATA),
    own("filed_at", "Filed", Kind::Date, DATA),
    own("discovered_at", "Discovered", Kind::Date, DATA),
    relation("for_project", "For a project", &SIGNAL_PROJECT, &[], DATA),
    relation("for_account", "For an account", &SIGNAL_FIRMS, &[], DATA),
];

/// An account's part in a project: known only between the two.
static ROLE: Field = field("role", "Role", words(vocabulary::ACCOUNT_TYPES), Column::Link("role"), BOTH);

/// All keys of a dataset, wherever they are valid.
fn table(dataset: Dataset) -> &'static [Field] {
    match dataset {
        Dataset::Accounts => ACCOUNTS,
        Dataset::Contacts => CONTACTS,
        Dataset::Projects => PROJECTS,
        Dataset::Signals => SIGNALS,
    }
}

/// The grammars that have keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Filters of the Data API.
    Data,
    /// Filters of book searches and View-record searches.
    Book,
    /// The stored definition of a Dynamic View: all that is known of a record.
    Definition,
}

impl Base<'_> {
    /// The grammar of this base's filters.
    pub fn place(&self) -> Place {
        if matches!(self, Base::Data) { Place::Data } else { Place::Book }
    }
}

/// The keys that are valid in a place.
pub fn fields(dataset: Dataset, place: Place) -> Vec<&'static Field> {
    let all = table(dataset).iter();
    match place {
        Place::Data => all.filter(|field| field.places & DATA != 0).collect(),
        Place::Book => all.filter(|field| field.places & BOOK != 0).collect(),
        Place::Definition => {
            let mut found: Vec<&Field> = all.collect();
            found.dedup_by_key(|field| field.key);
            found
        }
    }
}

impl Field {
    /// The keys within a relational filter; none when the key is none.
    pub fn inner(&self, place: Place) -> Vec<&'static Field> {
        let Kind::Relation(relation) = &self.kind else { return Vec::new() };
        let role = std::ptr::eq(relation.link, &PROJECT_FIRMS);
        let mut inner: Vec<&'static Field> = role.then_some(&ROLE).into_iter().collect();
        let data = table(relation.related).iter().filter(|field| field.places & DATA != 0);
        inner.extend(data.filter(|field| place == Place::Definition || !field.is_relation()));
        if place == Place::Book {
            inner.retain(|field| relation.book.contains(&field.key));
        }
        inner
    }

    /// Whether the key is relational.
    pub fn is_relation(&self) -> bool {
        matches!(self.kind, Kind::Relation(_))
    }
}

impl Field {
    /// Whether an index holds the value, so that all records are read by it in a moment (`reach.sql`).
    pub fn is_indexed(&self, dataset: Dataset) -> bool {
        match self.column {
            Column::Of(name) => name != "name" && dataset != Dataset::Contacts,
            Column::ListOf(_) | Column::Known(_) => true,
            Column::Book(_) | Column::Tags | Column::Link(_) | Column::Related => false,
        }
    }
}

impl std::fmt::Debug for Field {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.key)
    }
}

/// A key that rows can be sorted by.
#[derive(Debug, PartialEq, Eq)]
pub struct SortKey {
    /// The key.
    pub key: &'static str,
    /// The SQL of its value; of `r` and `b`.
    pub sql: &'static str,
    /// Whether the value may be missing; such rows come last in either direction.
    pub nullable: bool,
}

const fn by(key: &'static str, sql: &'static str) -> SortKey {
    SortKey { key, sql, nullable: false }
}

const BY_NAME: SortKey = by("name", "r.name COLLATE NOCASE");
const BY_CREATION: SortKey = by("created_at", "r.created_at");
const BY_PROJECTS: SortKey = by("projects_count", "r.projects_count");
const BY_SIGNALS: SortKey = by("signals_count", "r.signals_count");
const BY_CHANGE: SortKey = by("updated_at", "b.updated_at");
const BY_SCORE: SortKey = SortKey { key: "atlas_score", sql: "b.atlas_score", nullable: true };
const BY_LAST_SIGNAL: SortKey = SortKey { key: "last_signal_at", sql: "r.last_signal_at", nullable: true };

static RECORD_SORTS: &[SortKey] = &[BY_NAME, BY_CREATION, BY_PROJECTS];
static PROJECT_SORTS: &[SortKey] = &[BY_LAST_SIGNAL, BY_NAME, BY_CREATION, BY_SIGNALS];
static SIGNAL_SORTS: &[SortKey] = &[by("filed_at", "r.filed_at"), by("discovered_at", "r.discovered_at")];
static BOOK_ACCOUNT_SORTS: &[SortKey] = &[BY_CHANGE, BY_SCORE, BY_NAME, BY_CREATION, BY_PROJECTS];
static BOOK_CONTACT_SORTS: &[SortKey] = &[BY_CHANGE, BY_NAME, BY_CREATION, BY_PROJECTS];
static BOOK_PROJECT_SORTS: &[SortKey] = &[BY_CHANGE, BY_NAME, BY_CREATION, BY_LAST_SIGNAL, BY_SIGNALS];

/// The sort keys of a search, the default first, and whether the default is descending.
pub fn sorts(dataset: Dataset, base: &Base<'_>) -> (&'static [SortKey], bool) {
    match (base, dataset) {
        (Base::Book, Dataset::Accounts) => (BOOK_ACCOUNT_SORTS, true),
        (Base::Book, Dataset::Contacts) => (BOOK_CONTACT_SORTS, true),
        (Base::Book, Dataset::Projects) => (BOOK_PROJECT_SORTS, true),
        (_, Dataset::Accounts | Dataset::Contacts) => (RECORD_SORTS, false),
        (_, Dataset::Projects) => (PROJECT_SORTS, true),
        (_, Dataset::Signals) => (SIGNAL_SORTS, true),
    }
}
