//! A bordered panel with a title at the upper left and a note at the upper right.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::symbols::border;
use ratatui::widgets::{Clear, Widget};

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
        return inner_area(area);
    }
    let style = theme.style(if focused {
        TextRole::Focus
    } else {
        TextRole::Faint
    });
    draw_border(buf, area, theme.border(focused), style);
    let shoulder = Rect {
        x: area.x + 2,
        width: area.width.saturating_sub(4),
        height: 1,
        ..area
    };
    let note_width = paint::spans_width(note);
    let fits = note_width > 0 && has_room_for_note(area, title, note);
    if fits {
        let x = shoulder.right() - note_width - 2;
        draw_padded(
            buf,
            Rect {
                x,
                width: note_width + 2,
                ..shoulder
            },
            note,
            theme,
        );
    }
    let room = if fits {
        shoulder.width - note_width - 3
    } else {
        shoulder.width
    };
    draw_padded(
        buf,
        Rect {
            width: room,
            ..shoulder
        },
        title,
        theme,
    );
    inner_area(area)
}

/// The area inside a panel; empty where there is no room for a border.
pub fn inner_area(panel: Rect) -> Rect {
    if panel.width < 2 || panel.height < 2 {
        return Rect {
            width: 0,
            height: 0,
            ..panel
        };
    }
    Rect {
        x: panel.x + 1,
        y: panel.y + 1,
        width: panel.width - 2,
        height: panel.height - 2,
    }
}

/// Whether the border of a panel has room for its title and its note.
pub fn has_room_for_note(area: Rect, title: &[TextSpan<'_>], note: &[TextSpan<'_>]) -> bool {
    paint::spans_width(title) + paint::spans_width(note) + 5 <= area.width.saturating_sub(4)
}

/// Draws the border only: a `Block` restyles every cell inside as well. The area has room for it.
fn draw_border(buf: &mut Buffer, area: Rect, border: border::Set<'_>, style: Style) {
    let (left, top, right, bottom) = (area.left(), area.top(), area.right() - 1, area.bottom() - 1);
    let mut draw = |x: u16, y: u16, symbol: &str, count: u16| {
        let start = buf.index_of(x, y);
        for cell in &mut buf.content[start..start + usize::from(count)] {
            cell.set_symbol(symbol).set_style(style);
        }
    };
    draw(left + 1, top, border.horizontal_top, area.width - 2);
    draw(left + 1, bottom, border.horizontal_bottom, area.width - 2);
    for y in top + 1..bottom {
        draw(left, y, border.vertical_left, 1);
        draw(right, y, border.vertical_right, 1);
    }
    draw(left, top, border.top_left, 1);
    draw(right, top, border.top_right, 1);
    draw(left, bottom, border.bottom_left, 1);
    draw(right, bottom, border.bottom_right, 1);
}

/// A panel over everything else: clears what is under it.
pub fn draw_popup(
    buf: &mut Buffer,
    area: Rect,
    title: &[TextSpan<'_>],
    note: &[TextSpan<'_>],
    theme: &Theme,
) -> Rect {
    Clear.render(area.intersection(buf.area), buf);
    draw_panel(buf, area, title, note, true, theme)
}

/// A rectangle of this size in the middle of another, or all of it.
pub fn centered_rect(area: Rect, width: u16, height: u16) -> Rect {
    let (width, height) = (width.min(area.width), height.min(area.height));
    Rect {
        x: area.x + (area.width - width) / 2,
        y: area.y + (area.height - height) / 2,
        width,
        height,
    }
}

/// The rows within a panel: below the heading and above the footer.
pub fn rows_area(panel: Rect) -> Rect {
    let inner = Rect {
        x: panel.x + 1,
        y: panel.y + 1,
        width: panel.width.saturating_sub(2),
        height: panel.height.saturating_sub(2),
    };
    let (head, foot) = (u16::from(inner.height >= 7), u16::from(inner.height >= 5));
    Rect {
        y: inner.y + head,
        height: inner.height.saturating_sub(head + foot),
        ..inner
    }
}

/// The footer within a panel; empty where there is no room for one.
pub fn footer_area(panel: Rect) -> Rect {
    let row = paint::row_rect(panel, panel.height.saturating_sub(2));
    area::inset_sides(
        Rect {
            height: u16::from(panel.height >= 7),
            ..row
        },
        2,
    )
}

/// Draws spans with a space on each side.
fn draw_padded(buf: &mut Buffer, area: Rect, pieces: &[TextSpan<'_>], theme: &Theme) {
    if pieces.is_empty() || area.width < 3 {
        return;
    }
    let width = paint::spans_width(pieces).min(area.width - 2);
    paint::draw_text(
        buf,
        Rect { width: 1, ..area },
        " ",
        theme.style(TextRole::Text),
        theme,
    );
    // What is cut off may end before its last cell.
    let used = paint::draw_line(
        buf,
        Rect {
            x: area.x + 1,
            width,
            ..area
        },
        pieces,
        theme,
    );
    paint::draw_text(
        buf,
        Rect {
            x: area.x + 1 + used,
            width: 1,
            ..area
        },
        " ",
        theme.style(TextRole::Text),
        theme,
    );
}
