//! `/workspace/views`: shared record sets (interface: Workspace: Views). Definitions and membership
//! are free, a search of records costs 1 credit per row.

use serde_json::{Value, json};
use uuid::Uuid;

use crate::domain::ViewId;
use crate::domain::search::Search;
use crate::domain::views::ViewDraft;

use super::payload_lookup::list_rows;
use super::{PayloadPath, Request, RetryClass, search};

/// The interface does not show where a response contains the Views.
const VIEWS_PAYLOAD: PayloadPath = PayloadPath::List("views", "view", "id");

/// `GET /workspace/views`.
pub fn list() -> Request {
    Request::get_free("/workspace/views", VIEWS_PAYLOAD)
}

/// `GET /workspace/views/{id}`.
pub fn get(id: ViewId) -> Request {
    Request::get_free(
        format!("/workspace/views/{id}"),
        PayloadPath::Object("view"),
    )
}

/// `POST /workspace/views/upsert`. Without an id each call creates another View, so it is never
/// retried.
pub fn upsert(draft: &ViewDraft) -> Request {
    let class = if draft.view_id.is_some() {
        RetryClass::Idempotent
    } else {
        RetryClass::NonIdempotent
    };
    let request = Request::post(
        "/workspace/views/upsert",
        json!(draft),
        class,
        PayloadPath::Object("view"),
    );
    match draft.view_id {
        Some(id) => request.fill_body_from(get(id), |there, _| Some(there.clone())),
        None => {
            request.fill_body_from(list(), |there, sent| find_created_view(there, sent.body()?))
        }
    }
}

/// Finds the View that an upsert created in a list of all: the one with its name, if there is
/// exactly one.
fn find_created_view(list: &Value, sent: &Value) -> Option<Value> {
    let name = sent.get("name")?;
    let mut named = list_rows(list, VIEWS_PAYLOAD)?
        .into_iter()
        .filter(|view| view.get("name") == Some(name));
    named
        .next()
        .filter(|_| named.next().is_none())
        .map(|view| json!({"data": view}))
}

/// `DELETE /workspace/views/{id}`.
pub fn delete(id: ViewId) -> Request {
    Request::delete(format!("/workspace/views/{id}"))
}

/// `POST /workspace/views/upsert/batch`, 1 to 100 Views.
pub fn upsert_batch(drafts: &[ViewDraft]) -> Request {
    let class = if drafts.iter().all(|draft| draft.view_id.is_some()) {
        RetryClass::Idempotent
    } else {
        RetryClass::NonIdempotent
    };
    Request::post_batch(
        "/workspace/views/upsert/batch",
        json!({"inputs": drafts}),
        class,
    )
}

/// `POST /workspace/views/delete/batch`, 1 to 100 Views.
pub fn delete_batch(ids: &[ViewId]) -> Request {
    Request::post_batch(
        "/workspace/views/delete/batch",
        json!({"ids": ids}),
        RetryClass::Idempotent,
    )
}

/// `POST /workspace/views/{id}/records/search`: the View's records, filtered for this call.
pub fn search_records(id: ViewId, search: &Search) -> Request {
    search::search_request(
        format!("/workspace/views/{id}/records/search"),
        search,
        PayloadPath::DataKey("records"),
    )
}

/// `POST /workspace/views/{id}/records/add`. Static Views only, like all routes below.
pub fn add_record(id: ViewId, record: Uuid) -> Request {
    let path = format!("/workspace/views/{id}/records/add");
    Request::post_batch(path, json!({"record_id": record}), RetryClass::Idempotent)
}

/// `POST /workspace/views/{id}/records/add/batch`, 1 to 100 records.
pub fn add_records(id: ViewId, records: &[Uuid]) -> Request {
    let inputs: Vec<_> = records
        .iter()
        .map(|record| json!({"record_id": record}))
        .collect();
    let path = format!("/workspace/views/{id}/records/add/batch");
    Request::post_batch(path, json!({"inputs": inputs}), RetryClass::Idempotent)
}

/// `DELETE /workspace/views/{id}/records/{recordId}`: succeeds for a record that is not in the
/// View.
pub fn remove_record(id: ViewId, record: Uuid) -> Request {
    Request {
        payload: PayloadPath::DataKey("results"),
        ..Request::delete(format!("/workspace/views/{id}/records/{record}"))
    }
}

/// `POST /workspace/views/{id}/records/delete/batch`, 1 to 100 records.
pub fn remove_records(id: ViewId, records: &[Uuid]) -> Request {
    let path = format!("/workspace/views/{id}/records/delete/batch");
    Request::post_batch(path, json!({"ids": records}), RetryClass::Idempotent)
}
