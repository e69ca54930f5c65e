//! A one-line text field.

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use tui_input::backend::crossterm::EventHandler;
use tui_input::{Input, InputRequest};

use super::{TextRole, Theme, paint};
use crate::text;

/// The most characters that a field takes: a line, not a document.
const MAX_TEXT_INPUT_CHARS: usize = 4096;

/// A paste that does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PasteTooLong {
    pub length: usize,
    pub available: usize,
}

/// A text field with the readline keys of tui-input.
#[derive(Clone, Debug, Default)]
pub struct TextInput {
    input: Input,
    /// Its characters are masked.
    pub is_secret: bool,
    /// The whole text is selected: typing or pasting replaces it, other keys edit it.
    is_selected: bool,
}

impl TextInput {
    /// With a text that the user goes on typing: the cursor is at its end.
    pub fn with_text(text: &str) -> Self {
        TextInput {
            input: Input::new(text.to_owned()),
            ..TextInput::default()
        }
    }

    /// With a text that was there before: it is selected.
    pub fn with_selected_text(text: &str) -> Self {
        TextInput {
            is_selected: !text.is_empty(),
            ..TextInput::with_text(text)
        }
    }

    pub fn new_secret() -> Self {
        TextInput {
            is_secret: true,
            ..TextInput::default()
        }
    }

    /// Moves the cursor behind so many characters.
    pub fn set_cursor(&mut self, chars: usize) {
        self.input.handle(InputRequest::SetCursor(chars));
    }

    pub fn text(&self) -> &str {
        self.input.value()
    }

    /// Returns true when the text changed.
    pub fn handle_key(&mut self, key: KeyEvent) -> bool {
        let is_command = key
            .modifiers
            .intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
        let is_typed = matches!(key.code, KeyCode::Char(_)) && !is_command;
        if std::mem::take(&mut self.is_selected)
            && (is_typed || matches!(key.code, KeyCode::Backspace | KeyCode::Delete))
        {
            self.input.reset();
            if !is_typed {
                return true;
            }
        }
        if self.text().chars().count() >= MAX_TEXT_INPUT_CHARS
            && matches!(key.code, KeyCode::Char(_))
        {
            return false;
        }
        // Terminals that report it differ from those that send Ctrl-h for it; in both it deletes.
        let is_chord =
            key.code == KeyCode::Backspace && key.modifiers.contains(KeyModifiers::CONTROL);
        let key = if is_chord {
            KeyEvent::new(key.code, KeyModifiers::ALT)
        } else {
            key
        };
        self.input
            .handle_event(&Event::Key(key))
            .is_some_and(|change| change.value)
    }

    /// Inserts a paste at the cursor, on one line and without control characters. A paste that is
    /// too long is not inserted at all.
    pub fn paste(&mut self, pasted: &str) -> Result<(), PasteTooLong> {
        let room = MAX_TEXT_INPUT_CHARS.saturating_sub(self.text().chars().count());
        let length = pasted
            .trim_end()
            .chars()
            .filter(|c| c.is_whitespace() || !c.is_control())
            .count();
        if length > room {
            return Err(PasteTooLong {
                length,
                available: room,
            });
        }
        if std::mem::take(&mut self.is_selected) {
            self.input.reset();
        }
        for c in pasted.trim_end().chars() {
            let c = if c.is_whitespace() { ' ' } else { c };
            if !c.is_control() {
                self.input.handle(InputRequest::InsertChar(c));
            }
        }
        Ok(())
    }

    /// Replaces the text by a paste.
    pub fn replace(&mut self, pasted: &str) -> Result<(), PasteTooLong> {
        self.input.reset();
        self.paste(pasted)
    }

    /// Draws the text, its secrets masked, scrolled so that the cursor is visible; returns the
    /// cursor's position. Only the focused field shows what is selected in it.
    pub fn draw(&self, buf: &mut Buffer, area: Rect, theme: &Theme, is_focused: bool) -> Position {
        let shown = if self.is_secret {
            theme
                .glyphs()
                .mask
                .to_string()
                .repeat(self.text().chars().count())
        } else {
            text::mask_secrets(self.text(), theme.glyphs().mask).into_owned()
        };
        let style = if self.is_selected && is_focused {
            theme.selected_text_style()
        } else {
            theme.style(TextRole::Strong)
        };
        let before: String = shown.chars().take(self.input.cursor()).collect();
        let room = usize::from(area.width.saturating_sub(1));
        let mut skipped = 0;
        while text::display_width(&before[skipped..]) > room {
            skipped += before[skipped..].chars().next().map_or(1, char::len_utf8);
        }
        paint::draw_text(buf, area, &shown[skipped..], style, theme);
        let x = u16::try_from(text::display_width(&before[skipped..])).unwrap_or(0);
        Position {
            x: area.x + x.min(area.width.saturating_sub(1)),
            y: area.y,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ctrl_backspace_deletes_a_word() {
        let mut input = TextInput::with_text("Harbor Yard");
        assert!(input.handle_key(KeyEvent::new(KeyCode::Backspace, KeyModifiers::CONTROL)));
        assert_eq!(input.text(), "Harbor ");
    }

    fn press(input: &mut TextInput, code: KeyCode) {
        input.handle_key(KeyEvent::new(code, KeyModifiers::NONE));
    }

    #[test]
    fn typing_or_pasting_replaces_a_selected_text_and_other_keys_edit_it() {
        let edited = |keys: &[KeyCode]| {
            let mut input = TextInput::with_selected_text("7");
            keys.iter().for_each(|code| press(&mut input, *code));
            input.text().to_owned()
        };
        assert_eq!(edited(&[KeyCode::Char('3'), KeyCode::Char('0')]), "30");
        assert_eq!(edited(&[KeyCode::End, KeyCode::Char('0')]), "70");
        assert_eq!(edited(&[KeyCode::Backspace]), "");
        assert_eq!(edited(&[]), "7");
        let mut input = TextInput::with_selected_text("seven");
        input.paste("three").unwrap();
        assert_eq!(input.text(), "three");
    }
}
