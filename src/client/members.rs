//! `/workspace/members`: who has access (interface: Workspace: members and invitations). 0 credits.

use serde_json::{Value, json};

use crate::domain::UserId;
use crate::domain::members::{Member, Role};
use crate::domain::request_error::RequestError;
use crate::interface::RouteId;

use super::{Client, Request, Response};

pub fn list() -> Request {
    Request::new(RouteId::ListMembers, &[])
}

/// Changes a member's role; never retried.
pub fn set_role(user: UserId, role: &Role) -> Request {
    Request::new(RouteId::SetMemberRole, &[&user])
        .with_body(json!({"role": role}))
        .fill_body_from(list(), |there, sent| {
            let user = sent.path.rsplit('/').next()?;
            let mut members = there.pointer("/data/members")?.as_array()?.iter();
            let is_it = |it: &&Value| it.get("id").and_then(Value::as_str) == Some(user);
            Some(json!({"data": members.find(is_it)?}))
        })
}

/// Removes a member; never retried.
pub fn remove(user: UserId) -> Request {
    Request::new(RouteId::RemoveMember, &[&user])
}

/// Outside the interface: a new join code for a member. Never retried, because each call may send
/// an email.
pub fn create_join_code(user: UserId) -> Request {
    Request::new(RouteId::CreateJoinCode, &[&user]).with_body(json!({}))
}

impl Client {
    /// The members, earliest joined first.
    pub async fn members(&self) -> Result<Response<Vec<Member>>, RequestError> {
        Ok(self.fetch_rows(list()).await?.map(|rows| rows.rows))
    }
}
