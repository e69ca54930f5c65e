//! Drafts: what a person typed and has not sent, kept on this machine so that no end of the program takes more than a second of
//! it.

use chrono::{DateTime, Utc};
use serde_json::Value;

/// A draft as it was left.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// Its name: what is typed under the same name takes its place.
    pub name: String,
    /// When it was typed, on this machine's clock.
    pub at: DateTime<Utc>,
    /// What was typed, in the form of the pane that it was typed in.
    pub content: Value,
    /// Another console is alive that has it open: this is a copy.
    pub is_open_elsewhere: bool,
}
