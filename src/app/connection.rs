//! The state of the connection, always visible on the screen.

use chrono::{DateTime, NaiveDate, Utc};

use crate::domain::health::Health;

/// Small data of the workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderRequest {
    /// Workspace and caller.
    Workspace,
    Members,
    Meter,
}

/// What the header shows and is read once.
#[derive(Default)]
pub struct HeaderReads {
    pub is_requested: bool,
    /// What is still lacking, the next one last: read one after the other, on one connection.
    pub reads: Vec<HeaderRequest>,
    pub saved_state_requested: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConnectionStatus {
    pub health: Health,
    /// Opens a local file of old signals on the day of its fullest queue, if all are too old today.
    pub busiest_day: Option<NaiveDate>,
    /// When the counts were last read.
    pub stats_read_at: Option<DateTime<Utc>>,
    pub(in crate::app) has_responded: bool,
    /// The counts are polled from now on.
    pub(in crate::app) is_polled: bool,
}
