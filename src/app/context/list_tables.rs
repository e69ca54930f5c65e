//! How the user arranged a list: its order and its columns, each kept as a preference.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::app::Context;
use crate::app::action::Action;
use crate::app::command::Scope;
use crate::app::format::humanize;
use crate::app::model::column_choice::parse_columns;
use crate::app::model::line_order::narrowed_label;
use crate::app::model::list_table::{ListLines, ListSort, ListTable};
use crate::app::overlay::Overlay;
use crate::app::overlay::column_list::ColumnList;
use crate::app::pane_command::ContextCommand;
use crate::ui::table::{Table, TableColumn};
use crate::ui::{TextRole, TextSpan, text_span};

/// In the order of help.
pub const COMMANDS: &[ContextCommand] = &[
    ContextCommand::new("list.sort", &["s"], "sort", "sort the loaded rows, free", Scope::Table, |cx| {
        cx.perform(Action::ChooseListSort);
    })
    .available_when(Context::has_rows),
    ContextCommand::new("list.columns", &["C"], "columns", "choose the columns, their order and widths", Scope::Table, |cx| {
        cx.perform(Action::ChooseListColumns);
    }),
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

    /// What the list is sorted by and narrowed to, for its title.
    pub fn arrangement_label(&self, table: &ListTable, lines: &ListLines) -> Vec<TextSpan<'static>> {
        let glyphs = self.theme().glyphs();
        let mut label = Vec::new();
        if let Some(sort) = self.list_sort(table) {
            let arrow = if sort.is_descending { glyphs.sort_descending } else { glyphs.sort_ascending };
            label.push(text_span(TextRole::Muted, format!("  by {}{arrow}", humanize(sort.key))));
        }
        if let Some(query) = lines.query() {
            label.extend([text_span(TextRole::Text, "  "), narrowed_label(query, &self.theme())]);
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

    /// Draws a list with the user's columns. `cells` returns the cells of a row: its state, then all columns of the table; its second
    /// argument says whether the cursor is there.
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
            let is_sorted =
                |(place, _): &(usize, TableColumn)| place.checked_sub(1).is_some_and(|at| table.columns[at].key == sort.key);
            Some((chosen.iter().position(is_sorted)?, !sort.is_descending))
        });
        let chosen_cells = |line: usize, here: bool| {
            let cells = cells(lines.row_on(line), here);
            chosen.iter().map(|(place, _)| cells.as_ref()[*place].as_ref().to_vec()).collect::<Vec<Vec<TextSpan<'p>>>>()
        };
        let table = Table { columns: &columns, scroll: lines.scroll, len: lines.len(), has_focus, sorted_by };
        table.draw(buf, panel, rows, &self.theme(), chosen_cells);
    }
}
