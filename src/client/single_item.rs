//! A write of one record, told as the batch of its family tells it: what is wrong with the record is the item's own error.

use crate::domain::batch::{BatchItemError, BatchItemResult};
use crate::domain::records::Record;
use crate::domain::request_error::{RequestError, RequestErrorKind, ServiceError};

use super::request::{PayloadPath, Request};
use super::transport::RawResponse;
use super::{Client, Response, decode};

/// A route with results speaks of its record there; its refusal is about all that was asked.
const RESULTS_PAYLOAD: PayloadPath = PayloadPath::DataKey("results");

impl Client {
    /// Sends a write of one record. A delete of what is not there is no success; only one whose first answer was lost is, when its
    /// repeat finds nothing any more.
    ///
    /// # Errors
    /// As [`Client::value`], but for refusals that are about the record: they are in the item.
    pub async fn write_item(&self, request: Request) -> Result<BatchItemResult, RequestError> {
        let has_results = request.payload == RESULTS_PAYLOAD;
        match self.send_recorded(request, decode_item, |_| None).await {
            Ok(answer) => Ok(answer.value),
            Err(RequestError { kind: RequestErrorKind::Rejected(refusal), .. }) if !has_results && is_record_error(&refusal) => {
                Ok(failed_item(refusal))
            }
            Err(failure) => Err(failure),
        }
    }
}

fn decode_item(host: &str, answered: &RawResponse, payload: PayloadPath) -> Result<Response<BatchItemResult>, RequestError> {
    let is_delete = answered.route.starts_with("DELETE ");
    let of = |value, credits| Ok(Response { value, credits, date: answered.date, was_retried: answered.was_retried });
    if payload == RESULTS_PAYLOAD {
        return match decode::decode_rows::<BatchItemResult>(host, answered, payload) {
            Ok(answer) => match answer.value.rows.into_iter().next() {
                Some(item) => of(item, answer.credits),
                None => Err(RequestError::new_ambiguous(format!("{host} does not tell what came of {}", answered.route))),
            },
            // Few answers of deletes are shown by the interface: any 2xx will do.
            Err(_) if is_delete => of(BatchItemResult::ok(), None),
            Err(failure) => Err(failure),
        };
    }
    if is_delete {
        return decode::decode_empty(host, answered, payload).map(|answer| answer.map(|()| BatchItemResult::ok()));
    }
    let answer = decode::decode_value::<Box<serde_json::value::RawValue>>(host, answered, payload)?;
    // A record that was written and cannot be read back is null.
    let record = serde_json::from_str::<Record>(answer.value.get()).ok();
    of(BatchItemResult { record, ..BatchItemResult::ok() }, answer.credits)
}

/// Another record might not be refused so; a page that is no envelope says nothing of a record.
fn is_record_error(refusal: &ServiceError) -> bool {
    matches!(refusal.status, 400 | 404 | 409 | 422) && !refusal.code.is_empty()
}

/// The item of a refused record, in the codes of batch items (interface: Workspace: batch writes).
fn failed_item(refusal: ServiceError) -> BatchItemResult {
    let code = match refusal.status {
        404 => "not_found".to_owned(),
        400 => "bad_request".to_owned(),
        _ => refusal.code,
    };
    let error = BatchItemError { code, message: refusal.message };
    BatchItemResult { status: "error".to_owned(), error: Some(error), ..BatchItemResult::ok() }
}
