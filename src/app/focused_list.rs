//! The list that has the focus, as keys and commands see it, whatever its rows are: what is
//! searched, counted, grouped, copied and exported.
//!
//! Every list of a pane is one by its columns ([`List`](super::list::List)); lists of records and
//! the queue, which are read page by page, say it themselves.

use super::Context;
use super::command::Availability;
use super::context::list_tables::FocusedColumns;
use super::list::AnyList;
use super::list_change::ListChange;
use super::model::list_field::{RowValues, ValueFilter};
use super::model::list_table::{ColumnSpec, ListLines, ListTable};
use super::model::record_list::columns::table_of;
use super::model::record_list::{RecordList, RowCount};
use super::notice::Notice;
use super::overlay::picker::{PickerEntry, USUAL_ORDER};
use super::pane::Pane;
use super::selection::FocusedRows;
use super::shown_rows::{self, ShownRows};
use crate::domain::field_kind::ListSort;
use crate::domain::text_query::TextQuery;
use crate::export::table::Table as ExportTable;

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

    /// Visits the loaded lines, each with all that it shows as text: what a search looks at.
    fn visit_lines(&self, visit: &mut dyn FnMut(usize, &str));

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

    /// The columns that its rows are counted, grouped and narrowed by, the ones that are shown
    /// first.
    fn all_columns(&self, _cx: &Context) -> Vec<ColumnSpec> {
        Vec::new()
    }

    /// The columns as they are laid out, for scrolling them sideways.
    fn layout(&self, _cx: &Context) -> Option<FocusedColumns> {
        None
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

    /// The values of a column, for each loaded row.
    fn column_values(&self, _key: &str) -> Vec<RowValues<'a>> {
        Vec::new()
    }

    /// What the row under the cursor has in a column.
    fn current_values(&self, _key: &str) -> RowValues<'a> {
        Vec::new()
    }

    /// The loaded rows that are shown, in order.
    fn shown_rows(&self) -> Vec<usize> {
        (0..self.row_count()).collect()
    }

    fn marked_rows(&self) -> Vec<usize> {
        Vec::new()
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
    fn exported_rows(&self, _which: ShownRows, _cx: &Context) -> Option<ExportTable> {
        None
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

    fn visit_lines(&self, visit: &mut dyn FnMut(usize, &str)) {
        let (lines, mut text) = (self.lines(), String::new());
        for line in (0..lines.len()).filter(|line| lines.heading_on(*line).is_none()) {
            text.clear();
            self.write_row(lines.row_on(line), &mut text);
            visit(line, &text);
        }
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

    fn all_columns(&self, cx: &Context) -> Vec<ColumnSpec> {
        let table = self.table();
        table.shown_first(&cx.chosen_columns(&table))
    }

    fn layout(&self, cx: &Context) -> Option<FocusedColumns> {
        let table = self.table();
        let columns = table.layouts(&cx.chosen_columns(&table));
        Some((table.columns_preference(), columns, 1))
    }

    fn sort(&self, cx: &Context) -> Option<ListSort> {
        cx.list_sort(&self.table())
    }

    fn is_grouped(&self) -> bool {
        self.lines().group().is_some()
    }

    fn column_values(&self, key: &str) -> Vec<RowValues<'a>> {
        (0..self.lines().row_count())
            .map(|row| self.values(row, key))
            .collect()
    }

    fn current_values(&self, key: &str) -> RowValues<'a> {
        let row = self.lines().current_row();
        if row < self.len() {
            self.values(row, key)
        } else {
            Vec::new()
        }
    }

    fn shown_rows(&self) -> Vec<usize> {
        self.lines().rows().collect()
    }

    fn has_marks(&self) -> bool {
        AnyList::has_marks(self)
    }

    fn marked_rows(&self) -> Vec<usize> {
        let rows = self.lines().rows();
        rows.filter(|row| self.is_marked(*row)).collect()
    }

    fn exported_rows(&self, which: ShownRows, cx: &Context) -> Option<ExportTable> {
        Some(shown_rows::rows_of_list(self, which, cx))
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

    fn visit_lines(&self, visit: &mut dyn FnMut(usize, &str)) {
        self.0.visit_lines(visit);
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

    fn all_columns(&self, cx: &Context) -> Vec<ColumnSpec> {
        cx.all_record_columns(self.0)
    }

    fn layout(&self, cx: &Context) -> Option<FocusedColumns> {
        Some(cx.focused_record_columns(self.0))
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

    fn column_values(&self, key: &str) -> Vec<RowValues<'a>> {
        self.0.column_values(key)
    }

    fn current_values(&self, key: &str) -> RowValues<'a> {
        self.0.current_values(key)
    }

    fn shown_rows(&self) -> Vec<usize> {
        self.0.shown_indexes()
    }

    fn marked_rows(&self) -> Vec<usize> {
        self.0.marked_indexes()
    }

    fn total_label(&self) -> Option<String> {
        self.0
            .row_count()
            .filter(|count| count.is_capped || count.total > self.0.len() as u64)
            .map(RowCount::label)
    }

    fn exported_rows(&self, which: ShownRows, cx: &Context) -> Option<ExportTable> {
        Some(shown_rows::rows_of_records(self.0, which, cx))
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
        (ListChange::Mark(change), Some(_)) => cx.change_record_marks(change),
        (ListChange::Sort(order), Some(_)) => cx.sort_record_list(order),
        (ListChange::Group(column), _) => match id {
            Some(id) => cx.group_records(&id, column),
            None => cx.notice = Some(Notice::warning("there is no list with columns here")),
        },
        (_, None) => {}
    }
}
