//! The column chooser of a table: which columns are shown, in which order, and how wide.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::app::command::keymap::Keymap;
use crate::app::model::column_choice::{COLUMN_WIDTHS, ColumnOption, format_columns};
use crate::ui::popup::Popup;
use crate::ui::{TextRole, Theme, draw_line, paint, text_span};

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

    /// The cells that all shown columns take.
    pub fn width(&self) -> u16 {
        let widths = self
            .shown()
            .map(|column| column.width.unwrap_or(column.layout.width) + 1);
        widths.sum()
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

    pub fn draw(&self, screen: Rect, keymap: &Keymap, buf: &mut Buffer, theme: &Theme) {
        let keys = [
            "{columns.toggle} show or hide  {columns.move.down} {columns.move.up} move  {columns.wider} {columns.narrower} width",
            "{columns.apply} apply  {columns.reset} reset  {dialog.close} cancel",
        ];
        let popup = Popup {
            note: format!("{} of {}", self.shown().count(), self.columns.len()),
            rows: self.columns.len(),
            keys: keys
                .map(|line| keymap.expand_keys_styled(TextRole::Muted, line))
                .into(),
            ..Popup::new("Columns", 56)
        };
        let areas = popup.draw(screen, buf, theme);
        let cursor = Some(self.cursor);
        areas.draw_rows(
            buf,
            (cursor, self.columns.len()),
            theme,
            &mut |buf, row, at, here| {
                draw_option(&self.columns[at], here, row, buf, theme);
            },
        );
    }
}

fn draw_option(
    column: &ColumnOption,
    is_current: bool,
    row: Rect,
    buf: &mut Buffer,
    theme: &Theme,
) {
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
    let title_role = if column.is_shown {
        TextRole::Text
    } else {
        TextRole::Muted
    };
    let width_role = if column.width.is_some() {
        TextRole::Marked
    } else {
        TextRole::Faint
    };
    let pieces = [
        theme.glyphs().cursor_span(is_current),
        text_span(TextRole::Text, " "),
        paint::check_box(column.is_shown),
        text_span(title_role, format!("{title:<12}")),
        text_span(width_role, width),
        text_span(TextRole::Muted, column.description.as_str()),
    ];
    draw_line(buf, row, &pieces, theme);
}
