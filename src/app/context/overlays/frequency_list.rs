//! The keys of the frequency table.

use crate::app::Context;
use crate::app::action::Action;
use crate::app::command::{require, shared};
use crate::app::overlay::frequency_list::FrequencyList;
use crate::app::pane_command::ContextCommand;

type Row = ContextCommand;

/// In the order of help.
pub const COMMANDS: &[Row] = &[
    Row::at("frequency.filter", &shared::ACCEPT, filter)
        .with_words(
            "filter",
            "show only the loaded rows with this value, or with the marked ones, free",
        )
        .available_when(|cx| cx.ui.focus.has_rows()),
    Row::new(
        "frequency.next",
        &["Right", "l", "Tab"],
        "next column",
        "count the values of the next column",
        |cx| show_neighbor(cx, true),
    ),
    Row::new(
        "frequency.previous",
        &["Left", "h", "Shift-Tab"],
        "previous column",
        "count the values of the previous column",
        |cx| show_neighbor(cx, false),
    ),
    Row::new(
        "frequency.marked",
        &["m"],
        "marked rows",
        "count only the marked rows of the list, or all again",
        |cx| {
            if let Some((key, is_of_marked)) = cx
                .ui
                .frequency_list()
                .map(|list| (list.column.key, list.is_of_marked))
            {
                cx.work.perform(Action::ShowFrequency {
                    column: key.to_owned(),
                    is_of_marked: !is_of_marked,
                });
            }
        },
    )
    .available_when(|cx| {
        require(
            cx.ui
                .frequency_list()
                .is_some_and(|list| list.marked_rows > 0),
            "no row of the list is marked",
        )
    }),
];

fn filter(cx: &mut Context) {
    let filter = cx
        .ui
        .frequency_list()
        .and_then(FrequencyList::chosen_filter);
    if let Some(filter) = filter {
        cx.ui.close_frequency_list();
        cx.work.perform(Action::FilterValues(Box::new(filter)));
    }
}

fn show_neighbor(cx: &mut Context, is_next: bool) {
    let Some(list) = cx.ui.frequency_list() else {
        return;
    };
    if let Some(column) = list.neighbor(is_next) {
        let is_of_marked = list.is_of_marked;
        cx.work.perform(Action::ShowFrequency {
            column: column.to_owned(),
            is_of_marked,
        });
    }
}
