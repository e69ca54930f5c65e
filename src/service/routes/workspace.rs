//! `GET /workspace`: the workspace and the caller (decisions 2.4).

use serde_json::json;

use crate::service::api_error::ApiError;
use crate::service::db::{Conn, invitation_mails, workspaces};
use crate::service::request::AuthorizedRequest;
use crate::service::response::ApiResponse;

/// The workspace, the caller and the record counts.
pub fn show(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    let access = &ask.access;
    let workspace = workspaces::get(conn, access.workspace)?
        .ok_or_else(|| ApiError::not_found("no such workspace"))?;
    ApiResponse::from_data(json!({
        "id": workspace.id,
        "name": workspace.name,
        "plan": workspace.plan,
        "created_at": workspace.created_at,
        "caller": {"kind": access.kind, "user_id": access.user, "role": access.role, "scopes": access.scopes},
        "counts": workspaces::count_records(conn, workspace.id)?,
        "sends_invitations": invitation_mails::is_on(conn)?,
    }))
}
