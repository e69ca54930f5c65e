//! What the parts of the dashboard are painted with.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::app::Context;
use crate::app::format::format_count;
use crate::app::panes::watch::state::stale_minutes;
use crate::ui::{TextRole, chart, draw_line, paint, text_span};

/// A number's color role: faint if stale.
pub fn figure_role(cx: &Context, role: TextRole) -> TextRole {
    if stale_minutes(cx).is_some() {
        TextRole::Faint
    } else {
        role
    }
}

/// A name, its number, and a bar scaled so that the longest one is `most`.
pub fn draw_counted_bar(
    cx: &Context,
    row: Rect,
    (name, width): (&str, u16),
    (number, most): (u64, u64),
    buf: &mut Buffer,
) {
    let theme = cx.settings.theme;
    draw_line(
        buf,
        Rect {
            width: width.min(row.width),
            ..row
        },
        &[text_span(figure_role(cx, TextRole::Text), name)],
        &theme,
    );
    let figure = Rect {
        x: row.x + width,
        width: 6,
        ..row
    }
    .intersection(row);
    paint::draw_line_right(
        buf,
        figure,
        &[text_span(
            figure_role(cx, TextRole::Strong),
            format_count(number),
        )],
        &theme,
    );
    let room = row.width.saturating_sub(width + 8).min(48);
    let length = chart::bar_length(room, number, most).clamp(1, room.max(1));
    let block = if theme.ascii { "#" } else { "▪" };
    let bar = Rect {
        x: row.x + width + 8,
        width: room,
        ..row
    }
    .intersection(row);
    draw_line(
        buf,
        bar,
        &[text_span(
            figure_role(cx, TextRole::Low),
            block.repeat(usize::from(length)),
        )],
        &theme,
    );
}

pub fn area_below(area: Rect, used: u16) -> Rect {
    let used = used.min(area.height);
    Rect {
        y: area.y + used,
        height: area.height - used,
        ..area
    }
}
