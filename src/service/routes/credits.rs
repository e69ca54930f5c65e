//! `GET /workspace/credits`: what the workspace has spent and has left (decisions 2.5).

use crate::service::api_error::ApiError;
use crate::service::db::Conn;
use crate::service::request::AuthorizedRequest;
use crate::service::response::ApiResponse;

/// The state of the meter. Free, and available even when all credits are used. The router fills it
/// in: part of the spending may not be in the database yet.
pub fn show(_: &Conn, _: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    ApiResponse::from_data(())
}
