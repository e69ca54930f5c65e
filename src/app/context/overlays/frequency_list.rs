//! The keys of the frequency table.

use crate::app::Context;
use crate::app::action::Action;
use crate::app::command::{Availability, Scope};
use crate::app::overlay::Overlay;
use crate::app::overlay::frequency_list::FrequencyList;
use crate::app::pane_command::ContextCommand;

/// In the order of help.
pub const COMMANDS: &[ContextCommand] = &[
    ContextCommand::new(
        "frequency.filter",
        &["Enter"],
        "filter",
        "show only the loaded rows with this value, or with the marked ones, free",
        Scope::Frequency,
        filter,
    )
    .available_when(has_line),
    ContextCommand::new(
        "frequency.mark",
        &["Space", "x"],
        "mark",
        "mark the value and move down",
        Scope::Frequency,
        |cx| {
            update(cx, FrequencyList::toggle_mark);
        },
    )
    .available_when(has_line),
    ContextCommand::new(
        "frequency.group",
        &["T"],
        "group",
        "group the list by this column, free",
        Scope::Frequency,
        |cx| {
            if let Some(key) = shown(cx).map(|list| list.column.key) {
                cx.close_overlay();
                cx.perform(Action::GroupList(Some(key)));
            }
        },
    ),
    ContextCommand::new(
        "frequency.next",
        &["Right", "l", "Tab"],
        "next column",
        "count the values of the next column",
        Scope::Frequency,
        |cx| show_neighbor(cx, true),
    ),
    ContextCommand::new(
        "frequency.previous",
        &["Left", "h", "Shift-Tab"],
        "previous column",
        "count the values of the previous column",
        Scope::Frequency,
        |cx| show_neighbor(cx, false),
    ),
    ContextCommand::new(
        "frequency.column",
        &["t", "/"],
        "column",
        "choose the column by its name",
        Scope::Frequency,
        |cx| {
            cx.perform(Action::ChooseFrequencyColumn);
        },
    ),
    ContextCommand::new(
        "frequency.order",
        &["s"],
        "order",
        "sort the values: by count, by value, by sum",
        Scope::Frequency,
        |cx| update(cx, FrequencyList::change_order),
    ),
    ContextCommand::new(
        "frequency.marked",
        &["m"],
        "marked rows",
        "count only the marked rows of the list, or all again",
        Scope::Frequency,
        |cx| {
            if let Some((key, is_of_marked)) =
                shown(cx).map(|list| (list.column.key, list.is_of_marked))
            {
                cx.perform(Action::ShowFrequency {
                    column: key.to_owned(),
                    is_of_marked: !is_of_marked,
                });
            }
        },
    )
    .available_when(|cx| match shown(cx) {
        Some(list) if list.marked_rows > 0 => Ok(()),
        _ => Err("no row of the list is marked".into()),
    }),
    ContextCommand::new(
        "frequency.copy",
        &["y"],
        "copy",
        "copy the table as Markdown",
        Scope::Frequency,
        |cx| {
            let text = shown(cx).map(FrequencyList::to_markdown);
            cx.copy_to_clipboard("table", text);
        },
    ),
];

fn shown(cx: &Context) -> Option<&FrequencyList> {
    if let Some(Overlay::Frequency(list)) = &cx.overlay {
        Some(list)
    } else {
        None
    }
}

fn has_line(cx: &Context) -> Availability {
    if shown(cx).is_some_and(|list| !list.table.lines.is_empty()) {
        Ok(())
    } else {
        Err("no row has a value here".into())
    }
}

fn update(cx: &mut Context, change: impl FnOnce(&mut FrequencyList)) {
    if let Some(Overlay::Frequency(list)) = &mut cx.overlay {
        change(list);
    }
}

fn filter(cx: &mut Context) {
    if let Some(filter) = shown(cx).and_then(FrequencyList::chosen_filter) {
        cx.close_overlay();
        cx.perform(Action::FilterValues(Box::new(filter)));
    }
}

fn show_neighbor(cx: &mut Context, is_next: bool) {
    let Some(list) = shown(cx) else { return };
    if let Some(column) = list.neighbor(is_next) {
        let is_of_marked = list.is_of_marked;
        cx.perform(Action::ShowFrequency {
            column: column.to_owned(),
            is_of_marked,
        });
    }
}
