//! `/workspace/members`: who has access (interface: Workspace: members and invitations). 0 credits.

use reqwest::Method;
use serde_json::{Value, json};

use crate::domain::UserId;
use crate::domain::members::{Member, Role};
use crate::domain::request_error::RequestError;

use super::{Client, PayloadPath, Request, Response, RetryClass};

/// `GET /workspace/members`.
pub fn list() -> Request {
    Request::get_free("/workspace/members", PayloadPath::DataKey("members"))
}

/// `PATCH /workspace/members/{userId}`: changes the role. Never retried.
pub fn set_role(user: UserId, role: &Role) -> Request {
    let (path, body) = (format!("/workspace/members/{user}"), json!({"role": role}));
    Request {
        method: Method::PATCH,
        ..Request::post_once(path, body, PayloadPath::Object("member"))
    }
    .fill_body_from(list(), |there, sent| {
        let user = sent.path.rsplit('/').next()?;
        let mut members = there.pointer("/data/members")?.as_array()?.iter();
        Some(
            json!({"data": members.find(|it| it.get("id").and_then(Value::as_str) == Some(user))?}),
        )
    })
}

/// `DELETE /workspace/members/{userId}`. Never retried.
pub fn remove(user: UserId) -> Request {
    Request {
        retry_class: RetryClass::NonIdempotent,
        ..Request::delete(format!("/workspace/members/{user}"))
    }
}

/// `POST /workspace/members/{userId}/join-code`, outside the interface: a new join code for a
/// member. Never retried, because each call may send an email.
pub fn create_join_code(user: UserId) -> Request {
    Request::post_once(
        format!("/workspace/members/{user}/join-code"),
        json!({}),
        PayloadPath::Object("invitation"),
    )
}

impl Client {
    /// The members, earliest joined first.
    pub async fn members(&self) -> Result<Response<Vec<Member>>, RequestError> {
        Ok(self.fetch_rows(list()).await?.map(|rows| rows.rows))
    }
}
