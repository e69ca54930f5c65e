//! A multi-line text editor.

use std::ops::Range;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use unicode_segmentation::UnicodeSegmentation;

use super::text_input::PasteTooLong;
use super::{TextRole, Theme, paint};
use crate::text;

pub const MAX_TEXT_AREA_BYTES: usize = 64 * 1024;

/// An editor with readline keys and word wrap. It moves by what a user sees: grapheme clusters and
/// rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextArea {
    text: String,
    cursor: usize,
    width: usize,
}

impl TextArea {
    /// With the cursor at the end of the text.
    pub fn with_text(text: &str) -> TextArea {
        TextArea {
            text: text.to_owned(),
            cursor: text.len(),
            width: 0,
        }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// Sets the wrap width in cells.
    pub fn set_width(&mut self, width: u16) {
        // The cursor may be behind the last cell.
        self.width = usize::from(width.saturating_sub(1));
    }

    /// Whether the editor handles a key.
    pub fn accepts_key(key: KeyEvent) -> bool {
        let chord = key.modifiers - KeyModifiers::SHIFT;
        match key.code {
            KeyCode::Char(c) if chord == KeyModifiers::CONTROL => "abdefkuw".contains(c),
            KeyCode::Char(_) | KeyCode::Enter | KeyCode::Up | KeyCode::Down => chord.is_empty(),
            KeyCode::Backspace
            | KeyCode::Delete
            | KeyCode::Left
            | KeyCode::Right
            | KeyCode::Home
            | KeyCode::End => true,
            _ => false,
        }
    }

    pub fn handle_key(&mut self, key: KeyEvent) {
        let chord = key.modifiers - KeyModifiers::SHIFT;
        let is_chord = !chord.is_empty();
        match key.code {
            KeyCode::Char(c) if !is_chord => drop(self.insert(c.encode_utf8(&mut [0; 4]))),
            KeyCode::Enter => drop(self.insert("\n")),
            KeyCode::Char('w') => self.delete_range(self.previous_word()..self.cursor),
            KeyCode::Backspace if is_chord => self.delete_range(self.previous_word()..self.cursor),
            KeyCode::Backspace => self.delete_range(self.previous_boundary()..self.cursor),
            KeyCode::Delete | KeyCode::Char('d') => {
                self.delete_range(self.cursor..self.next_boundary())
            }
            KeyCode::Char('u') => self.delete_range(self.current_line().start..self.cursor),
            KeyCode::Char('k') => self.delete_range(self.cursor..self.current_line().end),
            KeyCode::Left if is_chord => self.cursor = self.previous_word(),
            KeyCode::Right if is_chord => self.cursor = self.next_word(),
            KeyCode::Left | KeyCode::Char('b') => self.cursor = self.previous_boundary(),
            KeyCode::Right | KeyCode::Char('f') => self.cursor = self.next_boundary(),
            KeyCode::Home | KeyCode::Char('a') => self.cursor = self.current_line().start,
            KeyCode::End | KeyCode::Char('e') => self.cursor = self.current_line().end,
            KeyCode::Up => self.move_rows(-1),
            KeyCode::Down => self.move_rows(1),
            _ => {}
        }
    }

    /// Inserts a paste at the cursor: line ends stay, other control characters are removed. A paste
    /// that is too long is not inserted at all.
    pub fn paste(&mut self, pasted: &str) -> Result<(), PasteTooLong> {
        let clean: String = pasted
            .replace("\r\n", "\n")
            .replace('\r', "\n")
            .replace('\t', " ");
        let clean: String = clean
            .chars()
            .filter(|c| *c == '\n' || !c.is_control())
            .collect();
        if self.insert(&clean) {
            Ok(())
        } else {
            Err(PasteTooLong {
                length: clean.len(),
                available: MAX_TEXT_AREA_BYTES.saturating_sub(self.text.len()),
            })
        }
    }

    /// Inserts a text; false when there is no room.
    fn insert(&mut self, text: &str) -> bool {
        let fits = self.text.len() + text.len() <= MAX_TEXT_AREA_BYTES;
        if fits {
            self.text.insert_str(self.cursor, text);
            self.cursor += text.len();
        }
        fits
    }

    fn delete_range(&mut self, range: Range<usize>) {
        self.cursor = range.start;
        self.text.replace_range(range, "");
    }

    fn previous_boundary(&self) -> usize {
        self.text[..self.cursor]
            .grapheme_indices(true)
            .next_back()
            .map_or(0, |(at, _)| at)
    }

    fn next_boundary(&self) -> usize {
        self.cursor
            + self.text[self.cursor..]
                .graphemes(true)
                .next()
                .map_or(0, str::len)
    }

    fn previous_word(&self) -> usize {
        self.text[..self.cursor]
            .trim_end()
            .trim_end_matches(|c: char| !c.is_whitespace())
            .len()
    }

    fn next_word(&self) -> usize {
        let rest = &self.text[self.cursor..];
        let word = rest.len() - rest.trim_start().len();
        self.cursor
            + rest[word..]
                .find(char::is_whitespace)
                .map_or(rest.len(), |at| word + at)
    }

    fn current_line(&self) -> Range<usize> {
        let start = self.text[..self.cursor].rfind('\n').map_or(0, |at| at + 1);
        start
            ..self.text[self.cursor..]
                .find('\n')
                .map_or(self.text.len(), |at| self.cursor + at)
    }

    fn move_rows(&mut self, rows: isize) {
        let all = self.rows();
        let here = row_at(&all, self.cursor);
        let column = text::display_width(&self.text[all[here].start..self.cursor]);
        let Some(to) = here.checked_add_signed(rows).and_then(|to| all.get(to)) else {
            return;
        };
        let (last, mut at, mut used) = (self.last_position_in_row(to), to.start, 0);
        for cluster in self.text[to.clone()].graphemes(true) {
            if used >= column || at >= last {
                break;
            }
            used += text::display_width(cluster);
            at += cluster.len();
        }
        self.cursor = at;
    }

    /// The last position of a wrapped row: its end is already the start of the next.
    fn last_position_in_row(&self, row: &Range<usize>) -> usize {
        let is_wrapped = self
            .text
            .as_bytes()
            .get(row.end)
            .is_some_and(|byte| *byte != b'\n');
        if !is_wrapped {
            return row.end;
        }
        self.text[row.clone()]
            .grapheme_indices(true)
            .next_back()
            .map_or(row.start, |(at, _)| row.start + at)
    }

    /// The visual rows, at least one.
    pub fn rows(&self) -> Vec<Range<usize>> {
        let width = if self.width == 0 {
            usize::MAX
        } else {
            self.width
        };
        let mut rows = Vec::new();
        let mut start = 0;
        for line in self.text.split('\n') {
            let end = start + line.len();
            let (mut begin, mut used, mut space) = (start, 0, None);
            for (at, cluster) in line.grapheme_indices(true) {
                let (at, wide) = (start + at, text::display_width(cluster));
                if used + wide > width && at > begin {
                    let cut = space.filter(|cut| *cut > begin).unwrap_or(at);
                    rows.push(begin..cut);
                    (begin, used, space) = (cut, text::display_width(&self.text[cut..at]), None);
                }
                used += wide;
                if cluster == " " {
                    space = Some(at + 1);
                }
            }
            rows.push(begin..end);
            start = end + 1;
        }
        rows
    }

    /// Draws the text, scrolled so that the cursor is visible; returns the cursor's position.
    pub fn draw(&self, buf: &mut Buffer, area: Rect, theme: &Theme) -> Position {
        let rows = self.rows();
        let here = row_at(&rows, self.cursor);
        let top = (here + 1).saturating_sub(usize::from(area.height.max(1)));
        for (n, row) in (0..area.height).zip(rows.iter().skip(top)) {
            paint::draw_text(
                buf,
                paint::row_rect(area, n),
                &self.text[row.clone()],
                theme.style(TextRole::Strong),
                theme,
            );
        }
        let x = u16::try_from(text::display_width(
            &self.text[rows[here].start..self.cursor],
        ))
        .unwrap_or(u16::MAX);
        let y = u16::try_from(here - top).unwrap_or(0);
        Position {
            x: area.x + x.min(area.width.saturating_sub(1)),
            y: area.y + y.min(area.height.saturating_sub(1)),
        }
    }
}

fn row_at(rows: &[Range<usize>], at: usize) -> usize {
    rows.iter().rposition(|row| row.start <= at).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn press_keys(editor: &mut TextArea, keys: &[KeyCode]) {
        keys.iter()
            .for_each(|code| editor.handle_key(KeyEvent::new(*code, KeyModifiers::NONE)));
    }

    fn wrapped_text_area(text: &str, width: u16) -> TextArea {
        let mut editor = TextArea::with_text(text);
        editor.set_width(width + 1);
        editor
    }

    #[test]
    fn typed_text_is_inserted_at_the_cursor() {
        let mut editor = TextArea::with_text("call\nAna");
        press_keys(
            &mut editor,
            &[
                KeyCode::Up,
                KeyCode::End,
                KeyCode::Char('e'),
                KeyCode::Enter,
                KeyCode::Char('x'),
            ],
        );
        assert_eq!(editor.text(), "calle\nx\nAna");
        press_keys(
            &mut editor,
            &[
                KeyCode::Backspace,
                KeyCode::Backspace,
                KeyCode::Backspace,
                KeyCode::Delete,
            ],
        );
        assert_eq!(editor.text(), "callAna");
    }

    #[test]
    fn a_long_line_wraps_at_spaces_and_the_cursor_moves_by_rows() {
        let mut editor = wrapped_text_area("call after the permit is issued", 11);
        let rows: Vec<&str> = editor
            .rows()
            .into_iter()
            .map(|row| &"call after the permit is issued"[row])
            .collect();
        assert_eq!(rows, ["call after ", "the permit ", "is issued"]);
        press_keys(&mut editor, &[KeyCode::Up, KeyCode::Char('|')]);
        assert_eq!(editor.text(), "call after the permi|t is issued");
    }

    #[test]
    fn a_paste_keeps_its_lines_and_drops_control_characters() {
        let mut editor = TextArea::default();
        editor.paste("a\r\nb\tc\u{1b}[2J").unwrap();
        assert_eq!(editor.text(), "a\nb c[2J");
    }

    #[test]
    fn a_paste_that_does_not_fit_is_rejected_as_a_whole() {
        let mut editor = TextArea::with_text("mine");
        let length = MAX_TEXT_AREA_BYTES - 3;
        assert_eq!(
            editor.paste(&"d".repeat(length)),
            Err(PasteTooLong {
                length,
                available: MAX_TEXT_AREA_BYTES - 4
            })
        );
        assert_eq!(editor.text(), "mine");
        assert_eq!(editor.paste(&"d".repeat(length - 1)), Ok(()));
        assert_eq!(editor.text().len(), MAX_TEXT_AREA_BYTES);
    }

    #[test]
    fn a_word_ends_at_any_kind_of_space() {
        let control = |code| KeyEvent::new(code, KeyModifiers::CONTROL);
        for key in [control(KeyCode::Char('w')), control(KeyCode::Backspace)] {
            let mut editor = TextArea::with_text("call\u{a0}Ana\u{3000}now ");
            editor.handle_key(key);
            assert_eq!(editor.text(), "call\u{a0}Ana\u{3000}");
        }
        let mut editor = TextArea::with_text("call\u{a0}Ana");
        editor.handle_key(control(KeyCode::Left));
        press_keys(&mut editor, &[KeyCode::Char('|')]);
        assert_eq!(editor.text(), "call\u{a0}|Ana");
    }

    proptest! {
        #[test]
        fn no_text_or_keys_break_the_text_area(
            text in r"(\PC|\s){0,40}",
            width in 0u16..20,
            keys in proptest::collection::vec((0usize..12, any::<bool>()), 0..40),
        ) {
            let codes = [KeyCode::Up, KeyCode::Down, KeyCode::Left, KeyCode::Right, KeyCode::Home, KeyCode::End, KeyCode::Backspace,
                KeyCode::Delete, KeyCode::Char('ä'), KeyCode::Enter, KeyCode::Char('w'), KeyCode::Char('k')];
            let mut editor = wrapped_text_area(&text, width);
            for (key, is_chord) in keys {
                editor.handle_key(KeyEvent::new(codes[key], if is_chord { KeyModifiers::CONTROL } else { KeyModifiers::NONE }));
                prop_assert!(editor.text().is_char_boundary(editor.cursor));
            }
            let mut buf = Buffer::empty(Rect::new(0, 0, 10, 3));
            editor.draw(&mut buf, Rect::new(0, 0, 10, 3), &Theme::default());
        }
    }
}
