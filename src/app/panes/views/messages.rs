//! What the Views ask the user, and what they are asked to do.

use uuid::Uuid;

use crate::domain::ViewId;
use crate::domain::book::RecordKind;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewsPrompt {
    /// The name of a new View.
    Name,
    /// Another name for what is under the cursor.
    Rename,
    /// How many are deleted.
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
    /// Delete the saved search of this name.
    DeleteSearch(String),
    /// Go to the View of this name once the Views are read.
    ShowNamed(String),
}
