//! `/workspace/members`: who has access (interface: Workspace: members and invitations). 0 credits.

use serde_json::json;

use crate::domain::UserId;
use crate::domain::failure::Failure;
use crate::domain::members::{Member, Role};

use super::{Answer, Class, Client, Payload, Request};

/// `GET /workspace/members`.
pub fn list() -> Request {
    Request::get("/workspace/members", Class::FreeRead, Payload::In("members"))
}

/// `PATCH /workspace/members/{userId}`: another role. Never repeated.
pub fn set_role(user: UserId, role: &Role) -> Request {
    Request::patch(format!("/workspace/members/{user}"), json!({"role": role}), Class::Once, Payload::Data)
}

/// `DELETE /workspace/members/{userId}`. Never repeated.
pub fn remove(user: UserId) -> Request {
    Request { class: Class::Once, ..Request::delete(format!("/workspace/members/{user}")) }
}

impl Client {
    /// The members, the longest joined first.
    ///
    /// # Errors
    /// As [`Client::rows`].
    pub async fn members(&self) -> Result<Answer<Vec<Member>>, Failure> {
        Ok(self.rows(list()).await?.map(|rows| rows.rows))
    }
}
