//! Keys: their names and the events they match.

use std::fmt;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// A key with its modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    code: KeyCode,
    modifiers: KeyModifiers,
}

impl From<KeyEvent> for Key {
    /// Shift is already part of a character, and terminals differ in reporting it.
    fn from(event: KeyEvent) -> Self {
        let mut chord =
            event.modifiers & (KeyModifiers::CONTROL | KeyModifiers::ALT | KeyModifiers::SHIFT);
        if matches!(event.code, KeyCode::Char(_) | KeyCode::BackTab) {
            chord -= KeyModifiers::SHIFT;
        }
        let code = match event.code {
            KeyCode::Char(c) if chord.contains(KeyModifiers::CONTROL) => {
                KeyCode::Char(c.to_ascii_lowercase())
            }
            code => code,
        };
        Key {
            code,
            modifiers: chord,
        }
    }
}

impl Key {
    pub fn to_event(self) -> KeyEvent {
        KeyEvent::new(self.code, self.modifiers)
    }

    /// Whether it types a character in a text field.
    pub fn is_character(self) -> bool {
        matches!(self.code, KeyCode::Char(_)) && self.modifiers.is_empty()
    }

    /// Whether it is a combination with Ctrl or a function key.
    pub fn is_chord(self) -> bool {
        matches!(self.code, KeyCode::F(_))
            || matches!(self.code, KeyCode::Char(_)) && !self.modifiers.is_empty()
    }

    /// The digit that it types.
    pub fn digit(self) -> Option<char> {
        match self.code {
            KeyCode::Char(c) if c.is_ascii_digit() && self.modifiers.is_empty() => Some(c),
            _ => None,
        }
    }

    /// Parses one key: `j`, `G`, `Ctrl-d`, `Space`, `PgDn`, `F1`.
    pub fn parse(name: &str) -> Option<Key> {
        let (chord, name) = match (
            name.strip_prefix("Ctrl-"),
            name.strip_prefix("Shift-").filter(|rest| *rest != "Tab"),
        ) {
            (Some(rest), _) => (KeyModifiers::CONTROL, rest),
            (None, Some(rest)) => (KeyModifiers::SHIFT, rest),
            (None, None) => (KeyModifiers::NONE, name),
        };
        let code = match KEY_NAMES.iter().find(|(known, _)| *known == name) {
            Some((_, code)) => *code,
            None => {
                let mut chars = name.chars();
                match (chars.next(), chars.as_str()) {
                    (Some(c), "") => KeyCode::Char(c),
                    (Some('F'), digits) => KeyCode::F(digits.parse().ok()?),
                    _ => return None,
                }
            }
        };
        Some(Key {
            code,
            modifiers: chord,
        })
    }

    /// Parses a key sequence, separated by spaces: `g g`.
    pub fn parse_sequence(names: &str) -> Option<Vec<Key>> {
        names.split(' ').map(Key::parse).collect()
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.modifiers.contains(KeyModifiers::CONTROL) {
            f.write_str("Ctrl-")?;
        }
        if self.modifiers.contains(KeyModifiers::ALT) {
            f.write_str("Alt-")?;
        }
        if self.modifiers.contains(KeyModifiers::SHIFT) {
            f.write_str("Shift-")?;
        }
        match (
            KEY_NAMES.iter().find(|(_, code)| *code == self.code),
            self.code,
        ) {
            (Some((name, _)), _) => f.write_str(name),
            (None, KeyCode::Char(c)) => write!(f, "{c}"),
            (None, KeyCode::F(n)) => write!(f, "F{n}"),
            (None, other) => write!(f, "{other:?}"),
        }
    }
}

const KEY_NAMES: [(&str, KeyCode); 16] = [
    ("Enter", KeyCode::Enter),
    ("Esc", KeyCode::Esc),
    ("Tab", KeyCode::Tab),
    ("Shift-Tab", KeyCode::BackTab),
    ("Space", KeyCode::Char(' ')),
    ("Up", KeyCode::Up),
    ("Down", KeyCode::Down),
    ("Left", KeyCode::Left),
    ("Right", KeyCode::Right),
    ("Home", KeyCode::Home),
    ("End", KeyCode::End),
    ("PgUp", KeyCode::PageUp),
    ("PgDn", KeyCode::PageDown),
    ("Backspace", KeyCode::Backspace),
    ("Delete", KeyCode::Delete),
    ("Insert", KeyCode::Insert),
];

/// `g g` is shown as `gg`, `Ctrl-d` as it is.
pub fn sequence_label(names: &str) -> String {
    let keys: Vec<&str> = names.split(' ').collect();
    if keys.iter().all(|key| key.chars().count() == 1) {
        keys.concat()
    } else {
        keys.join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_name_round_trips() {
        for name in [
            "j",
            "G",
            "Ctrl-d",
            "Space",
            "PgDn",
            "F1",
            "Shift-Tab",
            "Shift-Up",
            "`",
            "?",
            ":",
            "]",
            "*",
        ] {
            assert_eq!(Key::parse(name).unwrap().to_string(), name);
        }
        assert_eq!(Key::parse("Hyper"), None);
    }

    #[test]
    fn shift_with_a_letter_is_the_capital_letter() {
        let pressed = KeyEvent::new(KeyCode::Char('U'), KeyModifiers::SHIFT);
        assert_eq!(Some(Key::from(pressed)), Key::parse("U"));
    }
}
