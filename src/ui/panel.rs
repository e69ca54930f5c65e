//! A bordered panel with a title at the upper left and a note at the upper right.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::{Block, Borders, Clear, Widget};

use super::paint::{self, TextSpan};
use super::{TextRole, Theme, area};

/// Draws a panel and returns the area inside.
pub fn draw_panel(
    buf: &mut Buffer,
    area: Rect,
    title: &[TextSpan<'_>],
    note: &[TextSpan<'_>],
    focused: bool,
    theme: &Theme,
) -> Rect {
    let area = area.intersection(buf.area);
    if area.width < 2 || area.height < 2 {
        return Rect { width: 0, height: 0, ..area };
    }
    let style = theme.style(if focused { TextRole::Focus } else { TextRole::Faint });
    Block::new().borders(Borders::ALL).border_set(theme.border(focused)).border_style(style).render(area, buf);
    let shoulder = Rect { x: area.x + 2, width: area.width.saturating_sub(4), height: 1, ..area };
    let note_width = paint::spans_width(note);
    let fits = note_width > 0 && paint::spans_width(title) + note_width + 5 <= shoulder.width;
    if fits {
        let x = shoulder.right() - note_width - 2;
        draw_padded(buf, Rect { x, width: note_width + 2, ..shoulder }, note, theme);
    }
    let room = if fits { shoulder.width - note_width - 3 } else { shoulder.width };
    draw_padded(buf, Rect { width: room, ..shoulder }, title, theme);
    Rect { x: area.x + 1, y: area.y + 1, width: area.width - 2, height: area.height - 2 }
}

/// A panel over everything else: clears what is under it.
pub fn draw_popup(buf: &mut Buffer, area: Rect, title: &[TextSpan<'_>], note: &[TextSpan<'_>], theme: &Theme) -> Rect {
    Clear.render(area.intersection(buf.area), buf);
    draw_panel(buf, area, title, note, true, theme)
}

/// A rectangle of this size in the middle of another, or all of it.
pub fn centered_rect(area: Rect, width: u16, height: u16) -> Rect {
    let (width, height) = (width.min(area.width), height.min(area.height));
    Rect { x: area.x + (area.width - width) / 2, y: area.y + (area.height - height) / 2, width, height }
}

/// The rows within a panel: below the heading and above the footer.
pub fn rows_area(panel: Rect) -> Rect {
    let inner =
        Rect { x: panel.x + 1, y: panel.y + 1, width: panel.width.saturating_sub(2), height: panel.height.saturating_sub(2) };
    let (head, foot) = (u16::from(inner.height >= 7), u16::from(inner.height >= 5));
    Rect { y: inner.y + head, height: inner.height.saturating_sub(head + foot), ..inner }
}

/// The footer within a panel; empty where there is no room for one.
pub fn footer_area(panel: Rect) -> Rect {
    let row = paint::row_rect(panel, panel.height.saturating_sub(2));
    area::inset_sides(Rect { height: u16::from(panel.height >= 7), ..row }, 2)
}

/// Draws spans with a space on each side.
fn draw_padded(buf: &mut Buffer, area: Rect, pieces: &[TextSpan<'_>], theme: &Theme) {
    if pieces.is_empty() || area.width < 3 {
        return;
    }
    let width = paint::spans_width(pieces).min(area.width - 2);
    paint::draw_text(buf, Rect { width: 1, ..area }, " ", theme.style(TextRole::Text), theme);
    paint::draw_line(buf, Rect { x: area.x + 1, width, ..area }, pieces, theme);
    paint::draw_text(buf, Rect { x: area.x + 1 + width, width: 1, ..area }, " ", theme.style(TextRole::Text), theme);
}
