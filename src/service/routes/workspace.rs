//! `GET /workspace`: what the workspace is and who is asking (decisions 2.4).

use serde_json::json;

use crate::service::answer::Answer;
use crate::service::ask::Ask;
use crate::service::db::{Conn, workspaces};
use crate::service::refusal::Refusal;

/// The workspace, the caller and how much there is.
pub fn show(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    let access = &ask.access;
    let workspace = workspaces::get(conn, access.workspace)?.ok_or_else(|| Refusal::not_found("no such workspace"))?;
    Answer::free(json!({
        "id": workspace.id,
        "name": workspace.name,
        "plan": workspace.plan,
        "created_at": workspace.created_at,
        "caller": {"kind": access.kind, "user_id": access.user, "role": access.role, "scopes": access.scopes},
        "counts": workspaces::counts(conn, workspace.id)?,
        "sends_invitations": false,
    }))
}
