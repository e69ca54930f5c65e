//! The keys of the list of promises.

use crate::app::Context;
use crate::app::command::shared;
use crate::app::context::promises::write_price;
use crate::app::pane_command::ContextCommand;

type Row = ContextCommand;

/// In the order of help.
pub const COMMANDS: &[Row] = &[
    Row::at("promises.open", &shared::OPEN, Context::open_promise)
        .with_keys(&["Enter"])
        .with_price("1 cr once per record", Context::promise_price),
    Row::at("promises.keep", &shared::DONE, |cx| cx.end_promise(true))
        .with_description(
            "it is done: the note says so, or the signal is marked done, for everyone",
        )
        .with_price("1 cr a record in the book", |cx| write_price(&cx.ui))
        .with_immediate_write(),
    Row::at("promises.move", &shared::SNOOZE, Context::ask_new_day)
        .with_title("move")
        .with_description("move it to another day")
        .with_write()
        .with_price("1 cr a record in the book", |cx| write_price(&cx.ui)),
    Row::at("promises.drop", &shared::DELETE, |cx| cx.end_promise(false))
        .with_title("drop")
        .with_description("nothing comes of it: the note says so, or the signal is back in New")
        .with_price("1 cr a record in the book", |cx| write_price(&cx.ui))
        .with_immediate_write(),
];
