//! The keys of the queue's filter form.

use crate::app::Context;
use crate::app::command::Scope;
use crate::app::notice::Notice;
use crate::app::overlay::Overlay;
use crate::app::overlay::filter_form::FilterForm;
use crate::app::pane_command::ContextCommand;
use crate::domain::queue_tabs::ListSettings;
use crate::domain::row_columns::find_column;

/// In the order of help.
pub const COMMANDS: &[ContextCommand] = &[
    ContextCommand::new(
        "filter.apply",
        &["Enter"],
        "apply",
        "filter the queue",
        Scope::FilterForm,
        apply,
    ),
    ContextCommand::new(
        "filter.next",
        &["Tab", "Down"],
        "next",
        "go to the next field",
        Scope::FilterForm,
        |cx| {
            update(cx, |form| form.step(true));
        },
    ),
    ContextCommand::new(
        "filter.previous",
        &["Shift-Tab", "Up"],
        "previous",
        "go to the previous field",
        Scope::FilterForm,
        |cx| {
            update(cx, |form| form.step(false));
        },
    ),
    ContextCommand::new(
        "filter.city.next",
        &["Ctrl-n"],
        "next city",
        "complete the city from the loaded rows; again for the next one",
        Scope::FilterForm,
        |cx| complete_city(cx, true),
    ),
    ContextCommand::new(
        "filter.city.previous",
        &["Ctrl-p"],
        "previous city",
        "the city before",
        Scope::FilterForm,
        |cx| {
            complete_city(cx, false);
        },
    ),
    ContextCommand::new(
        "filter.cancel",
        &["Esc"],
        "cancel",
        "close and keep the filter as it is",
        Scope::FilterForm,
        Context::close_overlay,
    ),
    ContextCommand::new(
        "filter.toggle",
        &["Space", "x"],
        "select",
        "select or clear the option",
        Scope::FilterOptions,
        |cx| {
            update(cx, FilterForm::toggle_option);
        },
    ),
    ContextCommand::new(
        "filter.option.next",
        &["j"],
        "next",
        "go to the next option",
        Scope::FilterOptions,
        |cx| {
            update(cx, |form| form.step(true));
        },
    ),
    ContextCommand::new(
        "filter.option.previous",
        &["k"],
        "previous",
        "go to the previous option",
        Scope::FilterOptions,
        |cx| {
            update(cx, |form| form.step(false));
        },
    ),
];

fn update(cx: &mut Context, change: impl FnOnce(&mut FilterForm)) {
    if let Some(Overlay::Filter(form)) = &mut cx.overlay {
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
        cx.notice = Some(Notice::info("nothing to complete"));
    }
}

/// Filters the queue, with the option whose word was typed. If there is none, the form stays.
fn apply(cx: &mut Context) {
    let Some(Overlay::Filter(mut form)) = cx.overlay.take() else {
        return;
    };
    if let Err(why) = form.select_typed() {
        cx.notice = Some(Notice::warning(why));
        cx.overlay = Some(Overlay::Filter(form));
        return;
    }
    let settings = ListSettings {
        filter: form.to_filter(),
        ..cx.queue.list_settings()
    };
    cx.set_queue_settings(settings);
}
