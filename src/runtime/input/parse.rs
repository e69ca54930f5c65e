//! Parses terminal bytes into keys, pastes, mouse and focus events. Pure, bounded, and never stuck.
//!
//! One byte at a time, so that it makes no difference in which pieces the bytes arrive, and how
//! late. What began as a sequence never becomes keys: it is swallowed up to its terminator, or up
//! to the next escape byte if that is missing.
//!
//! Only a lone escape byte can be two things, the key or the first byte of a sequence. With the
//! kitty keyboard protocol it is never the key. Elsewhere the terminal is asked for its type: it
//! answers after everything that it sent before, so the first byte of the answer shows that nothing
//! else belongs to the escape byte. A terminal that answers nothing gets a timeout instead.
//!
//! Keys are named as in crossterm.

use std::time::{Duration, Instant};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::decode::{self, Control};
use crate::app::Msg;

/// The character of a key with Alt follows its escape byte within this time.
const ALT_TIMEOUT: Duration = Duration::from_millis(40);
/// An escape byte waits this long for the answer to a query.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(2);
/// Of a paste without data for this long, the text so far is passed on.
const PASTE_TIMEOUT: Duration = Duration::from_secs(1);
/// Maximum number of paste bytes kept, plus one to detect longer ones; the rest is swallowed, never
/// typed.
pub(super) const MAX_PASTE_BYTES: usize = 1024 * 1024;
/// Maximum number of bytes kept of any other sequence.
const MAX_KEPT_BYTES: usize = 4096;
/// Maximum length of a sequence without an end.
const MAX_SEQUENCE_BYTES: usize = 1024 * 1024;
const PASTE_END: &[u8] = b"\x1b[201~";
const ESCAPE: u8 = 0x1b;
/// Either ends a sequence that is incomplete.
const CANCEL: u8 = 0x18;
const SUBSTITUTE: u8 = 0x1a;

/// What the terminal reports about itself, and what it is to be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TerminalReport {
    /// A query is answered, and so is every earlier one.
    Answered,
    /// An escape byte waits: the terminal is to be asked for its type.
    EscapeHeld,
    /// The terminal knows the kitty keyboard protocol, and it is off.
    KeyboardProtocolOff,
}

/// What the bytes so far have begun.
#[derive(Clone, Copy, Debug)]
enum State {
    Ground,
    /// A character with bytes missing.
    Character {
        modifiers: KeyModifiers,
    },
    /// An escape byte. It may be the key, unless it ended a string or a paste.
    Escape {
        since: Instant,
        is_key: bool,
    },
    /// A character after an escape byte that was taken for the key: a key, too, unless the rest of
    /// an answer follows.
    LateIntroducer {
        byte: u8,
        since: Instant,
    },
    /// `ESC O`, and a letter is missing.
    SingleShift,
    /// `ESC [`, parameters, and a letter is missing.
    Control,
    /// `ESC [ [`, and a letter is missing.
    FunctionKey,
    /// `ESC [ M`, and three bytes are missing that would read as keys.
    LegacyMouse,
    /// The answer to a query, or another string: `ESC ]` and the like.
    Text {
        introducer: u8,
        /// Introduced, and so ended, by one byte of the upper half.
        is_eight_bit: bool,
    },
    Paste {
        /// How much of the end marker has arrived.
        matched: usize,
        last_byte_at: Instant,
        /// There was a pause: perhaps it has no end.
        is_late: bool,
    },
}

/// The state between reads.
pub struct InputParser {
    escape_timeout: Duration,
    state: State,
    /// What was kept of a character, parameters, a string or a paste.
    bytes: Vec<u8>,
    /// The length of the sequence that has begun.
    length: usize,
    /// When the terminal was asked something that it has not answered yet.
    asked_at: Option<Instant>,
    has_answered: bool,
    /// The Escape key is reported as a sequence.
    is_unambiguous: bool,
    /// An escape byte was taken for the key, and nothing but other sequences has followed.
    took_escape: bool,
    /// The time of what is being read.
    now: Instant,
    messages: Vec<Msg>,
    reports: Vec<TerminalReport>,
}

impl InputParser {
    /// `is_asked`: the terminal is being asked for its type.
    pub fn new(escape_timeout: Duration, is_asked: bool, now: Instant) -> InputParser {
        InputParser {
            escape_timeout,
            state: State::Ground,
            bytes: Vec::new(),
            length: 0,
            asked_at: is_asked.then_some(now),
            has_answered: false,
            is_unambiguous: false,
            took_escape: false,
            now,
            messages: Vec::new(),
            reports: Vec::new(),
        }
    }

    /// Parses what was read at once.
    pub fn feed(&mut self, bytes: &[u8], now: Instant) -> Vec<Msg> {
        self.now = now;
        // Only if it comes right after the escape byte, or after the answer that made it the key.
        let may_continue = !bytes.starts_with(&[ESCAPE]) && std::mem::take(&mut self.took_escape);
        match (bytes, self.state) {
            // Hands type that, too, but then no answer follows.
            ([byte @ (b'[' | b']')], State::Ground) if may_continue && self.asked_at.is_some() => {
                self.state = State::LateIntroducer {
                    byte: *byte,
                    since: now,
                };
            }
            (_, state) => {
                if may_continue && matches!(state, State::Ground) && continues_sequence(bytes) {
                    self.state = State::Escape {
                        since: now,
                        is_key: false,
                    };
                }
                bytes.iter().for_each(|byte| self.take_byte(*byte));
            }
        }
        let is_held =
            matches!(self.state, State::Escape { is_key: true, .. }) && !self.is_unambiguous;
        if is_held && self.has_answered && self.asked_at.is_none() {
            self.asked_at = Some(now);
            self.reports.push(TerminalReport::EscapeHeld);
        }
        std::mem::take(&mut self.messages)
    }

    /// What the terminal reports about itself, and what it is to be asked.
    pub fn take_reports(&mut self) -> Vec<TerminalReport> {
        std::mem::take(&mut self.reports)
    }

    /// How long to wait for more bytes before [`expire`](Self::expire); `None` if time changes
    /// nothing.
    pub fn timeout(&self, now: Instant) -> Option<Duration> {
        self.deadline().map(|at| at.saturating_duration_since(now))
    }

    fn deadline(&self) -> Option<Instant> {
        match self.state {
            State::Escape {
                since,
                is_key: true,
            } if !self.is_unambiguous => {
                let answer = self.asked_at.map(|at| at + ANSWER_TIMEOUT);
                Some((since + self.escape_timeout).max(answer.unwrap_or(since)))
            }
            State::LateIntroducer { since, .. } => Some(since + ANSWER_TIMEOUT),
            State::Paste { last_byte_at, .. } if !self.bytes.is_empty() => {
                Some(last_byte_at + PASTE_TIMEOUT)
            }
            _ => None,
        }
    }

    /// Decides about what nothing followed in time.
    pub fn expire(&mut self, now: Instant) -> Vec<Msg> {
        self.now = now;
        if self.deadline().is_some_and(|at| at <= now) {
            match self.state {
                State::Escape { .. } => {
                    self.press_escape();
                    self.state = State::Ground;
                }
                State::LateIntroducer { byte, .. } => self.begin(byte, KeyModifiers::NONE),
                State::Paste {
                    matched,
                    last_byte_at,
                    ..
                } => {
                    self.pass_pasted_text();
                    self.state = State::Paste {
                        matched,
                        last_byte_at,
                        is_late: true,
                    };
                }
                _ => {}
            }
        }
        std::mem::take(&mut self.messages)
    }

    fn take_byte(&mut self, byte: u8) {
        self.length += 1;
        match self.state {
            State::Ground => self.begin(byte, KeyModifiers::NONE),
            State::Character { modifiers } if (0x80..=0xbf).contains(&byte) => {
                self.bytes.push(byte);
                if self.bytes.len()
                    == self
                        .bytes
                        .first()
                        .map_or(1, |first| character_length(*first))
                {
                    self.state = State::Ground;
                    let c = std::str::from_utf8(&self.bytes)
                        .ok()
                        .and_then(|text| text.chars().next());
                    self.type_char(c, modifiers);
                }
            }
            State::Escape { since, is_key } => self.take_after_escape(byte, since, is_key),
            State::LateIntroducer {
                byte: introducer, ..
            } => {
                let is_sequence = continues_sequence(&[introducer, byte]);
                self.state = if is_sequence {
                    State::Escape {
                        since: self.now,
                        is_key: false,
                    }
                } else {
                    State::Ground
                };
                self.take_byte(introducer);
                self.take_byte(byte);
            }
            // Modifiers come before the letter.
            State::SingleShift if byte.is_ascii_digit() || byte == b';' => {}
            State::SingleShift if (0x20..=0x7e).contains(&byte) => {
                self.state = State::Ground;
                decode::letter_key(byte)
                    .into_iter()
                    .for_each(|code| self.press(code));
            }
            State::Control => self.take_of_control(byte),
            State::FunctionKey if (0x20..=0x7e).contains(&byte) => {
                self.state = State::Ground;
                if let b'A'..=b'E' = byte {
                    self.press(KeyCode::F(byte - b'A' + 1));
                }
            }
            State::LegacyMouse if byte >= 0x20 => {
                self.bytes.push(byte);
                if self.bytes.len() == 3 {
                    self.state = State::Ground;
                }
            }
            // A byte that is invalid there begins something else.
            State::Character { .. }
            | State::SingleShift
            | State::FunctionKey
            | State::LegacyMouse => {
                self.begin(byte, KeyModifiers::NONE);
            }
            State::Text {
                introducer,
                is_eight_bit,
            } => self.take_of_text(byte, introducer, is_eight_bit),
            State::Paste {
                matched,
                last_byte_at,
                is_late,
            } => self.take_of_paste(byte, matched, last_byte_at, is_late),
        }
    }

    /// Takes the first byte of something.
    fn begin(&mut self, byte: u8, modifiers: KeyModifiers) {
        (self.state, self.length) = (State::Ground, 1);
        self.bytes.clear();
        match byte {
            ESCAPE => {
                self.state = State::Escape {
                    since: self.now,
                    is_key: true,
                }
            }
            0x00..=0x7f => self.type_char(Some(char::from(byte)), modifiers),
            0xc2..=0xf4 => {
                self.bytes.push(byte);
                self.state = State::Character { modifiers };
            }
            // The same as an escape byte and the byte that is 0x40 lower.
            0x8f => self.state = State::SingleShift,
            0x9b => self.state = State::Control,
            0x90 | 0x98 | 0x9d..=0x9f => {
                self.state = State::Text {
                    introducer: byte - 0x40,
                    is_eight_bit: true,
                }
            }
            // No character begins like that.
            _ => {}
        }
    }

    fn take_after_escape(&mut self, byte: u8, since: Instant, is_key: bool) {
        let begun = match byte {
            b'[' => State::Control,
            b'O' => State::SingleShift,
            b']' | b'P' | b'X' | b'^' | b'_' => State::Text {
                introducer: byte,
                is_eight_bit: false,
            },
            b'\\' if !is_key => return self.finish_text(),
            _ => {
                // A terminal that reports the Escape key as a sequence sends nothing else after
                // this byte.
                let is_key = is_key && !std::mem::take(&mut self.is_unambiguous);
                let is_alt =
                    byte != ESCAPE && self.now.saturating_duration_since(since) <= ALT_TIMEOUT;
                if is_key && !is_alt {
                    self.press_escape();
                }
                return self.begin(
                    byte,
                    if is_alt {
                        KeyModifiers::ALT
                    } else {
                        KeyModifiers::NONE
                    },
                );
            }
        };
        self.bytes.clear();
        (self.state, self.length) = (begun, 2);
    }

    fn take_of_control(&mut self, byte: u8) {
        match byte {
            0x20..=0x3f => self.keep(byte),
            b'[' if self.bytes.is_empty() => self.state = State::FunctionKey,
            b'M' if self.bytes.is_empty() => self.state = State::LegacyMouse,
            0x40..=0x7e => self.finish_control(byte),
            CANCEL | SUBSTITUTE => self.state = State::Ground,
            _ => self.begin(byte, KeyModifiers::NONE),
        }
    }

    fn finish_control(&mut self, last: u8) {
        self.state = State::Ground;
        let bytes = std::mem::take(&mut self.bytes);
        let parameters = std::str::from_utf8(&bytes)
            .ok()
            .filter(|_| bytes.len() < MAX_KEPT_BYTES);
        match parameters.and_then(|parameters| decode::decode_control(parameters, last)) {
            Some(Control::Msg(msg)) => self.messages.push(msg),
            Some(Control::PasteStart) => {
                self.state = State::Paste {
                    matched: 0,
                    last_byte_at: self.now,
                    is_late: false,
                };
            }
            Some(Control::TerminalType) => {
                (self.asked_at, self.has_answered) = (None, true);
                self.reports.push(TerminalReport::Answered);
            }
            Some(Control::KeyboardProtocol { is_on }) => {
                self.is_unambiguous = is_on;
                self.reports
                    .extend((!is_on).then_some(TerminalReport::KeyboardProtocolOff));
            }
            None => {}
        }
    }

    fn take_of_text(&mut self, byte: u8, introducer: u8, is_eight_bit: bool) {
        match byte {
            ESCAPE => {
                self.state = State::Escape {
                    since: self.now,
                    is_key: false,
                }
            }
            CANCEL | SUBSTITUTE => self.state = State::Ground,
            0x07 => self.finish_text(),
            0x9c if is_eight_bit => self.finish_text(),
            // No string contains that: it is a key, and shows that no end comes.
            0x00..=0x06 | 0x0e..=0x1f => self.begin(byte, KeyModifiers::NONE),
            // No answer begins like that: the introducer was a key.
            _ if self.bytes.is_empty() && !begins_text(introducer, byte) => {
                self.type_char(
                    Some(char::from(introducer)).filter(|_| !is_eight_bit),
                    KeyModifiers::ALT,
                );
                self.begin(byte, KeyModifiers::NONE);
            }
            _ => self.keep(byte),
        }
    }

    fn finish_text(&mut self) {
        self.state = State::Ground;
        self.messages
            .extend(decode::decode_background(&self.bytes).map(Msg::Background));
    }

    fn take_of_paste(&mut self, byte: u8, matched: usize, last_byte_at: Instant, is_late: bool) {
        let is_late = is_late || self.now.saturating_duration_since(last_byte_at) >= PASTE_TIMEOUT;
        let next_state = |matched| State::Paste {
            matched,
            last_byte_at: self.now,
            is_late,
        };
        let marker = PASTE_END.get(..matched).unwrap_or_default();
        if PASTE_END.get(matched) == Some(&byte) && matched + 1 < PASTE_END.len() {
            self.state = next_state(matched + 1);
        } else if PASTE_END.get(matched) == Some(&byte) {
            self.state = State::Ground;
            if !is_late || !self.bytes.is_empty() {
                self.pass_pasted_text();
            }
        } else if is_late && matched > 0 {
            // The text before a pause was all: this escape byte begins something else.
            if !self.bytes.is_empty() {
                self.pass_pasted_text();
            }
            self.state = State::Escape {
                since: last_byte_at,
                is_key: false,
            };
            marker
                .iter()
                .skip(1)
                .chain([&byte])
                .for_each(|byte| self.take_byte(*byte));
        } else {
            self.state = next_state(usize::from(byte == ESCAPE));
            let room = (MAX_PASTE_BYTES + 1).saturating_sub(self.bytes.len());
            self.bytes.extend(
                marker
                    .iter()
                    .chain(Some(&byte).filter(|byte| **byte != ESCAPE))
                    .take(room),
            );
        }
    }

    fn pass_pasted_text(&mut self) {
        let text = std::mem::take(&mut self.bytes);
        self.messages
            .push(Msg::Paste(String::from_utf8_lossy(&text).into_owned()));
    }

    /// Keeps a byte of a sequence, which ends if it is too long.
    fn keep(&mut self, byte: u8) {
        if self.bytes.len() < MAX_KEPT_BYTES {
            self.bytes.push(byte);
        }
        if self.length > MAX_SEQUENCE_BYTES {
            self.state = State::Ground;
        }
    }

    /// Takes an escape byte for the key.
    fn press_escape(&mut self) {
        self.press(KeyCode::Esc);
        self.took_escape = true;
    }

    fn press(&mut self, code: KeyCode) {
        self.messages
            .push(Msg::Key(KeyEvent::new(code, KeyModifiers::NONE)));
    }

    /// Presses the key of a character, if it has one.
    fn type_char(&mut self, c: Option<char>, modifiers: KeyModifiers) {
        let event = c.and_then(decode::key_for_char);
        self.messages.extend(
            event.map(|event| Msg::Key(KeyEvent::new(event.code, event.modifiers | modifiers))),
        );
    }
}

/// The bytes of a character in UTF-8, by the first of them.
fn character_length(first: u8) -> usize {
    match first {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => 1,
    }
}

/// Whether a string may begin with this byte. `ESC ]` and `ESC P` are also keys with Alt.
fn begins_text(introducer: u8, byte: u8) -> bool {
    match introducer {
        b']' => matches!(byte, b'0'..=b'9' | b'l' | b'L' | b'I'),
        b'P' => (0x20..=0x3f).contains(&byte),
        _ => true,
    }
}

/// Whether bytes that were read at once are what follows an escape byte, and not keys.
fn continues_sequence(bytes: &[u8]) -> bool {
    matches!(
        bytes,
        [b'[', b'0'..=b'9' | b'<'..=b'?' | b'A'..=b'Z', ..]
            | [b']', b'0'..=b'9', ..]
            | [b'P', b'0'..=b'9' | b'!' | b'$' | b'+' | b'>', ..]
            | [b'O', b'A'..=b'D' | b'F' | b'H' | b'P'..=b'S', ..]
            | [b'_', b'G', ..]
    )
}

#[cfg(test)]
mod tests;
