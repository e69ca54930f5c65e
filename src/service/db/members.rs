//! Users and their membership of workspaces (interface: Member).

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::sql::{Result, Row, SqlError, params};
use super::values::{from_millis, new_id, to_millis};
use super::workspaces::WorkspaceRow;
use super::{Conn, invitations, secrets, workspaces};
use crate::domain::members::Role;
use crate::domain::workspace::Plan;
use crate::domain::{UserId, WorkspaceId};

/// A member, with the interface's field names (interface: Member).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MemberRow {
    pub id: UserId,
    pub email: String,
    pub first_name: Option<String>,
    pub display_name: Option<String>,
    pub avatar_object_key: Option<String>,
    pub last_active_at: Option<DateTime<Utc>>,
    pub role: Role,
    pub joined_at: DateTime<Utc>,
}

impl MemberRow {
    /// A member who was never here.
    pub fn new(id: UserId, person: &NewMember, joined_at: DateTime<Utc>) -> MemberRow {
        MemberRow {
            id,
            email: person.email.clone(),
            first_name: person.name.split_whitespace().next().map(str::to_owned),
            display_name: Some(person.name.clone()),
            avatar_object_key: None,
            last_active_at: None,
            role: person.role.clone(),
            joined_at,
        }
    }
}

/// Makes a user a member, creating the user if necessary.
///
/// # Errors
/// Also if the address belongs to another user.
pub fn add(conn: &Conn, workspace: WorkspaceId, member: &MemberRow) -> Result<()> {
    let sql =
        "INSERT INTO users (id, email, first_name, display_name, avatar_object_key, last_active_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT(id) DO NOTHING";
    conn.prepare(sql)?.execute(params![
        member.id.0,
        member.email,
        member.first_name,
        member.display_name,
        member.avatar_object_key,
        member.last_active_at.map(to_millis)
    ])?;
    let sql =
        "INSERT INTO members (workspace_id, user_id, role, joined_at) VALUES (?1, ?2, ?3, ?4)";
    conn.prepare(sql)?.execute(params![
        workspace.0,
        member.id.0,
        member.role.as_str(),
        to_millis(member.joined_at)
    ])?;
    Ok(())
}

const SELECT_MEMBERS: &str =
    "SELECT u.id, u.email, u.first_name, u.display_name, u.avatar_object_key, u.last_active_at, m.role, m.joined_at
    FROM members m JOIN users u ON u.id = m.user_id WHERE m.workspace_id = ?1";

/// The members of a workspace, longest-standing first.
pub fn list(conn: &Conn, workspace: WorkspaceId) -> Result<Vec<MemberRow>> {
    let sql = format!("{SELECT_MEMBERS} ORDER BY m.joined_at, u.id");
    conn.query_rows(&sql, [workspace.0], member_from_row)
}

pub fn get(conn: &Conn, workspace: WorkspaceId, user: UserId) -> Result<Option<MemberRow>> {
    let sql = format!("{SELECT_MEMBERS} AND u.id = ?2");
    conn.find_row(&sql, [workspace.0, user.0], member_from_row)
}

/// A user's role in a workspace; `None` for a user who is not a member.
pub fn find_role(conn: &Conn, workspace: WorkspaceId, user: UserId) -> Result<Option<Role>> {
    let mut row =
        conn.prepare("SELECT role FROM members WHERE workspace_id = ?1 AND user_id = ?2")?;
    let role = row.find_row([workspace.0, user.0], |row| row.get::<_, String>(0))?;
    Ok(role.map(|role| Role::from(role.as_str())))
}

/// A person to add to a workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewMember {
    pub name: String,
    pub email: String,
    /// The role, for new members.
    pub role: Role,
}

/// A member who can now sign in.
#[derive(Clone, Debug, PartialEq)]
pub struct AdmittedMember {
    pub workspace: WorkspaceRow,
    pub member: MemberRow,
    /// Whether the person was already a member: only the token is new.
    pub was_member: bool,
    /// The token, available only here.
    pub access_token: String,
}

/// Adds a person to a workspace, by default the first one on the Pro plan, and issues a token, in
/// its own transaction. An existing member keeps the role and gets another token; an open
/// invitation of the address is accepted.
pub fn admit(
    conn: &Conn,
    named: Option<WorkspaceId>,
    person: &NewMember,
    now: DateTime<Utc>,
) -> Result<Option<AdmittedMember>> {
    let tx = conn.begin_write()?;
    let is_meant = |workspace: &WorkspaceRow| {
        named.map_or(workspace.plan == Plan::Pro, |id| workspace.id == id)
    };
    let Some(workspace) = workspaces::list(&tx)?.into_iter().find(is_meant) else {
        return Ok(None);
    };
    let (member, was_member) = add_person(&tx, workspace.id, person, now)?;
    let access_token = secrets::issue_token(&tx, member.id, Some(workspace.id))?;
    tx.commit()?;
    Ok(Some(AdmittedMember {
        workspace,
        member,
        was_member,
        access_token,
    }))
}

/// The member with an address.
pub fn find_by_email(
    conn: &Conn,
    workspace: WorkspaceId,
    email: &str,
) -> Result<Option<MemberRow>> {
    let sql = format!("{SELECT_MEMBERS} AND u.email = ?2");
    conn.find_row(&sql, params![workspace.0, email], member_from_row)
}

/// Makes a person a member, if they are not, and accepts the open invitations of their address.
/// Returns whether they were. Tokens from before the person was removed everywhere stay void.
pub fn add_person(
    conn: &Conn,
    workspace: WorkspaceId,
    person: &NewMember,
    now: DateTime<Utc>,
) -> Result<(MemberRow, bool)> {
    let sql = "SELECT id FROM users WHERE email = ?1";
    let known = conn.find_row(sql, [&person.email], |row| row.get(0).map(UserId))?;
    let id = known.unwrap_or(UserId(new_id(now)));
    let before = get(conn, workspace, id)?;
    if before.is_none() {
        if workspaces_of_user(conn, id)?.is_empty() {
            secrets::revoke_tokens(conn, id)?;
        }
        add(conn, workspace, &MemberRow::new(id, person, now))?;
    }
    invitations::accept(conn, workspace, &person.email, now)?;
    let member = get(conn, workspace, id)?.ok_or(SqlError::Closed)?;
    Ok((member, before.is_some()))
}

/// Gives a user, known by this address, a name and an address.
pub fn name_user(conn: &Conn, email: &str, person: &NewMember) -> Result<()> {
    let sql = "UPDATE users SET email = ?2, first_name = ?3, display_name = ?4 WHERE email = ?1";
    conn.prepare(sql)?.execute(params![
        email,
        person.email,
        person.name.split_whitespace().next(),
        person.name
    ])?;
    Ok(())
}

/// The workspaces of a user, longest-standing first.
pub fn workspaces_of_user(conn: &Conn, user: UserId) -> Result<Vec<WorkspaceId>> {
    let sql =
        "SELECT workspace_id FROM members WHERE user_id = ?1 ORDER BY joined_at, workspace_id";
    conn.query_rows(sql, [user.0], |row| row.get(0).map(WorkspaceId))
}

/// Changes a member's role.
pub fn set_role(conn: &Conn, workspace: WorkspaceId, user: UserId, role: &Role) -> Result<()> {
    let sql = "UPDATE members SET role = ?3 WHERE workspace_id = ?1 AND user_id = ?2";
    conn.execute(sql, params![workspace.0, user.0, role.as_str()])
        .map(drop)
}

/// Ends a membership, with the tokens that are only for it, and deletes the member's Favorites; the
/// user and their changes stay.
pub fn remove(conn: &Conn, workspace: WorkspaceId, user: UserId) -> Result<()> {
    let sql = "DELETE FROM access_tokens WHERE workspace_id = ?1 AND user_id = ?2";
    conn.execute(sql, [workspace.0, user.0])?;
    let sql = "DELETE FROM members WHERE workspace_id = ?1 AND user_id = ?2";
    conn.execute(sql, [workspace.0, user.0]).map(drop)
}

/// How many owners a workspace has.
pub fn count_owners(conn: &Conn, workspace: WorkspaceId) -> Result<i64> {
    let sql = "SELECT count(*) FROM members WHERE workspace_id = ?1 AND role = 'owner'";
    conn.query_row(sql, [workspace.0], |row| row.get(0))
}

fn member_from_row(row: &Row<'_>) -> Result<MemberRow> {
    Ok(MemberRow {
        id: UserId(row.get(0)?),
        email: row.get(1)?,
        first_name: row.get(2)?,
        display_name: row.get(3)?,
        avatar_object_key: row.get(4)?,
        last_active_at: row.get::<_, Option<i64>>(5)?.map(from_millis),
        role: Role::from(row.get::<_, String>(6)?.as_str()),
        joined_at: from_millis(row.get(7)?),
    })
}
