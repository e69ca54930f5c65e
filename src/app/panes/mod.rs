//! One folder per pane: state (`mod.rs`), commands, drawing, tests. [`all_commands`] chains the commands of panes and dialogs.

pub(crate) mod annotation_form;
pub(crate) mod book;
pub(crate) mod credits;
pub(crate) mod detail;
pub(crate) mod explore;
pub(crate) mod fact_list;
pub(crate) mod queue;
pub(crate) mod record;
pub(crate) mod records;
pub(crate) mod skills;
pub(crate) mod start;
pub(crate) mod subscriptions;
pub(crate) mod team;
pub(crate) mod views;
pub(crate) mod watch;

use super::command::{Command, global};
use super::{overlay, prompt};

/// All commands, pane by pane and then dialog by dialog, in the order of help.
pub fn all_commands() -> impl Iterator<Item = &'static Command> {
    [
        queue::commands::COMMANDS,
        detail::commands::COMMANDS,
        views::commands::COMMANDS,
        book::commands::COMMANDS,
        explore::commands::COMMANDS,
        explore::list_filter::COMMANDS,
        records::commands::COMMANDS,
        record::commands::COMMANDS,
        annotation_form::commands::OPEN_COMMANDS,
        annotation_form::commands::COMMANDS,
        subscriptions::commands::COMMANDS,
        team::commands::COMMANDS,
        skills::commands::COMMANDS,
        credits::commands::COMMANDS,
        watch::commands::COMMANDS,
        global::COMMANDS,
        overlay::palette::COMMANDS,
        overlay::choice::COMMANDS,
        overlay::column_list::COMMANDS,
        overlay::filter_form::COMMANDS,
        overlay::picker::COMMANDS,
        prompt::COMMANDS,
        start::commands::COMMANDS,
    ]
    .into_iter()
    .flatten()
}
