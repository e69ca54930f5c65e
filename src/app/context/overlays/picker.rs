//! The keys of a picker.

use crate::app::Context;
use crate::app::command::{Scope, shared};
use crate::app::overlay::Overlay;
use crate::app::overlay::picker::Picker;
use crate::app::pane_command::ContextCommand;

/// In the order of help.
pub const COMMANDS: &[ContextCommand] = &[
    ContextCommand::at("picker.accept", &shared::ACCEPT, Scope::Picker, accept)
        .with_words("select", "take the marked entries, or the current one"),
    ContextCommand::at("picker.mark", &shared::MARK, Scope::MultiPicker, |cx| {
        update(cx, Picker::toggle_mark);
    })
    .with_keys(&["Tab", "Space"])
    .with_description("mark or unmark the entry"),
    ContextCommand::new(
        "picker.mark.all",
        &["Ctrl-a"],
        "mark none or all",
        "unmark all entries shown, or mark them if none is marked",
        Scope::MultiPicker,
        |cx| update(cx, Picker::toggle_all_marks),
    ),
];

fn update(cx: &mut Context, change: impl FnOnce(&mut Picker)) {
    if let Some(Overlay::Picker(picker)) = &mut cx.overlay {
        change(picker);
    }
}

fn accept(cx: &mut Context) {
    if let Some(Overlay::Picker(picker)) = &cx.overlay
        && let Some(action) = picker.chosen_action()
    {
        cx.close_overlay();
        cx.perform(action);
    }
}
