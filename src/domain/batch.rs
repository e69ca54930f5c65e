//! Batches: each item has its own result (interface: Workspace: batch writes).

use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use super::annotate::CheckedAnnotation;
use super::lenient;
use super::members::InvitationDelivery;
use super::records::Record;
use super::refusals;

/// Maximum number of items in a batch (Limits: batch size).
pub const MAX_BATCH_ITEMS: usize = 100;

/// The result of one item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BatchItemResult {
    /// Its index in the request.
    pub index: usize,
    /// `ok` or `error`.
    #[serde(default)]
    pub status: String,
    /// Its record, where the service reports it: in results of View records. Of a View that was
    /// saved, its id.
    #[serde(
        default,
        deserialize_with = "lenient::option",
        skip_serializing_if = "Option::is_none"
    )]
    pub record_id: Option<Uuid>,
    /// The record after the write, where the service reports it: in results of upserts.
    #[serde(
        default,
        deserialize_with = "lenient::option",
        skip_serializing_if = "Option::is_none"
    )]
    pub record: Option<Record>,
    #[serde(
        default,
        deserialize_with = "lenient::option",
        skip_serializing_if = "Option::is_none"
    )]
    pub error: Option<BatchItemError>,
    /// The result of reading its record right before the write.
    #[serde(skip)]
    pub checked: Option<CheckedAnnotation>,
    /// How the invitation that was created reaches the person.
    #[serde(skip)]
    pub delivery: Option<Box<InvitationDelivery>>,
}

/// The service's error for an item.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Value")]
pub struct BatchItemError {
    /// `bad_request`, `not_found`, `ambiguous_match`, `record_not_found`, `record_not_visible`, or
    /// a future code.
    pub code: String,
    /// For people: the service's sentence with what its issues add.
    pub message: String,
}

impl From<Value> for BatchItemError {
    fn from(sent: Value) -> BatchItemError {
        let text = |name: &str| {
            sent.get(name)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .trim()
                .to_owned()
        };
        let code = text("code");
        let said = sent.as_str().map_or_else(|| text("message"), str::to_owned);
        BatchItemError {
            message: refusals::explain(&said, &sent, code == "bad_request"),
            code,
        }
    }
}

impl BatchItemResult {
    /// A single write that was applied.
    pub fn ok() -> BatchItemResult {
        BatchItemResult {
            index: 0,
            status: "ok".to_owned(),
            record_id: None,
            record: None,
            error: None,
            checked: None,
            delivery: None,
        }
    }

    pub fn err(code: &str, message: impl Into<String>) -> BatchItemResult {
        let error = BatchItemError {
            code: code.to_owned(),
            message: message.into(),
        };
        BatchItemResult {
            status: "error".to_owned(),
            error: Some(error),
            ..BatchItemResult::ok()
        }
    }

    /// It was not applied, with this code.
    pub fn has_code(&self, code: &str) -> bool {
        self.error.as_ref().is_some_and(|error| error.code == code)
    }

    pub fn is_ok(&self) -> bool {
        self.status == "ok"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_of_an_item_names_the_field_and_the_accepted_values() {
        let item: BatchItemResult = serde_json::from_value(serde_json::json!({"index": 0, "status": "error", "error": {
            "code": "bad_request", "message": "Invalid",
            "details": {"icp_tier": {"_errors": ["no such tier"], "expected": ["tier_1", "tier_2"]}},
        }}))
        .unwrap();
        assert_eq!(
            item.error.unwrap().message,
            "Invalid: icp_tier no such tier (allowed: tier_1, tier_2)"
        );
    }
}
