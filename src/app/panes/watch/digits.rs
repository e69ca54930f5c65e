//! Digits readable from across a room, three by five blocks each.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::ui::{TextRole, Theme, paint};

/// The size of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DigitSize {
    /// One cell wide and half a cell high; needs half-block characters, so not with ASCII.
    Half,
    /// Two cells wide, one high.
    Whole,
    /// Four cells wide, two high.
    Double,
}

impl DigitSize {
    /// Height of a digit in rows.
    pub fn height(self) -> u16 {
        match self {
            DigitSize::Half => 3,
            DigitSize::Whole => 5,
            DigitSize::Double => 10,
        }
    }

    /// Width of a block in cells.
    fn block_width(self) -> u16 {
        match self {
            DigitSize::Half => 1,
            DigitSize::Whole => 2,
            DigitSize::Double => 4,
        }
    }

    /// Width of a number in cells: three blocks per digit and one between digits.
    pub fn number_width(self, number: u64) -> u16 {
        let digits = u16::try_from(number.to_string().len()).unwrap_or(1);
        (digits * 4 - 1) * self.block_width()
    }
}

/// The rows of the digits 0 to 9, three bits each.
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

/// Draws a number in the upper left corner of the area.
pub fn draw_number(
    number: u64,
    size: DigitSize,
    area: Rect,
    role: TextRole,
    buf: &mut Buffer,
    theme: &Theme,
) {
    let wide = size.block_width();
    for (place, digit) in (0u16..).zip(number.to_string().bytes()) {
        let rows = FONT[usize::from(digit - b'0') % 10];
        for (x, y) in (0..3u16).flat_map(|x| (0..size.height()).map(move |y| (x, y))) {
            let is_set = |row: u16| {
                rows.get(usize::from(row))
                    .is_some_and(|bits| bits >> (2 - x) & 1 == 1)
            };
            let block = match size {
                DigitSize::Half => match (is_set(2 * y), is_set(2 * y + 1)) {
                    (true, true) => "█",
                    (true, false) => "▀",
                    (false, true) => "▄",
                    (false, false) => continue,
                },
                _ if !is_set(y * 5 / size.height()) => continue,
                _ if theme.ascii => "#",
                _ => "█",
            };
            let cell = Rect {
                x: area.x + (place * 4 + x) * wide,
                y: area.y + y,
                width: wide,
                height: 1,
            };
            paint::draw_text(
                buf,
                cell.intersection(area),
                &block.repeat(usize::from(wide)),
                theme.style(role),
                theme,
            );
        }
    }
}
