//! How the user arranged a list: its order and its columns, each kept as a preference.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::app::Context;
use crate::app::action::Action;
use crate::app::command::Scope;
use crate::app::format::humanize;
use crate::app::model::column_choice::parse_columns;
use crate::app::model::line_order::{filtered_label, narrowed_label};
use crate::app::model::list_field::amount_field;
use crate::app::model::list_table::{ListArrangement, ListLines, ListSort, ListTable};
use crate::app::notice::Notice;
use crate::app::overlay::Overlay;
use crate::app::overlay::column_list::ColumnList;
use crate::app::pane_command::ContextCommand;
use crate::app::panes::group_heading::GroupHeading;
use crate::domain::row_fields::RowValue;
use crate::ui::table::{ColumnScroll, ColumnWindow, Table, TableColumn};
use crate::ui::{TextRole, TextSpan, paint, text_span};

/// The columns of the focused list: the name of their preference, their layouts after the row's
/// state, and which one stays.
pub type FocusedColumns = (String, Vec<TableColumn>, usize);

/// The preference that wraps the row under the cursor.
const WRAP_PREFERENCE: &str = "wrap";

/// In the order of help.
pub const COMMANDS: &[ContextCommand] = &[
    ContextCommand::new(
        "list.sort",
        &["s"],
        "sort",
        "sort the loaded rows, free",
        Scope::Table,
        |cx| {
            cx.perform(Action::ChooseListSort);
        },
    )
    .available_when(Context::has_rows),
    ContextCommand::new(
        "list.columns",
        &["C"],
        "columns",
        "choose the columns, their order and widths",
        Scope::Table,
        |cx| {
            cx.perform(Action::ChooseListColumns);
        },
    ),
    ContextCommand::new(
        "list.group",
        &["T"],
        "group",
        "group the loaded rows by a column, or ungroup them, free",
        Scope::Table,
        |cx| {
            cx.perform(Action::ToggleGroup);
        },
    )
    .available_when(Context::has_rows),
    ContextCommand::new(
        "list.export",
        &["X"],
        "export",
        "export the rows as shown to a CSV, JSON Lines or Markdown file",
        Scope::Global,
        |cx| {
            cx.perform(Action::ChooseShownExport);
        },
    )
    .available_when(Context::has_rows),
];

impl Context {
    /// The order that the user chose; `None` for the usual one.
    pub fn list_sort(&self, table: &ListTable) -> Option<ListSort> {
        table.parse_sort(self.preference(&table.sort_preference()))
    }

    /// Computes the lines of a list of `len` rows again: sorted and grouped as the user chose, and
    /// narrowed as before. `value` returns what a row has in a column, and `write_row` what a search
    /// looks at.
    pub fn arrange_list<'a>(
        &self,
        (table, lines): (&ListTable, &mut ListLines),
        len: usize,
        value: impl Fn(usize, &str) -> Option<RowValue<'a>>,
        write_row: impl Fn(usize, &mut String),
    ) {
        let fields = table.fields("");
        let group = self.preference(&table.group_preference());
        let arrangement = ListArrangement {
            sort: self.list_sort(table),
            group: fields.iter().find(|field| field.key == group).cloned(),
            amount: amount_field(&fields).cloned(),
        };
        lines.arrange(len, arrangement, value, write_row);
    }

    /// Whether the row under the cursor shows its long cells in full.
    pub fn wraps_cursor_row(&self) -> bool {
        !self.preference(WRAP_PREFERENCE).is_empty()
    }

    /// Wraps the row under the cursor in every list, or cuts its cells as those of other rows.
    pub(in crate::app) fn toggle_wrap(&mut self) {
        let wraps = !self.wraps_cursor_row();
        self.save_preference(WRAP_PREFERENCE, if wraps { "row" } else { "" });
        let text = if wraps {
            "the row under the cursor is wrapped"
        } else {
            "long cells are cut"
        };
        self.notice = Some(Notice::info(text).with_hint("{list.wrap} switches"));
    }

    /// How many columns of a list are hidden on the left, by the name of its columns' preference.
    pub fn skipped_columns(&self, list: &str) -> usize {
        self.skipped_columns.get(list).copied().unwrap_or(0)
    }

    /// Scrolls the columns of the focused list sideways.
    pub(in crate::app) fn scroll_columns(
        &mut self,
        (list, columns, frozen): FocusedColumns,
        is_right: bool,
    ) {
        let now = self.skipped_columns(&list);
        let rows = self.layout().rows;
        let area = Rect {
            width: rows.width.saturating_sub(1),
            ..rows
        };
        let window = ColumnWindow::new(
            &columns,
            area,
            ColumnScroll {
                frozen,
                skipped: now,
            },
        );
        let next = match is_right {
            true if window.hidden_right == 0 => {
                return self.notice = Some(Notice::info("the last column is shown"));
            }
            true => now + 1,
            false if now == 0 => {
                return self.notice = Some(Notice::info("the first column is shown"));
            }
            false => now - 1,
        };
        let window = ColumnWindow::new(
            &columns,
            area,
            ColumnScroll {
                frozen,
                skipped: next,
            },
        );
        let text = format!(
            "columns hidden: {} on the left, {} on the right",
            window.hidden_left, window.hidden_right
        );
        self.notice = Some(Notice::info(text).with_hint("{list.left} {list.right}"));
        self.skipped_columns.insert(list, next);
    }

    /// What the list is sorted by and narrowed to, for its title.
    pub fn arrangement_label(
        &self,
        table: &ListTable,
        lines: &ListLines,
    ) -> Vec<TextSpan<'static>> {
        let glyphs = self.theme().glyphs();
        let mut label = Vec::new();
        if let Some(sort) = self.list_sort(table) {
            let arrow = if sort.is_descending {
                glyphs.sort_descending
            } else {
                glyphs.sort_ascending
            };
            label.push(text_span(
                TextRole::Muted,
                format!("  by {}{arrow}", humanize(sort.key)),
            ));
        }
        if let Some(query) = lines.query() {
            label.extend([
                text_span(TextRole::Text, "  "),
                narrowed_label(query, &self.theme()),
            ]);
        }
        if let Some(filter) = lines.filter() {
            label.extend([
                text_span(TextRole::Text, "  "),
                filtered_label(filter, &self.theme()),
            ]);
        }
        label
    }

    /// Opens the chooser of a list's columns.
    pub(in crate::app) fn open_list_columns(&mut self, table: &ListTable) {
        let preference = table.columns_preference();
        let shown = parse_columns(self.preference(&preference));
        let list = ColumnList::new(preference.clone(), table.column_options(), shown);
        self.overlay = Some(Overlay::Columns(list));
    }

    /// Draws a list with the user's columns. `cells` returns the cells of a row: its state, then
    /// all columns of the table; its second argument says whether the cursor is there.
    pub fn draw_list<'p, R, C>(
        &self,
        buf: &mut Buffer,
        (table, lines): (&ListTable, &ListLines),
        (panel, rows): (Rect, Rect),
        has_focus: bool,
        cells: impl Fn(usize, bool) -> R,
    ) where
        R: AsRef<[C]>,
        C: AsRef<[TextSpan<'p>]>,
    {
        let chosen = table.chosen_columns(self.preference(&table.columns_preference()));
        let columns: Vec<TableColumn> = chosen.iter().map(|(_, layout)| *layout).collect();
        let sorted_by = self.list_sort(table).and_then(|sort| {
            let is_sorted = |(place, _): &(usize, TableColumn)| {
                place
                    .checked_sub(1)
                    .is_some_and(|at| table.columns[at].key == sort.key)
            };
            Some((chosen.iter().position(is_sorted)?, !sort.is_descending))
        });
        let chosen_cells = |line: usize, here: bool| {
            if lines.heading_on(line).is_some() {
                return vec![Vec::new(); chosen.len()];
            }
            let cells = cells(lines.row_on(line), here);
            chosen
                .iter()
                .map(|(place, _)| cells.as_ref()[*place].as_ref().to_vec())
                .collect::<Vec<Vec<TextSpan<'p>>>>()
        };
        let columns_scroll = ColumnScroll {
            frozen: 1,
            skipped: self.skipped_columns(&table.columns_preference()),
        };
        let theme = self.theme();
        let table = Table {
            columns: &columns,
            scroll: lines.scroll,
            len: lines.len(),
            has_focus,
            sorted_by,
            columns_scroll,
            wraps_cursor_row: self.wraps_cursor_row(),
        };
        table.draw(buf, panel, rows, &theme, chosen_cells);
        let Some(field) = lines.group() else { return };
        for (n, line) in (0..rows.height).zip(lines.scroll.top..lines.len()) {
            if let Some(group) = lines.heading_on(line) {
                let (row, here) = (paint::row_rect(rows, n), line == lines.scroll.cursor);
                GroupHeading::new(group, field.kind, lines.amount(), false)
                    .draw(buf, row, here, has_focus, &theme);
            }
        }
    }
}
