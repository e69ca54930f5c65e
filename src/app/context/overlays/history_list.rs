//! The keys of the lists of past writes.

use crate::app::Context;
use crate::app::command::Scope;
use crate::app::overlay::Overlay;
use crate::app::overlay::history_list::HistoryList;
use crate::app::pane_command::ContextCommand;

/// In the order of help.
pub const COMMANDS: &[ContextCommand] = &[
    ContextCommand::new(
        "history.accept",
        &["Enter"],
        "choose",
        "undo the step, go to what failed, or copy a journal line as a command",
        Scope::History,
        Context::accept_history_entry,
    ),
    ContextCommand::new(
        "history.retry",
        &["r"],
        "retry",
        "try the failed item again",
        Scope::History,
        |cx| {
            cx.retry_listed_failures(false);
        },
    ),
    ContextCommand::new(
        "history.retry.all",
        &["R"],
        "retry all",
        "try all failed items again",
        Scope::History,
        |cx| {
            cx.retry_listed_failures(true);
        },
    ),
    ContextCommand::new(
        "history.copy",
        &["y"],
        "copy",
        "copy the journal line as a gantry command",
        Scope::History,
        Context::copy_journal_command,
    ),
    ContextCommand::new(
        "history.down",
        &["Down", "j", "Tab"],
        "down",
        "go to the next entry",
        Scope::History,
        |cx| {
            update(cx, |list| list.step(1));
        },
    ),
    ContextCommand::new(
        "history.up",
        &["Up", "k", "Shift-Tab"],
        "up",
        "go to the previous entry",
        Scope::History,
        |cx| {
            update(cx, |list| list.step(-1));
        },
    ),
    ContextCommand::new(
        "history.page.down",
        &["PgDn"],
        "page down",
        "go ten entries down",
        Scope::History,
        |cx| {
            update(cx, |list| list.step(10));
        },
    ),
    ContextCommand::new(
        "history.page.up",
        &["PgUp"],
        "page up",
        "go ten entries up",
        Scope::History,
        |cx| {
            update(cx, |list| list.step(-10));
        },
    ),
    ContextCommand::new(
        "history.first",
        &["Home"],
        "first",
        "go to the newest entry",
        Scope::History,
        |cx| {
            update(cx, |list| list.step(isize::MIN));
        },
    ),
    ContextCommand::new(
        "history.last",
        &["End", "G"],
        "last",
        "go to the oldest entry",
        Scope::History,
        |cx| {
            update(cx, |list| list.step(isize::MAX));
        },
    ),
    ContextCommand::new(
        "history.close",
        &["Esc", "q"],
        "close",
        "close and change nothing",
        Scope::History,
        Context::close_overlay,
    ),
];

fn update(cx: &mut Context, change: impl FnOnce(&mut HistoryList)) {
    if let Some(Overlay::History(list)) = &mut cx.overlay {
        change(list);
    }
}
