//! The keys of the queue's filter form.

use crate::app::Context;
use crate::app::command::shared;
use crate::app::overlay::Overlay;
use crate::app::overlay::filter_form::FilterForm;
use crate::app::overlay::palette::verbs::parse_filter;
use crate::app::pane_command::ContextCommand;
use crate::domain::row_columns::find_column;

type Row = ContextCommand;

/// In the order of help.
pub const COMMANDS: &[Row] = &[
    Row::at("filter.apply", &shared::ACCEPT, apply),
    Row::at("filter.next", &shared::DOWN, |cx| {
        update(cx, |form| form.step(true));
    })
    .with_keys(&["Tab", "Down"])
    .with_description("go to the next field"),
    Row::at("filter.previous", &shared::UP, |cx| {
        update(cx, |form| form.step(false));
    })
    .with_keys(&["Shift-Tab", "Up"]),
    Row::at("filter.city.next", &shared::COMPLETE, |cx| {
        complete_city(cx, true)
    })
    .with_keys(&["Ctrl-n"]),
    Row::at("filter.city.previous", &shared::COMPLETE_BACK, |cx| {
        complete_city(cx, false);
    })
    .with_keys(&["Ctrl-p"]),
    Row::at("filter.cancel", &shared::BACK, Context::close_overlay),
];

pub const OPTION_COMMANDS: &[Row] = &[
    Row::at("filter.toggle", &shared::MARK, |cx| {
        update(cx, FilterForm::toggle_option);
    })
    .with_description("select the option, or not"),
    Row::at("filter.option.next", &shared::DOWN, |cx| {
        update(cx, |form| form.step(true));
    })
    .with_keys(&["j"]),
    Row::at("filter.option.previous", &shared::UP, |cx| {
        update(cx, |form| form.step(false));
    })
    .with_keys(&["k"]),
];

fn update(cx: &mut Context, change: impl FnOnce(&mut FilterForm)) {
    if let Some(Overlay::Filter(form)) = &mut cx.ui.overlay {
        change(form);
    }
}

fn complete_city(cx: &mut Context, is_forward: bool) {
    let cities = find_column("city").map(|column| cx.queue.text_values(column));
    let mut is_completed = false;
    update(cx, |form| {
        is_completed = form.complete_city(is_forward, cities.into_iter().flatten())
    });
    if !is_completed {
        cx.ui.inform("nothing to complete");
    }
}

/// Filters the queue, with the option whose word was typed. If there is none, the form stays.
fn apply(cx: &mut Context) {
    let Some(Overlay::Filter(mut form)) = cx.ui.overlay.take() else {
        return;
    };
    if let Err(why) = form.select_typed() {
        cx.ui.warn(why);
        cx.ui.overlay = Some(Overlay::Filter(form));
        return;
    }
    let mut filter = form.to_filter();
    // A priority or a type typed as a city is what it is; “Park City” and “High Point” are cities.
    let typed = parse_filter(&filter.city);
    if typed.city.is_empty() && typed.q.is_empty() {
        filter.city.clear();
        filter.priority.extend(typed.priority);
        filter.signal_type.extend(typed.signal_type);
    }
    cx.filter_queue(filter);
}
