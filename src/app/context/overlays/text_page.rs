//! The keys of a page of text.

use crate::app::Context;
use crate::app::command::{Availability, Scope};
use crate::app::overlay::Overlay;
use crate::app::overlay::text_page::TextPage;
use crate::app::pane_command::ContextCommand;

/// In the order of help.
pub const COMMANDS: &[ContextCommand] = &[
    ContextCommand::new(
        "page.copy",
        &["y"],
        "copy",
        "copy the text as Markdown",
        Scope::TextPage,
        Context::copy_page,
    ),
    ContextCommand::new(
        "page.save",
        &["w"],
        "save",
        "save the text as a Markdown file here",
        Scope::TextPage,
        Context::save_page,
    ),
    ContextCommand::new(
        "page.team",
        &["t"],
        "team",
        "handoff: with what the team marked done, or only mine",
        Scope::TextPage,
        Context::toggle_handoff_team,
    )
    .available_when(is_handoff),
    ContextCommand::new(
        "page.week",
        &["d"],
        "day or week",
        "handoff: since Monday, or the last 24 hours",
        Scope::TextPage,
        Context::toggle_handoff_week,
    )
    .available_when(is_handoff),
    ContextCommand::new(
        "page.down",
        &["Down", "j"],
        "down",
        "scroll a line down",
        Scope::TextPage,
        |cx| scroll(cx, 1),
    ),
    ContextCommand::new(
        "page.up",
        &["Up", "k"],
        "up",
        "scroll a line up",
        Scope::TextPage,
        |cx| scroll(cx, -1),
    ),
    ContextCommand::new(
        "page.more",
        &["PgDn", "Space"],
        "page down",
        "scroll ten lines down",
        Scope::TextPage,
        |cx| {
            scroll(cx, 10);
        },
    ),
    ContextCommand::new(
        "page.less",
        &["PgUp"],
        "page up",
        "scroll ten lines up",
        Scope::TextPage,
        |cx| scroll(cx, -10),
    ),
    ContextCommand::new(
        "page.first",
        &["Home"],
        "first",
        "go to the first line",
        Scope::TextPage,
        |cx| scroll(cx, isize::MIN),
    ),
    ContextCommand::new(
        "page.last",
        &["End", "G"],
        "last",
        "go to the last line",
        Scope::TextPage,
        |cx| scroll(cx, isize::MAX),
    ),
    ContextCommand::new(
        "page.close",
        &["Esc", "q"],
        "close",
        "close the text",
        Scope::TextPage,
        Context::close_overlay,
    ),
];

fn is_handoff(cx: &Context) -> Availability {
    match &cx.overlay {
        Some(Overlay::Page(TextPage {
            handoff: Some(_), ..
        })) => Ok(()),
        _ => Err("this text is not a handoff".into()),
    }
}

fn scroll(cx: &mut Context, rows: isize) {
    let frame = cx.layout().frame;
    if let Some(Overlay::Page(page)) = &mut cx.overlay {
        page.scroll_by(rows, frame);
    }
}
