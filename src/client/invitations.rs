//! `/workspace/invitations`: pending invitations (interface: Workspace: members and invitations). 0
//! credits.

use serde_json::{Value, json};

use crate::domain::InvitationId;
use crate::domain::members::Role;
use crate::interface::RouteId;

use super::Request;
use super::payload_lookup::list_rows;

pub fn list() -> Request {
    Request::new(RouteId::ListInvitations, &[])
}

/// Never retried, because each call may send an email.
pub fn create(email: &str, role: &Role) -> Request {
    Request::new(RouteId::CreateInvitation, &[])
        .with_body(json!({"email": email, "role": role}))
        .fill_body_from(list(), |there, sent| {
            Some(json!({"data": find_invitation_to(there, sent.body()?.get("email")?.as_str()?)?}))
        })
}

/// Finds the latest invitation to an address in the list of all invitations.
fn find_invitation_to(list: &Value, email: &str) -> Option<Value> {
    let is_it = |it: &&Value| {
        it.get("email")
            .and_then(Value::as_str)
            .is_some_and(|to| to.eq_ignore_ascii_case(email.trim()))
    };
    let invitations = list_rows(list, RouteId::ListInvitations)?;
    let made = |it: &&Value| {
        it.get("created_at")
            .and_then(Value::as_str)
            .map(str::to_owned)
    };
    // The newest comes first unless the timestamps differ.
    invitations
        .iter()
        .rev()
        .filter(is_it)
        .max_by_key(made)
        .cloned()
}

/// Revokes it; the record is kept.
pub fn revoke(id: InvitationId) -> Request {
    Request::new(RouteId::RevokeInvitation, &[&id])
}
