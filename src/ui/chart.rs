//! Columns in eighths of a cell, each in its role, and a line for what is not there yet.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{Role, Theme, paint};

/// Eighths of a column.
const BARS: [&str; 9] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
const ASCII_BARS: [&str; 9] = [" ", ".", ".", ":", ":", "|", "|", "#", "#"];

/// Draws a column a cell, from `least` at the foot of the area to `most` at its top; a column that is there is never invisible.
pub fn columns(buf: &mut Buffer, area: Rect, values: &[(Option<u64>, Role)], least: u64, most: u64, theme: &Theme) {
    let bars = if theme.ascii { ASCII_BARS } else { BARS };
    let steps = u64::from(area.height) * 8;
    for row in 0..area.height {
        let from_below = u64::from(area.height - 1 - row) * 8;
        for ((value, role), x) in values.iter().zip(area.x..area.right()) {
            let level = value.map_or(0, |value| (value.saturating_sub(least) * steps / (most - least).max(1)).max(1));
            let bar = bars[usize::try_from(level.saturating_sub(from_below).min(8)).unwrap_or(0)];
            paint::put(buf, Rect { x, y: area.y + row, width: 1, height: 1 }, bar, theme.style(*role), theme);
        }
    }
}

/// Draws a cell a column at its height, on the scale of [`columns`] from 0.
pub fn trace(buf: &mut Buffer, area: Rect, values: &[u64], most: u64, role: Role, theme: &Theme) {
    let steps = u64::from(area.height) * 2;
    for (value, x) in values.iter().zip(area.x..area.right()) {
        let level = (value * steps / most.max(1)).min(steps.saturating_sub(1));
        let from_below = u16::try_from(level / 2).unwrap_or(0);
        let mark = match (theme.ascii, level % 2) {
            (true, 0) => ".",
            (true, _) => "'",
            (false, 0) => "▁",
            (false, _) => "─",
        };
        let y = area.bottom().saturating_sub(from_below + 1);
        paint::put(buf, Rect { x, y, width: 1, height: 1 }, mark, theme.style(role), theme);
    }
}
