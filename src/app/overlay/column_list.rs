//! The column chooser of a list: which columns are shown, and in which order.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::OverlayOutcome;
use crate::app::action::Action;
use crate::app::command::keys::Key;
use crate::app::format::humanize;
use crate::app::panes::records::columns::{RecordColumn, available_columns};
use crate::domain::search::RecordSource;
use crate::ui::scroll::{self, ScrollState};
use crate::ui::{TextRole, Theme, area, draw_line, paint, panel, text_span};

/// All columns: first the visible ones in their order, then the others.
#[derive(Clone, Debug)]
pub struct ColumnList {
    source: RecordSource,
    columns: Vec<(RecordColumn, bool)>,
    cursor: usize,
}

impl ColumnList {
    pub fn new(source: &RecordSource, shown: &[RecordColumn]) -> ColumnList {
        let (usual, more) = available_columns(source);
        let is_shown = |column: &&RecordColumn| shown.iter().any(|shown| shown.field == column.field);
        let hidden = usual.iter().chain(more).filter(|column| !is_shown(column));
        let columns = shown.iter().map(|column| (*column, true)).chain(hidden.map(|column| (*column, false))).collect();
        ColumnList { source: source.clone(), columns, cursor: 0 }
    }

    fn shown_fields(&self) -> Vec<&'static str> {
        self.columns.iter().filter(|(_, shown)| *shown).map(|(column, _)| column.field).collect()
    }

    pub fn handle_key(&mut self, key: Key) -> OverlayOutcome {
        let is = |name: &str| Some(key) == Key::parse(name);
        let last = self.columns.len().saturating_sub(1);
        match () {
            () if is("Esc") || is("q") => return OverlayOutcome::Close,
            () if is("Enter") && !self.shown_fields().is_empty() => {
                return OverlayOutcome::Perform(Action::SetColumns(self.source.clone(), self.shown_fields()));
            }
            () if is("Space") || is("x") => {
                if let Some((_, shown)) = self.columns.get_mut(self.cursor) {
                    *shown = !*shown;
                }
                self.cursor = (self.cursor + 1).min(last);
            }
            () if is("J") || is("Shift-Down") => self.move_column(self.cursor + 1),
            () if is("K") || is("Shift-Up") => self.move_column(self.cursor.saturating_sub(1)),
            () if is("u") => {
                *self = ColumnList { cursor: self.cursor, ..ColumnList::new(&self.source, available_columns(&self.source).0) }
            }
            () if is("Down") || is("j") || is("Tab") => self.cursor = (self.cursor + 1).min(last),
            () if is("Up") || is("k") || is("Shift-Tab") => self.cursor = self.cursor.saturating_sub(1),
            () if is("Home") => self.cursor = 0,
            () if is("End") || is("G") => self.cursor = last,
            () => {}
        }
        OverlayOutcome::Stay
    }

    fn move_column(&mut self, to: usize) {
        if to < self.columns.len() {
            self.columns.swap(self.cursor, to);
            self.cursor = to;
        }
    }

    pub fn draw(&self, all: Rect, buf: &mut Buffer, theme: &Theme) {
        let height = u16::try_from(self.columns.len()).unwrap_or(u16::MAX).saturating_add(5);
        let area = panel::centered_rect(Rect { height: all.height.saturating_sub(1), ..all }, 52, height);
        let title = [text_span(TextRole::Strong, "Columns")];
        let note = [text_span(TextRole::Muted, format!("{} of {}", self.shown_fields().len(), self.columns.len()))];
        let inner = panel::draw_popup(buf, area, &title, &note, theme);
        let inner = area::inset_sides(inner, 1);
        let list = Rect { height: inner.height.saturating_sub(3), ..inner };
        let at = ScrollState::centered_on(self.cursor, self.columns.len(), list.height);
        for n in 0..list.height {
            let Some((column, shown)) = self.columns.get(at.top + usize::from(n)) else { break };
            let (row, here) = (paint::row_rect(list, n), at.top + usize::from(n) == at.cursor);
            let pieces = [
                text_span(TextRole::Focus, if here { theme.glyphs().cursor } else { " " }),
                text_span(if *shown { TextRole::Marked } else { TextRole::Faint }, if *shown { " [x] " } else { " [ ] " }),
                text_span(if *shown { TextRole::Text } else { TextRole::Muted }, format!("{:<14}", column.layout.title)),
                text_span(TextRole::Muted, humanize(column.field)),
            ];
            draw_line(buf, row, &pieces, theme);
            if here {
                buf.set_style(row, theme.cursor_row_style(true));
            }
        }
        scroll::draw_scrollbar(buf, area, list, at.top, self.columns.len(), theme);
        let keys: [&[(&str, &str)]; 2] =
            [&[("Space", " show or hide  "), ("J K", " move  "), ("u", " reset")], &[("Enter", " apply  "), ("Esc", " cancel")]];
        for (n, keys) in (0u16..).zip(keys) {
            let pieces: Vec<_> =
                keys.iter().flat_map(|(key, what)| [text_span(TextRole::Key, *key), text_span(TextRole::Muted, *what)]).collect();
            draw_line(buf, paint::row_rect(inner, (inner.height + n).saturating_sub(2)), &pieces, theme);
        }
    }
}
