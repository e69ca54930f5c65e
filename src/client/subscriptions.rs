//! `/signal-subscriptions`: what the queue is made of (interface: Workspace: signal subscriptions). 0 credits.

use crate::domain::failure::Failure;
use crate::domain::subscriptions::Subscription;

use super::{Answer, Class, Client, Payload, Request};

/// `GET /signal-subscriptions`.
pub fn list() -> Request {
    Request::get("/signal-subscriptions", Class::FreeRead, Payload::Key("subscriptions"))
}

impl Client {
    /// The workspace's subscriptions.
    ///
    /// # Errors
    /// As [`Client::rows`].
    pub async fn subscriptions(&self) -> Result<Answer<Vec<Subscription>>, Failure> {
        Ok(self.rows(list()).await?.map(|rows| rows.rows))
    }
}
