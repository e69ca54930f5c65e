//! The key that opens the form for calls, and the keys of the form.

use crate::app::Context;
use crate::app::command::shared;
use crate::app::context::records;
use crate::app::effect::RecordKey;
use crate::app::overlay::Overlay;
use crate::app::pane_command::ContextCommand;
use crate::app::price::Price;
use crate::ui::text_input::TextInput;

type Row = ContextCommand;

pub const OPEN_COMMANDS: &[Row] = &[
    Row::new(
        "annotate.call",
        &["a c"],
        "call",
        "log a call: note and outcome on the record, the signal done",
        Context::open_call_form,
    )
    .with_write()
    .with_hint(4)
    .available_when(Context::can_log_call),
    Row::new(
        "annotate.call.repeat",
        &[],
        "repeat call",
        "log a call with the outcome of the last one and without a note",
        Context::repeat_call,
    )
    .with_immediate_write()
    .with_price(
        "1 cr if the record is in the book",
        Context::repeated_call_price,
    )
    .available_when(Context::can_repeat_call),
];

/// In the order of help.
pub const NOTE_COMMANDS: &[Row] = &[
    Row::new(
        "call.outcomes",
        &["Enter", "Tab", "Down"],
        "outcome",
        "leave the note and choose the outcome",
        |cx| choose(cx, true),
    ),
    Row::at("call.close", &shared::BACK, |cx| {
        cx.close_call_form();
    })
    .with_description("close without saving; the note is kept"),
    Row::at("call.page", &shared::PAGE_DOWN, next_page)
        .with_keys(&["PgDn"])
        .with_description("show the facts that do not fit"),
    read_missing("call.read"),
];

pub const OUTCOME_COMMANDS: &[Row] = &[
    outcome("call.outcome.1", &["1"], "outcome 1", 0),
    outcome("call.outcome.2", &["2"], "outcome 2", 1),
    outcome("call.outcome.3", &["3"], "outcome 3", 2),
    outcome("call.outcome.4", &["4"], "outcome 4", 3),
    outcome("call.outcome.5", &["5"], "outcome 5", 4),
    Row::at("call.outcome.page", &shared::PAGE_DOWN, next_page)
        .with_keys(&["PgDn"])
        .with_description("show the facts that do not fit"),
    read_missing("call.outcome.read"),
    Row::new(
        "call.note",
        &["Tab", "Shift-Tab", "Up"],
        "note",
        "go back to the note",
        |cx| choose(cx, false),
    ),
    Row::at(
        "call.outcome.close",
        &shared::BACK,
        Context::close_call_form,
    ),
];

/// A key that saves the call, for everyone.
const fn outcome(
    id: &'static str,
    keys: &'static [&'static str],
    title: &'static str,
    outcome: usize,
) -> Row {
    let run: fn(&mut Context) = match outcome {
        0 => |cx| cx.save_call(0),
        1 => |cx| cx.save_call(1),
        2 => |cx| cx.save_call(2),
        3 => |cx| cx.save_call(3),
        _ => |cx| cx.save_call(4),
    };
    Row::new(
        id,
        keys,
        title,
        "save the call with this outcome, for everyone",
        run,
    )
    .with_write()
    .with_price("1 cr if the record is in the book", |cx| {
        match &cx.ui.overlay {
            Some(Overlay::Call(form)) => cx.records.call_form_price(form),
            _ => Price::Free,
        }
    })
}

/// A key that reads what the form says is not read.
const fn read_missing(id: &'static str) -> Row {
    let read: fn(&mut Context) =
        |cx| records::read_missing_records(lacked_record(cx).into_iter().collect(), &mut cx.work);
    Row::new(
        id,
        &["Ctrl-r"],
        "read",
        "read whom to call, then who called before",
        read,
    )
    .with_price("1 cr", |cx| match &cx.ui.overlay {
        Some(Overlay::Call(form)) => cx.records.lacked_record_price(form),
        _ => Price::Free,
    })
    .available_when(|cx| match lacked_record(cx) {
        Some(_) if records::is_reading_missing(&cx.work) => Err("it is being read".into()),
        Some(_) => Ok(()),
        None => Err("everything was read".into()),
    })
}

fn lacked_record(cx: &Context) -> Option<RecordKey> {
    match &cx.ui.overlay {
        Some(Overlay::Call(form)) => cx.records.record_lacked_by(form),
        _ => None,
    }
}

fn choose(cx: &mut Context, is_choosing: bool) {
    if let Some(Overlay::Call(form)) = &mut cx.ui.overlay {
        form.is_choosing = is_choosing;
        // An outcome that was typed too early is no note.
        if matches!(form.note.text().trim().as_bytes(), [b'1'..=b'5']) {
            form.note = TextInput::default();
        }
    }
}

fn next_page(cx: &mut Context) {
    if let Some(Overlay::Call(form)) = &mut cx.ui.overlay {
        form.page += 1;
        cx.ui
            .inform("facts: the next page, where they do not fit on one");
    }
}
