//! `/workspace/favorite-views`: a person's own pointers to Views. 0 credits; a user token is needed, an API key is refused.

use serde_json::{Value, json};

use crate::domain::ViewId;

use super::{Class, Payload, Request};

/// `GET /workspace/favorite-views`.
pub fn list() -> Request {
    Request::get("/workspace/favorite-views", Class::FreeRead, Payload::In("favorites"))
}

/// `POST /workspace/favorite-views/upsert`.
pub fn upsert(view: ViewId) -> Request {
    Request::post("/workspace/favorite-views/upsert", json!({"view_id": view}), Class::Once, Payload::Data)
        .checked(list(), |there, sent| Some(json!({"data": favorite(there, sent.body()?)?})))
}

/// The favorite that an upsert asks for, in a list of all.
fn favorite<'l>(list: &'l Value, sent: &Value) -> Option<&'l Value> {
    let favorites = list.pointer("/data/favorites")?.as_array()?;
    favorites.iter().find(|favorite| favorite.get("view_id") == sent.get("view_id"))
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
