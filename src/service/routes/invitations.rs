//! `/workspace/invitations`: who is asked to join (interface: Workspace: members and invitations; decisions 2.10).

use serde_json::{Value, json};

use crate::domain::members::Role;
use crate::service::answer::Answer;
use crate::service::ask::Ask;
use crate::service::db::invitations::Status;
use crate::service::db::{Conn, invitations};
use crate::service::form::At;
use crate::service::refusal::Refusal;

/// Invites an address, which is stored trimmed and in lower case.
pub fn create(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    let form = ask.form(&["email", "role"])?;
    let email = address(&form.need("email")?)?;
    let role = form.read("role", |at| at.word(&["admin", "member"]))?.map_or(Role::Member, Role::from);
    let (workspace, now) = (ask.access.workspace, ask.now);
    if invitations::is_known(conn, workspace, &email, now)? {
        return Err(Refusal::conflict("already_exists", "this address is a member's, or its invitation is still open"));
    }
    Answer::free(invitations::create(conn, workspace, &email, &role, &ask.access.name, now)?)
}

/// All invitations, or those of one status, newest first.
pub fn list(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    let status = ask.param("status", |at| at.word(&Status::WORDS))?;
    let mut invitations = invitations::list(conn, ask.access.workspace, ask.now)?;
    invitations.retain(|invitation| status.is_none_or(|word| invitation.status.as_str() == word));
    Answer::free(json!({ "invitations": invitations }))
}

/// Takes an invitation back: its link is dead at once, the record stays.
pub fn revoke(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    let missing = || Refusal::not_found("no open invitation of this workspace: missing, accepted or revoked");
    let id = ask.id("id", missing)?;
    let email = invitations::revoke(conn, ask.access.workspace, id, ask.now)?.ok_or_else(missing)?;
    Answer::free(json!({"deleted": true, "id": id, "email": email}))
}

/// One address, `somebody@somewhere.example`. Whether it exists is the mail's business.
fn address(at: &At<'_>) -> Result<String, Refusal> {
    let text = at.text_of(1, 254)?.trim().to_lowercase();
    let odd = |c: char| c.is_whitespace() || c.is_control() || "<>,;:\"()[]\\".contains(c);
    let parts = text.split_once('@').filter(|(local, domain)| {
        let is_label = |label: &str| !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        !local.is_empty() && domain.contains('.') && domain.split('.').all(is_label)
    });
    match parts {
        Some(_) if !text.contains(odd) => Ok(text),
        _ => Err(at.issue("invalid_type", "must be an e-mail address", Value::from_iter([("expected", "email")]))),
    }
}
