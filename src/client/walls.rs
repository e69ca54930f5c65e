//! `/workspace/walls`, outside the interface: screens whose key only reads. 0 credits.

use serde_json::json;
use uuid::Uuid;

use super::{PayloadPath, Request};

/// `GET /workspace/walls`.
pub fn list() -> Request {
    Request::get_free("/workspace/walls", PayloadPath::DataKey("walls"))
}

/// `POST /workspace/walls`: creates a wall and its join code.
pub fn create(name: &str) -> Request {
    Request::post_once(
        "/workspace/walls",
        json!({ "name": name }),
        PayloadPath::Data,
    )
}

/// `DELETE /workspace/walls/{id}`: its code and its key stop working at once.
pub fn revoke(id: Uuid) -> Request {
    Request::delete(format!("/workspace/walls/{id}"))
}
