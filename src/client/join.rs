//! `POST /join`, outside the interface: redeems the join code of a local service.

use serde::Deserialize;
use serde_json::json;

use crate::domain::WorkspaceId;
use crate::domain::join_code::JoinSecret;
use crate::domain::members::Role;

use super::{PayloadPath, Request, RetryClass};

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

#[derive(Debug, Deserialize)]
pub struct JoinedWorkspace {
    pub id: WorkspaceId,
    pub name: String,
}

/// Redeems a code. Without a name a member's code stays valid, and the service asks for the name (400).
pub fn redeem(secret: &JoinSecret, name: Option<&str>) -> Request {
    let mut body = json!({ "secret": secret.encode() });
    if let Some(name) = name {
        body["name"] = json!(name);
    }
    Request::post("/join", body, RetryClass::NonIdempotent, PayloadPath::Data)
}
