//! `GET /workspace/credits`: what the workspace spent, and what is left (decisions 2.5).

use crate::service::answer::ApiResponse;
use crate::service::ask::AuthorizedRequest;
use crate::service::db::{Conn, credits};
use crate::service::refusal::ApiError;

/// The state of the meter. Free, and answered whatever was spent.
pub fn show(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    ApiResponse::from_data(credits::read_meter(conn, ask.access.workspace, ask.now)?)
}
