//! Signals of the index: the feed, and single signals (interface: Workspace: signals).

use chrono::{DateTime, Utc};

use super::projection::{SIGNAL, SIGNAL_WITH_SOURCE};
use super::record_json::{query_records, select_record};
use super::sql::{Result, ToSql, Value as Sql, params_from_iter};
use super::values::{RawJson, id_value, placeholder_list, to_millis};
use super::{Conn, full_text};
use crate::domain::signals::SignalType;
use crate::domain::{AccountId, ProjectId, SignalId};
use crate::service::dataset::Dataset;

/// The tables that the fields of a signal come from.
pub(super) const SIGNALS_FROM: &str =
    "signals r JOIN projects p ON p.id = r.project_id JOIN sources o ON o.id = r.source_id";

/// Maximum number of rows looked up and sorted for a page of the feed.
pub(super) const MAX_ROWS_TO_SORT: usize = 1000;

/// The filter of the feed; empty texts and absent values do not filter.
#[derive(Clone, Debug, Default)]
pub struct FeedQuery {
    /// Only this project.
    pub project: Option<ProjectId>,
    /// Projects associated with this account.
    pub account: Option<AccountId>,
    /// Only this type.
    pub signal_type: Option<SignalType>,
    /// Filed at this moment or later.
    pub filed_after: Option<DateTime<Utc>>,
    /// Filed before this moment.
    pub filed_before: Option<DateTime<Utc>>,
    /// Discovered at this moment or later.
    pub discovered_after: Option<DateTime<Utc>>,
    /// Matches the filing number, the source's address or the project's name.
    pub q: String,
    /// Matches the project's city.
    pub city: String,
}

/// A page of the feed, newest filing first, without signals discovered after `now`.
pub fn list_feed(
    conn: &Conn,
    feed: &FeedQuery,
    limit: i64,
    offset: i64,
    now: DateTime<Utc>,
) -> Result<Vec<RawJson>> {
    let mut wheres = vec!["r.discovered_at <= ?".to_owned()];
    let mut values = vec![Sql::from(to_millis(now))];
    let mut narrow = |sql: &str, value: Option<Sql>| {
        if let Some(value) = value {
            wheres.push(sql.to_owned());
            values.push(value);
        }
    };
    narrow(
        "r.project_id = ?",
        feed.project.map(|project| id_value(project.0)),
    );
    narrow(
        "r.project_id IN (SELECT project_id FROM project_accounts WHERE account_id = ?)",
        feed.account.map(|account| id_value(account.0)),
    );
    narrow(
        "r.signal_type = ?",
        feed.signal_type
            .as_ref()
            .map(|word| Sql::from(word.as_str().to_owned())),
    );
    narrow(
        "r.filed_at >= ?",
        feed.filed_after.map(|at| to_millis(at).into()),
    );
    narrow(
        "r.filed_at < ?",
        feed.filed_before.map(|at| to_millis(at).into()),
    );
    narrow(
        "r.discovered_at >= ?",
        feed.discovered_after.map(|at| to_millis(at).into()),
    );
    if let Some(like) = TextFilter::new(conn, &feed.q)? {
        let (names, filings) = (Sql::from(like.project_names), Sql::from(like.filings));
        let of_names = format!(
            "SELECT s.rowid FROM projects p JOIN signals s ON s.project_id = p.id WHERE p.rowid IN ({})",
            TextFilter::PROJECT_ROWS
        );
        let found = format!(
            "{of_names} UNION SELECT rowid FROM ({}) AS filings",
            TextFilter::SIGNAL_ROWS
        );
        wheres.push(format!(
            "{}r.rowid IN ({found})",
            index_bypass(exceeds_sort_limit(conn, &found, [&names, &filings])?)
        ));
        values.extend([names, filings]);
    }
    if let Some(cities) = matching_cities(conn, &feed.city)? {
        let found = format!(
            "SELECT id FROM projects WHERE city IN ({})",
            placeholder_list(cities.len())
        );
        wheres.push(format!(
            "{}r.project_id IN ({found})",
            index_bypass(exceeds_sort_limit(conn, &found, &cities)?)
        ));
        values.extend(cities.into_iter().map(Sql::from));
    }
    values.push(offset.into());
    // the limit is not a parameter: plans depend on it
    let sql = format!(
        "WITH page AS MATERIALIZED (
           SELECT r.rowid AS nth FROM signals r WHERE {} ORDER BY r.filed_at DESC, r.id DESC LIMIT {limit} OFFSET ?)
         SELECT {} FROM page CROSS JOIN {SIGNALS_FROM} WHERE r.rowid = page.nth ORDER BY r.filed_at DESC, r.id DESC",
        wheres.join(" AND "),
        select_record(conn, SIGNAL.fields())
    );
    query_records(conn, &sql, params_from_iter(values))
}

/// Whether a statement finds so many rows that testing each row in order is faster than looking
/// them up and sorting.
fn exceeds_sort_limit<T: ToSql>(
    conn: &Conn,
    found: &str,
    values: impl Clone + IntoIterator<Item = T>,
) -> Result<bool> {
    let sql = format!("SELECT 1 FROM ({found}) AS found LIMIT 1 OFFSET {MAX_ROWS_TO_SORT}");
    conn.exists(&sql, params_from_iter(values))
}

/// A prefix that keeps SQLite from using an index for a condition.
fn index_bypass(is_common: bool) -> &'static str {
    if is_common { "+" } else { "" }
}

/// One signal with its source's payload.
pub fn get(conn: &Conn, signal: SignalId, now: DateTime<Utc>) -> Result<Option<RawJson>> {
    let record = select_record(conn, SIGNAL_WITH_SOURCE.fields());
    let sql =
        format!("SELECT {record} FROM {SIGNALS_FROM} WHERE r.id = ?1 AND r.discovered_at <= ?2");
    Ok(query_records(conn, &sql, (signal.0, to_millis(now)))?.pop())
}

/// Full-text expressions for a search text, in the feed and in the queue.
pub(super) struct TextFilter {
    /// For the projects' names.
    pub project_names: String,
    /// For the signals' filing numbers and source addresses.
    pub filings: String,
}

impl TextFilter {
    /// The rows of the projects with a matching name.
    pub const PROJECT_ROWS: &str = "SELECT rowid FROM projects_text WHERE projects_text MATCH ?";
    /// The rows of the signals with a matching filing number or source address.
    pub const SIGNAL_ROWS: &str = "SELECT rowid FROM signals_text WHERE signals_text MATCH ?";

    /// Parses a text; `None` if it is empty and filters nothing.
    pub fn new(conn: &Conn, text: &str) -> Result<Option<TextFilter>> {
        if text.trim().is_empty() {
            return Ok(None);
        }
        // a text without words matches nothing: use a word that no text contains
        let anywhere = full_text::fuzzy_expression(conn, &[text.to_owned()])?
            .unwrap_or_else(|| "\" \"".to_owned());
        let (names, filings) = (
            full_text::restrict_to_columns("name", &anywhere),
            full_text::restrict_to_columns("source_filing_id source_url", &anywhere),
        );
        Ok(Some(TextFilter {
            project_names: names,
            filings,
        }))
    }
}

/// The project cities that match a text; `None` if the text is empty and filters nothing.
pub(super) fn matching_cities(conn: &Conn, text: &str) -> Result<Option<Vec<String>>> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    full_text::matching_cities(conn, Dataset::Projects, &[text.to_owned()]).map(Some)
}
