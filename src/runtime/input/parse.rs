//! Bytes of a terminal → keys, pastes, mouse and focus. Pure, bounded, and never stuck.
//!
//! Keys are named as crossterm names them. What is no key (an answer to a question that nobody asked, a sequence of tomorrow)
//! is swallowed whole. What is cut off is ended by [`Parser::idle`]: a lone escape byte becomes `Esc`, a paste without its end
//! becomes the text so far.

use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

use crate::app::Msg;
use crate::ui::Background;

/// Bytes of a key's sequence that come apart come within this time.
const ESCAPE_WAIT: Duration = Duration::from_millis(40);
/// A paste that is silent for so long has ended.
const PASTE_WAIT: Duration = Duration::from_secs(1);
/// The most bytes of a paste that are kept, and one more to tell that there were more; the rest is swallowed, never typed.
pub(super) const PASTE_MAX: usize = 1024 * 1024;
/// The most bytes of a sequence that is no paste.
const SEQUENCE_MAX: usize = 4096;
const PASTE_END: &[u8] = b"\x1b[201~";

/// What has arrived and is not yet a whole key.
#[derive(Default)]
pub struct Parser {
    pending: Vec<u8>,
    paste: Option<Vec<u8>>,
    /// A sequence that is too long to be anything: it is swallowed to its end.
    endless: Option<Endless>,
}

/// A sequence without an end.
#[derive(Clone, Copy)]
enum Endless {
    /// Parameters, up to a letter.
    Control,
    /// A text, up to its own end.
    Text,
}

/// What the beginning of the pending bytes is.
enum Found {
    /// So many bytes are this.
    Whole(usize, Option<Msg>),
    /// A paste begins after so many bytes.
    Paste(usize),
    /// More has to come.
    Part,
}

impl Parser {
    /// Takes bytes and appends what they are to `out`.
    pub fn feed(&mut self, bytes: &[u8], out: &mut Vec<Msg>) {
        self.pending.extend_from_slice(bytes);
        let mut pending = std::mem::take(&mut self.pending);
        let mut rest = pending.as_slice();
        while !rest.is_empty() {
            if let Some(endless) = self.endless {
                match endless.end(rest) {
                    Some(after) => {
                        self.endless = None;
                        rest = after;
                    }
                    // The first half of a text's end may be the last byte.
                    None => {
                        rest = rest.get(rest.len() - usize::from(rest.ends_with(b"\x1b"))..).unwrap_or_default();
                        break;
                    }
                }
                continue;
            }
            if let Some(text) = &mut self.paste {
                match take_paste(text, &mut rest) {
                    true => out.extend(self.end_paste()),
                    false => break,
                }
                continue;
            }
            match sequence(rest) {
                Found::Whole(length, msg) => {
                    out.extend(msg);
                    rest = rest.get(length.max(1)..).unwrap_or_default();
                }
                Found::Paste(length) => {
                    self.paste = Some(Vec::new());
                    rest = rest.get(length..).unwrap_or_default();
                }
                Found::Part if rest.len() > SEQUENCE_MAX => {
                    self.endless = Some(if rest.starts_with(b"\x1b[") { Endless::Control } else { Endless::Text });
                    rest = rest.get(2..).unwrap_or_default();
                }
                Found::Part => break,
            }
        }
        let used = pending.len() - rest.len();
        pending.drain(..used);
        self.pending = pending;
    }

    /// How long to wait for more before [`idle`](Self::idle); for ever when nothing is pending.
    pub fn patience(&self) -> Option<Duration> {
        match (&self.paste, self.pending.is_empty()) {
            _ if self.endless.is_some() => Some(PASTE_WAIT),
            (Some(_), _) => Some(PASTE_WAIT),
            (None, false) => Some(ESCAPE_WAIT),
            (None, true) => None,
        }
    }

    /// Nothing more came in time: what is pending is all there will be.
    pub fn idle(&mut self, out: &mut Vec<Msg>) {
        if self.endless.take().is_some() {
            self.pending.clear();
            return;
        }
        if let Some(text) = &mut self.paste {
            text.append(&mut self.pending);
            out.extend(self.end_paste());
            return;
        }
        match std::mem::take(&mut self.pending).as_slice() {
            [0x1b] => out.push(key(KeyCode::Esc, KeyModifiers::NONE)),
            [0x1b, byte] => out.extend(character(*byte as char).map(|mut event| {
                event.modifiers |= KeyModifiers::ALT;
                Msg::Key(event)
            })),
            _ => {}
        }
    }

    fn end_paste(&mut self) -> Option<Msg> {
        self.paste.take().map(|text| Msg::Paste(String::from_utf8_lossy(&text).into_owned()))
    }
}

impl Endless {
    /// What comes after its end; none when that is not there.
    fn end(self, bytes: &[u8]) -> Option<&[u8]> {
        let at = match self {
            Endless::Control => bytes.iter().position(|byte| (0x40..=0x7e).contains(byte)).map(|at| at + 1),
            Endless::Text => {
                let bell = bytes.iter().position(|byte| *byte == 7).map(|at| at + 1);
                let end = bytes.windows(2).position(|pair| pair == b"\x1b\\").map(|at| at + 2);
                bell.into_iter().chain(end).min()
            }
        };
        bytes.get(at?..)
    }
}

/// Moves pasted bytes into `text`; true when the paste's end was among them.
fn take_paste(text: &mut Vec<u8>, rest: &mut &[u8]) -> bool {
    let end = rest.windows(PASTE_END.len()).position(|window| window == PASTE_END);
    // A tail that could be the beginning of the end is left for the next bytes.
    let held = (1..PASTE_END.len()).rev().find(|n| rest.ends_with(&PASTE_END[..*n])).unwrap_or(0);
    let taken = end.unwrap_or(rest.len() - held);
    let room = (PASTE_MAX + 1).saturating_sub(text.len()).min(taken);
    text.extend_from_slice(&rest[..room]);
    *rest = &rest[taken + end.map_or(0, |_| PASTE_END.len())..];
    end.is_some()
}

fn sequence(bytes: &[u8]) -> Found {
    match bytes {
        [] => Found::Part,
        [0x1b] => Found::Part,
        [0x1b, b'[', rest @ ..] => control(rest),
        [0x1b, b'O'] => Found::Part,
        [0x1b, b'O', last, ..] => Found::Whole(3, letter_key(*last).map(|code| key(code, KeyModifiers::NONE))),
        [0x1b, b']' | b'P' | b'X' | b'^' | b'_', rest @ ..] => string(rest),
        [0x1b, 0x1b, ..] => Found::Whole(1, Some(key(KeyCode::Esc, KeyModifiers::NONE))),
        [0x1b, rest @ ..] => match text(rest) {
            Found::Whole(length, Some(Msg::Key(mut event))) => {
                event.modifiers |= KeyModifiers::ALT;
                Found::Whole(length + 1, Some(Msg::Key(event)))
            }
            Found::Whole(length, msg) => Found::Whole(length + 1, msg),
            other => other,
        },
        _ => text(bytes),
    }
}

/// What follows `ESC ]` and its kind: a text up to its end, which is an answer to a question. The console asks for the ground alone.
fn string(rest: &[u8]) -> Found {
    let bell = rest.iter().position(|byte| *byte == 7).map(|at| at + 1);
    let end = rest.windows(2).position(|pair| pair == b"\x1b\\").map(|at| at + 2);
    match bell.into_iter().chain(end).min() {
        Some(length) => Found::Whole(length + 2, ground(&rest[..length]).map(|ground| Msg::Ground(Some(ground)))),
        None => Found::Part,
    }
}

/// `11;rgb:RRRR/GGGG/BBBB`, each with one to four digits: whether that is light.
fn ground(answer: &[u8]) -> Option<Background> {
    let told = std::str::from_utf8(answer).ok()?.strip_prefix("11;rgb")?.trim_start_matches('a').strip_prefix(':')?;
    let mut levels = told.trim_end_matches(['\x07', '\x1b', '\\']).split('/').map(|digits| {
        let most = 16u32.checked_pow(u32::try_from(digits.len()).ok()?)? - 1;
        Some(f64::from(u32::from_str_radix(digits, 16).ok()?) / f64::from(most.max(1)))
    });
    let (red, green, blue) = (levels.next()??, levels.next()??, levels.next()??);
    // As bright as the eye takes it, on the scale on which the middle grey is a half.
    Some(if 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 { Background::Light } else { Background::Dark })
}

/// A character, in UTF-8; what is none is dropped.
fn text(bytes: &[u8]) -> Found {
    let Some(first) = bytes.first() else { return Found::Part };
    let length = match first {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => 1,
    };
    let Some(head) = bytes.get(..length) else {
        let broken = bytes.iter().skip(1).any(|byte| !(0x80..0xc0).contains(byte));
        return if broken { Found::Whole(1, None) } else { Found::Part };
    };
    match std::str::from_utf8(head).ok().and_then(|text| text.chars().next()) {
        Some(c) => Found::Whole(length, character(c).map(Msg::Key)),
        None => Found::Whole(1, None),
    }
}

fn character(c: char) -> Option<KeyEvent> {
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

/// What follows `ESC [`.
fn control(rest: &[u8]) -> Found {
    if let [b'[', letter, ..] = rest {
        let function = matches!(letter, b'A'..=b'E').then(|| key(KeyCode::F(letter - b'A' + 1), KeyModifiers::NONE));
        return Found::Whole(4, function);
    }
    let Some(at) = rest.iter().position(|byte| !(0x20..=0x3f).contains(byte)) else { return Found::Part };
    let (parameters, last) = (&rest[..at], rest[at]);
    let length = at + 3;
    match last {
        b'[' if at == 0 => Found::Part,
        // The old form of a mouse report: three bytes that would read as keys.
        b'M' if at == 0 => {
            if rest.len() < 4 {
                Found::Part
            } else {
                Found::Whole(6, None)
            }
        }
        0x40..=0x7e => {
            if last == b'~' && parameters == b"200" {
                return Found::Paste(length);
            }
            Found::Whole(length, std::str::from_utf8(parameters).ok().and_then(|p| control_key(p, last)))
        }
        // A byte that cannot stand here begins something else.
        _ => Found::Whole(length - 1, None),
    }
}

fn control_key(parameters: &str, last: u8) -> Option<Msg> {
    if let Some(report) = parameters.strip_prefix('<') {
        return mouse(report, last);
    }
    let mut numbers = parameters.split(';').map(|number| number.split(':').next().unwrap_or_default().parse::<u32>().ok());
    let (first, second, third) = (numbers.next().flatten(), numbers.next().flatten(), numbers.next().flatten());
    let modifiers = modifiers(second.unwrap_or(1));
    match last {
        // What kind of terminal it is: asked after the ground, so no answer to that comes any more.
        b'c' if parameters.starts_with('?') => Some(Msg::Ground(None)),
        b'I' if parameters.is_empty() => Some(Msg::Focused(true)),
        b'O' if parameters.is_empty() => Some(Msg::Focused(false)),
        b'Z' => Some(key(KeyCode::BackTab, KeyModifiers::SHIFT)),
        b'u' => coded(first?, modifiers),
        b'~' if first == Some(27) => coded(third?, modifiers),
        b'~' => number_key(first?).map(|code| key(code, modifiers)),
        // `CSI row;column R` is a place, not a key, unless it can only be F3 with modifiers.
        b'A'..=b'D' | b'F' | b'H' | b'P'..=b'S' if first.is_none_or(|n| n == 1) => {
            letter_key(last).map(|code| key(code, modifiers))
        }
        _ => None,
    }
}

/// A key by the number of its character.
fn coded(number: u32, modifiers: KeyModifiers) -> Option<Msg> {
    let event = character(char::from_u32(number)?)?;
    Some(key(event.code, event.modifiers | modifiers))
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

fn modifiers(number: u32) -> KeyModifiers {
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
fn mouse(report: &str, last: u8) -> Option<Msg> {
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

fn key(code: KeyCode, modifiers: KeyModifiers) -> Msg {
    Msg::Key(KeyEvent::new(code, modifiers))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn heard(bytes: &[u8]) -> Vec<Msg> {
        let (mut parser, mut out) = (Parser::default(), Vec::new());
        parser.feed(bytes, &mut out);
        while parser.patience().is_some() {
            parser.idle(&mut out);
        }
        out
    }

    fn plain(c: char) -> Msg {
        key(KeyCode::Char(c), KeyModifiers::NONE)
    }

    #[test]
    fn each_key_is_heard_as_itself() {
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
            assert_eq!(heard(bytes), [key(*code, *modifiers)], "{:?}", bytes.escape_ascii().to_string());
        }
    }

    #[test]
    fn a_click_is_heard_at_its_cell_and_the_wheel_as_the_wheel() {
        let at = |kind| Msg::Mouse(MouseEvent { kind, column: 9, row: 299, modifiers: KeyModifiers::NONE });
        assert_eq!(heard(b"\x1b[<0;10;300M"), [at(MouseEventKind::Down(MouseButton::Left))]);
        assert_eq!(heard(b"\x1b[<0;10;300m"), [at(MouseEventKind::Up(MouseButton::Left))]);
        assert_eq!(heard(b"\x1b[<65;10;300M"), [at(MouseEventKind::ScrollDown)]);
    }

    #[test]
    fn a_paste_is_one_message_and_nothing_in_it_acts() {
        assert_eq!(heard(b"a\x1b[200~d\rq\x1b[A\x1b[201~b"), [plain('a'), Msg::Paste("d\rq\x1b[A".into()), plain('b')]);
    }

    #[test]
    fn a_paste_without_an_end_does_not_swallow_the_keys_after_it() {
        let (mut parser, mut out) = (Parser::default(), Vec::new());
        parser.feed(b"\x1b[200~x", &mut out);
        assert_eq!(parser.patience(), Some(PASTE_WAIT));
        parser.idle(&mut out);
        parser.feed(b"q", &mut out);
        assert_eq!(out, [Msg::Paste("x".into()), plain('q')]);
    }

    #[test]
    fn a_paste_beyond_the_limit_is_cut_and_its_rest_is_never_typed() {
        let mut bytes = b"\x1b[200~".to_vec();
        bytes.extend(std::iter::repeat_n(b'd', 3 * PASTE_MAX));
        bytes.extend_from_slice(b"\x1b[201~j");
        let (mut parser, mut out) = (Parser::default(), Vec::new());
        bytes.chunks(1000).for_each(|chunk| parser.feed(chunk, &mut out));
        assert!(
            matches!(out.as_slice(), [Msg::Paste(text), last] if text.len() == PASTE_MAX + 1 && *last == plain('j')),
            "{}",
            out.len()
        );
    }

    #[test]
    fn a_sequence_without_an_end_is_swallowed_and_types_nothing() {
        for (begin, filler, end) in [(&b"\x1b]0;"[..], b'd', &b"\x07"[..]), (b"\x1bP", b'e', b"\x1b\\"), (b"\x1b[", b'1', b"m")] {
            let bytes = [begin, &vec![filler; 100_000], end, b"j"].concat();
            for chunk in [1, 1000, 4096] {
                let (mut parser, mut out) = (Parser::default(), Vec::new());
                bytes.chunks(chunk).for_each(|bytes| parser.feed(bytes, &mut out));
                assert_eq!(out, [plain('j')], "{begin:?} {chunk}");
            }
            let (mut parser, mut out) = (Parser::default(), Vec::new());
            parser.feed(&bytes[..50_000], &mut out);
            parser.idle(&mut out);
            parser.feed(b"q", &mut out);
            assert_eq!(out, [plain('q')], "silence ends it");
        }
    }

    #[test]
    fn answers_that_nobody_asked_for_are_no_keys() {
        for answer in [
            "\x1b[24;80R",
            "\x1b]10;rgb:0000/0000/0000\x1b\\",
            "\x1b]11;rgb:no/such/thing\x07",
            "\x1bP>|tmux\x1b\\",
            "\x1b[?2026;2$y",
            "\x1b[M !!",
        ] {
            assert_eq!(heard(format!("{answer}j").as_bytes()), [plain('j')], "{answer:?}");
        }
    }

    #[test]
    fn the_ground_is_heard_among_keys_and_they_stay_keys() {
        let ground = |ground| Msg::Ground(Some(ground));
        for (answer, is) in [
            ("\x1b]11;rgb:ffff/ffff/ffff\x1b\\", Background::Light),
            ("\x1b]11;rgb:fd/f6/e3\x07", Background::Light),
            ("\x1b]11;rgba:1e1e/1e1e/2e2e/ffff\x1b\\", Background::Dark),
            ("\x1b]11;rgb:0/0/0\x07", Background::Dark),
            ("\x1b]11;rgb:0000/2b2b/3636\x1b\\", Background::Dark),
        ] {
            let heard = heard(format!("j{answer}\x1b[?62;22cq").as_bytes());
            assert_eq!(heard, [plain('j'), ground(is), Msg::Ground(None), plain('q')], "{answer:?}");
        }
    }

    #[test]
    fn the_window_says_when_it_gains_and_loses_the_focus() {
        assert_eq!(heard(b"\x1b[I\x1b[O"), [Msg::Focused(true), Msg::Focused(false)]);
    }

    proptest! {
        #[test]
        fn any_bytes_are_survived_and_the_next_key_is_heard(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let (mut parser, mut out) = (Parser::default(), Vec::new());
            parser.feed(&bytes, &mut out);
            parser.idle(&mut out);
            out.clear();
            parser.feed(b"q", &mut out);
            prop_assert_eq!(out, [plain('q')]);
        }

        #[test]
        fn keys_that_arrive_in_pieces_are_the_same_keys(cut in 0usize..40) {
            let bytes = "jé\x1b[1;5C\x1b[<0;10;3M\x1b[200~d東\x1b[201~\x1bOPq".as_bytes();
            let (mut parser, mut out) = (Parser::default(), Vec::new());
            let (first, second) = bytes.split_at(cut.min(bytes.len()));
            parser.feed(first, &mut out);
            parser.feed(second, &mut out);
            prop_assert_eq!(out, heard(bytes));
        }
    }
}
