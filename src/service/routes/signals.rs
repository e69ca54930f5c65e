//! `GET /signals` and `GET /signals/{id}`: the feed of all signals, and one of them (interface: Workspace: signals).

use serde_json::json;

use super::queue::{MAX, PAGE, Page, Pagination, signal_types};
use crate::service::answer::Answer;
use crate::service::ask::Ask;
use crate::service::db::Conn;
use crate::service::db::signals::{self, Feed};
use crate::service::form::At;
use crate::service::refusal::Refusal;

/// The query's parameters of the feed.
pub const PARAMS: &[&str] = &[
    "project_id",
    "account_id",
    "signal_type",
    "filed_after",
    "filed_before",
    "discovered_after",
    "q",
    "city",
    "limit",
    "offset",
];

/// The feed, newest filing first; its `total` is always null.
pub fn list(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    let slice = ask.slice(PAGE, MAX)?;
    let moment = |name| ask.param(name, |at: At<'_>| at.moment());
    let text = |name| ask.params(name).last().unwrap_or_default().to_owned();
    let feed = Feed {
        project: ask.param("project_id", |at| at.id())?,
        account: ask.param("account_id", |at| at.id())?,
        signal_type: ask.param("signal_type", |at| at.word(&signal_types()))?.map(Into::into),
        filed_after: moment("filed_after")?,
        filed_before: moment("filed_before")?,
        discovered_after: moment("discovered_after")?,
        q: text("q"),
        city: text("city"),
    };
    let signals = signals::feed(conn, &feed, slice.limit, slice.offset, ask.now)?;
    Answer::bare(&Page { signals, pagination: Pagination { limit: slice.limit, offset: slice.offset, total: None } })
}

/// One signal with its source's payload.
pub fn show(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    let missing = || Refusal::not_found("no such signal");
    let signal = signals::get(conn, ask.id("id", missing)?, ask.now)?.ok_or_else(missing)?;
    Answer::bare(&json!({ "signal": signal }))
}
