//! Encodes frames in as few bytes as possible: only what differs from the last frame, in one write.
//!
//! A frame is drawn into a buffer and compared with the one on the terminal; the cells that differ become text, cursor moves and
//! style changes. The style is carried from cell to cell and from frame to frame, and only its differences are sent. A frame
//! without changes writes nothing.
//!
//! Never here: what is drawn (the buffer comes filled), or whether color is wanted (a buffer without colors sends none).

use std::fmt::Write as _;
use std::io;

use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::{Position, Rect};
use ratatui::style::{Color, Modifier};

use super::scroll;
use crate::text;

/// Larger frames are sent as synchronized updates (mode 2026), because they may arrive in pieces.
const MIN_SYNCHRONIZED_BYTES: usize = 1024;

/// The cells currently shown by the terminal.
pub struct FrameWriter<W> {
    out: W,
    shown: Buffer,
    next: Buffer,
    /// What the terminal shows is unknown.
    needs_full_redraw: bool,
    cursor: Option<Position>,
    style: CellStyle,
    bytes: String,
}

/// The style in which the next character would appear.
#[derive(Clone, Copy, PartialEq, Default)]
struct CellStyle {
    fg: Color,
    bg: Color,
    underline: Color,
    modifier: Modifier,
}

impl<W: io::Write> FrameWriter<W> {
    /// A screen of this size on a cleared terminal.
    pub fn new(out: W, size: (u16, u16)) -> Self {
        let area = Rect::new(0, 0, size.0, size.1);
        FrameWriter {
            out,
            shown: Buffer::empty(area),
            next: Buffer::empty(area),
            needs_full_redraw: false,
            cursor: None,
            style: CellStyle::default(),
            bytes: String::new(),
        }
    }

    /// The terminal was resized; what it shows is unknown.
    pub fn resize(&mut self, size: (u16, u16)) {
        let area = Rect::new(0, 0, size.0, size.1);
        if area != *self.next.area() {
            self.shown = Buffer::empty(area);
            self.next = Buffer::empty(area);
        }
        self.invalidate();
    }

    /// Sends the next frame in full, because something else may have written to the terminal.
    pub fn invalidate(&mut self) {
        self.needs_full_redraw = true;
    }

    /// Shows a frame. `draw` fills an empty buffer and returns the cursor position.
    pub fn draw_frame(&mut self, draw: impl FnOnce(&mut Buffer) -> Option<Position>) -> io::Result<()> {
        self.next.reset();
        let cursor = draw(&mut self.next);
        blank_halves(&mut self.next);
        self.bytes.clear();
        if self.needs_full_redraw {
            self.bytes.push_str("\x1b[?25l\x1b[0m\x1b[2J");
            (self.needs_full_redraw, self.cursor, self.style) = (false, None, CellStyle::default());
            self.shown.reset();
        } else {
            self.scroll_rows();
        }
        let before = self.bytes.len();
        let mut at = None;
        for (x, y, cell) in self.shown.diff_iter(&self.next) {
            if self.cursor.is_some() && self.bytes.len() == before {
                self.bytes.push_str("\x1b[?25l");
                self.cursor = None;
            }
            if !self.style.rewrite_gap(&self.next, at, (x, y), &mut self.bytes) {
                move_cursor(&mut self.bytes, at, (x, y));
            }
            self.style.apply(&mut self.bytes, cell);
            self.bytes.push_str(cell.symbol());
            // Terminals disagree about the width of some characters; after one, move to the next cell by an absolute position.
            at = is_one_column(cell.symbol()).then_some((x.saturating_add(1), y));
        }
        if cursor != self.cursor {
            match cursor {
                Some(at) => {
                    move_cursor(&mut self.bytes, None, (at.x, at.y));
                    if self.cursor.is_none() {
                        self.bytes.push_str("\x1b[?25h");
                    }
                }
                None => self.bytes.push_str("\x1b[?25l"),
            }
            self.cursor = cursor;
        }
        std::mem::swap(&mut self.shown, &mut self.next);
        self.flush()
    }

    /// Scrolls rows that only moved.
    fn scroll_rows(&mut self) {
        if let Some(scroll) = scroll::find_scroll(&self.shown, &self.next) {
            if self.cursor.take().is_some() {
                self.bytes.push_str("\x1b[?25l");
            }
            if self.style != CellStyle::default() {
                self.bytes.push_str("\x1b[m");
                self.style = CellStyle::default();
            }
            scroll.write_to(&mut self.bytes);
            scroll.apply(&mut self.shown);
        }
    }

    /// Writes bytes that are not cells, such as a text for the clipboard.
    pub fn write_raw(&mut self, bytes: &str) -> io::Result<()> {
        self.out.write_all(bytes.as_bytes())?;
        self.out.flush()
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.bytes.is_empty() {
            return Ok(());
        }
        if self.bytes.len() > MIN_SYNCHRONIZED_BYTES {
            self.bytes.insert_str(0, "\x1b[?2026h");
            self.bytes.push_str("\x1b[?2026l");
        }
        self.out.write_all(self.bytes.as_bytes())?;
        self.out.flush()
    }
}

/// Blanks the remaining half of a wide character that is partly covered: a terminal would show it in full, or what was there
/// before.
fn blank_halves(frame: &mut Buffer) {
    let columns = usize::from(frame.area.width.max(1));
    for at in 0..frame.content.len() {
        let symbol = frame.content[at].symbol();
        let (is_second, is_covered) = (symbol.is_empty(), !matches!(symbol, "" | " "));
        let is_after_wide = || at % columns != 0 && is_wide(frame.content[at - 1].symbol());
        if is_second && !is_after_wide() {
            frame.content[at].set_symbol(" ");
        } else if is_covered && is_after_wide() {
            frame.content[at - 1].set_symbol(" ");
        }
    }
}

fn is_wide(symbol: &str) -> bool {
    symbol.len() > 1 && text::display_width(symbol) > 1
}

/// Moves the cursor by the shorter sequence.
fn move_cursor(bytes: &mut String, at: Option<(u16, u16)>, to: (u16, u16)) {
    let (x, y) = (u32::from(to.0) + 1, u32::from(to.1) + 1);
    let _ = match at {
        Some(at) if at == to => Ok(()),
        Some((_, row)) if row == to.1 => write!(bytes, "\x1b[{x}G"),
        _ if x == 1 => write!(bytes, "\x1b[{y}H"),
        _ => write!(bytes, "\x1b[{y};{x}H"),
    };
}

/// Whether every terminal gives this text one column: Latin letters, dashes and dots, arrows, lines and blocks.
fn is_one_column(symbol: &str) -> bool {
    let mut chars = symbol.chars();
    let known = |c| matches!(c, ' '..='~' | '\u{a1}'..='\u{ac}' | '\u{ae}'..='\u{24f}' | '\u{2010}'..='\u{2027}' | '\u{2500}'..='\u{25ff}');
    chars.next().is_some_and(known) && chars.next().is_none()
}

/// Modifiers that are visible on a blank besides its background.
const VISIBLE_ON_BLANK: Modifier = Modifier::UNDERLINED.union(Modifier::REVERSED).union(Modifier::CROSSED_OUT);
/// Unchanged cells between two changes are rewritten up to this gap: a cursor move takes more bytes.
const MAX_REWRITTEN_GAP: u16 = 4;

impl CellStyle {
    fn from_cell(cell: &Cell) -> CellStyle {
        CellStyle { fg: cell.fg, bg: cell.bg, underline: cell.underline_color, modifier: cell.modifier }
    }

    /// Whether the cell looks right when written in this style.
    fn fits(self, cell: &Cell) -> bool {
        let wanted = CellStyle::from_cell(cell);
        let blank = cell.symbol() == " " && !(self.modifier | wanted.modifier).intersects(VISIBLE_ON_BLANK);
        self == wanted || (blank && self.bg == wanted.bg)
    }

    /// Moves to a nearby cell by writing the cells in between, if they fit the current style.
    fn rewrite_gap(self, next: &Buffer, at: Option<(u16, u16)>, to: (u16, u16), bytes: &mut String) -> bool {
        let Some((x, _)) = at.filter(|(x, y)| *y == to.1 && *x < to.0 && to.0 - x <= MAX_REWRITTEN_GAP) else { return false };
        let between = || (x..to.0).filter_map(|x| next.cell((x, to.1)));
        let can = between().all(|cell| is_one_column(cell.symbol()) && self.fits(cell));
        if can {
            between().for_each(|cell| bytes.push_str(cell.symbol()));
        }
        can
    }

    /// Changes the style to that of a cell, sending only the differences.
    fn apply(&mut self, bytes: &mut String, cell: &Cell) {
        if self.fits(cell) {
            return;
        }
        let wanted = CellStyle::from_cell(cell);
        if wanted == CellStyle::default() {
            bytes.push_str("\x1b[m");
            *self = wanted;
            return;
        }
        bytes.push_str("\x1b[");
        let start = bytes.len();
        let gone = self.modifier - wanted.modifier;
        let mut fresh = wanted.modifier - self.modifier;
        if (gone | fresh).intersects(BOLD_OR_DIM) {
            fresh |= wanted.modifier & BOLD_OR_DIM;
        }
        for (modifier, code) in SGR_OFF {
            if gone.intersects(modifier) {
                let _ = write!(bytes, "{code};");
            }
        }
        for (modifier, code) in SGR_ON {
            if fresh.contains(modifier) {
                let _ = write!(bytes, "{code};");
            }
        }
        for (old, new, base) in [(self.fg, wanted.fg, 30), (self.bg, wanted.bg, 40), (self.underline, wanted.underline, 50)] {
            if old != new {
                write_color(bytes, new, base);
            }
        }
        if bytes.len() > start {
            bytes.pop();
        }
        bytes.push('m');
        *self = wanted;
    }
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
    let named = |n: u8| {
        if base == 50 {
            format!("58;5;{n};")
        } else if n < 8 {
            format!("{};", base + n)
        } else {
            format!("{};", base + 52 + n)
        }
    };
    let code = match color {
        Color::Reset => format!("{};", base + 9),
        Color::Black => named(0),
        Color::Red => named(1),
        Color::Green => named(2),
        Color::Yellow => named(3),
        Color::Blue => named(4),
        Color::Magenta => named(5),
        Color::Cyan => named(6),
        Color::Gray => named(7),
        Color::DarkGray => named(8),
        Color::LightRed => named(9),
        Color::LightGreen => named(10),
        Color::LightYellow => named(11),
        Color::LightBlue => named(12),
        Color::LightMagenta => named(13),
        Color::LightCyan => named(14),
        Color::White => named(15),
        Color::Indexed(n) => format!("{};5;{n};", base + 8),
        Color::Rgb(r, g, b) => format!("{};2;{r};{g};{b};", base + 8),
    };
    bytes.push_str(&code);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use ratatui::style::Style;

    /// A terminal that counts writes and bytes.
    struct TestTerminal {
        parser: vt100::Parser,
        writes: usize,
        bytes: usize,
        sent: Vec<u8>,
    }

    impl io::Write for TestTerminal {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.writes += 1;
            self.bytes += bytes.len();
            self.sent.extend_from_slice(bytes);
            self.parser.process(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn frame_writer(columns: u16, rows: u16) -> FrameWriter<TestTerminal> {
        let cells = |n| std::num::NonZeroU16::new(n).unwrap();
        let parser = vt100::Parser::new(cells(rows), cells(columns), 0);
        FrameWriter::new(TestTerminal { parser, writes: 0, bytes: 0, sent: Vec::new() }, (columns, rows))
    }

    /// The control sequences (`CSI … x`) that were sent, by their final letter.
    fn csi_commands(screen: &FrameWriter<TestTerminal>) -> std::collections::BTreeSet<char> {
        let sent = String::from_utf8(screen.out.sent.clone()).unwrap();
        let commands = sent.split("\x1b[").skip(1);
        commands.map(|rest| rest.chars().find(|c| ('@'..='~').contains(c)).unwrap()).collect()
    }

    fn screen_text(screen: &FrameWriter<TestTerminal>) -> String {
        screen.out.parser.screen().contents()
    }

    #[test]
    fn a_frame_is_one_write_and_an_unchanged_frame_is_none() {
        let mut screen = frame_writer(20, 3);
        let draw = |buf: &mut Buffer| {
            buf.set_string(2, 1, "Harbor Yard", Style::new().bold().fg(Color::Red));
            None
        };
        screen.draw_frame(draw).unwrap();
        assert_eq!((screen.out.writes, screen_text(&screen).trim()), (1, "Harbor Yard"));
        screen.draw_frame(draw).unwrap();
        assert_eq!(screen.out.writes, 1);
    }

    #[test]
    fn moving_a_highlight_redraws_two_rows_and_little_else() {
        let mut screen = frame_writer(120, 36);
        let rows = |at: u16| {
            move |buf: &mut Buffer| {
                for y in 0..36 {
                    let style = if y == at { Style::new().reversed() } else { Style::new() };
                    buf.set_string(0, y, format!("{y:<120}"), style);
                }
                None
            }
        };
        screen.draw_frame(rows(3)).unwrap();
        let before = screen.out.bytes;
        screen.draw_frame(rows(4)).unwrap();
        assert!(screen.out.bytes - before < 2 * 120 + 32, "{}", screen.out.bytes - before);
    }

    #[test]
    fn the_text_cursor_is_shown_where_the_frame_puts_it_and_hidden_otherwise() {
        let mut screen = frame_writer(20, 3);
        screen.draw_frame(|_| Some(Position::new(4, 1))).unwrap();
        assert_eq!(screen.out.parser.screen().cursor_position(), (1, 4));
        assert!(!screen.out.parser.screen().hide_cursor());
        screen
            .draw_frame(|buf| {
                buf.set_string(0, 2, "x", Style::new());
                Some(Position::new(4, 1))
            })
            .unwrap();
        assert_eq!(screen.out.parser.screen().cursor_position(), (1, 4));
        screen.draw_frame(|_| None).unwrap();
        assert!(screen.out.parser.screen().hide_cursor());
    }

    #[test]
    fn a_repaint_removes_the_output_of_other_programs() {
        let mut screen = frame_writer(20, 3);
        let draw = |buf: &mut Buffer| {
            buf.set_string(0, 0, "ours", Style::new());
            None
        };
        screen.draw_frame(draw).unwrap();
        screen.write_raw("\x1b[3;1Hwall: reboot").unwrap();
        screen.invalidate();
        screen.draw_frame(draw).unwrap();
        assert_eq!(screen_text(&screen).trim(), "ours");
    }

    #[test]
    fn the_cursor_is_moved_after_a_character_of_ambiguous_width() {
        for odd in ["\u{6f22}", "\u{2708}\u{fe0f}", "\u{1f469}\u{200d}\u{1f467}", "\u{1f1e9}\u{1f1ea}", "e\u{301}"] {
            let mut bytes = Vec::new();
            let mut screen = FrameWriter::new(&mut bytes, (12, 1));
            let draw = |buf: &mut Buffer| {
                buf.set_string(0, 0, format!("a{odd}z"), Style::default());
                None
            };
            screen.draw_frame(draw).unwrap();
            drop(screen);
            let sent = String::from_utf8(bytes).unwrap();
            let after = sent.split_once(odd).unwrap().1;
            let moved = after.strip_prefix("\x1b[").is_some_and(|rest| rest.split_once('z').unwrap().0.ends_with(['G', 'H']));
            assert!(moved, "{odd}: {sent:?}");
        }
    }

    #[test]
    fn a_box_over_half_of_a_wide_character_leaves_no_remains() {
        let mut screen = frame_writer(6, 1);
        let line = |over: bool| {
            move |buf: &mut Buffer| {
                buf.set_string(0, 0, "a東b", Style::new());
                if over {
                    buf.set_string(2, 0, "│", Style::new());
                }
                None
            }
        };
        let mut shown = |over| {
            screen.draw_frame(line(over)).unwrap();
            screen_text(&screen)
        };
        assert_eq!([shown(false), shown(true), shown(false)], ["a東b", "a │b", "a東b"]);
        let theirs = |buf: &mut Buffer| {
            buf.set_string(0, 0, "xxxxxx", Style::new());
            None
        };
        screen.draw_frame(theirs).unwrap();
        screen
            .draw_frame(|buf| {
                buf.set_string(0, 0, "a│", Style::new());
                buf[(2, 0)].set_symbol("");
                None
            })
            .unwrap();
        assert_eq!(screen_text(&screen).trim_end(), "a│");
    }

    #[test]
    fn an_empty_frame_does_not_panic() {
        let mut screen = frame_writer(20, 3);
        for size in [(0, 0), (1, 1), (20, 3)] {
            screen.resize(size);
            screen
                .draw_frame(|buf| {
                    buf.set_stringn(0, 0, "x", usize::from(buf.area.width), Style::new());
                    None
                })
                .ok();
        }
    }

    fn cells() -> impl Strategy<Value = Vec<(u16, u16, String, u8, u16)>> {
        let symbol =
            prop_oneof!["[a-z ]", Just("東".to_owned()), Just("é".to_owned()), Just("│".to_owned()), Just("→".to_owned())];
        proptest::collection::vec((0u16..11, 0u16..4, symbol, 0u8..16, 0u16..16), 0..60)
    }

    fn paint_cells(cells: &[(u16, u16, String, u8, u16)]) -> impl Fn(&mut Buffer) -> Option<Position> + '_ {
        move |buf| {
            for (x, y, symbol, fg, modifier) in cells {
                let modifiers = Modifier::from_bits_truncate(modifier & 0b1111);
                buf.set_string(*x, *y, symbol, Style::new().fg(Color::Indexed(*fg)).add_modifier(modifiers));
            }
            None
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn a_list_that_scrolls_is_shown_as_if_drawn_anew(steps in proptest::collection::vec(-4i32..5, 1..12)) {
            let rows = |first: i32| move |buf: &mut Buffer| {
                buf.set_string(0, 0, format!("head {first}"), Style::new().bold());
                for y in 1..11 {
                    let n = first + i32::from(y);
                    let style = if y == 5 { Style::new().bg(Color::Indexed(4)) } else { Style::new() };
                    buf.set_string(0, y, format!("{n:<6} row {:<30} {:>9}", n * n, n * 7919), style);
                }
                None
            };
            let (mut kept, mut first) = (frame_writer(60, 12), 0);
            for step in steps {
                first += step;
                kept.draw_frame(rows(first)).unwrap();
            }
            let mut fresh = frame_writer(60, 12);
            fresh.draw_frame(rows(first)).unwrap();
            // Cursor positions, line insertion and deletion, styles, modes, clear: supported by every emulator since the VT220.
            prop_assert!(csi_commands(&kept).iter().all(|last| "GHJLMhlmr".contains(*last)), "{:?}", csi_commands(&kept));
            let lines = |screen: &FrameWriter<TestTerminal>| screen_text(screen).lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>();
            prop_assert_eq!(lines(&kept), lines(&fresh));
            for (y, x) in (0..12).flat_map(|y| (0..60).map(move |x| (y, x))) {
                let color = |screen: &FrameWriter<TestTerminal>| screen.out.parser.screen().cell(y, x).unwrap().bgcolor();
                prop_assert_eq!(color(&kept), color(&fresh));
            }
        }

        #[test]
        fn the_terminal_shows_the_last_frame_whatever_came_before(first in cells(), second in cells()) {
            let mut kept = frame_writer(12, 4);
            kept.draw_frame(paint_cells(&first)).unwrap();
            kept.draw_frame(paint_cells(&second)).unwrap();
            let mut fresh = frame_writer(12, 4);
            fresh.draw_frame(paint_cells(&second)).unwrap();
            let (kept, fresh) = (kept.out.parser.screen(), fresh.out.parser.screen());
            for y in 0..4 {
                for x in 0..12 {
                    let (a, b) = (kept.cell(y, x).unwrap(), fresh.cell(y, x).unwrap());
                    prop_assert_eq!(a.contents().trim(), b.contents().trim(), "{},{}", x, y);
                    if a.has_contents() && a.contents() != " " {
                        prop_assert_eq!((a.fgcolor(), a.bold(), a.italic(), a.underline()), (b.fgcolor(), b.bold(), b.italic(), b.underline()));
                    }
                }
            }
        }
    }
}
