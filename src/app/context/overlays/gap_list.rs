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
        "save the marked records, or the current one, to the book, for everyone; undo does not remove them",
        Scope::Gaps,
        Context::save_gaps,
    )
    .with_immediate_write(),
    ContextCommand::new(
        "gaps.annotate",
        &["a"],
        "annotate",
        "annotate the marked records, or the current one",
        Scope::Gaps,
        Context::annotate_gaps,
    )
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
