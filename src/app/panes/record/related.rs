//! The related records of a page as a list: its columns, which are those of the index, and what a
//! record has in them.

use std::sync::LazyLock;

use super::RecordPage;
use crate::app::Context;
use crate::app::list::AnyList;
use crate::app::model::list_field::RowValues;
use crate::app::model::list_table::{ColumnSpec, ListLines, ListTable};
use crate::app::model::record_list::columns::{RecordColumn, available_columns};
use crate::domain::book::Dataset;
use crate::domain::records::Record;
use crate::domain::search::RecordSource;
use crate::ui::TextSpan;

/// A list of related records.
struct RelatedTable {
    table: ListTable,
    columns: Vec<RecordColumn>,
    list_columns: Vec<ColumnSpec>,
}

static ACCOUNTS: LazyLock<RelatedTable> = LazyLock::new(|| {
    RelatedTable::new("related.accounts", Dataset::Accounts, |at| {
        ACCOUNTS.list_columns.get(at)
    })
});
static CONTACTS: LazyLock<RelatedTable> = LazyLock::new(|| {
    RelatedTable::new("related.contacts", Dataset::Contacts, |at| {
        CONTACTS.list_columns.get(at)
    })
});
static PROJECTS: LazyLock<RelatedTable> = LazyLock::new(|| {
    RelatedTable::new("related.projects", Dataset::Projects, |at| {
        PROJECTS.list_columns.get(at)
    })
});
static SIGNALS: LazyLock<RelatedTable> = LazyLock::new(|| {
    RelatedTable::new("related.signals", Dataset::Signals, |at| {
        SIGNALS.list_columns.get(at)
    })
});

impl RelatedTable {
    /// Made once for each dataset, for as long as the program runs.
    fn new(
        name: &'static str,
        dataset: Dataset,
        column_at: fn(usize) -> Option<&'static ColumnSpec>,
    ) -> RelatedTable {
        let (usual, more) = available_columns(&RecordSource::Index(dataset));
        let columns: Vec<RecordColumn> = usual.iter().chain(more).copied().collect();
        let list_column = |(at, column): (usize, &RecordColumn)| ColumnSpec {
            key: column.field,
            layout: column.layout,
            kind: column.usual_sort().kind,
            is_shown: at < usual.len(),
        };
        let list_columns = columns.iter().enumerate().map(list_column).collect();
        RelatedTable {
            table: ListTable {
                name,
                state_width: 1,
                column_at,
            },
            columns,
            list_columns,
        }
    }

    fn of(dataset: &Dataset) -> &'static RelatedTable {
        match dataset {
            Dataset::Accounts => &ACCOUNTS,
            Dataset::Contacts => &CONTACTS,
            Dataset::Projects => &PROJECTS,
            _ => &SIGNALS,
        }
    }
}

/// The related records that a tab of a page lists.
pub(super) struct RelatedList<'a> {
    pub(super) dataset: Dataset,
    lines: &'a ListLines,
    records: &'a [Record],
    cx: &'a Context,
}

impl<'a> RelatedList<'a> {
    /// `None` on a tab that lists none.
    pub(super) fn new(page: &'a RecordPage, cx: &'a Context) -> Option<RelatedList<'a>> {
        Some(RelatedList {
            dataset: page.related_dataset()?,
            lines: &page.lines,
            records: page.related_records(cx),
            cx,
        })
    }

    fn columns(&self) -> &'static [RecordColumn] {
        &RelatedTable::of(&self.dataset).columns
    }
}

impl<'a> AnyList<'a> for RelatedList<'a> {
    fn table(&self) -> ListTable {
        RelatedTable::of(&self.dataset).table
    }

    fn lines(&self) -> &'a ListLines {
        self.lines
    }

    fn len(&self) -> usize {
        self.records.len()
    }

    fn values(&self, row: usize, key: &str) -> RowValues<'a> {
        let column = self.columns().iter().find(|column| column.field == key);
        let record = self.records.get(row);
        let values = column.zip(record);
        values.map_or_else(Vec::new, |(column, record)| column.values(record))
    }

    fn cells(&self, row: usize, line: Option<usize>) -> Vec<Vec<TextSpan<'a>>> {
        let fields = self
            .records
            .get(row)
            .map(Record::fields)
            .unwrap_or_default();
        let is_here = line == Some(self.lines.scroll.cursor) && self.cx.layout().side_has_focus;
        let theme = self.cx.theme();
        let cells = self.columns().iter();
        let cells = cells.map(|column| vec![column.cell(&fields, theme.glyphs())]);
        std::iter::once(vec![self.cx.cursor_span(is_here)])
            .chain(cells)
            .collect()
    }
}

impl RecordPage {
    /// Computes the lines of the related records in the user's order.
    pub(super) fn arrange_related(&mut self, cx: &Context) {
        let mut lines = std::mem::take(&mut self.lines);
        if let Some(list) = RelatedList::new(self, cx) {
            cx.arrange_list(&list, &mut lines);
        }
        self.lines = lines;
    }
}
