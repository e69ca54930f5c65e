//! The rows of the queue as the list shows them, for copies and exports.

use std::collections::HashSet;

use serde_json::Value;

use super::columns::QueueColumns;
use crate::app::Context;
use crate::app::format::{format_full_day, humanize};
use crate::app::shown_rows::ShownRows;
use crate::domain::SignalId;
use crate::domain::field_kind::FieldKind;
use crate::domain::queue::{QueueSignal, QueueTab};
use crate::domain::row_fields::{RowField, RowValue};
use crate::export::table::{Column, Table, plain_number};

/// The rows of the current tab. Rows that are not loaded are left out.
pub(super) fn shown_rows(which: ShownRows, cx: &Context) -> Table {
    let fields = match which {
        ShownRows::AllColumns => RowField::ALL.to_vec(),
        ShownRows::Chosen | ShownRows::MarkedOrAll => {
            QueueColumns::new(cx, cx.layout().rows).fields
        }
    };
    let tab = cx.queue.current_tab();
    let mut chosen: HashSet<SignalId> = tab.chosen_marks().into_iter().collect();
    if chosen.is_empty() && !which.includes_all() {
        chosen.extend(tab.ids_under_cursor());
    }
    // In the order of the lines; those of closed threads have none.
    let mut seen = HashSet::new();
    let ids = tab
        .read_lines(0..usize::MAX)
        .map(|(_, id)| id)
        .chain(tab.shown_ids());
    let ids = ids.filter(|id| (chosen.is_empty() || chosen.contains(id)) && seen.insert(*id));
    let rows: Vec<&QueueSignal> = ids.filter_map(|id| tab.list.row(id)).collect();
    let cells = |row: &QueueSignal| fields.iter().map(|field| value(cx, row, *field)).collect();
    Table {
        rows: rows.into_iter().map(cells).collect(),
        columns: fields
            .iter()
            .map(|field| Column {
                key: field.name().to_owned(),
                title: humanize(field.title()).to_uppercase(),
            })
            .collect(),
    }
}

fn value(cx: &Context, row: &QueueSignal, field: RowField) -> Value {
    let text = |text: Option<String>| {
        text.filter(|text| !text.is_empty())
            .map_or(Value::Null, Value::from)
    };
    match field {
        RowField::Filed => text(row.signal.filed_at.as_ref().map(format_full_day)),
        RowField::Discovered => text(row.signal.discovered_at.as_ref().map(format_full_day)),
        RowField::TriagedBy => text(row.triaged_by.as_ref().map(|user| cx.user_name(Some(user)))),
        RowField::TriagedAt if cx.queue.tab == QueueTab::Snoozed => text(
            cx.queue
                .snoozes
                .get(row.signal.id)
                .map(|snooze| cx.format_until_short(snooze.until)),
        ),
        _ => match cx.queue.describe_row(row).value(field) {
            Some(RowValue::Number(number)) => plain_number(&number.into()),
            Some(RowValue::Date(at)) => cx.format_exported_time(at).into(),
            Some(RowValue::Text(words)) if field.kind() == FieldKind::Word => {
                text(Some(humanize(&words)))
            }
            Some(RowValue::Text(words) | RowValue::Ranked(_, words)) => {
                text(Some(words.into_owned()))
            }
            None => Value::Null,
        },
    }
}
