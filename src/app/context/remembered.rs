//! What single features remember between two messages: plain data.

use chrono::{DateTime, Utc};

use crate::domain::SignalId;

/// What is remembered between a snooze and the signals that return from it.
#[derive(Default)]
pub(in crate::app) struct Snoozing {
    /// The signals that the open prompt is about to snooze.
    pub(super) signals: Vec<SignalId>,
    /// Pages read to find signals that have returned from a snooze, since the last one did.
    pub(super) reads: u8,
    /// When this console last saved snoozes.
    pub(super) saved_at: Option<DateTime<Utc>>,
}

pub(in crate::app) struct Visits {
    /// When a key was last pressed or the mouse used.
    pub(super) last_input_at: DateTime<Utc>,
    /// When this visit was last saved, or the last one was looked up.
    pub(super) saved_at: Option<DateTime<Utc>>,
}
