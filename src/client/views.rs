//! `/workspace/views`: shared record sets (interface: Workspace: Views). Definitions and membership
//! are free, a search of records costs 1 credit per row.

use serde_json::{Value, json};
use uuid::Uuid;

use crate::domain::ViewId;
use crate::domain::search::Search;
use crate::domain::views::ViewDraft;
use crate::interface::RouteId;

use super::Request;
use super::payload_lookup::list_rows;
use super::search::search_body;

pub fn list() -> Request {
    Request::new(RouteId::ListViews, &[])
}

pub fn get(id: ViewId) -> Request {
    Request::new(RouteId::ShowView, &[&id])
}

/// Without an id each call creates another View, so it is never retried.
pub fn upsert(draft: &ViewDraft) -> Request {
    let request = Request::new(RouteId::UpsertView, &[])
        .with_body(json!(draft))
        .idempotent_if(draft.view_id.is_some());
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
    let mut named = list_rows(list, RouteId::ListViews)?
        .into_iter()
        .filter(|view| view.get("name") == Some(name));
    named
        .next()
        .filter(|_| named.next().is_none())
        .map(|view| json!({"data": view}))
}

pub fn delete(id: ViewId) -> Request {
    Request::new(RouteId::DeleteView, &[&id])
}

pub fn upsert_batch(drafts: &[ViewDraft]) -> Request {
    Request::new(RouteId::UpsertViews, &[])
        .with_body(json!({"inputs": drafts}))
        .idempotent_if(drafts.iter().all(|draft| draft.view_id.is_some()))
}

pub fn delete_batch(ids: &[ViewId]) -> Request {
    Request::new(RouteId::DeleteViews, &[]).with_body(json!({"ids": ids}))
}

/// The View's records, filtered for this call.
pub fn search_records(id: ViewId, search: &Search) -> Request {
    Request::new(RouteId::SearchViewRecords, &[&id]).with_body(search_body(search))
}

/// Adds a record to a Static View. No other View takes records.
pub fn add_record(id: ViewId, record: Uuid) -> Request {
    Request::new(RouteId::AddViewRecord, &[&id]).with_body(json!({"record_id": record}))
}

pub fn add_records(id: ViewId, records: &[Uuid]) -> Request {
    let inputs: Vec<_> = records
        .iter()
        .map(|record| json!({"record_id": record}))
        .collect();
    Request::new(RouteId::AddViewRecords, &[&id]).with_body(json!({"inputs": inputs}))
}

/// Succeeds for a record that is not in the View.
pub fn remove_record(id: ViewId, record: Uuid) -> Request {
    Request::new(RouteId::RemoveViewRecord, &[&id, &record])
}

pub fn remove_records(id: ViewId, records: &[Uuid]) -> Request {
    Request::new(RouteId::RemoveViewRecords, &[&id]).with_body(json!({"ids": records}))
}
