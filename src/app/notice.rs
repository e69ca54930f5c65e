//! The notice line: the one place on the screen for results and errors.

use std::borrow::Cow;

use crate::ui::TextRole;

/// A message to the user, shown until the next one. A passing one is shown until another command
/// runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    pub role: TextRole,
    pub text: String,
    /// What to do next; each `{command.id}` becomes that command's key.
    pub hint: Cow<'static, str>,
    /// A key was pressed since it appeared; from then on it takes only one line.
    pub is_read: bool,
    /// It says why a command is not available, or confirms what needs no answer.
    pub is_passing: bool,
}

impl Notice {
    pub fn info(text: impl Into<String>) -> Self {
        Notice {
            role: TextRole::Muted,
            text: text.into(),
            hint: "".into(),
            is_read: false,
            is_passing: false,
        }
    }

    pub fn success(text: impl Into<String>) -> Self {
        Notice {
            role: TextRole::Success,
            ..Notice::info(text)
        }
    }

    pub fn warning(text: impl Into<String>) -> Self {
        Notice {
            role: TextRole::Warning,
            ..Notice::info(text)
        }
    }

    pub fn refusal(text: impl Into<String>) -> Self {
        Notice::warning(text).passing()
    }

    pub fn passing(self) -> Self {
        Notice {
            is_passing: true,
            ..self
        }
    }

    pub fn error(text: impl Into<String>) -> Self {
        Notice {
            role: TextRole::Error,
            ..Notice::info(text)
        }
    }

    pub fn with_hint(self, hint: impl Into<Cow<'static, str>>) -> Self {
        Notice {
            hint: hint.into(),
            ..self
        }
    }
}
