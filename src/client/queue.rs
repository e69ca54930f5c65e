//! `/signals/queue`, its stats, and triage (interface: Workspace: signals). Whether the queue costs credits is not said; the stats
//! are cheap to poll.

use serde_json::json;

use crate::domain::SignalId;
use crate::domain::failure::RequestError;
use crate::domain::lenient;
use crate::domain::pages::Page;
use crate::domain::queue::{MAX_QUEUE_PAGE_ROWS, QueueFilter, QueueSignal, QueueStats, TriageStatus};

use super::{Answer, Class, Client, Payload, Request};

/// `GET /signals/queue`. Which page, [`page`](Request::page) or [`Pages`](super::paging::Pages) says.
pub fn list(filter: &QueueFilter) -> Request {
    Request::get("/signals/queue", Class::PaidRead, Payload::Key("signals"))
        .each("status", &filter.status)
        .each("signal_type", &filter.signal_type)
        .each("priority", &filter.priority)
        .text("city", &filter.city)
        .text("q", &filter.q)
}

/// `GET /signals/queue/stats`.
pub fn stats() -> Request {
    Request::get("/signals/queue/stats", Class::FreeRead, Payload::Having("new_count"))
}

/// `POST /signals/triage`, at most [`TRIAGE_MAX`](crate::domain::queue::TRIAGE_MAX) ids.
pub fn triage(ids: &[SignalId], status: &TriageStatus) -> Request {
    Request::post("/signals/triage", json!({"signal_ids": ids, "status": status}), Class::Safe, Payload::Key("updated"))
}

/// A count that has to be one.
#[derive(serde::Deserialize)]
struct Counted(#[serde(deserialize_with = "lenient::count")] u64);

impl Client {
    /// A page of the queue, `limit` held to 1 to 200: new first, then by priority, then by filing, newest first.
    ///
    /// # Errors
    /// As [`Client::rows`].
    pub async fn queue(&self, filter: &QueueFilter, offset: u32, limit: u32) -> Result<Answer<Page<QueueSignal>>, RequestError> {
        self.window(list(filter), offset, limit.clamp(1, MAX_QUEUE_PAGE_ROWS)).await
    }

    /// The counts of the queue.
    ///
    /// # Errors
    /// As [`Client::value`].
    pub async fn stats(&self) -> Result<Answer<QueueStats>, RequestError> {
        self.value(stats()).await
    }

    /// Marks signals, for the whole workspace; gives how many changed their state. Setting what is set changes nothing.
    ///
    /// # Errors
    /// As [`Client::value`]; none and more than a hundred ids are refused by the service.
    pub async fn triage(&self, ids: &[SignalId], status: &TriageStatus) -> Result<Answer<u64>, RequestError> {
        self.value::<Counted>(triage(ids, status)).await.map(|answer| answer.map(|Counted(updated)| updated))
    }
}
