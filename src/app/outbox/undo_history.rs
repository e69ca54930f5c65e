//! What can be undone and redone.

use chrono::{DateTime, Utc};

use crate::app::model::signal_list::RemovedRow;
use crate::domain::journal::{EntryCause, JournalChange, JournalEntry, TriageMove};
use crate::domain::queue::{QueueSignal, QueueTab, TriageStatus};
use crate::domain::writes::{ReversibleWrite, invert_writes};
use crate::domain::{SignalId, journal};

/// Why a change is made: as a new one, or as undo or redo of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepCause {
    New,
    Undo,
    Redo,
}

impl From<crate::domain::journal::EntryCause> for StepCause {
    fn from(cause: crate::domain::journal::EntryCause) -> Self {
        match cause {
            crate::domain::journal::EntryCause::Undo => StepCause::Undo,
            crate::domain::journal::EntryCause::Redo => StepCause::Redo,
            _ => StepCause::New,
        }
    }
}

impl From<StepCause> for crate::domain::journal::EntryCause {
    fn from(cause: StepCause) -> Self {
        match cause {
            StepCause::New => Self::New,
            StepCause::Undo => Self::Undo,
            StepCause::Redo => Self::Redo,
        }
    }
}

/// A step of the undo journal: what was applied, with its description.
#[derive(Clone, Debug, PartialEq)]
pub struct TriageUndoStep {
    /// The list that its signals were in.
    pub(in crate::app) from: QueueTab,
    pub(in crate::app) description: String,
    pub(in crate::app) removed: Vec<RemovedRow>,
    pub done_at: DateTime<Utc>,
    /// This many of its signals already had the new state before; which ones is unknown.
    pub uncertain_count: u64,
}

impl TriageUndoStep {
    /// The step of a journal entry; `None` when it is not a triage.
    pub(in crate::app) fn from_journal(act: crate::domain::journal::JournalEntry) -> Option<TriageUndoStep> {
        let JournalChange::Triage { before, signals, .. } = act.change else { return None };
        let from = if before == TriageStatus::Done { QueueTab::Done } else { QueueTab::New };
        let row = |moved: TriageMove| RemovedRow {
            slot: None,
            id: SignalId(moved.id),
            row: moved.row.and_then(|row| serde_json::from_value(row).ok()),
        };
        let step = TriageUndoStep {
            from,
            description: act.description,
            removed: signals.into_iter().map(row).collect(),
            done_at: act.at,
            uncertain_count: 0,
        };
        Some(step).filter(|step| !step.is_empty())
    }

    pub(in crate::app) fn is_empty(&self) -> bool {
        self.removed.is_empty()
    }

    /// The list that its signals went to.
    pub(in crate::app) fn destination(&self) -> QueueTab {
        self.from.other()
    }

    /// Its signals, with their rows where they were loaded.
    pub(in crate::app) fn signals(&self) -> Vec<(SignalId, Option<QueueSignal>)> {
        self.removed.iter().map(|taken| (taken.id, taken.row.clone())).collect()
    }

    /// The same step in the other direction.
    pub(in crate::app) fn inverse(self) -> TriageUndoStep {
        TriageUndoStep { from: self.from.other(), ..self }
    }

    pub fn description(&self) -> &str {
        &self.description
    }
}

/// A step of the undo journal.
#[derive(Clone, Debug, PartialEq)]
pub struct WriteUndoStep {
    /// What was done: `tags of 20 accounts`.
    pub description: String,
    pub changes: Vec<ReversibleWrite>,
    /// When it was done: anything read later shows whether somebody changed it since.
    pub done_at: DateTime<Utc>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum UndoStep {
    /// Signals changed their status.
    Triage(TriageUndoStep),
    /// Records, Views or favorites were written.
    Write(WriteUndoStep),
}

impl UndoStep {
    /// The step of a journal entry; for an undo, the step that it undid. `None` when it cannot be undone.
    pub fn from_journal(act: JournalEntry) -> Option<UndoStep> {
        let is_undo = act.cause == EntryCause::Undo;
        match act.change {
            journal::JournalChange::Triage { .. } => {
                TriageUndoStep::from_journal(act).map(|step| UndoStep::Triage(if is_undo { step.inverse() } else { step }))
            }
            journal::JournalChange::Write { changes, .. } => {
                let changes = if is_undo { invert_writes(changes) } else { changes };
                let has_way_back = changes.iter().any(|change| change.back.is_some());
                has_way_back.then_some(UndoStep::Write(WriteUndoStep { description: act.description, changes, done_at: act.at }))
            }
        }
    }

    pub fn description(&self) -> &str {
        match self {
            UndoStep::Triage(step) => step.description(),
            UndoStep::Write(step) => &step.description,
        }
    }
}

pub type UndoStack = journal::UndoHistory<UndoStep>;

impl UndoStack {
    /// Describes what undo would undo.
    pub fn undo_description(&self) -> Option<&str> {
        self.done.last().map(UndoStep::description)
    }

    /// Describes what redo would redo.
    pub fn redo_description(&self) -> Option<&str> {
        self.undone.last().map(UndoStep::description)
    }
}
