//! What the pane asks the service and the user, and what it is asked to do.

use crate::domain::SignalId;

#[derive(Clone, Debug)]
pub enum FeedRequest {
    /// Rows from this one on.
    Rows(u32),
    Payload(SignalId),
}

/// What the feed's prompts and its list of types ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeedPrompt {
    Type,
    City,
    Words,
    Filed,
    Discovered,
}
