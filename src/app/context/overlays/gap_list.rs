//! The keys of the list of coverage gaps.

use crate::app::Context;
use crate::app::command::{Scope, shared};
use crate::app::pane_command::ContextCommand;

/// In the order of help.
pub const COMMANDS: &[ContextCommand] = &[
    ContextCommand::at("gaps.open", &shared::OPEN, Scope::Gaps, Context::open_gap)
        .with_keys(&["Enter"])
        .with_price("1 cr once per record", Context::gap_price),
    ContextCommand::at("gaps.save", &shared::SAVE, Scope::Gaps, Context::save_gaps)
        .with_description(
            "save the chosen records to the book, for everyone; undo does not remove them",
        )
        .with_immediate_write(),
    ContextCommand::at(
        "gaps.annotate",
        &shared::ANNOTATE,
        Scope::Gaps,
        Context::annotate_gaps,
    )
    .with_keys(&["a"])
    .with_write(),
    ContextCommand::new(
        "gaps.check",
        &["r"],
        "check",
        "read ten records more, to know whether they are in the book with a status",
        Scope::Gaps,
        Context::check_gaps,
    )
    .with_price("1 cr a record in the book", Context::gap_check_price)
    .available_when(Context::can_check_gaps),
];
