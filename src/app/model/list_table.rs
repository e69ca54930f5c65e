//! A list as a table: which columns it can show and be sorted by, as plain data, and its lines.
//!
//! Sorting is of the loaded rows. A row is an index of the list in its usual order, a line is where
//! a row is shown.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use crate::app::format::humanize;
use crate::app::model::column_choice::{ColumnOption, chosen_layout, parse_columns};
use crate::app::model::frequency::{amount_of, group_rows};
use crate::app::model::line_order::{Line, LineOrder, RowGroup};
use crate::app::model::list_field::{FieldKind, RowValues, ValueFilter};
use crate::domain::column::{Column, column};
use crate::domain::field_kind::ListSort;
use crate::domain::row_columns::{RowColumn, sort_by_value};
use crate::domain::text_query::TextQuery;
use crate::ui::scroll::ScrollState;
use crate::ui::table::TableColumn;

/// The columns of a list.
#[derive(Clone, Debug)]
pub struct ListTable {
    /// Its name in preferences.
    pub name: Cow<'static, str>,
    /// Width of the row's state, before the first column.
    pub state_width: u16,
    /// In their usual order.
    pub columns: Vec<ColumnSpec>,
}

/// A column with its layout on the screen.
pub type ColumnSpec = Column<TableColumn>;

impl Column {
    /// From its width up to the one that it grows to, in cells. The highest drop order leaves a
    /// narrow table first, 0 never.
    pub const fn laid_out(self, width: RangeInclusive<u16>, drop_order: u8) -> ColumnSpec {
        let (width, max_width) = (*width.start(), *width.end());
        self.with_layout(TableColumn {
            title: self.heading,
            width,
            max_width: if max_width > width { max_width } else { 0 },
            drop_order,
            align_right: self.kind.is_numeric(),
        })
    }
}

impl ColumnSpec {
    /// The highest drop order leaves a narrow table first, 0 never.
    pub const fn new(
        kind: FieldKind,
        (key, heading): (&'static str, &'static str),
        (width, drop_order): (u16, u8),
    ) -> ColumnSpec {
        column(key, heading, kind).laid_out(width..=width, drop_order)
    }

    /// The same column with a heading that fits into its cells.
    pub const fn with_short_heading(self, title: &'static str) -> ColumnSpec {
        ColumnSpec {
            layout: TableColumn {
                title,
                ..self.layout
            },
            ..self
        }
    }

    /// The same column, growing with the remaining width.
    pub const fn growing_to(self, max_width: u16) -> ColumnSpec {
        ColumnSpec {
            layout: TableColumn {
                max_width,
                ..self.layout
            },
            ..self
        }
    }

    pub const fn aligned_right(self) -> ColumnSpec {
        ColumnSpec {
            layout: TableColumn {
                align_right: true,
                ..self.layout
            },
            ..self
        }
    }

    /// Its heading in a file.
    pub fn file_heading(&self) -> String {
        match self.layout.title {
            title if self.name.is_none() && !title.is_empty() => title.to_owned(),
            _ => humanize(&self.title()).to_uppercase(),
        }
    }
}

impl From<&RowColumn> for ColumnSpec {
    fn from(column: &RowColumn) -> ColumnSpec {
        let width = column.width..=column.max_width;
        column.spec.laid_out(width, column.drop_order)
    }
}

/// The column whose sums are shown: money if there is any, else the first whose sum says something.
pub fn amount_column(columns: &[ColumnSpec]) -> Option<&ColumnSpec> {
    let money = |column: &&ColumnSpec| column.kind == FieldKind::Money;
    let is_additive = |column: &&ColumnSpec| column.kind.is_additive();
    columns
        .iter()
        .find(money)
        .or_else(|| columns.iter().find(is_additive))
}

impl ListTable {
    pub fn column(&self, key: &str) -> Option<&ColumnSpec> {
        self.columns.iter().find(|column| column.key == key)
    }

    pub fn sort_preference(&self) -> String {
        format!("sort.{}", self.name)
    }

    pub fn group_preference(&self) -> String {
        format!("group.{}", self.name)
    }

    /// All columns, the ones that are shown first.
    pub fn shown_first(&self, shown: &[ColumnSpec]) -> Vec<ColumnSpec> {
        let is_shown = |column: &ColumnSpec| shown.iter().any(|shown| shown.key == column.key);
        let marked = |column: &ColumnSpec| ColumnSpec {
            is_shown: is_shown(column),
            ..*column
        };
        let others = self.columns.iter().filter(|column| !is_shown(column));
        shown.iter().chain(others).map(marked).collect()
    }

    pub fn columns_preference(&self) -> String {
        format!("columns.{}", self.name)
    }

    /// The order that a preference names; `None` for the usual one, and for a column that the list
    /// does not have.
    pub fn parse_sort(&self, preference: &str) -> Option<ListSort> {
        let usual_sort = |key: &str| {
            let column = self.column(key).ok_or("no such column")?;
            Ok(column.usual_sort())
        };
        ListSort::parse(preference, usual_sort).ok()
    }

    /// An order in words.
    pub fn describe_sort(&self, sort: ListSort) -> String {
        let title = self.column(sort.key).map(ColumnSpec::title);
        let title = title.unwrap_or_else(|| sort.key.to_owned());
        format!("sorted by {title}, {}", sort.direction_label())
    }

    /// The columns of a preference, or the default ones. On a narrow screen, those that the user
    /// added stay longer than the usual ones.
    pub fn chosen_columns(&self, preference: &str) -> Vec<ColumnSpec> {
        let with_layout = |(key, width): (&str, Option<u16>)| {
            let column = self.column(key)?;
            let mut layout = chosen_layout(column.layout, width);
            if !column.is_shown {
                layout.drop_order = layout.drop_order.min(1);
            }
            Some(ColumnSpec { layout, ..*column })
        };
        let chosen: Vec<ColumnSpec> = parse_columns(preference).filter_map(with_layout).collect();
        if chosen.is_empty() {
            let columns = self.columns.iter().copied();
            columns.filter(|column| column.is_shown).collect()
        } else {
            chosen
        }
    }

    /// The layouts of columns, after the one of the row's state.
    pub fn layouts(&self, columns: &[ColumnSpec]) -> Vec<TableColumn> {
        let state = TableColumn {
            title: "",
            width: self.state_width,
            max_width: 0,
            drop_order: 0,
            align_right: false,
        };
        std::iter::once(state)
            .chain(columns.iter().map(|column| column.layout))
            .collect()
    }

    /// The columns for the column chooser, as they are by default.
    pub fn column_options(&self) -> Vec<ColumnOption> {
        let option = |column: &ColumnSpec| ColumnOption {
            key: column.key,
            layout: column.layout,
            description: column.title(),
            is_shown: column.is_shown,
            width: None,
        };
        self.columns.iter().map(option).collect()
    }
}

/// The lines of a list, and its cursor.
#[derive(Clone, Debug, Default)]
pub struct ListLines {
    pub scroll: ScrollState,
    row_count: usize,
    order: LineOrder,
    /// The search that hides rows.
    query: Option<TextQuery>,
    /// The values that a row must have.
    filter: Option<ValueFilter>,
    /// What the rows are grouped by.
    group: Option<ColumnSpec>,
    /// The column that is summed for each group.
    amount: Option<ColumnSpec>,
}

impl ListLines {
    /// No lines yet; groups will sum up this column.
    pub fn with_amount(amount: Option<&ColumnSpec>) -> ListLines {
        ListLines {
            amount: amount.copied(),
            ..ListLines::default()
        }
    }

    /// How many lines there are.
    pub fn len(&self) -> usize {
        self.order.len(self.row_count)
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many rows there are, whether a line shows them or not.
    pub fn row_count(&self) -> usize {
        self.row_count
    }

    /// What the lines are narrowed to.
    pub fn query(&self) -> Option<&TextQuery> {
        self.query.as_ref()
    }

    /// Sets the search that hides the other rows; [`ListLines::arrange`] applies it.
    pub fn set_query(&mut self, query: Option<&TextQuery>) {
        self.query = query.filter(|query| !query.is_empty()).cloned();
    }

    /// The values that a row must have.
    pub fn filter(&self) -> Option<&ValueFilter> {
        self.filter.as_ref()
    }

    /// Sets the values that a row must have; [`ListLines::arrange`] applies it.
    pub fn set_filter(&mut self, filter: Option<ValueFilter>) {
        self.filter = filter;
    }

    /// What the rows are grouped by.
    pub fn group(&self) -> Option<&ColumnSpec> {
        self.group.as_ref()
    }

    /// Sets what the rows are grouped by; [`ListLines::arrange`] applies it. Returns whether that is
    /// new.
    pub fn set_group(&mut self, group: Option<ColumnSpec>) -> bool {
        let is_new = self.group.map(|group| group.key) != group.map(|group| group.key);
        if is_new {
            self.order.forget_closed();
            self.group = group;
        }
        is_new
    }

    /// Whether a row is shown; in a closed group it is.
    pub fn shows(&self, row: usize) -> bool {
        self.order.shows(row)
    }

    /// The line that shows a row: in a closed group, its heading.
    pub fn line_of(&self, row: usize) -> Option<usize> {
        self.order.line_of(row)
    }

    /// The lines with a row, and that row.
    pub fn row_lines(&self) -> impl Iterator<Item = (usize, usize)> {
        let lines = (0..self.len()).map(|line| (line, self.row_on(line)));
        lines.filter(|(_, row)| *row < self.row_count)
    }

    /// The column that is summed for each group.
    pub fn amount(&self) -> Option<&ColumnSpec> {
        self.amount.as_ref()
    }

    /// Whether the cursor is on the heading of a group.
    pub fn is_on_heading(&self) -> bool {
        self.heading_on(self.scroll.cursor).is_some()
    }

    /// The group whose heading is on a line.
    pub fn heading_on(&self, line: usize) -> Option<&RowGroup> {
        match self.order.line_at(line, self.row_count)? {
            Line::Heading(group) => self.order.group(group),
            Line::Row(_) | Line::Gap { .. } => None,
        }
    }

    /// Closes the group under the cursor, or opens it; the cursor goes to its heading.
    pub fn toggle_fold(&mut self) {
        let heading = self.order.toggle_fold(self.scroll.cursor);
        self.scroll.cursor = heading.unwrap_or(self.scroll.cursor);
    }

    /// Opens or closes all groups; the cursor stays in its group.
    pub fn fold_all(&mut self, close: bool) {
        let row = self.rows_under_cursor().first().copied();
        self.order.fold_all(close);
        let line = row.and_then(|row| self.line_of(row)).unwrap_or(0);
        self.scroll.cursor = line.min(self.len().saturating_sub(1));
    }

    /// The row under the cursor. On a heading and in an empty list it is an index that no list
    /// reaches.
    pub fn current_row(&self) -> usize {
        self.row_on(self.scroll.cursor)
    }

    pub fn row_on(&self, line: usize) -> usize {
        match self.order.line_at(line, self.row_count) {
            Some(Line::Row(row)) => row,
            _ => usize::MAX,
        }
    }

    /// The row under the cursor, or those of its group.
    pub fn rows_under_cursor(&self) -> Vec<usize> {
        match self.heading_on(self.scroll.cursor) {
            Some(group) => group.rows.clone(),
            None => Some(self.current_row())
                .filter(|row| *row < self.row_count)
                .into_iter()
                .collect(),
        }
    }

    /// The rows in the order of the lines.
    pub fn rows(&self) -> impl Iterator<Item = usize> {
        self.order.shown_rows(self.row_count).into_iter()
    }

    /// Scrolls so that the cursor is visible in a screen of this many rows.
    pub fn clamp(&mut self, height: u16) {
        self.scroll.clamp_to_list(self.len(), height);
    }

    pub fn move_cursor(&mut self, lines: isize) {
        self.scroll.move_cursor(lines, self.len());
    }

    /// Puts the cursor on a row. Without one it stays on its line.
    pub fn move_to_row(&mut self, row: Option<usize>) {
        let line = row
            .filter(|row| *row < self.row_count)
            .and_then(|row| self.order.line_of(row))
            .unwrap_or(self.scroll.cursor);
        self.scroll.cursor = line.min(self.len().saturating_sub(1));
    }

    /// A click on a line. Returns whether the cursor was there.
    pub fn click(&mut self, line: usize) -> bool {
        std::mem::replace(&mut self.scroll.cursor, line) == line
    }

    /// Computes the lines of a list of `len` rows: in its usual order, or sorted by the values of a
    /// column, and grouped and narrowed as set. Rows without a value come last, and rows with the
    /// same value stay in the usual order. The cursor stays on its line.
    pub fn arrange<'a>(
        &mut self,
        len: usize,
        arrangement: ListArrangement,
        values: impl Fn(usize, &str) -> RowValues<'a>,
        write_row: impl Fn(usize, &mut String),
    ) {
        let order = arrangement.sort.map(|sort| {
            sort_by_value(0..len, sort.is_descending, |row| {
                values(*row, sort.key).into_iter().next()
            })
        });
        let column = |key: &str| (0..len).map(|row| values(row, key)).collect();
        self.set_group(arrangement.group);
        self.amount = arrangement.amount;
        self.arrange_in_order(len, order, column, write_row);
    }

    /// The same for rows that were ordered by other means; `column` returns the values of a column
    /// for all rows. They are grouped as before.
    pub fn arrange_in_order<'a>(
        &mut self,
        len: usize,
        order: Option<Vec<usize>>,
        column: impl Fn(&str) -> Vec<RowValues<'a>>,
        write_row: impl Fn(usize, &mut String),
    ) {
        self.row_count = len;
        let is_plain = self.query.is_none() && self.filter.is_none() && self.group.is_none();
        if is_plain && order.is_none() {
            self.order.clear();
            return self.move_to_row(None);
        }
        let mut rows = order.unwrap_or_else(|| (0..len).collect());
        if let Some(filter) = &self.filter {
            let values = column(filter.column.key);
            rows.retain(|row| filter.matches(&values[*row]));
        }
        if let Some(query) = &self.query {
            let mut is_match = query.row_matcher(&write_row);
            rows.retain(|row| is_match(*row));
        }
        self.order.begin(rows.len() < len);
        let Some(group) = &self.group else {
            self.order.push_rows(rows);
            return self.move_to_row(None);
        };
        let amounts = self.amount.map_or_else(Vec::new, |amount| {
            let values = column(amount.key);
            values.iter().map(|values| amount_of(values)).collect()
        });
        for (bin, rows) in group_rows(&rows, &column(group.key), group.kind) {
            let amount: f64 = rows.iter().filter_map(|row| amounts.get(*row)).sum();
            self.order.push_group(bin.label(group.kind), rows, amount);
        }
        self.move_to_row(None);
    }
}

/// How the user arranged a list.
#[derive(Clone, Debug, Default)]
pub struct ListArrangement {
    /// `None` for the usual order.
    pub sort: Option<ListSort>,
    pub group: Option<ColumnSpec>,
    /// The column that is summed for each group.
    pub amount: Option<ColumnSpec>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::row_columns::RowValue;

    const COLUMNS: &[ColumnSpec] = &[
        ColumnSpec::new(FieldKind::Name, ("name", "NAME"), (8, 0)),
        ColumnSpec::new(FieldKind::Number, ("weight", "WEIGHT"), (6, 1)),
        ColumnSpec::new(FieldKind::Date, ("picked", "PICKED"), (10, 2)).hidden(),
    ];
    fn table() -> ListTable {
        ListTable {
            name: "fruits".into(),
            state_width: 2,
            columns: COLUMNS.to_vec(),
        }
    }

    fn sorted_by(preference: &str) -> ListArrangement {
        ListArrangement {
            sort: table().parse_sort(preference),
            ..ListArrangement::default()
        }
    }

    fn sorted(preference: &str) -> Vec<usize> {
        let rows = [
            ("pear", Some(3.0)),
            ("Apple", None),
            ("fig", Some(1.0)),
            ("quince", Some(3.0)),
        ];
        let mut lines = ListLines::default();
        lines.arrange(
            rows.len(),
            sorted_by(preference),
            |row, key| match key {
                "name" => vec![RowValue::Text(rows[row].0.into())],
                _ => rows[row].1.map(RowValue::Number).into_iter().collect(),
            },
            |_, _| {},
        );
        lines.rows().collect()
    }

    #[test]
    fn rows_are_sorted_in_both_directions_and_those_without_a_value_come_last() {
        assert_eq!(sorted(""), [0, 1, 2, 3]);
        assert_eq!(sorted("name:asc"), [1, 2, 0, 3]);
        assert_eq!(sorted("name:desc"), [3, 0, 2, 1]);
        assert_eq!(sorted("weight:asc"), [2, 0, 3, 1]);
        assert_eq!(
            sorted("weight:desc"),
            [0, 3, 2, 1],
            "rows with the same value stay in their order"
        );
        assert_eq!(
            sorted("color:asc"),
            [0, 1, 2, 3],
            "a column of another version is ignored"
        );
    }

    #[test]
    fn an_order_is_written_as_it_is_read() {
        for column in COLUMNS {
            let sort = column.usual_sort();
            assert_eq!(table().parse_sort(&sort.to_string()), Some(sort));
            assert_eq!(
                table().parse_sort(&sort.reversed().to_string()),
                Some(sort.reversed())
            );
        }
    }

    #[test]
    fn chosen_columns_are_shown_in_their_order_and_unknown_ones_are_left_out() {
        let keys = |preference: &str| -> Vec<&str> {
            let chosen = table().chosen_columns(preference);
            chosen.iter().map(|column| column.key).collect()
        };
        assert_eq!(keys(""), ["name", "weight"]);
        assert_eq!(keys("picked color name:12"), ["picked", "name"]);
        let chosen = table().chosen_columns("picked color name:12");
        assert_eq!(chosen[1].layout.width, 12);
    }

    #[test]
    fn the_cursor_stays_on_its_line_when_rows_leave() {
        let mut lines = ListLines::default();
        let value = |row: usize, _: &str| vec![RowValue::Number(row as f64)];
        lines.arrange(3, sorted_by("weight:desc"), value, |_, _| {});
        lines.move_to_row(Some(0));
        assert_eq!((lines.scroll.cursor, lines.current_row()), (2, 0));
        lines.arrange(2, sorted_by("weight:desc"), value, |_, _| {});
        assert_eq!((lines.scroll.cursor, lines.current_row()), (1, 0));
        lines.arrange(0, sorted_by(""), value, |_, _| {});
        assert_eq!(lines.current_row(), usize::MAX);
    }
}
