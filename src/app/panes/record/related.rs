//! The related records of a page as a list: its columns, which are those of the index, and what a
//! record has in them.

use super::RecordPage;
use crate::app::focused_list::FocusedList;
use crate::app::model::list_field::RowValues;
use crate::app::model::list_table::{ColumnSpec, ListLines, ListTable};
use crate::app::model::record_list::columns::{find_column, record_cell, record_values, table_of};
use crate::app::{Context, Screen, focused_list};
use crate::domain::SignalId;
use crate::domain::book::Dataset;
use crate::domain::column::text_column;
use crate::domain::records::Record;
use crate::domain::row_columns::RowValue;
use crate::domain::search::RecordSource;
use crate::domain::signals::Signal;
use crate::ui::table::TableCell;
use crate::ui::{TextRole, text_span};

/// What a filing says is being built, where its payload was read.
const WHAT: ColumnSpec = text_column("description", "WHAT").laid_out(16..=60, 0);
/// The phone of a firm: its page is opened to call somebody.
const PHONE: ColumnSpec = text_column("public_phone", "PHONE").laid_out(14..=14, 1);
/// At most this many signals of a page are described where that is free.
const MAX_DESCRIBED: usize = 200;

/// The related records that a tab of a page lists.
pub(super) struct RelatedList<'a> {
    /// Their dataset of the index, whose columns they have.
    pub(super) source: RecordSource,
    /// Whether the title names the project of every row.
    is_of_project: bool,
    lines: &'a ListLines,
    records: &'a [Record],
    cx: &'a Context,
}

impl<'a> RelatedList<'a> {
    /// `None` on a tab that lists none.
    pub(super) fn new(page: &'a RecordPage, cx: &'a Context) -> Option<RelatedList<'a>> {
        Some(RelatedList {
            source: RecordSource::Index(page.related_dataset()?),
            is_of_project: page.key.dataset == Dataset::Projects,
            lines: &page.lines,
            records: page.related_records(cx),
            cx,
        })
    }

    /// What is being built, as the filing of this signal says.
    fn work(&self, signal: &Record) -> Option<&'a str> {
        let facts = &self.cx.queue.facts;
        facts.filing_description(SignalId(signal.id))
    }
}

impl<'a> FocusedList<'a> for RelatedList<'a> {
    fn columns(&self) -> Option<ListTable> {
        let mut columns = table_of(&self.source).columns;
        match self.source.dataset() {
            Dataset::Accounts => {
                columns.retain(|column| column.key != PHONE.key);
                columns.insert(2, PHONE);
                // What it is comes before where it is.
                for kind in columns
                    .iter_mut()
                    .filter(|column| column.key == "account_types")
                {
                    kind.layout.drop_order = 1;
                }
            }
            Dataset::Signals => {
                if self.is_of_project {
                    columns.retain(|column| column.key != "project_name");
                }
                if self.records.iter().any(|row| self.work(row).is_some()) {
                    columns.insert(usize::from(!self.is_of_project), WHAT);
                }
            }
            _ => {}
        }
        Some(ListTable {
            name: format!("related.{}", self.source.dataset()).into(),
            state_width: 1,
            columns,
        })
    }

    fn lines(&self) -> Option<&'a ListLines> {
        Some(self.lines)
    }

    fn row_count(&self) -> usize {
        self.records.len()
    }

    fn values(&self, row: usize, key: &str) -> RowValues<'a> {
        if key == WHAT.key {
            let work = self.records.get(row).and_then(|signal| self.work(signal));
            return RowValue::text(work).into_iter().collect();
        }
        let column = find_column(&self.source, key);
        let values = column.zip(self.records.get(row));
        values.map_or_else(Vec::new, |(column, record)| record_values(column, record))
    }

    fn cells(&self, row: usize, line: Option<usize>, columns: &[ColumnSpec]) -> Vec<TableCell<'a>> {
        let record = self.records.get(row);
        let fields = record.map(Record::fields).unwrap_or_default();
        let is_here =
            line == Some(self.lines.scroll.cursor) && self.cx.frame.layout().side_has_focus;
        let theme = self.cx.settings.theme;
        let cells = columns
            .iter()
            .map(|column| match record.and_then(|signal| self.work(signal)) {
                Some(work) if column.key == WHAT.key => text_span(TextRole::Text, work),
                _ => record_cell(column, &fields, theme.glyphs()),
            })
            .map(TableCell::from);
        std::iter::once(theme.glyphs().cursor_span(is_here).into())
            .chain(cells)
            .collect()
    }
}

impl RecordPage {
    /// Has the signals that the tab lists described, where that is free.
    pub(super) fn describe_signals(&self, cx: &mut Context) {
        let is_listed = self.related_dataset() == Some(Dataset::Signals);
        let records = self.related_records(cx).iter().take(MAX_DESCRIBED);
        let records = records.filter(|_| is_listed);
        let signals: Vec<Signal> = records
            .filter_map(|record| record.fields().parse())
            .collect();
        cx.describe_listed(Screen::Record, signals.iter());
    }

    /// Computes the lines of the related records in the user's order.
    pub(super) fn arrange_related(&mut self, cx: &Context) {
        let mut lines = std::mem::take(&mut self.lines);
        if let Some(list) = RelatedList::new(self, cx) {
            focused_list::arrange_list(&list, &mut lines, &cx.settings);
        }
        self.lines = lines;
    }
}
