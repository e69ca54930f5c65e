//! The column chooser of a table: which columns are shown, in which order, and how wide.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::app::command::keymap::Keymap;
use crate::app::model::column_choice::{
    COLUMN_WIDTHS, ColumnOption, chosen_layout, format_columns,
};
use crate::ui::scroll::ScrollState;
use crate::ui::table::{TableColumn, layout_columns};
use crate::ui::{TextRole, Theme, area, draw_line, paint, panel, scroll, text_span};

/// All columns: first the visible ones in their order, then the others.
#[derive(Clone, Debug)]
pub struct ColumnList {
    /// The preference that holds the choice.
    pub preference: String,
    columns: Vec<ColumnOption>,
    /// The columns as they are by default.
    usual: Vec<ColumnOption>,
    pub cursor: usize,
}

impl ColumnList {
    /// `usual` are the columns as they are by default, `shown` the chosen ones with their widths,
    /// in order.
    pub fn new<'a>(
        preference: String,
        usual: Vec<ColumnOption>,
        shown: impl Iterator<Item = (&'a str, Option<u16>)>,
    ) -> ColumnList {
        let mut rest = usual.clone();
        let mut columns = Vec::new();
        for (key, width) in shown {
            if let Some(at) = rest.iter().position(|column| column.key == key) {
                columns.push(ColumnOption {
                    is_shown: true,
                    width,
                    ..rest.remove(at)
                });
            }
        }
        // Without a choice the usual ones are shown.
        let is_chosen = !columns.is_empty();
        columns.extend(rest.into_iter().map(|column| ColumnOption {
            is_shown: column.is_shown && !is_chosen,
            ..column
        }));
        ColumnList {
            preference,
            columns,
            usual,
            cursor: 0,
        }
    }

    fn shown(&self) -> impl Iterator<Item = &ColumnOption> {
        self.columns.iter().filter(|column| column.is_shown)
    }

    /// The choice as a preference: empty if it is the usual one, `None` without columns.
    pub fn to_preference(&self) -> Option<String> {
        let keys = |columns: &[ColumnOption]| {
            let shown = columns.iter().filter(|column| column.is_shown);
            format_columns(shown.map(|column| (column.key, column.width)))
        };
        let chosen = keys(&self.columns);
        (!chosen.is_empty()).then(|| {
            if chosen == keys(&self.usual) {
                String::new()
            } else {
                chosen
            }
        })
    }

    /// How many of the columns fit into a table, and the titles of those that do not.
    pub fn fit_into(&self, table: Rect) -> (usize, Vec<&'static str>) {
        let state = TableColumn {
            title: "",
            width: 2,
            max_width: 0,
            drop_order: 0,
            align_right: false,
        };
        let chosen = self
            .shown()
            .enumerate()
            .map(|(place, column)| chosen_layout(column.layout, place, column.width));
        let layouts: Vec<TableColumn> = std::iter::once(state).chain(chosen).collect();
        let fitting = layout_columns(
            &layouts,
            Rect {
                width: table.width.saturating_sub(1),
                ..table
            },
        );
        let left = (1..layouts.len()).filter(|at| fitting.iter().all(|(there, _)| there != at));
        (
            fitting.len() - 1,
            left.map(|at| layouts[at].title).collect(),
        )
    }

    pub fn move_cursor(&mut self, lines: isize) {
        self.cursor = self.cursor.saturating_add_signed(lines).min(self.last());
    }

    pub fn last(&self) -> usize {
        self.columns.len().saturating_sub(1)
    }

    pub fn toggle(&mut self) {
        if let Some(column) = self.columns.get_mut(self.cursor) {
            column.is_shown = !column.is_shown;
        }
        self.cursor = (self.cursor + 1).min(self.last());
    }

    pub fn reset(&mut self) {
        self.columns.clone_from(&self.usual);
    }

    pub fn move_column(&mut self, to: usize) {
        if to < self.columns.len() {
            self.columns.swap(self.cursor, to);
            self.cursor = to;
        }
    }

    /// Makes the column this much wider or narrower.
    pub fn widen(&mut self, cells: i16) {
        if let Some(column) = self.columns.get_mut(self.cursor) {
            let width = column
                .width
                .unwrap_or(column.layout.width)
                .saturating_add_signed(cells);
            column.width = Some(width.clamp(*COLUMN_WIDTHS.start(), *COLUMN_WIDTHS.end()));
        }
    }

    pub fn draw(&self, all: Rect, keymap: &Keymap, buf: &mut Buffer, theme: &Theme) {
        let height = u16::try_from(self.columns.len())
            .unwrap_or(u16::MAX)
            .saturating_add(5);
        let area = panel::centered_rect(
            Rect {
                height: all.height.saturating_sub(1),
                ..all
            },
            56,
            height,
        );
        let title = [text_span(TextRole::Strong, "Columns")];
        let note = [text_span(
            TextRole::Muted,
            format!("{} of {}", self.shown().count(), self.columns.len()),
        )];
        let inner = panel::draw_popup(buf, area, &title, &note, theme);
        let inner = area::inset_sides(inner, 1);
        let list = Rect {
            height: inner.height.saturating_sub(3),
            ..inner
        };
        let at = ScrollState::centered_on(self.cursor, self.columns.len(), list.height);
        for n in 0..list.height {
            let Some(column) = self.columns.get(at.top + usize::from(n)) else {
                break;
            };
            let (row, here) = (
                paint::row_rect(list, n),
                at.top + usize::from(n) == at.cursor,
            );
            let shown = column.is_shown;
            let width = match (column.width, column.layout.max_width) {
                (Some(width), _) => format!("{width:>3} "),
                (None, 0) => format!("{:>3} ", column.layout.width),
                (None, _) => "    ".to_owned(),
            };
            let title = if column.layout.title.is_empty() {
                column.key
            } else {
                column.layout.title
            };
            let pieces = [
                theme.glyphs().cursor_span(here),
                text_span(
                    if shown {
                        TextRole::Marked
                    } else {
                        TextRole::Faint
                    },
                    if shown { " [x] " } else { " [ ] " },
                ),
                text_span(
                    if shown {
                        TextRole::Text
                    } else {
                        TextRole::Muted
                    },
                    format!("{title:<12}"),
                ),
                text_span(
                    if column.width.is_some() {
                        TextRole::Marked
                    } else {
                        TextRole::Faint
                    },
                    width,
                ),
                text_span(TextRole::Muted, column.description.clone()),
            ];
            draw_line(buf, row, &pieces, theme);
            if here {
                buf.set_style(row, theme.cursor_row_style(true));
            }
        }
        scroll::draw_scrollbar(buf, area, list, at.top, self.columns.len(), theme);
        let hints = [
            "{columns.toggle} show or hide  {columns.move.down} {columns.move.up} move  {columns.wider} {columns.narrower} width",
            "{columns.apply} apply  {columns.reset} reset  {dialog.close} cancel",
        ];
        for (n, hint) in (0u16..).zip(hints) {
            let hint = keymap.expand_keys_styled(TextRole::Muted, hint);
            draw_line(
                buf,
                paint::row_rect(inner, (inner.height + n).saturating_sub(2)),
                &hint,
                theme,
            );
        }
    }
}
