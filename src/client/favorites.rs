//! `/workspace/favorite-views`: a person's own pointers to Views. 0 credits; a user token is needed, an API key is refused.

use serde_json::json;

use crate::domain::ViewId;

use super::{Class, Payload, Request};

/// `GET /workspace/favorite-views`.
pub fn list() -> Request {
    Request::get("/workspace/favorite-views", Class::FreeRead, Payload::In("favorites"))
}

/// `POST /workspace/favorite-views/upsert`.
pub fn upsert(view: ViewId) -> Request {
    Request::post("/workspace/favorite-views/upsert", json!({"view_id": view}), Class::Check, Payload::Data)
}

/// `DELETE /workspace/favorite-views/{viewId}`.
pub fn delete(view: ViewId) -> Request {
    Request::delete(format!("/workspace/favorite-views/{view}"))
}

/// `POST /workspace/favorite-views/upsert/batch`, 1 to 100 Views.
pub fn upsert_batch(views: &[ViewId]) -> Request {
    let inputs: Vec<_> = views.iter().map(|view| json!({"view_id": view})).collect();
    Request::post("/workspace/favorite-views/upsert/batch", json!({"inputs": inputs}), Class::Check, Payload::In("results"))
}

/// `POST /workspace/favorite-views/delete/batch`, 1 to 100 Views.
pub fn delete_batch(views: &[ViewId]) -> Request {
    Request::post("/workspace/favorite-views/delete/batch", json!({"ids": views}), Class::Safe, Payload::In("results"))
}
