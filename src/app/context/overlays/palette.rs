//! The keys of the palette and of help.

use crate::app::Context;
use crate::app::action::Action;
use crate::app::command::Scope;
use crate::app::overlay::Overlay;
use crate::app::overlay::palette::CommandPalette;
use crate::app::pane_command::ContextCommand;

/// In the order of help.
pub const COMMANDS: &[ContextCommand] = &[
    ContextCommand::new("palette.run", &["Enter"], "run", "run the selected command", Scope::Palette, run_selected),
    ContextCommand::new("palette.down", &["Down", "Ctrl-n", "Tab"], "down", "go to the next command", Scope::Palette, |cx| {
        update(cx, |palette| palette.move_selection(1));
    }),
    ContextCommand::new("palette.up", &["Up", "Ctrl-p", "Shift-Tab"], "up", "go to the previous command", Scope::Palette, |cx| {
        update(cx, |palette| palette.move_selection(-1));
    }),
    ContextCommand::new("palette.page.down", &["PgDn"], "page down", "go ten commands down", Scope::Palette, |cx| {
        update(cx, |palette| palette.move_selection(10));
    }),
    ContextCommand::new("palette.page.up", &["PgUp"], "page up", "go ten commands up", Scope::Palette, |cx| {
        update(cx, |palette| palette.move_selection(-10));
    }),
    ContextCommand::new("palette.close", &["Esc"], "close", "close the palette or help", Scope::Palette, Context::close_overlay),
];

fn update(cx: &mut Context, change: impl FnOnce(&mut CommandPalette)) {
    if let Some(Overlay::Palette(palette)) = &mut cx.overlay {
        change(palette);
    }
}

fn run_selected(cx: &mut Context) {
    if let Some(Overlay::Palette(palette)) = &cx.overlay
        && let Some(found) = palette.selected_match().filter(|found| found.works_here)
    {
        cx.perform(Action::RunFromPalette(found.command));
    }
}
