//! `/signals/queue`, its stats, and `/signals/triage` (interface: Workspace: signals).

use serde::Serialize;
use serde_json::json;

use crate::domain::queue::{MAX_QUEUE_PAGE_ROWS, Priority, QueueFilter, TriageStatus};
use crate::domain::signals::SignalType;
use crate::service::api_error::ApiError;
use crate::service::db::values::RawJson;
use crate::service::db::{Conn, queue};
use crate::service::request::{AuthorizedRequest, PageParams};
use crate::service::response::ApiResponse;
use crate::service::validation::InputValue;

/// Default rows per page.
pub const DEFAULT_PAGE_ROWS: i64 = 50;
/// Maximum rows per page.
pub const MAX_PAGE_ROWS: i64 = MAX_QUEUE_PAGE_ROWS as i64;

/// The query parameters whose rows no index finds.
pub const SEARCH_PARAMS: &[&str] = &["city", "q"];

/// A page of the feed or of the queue.
#[derive(Serialize)]
pub struct SignalsPage {
    pub signals: Vec<RawJson>,
    pub pagination: Pagination,
}

/// The position of a page.
#[derive(Serialize)]
pub struct Pagination {
    /// Maximum number of rows.
    pub limit: i64,
    /// Number of rows before the page.
    pub offset: i64,
    /// Total number of rows; null in the feed.
    pub total: Option<i64>,
}

/// The names of the signal types.
pub fn signal_types() -> Vec<&'static str> {
    SignalType::ALL.iter().map(SignalType::as_str).collect()
}

/// The names of the priorities.
pub fn priorities() -> Vec<&'static str> {
    Priority::ALL.iter().map(Priority::as_str).collect()
}

fn triage_statuses() -> Vec<&'static str> {
    TriageStatus::ALL.iter().map(TriageStatus::as_str).collect()
}

/// A page of the queue and the filtered count.
pub fn list(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    let PageParams { limit, offset } = ask.page_params(DEFAULT_PAGE_ROWS, MAX_PAGE_ROWS)?;
    let text = |name| ask.query_values(name).last().unwrap_or_default().to_owned();
    let filter = QueueFilter {
        status: ask
            .query_enums("status", &triage_statuses())?
            .into_iter()
            .map(Into::into)
            .collect(),
        signal_type: ask
            .query_enums("signal_type", &signal_types())?
            .into_iter()
            .map(Into::into)
            .collect(),
        priority: ask
            .query_enums("priority", &priorities())?
            .into_iter()
            .map(Into::into)
            .collect(),
        city: text("city"),
        q: text("q"),
    };
    let (columns, workspace) = (&ask.columns, ask.access.workspace);
    let (signals, total) = queue::list(conn, columns, workspace, &filter, limit, offset)?;
    ApiResponse::from_body(&SignalsPage {
        signals,
        pagination: Pagination {
            limit,
            offset,
            total: Some(total),
        },
    })
}

/// The counts of the queue.
pub fn stats(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    ApiResponse::from_body(&queue::stats(conn, ask.access.workspace)?)
}

/// Triages signals for the whole workspace.
pub fn triage(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    let form = ask.body_object(&["workspace_id", "signal_ids", "status"])?;
    let status: TriageStatus = form
        .required_field("status")?
        .one_of(&triage_statuses())?
        .into();
    let ids: Vec<_> = form
        .required_field("signal_ids")?
        .items(1, ask.max_items)?
        .iter()
        .map(InputValue::id)
        .collect::<Result<_, _>>()?;
    let done = status == TriageStatus::Done;
    let updated = queue::triage(
        conn,
        ask.access.workspace,
        &ids,
        done,
        &ask.access.actor,
        ask.now,
    )?;
    ApiResponse::from_body(&json!({ "updated": updated }))
}
