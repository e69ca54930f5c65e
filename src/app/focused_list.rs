//! The list that has the focus, as keys and commands see it, whatever its rows are: what is
//! searched, counted, grouped, marked, copied and exported.
//!
//! Every list of a pane is one by its columns ([`List`](super::list::List)). What a list can do
//! follows from its columns, its lines and its values; the queue, whose rows are read page by page,
//! has lines of its own.

use std::borrow::Cow;

use serde_json::Value;

use super::Context;
use super::command::Availability;
use super::context::frame::FocusedColumns;
use super::list_change::{ListChange, MarkChange};
use super::model::list_field::{RowValues, ValueFilter};
use super::model::list_table::{ColumnSpec, ListLines, ListTable};
use super::overlay::picker::{PickerEntry, USUAL_ORDER};
use super::pane::Pane;
use super::panes::records::list as records_list;
use super::selection::FocusedRows;
use super::shown_rows::{self, ShownRows};
use crate::app::AppSettings;
use crate::app::model::list_table::{ListArrangement, amount_column};
use crate::domain::field_kind::ListSort;
use crate::domain::row_columns::RowValue;
use crate::domain::text_query::TextQuery;
use crate::export::table::{Table as ExportTable, plain_number};
use crate::ui::table::TableCell;

pub trait FocusedList<'a> {
    /// Its columns; `None` for lines of text.
    fn columns(&self) -> Option<ListTable> {
        None
    }

    /// On which lines its rows are; `None` if it has lines of its own, or is text.
    fn lines(&self) -> Option<&'a ListLines> {
        None
    }

    /// How many of its rows are loaded, whether a line shows them or not.
    fn row_count(&self) -> usize;

    /// The line of the cursor; `None` while it has no rows.
    fn cursor(&self) -> Option<usize> {
        let lines = self.lines()?;
        // Its rows may be gone, and its lines not computed again yet.
        let has_rows = !lines.is_empty() && self.row_count() > 0;
        has_rows.then_some(lines.scroll.cursor)
    }

    fn line_count(&self) -> usize {
        self.lines()
            .map_or_else(|| self.row_count(), ListLines::len)
    }

    /// The lines with a loaded row, and that row.
    fn row_lines(&self) -> Box<dyn Iterator<Item = (usize, usize)> + 'a> {
        Box::new(self.lines().into_iter().flat_map(ListLines::row_lines))
    }

    /// What a row has in a column.
    fn values(&self, _row: usize, _key: &str) -> RowValues<'a> {
        Vec::new()
    }

    /// The state of a row and these of its columns, as they are on a line, or as text.
    fn cells(
        &self,
        _row: usize,
        _line: Option<usize>,
        _columns: &[ColumnSpec],
    ) -> Vec<TableCell<'a>> {
        Vec::new()
    }

    /// What a row has in each of these columns, for other programs: numbers and times in full,
    /// everything else as the cell shows it.
    fn export_row(&self, row: usize, columns: &[ColumnSpec], cx: &Context) -> Vec<Value> {
        let missing = cx.settings.theme.glyphs().missing;
        let cells = self.cells(row, None, columns).into_iter().skip(1);
        let value = |(column, cell): (&ColumnSpec, TableCell<'_>)| {
            match self.values(row, column.key).pop() {
                Some(RowValue::Number(number)) => return plain_number(&number.into()),
                Some(RowValue::Date(at)) => return cx.clock.format_exported_time(at).into(),
                _ => {}
            }
            let text: String = cell.spans().map(|span| &*span.text).collect();
            match text.trim() {
                "" => Value::Null,
                text if text == missing => Value::Null,
                text => text.into(),
            }
        };
        columns.iter().zip(cells).map(value).collect()
    }

    /// Writes all that a row shows: what a search looks at.
    fn write_row(&self, row: usize, text: &mut String) {
        let columns = self.columns().map_or_else(Vec::new, |table| table.columns);
        write_cells(self.cells(row, None, &columns).into_iter().skip(1), text);
    }

    /// Visits the loaded lines, each with all that it shows as text.
    fn visit_lines(&self, visit: &mut dyn FnMut(usize, &str)) {
        let mut text = String::new();
        for (line, row) in self.row_lines() {
            text.clear();
            self.write_row(row, &mut text);
            visit(line, &text);
        }
    }

    /// Where else to look for what is not in the loaded rows, with keys in braces.
    fn wider_search(&self) -> Cow<'static, str> {
        "".into()
    }

    /// How many loaded rows lack what a search would look at.
    fn unread_rows(&self) -> usize {
        0
    }

    /// What it is narrowed to by a search.
    fn query(&self) -> Option<&'a TextQuery> {
        self.lines()?.query()
    }

    /// The values of a column that its shown rows have.
    fn value_filter(&self) -> Option<&'a ValueFilter> {
        self.lines()?.filter()
    }

    /// Whether the service filters all rows by a value of a column, and not this machine the loaded
    /// ones.
    fn is_filtered_by_service(&self, _column: &str) -> bool {
        false
    }

    /// How the filter by values is removed, with keys in braces.
    fn filter_clear_hint(&self) -> &'static str {
        "{back} shows all"
    }

    /// The columns that it shows.
    fn shown_columns(&self, cx: &Context) -> Vec<ColumnSpec> {
        self.columns()
            .map_or_else(Vec::new, |table| cx.settings.chosen_columns(&table))
    }

    /// The columns that its rows are counted, grouped and narrowed by, the ones that are shown
    /// first.
    fn all_columns(&self, cx: &Context) -> Vec<ColumnSpec> {
        self.columns()
            .map_or_else(Vec::new, |table| table.shown_first(&self.shown_columns(cx)))
    }

    /// Which of these columns, after the row's state, stays when they are scrolled sideways.
    fn frozen_column(&self, _shown: &[ColumnSpec]) -> usize {
        1
    }

    /// The columns as they are laid out, for scrolling them sideways.
    fn layout(&self, cx: &Context) -> Option<FocusedColumns> {
        let (table, shown) = (self.columns()?, self.shown_columns(cx));
        Some((
            table.columns_preference(),
            table.layouts(&shown),
            self.frozen_column(&shown),
        ))
    }

    /// The order of its loaded rows that the user chose; `None` for the usual one.
    fn sort(&self, cx: &Context) -> Option<ListSort> {
        cx.settings.list_sort(&self.columns()?)
    }

    /// Whether its rows are sorted by a column, and if so, whether ascending.
    fn sort_direction(&self, column: &str, cx: &Context) -> Option<bool> {
        let sort = self.sort(cx).filter(|sort| sort.key == column)?;
        Some(!sort.is_descending)
    }

    /// The columns that it can be sorted by, the most likely first.
    fn sort_columns(&self, _cx: &Context) -> Vec<ColumnSpec> {
        self.columns().map_or(Vec::new(), |table| table.columns)
    }

    /// The other orders that it can have.
    fn other_sorts(&self, _cx: &Context) -> Vec<PickerEntry> {
        vec![PickerEntry::of_usual_sort("the usual order")]
    }

    /// Which rows are sorted, and for what price.
    fn sort_note(&self, _cx: &Context) -> String {
        "loaded rows, 0 cr".to_owned()
    }

    fn is_grouped(&self) -> bool {
        self.lines().is_some_and(|lines| lines.group().is_some())
    }

    /// The column that it usually is grouped by, without a question.
    fn usual_group(&self) -> Option<&'static str> {
        None
    }

    /// The row under the cursor; on the heading of a thread, its first one.
    fn current_row(&self) -> Option<usize> {
        Some(self.lines()?.current_row()).filter(|row| *row < self.row_count())
    }

    /// The row under the cursor, or those of its group.
    fn rows_under_cursor(&self) -> Vec<usize> {
        match self.lines() {
            Some(lines) => lines.rows_under_cursor(),
            None => self.current_row().into_iter().collect(),
        }
    }

    /// The loaded rows that are shown, in order.
    fn shown_rows(&self) -> Vec<usize> {
        match self.lines() {
            Some(lines) => lines.rows().collect(),
            None => (0..self.row_count()).collect(),
        }
    }

    fn is_marked(&self, _row: usize) -> bool {
        false
    }

    /// The marked rows that are shown, in order.
    fn marked_rows(&self) -> Vec<usize> {
        let mut rows = self.shown_rows();
        rows.retain(|row| self.is_marked(*row));
        rows
    }

    /// These and the rows of a range; `None` if the user chose none.
    fn chosen_rows(&self) -> Option<Vec<usize>> {
        Some(self.marked_rows()).filter(|rows| !rows.is_empty())
    }

    /// Whether its rows can be marked: something acts on several.
    fn has_marks(&self) -> bool {
        false
    }

    /// Whether a range of its rows can be marked.
    fn has_ranges(&self) -> bool {
        false
    }

    /// Whether the row under the cursor, or its group, can be marked, or why not.
    fn can_mark_row(&self) -> Availability {
        match (self.has_marks(), self.cursor()) {
            (_, None) => Err("there are no rows here".into()),
            (false, _) => Err("rows cannot be marked here".into()),
            (true, Some(_)) => Ok(()),
        }
    }

    fn focused_rows(&self) -> FocusedRows {
        FocusedRows {
            exist: self.cursor().is_some(),
            is_grouped: self.is_grouped(),
            has_marks: self.has_marks(),
            has_ranges: self.has_ranges(),
            can_mark_row: self.can_mark_row(),
        }
    }

    /// How many rows it has if not all are loaded, as far as that is known.
    fn total_label(&self) -> Option<String> {
        None
    }

    /// The rows as it shows them, to be copied or exported.
    fn exported_rows(&self, which: ShownRows, cx: &Context) -> Option<ExportTable> {
        shown_rows::export_rows(self, which, cx)
    }
}

/// Writes cells as a text to search.
pub fn write_cells<'a>(cells: impl Iterator<Item = TableCell<'a>>, text: &mut String) {
    for cell in cells {
        for span in cell.spans() {
            text.push_str(&span.text);
            text.push(' ');
        }
    }
}

/// The rows that a change of marks is about.
pub fn rows_to_mark<'a>(list: &dyn FocusedList<'a>, change: MarkChange<'_>) -> Vec<usize> {
    let shown = || list.shown_rows().into_iter();
    match change {
        MarkChange::Row => list.rows_under_cursor(),
        MarkChange::Invert | MarkChange::All => list.shown_rows(),
        MarkChange::Matches(query) => {
            let mut is_match = query.row_matcher(|row, text| list.write_row(row, text));
            shown().filter(|row| is_match(*row)).collect()
        }
        MarkChange::Having(filter) => {
            let has_value = |row: &usize| filter.matches(&list.values(*row, filter.column.key));
            shown().filter(has_value).collect()
        }
        MarkChange::Range | MarkChange::None => Vec::new(),
    }
}

/// Changes the list of a pane, or the list of records that has the focus.
pub fn change_list<P: Pane + ?Sized>(pane: &mut P, change: ListChange<'_>, cx: &mut Context) {
    if pane.list_lines_mut().is_none() {
        return records_list::change_records(change, cx);
    }
    if let ListChange::Group(column) = change {
        let table = pane.list(cx).and_then(|list| list.columns());
        if let Some(table) = table {
            let column = column.and_then(|key| table.column(key));
            cx.save_group(&table.group_preference(), column);
        }
    }
    if let ListChange::Sort(order) = change {
        save_sort(pane, order, cx);
    }
    let Some(lines) = pane.list_lines_mut() else {
        return;
    };
    let row = lines.current_row();
    match change {
        ListChange::MoveTo(line) => return lines.scroll.cursor = line,
        ListChange::Narrow(query) => lines.set_query(query),
        ListChange::Filter(filter) => lines.set_filter(filter),
        ListChange::Sort(_) | ListChange::Group(_) => {}
        ListChange::ToggleFold => return lines.toggle_fold(),
        ListChange::FoldAll { close } => return lines.fold_all(close),
        // Only a pane with marks has them.
        ListChange::Mark(_) => return,
    }
    rearrange(pane, row, cx);
}

/// Keeps the order that the user chose for the list of a pane, and says it.
fn save_sort<P: Pane + ?Sized>(pane: &mut P, order: &str, cx: &mut Context) {
    let Some(table) = pane.list(cx).and_then(|list| list.columns()) else {
        return;
    };
    let sort = table.parse_sort(order);
    if sort.is_none() && order != USUAL_ORDER {
        let text = format!("cannot sort by {order}: this list has no such column");
        return cx.ui.warn(text);
    }
    let order = sort.map(|sort| sort.to_string()).unwrap_or_default();
    cx.settings
        .save_preference(&table.sort_preference(), &order, &mut cx.work);
    cx.ui.inform(sort.map_or_else(
        || "in the usual order".to_owned(),
        |sort| table.describe_sort(sort),
    ));
}

/// Computes the lines of a pane's list again; the cursor stays on its row.
pub fn rearrange<P: Pane + ?Sized>(pane: &mut P, row: usize, cx: &Context) {
    let Some(mut lines) = pane.list_lines_mut().map(std::mem::take) else {
        return;
    };
    if let Some(list) = pane.list(cx) {
        arrange_list(&*list, &mut lines, &cx.settings);
    }
    lines.move_to_row(Some(row));
    if let Some(place) = pane.list_lines_mut() {
        *place = lines;
    }
}

/// Computes the lines of a list again: sorted and grouped as the user chose, and narrowed as
/// before.
pub fn arrange_list<'a>(list: &dyn FocusedList<'a>, lines: &mut ListLines, settings: &AppSettings) {
    let Some(table) = list.columns() else { return };
    let group = settings.preference(&table.group_preference());
    let arrangement = ListArrangement {
        sort: settings.list_sort(&table),
        group: table.column(group).copied(),
        amount: amount_column(&table.columns).copied(),
    };
    lines.arrange(
        list.row_count(),
        arrangement,
        |row, key| list.values(row, key),
        |row, text| list.write_row(row, text),
    );
}
