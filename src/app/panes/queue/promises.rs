//! Promises on the Today tab: their keys, and how they are drawn.

use crate::app::Context;
use crate::app::action::Action;
use crate::app::command::shared;
use crate::app::context::snooze::describe_return;
use crate::app::effect::RecordKey;
use crate::app::model::promises::PromiseRow;
use crate::app::pane_command::ContextCommand;
use crate::app::price::Price;
use crate::domain::promises::Closing;
use crate::domain::snooze::Snooze;
use crate::ui::{TextRole, TextSpan, Theme, text_span};

type Row = ContextCommand;

/// In the order of help.
pub(in crate::app) const COMMANDS: &[Row] = &[
    Row::at("promise.open", &shared::OPEN, open_promise)
        .with_description("open the record")
        .with_hint(3)
        .with_price("1 cr once per record", open_price),
    Row::at("promise.keep", &shared::DONE, |cx| {
        cx.end_promise(Closing::Kept)
    })
    .with_description("it is done: the note says so, for everyone")
    .with_hint(1)
    .with_price("1 cr", promise_write_price)
    .with_immediate_write(),
    Row::at("promise.move", &shared::SNOOZE, Context::ask_new_day)
        .with_title("move")
        .with_description("move it to another day")
        .with_hint(2)
        .with_write()
        .with_price("1 cr", promise_write_price),
    Row::at("promise.drop", &shared::DELETE, |cx| {
        cx.end_promise(Closing::Dropped)
    })
    .with_title("drop")
    .with_description("nothing comes of it: the note says so")
    .with_hint(4)
    .with_price("1 cr", promise_write_price)
    .with_immediate_write(),
];

fn open_promise(cx: &mut Context) {
    if let Some(row) = cx.queue.current_tab().current_promise() {
        let key = RecordKey::for_book(&row.kind, row.id);
        let open = Action::OpenRecord(key, row.name.clone());
        cx.work.perform(open);
    }
}

fn open_price(cx: &Context) -> Price {
    let row = cx.queue.current_tab().current_promise();
    row.map_or(Price::Free, |row| {
        let key = RecordKey::for_book(&row.kind, row.id);
        cx.records.record_price(key)
    })
}

/// The record is read right before its note is written.
fn promise_write_price(_: &Context) -> Price {
    Price::Credits(1)
}

/// `12 days late`, `today 09:30`.
const DUE_CELLS: usize = 13;

/// A promise on a line of the list: when it is due, what it is, and for which record.
pub(super) fn promise_line(
    row: &PromiseRow,
    is_current: bool,
    theme: &Theme,
) -> Vec<TextSpan<'static>> {
    let glyphs = theme.glyphs();
    let due = match row.is_due {
        true => TextRole::Warning,
        false => TextRole::Muted,
    };
    let by = row.promise.by.as_deref();
    let by = by.map_or_else(String::new, |by| format!(" {} {by}", glyphs.separator));
    vec![
        glyphs.cursor_span(is_current),
        text_span(due, format!("  {:<DUE_CELLS$} ", row.due_text)),
        text_span(TextRole::Strong, row.promise.text.clone()),
        text_span(TextRole::Text, format!("   {}", row.name)),
        text_span(TextRole::Muted, by),
    ]
}

/// A snoozed signal on a line of the Today tab: when it is due, why it was put off, and what it is.
pub(super) fn snooze_line(
    cx: &Context,
    snooze: &Snooze,
    is_current: bool,
    is_marked: bool,
) -> Vec<TextSpan<'static>> {
    let glyphs = cx.settings.theme.glyphs();
    let signal = &snooze.row.signal;
    let due = match cx.queue.snoozes.has_returned(signal.id) {
        true => TextRole::Warning,
        false => TextRole::Muted,
    };
    let mark = if is_marked { glyphs.marked } else { " " };
    let work = cx.queue.facts.description(signal).map(str::to_owned);
    let work = work.unwrap_or_else(|| signal.type_label());
    let reason = snooze.reason.clone().map(|reason| format!("{reason}   "));
    vec![
        glyphs.cursor_span(is_current),
        text_span(TextRole::Marked, format!("{mark} ")),
        text_span(
            due,
            format!("{:<DUE_CELLS$} ", describe_return(snooze, &cx.clock)),
        ),
        text_span(TextRole::Strong, reason.unwrap_or_default()),
        text_span(TextRole::Text, signal.project_label().to_owned()),
        text_span(TextRole::Muted, format!("   {work}")),
    ]
}
