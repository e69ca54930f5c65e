//! `GET /signals` and `GET /signals/{id}`: the feed of all signals, and one of them (interface:
//! Workspace: signals).

use serde_json::json;

use super::queue::{DEFAULT_PAGE_ROWS, MAX_PAGE_ROWS, Pagination, SignalsPage, signal_types};
use crate::service::api_error::ApiError;
use crate::service::db::Conn;
use crate::service::db::signals::{self, FeedQuery};
use crate::service::request::{AuthorizedRequest, PageParams};
use crate::service::response::ApiResponse;
use crate::service::validation::InputValue;

/// The query parameters whose rows no index finds.
pub const SEARCH_PARAMS: &[&str] = &["account_id", "city", "q"];

/// The feed, newest filing first; its `total` is always null.
pub fn list(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    let PageParams { limit, offset } = ask.page_params(DEFAULT_PAGE_ROWS, MAX_PAGE_ROWS)?;
    let moment = |name| ask.query_param(name, |at: InputValue<'_>| at.date_time());
    let text = |name| ask.query_values(name).last().unwrap_or_default().to_owned();
    let feed = FeedQuery {
        project: ask.query_param("project_id", |at| at.id())?,
        account: ask.query_param("account_id", |at| at.id())?,
        signal_type: ask
            .query_param("signal_type", |at| at.one_of(&signal_types()))?
            .map(Into::into),
        filed_after: moment("filed_after")?,
        filed_before: moment("filed_before")?,
        discovered_after: moment("discovered_after")?,
        q: text("q"),
        city: text("city"),
    };
    let signals = signals::list_feed(conn, &ask.columns, &feed, limit, offset, ask.now)?;
    ApiResponse::from_body(&SignalsPage {
        signals,
        pagination: Pagination {
            limit,
            offset,
            total: None,
        },
    })
}

/// One signal with its source's payload.
pub fn show(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    let missing = || ApiError::not_found("no such signal");
    let signal = signals::get(conn, ask.path_id("id", missing)?, ask.now)?.ok_or_else(missing)?;
    ApiResponse::from_body(&json!({ "signal": signal }))
}
