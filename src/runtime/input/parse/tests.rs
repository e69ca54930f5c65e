use super::*;
use crate::ui::Background;
use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use proptest::prelude::*;

const ESCAPE_TIMEOUT: Duration = Duration::from_millis(150);
/// Longer than any timeout of a key.
const PAUSE: Duration = Duration::from_secs(1);
const TYPE_REPORT: &[u8] = b"\x1b[?62;22c";

/// What terminals send besides keys and pastes.
const REPORTS: &[&[u8]] = &[
    // Colors, palette, selection, title and icon.
    b"\x1b]10;rgb:d0d0/d0d0/d0d0\x1b\\",
    b"\x1b]11;rgb:eeee/e8e8/d5d5\x1b\\",
    b"\x1b]11;rgba:1e1e/1e1e/2e2e/ffff\x07",
    b"\x1b]4;7;rgb:e5e5/e5e5/e5e5\x07",
    b"\x1b]52;c;ZWVlIGogZCBxICMgQQ==\x1b\\",
    b"\x1b]lmarked: e e e\x1b\\",
    b"\x1b]Lt\xc3\x9cr\x1b\\",
    // Device attributes, in three kinds.
    b"\x1b[?62;22c",
    b"\x1b[?6c",
    b"\x1b[>41;354;0c",
    b"\x1b[>0;276;0c",
    b"\x1bP!|7E565445\x1b\\",
    // Modes, version, capabilities, settings.
    b"\x1b[?2026;2$y",
    b"\x1b[4;1$y",
    b"\x1bP>|tmux 3.5a\x1b\\",
    b"\x1bP1+r544E=787465726D\x1b\\",
    b"\x1bP0+r\x1b\\",
    b"\x1bP1$r0 q\x1b\\",
    // Status, position, size, colors of a picture, color scheme.
    b"\x1b[0n",
    b"\x1b[24;80R",
    b"\x1b[1;1R",
    b"\x1b[1;5R",
    b"\x1b[?24;80;1R",
    b"\x1b[8;36;120t",
    b"\x1b[4;720;1280t",
    b"\x1b[?1;0;256S",
    b"\x1b[?2;0;800;600S",
    b"\x1b[?997;1n",
    // Focus and mouse: with letters, by numbers, and in three bytes.
    b"\x1b[I",
    b"\x1b[O",
    b"\x1b[<0;10;3M",
    b"\x1b[<35;120;36m",
    b"\x1b[32;10;3M",
    b"\x1b[M qe",
    b"\x1b[M\xc3\xa9\xff",
    // The keyboard protocol, and the release of a key.
    b"\x1b[?0u",
    b"\x1b[?5u",
    b"\x1b[101;1:3u",
    // Pictures, and strings of no known use.
    b"\x1b_Gi=31;OK\x1b\\",
    b"\x1b_Gi=31;ENOENT:file not found\x1b\\",
    b"\x1b^a privacy message\x1b\\",
    b"\x1bXa string\x1b\\",
    // The same introduced by one byte.
    b"\x9b?62;22c",
    b"\x9b24;80R",
    b"\x9bI",
    b"\x9d11;rgb:eeee/e8e8/d5d5\x9c",
    b"\x9d4;7;rgb:e5e5/e5e5/e5e5\x07",
    b"\x90>|xterm(390)\x9c",
    b"\x9fGi=31;OK\x9c",
    b"\x9ea privacy message\x9c",
    b"\x98a string\x9c",
];

/// Keys that are sent as several bytes.
const LONG_KEYS: &[(&[u8], KeyCode, KeyModifiers)] = {
    use KeyModifiers as M;
    &[
        ("é".as_bytes(), KeyCode::Char('é'), M::NONE),
        ("東".as_bytes(), KeyCode::Char('東'), M::NONE),
        (b"\x1b[Z", KeyCode::BackTab, M::SHIFT),
        (b"\x1b[A", KeyCode::Up, M::NONE),
        (b"\x1bOB", KeyCode::Down, M::NONE),
        (b"\x8fB", KeyCode::Down, M::NONE),
        (b"\x1b[1;5C", KeyCode::Right, M::CONTROL),
        (b"\x1b[H", KeyCode::Home, M::NONE),
        (b"\x1b[4~", KeyCode::End, M::NONE),
        (b"\x1b[5~", KeyCode::PageUp, M::NONE),
        (b"\x1b[6;2~", KeyCode::PageDown, M::SHIFT),
        (b"\x1bOP", KeyCode::F(1), M::NONE),
        (b"\x1bO2P", KeyCode::F(1), M::NONE),
        (b"\x1b[[A", KeyCode::F(1), M::NONE),
        (b"\x1b[P", KeyCode::F(1), M::NONE),
        (b"\x1b[13~", KeyCode::F(3), M::NONE),
        (b"\x1b[15~", KeyCode::F(5), M::NONE),
        (b"\x1b[24~", KeyCode::F(12), M::NONE),
        // The kitty keyboard protocol.
        (b"\x1b[27u", KeyCode::Esc, M::NONE),
        (b"\x1b[91;5u", KeyCode::Esc, M::NONE),
        (b"\x1b[105;5u", KeyCode::Tab, M::NONE),
        (b"\x1b[109;5u", KeyCode::Enter, M::NONE),
        (b"\x1b[13;2u", KeyCode::Enter, M::NONE),
        (b"\x1b[9;2u", KeyCode::BackTab, M::SHIFT),
        (b"\x1b[127;2u", KeyCode::Backspace, M::NONE),
        (b"\x1b[99;5u", KeyCode::Char('c'), M::CONTROL),
        (b"\x1b[99;69u", KeyCode::Char('c'), M::CONTROL),
        (
            b"\x1b[99;6u",
            KeyCode::Char('c'),
            M::CONTROL.union(M::SHIFT),
        ),
        (b"\x1b[1089::99;5u", KeyCode::Char('c'), M::CONTROL),
        (b"\x1b[32;5u", KeyCode::Char(' '), M::CONTROL),
        (b"\x1b[47;5u", KeyCode::Char('7'), M::CONTROL),
        (b"\x1b[120;3u", KeyCode::Char('x'), M::ALT),
        (b"\x1b[57414u", KeyCode::Enter, M::NONE),
        (b"\x1b[57420;129u", KeyCode::Down, M::NONE),
        (b"\x1b[1;129A", KeyCode::Up, M::NONE),
        (b"\x1b[1;1:2A", KeyCode::Up, M::NONE),
        // Keys as xterm reports them if it is told to.
        (b"\x1b[27;5;99~", KeyCode::Char('c'), M::CONTROL),
        (b"\x1b[27;2;13~", KeyCode::Enter, M::NONE),
    ]
};

/// What answers, and what it knows.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Terminal {
    /// It was asked a moment ago.
    Asked,
    /// It answers.
    Legacy,
    Kitty,
    /// It was asked long ago and never answered.
    Silent,
}

/// A parser and the time on its clock.
struct Session {
    parser: InputParser,
    terminal: Terminal,
    now: Instant,
    messages: Vec<Msg>,
}

impl Session {
    fn start(terminal: Terminal) -> Session {
        let began = Instant::now();
        let mut parser = InputParser::new(ESCAPE_TIMEOUT, true, began);
        let answer: &[u8] = match terminal {
            Terminal::Asked | Terminal::Silent => b"",
            Terminal::Legacy => TYPE_REPORT,
            Terminal::Kitty => b"\x1b[?5u\x1b[?62c",
        };
        assert!(parser.feed(answer, began).is_empty());
        let now = if terminal == Terminal::Silent {
            began + 60 * PAUSE
        } else {
            began
        };
        parser.take_reports();
        Session {
            parser,
            terminal,
            now,
            messages: Vec::new(),
        }
    }

    fn wait(&mut self, pause: Duration) {
        self.now += pause;
        self.messages.extend(self.parser.expire(self.now));
    }

    fn read(mut self, bytes: &[u8]) -> Session {
        self.messages.extend(self.parser.feed(bytes, self.now));
        self
    }

    /// Reads pieces with a pause after each.
    fn read_apart(self, pieces: &[&[u8]]) -> Session {
        pieces
            .iter()
            .filter(|piece| !piece.is_empty())
            .fold(self, |session, piece| {
                let mut session = session.read(piece);
                session.wait(PAUSE);
                session
            })
    }

    /// All messages, once the terminal has answered what it was asked, and nothing more comes.
    fn end(mut self) -> Vec<Msg> {
        let is_asked = self
            .parser
            .take_reports()
            .contains(&TerminalReport::EscapeHeld);
        if is_asked && self.terminal != Terminal::Silent {
            self = self.read(TYPE_REPORT);
        }
        self.wait(4 * PAUSE);
        self.messages
    }
}

fn parse_all(bytes: &[u8]) -> Vec<Msg> {
    Session::start(Terminal::Silent).read(bytes).end()
}

fn plain_key(c: char) -> Msg {
    Msg::Key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE))
}

fn escape_key() -> Msg {
    Msg::Key(KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE))
}

/// Calls this with the bytes in one, two and three pieces, cut everywhere.
fn cut_everywhere(bytes: &[u8], mut check: impl FnMut(&[&[u8]])) {
    for first in 0..bytes.len() {
        for second in first..bytes.len() {
            check(&[&bytes[..first], &bytes[first..second], &bytes[second..]]);
        }
    }
}

#[test]
fn nothing_that_a_terminal_sends_becomes_a_key_in_any_pieces() {
    for report in REPORTS {
        let whole = parse_all(report);
        assert!(
            !whole
                .iter()
                .any(|msg| matches!(msg, Msg::Key(_) | Msg::Paste(_))),
            "{}: {whole:?}",
            report.escape_ascii()
        );
        for terminal in [Terminal::Asked, Terminal::Legacy, Terminal::Kitty] {
            cut_everywhere(report, |pieces| {
                let heard = Session::start(terminal).read_apart(pieces).end();
                assert_eq!(heard, whole, "{terminal:?} {:?}", pieces.map_escaped());
            });
        }
    }
}

#[test]
fn a_terminal_that_answers_nothing_types_at_most_an_escape() {
    for report in REPORTS.iter().filter(|report| report[0] == ESCAPE) {
        let whole = parse_all(report);
        cut_everywhere(report, |pieces| {
            let heard = Session::start(Terminal::Silent).read_apart(pieces).end();
            let lengths = pieces
                .iter()
                .map(|piece| piece.len())
                .filter(|length| *length > 0)
                .collect::<Vec<_>>();
            // Bytes that arrive one by one are what hands type, unless an answer to a query may
            // begin with them.
            let is_answer = matches!(report, [_, b'[' | b']', ..]) || !lengths.starts_with(&[1, 1]);
            if lengths[0] > 1 || is_answer && continues_sequence(&report[1..]) {
                let escape = (lengths[0] == 1).then(escape_key);
                assert_eq!(
                    heard,
                    escape.into_iter().chain(whole.clone()).collect::<Vec<_>>(),
                    "{:?}",
                    pieces.map_escaped()
                );
            }
        });
    }
}

#[test]
fn a_sequence_whose_rest_comes_after_the_answer_types_at_most_an_escape() {
    // Between the terminal and the console is another program, which answers for it.
    for report in REPORTS
        .iter()
        .filter(|report| report[0] == ESCAPE && continues_sequence(&report[1..]))
    {
        let heard = Session::start(Terminal::Legacy)
            .read_apart(&[b"\x1b", TYPE_REPORT, &report[1..], b"j"])
            .end();
        let whole = [escape_key()]
            .into_iter()
            .chain(parse_all(report))
            .chain([plain_key('j')]);
        assert_eq!(
            heard,
            whole.collect::<Vec<_>>(),
            "{}",
            report.escape_ascii()
        );
    }
}

#[test]
fn a_string_that_looks_like_the_rest_of_another_stays_a_string() {
    let mut session = Session::start(Terminal::Silent).read(b"\x1b");
    session.wait(PAUSE);
    let session = session.read_apart(&[b"\x1b]0;", b"[1m", b"[A e", b"\x07", b"j"]);
    assert_eq!(session.end(), [escape_key(), plain_key('j')]);
}

#[test]
fn a_sequence_without_an_end_ends_at_the_next() {
    for report in REPORTS {
        for length in 2..report.len() {
            let cut = &report[..length];
            // An escape byte in front of one is the key.
            if !cut.ends_with(b"\x1b") {
                let heard = Session::start(Terminal::Legacy)
                    .read_apart(&[cut, b"\x1b[A", b"j"])
                    .end();
                let up = Msg::Key(KeyEvent::from(KeyCode::Up));
                assert_eq!(
                    heard.split_last_chunk::<2>().unwrap().1,
                    &[up, plain_key('j')],
                    "{}",
                    cut.escape_ascii()
                );
                assert!(heard.len() == 2, "{}: {heard:?}", cut.escape_ascii());
            }
        }
    }
}

#[test]
fn a_key_of_several_bytes_is_one_key_in_any_pieces() {
    for (bytes, code, modifiers) in LONG_KEYS {
        for terminal in [Terminal::Asked, Terminal::Legacy, Terminal::Kitty] {
            cut_everywhere(bytes, |pieces| {
                let heard = Session::start(terminal).read_apart(pieces).end();
                assert_eq!(
                    heard,
                    [Msg::Key(KeyEvent::new(*code, *modifiers))],
                    "{terminal:?} {:?}",
                    pieces.map_escaped()
                );
            });
        }
    }
}

#[test]
fn no_piece_of_a_paste_becomes_a_key() {
    let bytes = "\x1b[200~eé\rq e\x1b[201~j".as_bytes();
    for terminal in [Terminal::Asked, Terminal::Legacy, Terminal::Kitty] {
        cut_everywhere(bytes, |pieces| {
            let heard = Session::start(terminal).read_apart(pieces).end();
            let (key, pastes) = heard.split_last().unwrap();
            assert_eq!(*key, plain_key('j'), "{:?}", pieces.map_escaped());
            let lengths = pastes.iter().map(|msg| match msg {
                Msg::Paste(text) => text.len(),
                other => panic!("{other:?} of {:?}", pieces.map_escaped()),
            });
            assert!(lengths.sum::<usize>() >= "eé\rq e".len(), "{heard:?}");
        });
    }
}

#[test]
fn each_key_sequence_is_parsed_as_its_key() {
    use KeyModifiers as M;
    let short: &[(&[u8], KeyCode, KeyModifiers)] = &[
        (b"j", KeyCode::Char('j'), M::NONE),
        (b"J", KeyCode::Char('J'), M::SHIFT),
        (b"\r", KeyCode::Enter, M::NONE),
        (b"\t", KeyCode::Tab, M::NONE),
        (b"\x7f", KeyCode::Backspace, M::NONE),
        (b"\x03", KeyCode::Char('c'), M::CONTROL),
        (b"\x1a", KeyCode::Char('z'), M::CONTROL),
        (b"\0", KeyCode::Char(' '), M::CONTROL),
        (b"\x1b", KeyCode::Esc, M::NONE),
        (b"\x1bx", KeyCode::Char('x'), M::ALT),
        ("\x1bé".as_bytes(), KeyCode::Char('é'), M::ALT),
    ];
    for (bytes, code, modifiers) in short.iter().chain(LONG_KEYS) {
        assert_eq!(
            parse_all(bytes),
            [Msg::Key(KeyEvent::new(*code, *modifiers))],
            "{}",
            bytes.escape_ascii()
        );
    }
}

#[test]
fn a_key_with_super_is_not_the_key_without_it() {
    assert_eq!(parse_all(b"\x1b[101;9u\x1b[1;9A"), []);
}

#[test]
fn the_escape_key_acts_at_once_where_the_terminal_reports_it() {
    let mut session = Session::start(Terminal::Kitty).read(b"\x1b[27u");
    assert_eq!(std::mem::take(&mut session.messages), [escape_key()]);
    // The same byte alone is never the key there.
    let mut session = session.read(b"\x1b");
    assert_eq!(
        (
            session.parser.timeout(session.now),
            session.parser.take_reports()
        ),
        (None, vec![])
    );
    session.wait(60 * PAUSE);
    assert_eq!(session.read(b"[I").end(), [Msg::Focused(true)]);
}

#[test]
fn the_keyboard_protocol_is_asked_for_where_it_is_off() {
    let mut session = Session::start(Terminal::Legacy).read(b"\x1b[?0u");
    assert_eq!(
        session.parser.take_reports(),
        [TerminalReport::KeyboardProtocolOff]
    );
    let mut session = session.read(b"\x1b[?5u\x1b");
    assert_eq!(session.parser.take_reports(), []);
    // Reattached to another terminal, the console is not left without an Escape key.
    session.wait(PAUSE);
    let mut session = session.read(b"\x1b");
    assert_eq!(session.parser.take_reports(), [TerminalReport::EscapeHeld]);
    assert_eq!(session.read(TYPE_REPORT).end(), [escape_key()]);
}

#[test]
fn the_escape_key_acts_as_soon_as_the_terminal_answers() {
    let mut session = Session::start(Terminal::Legacy).read(b"\x1b");
    assert_eq!(session.parser.take_reports(), [TerminalReport::EscapeHeld]);
    assert_eq!(session.messages, []);
    let session = session.read(&TYPE_REPORT[..1]);
    assert_eq!(session.messages, [escape_key()]);
    let mut session = session.read(&TYPE_REPORT[1..]);
    assert_eq!(session.parser.take_reports(), [TerminalReport::Answered]);
    // A held key asks again, but not before it is answered.
    let mut session = session.read(b"\x1b\x1b").read(b"\x1b");
    assert_eq!(session.parser.take_reports(), [TerminalReport::EscapeHeld]);
    session = session.read(TYPE_REPORT);
    assert_eq!(
        session.messages,
        [escape_key(), escape_key(), escape_key(), escape_key()]
    );
}

#[test]
fn without_an_answer_the_escape_key_acts_after_the_timeout() {
    let mut session = Session::start(Terminal::Silent).read(b"\x1b");
    assert_eq!(session.parser.timeout(session.now), Some(ESCAPE_TIMEOUT));
    session.wait(ESCAPE_TIMEOUT);
    assert_eq!(std::mem::take(&mut session.messages), [escape_key()]);
    // An answer that is late once is no longer waited for.
    let mut session = Session::start(Terminal::Legacy).read(b"\x1b");
    assert_eq!(session.parser.timeout(session.now), Some(ANSWER_TIMEOUT));
    session.wait(ANSWER_TIMEOUT);
    let session = session.read(b"\x1b");
    assert_eq!(session.messages, [escape_key()]);
    assert_eq!(session.parser.timeout(session.now), Some(ESCAPE_TIMEOUT));
}

#[test]
fn a_key_typed_after_escape_is_not_lost_while_the_answer_is_awaited() {
    let mut session = Session::start(Terminal::Legacy).read(b"\x1b");
    session.wait(Duration::from_millis(100));
    let session = session.read(b"j").read(TYPE_REPORT);
    assert_eq!(session.end(), [escape_key(), plain_key('j')]);
}

#[test]
fn brackets_typed_after_escape_are_keys() {
    for keys in ["]", "[", "]j", "[j", "P", "O", "_", "]]"] {
        for terminal in [Terminal::Legacy, Terminal::Silent] {
            let mut session = Session::start(terminal).read(b"\x1b");
            session.wait(3 * PAUSE);
            let session = keys.bytes().fold(session, |mut session, byte| {
                session.wait(Duration::from_millis(200));
                session.read(&[byte])
            });
            let expected = keys
                .chars()
                .map(|c| decode::key_for_char(c).map(Msg::Key).unwrap());
            let heard = session.end();
            assert_eq!(
                heard,
                [escape_key()]
                    .into_iter()
                    .chain(expected)
                    .collect::<Vec<_>>(),
                "{keys} {terminal:?}"
            );
        }
    }
}

#[test]
fn a_click_is_parsed_with_its_cell_and_the_wheel_as_scrolling() {
    let at = |kind| {
        Msg::Mouse(MouseEvent {
            kind,
            column: 9,
            row: 299,
            modifiers: KeyModifiers::NONE,
        })
    };
    assert_eq!(
        parse_all(b"\x1b[<0;10;300M"),
        [at(MouseEventKind::Down(MouseButton::Left))]
    );
    assert_eq!(
        parse_all(b"\x1b[<0;10;300m"),
        [at(MouseEventKind::Up(MouseButton::Left))]
    );
    assert_eq!(
        parse_all(b"\x1b[<65;10;300M"),
        [at(MouseEventKind::ScrollDown)]
    );
}

#[test]
fn a_paste_is_one_message_and_none_of_it_is_a_key() {
    assert_eq!(
        parse_all(b"a\x1b[200~d\rq\x1b[A\x1b[201~b"),
        [
            plain_key('a'),
            Msg::Paste("d\rq\x1b[A".into()),
            plain_key('b')
        ]
    );
    assert_eq!(
        parse_all(b"\x1b[200~\x1b[201~b"),
        [Msg::Paste(String::new()), plain_key('b')]
    );
}

#[test]
fn after_a_paste_without_an_end_escape_brings_the_keys_back() {
    for text in ["", "x"] {
        let paste = format!("\x1b[200~{text}");
        let session =
            Session::start(Terminal::Legacy).read_apart(&[paste.as_bytes(), b"e", b"\x1b", b"q"]);
        let pasted = session
            .messages
            .iter()
            .filter(|msg| matches!(msg, Msg::Paste(_)))
            .count();
        assert!(
            pasted > 0 && session.messages.len() == pasted + 1,
            "{:?}",
            session.messages
        );
        assert_eq!(session.messages.last(), Some(&plain_key('q')));
    }
}

#[test]
fn a_paste_beyond_the_limit_is_cut_and_the_rest_is_discarded() {
    let mut bytes = b"\x1b[200~".to_vec();
    bytes.extend(std::iter::repeat_n(b'd', 3 * MAX_PASTE_BYTES));
    bytes.extend_from_slice(b"\x1b[201~j");
    let heard = bytes
        .chunks(1000)
        .fold(Session::start(Terminal::Legacy), Session::read)
        .end();
    assert!(
        matches!(heard.as_slice(), [Msg::Paste(text), last] if text.len() == MAX_PASTE_BYTES + 1 && *last == plain_key('j')),
        "{}",
        heard.len()
    );
}

#[test]
fn a_long_sequence_is_discarded_and_types_nothing() {
    for (begin, filler, end) in [
        (&b"\x1b]0;"[..], b'd', &b"\x07"[..]),
        (b"\x1bP1", b'e', b"\x1b\\"),
        (b"\x1b[", b'1', b"m"),
    ] {
        let bytes = [begin, &vec![filler; 100_000], end, b"j"].concat();
        for chunk in [1, 1000, 4096] {
            let heard = bytes
                .chunks(chunk)
                .fold(Session::start(Terminal::Legacy), Session::read)
                .end();
            assert_eq!(heard, [plain_key('j')], "{begin:?} {chunk}");
        }
        let session = Session::start(Terminal::Legacy).read(&bytes[..50_000]);
        assert!(session.parser.bytes.capacity() <= 4 * MAX_KEPT_BYTES);
        // Without an end, Escape and Ctrl-c get through, and nothing is swallowed forever.
        assert_eq!(
            session.read_apart(&[b"\x1b", b"q"]).end().last(),
            Some(&plain_key('q'))
        );
        let session = Session::start(Terminal::Legacy)
            .read(&bytes[..50_000])
            .read(b"\x03");
        assert_eq!(
            session.end(),
            [Msg::Key(KeyEvent::new(
                KeyCode::Char('c'),
                KeyModifiers::CONTROL
            ))]
        );
        let endless = [begin, &vec![filler; MAX_SEQUENCE_BYTES], b"\r"].concat();
        let heard = Session::start(Terminal::Legacy).read(&endless).end();
        assert_eq!(
            heard.last(),
            Some(&Msg::Key(KeyEvent::from(KeyCode::Enter))),
            "{begin:?}"
        );
    }
}

#[test]
fn a_background_report_among_keys_leaves_the_keys_intact() {
    for (answer, is) in [
        ("\x1b]11;rgb:ffff/ffff/ffff\x1b\\", Background::Light),
        ("\x1b]11;rgb:fd/f6/e3\x07", Background::Light),
        ("\x1b]11;rgba:1e1e/1e1e/2e2e/ffff\x1b\\", Background::Dark),
        ("\x1b]11;rgb:0/0/0\x07", Background::Dark),
        ("\x1b]11;rgb:0000/2b2b/3636\x1b\\", Background::Dark),
    ] {
        let mut session =
            Session::start(Terminal::Asked).read(format!("j{answer}\x1b[?62;22cq").as_bytes());
        assert_eq!(
            session.messages,
            [plain_key('j'), Msg::Background(is), plain_key('q')],
            "{answer:?}"
        );
        assert_eq!(session.parser.take_reports(), [TerminalReport::Answered]);
    }
    assert_eq!(parse_all(b"\x1b]11;rgb:no/such/thing\x07"), []);
}

/// Pieces in a form that can be read.
trait MapEscaped {
    fn map_escaped(&self) -> Vec<String>;
}

impl MapEscaped for [&[u8]] {
    fn map_escaped(&self) -> Vec<String> {
        self.iter()
            .map(|piece| piece.escape_ascii().to_string())
            .collect()
    }
}

proptest! {
    #[test]
    fn any_bytes_are_survived_and_after_escape_the_next_key_is_heard(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let mut session = Session::start(Terminal::Silent).read(&bytes);
        session.wait(3 * PAUSE);
        session = session.read(b"\x1b");
        session.wait(3 * PAUSE);
        session = session.read(b"q");
        prop_assert_eq!(session.messages.last(), Some(&plain_key('q')));
    }

    #[test]
    fn keys_that_arrive_in_pieces_are_the_same_keys(cut in 0usize..40) {
        let bytes = "jé\x1b[1;5C\x1b[<0;10;3M\x1b[200~d東\x1b[201~\x1bOPq".as_bytes();
        let (first, second) = bytes.split_at(cut.min(bytes.len()));
        let heard = Session::start(Terminal::Legacy).read(first).read(second).end();
        prop_assert_eq!(heard, parse_all(bytes));
    }
}
