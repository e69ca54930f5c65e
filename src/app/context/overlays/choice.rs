//! The keys of a choice and of a confirmation.

use crate::app::Context;
use crate::app::command::Scope;
use crate::app::notice::Notice;
use crate::app::overlay::Overlay;
use crate::app::overlay::choice::Choice;
use crate::app::pane_command::ContextCommand;

/// In the order of help.
pub const COMMANDS: &[ContextCommand] = &[
    ContextCommand::new(
        "choice.accept",
        &["Enter"],
        "select",
        "do what the selected option says",
        Scope::Choice,
        accept,
    ),
    ContextCommand::new(
        "choice.down",
        &["Down", "j", "Tab"],
        "down",
        "select the next option",
        Scope::Choice,
        |cx| {
            update(cx, |choice| choice.step(1));
        },
    ),
    ContextCommand::new(
        "choice.up",
        &["Up", "k", "Shift-Tab"],
        "up",
        "select the previous option",
        Scope::Choice,
        |cx| {
            update(cx, |choice| {
                choice.step(choice.options.len().saturating_sub(1))
            });
        },
    ),
    ContextCommand::new(
        "choice.first",
        &["Home"],
        "first",
        "select the first option",
        Scope::Choice,
        |cx| {
            update(cx, |choice| choice.select(0));
        },
    ),
    ContextCommand::new(
        "choice.last",
        &["End"],
        "last",
        "select the last option",
        Scope::Choice,
        |cx| {
            update(cx, |choice| {
                choice.select(choice.options.len().saturating_sub(1))
            });
        },
    ),
    ContextCommand::new(
        "choice.cancel",
        &["Esc", "q"],
        "cancel",
        "close and do nothing",
        Scope::Choice,
        Context::close_overlay,
    ),
];

fn update(cx: &mut Context, change: impl FnOnce(&mut Choice)) {
    if let Some(Overlay::Choice(choice)) = &mut cx.overlay {
        change(choice);
    }
}

/// Does what the selected option says. A word that selects none is rejected, and the question
/// stays.
fn accept(cx: &mut Context) {
    let Some(Overlay::Choice(mut choice)) = cx.overlay.take() else {
        return;
    };
    if let Some(why) = choice.rejection() {
        choice.typed.clear();
        cx.notice = Some(Notice::warning(why));
        cx.overlay = Some(Overlay::Choice(choice));
    } else if let Some(option) = choice.options.into_iter().nth(choice.selected) {
        cx.perform(option.action);
    }
}
