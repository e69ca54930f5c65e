//! The frequency table of a column, as plain data: its values with their counts, shares and sums,
//! and what is true of all of them.

use super::list_dialog::{DialogRow, DialogRows};
use crate::app::format::{format_count, pluralize};
use crate::app::model::frequency::{FrequencyLine, FrequencyTable};
use crate::app::model::list_field::{FieldKind, ValueBin, ValueFilter};
use crate::app::model::list_table::ColumnSpec;

#[derive(Clone, Debug)]
pub struct FrequencyList {
    pub rows: DialogRows<FrequencyRow>,
    /// The columns of the list whose rows are counted.
    pub columns: Vec<ColumnSpec>,
    /// The one whose values are counted.
    pub column: ColumnSpec,
    /// What is summed beside the counts.
    pub amount: Option<ColumnSpec>,
    /// Which rows are counted: `100 of 326 rows loaded`.
    pub scope: String,
    /// What all rows have together.
    pub summary: String,
    /// How many rows are marked.
    pub marked_rows: usize,
    /// Only the marked rows are counted.
    pub is_of_marked: bool,
}

/// A value, or a range of values.
#[derive(Clone, Debug)]
pub struct FrequencyRow {
    pub bin: ValueBin,
    /// Where a range stands among the others.
    pub place: Option<u16>,
    pub label: String,
    pub count: usize,
    /// Of all counted rows, in percent.
    pub share: f64,
    /// Of the most frequent value, from 0 to 1.
    pub bar: f64,
    /// The sum of the amounts of its rows, and as it is shown.
    pub sum: Option<(f64, String)>,
}

impl DialogRow for FrequencyRow {
    fn id(&self) -> String {
        // Different numbers may be shown alike.
        format!("{:?}", self.bin)
    }
}

/// The rows of a table, in its order.
#[expect(clippy::cast_precision_loss, reason = "counts of rows fit")]
pub fn list_values(
    table: &FrequencyTable,
    kind: FieldKind,
    amount: Option<FieldKind>,
) -> Vec<FrequencyRow> {
    let most = table.lines.iter().map(|line| line.count).max();
    let is_in_order = kind.is_numeric() || kind.is_date();
    let row = |(line, place): (&FrequencyLine, u16)| {
        let known = amount.filter(|_| line.amount != 0.0);
        FrequencyRow {
            bin: line.bin.clone(),
            place: is_in_order.then_some(place),
            label: line.bin.label(kind),
            count: line.count,
            share: line.count as f64 / table.rows.max(1) as f64 * 100.0,
            bar: line.count as f64 / most.unwrap_or(1).max(1) as f64,
            sum: known.map(|kind| (line.amount, kind.format_number(line.amount))),
        }
    };
    table.lines.iter().zip(0..).map(row).collect()
}

/// What all rows have together: `100 rows, 12 values`, and for numbers their sum, median and bounds;
/// after that, the sum of another column.
pub fn summarize(
    table: &FrequencyTable,
    column: &ColumnSpec,
    amount: Option<&ColumnSpec>,
) -> String {
    let rows = pluralize(table.rows, "row");
    let known = |bin: &ValueBin| *bin != ValueBin::Unknown;
    let values = table.lines.iter().filter(|line| known(&line.bin)).count();
    let mut text = match table.statistics {
        None => format!("{rows}, {}", pluralize(values, "value")),
        Some(statistics) => {
            let number = |number| column.kind.format_number(number);
            let sum = match column.kind.is_additive() {
                true => format!("sum {}   ", number(statistics.sum)),
                false => String::new(),
            };
            format!(
                "{} of {rows} known   {sum}median {}   min {}   max {}",
                format_count(statistics.known as u64),
                number(statistics.median),
                number(statistics.min),
                number(statistics.max)
            )
        }
    };
    if let Some(amount) = amount.filter(|amount| amount.key != column.key) {
        let sum = amount.kind.format_number(table.amount);
        text.push_str(&format!("   {} {sum}", amount.title()));
    }
    text
}

impl FrequencyList {
    /// What the marked lines, or the one under the cursor, stand for.
    pub fn chosen_filter(&self) -> Option<ValueFilter> {
        let chosen = self.rows.list_chosen().into_iter();
        let bins: Vec<ValueBin> = chosen.map(|row| row.bin.clone()).collect();
        (!bins.is_empty()).then_some(ValueFilter {
            column: self.column,
            bins,
        })
    }

    /// The column beside the shown one.
    pub fn neighbor(&self, is_next: bool) -> Option<&'static str> {
        let (columns, step) = (&self.columns, if is_next { 1 } else { -1 });
        let here = columns
            .iter()
            .position(|column| column.key == self.column.key)?;
        let last = columns.len() - 1;
        let there = here.checked_add_signed(step).unwrap_or(last);
        columns
            .get(there)
            .or(columns.first())
            .map(|column| column.key)
    }
}
