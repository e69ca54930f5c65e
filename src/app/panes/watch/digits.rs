//! Figures that are read from across a room: three by five blocks a digit.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::ui::{Role, Theme, paint};

/// Rows of a digit before it is scaled.
pub const HEIGHT: u16 = 5;

/// The rows of 0 to 9, three bits each.
const FONT: [[u8; 5]; 10] = [
    [0b111, 0b101, 0b101, 0b101, 0b111],
    [0b010, 0b110, 0b010, 0b010, 0b111],
    [0b111, 0b001, 0b111, 0b100, 0b111],
    [0b111, 0b001, 0b111, 0b001, 0b111],
    [0b101, 0b101, 0b111, 0b001, 0b001],
    [0b111, 0b100, 0b111, 0b001, 0b111],
    [0b111, 0b100, 0b111, 0b101, 0b111],
    [0b111, 0b001, 0b010, 0b010, 0b010],
    [0b111, 0b101, 0b111, 0b101, 0b111],
    [0b111, 0b101, 0b111, 0b001, 0b111],
];

/// Cells of a number at a scale.
pub fn width(number: u64, scale: u16) -> u16 {
    let digits = u16::try_from(number.to_string().len()).unwrap_or(1);
    (digits * 8 - 2) * scale
}

/// Draws a number with its upper left corner at the area's; two cells a block and a scale, so that blocks are square.
pub fn draw(number: u64, scale: u16, area: Rect, role: Role, buf: &mut Buffer, theme: &Theme) {
    let block = if theme.ascii { "#" } else { "█" };
    for (place, digit) in (0u16..).zip(number.to_string().bytes()) {
        for (y, bits) in (0u16..).zip(FONT[usize::from(digit - b'0') % 10]) {
            for x in (0..3u16).filter(|x| bits >> (2 - x) & 1 == 1) {
                for down in 0..scale {
                    let cell = Rect {
                        x: area.x + (place * 8 + x * 2) * scale,
                        y: area.y + y * scale + down,
                        width: 2 * scale,
                        height: 1,
                    };
                    paint::put(buf, cell.intersection(area), &block.repeat(usize::from(2 * scale)), theme.style(role), theme);
                }
            }
        }
    }
}
