//! What the pane asks the service and the user, and what it is asked to do.

use uuid::Uuid;

use crate::domain::book::RecordKind;
use crate::domain::writes::ReversibleWrite;

/// A record of the form, read again.
#[derive(Clone, Debug)]
pub struct AnnotatedRecordRequest(pub RecordKind, pub Uuid);

/// What the form is told by the choices it offered and by finished writes.
#[derive(Clone, Debug, PartialEq)]
pub enum AnnotationAction {
    /// Open for these records, with their names.
    Open(RecordKind, Vec<(Uuid, String)>),
    /// Open again for records that were not written because somebody changed them.
    Reopen(Vec<ReversibleWrite>),
    /// Resume the draft that was begun at this time.
    Resume(i64),
    /// Discard the draft that was begun at this time.
    Discard(i64),
    /// Open for the chosen records with the input that was last applied.
    Repeat,
    /// Write what the form holds, and close it.
    Write(String, Vec<ReversibleWrite>),
}

impl AnnotationAction {
    pub fn opens_form(&self) -> bool {
        matches!(
            self,
            AnnotationAction::Open(..)
                | AnnotationAction::Reopen(_)
                | AnnotationAction::Resume(_)
                | AnnotationAction::Repeat
        )
    }
}
