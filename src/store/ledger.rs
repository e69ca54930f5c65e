//! The spend ledger: what each request took, for whom and why, beside what the service's meter says.
//!
//! A line is written when a request leaves and completed when it is answered. A route that does not tell its price leaves a line of
//! unknown price; two readings of the meter between which nothing else moved tell it.
//!
//! Never here: what a price should be.

use std::sync::Arc;

use chrono::{DateTime, SubsecRound, Utc};
use rusqlite::{Connection, OptionalExtension, params};
use uuid::Uuid;

use super::{Error, Store};
use crate::domain::WorkspaceId;
use crate::domain::credits::{Credits, Entry, Settlement, Spending, WINDOW};

/// Lines are kept for so many days.
const KEPT_DAYS: i64 = 400;

/// The ledger of one meter: one workspace of one service.
#[derive(Clone)]
pub struct Ledger {
    store: Store,
    meter: Arc<str>,
    workspace: Option<WorkspaceId>,
}

impl Store {
    /// The ledger of a workspace behind this meter: an address, a file, or one run of the sample world.
    pub fn ledger(&self, meter: &str, workspace: Option<WorkspaceId>) -> Ledger {
        Ledger { store: self.clone(), meter: meter.into(), workspace }
    }

    /// All lines since a moment, the newest first, whatever their meter.
    ///
    /// # Errors
    /// When the file refuses.
    pub async fn spent_since(&self, since: DateTime<Utc>) -> Result<Vec<Entry>, Error> {
        self.ask(move |connection| entries(connection, since)).await
    }
}

impl Ledger {
    /// Writes down what a request takes, or more of the same request.
    pub fn book(&self, at: DateTime<Utc>, reason: &str, op: Uuid, spending: Spending) {
        let (meter, workspace, reason) = (self.meter.clone(), self.workspace, reason.to_owned());
        self.store.tell(move |connection| {
            connection
                .prepare_cached(
                    "INSERT INTO ledger (id, at, meter, workspace_id, route, reason, op, rows, credits)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
                     ON CONFLICT DO UPDATE SET rows = excluded.rows, credits = excluded.credits",
                )?
                .execute(params![
                    spending.id,
                    at.timestamp_millis(),
                    meter,
                    workspace.map(|id| id.0),
                    spending.route,
                    reason,
                    op,
                    spending.rows.map(|rows| rows as i64),
                    spending.credits.map(|credits| credits as i64),
                ])
                .map(drop)
        });
    }

    /// Writes down what the meter stands at, and settles what the reading tells: when it moved by exactly what was booked since the
    /// last one, what was of unknown price took nothing.
    pub fn read_meter(&self, at: DateTime<Utc>, credits: &Credits) {
        let Some(used) = credits.used else { return };
        let released = credits.next_release_at.as_ref().and_then(|when| when.at());
        let (meter, workspace) = (self.meter.clone(), self.workspace);
        self.store.tell(move |connection| {
            settle(connection, &meter, workspace, at, used)?;
            connection
                .prepare_cached(
                    "INSERT INTO readings (at, meter, workspace_id, used, next_release_at) VALUES (?1, ?2, ?3, ?4, ?5)",
                )?
                .execute(params![
                    at.timestamp_millis(),
                    meter,
                    workspace.map(|id| id.0),
                    used as i64,
                    released.map(|at| at.timestamp_millis())
                ])?;
            forget(connection, at)
        });
    }

    /// The ledger beside what the meter says it has used.
    ///
    /// # Errors
    /// When the file refuses.
    pub async fn settlement(&self, at: DateTime<Utc>, used: u64) -> Result<Settlement, Error> {
        let (meter, workspace, since) = (self.meter.clone(), self.workspace, (at - WINDOW).trunc_subsecs(3));
        let (booked, unknown) = self.store.ask(move |connection| sum(connection, &meter, workspace, since, None)).await?;
        Ok(Settlement { since, used, booked, unknown, drift: used as i64 - booked as i64 })
    }
}

/// Credits booked between two moments, and how many lines have none.
fn sum(
    connection: &Connection,
    meter: &str,
    workspace: Option<WorkspaceId>,
    from: DateTime<Utc>,
    to: Option<DateTime<Utc>>,
) -> rusqlite::Result<(u64, u64)> {
    connection
        .prepare_cached(
            "SELECT ifnull(sum(credits), 0), count(*) FILTER (WHERE credits IS NULL) FROM ledger
             WHERE meter = ?1 AND workspace_id IS ?2 AND at >= ?3 AND at < ifnull(?4, at + 1)",
        )?
        .query_row(params![meter, workspace.map(|id| id.0), from.timestamp_millis(), to.map(|at| at.timestamp_millis())], |row| {
            Ok((unsigned(row.get(0)?), unsigned(row.get(1)?)))
        })
}

/// Settles the lines of unknown price since the last reading, if nothing left the window meanwhile.
fn settle(
    connection: &Connection,
    meter: &str,
    workspace: Option<WorkspaceId>,
    at: DateTime<Utc>,
    used: u64,
) -> rusqlite::Result<()> {
    let last: Option<(i64, i64, Option<i64>)> = connection
        .prepare_cached(
            "SELECT at, used, next_release_at FROM readings WHERE meter = ?1 AND workspace_id IS ?2 ORDER BY at DESC LIMIT 1",
        )?
        .query_row(params![meter, workspace.map(|id| id.0)], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .optional()?;
    let Some((from, before, release)) = last else { return Ok(()) };
    let now = at.timestamp_millis();
    if release.is_some_and(|release| release <= now) {
        return Ok(());
    }
    let since = DateTime::from_timestamp_millis(from).unwrap_or_default();
    let (booked, unknown) = sum(connection, meter, workspace, since, Some(at))?;
    if unknown > 0 && used.checked_sub(unsigned(before)) == Some(booked) {
        connection
            .prepare_cached(
                "UPDATE ledger SET credits = 0, settled = 1
                 WHERE credits IS NULL AND meter = ?1 AND workspace_id IS ?2 AND at >= ?3 AND at < ?4",
            )?
            .execute(params![meter, workspace.map(|id| id.0), from, now])?;
    }
    Ok(())
}

/// Drops what is too old to be asked for.
fn forget(connection: &Connection, now: DateTime<Utc>) -> rusqlite::Result<()> {
    let oldest = (now - chrono::Duration::days(KEPT_DAYS)).timestamp_millis();
    connection.prepare_cached("DELETE FROM ledger WHERE at < ?1")?.execute([oldest])?;
    connection.prepare_cached("DELETE FROM readings WHERE at < ?1")?.execute([oldest])?;
    Ok(())
}

fn entries(connection: &Connection, since: DateTime<Utc>) -> rusqlite::Result<Vec<Entry>> {
    let mut statement = connection.prepare_cached(
        "SELECT at, credits, settled, rows, route, reason, op, workspace_id FROM ledger WHERE at >= ?1 ORDER BY at DESC, id DESC",
    )?;
    let rows = statement.query_map([since.timestamp_millis()], |row| {
        Ok(Entry {
            at: DateTime::from_timestamp_millis(row.get(0)?).unwrap_or_default(),
            credits: row.get::<_, Option<i64>>(1)?.map(unsigned),
            settled: row.get(2)?,
            rows: row.get::<_, Option<i64>>(3)?.map(unsigned),
            route: row.get(4)?,
            reason: row.get(5)?,
            op: row.get(6)?,
            workspace_id: row.get::<_, Option<Uuid>>(7)?.map(WorkspaceId),
        })
    })?;
    rows.collect()
}

fn unsigned(number: i64) -> u64 {
    number.max(0).unsigned_abs()
}
