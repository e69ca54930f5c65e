//! Columns of the index in memory. The index is the same for all workspaces and is mostly read, so
//! what searches test is kept as vectors by row id: a criterion is then a pass over a vector
//! instead of a walk through trees. Columns are read after the start of a service of many signals,
//! otherwise when a search first needs them.
//!
//! A search sees exactly the rows of its transaction. Triggers list changed rows in
//! `index_changes`, whoever writes to the file; before a search uses the columns, they are brought
//! up to the state of its transaction by reading those rows again. If they are newer than its
//! transaction already, because another search was faster, the transaction begins again.
//!
//! Never here: what a filter means.

mod links;
mod loaded;
mod row_set;
mod texts;

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

pub use links::LinkTable;
pub use loaded::{LinkKind, find_neighbor};
pub use row_set::RowSet;

use loaded::LoadedColumns;
use ring::hmac;

use super::Conn;
use super::sql::Result;
use crate::service::dataset::Dataset;

/// How many changes stay listed. A service that missed more reads its columns again.
const MAX_LISTED_CHANGES: i64 = 50_000;

/// What the searches of a database keep in memory: its columns, and the key of their cursors, which
/// never changes.
#[derive(Default)]
pub struct ColumnCache {
    state: Mutex<CacheState>,
    pub cursor_key: OnceLock<hmac::Key>,
}

#[derive(Default)]
struct CacheState {
    version: IndexVersion,
    columns: LoadedColumns,
}

/// A state of the index: the number of its last change, and the last row of each dataset. Later
/// states are greater.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct IndexVersion {
    changes: i64,
    last_rows: [i64; 4],
}

impl IndexVersion {
    fn load(conn: &Conn) -> Result<IndexVersion> {
        let sql = "SELECT (SELECT ifnull(max(sequence), 0) FROM index_changes), (SELECT ifnull(max(rowid), 0) FROM accounts),
               (SELECT ifnull(max(rowid), 0) FROM contacts), (SELECT ifnull(max(rowid), 0) FROM projects),
               (SELECT ifnull(max(rowid), 0) FROM signals)";
        conn.query_row(sql, [], |row| {
            let last_rows = [row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?];
            Ok(IndexVersion {
                changes: row.get(0)?,
                last_rows,
            })
        })
    }
}

/// The columns as of a transaction.
pub struct ColumnSnapshot<'c> {
    cache: &'c ColumnCache,
    conn: &'c Conn,
    /// `None` if the columns are not left for others.
    version: Option<IndexVersion>,
    columns: LoadedColumns,
}

impl ColumnCache {
    /// How many columns and orders it keeps.
    #[cfg(test)]
    pub fn count_columns(&self) -> usize {
        self.lock().columns.count()
    }

    fn lock(&self) -> MutexGuard<'_, CacheState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The columns as of the connection's transaction. If it may have changed the index, it reads
    /// columns of its own: its changes are not committed.
    pub fn take_snapshot<'c>(&'c self, conn: &'c Conn) -> Result<ColumnSnapshot<'c>> {
        let (version, columns) = if conn.may_change_index()? {
            (None, LoadedColumns::default())
        } else {
            let (version, columns) = self.update_columns(conn)?;
            (Some(version), columns)
        };
        Ok(ColumnSnapshot {
            cache: self,
            conn,
            version,
            columns,
        })
    }

    /// Brings the columns to the state of the connection's transaction.
    fn update_columns(&self, conn: &Conn) -> Result<(IndexVersion, LoadedColumns)> {
        let mut state = self.lock();
        let mut version = IndexVersion::load(conn)?;
        if version < state.version && conn.is_snapshot() {
            conn.renew_snapshot()?;
            version = IndexVersion::load(conn)?;
        }
        if version < state.version {
            *state = CacheState::default();
        }
        if version != state.version {
            let caught_up = state.catch_up(conn, version);
            if caught_up.is_err() {
                *state = CacheState::default();
            }
            caught_up?;
        }
        Ok((version, state.columns.clone()))
    }
}

impl std::fmt::Debug for ColumnCache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ColumnCache")
    }
}

impl CacheState {
    fn catch_up(&mut self, conn: &Conn, version: IndexVersion) -> Result<()> {
        let before = std::mem::replace(&mut self.version, version);
        let added = || before.last_rows.iter().zip(version.last_rows);
        let missed = version.changes - before.changes
            + added()
                .map(|(before, now)| (now - before).max(0))
                .sum::<i64>();
        let known: i64 = before.last_rows.iter().sum();
        if missed > known / 4 + 1000 || is_pruned(conn, before, version)? {
            self.columns = LoadedColumns::default();
            return Ok(());
        }
        let mut changed: [BTreeSet<u32>; 6] = Default::default();
        for (rows, (before, now)) in changed.iter_mut().zip(added()) {
            rows.extend((before + 1..=now).map(|row| row as u32));
        }
        let mut read =
            conn.prepare("SELECT kind, record FROM index_changes WHERE sequence > ?1")?;
        let mut rows = read.query([before.changes])?;
        while let Some(row) = rows.next()? {
            if let Some(changed) = changed.get_mut(usize::from(row.get::<_, u8>(0)?)) {
                changed.insert(row.get(1)?);
            }
        }
        for (dataset, rows) in Dataset::ALL.into_iter().zip(&changed) {
            self.columns.update_rows(conn, dataset, rows)?;
        }
        self.columns
            .update_links(conn, LinkKind::Accounts, &changed[4])?;
        self.columns
            .update_links(conn, LinkKind::Contacts, &changed[5])
    }
}

/// Whether changes after a state are not listed any more.
fn is_pruned(conn: &Conn, before: IndexVersion, now: IndexVersion) -> Result<bool> {
    let sql = "SELECT ifnull(min(sequence), 0) FROM index_changes";
    let first: i64 = conn.query_row(sql, [], |row| row.get(0))?;
    Ok(now.changes > before.changes && first > before.changes + 1)
}

/// Forgets old changes. The latest one stays, so that their numbers never repeat.
pub fn prune_changes(conn: &Conn) -> Result<()> {
    let sql = "DELETE FROM index_changes WHERE sequence <= (SELECT max(sequence) FROM index_changes) - ?1";
    conn.execute(sql, [MAX_LISTED_CHANGES]).map(drop)
}

impl ColumnSnapshot<'_> {
    pub fn conn(&self) -> &Conn {
        self.conn
    }

    #[cfg(test)]
    pub fn is_shared(&self) -> bool {
        self.version.is_some()
    }
}

impl Drop for ColumnSnapshot<'_> {
    /// Leaves the columns that were read for other searches.
    fn drop(&mut self) {
        let mut state = self.cache.lock();
        if Some(state.version) == self.version {
            state.columns.add_missing(std::mem::take(&mut self.columns));
        }
    }
}
