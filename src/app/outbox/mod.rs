//! Writes of any kind: what is being sent, what can be undone, and what waits for the service.
//!
//! Plain data. Never here: sending, and what a write changes on the screen (`context/outbox`).

pub(crate) mod attribution;
pub(crate) mod failures;
pub(crate) mod offline;
pub(crate) mod pending_write;
pub(crate) mod preflight;
pub(crate) mod reconciliation;
pub(crate) mod signal_lookup;
mod subjects;
pub(crate) mod undo_history;
pub(crate) mod write_batches;

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::app::action::Action;
use crate::app::command::Command;
use crate::app::outbox::failures::Failures;
use crate::app::outbox::offline::OfflineTriage;
use crate::app::outbox::pending_write::PendingWrite;
use crate::app::outbox::reconciliation::Reconciliation;
use crate::app::outbox::undo_history::{StepCause, UndoStack, UndoStep};
use crate::domain::SignalId;
use crate::domain::queue::QueueTab;
use crate::domain::writes::WriteOp;

/// The writes of this run have higher numbers, the steps of earlier runs lower ones.
const LAST_NUMBER_OF_EARLIER_RUNS: u64 = 1 << 32;

/// An action that can be repeated on other rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LastAct {
    /// A triage of this list.
    Triage(QueueTab),
    /// A snooze until a time, as the user wrote it.
    Snooze(String),
    /// The end of snoozes.
    EndSnooze,
    /// A command that wrote something else.
    Command(&'static str),
}

/// A command that waits until pending writes are done.
#[derive(Clone, Copy, Debug)]
pub struct DeferredCommand {
    pub command: &'static Command,
    pub target: DeferredTarget,
}

/// What a deferred undo or redo is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeferredTarget {
    /// The last step up to this write: what was done later is left.
    UpTo(u64),
    /// The next step of this group.
    Group(Uuid),
}

#[derive(Clone, Debug, Default)]
pub struct Outbox {
    number_count: u64,
    /// The number of the redo that is being checked: undo pressed meanwhile means it.
    pub redo_number: Option<u64>,
    /// The writes without all of their replies, by number.
    in_flight: BTreeMap<u64, PendingWrite>,
    pub history: UndoStack,
    /// The number of the last act that nothing undoes, and what it was, until undo was pressed.
    final_act: Option<(u64, String)>,
    pub failures: Failures,
    /// The last action that changed something, for `.`.
    pub last_act: Option<LastAct>,
    pub reconciliation: Reconciliation,
    /// Signals of an interrupted triage that are being sent again. Until that is done the journal
    /// keeps the first attempt open; otherwise a crash in between would lose it.
    retried: HashSet<SignalId>,
    pub offline: OfflineTriage,
    /// What the last check of a step found, by step: what somebody changed since.
    checked: Vec<(UndoStep, Vec<String>)>,
    /// The step to undo or redo once everything it is about is read.
    pub after_reads: Option<Action>,
    /// Commands that wait until pending writes are done.
    pub deferred_commands: VecDeque<DeferredCommand>,
    /// What the deferred command that runs now undoes or redoes.
    pub deferred_target: Option<DeferredTarget>,
    /// Records that the service does not return. The user was told, so they are written without
    /// being read first.
    unreadable_records: HashSet<Uuid>,
    /// Names of records that were read before they were written.
    record_names: HashMap<Uuid, String>,
}

impl Outbox {
    /// A new write of this step. Numbers are in the order of the user's actions; a step that has
    /// waited for the service, or was interrupted, keeps its own.
    pub fn open_write(
        &mut self,
        cause: StepCause,
        step: UndoStep,
        now: DateTime<Utc>,
    ) -> PendingWrite {
        let has_waited = cause == StepCause::New && step.number > 0;
        let number = match (cause, self.redo_number) {
            _ if has_waited => step.number,
            (StepCause::Redo, Some(number)) => number,
            _ => self.take_number(),
        };
        self.redo_number.take_if(|_| cause == StepCause::Redo);
        PendingWrite::new(number, cause, step, now)
    }

    /// The number of a step that nothing is sent for.
    pub fn take_number(&mut self) -> u64 {
        self.number_count += 1;
        self.last_number()
    }

    /// Keeps what was done by a write that nothing undoes.
    pub fn set_final_act(&mut self, number: u64, what: String) {
        let last = self.final_act.as_ref().map(|(last, _)| *last);
        if last < Some(number) {
            self.final_act = Some((number, what));
        }
    }

    /// What was done last up to a write, if nothing undoes it, and the step before it; only once.
    pub fn take_final_act(&mut self, up_to: u64) -> Option<(String, &UndoStep)> {
        let mut steps = self.history.done.iter();
        let before = steps.rfind(|step| step.number <= up_to)?;
        let is_last = |act: &mut (u64, String)| (before.number..=up_to).contains(&act.0);
        let (_, what) = self.final_act.take_if(is_last)?;
        Some((what, before))
    }

    /// A new group of steps, unlike those of other runs.
    pub fn new_group(&mut self, now: DateTime<Utc>) -> Uuid {
        Uuid::from_u64_pair(now.timestamp_micros().unsigned_abs(), self.take_number())
    }

    /// The number of the last write.
    pub fn last_number(&self) -> u64 {
        LAST_NUMBER_OF_EARLIER_RUNS + self.number_count
    }

    /// Whether a write was begun before this run.
    pub fn is_of_earlier_run(&self, number: u64) -> bool {
        number <= LAST_NUMBER_OF_EARLIER_RUNS
    }

    pub fn insert(&mut self, write: PendingWrite) {
        self.in_flight.insert(write.number(), write);
    }

    pub fn take(&mut self, number: u64) -> Option<PendingWrite> {
        self.in_flight.remove(&number)
    }

    pub fn in_flight_mut(&mut self) -> impl Iterator<Item = &mut PendingWrite> {
        self.in_flight.values_mut()
    }

    /// The triage that waits for the one before it and can take in this one.
    pub fn joinable_triage(&mut self, write: &PendingWrite) -> Option<&mut PendingWrite> {
        self.in_flight
            .values_mut()
            .find(|waiting| waiting.can_join(write))
    }

    /// Whether a triage of this list was sent and has not all of its replies. The next one waits
    /// for it.
    pub fn is_sending_triage(&self, from: QueueTab) -> bool {
        self.triages_from(from).any(|write| !write.is_waiting())
    }

    /// Takes the first triage of this list that waits for the one before it.
    pub fn take_waiting_triage(&mut self, from: QueueTab) -> Option<PendingWrite> {
        let number = self
            .triages_from(from)
            .find(|write| write.is_waiting())?
            .number();
        self.take(number)
    }

    /// Takes a write that ended without a reply, because it was canceled before it was sent.
    pub fn take_finished(&mut self) -> Option<PendingWrite> {
        let number = self
            .in_flight
            .values()
            .find(|write| write.is_finished())?
            .number();
        self.take(number)
    }

    fn triages_from(&self, from: QueueTab) -> impl Iterator<Item = &PendingWrite> {
        self.in_flight
            .values()
            .filter(move |write| write.signals().is_some_and(|signals| signals.from == from))
    }

    /// How many acts wait for a request before them.
    pub fn waiting_act_count(&self) -> usize {
        self.in_flight
            .values()
            .filter(|write| write.is_waiting())
            .map(PendingWrite::act_count)
            .sum()
    }

    pub fn is_writing(&self) -> bool {
        !self.in_flight.is_empty()
    }

    pub fn is_triaging(&self) -> bool {
        self.in_flight
            .values()
            .any(|write| write.signals().is_some())
    }

    /// Whether signals were put back on a list, and that is not confirmed yet.
    pub fn is_undoing(&self) -> bool {
        self.in_flight
            .values()
            .any(|write| write.signals().is_some() && write.cause() == StepCause::Undo)
    }

    /// The signals of a list whose triage is in progress.
    pub fn signals_leaving(&self, from: QueueTab) -> impl Iterator<Item = SignalId> {
        self.triages_from(from)
            .flat_map(|write| write.step().signal_ids())
    }

    /// How many items have no reply yet.
    pub fn pending_count(&self) -> usize {
        self.in_flight
            .values()
            .map(PendingWrite::pending_count)
            .sum()
    }

    /// Whether a triage of this signal is in progress, or waits for the service.
    pub fn is_signal_pending(&self, id: SignalId) -> bool {
        self.offline.is_waiting(id)
            || self
                .in_flight
                .values()
                .any(|write| write.step().signal_ids().any(|other| other == id))
    }

    /// Whether a change that matches is in progress.
    pub fn any_pending(&self, matches: impl Fn(&WriteOp) -> bool) -> bool {
        self.in_flight
            .values()
            .any(|write| write.any_pending(&matches))
    }

    /// Whether a record is being written.
    pub fn is_record_pending(&self, id: Uuid) -> bool {
        self.any_pending(|change| change.record_id() == Some(id))
    }

    /// Keeps what the check of a step found.
    pub fn set_checked_conflicts(&mut self, step: &UndoStep, conflicts: Vec<String>) {
        self.checked
            .retain(|(checked, _)| checked != step && self.history.done.contains(checked));
        if !conflicts.is_empty() {
            self.checked.push((step.clone(), conflicts));
        }
    }

    /// What the last check of a step found.
    pub fn checked_conflicts(&self, step: &UndoStep) -> &[String] {
        self.checked
            .iter()
            .find(|(checked, _)| checked == step)
            .map_or(&[], |(_, conflicts)| conflicts)
    }

    /// The service does not return this record, and the user was told.
    pub fn add_unreadable_record(&mut self, id: Uuid) {
        self.unreadable_records.insert(id);
    }

    pub fn is_unreadable_record(&self, id: Uuid) -> bool {
        self.unreadable_records.contains(&id)
    }

    /// Keeps the name of a record that was read before it was written.
    pub fn keep_record_name(&mut self, id: Uuid, name: String) {
        self.record_names.insert(id, name);
    }

    /// The names that are kept.
    pub fn record_names(&self) -> impl Iterator<Item = (Uuid, &str)> {
        self.record_names
            .iter()
            .map(|(id, name)| (*id, name.as_str()))
    }

    pub fn record_name(&self, id: Uuid) -> Option<&str> {
        self.record_names.get(&id).map(String::as_str)
    }

    /// These signals are sent again: see [`Outbox::take_retried`].
    pub fn add_retried(&mut self, ids: &[SignalId]) {
        self.retried.extend(ids);
    }

    /// The signals of a finished triage whose first attempt is over with it.
    pub fn take_retried(&mut self, ids: &[SignalId]) -> Vec<SignalId> {
        ids.iter()
            .copied()
            .filter(|id| self.retried.remove(id))
            .collect()
    }
}
