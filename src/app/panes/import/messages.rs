//! What the pane asks the service and the user, and what it is asked to do.

use crate::domain::list_import::MatchStep;

#[derive(Clone, Debug)]
pub enum ImportRequest {
    /// The file with the list, by its path.
    File(String),
    /// Rows that may be what some lines mean.
    Rows(Box<MatchStep>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportPrompt {
    Path,
    /// Other words for a line.
    Words(usize),
}

#[derive(Clone, Debug, PartialEq)]
pub enum ImportAction {
    /// What a line means; `None`: nothing of it.
    Choose {
        line: usize,
        candidate: Option<usize>,
    },
    EditWords,
    SaveToBook,
    /// Forget the list and what was found.
    Discard,
}
