//! The keys of the column chooser.

use crate::app::Context;
use crate::app::command::shared;
use crate::app::context::outbox::undo;
use crate::app::notice::Notice;
use crate::app::overlay::Overlay;
use crate::app::overlay::column_list::ColumnList;
use crate::app::pane_command::ContextCommand;

type Row = ContextCommand;

/// In the order of help.
pub const COMMANDS: &[Row] = &[
    Row::at("columns.apply", &shared::ACCEPT, apply),
    Row::at("columns.toggle", &shared::MARK, |cx| {
        update(cx, ColumnList::toggle);
    })
    .with_words("show or hide", "show or hide the column"),
    Row::new(
        "columns.move.down",
        &["J", "Shift-Down"],
        "move",
        "move the column down",
        |cx| {
            update(cx, |list| list.move_column(list.cursor + 1));
        },
    ),
    Row::new(
        "columns.move.up",
        &["K", "Shift-Up"],
        "move",
        "move the column up",
        |cx| {
            update(cx, |list| list.move_column(list.cursor.saturating_sub(1)));
        },
    ),
    Row::new(
        "columns.wider",
        &["+", "Right"],
        "wider",
        "make the column wider",
        |cx| {
            update(cx, |list| list.widen(1));
        },
    ),
    Row::new(
        "columns.narrower",
        &["-", "Left"],
        "narrower",
        "make the column narrower",
        |cx| {
            update(cx, |list| list.widen(-1));
        },
    ),
    Row::new(
        "columns.reset",
        &["u"],
        "reset",
        "go back to the usual columns",
        |cx| {
            update(cx, ColumnList::reset);
        },
    ),
];

fn update(cx: &mut Context, change: impl FnOnce(&mut ColumnList)) {
    if let Some(Overlay::Columns(list)) = &mut cx.ui.overlay {
        change(list);
    }
}

fn apply(cx: &mut Context) {
    let Some(Overlay::Columns(list)) = &cx.ui.overlay else {
        return;
    };
    if let Some(choice) = list.to_preference() {
        let preference = list.preference.clone();
        let is_wider = list.width() > cx.frame.layout().focused_rows().width;
        cx.close_overlay();
        if cx.settings.preference(&preference) != choice {
            cx.settings
                .save_preference(&preference, &choice, &mut cx.work);
            undo::note_final_act("the choice of columns".to_owned(), &mut cx.outbox);
            let hint = match is_wider {
                true => "{list.right} scrolls to those without room",
                false => "",
            };
            cx.ui.notice = Some(Notice::success("columns saved").with_hint(hint).passing());
        }
    }
}
