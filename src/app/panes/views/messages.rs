//! What the Views ask the user, and what they are asked to do.

use uuid::Uuid;

use crate::domain::ViewId;
use crate::domain::book::RecordKind;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewsPrompt {
    /// The name of a new View.
    Name,
    /// Another name for a View.
    Rename,
    /// How many Views are deleted.
    ConfirmDeletion,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ViewsAction {
    /// Go to a View; reads no records.
    Show(ViewId),
    /// Create a Static View of this name that holds these records.
    Create(String, RecordKind),
    /// Ask for the name of a new Static View that holds these records.
    CreateFor(RecordKind, Vec<Uuid>),
    /// Go to the View of this name once the Views are read.
    ShowNamed(String),
}
