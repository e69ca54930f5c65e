//! The keys of the prompt: what its answer does belongs to whoever opened it.

use std::borrow::Cow;

use crate::app::Context;
use crate::app::action::Action;
use crate::app::command::{Availability, require, shared};
use crate::app::notice::Notice;
use crate::app::pane_command::ContextCommand;
use crate::app::price::Price;
use crate::app::prompt::{Prompt, PromptKind};
use crate::domain::conditions::LineError;
use crate::ui::text_input::PasteTooLong;

type Row = ContextCommand;

/// In the order of help.
pub const COMMANDS: &[Row] = &[
    Row::at("prompt.submit", &shared::ACCEPT, Context::submit_prompt)
        .with_price("", |cx| {
            cx.prompt
                .as_ref()
                .map_or(Price::Free, |prompt| prompt.price)
        })
        .with_hint(1),
    Row::at("prompt.cancel", &shared::BACK, |cx| {
        cx.notice = None;
        if let Some(prompt) = cx.prompt.take() {
            cx.work.perform(Action::CancelPrompt(prompt.kind));
        }
    })
    .with_title("cancel")
    .with_hint(2),
    Row::new(
        "prompt.older",
        &["Up"],
        "older",
        "show the answer before this one",
        |cx| {
            cx.work.perform(Action::RecallAnswer { is_older: true });
        },
    )
    .with_hint(3)
    .available_when(has_history),
    Row::new(
        "prompt.newer",
        &["Down"],
        "newer",
        "show the answer after this one",
        |cx| {
            cx.work.perform(Action::RecallAnswer { is_older: false });
        },
    )
    .available_when(has_history),
    Row::at("prompt.complete", &shared::COMPLETE, |cx| {
        cx.work.perform(Action::CompleteWord { is_forward: true });
    }),
    Row::at("prompt.complete.back", &shared::COMPLETE_BACK, |cx| {
        cx.work.perform(Action::CompleteWord { is_forward: false });
    }),
];

/// Earlier answers are kept up to this number for each kind of prompt.
const MAX_HISTORY: usize = 20;

fn has_history(cx: &Context) -> Availability {
    let preference = cx.prompt.as_ref().and_then(Prompt::history_preference);
    match preference {
        Some(name) if !cx.preference(&name).is_empty() => Ok(()),
        _ => Err("no earlier answer".into()),
    }
}

impl Context {
    /// Opens a prompt again with the text that was rejected, and says why.
    pub(in crate::app) fn ask_again(
        &mut self,
        label: impl Into<Cow<'static, str>>,
        text: &str,
        kind: impl Into<PromptKind>,
        why: impl Into<String>,
    ) {
        self.prompt = Some(Prompt::with_rejected(label, text, kind));
        self.notice = Some(Notice::warning(why));
    }

    /// The same for a line of conditions, with the cursor behind the part that is wrong.
    pub(in crate::app) fn ask_for_line_again(
        &mut self,
        text: &str,
        kind: impl Into<PromptKind>,
        error: LineError,
    ) {
        self.ask_again("conditions", text, kind, error.message);
        let before = text.get(..error.place.end).unwrap_or(text);
        if let Some(prompt) = &mut self.prompt {
            prompt.field.set_cursor(before.chars().count());
        }
    }

    fn submit_prompt(&mut self) {
        let Some(prompt) = self.prompt.take() else {
            return;
        };
        self.notice = None;
        if let Some((name, _)) = &prompt.draft {
            self.delete_draft(name);
        }
        if let Some(name) = prompt.history_preference() {
            self.remember_typed(&name, prompt.field.text(), MAX_HISTORY);
        }
        self.work.perform(Action::AnswerPrompt(
            prompt.kind,
            prompt.field.text().trim().to_owned(),
        ));
    }

    /// Shows an older or a newer answer in the prompt.
    pub(in crate::app) fn recall_answer(&mut self, is_older: bool) {
        let name = self.prompt.as_ref().and_then(Prompt::history_preference);
        let history = name
            .map(|name| self.typed_history(&name))
            .unwrap_or_default();
        let is_recalled = self
            .prompt
            .as_mut()
            .is_some_and(|prompt| prompt.recall(is_older, &history));
        if !is_recalled {
            let text = if is_older {
                "no earlier answer"
            } else {
                "no later answer"
            };
            self.notice = Some(Notice::info(text));
        }
    }

    /// Completes the last word in the prompt with words that its pane knows.
    pub(in crate::app) fn complete_word(&mut self, is_forward: bool, words: Vec<String>) {
        let is_completed = self
            .prompt
            .as_mut()
            .is_some_and(|prompt| prompt.complete(is_forward, words.into_iter()));
        if !is_completed {
            self.notice = Some(Notice::info("nothing to complete"));
        }
    }

    /// Whether there is a search to repeat.
    pub(in crate::app) fn can_repeat_find(&self) -> Availability {
        self.has_rows()?;
        if self.is_walking_news() {
            return Ok(());
        }
        require(!self.find.last.is_empty(), "nothing to find yet")
    }

    /// Whether a list with rows has the focus.
    pub(in crate::app) fn has_rows(&self) -> Availability {
        require(self.focus.rows.exist, "there are no rows here")
    }

    pub(in crate::app) fn paste_into_prompt(
        &mut self,
        text: &str,
    ) -> Option<Result<(), PasteTooLong>> {
        self.prompt.as_mut().map(|prompt| {
            prompt.on_edited();
            prompt.field.paste(text)
        })
    }
}
