//! Responses by idempotency key, kept for a day: the same request again returns the same response
//! and changes nothing.

use chrono::{DateTime, TimeDelta, Utc};
use ring::digest::{SHA256, digest};
use serde_json::Value;

use super::Conn;
use super::sql::{Result, params};
use super::values::{parse_json, to_millis};
use crate::domain::WorkspaceId;

/// How long a response is kept.
pub const IDEMPOTENCY_HOURS: i64 = 24;

/// A write with an idempotency key.
#[derive(Clone, Copy, Debug)]
pub struct IdempotentWrite<'a> {
    pub workspace: WorkspaceId,
    /// The caller: different callers have separate keys.
    pub caller: &'a str,
    /// The key chosen by the caller.
    pub key: &'a str,
    /// The route's operation, such as `publish`.
    pub operation: &'a str,
    /// The body, without the key.
    pub body: &'a Value,
}

/// The state of a key.
#[derive(Clone, Debug, PartialEq)]
pub enum Replay {
    /// It is new or has expired.
    Unused,
    /// It was used for this same write, with this response.
    SameRequest(Value),
    /// It was used for a different write.
    DifferentRequest,
}

impl IdempotentWrite<'_> {
    /// Looks the key up.
    pub fn check_replay(&self, conn: &Conn, now: DateTime<Utc>) -> Result<Replay> {
        let oldest = to_millis(now - TimeDelta::hours(IDEMPOTENCY_HOURS));
        let sql = "SELECT digest, receipt FROM skill_receipts WHERE workspace_id = ?1 AND caller = ?2 AND key = ?3 AND created_at > ?4";
        let known = conn.find_row(
            sql,
            params![self.workspace.0, self.caller, self.key, oldest],
            |row| Ok((row.get::<_, Vec<u8>>(0)?, row.get::<_, String>(1)?)),
        )?;
        Ok(match known {
            None => Replay::Unused,
            Some((digest, receipt)) if digest == self.digest() => {
                Replay::SameRequest(parse_json(&receipt))
            }
            Some(_) => Replay::DifferentRequest,
        })
    }

    /// Stores a response, and deletes expired ones.
    pub fn save_response(&self, conn: &Conn, receipt: &Value, now: DateTime<Utc>) -> Result<()> {
        let sql = "DELETE FROM skill_receipts WHERE workspace_id = ?1 AND created_at <= ?2";
        conn.prepare(sql)?.execute(params![
            self.workspace.0,
            to_millis(now - TimeDelta::hours(IDEMPOTENCY_HOURS))
        ])?;
        let sql = "INSERT INTO skill_receipts (workspace_id, caller, key, digest, receipt, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        conn.prepare(sql)?.execute(params![
            self.workspace.0,
            self.caller,
            self.key,
            self.digest(),
            receipt.to_string(),
            to_millis(now)
        ])?;
        Ok(())
    }

    /// Objects in a [`Value`] are sorted by key, so that the order in the request does not matter.
    fn digest(&self) -> Vec<u8> {
        digest(
            &SHA256,
            format!("{}\n{}", self.operation, self.body).as_bytes(),
        )
        .as_ref()
        .to_vec()
    }
}
