//! A paste of a terminal that has no marks for one: more keys at once than hands have.
//!
//! Never here: what a paste does. Keys that repeat because one is held are few different ones and stay keys.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use crossterm::event::{KeyCode, KeyModifiers};

use crate::app::Msg;

/// So many keys of one reading are more than a hand types.
const KEYS: usize = 20;
/// A held key, or a few in turn.
const DIFFERENT: usize = 4;
/// What follows within this time belongs to it.
const PAUSE: Duration = Duration::from_millis(100);

/// When the last paste of this kind was heard.
#[derive(Debug, Default)]
pub(super) struct Burst(Option<Instant>);

impl Burst {
    /// Makes one paste of messages that were read at once and can be nothing else.
    pub(super) fn join(&mut self, messages: &mut Vec<Msg>, now: Instant) {
        let Some(text) = messages.iter().map(typed).collect::<Option<String>>().filter(|text| !text.is_empty()) else { return };
        let goes_on = self.0.is_some_and(|last| now.duration_since(last) < PAUSE);
        let different: HashSet<char> = text.chars().collect();
        if goes_on || text.chars().count() > KEYS && different.len() > DIFFERENT {
            self.0 = Some(now);
            *messages = vec![Msg::Paste(text)];
        }
    }
}

/// What a key types.
fn typed(msg: &Msg) -> Option<char> {
    let Msg::Key(key) = msg else { return None };
    match key.code {
        KeyCode::Char(c) if (key.modifiers - KeyModifiers::SHIFT).is_empty() => Some(c),
        KeyCode::Enter => Some('\n'),
        KeyCode::Tab => Some('\t'),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse::Parser;
    use super::*;

    /// What is heard of bytes that are read at these milliseconds.
    fn heard(readings: &[(u64, &str)]) -> Vec<Msg> {
        let (mut parser, mut burst, began, mut all) = (Parser::default(), Burst::default(), Instant::now(), Vec::new());
        for (at, bytes) in readings {
            let mut messages = Vec::new();
            parser.feed(bytes.as_bytes(), &mut messages);
            burst.join(&mut messages, began + Duration::from_millis(*at));
            all.extend(messages);
        }
        all
    }

    #[test]
    fn more_keys_at_once_than_hands_have_are_a_paste_to_its_last_line() {
        let text = "see you at the fair\rdone with it, e";
        assert_eq!(heard(&[(0, text)]), [Msg::Paste(text.replace('\r', "\n"))]);
        let tail = heard(&[(0, text), (30, "ee\r"), (200, "q")]);
        assert_eq!(tail[1], Msg::Paste("ee\n".to_owned()), "its end came in another reading");
        assert!(matches!(tail[2], Msg::Key(_)), "after a pause there is a hand again");
    }

    #[test]
    fn what_a_hand_can_do_stays_keys() {
        for keys in ["jjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjj", "jkjkjkjkjkjkjkjkjkjkjkjkjkjkjk", "a short word", "\u{1b}[A"] {
            assert!(heard(&[(0, keys)]).iter().all(|msg| matches!(msg, Msg::Key(_))), "{keys}");
        }
        let with_a_chord = "\u{15}/tmp/a/long/path/to/some/file.csv\r";
        assert!(heard(&[(0, with_a_chord)]).iter().all(|msg| matches!(msg, Msg::Key(_))));
    }
}
