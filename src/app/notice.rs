//! The one place on the screen for results and errors.

use crate::ui::Role;

/// A line for the person, until the next one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// How it reads.
    pub role: Role,
    /// What happened.
    pub text: String,
    /// What can be done next; `{command}` stands for that command's key.
    pub hint: &'static str,
    /// A key was pressed since it came: from then on it keeps to one line.
    pub is_read: bool,
}

impl Notice {
    /// Something to know.
    pub fn note(text: impl Into<String>) -> Self {
        Notice { role: Role::Muted, text: text.into(), hint: "", is_read: false }
    }

    /// It went well.
    pub fn good(text: impl Into<String>) -> Self {
        Notice { role: Role::Good, ..Notice::note(text) }
    }

    /// It needs a look.
    pub fn warn(text: impl Into<String>) -> Self {
        Notice { role: Role::Warn, ..Notice::note(text) }
    }

    /// It went wrong.
    pub fn bad(text: impl Into<String>) -> Self {
        Notice { role: Role::Bad, ..Notice::note(text) }
    }

    /// The same line with a hint at what can be done next.
    pub fn with(self, hint: &'static str) -> Self {
        Notice { hint, ..self }
    }
}
