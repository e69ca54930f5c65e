//! `/workspace/favorite-views*`: each member's own pointers to Views, open only to user tokens
//! (interface: Favorites; decisions 2.8).

use serde_json::{Value, json};

use super::batch;
use crate::domain::{UserId, ViewId};
use crate::service::api_error::ApiError;
use crate::service::db::favorites::FavoriteRow;
use crate::service::db::{Conn, favorites, views};
use crate::service::request::AuthorizedRequest;
use crate::service::response::ApiResponse;
use crate::service::validation::InputValue;

/// The favorites in their order.
pub fn list(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    ApiResponse::from_data(
        json!({"favorites": favorites::list(conn, ask.access.workspace, caller_user(ask)?)?}),
    )
}

/// Makes a View a favorite, or moves one.
pub fn upsert(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    ApiResponse::from_data(upsert_one(conn, ask, &InputValue::root(&ask.body))?)
}

pub fn upsert_batch(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    batch::run_upserts(conn, ask, |at| Ok(json!(upsert_one(conn, ask, at)?)))
}

/// Removes a View from the favorites; idempotent.
pub fn remove(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    let view: ViewId = ask.path_id("viewId", ApiError::view_not_found)?;
    favorites::remove(conn, ask.access.workspace, caller_user(ask)?, view)?;
    ApiResponse::from_data(json!({"deleted": true, "view_id": view}))
}

pub fn remove_batch(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    let user = caller_user(ask)?;
    batch::run_deletes(conn, ask, |id| {
        Ok(favorites::remove(conn, ask.access.workspace, user, id.into()).map(drop)?)
    })
}

fn upsert_one(
    conn: &Conn,
    ask: &AuthorizedRequest,
    at: &InputValue<'_>,
) -> Result<Option<FavoriteRow>, ApiError> {
    let form = at.object()?.reject_unknown_keys(&["view_id", "position"])?;
    let view: ViewId = form.required_field("view_id")?.id()?;
    let position = form
        .get("position")
        .filter(|at| *at.value != Value::Null)
        .map(|at| at.integer(0, i64::from(u32::MAX)))
        .transpose()?;
    let (workspace, user) = (ask.access.workspace, caller_user(ask)?);
    views::get(conn, workspace, view)?.ok_or_else(ApiError::view_not_found)?;
    favorites::upsert(conn, workspace, user, view, position, ask.now)?;
    Ok(favorites::list(conn, workspace, user)?
        .into_iter()
        .find(|favorite| favorite.view_id == view))
}

fn caller_user(ask: &AuthorizedRequest) -> Result<UserId, ApiError> {
    ask.access
        .user
        .ok_or_else(|| ApiError::forbidden("Favorites are personal: use a user token"))
}
