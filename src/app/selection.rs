//! What the commands that work on several screens act on.

use crate::app::effect::RecordKey;
use crate::domain::queue::QueueSignal;

/// What the commands that work on several screens act on.
#[derive(Clone, Debug, PartialEq)]
pub enum Subject {
    None,
    /// The open signal.
    Signal(Box<QueueSignal>),
    /// An open record and its name.
    Record(RecordKey, String),
}
