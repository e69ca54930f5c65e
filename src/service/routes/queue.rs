//! `/signals/queue`, its stats, and `/signals/triage` (interface: Workspace: signals).

use serde::Serialize;
use serde_json::json;

use crate::domain::queue::{MAX_QUEUE_PAGE_ROWS, MAX_TRIAGE_SIGNALS, Priority, QueueFilter, TriageStatus};
use crate::domain::signals::SignalType;
use crate::service::answer::Answer;
use crate::service::ask::{Ask, Slice};
use crate::service::db::values::Json;
use crate::service::db::{Conn, queue};
use crate::service::form::At;
use crate::service::refusal::Refusal;

/// Rows of a page when no `limit` is given.
pub const PAGE: i64 = 50;
/// The most rows of a page.
pub const MAX: i64 = MAX_QUEUE_PAGE_ROWS as i64;

/// The query's parameters of the queue.
pub const PARAMS: &[&str] = &["status", "signal_type", "priority", "city", "q", "limit", "offset"];

/// A page of the feed or of the queue.
#[derive(Serialize)]
pub struct Page {
    /// The rows.
    pub signals: Vec<Json>,
    /// Where they stand.
    pub pagination: Pagination,
}

/// Where a page stands.
#[derive(Serialize)]
pub struct Pagination {
    /// At most this many rows.
    pub limit: i64,
    /// After this many.
    pub offset: i64,
    /// How many there are in all; null in the feed.
    pub total: Option<i64>,
}

/// The words of the signal types.
pub fn signal_types() -> Vec<&'static str> {
    SignalType::ALL.iter().map(SignalType::as_str).collect()
}

/// The words of the priorities.
pub fn priorities() -> Vec<&'static str> {
    Priority::ALL.iter().map(Priority::as_str).collect()
}

fn statuses() -> Vec<&'static str> {
    TriageStatus::ALL.iter().map(TriageStatus::as_str).collect()
}

/// A page of the queue and the filtered count.
pub fn list(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    let Slice { limit, offset } = ask.slice(PAGE, MAX)?;
    let text = |name| ask.params(name).last().unwrap_or_default().to_owned();
    let filter = QueueFilter {
        status: ask.words("status", &statuses())?.into_iter().map(Into::into).collect(),
        signal_type: ask.words("signal_type", &signal_types())?.into_iter().map(Into::into).collect(),
        priority: ask.words("priority", &priorities())?.into_iter().map(Into::into).collect(),
        city: text("city"),
        q: text("q"),
    };
    let (signals, total) = queue::list(conn, ask.access.workspace, &filter, limit, offset)?;
    Answer::bare(&Page { signals, pagination: Pagination { limit, offset, total: Some(total) } })
}

/// The counts of the queue.
pub fn stats(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    Answer::bare(&queue::stats(conn, ask.access.workspace)?)
}

/// Marks signals for the whole workspace.
pub fn triage(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    let form = ask.form(&["workspace_id", "signal_ids", "status"])?;
    let status: TriageStatus = form.need("status")?.word(&statuses())?.into();
    let ids: Vec<_> = form.need("signal_ids")?.items(1, MAX_TRIAGE_SIGNALS)?.iter().map(At::id).collect::<Result<_, _>>()?;
    let done = status == TriageStatus::Done;
    let updated = queue::triage(conn, ask.access.workspace, &ids, done, &ask.access.name, ask.now)?;
    Answer::bare(&json!({ "updated": updated }))
}
