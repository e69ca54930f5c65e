//! How the user arranged a list: its order and its columns, each kept as a preference.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::app::action::Action;
use crate::app::command::shared;
use crate::app::context::Ui;
use crate::app::focused_list::FocusedList;
use crate::app::format::humanize;
use crate::app::list_change::ListChange;
use crate::app::model::column_choice::parse_columns;
use crate::app::model::line_order::{filtered_label, narrowed_label};
use crate::app::model::list_table::{ColumnSpec, ListTable};
use crate::app::notice::Notice;
use crate::app::overlay::Overlay;
use crate::app::overlay::column_list::ColumnList;
use crate::app::pane_command::ContextCommand;
use crate::app::panes::group_heading::GroupHeading;
use crate::app::prompt::PromptKind;
use crate::app::{AppSettings, Context};
use crate::ui::scroll::ScrollState;
use crate::ui::table::{ColumnScroll, Table, TableLine};
use crate::ui::{TextRole, TextSpan, text_span};

/// The preference that wraps the row under the cursor.
pub(super) const WRAP_PREFERENCE: &str = "wrap";

type Row = ContextCommand;

/// In the order of help.
pub const COMMANDS: &[Row] = &[
    Row::at("list.sort", &shared::SORT, |cx| {
        cx.work.perform(Action::ChooseListSort)
    })
    .with_description(
        "sort the loaded rows, free; in record lists, the service can also sort all rows",
    )
    .with_hint_text(6, |cx| cx.ui.focused_list().map(|_| "sort"))
    .available_when(|cx| match cx.ui.focused_list() {
        // The service sorts rows that are not read yet.
        Some(_) if cx.ui.focus.pane_has_focus() && cx.ui.list_dialog().is_none() => Ok(()),
        _ => cx.ui.focus.has_rows(),
    }),
    Row::new(
        "list.columns",
        &["C"],
        "columns",
        "choose the columns, their order and widths",
        |cx| {
            cx.work.perform(Action::ChooseListColumns);
        },
    )
    .available_when(|cx| cx.ui.focus.has_rows()),
    Row::new(
        "list.group",
        &["T"],
        "group",
        "group or ungroup the loaded rows (in the queue, by project), free",
        |cx| {
            cx.work.perform(Action::ToggleGroup);
        },
    )
    .available_when(|cx| cx.ui.focus.has_rows()),
    Row::new(
        "list.filter.value",
        &["& ="],
        "same value",
        "show only the rows that have a value of this row, such as its city",
        |cx| {
            cx.work
                .perform(Action::ChooseRowValue(PromptKind::FilterValue))
        },
    )
    .available_when(|cx| cx.ui.focus.has_rows()),
    Row::new(
        "list.fold",
        &["h", "Left"],
        "close group",
        "close the group or thread of this row, or open it",
        |cx| cx.work.perform(Action::ChangeList(ListChange::ToggleFold)),
    )
    .available_when(|cx| cx.ui.focus.is_grouped()),
    Row::new(
        "list.fold.all",
        &["-"],
        "close all",
        "close all groups or threads",
        |cx| {
            cx.work
                .perform(Action::ChangeList(ListChange::FoldAll { close: true }))
        },
    )
    .available_when(|cx| cx.ui.focus.is_grouped()),
    Row::new(
        "list.unfold.all",
        &["="],
        "open all",
        "open all groups or threads",
        |cx| {
            cx.work
                .perform(Action::ChangeList(ListChange::FoldAll { close: false }))
        },
    )
    .available_when(|cx| cx.ui.focus.is_grouped()),
    Row::new(
        "list.export",
        &["X"],
        "export",
        "export the rows as shown to a CSV, JSON Lines or Markdown file",
        |cx| {
            cx.work.perform(Action::ChooseShownExport);
        },
    )
    .available_when(|cx| cx.ui.focus.has_rows()),
];

impl Context {
    /// Wraps the row under the cursor in every list, or cuts its cells as those of other rows.
    pub(in crate::app) fn toggle_wrap(&mut self) {
        let wraps = !self.settings.wraps_cursor_row();
        self.settings.save_preference(
            WRAP_PREFERENCE,
            if wraps { "row" } else { "" },
            &mut self.work,
        );
        let text = if wraps {
            "the row under the cursor is wrapped"
        } else {
            "long cells are cut"
        };
        self.ui.notice = Some(Notice::info(text).with_hint("{list.wrap} switches"));
    }

    /// What the list is sorted by and narrowed to, for its title.
    pub fn arrangement_label<'a>(&self, list: &dyn FocusedList<'a>) -> Vec<TextSpan<'static>> {
        let glyphs = self.settings.theme.glyphs();
        let mut label = Vec::new();
        if let Some(sort) = list.sort(self) {
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
        if let Some(query) = list.query() {
            label.extend([
                text_span(TextRole::Text, "  "),
                narrowed_label(query, &self.settings.theme),
            ]);
        }
        if let Some(filter) = list.value_filter() {
            label.extend([
                text_span(TextRole::Text, "  "),
                filtered_label(filter, &self.settings.theme),
            ]);
        }
        label
    }

    /// Draws a list with the user's columns.
    pub fn draw_list<'a>(
        &self,
        buf: &mut Buffer,
        list: &dyn FocusedList<'a>,
        panels: (Rect, Rect),
        has_focus: bool,
    ) {
        let Some(lines) = list.lines() else { return };
        let theme = self.settings.theme;
        let draw_lines = |columns: Vec<ColumnSpec>| {
            move |line: usize, here: bool| match lines.heading_on(line) {
                Some(group) => {
                    let is_marked = |row: &usize| list.is_marked(*row);
                    let is_marked = list.has_marks() && group.rows.iter().all(is_marked);
                    let heading = GroupHeading::new(group, lines.amount(), is_marked);
                    TableLine::Text(heading.line(here, &theme))
                }
                None => TableLine::Cells(list.cells(lines.row_on(line), Some(line), &columns)),
            }
        };
        self.draw_list_lines(buf, list, lines.scroll, panels, has_focus, draw_lines);
        if lines.is_empty() && list.row_count() > 0 {
            let text = [text_span(TextRole::Muted, "no row matches")];
            self.draw_message(buf, panels.1, &text, &["{back} shows all"]);
        }
    }

    /// Draws the visible lines of a list under the user's columns; `draw_lines` is told the visible
    /// ones, and returns what each line shows.
    pub fn draw_list_lines<'a, F: Fn(usize, bool) -> TableLine<'a>>(
        &self,
        buf: &mut Buffer,
        list: &dyn FocusedList<'a>,
        scroll: ScrollState,
        (panel, rows): (Rect, Rect),
        has_focus: bool,
        draw_lines: impl FnOnce(Vec<ColumnSpec>) -> F,
    ) {
        let Some(table) = list.columns() else { return };
        let shown = list.shown_columns(self);
        let sorted_by = shown
            .iter()
            .enumerate()
            .find_map(|(place, column)| Some((place + 1, list.sort_direction(column.key, self)?)));
        let columns_scroll = ColumnScroll {
            frozen: list.frozen_column(&shown),
            skipped: self.frame.skipped_columns(&table.columns_preference()),
        };
        let table = Table {
            columns: &table.layouts(&shown),
            scroll,
            len: list.line_count(),
            has_focus,
            sorted_by,
            columns_scroll,
            wraps_cursor_row: self.settings.wraps_cursor_row(),
        };
        let window = table.visible_columns(rows);
        let spec = |(place, _): &(usize, Rect)| shown.get(place.checked_sub(1)?).copied();
        let visible: Vec<ColumnSpec> = window.areas.iter().filter_map(spec).collect();
        let draw_line = draw_lines(visible);
        table.draw_lines(buf, (panel, rows), &window, &self.settings.theme, draw_line);
    }
}

/// Opens the chooser of a list's columns.
pub(in crate::app) fn open_list_columns(table: &ListTable, ui: &mut Ui, settings: &AppSettings) {
    let preference = table.columns_preference();
    let shown = parse_columns(settings.preference(&preference));
    let list = ColumnList::new(preference.clone(), table.column_options(), shown);
    ui.overlay = Some(Overlay::Columns(list));
}
