//! Bookmarks: signals that the user wants to find again, kept on this machine with their rows as
//! last seen.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::SignalId;
use super::queue::QueueSignal;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bookmark {
    pub at: DateTime<Utc>,
    /// The signal as it was then: it can still be shown after it has left the queue.
    pub row: QueueSignal,
}

impl Bookmark {
    pub fn id(&self) -> SignalId {
        self.row.signal.id
    }
}
