//! The join code of a new invitation: shown once, to be passed on.
//!
//! Never here: anything that stores the code.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::{Clear, Widget};

use crate::app::command::keymap::Keymap;
use crate::app::format::format_full_day;
use crate::domain::join_code::JoinCode;
use crate::domain::lenient::DateOrDateTime;
use crate::text;
use crate::ui::popup::Popup;
use crate::ui::{TextRole, Theme, area, draw_line, paint, text_span};

/// Cells of the border and the margins beside the text.
const SIDE_CELLS: u16 = 6;
const MIN_WIDTH: u16 = 66;

#[derive(Clone, Debug)]
pub struct NewJoinCode {
    /// Who it is for.
    pub email: String,
    pub code: JoinCode,
    pub expires_at: Option<DateOrDateTime>,
}

impl NewJoinCode {
    pub fn draw(&self, screen: Rect, keymap: &Keymap, buf: &mut Buffer, theme: &Theme) {
        let code = self.code.encode();
        let code_width = u16::try_from(code.len()).unwrap_or(u16::MAX);
        let width = code_width
            .saturating_add(SIDE_CELLS)
            .max(MIN_WIDTH)
            .min(screen.width);
        let is_split = code_width > width.saturating_sub(SIDE_CELLS);
        let until = self
            .expires_at
            .as_ref()
            .map(|end| format!(", until {}", format_full_day(end)))
            .unwrap_or_default();
        let notes = [
            "On their machine: gantry join, then paste this code.".to_owned(),
            format!("It works once{until}; it is not shown again."),
        ];
        let notes: Vec<String> = notes
            .iter()
            .flat_map(|note| text::wrap_text(note, width.saturating_sub(SIDE_CELLS).into()))
            .collect();
        let code_rows = if is_split {
            code_width.div_ceil(screen.width.max(1))
        } else {
            1
        };
        let popup = Popup {
            margin: 2,
            above: 1,
            rows: usize::from(code_rows) + 1 + notes.len(),
            keys: vec![
                keymap.expand_keys_styled(TextRole::Muted, "{code.copy} copy   {code.close} close"),
            ],
            ..Popup::new(format!("Join code for {}", self.email), width)
        };
        let body = popup.draw(screen, buf, theme).body;
        // A code of several rows fills the width of the screen, so that selecting it selects
        // nothing else.
        let code_area = if is_split {
            Rect {
                x: screen.x,
                width: screen.width,
                ..body
            }
        } else {
            body
        };
        for (n, piece) in (0..code_rows).zip(code.as_bytes().chunks(code_area.width.max(1).into()))
        {
            let row = paint::row_rect(code_area, n);
            Clear.render(row.intersection(buf.area), buf);
            draw_line(
                buf,
                row,
                &[text_span(TextRole::Key, String::from_utf8_lossy(piece))],
                theme,
            );
        }
        let (_, below) = area::split_rows(body, body.height.saturating_sub(code_rows + 1));
        let notes = notes
            .iter()
            .map(|note| [text_span(TextRole::Text, note.as_str())]);
        paint::draw_lines(buf, below, notes, theme);
    }
}
