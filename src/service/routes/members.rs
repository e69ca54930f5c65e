//! `/workspace/members`: who has access (interface: Workspace: members and invitations; decisions
//! 2.9).

use serde_json::json;

use crate::domain::UserId;
use crate::domain::members::Role;
use crate::service::api_error::ApiError;
use crate::service::db::members::MemberRow;
use crate::service::db::{Conn, invitations, members};
use crate::service::request::AuthorizedRequest;
use crate::service::response::ApiResponse;
use crate::service::routes::invitations::invite;

/// The members, longest-standing first.
pub fn list(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    ApiResponse::from_data(json!({"members": members::list(conn, ask.access.workspace)?}))
}

/// Changes a member's role.
pub fn set_role(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    let role = Role::from(
        ask.body_object(&["role"])?
            .required_field("role")?
            .one_of(&["owner", "admin", "member"])?,
    );
    let member = target_member(conn, ask)?;
    if role == Role::Owner {
        require_owner(ask)?;
        // an admin may have created them
        invitations::revoke_all(conn, ask.access.workspace, &member.email, ask.now)?;
    } else {
        require_another_owner(conn, ask, &member)?;
    }
    members::set_role(conn, ask.access.workspace, member.id, &role)?;
    ApiResponse::from_data(MemberRow { role, ..member })
}

/// Ends a membership, the caller's own too.
pub fn remove(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    let member = target_member(conn, ask)?;
    require_another_owner(conn, ask, &member)?;
    members::remove(conn, ask.access.workspace, member.id)?;
    invitations::revoke_all(conn, ask.access.workspace, &member.email, ask.now)?;
    ApiResponse::from_data(json!({"deleted": true, "id": member.id}))
}

/// Creates a join code for a member who has no valid token any more, or wants to use another
/// machine: outside the interface. It is an invitation that leaves the role as it is, and voids the
/// member's earlier one.
pub fn create_join_code(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    ask.body_object(&[])?;
    let member = target_member(conn, ask)?;
    invitations::revoke_all(conn, ask.access.workspace, &member.email, ask.now)?;
    invite(conn, ask, &member.email, &member.role)
}

/// The member in the path, if the caller may change them.
fn target_member(conn: &Conn, ask: &AuthorizedRequest) -> Result<MemberRow, ApiError> {
    let missing = || ApiError::not_found("no such member in this workspace");
    let user: UserId = ask.path_id("userId", missing)?;
    let member = members::get(conn, ask.access.workspace, user)?.ok_or_else(missing)?;
    if member.role == Role::Owner {
        require_owner(ask)?;
    }
    Ok(member)
}

/// Only owners can appoint, change or remove owners. A key counts as an admin, whoever issued it.
fn require_owner(ask: &AuthorizedRequest) -> Result<(), ApiError> {
    if ask.access.role == Role::Owner {
        Ok(())
    } else {
        Err(ApiError::forbidden(
            "only owners can appoint, change or remove owners",
        ))
    }
}

fn require_another_owner(
    conn: &Conn,
    ask: &AuthorizedRequest,
    member: &MemberRow,
) -> Result<(), ApiError> {
    if member.role == Role::Owner && members::count_owners(conn, ask.access.workspace)? < 2 {
        return Err(ApiError::bad_request(
            "this is the only owner: make someone else an owner first",
        ));
    }
    Ok(())
}
