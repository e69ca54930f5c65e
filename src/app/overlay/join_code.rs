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
use crate::ui::{TextRole, Theme, area, draw_line, paint, panel, text_span};

/// Cells of the border and the margins beside the text.
const SIDE_CELLS: u16 = 6;
/// Rows of the border, the hint, and the blank rows around the code and above the hint.
const FRAME_ROWS: u16 = 6;
const MIN_WIDTH: u16 = 66;

#[derive(Clone, Debug)]
pub struct NewJoinCode {
    /// Who it is for.
    pub email: String,
    pub code: JoinCode,
    pub expires_at: Option<DateOrDateTime>,
}

impl NewJoinCode {
    pub fn draw(&self, all: Rect, keymap: &Keymap, buf: &mut Buffer, theme: &Theme) {
        let code = self.code.encode();
        let code_width = u16::try_from(code.len()).unwrap_or(u16::MAX);
        let width = code_width
            .saturating_add(SIDE_CELLS)
            .max(MIN_WIDTH)
            .min(all.width);
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
            code_width.div_ceil(all.width.max(1))
        } else {
            1
        };
        let height = FRAME_ROWS + code_rows + u16::try_from(notes.len()).unwrap_or(0);
        let area = panel::centered_rect(all, width, height);
        let title = text_span(TextRole::Strong, format!("Join code for {}", self.email));
        let inner = area::inset_sides(panel::draw_popup(buf, area, &[title], &[], theme), 2);
        let below = Rect {
            y: inner.y + 1,
            height: inner.height.saturating_sub(1),
            ..inner
        };
        // A code of several rows fills the width of the screen, so that selecting it selects
        // nothing else.
        let code_area = if is_split {
            Rect {
                x: all.x,
                width: all.width,
                ..below
            }
        } else {
            below
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
        let rest = (code_rows + 1).min(below.height);
        let below = Rect {
            y: below.y + rest,
            height: below.height - rest,
            ..below
        };
        paint::draw_lines(
            buf,
            below,
            notes
                .iter()
                .map(|note| [text_span(TextRole::Text, note.as_str())]),
            theme,
        );
        let hint =
            keymap.expand_keys_styled(TextRole::Muted, "{code.copy} copy   {code.close} close");
        draw_line(
            buf,
            paint::row_rect(inner, inner.height.saturating_sub(1)),
            &hint,
            theme,
        );
    }
}
