//! The rows and columns of a list as it shows them, for copies and exports.

use serde_json::Value;

use super::Context;
use super::format::humanize;
use super::list::AnyList;
use super::model::list_table::ColumnSpec;
use super::model::record_list::RecordList;
use super::model::record_list::columns::{TEAM, available_columns, export_value};
use crate::domain::records::Record;
use crate::domain::row_fields::RowValue;
use crate::export::table::{Column, Table, plain_number};
use crate::ui::TextSpan;

/// Which rows and columns of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShownRows {
    /// The marked rows, or the one under the cursor.
    Chosen,
    /// The marked rows, or all that are shown.
    MarkedOrAll,
    /// The same rows with all columns, chosen or not.
    AllColumns,
}

impl ShownRows {
    /// Whether all rows are meant if none is marked.
    pub fn includes_all(self) -> bool {
        self != ShownRows::Chosen
    }
}

pub(super) fn rows_of_records(list: &RecordList, which: ShownRows, cx: &Context) -> Table {
    let columns = match which {
        ShownRows::AllColumns => available_columns(&list.source).to_vec(),
        _ => cx.list_columns(list),
    };
    let has_marks = list.has_shown_marks() || list.range_anchor.is_some();
    let rows: Vec<_> = if which.includes_all() && !has_marks {
        list.shown_rows().collect()
    } else {
        list.selection()
            .into_iter()
            .filter_map(|id| list.row(id))
            .collect()
    };
    let dataset = list.source.dataset();
    let cells = |row: &Record| {
        let fields = row.fields();
        let value = |column: &ColumnSpec| match cx
            .team_words(&dataset, row.id)
            .filter(|_| column.key == TEAM.key)
        {
            Some(words) => words.into(),
            None => export_value(column, &fields),
        };
        columns.iter().map(value).collect()
    };
    Table {
        rows: rows.into_iter().map(cells).collect(),
        columns: columns
            .iter()
            .map(|column| Column {
                key: column.key.to_owned(),
                title: column.layout.title.to_owned(),
            })
            .collect(),
    }
}

pub(super) fn rows_of_list<'a>(list: &dyn AnyList<'a>, which: ShownRows, cx: &Context) -> Table {
    let (table, lines) = (list.table(), list.lines());
    let columns = match which {
        ShownRows::AllColumns => table.columns,
        _ => cx.chosen_columns(&table),
    };
    let mut rows: Vec<usize> = lines.rows().filter(|row| list.is_marked(*row)).collect();
    if rows.is_empty() {
        rows = lines
            .rows()
            .filter(|row| which.includes_all() || *row == lines.current_row())
            .collect();
    }
    let missing = cx.theme().glyphs().missing;
    let cell = |spans: &Vec<TextSpan<'_>>| {
        let text: String = spans.iter().map(|span| &*span.text).collect();
        match text.trim() {
            "" => Value::Null,
            text if text == missing => Value::Null,
            text => text.into(),
        }
    };
    let row_cells = |row: usize| {
        let cells = list.cells(row, None, &columns);
        let values = columns
            .iter()
            .map(|column| list.values(row, column.key).pop());
        let cells = cells.iter().skip(1).zip(values);
        cells
            .map(|(spans, value)| match value {
                Some(RowValue::Number(number)) => plain_number(&number.into()),
                Some(RowValue::Date(at)) => cx.format_exported_time(at).into(),
                _ => cell(spans),
            })
            .collect()
    };
    let column = |column: &ColumnSpec| {
        let title = if column.layout.title.is_empty() {
            humanize(column.key).to_uppercase()
        } else {
            column.layout.title.to_owned()
        };
        Column {
            key: column.key.to_owned(),
            title,
        }
    };
    Table {
        columns: columns.iter().map(column).collect(),
        rows: rows.into_iter().map(row_cells).collect(),
    }
}
