//! The keys that every list in a dialog has: in one set for lists and pages, in another where
//! letters are text that filters the list.

use crate::app::Context;
use crate::app::action::Action;
use crate::app::command::{Scope, shared};
use crate::app::pane_command::ContextCommand;

/// Lines of a page.
pub(super) const PAGE: isize = 10;

/// In the order of help.
pub const COMMANDS: &[ContextCommand] = &[
    ContextCommand::at("dialog.down", &shared::DOWN, Scope::DialogList, |cx| {
        move_selection(cx, 1)
    })
    .with_keys(&["Down", "j", "Tab"]),
    ContextCommand::at("dialog.up", &shared::UP, Scope::DialogList, |cx| {
        move_selection(cx, -1)
    })
    .with_keys(&["Up", "k", "Shift-Tab"]),
    ContextCommand::at(
        "dialog.page.down",
        &shared::PAGE_DOWN,
        Scope::DialogList,
        |cx| move_selection(cx, PAGE),
    )
    .with_keys(&["PgDn"]),
    ContextCommand::at(
        "dialog.page.up",
        &shared::PAGE_UP,
        Scope::DialogList,
        |cx| move_selection(cx, -PAGE),
    )
    .with_keys(&["PgUp"]),
    ContextCommand::at("dialog.first", &shared::FIRST, Scope::DialogList, |cx| {
        move_selection(cx, isize::MIN)
    })
    .with_keys(&["Home"]),
    ContextCommand::at("dialog.last", &shared::LAST, Scope::DialogList, |cx| {
        move_selection(cx, isize::MAX)
    })
    .with_keys(&["End", "G"]),
    ContextCommand::at("dialog.close", &shared::BACK, Scope::DialogList, |cx| {
        if cx.dialog_has_keys() {
            cx.perform(Action::GoBack);
        } else {
            cx.close_overlay();
        }
    })
    .with_keys(&["Esc", "q"]),
    ContextCommand::at("entries.down", &shared::DOWN, Scope::FilteredList, |cx| {
        move_selection(cx, 1)
    })
    .with_keys(&["Down", "Ctrl-n", "Tab"]),
    ContextCommand::at("entries.up", &shared::UP, Scope::FilteredList, |cx| {
        move_selection(cx, -1)
    })
    .with_keys(&["Up", "Ctrl-p", "Shift-Tab"]),
    ContextCommand::at(
        "entries.page.down",
        &shared::PAGE_DOWN,
        Scope::FilteredList,
        |cx| move_selection(cx, PAGE),
    )
    .with_keys(&["PgDn"]),
    ContextCommand::at(
        "entries.page.up",
        &shared::PAGE_UP,
        Scope::FilteredList,
        |cx| move_selection(cx, -PAGE),
    )
    .with_keys(&["PgUp"]),
    ContextCommand::at(
        "entries.close",
        &shared::BACK,
        Scope::FilteredList,
        Context::close_overlay,
    ),
];

pub(super) fn move_selection(cx: &mut Context, lines: isize) {
    let frame = cx.layout().frame;
    match &mut cx.overlay {
        Some(overlay) => overlay.move_selection(lines, frame),
        None => cx.perform(Action::MoveCursor(lines)),
    }
}
