//! The keys of the column chooser.

use crate::app::Context;
use crate::app::command::Scope;
use crate::app::command::row::ContextCommand;
use crate::app::overlay::Overlay;
use crate::app::overlay::column_list::ColumnList;

/// In the order of help.
pub const COMMANDS: &[ContextCommand] = &[
    ContextCommand::new("columns.apply", &["Enter"], "apply", "show these columns in this order", Scope::ColumnChooser, apply),
    ContextCommand::new(
        "columns.toggle",
        &["Space", "x"],
        "show or hide",
        "show or hide the column",
        Scope::ColumnChooser,
        |app| {
            update(app, ColumnList::toggle);
        },
    ),
    ContextCommand::new("columns.move.down", &["J", "Shift-Down"], "move", "move the column down", Scope::ColumnChooser, |app| {
        update(app, |list| list.move_column(list.cursor + 1));
    }),
    ContextCommand::new("columns.move.up", &["K", "Shift-Up"], "move", "move the column up", Scope::ColumnChooser, |app| {
        update(app, |list| list.move_column(list.cursor.saturating_sub(1)));
    }),
    ContextCommand::new("columns.reset", &["u"], "reset", "go back to the usual columns", Scope::ColumnChooser, |app| {
        update(app, ColumnList::reset);
    }),
    ContextCommand::new("columns.down", &["Down", "j", "Tab"], "down", "go to the next column", Scope::ColumnChooser, |app| {
        update(app, |list| list.cursor = (list.cursor + 1).min(list.last()));
    }),
    ContextCommand::new(
        "columns.up",
        &["Up", "k", "Shift-Tab"],
        "up",
        "go to the previous column",
        Scope::ColumnChooser,
        |app| {
            update(app, |list| list.cursor = list.cursor.saturating_sub(1));
        },
    ),
    ContextCommand::new("columns.first", &["Home"], "first", "go to the first column", Scope::ColumnChooser, |app| {
        update(app, |list| list.cursor = 0);
    }),
    ContextCommand::new("columns.last", &["End", "G"], "last", "go to the last column", Scope::ColumnChooser, |app| {
        update(app, |list| list.cursor = list.last());
    }),
    ContextCommand::new(
        "columns.cancel",
        &["Esc", "q"],
        "cancel",
        "close and change nothing",
        Scope::ColumnChooser,
        Context::close_overlay,
    ),
];

fn update(app: &mut Context, change: impl FnOnce(&mut ColumnList)) {
    if let Some(Overlay::Columns(list)) = &mut app.overlay {
        change(list);
    }
}

fn apply(app: &mut Context) {
    let Some(Overlay::Columns(list)) = &app.overlay else { return };
    let (source, fields) = (list.source.clone(), list.shown_fields());
    if !fields.is_empty() {
        app.close_overlay();
        app.set_record_columns(&source, &fields);
    }
}
