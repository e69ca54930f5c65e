//! A list as a table: which columns it can show and be sorted by, as plain data, and its lines.
//!
//! Sorting is of the loaded rows. A row is an index of the list in its usual order, a line is where
//! a row is shown.

use crate::app::format::humanize;
use crate::app::model::column_choice::{ColumnOption, chosen_layout, parse_columns};
use crate::app::model::list_field::{FieldKind, ListField, ValueFilter};
use crate::domain::row_fields::{RowValue, compare_values};
use crate::domain::text_query::TextQuery;
use crate::ui::scroll::ScrollState;
use crate::ui::table::TableColumn;

/// The columns of a list.
#[derive(Debug)]
pub struct ListTable {
    /// Its name in preferences.
    pub name: &'static str,
    /// Width of the row's state, before the first column.
    pub state_width: u16,
    pub columns: &'static [ListColumn],
}

#[derive(Debug)]
pub struct ListColumn {
    /// Its name in preferences, and in words for the user.
    pub key: &'static str,
    pub layout: TableColumn,
    pub values: ColumnValues,
    /// Whether it is shown by default.
    pub is_shown: bool,
}

/// What a column holds: decides how it is sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnValues {
    Text,
    /// Words with an order of their own, given as numbers from 0 on.
    Rank,
    Number,
    Date,
}

impl ListColumn {
    const fn new(
        key: &'static str,
        title: &'static str,
        width: u16,
        drop_order: u8,
        values: ColumnValues,
    ) -> ListColumn {
        let align_right = matches!(values, ColumnValues::Number);
        let layout = TableColumn {
            title,
            width,
            max_width: 0,
            drop_order,
            align_right,
        };
        ListColumn {
            key,
            layout,
            values,
            is_shown: true,
        }
    }

    /// A column of text. The highest drop order leaves a narrow table first, 0 never.
    pub const fn text(
        key: &'static str,
        title: &'static str,
        width: u16,
        drop_order: u8,
    ) -> ListColumn {
        ListColumn::new(key, title, width, drop_order, ColumnValues::Text)
    }

    pub const fn rank(
        key: &'static str,
        title: &'static str,
        width: u16,
        drop_order: u8,
    ) -> ListColumn {
        ListColumn::new(key, title, width, drop_order, ColumnValues::Rank)
    }

    pub const fn number(
        key: &'static str,
        title: &'static str,
        width: u16,
        drop_order: u8,
    ) -> ListColumn {
        ListColumn::new(key, title, width, drop_order, ColumnValues::Number)
    }

    pub const fn date(
        key: &'static str,
        title: &'static str,
        width: u16,
        drop_order: u8,
    ) -> ListColumn {
        ListColumn::new(key, title, width, drop_order, ColumnValues::Date)
    }

    /// The same column, growing with the remaining width.
    pub const fn growing_to(self, max_width: u16) -> ListColumn {
        ListColumn {
            layout: TableColumn {
                max_width,
                ..self.layout
            },
            ..self
        }
    }

    pub const fn aligned_right(self) -> ListColumn {
        ListColumn {
            layout: TableColumn {
                align_right: true,
                ..self.layout
            },
            ..self
        }
    }

    /// The same column, shown only when it is chosen.
    pub const fn hidden(self) -> ListColumn {
        ListColumn {
            is_shown: false,
            ..self
        }
    }

    /// Its name for the user.
    pub fn title(&self) -> String {
        humanize(self.key)
    }

    /// Sorted by it, in the usual direction first.
    pub fn usual_sort(&self) -> ListSort {
        let is_descending = matches!(self.values, ColumnValues::Number | ColumnValues::Date);
        ListSort {
            key: self.key,
            values: self.values,
            is_descending,
        }
    }
}

impl ListTable {
    pub fn sort_preference(&self) -> String {
        format!("sort.{}", self.name)
    }

    /// What its rows are counted and narrowed by, the chosen columns first.
    pub fn fields(&self, columns: &str) -> Vec<ListField> {
        let chosen = self.chosen_columns(columns);
        let place_of = |place: usize| chosen.iter().position(|(shown, _)| *shown == place + 1);
        let field = |(place, column): (usize, &ListColumn)| {
            let kind = match column.values {
                ColumnValues::Text if column.layout.drop_order == 0 && place == 0 => {
                    FieldKind::Name
                }
                ColumnValues::Text | ColumnValues::Rank => FieldKind::Word,
                ColumnValues::Number => FieldKind::Count,
                ColumnValues::Date => FieldKind::Date,
            };
            (
                place_of(place),
                ListField {
                    key: column.key,
                    title: column.title(),
                    kind,
                    is_shown: place_of(place).is_some(),
                },
            )
        };
        let mut fields: Vec<_> = self.columns.iter().enumerate().map(field).collect();
        fields.sort_by_key(|(place, _)| place.unwrap_or(usize::MAX));
        fields.into_iter().map(|(_, field)| field).collect()
    }

    pub fn columns_preference(&self) -> String {
        format!("columns.{}", self.name)
    }

    /// The order that a preference names; `None` for the usual one, and for a column that the list
    /// does not have.
    pub fn parse_sort(&self, preference: &str) -> Option<ListSort> {
        let (key, direction) = preference.split_once(':')?;
        let sort = self
            .columns
            .iter()
            .find(|column| column.key == key)?
            .usual_sort();
        Some(ListSort {
            is_descending: direction == "desc",
            ..sort
        })
    }

    /// The row's state and the columns of a preference, or the default ones: each with its place
    /// among the row's cells.
    pub fn chosen_columns(&self, preference: &str) -> Vec<(usize, TableColumn)> {
        let place_of = |key: &str| self.columns.iter().position(|column| column.key == key);
        let known =
            parse_columns(preference).filter_map(|(key, width)| Some((place_of(key)?, width)));
        let layout = |(at, (place, width)): (usize, (usize, Option<u16>))| {
            (
                place + 1,
                chosen_layout(self.columns[place].layout, at, width),
            )
        };
        let mut chosen: Vec<_> = known.enumerate().map(layout).collect();
        if chosen.is_empty() {
            let usual = self
                .columns
                .iter()
                .enumerate()
                .filter(|(_, column)| column.is_shown);
            chosen = usual
                .map(|(place, column)| (place + 1, column.layout))
                .collect();
        }
        let state = TableColumn {
            title: "",
            width: self.state_width,
            max_width: 0,
            drop_order: 0,
            align_right: false,
        };
        chosen.insert(0, (0, state));
        chosen
    }

    /// The columns for the column chooser, as they are by default.
    pub fn column_options(&self) -> Vec<ColumnOption> {
        let option = |column: &ListColumn| ColumnOption {
            key: column.key,
            layout: column.layout,
            description: column.title(),
            is_shown: column.is_shown,
            width: None,
        };
        self.columns.iter().map(option).collect()
    }
}

/// An order of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListSort {
    /// The column.
    pub key: &'static str,
    pub values: ColumnValues,
    pub is_descending: bool,
}

impl ListSort {
    pub fn reversed(self) -> ListSort {
        ListSort {
            is_descending: !self.is_descending,
            ..self
        }
    }

    /// As [`ListTable::parse_sort`] reads it.
    pub fn to_preference(self) -> String {
        format!(
            "{}:{}",
            self.key,
            if self.is_descending { "desc" } else { "asc" }
        )
    }

    /// What comes first.
    pub fn direction_label(self) -> &'static str {
        match (self.values, self.is_descending) {
            (ColumnValues::Text, false) => "A to Z",
            (ColumnValues::Text, true) => "Z to A",
            (ColumnValues::Rank, false) => "highest first",
            (ColumnValues::Rank, true) => "lowest first",
            (ColumnValues::Number, false) => "smallest first",
            (ColumnValues::Number, true) => "largest first",
            (ColumnValues::Date, false) => "oldest first",
            (ColumnValues::Date, true) => "newest first",
        }
    }
}

/// The lines of a list, and its cursor.
#[derive(Clone, Debug, Default)]
pub struct ListLines {
    pub scroll: ScrollState,
    row_count: usize,
    /// The row on each line; `None`: all rows as they come.
    rows: Option<Vec<usize>>,
    /// The search that hides the other rows.
    query: Option<TextQuery>,
    /// The values that a row must have.
    filter: Option<ValueFilter>,
}

impl ListLines {
    /// How many lines there are.
    pub fn len(&self) -> usize {
        self.rows.as_ref().map_or(self.row_count, Vec::len)
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

    /// The values that a row must have.
    pub fn filter(&self) -> Option<&ValueFilter> {
        self.filter.as_ref()
    }

    /// Sets the values that a row must have; [`ListLines::arrange`] applies it.
    pub fn set_filter(&mut self, filter: Option<ValueFilter>) {
        self.filter = filter;
    }

    /// Hides the rows that a search did not find.
    pub fn narrow(&mut self, query: &TextQuery, is_found: impl FnMut(&usize) -> bool) {
        self.rows = Some(self.rows().filter(is_found).collect());
        self.query = Some(query.clone());
    }

    /// The row under the cursor. In an empty list it is an index that no list reaches.
    pub fn current_row(&self) -> usize {
        self.row_on(self.scroll.cursor)
    }

    pub fn row_on(&self, line: usize) -> usize {
        match &self.rows {
            Some(rows) => rows.get(line).copied().unwrap_or(usize::MAX),
            None if line < self.row_count => line,
            None => usize::MAX,
        }
    }

    /// The rows in the order of the lines.
    pub fn rows(&self) -> impl Iterator<Item = usize> {
        (0..self.len()).map(|line| self.row_on(line))
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
            .and_then(|row| self.rows().position(|shown| shown == row))
            .unwrap_or(self.scroll.cursor);
        self.scroll.cursor = line.min(self.len().saturating_sub(1));
    }

    /// A click on a line. Returns whether the cursor was there.
    pub fn click(&mut self, line: usize) -> bool {
        std::mem::replace(&mut self.scroll.cursor, line) == line
    }

    /// Computes the lines of a list of `len` rows, all that have the values of the filter: in its
    /// usual order, or sorted by the values of a column. Rows without a value come last, and rows
    /// with the same value stay in the usual order. The cursor stays on its line.
    pub fn arrange<'a>(
        &mut self,
        len: usize,
        sort: Option<ListSort>,
        value: impl Fn(usize, &'static str) -> Option<RowValue<'a>>,
    ) {
        self.rows = sort.map(|sort| {
            let mut keys: Vec<_> = (0..len).map(|row| (row, value(row, sort.key))).collect();
            keys.sort_by(|(_, one), (_, other)| compare_values(one, other, sort.is_descending));
            keys.into_iter().map(|(row, _)| row).collect()
        });
        if let Some(filter) = &self.filter {
            let has_value = |row: &usize| filter.matches(value(*row, filter.field.key).as_slice());
            let rows = self.rows.take().unwrap_or_else(|| (0..len).collect());
            self.rows = Some(rows.into_iter().filter(has_value).collect());
        }
        (self.row_count, self.query) = (len, None);
        self.move_to_row(None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: ListTable = ListTable {
        name: "fruits",
        state_width: 2,
        columns: &[
            ListColumn::text("name", "NAME", 8, 0),
            ListColumn::number("weight", "WEIGHT", 6, 1),
            ListColumn::date("picked", "PICKED", 10, 2).hidden(),
        ],
    };

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
            TABLE.parse_sort(preference),
            |row, key| match key {
                "name" => Some(RowValue::Text(rows[row].0.into())),
                _ => rows[row].1.map(RowValue::Number),
            },
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
        for column in TABLE.columns {
            let sort = column.usual_sort();
            assert_eq!(TABLE.parse_sort(&sort.to_preference()), Some(sort));
            assert_eq!(
                TABLE.parse_sort(&sort.reversed().to_preference()),
                Some(sort.reversed())
            );
        }
    }

    #[test]
    fn chosen_columns_are_shown_in_their_order_and_unknown_ones_are_left_out() {
        let places = |preference: &str| -> Vec<usize> {
            TABLE
                .chosen_columns(preference)
                .into_iter()
                .map(|(place, _)| place)
                .collect()
        };
        assert_eq!(places(""), [0, 1, 2]);
        assert_eq!(places("picked color name:12"), [0, 3, 1]);
        assert_eq!(TABLE.chosen_columns("picked color name:12")[2].1.width, 12);
    }

    #[test]
    fn the_cursor_stays_on_its_line_when_rows_leave() {
        let mut lines = ListLines::default();
        let value = |row: usize, _: &'static str| Some(RowValue::Number(row as f64));
        lines.arrange(3, TABLE.parse_sort("weight:desc"), value);
        lines.move_to_row(Some(0));
        assert_eq!((lines.scroll.cursor, lines.current_row()), (2, 0));
        lines.arrange(2, TABLE.parse_sort("weight:desc"), value);
        assert_eq!((lines.scroll.cursor, lines.current_row()), (1, 0));
        lines.arrange(0, None, value);
        assert_eq!(lines.current_row(), usize::MAX);
    }
}
