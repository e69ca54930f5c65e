//! Index writes of the import of permit files: merges records that may already exist, and reports
//! what is new or changed.
//!
//! The tables `import_*` are temporary and on disk, so that a file of any length needs the same
//! amount of memory. They are SQLite's: an import into PostgreSQL merges its file in a temporary
//! one (see [`super::index_copy`]).

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::index_write::{self, words_to_json};
use super::new_records::{NewAccount, NewContact, NewProject, NewSignal};
use super::project_status::FiledSignal;
use super::sql::{Conn, Result, Row, params};
use super::values::{from_millis, to_millis};
use crate::domain::{AccountId, ProjectId, SignalId};

/// The result of a merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergeOutcome {
    /// The record did not exist.
    New,
    /// The record had other values.
    Changed,
    /// The record was the same.
    Unchanged,
}

impl MergeOutcome {
    /// That of a statement that changes an existing record, or nothing.
    fn from_update(rows: usize) -> MergeOutcome {
        match rows {
            0 => MergeOutcome::Unchanged,
            _ => MergeOutcome::Changed,
        }
    }
}

/// Merges records that may already exist.
pub struct IndexMerger<'c> {
    pub conn: &'c Conn,
    /// The project touched last: the signals of a permit follow one another.
    last_touched: Option<ProjectId>,
    /// The row stored last, and its payload: the signals of a permit share it.
    last_source_row: Option<(i64, String)>,
}

/// How much of its rows describes a project.
const MAX_PAST_BYTES: usize = 4 << 20;

/// Where and when a signal is known to be, with its cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KnownSignal {
    pub project: ProjectId,
    pub filed_at: DateTime<Utc>,
    pub cost: Option<f64>,
}

/// A row of the file that waits until the others are read.
pub struct DeferredRow {
    /// Where it is in the order of [`IndexMerger::deferred_rows_after`].
    pub place: (Vec<u8>, bool, i64),
    pub permit: Uuid,
    /// Whether it determines the place of its permit.
    pub is_principal: bool,
    pub line: u64,
    pub text: String,
}

/// A signal of a project, as needed to merge its rows.
pub struct PastSignal {
    pub filed: FiledSignal,
    /// The row it came from, as JSON text.
    pub raw_data: String,
}

const CREATE_TEMP_TABLES: &str = "
    DROP TABLE IF EXISTS temp.import_seen;
    DROP TABLE IF EXISTS temp.import_touched;
    DROP TABLE IF EXISTS temp.import_later;
    DROP TABLE IF EXISTS temp.import_removed;
    CREATE TEMP TABLE import_seen (id BLOB NOT NULL PRIMARY KEY, is_new INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TEMP TABLE import_removed (id BLOB NOT NULL);
    CREATE TEMP TABLE import_touched (id BLOB NOT NULL PRIMARY KEY) WITHOUT ROWID;
    CREATE TEMP TABLE import_later (permit BLOB NOT NULL, is_other INTEGER NOT NULL, line INTEGER NOT NULL, row TEXT NOT NULL);
    CREATE INDEX temp.import_later_by_permit ON import_later (permit, is_other);";

/// Keeps temporary tables on disk and the memory of an import flat: the pages of the file are only
/// in the cache. Transactions are on disk when the log is checkpointed, because reading the same
/// file again resumes a lost import. Call it outside of a transaction.
pub fn configure_for_import(conn: &Conn) -> Result<()> {
    let Some(conn) = conn.sqlite() else {
        return Ok(());
    };
    conn.pragma_update(None, "temp_store", "FILE")?;
    conn.pragma_update(None, "mmap_size", 0)?;
    conn.pragma_update(None, "cache_size", -32 * 1024)?; // KiB
    Ok(conn.pragma_update(None, "synchronous", "NORMAL")?)
}

/// Lets the last transaction of an import be on disk when it ends. Call it outside of a
/// transaction.
pub fn flush_import(conn: &Conn) -> Result<()> {
    let Some(conn) = conn.sqlite() else {
        return Ok(());
    };
    conn.pragma_update(None, "synchronous", "FULL")?;
    Ok(conn.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))?)
}

impl<'c> IndexMerger<'c> {
    /// Creates the temporary tables.
    pub fn new(conn: &'c Conn) -> Result<Self> {
        conn.execute_batch(CREATE_TEMP_TABLES)?;
        Ok(IndexMerger {
            conn,
            last_touched: None,
            last_source_row: None,
        })
    }

    /// Records that a row of this permit was imported, and whether the permit was new.
    pub fn mark_seen(&mut self, permit: Uuid, is_new: bool) -> Result<()> {
        let sql = "INSERT INTO import_seen (id, is_new) VALUES (?1, ?2)";
        self.conn.execute(sql, params![permit, is_new]).map(drop)
    }

    /// Whether a permit was new, if a row of it was imported from this file.
    pub fn find_seen(&mut self, permit: Uuid) -> Result<Option<bool>> {
        let sql = "SELECT is_new FROM import_seen WHERE id = ?1";
        self.conn.find_row(sql, [permit], |row| row.get(0))
    }

    /// Whether signals of this source are known.
    pub fn has_signals_of(&self, source: Uuid) -> Result<bool> {
        let sql = "SELECT 1 FROM signals WHERE source_id = ?1";
        self.conn.exists(sql, [source])
    }

    /// Creates a project for a place; its figures follow when its rows are merged.
    pub fn add_project(
        &mut self,
        id: ProjectId,
        name: &str,
        city: &str,
        state: &str,
        since: DateTime<Utc>,
    ) -> Result<MergeOutcome> {
        let sql = "INSERT INTO projects (id, name, city, state, created_at) VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (id) DO NOTHING";
        let values = params![id.0, name, city, state, to_millis(since)];
        match self.conn.execute(sql, values)? {
            1 => Ok(MergeOutcome::New),
            _ => Ok(MergeOutcome::Unchanged),
        }
    }

    /// Writes a signal, and marks its project as touched if something is new. `payload` is its row
    /// of the file, as JSON text.
    pub fn merge_signal(&mut self, signal: &NewSignal, payload: &str) -> Result<MergeOutcome> {
        let sql = "SELECT s.project_id, s.source_row, ifnull(f.payload, s.raw_data) = ?2
             FROM signals s LEFT JOIN source_rows f ON f.rowid = s.source_row WHERE s.id = ?1";
        let read = |row: &Row<'_>| Ok((ProjectId(row.get(0)?), row.get(1)?, row.get(2)?));
        let found = self
            .conn
            .find_row(sql, params![signal.id.0, payload], read)?;
        let Some((project_before, row_before, same_payload)) = found else {
            let source_row = self.store_source_row(payload)?;
            index_write::insert_signal(self.conn, signal, Some(source_row))?;
            self.mark_touched(signal.project_id)?;
            return Ok(MergeOutcome::New);
        };
        let source_row = if same_payload {
            row_before
        } else {
            Some(self.store_source_row(payload)?)
        };
        let sql = "UPDATE signals SET project_id = ?2, filed_at = ?3, discovered_at = ?4, source_url = ?5, reported_cost_usd = ?6,
               reported_gross_floor_area_sf = ?7, source_row = ?8, raw_data = CASE WHEN ?8 IS NULL THEN raw_data ELSE '{}' END
             WHERE id = ?1 AND (project_id, filed_at, source_url, reported_cost_usd, reported_gross_floor_area_sf, source_row)
               IS DISTINCT FROM (?2, ?3, ?5, ?6, ?7, ?8)";
        let changed = self.conn.prepare(sql)?.execute(params![
            signal.id.0,
            signal.project_id.0,
            to_millis(signal.filed_at),
            to_millis(signal.discovered_at),
            signal.source_url,
            signal.reported_cost_usd,
            signal.reported_gross_floor_area_sf,
            source_row,
        ])?;
        if changed == 0 {
            return Ok(MergeOutcome::Unchanged);
        }
        if row_before != source_row {
            self.delete_unused_source_row(row_before)?;
        }
        self.mark_touched(signal.project_id)?;
        self.mark_touched(project_before)?;
        Ok(MergeOutcome::Changed)
    }

    /// Removes a signal that its permit does not have any more.
    pub fn remove_signal(&mut self, signal: SignalId, project: ProjectId) -> Result<()> {
        let sql = "DELETE FROM signals WHERE id = ?1 RETURNING source_row";
        let row = self.conn.query_row(sql, [signal.0], |row| row.get(0))?;
        self.delete_unused_source_row(row)?;
        let sql = "INSERT INTO import_removed (id) VALUES (?1)";
        self.conn.execute(sql, [signal.0])?;
        self.mark_touched(project)
    }

    fn delete_unused_source_row(&mut self, row: Option<i64>) -> Result<()> {
        let sql = "DELETE FROM source_rows WHERE rowid = ?1 AND NOT EXISTS (SELECT 1 FROM signals WHERE source_row = ?1)";
        if self.conn.execute(sql, [row])? == 1 {
            self.last_source_row.take_if(|(last, _)| Some(*last) == row);
        }
        Ok(())
    }

    /// The row of the file that a signal comes from, as JSON text.
    pub fn stored_row(&self, signal: SignalId) -> Result<Option<String>> {
        let sql = "SELECT f.payload FROM signals s JOIN source_rows f ON f.rowid = s.source_row WHERE s.id = ?1";
        self.conn.find_row(sql, [signal.0], |row| row.get(0))
    }

    /// The row number of a payload, which is stored unless it was the last one.
    fn store_source_row(&mut self, payload: &str) -> Result<i64> {
        match &self.last_source_row {
            Some((row, last)) if last == payload => Ok(*row),
            _ => {
                let sql = "INSERT INTO source_rows (payload) VALUES (?1) RETURNING rowid";
                let row = self.conn.query_row(sql, [payload], |row| row.get(0))?;
                self.last_source_row = Some((row, payload.to_owned()));
                Ok(row)
            }
        }
    }

    /// What the database has of a signal.
    pub fn known_signal(&mut self, signal: SignalId) -> Result<Option<KnownSignal>> {
        let sql = "SELECT project_id, filed_at, reported_cost_usd FROM signals WHERE id = ?1";
        self.conn.find_row(sql, [signal.0], |row| {
            Ok(KnownSignal {
                project: ProjectId(row.get(0)?),
                filed_at: from_millis(row.get(1)?),
                cost: row.get(2)?,
            })
        })
    }

    /// Writes a firm: known values stay, missing ones are filled in, account types are combined.
    pub fn merge_account(&mut self, account: &NewAccount) -> Result<MergeOutcome> {
        if index_write::add_account(self.conn, account)? {
            return Ok(MergeOutcome::New);
        }
        let sql = "UPDATE accounts SET city = ifnull(city, ?3), state = ifnull(state, ?4), hq_address = ifnull(hq_address, ?5),
               public_phone = ifnull(public_phone, ?6), public_email = ifnull(public_email, ?7), account_types =
                 (SELECT json_group_array(value) FROM
                   (SELECT value FROM json_each(account_types) UNION SELECT value FROM json_each(?2) ORDER BY 1) AS types)
             WHERE id = ?1 AND (city IS NULL AND CAST(?3 AS TEXT) IS NOT NULL OR state IS NULL AND CAST(?4 AS TEXT) IS NOT NULL
               OR hq_address IS NULL AND CAST(?5 AS TEXT) IS NOT NULL OR public_phone IS NULL AND CAST(?6 AS TEXT) IS NOT NULL
               OR public_email IS NULL AND CAST(?7 AS TEXT) IS NOT NULL
               OR EXISTS (SELECT 1 FROM json_each(?2) WHERE value NOT IN (SELECT value FROM json_each(account_types))))";
        let filled = self.conn.prepare(sql)?.execute(params![
            account.id.0,
            words_to_json(&account.account_types),
            account.city,
            account.state,
            account.hq_address,
            account.public_phone,
            account.public_email
        ])?;
        Ok(MergeOutcome::from_update(filled))
    }

    /// Writes a person: known values stay, missing ones are filled in.
    pub fn merge_contact(&mut self, contact: &NewContact) -> Result<MergeOutcome> {
        if index_write::add_contact(self.conn, contact)? {
            return Ok(MergeOutcome::New);
        }
        let sql = "UPDATE contacts SET title = ifnull(title, ?2), phone = ifnull(phone, ?3), email = ifnull(email, ?4)
             WHERE id = ?1 AND (title IS NULL AND CAST(?2 AS TEXT) IS NOT NULL OR phone IS NULL AND CAST(?3 AS TEXT) IS NOT NULL
               OR email IS NULL AND CAST(?4 AS TEXT) IS NOT NULL)";
        let values = params![contact.id.0, contact.title, contact.phone, contact.email];
        Ok(MergeOutcome::from_update(self.conn.execute(sql, values)?))
    }

    /// Records a firm's role in a project.
    pub fn link_account(
        &mut self,
        project: ProjectId,
        account: AccountId,
        role: &str,
    ) -> Result<()> {
        match index_write::link_account(self.conn, project, account, role)? {
            true => self.mark_touched(project),
            false => Ok(()),
        }
    }

    fn mark_touched(&mut self, project: ProjectId) -> Result<()> {
        if self.last_touched != Some(project) {
            let sql = "INSERT INTO import_touched (id) VALUES (?1) ON CONFLICT DO NOTHING";
            self.conn.execute(sql, [project.0])?;
            self.last_touched = Some(project);
        }
        Ok(())
    }

    /// Defers a row until all others are read.
    pub fn defer_row(&self, permit: Uuid, is_principal: bool, line: u64, row: &str) -> Result<()> {
        let sql = "INSERT INTO import_later (permit, is_other, line, row) VALUES (?1, ?2, ?3, ?4)";
        let values = params![permit, !is_principal, line as i64, row];
        self.conn.execute(sql, values).map(drop)
    }

    /// The next deferred rows after a place: those of a permit follow one another, the principal
    /// ones first, otherwise in the order of the file.
    pub fn deferred_rows_after(&self, place: &(Vec<u8>, bool, i64)) -> Result<Vec<DeferredRow>> {
        let (permit, is_other, number) = place;
        let sql = "SELECT permit, is_other, rowid, line, row FROM import_later
                 WHERE (permit, is_other, rowid) > (?1, ?2, ?3) ORDER BY permit, is_other, rowid LIMIT 16";
        self.conn
            .query_rows(sql, params![permit, is_other, number], |row| {
                let permit: Vec<u8> = row.get(0)?;
                let is_other: bool = row.get(1)?;
                Ok(DeferredRow {
                    permit: Uuid::from_slice(&permit).unwrap_or_default(),
                    is_principal: !is_other,
                    place: (permit, is_other, row.get(2)?),
                    line: row.get::<_, i64>(3)? as u64,
                    text: row.get(4)?,
                })
            })
    }

    /// The projects that changed since the last call.
    pub fn take_touched_projects(&mut self) -> Result<Vec<ProjectId>> {
        self.last_touched = None;
        let sql = "SELECT id FROM import_touched";
        let touched = self
            .conn
            .query_rows(sql, [], |row| row.get(0).map(ProjectId))?;
        self.conn.execute("DELETE FROM import_touched", [])?;
        Ok(touched)
    }

    /// The signals of a project, newest first, with their rows; the newest few dozen are enough to
    /// describe it, and fewer if their rows are very long.
    pub fn past_signals(&self, project: ProjectId) -> Result<Vec<PastSignal>> {
        let mut query = self.conn.prepare(
            "SELECT s.signal_type, s.filed_at, s.source_filing_id, s.source_row, ifnull(f.payload, s.raw_data)
             FROM signals s LEFT JOIN source_rows f ON f.rowid = s.source_row
             WHERE s.project_id = ?1 ORDER BY s.filed_at DESC, s.id LIMIT 48",
        )?;
        let rows = query.query_map([project.0], |row| {
            Ok(PastSignal {
                filed: FiledSignal::read(row)?,
                raw_data: row.get(4)?,
            })
        })?;
        let (mut past, mut bytes) = (Vec::new(), 0);
        for signal in rows {
            let signal = signal?;
            bytes += signal.raw_data.len();
            past.push(signal);
            if bytes > MAX_PAST_BYTES {
                break;
            }
        }
        Ok(past)
    }

    /// Records that a project has no signals any more. It stays: teams may have it in their books.
    pub fn clear_signals(&self, project: ProjectId) -> Result<()> {
        let sql = "UPDATE projects SET signals_count = 0, first_signal_at = NULL, last_signal_at = NULL WHERE id = ?1";
        self.conn.execute(sql, [project.0]).map(drop)
    }

    /// Writes a project as described by its rows, and counts its signals.
    pub fn update_project(&self, project: &NewProject) -> Result<MergeOutcome> {
        let (lat, lng) = project.location.unzip();
        let sql =
            "UPDATE projects SET name = ?2, primary_address = ?3, neighborhood = ?4, primary_use = ?5, uses = ?6, stage = ?7,
                   disposition = ?8, gross_floor_area_sf = ?9, residential_units = ?10, cost_of_construction_usd = ?11, stories = ?12,
                   gc_status = (SELECT CASE WHEN EXISTS (SELECT 1 FROM project_accounts WHERE project_id = ?1 AND role = 'gc')
                     THEN 'awarded' ELSE 'unknown' END),
                   lat = ?13, lng = ?14, (signals_count, first_signal_at, last_signal_at) =
                     (SELECT count(*), min(filed_at), max(filed_at) FROM signals WHERE project_id = ?1)
                 WHERE id = ?1";
        let changed = self.conn.prepare(sql)?.execute(params![
            project.id.0,
            project.name,
            project.primary_address,
            project.neighborhood,
            project.primary_use,
            words_to_json(&project.uses),
            project.stage,
            project.disposition,
            project.gross_floor_area_sf,
            project.residential_units,
            project.cost_of_construction_usd,
            project.stories,
            lat,
            lng,
        ])?;
        Ok(MergeOutcome::from_update(changed))
    }
}
