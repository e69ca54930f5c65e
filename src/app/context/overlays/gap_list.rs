//! The keys of the list of coverage gaps.

use crate::app::Context;
use crate::app::command::Scope;
use crate::app::pane_command::ContextCommand;

/// In the order of help.
pub const COMMANDS: &[ContextCommand] = &[
    ContextCommand::new(
        "gaps.open",
        &["Enter"],
        "open",
        "open the record",
        Scope::Gaps,
        Context::open_gap,
    )
    .with_price("1 cr once per record", Context::gap_price),
    ContextCommand::new(
        "gaps.save",
        &["b"],
        "save",
        "save the record to the book, for everyone; undo does not remove it",
        Scope::Gaps,
        Context::save_gap,
    )
    .with_immediate_write(),
    ContextCommand::new(
        "gaps.annotate",
        &["a"],
        "annotate",
        "annotate the record",
        Scope::Gaps,
        Context::annotate_gap,
    )
    .with_write(),
];
