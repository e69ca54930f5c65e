//! A list of records as keys and commands see it: its columns and cells, and what changes it.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use serde_json::Value;
use uuid::Uuid;

use crate::app::Context;
use crate::app::context::record_columns;
use crate::app::focused_list::{FocusedList, rows_to_mark};
use crate::app::list_change::ListChange;
use crate::app::model::list_field::RowValues;
use crate::app::model::list_table::{ColumnSpec, ListLines, ListTable};
use crate::app::model::record_list::columns::{
    FIRM, TEAM, export_value, frozen_column, record_cell, table_of,
};
use crate::app::model::record_list::{RecordList, RowCount};
use crate::app::overlay::picker::PickerEntry;
use crate::domain::field_kind::ListSort;
use crate::domain::records::Record;
use crate::ui::table::TableCell;
use crate::ui::{TextRole, TextSpan, text_span};

/// A list of records.
pub struct Records<'a> {
    list: &'a RecordList,
    /// The lines of the range being selected.
    range: Option<RangeInclusive<usize>>,
    cx: &'a Context,
}

impl<'a> Records<'a> {
    pub fn new(list: &'a RecordList, cx: &'a Context) -> Records<'a> {
        let range = list.range_lines();
        Records { list, range, cx }
    }

    fn state_mark(&self, id: Uuid, is_in_range: bool) -> TextSpan<'static> {
        if self.list.write_errors.contains_key(&id) {
            text_span(TextRole::Error, "!")
        } else if self.cx.outbox.is_record_pending(id) {
            text_span(TextRole::Warning, "~")
        } else if is_in_range || self.list.marks.contains(&id) {
            text_span(TextRole::Marked, self.cx.settings.theme.glyphs().marked)
        } else {
            text_span(TextRole::Text, " ")
        }
    }

    fn learned_text(&self, record: &Record, column: &ColumnSpec) -> Option<String> {
        record_columns::learned_text(
            &self.list.source,
            record,
            column.key,
            &self.cx.queue,
            &self.cx.records,
        )
    }
}

/// The list of records that has the focus, if one has.
pub fn focused_records(cx: &Context) -> Option<Box<dyn FocusedList<'_> + '_>> {
    Some(Box::new(Records::new(cx.displayed_list()?, cx)))
}

impl<'a> FocusedList<'a> for Records<'a> {
    fn columns(&self) -> Option<ListTable> {
        Some(table_of(&self.list.source))
    }

    fn lines(&self) -> Option<&'a ListLines> {
        Some(&self.list.lines)
    }

    fn row_count(&self) -> usize {
        self.list.len()
    }

    fn values(&self, row: usize, key: &str) -> RowValues<'a> {
        self.list.values(row, key)
    }

    fn cells(&self, row: usize, line: Option<usize>, columns: &[ColumnSpec]) -> Vec<TableCell<'a>> {
        let Some(record) = self.list.rows().get(row) else {
            return Vec::new();
        };
        let (fields, theme) = (record.fields(), self.cx.settings.theme);
        let is_here = line == Some(self.list.lines.scroll.cursor);
        let range = line.zip(self.range.as_ref());
        let is_in_range = range.is_some_and(|(line, range)| range.contains(&line));
        let state = self.state_mark(record.id, is_in_range);
        let cell = |column: &ColumnSpec| match self.learned_text(record, column) {
            Some(words) if column.key == TEAM.key => text_span(TextRole::Success, words).into(),
            Some(words) => text_span(TextRole::Text, words).into(),
            // Its field is an id.
            None if column.key == FIRM.key => {
                text_span(TextRole::Faint, theme.glyphs().missing).into()
            }
            None => record_cell(column, &fields, theme.glyphs()).into(),
        };
        let state = TableCell {
            text: theme.glyphs().cursor_span(is_here),
            tail: vec![state],
        };
        std::iter::once(state)
            .chain(columns.iter().map(cell))
            .collect()
    }

    fn export_row(&self, row: usize, columns: &[ColumnSpec], _cx: &Context) -> Vec<Value> {
        let Some(record) = self.list.rows().get(row) else {
            return vec![Value::Null; columns.len()];
        };
        let fields = record.fields();
        let value = |column: &ColumnSpec| match self.learned_text(record, column) {
            Some(words) => words.into(),
            None if column.key == FIRM.key => Value::Null,
            None => export_value(column, &fields),
        };
        columns.iter().map(value).collect()
    }

    fn write_row(&self, row: usize, text: &mut String) {
        self.list.write_row(row, text);
    }

    fn wider_search(&self) -> Cow<'static, str> {
        "{records.narrow} searches the service".into()
    }

    fn shown_columns(&self, cx: &Context) -> Vec<ColumnSpec> {
        cx.list_columns(self.list)
    }

    fn all_columns(&self, cx: &Context) -> Vec<ColumnSpec> {
        cx.all_record_columns(self.list)
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
        self.list.sort()
    }

    fn sort_direction(&self, column: &str, _cx: &Context) -> Option<bool> {
        self.list.sort_direction(column)
    }

    fn sort_columns(&self, cx: &Context) -> Vec<ColumnSpec> {
        cx.settings.sortable_columns(self.list)
    }

    fn other_sorts(&self, cx: &Context) -> Vec<PickerEntry> {
        let usual = self
            .list
            .sort()
            .map(|_| "the order in which they were read");
        let usual = usual.map(PickerEntry::of_usual_sort);
        usual
            .into_iter()
            .chain(cx.records.lists.service_sorts(self.list, &cx.clock))
            .collect()
    }

    fn sort_note(&self, _cx: &Context) -> String {
        self.list.sort_note()
    }

    fn is_marked(&self, row: usize) -> bool {
        let record = self.list.rows().get(row);
        record.is_some_and(|record| self.list.marks.contains(&record.id))
    }

    fn chosen_rows(&self) -> Option<Vec<usize>> {
        let ids = self.list.marked_ids().into_iter();
        let rows: Vec<usize> = ids.filter_map(|id| self.list.index_of(id)).collect();
        Some(rows).filter(|rows| !rows.is_empty())
    }

    fn total_label(&self) -> Option<String> {
        self.list
            .row_count()
            .filter(|count| count.is_capped || count.total > self.list.len() as u64)
            .map(RowCount::label)
    }
}

/// Changes the list of records that has the focus.
pub fn change_records(change: ListChange<'_>, cx: &mut Context) {
    if let ListChange::Mark(change) = change {
        let rows = focused_records(cx).map(|list| rows_to_mark(&*list, change));
        return cx.change_record_marks(change, &rows.unwrap_or_default());
    }
    let (id, list) = (
        cx.ui.focused_list().cloned(),
        cx.records.lists.shown_list_mut(cx.ui.focused_list()),
    );
    match (change, list) {
        (ListChange::MoveTo(line), Some(list)) => list.lines.scroll.cursor = line,
        (ListChange::Narrow(query), Some(list)) => list.narrow(query),
        (ListChange::Filter(filter), Some(list)) => list.filter_values(filter),
        (ListChange::ToggleFold, Some(list)) => list.lines.toggle_fold(),
        (ListChange::FoldAll { close }, Some(list)) => list.lines.fold_all(close),
        (ListChange::Sort(order), Some(_)) => cx.sort_record_list(order),
        (ListChange::Group(column), _) => match id {
            Some(id) => cx.group_records(&id, column),
            None => cx.ui.warn("there is no list with columns here"),
        },
        (ListChange::Mark(_), _) | (_, None) => {}
    }
}
