//! Subscriptions to signal types, which define the queue (interface: Signal subscription, States
//! and transitions).

use chrono::{DateTime, TimeDelta, Utc};
use serde::Serialize;

use super::sql::{self, OptionalExtension, Row, params};
use super::values::{from_millis, new_id, parse_json, to_millis};
use super::{Conn, DbError, queue};
use crate::domain::queue::Priority;
use crate::domain::signals::SignalType;
use crate::domain::{SubscriptionId, UserId, WorkspaceId};

/// How many days a new subscription looks back (Limits: new-subscription lookback).
pub const LOOKBACK_DAYS: i64 = 14;

/// The priorities in the order of the queue, stored as indices into this list.
pub(super) const PRIORITIES: [&str; 3] = ["high", "medium", "low"];

pub(super) fn priority_name(rank: i64) -> &'static str {
    PRIORITIES
        .get(rank.unsigned_abs() as usize)
        .copied()
        .unwrap_or("low")
}

pub(super) fn priority_rank(word: &str) -> Option<i64> {
    PRIORITIES
        .iter()
        .position(|known| *known == word)
        .map(|nth| nth as i64)
}

/// A subscription with the interface's field names (interface: Signal subscription).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SubscriptionRow {
    /// Only in the workspace-prefixed family.
    #[serde(skip)]
    pub id: SubscriptionId,
    pub signal_type: SignalType,
    pub priority: Priority,
    pub channels: Vec<String>,
    pub notify_all_members: bool,
    pub recipient_user_ids: Vec<UserId>,
    pub new_count: i64,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

/// The fields of an upsert; absent ones stay unchanged.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SubscriptionUpdate {
    pub priority: Option<Priority>,
    pub channels: Option<Vec<String>>,
    pub notify_all_members: Option<bool>,
    pub recipient_user_ids: Option<Vec<UserId>>,
}

const SELECT_SUBSCRIPTIONS: &str =
    "SELECT n.id, n.signal_type, n.priority, n.channels, n.notify_all_members, n.recipient_user_ids,
      ifnull(c.signals, 0), n.created_at, n.updated_at
    FROM subscriptions n LEFT JOIN queue_counts c
      ON c.workspace_id = n.workspace_id AND c.signal_type = n.signal_type AND c.status = FALSE
    WHERE n.workspace_id = ?1";

/// The subscriptions of a workspace, by priority and type.
pub fn list(conn: &Conn, workspace: WorkspaceId) -> Result<Vec<SubscriptionRow>, DbError> {
    let mut rows = conn.prepare_cached(&format!(
        "{SELECT_SUBSCRIPTIONS} ORDER BY n.priority, n.signal_type"
    ))?;
    Ok(rows
        .query_map([workspace.0], subscription_from_row)?
        .collect::<Result<_, _>>()?)
}

/// The subscription to a type.
pub fn get(
    conn: &Conn,
    workspace: WorkspaceId,
    signal_type: &SignalType,
) -> Result<Option<SubscriptionRow>, DbError> {
    let mut row = conn.prepare_cached(&format!("{SELECT_SUBSCRIPTIONS} AND n.signal_type = ?2"))?;
    Ok(row
        .query_row(
            params![workspace.0, signal_type.as_str()],
            subscription_from_row,
        )
        .optional()?)
}

/// Subscribes to a type, looking back 14 days, or changes the subscription without moving its
/// watermark.
pub fn upsert(
    conn: &Conn,
    workspace: WorkspaceId,
    signal_type: &SignalType,
    change: &SubscriptionUpdate,
    now: DateTime<Utc>,
) -> Result<(), DbError> {
    upsert_since(
        conn,
        workspace,
        signal_type,
        change,
        now - TimeDelta::days(LOOKBACK_DAYS),
        now,
    )
}

/// Like [`upsert`], but a new subscription includes what was discovered after `watermark`, so that
/// an imported file's history is in the queue.
pub fn upsert_since(
    conn: &Conn,
    workspace: WorkspaceId,
    signal_type: &SignalType,
    change: &SubscriptionUpdate,
    watermark: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Result<(), DbError> {
    let before = get(conn, workspace, signal_type)?;
    let priority = change
        .priority
        .clone()
        .or(before.as_ref().map(|b| b.priority.clone()))
        .unwrap_or(Priority::Medium);
    let after = (
        priority,
        change
            .channels
            .clone()
            .or(before.as_ref().map(|b| b.channels.clone()))
            .unwrap_or_default(),
        change
            .notify_all_members
            .or(before.as_ref().map(|b| b.notify_all_members))
            .unwrap_or_default(),
        change
            .recipient_user_ids
            .clone()
            .or(before.as_ref().map(|b| b.recipient_user_ids.clone()))
            .unwrap_or_default(),
    );
    if let Some(b) = &before
        && after
            == (
                b.priority.clone(),
                b.channels.clone(),
                b.notify_all_members,
                b.recipient_user_ids.clone(),
            )
    {
        return Ok(()); // nothing changes
    }
    let (priority, channels, notify_all, recipients) = after;
    let rank = priority_rank(priority.as_str()).unwrap_or(1);
    conn.prepare_cached(
        "INSERT INTO subscriptions (workspace_id, signal_type, id, priority, channels, notify_all_members, recipient_user_ids,
           watermark, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?9)
         ON CONFLICT (workspace_id, signal_type) DO UPDATE SET priority = excluded.priority, channels = excluded.channels,
           notify_all_members = excluded.notify_all_members, recipient_user_ids = excluded.recipient_user_ids,
           updated_at = excluded.updated_at",
    )?
    .execute(params![
        workspace.0,
        signal_type.as_str(),
        new_id(now),
        rank,
        serde_json::json!(channels).to_string(),
        notify_all,
        serde_json::json!(recipients).to_string(),
        to_millis(watermark),
        to_millis(now)
    ])?;
    if before.is_none_or(|b| b.priority != priority) {
        queue::rebuild_type(conn, workspace, signal_type.as_str(), now)?;
    }
    Ok(())
}

/// Unsubscribes; the type's signals leave the queue at once. `false` if there was no subscription.
pub fn remove(
    conn: &Conn,
    workspace: WorkspaceId,
    signal_type: &SignalType,
) -> Result<bool, DbError> {
    let ended = conn
        .prepare_cached("DELETE FROM subscriptions WHERE workspace_id = ?1 AND signal_type = ?2")?
        .execute(params![workspace.0, signal_type.as_str()])?;
    conn.prepare_cached("DELETE FROM queue WHERE workspace_id = ?1 AND signal_type = ?2")?
        .execute(params![workspace.0, signal_type.as_str()])?;
    Ok(ended > 0)
}

/// The type of the subscription with an id.
pub fn find_signal_type(
    conn: &Conn,
    workspace: WorkspaceId,
    id: SubscriptionId,
) -> Result<Option<SignalType>, DbError> {
    let mut row = conn.prepare_cached(
        "SELECT signal_type FROM subscriptions WHERE workspace_id = ?1 AND id = ?2",
    )?;
    let word = row
        .query_row(params![workspace.0, id.0], |row| row.get::<_, String>(0))
        .optional()?;
    Ok(word.map(|word| word.as_str().into()))
}

fn subscription_from_row(row: &Row<'_>) -> sql::Result<SubscriptionRow> {
    Ok(SubscriptionRow {
        id: SubscriptionId(row.get(0)?),
        signal_type: row.get::<_, String>(1)?.as_str().into(),
        priority: priority_name(row.get(2)?).into(),
        channels: parse_json(&row.get::<_, String>(3)?),
        notify_all_members: row.get(4)?,
        recipient_user_ids: parse_json(&row.get::<_, String>(5)?),
        new_count: row.get(6)?,
        created_at: from_millis(row.get(7)?),
        updated_at: from_millis(row.get(8)?),
    })
}
