//! Batches: each item answers for itself (interface: Workspace: batch writes).

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::annotate::Checked;
use super::lenient;
use super::records::Record;

/// The most items of one batch (Limits: batch size).
pub const BATCH_MAX: usize = 100;

/// What came of one item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
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
    pub error: Option<ItemError>,
    /// What was found when its record was read right before the write.
    #[serde(skip)]
    pub checked: Option<Checked>,
}

/// Why an item failed, in the service's words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ItemError {
    /// `bad_request`, `not_found`, `ambiguous_match`, `record_not_found`, `record_not_visible`, or one of tomorrow.
    #[serde(default)]
    pub code: String,
    /// For a person.
    #[serde(default)]
    pub message: String,
}

impl Item {
    /// A write of one thing that was applied.
    pub fn ok() -> Item {
        Item { index: 0, status: "ok".to_owned(), record_id: None, record: None, error: None, checked: None }
    }

    /// A write that was not applied.
    pub fn refused(code: &str, message: impl Into<String>) -> Item {
        let error = ItemError { code: code.to_owned(), message: message.into() };
        Item { status: "error".to_owned(), error: Some(error), ..Item::ok() }
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
