//! What the commands that work on several screens act on.

use crate::app::effect::RecordKey;

/// What the commands that work on several screens act on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    None,
    /// An open record and its name.
    Record(RecordKey, String),
}
