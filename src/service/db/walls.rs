//! Walls: screens on which everybody sees the counts. Each is invited by a join code, and then has
//! an API key that can only read.

use chrono::{DateTime, TimeDelta, Utc};
use serde::Serialize;
use uuid::Uuid;

use super::invitations::{INVITATION_LIFETIME_DAYS, InvitationState};
use super::sql::{Result, Row, params};
use super::values::{from_millis, new_id, to_millis};
use super::{Conn, secrets};
use crate::domain::{UserId, WorkspaceId};

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WallRow {
    pub id: Uuid,
    pub name: String,
    /// As of an invitation: once it is accepted, the wall has its key.
    pub status: InvitationState,
    /// The first characters of the key, to name it by.
    pub key_prefix: Option<String>,
    pub created_by: String,
    pub created_at: DateTime<Utc>,
    /// Until then its code can be used.
    pub expires_at: DateTime<Utc>,
    pub joined_at: Option<DateTime<Utc>>,
    pub revoked_at: Option<DateTime<Utc>>,
}

pub fn create(
    conn: &Conn,
    workspace: WorkspaceId,
    name: &str,
    created_by: &str,
    now: DateTime<Utc>,
) -> Result<WallRow> {
    let wall = WallRow {
        id: new_id(now),
        name: name.to_owned(),
        status: InvitationState::Pending,
        key_prefix: None,
        created_by: created_by.to_owned(),
        created_at: now,
        expires_at: now + TimeDelta::days(INVITATION_LIFETIME_DAYS),
        joined_at: None,
        revoked_at: None,
    };
    let sql = "INSERT INTO walls (workspace_id, id, name, created_by, created_at, expires_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    conn.prepare(sql)?.execute(params![
        workspace.0,
        wall.id,
        name,
        created_by,
        to_millis(now),
        to_millis(wall.expires_at)
    ])?;
    Ok(wall)
}

const SELECT_WALLS: &str =
    "SELECT id, name, key_prefix, created_by, created_at, expires_at, joined_at, revoked_at
    FROM walls WHERE workspace_id = ?1";

/// All walls of a workspace, newest first.
pub fn list(conn: &Conn, workspace: WorkspaceId, now: DateTime<Utc>) -> Result<Vec<WallRow>> {
    let sql = format!("{SELECT_WALLS} ORDER BY created_at DESC, id DESC");
    conn.query_rows(&sql, [workspace.0], |row| wall_from_row(row, now))
}

pub fn get(
    conn: &Conn,
    workspace: WorkspaceId,
    id: Uuid,
    now: DateTime<Utc>,
) -> Result<Option<WallRow>> {
    let mut row = conn.prepare(&format!("{SELECT_WALLS} AND id = ?2"))?;
    row.find_row(params![workspace.0, id], |row| wall_from_row(row, now))
}

/// Issues the key of a wall, which only reads. Its plain text is only available here.
pub fn join(conn: &Conn, workspace: WorkspaceId, id: Uuid, now: DateTime<Utc>) -> Result<String> {
    let sql = "SELECT created_by FROM walls WHERE workspace_id = ?1 AND id = ?2";
    let actor: String = conn.query_row(sql, params![workspace.0, id], |row| row.get(0))?;
    let issuer = actor.parse::<UserId>().ok();
    let key = secrets::issue_key(conn, workspace, issuer, &[secrets::READ_SCOPE])?;
    let sql = "UPDATE walls SET joined_at = ?3, key_digest = ?4, key_prefix = ?5 WHERE workspace_id = ?1 AND id = ?2";
    conn.prepare(sql)?.execute(params![
        workspace.0,
        id,
        to_millis(now),
        secrets::hash_bytes(key.as_bytes()),
        &key[..10]
    ])?;
    Ok(key)
}

/// Revokes a wall: its code and its key stop working at once, the record stays. Returns its name;
/// `None` if there is no such wall.
pub fn revoke(
    conn: &Conn,
    workspace: WorkspaceId,
    id: Uuid,
    now: DateTime<Utc>,
) -> Result<Option<String>> {
    let sql = "DELETE FROM api_keys WHERE digest = (SELECT key_digest FROM walls WHERE workspace_id = ?1 AND id = ?2)";
    conn.execute(sql, params![workspace.0, id])?;
    let sql = "UPDATE walls SET revoked_at = ?3 WHERE workspace_id = ?1 AND id = ?2 AND revoked_at IS NULL RETURNING name";
    conn.find_row(sql, params![workspace.0, id, to_millis(now)], |row| {
        row.get(0)
    })
}

fn wall_from_row(row: &Row<'_>, now: DateTime<Utc>) -> Result<WallRow> {
    let expires_at = from_millis(row.get(5)?);
    let joined_at = row.get::<_, Option<i64>>(6)?.map(from_millis);
    let revoked_at = row.get::<_, Option<i64>>(7)?.map(from_millis);
    let status = match (joined_at, revoked_at) {
        (_, Some(_)) => InvitationState::Revoked,
        (Some(_), None) => InvitationState::Accepted,
        (None, None) if expires_at <= now => InvitationState::Expired,
        (None, None) => InvitationState::Pending,
    };
    Ok(WallRow {
        id: row.get(0)?,
        name: row.get(1)?,
        status,
        key_prefix: row.get(2)?,
        created_by: row.get(3)?,
        created_at: from_millis(row.get(4)?),
        expires_at,
        joined_at,
        revoked_at,
    })
}
