//! Reads after a write: whether it was applied when its response was lost and a retry might do
//! harm, and what its response would have contained when the body was empty.
//!
//! Never here: which writes need this (their families decide), and reads that cost credits.

use serde_json::Value;

use crate::domain::request_error::{RequestError, RequestErrorKind};

use super::Client;
use super::request::{ReadBack, Request};
use super::retry_policy::MAX_SENDS;
use super::transport::RawResponse;

impl Client {
    /// Sends a request by the rules of its class. A write that can be verified is verified before
    /// each retry; it is sent three times at most.
    pub(super) async fn send_verified(
        &self,
        request: Request,
    ) -> Result<RawResponse, RequestError> {
        let mut sends = 1;
        loop {
            let (lost, check) = match (self.send(request.clone()).await, &request.verify) {
                (Err(lost), Some(check)) if lost.kind == RequestErrorKind::Ambiguous => {
                    (lost, check)
                }
                (Ok(done), _) if done.text.is_empty() => {
                    return Ok(self.fill_empty_body(&request, done).await);
                }
                (ended, _) => return ended,
            };
            match self.read_back(&request, check).await {
                Some(Ok(answered)) => return Ok(answered),
                Some(Err(())) if sends < MAX_SENDS => sends += 1,
                _ => return Err(lost),
            }
        }
    }

    /// Fills in the body of an applied write, where it can be read back.
    async fn fill_empty_body(&self, write: &Request, done: RawResponse) -> RawResponse {
        let Some(reread) = &write.fill_body_from else {
            return done;
        };
        match self.read_back(write, reread).await {
            Some(Ok(answered)) => RawResponse {
                was_retried: done.was_retried,
                ..answered
            },
            _ => done,
        }
    }

    /// The response that the write would have had; an error if it was not applied, `None` if that
    /// cannot be read either.
    async fn read_back(
        &self,
        write: &Request,
        check: &ReadBack,
    ) -> Option<Result<RawResponse, ()>> {
        let answered = self.send(Request::clone(&check.read)).await.ok()?;
        let there: Value = serde_json::from_str(&answered.text).ok()?;
        Some(
            (check.extract)(&there, write)
                .ok_or(())
                .map(|answer| RawResponse {
                    text: answer.to_string(),
                    route: write.to_string(),
                    was_retried: true,
                    ..answered
                }),
        )
    }
}
