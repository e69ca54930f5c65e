//! The columns of each kind of row: the interface's field, the table heading and the cell format.

use serde_json::value::RawValue;

use crate::domain::aliased_fields::names_match;
use crate::domain::book::{Dataset, RecordKind};
use crate::domain::{members, skills, views};
use crate::export::json::RawFields;

/// A column. CSV has all of them, by field name; a table only those with a heading.
#[derive(Clone, Copy, Debug)]
pub(super) struct OutputColumn {
    pub(super) field: &'static str,
    pub(super) title: &'static str,
    pub(super) kind: CellKind,
    /// Other possible names of the field, where the interface does not specify one.
    aliases: &'static [&'static str],
    /// The field with the web page that a cell of a table links to.
    link_field: Option<&'static str>,
}

impl OutputColumn {
    /// Finds the column's value in a row.
    pub(super) fn value_in<'f>(&self, fields: &'f RawFields) -> Option<&'f RawValue> {
        let is_there = |value: &&RawValue| value.get() != "null";
        let exact = || {
            [&self.field]
                .into_iter()
                .chain(self.aliases)
                .find_map(|name| fields.get(name).filter(is_there))
        };
        let like = || {
            self.aliases.iter().find_map(|name| {
                fields
                    .iter()
                    .find(|(sent, _)| names_match(sent, name))
                    .map(|(_, value)| value)
            })
        };
        if self.aliases.is_empty() {
            fields.get(self.field)
        } else {
            exact().or_else(like)
        }
    }

    /// Finds the web page that the column's cell links to: an address that cannot contain anything
    /// but an address.
    pub(super) fn url_in(&self, fields: &RawFields) -> Option<String> {
        let url: String = serde_json::from_str(fields.get(self.link_field?)?.get()).ok()?;
        let is_web = url.starts_with("https://") || url.starts_with("http://");
        (is_web && url.bytes().all(|byte| byte.is_ascii_graphic())).then_some(url)
    }

    const fn with_link(self, field: &'static str) -> OutputColumn {
        OutputColumn {
            link_field: Some(field),
            ..self
        }
    }

    const fn with_aliases(self, others: &'static [&'static str]) -> OutputColumn {
        OutputColumn {
            aliases: others,
            ..self
        }
    }
}

/// How a value is formatted in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CellKind {
    Text,
    /// An identifier: never cut.
    Id,
    /// The date of a timestamp.
    Day,
    /// A timestamp in the user's time zone.
    Time,
    /// US dollars, abbreviated (`$41.2M`).
    Money,
    Number,
}

pub(super) const fn column(
    field: &'static str,
    title: &'static str,
    kind: CellKind,
) -> OutputColumn {
    OutputColumn {
        field,
        title,
        kind,
        aliases: &[],
        link_field: None,
    }
}

/// A field that only CSV shows.
pub(super) const fn hidden(field: &'static str) -> OutputColumn {
    column(field, "", CellKind::Text)
}

pub(super) const QUEUE_COLUMNS: &[OutputColumn] = &[
    column("id", "ID", CellKind::Id),
    column("triage_status", "STATUS", CellKind::Text),
    column("priority", "PRIORITY", CellKind::Text),
    column("signal_type", "TYPE", CellKind::Text).with_link("source_url"),
    column("filed_at", "FILED", CellKind::Day),
    column("reported_cost_usd", "COST", CellKind::Money),
    column("project_name", "PROJECT", CellKind::Text),
    column("project_primary_address", "ADDRESS", CellKind::Text),
    hidden("project_id"),
    hidden("discovered_at"),
    hidden("reported_gross_floor_area_sf"),
    hidden("source_slug"),
    hidden("source_display_name"),
    hidden("source_filing_id"),
    hidden("source_url"),
    hidden("triaged_by"),
    hidden("triaged_at"),
];

pub(super) const CACHE_COLUMNS: &[OutputColumn] = &[
    column("kind", "KIND", CellKind::Text),
    column("lists", "LISTS", CellKind::Number),
    column("rows", "ROWS", CellKind::Number),
    column("bytes", "BYTES", CellKind::Number),
    column("oldest", "OLDEST", CellKind::Time),
    column("newest", "NEWEST", CellKind::Time),
    column("credits", "CREDITS", CellKind::Number),
];

/// The queue's column of a field, for lists that show a part of the same row.
pub(super) const fn queue_column(field: &str) -> OutputColumn {
    let mut n = 0;
    while n < QUEUE_COLUMNS.len() {
        if is_same(QUEUE_COLUMNS[n].field, field) {
            return QUEUE_COLUMNS[n];
        }
        n += 1;
    }
    panic!("the queue has no such column")
}

/// Texts cannot be compared with `==` in constants.
const fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut n = 0;
    while n < one.len() && n < other.len() && one[n] == other[n] {
        n += 1;
    }
    n == one.len() && n == other.len()
}

pub(super) const SIGNAL_LIST_COLUMNS: &[OutputColumn] = &[
    column("id", "ID", CellKind::Id),
    column("signal_type", "TYPE", CellKind::Text).with_link("source_url"),
    column("filed_at", "FILED", CellKind::Day),
    column("reported_cost_usd", "COST", CellKind::Money),
    column("project_name", "PROJECT", CellKind::Text),
    column("project_primary_address", "ADDRESS", CellKind::Text),
    hidden("project_id"),
    hidden("discovered_at"),
    hidden("reported_gross_floor_area_sf"),
    hidden("source_slug"),
    hidden("source_display_name"),
    hidden("source_filing_id"),
    hidden("source_url"),
];

pub(super) const STATS_COLUMNS: &[OutputColumn] = &[
    column("new_count", "NEW", CellKind::Number),
    column("high_priority_new_count", "HIGH PRIORITY", CellKind::Number),
    column("done_count", "DONE", CellKind::Number),
    column("type_counts", "", CellKind::Text),
];

pub(super) const TYPE_COUNT_COLUMNS: &[OutputColumn] = &[
    column("signal_type", "TYPE", CellKind::Text),
    column("new_count", "NEW", CellKind::Number),
];

pub(super) const fn text_column(field: &'static str, title: &'static str) -> OutputColumn {
    column(field, title, CellKind::Text)
}

const ID_COLUMN: OutputColumn = column("id", "ID", CellKind::Id);

const DATA_ACCOUNT_COLUMNS: &[OutputColumn] = &[
    ID_COLUMN,
    text_column("name", "NAME").with_link("website"),
    text_column("account_types", "TYPES"),
    text_column("city", "CITY"),
    text_column("state", "STATE"),
    column("projects_count", "PROJECTS", CellKind::Number),
    hidden("domains"),
    hidden("website"),
    hidden("public_phone"),
    hidden("public_email"),
    hidden("contacts_count"),
    hidden("created_at"),
];

const DATA_CONTACT_COLUMNS: &[OutputColumn] = &[
    ID_COLUMN,
    text_column("name", "NAME"),
    text_column("title", "TITLE"),
    text_column("email", "EMAIL"),
    text_column("phone", "PHONE"),
    hidden("account_id"),
    hidden("projects_count"),
    hidden("created_at"),
];

const DATA_PROJECT_COLUMNS: &[OutputColumn] = &[
    ID_COLUMN,
    text_column("name", "NAME"),
    text_column("city", "CITY"),
    text_column("state", "STATE"),
    text_column("stage", "STAGE"),
    text_column("primary_use", "USE"),
    column("stories", "STORIES", CellKind::Number),
    column("cost_of_construction_usd", "COST", CellKind::Money),
    column("last_signal_at", "LAST SIGNAL", CellKind::Day),
    hidden("primary_address"),
    hidden("residential_units"),
    hidden("gross_floor_area_sf"),
    hidden("gc_status"),
    hidden("accounts_count"),
    hidden("contacts_count"),
    hidden("signals_count"),
    hidden("created_at"),
];

const BOOK_ACCOUNT_COLUMNS: &[OutputColumn] = &[
    ID_COLUMN,
    text_column("name", "NAME").with_link("website"),
    text_column("account_types", "TYPES"),
    text_column("icp_tier", "TIER"),
    column("atlas_score", "SCORE", CellKind::Number),
    text_column("workspace_status", "STATUS"),
    text_column("tags", "TAGS"),
    hidden("atlas_trend"),
    hidden("domains"),
    hidden("website"),
    hidden("notes"),
];

const BOOK_CONTACT_COLUMNS: &[OutputColumn] = &[
    ID_COLUMN,
    text_column("name", "NAME"),
    text_column("title", "TITLE"),
    text_column("workspace_status", "STATUS"),
    text_column("tags", "TAGS"),
    hidden("account_id"),
    hidden("notes"),
];

const BOOK_PROJECT_COLUMNS: &[OutputColumn] = &[
    ID_COLUMN,
    text_column("name", "NAME"),
    text_column("city", "CITY"),
    text_column("stage", "STAGE"),
    column("last_signal_at", "LAST SIGNAL", CellKind::Day),
    text_column("workspace_status", "STATUS"),
    text_column("tags", "TAGS"),
    hidden("state"),
    hidden("primary_use"),
    hidden("residential_units"),
    hidden("notes"),
];

/// The columns of a dataset of the index.
pub(super) fn dataset_columns(dataset: &Dataset) -> &'static [OutputColumn] {
    match dataset {
        Dataset::Accounts => DATA_ACCOUNT_COLUMNS,
        Dataset::Contacts => DATA_CONTACT_COLUMNS,
        Dataset::Signals => SIGNAL_LIST_COLUMNS,
        Dataset::Projects | Dataset::Other(_) => DATA_PROJECT_COLUMNS,
    }
}

/// The columns of a record kind of the book.
pub(super) fn book_columns(kind: &RecordKind) -> &'static [OutputColumn] {
    match kind {
        RecordKind::Accounts => BOOK_ACCOUNT_COLUMNS,
        RecordKind::Contacts => BOOK_CONTACT_COLUMNS,
        RecordKind::Projects | RecordKind::Other(_) => BOOK_PROJECT_COLUMNS,
    }
}

pub(super) const VIEW_COLUMNS: &[OutputColumn] = &[
    ID_COLUMN.with_aliases(views::names::ID),
    text_column("dataset", "DATASET").with_aliases(views::names::DATASET),
    text_column("type", "TYPE").with_aliases(views::names::KIND),
    column("records_count", "RECORDS", CellKind::Number).with_aliases(views::names::COUNT),
    text_column("name", "NAME").with_aliases(views::names::NAME),
    hidden("description").with_aliases(views::names::DESCRIPTION),
    hidden("definition"),
    hidden("sort"),
    hidden("created_by"),
    hidden("created_at"),
    hidden("updated_at"),
];

/// Records of any dataset, with their annotations.
pub(super) const VIEW_RECORD_COLUMNS: &[OutputColumn] = &[
    ID_COLUMN,
    text_column("name", "NAME"),
    text_column("workspace_status", "STATUS"),
    text_column("tags", "TAGS"),
    column("updated_at", "UPDATED", CellKind::Day),
    hidden("account_types"),
    hidden("icp_tier"),
    hidden("atlas_score"),
    hidden("title"),
    hidden("account_id"),
    hidden("city"),
    hidden("state"),
    hidden("stage"),
    hidden("primary_use"),
    hidden("last_signal_at"),
];

pub(super) const FAVORITE_COLUMNS: &[OutputColumn] = &[
    column("view_id", "VIEW", CellKind::Id).with_aliases(&["view", "id"]),
    column("position", "POSITION", CellKind::Number),
    text_column("view", "NAME"),
    hidden("created_at"),
];

/// Subscriptions as the workspace routes return them, with ids.
pub(super) const SUBSCRIPTION_COLUMNS_WITH_IDS: &[OutputColumn] = &[
    ID_COLUMN,
    text_column("signal_type", "TYPE"),
    text_column("priority", "PRIORITY"),
    column("new_count", "NEW", CellKind::Number),
    text_column("channels", "CHANNELS"),
    text_column("notify_all_members", "ALL MEMBERS"),
    hidden("recipient_user_ids"),
    hidden("created_at"),
    hidden("updated_at"),
];

/// Subscriptions as the other routes return them, without ids.
pub(super) const SUBSCRIPTION_COLUMNS: &[OutputColumn] =
    SUBSCRIPTION_COLUMNS_WITH_IDS.split_at(1).1;

pub(super) const MEMBER_LIST_COLUMNS: &[OutputColumn] = &[
    ID_COLUMN,
    text_column("role", "ROLE"),
    text_column("email", "EMAIL"),
    text_column("display_name", "NAME"),
    column("joined_at", "JOINED", CellKind::Day),
    hidden("first_name"),
    hidden("avatar_object_key"),
    hidden("last_active_at"),
];

pub(super) const INVITATION_LIST_COLUMNS: &[OutputColumn] = &[
    ID_COLUMN,
    text_column("status", "STATUS").with_aliases(members::INVITATION_STATUS_FIELDS),
    text_column("role", "ROLE"),
    text_column("email", "EMAIL"),
    column("expires_at", "EXPIRES", CellKind::Day),
    hidden("invited_by"),
    hidden("created_at"),
    hidden("accepted_at"),
    hidden("revoked_at"),
    hidden("join_code"),
];

pub(super) const SKILL_COLUMNS: &[OutputColumn] = &[
    ID_COLUMN.with_aliases(skills::names::ID),
    text_column("source", "SOURCE").with_aliases(skills::names::SOURCE),
    text_column("lifecycle", "LIFECYCLE").with_aliases(skills::names::LIFECYCLE),
    text_column("audience", "AUDIENCE").with_aliases(skills::names::AUDIENCE),
    text_column("installed", "INSTALLED").with_aliases(skills::names::INSTALLED),
    text_column("name", "NAME").with_aliases(skills::names::NAME),
    hidden("slug").with_aliases(skills::names::SLUG),
    hidden("description").with_aliases(skills::names::DESCRIPTION),
    hidden("revision").with_aliases(skills::names::REVISION),
    hidden("created_by"),
    hidden("created_at"),
    hidden("updated_at"),
    hidden("published_at"),
];

pub(super) const FILE_COLUMNS: &[OutputColumn] = &[hidden("path"), hidden("content")];

pub(super) const REVISION_COLUMNS: &[OutputColumn] = &[
    column("revision", "REVISION", CellKind::Number),
    text_column("created_at", "CREATED"),
    text_column("created_by", "BY"),
];

pub(super) const RECEIPT_COLUMNS: &[OutputColumn] = &[
    column("skill_id", "SKILL", CellKind::Id),
    text_column("slug", "SLUG"),
    column("revision", "REVISION", CellKind::Number),
    text_column("lifecycle", "LIFECYCLE"),
    text_column("updated_at", "UPDATED"),
];

pub(super) const WORKSPACE_COLUMNS: &[OutputColumn] = &[
    ID_COLUMN,
    text_column("name", "NAME"),
    text_column("plan", "PLAN"),
    hidden("created_at"),
    hidden("caller"),
    hidden("counts"),
];

pub(super) const CREDITS_COLUMNS: &[OutputColumn] = &[
    column("limit", "LIMIT", CellKind::Number),
    column("used", "USED", CellKind::Number),
    column("remaining", "REMAINING", CellKind::Number),
    hidden("window_hours"),
    hidden("window_started_at"),
    hidden("next_release_at"),
];

pub(super) const LEDGER_COLUMNS: &[OutputColumn] = &[
    text_column("at", "WHEN"),
    column("credits", "CR", CellKind::Number),
    column("rows", "ROWS", CellKind::Number),
    text_column("route", "ROUTE"),
    text_column("reason", "WHY"),
    hidden("settled"),
    hidden("op"),
    hidden("workspace_id"),
];

pub(super) const LOG_COLUMNS: &[OutputColumn] = &[
    text_column("at", "WHEN"),
    text_column("progress", "RESULT"),
    column("records", "RECORDS", CellKind::Number),
    column("changed", "CHANGED", CellKind::Number),
    column("rejected", "REJECTED", CellKind::Number),
    text_column("reason", "BY"),
    text_column("about", "ABOUT"),
    text_column("route", "ROUTE"),
    text_column("why", "REASON"),
    hidden("id"),
    hidden("op"),
];

pub(super) const RECONCILIATION_COLUMNS: &[OutputColumn] = &[
    column("used", "USED", CellKind::Number),
    column("booked", "BOOKED", CellKind::Number),
    column("drift", "DRIFT", CellKind::Number),
    column("unknown", "UNKNOWN", CellKind::Number),
    hidden("since"),
];

pub(super) const BUDGET_COLUMNS: &[OutputColumn] = &[
    column("soft_session", "SOFT SESSION", CellKind::Number),
    column("soft_day", "SOFT DAY", CellKind::Number),
    column("hard_session", "HARD SESSION", CellKind::Number),
    column("hard_day", "HARD DAY", CellKind::Number),
];

pub(super) const PROFILE_COLUMNS: &[OutputColumn] = &[
    text_column("name", "NAME"),
    text_column("default", "DEFAULT"),
    text_column("base_url", "ADDRESS"),
    text_column("workspace", "WORKSPACE"),
    text_column("read_only", "READ ONLY"),
    hidden("token"),
    hidden("certificate"),
];

pub(super) const PATH_COLUMNS: &[OutputColumn] =
    &[text_column("what", "WHAT"), text_column("path", "PATH")];

pub(super) const CHECK_COLUMNS: &[OutputColumn] = &[
    text_column("check", "CHECK"),
    text_column("ok", "OK"),
    text_column("what", "DETAILS"),
];

pub(super) const UNSENT_REQUEST_COLUMNS: &[OutputColumn] = &[
    text_column("request", "REQUEST"),
    text_column("body", "BODY"),
];

pub(super) const OUTCOME_COLUMNS: &[OutputColumn] = &[
    column("id", "ID", CellKind::Id),
    column("status", "STATUS", CellKind::Text),
    column("error", "", CellKind::Text),
];
