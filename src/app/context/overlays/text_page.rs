//! The keys of a page of text.

use super::lists::{PAGE, move_selection};
use crate::app::Context;
use crate::app::command::{Availability, shared};
use crate::app::context::handoff;
use crate::app::overlay::Overlay;
use crate::app::overlay::text_page::TextPage;
use crate::app::pane_command::ContextCommand;

type Row = ContextCommand;

/// In the order of help.
pub const COMMANDS: &[Row] = &[
    Row::at("page.copy", &shared::COPY, Context::copy_page)
        .with_description("copy the text as Markdown"),
    Row::new(
        "page.save",
        &["w"],
        "save",
        "save the text as a Markdown file here",
        |cx| handoff::save_page(&cx.ui, &mut cx.work),
    ),
    Row::new(
        "page.team",
        &["t"],
        "team",
        "handoff: with what the team marked done, or only mine",
        Context::toggle_handoff_team,
    )
    .available_when(is_handoff),
    Row::new(
        "page.week",
        &["d"],
        "day or week",
        "handoff: since Monday, or the last 24 hours",
        Context::toggle_handoff_week,
    )
    .available_when(is_handoff),
    Row::at("page.more", &shared::PAGE_DOWN, |cx| {
        move_selection(cx, PAGE)
    })
    .with_keys(&["Space"]),
    Row::at("page.close", &shared::BACK, Context::close_overlay).with_keys(&["Enter"]),
];

fn is_handoff(cx: &Context) -> Availability {
    match &cx.ui.overlay {
        Some(Overlay::Page(TextPage {
            handoff: Some(_), ..
        })) => Ok(()),
        _ => Err("this text is not a handoff".into()),
    }
}
