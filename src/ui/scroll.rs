//! The scroll state of a list: the cursor and the first visible row.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::paint::{self, TextSpan};
use super::{TextRole, Theme};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScrollState {
    pub cursor: usize,
    /// The first visible row.
    pub top: usize,
}

impl ScrollState {
    /// Moves the cursor by rows, clamped to the list.
    pub fn move_cursor(&mut self, rows: isize, len: usize) {
        self.cursor = self
            .cursor
            .saturating_add_signed(rows)
            .min(len.saturating_sub(1));
    }

    /// Where the cursor is in a list of `len` rows: `3 of 12`; nothing of an empty one.
    pub fn describe(&self, len: usize) -> String {
        match len {
            0 => String::new(),
            _ => format!("{} of {len}", self.cursor + 1),
        }
    }

    /// Puts the cursor in the middle of a screen of `rows` rows, as far as a list of `len` rows
    /// allows.
    pub fn centered_on(cursor: usize, len: usize, rows: u16) -> ScrollState {
        let mut scroll = ScrollState {
            cursor,
            top: cursor.saturating_sub(usize::from(rows) / 2),
        };
        scroll.clamp_to_list(len, rows);
        scroll
    }

    /// Clamps the cursor to a list of `len` rows, and scrolls so that it is visible, with a margin
    /// where there is room.
    pub fn clamp_to_list(&mut self, len: usize, rows: u16) {
        let height = usize::from(rows.max(1));
        self.cursor = self.cursor.min(len.saturating_sub(1));
        let margin = 2.min(height.saturating_sub(1) / 2);
        let lowest = (self.cursor + margin + 1).saturating_sub(height);
        let highest = self.cursor.saturating_sub(margin);
        self.top = self
            .top
            .clamp(lowest.min(highest), highest.max(lowest))
            .min(len.saturating_sub(height));
    }
}

/// Clamps the first visible line of a text. At the start the text is not measured.
pub fn clamp_top(top: usize, height: u16, len: impl FnOnce() -> usize) -> usize {
    if top == 0 {
        0
    } else {
        top.min(len().saturating_sub(usize::from(height)))
    }
}

/// Draws the lines of a text in a panel from line `top` on, with a scroll bar when it does not fit.
pub fn draw_scrolled_lines<'a, L: AsRef<[TextSpan<'a>]>>(
    buf: &mut Buffer,
    panel: Rect,
    rows: Rect,
    lines: &[L],
    top: usize,
    theme: &Theme,
) {
    paint::draw_lines(buf, rows, lines.iter().skip(top), theme);
    draw_scrollbar(buf, panel, rows, top, lines.len(), theme);
}

/// Draws a scroll thumb on the right border of a panel; nothing when all rows are visible.
pub fn draw_scrollbar(
    buf: &mut Buffer,
    panel: Rect,
    rows: Rect,
    top: usize,
    len: usize,
    theme: &Theme,
) {
    let shown = usize::from(rows.height);
    if len <= shown || shown < 3 || panel.is_empty() {
        return;
    }
    let thumb = (shown * shown / len).max(1);
    let start = (shown - thumb) * top.min(len - shown) / (len - shown);
    for at in start..start + thumb {
        let y = rows.y + u16::try_from(at).unwrap_or(0);
        let cell = Rect {
            x: panel.right().saturating_sub(1),
            y,
            width: 1,
            height: 1,
        };
        paint::draw_text(
            buf,
            cell,
            if theme.ascii { "#" } else { "┃" },
            theme.style(TextRole::Muted),
            theme,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_cursor_is_always_on_the_screen(cursor in 0usize..300, top in 0usize..300, len in 0usize..200, rows in 0u16..60) {
            let mut scroll = ScrollState { cursor, top };
            scroll.clamp_to_list(len, rows);
            let height = usize::from(rows.max(1));
            prop_assert!(len == 0 || scroll.cursor < len);
            prop_assert!(scroll.top <= scroll.cursor && scroll.cursor < scroll.top + height);
            prop_assert!(scroll.top + height <= len.max(height));
        }
    }
}
