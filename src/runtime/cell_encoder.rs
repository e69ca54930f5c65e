//! Encodes cells in as few bytes as possible: cursor moves, style changes, erased blanks, text.
//!
//! The cursor's position and the style are carried from cell to cell and from frame to frame, and
//! only differences are sent, by the shortest sequence that terminals have understood since the
//! VT220.
//!
//! Never here: which cells are sent, and when bytes are written.

use std::fmt::Write as _;

use ratatui::buffer::Cell;
use ratatui::style::{Color, Modifier};
use unicode_width::UnicodeWidthChar;

use crate::text;
use crate::ui::theme::exact_palette_index;

/// Modifiers that are visible on a blank besides its background.
const VISIBLE_ON_BLANK: Modifier = Modifier::UNDERLINED
    .union(Modifier::REVERSED)
    .union(Modifier::CROSSED_OUT);
/// Unchanged cells between two changes are written again up to this gap: a cursor move takes more
/// bytes.
const MAX_REWRITTEN_GAP: usize = 4;
/// The fewest blanks that an erasing sequence is shorter than.
const MIN_ERASED_BLANKS: usize = 4;
/// Rows that are crossed by line feeds: more of them take more bytes than an absolute position.
const MAX_LINE_FEEDS: u16 = 3;

/// The bytes of a frame, and the state in which they leave the terminal.
#[derive(Default)]
pub struct CellEncoder {
    pub bytes: String,
    style: CellStyle,
    /// Column and row of the next character, where known.
    at: Option<(u16, u16)>,
    spare: String,
}

/// The style in which the next character would appear.
#[derive(Clone, Copy, PartialEq, Default)]
struct CellStyle {
    fg: Color,
    bg: Color,
    underline: Color,
    modifier: Modifier,
}

impl CellEncoder {
    /// Begins the bytes of another frame. Where the cursor was left is not relied on.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.at = None;
    }

    /// Clears the screen, whatever another program has left: line feeds rely on that the whole of
    /// it scrolls.
    pub fn erase_screen(&mut self) {
        self.bytes.push_str("\x1b[0m\x1b[r\x1b[2J");
        (self.style, self.at) = (CellStyle::default(), None);
    }

    pub fn reset_style(&mut self) {
        if self.style != CellStyle::default() {
            self.bytes.push_str("\x1b[m");
            self.style = CellStyle::default();
        }
    }

    /// Encodes the changed cells of a row; `shown` is what the terminal shows there.
    pub fn encode_row(&mut self, y: u16, next: &[Cell], shown: &[Cell]) {
        // Cells before this column may have been overwritten.
        let mut spilled = 0;
        let mut x = 0;
        while let Some((cell, there)) = next.get(x).zip(shown.get(x)) {
            if cell.symbol().is_empty() || (x >= spilled && same_cell(cell, there)) {
                x += 1;
                continue;
            }
            self.go_to(x, y, next);
            x += match self.erase_blanks(x, next, shown) {
                0 => {
                    self.put_cell(x, y, next, shown);
                    spilled = spilled.max(x + widest_display(cell.symbol()));
                    1
                }
                erased => erased,
            };
        }
    }

    /// Writes a cell where the cursor is.
    fn put_cell(&mut self, x: usize, y: u16, next: &[Cell], shown: &[Cell]) {
        let cell = &next[x];
        self.apply_style(cell);
        // A terminal may give the character one column where this program counts two: nothing old
        // may remain in the other.
        let is_covering = |cell: &Cell| cell.symbol().is_empty();
        let covered = next
            .get(x + 1)
            .filter(|cell| is_covering(cell))
            .and(shown.get(x + 1));
        if covered.is_some_and(|there| !matches!(there.symbol(), "" | " ")) {
            self.bytes.push_str("  ");
            self.at = None;
            self.move_to(column(x), y);
        }
        self.bytes.push_str(cell.symbol());
        // Terminals disagree about the width of some characters; after one, move to the next cell
        // by an absolute position. In the last column the cursor waits for the next character, and
        // a relative move would not begin where it seems to be.
        self.at =
            (is_one_column(cell.symbol()) && x + 1 < next.len()).then_some((column(x + 1), y));
    }

    /// Moves to a cell, by writing unchanged cells before it again where that is shorter and they
    /// fit the style.
    fn go_to(&mut self, x: usize, y: u16, next: &[Cell]) {
        let from = self
            .at
            .filter(|(from, row)| *row == y && usize::from(*from) < x)
            .map(|(from, _)| usize::from(from));
        if let Some(between) = from.and_then(|from| next.get(from..x)) {
            let fits = |cell: &Cell| is_one_column(cell.symbol()) && self.style.fits(cell);
            if between
                .iter()
                .map(|cell| cell.symbol().len())
                .sum::<usize>()
                <= MAX_REWRITTEN_GAP
                && between.iter().all(fits)
            {
                between
                    .iter()
                    .for_each(|cell| self.bytes.push_str(cell.symbol()));
                self.at = Some((column(x), y));
                return;
            }
        }
        self.move_to(column(x), y);
    }

    /// Moves the cursor by the shortest sequence.
    pub fn move_to(&mut self, x: u16, y: u16) {
        let bytes = &mut self.bytes;
        let _ = match self.at.replace((x, y)) {
            Some(at) if at == (x, y) => Ok(()),
            Some((from, row)) if row == y && from < x => write_move(bytes, x - from, 'C'),
            Some((_, row)) if row == y => write!(bytes, "\x1b[{}G", x + 1),
            Some((_, row)) if row < y && y - row <= MAX_LINE_FEEDS => {
                bytes.push('\r');
                (row..y).for_each(|_| bytes.push('\n'));
                if x > 0 {
                    write_move(bytes, x, 'C')
                } else {
                    Ok(())
                }
            }
            _ if x == 0 => write!(bytes, "\x1b[{}H", y + 1),
            _ => write!(bytes, "\x1b[{};{}H", y + 1, x + 1),
        };
    }

    /// Erases the blanks that begin at a cell, where that is shorter than to write them; returns
    /// how many. Only on the terminal's own background, because terminals disagree about the color
    /// of erased cells.
    fn erase_blanks(&mut self, x: usize, next: &[Cell], shown: &[Cell]) -> usize {
        let is_erasable = |cell: &Cell| {
            cell.symbol() == " "
                && cell.bg == Color::Reset
                && !cell.modifier.intersects(VISIBLE_ON_BLANK)
        };
        let blanks = next[x..]
            .iter()
            .take_while(|cell| is_erasable(cell))
            .count();
        if blanks < MIN_ERASED_BLANKS {
            return 0;
        }
        let rest = &next[x + blanks..];
        // Blanks at the end that are already there need no erasing.
        let kept = (x..x + blanks)
            .rev()
            .take_while(|at| same_cell(&next[*at], &shown[*at]))
            .count();
        let is_row_done = rest
            .iter()
            .zip(&shown[x + blanks..])
            .all(|(next, shown)| same_cell(next, shown));
        // Before other changes of the row, the cursor must cross what was erased.
        let (count, cost) = match (rest.is_empty(), is_row_done) {
            (true, _) => (blanks, MIN_ERASED_BLANKS),
            (false, true) => (blanks - kept, 6),
            (false, false) => (blanks - kept, 11),
        };
        if count < cost {
            return 0;
        }
        self.apply_style(&next[x]);
        let _ = if rest.is_empty() {
            self.bytes.write_str("\x1b[K")
        } else {
            write_move(&mut self.bytes, column(count), 'X')
        };
        count
    }

    /// Changes the style to that of a cell, sending only the differences.
    fn apply_style(&mut self, cell: &Cell) {
        if self.style.fits(cell) {
            return;
        }
        let wanted = CellStyle::from_cell(cell);
        let before = std::mem::replace(&mut self.style, wanted);
        if wanted == CellStyle::default() {
            self.bytes.push_str("\x1b[m");
            return;
        }
        let start = self.bytes.len();
        write_style_change(&mut self.bytes, "", before, wanted);
        // From no style at all: an empty parameter resets.
        self.spare.clear();
        write_style_change(&mut self.spare, ";", CellStyle::default(), wanted);
        if self.spare.len() < self.bytes.len() - start {
            self.bytes.truncate(start);
            self.bytes.push_str(&self.spare);
        }
    }
}

impl CellStyle {
    fn from_cell(cell: &Cell) -> CellStyle {
        CellStyle {
            fg: cell.fg,
            bg: cell.bg,
            underline: cell.underline_color,
            modifier: cell.modifier,
        }
    }

    /// Whether the cell looks right when written in this style.
    fn fits(self, cell: &Cell) -> bool {
        let wanted = CellStyle::from_cell(cell);
        let blank =
            cell.symbol() == " " && !(self.modifier | wanted.modifier).intersects(VISIBLE_ON_BLANK);
        self == wanted || (blank && self.bg == wanted.bg)
    }
}

/// Whether two cells look the same.
pub fn same_cell(a: &Cell, b: &Cell) -> bool {
    // Symbols are a few bytes: comparing them here is faster than a call.
    let (symbol, other) = (a.symbol().as_bytes(), b.symbol().as_bytes());
    symbol.len() == other.len()
        && symbol.iter().eq(other)
        && a.fg == b.fg
        && a.bg == b.bg
        && a.modifier == b.modifier
        && a.underline_color == b.underline_color
}

/// A column's number; rows are never longer.
fn column(x: usize) -> u16 {
    u16::try_from(x).unwrap_or(u16::MAX)
}

/// A sequence with a count, which is left out when it is one.
fn write_move(bytes: &mut String, count: u16, command: char) -> std::fmt::Result {
    if count == 1 {
        write!(bytes, "\x1b[{command}")
    } else {
        write!(bytes, "\x1b[{count}{command}")
    }
}

/// Whether every terminal gives this text one column.
pub fn is_one_column(symbol: &str) -> bool {
    match symbol.as_bytes() {
        [only] => matches!(only, b' '..=b'~'),
        _ => symbol.chars().count() == 1 && text::is_plain(symbol),
    }
}

/// The columns that a text takes in a terminal that does not join its characters.
fn widest_display(symbol: &str) -> usize {
    if is_one_column(symbol) {
        1
    } else {
        symbol.chars().map(|c| c.width().unwrap_or(0)).sum()
    }
}

/// Writes the sequence from one style to another, beginning with `reset`.
fn write_style_change(bytes: &mut String, reset: &str, from: CellStyle, to: CellStyle) {
    let _ = write!(bytes, "\x1b[{reset}");
    let gone = from.modifier - to.modifier;
    let mut fresh = to.modifier - from.modifier;
    if gone.intersects(BOLD_OR_DIM) {
        fresh |= to.modifier & BOLD_OR_DIM;
    }
    let off = SGR_OFF
        .iter()
        .filter(|(modifier, _)| gone.intersects(*modifier));
    let on = SGR_ON
        .iter()
        .filter(|(modifier, _)| fresh.contains(*modifier));
    for (_, code) in off.chain(on) {
        let _ = write!(bytes, "{code};");
    }
    for (old, new, base) in [
        (from.fg, to.fg, 30),
        (from.bg, to.bg, 40),
        (from.underline, to.underline, 50),
    ] {
        if old != new {
            write_color(bytes, new, base);
        }
    }
    if bytes.ends_with(';') {
        bytes.pop();
    }
    bytes.push('m');
}

/// Bold and dim are switched off by the same code.
const BOLD_OR_DIM: Modifier = Modifier::BOLD.union(Modifier::DIM);
const SGR_ON: [(Modifier, u8); 9] = [
    (Modifier::BOLD, 1),
    (Modifier::DIM, 2),
    (Modifier::ITALIC, 3),
    (Modifier::UNDERLINED, 4),
    (Modifier::SLOW_BLINK, 5),
    (Modifier::RAPID_BLINK, 6),
    (Modifier::REVERSED, 7),
    (Modifier::HIDDEN, 8),
    (Modifier::CROSSED_OUT, 9),
];
const SGR_OFF: [(Modifier, u8); 7] = [
    (BOLD_OR_DIM, 22),
    (Modifier::ITALIC, 23),
    (Modifier::UNDERLINED, 24),
    (Modifier::SLOW_BLINK.union(Modifier::RAPID_BLINK), 25),
    (Modifier::REVERSED, 27),
    (Modifier::HIDDEN, 28),
    (Modifier::CROSSED_OUT, 29),
];

/// A color's codes: `base` is 30 for text, 40 for the background, 50 for an underline.
fn write_color(bytes: &mut String, color: Color, base: u8) {
    let named = match color {
        Color::Black => 0,
        Color::Red => 1,
        Color::Green => 2,
        Color::Yellow => 3,
        Color::Blue => 4,
        Color::Magenta => 5,
        Color::Cyan => 6,
        Color::Gray => 7,
        Color::DarkGray => 8,
        Color::LightRed => 9,
        Color::LightGreen => 10,
        Color::LightYellow => 11,
        Color::LightBlue => 12,
        Color::LightMagenta => 13,
        Color::LightCyan => 14,
        Color::White => 15,
        Color::Reset | Color::Indexed(_) | Color::Rgb(..) => u8::MAX,
    };
    let extended = base + 8;
    let _ = match color {
        Color::Reset => write!(bytes, "{};", base + 9),
        Color::Indexed(n) => write!(bytes, "{extended};5;{n};"),
        Color::Rgb(r, g, b) => match exact_palette_index(r, g, b) {
            Some(n) => write!(bytes, "{extended};5;{n};"),
            None => write!(bytes, "{extended};2;{r};{g};{b};"),
        },
        _ if base == 50 => write!(bytes, "{extended};5;{named};"),
        _ if named < 8 => write!(bytes, "{};", base + named),
        _ => write!(bytes, "{};", base + 52 + named),
    };
}
