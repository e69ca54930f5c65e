//! What a complete sequence means: a key, a mouse or focus event, or what the terminal answers to a
//! query. Pure.
//!
//! Never here: where a sequence begins and ends.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

use crate::app::Msg;
use crate::ui::Background;

/// The meaning of a control sequence.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    clippy::large_enum_variant,
    reason = "one at a time exists, and only until it is handled"
)]
pub(super) enum Control {
    Msg(Msg),
    /// A bracketed paste begins.
    PasteStart,
    /// The terminal reports its type.
    TerminalType,
    /// The terminal reports the kitty keyboard protocol: whether it tells the Escape key from a
    /// sequence.
    KeyboardProtocol {
        is_on: bool,
    },
}

/// A control sequence by its parameters and its last byte; `None` for what is neither a key nor an
/// answer to a query.
pub(super) fn decode_control(parameters: &str, last: u8) -> Option<Control> {
    match (parameters.as_bytes().first(), last) {
        (Some(b'<'), b'M' | b'm') => parse_mouse(&parameters[1..], last).map(Control::Msg),
        (Some(b'?'), b'c') => Some(Control::TerminalType),
        (Some(b'?'), b'u') => {
            parameters[1..]
                .parse()
                .ok()
                .map(|flags: u32| Control::KeyboardProtocol {
                    is_on: flags & 1 != 0,
                })
        }
        (None, b'I') => Some(Control::Msg(Msg::Focused(true))),
        (None, b'O') => Some(Control::Msg(Msg::Focused(false))),
        _ if (parameters, last) == ("200", b'~') => Some(Control::PasteStart),
        _ if parameters
            .bytes()
            .all(|byte| byte.is_ascii_digit() || matches!(byte, b';' | b':')) =>
        {
            decode_key_report(parameters, last).map(|event| Control::Msg(Msg::Key(event)))
        }
        _ => None,
    }
}

/// The fields of a key report: numbers separated by `;`, their parts by `:`.
fn decode_key_report(parameters: &str, last: u8) -> Option<KeyEvent> {
    let parse = |field: &str| {
        field
            .split(':')
            .map(|part| part.parse::<u32>().ok())
            .collect::<Vec<_>>()
    };
    let fields: Vec<Vec<Option<u32>>> = parameters.split(';').map(parse).collect();
    let part = |field: usize, at: usize| *fields.get(field)?.get(at)?;
    let modifiers = decode_modifiers(part(1, 0).unwrap_or(1))?;
    // What is reported of a key is its press, its repetition or its release.
    if part(1, 1) == Some(3) {
        return None;
    }
    match last {
        b'Z' => Some(KeyEvent::new(KeyCode::BackTab, KeyModifiers::SHIFT)),
        b'u' => key_for_code(part(0, 0)?, part(0, 1), part(0, 2), modifiers),
        b'~' if part(0, 0) == Some(27) => key_for_code(part(2, 0)?, None, None, modifiers),
        b'~' => number_key(part(0, 0)?).map(|code| KeyEvent::new(code, modifiers)),
        // With parameters it is the position of the cursor.
        b'R' if !parameters.is_empty() => None,
        b'A'..=b'D' | b'F' | b'H' | b'P'..=b'S' if part(0, 0).is_none_or(|n| n == 1) => {
            letter_key(last).map(|code| KeyEvent::new(code, modifiers))
        }
        _ => None,
    }
}

/// A key by its character, the character with Shift, and the one in its place on a Latin keyboard.
fn key_for_code(
    code: u32,
    shifted: Option<u32>,
    latin: Option<u32>,
    modifiers: KeyModifiers,
) -> Option<KeyEvent> {
    if let Some(key) = keypad_key(code) {
        return Some(KeyEvent::new(key, modifiers));
    }
    // The range for keys without a character.
    if (0xe000..=0xf8ff).contains(&code) {
        return None;
    }
    let is_chord = modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
    let chosen = match (shifted, latin) {
        (_, Some(latin)) if is_chord && !char::from_u32(code)?.is_ascii() => latin,
        (Some(shifted), _) if modifiers.contains(KeyModifiers::SHIFT) => shifted,
        _ => code,
    };
    let c = char::from_u32(chosen)?;
    let others = modifiers - KeyModifiers::CONTROL;
    match control_char(c).filter(|_| modifiers.contains(KeyModifiers::CONTROL)) {
        // The same key as on a terminal that sends a control character.
        Some(control) => key_for_char(control).map(|event| add_modifiers(event, others)),
        None => key_for_char(c).map(|event| add_modifiers(event, modifiers)),
    }
}

/// A key with more modifiers. Keys that other terminals send without Shift or Ctrl are the same key
/// with them.
fn add_modifiers(event: KeyEvent, modifiers: KeyModifiers) -> KeyEvent {
    let modifiers = match event.code {
        KeyCode::Tab if modifiers.contains(KeyModifiers::SHIFT) => {
            return KeyEvent::new(KeyCode::BackTab, KeyModifiers::SHIFT);
        }
        KeyCode::Enter | KeyCode::Tab | KeyCode::Esc => {
            modifiers - KeyModifiers::SHIFT - KeyModifiers::CONTROL
        }
        KeyCode::Backspace => modifiers - KeyModifiers::SHIFT,
        _ => modifiers,
    };
    KeyEvent::new(event.code, event.modifiers | modifiers)
}

/// The control character that terminals without key reports send for a character with Ctrl.
fn control_char(c: char) -> Option<char> {
    match c.to_ascii_lowercase() {
        c @ 'a'..='z' => char::from_u32(u32::from(c) & 0x1f),
        ' ' | '@' | '2' => Some('\0'),
        '[' | '3' => Some('\x1b'),
        '\\' | '4' => Some('\x1c'),
        ']' | '5' => Some('\x1d'),
        '^' | '6' => Some('\x1e'),
        '_' | '/' | '7' => Some('\x1f'),
        '?' | '8' => Some('\x7f'),
        _ => None,
    }
}

/// The key that types a character.
pub(super) fn key_for_char(c: char) -> Option<KeyEvent> {
    let control = |base: u8| {
        KeyEvent::new(
            KeyCode::Char((c as u8 + base) as char),
            KeyModifiers::CONTROL,
        )
    };
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

/// The last byte of a sequence without a number.
pub(super) fn letter_key(letter: u8) -> Option<KeyCode> {
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

/// A key of the numeric keypad, or one of F13 to F35, in the numbers of the kitty keyboard
/// protocol.
fn keypad_key(code: u32) -> Option<KeyCode> {
    Some(match code {
        57376..=57398 => KeyCode::F(u8::try_from(code - 57376 + 13).ok()?),
        57399..=57408 => KeyCode::Char(char::from_digit(code - 57399, 10)?),
        57409 => KeyCode::Char('.'),
        57410 => KeyCode::Char('/'),
        57411 => KeyCode::Char('*'),
        57412 => KeyCode::Char('-'),
        57413 => KeyCode::Char('+'),
        57414 => KeyCode::Enter,
        57415 => KeyCode::Char('='),
        57416 => KeyCode::Char(','),
        57417 => KeyCode::Left,
        57418 => KeyCode::Right,
        57419 => KeyCode::Up,
        57420 => KeyCode::Down,
        57421 => KeyCode::PageUp,
        57422 => KeyCode::PageDown,
        57423 => KeyCode::Home,
        57424 => KeyCode::End,
        57425 => KeyCode::Insert,
        57426 => KeyCode::Delete,
        _ => return None,
    })
}

/// The modifiers of a key report; `None` with Super, Hyper or Meta: no key has them here.
fn decode_modifiers(number: u32) -> Option<KeyModifiers> {
    let bits = number.saturating_sub(1);
    (bits & (8 | 16 | 32) == 0).then(|| {
        modifiers_in(
            bits,
            [
                (1, KeyModifiers::SHIFT),
                (2, KeyModifiers::ALT),
                (4, KeyModifiers::CONTROL),
            ],
        )
    })
}

/// The modifiers whose bits are set.
fn modifiers_in(bits: u32, known: [(u32, KeyModifiers); 3]) -> KeyModifiers {
    let set = known.into_iter().filter(|(bit, _)| bits & bit != 0);
    set.fold(KeyModifiers::NONE, |all, (_, modifier)| all | modifier)
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
    let known = [
        (4, KeyModifiers::SHIFT),
        (8, KeyModifiers::ALT),
        (16, KeyModifiers::CONTROL),
    ];
    Some(Msg::Mouse(MouseEvent {
        kind,
        column: column.saturating_sub(1),
        row: row.saturating_sub(1),
        modifiers: modifiers_in(code.into(), known),
    }))
}

/// `11;rgb:RRRR/GGGG/BBBB`, one to four digits each: whether that is light. No other string is ever
/// asked for.
pub(super) fn decode_background(answer: &[u8]) -> Option<Background> {
    let told = std::str::from_utf8(answer)
        .ok()?
        .strip_prefix("11;rgb")?
        .trim_start_matches('a')
        .strip_prefix(':')?;
    let mut levels = told.split('/').map(|digits| {
        let most = 16u32.checked_pow(u32::try_from(digits.len()).ok()?)? - 1;
        Some(f64::from(u32::from_str_radix(digits, 16).ok()?) / f64::from(most.max(1)))
    });
    let (red, green, blue) = (levels.next()??, levels.next()??, levels.next()??);
    // Perceived brightness; middle gray is a half.
    Some(if 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 {
        Background::Light
    } else {
        Background::Dark
    })
}
