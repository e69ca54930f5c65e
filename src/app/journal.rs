//! What was done and can be taken back: one stack for every kind of act, in the order in which they were done.

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
    /// Takes the last step back.
    pub fn undo(&mut self) {
        match self.journal.done.pop() {
            Some(Step::Triage(step)) => self.undo_triage(step),
            Some(Step::Write(step)) => self.undo_write(step),
            None => {}
        }
    }

    /// Does the step that was taken back last again.
    pub fn redo(&mut self) {
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
