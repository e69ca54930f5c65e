//! The keys of the lists of past writes.

use crate::app::Context;
use crate::app::action::Action;
use crate::app::command::Scope;
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
        "try the marked items again, or the current one",
        Scope::Failures,
        |cx| {
            cx.retry_listed_failures(false);
        },
    ),
    ContextCommand::new(
        "history.retry.all",
        &["R"],
        "retry all",
        "try all failed items again",
        Scope::Failures,
        |cx| {
            cx.retry_listed_failures(true);
        },
    ),
    ContextCommand::new(
        "history.copy",
        &["y"],
        "copy",
        "copy the marked journal lines, or the current one, as gantry commands",
        Scope::Journal,
        Context::copy_journal_commands,
    ),
    ContextCommand::new(
        "history.copy.rows",
        &["Y"],
        "copy rows",
        "copy the marked or current rows as shown, with a heading, for a spreadsheet",
        Scope::Journal,
        |cx| cx.perform(Action::CopyRows),
    )
    .available_when(Context::has_rows),
];
