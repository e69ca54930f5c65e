//! Charges between the read that they pay for and the database: a read is charged in memory and
//! never waits for the writer, which writes what has accumulated as soon as it is free.
//!
//! The meter is exact: it counts what is in the database, what is being written, and what is
//! waiting. Only a service that is killed loses charges, those that its writer had not yet written.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, Utc};

use super::credits::{self, CreditMeter, CreditsExhausted};
use super::{Conn, sql};
use crate::domain::WorkspaceId;

/// Credits by workspace and minute.
type Charges = BTreeMap<(WorkspaceId, i64), i64>;

#[derive(Default)]
pub struct PendingCharges(Mutex<ChargeState>);

#[derive(Default)]
struct ChargeState {
    waiting: Charges,
    /// In a transaction that is not known to be committed.
    writing: Charges,
    /// What the database held before that transaction: while it is open, nobody can tell whether a
    /// snapshot contains it.
    stored: BTreeMap<WorkspaceId, CreditMeter>,
    is_write_queued: bool,
}

impl PendingCharges {
    fn lock(&self) -> MutexGuard<'_, ChargeState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Charges a read, unless the limit is reached; returns whether a [`PendingCharges::write`]
    /// must be queued. Charges are serialized, but a read is charged after it: the limit is never
    /// exceeded by more than one page. `tx` must not have been read from.
    pub fn charge(
        &self,
        tx: &Conn,
        workspace: WorkspaceId,
        credits: u32,
        now: DateTime<Utc>,
    ) -> sql::Result<Result<bool, CreditsExhausted>> {
        let mut state = self.lock();
        if let Err(exhausted) = state.read_meter(tx, workspace, now)?.check(now) {
            return Ok(Err(exhausted));
        }
        *state
            .waiting
            .entry((workspace, credits::minute_of(now)))
            .or_default() += i64::from(credits);
        Ok(Ok(!std::mem::replace(&mut state.is_write_queued, true)))
    }

    /// Reads a workspace's meter. `tx` must not have been read from.
    pub fn read_meter(
        &self,
        tx: &Conn,
        workspace: WorkspaceId,
        now: DateTime<Utc>,
    ) -> sql::Result<CreditMeter> {
        self.lock().read_meter(tx, workspace, now)
    }

    /// Writes what is waiting. If that fails, it waits for the next charge or for the end of the
    /// service.
    pub fn write(&self, conn: &Conn) {
        let batch = {
            let mut state = self.lock();
            state.is_write_queued = false;
            state.writing = std::mem::take(&mut state.waiting);
            state.writing.clone()
        };
        if batch.is_empty() {
            return;
        }
        let written = conn.begin_write().and_then(|tx| {
            for ((workspace, minute), credits) in &batch {
                credits::add_spending(&tx, *workspace, *minute, *credits)?;
            }
            tx.commit()
        });
        let mut state = self.lock();
        state.writing.clear();
        if let Err(error) = &written {
            tracing::warn!(%error, "spent credits are not on disk yet");
        }
        for ((workspace, minute), credits) in batch {
            if written.is_err() {
                *state.waiting.entry((workspace, minute)).or_default() += credits;
            } else if let Some(stored) = state.stored.get_mut(&workspace) {
                stored.add(minute, credits);
            }
        }
    }
}

impl ChargeState {
    fn read_meter(
        &mut self,
        tx: &Conn,
        workspace: WorkspaceId,
        now: DateTime<Utc>,
    ) -> sql::Result<CreditMeter> {
        let of_workspace = (workspace, i64::MIN)..=(workspace, i64::MAX);
        let known = match self.writing.range(of_workspace.clone()).next() {
            Some(_) => self.stored.get(&workspace),
            None => None,
        };
        let mut meter = match known {
            Some(meter) => meter.at(now),
            None => {
                let meter = credits::read_meter(tx, workspace, now)?;
                self.stored.insert(workspace, meter.clone());
                meter
            }
        };
        for ((_, minute), credits) in self
            .writing
            .range(of_workspace.clone())
            .chain(self.waiting.range(of_workspace))
        {
            meter.add(*minute, *credits);
        }
        Ok(meter)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Storage, open};
    use super::*;

    #[test]
    fn a_charge_counts_before_during_and_after_its_write_and_when_the_write_fails() {
        let folder = tempfile::tempdir().unwrap();
        let file = Storage::File(folder.path().join("desk.db"));
        let open::OpenedDatabase {
            writers, readers, ..
        } = open::open_connections(&file, 1, 2).unwrap();
        let writer = &writers[0];
        let now: DateTime<Utc> = "2026-07-09T16:20:30Z".parse().unwrap();
        let workspace = WorkspaceId(uuid::Uuid::from_u128(7));
        writer
            .execute(
                "INSERT INTO workspaces (id, name, plan, created_at) VALUES (?1, 'Desk', 'pro', 0)",
                [workspace.0],
            )
            .unwrap();
        let charges = PendingCharges::default();
        let used = |conn: &Conn| charges.read_meter(conn, workspace, now).unwrap().used;
        let stored = |conn: &Conn| credits::read_meter(conn, workspace, now).unwrap().used;
        assert_eq!(
            charges.charge(&readers[0], workspace, 5, now).unwrap(),
            Ok(true)
        );
        assert_eq!(
            charges.charge(&readers[0], workspace, 2, now).unwrap(),
            Ok(false),
            "one write is queued"
        );
        assert_eq!((used(&readers[0]), stored(&readers[0])), (7, 0));
        charges.write(&readers[1]); // fails: it can only read
        assert_eq!((used(&readers[0]), stored(&readers[0])), (7, 0));
        charges.write(writer);
        assert_eq!((used(&readers[0]), stored(&readers[0])), (7, 7));

        // in the middle of a write: the database has it already, or not yet
        let batch = Charges::from([((workspace, credits::minute_of(now)), 4)]);
        charges.lock().writing = batch;
        assert_eq!(used(&readers[0]), 11);
        credits::add_spending(writer, workspace, credits::minute_of(now), 4).unwrap();
        assert_eq!(used(&readers[0]), 11);
        charges.lock().writing.clear();
        assert_eq!(used(&readers[0]), 11);

        let rest = u32::try_from(credits::CREDIT_LIMIT - 11).unwrap();
        assert!(
            charges
                .charge(&readers[0], workspace, rest, now)
                .unwrap()
                .is_ok()
        );
        let refused = charges
            .charge(&readers[0], workspace, 1, now)
            .unwrap()
            .unwrap_err();
        assert_eq!(
            (refused.used, refused.retry_after),
            (credits::CREDIT_LIMIT, 24 * 3600 + 31)
        );
    }
}
