//! The keys of the prompt: what its answer does belongs to whoever opened it.

use crate::app::Context;
use crate::app::action::Action;
use crate::app::command::{Availability, Scope};
use crate::app::pane_command::ContextCommand;
use crate::ui::text_input::PasteTooLong;

/// In the order of help.
pub const COMMANDS: &[ContextCommand] = &[
    ContextCommand::new("prompt.submit", &["Enter"], "submit", "take the text", Scope::Prompt, Context::submit_prompt)
        .with_hint(1),
    ContextCommand::new("prompt.cancel", &["Esc"], "cancel", "close without taking the text", Scope::Prompt, |cx| {
        cx.prompt = None;
        cx.notice = None;
    })
    .with_hint(2),
];

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
        if self.last_find.is_empty() { Err("nothing to find yet".into()) } else { Ok(()) }
    }

    pub(in crate::app) fn paste_into_prompt(&mut self, text: &str) -> Option<Result<(), PasteTooLong>> {
        self.prompt.as_mut().map(|prompt| prompt.field.paste(text))
    }
}
