//! `/workspace/favorite-views`: a person's own pointers to Views. 0 credits; a user token is needed, an API key is refused.

use serde_json::{Value, json};

use crate::domain::ViewId;
use crate::domain::views::Favorite;

use super::locate::all;
use super::{Class, Payload, Request};

/// Where the interface does not show the list of favorites.
const LIST: Payload = Payload::List("favorites", "favorite", "view_id");

/// `GET /workspace/favorite-views`.
pub fn list() -> Request {
    Request::get("/workspace/favorite-views", Class::FreeRead, LIST)
}

/// `POST /workspace/favorite-views/upsert`.
pub fn upsert(view: ViewId) -> Request {
    Request::post("/workspace/favorite-views/upsert", json!({"view_id": view}), Class::Once, Payload::Object("favorite"))
        .checked(list(), |there, sent| Some(json!({"data": favorite(there, sent.body()?)?})))
        .reread(list(), |there, sent| Some(json!({"data": favorite(there, sent.body()?)?})))
}

/// The favorite that an upsert asks for, in a list of all.
fn favorite(list: &Value, sent: &Value) -> Option<Value> {
    let view: ViewId = serde_json::from_value(sent.get("view_id")?.clone()).ok()?;
    let is_it = |there: &Value| serde_json::from_value::<Favorite>(there.clone()).is_ok_and(|it| it.view_id == view);
    all(list, LIST)?.into_iter().find(is_it)
}

/// `DELETE /workspace/favorite-views/{viewId}`.
pub fn delete(view: ViewId) -> Request {
    Request::delete(format!("/workspace/favorite-views/{view}"))
}

/// `POST /workspace/favorite-views/upsert/batch`, 1 to 100 Views.
pub fn upsert_batch(views: &[ViewId]) -> Request {
    let inputs: Vec<_> = views.iter().map(|view| json!({"view_id": view})).collect();
    Request::post("/workspace/favorite-views/upsert/batch", json!({"inputs": inputs}), Class::Once, Payload::In("results"))
        .checked(list(), |there, sent| {
            let result = |(index, input)| Some(json!({"index": index, "status": "ok", "record": favorite(there, input)?}));
            let results: Option<Vec<_>> = sent.body()?.get("inputs")?.as_array()?.iter().enumerate().map(result).collect();
            Some(json!({"data": {"results": results?}}))
        })
}

/// `POST /workspace/favorite-views/delete/batch`, 1 to 100 Views.
pub fn delete_batch(views: &[ViewId]) -> Request {
    Request::post("/workspace/favorite-views/delete/batch", json!({"ids": views}), Class::Safe, Payload::In("results"))
}
