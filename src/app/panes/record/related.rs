//! The related records of a page as a list: its columns, which are those of the index, and what a
//! record has in them.

use super::RecordPage;
use crate::app::focused_list::FocusedList;
use crate::app::model::list_field::RowValues;
use crate::app::model::list_table::{ColumnSpec, ListLines, ListTable};
use crate::app::model::record_list::columns::{find_column, record_cell, record_values, table_of};
use crate::app::{Context, focused_list};
use crate::domain::records::Record;
use crate::domain::search::RecordSource;
use crate::ui::table::TableCell;

/// The related records that a tab of a page lists.
pub(super) struct RelatedList<'a> {
    /// Their dataset of the index, whose columns they have.
    pub(super) source: RecordSource,
    lines: &'a ListLines,
    records: &'a [Record],
    cx: &'a Context,
}

impl<'a> RelatedList<'a> {
    /// `None` on a tab that lists none.
    pub(super) fn new(page: &'a RecordPage, cx: &'a Context) -> Option<RelatedList<'a>> {
        Some(RelatedList {
            source: RecordSource::Index(page.related_dataset()?),
            lines: &page.lines,
            records: page.related_records(cx),
            cx,
        })
    }
}

impl<'a> FocusedList<'a> for RelatedList<'a> {
    fn columns(&self) -> Option<ListTable> {
        Some(ListTable {
            name: format!("related.{}", self.source.dataset()).into(),
            state_width: 1,
            ..table_of(&self.source)
        })
    }

    fn lines(&self) -> Option<&'a ListLines> {
        Some(self.lines)
    }

    fn row_count(&self) -> usize {
        self.records.len()
    }

    fn values(&self, row: usize, key: &str) -> RowValues<'a> {
        let column = find_column(&self.source, key);
        let values = column.zip(self.records.get(row));
        values.map_or_else(Vec::new, |(column, record)| record_values(column, record))
    }

    fn cells(&self, row: usize, line: Option<usize>, columns: &[ColumnSpec]) -> Vec<TableCell<'a>> {
        let fields = self
            .records
            .get(row)
            .map(Record::fields)
            .unwrap_or_default();
        let is_here =
            line == Some(self.lines.scroll.cursor) && self.cx.frame.layout().side_has_focus;
        let theme = self.cx.settings.theme;
        let cells = columns
            .iter()
            .map(|column| record_cell(column, &fields, theme.glyphs()).into());
        std::iter::once(theme.glyphs().cursor_span(is_here).into())
            .chain(cells)
            .collect()
    }
}

impl RecordPage {
    /// Computes the lines of the related records in the user's order.
    pub(super) fn arrange_related(&mut self, cx: &Context) {
        let mut lines = std::mem::take(&mut self.lines);
        if let Some(list) = RelatedList::new(self, cx) {
            focused_list::arrange_list(&list, &mut lines, &cx.settings);
        }
        self.lines = lines;
    }
}
