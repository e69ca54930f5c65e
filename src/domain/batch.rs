//! Batches: each item answers for itself (interface: Workspace: batch writes).

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::annotate::CheckedAnnotation;
use super::lenient;
use super::records::Record;

/// The most items of one batch (Limits: batch size).
pub const MAX_BATCH_ITEMS: usize = 100;

/// What came of one item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BatchItemResult {
    /// Its place in what was sent.
    pub index: usize,
    /// `ok` or `error`.
    #[serde(default)]
    pub status: String,
    /// Its record, where the service says so: the results of View records do.
    #[serde(default, deserialize_with = "lenient::option", skip_serializing_if = "Option::is_none")]
    pub record_id: Option<Uuid>,
    /// The record as it is now, where the service says so: the results of upserts do.
    #[serde(default, deserialize_with = "lenient::option", skip_serializing_if = "Option::is_none")]
    pub record: Option<Record>,
    /// Why it failed.
    #[serde(default, deserialize_with = "lenient::option", skip_serializing_if = "Option::is_none")]
    pub error: Option<BatchItemError>,
    /// What was found when its record was read right before the write.
    #[serde(skip)]
    pub checked: Option<CheckedAnnotation>,
}

/// Why an item failed, in the service's words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BatchItemError {
    /// `bad_request`, `not_found`, `ambiguous_match`, `record_not_found`, `record_not_visible`, or one of tomorrow.
    #[serde(default)]
    pub code: String,
    /// For a person.
    #[serde(default)]
    pub message: String,
}

impl BatchItemResult {
    /// A write of one thing that was applied.
    pub fn ok() -> BatchItemResult {
        BatchItemResult { index: 0, status: "ok".to_owned(), record_id: None, record: None, error: None, checked: None }
    }

    /// A write that was not applied.
    pub fn err(code: &str, message: impl Into<String>) -> BatchItemResult {
        let error = BatchItemError { code: code.to_owned(), message: message.into() };
        BatchItemResult { status: "error".to_owned(), error: Some(error), ..BatchItemResult::ok() }
    }

    /// It was not applied, for this reason.
    pub fn has_code(&self, code: &str) -> bool {
        self.error.as_ref().is_some_and(|error| error.code == code)
    }

    /// It was applied.
    pub fn is_ok(&self) -> bool {
        self.status == "ok"
    }
}
