//! How the loaded rows of a list are arranged on this machine: sorted, grouped and narrowed,
//! without a request.

use std::collections::BTreeSet;

use uuid::Uuid;

use super::columns::{available_columns, find_column, record_values};
use super::sorting::sort_rows;
use super::{RecordList, write_row_text};
use crate::app::model::frequency::amount_of;
use crate::app::model::line_order::RowGroup;
use crate::app::model::list_field::{FieldKind, RowValues, ValueFilter};
use crate::app::model::list_table::{ColumnSpec, amount_column};
use crate::domain::records::Record;
use crate::domain::search::RecordSource;
use crate::domain::text_query::TextQuery;

impl RecordList {
    /// Hides the rows that do not match, or shows all again. The cursor stays on its record if that
    /// is still shown.
    pub fn narrow(&mut self, query: Option<&TextQuery>) {
        self.order.set_query(query);
        self.arrange_lines();
    }

    /// What the list is narrowed to.
    pub fn narrowed_by(&self) -> Option<&TextQuery> {
        self.order.query()
    }

    /// The rows changed: computes the lines again.
    pub(super) fn arrange_lines(&mut self) {
        let here = self.current_record().map(|row| row.id);
        self.update_lines();
        let line = here
            .and_then(|id| self.line_of(id))
            .unwrap_or(self.scroll.cursor);
        self.scroll.cursor = line.min(self.line_count().saturating_sub(1));
    }

    pub(super) fn update_lines(&mut self) {
        let rows = &self.rows;
        let column = |key: &str| column_values(&self.source, rows, key);
        let amount = self
            .order
            .group()
            .and_then(|_| Some(self.amount_column()?.key));
        let sorted = self.sort().map(|sort| sort_rows(rows, sort));
        self.order.arrange(
            rows.len(),
            sorted,
            column,
            |row, text| write_row_text(&rows[row], text),
            amount,
        );
    }

    /// The column whose sums are shown.
    pub fn amount_column(&self) -> Option<&'static ColumnSpec> {
        amount_column(available_columns(&self.source))
    }

    /// What a row has in a column.
    pub fn values(&self, row: usize, key: &str) -> RowValues<'static> {
        let column = find_column(&self.source, key).zip(self.rows.get(row));
        column.map_or_else(Vec::new, |(column, row)| record_values(column, row))
    }

    /// Shows only the loaded rows with some values of a column, or all again. The cursor stays on
    /// its record if that is still shown.
    pub fn filter_values(&mut self, filter: Option<ValueFilter>) {
        self.order.set_filter(filter);
        self.arrange_lines();
    }

    /// The values of a column that the shown rows have.
    pub fn value_filter(&self) -> Option<&ValueFilter> {
        self.order.filter()
    }

    /// Groups the loaded rows, as the user's preference says.
    pub fn set_group(&mut self, group: Option<ColumnSpec>) {
        if self.order.set_group(group) {
            self.arrange_lines();
        }
    }

    /// What the loaded rows are grouped by.
    pub fn group(&self) -> Option<&ColumnSpec> {
        self.order.group()
    }

    /// The group whose heading is on a line.
    pub fn heading_at(&self, line: usize) -> Option<&RowGroup> {
        self.order.heading_on(line)
    }

    /// The rows that are shown, also in closed groups, by their index.
    pub fn shown_indexes(&self) -> Vec<usize> {
        self.order.shown_rows(self.rows.len())
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

    /// Closes the group under the cursor, or opens it; the cursor goes to its heading.
    pub fn toggle_fold(&mut self) {
        self.scroll.cursor = self.order.toggle_fold(self.scroll.cursor);
    }

    /// Opens or closes all groups; the cursor stays in its group.
    pub fn fold_all(&mut self, close: bool) {
        let line = self.order.fold_all(self.scroll.cursor, close);
        self.scroll.cursor = line.min(self.line_count().saturating_sub(1));
    }

    /// The row under the cursor, or those of its group.
    pub fn rows_under_cursor(&self) -> Vec<usize> {
        match self.heading_at(self.scroll.cursor) {
            Some(group) => group.rows.clone(),
            None => self.row_index_at(self.scroll.cursor).into_iter().collect(),
        }
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
