//! Writes one record and reports it like a batch of its family: an error of the record is the
//! item's error.

use crate::domain::batch::{BatchItemError, BatchItemResult};
use crate::domain::records::Record;
use crate::domain::request_error::{RequestError, RequestErrorKind, ServiceError};
use crate::interface::PayloadPath;

use super::request::Request;
use super::transport::RawResponse;
use super::{Client, Response, decode};

/// Routes with results report their record there; any other error concerns the whole request.
const RESULTS_PAYLOAD: PayloadPath = PayloadPath::DataKey("results");

impl Client {
    /// Writes one record. Deleting a missing record is an error, except when the first response was
    /// lost and the retry finds nothing any more.
    ///
    /// # Errors
    /// As [`Client::fetch_value`], except for rejections that concern the record: those are in the
    /// item.
    pub async fn write_item(&self, request: Request) -> Result<BatchItemResult, RequestError> {
        let has_results = request.payload == RESULTS_PAYLOAD;
        match self.send_recorded(request, decode_item, |_| None).await {
            Ok(answer) => Ok(answer.value),
            Err(RequestError {
                kind: RequestErrorKind::Rejected(refusal),
                ..
            }) if !has_results && is_record_error(&refusal) => Ok(failed_item(refusal)),
            Err(failure) => Err(failure),
        }
    }
}

fn decode_item(
    host: &str,
    answered: &RawResponse,
    payload: PayloadPath,
) -> Result<Response<BatchItemResult>, RequestError> {
    let is_delete = answered.route.starts_with("DELETE ");
    if payload == RESULTS_PAYLOAD {
        return match decode::decode_rows::<BatchItemResult>(host, answered, payload) {
            Ok(answer) => match answer.value.rows.into_iter().next() {
                Some(item) => Ok(answered.with_value(item, answer.credits)),
                None => Err(RequestError::new_ambiguous(format!(
                    "{host} did not report the result for {}",
                    answered.route
                ))),
            },
            // The interface shows few responses of deletes, so any 2xx is accepted.
            Err(_) if is_delete => Ok(answered.with_value(BatchItemResult::ok(), None)),
            Err(failure) => Err(failure),
        };
    }
    if is_delete {
        return decode::decode_empty(host, answered, payload)
            .map(|answer| answer.map(|()| BatchItemResult::ok()));
    }
    let answer = decode::decode_value::<Box<serde_json::value::RawValue>>(host, answered, payload)?;
    // A record that was written but cannot be read back is null.
    let record = serde_json::from_str::<Record>(answer.value.get()).ok();
    let item = BatchItemResult {
        record,
        ..BatchItemResult::ok()
    };
    Ok(answered.with_value(item, answer.credits))
}

/// Whether the rejection concerns this record only; a page that is not an envelope does not.
fn is_record_error(refusal: &ServiceError) -> bool {
    matches!(refusal.status, 400 | 404 | 409 | 422) && !refusal.code.is_empty()
}

/// The item of a rejected record, with the codes of batch items (interface: Workspace: batch
/// writes).
fn failed_item(refusal: ServiceError) -> BatchItemResult {
    let code = match refusal.status {
        404 => "not_found".to_owned(),
        400 => "bad_request".to_owned(),
        _ => refusal.code,
    };
    let error = BatchItemError {
        code,
        message: refusal.message,
    };
    BatchItemResult {
        status: "error".to_owned(),
        error: Some(error),
        ..BatchItemResult::ok()
    }
}
