//! Shows frames with as few bytes as possible: only what differs from the last frame, in one write.
//!
//! A frame is drawn into a buffer and compared with the one on the terminal. Rows that moved are
//! scrolled, and the cells that still differ are encoded. A frame without changes writes nothing.
//!
//! Never here: what is drawn (the buffer comes filled), or whether color is wanted (a buffer
//! without colors sends none).

use std::io;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::cell_encoder::{CellEncoder, is_one_column};
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
    encoder: CellEncoder,
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
            encoder: CellEncoder::default(),
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
    pub fn draw_frame(
        &mut self,
        draw: impl FnOnce(&mut Buffer) -> Option<Position>,
    ) -> io::Result<()> {
        self.next.reset();
        let cursor = draw(&mut self.next);
        settle_halves(&mut self.next);
        self.encoder.clear();
        if self.needs_full_redraw {
            self.encoder.bytes.push_str("\x1b[?25l");
            self.encoder.erase_screen();
            (self.needs_full_redraw, self.cursor) = (false, None);
            self.shown.reset();
        }
        self.encode_changes();
        if cursor != self.cursor {
            if let Some(at) = cursor {
                self.encoder.move_to(at.x, at.y);
            }
            if cursor.is_some() != self.cursor.is_some() {
                self.encoder.bytes.push_str(if cursor.is_some() {
                    "\x1b[?25h"
                } else {
                    "\x1b[?25l"
                });
            }
            self.cursor = cursor;
        }
        std::mem::swap(&mut self.shown, &mut self.next);
        self.flush()
    }

    /// Encodes the rows that changed, after a scroll of those that only moved.
    fn encode_changes(&mut self) {
        let mut changed = scroll::changed_rows(&self.shown, &self.next);
        if changed.is_empty() {
            return;
        }
        if self.cursor.take().is_some() {
            self.encoder.bytes.push_str("\x1b[?25l");
        }
        let scrolls = scroll::find_scrolls(&self.shown, &self.next, &changed);
        if !scrolls.is_empty() {
            self.encoder.reset_style();
            for scroll in scrolls {
                scroll.write_to(&mut self.encoder.bytes);
                scroll.apply(&mut self.shown);
            }
            changed = scroll::changed_rows(&self.shown, &self.next);
        }
        for y in changed {
            self.encoder.encode_row(
                y,
                scroll::row_cells(&self.next, y.into()),
                scroll::row_cells(&self.shown, y.into()),
            );
        }
    }

    /// Writes bytes that are not cells, such as a text for the clipboard.
    pub fn write_raw(&mut self, bytes: &str) -> io::Result<()> {
        self.out.write_all(bytes.as_bytes())?;
        self.out.flush()
    }

    fn flush(&mut self) -> io::Result<()> {
        let bytes = &mut self.encoder.bytes;
        if bytes.is_empty() {
            return Ok(());
        }
        if bytes.len() > MIN_SYNCHRONIZED_BYTES {
            bytes.insert_str(0, "\x1b[?2026h");
            bytes.push_str("\x1b[?2026l");
        }
        self.out.write_all(bytes.as_bytes())?;
        self.out.flush()
    }
}

/// Empties the cell that a wide character covers, and blanks the remaining half of one that is
/// partly covered: a terminal would show it in full, or what was there before.
fn settle_halves(frame: &mut Buffer) {
    let columns = usize::from(frame.area.width.max(1));
    for row in frame.content.chunks_mut(columns) {
        let mut is_after_wide = false;
        for x in 0..row.len() {
            match (row[x].symbol(), is_after_wide) {
                ("", false) => {
                    row[x].set_symbol(" ");
                }
                (" ", true) => {
                    row[x].set_symbol("");
                }
                ("", true) | (_, false) => {}
                (_, true) => {
                    row[x - 1].set_symbol(" ");
                }
            }
            is_after_wide = is_wide(row[x].symbol());
        }
        if let Some(last) = row.last_mut().filter(|_| is_after_wide) {
            last.set_symbol(" ");
        }
    }
}

fn is_wide(symbol: &str) -> bool {
    symbol.len() > 1 && !is_one_column(symbol) && text::display_width(symbol) > 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use ratatui::style::{Color, Modifier, Style};

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
        FrameWriter::new(
            TestTerminal {
                parser,
                writes: 0,
                bytes: 0,
                sent: Vec::new(),
            },
            (columns, rows),
        )
    }

    /// The control sequences (`CSI … x`) that were sent, by their final letter.
    fn csi_commands(screen: &FrameWriter<TestTerminal>) -> std::collections::BTreeSet<char> {
        let sent = String::from_utf8(screen.out.sent.clone()).unwrap();
        let commands = sent.split("\x1b[").skip(1);
        commands
            .map(|rest| rest.chars().find(|c| ('@'..='~').contains(c)).unwrap())
            .collect()
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
        assert_eq!(
            (screen.out.writes, screen_text(&screen).trim()),
            (1, "Harbor Yard")
        );
        screen.draw_frame(draw).unwrap();
        assert_eq!(screen.out.writes, 1);
    }

    #[test]
    fn moving_a_highlight_redraws_two_rows_and_little_else() {
        let mut screen = frame_writer(120, 36);
        let rows = |at: u16| {
            move |buf: &mut Buffer| {
                for y in 0..36 {
                    let style = if y == at {
                        Style::new().reversed()
                    } else {
                        Style::new()
                    };
                    buf.set_string(0, y, format!("{y:<120}"), style);
                }
                None
            }
        };
        screen.draw_frame(rows(3)).unwrap();
        let before = screen.out.bytes;
        screen.draw_frame(rows(4)).unwrap();
        assert!(
            screen.out.bytes - before < 2 * 120 + 32,
            "{}",
            screen.out.bytes - before
        );
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
        for odd in [
            "\u{6f22}",
            "\u{2708}\u{fe0f}",
            "\u{1f469}\u{200d}\u{1f467}",
            "\u{1f1e9}\u{1f1ea}",
            "e\u{301}",
        ] {
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
            let moved = after
                .strip_prefix("\x1b[")
                .is_some_and(|rest| rest.split_once('z').unwrap().0.ends_with(['G', 'H']));
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
        assert_eq!(
            [shown(false), shown(true), shown(false)],
            ["a東b", "a │b", "a東b"]
        );
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

    /// A frame of pieces of text in many styles, as a list of (column, row, text, style).
    fn pieces() -> impl Strategy<Value = Vec<(u16, u16, String, Style)>> {
        let text = prop_oneof![
            4 => "[a-zA-Z ]{1,24}",
            2 => Just(" ".repeat(30)),
            2 => "[─│→é東京한]{1,9}",
            1 => Just("✈\u{fe0f}".to_owned()),
            1 => Just("e\u{301}x👩\u{200d}👧 🇩🇪".to_owned()),
        ];
        let color = || {
            prop_oneof![
                3 => Just(Color::Reset),
                1 => Just(Color::Yellow),
                1 => Just(Color::Rgb(0x94, 0x94, 0x94)),
                1 => Just(Color::Rgb(1, 2, 3)),
                1 => (16u8..=255).prop_map(Color::Indexed),
            ]
        };
        let modifiers = [
            Modifier::BOLD,
            Modifier::DIM,
            Modifier::ITALIC,
            Modifier::UNDERLINED,
            Modifier::REVERSED,
        ];
        let modifier = (0..5usize, any::<bool>())
            .prop_map(move |(n, on)| if on { modifiers[n] } else { Modifier::empty() });
        // The terminal of the tests cannot show bold and dim at once.
        let style = (color(), color(), modifier).prop_map(|(fg, bg, modifier)| {
            Style::new()
                .fg(fg)
                .bg(bg)
                .add_modifier(modifier)
                .remove_modifier(Modifier::all() - modifier)
        });
        proptest::collection::vec((0u16..200, 0u16..9, text, style), 0..24)
    }

    fn paint_pieces(
        pieces: &[(u16, u16, String, Style)],
    ) -> impl Fn(&mut Buffer) -> Option<Position> + '_ {
        move |buf| {
            for (x, y, text, style) in pieces {
                let (x, y) = (x % buf.area.width, y % buf.area.height);
                // Emoji that are not joined would wrap at the edge.
                if !text.contains('\u{200d}') || x + 16 < buf.area.width {
                    buf.set_string(x, y, text, *style);
                }
            }
            None
        }
    }

    fn shown_color(color: Color) -> vt100::Color {
        match color {
            Color::Yellow => vt100::Color::Idx(3),
            Color::Indexed(n) => vt100::Color::Idx(n),
            Color::Rgb(0x94, 0x94, 0x94) => vt100::Color::Idx(246),
            Color::Rgb(r, g, b) => vt100::Color::Rgb(r, g, b),
            _ => vt100::Color::Default,
        }
    }

    /// The first cell that the terminal does not show as the buffer has it.
    fn find_wrong_cell(screen: &FrameWriter<TestTerminal>, wanted: &Buffer) -> Option<String> {
        let shown = screen.out.parser.screen();
        (0..wanted.area.height)
            .flat_map(|y| (0..wanted.area.width).map(move |x| (x, y)))
            .find_map(|(x, y)| {
                let (cell, there) = (&wanted[(x, y)], shown.cell(y, x).unwrap());
                if cell.symbol().is_empty() {
                    return None;
                }
                let is_blank = cell.symbol() == " ";
                let has = |modifier| cell.modifier.contains(modifier);
                // This terminal does not join emoji: it shows them one after the other.
                let is_same_text = match there.contents().trim() {
                    text if cell.symbol() > "\u{1f000}" => {
                        !text.is_empty() && cell.symbol().starts_with(text)
                    }
                    text => text == cell.symbol().trim(),
                };
                let is_right = is_same_text
                    && there.bgcolor() == shown_color(cell.bg)
                    && (there.underline(), there.inverse())
                        == (has(Modifier::UNDERLINED), has(Modifier::REVERSED))
                    && (is_blank || there.fgcolor() == shown_color(cell.fg))
                    && (is_blank
                        || (there.bold(), there.dim(), there.italic())
                            == (
                                has(Modifier::BOLD),
                                has(Modifier::DIM),
                                has(Modifier::ITALIC),
                            ));
                (!is_right).then(|| format!("{x},{y}: {there:?} for {cell:?}"))
            })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(96))]
        #[test]
        fn a_list_that_scrolls_is_shown_as_if_drawn_from_scratch(steps in proptest::collection::vec(-4i32..5, 1..12)) {
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
            // Cursor positions, line insertion and deletion, erasing, styles, modes, clear:
            // supported by every emulator since the VT220.
            prop_assert!(csi_commands(&kept).iter().all(|last| "CGHJKLMXhlmr".contains(*last)), "{:?}", csi_commands(&kept));
            let lines = |screen: &FrameWriter<TestTerminal>| screen_text(screen).lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>();
            prop_assert_eq!(lines(&kept), lines(&fresh));
            for (y, x) in (0..12).flat_map(|y| (0..60).map(move |x| (y, x))) {
                let color = |screen: &FrameWriter<TestTerminal>| screen.out.parser.screen().cell(y, x).unwrap().bgcolor();
                prop_assert_eq!(color(&kept), color(&fresh));
            }
        }

        #[test]
        fn the_terminal_shows_exactly_each_frame_whatever_came_before(
            (width, height) in (1u16..=200, 1u16..9),
            frames in proptest::collection::vec((pieces(), 0u8..6, -3i32..4), 1..6),
        ) {
            let mut screen = frame_writer(width, height);
            let mut text: Vec<(u16, u16, String, Style)> = Vec::new();
            for (pieces, what, distance) in frames {
                match what {
                    // The frame scrolls, and a little of it changes.
                    0..3 => {
                        text.iter_mut().for_each(|(_, y, ..)| *y = y.saturating_add_signed(i16::try_from(distance).unwrap()));
                        text.extend(pieces.into_iter().take(3));
                    }
                    3 => {
                        screen.write_raw("\x1b[2;3r\x1b[2;2Hwall: reboot").unwrap();
                        screen.invalidate();
                    }
                    _ => text = pieces,
                }
                screen.draw_frame(paint_pieces(&text)).unwrap();
                let mut wanted = Buffer::empty(Rect::new(0, 0, width, height));
                paint_pieces(&text)(&mut wanted);
                settle_halves(&mut wanted);
                prop_assert_eq!(find_wrong_cell(&screen, &wanted), None);
            }
        }
    }
}
