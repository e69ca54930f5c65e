//! The keys of a picker.

use crate::app::Context;
use crate::app::command::{Scope, shared};
use crate::app::overlay::Overlay;
use crate::app::overlay::picker::Picker;
use crate::app::pane_command::ContextCommand;

type Row = ContextCommand;

/// In the order of help.
pub const COMMANDS: &[Row] = &[
    Row::at("picker.accept", &shared::ACCEPT, accept)
        .with_words("select", "take the marked entries, or the current one"),
    Row::at("picker.mark", &shared::MARK, |cx| {
        update(cx, Picker::toggle_mark);
    })
    .in_scope(Scope::MultiPicker)
    .with_keys(&["Tab", "Space"])
    .with_description("mark or unmark the entry"),
    Row::new(
        "picker.mark.all",
        &["Ctrl-a"],
        "mark none or all",
        "unmark all entries shown, or mark them if none is marked",
        |cx| update(cx, Picker::toggle_all_marks),
    )
    .in_scope(Scope::MultiPicker),
];

fn update(cx: &mut Context, change: impl FnOnce(&mut Picker)) {
    if let Some(Overlay::Picker(picker)) = &mut cx.ui.overlay {
        change(picker);
    }
}

fn accept(cx: &mut Context) {
    if let Some(Overlay::Picker(picker)) = &cx.ui.overlay
        && let Some(action) = picker.chosen_action()
    {
        cx.close_overlay();
        cx.work.perform(action);
    }
}
