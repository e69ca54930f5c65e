//! `/workspace/views/{id}/records/*`: the membership of Static Views, and running a View of either kind (interface: Add, Remove and
//! Search records).

use axum::http::StatusCode;
use serde::Serialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{batch, views};
use crate::service::answer::Answer;
use crate::service::ask::Ask;
use crate::service::db::values::Json;
use crate::service::db::views::{Kind, View};
use crate::service::db::{self, Conn, natural_keys};
use crate::service::form::At;
use crate::service::refusal::Refusal;
use crate::service::search::{self, Base, Call, definition};

#[derive(Serialize)]
struct Records<'a> {
    dataset: &'static str,
    records: &'a [Json],
}

/// Runs a View: its membership or what its definition finds, narrowed by the request.
pub fn search(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    let view = views::named(conn, ask)?;
    let call = |base| Call { workspace: ask.access.workspace, now: ask.now, dataset: view.dataset, base };
    let found = match (&view.kind, &view.definition) {
        (Kind::Dynamic, Some(stored)) => {
            let stored = definition::read(view.dataset, stored)?;
            search::run(conn, &call(Base::Dynamic(view.id, &stored)), &ask.body)?
        }
        _ => search::run(conn, &call(Base::Static(view.id)), &ask.body)?,
    };
    let data = Records { dataset: view.dataset.singular(), records: &found.rows };
    Answer::with(data, &found.metadata, found.metadata.credits)
}

/// Adds one record; what is wrong with it stands in its result.
pub fn add(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    let record = ask.form(&["record_id"])?.need("record_id")?;
    record.id::<Uuid>()?;
    change(conn, ask, vec![At::root(&ask.body)], member, admit)
}

/// Adds many records.
pub fn add_batch(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    change(conn, ask, batch::elements(ask, "inputs")?, member, admit)
}

/// Takes one record out; idempotent.
pub fn remove(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    let missing = || Refusal::new(StatusCode::NOT_FOUND, "record_not_found", "no such record");
    let record: Uuid = ask.id("recordId", missing)?;
    let record = json!(record);
    change(conn, ask, vec![At::root(&record)], itself, drop_record)
}

/// Takes many records out; idempotent.
pub fn remove_batch(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    change(conn, ask, batch::elements(ask, "ids")?, itself, drop_record)
}

/// Changes the membership of a Static View element by element.
fn change(
    conn: &Conn,
    ask: &Ask,
    elements: Vec<At<'_>>,
    read: impl Fn(&At<'_>) -> Result<Uuid, Refusal>,
    write: impl Fn(&Conn, &Ask, &View, Uuid) -> Result<(), Refusal>,
) -> Result<Answer, Refusal> {
    let view = views::named(conn, ask)?;
    if view.kind == Kind::Dynamic {
        let message = "the records of a Dynamic View are what its definition finds";
        return Err(Refusal::new(StatusCode::BAD_REQUEST, "view_type_mismatch", message));
    }
    let ids: Vec<Value> = elements.iter().map(|at| at.value.get("record_id").unwrap_or(at.value).clone()).collect();
    let done = batch::run(conn, elements, |at| read(at).and_then(|id| write(conn, ask, &view, id)).map(|()| Value::Null))?;
    let succeeded = done.iter().filter(|result| result.is_ok()).count();
    let metadata = json!({"credits": 0, "succeeded": succeeded, "failed": done.len() - succeeded});
    let results: Vec<Value> = (0..)
        .zip(ids.into_iter().zip(done))
        .map(|(index, (id, done)): (usize, _)| {
            let id = if id.is_string() { id } else { Value::Null };
            match done {
                Ok(_) => json!({"index": index, "record_id": id, "status": "ok"}),
                Err(refusal) => json!({"index": index, "record_id": id, "status": "error", "error": refusal.item()}),
            }
        })
        .collect();
    Answer::with(json!({"view_id": view.id, "results": results}), metadata, 0)
}

fn itself(at: &At<'_>) -> Result<Uuid, Refusal> {
    at.id()
}

fn member(at: &At<'_>) -> Result<Uuid, Refusal> {
    at.object()?.only(&["record_id"])?.need("record_id")?.id()
}

/// Adds a record that the workspace sees already; the membership that is asked for does not count.
fn admit(conn: &Conn, ask: &Ask, view: &View, record: Uuid) -> Result<(), Refusal> {
    let workspace = ask.access.workspace;
    if !natural_keys::exists(conn, view.dataset, record)? {
        let message = format!("no such {}", view.dataset.singular());
        return Err(Refusal::new(StatusCode::NOT_FOUND, "record_not_found", message));
    }
    if !search::is_visible(conn, workspace, view.dataset, record)? {
        let message = format!("this {} is not visible to the workspace", view.dataset.singular());
        return Err(Refusal::new(StatusCode::FORBIDDEN, "record_not_visible", message));
    }
    Ok(db::views::add_record(conn, workspace, view.id, record, ask.now)?)
}

fn drop_record(conn: &Conn, ask: &Ask, view: &View, record: Uuid) -> Result<(), Refusal> {
    Ok(db::views::remove_record(conn, ask.access.workspace, view.id, record).map(drop)?)
}
