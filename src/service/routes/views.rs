//! `/workspace/views*`: the shared Views themselves; their records are in [`super::view_records`] (interface: Views; decisions 2.6, 2.7).

use serde_json::{Value, json};

use super::batch;
use crate::domain::ViewId;
use crate::domain::patch::Patch;
use crate::service::answer::Answer;
use crate::service::ask::Ask;
use crate::service::db::views::{Kind, View};
use crate::service::db::{Conn, views};
use crate::service::form::{At, Form};
use crate::service::refusal::Refusal;
use crate::service::search::{self, Base, Call, Dataset, definition};

/// The longest name and description, in characters.
const NAME_MAX: usize = 200;
const DESCRIPTION_MAX: usize = 2000;
/// The longest definition, in bytes of JSON: every list of Views carries it.
const DEFINITION_MAX: usize = 32 << 10;
const DATASETS: [&str; 3] = ["account", "contact", "project"];
const KEYS: [&str; 7] = ["view_id", "name", "description", "dataset", "type", "definition", "sort"];

/// Dynamic Views that a list counts: each is a search, and a workspace may have any number. Asked for alone, a View is always counted.
const COUNTED: usize = 50;

/// All Views.
pub fn list(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    let mut left = COUNTED;
    let views = views::list(conn, ask.access.workspace)?.into_iter().map(|view| {
        let is_counted = view.kind == Kind::Static || left > 0;
        left = left.saturating_sub(usize::from(view.kind == Kind::Dynamic));
        if is_counted { counted(conn, ask, view) } else { Ok(view) }
    });
    Answer::free(json!({"views": views.collect::<Result<Vec<_>, _>>()?}))
}

/// One View.
pub fn show(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    Answer::free(counted(conn, ask, named(conn, ask)?)?)
}

/// Makes a View, or changes one.
pub fn upsert(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    let view = write(conn, ask, &At::root(&ask.body))?;
    Answer::free(view.map(|view| counted(conn, ask, view)).transpose()?)
}

/// Many upserts. Dynamic Views are not counted: that would be a hundred searches while nobody else can write.
pub fn upsert_batch(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    batch::upserts(conn, ask, |at| Ok(json!(write(conn, ask, at)?)))
}

/// Deletes a View for everybody.
pub fn remove(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    let id: ViewId = ask.id("id", Refusal::view_not_found)?;
    if !views::remove(conn, ask.access.workspace, id)? {
        return Err(Refusal::view_not_found());
    }
    Answer::free(json!({"deleted": true, "id": id}))
}

/// Deletes many.
pub fn remove_batch(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    batch::deletes(conn, ask, |id| Ok(views::remove(conn, ask.access.workspace, id.into()).map(drop)?))
}

/// The View that the path names; 404 for one of another workspace as for one that is none.
pub fn named(conn: &Conn, ask: &Ask) -> Result<View, Refusal> {
    views::get(conn, ask.access.workspace, ask.id("id", Refusal::view_not_found)?)?.ok_or_else(Refusal::view_not_found)
}

fn write(conn: &Conn, ask: &Ask, at: &At<'_>) -> Result<Option<View>, Refusal> {
    let form = at.object()?.only(&KEYS)?;
    let id: Option<ViewId> = form.read("view_id", |at| at.id())?;
    let dataset = form.read("dataset", |at| at.word(&DATASETS).map(Dataset::of))?.flatten();
    let kind = form.read("type", |at| at.word(&Kind::WORDS).map(Kind::named))?;
    let name = form.read("name", |at| at.text_of(1, NAME_MAX).map(str::to_owned))?;
    let description = form.patch("description", |at| at.text_of(0, DESCRIPTION_MAX).map(str::to_owned))?;
    let sort = form.patch("sort", presentation)?;

    let workspace = ask.access.workspace;
    let before = match id {
        Some(id) => Some(views::get(conn, workspace, id)?.ok_or_else(Refusal::view_not_found)?),
        None => None,
    };
    let mut view = match &before {
        Some(view) => {
            fixed(&form, "dataset", dataset.is_none_or(|dataset| dataset == view.dataset))?;
            fixed(&form, "type", kind.is_none_or(|kind| kind == view.kind))?;
            view.clone()
        }
        None => {
            let (Some(dataset), Some(kind), Some(name)) = (dataset, kind, name.clone()) else {
                let missing = [("name", name.is_none()), ("dataset", dataset.is_none()), ("type", kind.is_none())];
                let key = missing.iter().find(|(_, missing)| *missing).map_or("name", |(key, _)| key);
                return form.need(key).map(|_| None);
            };
            View::new(name, dataset, kind, &ask.access.name, ask.now)
        }
    };
    view.name = name.unwrap_or(view.name);
    view.description = description.apply(view.description);
    view.sort = sort.apply(view.sort);
    view.definition = definition(&form, &view)?;
    if before.as_ref() != Some(&view) {
        view.updated_at = ask.now;
        views::put(conn, workspace, &view)?;
    }
    Ok(views::get(conn, workspace, view.id)?)
}

/// The View with the count of what its definition finds, which nobody should have to pay a row for; null beyond the cap of totals, so
/// that counting never takes longer than a search, and for a definition that cannot be read any more.
fn counted(conn: &Conn, ask: &Ask, view: View) -> Result<View, Refusal> {
    let Some(Ok(stored)) = view.definition.as_ref().map(|stored| definition::read(view.dataset, stored)) else {
        return Ok(view);
    };
    let base = Base::Dynamic(view.id, &stored);
    let call = Call { workspace: ask.access.workspace, now: ask.now, dataset: view.dataset, base };
    let found = search::run(conn, &call, &json!({"limit": 1}))?.metadata;
    Ok(View { records_count: (!found.total_is_capped).then_some(i64::from(found.total)), ..view })
}

/// What the definition is after the upsert: a Dynamic View always has one, a Static View never.
fn definition(form: &Form<'_>, view: &View) -> Result<Option<Value>, Refusal> {
    let given = form.patch("definition", Ok)?;
    match (view.kind, given) {
        (Kind::Static, Patch::Keep | Patch::Clear) => Ok(None),
        (Kind::Dynamic, Patch::Keep) if view.definition.is_some() => Ok(view.definition.clone()),
        (Kind::Static, Patch::Set(at)) => Err(at.issue("not_allowed", "a Static View has no definition", Value::Null)),
        (Kind::Dynamic, Patch::Set(at)) => {
            if at.value.to_string().len() > DEFINITION_MAX {
                let message = format!("is larger than {} KiB", DEFINITION_MAX >> 10);
                return Err(at.issue("too_big", message, json!({"maximum": DEFINITION_MAX})));
            }
            definition::read(view.dataset, at.value)?;
            Ok(Some(at.value.clone()))
        }
        (Kind::Dynamic, Patch::Keep | Patch::Clear) => {
            let mut path = form.at().path.clone();
            path.push("definition".into());
            Err(Refusal::issue("required", &path, "is required of a Dynamic View", Value::Null))
        }
    }
}

fn fixed(form: &Form<'_>, key: &str, same: bool) -> Result<(), Refusal> {
    match form.get(key) {
        Some(at) if !same => Err(at.issue("not_allowed", "cannot be changed", Value::Null)),
        _ => Ok(()),
    }
}

/// A sort for front ends: any key, any of the two orders.
fn presentation(at: At<'_>) -> Result<Value, Refusal> {
    let form = at.object()?.only(&["field", "order"])?;
    let field = form.need("field")?.text_of(1, NAME_MAX)?;
    let order = form.read("order", |at| at.word(&["asc", "desc"]))?.unwrap_or("desc");
    Ok(json!({"field": field, "order": order}))
}
