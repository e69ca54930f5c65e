//! The spend ledger: what each request cost, for which workspace and why, compared with the
//! service's meter.
//!
//! An entry is written when a request is sent and completed when it is answered. If a route does
//! not report its cost, the entry's price stays unknown until two readings of the meter, with
//! nothing else in between, show it.
//!
//! Never here: what a price should be.

use std::sync::Arc;

use chrono::{DateTime, SubsecRound, TimeDelta, Utc};
use rusqlite::{Connection, OptionalExtension, Row, TransactionBehavior, params};
use uuid::Uuid;

use super::clock_skew::{IS_IN_WINDOW, placed_timestamp, window_params};
use super::{Durability, Store, StoreError};
use crate::domain::WorkspaceId;
use crate::domain::budgets::{BudgetExceeded, Budgets, CreditsSpent, Enforcement};
use crate::domain::credits::{
    Credits, LEDGER_REPORT_PERIOD, LedgerEntry, LedgerReport, MAX_LATEST_ENTRIES, METER_WINDOW,
    MeterReconciliation, RequestCost, UsageSum,
};

/// Days after which entries are deleted.
const LEDGER_RETENTION_DAYS: i64 = 400;
/// Quarters of an hour start at the same moment in every time zone.
const QUARTER_HOUR_MS: i64 = 15 * 60 * 1000;

/// The ledger of one meter: one workspace of one service.
#[derive(Clone)]
pub struct Ledger {
    store: Store,
    meter: Arc<str>,
    workspace: Option<Uuid>,
}

impl Store {
    /// `meter` is an address, a file, or one run of the sample data.
    pub fn ledger(&self, meter: &str, workspace: Option<WorkspaceId>) -> Ledger {
        Ledger {
            store: self.clone(),
            meter: meter.into(),
            workspace: workspace.map(|id| id.0),
        }
    }

    /// All entries since this time, newest first, in all workspaces.
    pub async fn ledger_entries_since(
        &self,
        since: DateTime<Utc>,
        meter: Option<&str>,
    ) -> Result<Vec<LedgerEntry>, StoreError> {
        let skew = self.clock_skew();
        let window = window_params(since, skew, meter);
        self.query(move |connection| {
            let sql =
                format!("{SELECT_LEDGER_ENTRIES} WHERE {IS_IN_WINDOW} ORDER BY at DESC, id DESC");
            let mut entries = connection.prepare_cached(&sql)?;
            entries
                .query_map(window, |row| ledger_entry_from_row(row, skew))?
                .collect()
        })
        .await
    }
}

impl Ledger {
    /// Records the cost of a request, or an update of the same request. Only spent credits wait for
    /// the disk.
    pub fn record(&self, at: DateTime<Utc>, reason: &str, op: Uuid, spending: RequestCost) {
        let (ledger, reason) = (self.key(), reason.to_owned());
        let spends = spending
            .credits
            .or(spending.max_credits)
            .is_some_and(|credits| credits > 0);
        let durability = if spends {
            Durability::Machine
        } else {
            Durability::Program
        };
        self.store.enqueue_write_as(durability, move |connection| {
            ledger.insert(connection, at, &reason, op, &spending)
        });
    }

    /// Reserves the most a request may cost before it is sent, unless that would exceed a hard
    /// budget; returns the soft budget it exceeds. Requests under way count with their maximum, so
    /// that two of them cannot exceed a budget together.
    pub async fn reserve(
        &self,
        at: DateTime<Utc>,
        reason: &str,
        op: Uuid,
        spending: RequestCost,
        budgets: Budgets,
    ) -> Result<Option<BudgetExceeded>, StoreError> {
        let (ledger, reason) = (self.key(), reason.to_owned());
        let job = move |connection: &mut Connection| {
            let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let spent = ledger.total_spent(&tx, at)?;
            if let Some(passed) =
                budgets.find_exceeded(Enforcement::Hard, spent, spending.max_credits)
            {
                return Ok(Some(passed));
            }
            ledger.insert(&tx, at, &reason, op, &spending)?;
            tx.commit()?;
            Ok(budgets.find_exceeded(Enforcement::Soft, spent, spending.max_credits))
        };
        self.store.query(job).await
    }

    /// Credits spent from this machine, including requests under way.
    pub async fn total_spent(&self, at: DateTime<Utc>) -> Result<CreditsSpent, StoreError> {
        let ledger = self.key();
        self.store
            .query(move |connection| ledger.total_spent(connection, at))
            .await
    }

    /// The ledger as shown on the Credits screen, compared with the meter.
    pub async fn report(
        &self,
        at: DateTime<Utc>,
        meter: Result<Credits, String>,
    ) -> Result<LedgerReport, StoreError> {
        let settlement = match meter.as_ref().ok().and_then(|credits| credits.used) {
            Some(used) => Some(self.reconcile(at, used).await?),
            None => None,
        };
        let ledger = self.key();
        let job = move |connection: &mut Connection| {
            Ok(LedgerReport {
                meter,
                reconciliation: settlement,
                spent: ledger.total_spent(connection, at)?,
                readings: ledger.readings(connection, at - METER_WINDOW)?,
                usage: ledger.usage_sums(connection, at - LEDGER_REPORT_PERIOD)?,
                latest_entries: ledger.latest_entries(connection)?,
            })
        };
        self.store.query(job).await
    }

    pub fn budgets(&self) -> Budgets {
        self.store.budgets()
    }

    fn key(&self) -> LedgerKey {
        let skew = self.store.clock_skew();
        LedgerKey {
            meter: self.meter.clone(),
            workspace: self.workspace,
            session: self.store.session_id(),
            skew,
        }
    }

    /// Records a meter reading. If the meter moved by exactly the booked credits since the last
    /// reading, the entries of unknown price cost nothing and are confirmed as 0.
    pub fn record_meter_reading(&self, at: DateTime<Utc>, credits: &Credits) {
        let Some(used) = credits.used else { return };
        let released = credits
            .next_release_at
            .as_ref()
            .and_then(|when| when.date_time());
        let (meter, workspace) = (self.meter.clone(), self.workspace);
        self.store.enqueue_write(move |connection| {
            settle_unknown_prices(connection, &meter, workspace, at, used)?;
            connection
                .prepare_cached(
                    "INSERT INTO readings (at, meter, workspace_id, used, next_release_at) VALUES (?1, ?2, ?3, ?4, ?5)",
                )?
                .execute(params![
                    at.timestamp_millis(),
                    meter,
                    workspace,
                    saturating_i64(used),
                    released.map(|at| at.timestamp_millis())
                ])?;
            delete_expired(connection, at)
        });
    }

    /// Compares the ledger with the meter.
    pub async fn reconcile(
        &self,
        at: DateTime<Utc>,
        used: u64,
    ) -> Result<MeterReconciliation, StoreError> {
        let (meter, workspace, since) = (
            self.meter.clone(),
            self.workspace,
            (at - METER_WINDOW).trunc_subsecs(3),
        );
        let (booked, unknown) = self
            .store
            .query(move |connection| sum_credits(connection, &meter, workspace, since, None))
            .await?;
        Ok(MeterReconciliation {
            since,
            used,
            booked,
            unknown,
            drift: saturating_i64(used).saturating_sub(saturating_i64(booked)),
        })
    }
}

/// Selects the entries of one workspace, for a job of the store.
struct LedgerKey {
    meter: Arc<str>,
    workspace: Option<Uuid>,
    session: Uuid,
    /// How far the service's clock is ahead, once it has responded.
    skew: Option<TimeDelta>,
}

impl LedgerKey {
    fn insert(
        &self,
        connection: &Connection,
        at: DateTime<Utc>,
        reason: &str,
        op: Uuid,
        spending: &RequestCost,
    ) -> rusqlite::Result<()> {
        connection
            .prepare_cached(
                "INSERT INTO ledger (id, at, meter, workspace_id, route, reason, op, rows, credits, most, session, service_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?2 + ?12)
                 ON CONFLICT DO UPDATE SET rows = excluded.rows, credits = excluded.credits,
                   service_at = ifnull(service_at, excluded.service_at)",
            )?
            .execute(params![
                spending.id,
                at.timestamp_millis(),
                self.meter,
                self.workspace,
                spending.route,
                reason,
                op,
                spending.rows.map(saturating_i64),
                price_to_sql(spending.credits),
                price_to_sql(spending.max_credits),
                self.session,
                self.skew.map(|skew| skew.num_milliseconds()),
            ])
            .map(drop)
    }

    fn total_spent(
        &self,
        connection: &Connection,
        at: DateTime<Utc>,
    ) -> rusqlite::Result<CreditsSpent> {
        connection
            .prepare_cached(
                "SELECT (SELECT ifnull(sum(ifnull(credits, most)), 0) FROM ledger
                         WHERE meter = ?1 AND workspace_id IS ?2 AND session = ?3),
                        (SELECT ifnull(sum(ifnull(credits, most)), 0) FROM ledger
                         WHERE meter = ?1 AND workspace_id IS ?2 AND at >= ?4)",
            )?
            .query_row(
                params![
                    self.meter,
                    self.workspace,
                    self.session,
                    (at - METER_WINDOW).timestamp_millis()
                ],
                |row| {
                    Ok(CreditsSpent {
                        session: non_negative_u64(row.get(0)?),
                        day: non_negative_u64(row.get(1)?),
                    })
                },
            )
    }

    fn readings(
        &self,
        connection: &Connection,
        since: DateTime<Utc>,
    ) -> rusqlite::Result<Vec<(DateTime<Utc>, u64)>> {
        connection
            .prepare_cached("SELECT at, used FROM readings WHERE meter = ?1 AND workspace_id IS ?2 AND at >= ?3 ORDER BY at")?
            .query_map(params![self.meter, self.workspace, since.timestamp_millis()], |row| {
                Ok((timestamp_from_millis(row.get(0)?), non_negative_u64(row.get(1)?)))
            })?
            .collect()
    }

    fn usage_sums(
        &self,
        connection: &Connection,
        since: DateTime<Utc>,
    ) -> rusqlite::Result<Vec<UsageSum>> {
        connection
            .prepare_cached(
                "SELECT at - at % ?4 AS quarter, route, reason, count(*), ifnull(sum(credits), 0),
                   count(*) FILTER (WHERE credits IS NULL)
                 FROM ledger WHERE meter = ?1 AND workspace_id IS ?2 AND at >= ?3
                 GROUP BY quarter, route, reason ORDER BY quarter DESC, route, reason",
            )?
            .query_map(
                params![
                    self.meter,
                    self.workspace,
                    since.timestamp_millis(),
                    QUARTER_HOUR_MS
                ],
                |row| {
                    Ok(UsageSum {
                        at: timestamp_from_millis(row.get(0)?),
                        route: row.get(1)?,
                        reason: row.get(2)?,
                        requests: non_negative_u64(row.get(3)?),
                        credits: non_negative_u64(row.get(4)?),
                        unknown: non_negative_u64(row.get(5)?),
                    })
                },
            )?
            .collect()
    }

    fn latest_entries(&self, connection: &Connection) -> rusqlite::Result<Vec<LedgerEntry>> {
        connection
            .prepare_cached(&format!(
                "{SELECT_LEDGER_ENTRIES} WHERE meter = ?1 AND workspace_id IS ?2 ORDER BY at DESC, id DESC LIMIT ?3"
            ))?
            .query_map(params![self.meter, self.workspace, MAX_LATEST_ENTRIES], |row| ledger_entry_from_row(row, self.skew))?
            .collect()
    }
}

/// The credits booked between two times, and how many entries have no price.
fn sum_credits(
    connection: &Connection,
    meter: &str,
    workspace: Option<Uuid>,
    from: DateTime<Utc>,
    to: Option<DateTime<Utc>>,
) -> rusqlite::Result<(u64, u64)> {
    connection
        .prepare_cached(
            "SELECT ifnull(sum(credits), 0), count(*) FILTER (WHERE credits IS NULL) FROM ledger
             WHERE meter = ?1 AND workspace_id IS ?2 AND at >= ?3 AND at < ifnull(?4, at + 1)",
        )?
        .query_row(
            params![
                meter,
                workspace,
                from.timestamp_millis(),
                to.map(|at| at.timestamp_millis())
            ],
            |row| Ok((non_negative_u64(row.get(0)?), non_negative_u64(row.get(1)?))),
        )
}

/// Confirms entries of unknown price since the last reading, if no credits were released from the
/// window meanwhile.
fn settle_unknown_prices(
    connection: &Connection,
    meter: &str,
    workspace: Option<Uuid>,
    at: DateTime<Utc>,
    used: u64,
) -> rusqlite::Result<()> {
    let last: Option<(i64, i64, Option<i64>)> = connection
        .prepare_cached(
            "SELECT at, used, next_release_at FROM readings WHERE meter = ?1 AND workspace_id IS ?2 ORDER BY at DESC LIMIT 1",
        )?
        .query_row(params![meter, workspace], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .optional()?;
    let Some((from, before, release)) = last else {
        return Ok(());
    };
    let now = at.timestamp_millis();
    if release.is_some_and(|release| release <= now) {
        return Ok(());
    }
    let since = DateTime::from_timestamp_millis(from).unwrap_or_default();
    let (booked, unknown) = sum_credits(connection, meter, workspace, since, Some(at))?;
    if unknown > 0 && used.checked_sub(non_negative_u64(before)) == Some(booked) {
        connection
            .prepare_cached(
                "UPDATE ledger SET credits = 0, settled = 1
                 WHERE credits IS NULL AND meter = ?1 AND workspace_id IS ?2 AND at >= ?3 AND at < ?4",
            )?
            .execute(params![meter, workspace, from, now])?;
    }
    Ok(())
}

/// Deletes entries that are too old.
fn delete_expired(connection: &Connection, now: DateTime<Utc>) -> rusqlite::Result<()> {
    let oldest = (now - chrono::Duration::days(LEDGER_RETENTION_DAYS)).timestamp_millis();
    connection
        .prepare_cached("DELETE FROM ledger WHERE at < ?1")?
        .execute([oldest])?;
    connection
        .prepare_cached("DELETE FROM readings WHERE at < ?1")?
        .execute([oldest])?;
    Ok(())
}

/// No request can cost more.
const MAX_PLAUSIBLE_CREDITS: u64 = 1 << 32;

const SELECT_LEDGER_ENTRIES: &str =
    "SELECT at, credits, settled, rows, route, reason, op, workspace_id, service_at FROM ledger";

fn ledger_entry_from_row(row: &Row<'_>, skew: Option<TimeDelta>) -> rusqlite::Result<LedgerEntry> {
    Ok(LedgerEntry {
        at: placed_timestamp(row, 0, 8, skew)?,
        credits: row.get::<_, Option<i64>>(1)?.map(non_negative_u64),
        settled: row.get(2)?,
        rows: row.get::<_, Option<i64>>(3)?.map(non_negative_u64),
        route: row.get(4)?,
        reason: row.get(5)?,
        op: row.get(6)?,
        workspace_id: row.get::<_, Option<Uuid>>(7)?.map(WorkspaceId),
    })
}

fn timestamp_from_millis(millis: i64) -> DateTime<Utc> {
    DateTime::from_timestamp_millis(millis).unwrap_or_default()
}

/// A price as it is stored. An impossible one becomes unknown, because it would overflow every sum
/// over the ledger.
fn price_to_sql(credits: Option<u64>) -> Option<i64> {
    credits
        .filter(|credits| *credits <= MAX_PLAUSIBLE_CREDITS)
        .map(saturating_i64)
}

fn saturating_i64(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn non_negative_u64(number: i64) -> u64 {
    number.max(0).unsigned_abs()
}
