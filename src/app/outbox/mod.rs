//! What is being written, what can be undone, and what waits for the service.
//!
//! Never here: sending, and what a write changes on the screen (`context/outbox`).

pub(crate) mod attribution;
pub(crate) mod offline;
pub(crate) mod pending_writes;
pub(crate) mod preflight;
pub(crate) mod reconciliation;
pub(crate) mod triage;
pub(crate) mod undo_history;
pub(crate) mod write_batches;

use std::collections::VecDeque;

use crate::app::action::Action;
use crate::app::command::Command;
use crate::app::outbox::offline::TriageOutbox;
use crate::app::outbox::pending_writes::PendingWrites;
use crate::app::outbox::preflight::SettingsPreflight;
use crate::app::outbox::reconciliation::{RetriedTriage, TriageReconciliation};
use crate::app::outbox::triage::PendingTriages;
use crate::app::outbox::undo_history::UndoStack;

#[derive(Clone, Debug, Default)]
pub struct Outbox {
    pub pending_triages: PendingTriages,
    pub pending_writes: PendingWrites,
    pub history: UndoStack,
    pub reconciliation: TriageReconciliation,
    pub retried_triage: RetriedTriage,
    pub offline: TriageOutbox,
    /// The step to undo or redo once its records are read.
    pub after_preflight_records: Option<Action>,
    pub settings_preflight: Option<SettingsPreflight>,
    /// Commands that wait until pending writes are done.
    pub deferred_commands: VecDeque<&'static Command>,
}
