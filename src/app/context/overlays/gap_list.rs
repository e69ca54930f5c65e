//! The keys of the list of coverage gaps.

use crate::app::Context;
use crate::app::command::shared;
use crate::app::context::coverage;
use crate::app::pane_command::ContextCommand;

type Row = ContextCommand;

/// In the order of help.
pub const COMMANDS: &[Row] = &[
    Row::at("gaps.open", &shared::OPEN, Context::open_gap)
        .with_keys(&["Enter"])
        .with_price("1 cr once per record", Context::gap_price),
    Row::at("gaps.save", &shared::SAVE, Context::save_gaps)
        .with_description(
            "save the chosen records to the book, for everyone; undo does not remove them",
        )
        .with_immediate_write(),
    Row::at("gaps.annotate", &shared::ANNOTATE, Context::annotate_gaps)
        .with_keys(&["a"])
        .with_write(),
    Row::new(
        "gaps.check",
        &["r"],
        "check",
        "read ten records more, to know whether they are in the book with a status",
        |cx| coverage::check_gaps(&cx.ui, &mut cx.work),
    )
    .with_price("1 cr a record in the book", |cx| {
        coverage::gap_check_price(&cx.ui)
    })
    .available_when(|cx| coverage::can_check_gaps(&cx.ui, &cx.work)),
];
