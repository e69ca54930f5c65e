//! The columns of a tab, as they are by default and on this screen, and what a row has in them for
//! other programs.

use serde_json::Value;

use crate::app::Context;
use crate::app::format::{format_full_day, humanize};
use crate::app::model::list_table::{ColumnSpec, ListTable};
use crate::app::model::queue::THREAD_COLUMN;
use crate::domain::field_kind::FieldKind;
use crate::domain::queue::{QueueSignal, QueueTab};
use crate::domain::row_columns::{Origin, ROW_COLUMNS, RowValue, find_column, usual_columns};
use crate::export::table::plain_number;

/// From this width of the list on, sources and filing dates are shown beside descriptions.
const SOURCES_MIN_WIDTH: u16 = 121;
/// From this width of the list on, types are written out.
const FULL_TYPES_MIN_WIDTH: u16 = 160;
/// The same where no descriptions need room.
const FULL_TYPES_MIN_WIDTH_WITHOUT_DESCRIPTIONS: u16 = 68;

/// The columns of the current tab, as they are by default on this screen.
pub(super) fn list_columns(cx: &Context) -> ListTable {
    let usual = usual_columns(cx.queue.tab);
    let shown = usual.iter().filter_map(|key| find_column(key));
    let others = ROW_COLUMNS
        .iter()
        .filter(|column| !usual.contains(&column.spec.key));
    let mut columns: Vec<ColumnSpec> = shown
        .map(ColumnSpec::from)
        .chain(others.map(|column| ColumnSpec::from(column).hidden()))
        .collect();
    for column in &mut columns {
        adjust_column(column, cx);
    }
    ListTable {
        name: match cx.queue.tab {
            QueueTab::New => "queue.new",
            QueueTab::Done => "queue.done",
            QueueTab::Today => "queue.today",
        }
        .into(),
        state_width: 2,
        columns,
    }
}

/// Adapts a column to the screen and to what is known about the rows.
fn adjust_column(column: &mut ColumnSpec, cx: &Context) {
    let (tab, facts) = (cx.queue.tab, &cx.queue.facts);
    let has_descriptions = facts.has_descriptions();
    let is_wide = cx.frame.layout().rows.width >= SOURCES_MIN_WIDTH;
    let has_value = match column.key {
        "description" => has_descriptions,
        // What is being built says more.
        "filed" => !has_descriptions || is_wide,
        "source" => is_wide && facts.has_several_sources(),
        "account" => facts.has_book_matches(),
        "owner" => facts.has_owners,
        // The title says it.
        "city" => facts.only_city().is_none(),
        _ => true,
    };
    column.is_shown &= has_value;
    let layout = &mut column.layout;
    match column.key {
        // What was built says more than its cost.
        "cost" if tab == QueueTab::Done && has_descriptions => layout.drop_order = 7,
        "description" if tab == QueueTab::Done => (layout.width, layout.drop_order) = (16, 3),
        "description" if !is_wide => layout.width = 16,
        "city" if tab == QueueTab::Done => layout.drop_order = 8,
        "type" => {
            // Which filing it is can be told from what is being built, but not the other way
            // around.
            layout.drop_order = match tab {
                QueueTab::New | QueueTab::Today if has_descriptions => layout.drop_order,
                _ => 0,
            };
            if has_full_types(cx) {
                layout.width = 21;
            } else if !cx.queue.current_tab().is_grouped() {
                layout.width = 9;
            }
        }
        // What is being built takes the room that is left.
        "project" if has_full_types(cx) => layout.max_width = 40,
        "project" if has_descriptions && is_wide => layout.max_width = 26,
        // City, work, cost, days left and type say more than the end of a name.
        "project" if has_descriptions => (layout.width, layout.max_width) = (13, 26),
        // Beside who and when there is no room for a city.
        "filed" if tab == QueueTab::Done => layout.drop_order = 4,
        // The names of projects take the room that is left.
        "city" if !is_wide => layout.max_width = 0,
        "city" | "source" if has_descriptions && !has_full_types(cx) => layout.max_width = 0,
        _ => {}
    }
}

/// Whether types are written out.
pub(super) fn has_full_types(cx: &Context) -> bool {
    let needed = match (cx.queue.facts.has_descriptions(), cx.queue.tab) {
        (true, _) => FULL_TYPES_MIN_WIDTH,
        (false, QueueTab::New) => FULL_TYPES_MIN_WIDTH_WITHOUT_DESCRIPTIONS,
        // Who and when need more room than the days left.
        (false, QueueTab::Done | QueueTab::Today) => FULL_TYPES_MIN_WIDTH_WITHOUT_DESCRIPTIONS + 20,
    };
    cx.frame.layout().rows.width >= needed
}

/// The place of the project's name after the row's state, or of the first column without it.
pub(super) fn frozen_column(shown: &[ColumnSpec]) -> usize {
    let project = shown.iter().position(|column| column.key == THREAD_COLUMN);
    project.unwrap_or(0) + 1
}

/// The columns that rows of the tab have values in, the ones that the user sees first.
pub(super) fn all_columns(cx: &Context) -> Vec<ColumnSpec> {
    let table = list_columns(cx);
    let mut columns = table.shown_first(&cx.settings.chosen_columns(&table));
    let is_done = cx.queue.tab == QueueTab::Done;
    columns.retain(|column| column.is_shown || is_done || !is_of_triage(column));
    columns
}

/// Whether only rows that are done have a value in it.
pub(super) fn is_of_triage(column: &ColumnSpec) -> bool {
    find_column(column.key).is_some_and(|column| column.origin == Origin::Triage)
}

/// What a row has in a column, for other programs: days in full, words as the cell shows them.
pub(super) fn export_value(column: &ColumnSpec, row: &QueueSignal, cx: &Context) -> Value {
    let text = |text: Option<String>| {
        text.filter(|text| !text.is_empty())
            .map_or(Value::Null, Value::from)
    };
    match column.key {
        "filed" => return text(row.signal.filed_at.as_ref().map(format_full_day)),
        "found" => return text(row.signal.discovered_at.as_ref().map(format_full_day)),
        _ => {}
    }
    let value = find_column(column.key).and_then(|column| cx.queue.shown_value(row, column));
    match value {
        Some(RowValue::Number(number)) => plain_number(&number.into()),
        Some(RowValue::Date(at)) => cx.clock.format_exported_time(at).into(),
        Some(RowValue::Text(words)) if column.kind == FieldKind::Word => {
            text(Some(humanize(&words)))
        }
        Some(RowValue::Text(words) | RowValue::Ranked(_, words)) => text(Some(words.into_owned())),
        None => Value::Null,
    }
}
