//! The queue of each workspace (interface: Queue rule) and its triage.
//!
//! A signal is in a workspace's queue if its type is subscribed, it was discovered after the
//! subscription's watermark and not after now, and it was filed within 90 days. The table `queue`
//! contains exactly these signals as of the moment stored as `queue_as_of`, in the order of the
//! list. Time changes the queue: see [`super::advance`]. Triggers maintain the counts, so that
//! stats and unfiltered totals never read the queue itself.

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use super::columns::ColumnCache;
use super::projection::SIGNAL;
use super::record_json::{query_records, select_record};
use super::signals::{SIGNALS_FROM, TextFilters, TextMatches};
use super::sql::{Result, Value as Sql, params, params_from_iter};
use super::subscriptions::{PRIORITIES, priority_name, priority_rank};
use super::values::{RawJson, from_millis, id_value, json_ids, to_millis};
use super::{Conn, remembered};
use crate::domain::queue::{
    QUEUE_HISTORY_DAYS, QueueFilter, QueueStats, SignalTypeCount, TriageStatus,
};
use crate::domain::{SignalId, WorkspaceId};

/// How far the clocks of two instances of a service may be apart.
pub(super) const MAX_CLOCK_DIFFERENCE: TimeDelta = TimeDelta::seconds(10);

/// Where the moment of the last `advance` is remembered.
const AS_OF: &str = "queue_as_of";
/// Inserts the signals that belong into the queue at `?1` with the history since `?2`: to be
/// restricted by workspace, type or signal.
const INSERT_DUE_SIGNALS: &str =
    "INSERT INTO queue (workspace_id, status, priority, filed_at, signal_id, signal_type, project, signal)
    SELECT n.workspace_id, EXISTS (SELECT 1 FROM triage t WHERE t.workspace_id = n.workspace_id AND t.signal_id = s.id),
      n.priority, s.filed_at, s.id, s.signal_type, p.rowid, s.rowid
    FROM subscriptions n JOIN signals s ON s.signal_type = n.signal_type JOIN projects p ON p.id = s.project_id
    WHERE s.discovered_at > n.watermark AND s.discovered_at <= ?1 AND s.filed_at >= ?2";

/// Advances the queues to `now`; all of them are rebuilt if the clock was set back. That the clock
/// of another instance is a little ahead is no reason to.
pub fn advance(conn: &Conn, now: DateTime<Utc>) -> Result<()> {
    let before = load_as_of(conn)?;
    let is_ahead = before > to_millis(now);
    if is_ahead && before <= to_millis(now + MAX_CLOCK_DIFFERENCE) {
        return Ok(());
    }
    if is_ahead {
        conn.execute_batch("DELETE FROM queue")?;
        let sql = format!("{INSERT_DUE_SIGNALS} ON CONFLICT DO NOTHING");
        conn.execute(&sql, [to_millis(now), history_start_millis(now)])?;
    } else {
        let sql = "DELETE FROM queue WHERE filed_at < ?1";
        conn.execute(sql, [history_start_millis(now)])?;
        let sql = format!("{INSERT_DUE_SIGNALS} AND s.discovered_at > ?3 ON CONFLICT DO NOTHING");
        conn.execute(&sql, [to_millis(now), history_start_millis(now), before])?;
    }
    remembered::save(conn, AS_OF, to_millis(now))
}

/// When a signal that is found `now` counts as discovered: later than what the queues have seen, so
/// that they do not miss it. That is another time than `now` only if the clock of another instance
/// is ahead.
pub fn next_discovery(conn: &Conn, now: DateTime<Utc>) -> Result<DateTime<Utc>> {
    let next = from_millis(load_as_of(conn)?.saturating_add(1));
    Ok(if next <= now + MAX_CLOCK_DIFFERENCE {
        now.max(next)
    } else {
        now
    })
}

/// Marks all queues for a rebuild by the next [`advance`], after a write of many signals that may
/// be older than it.
pub fn invalidate(conn: &Conn) -> Result<()> {
    conn.execute_batch("DELETE FROM queue")?;
    remembered::remove(conn, AS_OF)
}

/// Rebuilds one type's part of a workspace's queue, after its subscription changed.
pub(super) fn rebuild_type(
    conn: &Conn,
    workspace: WorkspaceId,
    signal_type: &str,
    now: DateTime<Utc>,
) -> Result<()> {
    let sql = "DELETE FROM queue WHERE workspace_id = ?1 AND signal_type = ?2";
    conn.execute(sql, params![workspace.0, signal_type])?;
    let sql = format!(
        "{INSERT_DUE_SIGNALS} AND n.workspace_id = ?3 AND n.signal_type = ?4 ON CONFLICT DO NOTHING"
    );
    conn.prepare(&sql)?.execute(params![
        to_millis(now),
        history_start_millis(now),
        workspace.0,
        signal_type
    ])?;
    Ok(())
}

/// A page of the queue and the number of matching signals: new first, then by priority, then newest
/// filing first, then by id.
pub fn list(
    conn: &Conn,
    columns: &ColumnCache,
    workspace: WorkspaceId,
    filter: &QueueFilter,
    limit: i64,
    offset: i64,
) -> Result<(Vec<RawJson>, i64)> {
    let narrowed = filtered_query(conn, columns, workspace, filter)?;
    let total = if filter.q.trim().is_empty() && filter.city.trim().is_empty() {
        count_matching(conn, workspace, filter)?
    } else {
        let sql = format!(
            "SELECT count(*) FROM {} WHERE {}",
            narrowed.from, narrowed.condition
        );
        conn.query_row(&sql, params_from_iter(&narrowed.values), |row| row.get(0))?
    };
    let (sql, values) = page_query(conn, workspace, narrowed, limit, offset, total);
    Ok((query_records(conn, &sql, params_from_iter(values))?, total))
}

/// The statement of a page. Rows are chosen within the queue in the order of its key, from
/// whichever end is nearer; only the rows of the page are looked up elsewhere.
fn page_query(
    conn: &Conn,
    workspace: WorkspaceId,
    narrowed: FilteredQuery,
    limit: i64,
    offset: i64,
    total: i64,
) -> (String, Vec<Sql>) {
    const FORWARD_ORDER: &str = "q.status, q.priority, q.filed_at DESC, q.signal_id";
    const REVERSE_ORDER: &str = "q.status DESC, q.priority DESC, q.filed_at, q.signal_id DESC";
    let FilteredQuery {
        from,
        condition,
        mut values,
    } = narrowed;
    let limit = limit.min(total - offset).max(0);
    let after = total - offset - limit;
    let (order, skip) = if after < offset {
        (REVERSE_ORDER, after.max(0))
    } else {
        (FORWARD_ORDER, offset)
    };
    values.extend([skip.into(), id_value(workspace.0)]);
    let priorities = PRIORITIES
        .iter()
        .enumerate()
        .map(|(nth, word)| format!("WHEN {nth} THEN '{word}' "))
        .collect::<String>();
    let priority = format!("CASE q.priority {priorities}END");
    let triage_fields = [
        ("triage_status", "iif(q.status, 'done', 'new')"),
        ("priority", &priority),
        ("triaged_by", "t.triaged_by"),
        ("triaged_at", "moment(t.triaged_at)"),
    ];
    let record = select_record(conn, SIGNAL.fields().chain(triage_fields));
    // the limit is not a parameter: plans depend on it
    let sql = format!(
        "WITH page AS MATERIALIZED (
           SELECT q.status, q.priority, q.filed_at, q.signal_id FROM {from} WHERE {condition} ORDER BY {order} LIMIT {limit} OFFSET ?)
         SELECT {record}
         FROM page q CROSS JOIN {SIGNALS_FROM} LEFT JOIN triage t ON t.workspace_id = ? AND t.signal_id = q.signal_id
         WHERE r.id = q.signal_id ORDER BY {FORWARD_ORDER}"
    );
    (sql, values)
}

/// The number of signals matching a filter without a text, from the counts.
fn count_matching(conn: &Conn, workspace: WorkspaceId, filter: &QueueFilter) -> Result<i64> {
    let wanted = |status: &str, signal_type: &str, priority: &str| {
        (filter.status.is_empty() || filter.status.contains(&status.into()))
            && (filter.signal_type.is_empty() || filter.signal_type.contains(&signal_type.into()))
            && (filter.priority.is_empty() || filter.priority.contains(&priority.into()))
    };
    let counts = load_counts(conn, workspace)?;
    Ok(counts
        .iter()
        .filter(|count| wanted(count.status(), &count.signal_type, count.priority))
        .map(|c| c.signals)
        .sum())
}

/// The part of the queue that matches a filter, as `q`.
struct FilteredQuery {
    from: String,
    condition: String,
    values: Vec<Sql>,
}

fn filtered_query(
    conn: &Conn,
    columns: &ColumnCache,
    workspace: WorkspaceId,
    filter: &QueueFilter,
) -> Result<FilteredQuery> {
    let (mut from, mut values, mut wheres) = ("queue q".to_owned(), Vec::new(), Vec::new());
    let TextFilters { text, city } = TextFilters::evaluate(conn, columns, &filter.q, &filter.city)?;
    if let Some(matches) = text {
        let TextMatches { projects, signals } = &matches;
        if matches.are_many() {
            // the queue is shorter than what leads to the matches: check its signals one by one
            wheres.push("(in_rows(?, q.project) OR in_rows(?, q.signal))".to_owned());
            values.extend([projects.to_blob(), signals.to_blob()].map(Sql::from));
        } else {
            // by the matching projects and signals, each through an index of the queue
            let ours = |index| {
                format!("SELECT * FROM queue INDEXED BY {index} WHERE workspace_id = ? AND")
            };
            let (by_project, by_signal) = (ours("queue_by_project"), ours("queue_by_signal"));
            from = format!(
                "({by_project} project IN (SELECT value FROM json_each(?, '$')) UNION
                  {by_signal} signal_id IN (SELECT s.id FROM json_each(?, '$') k CROSS JOIN signals s WHERE s.rowid = k.value)) q"
            );
            for rows in [projects, signals] {
                values.extend([id_value(workspace.0), rows.to_list().into()]);
            }
        }
    }
    wheres.push("q.workspace_id = ?".to_owned());
    values.push(id_value(workspace.0));
    let mut any = |column: &str, wanted: Vec<Sql>| {
        if !wanted.is_empty() {
            wheres.push(format!(
                "{column} IN ({})",
                vec!["?"; wanted.len()].join(", ")
            ));
            values.extend(wanted);
        }
    };
    any(
        "q.status",
        filter
            .status
            .iter()
            .map(|status| Sql::from(i64::from(*status == TriageStatus::Done)))
            .collect(),
    );
    any(
        "q.priority",
        filter
            .priority
            .iter()
            .map(|word| Sql::from(priority_rank(word.as_str()).unwrap_or(-1)))
            .collect(),
    );
    any(
        "q.signal_type",
        filter
            .signal_type
            .iter()
            .map(|word| Sql::from(word.as_str().to_owned()))
            .collect(),
    );
    if let Some(projects) = city {
        if from == "queue q" {
            from = "queue q INDEXED BY queue_by_project".to_owned();
        }
        wheres.push("q.project IN (SELECT value FROM json_each(?, '$'))".to_owned());
        values.push(projects.to_list().into());
    }
    Ok(FilteredQuery {
        from,
        condition: wheres.join(" AND "),
        values,
    })
}

struct QueueCount {
    signal_type: String,
    priority: &'static str,
    done: bool,
    signals: i64,
}

impl QueueCount {
    fn status(&self) -> &'static str {
        if self.done { "done" } else { "new" }
    }
}

fn load_counts(conn: &Conn, workspace: WorkspaceId) -> Result<Vec<QueueCount>> {
    let sql = "SELECT c.signal_type, n.priority, c.status, c.signals FROM queue_counts c
         JOIN subscriptions n ON n.workspace_id = c.workspace_id AND n.signal_type = c.signal_type
         WHERE c.workspace_id = ?1 AND c.signals > 0 ORDER BY c.signal_type";
    conn.query_rows(sql, [workspace.0], |row| {
        Ok(QueueCount {
            signal_type: row.get(0)?,
            priority: priority_name(row.get(1)?),
            done: row.get(2)?,
            signals: row.get(3)?,
        })
    })
}

/// The counts of the queue; types without new signals are omitted.
pub fn stats(conn: &Conn, workspace: WorkspaceId) -> Result<QueueStats> {
    let mut stats = QueueStats::default();
    for count in load_counts(conn, workspace)? {
        let signals = count.signals.unsigned_abs();
        if count.done {
            stats.done_count += signals;
            continue;
        }
        stats.new_count += signals;
        stats.high_priority_new_count += if count.priority == "high" { signals } else { 0 };
        stats.type_counts.push(SignalTypeCount {
            signal_type: count.signal_type.as_str().into(),
            new_count: signals,
        });
    }
    Ok(stats)
}

/// Marks signals of the queue as done or new again, and returns how many changed. Repeating it
/// keeps the first marks; ids that are not in the workspace's queue are not counted.
pub fn triage(
    conn: &Conn,
    workspace: WorkspaceId,
    signals: &[SignalId],
    done: bool,
    by: &str,
    now: DateTime<Utc>,
) -> Result<usize> {
    let ids = json_ids(signals.iter().map(|signal| signal.0));
    let sql = "UPDATE queue INDEXED BY queue_by_signal SET status = ?3
         WHERE workspace_id = ?1 AND signal_id IN (SELECT unhex(value) FROM json_each(?2)) AND status <> ?3 RETURNING signal_id";
    let changed: Vec<_> = conn.query_rows(sql, params![workspace.0, ids, done], |row| {
        row.get::<_, Uuid>(0)
    })?;
    if changed.is_empty() {
        return Ok(0);
    }
    if done {
        insert_triage(conn, workspace, &changed, by, now)?;
    } else {
        let ids = json_ids(changed.iter().copied());
        let sql = "DELETE FROM triage WHERE workspace_id = ?1 AND signal_id IN (SELECT unhex(value) FROM json_each(?2))";
        conn.execute(sql, params![workspace.0, ids])?;
    }
    Ok(changed.len())
}

/// Remembers who marked signals as done, and when; the first mark counts.
pub fn insert_triage(
    conn: &Conn,
    workspace: WorkspaceId,
    signals: &[Uuid],
    by: &str,
    now: DateTime<Utc>,
) -> Result<()> {
    let ids = json_ids(signals.iter().copied());
    let sql = "INSERT INTO triage (workspace_id, signal_id, triaged_by, triaged_at)
         SELECT CAST(?1 AS BLOB), unhex(value), CAST(?3 AS TEXT), CAST(?4 AS BIGINT) FROM json_each(?2) WHERE true
         ON CONFLICT DO NOTHING";
    conn.execute(sql, params![workspace.0, ids, by, to_millis(now)])
        .map(drop)
}

/// The moment of the last `advance`; the beginning of time in a new file.
fn load_as_of(conn: &Conn) -> Result<i64> {
    Ok(remembered::load_number(conn, AS_OF)?.unwrap_or(i64::MIN))
}

/// The oldest filing date within the history window.
pub(super) fn history_start_millis(now: DateTime<Utc>) -> i64 {
    to_millis(now - TimeDelta::days(QUEUE_HISTORY_DAYS))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::fuzzy::QueryText;
    use crate::service::{Storage, db};

    #[test]
    fn a_text_finds_the_same_in_the_queue_whether_it_is_rare_or_common() {
        let conn = db::open_writer(&Storage::Memory).unwrap();
        let now = "2026-07-09T16:20:00Z".parse().unwrap();
        crate::service::sample::fill_database(&conn, 1, 400, None, now).unwrap();
        advance(&conn, now).unwrap();
        let workspace = WorkspaceId(
            conn.query_row("SELECT workspace_id FROM queue LIMIT 1", [], |row| {
                row.get(0)
            })
            .unwrap(),
        );
        let columns = ColumnCache::default();
        let mut ways = Vec::new();
        for text in ["2026", "tower", "https", "zzzz"] {
            let filter = QueueFilter {
                q: text.to_owned(),
                ..QueueFilter::default()
            };
            let query = filtered_query(&conn, &columns, workspace, &filter).unwrap();
            ways.push(query.from == "queue q");
            let texts = "SELECT p.name, concat_ws(' ', s.source_filing_id, s.source_url)
                FROM queue q JOIN signals s ON s.id = q.signal_id JOIN projects p ON p.rowid = q.project
                WHERE q.workspace_id = ?1";
            let texts: Vec<[String; 2]> = conn
                .prepare(texts)
                .unwrap()
                .query_map([workspace.0], |row| Ok([row.get(0)?, row.get(1)?]))
                .unwrap()
                .collect::<Result<_, _>>()
                .unwrap();
            let sought = QueryText::new(text);
            let found = texts
                .iter()
                .filter(|texts| texts.iter().any(|text| sought.matches(text)));
            let expected = found.count() as i64;
            let (rows, total) = list(&conn, &columns, workspace, &filter, 200, 0).unwrap();
            assert_eq!(
                (total, rows.len() as i64),
                (expected, expected.min(200)),
                "{text}"
            );
        }
        assert!(ways.contains(&true) && ways.contains(&false), "{ways:?}");
    }

    #[test]
    fn pages_and_counts_use_indexes_without_a_sort_or_a_scan() {
        let conn = db::open_writer(&Storage::Memory).unwrap();
        let plan = |sql: &str, values: Vec<Sql>| -> String {
            let mut rows = conn.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
            let lines = rows
                .query_map(params_from_iter(values), |row| row.get::<_, String>(3))
                .unwrap();
            lines.map(Result::unwrap).collect::<Vec<_>>().join("\n")
        };
        let workspace = WorkspaceId(uuid::Uuid::nil());
        let columns = ColumnCache::default();
        let page_of = |filter: &QueueFilter, offset| {
            let (sql, values) = page_query(
                &conn,
                workspace,
                filtered_query(&conn, &columns, workspace, filter).unwrap(),
                50,
                offset,
                1000,
            );
            plan(&sql, values)
        };
        for offset in [0, 900] {
            let found = page_of(&QueueFilter::default(), offset);
            assert!(
                found.contains("SEARCH q USING PRIMARY KEY (workspace_id=?)"),
                "{found}"
            );
            assert!(found.contains("SEARCH r USING INDEX"), "{found}");
            let chosen = found.split("SCAN q").next().unwrap();
            assert!(
                !chosen.contains("TEMP B-TREE") && !found.contains("SCAN r"),
                "{found}"
            );
        }
        let by_text = page_of(
            &QueueFilter {
                q: "tower".to_owned(),
                ..QueueFilter::default()
            },
            0,
        );
        assert!(
            by_text.contains("queue_by_project (workspace_id=? AND project=?)"),
            "{by_text}"
        );
        assert!(
            by_text.contains("queue_by_signal (workspace_id=? AND signal_id=?)"),
            "{by_text}"
        );
        assert!(!by_text.contains("SCAN queue"), "{by_text}");
        let by_city = page_of(
            &QueueFilter {
                city: "austin".to_owned(),
                ..QueueFilter::default()
            },
            0,
        );
        assert!(
            by_city.contains("queue_by_project (workspace_id=? AND project=?)")
                && !by_city.contains("SCAN queue"),
            "{by_city}"
        );
    }
}
