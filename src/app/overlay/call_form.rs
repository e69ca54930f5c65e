//! The form for logging a call: a note on what was said, and an outcome that saves it.

use std::collections::VecDeque;

use chrono::NaiveDateTime;
use crossterm::event::KeyCode;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::app::command::Scope;
use crate::app::command::keys::Key;
use crate::domain::SignalId;
use crate::domain::book::RecordKind;
use crate::domain::signals::SignalType;
use crate::domain::skills::Skill;
use crate::domain::snooze::SnoozeUntil;
use crate::ui::text_input::{PasteTooLong, TextInput};

#[derive(Clone, Debug)]
pub struct CallForm {
    pub kind: RecordKind,
    pub id: Uuid,
    pub name: String,
    /// The signal that is marked done as well.
    pub signal: Option<SignalId>,
    /// What the signal says that the call is about, whether it is done or not.
    pub about: Option<SignalType>,
    pub note: TextInput,
    /// The outcome is being chosen; otherwise characters go into the note.
    pub is_choosing: bool,
    /// The page of facts, where they do not fit; it wraps around.
    pub page: usize,
    /// The undo steps of the call belong together.
    pub group: Option<Uuid>,
    /// Its signal was snoozed when the call was saved, although its note was not.
    pub is_put_off: bool,
    /// Why saving it failed.
    pub failure: Option<String>,
}

impl CallForm {
    pub fn new(kind: RecordKind, id: Uuid, name: String, signal: Option<SignalId>) -> CallForm {
        CallForm {
            kind,
            id,
            name,
            signal,
            about: None,
            note: TextInput::default(),
            is_choosing: false,
            page: 0,
            group: None,
            is_put_off: false,
            failure: None,
        }
    }

    pub fn scope(&self) -> Scope {
        if self.is_choosing {
            Scope::CallOutcome
        } else {
            Scope::CallNote
        }
    }

    /// Types a key into the note. Text that is typed at the outcomes goes on with it.
    pub fn type_key(&mut self, key: Key) {
        if self.is_choosing && key.is_character() {
            self.is_choosing = false;
            self.note = TextInput::with_text(self.note.text());
            if !self.note.text().is_empty() {
                self.note.handle_key(KeyCode::Char(' ').into());
            }
        }
        if !self.is_choosing {
            self.note.handle_key(key.to_event());
        }
    }

    pub fn paste(&mut self, text: &str) -> Option<Result<(), PasteTooLong>> {
        (!self.is_choosing).then(|| self.note.paste(text))
    }
}

/// A call that is being saved.
#[derive(Clone, Debug)]
pub struct SentCall {
    pub form: CallForm,
    /// The label of its outcome.
    pub outcome: String,
    pub effect: CallEffect,
}

/// What a call does besides its note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallEffect {
    None,
    /// A promise for then, by the user's clock: there is no signal to come back.
    Promised(NaiveDateTime),
    Done(SignalId),
    /// Until a time; it may leave the queue before.
    Snoozed {
        until: SnoozeUntil,
        outlasts_queue: bool,
    },
}

/// Calls that are being saved, and notes that are not saved yet.
#[derive(Clone, Debug, Default)]
pub struct Calls {
    pub in_flight: Vec<SentCall>,
    pub unsaved: Vec<CallForm>,
    /// The outcome of the last call, for `.`.
    pub last_outcome: Option<usize>,
    pub opening: CallOpening,
}

/// The opening line of calls, from a Skill that is in use. Skills are free to read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum CallOpening {
    #[default]
    Unread,
    Reading,
    /// Of this Skill; it may have placeholders.
    Read {
        skill: String,
        line: String,
    },
    /// No Skill has one.
    Missing,
}

/// What is read to find the opening line, one after the other.
#[derive(Clone, Debug)]
pub enum OpeningRead {
    Skills,
    /// The first one's files.
    Skill(VecDeque<Skill>),
    /// A file of this Skill; the others are left.
    Text {
        skill: String,
        path: String,
        rest: VecDeque<Skill>,
    },
}

/// The note of a call that was not saved, as kept on disk.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CallDraft {
    kind: RecordKind,
    id: Uuid,
    name: String,
    signal: Option<SignalId>,
    #[serde(default)]
    is_put_off: bool,
    note: String,
}

impl From<&CallForm> for CallDraft {
    fn from(form: &CallForm) -> CallDraft {
        let note = form.note.text().to_owned();
        CallDraft {
            kind: form.kind.clone(),
            id: form.id,
            name: form.name.clone(),
            signal: form.signal,
            is_put_off: form.is_put_off,
            note,
        }
    }
}

impl From<CallDraft> for CallForm {
    fn from(draft: CallDraft) -> CallForm {
        let form = CallForm::new(draft.kind, draft.id, draft.name, draft.signal);
        CallForm {
            note: TextInput::with_text(&draft.note),
            is_put_off: draft.is_put_off,
            ..form
        }
    }
}
