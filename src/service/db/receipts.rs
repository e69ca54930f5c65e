//! What was answered under an idempotency key, kept for a day: the same request again gets the same answer and does nothing.

use chrono::{DateTime, TimeDelta, Utc};
use ring::digest::{SHA256, digest};
use rusqlite::{OptionalExtension, params};
use serde_json::Value;

use super::values::{json, millis};
use super::{Conn, Error};
use crate::domain::WorkspaceId;

/// How long a receipt is kept.
pub const KEPT_HOURS: i64 = 24;

/// A write under its key: whose, which, and what it says.
#[derive(Clone, Copy, Debug)]
pub struct Write<'a> {
    /// Where.
    pub workspace: WorkspaceId,
    /// By whom: keys of different callers are different keys.
    pub caller: &'a str,
    /// The caller's word for this intent.
    pub key: &'a str,
    /// The route's word: `publish`.
    pub verb: &'a str,
    /// The body, without the key.
    pub body: &'a Value,
}

/// What is known of a key.
#[derive(Clone, Debug, PartialEq)]
pub enum Known {
    /// Nothing: it is new, or its day is over.
    Nothing,
    /// It was used for this very write, and this was answered.
    Same(Value),
    /// It was used for another one.
    Other,
}

impl Write<'_> {
    /// What is known of the key.
    ///
    /// # Errors
    /// When the database refuses.
    pub fn known(&self, conn: &Conn, now: DateTime<Utc>) -> Result<Known, Error> {
        let mut sql = conn.prepare_cached(
            "SELECT digest, receipt FROM skill_receipts WHERE workspace_id = ?1 AND caller = ?2 AND key = ?3 AND created_at > ?4",
        )?;
        let oldest = millis(now - TimeDelta::hours(KEPT_HOURS));
        let known = sql
            .query_row(params![self.workspace.0, self.caller, self.key, oldest], |row| {
                Ok((row.get::<_, Vec<u8>>(0)?, row.get::<_, String>(1)?))
            })
            .optional()?;
        Ok(match known {
            None => Known::Nothing,
            Some((digest, receipt)) if digest == self.digest() => Known::Same(json(&receipt)),
            Some(_) => Known::Other,
        })
    }

    /// Keeps what was answered, and forgets receipts whose day is over.
    ///
    /// # Errors
    /// When the database refuses.
    pub fn keep(&self, conn: &Conn, receipt: &Value, now: DateTime<Utc>) -> Result<(), Error> {
        conn.prepare_cached("DELETE FROM skill_receipts WHERE workspace_id = ?1 AND created_at <= ?2")?
            .execute(params![self.workspace.0, millis(now - TimeDelta::hours(KEPT_HOURS))])?;
        conn.prepare_cached(
            "INSERT INTO skill_receipts (workspace_id, caller, key, digest, receipt, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![self.workspace.0, self.caller, self.key, self.digest(), receipt.to_string(), millis(now)])?;
        Ok(())
    }

    /// The keys of an object are in alphabetical order in a [`Value`], so that their order in the request does not matter.
    fn digest(&self) -> Vec<u8> {
        digest(&SHA256, format!("{}\n{}", self.verb, self.body).as_bytes()).as_ref().to_vec()
    }
}
