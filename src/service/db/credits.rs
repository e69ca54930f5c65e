//! The meter: what a workspace has spent within the last 24 hours, and the limit (interface:
//! Limits; decisions 2.3 and 2.5).
//!
//! Spending is recorded by minute. A minute counts until all of it is older than the window, so
//! that the meter never shows too little.

use chrono::{DateTime, TimeDelta, Utc};
use serde::Serialize;
use serde_json::{Value, json};

use super::Conn;
use super::sql::{Result, params};
use super::values::{from_millis, to_millis};
use crate::domain::WorkspaceId;

/// Credits per workspace and window.
pub const CREDIT_LIMIT: i64 = 250_000;
const WINDOW_HOURS: i64 = 24;
const MINUTE_MILLIS: i64 = 60_000;

/// The state of the meter, with the field names of `GET /workspace/credits` (decisions 2.5).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CreditMeter {
    pub limit: i64,
    pub used: i64,
    pub remaining: i64,
    pub window_hours: i64,
    pub window_started_at: DateTime<Utc>,
    pub next_release_at: Option<DateTime<Utc>>,
    /// What reading a signal with its source's payload costs: nothing. Clients ask before reads
    /// whose price they do not know.
    pub signal_read_credits: i64,
}

/// The limit is reached; nothing is charged.
#[derive(Clone, Debug, PartialEq)]
pub struct CreditsExhausted {
    /// Spent within the window.
    pub used: i64,
    /// Seconds until some of it leaves the window.
    pub retry_after: i64,
}

/// Reads a workspace's meter, without the charges that are still to be written (see
/// [`super::pending_charges`]).
pub fn read_meter(conn: &Conn, workspace: WorkspaceId, now: DateTime<Utc>) -> Result<CreditMeter> {
    let started = now - TimeDelta::hours(WINDOW_HOURS);
    let sql = "SELECT CAST(ifnull(sum(credits), 0) AS BIGINT), min(minute) FROM spending WHERE workspace_id = ?1 AND minute >= ?2";
    let (used, oldest): (i64, Option<i64>) =
        conn.query_row(sql, params![workspace.0, minute_of(started)], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?;
    Ok(CreditMeter {
        limit: CREDIT_LIMIT,
        used,
        remaining: (CREDIT_LIMIT - used).max(0),
        window_hours: WINDOW_HOURS,
        window_started_at: started,
        next_release_at: oldest.map(release_of),
        signal_read_credits: 0,
    })
}

/// Adds to the spending of a minute.
pub fn add_spending(conn: &Conn, workspace: WorkspaceId, minute: i64, credits: i64) -> Result<()> {
    let sql = "INSERT INTO spending (workspace_id, minute, credits) VALUES (?1, ?2, ?3)
         ON CONFLICT (workspace_id, minute) DO UPDATE SET credits = spending.credits + excluded.credits";
    conn.execute(sql, params![workspace.0, minute, credits])
        .map(drop)
}

/// Charges a read, unless the limit is reached.
pub fn charge(
    conn: &Conn,
    workspace: WorkspaceId,
    credits: u32,
    now: DateTime<Utc>,
) -> Result<Result<(), CreditsExhausted>> {
    let started = minute_of(now - TimeDelta::hours(WINDOW_HOURS));
    let sql = "INSERT INTO spending (workspace_id, minute, credits) SELECT ?1, ?2, ?3 WHERE
               (SELECT CAST(ifnull(sum(s.credits), 0) AS BIGINT) FROM spending s WHERE s.workspace_id = ?1 AND s.minute >= ?4) < ?5
             ON CONFLICT (workspace_id, minute) DO UPDATE SET credits = spending.credits + excluded.credits";
    let charged = conn.prepare(sql)?.execute(params![
        workspace.0,
        minute_of(now),
        i64::from(credits),
        started,
        CREDIT_LIMIT
    ])?;
    match charged {
        0 => Ok(read_meter(conn, workspace, now)?.check(now)),
        _ => Ok(Ok(())),
    }
}

/// The minute in which a moment lies.
pub fn minute_of(moment: DateTime<Utc>) -> i64 {
    to_millis(moment).div_euclid(MINUTE_MILLIS)
}

impl CreditMeter {
    /// Adds spending that is not in the database yet.
    pub fn add(&mut self, minute: i64, credits: i64) {
        self.used += credits;
        self.remaining = (CREDIT_LIMIT - self.used).max(0);
        let release = release_of(minute);
        self.next_release_at = Some(
            self.next_release_at
                .map_or(release, |first| first.min(release)),
        );
    }

    /// The same spending, seen from another moment.
    pub fn at(&self, now: DateTime<Utc>) -> CreditMeter {
        CreditMeter {
            window_started_at: now - TimeDelta::hours(WINDOW_HOURS),
            ..self.clone()
        }
    }

    /// Fails if the limit is reached.
    pub fn check(&self, now: DateTime<Utc>) -> Result<(), CreditsExhausted> {
        if self.used < CREDIT_LIMIT {
            return Ok(());
        }
        let seconds = self
            .next_release_at
            .map_or(60, |moment| (moment - now).num_seconds() + 1);
        Err(CreditsExhausted {
            used: self.used,
            retry_after: seconds.max(1),
        })
    }
}

/// When the spending of a minute leaves the window.
fn release_of(minute: i64) -> DateTime<Utc> {
    from_millis((minute + 1) * MINUTE_MILLIS) + TimeDelta::hours(WINDOW_HOURS)
}

impl CreditsExhausted {
    pub fn details(&self) -> Value {
        json!({"limit": CREDIT_LIMIT, "used": self.used, "retry_after_seconds": self.retry_after})
    }
}
