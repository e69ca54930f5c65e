//! `GET /workspace/credits`: what the workspace has spent and has left (decisions 2.5).

use crate::service::api_error::ApiError;
use crate::service::db::{Conn, credits};
use crate::service::request::AuthorizedRequest;
use crate::service::response::ApiResponse;

/// The state of the meter. Free, and available even when all credits are used.
pub fn show(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    ApiResponse::from_data(credits::read_meter(conn, ask.access.workspace, ask.now)?)
}
