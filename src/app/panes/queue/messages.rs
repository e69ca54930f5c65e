//! What the queue asks the user, and what it is asked to do.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueuePrompt {
    /// The number of a row to go to.
    Row,
    /// What to sort by.
    Sort,
}

#[derive(Clone, Debug, PartialEq)]
pub enum QueueAction {
    /// Load all rows of the current list.
    LoadAll,
}
