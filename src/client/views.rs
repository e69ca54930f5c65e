//! `/workspace/views`: shared record sets (interface: Workspace: Views). Definitions and membership cost nothing, a search of
//! records 1 credit a row.

use serde_json::{Value, json};
use uuid::Uuid;

use crate::domain::ViewId;
use crate::domain::search::Search;
use crate::domain::views::ViewDraft;

use super::locate::all;
use super::{Class, Payload, Request, search};

/// The interface does not show where an answer holds the Views.
const LIST: Payload = Payload::List("views", "view", "id");

/// `GET /workspace/views`.
pub fn list() -> Request {
    Request::get("/workspace/views", Class::FreeRead, LIST)
}

/// `GET /workspace/views/{id}`.
pub fn get(id: ViewId) -> Request {
    Request::get(format!("/workspace/views/{id}"), Class::FreeRead, Payload::Object("view"))
}

/// `POST /workspace/views/upsert`. Without an id it makes another View each time, so it is never repeated.
pub fn upsert(draft: &ViewDraft) -> Request {
    let class = if draft.view_id.is_some() { Class::Safe } else { Class::Once };
    let request = Request::post("/workspace/views/upsert", json!(draft), class, Payload::Object("view"));
    match draft.view_id {
        Some(id) => request.reread(get(id), |there, _| Some(there.clone())),
        None => request.reread(list(), |there, sent| made(there, sent.body()?)),
    }
}

/// The View that an upsert made, in a list of all: the one of its name, where there is but one.
fn made(list: &Value, sent: &Value) -> Option<Value> {
    let name = sent.get("name")?;
    let mut named = all(list, LIST)?.into_iter().filter(|view| view.get("name") == Some(name));
    named.next().filter(|_| named.next().is_none()).map(|view| json!({"data": view}))
}

/// `DELETE /workspace/views/{id}`.
pub fn delete(id: ViewId) -> Request {
    Request::delete(format!("/workspace/views/{id}"))
}

/// `POST /workspace/views/upsert/batch`, 1 to 100 Views.
pub fn upsert_batch(drafts: &[ViewDraft]) -> Request {
    let class = if drafts.iter().all(|draft| draft.view_id.is_some()) { Class::Safe } else { Class::Once };
    Request::post("/workspace/views/upsert/batch", json!({"inputs": drafts}), class, Payload::In("results"))
}

/// `POST /workspace/views/delete/batch`, 1 to 100 Views.
pub fn delete_batch(ids: &[ViewId]) -> Request {
    Request::post("/workspace/views/delete/batch", json!({"ids": ids}), Class::Safe, Payload::In("results"))
}

/// `POST /workspace/views/{id}/records/search`: what the View holds, narrowed for this call.
pub fn search(id: ViewId, search: &Search) -> Request {
    Request::post(format!("/workspace/views/{id}/records/search"), search::body(search), Class::PaidRead, Payload::In("records"))
}

/// `POST /workspace/views/{id}/records/add`. Static Views only, as all that follow.
pub fn add(id: ViewId, record: Uuid) -> Request {
    let path = format!("/workspace/views/{id}/records/add");
    Request::post(path, json!({"record_id": record}), Class::Safe, Payload::In("results"))
}

/// `POST /workspace/views/{id}/records/add/batch`, 1 to 100 records.
pub fn add_batch(id: ViewId, records: &[Uuid]) -> Request {
    let inputs: Vec<_> = records.iter().map(|record| json!({"record_id": record})).collect();
    let path = format!("/workspace/views/{id}/records/add/batch");
    Request::post(path, json!({"inputs": inputs}), Class::Safe, Payload::In("results"))
}

/// `DELETE /workspace/views/{id}/records/{recordId}`: one that is not in the View is removed too.
pub fn remove(id: ViewId, record: Uuid) -> Request {
    Request { payload: Payload::In("results"), ..Request::delete(format!("/workspace/views/{id}/records/{record}")) }
}

/// `POST /workspace/views/{id}/records/delete/batch`, 1 to 100 records.
pub fn remove_batch(id: ViewId, records: &[Uuid]) -> Request {
    let path = format!("/workspace/views/{id}/records/delete/batch");
    Request::post(path, json!({"ids": records}), Class::Safe, Payload::In("results"))
}
