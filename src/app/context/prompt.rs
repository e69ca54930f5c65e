//! The keys of the prompt: what its answer does belongs to whoever opened it.

use crate::app::action::Action;
use crate::app::command::{Availability, require, shared};
use crate::app::context::{Ui, visits};
use crate::app::model::queue::SignalQueue;
use crate::app::pane_command::ContextCommand;
use crate::app::price::Price;
use crate::app::prompt::Prompt;
use crate::app::{AppSettings, Context};

type Row = ContextCommand;

/// In the order of help.
pub const COMMANDS: &[Row] = &[
    Row::at("prompt.submit", &shared::ACCEPT, Context::submit_prompt)
        .with_price("", |cx| {
            cx.ui
                .prompt
                .as_ref()
                .map_or(Price::Free, |prompt| prompt.price)
        })
        .with_hint(1),
    Row::at("prompt.cancel", &shared::BACK, |cx| {
        cx.ui.notice = None;
        if let Some(prompt) = cx.ui.prompt.take() {
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
    let preference = cx.ui.prompt.as_ref().and_then(Prompt::history_preference);
    match preference {
        Some(name) if !cx.settings.preference(&name).is_empty() => Ok(()),
        _ => Err("no earlier answer".into()),
    }
}

impl Context {
    fn submit_prompt(&mut self) {
        let Some(prompt) = self.ui.prompt.take() else {
            return;
        };
        self.ui.notice = None;
        if let Some((name, _)) = &prompt.draft {
            self.drafts.delete_draft(name, &mut self.work);
        }
        if let Some(name) = prompt.history_preference() {
            self.settings
                .remember_typed(&name, prompt.field.text(), MAX_HISTORY, &mut self.work);
        }
        self.work.perform(Action::AnswerPrompt(
            prompt.kind,
            prompt.field.text().trim().to_owned(),
        ));
    }
}

/// Shows an older or a newer answer in the prompt.
pub(in crate::app) fn recall_answer(is_older: bool, ui: &mut Ui, settings: &AppSettings) {
    let name = ui.prompt.as_ref().and_then(Prompt::history_preference);
    let history = name
        .map(|name| settings.typed_history(&name))
        .unwrap_or_default();
    let is_recalled = ui
        .prompt
        .as_mut()
        .is_some_and(|prompt| prompt.recall(is_older, &history));
    if !is_recalled {
        let text = if is_older {
            "no earlier answer"
        } else {
            "no later answer"
        };
        ui.inform(text);
    }
}

/// Whether there is a search to repeat.
pub(in crate::app) fn can_repeat_find(ui: &Ui, queue: &SignalQueue) -> Availability {
    ui.focus.has_rows()?;
    if visits::is_walking_news(ui, queue) {
        return Ok(());
    }
    require(!ui.find.last.is_empty(), "nothing to find yet")
}
