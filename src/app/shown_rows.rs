//! The rows and columns of a list as it shows them, for copies and exports.

use super::Context;
use super::focused_list::FocusedList;
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

/// The rows and columns of a list; `None` if it has no columns.
pub(super) fn export_rows<'a, L: FocusedList<'a> + ?Sized>(
    list: &L,
    which: ShownRows,
    cx: &Context,
) -> Option<Table> {
    let table = list.columns()?;
    let columns = match which {
        ShownRows::AllColumns => table.columns,
        ShownRows::Chosen | ShownRows::MarkedOrAll => list.shown_columns(cx),
    };
    let rows = list
        .chosen_rows()
        .unwrap_or_else(|| match which.includes_all() {
            true => list.shown_rows(),
            false => list.rows_under_cursor(),
        });
    let cells = |row: usize| list.export_row(row, &columns, cx);
    Some(Table {
        rows: rows.into_iter().map(cells).collect(),
        columns: columns
            .iter()
            .map(|column| Column {
                key: column.key.to_owned(),
                title: column.file_heading(),
            })
            .collect(),
    })
}
