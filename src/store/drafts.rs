//! Drafts: text that was typed but not sent. Each process writes its own; the next one adopts those
//! of processes that have died.
//!
//! Never here: what a draft contains, and when it is no longer needed.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use rusqlite::params;
use serde_json::Value;
use uuid::Uuid;

use super::{Store, StoreError};
use crate::domain::WorkspaceId;
use crate::domain::drafts::Draft;

/// Drafts that nobody returns to are deleted after this many days.
const DRAFT_RETENTION_DAYS: i64 = 90;
/// Maximum number and total bytes of drafts; old ones are never dropped for a new one.
const MAX_DRAFTS_AND_BYTES: (i64, i64) = (10_000, 16 << 20);

/// The drafts of one workspace of one service.
#[derive(Clone)]
pub struct DraftStore {
    store: Store,
    meter: Arc<str>,
    workspace: Option<Uuid>,
}

/// The drafts found at start-up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OrphanedDrafts {
    /// The drafts, oldest first.
    pub drafts: Vec<Draft>,
    /// There is a file, so what is typed from now on survives a crash.
    pub is_persistent: bool,
}

impl Store {
    pub fn drafts(&self, meter: &str, workspace: Option<WorkspaceId>) -> DraftStore {
        DraftStore {
            store: self.clone(),
            meter: meter.into(),
            workspace: workspace.map(|id| id.0),
        }
    }
}

impl DraftStore {
    /// Saves a draft, replacing this process's previous draft of the same name; `None` deletes it.
    pub fn save(&self, name: String, at: DateTime<Utc>, typed: Option<Value>) {
        let (meter, workspace, shared) = (
            self.meter.clone(),
            self.workspace,
            self.store.shared.clone(),
        );
        self.store.enqueue_write(move |connection| {
            shared.process_lock.acquire();
            let owner = shared.process_lock.id();
            connection
                .prepare_cached("DELETE FROM drafts WHERE meter = ?1 AND workspace_id IS ?2 AND name = ?3 AND owner = ?4")?
                .execute(params![meter, workspace, name, owner])?;
            let Some(typed) = typed else { return Ok(()) };
            let kept = connection
                .prepare_cached(
                    "INSERT INTO drafts (meter, workspace_id, name, owner, at, typed) SELECT ?1, ?2, ?3, ?4, ?5, ?6
                     WHERE (SELECT count(*) < ?7 AND total(octet_length(typed)) + octet_length(?6) <= ?8 FROM drafts)",
                )?
                .execute(params![
                    meter,
                    workspace,
                    name,
                    owner,
                    at.timestamp_millis(),
                    typed,
                    MAX_DRAFTS_AND_BYTES.0,
                    MAX_DRAFTS_AND_BYTES.1
                ])?;
            if kept == 0 {
                shared.add_notice("drafts are full: new text is not saved; send or discard the drafts that gt lists".to_owned());
            }
            Ok(())
        });
    }

    /// What all processes have under one name; they keep it.
    pub async fn contents(&self, name: &'static str) -> Result<Vec<Value>, StoreError> {
        let (meter, workspace) = (self.meter.clone(), self.workspace);
        self.store
            .query(move |connection| {
                connection
                    .prepare_cached(
                        "SELECT typed FROM drafts WHERE meter = ?1 AND workspace_id IS ?2 AND name = ?3 ORDER BY at, rowid",
                    )?
                    .query_map(params![meter, workspace, name], |row| row.get(0))?
                    .collect()
            })
            .await
    }

    /// Returns the drafts of dead processes, which this process now owns, and copies of drafts open
    /// in live ones. This process's own drafts are left as they are.
    pub async fn adopt_orphans(&self, now: DateTime<Utc>) -> Result<OrphanedDrafts, StoreError> {
        let (meter, workspace, shared) = (
            self.meter.clone(),
            self.workspace,
            self.store.shared.clone(),
        );
        self.store
            .query(move |connection| {
                shared.process_lock.acquire();
                let keeps = connection.path().is_some_and(|path| !path.is_empty());
                let tx = connection.transaction()?;
                let oldest = (now - chrono::Duration::days(DRAFT_RETENTION_DAYS)).timestamp_millis();
                tx.prepare_cached("DELETE FROM drafts WHERE at < ?1")?.execute([oldest])?;
                let rows = tx
                    .prepare_cached(
                        "SELECT name, owner, at, typed, rowid FROM drafts WHERE meter = ?1 AND workspace_id IS ?2 ORDER BY at, rowid",
                    )?
                    .query_map(params![meter, workspace], |row| {
                        Ok((row.get(0)?, row.get::<_, Uuid>(1)?, row.get(2)?, row.get(3)?, row.get(4)?))
                    })?
                    .collect::<rusqlite::Result<Vec<(String, Uuid, i64, Value, i64)>>>()?;
                let (own, rows): (Vec<_>, Vec<_>) = rows.into_iter().partition(|(_, owner, ..)| *owner == shared.process_lock.id());
                let mut drafts: Vec<Draft> = Vec::new();
                for (name, owner, at, typed, rowid) in rows {
                    let elsewhere = shared.process_lock.is_process_alive(owner);
                    if !elsewhere && own.iter().any(|(typed, ..)| *typed == name) {
                        tx.prepare_cached("DELETE FROM drafts WHERE rowid = ?1")?.execute([rowid])?;
                        drafts.retain(|older| older.name != name || older.is_open_elsewhere);
                    } else if !elsewhere {
                        // If two were left under one name, resume the newer.
                        tx.prepare_cached("UPDATE OR REPLACE drafts SET owner = ?1 WHERE rowid = ?2")?
                            .execute(params![shared.process_lock.id(), rowid])?;
                        drafts.retain(|older| older.name != name || older.is_open_elsewhere);
                    }
                    drafts.push(Draft { name, at: DateTime::from_timestamp_millis(at).unwrap_or_default(), content: typed, is_open_elsewhere: elsewhere });
                }
                tx.commit()?;
                Ok(OrphanedDrafts { drafts, is_persistent: keeps })
            })
            .await
    }
}
