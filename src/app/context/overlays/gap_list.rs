//! The keys of the list of coverage gaps.

use crate::app::Context;
use crate::app::command::Scope;
use crate::app::overlay::Overlay;
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
    ContextCommand::new(
        "gaps.down",
        &["Down", "j"],
        "down",
        "go to the next gap",
        Scope::Gaps,
        |cx| step(cx, 1),
    ),
    ContextCommand::new(
        "gaps.up",
        &["Up", "k"],
        "up",
        "go to the previous gap",
        Scope::Gaps,
        |cx| step(cx, -1),
    ),
    ContextCommand::new(
        "gaps.page.down",
        &["PgDn"],
        "page down",
        "go ten gaps down",
        Scope::Gaps,
        |cx| step(cx, 10),
    ),
    ContextCommand::new(
        "gaps.page.up",
        &["PgUp"],
        "page up",
        "go ten gaps up",
        Scope::Gaps,
        |cx| step(cx, -10),
    ),
    ContextCommand::new(
        "gaps.close",
        &["Esc", "q"],
        "close",
        "close the list",
        Scope::Gaps,
        Context::close_overlay,
    ),
];

fn step(cx: &mut Context, rows: isize) {
    if let Some(Overlay::Gaps(list)) = &mut cx.overlay {
        list.step(rows);
    }
}
