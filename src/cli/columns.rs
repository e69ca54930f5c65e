//! The tables of the command line: which columns each has, in which order. CSV has all of them, by
//! field name; a table only those that are not hidden.

use serde_json::value::RawValue;

use crate::domain::aliased_fields::names_match;
use crate::domain::book::{Dataset, RecordKind};
pub(super) use crate::domain::column::{Column, column, text_column};
pub(super) use crate::domain::field_kind::FieldKind;
pub(super) use crate::domain::shared_columns::*;
use crate::domain::{members, skills, views};
use crate::export::json::RawFields;

impl Column {
    /// Finds the column's value in a row.
    pub(super) fn value_in<'f>(&self, fields: &'f RawFields) -> Option<&'f RawValue> {
        let is_there = |value: &&RawValue| value.get() != "null";
        let exact = || {
            [&self.key]
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
            fields.get(self.key)
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
}

/// A field that only CSV shows.
pub(super) const fn hidden(key: &'static str) -> Column {
    text_column(key, "").hidden()
}

/// The columns of several tables, one after the other.
pub(super) const fn join_columns<const COUNT: usize>(tables: &[&[Column]]) -> [Column; COUNT] {
    let mut joined = [ID; COUNT];
    let (mut table, mut at) = (0, 0);
    while table < tables.len() {
        let (_, rest) = joined.split_at_mut(at);
        let (place, _) = rest.split_at_mut(tables[table].len());
        place.copy_from_slice(tables[table]);
        at += tables[table].len();
        table += 1;
    }
    assert!(at == COUNT);
    joined
}

/// What a signal has in the queue and elsewhere, after its id.
const SIGNAL_COLUMNS: &[Column] = &[
    SIGNAL_TYPE.with_link("source_url"),
    FILED_AT,
    REPORTED_COST,
    PROJECT,
    PROJECT_ADDRESS,
    hidden("project_id"),
    hidden("discovered_at"),
    hidden("reported_gross_floor_area_sf"),
    hidden("source_slug"),
    hidden("source_display_name"),
    hidden("source_filing_id"),
    hidden("source_url"),
];

pub(super) const SIGNAL_LIST_COLUMNS: &[Column] = &join_columns::<13>(&[&[ID], SIGNAL_COLUMNS]);

pub(super) const QUEUE_COLUMNS: &[Column] = &join_columns::<17>(&[
    &[ID, text_column("triage_status", "STATUS"), PRIORITY],
    SIGNAL_COLUMNS,
    &[hidden("triaged_by"), hidden("triaged_at")],
]);

pub(super) const CACHE_COLUMNS: &[Column] = &[
    text_column("kind", "KIND"),
    column("lists", "LISTS", FieldKind::Number),
    ROWS,
    column("bytes", "BYTES", FieldKind::Number),
    column("oldest", "OLDEST", FieldKind::Time),
    column("newest", "NEWEST", FieldKind::Time),
    column("credits", "CREDITS", FieldKind::Number),
];

pub(super) const STATS_COLUMNS: &[Column] = &[
    column("new_count", "NEW", FieldKind::Number),
    column(
        "high_priority_new_count",
        "HIGH PRIORITY",
        FieldKind::Number,
    ),
    column("done_count", "DONE", FieldKind::Number),
    hidden("type_counts"),
];

pub(super) const TYPE_COUNT_COLUMNS: &[Column] =
    &[SIGNAL_TYPE, column("new_count", "NEW", FieldKind::Number)];

const DATA_ACCOUNT_COLUMNS: &[Column] = &[
    ID,
    NAME.with_link("website"),
    ACCOUNT_TYPES,
    CITY,
    STATE,
    PROJECTS,
    hidden("domains"),
    hidden("website"),
    hidden("public_phone"),
    hidden("public_email"),
    hidden("contacts_count"),
    hidden("created_at"),
];

const DATA_CONTACT_COLUMNS: &[Column] = &[
    ID,
    NAME,
    TITLE,
    EMAIL,
    PHONE,
    hidden("account_id"),
    hidden("projects_count"),
    hidden("created_at"),
];

const DATA_PROJECT_COLUMNS: &[Column] = &[
    ID,
    NAME,
    CITY,
    STATE,
    STAGE,
    PRIMARY_USE,
    STORIES,
    COST,
    LAST_SIGNAL_AT,
    hidden("primary_address"),
    hidden("residential_units"),
    hidden("gross_floor_area_sf"),
    hidden("gc_status"),
    hidden("accounts_count"),
    hidden("contacts_count"),
    hidden("signals_count"),
    hidden("created_at"),
];

const BOOK_ACCOUNT_COLUMNS: &[Column] = &[
    ID,
    NAME.with_link("website"),
    ACCOUNT_TYPES,
    TIER,
    SCORE,
    STATUS,
    TAGS,
    hidden("atlas_trend"),
    hidden("domains"),
    hidden("website"),
    hidden("notes"),
];

const BOOK_CONTACT_COLUMNS: &[Column] = &[
    ID,
    NAME,
    TITLE,
    STATUS,
    TAGS,
    hidden("account_id"),
    hidden("notes"),
];

const BOOK_PROJECT_COLUMNS: &[Column] = &[
    ID,
    NAME,
    CITY,
    STAGE,
    LAST_SIGNAL_AT,
    STATUS,
    TAGS,
    hidden("state"),
    hidden("primary_use"),
    hidden("residential_units"),
    hidden("notes"),
];

/// The columns of a dataset of the index.
pub(super) fn dataset_columns(dataset: &Dataset) -> &'static [Column] {
    match dataset {
        Dataset::Accounts => DATA_ACCOUNT_COLUMNS,
        Dataset::Contacts => DATA_CONTACT_COLUMNS,
        Dataset::Signals => SIGNAL_LIST_COLUMNS,
        Dataset::Projects | Dataset::Other(_) => DATA_PROJECT_COLUMNS,
    }
}

/// The columns of a record kind of the book.
pub(super) fn book_columns(kind: &RecordKind) -> &'static [Column] {
    match kind {
        RecordKind::Accounts => BOOK_ACCOUNT_COLUMNS,
        RecordKind::Contacts => BOOK_CONTACT_COLUMNS,
        RecordKind::Projects | RecordKind::Other(_) => BOOK_PROJECT_COLUMNS,
    }
}

pub(super) const VIEW_COLUMNS: &[Column] = &[
    ID.with_aliases(views::names::ID),
    text_column("dataset", "DATASET").with_aliases(views::names::DATASET),
    VIEW_TYPE.with_aliases(views::names::KIND),
    column("records_count", "RECORDS", FieldKind::Number).with_aliases(views::names::COUNT),
    NAME.with_aliases(views::names::NAME),
    hidden("description").with_aliases(views::names::DESCRIPTION),
    hidden("definition"),
    hidden("sort"),
    hidden("created_by"),
    hidden("created_at"),
    hidden("updated_at"),
];

/// Records of any dataset, with their annotations.
pub(super) const VIEW_RECORD_COLUMNS: &[Column] = &[
    ID,
    NAME,
    STATUS,
    TAGS,
    UPDATED_AT,
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

pub(super) const FAVORITE_COLUMNS: &[Column] = &[
    column("view_id", "VIEW", FieldKind::Id).with_aliases(&["view", "id"]),
    column("position", "POSITION", FieldKind::Number),
    text_column("view", "NAME"),
    hidden("created_at"),
];

/// Subscriptions as the workspace routes return them, with ids.
pub(super) const SUBSCRIPTION_COLUMNS_WITH_IDS: &[Column] = &[
    ID,
    SIGNAL_TYPE,
    PRIORITY,
    column("new_count", "NEW", FieldKind::Number),
    text_column("channels", "CHANNELS"),
    text_column("notify_all_members", "ALL MEMBERS"),
    hidden("recipient_user_ids"),
    hidden("created_at"),
    hidden("updated_at"),
];

/// Subscriptions as the other routes return them, without ids.
pub(super) const SUBSCRIPTION_COLUMNS: &[Column] = SUBSCRIPTION_COLUMNS_WITH_IDS.split_at(1).1;

pub(super) const MEMBER_LIST_COLUMNS: &[Column] = &[
    ID,
    ROLE,
    EMAIL,
    text_column("display_name", "NAME"),
    column("joined_at", "JOINED", FieldKind::Date),
    hidden("first_name"),
    hidden("avatar_object_key"),
    hidden("last_active_at"),
];

pub(super) const INVITATION_LIST_COLUMNS: &[Column] = &[
    ID,
    INVITATION_STATUS.with_aliases(members::INVITATION_STATUS_FIELDS),
    ROLE,
    EMAIL,
    column("expires_at", "EXPIRES", FieldKind::Date),
    hidden("invited_by"),
    hidden("created_at"),
    hidden("accepted_at"),
    hidden("revoked_at"),
    hidden("join_code"),
];

pub(super) const SKILL_COLUMNS: &[Column] = &[
    ID.with_aliases(skills::names::ID),
    SKILL_SOURCE.with_aliases(skills::names::SOURCE),
    text_column("lifecycle", "LIFECYCLE").with_aliases(skills::names::LIFECYCLE),
    text_column("audience", "AUDIENCE").with_aliases(skills::names::AUDIENCE),
    text_column("installed", "INSTALLED").with_aliases(skills::names::INSTALLED),
    NAME.with_aliases(skills::names::NAME),
    hidden("slug").with_aliases(skills::names::SLUG),
    hidden("description").with_aliases(skills::names::DESCRIPTION),
    hidden("revision").with_aliases(skills::names::REVISION),
    hidden("created_by"),
    hidden("created_at"),
    hidden("updated_at"),
    hidden("published_at"),
];

pub(super) const FILE_COLUMNS: &[Column] = &[hidden("path"), hidden("content")];

pub(super) const REVISION_COLUMNS: &[Column] = &[
    column("revision", "REVISION", FieldKind::Number),
    text_column("created_at", "CREATED"),
    text_column("created_by", "BY"),
];

pub(super) const RECEIPT_COLUMNS: &[Column] = &[
    column("skill_id", "SKILL", FieldKind::Id),
    text_column("slug", "SLUG"),
    column("revision", "REVISION", FieldKind::Number),
    text_column("lifecycle", "LIFECYCLE"),
    text_column("updated_at", "UPDATED"),
];

pub(super) const WORKSPACE_COLUMNS: &[Column] = &[
    ID,
    NAME,
    text_column("plan", "PLAN"),
    hidden("created_at"),
    hidden("caller"),
    hidden("counts"),
];

pub(super) const CREDITS_COLUMNS: &[Column] = &[
    column("limit", "LIMIT", FieldKind::Number),
    column("used", "USED", FieldKind::Number),
    column("remaining", "REMAINING", FieldKind::Number),
    hidden("window_hours"),
    hidden("window_started_at"),
    hidden("next_release_at"),
];

pub(super) const LEDGER_COLUMNS: &[Column] = &[
    text_column("at", "WHEN"),
    CREDITS,
    ROWS,
    ROUTE,
    REASON,
    hidden("settled"),
    hidden("op"),
    hidden("workspace_id"),
];

pub(super) const LOG_COLUMNS: &[Column] = &[
    text_column("at", "WHEN"),
    text_column("progress", "RESULT"),
    column("records", "RECORDS", FieldKind::Number),
    column("changed", "CHANGED", FieldKind::Number),
    column("rejected", "REJECTED", FieldKind::Number),
    text_column("reason", "BY"),
    text_column("about", "ABOUT"),
    ROUTE,
    text_column("why", "REASON"),
    hidden("id"),
    hidden("op"),
];

/// The log as a table.
pub(super) const LOG_TABLE_COLUMNS: &[Column] = &[
    column("at", "WHEN", FieldKind::Time),
    text_column("outcome", "RESULT"),
    text_column("what", "WHAT"),
    text_column("why", "REASON"),
    hidden("progress"),
    hidden("records"),
    hidden("changed"),
    hidden("rejected"),
    hidden("reason"),
    hidden("about"),
    hidden("route"),
    hidden("id"),
    hidden("op"),
];

pub(super) const RECONCILIATION_COLUMNS: &[Column] = &[
    column("used", "USED", FieldKind::Number),
    column("booked", "BOOKED", FieldKind::Number),
    column("drift", "DRIFT", FieldKind::Number),
    column("unknown", "UNKNOWN", FieldKind::Number),
    hidden("since"),
];

pub(super) const BUDGET_COLUMNS: &[Column] = &[
    column("soft_session", "SOFT SESSION", FieldKind::Number),
    column("soft_day", "SOFT DAY", FieldKind::Number),
    column("hard_session", "HARD SESSION", FieldKind::Number),
    column("hard_day", "HARD DAY", FieldKind::Number),
];

pub(super) const PROFILE_COLUMNS: &[Column] = &[
    NAME,
    text_column("default", "DEFAULT"),
    text_column("base_url", "ADDRESS"),
    text_column("workspace", "WORKSPACE"),
    text_column("read_only", "READ ONLY"),
    hidden("token"),
    hidden("certificate"),
];

pub(super) const PATH_COLUMNS: &[Column] =
    &[text_column("what", "WHAT"), text_column("path", "PATH")];

pub(super) const CHECK_COLUMNS: &[Column] = &[
    text_column("check", "CHECK"),
    text_column("ok", "OK"),
    text_column("what", "DETAILS"),
];

pub(super) const UNSENT_REQUEST_COLUMNS: &[Column] = &[
    text_column("request", "REQUEST"),
    text_column("body", "BODY"),
];

pub(super) const OUTCOME_COLUMNS: &[Column] =
    &[ID, text_column("status", "STATUS"), hidden("error")];
