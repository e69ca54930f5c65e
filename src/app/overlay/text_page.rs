//! A page of text that is read, copied and saved.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::app::command::keymap::Keymap;
use crate::domain::handoff::HandoffRequest;
use crate::text;
use crate::ui::{TextRole, Theme, area, draw_line, paint, panel, scroll, text_span};

/// Cells of the border and the margins beside the text.
const SIDE_CELLS: u16 = 6;
/// Rows of the border, the hint and the blank row above it.
const FRAME_ROWS: u16 = 4;
const MAX_WIDTH: u16 = 104;

#[derive(Clone, Debug)]
pub struct TextPage {
    pub title: &'static str,
    /// What is shown; none while it is read.
    pub shown: Option<String>,
    /// What is copied and saved.
    pub copied: String,
    /// The name of the file that it is saved to.
    pub file_name: String,
    /// The first visible line.
    pub top: usize,
    /// What it covers, if it is a handoff.
    pub handoff: Option<HandoffRequest>,
}

impl TextPage {
    /// A page whose text is being read.
    pub fn loading(title: &'static str) -> TextPage {
        TextPage {
            title,
            shown: None,
            copied: String::new(),
            file_name: String::new(),
            top: 0,
            handoff: None,
        }
    }

    fn lines(&self, width: u16) -> Vec<String> {
        let shown = self.shown.as_deref().unwrap_or("Reading…");
        let wrap = |line: &str| match line.is_empty() {
            true => vec![String::new()],
            false => {
                let indent = &line[..line.len() - line.trim_start().len()];
                let room = usize::from(width).saturating_sub(2 * indent.len()).max(1);
                let pieces = text::wrap_text(line.trim_start(), room)
                    .into_iter()
                    .enumerate();
                pieces
                    .map(|(n, piece)| format!("{indent}{}{piece}", if n > 0 { indent } else { "" }))
                    .collect()
            }
        };
        text::sanitize_block(shown).lines().flat_map(wrap).collect()
    }

    fn area(lines: usize, all: Rect) -> Rect {
        let height = u16::try_from(lines)
            .unwrap_or(u16::MAX)
            .saturating_add(FRAME_ROWS);
        panel::centered_rect(
            all,
            MAX_WIDTH.min(all.width),
            height.clamp(10, all.height.saturating_sub(2).max(10)),
        )
    }

    /// The first visible line at the end of the text, on a screen of this size.
    fn last_top(&self, all: Rect) -> usize {
        let lines = self
            .lines(MAX_WIDTH.min(all.width).saturating_sub(SIDE_CELLS))
            .len();
        lines.saturating_sub(
            TextPage::area(lines, all)
                .height
                .saturating_sub(FRAME_ROWS)
                .into(),
        )
    }

    /// Scrolls by lines on a screen of this size.
    pub fn scroll_by(&mut self, rows: isize, all: Rect) {
        self.top = self.top.saturating_add_signed(rows).min(self.last_top(all));
    }

    pub fn draw(&self, all: Rect, keymap: &Keymap, buf: &mut Buffer, theme: &Theme) {
        let lines = self.lines(MAX_WIDTH.min(all.width).saturating_sub(SIDE_CELLS));
        let area = TextPage::area(lines.len(), all);
        let inner = panel::draw_popup(
            buf,
            area,
            &[text_span(TextRole::Strong, self.title)],
            &[],
            theme,
        );
        let inner = area::inset_sides(inner, 2);
        let list = Rect {
            height: inner.height.saturating_sub(2),
            ..inner
        };
        let visible = lines.iter().skip(self.top).take(list.height.into());
        // A line that is not indented is a heading.
        let role = |line: &String| {
            if line.starts_with(' ') {
                TextRole::Text
            } else {
                TextRole::Strong
            }
        };
        paint::draw_lines(
            buf,
            list,
            visible.map(|line| [text_span(role(line), line.as_str())]),
            theme,
        );
        scroll::draw_scrollbar(buf, area, list, self.top, lines.len(), theme);
        let hint = match self.handoff {
            Some(HandoffRequest { with_team, .. }) => format!(
                "{{page.team}} {}   {{page.week}} day or week   {{page.copy}} copy   {{page.save}} save   {{dialog.close}} close",
                if with_team { "mine" } else { "team" }
            ),
            None => "{page.copy} copy   {page.save} save   {dialog.close} close".to_owned(),
        };
        let hint = keymap.expand_keys_styled(TextRole::Muted, &hint);
        draw_line(
            buf,
            paint::row_rect(inner, inner.height.saturating_sub(1)),
            &hint,
            theme,
        );
    }
}
