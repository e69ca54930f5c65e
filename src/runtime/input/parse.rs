//! Parses terminal bytes into keys, pastes, mouse and focus events. Pure, bounded, and never stuck.
//!
//! Keys are named as in crossterm. Unknown sequences (replies to unasked queries, future extensions) are swallowed whole.
//! Truncated input is completed by [`InputParser::flush`]: a lone escape byte becomes `Esc`, an unterminated paste becomes the
//! text so far.

use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

use crate::app::Msg;
use crate::ui::Background;

/// The bytes of an escape sequence arrive within this time.
const ESCAPE_TIMEOUT: Duration = Duration::from_millis(40);
/// A paste without data for this long has ended.
const PASTE_TIMEOUT: Duration = Duration::from_secs(1);
/// Maximum number of paste bytes kept, plus one to detect longer ones; the rest is swallowed, never typed.
pub(super) const MAX_PASTE_BYTES: usize = 1024 * 1024;
/// Maximum number of bytes of a sequence other than a paste.
const MAX_SEQUENCE_BYTES: usize = 4096;
const PASTE_END: &[u8] = b"\x1b[201~";

/// The state between reads: bytes that are not yet a complete key.
#[derive(Default)]
pub struct InputParser {
    pending: Vec<u8>,
    paste: Option<Vec<u8>>,
    /// An overlong sequence that is swallowed to its end.
    oversized: Option<OversizedSequence>,
}

/// An unterminated sequence.
#[derive(Clone, Copy)]
enum OversizedSequence {
    /// A control sequence, up to its final letter.
    Control,
    /// A string, up to its terminator.
    Text,
}

/// What the pending bytes begin with.
enum ParsedPrefix {
    /// This many bytes form this message.
    Complete(usize, Option<Msg>),
    /// A paste begins after this many bytes.
    PasteStart(usize),
    /// More bytes are needed.
    Incomplete,
}

impl InputParser {
    /// Parses bytes and appends the messages to `out`.
    pub fn feed(&mut self, bytes: &[u8], out: &mut Vec<Msg>) {
        self.pending.extend_from_slice(bytes);
        let mut pending = std::mem::take(&mut self.pending);
        let mut rest = pending.as_slice();
        while !rest.is_empty() {
            if let Some(endless) = self.oversized {
                match endless.skip_past_end(rest) {
                    Some(after) => {
                        self.oversized = None;
                        rest = after;
                    }
                    // The last byte may be the first half of the terminator.
                    None => {
                        rest = rest.get(rest.len() - usize::from(rest.ends_with(b"\x1b"))..).unwrap_or_default();
                        break;
                    }
                }
                continue;
            }
            if let Some(text) = &mut self.paste {
                match take_paste(text, &mut rest) {
                    true => out.extend(self.finish_paste()),
                    false => break,
                }
                continue;
            }
            match parse_sequence(rest) {
                ParsedPrefix::Complete(length, msg) => {
                    out.extend(msg);
                    rest = rest.get(length.max(1)..).unwrap_or_default();
                }
                ParsedPrefix::PasteStart(length) => {
                    self.paste = Some(Vec::new());
                    rest = rest.get(length..).unwrap_or_default();
                }
                ParsedPrefix::Incomplete if rest.len() > MAX_SEQUENCE_BYTES => {
                    self.oversized =
                        Some(if rest.starts_with(b"\x1b[") { OversizedSequence::Control } else { OversizedSequence::Text });
                    rest = rest.get(2..).unwrap_or_default();
                }
                ParsedPrefix::Incomplete => break,
            }
        }
        let used = pending.len() - rest.len();
        pending.drain(..used);
        self.pending = pending;
    }

    /// How long to wait for more bytes before [`flush`](Self::flush); `None` when nothing is pending.
    pub fn timeout(&self) -> Option<Duration> {
        match (&self.paste, self.pending.is_empty()) {
            _ if self.oversized.is_some() => Some(PASTE_TIMEOUT),
            (Some(_), _) => Some(PASTE_TIMEOUT),
            (None, false) => Some(ESCAPE_TIMEOUT),
            (None, true) => None,
        }
    }

    /// Nothing more came in time: completes what is pending.
    pub fn flush(&mut self, out: &mut Vec<Msg>) {
        if self.oversized.take().is_some() {
            self.pending.clear();
            return;
        }
        if let Some(text) = &mut self.paste {
            text.append(&mut self.pending);
            out.extend(self.finish_paste());
            return;
        }
        match std::mem::take(&mut self.pending).as_slice() {
            [0x1b] => out.push(key_message(KeyCode::Esc, KeyModifiers::NONE)),
            [0x1b, byte] => out.extend(key_for_char(*byte as char).map(|mut event| {
                event.modifiers |= KeyModifiers::ALT;
                Msg::Key(event)
            })),
            _ => {}
        }
    }

    fn finish_paste(&mut self) -> Option<Msg> {
        self.paste.take().map(|text| Msg::Paste(String::from_utf8_lossy(&text).into_owned()))
    }
}

impl OversizedSequence {
    /// The bytes after the terminator; `None` if it is missing.
    fn skip_past_end(self, bytes: &[u8]) -> Option<&[u8]> {
        let at = match self {
            OversizedSequence::Control => bytes.iter().position(|byte| (0x40..=0x7e).contains(byte)).map(|at| at + 1),
            OversizedSequence::Text => {
                let bell = bytes.iter().position(|byte| *byte == 7).map(|at| at + 1);
                let end = bytes.windows(2).position(|pair| pair == b"\x1b\\").map(|at| at + 2);
                bell.into_iter().chain(end).min()
            }
        };
        bytes.get(at?..)
    }
}

/// Moves pasted bytes into `text`; true if the end of the paste was among them.
fn take_paste(text: &mut Vec<u8>, rest: &mut &[u8]) -> bool {
    let end = rest.windows(PASTE_END.len()).position(|window| window == PASTE_END);
    // A tail that may be the start of the end marker is left for the next bytes.
    let held = (1..PASTE_END.len()).rev().find(|n| rest.ends_with(&PASTE_END[..*n])).unwrap_or(0);
    let taken = end.unwrap_or(rest.len() - held);
    let room = (MAX_PASTE_BYTES + 1).saturating_sub(text.len()).min(taken);
    text.extend_from_slice(&rest[..room]);
    *rest = &rest[taken + end.map_or(0, |_| PASTE_END.len())..];
    end.is_some()
}

fn parse_sequence(bytes: &[u8]) -> ParsedPrefix {
    match bytes {
        [] => ParsedPrefix::Incomplete,
        [0x1b] => ParsedPrefix::Incomplete,
        [0x1b, b'[', rest @ ..] => parse_csi(rest),
        [0x1b, b'O'] => ParsedPrefix::Incomplete,
        [0x1b, b'O', last, ..] => ParsedPrefix::Complete(3, letter_key(*last).map(|code| key_message(code, KeyModifiers::NONE))),
        [0x1b, b']' | b'P' | b'X' | b'^' | b'_', rest @ ..] => parse_string_sequence(rest),
        [0x1b, 0x1b, ..] => ParsedPrefix::Complete(1, Some(key_message(KeyCode::Esc, KeyModifiers::NONE))),
        [0x1b, rest @ ..] => match parse_text(rest) {
            ParsedPrefix::Complete(length, Some(Msg::Key(mut event))) => {
                event.modifiers |= KeyModifiers::ALT;
                ParsedPrefix::Complete(length + 1, Some(Msg::Key(event)))
            }
            ParsedPrefix::Complete(length, msg) => ParsedPrefix::Complete(length + 1, msg),
            other => other,
        },
        _ => parse_text(bytes),
    }
}

/// Parses what follows `ESC ]`: a string up to its terminator, which is a reply to a query. Only the background is ever queried.
fn parse_string_sequence(rest: &[u8]) -> ParsedPrefix {
    let bell = rest.iter().position(|byte| *byte == 7).map(|at| at + 1);
    let end = rest.windows(2).position(|pair| pair == b"\x1b\\").map(|at| at + 2);
    match bell.into_iter().chain(end).min() {
        Some(length) => {
            ParsedPrefix::Complete(length + 2, parse_background(&rest[..length]).map(|ground| Msg::Background(Some(ground))))
        }
        None => ParsedPrefix::Incomplete,
    }
}

/// `11;rgb:RRRR/GGGG/BBBB`, one to four digits each: whether that is light.
fn parse_background(answer: &[u8]) -> Option<Background> {
    let told = std::str::from_utf8(answer).ok()?.strip_prefix("11;rgb")?.trim_start_matches('a').strip_prefix(':')?;
    let mut levels = told.trim_end_matches(['\x07', '\x1b', '\\']).split('/').map(|digits| {
        let most = 16u32.checked_pow(u32::try_from(digits.len()).ok()?)? - 1;
        Some(f64::from(u32::from_str_radix(digits, 16).ok()?) / f64::from(most.max(1)))
    });
    let (red, green, blue) = (levels.next()??, levels.next()??, levels.next()??);
    // Perceived brightness; middle gray is a half.
    Some(if 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 { Background::Light } else { Background::Dark })
}

/// A UTF-8 character; invalid bytes are dropped.
fn parse_text(bytes: &[u8]) -> ParsedPrefix {
    let Some(first) = bytes.first() else { return ParsedPrefix::Incomplete };
    let length = match first {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => 1,
    };
    let Some(head) = bytes.get(..length) else {
        let broken = bytes.iter().skip(1).any(|byte| !(0x80..0xc0).contains(byte));
        return if broken { ParsedPrefix::Complete(1, None) } else { ParsedPrefix::Incomplete };
    };
    match std::str::from_utf8(head).ok().and_then(|text| text.chars().next()) {
        Some(c) => ParsedPrefix::Complete(length, key_for_char(c).map(Msg::Key)),
        None => ParsedPrefix::Complete(1, None),
    }
}

fn key_for_char(c: char) -> Option<KeyEvent> {
    let control = |base: u8| KeyEvent::new(KeyCode::Char((c as u8 + base) as char), KeyModifiers::CONTROL);
    Some(match c {
        '\r' => KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE),
        '\t' => KeyEvent::new(KeyCode::Tab, KeyModifiers::NONE),
        '\x7f' => KeyEvent::new(KeyCode::Backspace, KeyModifiers::NONE),
        '\0' => KeyEvent::new(KeyCode::Char(' '), KeyModifiers::CONTROL),
        '\x1b' => KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE),
        '\x01'..='\x1a' => control(b'a' - 1),
        '\x1c'..='\x1f' => control(b'4' - 0x1c),
        c if c.is_control() => return None,
        c if c.is_uppercase() => KeyEvent::new(KeyCode::Char(c), KeyModifiers::SHIFT),
        c => KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE),
    })
}

/// Parses what follows `ESC [`.
fn parse_csi(rest: &[u8]) -> ParsedPrefix {
    if let [b'[', letter, ..] = rest {
        let function = matches!(letter, b'A'..=b'E').then(|| key_message(KeyCode::F(letter - b'A' + 1), KeyModifiers::NONE));
        return ParsedPrefix::Complete(4, function);
    }
    let Some(at) = rest.iter().position(|byte| !(0x20..=0x3f).contains(byte)) else { return ParsedPrefix::Incomplete };
    let (parameters, last) = (&rest[..at], rest[at]);
    let length = at + 3;
    match last {
        b'[' if at == 0 => ParsedPrefix::Incomplete,
        // The legacy mouse report: three bytes that would read as keys.
        b'M' if at == 0 => {
            if rest.len() < 4 {
                ParsedPrefix::Incomplete
            } else {
                ParsedPrefix::Complete(6, None)
            }
        }
        0x40..=0x7e => {
            if last == b'~' && parameters == b"200" {
                return ParsedPrefix::PasteStart(length);
            }
            ParsedPrefix::Complete(length, std::str::from_utf8(parameters).ok().and_then(|p| parse_csi_key(p, last)))
        }
        // A byte that is invalid here begins something else.
        _ => ParsedPrefix::Complete(length - 1, None),
    }
}

fn parse_csi_key(parameters: &str, last: u8) -> Option<Msg> {
    if let Some(report) = parameters.strip_prefix('<') {
        return parse_mouse(report, last);
    }
    let mut numbers = parameters.split(';').map(|number| number.split(':').next().unwrap_or_default().parse::<u32>().ok());
    let (first, second, third) = (numbers.next().flatten(), numbers.next().flatten(), numbers.next().flatten());
    let modifiers = decode_modifiers(second.unwrap_or(1));
    match last {
        // The terminal type: queried after the background, so no reply to that comes any more.
        b'c' if parameters.starts_with('?') => Some(Msg::Background(None)),
        b'I' if parameters.is_empty() => Some(Msg::Focused(true)),
        b'O' if parameters.is_empty() => Some(Msg::Focused(false)),
        b'Z' => Some(key_message(KeyCode::BackTab, KeyModifiers::SHIFT)),
        b'u' => key_for_code(first?, modifiers),
        b'~' if first == Some(27) => key_for_code(third?, modifiers),
        b'~' => number_key(first?).map(|code| key_message(code, modifiers)),
        // `CSI row;column R` is a position, not a key, unless it can only be F3 with modifiers.
        b'A'..=b'D' | b'F' | b'H' | b'P'..=b'S' if first.is_none_or(|n| n == 1) => {
            letter_key(last).map(|code| key_message(code, modifiers))
        }
        _ => None,
    }
}

/// A key by its character code.
fn key_for_code(number: u32, modifiers: KeyModifiers) -> Option<Msg> {
    let event = key_for_char(char::from_u32(number)?)?;
    Some(key_message(event.code, event.modifiers | modifiers))
}

fn letter_key(letter: u8) -> Option<KeyCode> {
    Some(match letter {
        b'A' => KeyCode::Up,
        b'B' => KeyCode::Down,
        b'C' => KeyCode::Right,
        b'D' => KeyCode::Left,
        b'F' => KeyCode::End,
        b'H' => KeyCode::Home,
        b'M' => KeyCode::Enter,
        b'P'..=b'S' => KeyCode::F(letter - b'P' + 1),
        _ => return None,
    })
}

fn number_key(number: u32) -> Option<KeyCode> {
    let function = |base: u32| u8::try_from(number - base).ok().map(KeyCode::F);
    match number {
        1 | 7 => Some(KeyCode::Home),
        2 => Some(KeyCode::Insert),
        3 => Some(KeyCode::Delete),
        4 | 8 => Some(KeyCode::End),
        5 => Some(KeyCode::PageUp),
        6 => Some(KeyCode::PageDown),
        11..=15 => function(10),
        17..=21 => function(11),
        23..=26 => function(12),
        28..=29 => function(13),
        31..=34 => function(14),
        _ => None,
    }
}

fn decode_modifiers(number: u32) -> KeyModifiers {
    let bits = number.saturating_sub(1);
    let mut modifiers = KeyModifiers::NONE;
    for (bit, modifier) in
        [(1, KeyModifiers::SHIFT), (2, KeyModifiers::ALT), (4, KeyModifiers::CONTROL), (8, KeyModifiers::SUPER)]
    {
        if bits & bit != 0 {
            modifiers |= modifier;
        }
    }
    modifiers
}

/// `button;column;row`, then `M` for a press or a move and `m` for a release.
fn parse_mouse(report: &str, last: u8) -> Option<Msg> {
    let mut numbers = report.split(';').map(|number| number.parse::<u16>().ok());
    let (code, column, row) = (numbers.next()??, numbers.next()??, numbers.next()??);
    let button = match code & 3 {
        0 => Some(MouseButton::Left),
        1 => Some(MouseButton::Middle),
        2 => Some(MouseButton::Right),
        _ => None,
    };
    let kind = match (code & 64 != 0, code & 32 != 0, last, button) {
        (true, ..) => match code & 3 {
            0 => MouseEventKind::ScrollUp,
            1 => MouseEventKind::ScrollDown,
            2 => MouseEventKind::ScrollLeft,
            _ => MouseEventKind::ScrollRight,
        },
        (_, true, _, None) => MouseEventKind::Moved,
        (_, true, _, Some(button)) => MouseEventKind::Drag(button),
        (_, _, b'm', Some(button)) => MouseEventKind::Up(button),
        (_, _, b'M', Some(button)) => MouseEventKind::Down(button),
        _ => return None,
    };
    let mut modifiers = KeyModifiers::NONE;
    for (bit, modifier) in [(4, KeyModifiers::SHIFT), (8, KeyModifiers::ALT), (16, KeyModifiers::CONTROL)] {
        if code & bit != 0 {
            modifiers |= modifier;
        }
    }
    Some(Msg::Mouse(MouseEvent { kind, column: column.saturating_sub(1), row: row.saturating_sub(1), modifiers }))
}

fn key_message(code: KeyCode, modifiers: KeyModifiers) -> Msg {
    Msg::Key(KeyEvent::new(code, modifiers))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parse_all(bytes: &[u8]) -> Vec<Msg> {
        let (mut parser, mut out) = (InputParser::default(), Vec::new());
        parser.feed(bytes, &mut out);
        while parser.timeout().is_some() {
            parser.flush(&mut out);
        }
        out
    }

    fn plain_key(c: char) -> Msg {
        key_message(KeyCode::Char(c), KeyModifiers::NONE)
    }

    #[test]
    fn each_key_sequence_is_parsed_as_its_key() {
        use KeyModifiers as M;
        let table: &[(&[u8], KeyCode, KeyModifiers)] = &[
            (b"j", KeyCode::Char('j'), M::NONE),
            (b"J", KeyCode::Char('J'), M::SHIFT),
            ("é".as_bytes(), KeyCode::Char('é'), M::NONE),
            (b"\r", KeyCode::Enter, M::NONE),
            (b"\t", KeyCode::Tab, M::NONE),
            (b"\x1b[Z", KeyCode::BackTab, M::SHIFT),
            (b"\x7f", KeyCode::Backspace, M::NONE),
            (b"\x03", KeyCode::Char('c'), M::CONTROL),
            (b"\x1a", KeyCode::Char('z'), M::CONTROL),
            (b"\0", KeyCode::Char(' '), M::CONTROL),
            (b"\x1b", KeyCode::Esc, M::NONE),
            (b"\x1bx", KeyCode::Char('x'), M::ALT),
            (b"\x1b]", KeyCode::Char(']'), M::ALT),
            (b"\x1b[A", KeyCode::Up, M::NONE),
            (b"\x1bOB", KeyCode::Down, M::NONE),
            (b"\x1b[1;5C", KeyCode::Right, M::CONTROL),
            (b"\x1b[H", KeyCode::Home, M::NONE),
            (b"\x1b[4~", KeyCode::End, M::NONE),
            (b"\x1b[5~", KeyCode::PageUp, M::NONE),
            (b"\x1b[6;2~", KeyCode::PageDown, M::SHIFT),
            (b"\x1bOP", KeyCode::F(1), M::NONE),
            (b"\x1b[[A", KeyCode::F(1), M::NONE),
            (b"\x1b[15~", KeyCode::F(5), M::NONE),
            (b"\x1b[24~", KeyCode::F(12), M::NONE),
            (b"\x1b[13;2u", KeyCode::Enter, M::SHIFT),
        ];
        for (bytes, code, modifiers) in table {
            assert_eq!(parse_all(bytes), [key_message(*code, *modifiers)], "{:?}", bytes.escape_ascii().to_string());
        }
    }

    #[test]
    fn a_click_is_parsed_with_its_cell_and_the_wheel_as_scrolling() {
        let at = |kind| Msg::Mouse(MouseEvent { kind, column: 9, row: 299, modifiers: KeyModifiers::NONE });
        assert_eq!(parse_all(b"\x1b[<0;10;300M"), [at(MouseEventKind::Down(MouseButton::Left))]);
        assert_eq!(parse_all(b"\x1b[<0;10;300m"), [at(MouseEventKind::Up(MouseButton::Left))]);
        assert_eq!(parse_all(b"\x1b[<65;10;300M"), [at(MouseEventKind::ScrollDown)]);
    }

    #[test]
    fn a_paste_is_one_message_and_none_of_it_is_a_key() {
        assert_eq!(
            parse_all(b"a\x1b[200~d\rq\x1b[A\x1b[201~b"),
            [plain_key('a'), Msg::Paste("d\rq\x1b[A".into()), plain_key('b')]
        );
    }

    #[test]
    fn a_paste_without_an_end_does_not_swallow_the_keys_after_it() {
        let (mut parser, mut out) = (InputParser::default(), Vec::new());
        parser.feed(b"\x1b[200~x", &mut out);
        assert_eq!(parser.timeout(), Some(PASTE_TIMEOUT));
        parser.flush(&mut out);
        parser.feed(b"q", &mut out);
        assert_eq!(out, [Msg::Paste("x".into()), plain_key('q')]);
    }

    #[test]
    fn a_paste_beyond_the_limit_is_cut_and_the_rest_is_discarded() {
        let mut bytes = b"\x1b[200~".to_vec();
        bytes.extend(std::iter::repeat_n(b'd', 3 * MAX_PASTE_BYTES));
        bytes.extend_from_slice(b"\x1b[201~j");
        let (mut parser, mut out) = (InputParser::default(), Vec::new());
        bytes.chunks(1000).for_each(|chunk| parser.feed(chunk, &mut out));
        assert!(
            matches!(out.as_slice(), [Msg::Paste(text), last] if text.len() == MAX_PASTE_BYTES + 1 && *last == plain_key('j')),
            "{}",
            out.len()
        );
    }

    #[test]
    fn an_unterminated_sequence_is_discarded_and_types_nothing() {
        for (begin, filler, end) in [(&b"\x1b]0;"[..], b'd', &b"\x07"[..]), (b"\x1bP", b'e', b"\x1b\\"), (b"\x1b[", b'1', b"m")] {
            let bytes = [begin, &vec![filler; 100_000], end, b"j"].concat();
            for chunk in [1, 1000, 4096] {
                let (mut parser, mut out) = (InputParser::default(), Vec::new());
                bytes.chunks(chunk).for_each(|bytes| parser.feed(bytes, &mut out));
                assert_eq!(out, [plain_key('j')], "{begin:?} {chunk}");
            }
            let (mut parser, mut out) = (InputParser::default(), Vec::new());
            parser.feed(&bytes[..50_000], &mut out);
            parser.flush(&mut out);
            parser.feed(b"q", &mut out);
            assert_eq!(out, [plain_key('q')], "a timeout ends it");
        }
    }

    #[test]
    fn unsolicited_terminal_replies_are_not_keys() {
        for answer in [
            "\x1b[24;80R",
            "\x1b]10;rgb:0000/0000/0000\x1b\\",
            "\x1b]11;rgb:no/such/thing\x07",
            "\x1bP>|tmux\x1b\\",
            "\x1b[?2026;2$y",
            "\x1b[M !!",
        ] {
            assert_eq!(parse_all(format!("{answer}j").as_bytes()), [plain_key('j')], "{answer:?}");
        }
    }

    #[test]
    fn a_background_reply_among_keys_leaves_the_keys_intact() {
        let ground = |ground| Msg::Background(Some(ground));
        for (answer, is) in [
            ("\x1b]11;rgb:ffff/ffff/ffff\x1b\\", Background::Light),
            ("\x1b]11;rgb:fd/f6/e3\x07", Background::Light),
            ("\x1b]11;rgba:1e1e/1e1e/2e2e/ffff\x1b\\", Background::Dark),
            ("\x1b]11;rgb:0/0/0\x07", Background::Dark),
            ("\x1b]11;rgb:0000/2b2b/3636\x1b\\", Background::Dark),
        ] {
            let heard = parse_all(format!("j{answer}\x1b[?62;22cq").as_bytes());
            assert_eq!(heard, [plain_key('j'), ground(is), Msg::Background(None), plain_key('q')], "{answer:?}");
        }
    }

    #[test]
    fn focus_gained_and_lost_are_reported() {
        assert_eq!(parse_all(b"\x1b[I\x1b[O"), [Msg::Focused(true), Msg::Focused(false)]);
    }

    proptest! {
        #[test]
        fn any_bytes_are_survived_and_the_next_key_is_heard(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let (mut parser, mut out) = (InputParser::default(), Vec::new());
            parser.feed(&bytes, &mut out);
            parser.flush(&mut out);
            out.clear();
            parser.feed(b"q", &mut out);
            prop_assert_eq!(out, [plain_key('q')]);
        }

        #[test]
        fn keys_that_arrive_in_pieces_are_the_same_keys(cut in 0usize..40) {
            let bytes = "jé\x1b[1;5C\x1b[<0;10;3M\x1b[200~d東\x1b[201~\x1bOPq".as_bytes();
            let (mut parser, mut out) = (InputParser::default(), Vec::new());
            let (first, second) = bytes.split_at(cut.min(bytes.len()));
            parser.feed(first, &mut out);
            parser.feed(second, &mut out);
            prop_assert_eq!(out, parse_all(bytes));
        }
    }
}
