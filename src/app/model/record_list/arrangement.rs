//! How the loaded rows of a list are arranged on this machine: sorted, grouped and narrowed,
//! without a request.

use std::collections::BTreeSet;

use uuid::Uuid;

use super::columns::{available_columns, find_column, record_values};
use super::sorting::sort_rows;
use super::{RecordList, write_row_text};
use crate::app::model::frequency::amount_of;
use crate::app::model::list_field::{FieldKind, RowValues, ValueFilter};
use crate::app::model::list_table::ColumnSpec;
use crate::domain::records::Record;
use crate::domain::search::RecordSource;
use crate::domain::text_query::TextQuery;

impl RecordList {
    /// Hides the rows that do not match, or shows all again. The cursor stays on its record if that
    /// is still shown.
    pub fn narrow(&mut self, query: Option<&TextQuery>) {
        self.lines.set_query(query);
        self.arrange_lines();
    }

    /// The rows changed: computes the lines again.
    pub(super) fn arrange_lines(&mut self) {
        let here = self.current_record().map(|row| row.id);
        self.update_lines();
        self.lines
            .move_to_row(here.and_then(|id| self.index_of(id)));
    }

    pub(super) fn update_lines(&mut self) {
        let rows = &self.rows;
        let column = |key: &str| column_values(&self.source, rows, key);
        let sorted = self.sort.map(|sort| sort_rows(rows, sort));
        let write = |row: usize, text: &mut String| write_row_text(&rows[row], text);
        self.lines
            .arrange_in_order(rows.len(), sorted, column, write);
    }

    /// What a row has in a column.
    pub fn values(&self, row: usize, key: &str) -> RowValues<'static> {
        let column = find_column(&self.source, key).zip(self.rows.get(row));
        column.map_or_else(Vec::new, |(column, row)| record_values(column, row))
    }

    /// Shows only the loaded rows with some values of a column, or all again. The cursor stays on
    /// its record if that is still shown.
    pub fn filter_values(&mut self, filter: Option<ValueFilter>) {
        self.lines.set_filter(filter);
        self.arrange_lines();
    }

    /// Groups the loaded rows, as the user's preference says.
    pub fn set_group(&mut self, group: Option<ColumnSpec>) {
        if self.lines.set_group(group) {
            self.arrange_lines();
        }
    }

    /// Sums up the marked rows that are shown, if they are others than when it last did.
    pub fn update_marked_totals(&mut self) {
        let marked: BTreeSet<Uuid> = self
            .marks
            .iter()
            .copied()
            .filter(|id| self.shows(*id))
            .collect();
        if self.marked_totals.0 == marked {
            return;
        }
        let of_kind = |kind| {
            let mut columns = available_columns(&self.source).iter();
            columns.find(|column| column.kind == kind)
        };
        let (money, count) = (of_kind(FieldKind::Money), of_kind(FieldKind::Count));
        let total = |column: &ColumnSpec| {
            let rows = marked.iter().filter_map(|id| self.row(*id));
            let sum: f64 = rows.map(|row| amount_of(&record_values(column, row))).sum();
            let unit = if column.kind == FieldKind::Money {
                String::new()
            } else {
                format!(" {}", column.title())
            };
            (sum > 0.0).then(|| format!("{}{unit}", column.kind.format_number(sum)))
        };
        let totals = money.into_iter().chain(count).filter_map(total).collect();
        self.marked_totals = (marked, totals);
    }

    /// The sums of the marked rows: of money, and of the first column whose sum says something.
    pub fn marked_totals(&self) -> &[String] {
        &self.marked_totals.1
    }

    /// Starts a range at the cursor, or marks the one that was started.
    pub fn toggle_range(&mut self) {
        if self.range_anchor.is_some() {
            self.marks.extend(self.range_ids());
            self.range_anchor = None;
        } else {
            self.range_anchor = self.current_record().map(|row| row.id);
        }
    }
}

/// The values of a column of a source, for each of these rows.
fn column_values(source: &RecordSource, rows: &[Record], key: &str) -> Vec<RowValues<'static>> {
    match find_column(source, key) {
        Some(column) => rows.iter().map(|row| record_values(column, row)).collect(),
        None => vec![Vec::new(); rows.len()],
    }
}
