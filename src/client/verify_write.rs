//! What is read after a write: whether it was applied when its answer was lost and a repeat is not known to be harmless, and what
//! its answer would have held when it was done and answered without a body.
//!
//! Never here: which writes these are (their families say), and reads that cost credits.

use serde_json::Value;

use crate::domain::request_error::{RequestError, RequestErrorKind};

use super::Client;
use super::request::{ReadBack, Request};
use super::retry_policy::MAX_SENDS;
use super::transport::RawResponse;

impl Client {
    /// Sends a request by the rules of its class; a write that can be looked up is looked up before it is sent again, three times in
    /// all.
    pub(super) async fn send_verified(&self, request: Request) -> Result<RawResponse, RequestError> {
        let mut sends = 1;
        loop {
            let (lost, check) = match (self.send(request.clone()).await, &request.verify) {
                (Err(lost), Some(check)) if lost.kind == RequestErrorKind::Ambiguous => (lost, check),
                (Ok(done), _) if done.text.is_empty() => return Ok(self.fill_empty_body(&request, done).await),
                (ended, _) => return ended,
            };
            match self.read_back(&request, check).await {
                Some(Ok(answered)) => return Ok(answered),
                Some(Err(())) if sends < MAX_SENDS => sends += 1,
                _ => return Err(lost),
            }
        }
    }

    /// A write that is done, with what its answer would have held where that can be read.
    async fn fill_empty_body(&self, write: &Request, done: RawResponse) -> RawResponse {
        let Some(reread) = &write.fill_body_from else { return done };
        match self.read_back(write, reread).await {
            Some(Ok(answered)) => RawResponse { was_retried: done.was_retried, ..answered },
            _ => done,
        }
    }

    /// The answer that a write would have had; an error when it was not applied, and nothing when that cannot be read either.
    async fn read_back(&self, write: &Request, check: &ReadBack) -> Option<Result<RawResponse, ()>> {
        let answered = self.send(Request::clone(&check.read)).await.ok()?;
        let there: Value = serde_json::from_str(&answered.text).ok()?;
        Some((check.extract)(&there, write).ok_or(()).map(|answer| RawResponse {
            text: answer.to_string(),
            route: write.to_string(),
            was_retried: true,
            ..answered
        }))
    }
}
