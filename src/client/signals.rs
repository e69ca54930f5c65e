//! `/signals`: the feed, newest filing first, and single signals (interface: Workspace: signals).

use chrono::{DateTime, SecondsFormat, Utc};

use super::{Client, Request, Response};
use crate::domain::SignalId;
use crate::domain::feed::FeedFilter;
use crate::domain::pages::Page;
use crate::domain::queue::MAX_QUEUE_PAGE_ROWS;
use crate::domain::request_error::RequestError;
use crate::domain::signals::Signal;
use crate::interface::RouteId;

/// Signals that match; [`page`](Request::page) or [`Pager`](super::paging::Pager) adds the page.
pub fn feed(filter: &FeedFilter) -> Request {
    let moment =
        |at: &Option<DateTime<Utc>>| at.map(|at| at.to_rfc3339_opts(SecondsFormat::AutoSi, true));
    Request::new(RouteId::ListSignals, &[])
        .query_each("project_id", filter.project_id)
        .query_each("account_id", filter.account_id)
        .query_each("signal_type", &filter.signal_type)
        .query_each("filed_after", moment(&filter.filed_after))
        .query_each("filed_before", moment(&filter.filed_before))
        .query_each("discovered_after", moment(&filter.discovered_after))
        .query_text("q", &filter.q)
        .query_text("city", &filter.city)
}

pub fn get(id: SignalId) -> Request {
    Request::new(RouteId::ShowSignal, &[&id])
}

impl Client {
    /// A page of the feed; its total is never reported.
    pub async fn feed(
        &self,
        filter: &FeedFilter,
        offset: u32,
        limit: u32,
    ) -> Result<Response<Page<Signal>>, RequestError> {
        self.fetch_window(feed(filter), offset, limit.clamp(1, MAX_QUEUE_PAGE_ROWS))
            .await
    }

    /// One signal with its source's payload.
    pub async fn signal(&self, id: SignalId) -> Result<Response<Signal>, RequestError> {
        self.fetch_value(get(id)).await
    }
}
