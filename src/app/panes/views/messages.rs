//! What the Views ask the user, and what they are asked to do.

use crate::domain::ViewId;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewsPrompt {
    /// The name of a new View.
    Name,
    /// How many Views are deleted.
    ConfirmDeletion,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ViewsAction {
    /// Go to a View; reads no records.
    Show(ViewId),
    /// Go to the View of this name once the Views are read.
    ShowNamed(String),
}
