//! The lists of panes: what each column reads from a row and how it draws it, in one place.
//!
//! From its columns follows what a list can do: sorting, grouping, counting and narrowing its rows,
//! searching them, choosing columns, copying and exporting.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::Context;
use super::focused_list::{FocusedList, rows_to_mark, write_cells};
use super::format::{format_count, format_day, humanize};
use super::model::list_field::{FieldKind, RowValues};
use super::model::list_table::{ColumnSpec, ListLines, ListTable};
use crate::app::context::list_marks;
use crate::app::focused_list;
use crate::app::list_change::MarkChange;
use crate::domain::column::{Column, column};
use crate::domain::lenient::DateOrDateTime;
use crate::domain::row_columns::RowValue;
use crate::ui::table::TableCell;
use crate::ui::{TextRole, TextSpan, text_span};

/// A list of a pane. A column is one line of [`List::COLUMNS`].
pub trait List: Sized + 'static {
    type Pane: 'static;
    type Item: 'static;

    /// Its name in preferences.
    const NAME: &'static str;
    /// Width of the cursor and the row's state, before the first column.
    const STATE_WIDTH: u16;
    const COLUMNS: &'static [ListColumn<Self>];
    /// Where else to look for what is not in its rows, with keys in braces.
    const WIDER_SEARCH: &'static str = "";

    /// Its rows in their usual order.
    fn items<'a>(pane: &'a Self::Pane, cx: &'a Context) -> &'a [Self::Item];

    fn lines(pane: &Self::Pane) -> &ListLines;

    /// The symbols between the cursor and the first column.
    fn state(_row: &ListRow<'_, Self>) -> Vec<TextSpan<'static>> {
        Vec::new()
    }

    fn is_marked(_row: &ListRow<'_, Self>) -> bool {
        false
    }

    /// Something acts on several of its rows.
    const HAS_MARKS: bool = false;

    /// Adapts a column to the screen.
    fn adjust_column(_column: &mut ColumnSpec, _cx: &Context) {}

    /// Its rows are those of an earlier question; the answer is awaited.
    fn is_outdated(_pane: &Self::Pane) -> bool {
        false
    }

    /// Writes what a search finds besides the cells.
    fn write_keywords(_row: &ListRow<'_, Self>, _text: &mut String) {}
}

/// A row with what its cells depend on.
pub struct ListRow<'a, L: List> {
    pub item: &'a L::Item,
    /// Its place among the items.
    pub row: usize,
    pub pane: &'a L::Pane,
    pub cx: &'a Context,
    /// The line that is drawn; `None` for its text.
    pub line: Option<usize>,
}

/// A column: its name and layout, what it reads from a row, and how it draws it.
pub struct ListColumn<L: List> {
    spec: ColumnSpec,
    read: ReadColumn<L>,
    cell: DrawCell<L>,
}

/// What a column reads from a row; `None` if it is unknown.
enum ReadColumn<L: List> {
    Value(ReadValue<L>),
    Date(ReadDate<L>),
}

type ReadValue<L> = for<'a> fn(&ListRow<'a, L>) -> Option<RowValue<'a>>;
type ReadDate<L> = for<'a> fn(&ListRow<'a, L>) -> Option<&'a DateOrDateTime>;

/// How a column draws what it reads.
enum DrawCell<L: List> {
    Value,
    Text(for<'a> fn(&ListRow<'a, L>) -> TextSpan<'a>),
    WithTail(for<'a> fn(&ListRow<'a, L>) -> TableCell<'a>),
}

impl<L: List> ListColumn<L> {
    /// A column of values. The highest drop order leaves a narrow table first, 0 never.
    pub const fn new(
        kind: FieldKind,
        (key, title): (&'static str, &'static str),
        (width, drop_order): (u16, u8),
        value: ReadValue<L>,
    ) -> ListColumn<L> {
        ListColumn::from_column(column(key, title, kind), (width, drop_order), value)
    }

    /// A column of values that other lists have too.
    pub const fn from_column(
        column: Column,
        (width, drop_order): (u16, u8),
        value: ReadValue<L>,
    ) -> ListColumn<L> {
        ListColumn {
            spec: column.laid_out(width..=width, drop_order),
            read: ReadColumn::Value(value),
            cell: DrawCell::Value,
        }
    }

    pub const fn date(
        (key, title): (&'static str, &'static str),
        (width, drop_order): (u16, u8),
        date: ReadDate<L>,
    ) -> ListColumn<L> {
        ListColumn {
            spec: ColumnSpec::new(FieldKind::Date, (key, title), (width, drop_order)),
            read: ReadColumn::Date(date),
            cell: DrawCell::Value,
        }
    }

    /// The same column, growing with the remaining width.
    pub const fn growing_to(self, max_width: u16) -> ListColumn<L> {
        ListColumn {
            spec: self.spec.growing_to(max_width),
            ..self
        }
    }

    pub const fn aligned_right(self) -> ListColumn<L> {
        ListColumn {
            spec: self.spec.aligned_right(),
            ..self
        }
    }

    pub const fn aligned_left(mut self) -> ListColumn<L> {
        self.spec.layout.align_right = false;
        self
    }

    /// The same column, shown only when it is chosen.
    pub const fn hidden(self) -> ListColumn<L> {
        ListColumn {
            spec: self.spec.hidden(),
            ..self
        }
    }

    /// The same column, drawn as something else than what it reads.
    pub const fn drawn(self, cell: for<'a> fn(&ListRow<'a, L>) -> TextSpan<'a>) -> ListColumn<L> {
        ListColumn {
            cell: DrawCell::Text(cell),
            ..self
        }
    }

    /// The same column, drawn as a text and what follows it.
    pub const fn drawn_with_tail(
        self,
        cell: for<'a> fn(&ListRow<'a, L>) -> TableCell<'a>,
    ) -> ListColumn<L> {
        ListColumn {
            cell: DrawCell::WithTail(cell),
            ..self
        }
    }

    fn value<'a>(&self, row: &ListRow<'a, L>) -> Option<RowValue<'a>> {
        match self.read {
            ReadColumn::Value(value) => value(row),
            ReadColumn::Date(date) => date(row)?.date_time().map(RowValue::Date),
        }
    }

    fn cell<'a>(&self, row: &ListRow<'a, L>) -> TableCell<'a> {
        match self.cell {
            DrawCell::Value => self.draw_value(row).into(),
            DrawCell::Text(draw) => draw(row).into(),
            DrawCell::WithTail(draw) => draw(row),
        }
    }

    fn draw_value<'a>(&self, row: &ListRow<'a, L>) -> TextSpan<'a> {
        let text = match self.read {
            ReadColumn::Value(value) => value(row).map(|value| match value {
                RowValue::Text(word) if self.spec.kind.is_word() => humanize(&word).into(),
                RowValue::Text(text) | RowValue::Ranked(_, text) => text,
                RowValue::Number(number) => self.spec.kind.format_number(number).into(),
                RowValue::Date(at) => row.format_day(&at.into()).into(),
            }),
            ReadColumn::Date(date) => date(row).map(|date| row.format_day(date).into()),
        };
        let role = match self.spec.kind {
            FieldKind::Name | FieldKind::Money => TextRole::Text,
            _ => TextRole::Muted,
        };
        match text {
            Some(text) => text_span(role, text),
            None if self.spec.kind == FieldKind::Date => text_span(role, ""),
            None => text_span(TextRole::Faint, row.cx.settings.theme.glyphs().missing),
        }
    }
}

impl<L: List> ListRow<'_, L> {
    fn format_day(&self, date: &DateOrDateTime) -> String {
        format_day(date, self.cx.clock.service_now().date_naive())
    }
}

/// A list of a pane, with its rows.
pub fn list_of<'a, L: List>(pane: &'a L::Pane, cx: &'a Context) -> impl FocusedList<'a> {
    PaneList::<L> { pane, cx }
}

/// Computes the lines of a list of a pane again, in the user's order; they stay narrowed as they
/// are.
pub fn arrange<L: List>(pane: &L::Pane, cx: &Context) -> ListLines {
    let mut lines = L::lines(pane).clone();
    focused_list::arrange_list(&list_of::<L>(pane, cx), &mut lines, &cx.settings);
    lines
}

/// Changes the marks of a list of a pane, which keeps them by the ids of its items.
pub fn change_marks<L: List, K: Ord>(
    pane: &mut L::Pane,
    change: MarkChange<'_>,
    cx: &mut Context,
    id_of: fn(&L::Item) -> K,
    marks_of: fn(&mut L::Pane) -> &mut BTreeSet<K>,
) {
    let rows = rows_to_mark(&list_of::<L>(pane, cx), change);
    let items = L::items(pane, cx);
    let ids: Vec<K> = rows
        .into_iter()
        .filter_map(|row| items.get(row).map(id_of))
        .collect();
    let (changed, marks) = (ids.len(), marks_of(pane));
    change.apply(marks, ids);
    let marked = format!("{} marked", format_count(marks.len() as u64));
    list_marks::report_marks_changed(change, changed, marked, &mut cx.ui, &mut cx.work);
}

fn find_column<L: List>(key: &str) -> Option<&'static ListColumn<L>> {
    L::COLUMNS.iter().find(|column| column.spec.key == key)
}

struct PaneList<'a, L: List> {
    pane: &'a L::Pane,
    cx: &'a Context,
}

impl<'a, L: List> PaneList<'a, L> {
    fn row(&self, row: usize, line: Option<usize>) -> Option<ListRow<'a, L>> {
        Some(ListRow {
            item: L::items(self.pane, self.cx).get(row)?,
            row,
            pane: self.pane,
            cx: self.cx,
            line,
        })
    }
}

impl<'a, L: List> FocusedList<'a> for PaneList<'a, L> {
    fn columns(&self) -> Option<ListTable> {
        let mut columns: Vec<_> = L::COLUMNS.iter().map(|column| column.spec).collect();
        for column in &mut columns {
            L::adjust_column(column, self.cx);
        }
        Some(ListTable {
            name: L::NAME.into(),
            state_width: L::STATE_WIDTH,
            columns,
        })
    }

    fn lines(&self) -> Option<&'a ListLines> {
        Some(L::lines(self.pane))
    }

    fn row_count(&self) -> usize {
        L::items(self.pane, self.cx).len()
    }

    fn values(&self, row: usize, key: &str) -> RowValues<'a> {
        let value = || find_column::<L>(key)?.value(&self.row(row, None)?);
        value().into_iter().collect()
    }

    fn cells(&self, row: usize, line: Option<usize>, columns: &[ColumnSpec]) -> Vec<TableCell<'a>> {
        let Some(row) = self.row(row, line) else {
            return Vec::new();
        };
        let is_here = line == Some(L::lines(self.pane).scroll.cursor);
        let state = TableCell {
            text: self.cx.settings.theme.glyphs().cursor_span(is_here),
            tail: L::state(&row),
        };
        let cells = columns
            .iter()
            .filter_map(|spec| Some(find_column::<L>(spec.key)?.cell(&row)));
        let mut cells: Vec<_> = std::iter::once(state).chain(cells).collect();
        if L::is_outdated(self.pane) {
            for cell in &mut cells {
                cell.text.role = TextRole::Faint;
                cell.tail
                    .iter_mut()
                    .for_each(|span| span.role = TextRole::Faint);
            }
        }
        cells
    }

    fn wider_search(&self) -> Cow<'static, str> {
        L::WIDER_SEARCH.into()
    }

    fn has_marks(&self) -> bool {
        L::HAS_MARKS
    }

    fn is_marked(&self, row: usize) -> bool {
        self.row(row, None).is_some_and(|row| L::is_marked(&row))
    }

    fn write_row(&self, row: usize, text: &mut String) {
        let Some(row) = self.row(row, None) else {
            return;
        };
        write_cells(L::COLUMNS.iter().map(|column| column.cell(&row)), text);
        L::write_keywords(&row, text);
    }
}
