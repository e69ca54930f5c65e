//! The keys that every list in a dialog has: in one set for lists and pages, in another where
//! letters are text that filters the list.

use crate::app::Context;
use crate::app::action::Action;
use crate::app::command::Scope;
use crate::app::pane_command::ContextCommand;

/// Lines of a page.
pub(super) const PAGE: isize = 10;

/// In the order of help.
pub const COMMANDS: &[ContextCommand] = &[
    ContextCommand::new(
        "dialog.down",
        &["Down", "j", "Tab"],
        "down",
        "go down",
        Scope::DialogList,
        |cx| move_selection(cx, 1),
    ),
    ContextCommand::new(
        "dialog.up",
        &["Up", "k", "Shift-Tab"],
        "up",
        "go up",
        Scope::DialogList,
        |cx| move_selection(cx, -1),
    ),
    ContextCommand::new(
        "dialog.page.down",
        &["PgDn"],
        "page down",
        "go ten lines down",
        Scope::DialogList,
        |cx| move_selection(cx, PAGE),
    ),
    ContextCommand::new(
        "dialog.page.up",
        &["PgUp"],
        "page up",
        "go ten lines up",
        Scope::DialogList,
        |cx| move_selection(cx, -PAGE),
    ),
    ContextCommand::new(
        "dialog.first",
        &["Home"],
        "first",
        "go to the first line",
        Scope::DialogList,
        |cx| move_selection(cx, isize::MIN),
    ),
    ContextCommand::new(
        "dialog.last",
        &["End", "G"],
        "last",
        "go to the last line",
        Scope::DialogList,
        |cx| move_selection(cx, isize::MAX),
    ),
    ContextCommand::new(
        "dialog.close",
        &["Esc", "q"],
        "close",
        "close and do nothing",
        Scope::DialogList,
        |cx| {
            if cx.dialog_has_keys() {
                cx.perform(Action::GoBack);
            } else {
                cx.close_overlay();
            }
        },
    ),
    ContextCommand::new(
        "entries.down",
        &["Down", "Ctrl-n", "Tab"],
        "down",
        "go to the next entry",
        Scope::FilteredList,
        |cx| move_selection(cx, 1),
    ),
    ContextCommand::new(
        "entries.up",
        &["Up", "Ctrl-p", "Shift-Tab"],
        "up",
        "go to the previous entry",
        Scope::FilteredList,
        |cx| move_selection(cx, -1),
    ),
    ContextCommand::new(
        "entries.page.down",
        &["PgDn"],
        "page down",
        "go ten entries down",
        Scope::FilteredList,
        |cx| move_selection(cx, PAGE),
    ),
    ContextCommand::new(
        "entries.page.up",
        &["PgUp"],
        "page up",
        "go ten entries up",
        Scope::FilteredList,
        |cx| move_selection(cx, -PAGE),
    ),
    ContextCommand::new(
        "entries.close",
        &["Esc"],
        "close",
        "close and do nothing",
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
