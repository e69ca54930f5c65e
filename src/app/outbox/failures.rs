//! What failed in this session and did not succeed later.

use std::collections::HashSet;

use chrono::{DateTime, Utc};

use crate::app::outbox::subjects::Subject;
use crate::app::outbox::undo_history::StepCause;
use crate::domain::SignalId;
use crate::domain::queue::QueueTab;
use crate::domain::writes::{ReversibleWrite, WriteOp};

/// Older failures are dropped.
const MAX_FAILURES: usize = 1_000;

/// An item whose write failed.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    pub at: DateTime<Utc>,
    pub cause: StepCause,
    pub item: FailedItem,
    /// What it is about: `permit issued on Harbor Yard Lofts`.
    pub what: String,
    /// What the write was about.
    pub write: String,
    /// Why, in the service's words.
    pub reason: String,
}

#[derive(Clone, Debug, PartialEq)]
pub enum FailedItem {
    /// A signal that stays on this list.
    Signal(QueueTab, SignalId),
    Change(Box<ReversibleWrite>),
}

impl Failure {
    /// Whether the console can write it again by itself.
    pub fn can_be_retried(&self) -> bool {
        match &self.item {
            FailedItem::Change(change) if self.cause == StepCause::New => {
                !change.forward.is_non_idempotent()
            }
            _ => true,
        }
    }

    /// Whether it is about a signal or a record, which has a page.
    pub fn has_page(&self) -> bool {
        match &self.item {
            FailedItem::Signal(..) => true,
            FailedItem::Change(change) => {
                matches!(change.forward, WriteOp::Annotate(..) | WriteOp::Forget(..))
            }
        }
    }
}

impl FailedItem {
    pub(super) fn subject(&self) -> Subject {
        match self {
            FailedItem::Signal(_, id) => Subject::Signal(*id),
            FailedItem::Change(change) => Subject::from_op(&change.forward),
        }
    }
}

/// Oldest first, at most one of each item.
#[derive(Clone, Debug, Default)]
pub struct Failures(Vec<Failure>);

impl Failures {
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Failure> {
        self.0.iter()
    }

    /// A check has shown that these signals were not changed.
    pub fn set_unchanged(&mut self, ids: &[SignalId]) {
        let is_one = |failure: &&mut Failure| matches!(failure.item, FailedItem::Signal(_, id) if ids.contains(&id));
        self.0
            .iter_mut()
            .filter(is_one)
            .for_each(|failure| failure.reason = "checked: it was not changed".to_owned());
    }

    /// Adds a failure; it replaces the one of the same item.
    pub fn add(&mut self, failure: Failure) {
        self.remove(&failure.item);
        self.0.push(failure);
        self.0.drain(..self.0.len().saturating_sub(MAX_FAILURES));
    }

    /// The item was written, or is written again.
    pub fn remove(&mut self, item: &FailedItem) {
        if !self.0.is_empty() {
            let subject = item.subject();
            self.0.retain(|failure| failure.item.subject() != subject);
        }
    }

    pub fn remove_signals(&mut self, ids: impl IntoIterator<Item = SignalId>) {
        if !self.0.is_empty() {
            let ids: HashSet<Subject> = ids.into_iter().map(Subject::Signal).collect();
            self.0
                .retain(|failure| !ids.contains(&failure.item.subject()));
        }
    }
}
