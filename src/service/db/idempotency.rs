//! What was answered under an idempotency key, kept for a day: the same request again gets the same answer and does nothing.

use chrono::{DateTime, TimeDelta, Utc};
use ring::digest::{SHA256, digest};
use rusqlite::{OptionalExtension, params};
use serde_json::Value;

use super::values::{parse_json, to_millis};
use super::{Conn, DbError};
use crate::domain::WorkspaceId;

/// How long a receipt is kept.
pub const IDEMPOTENCY_HOURS: i64 = 24;

/// A write under its key: whose, which, and what it says.
#[derive(Clone, Copy, Debug)]
pub struct IdempotentWrite<'a> {
    /// Where.
    pub workspace: WorkspaceId,
    /// By whom: keys of different callers are different keys.
    pub caller: &'a str,
    /// The caller's word for this intent.
    pub key: &'a str,
    /// The route's word: `publish`.
    pub operation: &'a str,
    /// The body, without the key.
    pub body: &'a Value,
}

/// What is known of a key.
#[derive(Clone, Debug, PartialEq)]
pub enum Replay {
    /// Nothing: it is new, or its day is over.
    Unused,
    /// It was used for this very write, and this was answered.
    SameRequest(Value),
    /// It was used for another one.
    DifferentRequest,
}

impl IdempotentWrite<'_> {
    /// What is known of the key.
    ///
    /// # Errors
    /// When the database refuses.
    pub fn check_replay(&self, conn: &Conn, now: DateTime<Utc>) -> Result<Replay, DbError> {
        let mut sql = conn.prepare_cached(
            "SELECT digest, receipt FROM skill_receipts WHERE workspace_id = ?1 AND caller = ?2 AND key = ?3 AND created_at > ?4",
        )?;
        let oldest = to_millis(now - TimeDelta::hours(IDEMPOTENCY_HOURS));
        let known = sql
            .query_row(params![self.workspace.0, self.caller, self.key, oldest], |row| {
                Ok((row.get::<_, Vec<u8>>(0)?, row.get::<_, String>(1)?))
            })
            .optional()?;
        Ok(match known {
            None => Replay::Unused,
            Some((digest, receipt)) if digest == self.digest() => Replay::SameRequest(parse_json(&receipt)),
            Some(_) => Replay::DifferentRequest,
        })
    }

    /// Keeps what was answered, and forgets receipts whose day is over.
    ///
    /// # Errors
    /// When the database refuses.
    pub fn save_response(&self, conn: &Conn, receipt: &Value, now: DateTime<Utc>) -> Result<(), DbError> {
        conn.prepare_cached("DELETE FROM skill_receipts WHERE workspace_id = ?1 AND created_at <= ?2")?
            .execute(params![self.workspace.0, to_millis(now - TimeDelta::hours(IDEMPOTENCY_HOURS))])?;
        conn.prepare_cached(
            "INSERT INTO skill_receipts (workspace_id, caller, key, digest, receipt, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![
            self.workspace.0,
            self.caller,
            self.key,
            self.digest(),
            receipt.to_string(),
            to_millis(now)
        ])?;
        Ok(())
    }

    /// The keys of an object are in alphabetical order in a [`Value`], so that their order in the request does not matter.
    fn digest(&self) -> Vec<u8> {
        digest(&SHA256, format!("{}\n{}", self.operation, self.body).as_bytes()).as_ref().to_vec()
    }
}
