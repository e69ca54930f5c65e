//! The keys of the lists of past writes.

use crate::app::Context;
use crate::app::action::Action;
use crate::app::command::{Scope, shared};
use crate::app::context::history_lists;
use crate::app::pane_command::ContextCommand;

type Row = ContextCommand;

/// In the order of help.
pub const COMMANDS: &[Row] = &[
    Row::at(
        "history.accept",
        &shared::ACCEPT,
        Context::accept_history_entry,
    )
    .with_words(
        "choose",
        "undo the step, go to what failed, or copy a journal line as a command",
    ),
    Row::at("history.retry", &shared::RETRY, |cx| {
        cx.retry_listed_failures(false);
    })
    .in_scope(Scope::Failures)
    .with_description("try the marked items again, or the current one")
    .with_write(),
    Row::new(
        "history.retry.all",
        &["R"],
        "retry all",
        "try all failed items again",
        |cx| {
            cx.retry_listed_failures(true);
        },
    )
    .in_scope(Scope::Failures)
    .with_write(),
    Row::at("history.copy", &shared::COPY, |cx| {
        history_lists::copy_journal_commands(&mut cx.ui, &mut cx.work)
    })
    .in_scope(Scope::Journal)
    .with_description("copy the marked journal lines, or the current one, as gantry commands"),
    Row::at("history.copy.rows", &shared::COPY_ROWS, |cx| {
        cx.work.perform(Action::CopyRows)
    })
    .in_scope(Scope::Journal)
    .with_keys(&["Y"])
    .available_when(|cx| cx.ui.focus.has_rows()),
];
