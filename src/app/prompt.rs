//! A one-line prompt in the footer; what is shown above it stays unchanged.

use std::borrow::Cow;

use super::Context;
use super::action::Action;
use super::command::{Availability, ContextCommand, Scope};
use super::drafts::DraftName;
use super::panes::credits::CreditsPrompt;
use super::panes::explore::ExplorePrompt;
use super::panes::feed::FeedPrompt;
use super::panes::skills::SkillsPrompt;
use super::panes::team::TeamPrompt;
use crate::ui::text_input::{PasteTooLong, TextInput};

/// In the order of help.
pub const COMMANDS: &[ContextCommand] = &[
    ContextCommand::new("prompt.submit", &["Enter"], "submit", "take the text", Scope::Prompt, Context::submit_prompt),
    ContextCommand::new("prompt.cancel", &["Esc"], "cancel", "close without taking the text", Scope::Prompt, |app| {
        app.prompt = None;
        app.notice = None;
    }),
];

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
    /// A text to find in the queue's loaded rows.
    FindSignals,
    /// A text to find in the loaded records.
    FindRecords,
    ExportPath,
    ViewName,
    Explore(ExplorePrompt),
    Skills(SkillsPrompt),
    Credits(CreditsPrompt),
    Feed(FeedPrompt),
    Team(TeamPrompt),
}

impl Prompt {
    pub fn new(label: impl Into<Cow<'static, str>>, text: &str, purpose: PromptKind) -> Prompt {
        Prompt { label: label.into(), field: TextInput::with_text(text), kind: purpose, draft: None }
    }

    pub fn text(&self) -> String {
        self.field.text().to_owned()
    }
}

impl Context {
    fn submit_prompt(&mut self) {
        let Some(prompt) = self.prompt.take() else { return };
        self.notice = None;
        if let Some((name, _)) = &prompt.draft {
            self.delete_draft(name);
        }
        self.perform(Action::AnswerPrompt(prompt.kind, prompt.field.text().trim().to_owned()));
    }

    /// Whether there is a search to repeat.
    pub(super) fn can_repeat_find(&self) -> Availability {
        if self.last_find.is_empty() { Err("nothing to find yet".into()) } else { Ok(()) }
    }

    pub(super) fn paste_into_prompt(&mut self, text: &str) -> Option<Result<(), PasteTooLong>> {
        self.prompt.as_mut().map(|prompt| prompt.field.paste(text))
    }
}
