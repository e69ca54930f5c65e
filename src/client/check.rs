//! A write whose repeat is not known to be harmless: after a lost answer it is read whether it was applied, and sent again only when
//! it was not.
//!
//! Never here: which writes these are (their families say), and reads that cost credits.

use serde_json::Value;

use crate::domain::failure::{Failure, Kind};

use super::Client;
use super::request::{Check, Request};
use super::retry::SENDS;
use super::transport::Answered;

impl Client {
    /// Sends a request by the rules of its class; a write that can be looked up is looked up before it is sent again, three times in
    /// all.
    pub(super) async fn send_checked(&self, request: Request) -> Result<Answered, Failure> {
        let mut sends = 1;
        loop {
            let (lost, check) = match (self.send(request.clone()).await, &request.check) {
                (Err(lost), Some(check)) if lost.kind == Kind::Ambiguous => (lost, check),
                (ended, _) => return ended,
            };
            match self.read_back(&request, check).await {
                Some(Ok(answered)) => return Ok(answered),
                Some(Err(())) if sends < SENDS => sends += 1,
                _ => return Err(lost),
            }
        }
    }

    /// The answer that a write would have had; an error when it was not applied, and nothing when that cannot be read either.
    async fn read_back(&self, write: &Request, check: &Check) -> Option<Result<Answered, ()>> {
        let answered = self.send(Request::clone(&check.read)).await.ok()?;
        let there: Value = serde_json::from_str(&answered.text).ok()?;
        Some((check.applied)(&there, write).ok_or(()).map(|answer| Answered {
            text: answer.to_string(),
            route: write.to_string(),
            repeated: true,
            ..answered
        }))
    }
}
