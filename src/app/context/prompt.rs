//! The keys of the prompt: what its answer does belongs to whoever opened it.

use crate::app::Context;
use crate::app::action::Action;
use crate::app::command::{Availability, Scope};
use crate::app::pane_command::ContextCommand;
use crate::app::prompt::PromptKind;
use crate::ui::text_input::PasteTooLong;

/// In the order of help.
pub const COMMANDS: &[ContextCommand] = &[
    ContextCommand::new("prompt.submit", &["Enter"], "submit", "take the text", Scope::Prompt, Context::submit_prompt)
        .with_hint(1),
    ContextCommand::new("prompt.cancel", &["Esc"], "cancel", "close without taking the text", Scope::Prompt, |cx| {
        cx.notice = None;
        if let Some(prompt) = cx.prompt.take() {
            cx.perform(Action::CancelPrompt(prompt.kind));
        }
    })
    .with_hint(2),
    ContextCommand::new("prompt.older", &["Up"], "older", "show the search before this one", Scope::Prompt, |cx| {
        cx.perform(Action::RecallFind { is_older: true });
    })
    .available_when(is_search),
    ContextCommand::new("prompt.newer", &["Down"], "newer", "show the search after this one", Scope::Prompt, |cx| {
        cx.perform(Action::RecallFind { is_older: false });
    })
    .available_when(is_search),
];

fn is_search(cx: &Context) -> Availability {
    match cx.prompt.as_ref().map(|prompt| prompt.kind) {
        Some(PromptKind::Find | PromptKind::MarkMatches) => Ok(()),
        _ => Err("only searches have a history".into()),
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
    pub(in crate::app) fn can_repeat_find(&self) -> Availability {
        self.has_rows()?;
        if self.is_walking_news() {
            return Ok(());
        }
        if self.find.last.is_empty() { Err("nothing to find yet".into()) } else { Ok(()) }
    }

    /// Whether a list with rows has the focus.
    pub(in crate::app) fn has_rows(&self) -> Availability {
        if self.focus.has_rows { Ok(()) } else { Err("there are no rows here".into()) }
    }

    pub(in crate::app) fn paste_into_prompt(&mut self, text: &str) -> Option<Result<(), PasteTooLong>> {
        self.prompt.as_mut().map(|prompt| prompt.field.paste(text))
    }
}
