//! Batches: each item has its own result (interface: Workspace: batch writes).

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::annotate::CheckedAnnotation;
use super::lenient;
use super::members::InvitationDelivery;
use super::records::Record;

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
    /// Its record, where the service reports it: in results of View records. Of a View that was saved, its id.
    #[serde(default, deserialize_with = "lenient::option", skip_serializing_if = "Option::is_none")]
    pub record_id: Option<Uuid>,
    /// The record after the write, where the service reports it: in results of upserts.
    #[serde(default, deserialize_with = "lenient::option", skip_serializing_if = "Option::is_none")]
    pub record: Option<Record>,
    #[serde(default, deserialize_with = "lenient::option", skip_serializing_if = "Option::is_none")]
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
pub struct BatchItemError {
    /// `bad_request`, `not_found`, `ambiguous_match`, `record_not_found`, `record_not_visible`, or a future code.
    #[serde(default)]
    pub code: String,
    /// For people.
    #[serde(default)]
    pub message: String,
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
        let error = BatchItemError { code: code.to_owned(), message: message.into() };
        BatchItemResult { status: "error".to_owned(), error: Some(error), ..BatchItemResult::ok() }
    }

    /// It was not applied, with this code.
    pub fn has_code(&self, code: &str) -> bool {
        self.error.as_ref().is_some_and(|error| error.code == code)
    }

    pub fn is_ok(&self) -> bool {
        self.status == "ok"
    }
}
