//! Column charts in eighths of a cell, each column in its role, and a line for missing values.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{TextRole, Theme, paint};

/// Eighths of a column.
const BAR_GLYPHS: [&str; 9] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
const ASCII_BAR_GLYPHS: [&str; 9] = [" ", ".", ".", ":", ":", "|", "|", "#", "#"];

/// The length of a bar in `room` cells for `value` of `most`; larger values fill it.
pub fn bar_length(room: u16, value: u64, most: u64) -> u16 {
    let cells = u128::from(room) * u128::from(value) / u128::from(most.max(1));
    u16::try_from(cells).unwrap_or(room).min(room)
}

/// Draws one column per cell, from `least` at the bottom of the area to `most` at the top; an
/// existing value is always visible.
pub fn draw_columns(
    buf: &mut Buffer,
    area: Rect,
    values: &[(Option<u64>, TextRole)],
    least: u64,
    most: u64,
    theme: &Theme,
) {
    let bars = if theme.ascii {
        ASCII_BAR_GLYPHS
    } else {
        BAR_GLYPHS
    };
    let steps = area.height.saturating_mul(8);
    for row in 0..area.height {
        let from_below = (area.height - 1 - row).saturating_mul(8);
        for ((value, role), x) in values.iter().zip(area.x..area.right()) {
            let level = value.map_or(0, |value| {
                bar_length(
                    steps,
                    value.saturating_sub(least),
                    most.saturating_sub(least),
                )
                .max(1)
            });
            let bar = bars[usize::from(level.saturating_sub(from_below).min(8))];
            paint::draw_text(
                buf,
                Rect {
                    x,
                    y: area.y + row,
                    width: 1,
                    height: 1,
                },
                bar,
                theme.style(*role),
                theme,
            );
        }
    }
}

/// Draws one cell per column at its height, on the scale of [`draw_columns`] from 0.
pub fn draw_trace(
    buf: &mut Buffer,
    area: Rect,
    values: &[u64],
    most: u64,
    role: TextRole,
    theme: &Theme,
) {
    let steps = area.height.saturating_mul(2);
    for (value, x) in values.iter().zip(area.x..area.right()) {
        let level = bar_length(steps, *value, most).min(steps.saturating_sub(1));
        let from_below = level / 2;
        let mark = match (theme.ascii, level % 2) {
            (true, 0) => ".",
            (true, _) => "'",
            (false, 0) => "▁",
            (false, _) => "─",
        };
        let y = area.bottom().saturating_sub(from_below + 1);
        paint::draw_text(
            buf,
            Rect {
                x,
                y,
                width: 1,
                height: 1,
            },
            mark,
            theme.style(role),
            theme,
        );
    }
}
