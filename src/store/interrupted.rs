//! Interrupted writes: those whose process died, or whose response was lost. Each is looked up by
//! one process: the one that sent it, or after its end the first that starts.
//!
//! Never here: whether one is sent again.

use std::collections::HashSet;

use chrono::{DateTime, TimeDelta, Utc};
use rusqlite::{Connection, OptionalExtension as _, params};
use serde::Deserialize;
use uuid::Uuid;

use super::journal_rows::{journal_entry_from_row, sends, sent_write_from_row};
use super::process_lock::ProcessLock;
use super::to_json_text;
use crate::domain::SignalId;
use crate::domain::journal::{
    EntryCause, InterruptedTriage, JournalChange, JournalEntry, SentWrite, TriageMove,
    WriteProgress,
};
use crate::domain::queue::TriageStatus;

/// Why the result of an interrupted write is known.
pub(super) const CHECKED_REASON: &str = "checked after an interruption";

/// Resolves this process's triage with an unknown result from what was read: signals that have
/// `status`, and signals that do not. A signal that was sent twice belongs to the later write.
pub(super) fn resolve_unknown_triage(
    connection: &Connection,
    unknown: &[SentWrite],
    status: &TriageStatus,
    gone: &[SignalId],
    not_gone: &[SignalId],
) -> rusqlite::Result<()> {
    let mut gone: HashSet<SignalId> = gone.iter().copied().collect();
    let mut not_gone: HashSet<SignalId> = not_gone.iter().copied().collect();
    for sent in unknown.iter().rev() {
        let Some(broken) = TriageBody::from_write(sent).filter(|broken| broken.status == *status)
        else {
            continue;
        };
        let (arrived, rest): (Vec<_>, Vec<_>) = broken
            .signal_ids
            .into_iter()
            .partition(|id| gone.remove(id));
        let (left, unknown): (Vec<_>, Vec<_>) =
            rest.into_iter().partition(|id| not_gone.contains(id));
        not_gone.extend(&arrived);
        let parts = [
            (WriteProgress::Done, arrived),
            (WriteProgress::NotSent, left),
            (WriteProgress::Unknown, unknown),
        ];
        record_reconciled_parts(connection, sent, status, parts)?;
    }
    Ok(())
}

/// What a triage has sent.
#[derive(Deserialize)]
struct TriageBody {
    signal_ids: Vec<SignalId>,
    status: TriageStatus,
}

impl TriageBody {
    fn from_write(sent: &SentWrite) -> Option<TriageBody> {
        serde_json::from_value(sent.body.clone()?).ok()
    }
}

/// Resolves a triage of which only some signals were changed: one row per part.
fn record_reconciled_parts(
    connection: &Connection,
    sent: &SentWrite,
    status: &TriageStatus,
    parts: [(WriteProgress, Vec<SignalId>); 3],
) -> rusqlite::Result<()> {
    let mut id = Some(sent.id);
    for (progress, ids) in parts.into_iter().filter(|(_, ids)| !ids.is_empty()) {
        // The first part keeps the existing row; the others get new rows.
        let line = match id.take() {
            Some(id) => id,
            None => {
                let line = Uuid::now_v7();
                connection
                    .prepare_cached(
                        "INSERT INTO sends (id, op, at, meter, workspace_id, owner, reason, route, records, body, state, service_at)
                         SELECT ?2, op, at, meter, workspace_id, owner, reason, route, records, body, state, service_at
                         FROM sends WHERE id = ?1",
                    )?
                    .execute(params![sent.id, line])?;
                line
            }
        };
        let body = to_json_text(&serde_json::json!({ "signal_ids": ids, "status": status }))?;
        let why = (progress != WriteProgress::Unknown).then_some(CHECKED_REASON);
        connection
            .prepare_cached("UPDATE sends SET state = ?2, why = coalesce(?3, why), records = ?4, body = ?5 WHERE id = ?1")?
            .execute(params![line, progress.as_str(), why, ids.len() as i64, body])?;
    }
    Ok(())
}

/// Writes to the book, Views or favorites with a part of unknown result that was not sent again,
/// oldest first: those since `since`, and the last change of the workspace. Their times are this
/// machine's, which decide whether they are sent again.
pub(super) fn select_unconfirmed_entries(
    connection: &Connection,
    meter: &str,
    workspace: Option<Uuid>,
    here: &ProcessLock,
    since: DateTime<Utc>,
) -> rusqlite::Result<Vec<JournalEntry>> {
    connection
        .prepare_cached(
            "SELECT op, at, wish, of, reason, words, change, group_id, NULL FROM acts
             WHERE meter = ?1 AND workspace_id IS ?2 AND change -> 'changes' IS NOT NULL
               AND (at >= ?3 OR op = (SELECT op FROM acts WHERE meter = ?1 AND workspace_id IS ?2
                                      ORDER BY at DESC, op DESC LIMIT 1))
               AND EXISTS (SELECT 1 FROM sends WHERE op = acts.op AND state = 'unknown' AND owner = ?4 AND NOT EXISTS
                           (SELECT 1 FROM sends AS again WHERE op = acts.op AND state = 'done' AND body IS sends.body))
               AND NOT EXISTS (SELECT 1 FROM sends WHERE op = acts.op AND state = 'sending')
             ORDER BY at, op",
        )?
        .query_map(params![meter, workspace, since.timestamp_millis(), here.id()], |row| journal_entry_from_row(row, None))?
        .collect()
}

/// This process's writes with an unknown result, oldest first.
pub(super) fn select_unknown_writes(
    connection: &Connection,
    meter: &str,
    workspace: Option<Uuid>,
    here: &ProcessLock,
    skew: Option<TimeDelta>,
) -> rusqlite::Result<Vec<SentWrite>> {
    connection
        .prepare_cached(sends!("WHERE state = 'unknown' AND meter = ?1 AND workspace_id IS ?2 AND owner = ?3 ORDER BY at, id"))?
        .query_map(params![meter, workspace, here.id()], |row| sent_write_from_row(row, skew))?
        .collect()
}

/// The triages among writes of unknown result, one of each change.
pub(super) fn select_interrupted_triage(
    connection: &Connection,
    unknown: &[SentWrite],
    skew: Option<TimeDelta>,
) -> rusqlite::Result<Vec<InterruptedTriage>> {
    let mut entry = connection
        .prepare_cached("SELECT op, at, wish, of, reason, words, change, group_id, service_at FROM acts WHERE op = ?1")?;
    let mut interrupted: Vec<InterruptedTriage> = Vec::new();
    for sent in unknown {
        let Some(TriageBody {
            signal_ids: ids,
            status,
        }) = TriageBody::from_write(sent)
        else {
            continue;
        };
        if let Some(known) = interrupted
            .iter_mut()
            .find(|known| known.entry.op == sent.op)
        {
            known.ids.extend(
                ids.into_iter()
                    .filter(|id| !known.ids.contains(id))
                    .collect::<Vec<_>>(),
            );
            continue;
        }
        let entry = entry
            .query_row([sent.op], |row| journal_entry_from_row(row, skew))
            .optional()?;
        let entry = entry.unwrap_or_else(|| new_triage_entry(sent, &ids, status));
        interrupted.push(InterruptedTriage { entry, ids });
    }
    Ok(interrupted)
}

/// The change of a triage that a command of its own has sent.
fn new_triage_entry(sent: &SentWrite, ids: &[SignalId], after: TriageStatus) -> JournalEntry {
    let before = if after == TriageStatus::Done {
        TriageStatus::New
    } else {
        TriageStatus::Done
    };
    let signals = ids
        .iter()
        .map(|id| TriageMove {
            id: id.0,
            row: None,
        })
        .collect();
    JournalEntry {
        op: sent.op,
        at: sent.at,
        cause: EntryCause::New,
        original_op: None,
        reason: sent.reason.clone(),
        description: if ids.len() == 1 {
            "1 signal".to_owned()
        } else {
            format!("{} signals", ids.len())
        },
        group: None,
        change: JournalChange::Triage {
            before,
            after,
            signals,
        },
    }
}

/// Records in writes that other live processes have sent and not got a response for.
pub(super) fn count_writes_in_other_processes(
    connection: &Connection,
    meter: &str,
    workspace: Option<Uuid>,
    alive: &ProcessLock,
) -> rusqlite::Result<u64> {
    connection
        .prepare_cached(
            "SELECT coalesce(sum(records), 0) FROM sends
             WHERE state = 'sending' AND owner <> ?1 AND meter = ?2 AND workspace_id IS ?3",
        )?
        .query_row(params![alive.id(), meter, workspace], |row| {
            row.get::<_, i64>(0)
        })
        .map(i64::unsigned_abs)
}

/// The dead processes among those that have writes in this state.
fn select_dead_owners(
    connection: &Connection,
    state: &WriteProgress,
    alive: &ProcessLock,
) -> rusqlite::Result<Vec<Uuid>> {
    let mut owners = connection
        .prepare_cached("SELECT DISTINCT owner FROM sends WHERE state = ?1")?
        .query_map([state.as_str()], |row| row.get(0))?
        .collect::<rusqlite::Result<Vec<Uuid>>>()?;
    owners.retain(|owner| !alive.is_process_alive(*owner));
    Ok(owners)
}

/// Makes the writes of unknown result of dead processes this process's.
pub(super) fn adopt_unknown_writes(
    connection: &Connection,
    meter: &str,
    workspace: Option<Uuid>,
    here: &ProcessLock,
) -> rusqlite::Result<()> {
    for owner in select_dead_owners(connection, &WriteProgress::Unknown, here)? {
        // Others see that it is alive before they see that these are its.
        here.acquire();
        connection
            .prepare_cached(
                "UPDATE sends SET owner = ?1 WHERE owner = ?2 AND state = 'unknown' AND meter = ?3 AND workspace_id IS ?4",
            )?
            .execute(params![here.id(), owner, meter, workspace])?;
    }
    Ok(())
}

/// Marks the pending writes of dead processes as unknown.
pub(super) fn mark_orphans_unknown(
    connection: &Connection,
    alive: &ProcessLock,
) -> rusqlite::Result<()> {
    for owner in select_dead_owners(connection, &WriteProgress::Sending, alive)? {
        connection
            .prepare_cached("UPDATE sends SET state = 'unknown', why = ?2 WHERE owner = ?1 AND state = 'sending'")?
            .execute(params![owner, "gantry ended before the response came"])?;
    }
    Ok(())
}
