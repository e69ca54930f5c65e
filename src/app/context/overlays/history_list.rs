//! The keys of the lists of past writes.

use crate::app::Context;
use crate::app::action::Action;
use crate::app::command::{Scope, shared};
use crate::app::pane_command::ContextCommand;

/// In the order of help.
pub const COMMANDS: &[ContextCommand] = &[
    ContextCommand::at(
        "history.accept",
        &shared::ACCEPT,
        Scope::History,
        Context::accept_history_entry,
    )
    .with_words(
        "choose",
        "undo the step, go to what failed, or copy a journal line as a command",
    ),
    ContextCommand::at("history.retry", &shared::RETRY, Scope::Failures, |cx| {
        cx.retry_listed_failures(false);
    })
    .with_description("try the marked items again, or the current one")
    .with_write(),
    ContextCommand::new(
        "history.retry.all",
        &["R"],
        "retry all",
        "try all failed items again",
        Scope::Failures,
        |cx| {
            cx.retry_listed_failures(true);
        },
    )
    .with_write(),
    ContextCommand::at(
        "history.copy",
        &shared::COPY,
        Scope::Journal,
        Context::copy_journal_commands,
    )
    .with_description("copy the marked journal lines, or the current one, as gantry commands"),
    ContextCommand::at(
        "history.copy.rows",
        &shared::COPY_ROWS,
        Scope::Journal,
        |cx| cx.perform(Action::CopyRows),
    )
    .with_keys(&["Y"])
    .available_when(Context::has_rows),
];
