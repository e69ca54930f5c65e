//! What can be undone and redone: one stack for all kinds of writes, in the order in which the user
//! made them.

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::app::format::pluralize;
use crate::app::model::signal_list::RemovedRow;
use crate::domain::SignalId;
use crate::domain::journal::{EntryCause, JournalChange, JournalEntry, TriageMove, UndoHistory};
use crate::domain::queue::{QueueTab, TriageStatus};
use crate::domain::snooze::SnoozeChange;
use crate::domain::writes::{ReversibleWrite, invert_writes};

/// Why a change is made: as a new one, or as undo or redo of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepCause {
    New,
    Undo,
    Redo,
}

impl From<EntryCause> for StepCause {
    fn from(cause: EntryCause) -> Self {
        match cause {
            EntryCause::Undo => StepCause::Undo,
            EntryCause::Redo => StepCause::Redo,
            _ => StepCause::New,
        }
    }
}

impl From<StepCause> for EntryCause {
    fn from(cause: StepCause) -> Self {
        match cause {
            StepCause::New => Self::New,
            StepCause::Undo => Self::Undo,
            StepCause::Redo => Self::Redo,
        }
    }
}

/// What is written as one, and undone as one.
#[derive(Clone, Debug, PartialEq)]
pub struct UndoStep {
    /// The number of the write that left it. Those of earlier runs are numbered in their order.
    pub number: u64,
    /// What it is about: `tags of 20 accounts`.
    pub description: String,
    /// When it was done: anything read later shows whether somebody changed it since.
    pub done_at: DateTime<Utc>,
    /// Steps of the same group are undone and redone together.
    pub group: Option<Uuid>,
    pub items: StepItems,
}

#[derive(Clone, Debug, PartialEq)]
pub enum StepItems {
    /// Signals that change their status.
    Signals(TriagedSignals),
    /// Changes of records, Views, favorites or settings.
    Changes(Vec<ReversibleWrite>),
    /// Snoozes, on this machine only.
    Snoozes(Vec<SnoozeChange>),
}

#[derive(Clone, Debug, PartialEq)]
pub struct TriagedSignals {
    /// The list that they leave.
    pub from: QueueTab,
    /// With their content where it was loaded.
    pub rows: Vec<RemovedRow>,
    /// This many of them already had the new status before; which ones is unknown.
    pub uncertain_count: u64,
}

impl UndoStep {
    /// The step of a journal entry; for an undo, the step that it undid. `None` when it cannot be
    /// undone.
    pub fn from_journal(number: u64, entry: JournalEntry) -> Option<UndoStep> {
        let row = |moved: TriageMove| RemovedRow {
            slot: None,
            id: SignalId(moved.id),
            row: moved.row.and_then(|row| serde_json::from_value(row).ok()),
        };
        let items = match entry.change {
            JournalChange::Triage {
                before, signals, ..
            } => StepItems::Signals(TriagedSignals {
                from: if before == TriageStatus::Done {
                    QueueTab::Done
                } else {
                    QueueTab::New
                },
                rows: signals.into_iter().map(row).collect(),
                uncertain_count: 0,
            }),
            JournalChange::Write { changes, .. } => StepItems::Changes(changes),
            JournalChange::Snooze { changes } => StepItems::Snoozes(changes),
        };
        let step = UndoStep {
            number,
            description: entry.description,
            done_at: entry.at,
            group: entry.group,
            items,
        };
        let step = if entry.cause == EntryCause::Undo {
            step.inverse()
        } else {
            step
        };
        step.is_undoable().then_some(step)
    }

    pub fn journal_change(&self) -> JournalChange {
        let moved = |taken: &RemovedRow| TriageMove {
            id: taken.id.0,
            row: taken
                .row
                .as_ref()
                .and_then(|row| serde_json::to_value(row).ok()),
        };
        match &self.items {
            StepItems::Signals(signals) => JournalChange::Triage {
                before: signals.from.status(),
                after: signals.from.other().status(),
                signals: signals.rows.iter().map(moved).collect(),
            },
            StepItems::Changes(changes) => JournalChange::Write {
                things: changes.len(),
                changes: changes.clone(),
            },
            StepItems::Snoozes(changes) => JournalChange::Snooze {
                changes: changes.clone(),
            },
        }
    }

    pub fn len(&self) -> usize {
        match &self.items {
            StepItems::Signals(signals) => signals.rows.len(),
            StepItems::Changes(changes) => changes.len(),
            StepItems::Snoozes(changes) => changes.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether anything of it can be undone.
    pub fn is_undoable(&self) -> bool {
        match &self.items {
            StepItems::Signals(signals) => !signals.rows.is_empty(),
            StepItems::Changes(changes) => changes.iter().any(|change| change.back.is_some()),
            StepItems::Snoozes(changes) => !changes.is_empty(),
        }
    }

    pub fn changes(&self) -> &[ReversibleWrite] {
        match &self.items {
            StepItems::Signals(_) | StepItems::Snoozes(_) => &[],
            StepItems::Changes(changes) => changes,
        }
    }

    pub fn snoozes(&self) -> &[SnoozeChange] {
        match &self.items {
            StepItems::Snoozes(changes) => changes,
            StepItems::Signals(_) | StepItems::Changes(_) => &[],
        }
    }

    /// The step that undoes this one.
    pub fn inverse(self) -> UndoStep {
        let items = match self.items {
            StepItems::Signals(signals) => StepItems::Signals(TriagedSignals {
                from: signals.from.other(),
                ..signals
            }),
            StepItems::Changes(changes) => StepItems::Changes(invert_writes(changes)),
            StepItems::Snoozes(changes) => {
                StepItems::Snoozes(changes.into_iter().map(SnoozeChange::inverse).collect())
            }
        };
        UndoStep { items, ..self }
    }

    /// The step in the direction in which it was first done, given why it is written now; or the
    /// reverse.
    pub fn first_direction(self, cause: StepCause) -> UndoStep {
        if cause == StepCause::Undo {
            self.inverse()
        } else {
            self
        }
    }

    /// The step with only the items whose index is kept.
    pub fn subset(&self, keep: impl Fn(usize) -> bool) -> UndoStep {
        fn filter<T: Clone>(items: &[T], keep: impl Fn(usize) -> bool) -> Vec<T> {
            items
                .iter()
                .enumerate()
                .filter(|(item, _)| keep(*item))
                .map(|(_, it)| it.clone())
                .collect()
        }
        let mut step = self.clone();
        match &mut step.items {
            StepItems::Signals(signals) => {
                signals.rows = filter(&signals.rows, keep);
                signals.uncertain_count = signals.uncertain_count.min(signals.rows.len() as u64);
            }
            StepItems::Changes(changes) => *changes = filter(changes, keep),
            StepItems::Snoozes(changes) => *changes = filter(changes, keep),
        }
        if step.tab_left().is_some() && step.len() < self.len() {
            step.description = pluralize(step.len(), "signal");
        }
        step
    }

    /// The list that its signals leave.
    pub fn tab_left(&self) -> Option<QueueTab> {
        match &self.items {
            StepItems::Signals(signals) => Some(signals.from),
            StepItems::Changes(_) | StepItems::Snoozes(_) => None,
        }
    }

    /// Takes in other signals of the same write.
    fn join(&mut self, more: UndoStep) {
        let known: HashSet<SignalId> = self.signal_ids().collect();
        if let (StepItems::Signals(all), StepItems::Signals(more)) = (&mut self.items, more.items) {
            all.rows
                .extend(more.rows.into_iter().filter(|row| !known.contains(&row.id)));
            all.uncertain_count = all.uncertain_count.max(more.uncertain_count);
            self.description = pluralize(all.rows.len(), "signal");
        }
    }

    /// Its signals, if it is a triage.
    pub fn signal_ids(&self) -> impl Iterator<Item = SignalId> {
        let rows = match &self.items {
            StepItems::Signals(signals) => signals.rows.as_slice(),
            StepItems::Changes(_) | StepItems::Snoozes(_) => &[],
        };
        rows.iter().map(|row| row.id)
    }

    /// The records that its changes concern.
    pub fn record_ids(&self) -> impl Iterator<Item = Uuid> {
        self.changes()
            .iter()
            .filter_map(|change| change.forward.record_id())
    }

    /// The step with only the signals that are kept.
    pub fn signals_where(&self, keep: impl Fn(SignalId) -> bool) -> UndoStep {
        let kept: Vec<bool> = self.signal_ids().map(keep).collect();
        self.subset(|item| kept.get(item).is_some_and(|kept| *kept))
    }
}

pub type UndoStack = UndoHistory<UndoStep>;

impl UndoStack {
    /// Describes what undo would undo.
    pub fn undo_description(&self) -> Option<&str> {
        self.done.last().map(|step| step.description.as_str())
    }

    /// Describes what redo would redo.
    pub fn redo_description(&self) -> Option<&str> {
        self.undone.last().map(|step| step.description.as_str())
    }

    /// The step that is redone next: of a group, the one that may ask before it.
    pub fn next_undone(&self) -> Option<&UndoStep> {
        let last = self.undone.last()?;
        let may_ask = |step: &&UndoStep| {
            last.group.is_some() && step.group == last.group && !step.changes().is_empty()
        };
        self.undone.iter().find(may_ask).or(Some(last))
    }

    /// All that a write has applied, in the direction in which it was sent.
    pub fn applied_by(&self, cause: StepCause, number: u64) -> Option<UndoStep> {
        let steps = if cause == StepCause::Undo {
            &self.undone
        } else {
            &self.done
        };
        Some(
            steps
                .iter()
                .find(|step| step.number == number)?
                .clone()
                .first_direction(cause),
        )
    }

    /// The step that an undo or redo of these signals is about, with only these.
    pub fn step_with(&self, cause: StepCause, signals: &UndoStep) -> Option<UndoStep> {
        let (steps, signals) = (
            if cause == StepCause::Undo {
                &self.done
            } else {
                &self.undone
            },
            signals.clone().first_direction(cause),
        );
        let ids: HashSet<SignalId> = signals.signal_ids().collect();
        let has_all = |step: &&UndoStep| {
            step.tab_left() == signals.tab_left()
                && step.signal_ids().filter(|id| ids.contains(id)).count() == ids.len()
        };
        Some(
            steps
                .iter()
                .rfind(has_all)?
                .signals_where(|id| ids.contains(&id)),
        )
    }

    /// Removes a step that is to be undone.
    pub fn take_done(&mut self, step: &UndoStep) -> Option<UndoStep> {
        take_step(&mut self.done, step)
    }

    /// Removes a step that is to be redone.
    pub fn take_undone(&mut self, step: &UndoStep) -> Option<UndoStep> {
        take_step(&mut self.undone, step)
    }

    /// Adds what a write applied, or returns what it could not apply of the step that it was to
    /// undo or redo. The stacks always hold the original direction, and steps are in the order of
    /// their writes, whichever was answered first. Signals join those of the same write.
    pub fn insert_step(&mut self, cause: StepCause, arrived: bool, step: UndoStep) {
        let step = step.first_direction(cause);
        if !step.is_empty() {
            let steps = if (cause == StepCause::Undo) != arrived {
                &mut self.done
            } else {
                &mut self.undone
            };
            let at = steps.partition_point(|other| other.number <= step.number);
            match at.checked_sub(1).map(|before| &mut steps[before]) {
                Some(same) if same.number == step.number => same.join(step),
                _ => steps.insert(at, step),
            }
        }
    }

    /// Adds signals of a triage that turned out to be applied. They leave the step to which they
    /// were returned, and join the others of their triage; what a later triage changed once more
    /// stays with that one. Returns all that this triage has applied; `None` when its step was
    /// undone once more.
    pub fn settle_signals(
        &mut self,
        cause: StepCause,
        triage: UndoStep,
        ids: &HashSet<SignalId>,
    ) -> Option<UndoStep> {
        let triage = triage.first_direction(cause);
        let (returned, applied) = match cause {
            StepCause::New => (None, &mut self.done),
            StepCause::Undo => (Some(&mut self.done), &mut self.undone),
            StepCause::Redo => (Some(&mut self.undone), &mut self.done),
        };
        let is_same = |step: &UndoStep| {
            step.tab_left() == triage.tab_left() && step.signal_ids().any(|id| ids.contains(&id))
        };
        let moved = match returned.and_then(|steps| Some((steps.iter().rposition(is_same)?, steps)))
        {
            None if cause == StepCause::Undo => return None,
            // A new triage, or a redo whose step was dropped by a later change.
            None => {
                let is_later = |step: &&UndoStep| {
                    step.number > triage.number && step.tab_left() == triage.tab_left()
                };
                let later: HashSet<SignalId> = applied
                    .iter()
                    .filter(is_later)
                    .flat_map(UndoStep::signal_ids)
                    .collect();
                triage.signals_where(|id| ids.contains(&id) && !later.contains(&id))
            }
            Some((at, steps)) => {
                let step = steps.remove(at);
                let rest = step.signals_where(|id| !ids.contains(&id));
                if !rest.is_empty() {
                    steps.insert(at, rest);
                }
                UndoStep {
                    number: triage.number,
                    ..step.signals_where(|id| ids.contains(&id))
                }
            }
        };
        let at = applied.partition_point(|step| step.number < triage.number);
        match applied
            .get_mut(at)
            .filter(|step| step.number == triage.number)
        {
            Some(step) => {
                step.join(moved);
                if step.len() == triage.len() {
                    step.description = triage.description;
                }
            }
            None if moved.is_empty() => return Some(moved),
            None => applied.insert(at, moved),
        }
        Some(applied[at].clone().first_direction(cause))
    }
}

/// It may not be the last step any more: something may have arrived during the check. Signals that
/// have joined it since were not checked and stay.
fn take_step(steps: &mut Vec<UndoStep>, step: &UndoStep) -> Option<UndoStep> {
    let at = steps
        .iter()
        .rposition(|other| other.number == step.number)?;
    let taken = steps.remove(at);
    let checked: HashSet<SignalId> = step.signal_ids().collect();
    let unchecked = taken.signals_where(|id| !checked.contains(&id));
    if unchecked.is_empty() {
        return Some(taken);
    }
    steps.insert(at, unchecked);
    Some(taken.signals_where(|id| checked.contains(&id)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(number: u64) -> UndoStep {
        let rows = vec![RemovedRow {
            slot: None,
            id: SignalId(Uuid::from_u128(number.into())),
            row: None,
        }];
        let items = StepItems::Signals(TriagedSignals {
            from: QueueTab::New,
            rows,
            uncertain_count: 0,
        });
        UndoStep {
            number,
            description: number.to_string(),
            done_at: DateTime::UNIX_EPOCH,
            group: None,
            items,
        }
    }

    fn numbers(steps: &[UndoStep]) -> Vec<u64> {
        steps.iter().map(|step| step.number).collect()
    }

    #[test]
    fn steps_are_in_the_order_of_their_writes() {
        let mut history = UndoStack {
            done: vec![step(0), step(0)],
            undone: Vec::new(),
        };
        for number in [3, 1, 2] {
            history.insert_step(StepCause::New, true, step(number));
        }
        assert_eq!(numbers(&history.done), [0, 0, 1, 2, 3]);
        let undone = history.done.remove(3);
        history.insert_step(StepCause::Undo, false, undone.clone().inverse());
        assert_eq!(
            (numbers(&history.done), &history.done[3]),
            (vec![0, 0, 1, 2, 3], &undone)
        );
    }

    #[test]
    fn what_was_undone_keeps_its_first_direction() {
        let mut history = UndoStack::default();
        history.insert_step(StepCause::Undo, true, step(1).inverse());
        assert_eq!(
            (numbers(&history.done), history.undone),
            (vec![], vec![step(1)])
        );
    }

    #[test]
    fn a_step_that_grows_stays_uncertain() {
        let mut history = UndoStack {
            done: vec![step(1)],
            undone: Vec::new(),
        };
        let StepItems::Signals(signals) = &mut history.done[0].items else {
            panic!()
        };
        signals.uncertain_count = 1;
        let mut triage = step(1);
        let StepItems::Signals(signals) = &mut triage.items else {
            panic!()
        };
        signals.rows.push(RemovedRow {
            slot: None,
            id: SignalId(Uuid::from_u128(2)),
            row: None,
        });
        let grown = history.settle_signals(
            StepCause::New,
            triage,
            &[SignalId(Uuid::from_u128(2))].into(),
        );
        let Some(StepItems::Signals(signals)) = grown.map(|step| step.items) else {
            panic!()
        };
        assert_eq!((signals.rows.len(), signals.uncertain_count), (2, 1));
    }
}
