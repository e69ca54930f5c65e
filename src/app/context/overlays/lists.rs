//! The keys that every list in a dialog has: in one set for lists and pages, in another where
//! letters are text that filters the list.

use crate::app::Context;
use crate::app::action::Action;
use crate::app::command::shared;
use crate::app::pane_command::ContextCommand;

/// Lines of a page.
pub(super) const PAGE: isize = 10;

type Row = ContextCommand;

/// In the order of help.
pub const COMMANDS: &[Row] = &[
    Row::at("dialog.down", &shared::DOWN, |cx| move_selection(cx, 1))
        .with_keys(&["Down", "j", "Tab"]),
    Row::at("dialog.up", &shared::UP, |cx| move_selection(cx, -1)).with_keys(&[
        "Up",
        "k",
        "Shift-Tab",
    ]),
    Row::at("dialog.page.down", &shared::PAGE_DOWN, |cx| {
        move_selection(cx, PAGE)
    })
    .with_keys(&["PgDn"]),
    Row::at("dialog.page.up", &shared::PAGE_UP, |cx| {
        move_selection(cx, -PAGE)
    })
    .with_keys(&["PgUp"]),
    Row::at("dialog.first", &shared::FIRST, |cx| {
        move_selection(cx, isize::MIN)
    })
    .with_keys(&["Home"]),
    Row::at("dialog.last", &shared::LAST, |cx| {
        move_selection(cx, isize::MAX)
    })
    .with_keys(&["End", "G"]),
    Row::at("dialog.close", &shared::BACK, |cx| {
        if cx.ui.dialog_has_keys() {
            cx.work.perform(Action::GoBack);
        } else {
            cx.close_overlay();
        }
    })
    .with_keys(&["Esc", "q"]),
];

pub const FILTERED_COMMANDS: &[Row] = &[
    Row::at("entries.down", &shared::DOWN, |cx| move_selection(cx, 1))
        .with_keys(&["Down", "Ctrl-n", "Tab"]),
    Row::at("entries.up", &shared::UP, |cx| move_selection(cx, -1)).with_keys(&[
        "Up",
        "Ctrl-p",
        "Shift-Tab",
    ]),
    Row::at("entries.page.down", &shared::PAGE_DOWN, |cx| {
        move_selection(cx, PAGE)
    })
    .with_keys(&["PgDn"]),
    Row::at("entries.page.up", &shared::PAGE_UP, |cx| {
        move_selection(cx, -PAGE)
    })
    .with_keys(&["PgUp"]),
    Row::at("entries.close", &shared::BACK, Context::close_overlay),
];

pub(super) fn move_selection(cx: &mut Context, lines: isize) {
    let frame = cx.frame.layout().frame;
    match &mut cx.ui.overlay {
        Some(overlay) => overlay.move_selection(lines, frame),
        None => cx.work.perform(Action::MoveCursor(lines)),
    }
}
