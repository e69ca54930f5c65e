//! The keys of the lists of past writes.

use crate::app::Context;
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
];
