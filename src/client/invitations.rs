//! `/workspace/invitations`: who was asked to join (interface: Workspace: members and invitations). 0 credits.

use serde_json::json;

use crate::domain::InvitationId;
use crate::domain::members::Role;

use super::{Class, Payload, Request};

/// `GET /workspace/invitations`.
pub fn list() -> Request {
    Request::get("/workspace/invitations", Class::FreeRead, Payload::In("invitations"))
}

/// `POST /workspace/invitations`. A mail may go out each time, so it is never repeated.
pub fn create(email: &str, role: &Role) -> Request {
    Request::post("/workspace/invitations", json!({"email": email, "role": role}), Class::Once, Payload::Data)
}

/// `DELETE /workspace/invitations/{id}`: revoked; the record is kept.
pub fn revoke(id: InvitationId) -> Request {
    Request::delete(format!("/workspace/invitations/{id}"))
}
