//! Batches: one element after the other, each of which succeeds or fails alone (interface: Workspace: batch writes).
//!
//! The envelope is read before anything is written, so that a refusal of it applies nothing.
//!
//! # One transaction, a savepoint for each element
//! "Never all-or-nothing" is about elements: one that is refused is rolled back alone, and its neighbours stay. The service's own
//! failures (a crash, a full disk) are no element's fault: they take the whole batch back, and it is answered as a whole (507, 503,
//! 500) or not at all. A commit for each element instead would keep the first few of a batch that nobody was answered about, so that
//! whoever sent it had to look up what became of each; and it would cost a hundred flushes to the disk where one will do. Whoever
//! hears nothing sends the batch again: every element of every batch may be repeated.

use axum::http::StatusCode;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::service::answer::Answer;
use crate::service::ask::Ask;
use crate::service::db::{Conn, savepoint};
use crate::service::form::At;
use crate::service::refusal::Refusal;

/// The most elements of a batch.
pub const MOST: usize = 100;

/// `{inputs: [..]}`: `write` gives each element's record.
pub fn upserts(conn: &Conn, ask: &Ask, write: impl FnMut(&At<'_>) -> Result<Value, Refusal>) -> Result<Answer, Refusal> {
    answer(run(conn, elements(ask, "inputs")?, write)?)
}

/// `{ids: [..]}`: `write` deletes one; what was not there is as good as deleted.
pub fn deletes(conn: &Conn, ask: &Ask, mut write: impl FnMut(Uuid) -> Result<(), Refusal>) -> Result<Answer, Refusal> {
    let results = run(conn, elements(ask, "ids")?, |at| at.id().and_then(&mut write).map(|()| Value::Null))?;
    answer(results)
}

/// The elements of a batch, when there are between 1 and 100.
pub fn elements<'a>(ask: &'a Ask, key: &str) -> Result<Vec<At<'a>>, Refusal> {
    ask.form(&[key])?.need(key)?.items(1, MOST)
}

/// What came of each element, in input order.
pub fn run(
    conn: &Conn,
    elements: Vec<At<'_>>,
    mut write: impl FnMut(&At<'_>) -> Result<Value, Refusal>,
) -> Result<Vec<Result<Value, Refusal>>, Refusal> {
    let one = |element: &At<'_>| match savepoint(conn, || write(element)) {
        Err(refusal) if refusal.status.is_server_error() => Err(refusal),
        done => Ok(done),
    };
    elements.iter().map(one).collect()
}

fn answer(results: Vec<Result<Value, Refusal>>) -> Result<Answer, Refusal> {
    let succeeded = results.iter().filter(|result| result.is_ok()).count();
    let metadata = json!({"credits": 0, "succeeded": succeeded, "failed": results.len() - succeeded});
    let results: Vec<Value> = (0..)
        .zip(results)
        .map(|(index, result): (usize, _)| match result {
            Ok(Value::Null) => json!({"index": index, "status": "ok"}),
            Ok(record) => json!({"index": index, "status": "ok", "record": record}),
            Err(refusal) => json!({"index": index, "status": "error", "error": plain(&refusal)}),
        })
        .collect();
    Answer::with(json!({ "results": results }), metadata, 0)
}

/// The error of an item, in the three codes of batch items.
fn plain(refusal: &Refusal) -> Value {
    let code = match refusal.status {
        StatusCode::NOT_FOUND => "not_found",
        StatusCode::BAD_REQUEST => "bad_request",
        _ => refusal.code,
    };
    json!({"code": code, "message": refusal.message})
}
