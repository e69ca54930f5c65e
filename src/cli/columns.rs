//! The columns of each kind of row: the interface's field, the title in a table, and how a value is written there.

use serde_json::value::RawValue;

use crate::domain::book::{Dataset, RecordKind};
use crate::domain::sent::names_match;
use crate::domain::{members, skills, views};
use crate::export::json::RawFields;

/// A column. CSV has them all, by the field's name; a table those that have a title.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    pub(super) field: &'static str,
    pub(super) title: &'static str,
    pub(super) kind: Kind,
    /// Other names of the field, where the interface does not show its name.
    others: &'static [&'static str],
}

impl Column {
    /// Its value in a row.
    pub(super) fn of<'f>(&self, fields: &'f RawFields) -> Option<&'f RawValue> {
        let is_there = |value: &&RawValue| value.get() != "null";
        let exact = || [&self.field].into_iter().chain(self.others).find_map(|name| fields.get(name).filter(is_there));
        let like = || {
            self.others.iter().find_map(|name| fields.iter().find(|(sent, _)| names_match(sent, name)).map(|(_, value)| value))
        };
        if self.others.is_empty() { fields.get(self.field) } else { exact().or_else(like) }
    }

    /// The same under these names too.
    const fn or(self, others: &'static [&'static str]) -> Column {
        Column { others, ..self }
    }
}

/// How a value is written in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    /// An identifier: never cut.
    Id,
    /// The day of a moment.
    Day,
    /// US dollars, in three digits or so.
    Money,
    Number,
}

const fn column(field: &'static str, title: &'static str, kind: Kind) -> Column {
    Column { field, title, kind, others: &[] }
}

/// A field that a table does not show.
const fn hidden(field: &'static str) -> Column {
    column(field, "", Kind::Text)
}

pub(super) const QUEUE: &[Column] = &[
    column("id", "ID", Kind::Id),
    column("triage_status", "STATUS", Kind::Text),
    column("priority", "PRIORITY", Kind::Text),
    column("signal_type", "TYPE", Kind::Text),
    column("filed_at", "FILED", Kind::Day),
    column("reported_cost_usd", "COST", Kind::Money),
    column("project_name", "PROJECT", Kind::Text),
    column("project_primary_address", "ADDRESS", Kind::Text),
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

pub(super) const SIGNALS: &[Column] = &[
    column("id", "ID", Kind::Id),
    column("signal_type", "TYPE", Kind::Text),
    column("filed_at", "FILED", Kind::Day),
    column("reported_cost_usd", "COST", Kind::Money),
    column("project_name", "PROJECT", Kind::Text),
    column("project_primary_address", "ADDRESS", Kind::Text),
    hidden("project_id"),
    hidden("discovered_at"),
    hidden("reported_gross_floor_area_sf"),
    hidden("source_slug"),
    hidden("source_display_name"),
    hidden("source_filing_id"),
    hidden("source_url"),
];

pub(super) const STATS: &[Column] = &[
    column("new_count", "NEW", Kind::Number),
    column("high_priority_new_count", "HIGH PRIORITY", Kind::Number),
    column("done_count", "DONE", Kind::Number),
    column("type_counts", "", Kind::Text),
];

pub(super) const TYPE_COUNTS: &[Column] = &[column("signal_type", "TYPE", Kind::Text), column("new_count", "NEW", Kind::Number)];

pub(super) const KEYS: &[Column] = &[
    column("place", "WHERE", Kind::Text),
    column("keys", "KEYS", Kind::Text),
    column("title", "COMMAND", Kind::Text),
    column("sentence", "WHAT IT DOES", Kind::Text),
    hidden("id"),
];

/// A column that a table shows as a text.
const fn text_column(field: &'static str, title: &'static str) -> Column {
    column(field, title, Kind::Text)
}

const ID: Column = column("id", "ID", Kind::Id);

const DATA_ACCOUNTS: &[Column] = &[
    ID,
    text_column("name", "NAME"),
    text_column("account_types", "TYPES"),
    text_column("city", "CITY"),
    text_column("state", "STATE"),
    column("projects_count", "PROJECTS", Kind::Number),
    hidden("domains"),
    hidden("website"),
    hidden("public_phone"),
    hidden("public_email"),
    hidden("contacts_count"),
    hidden("created_at"),
];

const DATA_CONTACTS: &[Column] = &[
    ID,
    text_column("name", "NAME"),
    text_column("title", "TITLE"),
    text_column("email", "EMAIL"),
    text_column("phone", "PHONE"),
    hidden("account_id"),
    hidden("projects_count"),
    hidden("created_at"),
];

const DATA_PROJECTS: &[Column] = &[
    ID,
    text_column("name", "NAME"),
    text_column("city", "CITY"),
    text_column("state", "STATE"),
    text_column("stage", "STAGE"),
    text_column("primary_use", "USE"),
    column("stories", "STORIES", Kind::Number),
    column("cost_of_construction_usd", "COST", Kind::Money),
    column("last_signal_at", "LAST SIGNAL", Kind::Day),
    hidden("primary_address"),
    hidden("residential_units"),
    hidden("gross_floor_area_sf"),
    hidden("gc_status"),
    hidden("accounts_count"),
    hidden("contacts_count"),
    hidden("signals_count"),
    hidden("created_at"),
];

const BOOK_ACCOUNTS: &[Column] = &[
    ID,
    text_column("name", "NAME"),
    text_column("account_types", "TYPES"),
    text_column("icp_tier", "TIER"),
    column("atlas_score", "SCORE", Kind::Number),
    text_column("workspace_status", "STATUS"),
    text_column("tags", "TAGS"),
    hidden("atlas_trend"),
    hidden("domains"),
    hidden("website"),
    hidden("notes"),
];

const BOOK_CONTACTS: &[Column] = &[
    ID,
    text_column("name", "NAME"),
    text_column("title", "TITLE"),
    text_column("workspace_status", "STATUS"),
    text_column("tags", "TAGS"),
    hidden("account_id"),
    hidden("notes"),
];

const BOOK_PROJECTS: &[Column] = &[
    ID,
    text_column("name", "NAME"),
    text_column("city", "CITY"),
    text_column("stage", "STAGE"),
    column("last_signal_at", "LAST SIGNAL", Kind::Day),
    text_column("workspace_status", "STATUS"),
    text_column("tags", "TAGS"),
    hidden("state"),
    hidden("primary_use"),
    hidden("residential_units"),
    hidden("notes"),
];

/// What the rows of a dataset show.
pub(super) fn dataset(dataset: &Dataset) -> &'static [Column] {
    match dataset {
        Dataset::Accounts => DATA_ACCOUNTS,
        Dataset::Contacts => DATA_CONTACTS,
        Dataset::Signals => SIGNALS,
        Dataset::Projects | Dataset::Other(_) => DATA_PROJECTS,
    }
}

/// What the rows of a book show.
pub(super) fn shelf(shelf: &RecordKind) -> &'static [Column] {
    match shelf {
        RecordKind::Accounts => BOOK_ACCOUNTS,
        RecordKind::Contacts => BOOK_CONTACTS,
        RecordKind::Projects | RecordKind::Other(_) => BOOK_PROJECTS,
    }
}

pub(super) const FIELDS: &[Column] = &[
    text_column("key", "KEY"),
    text_column("label", "LABEL"),
    text_column("kind", "KIND"),
    text_column("values", "VALUES"),
    hidden("multi"),
    hidden("exact_match"),
    hidden("related"),
    hidden("negated"),
    hidden("fields"),
];

pub(super) const VIEWS: &[Column] = &[
    ID.or(views::names::ID),
    text_column("dataset", "DATASET").or(views::names::DATASET),
    text_column("type", "TYPE").or(views::names::KIND),
    column("records_count", "RECORDS", Kind::Number).or(views::names::COUNT),
    text_column("name", "NAME").or(views::names::NAME),
    hidden("description").or(views::names::DESCRIPTION),
    hidden("definition"),
    hidden("sort"),
    hidden("created_by"),
    hidden("created_at"),
    hidden("updated_at"),
];

/// Rows of any dataset, and what the workspace wrote on them.
pub(super) const VIEW_RECORDS: &[Column] = &[
    ID,
    text_column("name", "NAME"),
    text_column("workspace_status", "STATUS"),
    text_column("tags", "TAGS"),
    column("updated_at", "UPDATED", Kind::Day),
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

pub(super) const FAVORITES: &[Column] = &[
    column("view_id", "VIEW", Kind::Id).or(&["view", "id"]),
    column("position", "POSITION", Kind::Number),
    text_column("view", "WHAT"),
    hidden("created_at"),
];

/// Subscriptions by the routes of the workspace, which tell ids.
pub(super) const IDENTIFIED: &[Column] = &[
    ID,
    text_column("signal_type", "TYPE"),
    text_column("priority", "PRIORITY"),
    column("new_count", "NEW", Kind::Number),
    text_column("channels", "CHANNELS"),
    text_column("notify_all_members", "ALL MEMBERS"),
    hidden("recipient_user_ids"),
    hidden("created_at"),
    hidden("updated_at"),
];

/// The same by the routes that tell none.
pub(super) const SUBSCRIPTIONS: &[Column] = IDENTIFIED.split_at(1).1;

pub(super) const MEMBERS: &[Column] = &[
    ID,
    text_column("role", "ROLE"),
    text_column("email", "EMAIL"),
    text_column("display_name", "NAME"),
    column("joined_at", "JOINED", Kind::Day),
    hidden("first_name"),
    hidden("avatar_object_key"),
    hidden("last_active_at"),
];

pub(super) const INVITATIONS: &[Column] = &[
    ID,
    text_column("status", "STATUS").or(members::INVITATION_STATUS_FIELDS),
    text_column("role", "ROLE"),
    text_column("email", "EMAIL"),
    column("expires_at", "EXPIRES", Kind::Day),
    hidden("invited_by"),
    hidden("created_at"),
    hidden("accepted_at"),
    hidden("revoked_at"),
];

pub(super) const SKILLS: &[Column] = &[
    ID.or(skills::names::ID),
    text_column("source", "SOURCE").or(skills::names::SOURCE),
    text_column("lifecycle", "LIFECYCLE").or(skills::names::LIFECYCLE),
    text_column("audience", "AUDIENCE").or(skills::names::AUDIENCE),
    text_column("installed", "INSTALLED").or(skills::names::INSTALLED),
    text_column("name", "NAME").or(skills::names::NAME),
    hidden("slug").or(skills::names::SLUG),
    hidden("description").or(skills::names::DESCRIPTION),
    hidden("revision").or(skills::names::REVISION),
    hidden("created_by"),
    hidden("created_at"),
    hidden("updated_at"),
    hidden("published_at"),
];

pub(super) const FILE: &[Column] = &[hidden("path"), hidden("content")];

pub(super) const REVISIONS: &[Column] =
    &[column("revision", "REVISION", Kind::Number), text_column("created_at", "MADE"), text_column("created_by", "BY")];

pub(super) const RECEIPTS: &[Column] = &[
    column("skill_id", "SKILL", Kind::Id),
    text_column("slug", "SLUG"),
    column("revision", "REVISION", Kind::Number),
    text_column("lifecycle", "LIFECYCLE"),
    text_column("updated_at", "UPDATED"),
];

pub(super) const WORKSPACE: &[Column] =
    &[ID, text_column("name", "NAME"), text_column("plan", "PLAN"), hidden("created_at"), hidden("caller"), hidden("counts")];

pub(super) const CREDITS: &[Column] = &[
    column("limit", "LIMIT", Kind::Number),
    column("used", "USED", Kind::Number),
    column("remaining", "REMAINING", Kind::Number),
    hidden("window_hours"),
    hidden("window_started_at"),
    hidden("next_release_at"),
];

pub(super) const LEDGER: &[Column] = &[
    text_column("at", "WHEN"),
    column("credits", "CR", Kind::Number),
    column("rows", "ROWS", Kind::Number),
    text_column("route", "ROUTE"),
    text_column("reason", "WHY"),
    hidden("settled"),
    hidden("op"),
    hidden("workspace_id"),
];

pub(super) const LOG: &[Column] = &[
    text_column("at", "WHEN"),
    text_column("progress", "CAME TO"),
    column("records", "RECORDS", Kind::Number),
    column("changed", "CHANGED", Kind::Number),
    column("rejected", "REJECTED", Kind::Number),
    text_column("reason", "BY"),
    text_column("about", "ABOUT"),
    text_column("route", "ROUTE"),
    text_column("why", "BECAUSE"),
    hidden("id"),
    hidden("op"),
];

pub(super) const SETTLEMENT: &[Column] = &[
    column("used", "USED", Kind::Number),
    column("booked", "BOOKED", Kind::Number),
    column("drift", "DRIFT", Kind::Number),
    column("unknown", "UNKNOWN", Kind::Number),
    hidden("since"),
];

pub(super) const BUDGETS: &[Column] = &[
    column("soft_session", "SOFT SESSION", Kind::Number),
    column("soft_day", "SOFT DAY", Kind::Number),
    column("hard_session", "HARD SESSION", Kind::Number),
    column("hard_day", "HARD DAY", Kind::Number),
];

pub(super) const PROFILES: &[Column] = &[
    text_column("name", "NAME"),
    text_column("default", "DEFAULT"),
    text_column("base_url", "ADDRESS"),
    text_column("workspace", "WORKSPACE"),
    hidden("token"),
];

pub(super) const CHECKS: &[Column] = &[text_column("check", "CHECK"), text_column("ok", "OK"), text_column("what", "WHAT")];

pub(super) const UNSENT: &[Column] = &[column("request", "REQUEST", Kind::Text), column("body", "BODY", Kind::Text)];

pub(super) const OUTCOMES: &[Column] =
    &[column("id", "ID", Kind::Id), column("status", "STATUS", Kind::Text), column("error", "", Kind::Text)];
