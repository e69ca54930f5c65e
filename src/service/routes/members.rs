//! `/workspace/members`: who has access (interface: Workspace: members and invitations; decisions 2.9).

use serde_json::json;

use crate::domain::UserId;
use crate::domain::members::Role;
use crate::service::answer::Answer;
use crate::service::ask::Ask;
use crate::service::db::members::Member;
use crate::service::db::{Conn, members};
use crate::service::refusal::Refusal;

/// The members, longest first.
pub fn list(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    Answer::free(json!({"members": members::list(conn, ask.access.workspace)?}))
}

/// Gives a member another role.
pub fn change(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    let role = Role::from(ask.form(&["role"])?.need("role")?.word(&["owner", "admin", "member"])?);
    let member = touched(conn, ask)?;
    if role == Role::Owner {
        only_by_an_owner(ask)?;
    } else {
        not_the_last_owner(conn, ask, &member)?;
    }
    members::change(conn, ask.access.workspace, member.id, &role)?;
    Answer::free(Member { role, ..member })
}

/// Ends a membership; one's own too.
pub fn remove(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    let member = touched(conn, ask)?;
    not_the_last_owner(conn, ask, &member)?;
    members::remove(conn, ask.access.workspace, member.id)?;
    Answer::free(json!({"deleted": true, "id": member.id}))
}

/// The member of the path, when the caller may touch them.
fn touched(conn: &Conn, ask: &Ask) -> Result<Member, Refusal> {
    let missing = || Refusal::not_found("no such member of this workspace");
    let user: UserId = ask.id("userId", missing)?;
    let member = members::get(conn, ask.access.workspace, user)?.ok_or_else(missing)?;
    if member.role == Role::Owner {
        only_by_an_owner(ask)?;
    }
    Ok(member)
}

/// Only owners make owners, and change or remove them. A key counts as an admin, whoever issued it.
fn only_by_an_owner(ask: &Ask) -> Result<(), Refusal> {
    if ask.access.role == Role::Owner { Ok(()) } else { Err(Refusal::forbidden("only an owner does this to an owner")) }
}

fn not_the_last_owner(conn: &Conn, ask: &Ask, member: &Member) -> Result<(), Refusal> {
    if member.role == Role::Owner && members::owners(conn, ask.access.workspace)? < 2 {
        return Err(Refusal::bad_request("this is the last owner: make somebody else an owner first"));
    }
    Ok(())
}
