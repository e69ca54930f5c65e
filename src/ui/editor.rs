//! A text of several lines that is being typed.

use std::ops::Range;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use unicode_segmentation::UnicodeSegmentation;

use super::field::TooLong;
use super::{Role, Theme, paint};
use crate::text;

/// The most bytes that an editor takes.
pub const EDITOR_MAX: usize = 64 * 1024;

/// An editor with the readline keys, which wraps its lines at spaces. It moves by what a person sees: grapheme clusters and rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Editor {
    text: String,
    cursor: usize,
    width: usize,
}

impl Editor {
    /// An editor that holds a text already, the cursor at its end.
    pub fn with(text: &str) -> Editor {
        Editor { text: text.to_owned(), cursor: text.len(), width: 0 }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Wraps at this many cells from now on.
    pub fn fit(&mut self, width: u16) {
        // The cursor may stand behind the last cell.
        self.width = usize::from(width.saturating_sub(1));
    }

    /// Whether a key is one of the editor's.
    pub fn wants(key: KeyEvent) -> bool {
        let chord = key.modifiers - KeyModifiers::SHIFT;
        match key.code {
            KeyCode::Char(c) if chord == KeyModifiers::CONTROL => "abdefkuw".contains(c),
            KeyCode::Char(_) | KeyCode::Enter | KeyCode::Up | KeyCode::Down => chord.is_empty(),
            KeyCode::Backspace | KeyCode::Delete | KeyCode::Left | KeyCode::Right | KeyCode::Home | KeyCode::End => true,
            _ => false,
        }
    }

    /// Gives a key to the editor.
    pub fn key(&mut self, key: KeyEvent) {
        let chord = key.modifiers - KeyModifiers::SHIFT;
        let is_chord = !chord.is_empty();
        match key.code {
            KeyCode::Char(c) if !is_chord => drop(self.insert(c.encode_utf8(&mut [0; 4]))),
            KeyCode::Enter => drop(self.insert("\n")),
            KeyCode::Char('w') => self.cut(self.word_before()..self.cursor),
            KeyCode::Backspace if is_chord => self.cut(self.word_before()..self.cursor),
            KeyCode::Backspace => self.cut(self.before()..self.cursor),
            KeyCode::Delete | KeyCode::Char('d') => self.cut(self.cursor..self.after()),
            KeyCode::Char('u') => self.cut(self.line().start..self.cursor),
            KeyCode::Char('k') => self.cut(self.cursor..self.line().end),
            KeyCode::Left if is_chord => self.cursor = self.word_before(),
            KeyCode::Right if is_chord => self.cursor = self.word_after(),
            KeyCode::Left | KeyCode::Char('b') => self.cursor = self.before(),
            KeyCode::Right | KeyCode::Char('f') => self.cursor = self.after(),
            KeyCode::Home | KeyCode::Char('a') => self.cursor = self.line().start,
            KeyCode::End | KeyCode::Char('e') => self.cursor = self.line().end,
            KeyCode::Up => self.step(-1),
            KeyCode::Down => self.step(1),
            _ => {}
        }
    }

    /// Inserts a paste at the cursor: its line ends stay, its other controls go.
    ///
    /// # Errors
    /// When it has no room: then nothing of it is inserted.
    pub fn paste(&mut self, pasted: &str) -> Result<(), TooLong> {
        let clean: String = pasted.replace("\r\n", "\n").replace('\r', "\n").replace('\t', " ");
        let clean: String = clean.chars().filter(|c| *c == '\n' || !c.is_control()).collect();
        if self.insert(&clean) {
            Ok(())
        } else {
            Err(TooLong { length: clean.len(), room: EDITOR_MAX.saturating_sub(self.text.len()) })
        }
    }

    /// Inserts a text that has room; false when it has none.
    fn insert(&mut self, text: &str) -> bool {
        let fits = self.text.len() + text.len() <= EDITOR_MAX;
        if fits {
            self.text.insert_str(self.cursor, text);
            self.cursor += text.len();
        }
        fits
    }

    fn cut(&mut self, range: Range<usize>) {
        self.cursor = range.start;
        self.text.replace_range(range, "");
    }

    fn before(&self) -> usize {
        self.text[..self.cursor].grapheme_indices(true).next_back().map_or(0, |(at, _)| at)
    }

    fn after(&self) -> usize {
        self.cursor + self.text[self.cursor..].graphemes(true).next().map_or(0, str::len)
    }

    fn word_before(&self) -> usize {
        self.text[..self.cursor].trim_end().trim_end_matches(|c: char| !c.is_whitespace()).len()
    }

    fn word_after(&self) -> usize {
        let rest = &self.text[self.cursor..];
        let word = rest.len() - rest.trim_start().len();
        self.cursor + rest[word..].find(char::is_whitespace).map_or(rest.len(), |at| word + at)
    }

    /// The line of the text that the cursor is in.
    fn line(&self) -> Range<usize> {
        let start = self.text[..self.cursor].rfind('\n').map_or(0, |at| at + 1);
        start..self.text[self.cursor..].find('\n').map_or(self.text.len(), |at| self.cursor + at)
    }

    fn step(&mut self, rows: isize) {
        let all = self.rows();
        let here = row_of(&all, self.cursor);
        let column = text::width(&self.text[all[here].start..self.cursor]);
        let Some(to) = here.checked_add_signed(rows).and_then(|to| all.get(to)) else { return };
        let (last, mut at, mut used) = (self.last_of(to), to.start, 0);
        for cluster in self.text[to.clone()].graphemes(true) {
            if used >= column || at >= last {
                break;
            }
            used += text::width(cluster);
            at += cluster.len();
        }
        self.cursor = at;
    }

    /// The last place of a row that is wrapped: its end is the beginning of the next.
    fn last_of(&self, row: &Range<usize>) -> usize {
        let is_wrapped = self.text.as_bytes().get(row.end).is_some_and(|byte| *byte != b'\n');
        if !is_wrapped {
            return row.end;
        }
        self.text[row.clone()].grapheme_indices(true).next_back().map_or(row.start, |(at, _)| row.start + at)
    }

    /// The rows as they are shown, at least one.
    pub fn rows(&self) -> Vec<Range<usize>> {
        let width = if self.width == 0 { usize::MAX } else { self.width };
        let mut rows = Vec::new();
        let mut start = 0;
        for line in self.text.split('\n') {
            let end = start + line.len();
            let (mut begin, mut used, mut space) = (start, 0, None);
            for (at, cluster) in line.grapheme_indices(true) {
                let (at, wide) = (start + at, text::width(cluster));
                if used + wide > width && at > begin {
                    let cut = space.filter(|cut| *cut > begin).unwrap_or(at);
                    rows.push(begin..cut);
                    (begin, used, space) = (cut, text::width(&self.text[cut..at]), None);
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

    /// Draws the text, scrolled so that the cursor is in sight; answers where the cursor stands.
    pub fn draw(&self, buf: &mut Buffer, area: Rect, theme: &Theme) -> Position {
        let rows = self.rows();
        let here = row_of(&rows, self.cursor);
        let top = (here + 1).saturating_sub(usize::from(area.height.max(1)));
        for (n, row) in (0..area.height).zip(rows.iter().skip(top)) {
            paint::put(buf, paint::row(area, n), &self.text[row.clone()], theme.style(Role::Strong), theme);
        }
        let x = u16::try_from(text::width(&self.text[rows[here].start..self.cursor])).unwrap_or(u16::MAX);
        let y = u16::try_from(here - top).unwrap_or(0);
        Position { x: area.x + x.min(area.width.saturating_sub(1)), y: area.y + y.min(area.height.saturating_sub(1)) }
    }
}

/// The row that a place is in.
fn row_of(rows: &[Range<usize>], at: usize) -> usize {
    rows.iter().rposition(|row| row.start <= at).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn press(editor: &mut Editor, keys: &[KeyCode]) {
        keys.iter().for_each(|code| editor.key(KeyEvent::new(*code, KeyModifiers::NONE)));
    }

    fn wrapped(text: &str, width: u16) -> Editor {
        let mut editor = Editor::with(text);
        editor.fit(width + 1);
        editor
    }

    #[test]
    fn what_is_typed_stands_where_the_cursor_is() {
        let mut editor = Editor::with("call\nAna");
        press(&mut editor, &[KeyCode::Up, KeyCode::End, KeyCode::Char('e'), KeyCode::Enter, KeyCode::Char('x')]);
        assert_eq!(editor.text(), "calle\nx\nAna");
        press(&mut editor, &[KeyCode::Backspace, KeyCode::Backspace, KeyCode::Backspace, KeyCode::Delete]);
        assert_eq!(editor.text(), "callAna");
    }

    #[test]
    fn a_long_line_wraps_at_spaces_and_the_cursor_goes_by_rows() {
        let mut editor = wrapped("call after the permit is issued", 11);
        let rows: Vec<&str> = editor.rows().into_iter().map(|row| &"call after the permit is issued"[row]).collect();
        assert_eq!(rows, ["call after ", "the permit ", "is issued"]);
        press(&mut editor, &[KeyCode::Up, KeyCode::Char('|')]);
        assert_eq!(editor.text(), "call after the permi|t is issued");
    }

    #[test]
    fn a_paste_keeps_its_lines_and_nothing_that_could_steer() {
        let mut editor = Editor::default();
        editor.paste("a\r\nb\tc\u{1b}[2J").unwrap();
        assert_eq!(editor.text(), "a\nb c[2J");
    }

    #[test]
    fn a_paste_that_has_no_room_is_refused_whole() {
        let mut editor = Editor::with("mine");
        let length = EDITOR_MAX - 3;
        assert_eq!(editor.paste(&"d".repeat(length)), Err(TooLong { length, room: EDITOR_MAX - 4 }));
        assert_eq!(editor.text(), "mine");
        assert_eq!(editor.paste(&"d".repeat(length - 1)), Ok(()));
        assert_eq!(editor.text().len(), EDITOR_MAX);
    }

    #[test]
    fn a_word_ends_at_any_kind_of_space() {
        let control = |code| KeyEvent::new(code, KeyModifiers::CONTROL);
        for key in [control(KeyCode::Char('w')), control(KeyCode::Backspace)] {
            let mut editor = Editor::with("call\u{a0}Ana\u{3000}now ");
            editor.key(key);
            assert_eq!(editor.text(), "call\u{a0}Ana\u{3000}");
        }
        let mut editor = Editor::with("call\u{a0}Ana");
        editor.key(control(KeyCode::Left));
        press(&mut editor, &[KeyCode::Char('|')]);
        assert_eq!(editor.text(), "call\u{a0}|Ana");
    }

    proptest! {
        #[test]
        fn no_text_and_no_keys_can_break_it(
            text in r"(\PC|\s){0,40}",
            width in 0u16..20,
            keys in proptest::collection::vec((0usize..12, any::<bool>()), 0..40),
        ) {
            let codes = [KeyCode::Up, KeyCode::Down, KeyCode::Left, KeyCode::Right, KeyCode::Home, KeyCode::End, KeyCode::Backspace,
                KeyCode::Delete, KeyCode::Char('ä'), KeyCode::Enter, KeyCode::Char('w'), KeyCode::Char('k')];
            let mut editor = wrapped(&text, width);
            for (key, is_chord) in keys {
                editor.key(KeyEvent::new(codes[key], if is_chord { KeyModifiers::CONTROL } else { KeyModifiers::NONE }));
                prop_assert!(editor.text().is_char_boundary(editor.cursor));
            }
            let mut buf = Buffer::empty(Rect::new(0, 0, 10, 3));
            editor.draw(&mut buf, Rect::new(0, 0, 10, 3), &Theme::default());
        }
    }
}
