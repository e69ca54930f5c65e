//! Signals of the index: the feed, and single signals (interface: Workspace: signals).

use chrono::{DateTime, Utc};

use super::Conn;
use super::columns::{ColumnCache, RowSet};
use super::projection::{SIGNAL, SIGNAL_WITH_SOURCE};
use super::record_json::{query_records, select_record};
use super::sql::{Result, Value as Sql, params_from_iter};
use super::values::{RawJson, id_value, to_millis};
use crate::domain::fuzzy::QueryText;
use crate::domain::signals::SignalType;
use crate::domain::{AccountId, ProjectId, SignalId};
use crate::service::dataset::Dataset;

/// The tables that the fields of a signal come from.
pub(super) const SIGNALS_FROM: &str =
    "signals r JOIN projects p ON p.id = r.project_id JOIN sources o ON o.id = r.source_id";

/// Maximum number of projects or signals looked up and sorted for a page of the feed or the queue.
const MAX_ROWS_TO_SORT: usize = 1000;
/// What a text of the feed and the queue is compared with, besides the name of the project.
const FILING: &str = "concat_ws(' ', source_filing_id, source_url)";

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
    columns: &ColumnCache,
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
    let TextFilters { text, city } = TextFilters::evaluate(conn, columns, &feed.q, &feed.city)?;
    let in_city = city.map(|projects| TextMatches {
        projects,
        signals: RowSet::default(),
    });
    for matches in [text, in_city].into_iter().flatten() {
        let TextMatches { signals, projects } = &matches;
        if matches.are_many() {
            // one signal after another, until the page is full
            wheres.push("(in_rows(?, r.rowid) OR in_rows(?, (SELECT p.rowid FROM projects p WHERE p.id = r.project_id)))".to_owned());
            values.extend([signals.to_blob(), projects.to_blob()].map(Sql::from));
        } else {
            wheres.push(
                "r.rowid IN (SELECT value FROM json_each(?, '$') UNION ALL SELECT s.rowid FROM json_each(?, '$') k
                   CROSS JOIN projects p CROSS JOIN signals s WHERE p.rowid = k.value AND s.project_id = p.id)"
                    .to_owned(),
            );
            values.extend([signals.to_list(), projects.to_list()].map(Sql::from));
        }
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

/// One signal with its source's payload.
pub fn get(conn: &Conn, signal: SignalId, now: DateTime<Utc>) -> Result<Option<RawJson>> {
    let record = select_record(conn, SIGNAL_WITH_SOURCE.fields());
    let sql =
        format!("SELECT {record} FROM {SIGNALS_FROM} WHERE r.id = ?1 AND r.discovered_at <= ?2");
    Ok(query_records(conn, &sql, (signal.0, to_millis(now)))?.pop())
}

/// What the texts of the feed and the queue leave; `None` for an empty text, which filters nothing.
pub(super) struct TextFilters {
    pub text: Option<TextMatches>,
    /// The projects in a city.
    pub city: Option<RowSet>,
}

/// What a text matches.
pub(super) struct TextMatches {
    /// The projects with a matching name.
    pub projects: RowSet,
    /// The signals with a matching filing number or source address.
    pub signals: RowSet,
}

impl TextFilters {
    /// Reads only the columns that the texts are compared with.
    pub fn evaluate(
        conn: &Conn,
        columns: &ColumnCache,
        text: &str,
        city: &str,
    ) -> Result<TextFilters> {
        let mut found = TextFilters {
            text: None,
            city: None,
        };
        if text.trim().is_empty() && city.trim().is_empty() {
            return Ok(found);
        }
        let mut columns = columns.take_snapshot(conn)?;
        if !text.trim().is_empty() {
            let sought = QueryText::new(text);
            let names = columns.words((Dataset::Projects, "name"))?;
            let filings = columns.words((Dataset::Signals, FILING))?;
            found.text = Some(TextMatches {
                projects: names.rows_matching(&sought),
                signals: filings.rows_matching(&sought),
            });
        }
        if !city.trim().is_empty() {
            let sought = QueryText::new(city);
            let cities = columns.texts((Dataset::Projects, "city"))?;
            found.city = Some(cities.rows_where(|city| sought.matches(city)));
        }
        Ok(found)
    }
}

/// Reads what texts of the feed and the queue are compared with, besides columns of projects.
pub fn load_texts(conn: &Conn, columns: &ColumnCache) -> Result<()> {
    let mut columns = columns.take_snapshot(conn)?;
    columns.words((Dataset::Signals, FILING)).map(drop)
}

impl TextMatches {
    /// Whether testing each signal in order is faster than looking these up and sorting them.
    pub fn are_many(&self) -> bool {
        self.projects.count_rows().max(self.signals.count_rows()) > MAX_ROWS_TO_SORT
    }
}
