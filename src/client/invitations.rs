//! `/workspace/invitations`: who was asked to join (interface: Workspace: members and invitations). 0 credits.

use serde_json::{Value, json};

use crate::domain::InvitationId;
use crate::domain::members::Role;

use super::payload_lookup::list_rows;
use super::{PayloadPath, Request, RetryClass};

/// The interface does not show where an answer holds the invitations.
const INVITATIONS_PAYLOAD: PayloadPath = PayloadPath::List("invitations", "invitation", "id");

/// `GET /workspace/invitations`.
pub fn list() -> Request {
    Request::get("/workspace/invitations", RetryClass::FreeRead, INVITATIONS_PAYLOAD)
}

/// `POST /workspace/invitations`. A mail may go out each time, so it is never repeated.
pub fn create(email: &str, role: &Role) -> Request {
    Request::post(
        "/workspace/invitations",
        json!({"email": email, "role": role}),
        RetryClass::NonIdempotent,
        PayloadPath::Object("invitation"),
    )
    .fill_body_from(list(), |there, sent| Some(json!({"data": find_invitation_to(there, sent.body()?.get("email")?.as_str()?)?})))
}

/// The invitation that went to an address last, in a list of all.
fn find_invitation_to(list: &Value, email: &str) -> Option<Value> {
    let is_it = |it: &&Value| it.get("email").and_then(Value::as_str).is_some_and(|to| to.eq_ignore_ascii_case(email.trim()));
    let invitations = list_rows(list, INVITATIONS_PAYLOAD)?;
    let made = |it: &&Value| it.get("created_at").and_then(Value::as_str).map(str::to_owned);
    // The newest stands first, unless the times say otherwise.
    invitations.iter().rev().filter(is_it).max_by_key(made).cloned()
}

/// `DELETE /workspace/invitations/{id}`: revoked; the record is kept.
pub fn revoke(id: InvitationId) -> Request {
    Request::delete(format!("/workspace/invitations/{id}"))
}
