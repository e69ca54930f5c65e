//! Writes in progress.

use std::collections::{BTreeMap, VecDeque};

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::app::effect::WriteRequest;
use crate::app::outbox::undo_history::StepCause;
use crate::domain::writes::{ReversibleWrite, WriteOp};

/// A request, and the changes that it makes.
pub(in crate::app) type WriteBatch = (WriteRequest, Vec<ReversibleWrite>);

/// A write in progress.
#[derive(Clone, Debug)]
pub struct PendingWrite {
    pub number: u64,
    pub cause: StepCause,
    pub description: String,
    /// See [`WriteUndoStep::done_at`].
    pub done_at: DateTime<Utc>,
    /// The changes of each request without a reply, by its number.
    pub unanswered: BTreeMap<u64, Vec<ReversibleWrite>>,
    pub next_part: u64,
    /// Requests that leave when the one before is answered.
    pub queued_batches: VecDeque<WriteBatch>,
    pub applied: Vec<ReversibleWrite>,
    /// What did not arrive or may not have, and why.
    pub failed: Vec<(ReversibleWrite, String)>,
    /// What the service rejected, and why.
    pub rejected: Vec<(ReversibleWrite, String)>,
    /// What was not written because somebody changed the record meanwhile.
    pub conflicted: Vec<(ReversibleWrite, String)>,
    /// What already had the new value.
    pub unchanged: Vec<Uuid>,
    pub got_no_response: bool,
}

/// A request of a write: the number of the write, and its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WritePart {
    pub number: u64,
    pub part: u64,
}

#[derive(Clone, Debug, Default)]
pub struct PendingWrites {
    pub next_number: u64,
    pub in_flight: Vec<PendingWrite>,
}

impl PendingWrites {
    pub fn has_pending(&self) -> bool {
        !self.in_flight.is_empty()
    }

    /// How many changes are in progress.
    pub fn pending_count(&self) -> usize {
        let later = |writing: &PendingWrite| writing.queued_batches.iter().map(|(_, with)| with.len()).sum::<usize>();
        self.in_flight.iter().map(|writing| writing.unanswered.values().map(Vec::len).sum::<usize>() + later(writing)).sum()
    }

    /// Whether a change that matches is in progress.
    pub fn any_pending(&self, is: impl Fn(&WriteOp) -> bool) -> bool {
        let changes = |writing: &PendingWrite| {
            let later = writing.queued_batches.iter().flat_map(|(_, with)| with);
            writing.unanswered.values().flatten().chain(later).any(|change| is(&change.forward))
        };
        self.in_flight.iter().any(changes)
    }

    /// Whether a record is being written.
    pub fn is_pending(&self, id: Uuid) -> bool {
        let changes = || self.in_flight.iter().flat_map(|writing| writing.unanswered.values().flatten());
        changes().any(|change| change.forward.record_id() == Some(id))
    }
}

impl PendingWrite {
    pub fn fail_queued_batches(&mut self, why: &str) {
        let changes = self.queued_batches.drain(..).flat_map(|(_, with)| with);
        self.failed.extend(changes.map(|change| (change, why.to_owned())));
    }
}
