//! Drafts: text that was typed but not sent, saved on this machine so that a crash loses at most a
//! second of it.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::SignalId;
use super::queue::TriageStatus;

/// The draft of the triage that waits until the service responds: a list of [`HeldTriage`].
pub const OUTBOX_DRAFT: &str = "held";

/// A triage that waits until the service responds: the status that its signals are in, and their
/// ids.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeldTriage(pub TriageStatus, pub Vec<SignalId>);

#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// A new draft replaces the one with the same name.
    pub name: String,
    /// When it was typed, by this machine's clock.
    pub at: DateTime<Utc>,
    /// What was typed, in the format of its pane.
    pub content: Value,
    /// Open in another running console: this is a copy.
    pub is_open_elsewhere: bool,
}
