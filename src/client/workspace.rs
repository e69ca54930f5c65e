//! `/workspace` and `/workspace/credits`: who and where, and the meter. 0 credits, never throttled; payloads not shown.

use crate::domain::credits::Credits;
use crate::domain::failure::Failure;
use crate::domain::workspace::Workspace;

use super::{Answer, Class, Client, Payload, Request};

/// `GET /workspace`.
pub fn get() -> Request {
    Request::get("/workspace", Class::FreeRead, Payload::Data)
}

/// `GET /workspace/credits`.
pub fn credits() -> Request {
    Request::get("/workspace/credits", Class::FreeRead, Payload::Data)
}

impl Client {
    /// The workspace and who is asking.
    ///
    /// # Errors
    /// As [`Client::value`].
    pub async fn workspace(&self) -> Result<Answer<Workspace>, Failure> {
        self.value(get()).await
    }

    /// What the workspace has used in its rolling window.
    ///
    /// # Errors
    /// As [`Client::value`].
    pub async fn credits(&self) -> Result<Answer<Credits>, Failure> {
        self.value(credits()).await
    }
}
