//! Records requests: the cost of reads, and each write before its first byte is sent.
//!
//! A read that may cost something is recorded as "price unknown" before it is sent, so the ledger
//! is right even if its response is lost or nobody waits for it. It is sent only if the recorder
//! allows it: this is the one place that every paid request passes. A write waits until it is
//! journaled.

use uuid::Uuid;

use crate::domain::credits::RequestCost;
use crate::domain::journal::{
    OutgoingWrite, RequestRecorder, RequestSummary, WriteCounts, WriteProgress,
};
use crate::domain::request_error::{RequestError, RequestErrorKind};
use crate::interface::PayloadPath;

use super::transport::RawResponse;
use super::{Client, Request, Response, decode};

/// Decodes a response and tells how many rows it has, if that is known.
type CountRows<'a> =
    dyn FnMut(&RawResponse) -> Result<Response<Option<u64>>, RequestError> + Send + 'a;

impl Client {
    /// Sends a request, decodes its response, and records both.
    pub(super) async fn send_recorded<T: Send>(
        &self,
        request: Request,
        read: fn(&str, &RawResponse, PayloadPath) -> Result<Response<T>, RequestError>,
        rows: fn(&T) -> Option<u64>,
    ) -> Result<Response<T>, RequestError> {
        let payload = request.payload;
        let mut value = None;
        let answer = self
            .send_and_record(request, &mut |answered| {
                let answer = read(&self.0.host, answered, payload)?;
                let rows = rows(&answer.value);
                Ok(answer.map(|decoded| {
                    value = Some(decoded);
                    rows
                }))
            })
            .await?;
        let value = value.expect("a response that was accepted was decoded");
        Ok(answer.map(|_| value))
    }

    /// [`Client::send_recorded`] for every type: `read` tells how many rows the response has.
    async fn send_and_record(
        &self,
        request: Request,
        read: &mut CountRows<'_>,
    ) -> Result<Response<Option<u64>>, RequestError> {
        if self.0.read_only && !request.is_read() {
            let message = "not sent: this is a write and --read-only is set".to_owned();
            return Err(RequestError {
                kind: RequestErrorKind::ReadOnly,
                message,
            });
        }
        let Some(recorder) = self.0.recorder.as_deref() else {
            return read(&self.send_verified(request).await?);
        };
        let asked = request_cost(&request);
        let (is_paid, is_write) = (asked.max_credits != Some(0), !request.is_read());
        if is_paid {
            recorder
                .before_read(asked.clone())
                .await
                .map_err(|why| RequestError {
                    kind: RequestErrorKind::OverBudget,
                    message: format!("not sent: {why}"),
                })?;
        }
        if is_write {
            let write = OutgoingWrite {
                id: asked.id,
                route: asked.route.clone(),
                target: request.target_id(),
                body: request.body.clone(),
            };
            let failed = |why| RequestError {
                kind: RequestErrorKind::NotJournaled,
                message: format!("not sent: could not write to the local journal: {why}"),
            };
            recorder.before_write(write).await.map_err(failed)?;
        }
        let (sent, took) = self.send_timed(request).await;
        let (answer, counts) = match sent {
            Ok(answered) if is_write => (read(&answered), decode::decode_write_counts(&answered)),
            Ok(answered) => (read(&answered), WriteCounts::default()),
            Err(failure) => (Err(failure), WriteCounts::default()),
        };
        recorder.show_request(&RequestSummary {
            route: &asked.route,
            took,
            outcome: answer
                .as_ref()
                .map(|answer| answer.credits)
                .map_err(|failure| failure.message.as_str()),
            is_free: !is_paid,
        });
        if let Some(date) = answer.as_ref().ok().and_then(|answer| answer.date) {
            recorder.record_service_time(date);
        }
        match &answer {
            Ok(_) if is_write => recorder.record_response(asked.id, counts),
            Err(failure) if is_write => record_failure(recorder, asked.id, failure),
            _ => {}
        }
        match &answer {
            Ok(answer) if is_paid || answer.credits.is_some_and(|credits| credits > 0) => {
                recorder.record_cost(RequestCost {
                    credits: answer.credits,
                    rows: answer.value,
                    ..asked
                });
            }
            Err(RequestError {
                kind: RequestErrorKind::NotSent | RequestErrorKind::Rejected(_),
                ..
            }) if is_paid => {
                recorder.record_cost(RequestCost {
                    credits: Some(0),
                    ..asked
                });
            }
            _ => {}
        }
        answer
    }

    /// Records a retry after a lost response, which may cost credits again; returns why it may not
    /// be sent.
    pub(super) async fn record_retry(&self, request: &Request) -> Result<(), String> {
        match self.0.recorder.as_deref() {
            Some(recorder) if request.max_credits() != Some(0) => {
                recorder.before_retry(request_cost(request)).await
            }
            _ => Ok(()),
        }
    }
}

/// The ledger entry of a request that is about to be sent.
fn request_cost(request: &Request) -> RequestCost {
    RequestCost {
        id: Uuid::now_v7(),
        route: request.route(),
        credits: None,
        rows: None,
        max_credits: request.max_credits(),
    }
}

fn record_failure(recorder: &dyn RequestRecorder, write: Uuid, failure: &RequestError) {
    let progress = match failure.kind {
        RequestErrorKind::Rejected(_) => WriteProgress::Rejected,
        RequestErrorKind::NotSent
        | RequestErrorKind::Cancelled
        | RequestErrorKind::OverBudget
        | RequestErrorKind::ReadOnly
        | RequestErrorKind::NotJournaled => WriteProgress::NotSent,
        RequestErrorKind::Ambiguous => WriteProgress::Unknown,
    };
    recorder.record_outcome(write, progress, Some(failure.message.clone()));
}
