//! The result of a triage, until it is known which of its signals it changed.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, Utc};

use crate::app::model::signal_list::RemovedRow;
use crate::app::outbox::undo_history::StepCause;
use crate::domain::SignalId;
use crate::domain::queue::{QueueFilter, QueueTab};

/// The replies to a triage.
#[derive(Clone, Debug)]
pub struct TriageResult {
    pub number: u64,
    pub cause: StepCause,
    /// The list that its signals were in.
    pub from: QueueTab,
    pub description: String,
    /// On the service's clock.
    pub started_at: DateTime<Utc>,
    /// The signals whose batches were answered.
    pub removed: Vec<RemovedRow>,
    /// The IDs of each batch, and how many of them changed; `None` when the batch was sent more than once.
    pub parts: Vec<(Vec<SignalId>, Option<u64>)>,
    /// How many were rejected, not sent, and unknown.
    pub failed_counts: [usize; 3],
    /// The reason of the failures.
    pub reason: Option<String>,
}

/// Who triaged a signal, and when.
pub type TriageMark = (Option<String>, Option<DateTime<Utc>>);

/// A check of which signals were already in the new state.
#[derive(Clone, Debug)]
pub struct AttributionCheck {
    pub result: TriageResult,
    pub missing: HashSet<SignalId>,
    pub found: HashMap<SignalId, TriageMark>,
    pub filter: QueueFilter,
    pub offset: u32,
}

impl TriageResult {
    pub fn is_fully_changed((ids, changed): &(Vec<SignalId>, Option<u64>)) -> bool {
        *changed == Some(ids.len() as u64)
    }

    /// How many signals changed; a batch of unknown result counts in full.
    pub fn changed_count(&self) -> u64 {
        self.parts.iter().map(|(ids, changed)| changed.unwrap_or(ids.len() as u64)).sum()
    }
}
