//! The list that has the focus, as keys and commands see it, whatever its rows are: what is
//! searched, counted, grouped, marked, copied and exported.
//!
//! Every list of a pane is one by its columns ([`List`](super::list::List)). Lists of records and
//! the queue, which are read page by page, say what their rows are and on which lines.

use serde_json::Value;

use super::Context;
use super::command::Availability;
use super::context::list_tables::FocusedColumns;
use super::list::AnyList;
use super::list_change::{ListChange, MarkChange};
use super::model::list_field::{RowValues, ValueFilter};
use super::model::list_table::{ColumnSpec, ListLines, ListTable};
use super::model::record_list::columns::{TEAM, export_value, frozen_column, table_of};
use super::model::record_list::{RecordList, RowCount};
use super::notice::Notice;
use super::overlay::picker::{PickerEntry, USUAL_ORDER};
use super::pane::Pane;
use super::selection::FocusedRows;
use super::shown_rows::{self, ShownRows};
use crate::domain::field_kind::ListSort;
use crate::domain::row_columns::RowValue;
use crate::domain::text_query::TextQuery;
use crate::export::table::{Table as ExportTable, plain_number};
use crate::ui::TextSpan;

pub trait FocusedList<'a> {
    /// Its columns; `None` for lines of text.
    fn columns(&self) -> Option<ListTable> {
        None
    }

    /// The line of the cursor; `None` while it has no rows.
    fn cursor(&self) -> Option<usize>;

    fn line_count(&self) -> usize {
        self.row_count()
    }

    /// How many of its rows are loaded.
    fn row_count(&self) -> usize;

    /// The lines with a loaded row, and that row.
    fn row_lines(&self) -> Box<dyn Iterator<Item = (usize, usize)> + 'a> {
        Box::new(std::iter::empty())
    }

    /// What a row has in a column.
    fn values(&self, _row: usize, _key: &str) -> RowValues<'a> {
        Vec::new()
    }

    /// What a row has in each of these columns, for other programs.
    fn export_row(&self, _row: usize, columns: &[ColumnSpec], _cx: &Context) -> Vec<Value> {
        vec![Value::Null; columns.len()]
    }

    /// Writes all that a row shows: what a search looks at.
    fn write_row(&self, _row: usize, _text: &mut String) {}

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
    fn wider_search(&self) -> &'static str {
        ""
    }

    /// What it is narrowed to by a search.
    fn query(&self) -> Option<&'a TextQuery> {
        None
    }

    /// The values of a column that its shown rows have.
    fn value_filter(&self) -> Option<&'a ValueFilter> {
        None
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
            .map_or_else(Vec::new, |table| cx.chosen_columns(&table))
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
    fn sort(&self, _cx: &Context) -> Option<ListSort> {
        None
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
        false
    }

    /// The column that it usually is grouped by, without a question.
    fn usual_group(&self) -> Option<&'static str> {
        None
    }

    /// The row under the cursor; on the heading of a thread, its first one.
    fn current_row(&self) -> Option<usize> {
        None
    }

    /// The row under the cursor, or those of its group.
    fn rows_under_cursor(&self) -> Vec<usize> {
        self.current_row().into_iter().collect()
    }

    /// The loaded rows that are shown, in order.
    fn shown_rows(&self) -> Vec<usize> {
        (0..self.row_count()).collect()
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

    /// Computes its lines again, in the user's order; they stay narrowed as they are.
    fn arrange(&self, _lines: &mut ListLines, _cx: &'a Context) {}
}

impl<'a, L: AnyList<'a>> FocusedList<'a> for L {
    fn arrange(&self, lines: &mut ListLines, cx: &'a Context) {
        cx.arrange_list(self, lines);
    }

    fn columns(&self) -> Option<ListTable> {
        Some(self.table())
    }

    fn cursor(&self) -> Option<usize> {
        let lines = self.lines();
        // Its rows may be gone, and its lines not computed again yet.
        let has_rows = !lines.is_empty() && self.len() > 0;
        has_rows.then_some(lines.scroll.cursor)
    }

    fn line_count(&self) -> usize {
        self.lines().len()
    }

    fn row_count(&self) -> usize {
        self.lines().row_count()
    }

    fn row_lines(&self) -> Box<dyn Iterator<Item = (usize, usize)> + 'a> {
        let lines = self.lines();
        let has_row = |line: &usize| lines.heading_on(*line).is_none();
        let rows = (0..lines.len()).filter(has_row);
        Box::new(rows.map(|line| (line, lines.row_on(line))))
    }

    fn values(&self, row: usize, key: &str) -> RowValues<'a> {
        AnyList::values(self, row, key)
    }

    /// Numbers and times in full, everything else as the cell shows it.
    fn export_row(&self, row: usize, columns: &[ColumnSpec], cx: &Context) -> Vec<Value> {
        let missing = cx.theme().glyphs().missing;
        let cells = self.cells(row, None, columns).into_iter().skip(1);
        let value = |(column, cell): (&ColumnSpec, Vec<TextSpan<'_>>)| {
            match AnyList::values(self, row, column.key).pop() {
                Some(RowValue::Number(number)) => return plain_number(&number.into()),
                Some(RowValue::Date(at)) => return cx.format_exported_time(at).into(),
                _ => {}
            }
            let text: String = cell.iter().map(|span| &*span.text).collect();
            match text.trim() {
                "" => Value::Null,
                text if text == missing => Value::Null,
                text => text.into(),
            }
        };
        columns.iter().zip(cells).map(value).collect()
    }

    fn write_row(&self, row: usize, text: &mut String) {
        AnyList::write_row(self, row, text);
    }

    fn wider_search(&self) -> &'static str {
        AnyList::wider_search(self)
    }

    fn query(&self) -> Option<&'a TextQuery> {
        self.lines().query()
    }

    fn value_filter(&self) -> Option<&'a ValueFilter> {
        self.lines().filter()
    }

    fn sort(&self, cx: &Context) -> Option<ListSort> {
        cx.list_sort(&self.table())
    }

    fn is_grouped(&self) -> bool {
        self.lines().group().is_some()
    }

    fn current_row(&self) -> Option<usize> {
        Some(self.lines().current_row()).filter(|row| *row < self.len())
    }

    fn rows_under_cursor(&self) -> Vec<usize> {
        let lines = self.lines();
        match lines.heading_on(lines.scroll.cursor) {
            Some(group) => group.rows.clone(),
            None => self.current_row().into_iter().collect(),
        }
    }

    fn shown_rows(&self) -> Vec<usize> {
        self.lines().rows().collect()
    }

    fn has_marks(&self) -> bool {
        AnyList::has_marks(self)
    }

    fn is_marked(&self, row: usize) -> bool {
        AnyList::is_marked(self, row)
    }
}

/// The list of records that has the focus.
struct FocusedRecords<'a>(&'a RecordList);

/// The list of records that has the focus, if one has.
pub fn focused_records(cx: &Context) -> Option<Box<dyn FocusedList<'_> + '_>> {
    Some(Box::new(FocusedRecords(cx.displayed_list()?)))
}

impl<'a> FocusedList<'a> for FocusedRecords<'a> {
    fn columns(&self) -> Option<ListTable> {
        Some(table_of(&self.0.source))
    }

    fn cursor(&self) -> Option<usize> {
        (self.0.line_count() > 0).then_some(self.0.scroll.cursor)
    }

    fn line_count(&self) -> usize {
        self.0.line_count()
    }

    fn row_count(&self) -> usize {
        self.0.len()
    }

    fn row_lines(&self) -> Box<dyn Iterator<Item = (usize, usize)> + 'a> {
        Box::new(self.0.row_lines())
    }

    fn values(&self, row: usize, key: &str) -> RowValues<'a> {
        self.0.values(row, key)
    }

    fn export_row(&self, row: usize, columns: &[ColumnSpec], cx: &Context) -> Vec<Value> {
        let Some(record) = self.0.rows().get(row) else {
            return vec![Value::Null; columns.len()];
        };
        let (fields, dataset) = (record.fields(), self.0.source.dataset());
        let value = |column: &ColumnSpec| match cx
            .team_words(&dataset, record.id)
            .filter(|_| column.key == TEAM.key)
        {
            Some(words) => words.into(),
            None => export_value(column, &fields),
        };
        columns.iter().map(value).collect()
    }

    fn write_row(&self, row: usize, text: &mut String) {
        self.0.write_row(row, text);
    }

    fn wider_search(&self) -> &'static str {
        "{records.narrow} searches the service"
    }

    fn query(&self) -> Option<&'a TextQuery> {
        self.0.narrowed_by()
    }

    fn value_filter(&self) -> Option<&'a ValueFilter> {
        self.0.value_filter()
    }

    fn shown_columns(&self, cx: &Context) -> Vec<ColumnSpec> {
        cx.list_columns(self.0)
    }

    fn all_columns(&self, cx: &Context) -> Vec<ColumnSpec> {
        cx.all_record_columns(self.0)
    }

    fn frozen_column(&self, shown: &[ColumnSpec]) -> usize {
        frozen_column(shown)
    }

    fn has_marks(&self) -> bool {
        true
    }

    fn has_ranges(&self) -> bool {
        true
    }

    fn sort(&self, _cx: &Context) -> Option<ListSort> {
        self.0.sort()
    }

    fn sort_columns(&self, cx: &Context) -> Vec<ColumnSpec> {
        cx.sortable_columns(self.0)
    }

    fn other_sorts(&self, cx: &Context) -> Vec<PickerEntry> {
        let usual = self.0.sort().map(|_| "the order in which they were read");
        let usual = usual.map(PickerEntry::of_usual_sort);
        usual.into_iter().chain(cx.service_sorts(self.0)).collect()
    }

    fn sort_note(&self, _cx: &Context) -> String {
        self.0.sort_note()
    }

    fn is_grouped(&self) -> bool {
        self.0.group().is_some()
    }

    fn current_row(&self) -> Option<usize> {
        self.0.index_of(self.0.current_record()?.id)
    }

    fn rows_under_cursor(&self) -> Vec<usize> {
        self.0.rows_under_cursor()
    }

    fn shown_rows(&self) -> Vec<usize> {
        self.0.shown_indexes()
    }

    fn is_marked(&self, row: usize) -> bool {
        let record = self.0.rows().get(row);
        record.is_some_and(|record| self.0.marks.contains(&record.id))
    }

    fn chosen_rows(&self) -> Option<Vec<usize>> {
        let ids = self.0.marked_ids().into_iter();
        let rows: Vec<usize> = ids.filter_map(|id| self.0.index_of(id)).collect();
        Some(rows).filter(|rows| !rows.is_empty())
    }

    fn total_label(&self) -> Option<String> {
        self.0
            .row_count()
            .filter(|count| count.is_capped || count.total > self.0.len() as u64)
            .map(RowCount::label)
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
        return change_records(change, cx);
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
        return cx.notice = Some(Notice::warning(text));
    }
    let order = sort.map(|sort| sort.to_string()).unwrap_or_default();
    cx.save_preference(&table.sort_preference(), &order);
    cx.notice = Some(Notice::info(sort.map_or_else(
        || "in the usual order".to_owned(),
        |sort| table.describe_sort(sort),
    )));
}

/// Computes the lines of a pane's list again; the cursor stays on its row.
pub fn rearrange<P: Pane + ?Sized>(pane: &mut P, row: usize, cx: &Context) {
    let Some(mut lines) = pane.list_lines_mut().map(std::mem::take) else {
        return;
    };
    if let Some(list) = pane.list(cx) {
        list.arrange(&mut lines, cx);
    }
    lines.move_to_row(Some(row));
    if let Some(place) = pane.list_lines_mut() {
        *place = lines;
    }
}

fn change_records(change: ListChange<'_>, cx: &mut Context) {
    let (id, list) = (cx.focused_list().cloned(), cx.displayed_list_mut());
    match (change, list) {
        (ListChange::MoveTo(line), Some(list)) => list.scroll.cursor = line,
        (ListChange::Narrow(query), Some(list)) => list.narrow(query),
        (ListChange::Filter(filter), Some(list)) => list.filter_values(filter),
        (ListChange::ToggleFold, Some(list)) => list.toggle_fold(),
        (ListChange::FoldAll { close }, Some(list)) => list.fold_all(close),
        (ListChange::Mark(change), Some(list)) => {
            let rows = rows_to_mark(&FocusedRecords(list), change);
            cx.change_record_marks(change, &rows);
        }
        (ListChange::Sort(order), Some(_)) => cx.sort_record_list(order),
        (ListChange::Group(column), _) => match id {
            Some(id) => cx.group_records(&id, column),
            None => cx.notice = Some(Notice::warning("there is no list with columns here")),
        },
        (_, None) => {}
    }
}
