//! What was done and can be taken back: one stack for every kind of act, in the order in which they were done.

use super::intent::Intent;
use super::overlay::Overlay;
use super::overlay::choice::Choice;
use super::{App, acts, writes};

/// A step that can be taken back, or done again.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Signals changed sides.
    Triage(acts::Step),
    /// Records, Views or favorites were written.
    Write(writes::Step),
}

impl Step {
    /// What it was, in words.
    pub fn words(&self) -> &str {
        match self {
            Step::Triage(step) => step.words(),
            Step::Write(step) => &step.words,
        }
    }
}

/// The steps that were done, and those that were taken back.
#[derive(Clone, Debug, Default)]
pub struct Journal {
    /// Done, the last one at the end.
    pub done: Vec<Step>,
    /// Taken back, the last one at the end.
    pub undone: Vec<Step>,
}

impl Journal {
    /// What undo would take back, in words.
    pub fn undo_words(&self) -> Option<&str> {
        self.done.last().map(Step::words)
    }

    /// What redo would do again, in words.
    pub fn redo_words(&self) -> Option<&str> {
        self.undone.last().map(Step::words)
    }
}

impl App {
    /// Takes the last step back; asks first when that would write over what somebody changed since.
    pub fn undo(&mut self) {
        let over = match self.journal.done.last() {
            Some(Step::Write(step)) => {
                self.overridden(step.changes.iter().filter_map(|change| Some((&change.forward, change.back.as_ref()?))))
            }
            _ => Vec::new(),
        };
        self.ask_over(over, "undo", Intent::Undo);
    }

    /// Does the step that was taken back last again; asks first when that would write over what somebody changed since.
    pub fn redo(&mut self) {
        let over = match self.journal.undone.last() {
            Some(Step::Write(step)) => {
                self.overridden(step.changes.iter().filter_map(|change| Some((change.back.as_ref()?, &change.forward))))
            }
            _ => Vec::new(),
        };
        self.ask_over(over, "redo", Intent::Redo);
    }

    fn ask_over(&mut self, over: Vec<String>, verb: &str, intent: Intent) {
        if over.is_empty() {
            return self.intend(intent);
        }
        let text = format!("Changed since then. {}.", over.join(". "));
        self.overlay = Some(Overlay::Choice(Choice::confirm(format!("{verb}?"), text, format!("{verb} all the same"), intent)));
    }

    /// Takes the last step back.
    pub(super) fn undo_step(&mut self) {
        match self.journal.done.pop() {
            Some(Step::Triage(step)) => self.undo_triage(step),
            Some(Step::Write(step)) => self.undo_write(step),
            None => {}
        }
    }

    /// Does the step that was taken back last again.
    pub(super) fn redo_step(&mut self) {
        match self.journal.undone.pop() {
            Some(Step::Triage(step)) => self.redo_triage(step),
            Some(Step::Write(step)) => self.redo_write(step),
            None => {}
        }
    }

    /// Whether an act is still on its way: then nothing is undone.
    pub fn is_writing(&self) -> bool {
        !self.acts.open.is_empty() || self.writes.is_open()
    }
}
