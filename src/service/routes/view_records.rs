//! `/workspace/views/{id}/records/*`: the records of Static Views, and searches in Views of either
//! kind (interface: Add, Remove and Search records).

use axum::http::StatusCode;
use serde::Serialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::data_search::search_context;
use super::{batch, views};
use crate::service::api_error::ApiError;
use crate::service::db::values::RawJson;
use crate::service::db::views::{StoredViewKind, ViewRow};
use crate::service::db::{self, Conn, natural_keys};
use crate::service::request::AuthorizedRequest;
use crate::service::response::ApiResponse;
use crate::service::search::{self, SearchScope, definition};
use crate::service::validation::InputValue;

#[derive(Serialize)]
struct AddedRecords<'a> {
    dataset: &'static str,
    records: &'a [RawJson],
}

/// Searches a View: its records or the matches of its definition, filtered by the request.
pub fn search(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    let view = views::path_view(conn, ask)?;
    let call = |scope| search_context(ask, view.dataset, scope);
    let found = match (&view.kind, &view.definition) {
        (StoredViewKind::Dynamic, Some(stored)) => {
            let stored = definition::parse(view.dataset, stored)?;
            search::run_search(
                conn,
                &call(SearchScope::Dynamic(view.id, &stored)),
                &ask.body,
            )?
        }
        _ => search::run_search(conn, &call(SearchScope::Static(view.id)), &ask.body)?,
    };
    let data = AddedRecords {
        dataset: view.dataset.singular(),
        records: &found.rows,
    };
    ApiResponse::with_metadata(data, &found.metadata, found.metadata.credits)
}

/// Adds one record; its result reports an error, if any.
pub fn add(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    let record = ask
        .body_object(&["record_id"])?
        .required_field("record_id")?;
    record.id::<Uuid>()?;
    change_records(
        conn,
        ask,
        vec![InputValue::root(&ask.body)],
        parse_record_id,
        add_record,
    )
}

pub fn add_batch(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    change_records(
        conn,
        ask,
        batch::batch_elements(ask, "inputs")?,
        parse_record_id,
        add_record,
    )
}

/// Removes one record; idempotent.
pub fn remove(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    let missing = || ApiError::new(StatusCode::NOT_FOUND, "record_not_found", "no such record");
    let record: Uuid = ask.path_id("recordId", missing)?;
    let record = json!(record);
    change_records(
        conn,
        ask,
        vec![InputValue::root(&record)],
        parse_id,
        remove_record,
    )
}

/// Removes many records; idempotent.
pub fn remove_batch(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    change_records(
        conn,
        ask,
        batch::batch_elements(ask, "ids")?,
        parse_id,
        remove_record,
    )
}

/// Changes the records of a Static View one by one.
fn change_records(
    conn: &Conn,
    ask: &AuthorizedRequest,
    elements: Vec<InputValue<'_>>,
    read: impl Fn(&InputValue<'_>) -> Result<Uuid, ApiError>,
    write: impl Fn(&Conn, &AuthorizedRequest, &ViewRow, Uuid) -> Result<(), ApiError>,
) -> Result<ApiResponse, ApiError> {
    let view = views::path_view(conn, ask)?;
    if view.kind == StoredViewKind::Dynamic {
        let message = "the records of a Dynamic View come from its definition and cannot be edited";
        return Err(ApiError::new(
            StatusCode::BAD_REQUEST,
            "view_type_mismatch",
            message,
        ));
    }
    let ids: Vec<Value> = elements
        .iter()
        .map(|at| at.value.get("record_id").unwrap_or(at.value).clone())
        .collect();
    let done = batch::run_each(conn, elements, |at| {
        read(at)
            .and_then(|id| write(conn, ask, &view, id))
            .map(|()| Value::Null)
    })?;
    let succeeded = done.iter().filter(|result| result.is_ok()).count();
    let metadata = json!({"credits": 0, "succeeded": succeeded, "failed": done.len() - succeeded});
    let results: Vec<Value> = (0..)
        .zip(ids.into_iter().zip(done))
        .map(|(index, (id, done)): (usize, _)| {
            let id = if id.is_string() { id } else { Value::Null };
            match done {
                Ok(_) => json!({"index": index, "record_id": id, "status": "ok"}),
                Err(refusal) => json!({"index": index, "record_id": id, "status": "error", "error": refusal.to_batch_item()}),
            }
        })
        .collect();
    ApiResponse::with_metadata(json!({"view_id": view.id, "results": results}), metadata, 0)
}

fn parse_id(at: &InputValue<'_>) -> Result<Uuid, ApiError> {
    at.id()
}

fn parse_record_id(at: &InputValue<'_>) -> Result<Uuid, ApiError> {
    at.object()?
        .reject_unknown_keys(&["record_id"])?
        .required_field("record_id")?
        .id()
}

/// Adds a record that the workspace can already see; being in this View does not count.
fn add_record(
    conn: &Conn,
    ask: &AuthorizedRequest,
    view: &ViewRow,
    record: Uuid,
) -> Result<(), ApiError> {
    let workspace = ask.access.workspace;
    if !natural_keys::record_exists(conn, view.dataset, record)? {
        let message = format!("no such {}", view.dataset.singular());
        return Err(ApiError::new(
            StatusCode::NOT_FOUND,
            "record_not_found",
            message,
        ));
    }
    if !search::is_visible(conn, workspace, view.dataset, record)? {
        let message = format!(
            "this {} is not visible to the workspace",
            view.dataset.singular()
        );
        return Err(ApiError::new(
            StatusCode::FORBIDDEN,
            "record_not_visible",
            message,
        ));
    }
    Ok(db::views::add_record(
        conn, workspace, view.id, record, ask.now,
    )?)
}

fn remove_record(
    conn: &Conn,
    ask: &AuthorizedRequest,
    view: &ViewRow,
    record: Uuid,
) -> Result<(), ApiError> {
    Ok(db::views::remove_record(conn, ask.access.workspace, view.id, record).map(drop)?)
}
