//! `/workspace/invitations`: invitations to join (interface: Workspace: members and invitations;
//! decisions 2.10).
//!
//! Beside what the decisions say, a new invitation comes with its join code, once; where mail is
//! configured, the code is only in the mail.

use serde::Serialize;
use serde_json::json;

use crate::domain::members::Role;
use crate::service::api_error::ApiError;
use crate::service::db::invitations::InvitationState;
use crate::service::db::join_codes::CodeTarget;
use crate::service::db::{Conn, invitation_mails, invitations, join_codes};
use crate::service::request::AuthorizedRequest;
use crate::service::response::ApiResponse;

/// Invites an address, which is stored trimmed and in lower case.
pub fn create(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    let form = ask.body_object(&["email", "role"])?;
    let email = form.required_field("email")?.email()?;
    let role = form
        .optional_field("role", |at| at.one_of(&["admin", "member"]))?
        .map_or(Role::Member, Role::from);
    if invitations::is_member_or_invited(conn, ask.access.workspace, &email, ask.now)? {
        return Err(ApiError::conflict(
            "already_exists",
            "this address belongs to a member or has an open invitation",
        ));
    }
    invite(conn, ask, &email, &role)
}

/// Creates an invitation with its join code, which is mailed or returned.
pub(super) fn invite(
    conn: &Conn,
    ask: &AuthorizedRequest,
    email: &str,
    role: &Role,
) -> Result<ApiResponse, ApiError> {
    let (workspace, now) = (ask.access.workspace, ask.now);
    let invitation = invitations::create(conn, workspace, email, role, &ask.access.actor, now)?;
    if invitation_mails::is_on(conn)? {
        invitation_mails::enqueue(conn, workspace, invitation.id, now)?;
        return ApiResponse::from_data(WithCode {
            record: invitation,
            join_code: None,
            is_mailed: Some(true),
        });
    }
    let code = join_codes::issue(
        conn,
        workspace,
        CodeTarget::Invitation(invitation.id),
        ask.join_address.as_deref(),
    )?;
    ApiResponse::from_data(WithCode {
        record: invitation,
        join_code: code.map(|code| code.encode()),
        is_mailed: None,
    })
}

/// A new invitation or wall, with its join code, which is shown only here.
#[derive(Serialize)]
pub(super) struct WithCode<T> {
    #[serde(flatten)]
    pub(super) record: T,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) join_code: Option<String>,
    /// The code was sent by mail instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) is_mailed: Option<bool>,
}

/// All invitations, or those with one status, newest first.
pub fn list(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    let status = ask.query_param("status", |at| at.one_of(&InvitationState::NAMES))?;
    let mut invitations = invitations::list(conn, ask.access.workspace, ask.now)?;
    invitations.retain(|invitation| status.is_none_or(|word| invitation.status.as_str() == word));
    ApiResponse::from_data(json!({ "invitations": invitations }))
}

/// Revokes an invitation: its link stops working at once, the record stays.
pub fn revoke(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    let missing =
        || ApiError::not_found("no such open invitation: it is unknown, accepted or revoked");
    let id = ask.path_id("id", missing)?;
    let email =
        invitations::revoke(conn, ask.access.workspace, id, ask.now)?.ok_or_else(missing)?;
    ApiResponse::from_data(json!({"deleted": true, "id": id, "email": email}))
}
