//! A list as a table: which columns it can show and be sorted by, as plain data, and its lines.
//!
//! Sorting is of the loaded rows. A row is an index of the list in its usual order, a line is where
//! a row is shown.

use crate::app::format::humanize;
use crate::app::model::column_choice::{ColumnOption, chosen_layout, parse_columns};
use crate::app::model::line_order::{LineOrder, RowGroup};
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

    pub fn group_preference(&self) -> String {
        format!("group.{}", self.name)
    }

    /// What its rows are counted, grouped and narrowed by, the chosen columns first.
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
    order: LineOrder,
    /// The column that is summed for each group.
    amount: Option<ListField>,
}

impl ListLines {
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
        self.order.query()
    }

    /// Sets the search that hides the other rows; [`ListLines::arrange`] applies it.
    pub fn set_query(&mut self, query: Option<&TextQuery>) {
        self.order.set_query(query);
    }

    /// The values that a row must have.
    pub fn filter(&self) -> Option<&ValueFilter> {
        self.order.filter()
    }

    /// Sets the values that a row must have; [`ListLines::arrange`] applies it.
    pub fn set_filter(&mut self, filter: Option<ValueFilter>) {
        self.order.set_filter(filter);
    }

    /// What the rows are grouped by.
    pub fn group(&self) -> Option<&ListField> {
        self.order.group()
    }

    /// The group whose heading is on a line.
    pub fn heading_on(&self, line: usize) -> Option<&RowGroup> {
        self.order.heading_on(line)
    }

    /// The column that is summed for each group.
    pub fn amount(&self) -> Option<&ListField> {
        self.amount.as_ref()
    }

    /// The row under the cursor. On a heading and in an empty list it is an index that no list
    /// reaches.
    pub fn current_row(&self) -> usize {
        self.row_on(self.scroll.cursor)
    }

    pub fn row_on(&self, line: usize) -> usize {
        if line < self.len() {
            self.order.row_on(line)
        } else {
            usize::MAX
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
        value: impl Fn(usize, &str) -> Option<RowValue<'a>>,
        write_row: impl Fn(usize, &mut String),
    ) {
        let order = arrangement.sort.map(|sort| {
            let mut keys: Vec<_> = (0..len).map(|row| (row, value(row, sort.key))).collect();
            keys.sort_by(|(_, one), (_, other)| compare_values(one, other, sort.is_descending));
            keys.into_iter().map(|(row, _)| row).collect()
        });
        let column = |key: &str| {
            (0..len)
                .map(|row| value(row, key).into_iter().collect())
                .collect()
        };
        self.order.set_group(arrangement.group);
        self.amount = arrangement.amount;
        let amount = self.amount.as_ref().map(|field| field.key);
        self.order.arrange(len, order, column, write_row, amount);
        self.row_count = len;
        self.move_to_row(None);
    }
}

/// How the user arranged a list.
#[derive(Clone, Debug, Default)]
pub struct ListArrangement {
    /// `None` for the usual order.
    pub sort: Option<ListSort>,
    pub group: Option<ListField>,
    /// The column that is summed for each group.
    pub amount: Option<ListField>,
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

    fn sorted_by(preference: &str) -> ListArrangement {
        ListArrangement {
            sort: TABLE.parse_sort(preference),
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
                "name" => Some(RowValue::Text(rows[row].0.into())),
                _ => rows[row].1.map(RowValue::Number),
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
        let value = |row: usize, _: &str| Some(RowValue::Number(row as f64));
        lines.arrange(3, sorted_by("weight:desc"), value, |_, _| {});
        lines.move_to_row(Some(0));
        assert_eq!((lines.scroll.cursor, lines.current_row()), (2, 0));
        lines.arrange(2, sorted_by("weight:desc"), value, |_, _| {});
        assert_eq!((lines.scroll.cursor, lines.current_row()), (1, 0));
        lines.arrange(0, sorted_by(""), value, |_, _| {});
        assert_eq!(lines.current_row(), usize::MAX);
    }
}
