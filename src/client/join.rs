//! `POST /join`, outside the interface: redeems the join code of a local service.

use serde::Deserialize;
use serde_json::json;

use crate::domain::WorkspaceId;
use crate::domain::join_code::JoinSecret;
use crate::domain::members::Role;
use crate::domain::request_error::{RequestError, RequestErrorKind};
use crate::interface::RouteId;

use super::Request;

/// What a service answers to a code that it accepts.
#[derive(Deserialize)]
pub struct Joined {
    /// A member's token, or a wall's key.
    pub token: String,
    pub scopes: Vec<String>,
    pub workspace: JoinedWorkspace,
    /// `None` for a wall.
    pub role: Option<Role>,
}

/// What the scope of writes is called in an answer.
const WRITE_SCOPE: &str = "workspace:write";

impl Joined {
    /// A wall's key only reads.
    pub fn is_wall(&self) -> bool {
        !self.scopes.iter().any(|scope| scope == WRITE_SCOPE)
    }
}

/// Why a code was not accepted; where the service said everything, in its words alone.
pub fn refusal_message(failure: &RequestError) -> String {
    match &failure.kind {
        RequestErrorKind::Rejected(refusal) if matches!(refusal.status, 400 | 404 | 410 | 429) => {
            refusal.message.clone()
        }
        _ => failure.message.clone(),
    }
}

#[derive(Debug, Deserialize)]
pub struct JoinedWorkspace {
    pub id: WorkspaceId,
    pub name: String,
}

/// Redeems a code. Without a name a member's code stays valid, and the service asks for the name
/// (400).
pub fn redeem(secret: &JoinSecret, name: Option<&str>) -> Request {
    let mut body = json!({ "secret": secret.encode() });
    if let Some(name) = name {
        body["name"] = json!(name);
    }
    Request::new(RouteId::RedeemJoinCode, &[]).with_body(body)
}
