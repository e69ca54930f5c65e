//! Triage that waits until the service responds.

use crate::domain::SignalId;
use crate::domain::queue::QueueTab;

#[derive(Clone, Debug, Default)]
pub struct OfflineTriage {
    pub is_offline: bool,
    /// The service is back, and the queue is not empty yet.
    pub is_flushing: bool,
    /// Something waits for the first reply since the start.
    pub awaits_first_response: bool,
    pub entries: Vec<(QueueTab, SignalId)>,
}

impl OfflineTriage {
    /// The service is back, and what was queued has not been sent yet.
    pub fn is_flushing(&self) -> bool {
        self.is_flushing
    }
}
