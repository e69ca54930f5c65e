//! Drafts: what was typed and not sent. A run of the program writes its own; the next one takes over those of runs that have died.
//!
//! Never here: what a draft says, and when it is done with.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use rusqlite::params;
use serde_json::Value;
use uuid::Uuid;

use super::{Store, StoreError};
use crate::domain::WorkspaceId;
use crate::domain::drafts::Draft;

/// A draft that nobody came back to is kept for so many days.
const DRAFT_RETENTION_DAYS: i64 = 90;
/// So many drafts, and so many bytes of them, have room; old ones are never dropped for a new one.
const MAX_DRAFTS_AND_BYTES: (i64, i64) = (10_000, 16 << 20);

/// The drafts of one workspace of one service.
#[derive(Clone)]
pub struct DraftStore {
    store: Store,
    meter: Arc<str>,
    workspace: Option<Uuid>,
}

/// What is found of drafts at a start.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OrphanedDrafts {
    /// The drafts, the oldest first.
    pub drafts: Vec<Draft>,
    /// What is typed from now on outlives the program: there is a file.
    pub is_persistent: bool,
}

impl Store {
    /// The drafts of a workspace behind this meter.
    pub fn drafts(&self, meter: &str, workspace: Option<WorkspaceId>) -> DraftStore {
        DraftStore { store: self.clone(), meter: meter.into(), workspace: workspace.map(|id| id.0) }
    }
}

impl DraftStore {
    /// Keeps what was typed in the place of what this run typed under the same name; with nothing typed, drops it.
    pub fn save(&self, name: String, at: DateTime<Utc>, typed: Option<Value>) {
        let (meter, workspace, shared) = (self.meter.clone(), self.workspace, self.store.shared.clone());
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
                shared.add_notice(
                    "there is no room for more drafts: what is typed now is not kept; write or drop what gt lists".to_owned(),
                );
            }
            Ok(())
        });
    }

    /// What was left of runs that have died, which is this run's from now on, and copies of what others that live have open. What this
    /// run has typed itself stays as it is.
    pub async fn adopt_orphans(&self, now: DateTime<Utc>) -> Result<OrphanedDrafts, StoreError> {
        let (meter, workspace, shared) = (self.meter.clone(), self.workspace, self.store.shared.clone());
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
                        // Of two that were left under one name the newer is gone on with.
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
