//! What a record's page asks this machine.

use uuid::Uuid;

/// The history of a record.
#[derive(Clone, Copy, Debug)]
pub struct HistoryRequest(pub Uuid);
