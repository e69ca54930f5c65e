//! Join codes: made for an invitation or a wall, and redeemed once. Only the hash of a secret is
//! stored, and it is looked up by the hash, so that the duration reveals nothing about existing
//! codes.

use chrono::{DateTime, Utc};
use ring::rand::{SecureRandom, SystemRandom};
use uuid::Uuid;

use super::invitations::{self, InvitationState};
use super::members::{self, MemberRow, NewMember};
use super::sql::{Result, params};
use super::workspaces::{self, WorkspaceRow};
use super::{Conn, remembered, secrets, walls};
use crate::domain::certificate::Fingerprint;
use crate::domain::join_code::{JoinCode, JoinSecret};
use crate::domain::{InvitationId, WorkspaceId};

/// Whom a code admits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeTarget {
    Invitation(InvitationId),
    Wall(Uuid),
}

/// What a redeemed code gives.
#[derive(Clone, Debug, PartialEq)]
pub struct Admission {
    pub workspace: WorkspaceRow,
    /// `None` for a wall.
    pub member: Option<MemberRow>,
    /// A member's token or a wall's key. Its plain text is only available here.
    pub secret: String,
}

/// Why a code was not redeemed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeFault {
    /// It was never made, or is mistyped.
    Unknown,
    Used,
    Revoked,
    Expired,
    /// A new member needs a name.
    NameMissing,
}

/// Where clients reach a service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JoinAddress {
    pub base_url: String,
    /// Of a certificate that no authority signed.
    pub fingerprint: Option<Fingerprint>,
}

const ADDRESS: &str = "join_address";

/// Remembers where clients reach the service, for codes that are created without one.
pub fn save_address(conn: &Conn, address: &JoinAddress) -> Result<()> {
    let fingerprint = address.fingerprint.map(|print| print.to_string());
    let fingerprint = fingerprint.unwrap_or_default();
    let saved = format!("{} {fingerprint}", address.base_url);
    remembered::save(conn, ADDRESS, saved)
}

/// The address of the service that used this file last.
pub fn load_address(conn: &Conn) -> Result<Option<JoinAddress>> {
    let saved = remembered::load::<String>(conn, ADDRESS)?;
    Ok(saved.map(|address| {
        let (base_url, fingerprint) = address.split_once(' ').unwrap_or((&address, ""));
        JoinAddress {
            base_url: base_url.to_owned(),
            fingerprint: fingerprint.parse().ok(),
        }
    }))
}

/// Creates a code for the service at `address`, or for the one that used this file last. `None` if
/// there was none yet: a code has to say where the service is.
pub fn issue(
    conn: &Conn,
    workspace: WorkspaceId,
    target: CodeTarget,
    address: Option<&JoinAddress>,
) -> Result<Option<JoinCode>> {
    let known = address
        .cloned()
        .map_or_else(|| load_address(conn), |address| Ok(Some(address)))?;
    let Some(JoinAddress {
        base_url,
        fingerprint,
    }) = known
    else {
        return Ok(None);
    };
    let mut bytes = [0u8; 16];
    SystemRandom::new()
        .fill(&mut bytes)
        .expect("the system provides random bytes");
    let secret = JoinSecret(bytes);
    let (kind, id) = match target {
        CodeTarget::Invitation(id) => ("member", id.0),
        CodeTarget::Wall(id) => ("wall", id),
    };
    let sql =
        "INSERT INTO join_codes (digest, workspace_id, kind, target_id) VALUES (?1, ?2, ?3, ?4)";
    conn.execute(
        sql,
        params![secrets::hash_bytes(&secret.0), workspace.0, kind, id],
    )?;
    Ok(Some(JoinCode {
        base_url,
        fingerprint,
        secret,
    }))
}

/// Redeems a code: adds the member or issues the wall's key, and marks the code as used. The token
/// is for this workspace only: whoever created the code may redeem it, and has no say in the other
/// workspaces of the person.
pub fn redeem(
    conn: &Conn,
    secret: &JoinSecret,
    name: Option<&str>,
    now: DateTime<Utc>,
) -> Result<Result<Admission, CodeFault>> {
    let Some((workspace, target)) = find(conn, secret)? else {
        return Ok(Err(CodeFault::Unknown));
    };
    let Some(workspace) = workspaces::get(conn, workspace)? else {
        return Ok(Err(CodeFault::Unknown));
    };
    let state = match target {
        CodeTarget::Invitation(id) => {
            invitations::get(conn, workspace.id, id, now)?.map(|invitation| invitation.status)
        }
        CodeTarget::Wall(id) => walls::get(conn, workspace.id, id, now)?.map(|wall| wall.status),
    };
    match state {
        None => return Ok(Err(CodeFault::Unknown)),
        Some(InvitationState::Accepted) => return Ok(Err(CodeFault::Used)),
        Some(InvitationState::Revoked) => return Ok(Err(CodeFault::Revoked)),
        Some(InvitationState::Expired) => return Ok(Err(CodeFault::Expired)),
        Some(InvitationState::Pending) => {}
    }
    let id = match target {
        CodeTarget::Invitation(id) => id,
        CodeTarget::Wall(id) => {
            let secret = walls::join(conn, workspace.id, id, now)?;
            return Ok(Ok(Admission {
                workspace,
                member: None,
                secret,
            }));
        }
    };
    let Some(invitation) = invitations::get(conn, workspace.id, id, now)? else {
        return Ok(Err(CodeFault::Unknown));
    };
    let known = members::find_by_email(conn, workspace.id, &invitation.email)?;
    let Some(name) = known
        .map(|member| member.display_name.unwrap_or_default())
        .or(name.map(str::to_owned))
    else {
        return Ok(Err(CodeFault::NameMissing));
    };
    let person = NewMember {
        name,
        email: invitation.email,
        role: invitation.role,
    };
    let (member, _) = members::add_person(conn, workspace.id, &person, now)?;
    let secret = secrets::issue_token(conn, member.id, Some(workspace.id))?;
    Ok(Ok(Admission {
        workspace,
        member: Some(member),
        secret,
    }))
}

fn find(conn: &Conn, secret: &JoinSecret) -> Result<Option<(WorkspaceId, CodeTarget)>> {
    let sql = "SELECT workspace_id, kind, target_id FROM join_codes WHERE digest = ?1";
    conn.find_row(sql, [secrets::hash_bytes(&secret.0)], |row| {
        let target = match row.get::<_, String>(1)?.as_str() {
            "wall" => CodeTarget::Wall(row.get(2)?),
            _ => CodeTarget::Invitation(InvitationId(row.get(2)?)),
        };
        Ok((WorkspaceId(row.get(0)?), target))
    })
}
