//! `/workspace/favorite-views*`: a member's own pointers to Views; the gate lets only user tokens in (interface: Favorites; decisions 2.8).

use serde_json::{Value, json};

use super::batch;
use crate::domain::{UserId, ViewId};
use crate::service::answer::Answer;
use crate::service::ask::Ask;
use crate::service::db::favorites::Favorite;
use crate::service::db::{Conn, favorites, views};
use crate::service::form::At;
use crate::service::refusal::Refusal;

/// The favorites in their order.
pub fn list(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    Answer::free(json!({"favorites": favorites::list(conn, ask.access.workspace, member(ask)?)?}))
}

/// Makes a View a favorite, or moves one.
pub fn upsert(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    Answer::free(write(conn, ask, &At::root(&ask.body))?)
}

/// Many upserts.
pub fn upsert_batch(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    batch::upserts(conn, ask, |at| Ok(json!(write(conn, ask, at)?)))
}

/// A View is no favorite any more; idempotent.
pub fn remove(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    let view: ViewId = ask.id("viewId", Refusal::view_not_found)?;
    favorites::remove(conn, ask.access.workspace, member(ask)?, view)?;
    Answer::free(json!({"deleted": true, "view_id": view}))
}

/// Many deletes.
pub fn remove_batch(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    let user = member(ask)?;
    batch::deletes(conn, ask, |id| Ok(favorites::remove(conn, ask.access.workspace, user, id.into()).map(drop)?))
}

fn write(conn: &Conn, ask: &Ask, at: &At<'_>) -> Result<Option<Favorite>, Refusal> {
    let form = at.object()?.only(&["view_id", "position"])?;
    let view: ViewId = form.need("view_id")?.id()?;
    let position =
        form.get("position").filter(|at| *at.value != Value::Null).map(|at| at.whole(0, i64::from(u32::MAX))).transpose()?;
    let (workspace, user) = (ask.access.workspace, member(ask)?);
    views::get(conn, workspace, view)?.ok_or_else(Refusal::view_not_found)?;
    favorites::put(conn, workspace, user, view, position, ask.now)?;
    Ok(favorites::list(conn, workspace, user)?.into_iter().find(|favorite| favorite.view_id == view))
}

fn member(ask: &Ask) -> Result<UserId, Refusal> {
    ask.access.user.ok_or_else(|| Refusal::forbidden("Favorites are personal: this needs a user token"))
}
