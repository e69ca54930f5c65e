//! What single features remember between two messages: plain data.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::app::model::promises::PromiseRow;
use crate::domain::SignalId;
use crate::domain::book::RecordKind;

/// What a prompt puts off until a time.
#[derive(Clone, Debug, Default)]
pub(super) enum PutOff {
    #[default]
    Nothing,
    Signals(Vec<SignalId>),
    /// Something new that is promised for this record, with its name.
    Promise(RecordKind, Uuid, String),
    /// A promise that was made.
    Moved(Box<PromiseRow>),
}

/// What is remembered between a snooze and the signals that return from it.
#[derive(Default)]
pub(in crate::app) struct Snoozing {
    /// What the open prompt is about to put off.
    pub(super) put_off: PutOff,
    /// Pages read to find signals that have returned from a snooze, since the last one did.
    pub(super) reads: u8,
    /// When this console last saved snoozes.
    pub(super) saved_at: Option<DateTime<Utc>>,
}

pub(in crate::app) struct Visits {
    /// When a key was last pressed or the mouse used.
    pub(super) last_input_at: DateTime<Utc>,
    /// A key was pressed or the mouse used.
    pub(super) has_begun: bool,
    /// When this visit was last saved, or the last one was looked up.
    pub(super) saved_at: Option<DateTime<Utc>>,
}
