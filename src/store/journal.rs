//! The journal: every change is recorded before its first byte is sent, and its result afterwards.
//!
//! A write is on disk before it is sent ([`Journal::record_sends`]). If its process dies, the next
//! one finds it in [`Journal::saved_state`] and checks its result. A process is alive as long as
//! the kernel holds its lock on a file, which is released on exit.
//!
//! Never here: sending, and whether to send again.

use std::collections::HashSet;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use rusqlite::{Connection, params};
use uuid::Uuid;

use super::clock_skew::{IS_IN_WINDOW, window_params};
use super::interrupted::{
    CHECKED_REASON, adopt_unknown_writes, count_writes_in_other_processes, mark_orphans_unknown,
    resolve_unknown_triage, select_interrupted_triage, select_unconfirmed_entries,
    select_unknown_writes,
};
use super::journal_rows::{journal_entry_from_row, sends, sent_write_from_row};
use super::{Store, StoreError, to_json_text};
use crate::domain::journal::{
    JournalChange, JournalEntry, OutgoingWrite, SavedState, SentWrite, WriteCounts, WriteProgress,
};
use crate::domain::queue::TriageStatus;
use crate::domain::{SignalId, WorkspaceId};

/// Days after which changes and writes are deleted.
const JOURNAL_RETENTION_DAYS: i64 = 90;
/// Maximum number of bytes of a write's body that are kept.
const MAX_BODY_BYTES: usize = 256 << 10;

/// The journal of one workspace of one service.
#[derive(Clone)]
pub struct Journal {
    store: Store,
    meter: Arc<str>,
    workspace: Option<Uuid>,
}

impl Store {
    pub fn journal(&self, meter: &str, workspace: Option<WorkspaceId>) -> Journal {
        Journal {
            store: self.clone(),
            meter: meter.into(),
            workspace: workspace.map(|id| id.0),
        }
    }

    /// All writes since this time, newest first, in all workspaces.
    pub async fn writes_since(
        &self,
        since: DateTime<Utc>,
        meter: Option<&str>,
    ) -> Result<Vec<SentWrite>, StoreError> {
        let (shared, skew) = (self.shared.clone(), self.clock_skew());
        let window = window_params(since, skew, meter);
        self.query(move |connection| {
            mark_orphans_unknown(connection, &shared.process_lock)?;
            let sql = format!(
                "{} WHERE {IS_IN_WINDOW} ORDER BY at DESC, id DESC",
                sends!("")
            );
            let mut statement = connection.prepare_cached(&sql)?;
            statement
                .query_map(window, |row| sent_write_from_row(row, skew))?
                .collect()
        })
        .await
    }

    /// All changes since this time, oldest first, in all workspaces, each with the part that was
    /// applied where that is known.
    pub async fn journal_entries_since(
        &self,
        since: DateTime<Utc>,
        meter: Option<&str>,
    ) -> Result<Vec<JournalEntry>, StoreError> {
        let skew = self.clock_skew();
        let window = window_params(since, skew, meter);
        self.query(move |connection| {
            let mut statement = connection.prepare_cached(&format!(
                "SELECT op, at, wish, of, reason, words, coalesce(applied, change), group_id, service_at FROM acts
                 WHERE {IS_IN_WINDOW} ORDER BY at, op"
            ))?;
            statement
                .query_map(window, |row| journal_entry_from_row(row, skew))?
                .collect()
        })
        .await
    }
}

impl Journal {
    /// Records a change; its writes follow.
    pub fn record_entry(&self, act: JournalEntry) {
        let (meter, workspace, service_at) = (
            self.meter.clone(),
            self.workspace,
            self.store.service_millis(act.at),
        );
        self.store.enqueue_write(move |connection| {
            connection
                .prepare_cached(
                    "INSERT OR IGNORE INTO acts (op, at, meter, workspace_id, wish, of, reason, words, change, group_id, service_at)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
                )?
                .execute(params![
                    act.op,
                    act.at.timestamp_millis(),
                    meter,
                    workspace,
                    act.cause.as_str(),
                    act.original_op,
                    act.reason,
                    act.description,
                    to_json_text(&act.change)?,
                    act.group,
                    service_at,
                ])
                .map(drop)
        });
    }

    /// Records the writes of a request that is about to be sent, each with its change; they are on
    /// disk when this returns.
    ///
    /// # Errors
    /// If they cannot be saved, unless the person allows writes without a journal.
    pub async fn record_sends(
        &self,
        reason: &str,
        at: DateTime<Utc>,
        writes: Vec<(Uuid, OutgoingWrite)>,
    ) -> Result<(), StoreError> {
        let (meter, workspace, shared) = (
            self.meter.clone(),
            self.workspace,
            self.store.shared.clone(),
        );
        let (reason, service_at) = (reason.to_owned(), self.store.service_millis(at));
        let told = self.store.shared.clone();
        let written = self
            .store
            .query(move |connection| {
                if let Some(why) = shared.blocked.get() {
                    return Ok(Some(why.clone()));
                }
                shared.process_lock.acquire();
                let tx = connection.transaction()?;
                for (op, write) in &writes {
                    let body = write.body.as_ref().map(to_json_text).transpose()?.filter(|body| body.len() <= MAX_BODY_BYTES);
                    tx.prepare_cached(
                        "INSERT INTO sends (id, op, at, meter, workspace_id, owner, reason, route, records, body, state, target, service_at)
                         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
                    )?
                    .execute(params![
                        write.id,
                        op,
                        at.timestamp_millis(),
                        meter,
                        workspace,
                        shared.process_lock.id(),
                        reason,
                        write.route,
                        write.record_count() as i64,
                        body,
                        WriteProgress::Sending.as_str(),
                        write.target,
                        service_at,
                    ])?;
                }
                let oldest = (at - chrono::Duration::days(JOURNAL_RETENTION_DAYS)).timestamp_millis();
                for kept in ["DELETE FROM sends WHERE at < ?1", "DELETE FROM acts WHERE at < ?1"] {
                    tx.prepare_cached(kept)?.execute([oldest])?;
                }
                tx.commit().map(|()| None)
            })
            .await;
        let failure = match written {
            Ok(None) => return Ok(()),
            Ok(Some(why)) => StoreError::NotPersisted(why),
            Err(error) => error,
        };
        if told.block_write(&failure.to_string()) {
            Err(failure)
        } else {
            Ok(())
        }
    }

    /// Records the response to a write and its counts, and when it was on the service's clock, if
    /// that was not known before.
    pub fn record_response(&self, write: Uuid, counts: WriteCounts) {
        let skew = self.store.clock_skew().map(|skew| skew.num_milliseconds());
        self.store.enqueue_write(move |connection| {
            for unplaced in [
                "UPDATE sends SET service_at = at + ?2 WHERE id = ?1 AND service_at IS NULL",
                "UPDATE acts SET service_at = at + ?2 WHERE op = (SELECT op FROM sends WHERE id = ?1) AND service_at IS NULL",
            ] {
                connection.prepare_cached(unplaced)?.execute(params![write, skew])?;
            }
            let [changed, rejected] = [counts.changed, counts.rejected].map(|count| count.map(|count| count as i64));
            connection
                .prepare_cached("UPDATE sends SET state = 'done', changed = ?2, rejected = ?3, why = ?4 WHERE id = ?1")?
                .execute(params![write, changed, rejected, counts.rejection_reason])
                .map(drop)
        });
    }

    /// Records the result of a write.
    pub fn record_outcome(&self, write: Uuid, progress: WriteProgress, why: Option<String>) {
        self.store.enqueue_write(move |connection| {
            connection
                .prepare_cached("UPDATE sends SET state = ?2, why = ?3 WHERE id = ?1")?
                .execute(params![write, progress.as_str(), why])
                .map(drop)
        });
    }

    /// The workspace's state at start-up: its last `most` undoable changes; interrupted changes,
    /// including those since `since` to the book, Views and favorites; and how many writes other
    /// live processes have under way. What dead processes left interrupted is this process's from
    /// now on: no other one sends it again. Unreadable entries are skipped.
    pub async fn saved_state(
        &self,
        since: DateTime<Utc>,
        most: u32,
    ) -> Result<SavedState, StoreError> {
        let (meter, workspace, shared) = (
            self.meter.clone(),
            self.workspace,
            self.store.shared.clone(),
        );
        let skew = self.store.clock_skew();
        self.store
            .query(move |connection| {
                let here = &shared.process_lock;
                mark_orphans_unknown(connection, here)?;
                adopt_unknown_writes(connection, &meter, workspace, here)?;
                let said = |error: &rusqlite::Error| tracing::warn!(%error, "some saved changes cannot be read");
                let unknown =
                    select_unknown_writes(connection, &meter, workspace, here, skew).inspect_err(said).unwrap_or_default();
                Ok(SavedState {
                    entries: select_last_entries(connection, &meter, workspace, most, skew).inspect_err(said).unwrap_or_default(),
                    unconfirmed_writes: select_unconfirmed_entries(connection, &meter, workspace, here, since)
                        .inspect_err(said)
                        .unwrap_or_default(),
                    interrupted_triage: select_interrupted_triage(connection, &unknown, skew)
                        .inspect_err(said)
                        .unwrap_or_default(),
                    writes_in_other_process: count_writes_in_other_processes(connection, &meter, workspace, here)
                        .inspect_err(said)
                        .unwrap_or_default(),
                    ..SavedState::default()
                })
            })
            .await
    }

    /// Records which part of a change was applied.
    pub fn record_applied(&self, op: Uuid, change: JournalChange) {
        self.store.enqueue_write(move |connection| {
            connection
                .prepare_cached("UPDATE acts SET applied = ?2 WHERE op = ?1")?
                .execute(params![op, to_json_text(&change)?])
                .map(drop)
        });
    }

    /// Records that all writes of a change that were interrupted are known to be done.
    pub fn settle_interrupted(&self, op: Uuid) {
        self.store.enqueue_write(move |connection| {
            connection
                .prepare_cached(
                    "UPDATE sends SET state = 'done', why = ?2 WHERE op = ?1 AND state = 'unknown'",
                )?
                .execute(params![op, CHECKED_REASON])
                .map(drop)
        });
    }

    /// The last `most` changes of this workspace that can be undone, oldest first, each with the
    /// part that was applied.
    pub async fn last_entries(&self, most: u32) -> Result<Vec<JournalEntry>, StoreError> {
        let (meter, workspace, skew) =
            (self.meter.clone(), self.workspace, self.store.clock_skew());
        self.store
            .query(move |connection| select_last_entries(connection, &meter, workspace, most, skew))
            .await
    }

    /// The newest `most` writes of this workspace, newest first, and the latest changes, oldest
    /// first.
    pub async fn latest(
        &self,
        most: u32,
    ) -> Result<(Vec<JournalEntry>, Vec<SentWrite>), StoreError> {
        let (meter, workspace, shared) = (
            self.meter.clone(),
            self.workspace,
            self.store.shared.clone(),
        );
        let skew = self.store.clock_skew();
        self.store
            .query(move |connection| {
                mark_orphans_unknown(connection, &shared.process_lock)?;
                let sent = connection
                    .prepare_cached(sends!("WHERE meter = ?1 AND workspace_id IS ?2 ORDER BY at DESC, id DESC LIMIT ?3"))?
                    .query_map(params![meter, workspace, most], |row| sent_write_from_row(row, skew))?
                    .collect::<rusqlite::Result<Vec<_>>>()?;
                let mut entries = connection
                    .prepare_cached(
                        "SELECT op, at, wish, of, reason, words, coalesce(applied, change), group_id, service_at FROM acts
                         WHERE meter = ?1 AND workspace_id IS ?2 ORDER BY at DESC, op DESC LIMIT ?3",
                    )?
                    .query_map(params![meter, workspace, most], |row| journal_entry_from_row(row, skew))?
                    .collect::<rusqlite::Result<Vec<_>>>()?;
                entries.reverse();
                Ok((entries, sent))
            })
            .await
    }

    /// Resolves this process's triage with an unknown result from what was read: signals that have
    /// `status`, and signals that do not.
    pub fn record_reconciliation(
        &self,
        status: TriageStatus,
        gone: Vec<SignalId>,
        not_gone: Vec<SignalId>,
    ) {
        let (meter, workspace, shared) = (
            self.meter.clone(),
            self.workspace,
            self.store.shared.clone(),
        );
        self.store.enqueue_write(move |connection| {
            let unknown =
                select_unknown_writes(connection, &meter, workspace, &shared.process_lock, None)?;
            resolve_unknown_triage(connection, &unknown, &status, &gone, &not_gone)
        });
    }
}

fn select_last_entries(
    connection: &Connection,
    meter: &str,
    workspace: Option<Uuid>,
    most: u32,
    skew: Option<TimeDelta>,
) -> rusqlite::Result<Vec<JournalEntry>> {
    let mut acts = connection
        .prepare_cached(
            "SELECT op, at, wish, of, reason, words, coalesce(applied, change), group_id, service_at FROM acts
             WHERE meter = ?1 AND workspace_id IS ?2 AND (change ->> 'kind' = 'triage' OR change -> 'changes' IS NOT NULL)
               AND EXISTS (SELECT 1 FROM sends WHERE sends.op = acts.op AND state = 'done')
               OR meter = ?1 AND workspace_id IS ?2 AND change ->> 'kind' = 'snooze'
             ORDER BY at DESC, op DESC LIMIT ?3",
        )?
        .query_map(params![meter, workspace, most], |row| journal_entry_from_row(row, skew))?
        .collect::<rusqlite::Result<Vec<_>>>()?;
    acts.reverse();
    let mut moved = connection
        .prepare_cached("SELECT value FROM sends, json_each(sends.body, '$.signal_ids') WHERE op = ?1 AND state = 'done'")?;
    for act in &mut acts {
        if let JournalChange::Triage { signals, .. } = &mut act.change {
            let ids: HashSet<String> = moved
                .query_map([act.op], |row| row.get(0))?
                .collect::<rusqlite::Result<_>>()?;
            signals.retain(|signal| ids.contains(&signal.id.to_string()));
        }
    }
    Ok(acts)
}
