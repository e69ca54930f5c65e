//! The check of triages whose outcome is unknown.

use std::collections::HashSet;

use chrono::{DateTime, Utc};

use crate::domain::SignalId;
use crate::domain::queue::{QueueTab, TriageStatus};

/// The check that is due or in progress.
#[derive(Clone, Debug, Default)]
pub struct TriageReconciliation {
    pub from: Option<QueueTab>,
    pub missing: HashSet<SignalId>,
    pub found: HashSet<SignalId>,
    pub applied_count: usize,
    /// Until then, what was not applied is sent again automatically.
    pub retry_until: Option<DateTime<Utc>>,
    pub offset: u32,
    /// The check of the other list, after this one.
    pub next: Option<Box<TriageReconciliation>>,
}

/// Signals of an interrupted triage that are being sent again. Until that is done the journal keeps the first attempt open;
/// otherwise a crash in between would lose it.
pub type RetriedTriage = Option<(TriageStatus, Vec<SignalId>)>;

impl TriageReconciliation {
    pub fn add_unknown(&mut self, from: QueueTab, unknown: &[SignalId], applied: usize) -> &mut TriageReconciliation {
        if self.from.is_some_and(|other| other != from) {
            return self.next.get_or_insert_default().add_unknown(from, unknown, applied);
        }
        self.from = Some(from);
        self.missing.extend(unknown);
        self.applied_count += applied;
        self
    }

    /// Ends this check; the other list's becomes due.
    pub fn take_current(&mut self) -> TriageReconciliation {
        let next = self.next.take().map(|next| *next).unwrap_or_default();
        std::mem::replace(self, next)
    }
}
