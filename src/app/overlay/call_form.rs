//! The form for logging a call: a note on what was said, and an outcome that saves it.

use uuid::Uuid;

use crate::app::command::Scope;
use crate::app::command::keys::Key;
use crate::domain::SignalId;
use crate::domain::book::RecordKind;
use crate::ui::text_input::{PasteTooLong, TextInput};

/// The outcomes, each with the key of its position. The chosen one becomes the status of the record.
pub const OUTCOMES: [&str; 5] = ["reached", "voicemail", "no answer", "meeting set", "not interested"];

#[derive(Clone, Debug)]
pub struct CallForm {
    pub kind: RecordKind,
    pub id: Uuid,
    pub name: String,
    /// The signal that is marked done as well.
    pub signal: Option<SignalId>,
    pub note: TextInput,
    /// The outcome is being chosen; otherwise characters go into the note.
    pub is_choosing: bool,
    /// The undo steps of the call belong together.
    pub group: Option<Uuid>,
    /// Why saving it failed.
    pub failure: Option<String>,
}

impl CallForm {
    pub fn new(kind: RecordKind, id: Uuid, name: String, signal: Option<SignalId>) -> CallForm {
        CallForm { kind, id, name, signal, note: TextInput::default(), is_choosing: false, group: None, failure: None }
    }

    pub fn scope(&self) -> Scope {
        if self.is_choosing { Scope::CallOutcome } else { Scope::CallNote }
    }

    pub fn type_key(&mut self, key: Key) {
        if !self.is_choosing {
            self.note.handle_key(key.to_event());
        }
    }

    pub fn paste(&mut self, text: &str) -> Option<Result<(), PasteTooLong>> {
        (!self.is_choosing).then(|| self.note.paste(text))
    }
}

/// Calls that are being saved, and notes that are not saved yet.
#[derive(Clone, Debug, Default)]
pub struct Calls {
    pub in_flight: Vec<CallForm>,
    pub unsaved: Vec<CallForm>,
}
