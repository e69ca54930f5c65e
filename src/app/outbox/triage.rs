//! Triages in progress.

use std::collections::{BTreeMap, HashSet};

use chrono::{DateTime, Utc};

use crate::app::model::signal_list::RemovedRow;
use crate::app::outbox::undo_history::StepCause;
use crate::domain::SignalId;
use crate::domain::queue::QueueTab;

/// A triage in progress.
#[derive(Clone, Debug)]
pub struct PendingTriage {
    pub number: u64,
    pub cause: StepCause,
    pub from: QueueTab,
    pub description: String,
    /// See [`TriageUndoStep::done_at`].
    pub done_at: DateTime<Utc>,
    /// See [`TriageUndoStep::uncertain_count`].
    pub uncertain_count: u64,
    /// On the service's clock.
    pub started_at: DateTime<Utc>,
    pub removed: BTreeMap<SignalId, RemovedRow>,
    /// Signals without a reply.
    pub unanswered: usize,
    /// The IDs of each answered batch, and how many of them changed; `None` when it was sent more than once.
    pub answered_parts: Vec<(Vec<SignalId>, Option<u64>)>,
    pub rejected: Vec<SignalId>,
    /// Of the rejected ones: those that would be rejected every time.
    pub never_accepted: HashSet<SignalId>,
    pub reason: Option<String>,
    pub unknown: Vec<SignalId>,
    pub unsent: Vec<SignalId>,
    /// Of the unsent ones: those that would be sent if the service responded.
    pub deferred: Vec<SignalId>,
}

impl PendingTriage {
    /// How many signals have no reply yet.
    pub fn unanswered(&self) -> usize {
        self.unanswered
    }
}

/// A request of a triage: its number and the signals it asks for.
#[derive(Clone, Debug)]
pub struct TriagePart {
    pub number: u64,
    pub ids: Vec<SignalId>,
}

/// The triages in progress.
#[derive(Clone, Debug, Default)]
pub struct PendingTriages {
    pub next_number: u64,
    pub in_flight: Vec<PendingTriage>,
    /// The list of the last triage, for `.`.
    pub last_tab: Option<QueueTab>,
}

impl PendingTriages {
    /// Whether a signal's triage is in progress.
    pub fn is_pending(&self, id: SignalId) -> bool {
        self.in_flight.iter().any(|act| act.removed.contains_key(&id))
    }
}
