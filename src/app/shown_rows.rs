//! The rows and columns of a list as it shows them, for copies and exports.

use serde_json::Value;

use super::Context;
use super::format::humanize;
use super::model::list_table::{ListLines, ListTable};
use super::model::record_list::RecordList;
use super::model::record_list::columns::{RecordColumn, TEAM, available_columns};
use crate::domain::records::Record;
use crate::export::table::{Column, Table};

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
        ShownRows::AllColumns => {
            let (usual, more) = available_columns(&list.source);
            usual.iter().chain(more).copied().collect()
        }
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
        let value = |column: &RecordColumn| match cx
            .team_words(&dataset, row.id)
            .filter(|_| column.field == TEAM.field)
        {
            Some(words) => words.into(),
            None => column.value(&fields),
        };
        columns.iter().map(value).collect()
    };
    Table {
        rows: rows.into_iter().map(cells).collect(),
        columns: columns
            .iter()
            .map(|column| Column {
                key: column.field.to_owned(),
                title: column.layout.title.to_owned(),
            })
            .collect(),
    }
}

/// `cells` returns the texts of a row: its state, then all columns of the table.
pub(super) fn rows_of_table(
    (table, lines): (&ListTable, &ListLines),
    which: ShownRows,
    cx: &Context,
    cells: impl Fn(usize) -> Vec<String>,
    is_marked: impl Fn(usize) -> bool,
) -> Table {
    let places: Vec<usize> = match which {
        ShownRows::AllColumns => (1..=table.columns.len()).collect(),
        _ => {
            let chosen = table.chosen_columns(cx.preference(&table.columns_preference()));
            chosen
                .into_iter()
                .map(|(place, _)| place)
                .filter(|place| *place > 0)
                .collect()
        }
    };
    let mut rows: Vec<usize> = lines.rows().filter(|row| is_marked(*row)).collect();
    if rows.is_empty() {
        rows = lines
            .rows()
            .filter(|row| which.includes_all() || *row == lines.current_row())
            .collect();
    }
    let missing = cx.theme().glyphs().missing;
    let cell = |text: Option<&String>| match text.map(|text| text.trim()) {
        None | Some("") => Value::Null,
        Some(text) if text == missing => Value::Null,
        Some(text) => text.into(),
    };
    let row_cells = |row: usize| {
        let texts = cells(row);
        places.iter().map(|place| cell(texts.get(*place))).collect()
    };
    let column = |place: &usize| {
        let column = &table.columns[place - 1];
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
        columns: places.iter().map(column).collect(),
        rows: rows.into_iter().map(row_cells).collect(),
    }
}
