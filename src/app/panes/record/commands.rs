//! The commands of the record page.

use crate::app::Context;
use crate::app::action::Action;
use crate::app::command::{Availability, require, shared};
use crate::app::context::{records, trail};
use crate::app::effect::RecordKey;
use crate::app::model::records::record_name;
use crate::app::pane_command::PaneCommand;
use crate::app::panes::record::RecordPane;
use crate::app::price::Price;
use crate::domain::book::{Annotation, Dataset, RecordKind};
use crate::domain::writes::{ReversibleWrite, WriteOp};

type Row = PaneCommand<RecordPane>;

/// In help order.
pub const COMMANDS: &[Row] = &[
    Row::at("record.open", &shared::OPEN, open_related)
        .with_description("open the record")
        .with_price("1 cr once per record", |pane, cx| {
            related_key(pane, cx).map_or(Price::Free, |key| cx.records.record_price(key))
        })
        .with_hint_text(1, |_, cx| {
            let has_focus = cx.frame.layout().side_has_focus;
            Some(if has_focus { "open" } else { "lists" })
        })
        .available_when(has_related),
    Row::at("record.save", &shared::SAVE, save_record)
        .with_description("save the record to the book, for everyone; undo does not remove it")
        .with_hint(3)
        .with_immediate_write()
        .available_when(can_save_record),
    Row::at("record.next", &shared::NEXT, |pane, cx| {
        pane.open_adjacent(1, cx);
    })
    .with_price("1 cr once per record", |pane, cx| {
        adjacent_price(pane, 1, cx)
    })
    .with_hint_text(6, |pane, cx| {
        adjacent_hint(pane, 1, ["next, 0 cr", "next"], cx)
    })
    .available_when(|pane, cx| pane.adjacent(1, cx).map(drop).map_err(Into::into)),
    Row::at("record.previous", &shared::PREVIOUS, |pane, cx| {
        pane.open_adjacent(-1, cx);
    })
    .with_price("1 cr once per record", |pane, cx| {
        adjacent_price(pane, -1, cx)
    })
    .with_hint_text(7, |pane, cx| {
        adjacent_hint(pane, -1, ["previous, 0 cr", "previous"], cx)
    })
    .available_when(|pane, cx| pane.adjacent(-1, cx).map(drop).map_err(Into::into)),
    Row::at("record.map", &shared::MAP, |_, cx| cx.toggle_map()).available_when(can_map),
    Row::at("record.reload", &shared::RELOAD, |pane, cx| {
        if let Some(page) = pane.page() {
            cx.read_record(page.key.clone(), true);
        }
    })
    .with_price("1 cr", |_, _| Price::Credits(1))
    .with_hint(6),
    Row::new(
        "record.reach",
        &["i"],
        "phone, e-mail",
        "read phone and e-mail of a contact in the book from the index",
        |pane, cx| {
            let key = pane.page().and_then(|page| page.unread_contact(cx));
            records::read_missing_records(key.into_iter().collect(), &mut cx.work);
        },
    )
    .with_price("1 cr", |_, _| Price::Credits(1))
    .with_hint(2)
    .available_when(
        |pane, cx| match pane.page().and_then(|page| page.unread_contact(cx)) {
            Some(_) if records::is_reading_missing(&cx.work) => Err("they are being read".into()),
            Some(_) => Ok(()),
            None => Err("only for a contact of the book whose index entry was not read".into()),
        },
    ),
    Row::at("record.switch", &shared::OTHER_PANE, |pane, _| {
        if let Some(page) = pane.page_mut() {
            page.related_focused = Some(!page.related_focused.unwrap_or_default());
        }
    })
    .with_title("pane")
    .with_hint(4)
    .available_when(|_, cx| {
        require(
            !cx.frame.layout().side_panel.is_empty(),
            "the lists are tabs at this width; {tab.next} goes there",
        )
    }),
    Row::at("record.back", &shared::LEFT, |_, cx| {
        cx.work.perform(Action::GoBack)
    })
    .with_hint(2),
];

/// The hint for the record before or after this one: one of two, by whether it was read.
fn adjacent_hint(
    pane: &RecordPane,
    step: isize,
    hints: [&'static str; 2],
    cx: &Context,
) -> Option<&'static str> {
    let (_, key, _) = pane.adjacent(step, cx).ok()?;
    Some(hints[usize::from(!trail::is_record_kept(&key, &cx.records.fetched))])
}

fn can_map(pane: &RecordPane, cx: &Context) -> Availability {
    match pane.page().and_then(|page| page.fetched(cx)) {
        Some(paid) if paid.location().is_some() => Ok(()),
        Some(_) => Err("this record has no location".into()),
        None => Err("the record is not loaded".into()),
    }
}

fn has_related(pane: &RecordPane, cx: &Context) -> Availability {
    let page = pane.page().ok_or("there is no record here")?;
    if cx.frame.layout().side_has_focus {
        let text = "there is no record under the cursor; {tab.next} shows the next list";
        require(page.current_related(cx).is_some(), text)
    } else {
        require(page.first_filled_tab(cx).is_some(), "its lists are empty")
    }
}

/// Opens the record under the cursor; from the facts, goes to the lists.
fn open_related(pane: &mut RecordPane, cx: &mut Context) {
    if !cx.frame.layout().side_has_focus {
        return pane.focus_related(cx);
    }
    let Some(record) = pane.page().and_then(|page| page.current_related(cx)) else {
        return;
    };
    let name = record_name(&record.fields());
    if let Some(key) = related_key(pane, cx) {
        pane.open(key, name, cx);
    }
}

/// The related record under the cursor.
fn related_key(pane: &RecordPane, cx: &Context) -> Option<RecordKey> {
    let page = pane.page().filter(|_| cx.frame.layout().side_has_focus)?;
    Some(RecordKey {
        dataset: page.related_dataset()?,
        id: page.current_related(cx)?.id,
        in_book: false,
    })
}

fn adjacent_price(pane: &RecordPane, step: isize, cx: &Context) -> Price {
    pane.adjacent(step, cx)
        .map_or(Price::Free, |(_, key, _)| cx.records.record_price(key))
}

fn can_save_record(pane: &RecordPane, _: &Context) -> Availability {
    match pane.page() {
        Some(page) if page.key.in_book => Err("already in the book".into()),
        Some(page) if page.key.dataset == Dataset::Signals => {
            Err("signals cannot be saved; save their projects".into())
        }
        Some(_) => Ok(()),
        None => Err("there is no record here".into()),
    }
}

fn save_record(pane: &mut RecordPane, cx: &mut Context) {
    let Some(page) = pane.page() else { return };
    let (kind, id, name): (RecordKind, _, _) = (
        page.key.dataset.as_str().into(),
        page.key.id,
        page.name.clone(),
    );
    let change = ReversibleWrite {
        forward: WriteOp::Annotate(kind, id, Annotation::default()),
        back: None,
    };
    cx.write_changes(format!("{name} saved to the book"), vec![change]);
}
