//! A one-line prompt in the footer; what is shown above it stays unchanged.

use std::borrow::Cow;

use super::App;
use super::action::Action;
use super::command::{AppCommand, Availability, Scope};
use super::panes::credits::CreditsPrompt;
use super::panes::team::TeamPrompt;
use crate::domain::conditions::ConditionPath;
use crate::ui::text_input::{PasteTooLong, TextInput};

/// In the order of help.
pub const COMMANDS: &[AppCommand] = &[
    AppCommand::new("prompt.submit", &["Enter"], "submit", "take the text", Scope::Prompt, App::submit_prompt),
    AppCommand::new("prompt.cancel", &["Esc"], "cancel", "close without taking the text", Scope::Prompt, |app| {
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
    /// The name under which its text is saved as it is typed, and the text before anything is typed.
    pub draft: Option<(String, String)>,
}

/// What the answer is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptKind {
    /// A text to find in the queue's loaded rows.
    FindSignals,
    /// A text to find in the loaded records.
    FindRecords,
    /// Words that filter a list of records.
    ListQuery,
    ExportPath,
    ViewName,
    /// The value of a condition.
    Condition(ConditionPath),
    /// All conditions, as text.
    Conditions,
    /// A question in plain words.
    Question,
    FilterSkills,
    /// Words to find Skills by.
    FindSkills,
    ForkSkill,
    Credits(CreditsPrompt),
    Team(TeamPrompt),
}

impl PromptKind {
    /// Prefixes of the names of saved prompt texts. Short texts that are quickly typed again are not saved.
    pub const DRAFT_KEY_PREFIXES: &[&str] = &["ask ", "conditions ", "line", "words", "view name", "invite"];
}

impl Prompt {
    pub fn new(label: impl Into<Cow<'static, str>>, text: &str, purpose: PromptKind) -> Prompt {
        Prompt { label: label.into(), field: TextInput::with_text(text), kind: purpose, draft: None }
    }

    pub fn text(&self) -> String {
        self.field.text().to_owned()
    }
}

impl App {
    fn submit_prompt(&mut self) {
        let Some(prompt) = self.prompt.take() else { return };
        self.notice = None;
        if let Some((name, _)) = &prompt.draft {
            self.discard_prompt_draft(name);
        }
        self.perform(Action::AnswerPrompt(prompt.kind, prompt.field.text().trim().to_owned()));
    }

    /// The draft name under which this prompt's text is saved.
    pub(super) fn prompt_draft_key(&self, purpose: PromptKind) -> Option<String> {
        Some(match purpose {
            PromptKind::Question => format!("ask {}", self.explore.dataset()),
            PromptKind::Conditions if self.explore.list_filter.is_some() => "line".to_owned(),
            PromptKind::ListQuery => "words".to_owned(),
            PromptKind::Conditions => format!("conditions {}", self.explore.dataset()),
            PromptKind::ViewName => "view name".to_owned(),
            _ => return None,
        })
    }

    /// The text of a prompt before anything is typed.
    pub(super) fn prompt_default_text(&self, name: &str) -> String {
        let words = self.explore.list_filter.as_ref().map(|narrow| narrow.query.clone()).unwrap_or_default();
        match name.split_once(' ') {
            None if name == "line" => self.explore.draft().filters.to_line(&words),
            None if name == "words" => words,
            Some(("ask", _)) => self.explore.question.as_ref().map(|question| question.text.clone()).unwrap_or_default(),
            Some(("conditions", _)) => self.explore.draft().filters.to_line(""),
            _ => String::new(),
        }
    }

    /// Whether there is a search to repeat.
    pub(super) fn can_repeat_find(&self) -> Availability {
        if self.last_find.is_empty() { Err("nothing to find yet".into()) } else { Ok(()) }
    }

    pub(super) fn paste_into_prompt(&mut self, text: &str) -> Option<Result<(), PasteTooLong>> {
        self.prompt.as_mut().map(|prompt| prompt.field.paste(text))
    }
}
