//! `/signals/queue`, its stats, and triage (interface: Workspace: signals). The price of the queue
//! is not documented; the stats are cheap to poll.

use serde_json::json;

use crate::domain::SignalId;
use crate::domain::lenient;
use crate::domain::pages::Page;
use crate::domain::queue::{
    MAX_QUEUE_PAGE_ROWS, QueueFilter, QueueSignal, QueueStats, TriageStatus,
};
use crate::domain::request_error::RequestError;
use crate::interface::RouteId;

use super::{Client, Request, Response};

/// Rows of the queue; [`page`](Request::page) or [`Pager`](super::paging::Pager) adds the page.
pub fn list(filter: &QueueFilter) -> Request {
    Request::new(RouteId::ListQueue, &[])
        .query_each("status", &filter.status)
        .query_each("signal_type", &filter.signal_type)
        .query_each("priority", &filter.priority)
        .query_text("city", &filter.city)
        .query_text("q", &filter.q)
}

pub fn stats() -> Request {
    Request::new(RouteId::ShowQueueStats, &[])
}

pub fn triage(ids: &[SignalId], status: &TriageStatus) -> Request {
    Request::new(RouteId::TriageSignals, &[])
        .with_body(json!({"signal_ids": ids, "status": status}))
}

/// A required count.
#[derive(serde::Deserialize)]
struct UpdatedCount(#[serde(deserialize_with = "lenient::count")] u64);

impl Client {
    /// A page of the queue, `limit` clamped to 1..=200: new first, then by priority, then newest
    /// filing first.
    pub async fn queue(
        &self,
        filter: &QueueFilter,
        offset: u32,
        limit: u32,
    ) -> Result<Response<Page<QueueSignal>>, RequestError> {
        self.fetch_window(list(filter), offset, limit.clamp(1, MAX_QUEUE_PAGE_ROWS))
            .await
    }

    pub async fn queue_stats(&self) -> Result<Response<QueueStats>, RequestError> {
        self.fetch_value(stats()).await
    }

    /// Sets the triage status of signals for the whole workspace; returns how many changed. Setting
    /// the same status again changes nothing.
    ///
    /// # Errors
    /// As [`Client::fetch_value`]; the service rejects an empty list and more than a hundred ids.
    pub async fn triage(
        &self,
        ids: &[SignalId],
        status: &TriageStatus,
    ) -> Result<Response<u64>, RequestError> {
        self.fetch_value::<UpdatedCount>(triage(ids, status))
            .await
            .map(|answer| answer.map(|UpdatedCount(updated)| updated))
    }
}
