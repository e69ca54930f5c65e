//! The commands of every list of records, and the one that adds records to a View wherever some are
//! chosen.

use uuid::Uuid;

use super::prices;
use crate::app::action::Action;
use crate::app::command::{Availability, Scope, require, shared};
use crate::app::context::{record_lists, selection};
use crate::app::effect::Slot;
use crate::app::format::{format_count, pluralize};
use crate::app::model::load_state::LoadState;
use crate::app::model::record_list::RecordList;
use crate::app::model::records::record_name;
use crate::app::overlay::Overlay;
use crate::app::overlay::choice::{Choice, ChoiceOption};
use crate::app::pane_command::ContextCommand;
use crate::app::panes::records::map::can_map;
use crate::app::price::Price;
use crate::app::{Context, Screen};
use crate::domain::book::Annotation;
use crate::domain::search::{RecordSource, Search};
use crate::domain::writes::{ReversibleWrite, WriteOp};

/// Why credits are spent on the first page of a list.
pub const READ_LIST_REASON: &str = "read list";

type Row = ContextCommand;

/// In help order.
pub const COMMANDS: &[Row] = &[
    Row::at("records.open", &shared::OPEN, open)
        .with_description(
            "open the record, or open or close the group; if the list is not loaded, load it",
        )
        .with_price("1 cr once per record", prices::open_price)
        .with_hint_text(1, |cx| match cx.displayed_list() {
            Some(list) if list.lines.is_on_heading() => Some("fold"),
            Some(list) if list.current_record().is_some() => Some("open"),
            Some(list) if list.load == LoadState::Ready || list.is_reading() => None,
            _ => Some("read"),
        }),
    Row::at("records.more", &shared::MORE, read_more)
        .with_price("1 cr a row", |cx| {
            prices::list_price(cx, RecordList::next_price)
        })
        .with_hint_text(3, |cx| has_row(cx).is_ok().then_some("next page"))
        .available_when(has_more),
    Row::new(
        "records.rest",
        &[],
        "all rows",
        "load all remaining rows",
        read_all,
    )
    .with_cost("1 cr a row")
    .available_when(has_more),
    Row::at("records.count", &shared::COUNT, |cx| {
        if let Some(shown) = cx.ui.focused_list().cloned() {
            cx.count_records(&shown);
        }
    })
    .with_price("1 cr", |_| Price::Credits(1))
    .with_hint(8)
    .available_when(|cx| can_count_list(cx.displayed_list())),
    Row::at("records.save", &shared::SAVE, save)
        .with_hint(7)
        .with_immediate_write()
        .available_when(can_save),
    Row::at("records.add", &shared::ADD_TO_VIEW, add_to_view)
        .in_scope(Scope::Annotate)
        .with_description(
            "add the records, or the projects of the signals, to a Static View or to a new one",
        )
        .with_write()
        .with_hint(18)
        .available_when(can_add),
    Row::at("records.narrow", &shared::FILTER, |cx| {
        cx.work.perform(Action::OpenListFilter)
    })
    .with_description("filter by words and conditions; free until applied")
    .with_hint(6),
    Row::at("records.whole", &shared::NO_FILTER, clear_filter)
        .with_description("clear the filter and the sort order")
        .with_cost("0 cr; rows not loaded yet are read when you ask for them")
        .with_hint_text(10, |cx| is_narrowed(cx).is_ok().then_some("no filter"))
        .available_when(is_narrowed),
    Row::at("records.map", &shared::MAP, Context::toggle_map).available_when(can_map),
    Row::new(
        "records.map.units",
        &[],
        "miles or kilometers",
        "show distances on the map in miles or in kilometers",
        Context::toggle_distance_unit,
    )
    .available_when(can_map),
    Row::new(
        "records.export",
        &["X"],
        "export",
        "export the rows to a CSV or JSON Lines file",
        Context::choose_export,
    )
    .with_cost("1 cr a row that is not loaded")
    .available_when(can_export),
    Row::at("records.refresh", &shared::REFRESH, refresh)
        .with_price("1 cr a row", prices::refresh_price),
];

fn with_list(cx: &mut Context, change: impl FnOnce(&mut RecordList)) {
    if let Some(list) = cx.records.lists.shown_list_mut(cx.ui.focused_list()) {
        change(list);
    }
}

fn has_row(cx: &Context) -> Availability {
    require(
        cx.displayed_list()
            .is_some_and(|list| list.current_record().is_some()),
        "there is no row here",
    )
}

/// Whether a list can be counted. Not during a read: the later of two reads wins, and the earlier
/// one is lost.
pub(in crate::app) fn can_count_list(list: Option<&RecordList>) -> Availability {
    require(
        !list.is_some_and(RecordList::is_reading),
        "a page is still loading",
    )
}

fn has_more(cx: &Context) -> Availability {
    can_count_list(cx.displayed_list())?;
    require(
        cx.displayed_list()
            .is_some_and(|list| list.load != LoadState::Ready || list.has_more()),
        "all rows are loaded",
    )
}

fn can_export(cx: &Context) -> Availability {
    match cx.displayed_list() {
        Some(list) if list.is_empty() && list.load == LoadState::Ready => {
            Err("there are no rows to export".into())
        }
        Some(_) => Ok(()),
        None => Err("there is no list here".into()),
    }
}

fn is_narrowed(cx: &Context) -> Availability {
    let is_narrowed = |list: &RecordList| {
        list.search != Search::default() || list.sort().is_some() || list.lines.filter().is_some()
    };
    require(
        cx.displayed_list().is_some_and(is_narrowed),
        "no filter or order is set",
    )
}

fn open(cx: &mut Context) {
    let Some(shown) = cx.ui.focused_list().cloned() else {
        return;
    };
    match cx.displayed_list() {
        Some(list) if list.is_reading() => {}
        Some(list) if list.load != LoadState::Ready => {
            cx.work.set_request_reason(READ_LIST_REASON);
            cx.read_first_page(&shown);
        }
        Some(list) if list.lines.is_on_heading() => {
            with_list(cx, |list| list.lines.toggle_fold());
        }
        Some(_) => open_record(cx),
        None => {}
    }
}

fn open_record(cx: &mut Context) {
    let Some(key) = record_lists::current_record_key(&cx.ui, &cx.records.lists) else {
        return;
    };
    let name = cx
        .records
        .current_record(&cx.ui.focus)
        .map(|row| record_name(&row.fields()))
        .unwrap_or_default();
    cx.work.perform(Action::OpenRecord(key, name));
}

fn read_more(cx: &mut Context) {
    let Some(shown) = cx.ui.focused_list().cloned() else {
        return;
    };
    if cx
        .displayed_list()
        .is_some_and(|list| list.load == LoadState::Ready)
    {
        cx.read_next_page(&shown)
    } else {
        cx.read_first_page(&shown)
    }
}

/// Reading all remaining rows may cost a lot, so the price is confirmed first.
fn read_all(cx: &mut Context) {
    let Some(shown) = cx.ui.focused_list().cloned() else {
        return;
    };
    let Some(list) = cx.displayed_list() else {
        return;
    };
    let price = match list.remaining() {
        Some(left) => format!(
            "{} are left: {}.",
            pluralize(left, "row"),
            pluralize(left, "credit")
        ),
        None => format!(
            "More than {} rows match, 1 credit each; exact count unknown.",
            format_count(list.total.unwrap_or(0))
        ),
    };
    cx.ui.confirm(
        "Read all rows?",
        price,
        "read them",
        Action::LoadRest(shown),
    );
}

fn can_save(cx: &Context) -> Availability {
    let Some(list) = cx.displayed_list() else {
        return Err("there is no row here".into());
    };
    if list.source.record_kind().is_none() {
        return Err("signals cannot be saved; save their projects".into());
    }
    let selection = list.selection();
    let mut rows = selection.iter().filter_map(|id| list.row(*id)).peekable();
    if rows.peek().is_none() {
        return Err("there is no row here".into());
    }
    require(rows.any(|row| !list.is_in_book(row)), "already in the book")
}

fn save(cx: &mut Context) {
    let Some(list) = cx.displayed_list() else {
        return;
    };
    let Some(kind) = list.source.record_kind() else {
        return;
    };
    // A row of the index does not show whether its record is already in the book, so no undo would
    // be certain to be right.
    let is_known = !matches!(list.source, RecordSource::Index(_));
    let changes: Vec<ReversibleWrite> = list
        .selection()
        .into_iter()
        .filter(|id| list.row(*id).is_some_and(|row| !list.is_in_book(row)))
        .map(|id| ReversibleWrite {
            forward: WriteOp::Annotate(kind.clone(), id, Annotation::default()),
            back: is_known.then(|| WriteOp::Forget(kind.clone(), id)),
        })
        .collect();
    let what = match changes.as_slice() {
        [
            ReversibleWrite {
                forward: WriteOp::Annotate(_, id, _),
                ..
            },
        ] if let Some(row) = list.row(*id) => record_name(&row.fields()),
        _ => pluralize(changes.len(), kind.singular_name()),
    };
    let scope = list.describe_scope(changes.len());
    cx.write_or_confirm(
        &format!("save {what} to the book"),
        scope,
        format!("{what} saved to the book"),
        changes,
    );
}

fn can_add(cx: &Context) -> Availability {
    require(cx.has_chosen_record(), "there is no record here")
}

fn add_to_view(cx: &mut Context) {
    let Some((kind, records)) = cx.chosen_records() else {
        return;
    };
    let ids: Vec<Uuid> = records.map(|(id, _)| id).collect();
    if ids.is_empty() {
        cx.ui.warn("these signals have no project");
        return;
    }
    let scope = match (cx.ui.screen(), cx.displayed_list()) {
        (Screen::Queue | Screen::Detail, _) => {
            let chosen = selection::triage_targets(&cx.ui, &cx.queue);
            let list = &cx.queue.current_tab().list;
            let missing = chosen.iter().filter(|id| list.row(**id).is_none()).count();
            let signals = pluralize(chosen.len() - missing, "signal");
            match (cx.ui.screen(), missing) {
                (Screen::Detail, _) | (_, 0) => format!("The projects of {signals}."),
                (_, 1) => format!(
                    "The projects of {signals}; 1 more is marked but not loaded, and left out."
                ),
                (_, more) => format!(
                    "The projects of {signals}; {more} more are marked but not loaded, and left out."
                ),
            }
        }
        (Screen::Record, _) | (_, None) => String::new(),
        (_, Some(list)) => list.describe_scope(ids.len()),
    };
    cx.choose_view(kind, ids, &scope);
}

/// Reads the first page again. If more rows are loaded, asks how many of them.
fn refresh(cx: &mut Context) {
    let Some(shown) = cx.ui.focused_list().cloned() else {
        return;
    };
    let Some(list) = cx.displayed_list() else {
        return;
    };
    let page = list.first_page_price();
    if !prices::asks_what_to_refresh(list) {
        return cx.read_first_page(&shown);
    }
    let read = list
        .read_at
        .map(|at| cx.clock.format_time(at))
        .unwrap_or_default();
    let option = |label: String, rows: usize| ChoiceOption {
        label,
        note: format!("at most {} cr", format_count(rows as u64)),
        action: Action::RefreshRecords(shown.clone(), rows),
    };
    let options = vec![
        option(
            format!("the first {page}; the others stay as read {read}"),
            page as usize,
        ),
        option(
            format!("the {}", pluralize(list.len(), "loaded row")),
            list.len(),
        ),
    ];
    cx.ui.overlay = Some(Overlay::Choice(Choice::new(
        "Refresh",
        "1 cr a row",
        options,
    )));
}

/// Clears the filter of the loaded rows, else that of the service.
fn clear_filter(cx: &mut Context) {
    let Some(shown) = cx.ui.focused_list().cloned() else {
        return;
    };
    if cx
        .displayed_list()
        .is_some_and(|list| list.lines.filter().is_some())
    {
        return with_list(cx, |list| list.filter_values(None));
    }
    cx.clear_record_sort(&shown);
    if cx.show_cached_search(&shown, &Search::default()) {
        return;
    }
    // The unfiltered list was not read yet: its price is shown, and Enter reads it.
    let is_reading = cx.displayed_list().is_some_and(RecordList::is_reading);
    if is_reading {
        cx.work.abandon_slot(Slot::Records(shown.clone()));
    }
    with_list(cx, RecordList::show_unread_whole_list);
    cx.ui.notice = None;
    cx.show_saved_rows(&shown);
}
