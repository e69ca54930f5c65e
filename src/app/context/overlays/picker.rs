//! The keys of a picker.

use crate::app::Context;
use crate::app::command::Scope;
use crate::app::command::row::ContextCommand;
use crate::app::overlay::Overlay;
use crate::app::overlay::picker::Picker;

/// In the order of help.
pub const COMMANDS: &[ContextCommand] = &[
    ContextCommand::new(
        "picker.accept",
        &["Enter"],
        "select",
        "take the marked entries, or the current one",
        Scope::Picker,
        accept,
    ),
    ContextCommand::new("picker.down", &["Down", "Ctrl-n", "Tab"], "down", "go to the next entry", Scope::Picker, |app| {
        update(app, |picker| picker.step(1));
    }),
    ContextCommand::new("picker.up", &["Up", "Ctrl-p", "Shift-Tab"], "up", "go to the previous entry", Scope::Picker, |app| {
        update(app, |picker| picker.step(-1));
    }),
    ContextCommand::new("picker.page.down", &["PgDn"], "page down", "go ten entries down", Scope::Picker, |app| {
        update(app, |picker| picker.step(10));
    }),
    ContextCommand::new("picker.page.up", &["PgUp"], "page up", "go ten entries up", Scope::Picker, |app| {
        update(app, |picker| picker.step(-10));
    }),
    ContextCommand::new("picker.cancel", &["Esc"], "cancel", "close and take nothing", Scope::Picker, Context::close_overlay),
    ContextCommand::new("picker.mark", &["Space"], "mark", "mark or unmark the entry", Scope::MultiPicker, |app| {
        update(app, Picker::toggle_mark);
    }),
];

fn update(app: &mut Context, change: impl FnOnce(&mut Picker)) {
    if let Some(Overlay::Picker(picker)) = &mut app.overlay {
        change(picker);
    }
}

fn accept(app: &mut Context) {
    if let Some(Overlay::Picker(picker)) = &app.overlay
        && let Some(action) = picker.chosen_action()
    {
        app.close_overlay();
        app.perform(action);
    }
}
