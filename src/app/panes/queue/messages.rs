//! What the queue asks the user.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueuePrompt {
    /// A text to find in the loaded rows.
    Find,
    /// The number of a row to go to.
    Row,
}
