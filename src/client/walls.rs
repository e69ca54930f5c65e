//! `/workspace/walls`, outside the interface: screens whose key only reads. 0 credits.

use serde_json::json;
use uuid::Uuid;

use crate::interface::RouteId;

use super::Request;

pub fn list() -> Request {
    Request::new(RouteId::ListWalls, &[])
}

/// Creates a wall and its join code.
pub fn create(name: &str) -> Request {
    Request::new(RouteId::CreateWall, &[]).with_body(json!({ "name": name }))
}

/// Its code and its key stop working at once.
pub fn revoke(id: Uuid) -> Request {
    Request::new(RouteId::RevokeWall, &[&id])
}
