//! `/workspace/walls`, outside the interface: screens with a key of their own that can only read.

use serde_json::json;

use super::invitations::WithCode;
use crate::service::api_error::ApiError;
use crate::service::db::join_codes::CodeTarget;
use crate::service::db::{Conn, join_codes, walls};
use crate::service::request::AuthorizedRequest;
use crate::service::response::ApiResponse;

/// Creates a wall, with the code by which it joins.
pub fn create(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    let form = ask.body_object(&["name"])?;
    let name = form
        .optional_field("name", |at| at.name(100))?
        .unwrap_or("Wall");
    let wall = walls::create(conn, ask.access.workspace, name, &ask.access.actor, ask.now)?;
    let code = join_codes::issue(
        conn,
        ask.access.workspace,
        CodeTarget::Wall(wall.id),
        ask.join_address.as_deref(),
    )?;
    ApiResponse::from_data(WithCode {
        record: wall,
        join_code: code.map(|code| code.encode()),
        is_mailed: None,
    })
}

/// All walls, newest first.
pub fn list(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    ApiResponse::from_data(json!({ "walls": walls::list(conn, ask.access.workspace, ask.now)? }))
}

/// Revokes a wall: its code and its key stop working at once, the record stays.
pub fn revoke(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    let missing = || ApiError::not_found("no such wall: it is unknown or revoked");
    let id = ask.path_id("id", missing)?;
    let name = walls::revoke(conn, ask.access.workspace, id, ask.now)?.ok_or_else(missing)?;
    ApiResponse::from_data(json!({"deleted": true, "id": id, "name": name}))
}
