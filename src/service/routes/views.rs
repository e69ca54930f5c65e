//! `/workspace/views*`: the shared Views; their records are in [`super::view_records`] (interface:
//! Views; decisions 2.6, 2.7).

use serde_json::{Value, json};

use super::batch;
use super::data_search::search_context;
use crate::domain::ViewId;
use crate::domain::patch::Patch;
use crate::service::api_error::ApiError;
use crate::service::dataset::Dataset;
use crate::service::db::views::{StoredViewKind, ViewRow};
use crate::service::db::{Conn, views};
use crate::service::request::AuthorizedRequest;
use crate::service::response::ApiResponse;
use crate::service::search::{self, SearchScope, definition};
use crate::service::validation::{InputObject, InputValue};

/// Maximum length of name and description, in characters.
const MAX_VIEW_NAME_CHARS: usize = 200;
const MAX_VIEW_DESCRIPTION_CHARS: usize = 2000;
/// Maximum size of a definition, in bytes of JSON: every list of Views contains it.
const MAX_DEFINITION_BYTES: usize = 32 << 10;
const VIEW_DATASETS: [&str; 3] = ["account", "contact", "project"];
const VIEW_KEYS: [&str; 7] = [
    "view_id",
    "name",
    "description",
    "dataset",
    "type",
    "definition",
    "sort",
];

/// How many Dynamic Views of a list are counted: each count is a search, and a workspace may have
/// any number of Views. A View requested by itself is always counted.
const MAX_COUNTED_VIEWS: usize = 50;

pub fn list(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    let mut left = MAX_COUNTED_VIEWS;
    let views = views::list(conn, ask.access.workspace)?
        .into_iter()
        .map(|view| {
            let is_counted = view.kind == StoredViewKind::Static || left > 0;
            left = left.saturating_sub(usize::from(view.kind == StoredViewKind::Dynamic));
            if is_counted {
                with_count(conn, ask, view)
            } else {
                Ok(view)
            }
        });
    ApiResponse::from_data(json!({"views": views.collect::<Result<Vec<_>, _>>()?}))
}

pub fn show(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    ApiResponse::from_data(with_count(conn, ask, path_view(conn, ask)?)?)
}

/// Creates or changes a View.
pub fn upsert(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    let view = upsert_one(conn, ask, &InputValue::root(&ask.body))?;
    ApiResponse::from_data(view.map(|view| with_count(conn, ask, view)).transpose()?)
}

/// Many upserts. Dynamic Views are not counted: that would be a hundred searches while the writer
/// is blocked.
pub fn upsert_batch(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    batch::run_upserts(conn, ask, |at| Ok(json!(upsert_one(conn, ask, at)?)))
}

/// Deletes a View for everybody.
pub fn remove(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    let id: ViewId = ask.path_id("id", ApiError::view_not_found)?;
    if !views::remove(conn, ask.access.workspace, id)? {
        return Err(ApiError::view_not_found());
    }
    ApiResponse::from_data(json!({"deleted": true, "id": id}))
}

pub fn remove_batch(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    batch::run_deletes(conn, ask, |id| {
        Ok(views::remove(conn, ask.access.workspace, id.into()).map(drop)?)
    })
}

/// The View in the path; 404 for another workspace's View as for one that does not exist.
pub fn path_view(conn: &Conn, ask: &AuthorizedRequest) -> Result<ViewRow, ApiError> {
    views::get(
        conn,
        ask.access.workspace,
        ask.path_id("id", ApiError::view_not_found)?,
    )?
    .ok_or_else(ApiError::view_not_found)
}

fn upsert_one(
    conn: &Conn,
    ask: &AuthorizedRequest,
    at: &InputValue<'_>,
) -> Result<Option<ViewRow>, ApiError> {
    let form = at.object()?.reject_unknown_keys(&VIEW_KEYS)?;
    let id: Option<ViewId> = form.optional_field("view_id", |at| at.id())?;
    let dataset = form
        .optional_field("dataset", |at| {
            at.one_of(&VIEW_DATASETS).map(Dataset::from_singular)
        })?
        .flatten();
    let kind = form.optional_field("type", |at| {
        at.one_of(&StoredViewKind::NAMES)
            .map(StoredViewKind::from_name)
    })?;
    let name = form.optional_field("name", |at| at.name(MAX_VIEW_NAME_CHARS).map(str::to_owned))?;
    let description = form.patch("description", |at| {
        at.text_of_length(0, MAX_VIEW_DESCRIPTION_CHARS)
            .map(str::to_owned)
    })?;
    let sort = form.patch("sort", parse_sort)?;

    let workspace = ask.access.workspace;
    let before = match id {
        Some(id) => Some(views::get(conn, workspace, id)?.ok_or_else(ApiError::view_not_found)?),
        None => None,
    };
    let mut view = match &before {
        Some(view) => {
            require_unchanged(
                &form,
                "dataset",
                dataset.is_none_or(|dataset| dataset == view.dataset),
            )?;
            require_unchanged(&form, "type", kind.is_none_or(|kind| kind == view.kind))?;
            view.clone()
        }
        None => {
            let (Some(dataset), Some(kind), Some(name)) = (dataset, kind, name.clone()) else {
                let missing = [
                    ("name", name.is_none()),
                    ("dataset", dataset.is_none()),
                    ("type", kind.is_none()),
                ];
                let key = missing
                    .iter()
                    .find(|(_, missing)| *missing)
                    .map_or("name", |(key, _)| key);
                return form.required_field(key).map(|_| None);
            };
            ViewRow::new(name, dataset, kind, &ask.access.actor, ask.now)
        }
    };
    view.name = name.unwrap_or(view.name);
    view.description = description.apply(view.description);
    view.sort = sort.apply(view.sort);
    view.definition = updated_definition(&form, &view)?;
    if before.as_ref() != Some(&view) {
        view.updated_at = ask.now;
        views::upsert(conn, workspace, &view)?;
    }
    Ok(views::get(conn, workspace, view.id)?)
}

/// The View with the count of its definition's matches, so that nobody has to pay for rows to learn
/// it. The count is null beyond the cap of totals, so that counting never takes longer than a
/// search, and for a definition that is no longer valid.
fn with_count(conn: &Conn, ask: &AuthorizedRequest, view: ViewRow) -> Result<ViewRow, ApiError> {
    let Some(Ok(stored)) = view
        .definition
        .as_ref()
        .map(|stored| definition::parse(view.dataset, stored))
    else {
        return Ok(view);
    };
    let call = search_context(ask, view.dataset, SearchScope::Dynamic(view.id, &stored));
    let found = search::run_search(conn, &call, &json!({"limit": 1}))?.metadata;
    Ok(ViewRow {
        records_count: (!found.total_is_capped).then_some(i64::from(found.total)),
        ..view
    })
}

/// The definition after the upsert: a Dynamic View always has one, a Static View never.
fn updated_definition(form: &InputObject<'_>, view: &ViewRow) -> Result<Option<Value>, ApiError> {
    let given = form.patch("definition", Ok)?;
    match (view.kind, given) {
        (StoredViewKind::Static, Patch::Keep | Patch::Clear) => Ok(None),
        (StoredViewKind::Dynamic, Patch::Keep) if view.definition.is_some() => {
            Ok(view.definition.clone())
        }
        (StoredViewKind::Static, Patch::Set(at)) => Err(at.issue(
            "not_allowed",
            "a Static View cannot have a definition",
            Value::Null,
        )),
        (StoredViewKind::Dynamic, Patch::Set(at)) => {
            if at.value.to_string().len() > MAX_DEFINITION_BYTES {
                let message = format!("must not be larger than {} KiB", MAX_DEFINITION_BYTES >> 10);
                return Err(at.issue("too_big", message, json!({"maximum": MAX_DEFINITION_BYTES})));
            }
            definition::parse(view.dataset, at.value)?;
            Ok(Some(at.value.clone()))
        }
        (StoredViewKind::Dynamic, Patch::Keep | Patch::Clear) => {
            let mut path = form.location().path.clone();
            path.push("definition".into());
            Err(ApiError::invalid_field(
                "required",
                &path,
                "is required for a Dynamic View",
                Value::Null,
            ))
        }
    }
}

fn require_unchanged(form: &InputObject<'_>, key: &str, same: bool) -> Result<(), ApiError> {
    match form.get(key) {
        Some(at) if !same => Err(at.issue("not_allowed", "cannot be changed", Value::Null)),
        _ => Ok(()),
    }
}

/// A sort for front ends: any key, in either order.
fn parse_sort(at: InputValue<'_>) -> Result<Value, ApiError> {
    let form = at.object()?.reject_unknown_keys(&["field", "order"])?;
    let field = form
        .required_field("field")?
        .text_of_length(1, MAX_VIEW_NAME_CHARS)?;
    let order = form
        .optional_field("order", |at| at.one_of(&["asc", "desc"]))?
        .unwrap_or("desc");
    Ok(json!({"field": field, "order": order}))
}
