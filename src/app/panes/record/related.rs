//! The related records of a page as a list: its columns, which are those of the index, and what a
//! record has in them.

use std::sync::LazyLock;

use super::RecordPage;
use crate::app::Context;
use crate::app::model::list_table::{ColumnValues, ListColumn, ListTable};
use crate::app::model::record_list::columns::{RecordColumn, available_columns};
use crate::domain::book::Dataset;
use crate::domain::records::{Record, RecordFields};
use crate::domain::row_fields::RowValue;
use crate::domain::search::RecordSource;
use crate::ui::{TextRole, TextSpan, table, text_span};

/// A list of related records.
struct RelatedTable {
    table: ListTable,
    columns: Vec<RecordColumn>,
}

static ACCOUNTS: LazyLock<RelatedTable> =
    LazyLock::new(|| RelatedTable::new("related.accounts", Dataset::Accounts));
static CONTACTS: LazyLock<RelatedTable> =
    LazyLock::new(|| RelatedTable::new("related.contacts", Dataset::Contacts));
static PROJECTS: LazyLock<RelatedTable> =
    LazyLock::new(|| RelatedTable::new("related.projects", Dataset::Projects));
static SIGNALS: LazyLock<RelatedTable> =
    LazyLock::new(|| RelatedTable::new("related.signals", Dataset::Signals));

impl RelatedTable {
    /// Made once for each dataset, for as long as the program runs.
    fn new(name: &'static str, dataset: Dataset) -> RelatedTable {
        let (usual, more) = available_columns(&RecordSource::Index(dataset));
        let columns: Vec<RecordColumn> = usual.iter().chain(more).copied().collect();
        let list_column = |(at, column): (usize, &RecordColumn)| ListColumn {
            key: column.field,
            layout: column.layout,
            values: column.usual_sort().values,
            is_shown: at < usual.len(),
        };
        let list_columns: Vec<ListColumn> = columns.iter().enumerate().map(list_column).collect();
        RelatedTable {
            table: ListTable {
                name,
                state_width: 1,
                columns: list_columns.leak(),
            },
            columns,
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

pub(super) fn table_of(dataset: &Dataset) -> &'static ListTable {
    &RelatedTable::of(dataset).table
}

/// The cells of a record: its state, then all columns.
pub(super) fn record_cells(
    dataset: &Dataset,
    record: Option<&Record>,
    has_cursor: bool,
    cx: &Context,
) -> Vec<[TextSpan<'static>; 1]> {
    let (theme, fields) = (cx.theme(), record.map(Record::fields).unwrap_or_default());
    let state = text_span(
        TextRole::Focus,
        if has_cursor {
            theme.glyphs().cursor
        } else {
            " "
        },
    );
    let cells = RelatedTable::of(dataset)
        .columns
        .iter()
        .map(|column| [column.cell(&fields, theme.glyphs())]);
    std::iter::once([state]).chain(cells).collect()
}

impl RecordPage {
    /// Computes the lines of the related records in the user's order.
    pub(super) fn arrange_related(&mut self, cx: &Context) {
        let Some(dataset) = self.related_dataset() else {
            return;
        };
        let (table, rows) = (table_of(&dataset), self.related_records(cx));
        let fields: Vec<RecordFields> = rows.iter().map(Record::fields).collect();
        let values = |key: &str| {
            table
                .columns
                .iter()
                .find(|column| column.key == key)
                .map(|column| column.values)
        };
        let mut lines = std::mem::take(&mut self.lines);
        cx.arrange_list(
            (table, &mut lines),
            fields.len(),
            |row, key| field_value(&fields[row], key, values(key)?),
            |row, text| {
                table::write_cells(&record_cells(&dataset, rows.get(row), false, cx), text);
            },
        );
        self.lines = lines;
    }
}

/// What a record has in a column, to sort by.
fn field_value<'a>(
    fields: &'a RecordFields,
    field: &str,
    values: ColumnValues,
) -> Option<RowValue<'a>> {
    match values {
        ColumnValues::Number => fields.number(field)?.as_f64().map(RowValue::Number),
        ColumnValues::Date => fields.date_time(field)?.date_time().map(RowValue::Date),
        ColumnValues::Text | ColumnValues::Rank => match fields.list(field).as_slice() {
            [] => RowValue::text(fields.text(field)),
            words => Some(RowValue::Text(words.join(", ").into())),
        },
    }
}
