//! The outbox of invitations: like that of alert mails, but each mail gets its join code when it is
//! sent, so that no code is stored. Every try has a code of its own, and all of them stay valid
//! until one is used: any of the mails may be the one that arrived.

use chrono::{DateTime, Utc};

use super::invitations::{self, InvitationState};
use super::join_codes::{self, CodeTarget, JoinAddress};
use super::outbox::{MAILED_UNTIL, MailKey, Outbox};
use super::sql::{Result, Row, params};
use super::values::to_millis;
use super::{Conn, members, remembered, workspaces};
use crate::domain::members::Role;
use crate::domain::{InvitationId, UserId, WorkspaceId};

/// An invitation that is due.
pub struct InvitationMail {
    pub key: MailKey,
    pub workspace_name: String,
    pub email: String,
    pub role: Role,
    /// The person who invites, if known.
    pub invited_by: Option<String>,
    pub expires_at: DateTime<Utc>,
    pub join_code: String,
}

/// Whether a service sends mails for this file.
pub fn is_on(conn: &Conn) -> Result<bool> {
    Ok(remembered::load_number(conn, MAILED_UNTIL)?.is_some())
}

pub fn enqueue(
    conn: &Conn,
    workspace: WorkspaceId,
    id: InvitationId,
    now: DateTime<Utc>,
) -> Result<()> {
    let sql = "INSERT INTO invitation_mails (workspace_id, invitation_id, made_at, next_try_at) VALUES (?1, ?2, ?3, ?3)";
    conn.execute(sql, params![workspace.0, id.0, to_millis(now)])
        .map(drop)
}

/// Reserves the next due mail, like [`super::outbox::claim_due_mail`], with a new code. Mails of
/// invitations that are not open any more are dropped.
pub fn claim_due(
    conn: &Conn,
    address: Option<&JoinAddress>,
    now: DateTime<Utc>,
) -> Result<Option<InvitationMail>> {
    let mut next = conn.prepare(
        "SELECT workspace_id, invitation_id FROM invitation_mails WHERE ended_at IS NULL AND next_try_at <= ?1
         ORDER BY next_try_at, made_at LIMIT 1",
    )?;
    let read = |row: &Row<'_>| {
        Ok(MailKey {
            outbox: Outbox::Invitations,
            workspace: WorkspaceId(row.get(0)?),
            id: row.get(1)?,
        })
    };
    while let Some(key) = next.find_row([to_millis(now)], read)? {
        let (workspace, id) = (key.workspace, InvitationId(key.id));
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
            key.claim(conn, now)?;
            return Ok(Some(InvitationMail {
                key,
                workspace_name: named.name,
                email: invitation.email,
                role: invitation.role,
                invited_by: inviter.map(|member| member.display_name.unwrap_or(member.email)),
                expires_at: invitation.expires_at,
                join_code: code.encode(),
            }));
        }
        key.finish(conn, "dropped", now)?;
    }
    Ok(None)
}
