//! Runs: searches of the index that were sent, and the rows that were paid for, page by page as received.
//!
//! Never here: when a run is too old to be shown. It is shown with its age.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use rusqlite::{Connection, Row, params};
use uuid::Uuid;

use super::{Store, StoreError, from_json_text, timestamp_column, to_json_text};
use crate::domain::WorkspaceId;
use crate::domain::runs::SavedSearchRun;

/// Maximum number of runs per workspace; the newest are kept.
const MAX_STORED_RUNS: i64 = 50;
/// Maximum number of rows per run; later pages are read, and paid for, again.
const MAX_ROWS_PER_RUN: usize = 2_000;
/// Maximum bytes of rows in total; beyond it the oldest runs are deleted.
const MAX_RUN_BYTES: i64 = 8 << 20;

/// The runs of one workspace of one service.
#[derive(Clone)]
pub struct SearchRunStore {
    store: Store,
    meter: Arc<str>,
    workspace: Option<Uuid>,
}

impl Store {
    pub fn runs(&self, meter: &str, workspace: Option<WorkspaceId>) -> SearchRunStore {
        SearchRunStore { store: self.clone(), meter: meter.into(), workspace: workspace.map(|id| id.0) }
    }
}

impl SearchRunStore {
    /// Saves a run with its new rows: those from index `from` on.
    pub fn save(&self, run: SavedSearchRun, from: usize) {
        let (meter, workspace) = (self.meter.clone(), self.workspace);
        self.store.enqueue_write(move |connection| {
            let id: i64 = connection
                .prepare_cached(
                    "INSERT INTO runs (meter, workspace_id, source, search, at, read_at, total, is_capped, spent, unreadable)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
                     ON CONFLICT DO UPDATE SET read_at = excluded.read_at, total = excluded.total, is_capped = excluded.is_capped,
                       spent = excluded.spent, unreadable = excluded.unreadable
                     RETURNING id",
                )?
                .query_row(
                    params![
                        meter,
                        workspace,
                        to_json_text(&run.source)?,
                        to_json_text(&run.search)?,
                        run.sent_at.timestamp_millis(),
                        run.read_at.map(|at| at.timestamp_millis()),
                        run.total.map(|total| total as i64),
                        run.is_capped,
                        run.credits_spent as i64,
                        run.unreadable as i64,
                    ],
                    |row| row.get(0),
                )?;
            if from == 0 {
                connection.prepare_cached("DELETE FROM run_rows WHERE run = ?1")?.execute([id])?;
            }
            let kept: i64 =
                connection.prepare_cached("SELECT count(*) FROM run_rows WHERE run = ?1")?.query_row([id], |row| row.get(0))?;
            // Only contiguous pages are stored: what follows a gap is read again.
            if usize::try_from(kept) == Ok(from) && from + run.rows.len() <= MAX_ROWS_PER_RUN {
                let mut insert = connection.prepare_cached("INSERT INTO run_rows (run, slot, json) VALUES (?1, ?2, ?3)")?;
                for (slot, row) in (kept..).zip(&run.rows) {
                    insert.execute(params![id, slot, row.json()])?;
                }
                connection.prepare_cached("UPDATE runs SET after = ?2 WHERE id = ?1")?.execute(params![id, run.search_after])?;
            }
            prune_runs(connection, &meter, workspace)
        });
    }

    /// The stored runs, oldest first.
    pub async fn load_all(&self) -> Result<Vec<SavedSearchRun>, StoreError> {
        let (meter, workspace) = (self.meter.clone(), self.workspace);
        self.store
            .query(move |connection| {
                let mut runs = connection
                    .prepare_cached(
                        "SELECT id, at, source, search, read_at, total, is_capped, spent, unreadable, after FROM runs
                         WHERE meter = ?1 AND workspace_id IS ?2 ORDER BY at, id",
                    )?
                    .query_map(params![meter, workspace], |row| Ok((row.get(0)?, run_from_row(row)?)))?
                    .collect::<rusqlite::Result<Vec<(i64, SavedSearchRun)>>>()?;
                let mut rows = connection.prepare_cached("SELECT json FROM run_rows WHERE run = ?1 ORDER BY slot")?;
                for (id, run) in &mut runs {
                    run.rows = rows
                        .query_map([*id], |row| from_json_text(0, &row.get::<_, String>(0)?))?
                        .collect::<rusqlite::Result<_>>()?;
                }
                Ok(runs.into_iter().map(|(_, run)| run).collect())
            })
            .await
    }
}

fn run_from_row(row: &Row<'_>) -> rusqlite::Result<SavedSearchRun> {
    Ok(SavedSearchRun {
        sent_at: timestamp_column(row, 1)?,
        source: from_json_text(2, &row.get::<_, String>(2)?)?,
        search: from_json_text(3, &row.get::<_, String>(3)?)?,
        read_at: row.get::<_, Option<i64>>(4)?.and_then(DateTime::<Utc>::from_timestamp_millis),
        total: row.get::<_, Option<i64>>(5)?.map(i64::unsigned_abs),
        is_capped: row.get(6)?,
        credits_spent: row.get::<_, i64>(7)?.unsigned_abs(),
        unreadable: usize::try_from(row.get::<_, i64>(8)?).unwrap_or(0),
        search_after: row.get(9)?,
        rows: Vec::new(),
    })
}

/// Deletes the oldest runs of a workspace beyond the maximum, and the oldest of all if their rows take too much space.
fn prune_runs(connection: &Connection, meter: &str, workspace: Option<Uuid>) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "DELETE FROM runs WHERE id IN
               (SELECT id FROM runs WHERE meter = ?1 AND workspace_id IS ?2 ORDER BY at DESC, id DESC LIMIT -1 OFFSET ?3)",
        )?
        .execute(params![meter, workspace, MAX_STORED_RUNS])?;
    connection
        .prepare_cached(
            "DELETE FROM runs WHERE id IN
               (SELECT run FROM
                  (SELECT run, sum(sum(octet_length(json))) OVER (ORDER BY (SELECT at FROM runs WHERE id = run) DESC, run DESC) AS bytes
                   FROM run_rows GROUP BY run)
                WHERE bytes > ?1)",
        )?
        .execute([MAX_RUN_BYTES])?;
    Ok(())
}
