//! Invitations to a workspace: kept forever, and open for two weeks (interface: Invitation;
//! decisions 2.10).

use chrono::{DateTime, TimeDelta, Utc};
use serde::Serialize;

use super::Conn;
use super::sql::{Result, Row, params};
use super::values::{from_millis, new_id, to_millis};
use crate::domain::fuzzy::lowercase;
use crate::domain::members::Role;
use crate::domain::{InvitationId, WorkspaceId};

/// How long an invitation can be accepted.
pub const INVITATION_LIFETIME_DAYS: i64 = 14;

/// The state of an invitation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum InvitationState {
    /// It can be accepted.
    Pending,
    Accepted,
    Revoked,
    Expired,
}

impl InvitationState {
    /// The names in JSON.
    pub const NAMES: [&'static str; 4] = ["pending", "accepted", "revoked", "expired"];

    /// The name in JSON.
    pub fn as_str(self) -> &'static str {
        InvitationState::NAMES[self as usize]
    }
}

/// An invitation, with the interface's field names (interface: Invitation).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InvitationRow {
    pub id: InvitationId,
    pub email: String,
    pub role: Role,
    pub status: InvitationState,
    pub invited_by: String,
    pub created_at: DateTime<Utc>,
    pub expires_at: DateTime<Utc>,
    pub accepted_at: Option<DateTime<Utc>>,
    pub revoked_at: Option<DateTime<Utc>>,
}

impl InvitationRow {
    /// An open invitation.
    pub fn new(
        id: InvitationId,
        email: &str,
        role: &Role,
        invited_by: &str,
        created_at: DateTime<Utc>,
    ) -> InvitationRow {
        InvitationRow {
            id,
            email: email.to_owned(),
            role: role.clone(),
            status: InvitationState::Pending,
            invited_by: invited_by.to_owned(),
            created_at,
            expires_at: created_at + TimeDelta::days(INVITATION_LIFETIME_DAYS),
            accepted_at: None,
            revoked_at: None,
        }
    }
}

/// Adds an invitation.
pub fn insert(conn: &Conn, workspace: WorkspaceId, invitation: &InvitationRow) -> Result<()> {
    let sql = "INSERT INTO invitations (workspace_id, id, email, role, invited_by, created_at, expires_at, accepted_at, revoked_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    conn.prepare(sql)?.execute(params![
        workspace.0,
        invitation.id.0,
        invitation.email,
        invitation.role.as_str(),
        invitation.invited_by,
        to_millis(invitation.created_at),
        to_millis(invitation.expires_at),
        invitation.accepted_at.map(to_millis),
        invitation.revoked_at.map(to_millis)
    ])?;
    Ok(())
}

/// Invites an address.
pub fn create(
    conn: &Conn,
    workspace: WorkspaceId,
    email: &str,
    role: &Role,
    invited_by: &str,
    now: DateTime<Utc>,
) -> Result<InvitationRow> {
    let id = InvitationId(new_id(now));
    let invitation = InvitationRow::new(id, email, role, invited_by, now);
    insert(conn, workspace, &invitation)?;
    Ok(invitation)
}

/// Marks the open invitations of an address as accepted.
pub fn accept(conn: &Conn, workspace: WorkspaceId, email: &str, now: DateTime<Utc>) -> Result<()> {
    let sql = "UPDATE invitations SET accepted_at = ?3
         WHERE workspace_id = ?1 AND email = ?2 AND accepted_at IS NULL AND revoked_at IS NULL AND expires_at > ?3";
    conn.execute(sql, params![workspace.0, email, to_millis(now)])
        .map(drop)
}

const SELECT_INVITATIONS: &str =
    "SELECT id, email, role, invited_by, created_at, expires_at, accepted_at, revoked_at
    FROM invitations WHERE workspace_id = ?1";

/// All invitations of a workspace, newest first.
pub fn list(conn: &Conn, workspace: WorkspaceId, now: DateTime<Utc>) -> Result<Vec<InvitationRow>> {
    let sql = format!("{SELECT_INVITATIONS} ORDER BY created_at DESC, id DESC");
    conn.query_rows(&sql, [workspace.0], |row| invitation_from_row(row, now))
}

pub fn get(
    conn: &Conn,
    workspace: WorkspaceId,
    id: InvitationId,
    now: DateTime<Utc>,
) -> Result<Option<InvitationRow>> {
    let mut row = conn.prepare(&format!("{SELECT_INVITATIONS} AND id = ?2"))?;
    row.find_row(params![workspace.0, id.0], |row| {
        invitation_from_row(row, now)
    })
}

/// Whether an address belongs to a member or has an open invitation.
pub fn is_member_or_invited(
    conn: &Conn,
    workspace: WorkspaceId,
    email: &str,
    now: DateTime<Utc>,
) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM members m JOIN users u ON u.id = m.user_id WHERE m.workspace_id = ?1 AND lowered(u.email) = ?2)
             OR EXISTS (SELECT 1 FROM invitations WHERE workspace_id = ?1 AND lowered(email) = ?2 AND accepted_at IS NULL
                  AND revoked_at IS NULL AND expires_at > ?3)";
    conn.query_row(
        sql,
        params![workspace.0, lowercase(email), to_millis(now)],
        |row| row.get(0),
    )
}

/// Revokes an invitation that was neither accepted nor revoked, and returns its address; `None` if
/// there is no such invitation.
pub fn revoke(
    conn: &Conn,
    workspace: WorkspaceId,
    id: InvitationId,
    now: DateTime<Utc>,
) -> Result<Option<String>> {
    let sql = "UPDATE invitations SET revoked_at = ?3
         WHERE workspace_id = ?1 AND id = ?2 AND accepted_at IS NULL AND revoked_at IS NULL RETURNING email";
    conn.find_row(sql, params![workspace.0, id.0, to_millis(now)], |row| {
        row.get(0)
    })
}

/// Revokes the open invitations of an address.
pub fn revoke_all(
    conn: &Conn,
    workspace: WorkspaceId,
    email: &str,
    now: DateTime<Utc>,
) -> Result<()> {
    let sql = "UPDATE invitations SET revoked_at = ?3
         WHERE workspace_id = ?1 AND email = ?2 AND accepted_at IS NULL AND revoked_at IS NULL";
    conn.execute(sql, params![workspace.0, email, to_millis(now)])
        .map(drop)
}

fn invitation_from_row(row: &Row<'_>, now: DateTime<Utc>) -> Result<InvitationRow> {
    let expires_at = from_millis(row.get(5)?);
    let accepted_at = row.get::<_, Option<i64>>(6)?.map(from_millis);
    let revoked_at = row.get::<_, Option<i64>>(7)?.map(from_millis);
    let status = match (accepted_at, revoked_at) {
        (Some(_), _) => InvitationState::Accepted,
        (None, Some(_)) => InvitationState::Revoked,
        (None, None) if expires_at <= now => InvitationState::Expired,
        (None, None) => InvitationState::Pending,
    };
    Ok(InvitationRow {
        id: InvitationId(row.get(0)?),
        email: row.get(1)?,
        role: Role::from(row.get::<_, String>(2)?.as_str()),
        status,
        invited_by: row.get(3)?,
        created_at: from_millis(row.get(4)?),
        expires_at,
        accepted_at,
        revoked_at,
    })
}
