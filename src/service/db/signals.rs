//! Signals of the index: the feed, and one of them (interface: Workspace: signals).

use chrono::{DateTime, Utc};
use rusqlite::params_from_iter;
use rusqlite::types::Value as Sql;

use super::values::{Json, id, json_rows, millis, one};
use super::{Conn, Error};
use crate::domain::signals::SignalType;
use crate::domain::{AccountId, ProjectId, SignalId};
use crate::service::search::like;
use crate::service::search::rows::{SIGNAL, SIGNAL_WITH_SOURCE};

/// Where the fields of a signal come from.
pub(super) const FROM: &str = "signals r JOIN projects p ON p.id = r.project_id JOIN sources o ON o.id = r.source_id";

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
    let mut wheres = vec!["r.discovered_at <= ?".to_owned()];
    let mut values = vec![Sql::from(millis(now))];
    let mut narrow = |sql: &str, value: Option<Sql>| {
        if let Some(value) = value {
            wheres.push(sql.to_owned());
            values.push(value);
        }
    };
    narrow("r.project_id = ?", feed.project.map(|project| id(project.0)));
    narrow(
        "r.project_id IN (SELECT project_id FROM project_accounts WHERE account_id = ?)",
        feed.account.map(|account| id(account.0)),
    );
    narrow("r.signal_type = ?", feed.signal_type.as_ref().map(|word| Sql::from(word.as_str().to_owned())));
    narrow("r.filed_at >= ?", feed.filed_after.map(|at| millis(at).into()));
    narrow("r.filed_at < ?", feed.filed_before.map(|at| millis(at).into()));
    narrow("r.discovered_at >= ?", feed.discovered_after.map(|at| millis(at).into()));
    by_text(conn, "r.id", &feed.q, &feed.city, &mut wheres, &mut values)?;
    values.extend([limit.into(), offset.into()]);
    let sql = format!(
        "SELECT json_object({}) FROM {FROM} WHERE {} ORDER BY r.filed_at DESC, r.id DESC LIMIT ? OFFSET ?",
        SIGNAL.fields(),
        wheres.join(" AND ")
    );
    json_rows(conn, &sql, params_from_iter(values))
}

/// One signal with its source's payload.
///
/// # Errors
/// When the database refuses.
pub fn get(conn: &Conn, signal: SignalId, now: DateTime<Utc>) -> Result<Option<Json>, Error> {
    let fields = SIGNAL_WITH_SOURCE.fields();
    let sql = format!("SELECT json_object({fields}) FROM {FROM} WHERE r.id = ?1 AND r.discovered_at <= ?2");
    one(conn, &sql, (signal.0, millis(now)))
}

/// Narrows a statement to signals whose filing number, source address or project name is like `q`, and whose project's city is like
/// `city`; an empty text does not narrow. `column` holds the signal's id.
pub(super) fn by_text(
    conn: &Conn,
    column: &str,
    q: &str,
    city: &str,
    wheres: &mut Vec<String>,
    values: &mut Vec<Sql>,
) -> Result<(), Error> {
    const OF_PROJECTS: &str = "SELECT s.id FROM projects_text t CROSS JOIN projects p ON p.rowid = t.rowid
        JOIN signals s ON s.project_id = p.id WHERE projects_text MATCH ?";
    const OF_SIGNALS: &str =
        "SELECT s.id FROM signals_text t CROSS JOIN signals s ON s.rowid = t.rowid WHERE signals_text MATCH ?";
    let mut narrow = |text: &str, found: &[(&str, &str)]| -> Result<(), Error> {
        if text.is_empty() {
            return Ok(());
        }
        let mut selects = Vec::new();
        for (columns, select) in found {
            if let Some(expression) = like(conn, columns, &[text.to_owned()])? {
                selects.push(*select);
                values.push(expression.into());
            }
        }
        wheres.push(if selects.is_empty() { "0".to_owned() } else { format!("{column} IN ({})", selects.join(" UNION ")) });
        Ok(())
    };
    narrow(q.trim(), &[("name", OF_PROJECTS), ("source_filing_id source_url", OF_SIGNALS)])?;
    narrow(city.trim(), &[("city", OF_PROJECTS)])
}
