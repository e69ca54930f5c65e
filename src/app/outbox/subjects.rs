//! What a step changes: two steps that change the same thing depend on each other's order.

use std::collections::{HashMap, HashSet};

use uuid::Uuid;

use crate::app::outbox::failures::FailedItem;
use crate::app::outbox::undo_history::{UndoStack, UndoStep};
use crate::domain::signals::SignalType;
use crate::domain::writes::WriteOp;
use crate::domain::{SignalId, ViewId};

/// A thing that a write changes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Subject {
    Signal(SignalId),
    /// A snooze, on this machine only.
    Snooze(SignalId),
    Record(Uuid),
    ViewMember(ViewId, Uuid),
    Favorite(ViewId),
    View(Option<ViewId>),
    Subscription(SignalType),
    Team,
    Skills,
}

impl Subject {
    pub(super) fn from_op(change: &WriteOp) -> Subject {
        match change {
            WriteOp::Annotate(_, id, _) | WriteOp::Forget(_, id) => Subject::Record(*id),
            WriteOp::Add(view, id) | WriteOp::Remove(view, id) => Subject::ViewMember(*view, *id),
            WriteOp::Favorite(view, _) => Subject::Favorite(*view),
            WriteOp::SaveView(draft) => Subject::View(draft.view_id),
            WriteOp::DeleteView(view) => Subject::View(Some(*view)),
            WriteOp::Subscription(kind, _) => Subject::Subscription(kind.clone()),
            WriteOp::Team(_) => Subject::Team,
            WriteOp::Skill(_) => Subject::Skills,
        }
    }
}

impl UndoStep {
    fn subjects(&self) -> HashSet<Subject> {
        let changes = self
            .changes()
            .iter()
            .map(|change| Subject::from_op(&change.forward));
        let snoozes = self
            .snoozes()
            .iter()
            .map(|change| Subject::Snooze(change.id));
        self.signal_ids()
            .map(Subject::Signal)
            .chain(snoozes)
            .chain(changes)
            .collect()
    }

    /// Whether it changes this thing.
    pub(super) fn changes_subject(&self, subject: &Subject) -> bool {
        match subject {
            Subject::Signal(id) => self.signal_ids().any(|other| other == *id),
            subject => self
                .changes()
                .iter()
                .any(|change| Subject::from_op(&change.forward) == *subject),
        }
    }

    /// Whether it changes everything that `other` changes.
    fn covers(&self, other: &UndoStep) -> bool {
        self.tab_left() == other.tab_left() && other.subjects().is_subset(&self.subjects())
    }
}

impl UndoStack {
    /// Of each step, the place of the newest later one that changes some of the same things and has
    /// to be undone first.
    pub fn later_conflicts(&self) -> Vec<Option<usize>> {
        let mut newest: HashMap<Subject, usize> = HashMap::new();
        let mut conflicts = vec![None; self.done.len()];
        for (at, step) in self.done.iter().enumerate().rev() {
            let subjects = step.subjects();
            conflicts[at] = subjects
                .iter()
                .filter_map(|subject| newest.get(subject))
                .max()
                .copied();
            for subject in subjects {
                newest.entry(subject).or_insert(at);
            }
        }
        conflicts
    }

    /// The newest step that changes this item: to be undone, or with `is_undone` to be redone.
    pub fn newest_step_of(&self, item: &FailedItem, is_undone: bool) -> Option<&UndoStep> {
        let (steps, subject) = (
            if is_undone { &self.undone } else { &self.done },
            item.subject(),
        );
        steps.iter().rfind(|step| step.changes_subject(&subject))
    }

    /// Removes the step that an undo of an earlier run has undone, or a redo has done again.
    /// Another gantry on this machine may have added steps after it, so it is not always the last.
    /// Returns whether it was not removed before: it may have been sent twice.
    pub fn remove_undone(&mut self, undone: &UndoStep) -> bool {
        remove_covering(&mut self.done, &self.undone, undone)
    }

    pub fn remove_redone(&mut self, redone: &UndoStep) -> bool {
        remove_covering(&mut self.undone, &self.done, redone)
    }
}

/// Signals that were not in the part stay.
fn remove_covering(steps: &mut Vec<UndoStep>, others: &[UndoStep], part: &UndoStep) -> bool {
    let gone: HashSet<SignalId> = part.signal_ids().collect();
    match steps.iter().rposition(|step| step.covers(part)) {
        Some(at) => {
            let rest = steps.remove(at).signals_where(|id| !gone.contains(&id));
            if !rest.is_empty() {
                steps.insert(at, rest);
            }
        }
        None if gone.is_empty() => drop(steps.pop()),
        None => return !others.iter().any(|step| step.covers(part)),
    }
    true
}
