//! Detects pastes on terminals without bracketed paste: more keys at once than hands can type, or
//! text with line breaks.
//!
//! Input read at once is a paste if it consists only of text and control characters, and
//! - a line break is between printable characters, or
//! - it is longer than hands type at once and not a few keys repeated.
//!
//! Input that follows within a moment is part of it. It is held back until a pause, so that it is
//! one paste whatever its length.
//!
//! Never here: what a paste does.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use crossterm::event::{KeyCode, KeyModifiers};

use super::parse::MAX_PASTE_BYTES;
use crate::app::Msg;

/// More keys than this in one read cannot be typed.
const MAX_TYPED_KEYS: usize = 20;
/// A held key, or a few in turn.
const MAX_HELD_KEYS: usize = 4;
/// Input within this time belongs to the paste.
const MAX_PASTE_GAP: Duration = Duration::from_millis(100);

/// A paste being collected.
#[derive(Debug, Default)]
pub(super) struct PasteDetector {
    text: String,
    last_read_at: Option<Instant>,
}

impl PasteDetector {
    /// Holds back messages that were read at once and can only be a paste; releases what was held
    /// before any others.
    pub(super) fn absorb(&mut self, messages: &mut Vec<Msg>, now: Instant) {
        if messages.is_empty() {
            return;
        }
        let goes_on = self
            .last_read_at
            .is_some_and(|last| now.duration_since(last) < MAX_PASTE_GAP);
        match messages.iter().map(typed_char).collect::<Option<String>>() {
            Some(text) if goes_on || is_paste(&text) => {
                // One byte above the limit marks it as exceeded.
                let room = (MAX_PASTE_BYTES + 1).saturating_sub(self.text.len());
                self.text.extend(text.chars().scan(room, |room, c| {
                    *room = room.checked_sub(c.len_utf8())?;
                    Some(c)
                }));
                self.last_read_at = Some(now);
                messages.clear();
            }
            _ => self.flush(messages),
        }
    }

    /// How long to wait for more; `None` when nothing is held.
    pub(super) fn timeout(&self, now: Instant) -> Option<Duration> {
        self.last_read_at
            .map(|last| (last + MAX_PASTE_GAP).saturating_duration_since(now))
    }

    /// Releases what is held, before other messages.
    pub(super) fn flush(&mut self, messages: &mut Vec<Msg>) {
        if self.last_read_at.take().is_some() {
            messages.insert(0, Msg::Paste(std::mem::take(&mut self.text)));
        }
    }
}

fn is_paste(text: &str) -> bool {
    let is_printable = |c: char| !c.is_control();
    let words = text.trim_matches(|c: char| c.is_control());
    // Control characters before and after a text are keys; among its characters they are not.
    let has_chords = |text: &str| {
        text.chars()
            .any(|c| c.is_control() && c != '\n' && c != '\t')
    };
    let is_too_much = |text: &str| {
        text.chars().count() > MAX_TYPED_KEYS
            && text.chars().collect::<HashSet<_>>().len() > MAX_HELD_KEYS
    };
    words.contains('\n')
        || is_too_much(text) && !has_chords(text)
        || is_too_much(words) && words.chars().any(is_printable) && has_chords(words)
}

/// The character that a key types, control characters included.
fn typed_char(msg: &Msg) -> Option<char> {
    let Msg::Key(key) = msg else { return None };
    let modifiers = key.modifiers - KeyModifiers::SHIFT;
    match key.code {
        KeyCode::Char('j') if modifiers == KeyModifiers::CONTROL => Some('\n'),
        KeyCode::Char(c) if modifiers == KeyModifiers::CONTROL => {
            Some(char::from(u8::try_from(c).unwrap_or(b' ') & 0x1f))
        }
        KeyCode::Char(c) if modifiers.is_empty() => Some(c),
        KeyCode::Enter if modifiers.is_empty() => Some('\n'),
        KeyCode::Tab if modifiers.is_empty() => Some('\t'),
        KeyCode::Backspace if modifiers.is_empty() => Some('\x7f'),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse::InputParser;
    use super::*;

    /// The messages from bytes read at these times in milliseconds, followed by silence.
    fn messages_of_reads(readings: &[(u64, &str)]) -> Vec<Msg> {
        let (mut burst, began, mut all) = (PasteDetector::default(), Instant::now(), Vec::new());
        let mut parser = InputParser::new(Duration::ZERO, false, began);
        for (at, bytes) in readings {
            let now = began + Duration::from_millis(*at);
            if burst.timeout(now) == Some(Duration::ZERO) {
                burst.flush(&mut all);
            }
            let mut messages = parser.feed(bytes.as_bytes(), now);
            burst.absorb(&mut messages, now);
            all.extend(messages);
        }
        let mut held = Vec::new();
        burst.flush(&mut held);
        all.extend(held);
        all
    }

    fn are_all_keys(heard: &[Msg]) -> bool {
        heard.iter().all(|msg| matches!(msg, Msg::Key(_)))
    }

    #[test]
    fn more_keys_in_one_read_than_can_be_typed_are_one_paste() {
        let text = "see you at the fair\rdone with it, e";
        assert_eq!(
            messages_of_reads(&[(0, text)]),
            [Msg::Paste(text.replace('\r', "\n"))]
        );
        let tail = messages_of_reads(&[(0, text), (30, "ee\r"), (200, "q")]);
        assert_eq!(
            tail[0],
            Msg::Paste("see you at the fair\ndone with it, eee\n".to_owned()),
            "its end came in another read"
        );
        assert!(
            tail.len() == 2 && matches!(tail[1], Msg::Key(_)),
            "keys after a pause are typed"
        );
    }

    #[test]
    fn a_few_short_lines_are_a_paste_with_any_line_end_and_control_characters() {
        for text in [
            "e e\ree\re",
            "e e\nee\ne",
            "e e\r\nee\r\ne",
            "e\u{7}e\n\u{15}e",
            "e\n\ne",
            "a\u{1}b c d\u{5}e f g h\u{18}i j k l m n",
        ] {
            assert!(
                matches!(messages_of_reads(&[(0, text)]).as_slice(), [Msg::Paste(_)]),
                "{text:?}: {:?}",
                messages_of_reads(&[(0, text)])
            );
        }
    }

    #[test]
    fn keys_that_can_be_typed_stay_keys() {
        for keys in [
            "jjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjj",
            "jkjkjkjkjkjkjkjkjkjkjkjkjkjkjk",
            "eeeeeeeeeeeeeeeeeeeeeeee",
            "a short word",
            "/mill\r",
            "\r\r\r",
            "\rjj",
            "\u{1b}[A",
            "\u{15}/tmp/a/long/path/to/some/file.csv\r",
            "ascalled\u{13}",
            "attarget-q3\u{1b}[Z1\t\t\rmet at the fair",
        ] {
            assert!(are_all_keys(&messages_of_reads(&[(0, keys)])), "{keys:?}");
        }
    }

    #[test]
    fn an_endless_paste_takes_bounded_memory() {
        let chunk = "a line of text\r".repeat(200);
        let readings: Vec<(u64, &str)> = (0..600).map(|n| (n, chunk.as_str())).collect();
        let [Msg::Paste(text)] = &messages_of_reads(&readings)[..] else {
            panic!("one paste")
        };
        assert_eq!(text.len(), MAX_PASTE_BYTES + 1);
    }
}
