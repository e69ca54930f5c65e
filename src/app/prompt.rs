//! A one-line prompt in the footer; what is shown above it stays unchanged.

use std::borrow::Cow;

use crate::app::drafts::DraftName;
use crate::app::panes::messages::PanePrompt;
use crate::ui::text_input::TextInput;

#[derive(Clone, Debug)]
pub struct Prompt {
    /// What is asked for, in a word.
    pub label: Cow<'static, str>,
    pub field: TextInput,
    pub kind: PromptKind,
    /// The name under which its text is saved as it is typed, and the text before anything is typed. Short texts that are quickly
    /// typed again are not saved.
    pub draft: Option<(DraftName, String)>,
}

/// What the answer is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptKind {
    /// What to find in the loaded rows of the focused list.
    Find,
    /// What the rows to be marked contain.
    MarkMatches,
    /// What the focused list is sorted by.
    ListSort,
    ExportPath,
    /// Which bookmark to open.
    Bookmark,
    /// When the chosen signals return.
    SnoozeUntil,
    Pane(PanePrompt),
}

impl<P: Into<PanePrompt>> From<P> for PromptKind {
    fn from(prompt: P) -> PromptKind {
        PromptKind::Pane(prompt.into())
    }
}

impl Prompt {
    pub fn new(label: impl Into<Cow<'static, str>>, text: &str, kind: impl Into<PromptKind>) -> Prompt {
        Prompt { label: label.into(), field: TextInput::with_text(text), kind: kind.into(), draft: None }
    }

    /// With a proposed answer, which typing replaces.
    pub fn with_proposal(label: impl Into<Cow<'static, str>>, text: &str, kind: impl Into<PromptKind>) -> Prompt {
        Prompt { field: TextInput::with_selected_text(text), ..Prompt::new(label, "", kind) }
    }

    pub fn text(&self) -> String {
        self.field.text().to_owned()
    }
}
