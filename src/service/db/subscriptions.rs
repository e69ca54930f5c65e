//! Subscriptions to signal types, which define the queue (interface: Signal subscription, States
//! and transitions).

use chrono::{DateTime, TimeDelta, Utc};
use serde::Serialize;

use super::sql::{Result, Row, params};
use super::values::{from_millis, new_id, parse_json, to_millis};
use super::{Conn, queue};
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

impl SubscriptionRow {
    /// A new subscription that notifies nobody.
    pub fn new(
        id: SubscriptionId,
        signal_type: SignalType,
        priority: Priority,
        created_at: DateTime<Utc>,
    ) -> SubscriptionRow {
        SubscriptionRow {
            id,
            signal_type,
            priority,
            channels: Vec::new(),
            notify_all_members: false,
            recipient_user_ids: Vec::new(),
            new_count: 0,
            created_at,
            updated_at: created_at,
        }
    }
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
pub fn list(conn: &Conn, workspace: WorkspaceId) -> Result<Vec<SubscriptionRow>> {
    let sql = format!("{SELECT_SUBSCRIPTIONS} ORDER BY n.priority, n.signal_type");
    conn.query_rows(&sql, [workspace.0], subscription_from_row)
}

/// The subscription to a type.
pub fn get(
    conn: &Conn,
    workspace: WorkspaceId,
    signal_type: &SignalType,
) -> Result<Option<SubscriptionRow>> {
    let sql = format!("{SELECT_SUBSCRIPTIONS} AND n.signal_type = ?2");
    conn.find_row(
        &sql,
        params![workspace.0, signal_type.as_str()],
        subscription_from_row,
    )
}

/// Subscribes to a type, looking back 14 days, or changes the subscription without moving its
/// watermark.
pub fn upsert(
    conn: &Conn,
    workspace: WorkspaceId,
    signal_type: &SignalType,
    change: &SubscriptionUpdate,
    now: DateTime<Utc>,
) -> Result<()> {
    let before = get(conn, workspace, signal_type)?;
    let mut after = before.clone().unwrap_or_else(|| {
        let id = SubscriptionId(new_id(now));
        SubscriptionRow::new(id, signal_type.clone(), Priority::Medium, now)
    });
    let change = change.clone();
    after.priority = change.priority.unwrap_or(after.priority);
    after.channels = change.channels.unwrap_or(after.channels);
    after.notify_all_members = change
        .notify_all_members
        .unwrap_or(after.notify_all_members);
    after.recipient_user_ids = change
        .recipient_user_ids
        .unwrap_or(after.recipient_user_ids);
    if before.as_ref() == Some(&after) {
        return Ok(()); // nothing changes
    }
    after.updated_at = now;
    save(
        conn,
        workspace,
        &after,
        now - TimeDelta::days(LOOKBACK_DAYS),
    )?;
    if before.is_none_or(|b| b.priority != after.priority) {
        queue::rebuild_type(conn, workspace, signal_type.as_str(), now)?;
    }
    Ok(())
}

/// Stores a subscription: a new one, with what was discovered after the watermark in the queue, or a
/// new state of an existing one, whose watermark does not move.
pub fn save(
    conn: &Conn,
    workspace: WorkspaceId,
    subscription: &SubscriptionRow,
    watermark: DateTime<Utc>,
) -> Result<()> {
    let sql = "INSERT INTO subscriptions (workspace_id, signal_type, id, priority, channels, notify_all_members, recipient_user_ids,
           watermark, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
         ON CONFLICT (workspace_id, signal_type) DO UPDATE SET priority = excluded.priority, channels = excluded.channels,
           notify_all_members = excluded.notify_all_members, recipient_user_ids = excluded.recipient_user_ids,
           updated_at = excluded.updated_at";
    conn.prepare(sql)?.execute(params![
        workspace.0,
        subscription.signal_type.as_str(),
        subscription.id.0,
        priority_rank(subscription.priority.as_str()).unwrap_or(1),
        serde_json::json!(subscription.channels).to_string(),
        subscription.notify_all_members,
        serde_json::json!(subscription.recipient_user_ids).to_string(),
        to_millis(watermark),
        to_millis(subscription.created_at),
        to_millis(subscription.updated_at)
    ])?;
    Ok(())
}

/// Unsubscribes; the type's signals leave the queue at once. `false` if there was no subscription.
pub fn remove(conn: &Conn, workspace: WorkspaceId, signal_type: &SignalType) -> Result<bool> {
    let sql = "DELETE FROM subscriptions WHERE workspace_id = ?1 AND signal_type = ?2";
    let ended = conn.execute(sql, params![workspace.0, signal_type.as_str()])?;
    let sql = "DELETE FROM queue WHERE workspace_id = ?1 AND signal_type = ?2";
    conn.execute(sql, params![workspace.0, signal_type.as_str()])?;
    Ok(ended > 0)
}

/// The type of the subscription with an id.
pub fn find_signal_type(
    conn: &Conn,
    workspace: WorkspaceId,
    id: SubscriptionId,
) -> Result<Option<SignalType>> {
    let sql = "SELECT signal_type FROM subscriptions WHERE workspace_id = ?1 AND id = ?2";
    conn.find_row(sql, params![workspace.0, id.0], |row| {
        Ok(row.get::<_, String>(0)?.as_str().into())
    })
}

fn subscription_from_row(row: &Row<'_>) -> Result<SubscriptionRow> {
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
