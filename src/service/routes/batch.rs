//! Batches: one element after another, each of which succeeds or fails by itself (interface:
//! Workspace: batch writes).
//!
//! The envelope is checked before anything is written, so that rejecting it changes nothing.
//!
//! # One transaction, a savepoint per element
//! "Never all-or-nothing" is about elements: a rejected element is rolled back by itself, and the
//! others stay. Failures of the service (a crash, a full disk) are no element's fault: they roll
//! back the whole batch, which gets one error (507, 503, 500) or no response at all. With one
//! commit per element, the first few elements of an unanswered batch would stay, and the caller
//! would have to look up each result; and it would cost a hundred disk flushes instead of one. A
//! caller without a response sends the batch again: every element of every batch may be repeated.
//! Where no element can fail once all are checked, as in an upsert of different records, they are
//! written by one statement without savepoints.

use axum::http::StatusCode;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::service::api_error::ApiError;
use crate::service::db::{Conn, with_savepoint};
use crate::service::request::AuthorizedRequest;
use crate::service::response::ApiResponse;
use crate::service::validation::InputValue;

/// `{inputs: [..]}`: `write` returns each element's record.
pub fn run_upserts(
    conn: &Conn,
    ask: &AuthorizedRequest,
    write: impl FnMut(&InputValue<'_>) -> Result<Value, ApiError>,
) -> Result<ApiResponse, ApiError> {
    batch_response(run_each(conn, batch_elements(ask, "inputs")?, write)?)
}

/// `{ids: [..]}`: `write` deletes one; a missing record counts as deleted.
pub fn run_deletes(
    conn: &Conn,
    ask: &AuthorizedRequest,
    mut write: impl FnMut(Uuid) -> Result<(), ApiError>,
) -> Result<ApiResponse, ApiError> {
    let results = run_each(conn, batch_elements(ask, "ids")?, |at| {
        at.id().and_then(&mut write).map(|()| Value::Null)
    })?;
    batch_response(results)
}

/// The elements of a batch, if it has any and not too many.
pub fn batch_elements<'a>(
    ask: &'a AuthorizedRequest,
    key: &str,
) -> Result<Vec<InputValue<'a>>, ApiError> {
    ask.body_object(&[key])?
        .required_field(key)?
        .items(1, ask.max_items)
}

/// The result of each element, in input order.
pub fn run_each(
    conn: &Conn,
    elements: Vec<InputValue<'_>>,
    mut write: impl FnMut(&InputValue<'_>) -> Result<Value, ApiError>,
) -> Result<Vec<Result<Value, ApiError>>, ApiError> {
    let one = |element: &InputValue<'_>| match with_savepoint(conn, || write(element)) {
        Err(refusal) if refusal.status.is_server_error() => Err(refusal),
        done => Ok(done),
    };
    elements.iter().map(one).collect()
}

/// The response of a batch, from the result of each element.
pub fn batch_response(results: Vec<Result<Value, ApiError>>) -> Result<ApiResponse, ApiError> {
    let succeeded = results.iter().filter(|result| result.is_ok()).count();
    let metadata =
        json!({"credits": 0, "succeeded": succeeded, "failed": results.len() - succeeded});
    let results: Vec<Value> = (0..)
        .zip(results)
        .map(|(index, result): (usize, _)| match result {
            Ok(Value::Null) => json!({"index": index, "status": "ok"}),
            Ok(record) => json!({"index": index, "status": "ok", "record": record}),
            Err(refusal) => {
                json!({"index": index, "status": "error", "error": item_error(&refusal)})
            }
        })
        .collect();
    ApiResponse::with_metadata(json!({ "results": results }), metadata, 0)
}

/// The error of an item, with one of the three codes of batch items.
fn item_error(refusal: &ApiError) -> Value {
    let code = match refusal.status {
        StatusCode::NOT_FOUND => "not_found",
        StatusCode::BAD_REQUEST => "bad_request",
        _ => refusal.code,
    };
    json!({"code": code, "message": refusal.message})
}
