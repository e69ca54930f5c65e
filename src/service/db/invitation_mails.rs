//! The outbox of invitations: like that of alert mails, but each mail gets its join code when it is
//! sent, so that no code is stored. Every try has a code of its own, and all of them stay valid
//! until one is used: any of the mails may be the one that arrived.

use chrono::{DateTime, TimeDelta, Utc};

use super::invitations::{self, InvitationState};
use super::join_codes::{self, CodeTarget, JoinAddress};
use super::outbox::{CLAIM_DURATION, DELIVERY_WINDOW};
use super::sql::{OptionalExtension, Row, params};
use super::values::to_millis;
use super::{Conn, DbError, members, workspaces};
use crate::domain::members::Role;
use crate::domain::{InvitationId, UserId, WorkspaceId};

/// An invitation that is due.
pub struct InvitationMail {
    pub workspace: WorkspaceId,
    pub id: InvitationId,
    pub workspace_name: String,
    pub email: String,
    pub role: Role,
    /// The person who invites, if known.
    pub invited_by: Option<String>,
    pub expires_at: DateTime<Utc>,
    pub join_code: String,
}

/// Whether a service sends mails for this file.
pub fn is_on(conn: &Conn) -> Result<bool, DbError> {
    Ok(conn
        .prepare_cached("SELECT 1 FROM remembered WHERE name = 'mailed_until'")?
        .exists([])?)
}

pub fn enqueue(
    conn: &Conn,
    workspace: WorkspaceId,
    id: InvitationId,
    now: DateTime<Utc>,
) -> Result<(), DbError> {
    conn.prepare_cached(
        "INSERT INTO invitation_mails (workspace_id, invitation_id, made_at, next_try_at) VALUES (?1, ?2, ?3, ?3)",
    )?
    .execute(params![workspace.0, id.0, to_millis(now)])?;
    Ok(())
}

pub fn has_due(conn: &Conn, now: DateTime<Utc>) -> Result<bool, DbError> {
    let mut due = conn.prepare_cached(
        "SELECT 1 FROM invitation_mails WHERE ended_at IS NULL AND next_try_at <= ?1",
    )?;
    Ok(due.exists([to_millis(now)])?)
}

/// Unsent mails are dropped: mail is off.
pub fn stop(conn: &Conn, now: DateTime<Utc>) -> Result<(), DbError> {
    conn.prepare_cached(
        "UPDATE invitation_mails SET ended_at = ?1, outcome = 'dropped' WHERE ended_at IS NULL",
    )?
    .execute([to_millis(now)])?;
    Ok(())
}

/// Reserves the next due mail, like [`super::outbox::claim_due_mail`], with a new code. Mails of
/// invitations that are not open any more are dropped.
pub fn claim_due(
    conn: &Conn,
    address: Option<&JoinAddress>,
    now: DateTime<Utc>,
) -> Result<Option<InvitationMail>, DbError> {
    let mut next = conn.prepare_cached(
        "SELECT workspace_id, invitation_id FROM invitation_mails WHERE ended_at IS NULL AND next_try_at <= ?1
         ORDER BY next_try_at, made_at LIMIT 1",
    )?;
    let read = |row: &Row<'_>| Ok((WorkspaceId(row.get(0)?), InvitationId(row.get(1)?)));
    while let Some((workspace, id)) = next.query_row([to_millis(now)], read).optional()? {
        let open = invitations::get(conn, workspace, id, now)?
            .filter(|found| found.status == InvitationState::Pending);
        let code = match open {
            Some(_) => join_codes::issue(conn, workspace, CodeTarget::Invitation(id), address)?,
            None => None,
        };
        let named = workspaces::get(conn, workspace)?;
        if let (Some(invitation), Some(code), Some(named)) = (open, code, named) {
            let inviter = match invitation.invited_by.parse::<UserId>() {
                Ok(user) => members::get(conn, workspace, user)?,
                Err(_) => None,
            };
            conn.prepare_cached("UPDATE invitation_mails SET next_try_at = ?3 WHERE workspace_id = ?1 AND invitation_id = ?2")?
                .execute(params![workspace.0, id.0, to_millis(now + CLAIM_DURATION)])?;
            return Ok(Some(InvitationMail {
                workspace,
                id,
                workspace_name: named.name,
                email: invitation.email,
                role: invitation.role,
                invited_by: inviter.map(|member| member.display_name.unwrap_or(member.email)),
                expires_at: invitation.expires_at,
                join_code: code.encode(),
            }));
        }
        finish(conn, workspace, id, "dropped", now)?;
    }
    Ok(None)
}

/// Finishes a mail: `sent`, `refused` or `dropped`.
pub fn finish(
    conn: &Conn,
    workspace: WorkspaceId,
    id: InvitationId,
    outcome: &str,
    now: DateTime<Utc>,
) -> Result<(), DbError> {
    conn.prepare_cached(
        "UPDATE invitation_mails SET ended_at = ?3, outcome = ?4, tries = tries + 1 WHERE workspace_id = ?1 AND invitation_id = ?2",
    )?
    .execute(params![workspace.0, id.0, to_millis(now), outcome])?;
    Ok(())
}

/// Postpones a mail that could not be sent: by `pause`, doubled each time up to one hour. It is
/// given up after a day.
pub fn postpone(
    conn: &Conn,
    workspace: WorkspaceId,
    id: InvitationId,
    pause: TimeDelta,
    now: DateTime<Utc>,
) -> Result<(), DbError> {
    conn.prepare_cached(
        "UPDATE invitation_mails SET tries = tries + 1, next_try_at = ?3 + min(CAST(?4 AS BIGINT) << CAST(min(tries, 20) AS INTEGER), 3600000),
           ended_at = CASE WHEN made_at < ?5 THEN ?3 END, outcome = CASE WHEN made_at < ?5 THEN 'expired' END
         WHERE workspace_id = ?1 AND invitation_id = ?2",
    )?
    .execute(params![workspace.0, id.0, to_millis(now), pause.num_milliseconds(), to_millis(now - DELIVERY_WINDOW)])?;
    Ok(())
}
