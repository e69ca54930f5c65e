//! `/workspace/members`: who has access (interface: Workspace: members and invitations). 0 credits.

use crate::domain::failure::Failure;
use crate::domain::members::Member;

use super::{Answer, Class, Client, Payload, Request};

/// `GET /workspace/members`.
pub fn list() -> Request {
    Request::get("/workspace/members", Class::FreeRead, Payload::In("members"))
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
