//! Signals of the index: the feed, one signal, and the discovery of a new one (interface: Workspace: signals).

use chrono::{DateTime, Utc};
use rusqlite::params_from_iter;
use rusqlite::types::Value as Sql;

use super::records::Signal;
use super::values::{Json, id, json_rows, millis, one};
use super::{Conn, Error, accounts, index_write, projects, queue, similar};
use crate::domain::signals::SignalType;
use crate::domain::{AccountId, ProjectId, SignalId};

/// The fields of a signal, as pairs for `json_object`.
pub(super) const FIELDS: &str = "'id', uuid(s.id), 'project_id', uuid(s.project_id), 'source_id', uuid(s.source_id),
    'project_name', p.name, 'project_primary_address', p.primary_address, 'signal_type', s.signal_type,
    'filed_at', moment(s.filed_at), 'discovered_at', moment(s.discovered_at), 'source_slug', o.slug,
    'source_display_name', o.display_name, 'source_base_url', o.base_url, 'source_logo_domain', o.logo_domain,
    'source_filing_id', s.source_filing_id, 'source_url', s.source_url, 'reported_cost_usd', s.reported_cost_usd,
    'reported_gross_floor_area_sf', s.reported_gross_floor_area_sf";

/// Where they come from.
pub(super) const FROM: &str = "signals s JOIN projects p ON p.id = s.project_id JOIN sources o ON o.id = s.source_id";

/// What the feed can be narrowed by; empty texts and absent values do not narrow.
#[derive(Clone, Debug, Default)]
pub struct Feed {
    /// One project.
    pub project: Option<ProjectId>,
    /// The projects associated with an account.
    pub account: Option<AccountId>,
    /// One type.
    pub signal_type: Option<SignalType>,
    /// Filed at this moment or later.
    pub filed_after: Option<DateTime<Utc>>,
    /// Filed before this moment.
    pub filed_before: Option<DateTime<Utc>>,
    /// Discovered at this moment or later.
    pub discovered_after: Option<DateTime<Utc>>,
    /// Like the filing's number, the source's address or the project's name.
    pub q: String,
    /// Like the project's city.
    pub city: String,
}

/// A page of the feed, newest filing first; what is discovered after `now` is not there yet.
///
/// # Errors
/// When the database refuses.
pub fn feed(conn: &Conn, feed: &Feed, limit: i64, offset: i64, now: DateTime<Utc>) -> Result<Vec<Json>, Error> {
    let mut wheres = vec!["s.discovered_at <= ?".to_owned()];
    let mut values = vec![Sql::from(millis(now))];
    let mut narrow = |sql: &str, value: Option<Sql>| {
        if let Some(value) = value {
            wheres.push(sql.to_owned());
            values.push(value);
        }
    };
    narrow("s.project_id = ?", feed.project.map(|project| id(project.0)));
    narrow(
        "s.project_id IN (SELECT project_id FROM project_accounts WHERE account_id = ?)",
        feed.account.map(|account| id(account.0)),
    );
    narrow("s.signal_type = ?", feed.signal_type.as_ref().map(|word| Sql::from(word.as_str().to_owned())));
    narrow("s.filed_at >= ?", feed.filed_after.map(|at| millis(at).into()));
    narrow("s.filed_at < ?", feed.filed_before.map(|at| millis(at).into()));
    narrow("s.discovered_at >= ?", feed.discovered_after.map(|at| millis(at).into()));
    similar(&feed.city, &["p.city"], &mut wheres, &mut values);
    similar(&feed.q, &["s.source_filing_id", "s.source_url", "p.name"], &mut wheres, &mut values);
    values.extend([limit.into(), offset.into()]);
    let sql = format!(
        "SELECT json_object({FIELDS}) FROM {FROM} WHERE {} ORDER BY s.filed_at DESC, s.id DESC LIMIT ? OFFSET ?",
        wheres.join(" AND ")
    );
    json_rows(conn, &sql, params_from_iter(values))
}

/// One signal with its source's payload.
///
/// # Errors
/// When the database refuses.
pub fn get(conn: &Conn, signal: SignalId, now: DateTime<Utc>) -> Result<Option<Json>, Error> {
    let sql = format!(
        "SELECT json_object({FIELDS}, 'raw_data', json(s.raw_data)) FROM {FROM} WHERE s.id = ?1 AND s.discovered_at <= ?2"
    );
    one(conn, &sql, (signal.0, millis(now)))
}

/// Adds a signal to the index, counts it on its project and puts it into every queue that it belongs to.
///
/// # Errors
/// When its id is taken, its project is not there, or the database refuses.
pub fn discover(conn: &Conn, signal: &Signal, now: DateTime<Utc>) -> Result<(), Error> {
    queue::advance(conn, now)?;
    index_write::Writer::new(conn)?.signal(signal)?;
    queue::admit(conn, signal.id, now)
}

/// A signal as the Data API sends it; its 404 is global.
///
/// # Errors
/// When the database refuses.
pub fn record(conn: &Conn, signal: SignalId) -> Result<Option<Json>, Error> {
    one(conn, &format!("SELECT json_object({FIELDS}) FROM {FROM} WHERE s.id = ?1"), [signal.0])
}

/// The project of a signal.
///
/// # Errors
/// When the database refuses.
pub fn project(conn: &Conn, signal: SignalId) -> Result<Option<Json>, Error> {
    let fields = projects::FIELDS;
    let sql = format!("SELECT json_object({fields}) FROM signals s JOIN projects p ON p.id = s.project_id WHERE s.id = ?1");
    one(conn, &sql, [signal.0])
}

/// The accounts of a signal: those of its project.
///
/// # Errors
/// When the database refuses.
pub fn accounts(conn: &Conn, signal: SignalId) -> Result<Vec<Json>, Error> {
    let fields = accounts::FIELDS;
    let sql = format!(
        "SELECT json_object({fields}) FROM accounts a WHERE a.id IN (SELECT l.account_id FROM signals s
           JOIN project_accounts l ON l.project_id = s.project_id WHERE s.id = ?1) ORDER BY a.name, a.id"
    );
    json_rows(conn, &sql, [signal.0])
}
