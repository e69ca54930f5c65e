//! Whatever strangers write into filings, names and notes, the console shows it as text that cannot
//! control a terminal.

use crate::injecting_proxy::{InjectingProxy, is_harmless};
use crate::pty::{TerminalSession, gantry_program};
use crate::spawned_service::SpawnedService;

/// What the program itself never sends: sequences that only an untrusted text would contain.
const DANGEROUS_SEQUENCES: &[&str] = &[
    "\x1b]0;owned",
    "\x1b]52;c;aGk=",
    "\x1bP+q",
    "\u{9b}31m",
    "\u{9d}8",
];

/// `GANTRY_TEXTS=all` shows more than ten thousand texts on every screen; by default the queue and
/// two screens show some thousands.
#[test]
fn untrusted_texts_never_control_the_terminal() {
    let shows_all = std::env::var("GANTRY_TEXTS").is_ok_and(|texts| texts == "all");
    let served = SpawnedService::start(&[
        "--seed",
        "7",
        "--projects",
        "900",
        "--as-of",
        "2026-07-01T17:42:00Z",
    ]);
    let of = |name: &str| {
        served
            .env
            .iter()
            .find(|(known, _)| *known == name)
            .unwrap()
            .1
            .clone()
    };
    let spoiler = InjectingProxy::start(&of("GANTRY_BASE_URL"));
    let mut session = gantry_program(&[])
        .env("GANTRY_BASE_URL", &spoiler.base_url)
        .env("GANTRY_TOKEN", &of("GANTRY_TOKEN"))
        .env("GANTRY_WORKSPACE", &of("GANTRY_WORKSPACE"))
        .start();
    session.wait_for("1 of ");
    // The queue to its end and back, a detail with its payload, commands that copy and ask.
    for keys in [
        "G",
        "\x02\x02\x02",
        "\x02\x02\x02",
        "\x02\x02\x02",
        "\x02\x02\x02",
        "\x02\x02\x02",
        "gg\r",
        "]",
        "]",
        "]",
        "q",
        "T",
        "Tyj",
        "yn",
        "yi",
        "]",
        "[",
        "W",
        "\x1b",
    ] {
        press_and_settle(&mut session, keys);
    }
    let (screens, pages) = if shows_all {
        ("234567891", 5)
    } else {
        ("37", 1)
    };
    for screen in screens.chars() {
        for keys in [&screen.to_string(), "\r", "jj\r"]
            .into_iter()
            .chain(vec![">"; pages])
            .chain(["]", "?", "\x1b", "q"])
        {
            press_and_settle(&mut session, keys);
        }
    }
    session.resize(60, 20);
    press_and_settle(&mut session, "1jjj\r");
    session.type_keys("qqqqq\x03\x03");
    let all = session.all_output();
    let shown: String = all.split('\x1b').map(strip_style_sequence).collect();
    if let Some(c) = shown
        .chars()
        .find(|c| !matches!(c, '\r' | '\n' | '\x07') && !is_harmless(*c))
    {
        panic!("{c:?} reached the terminal");
    }
    for foreign in DANGEROUS_SEQUENCES {
        assert!(!all.contains(foreign), "{foreign:?} reached the terminal");
    }
    let expected = if shows_all { 10_000 } else { 2_000 };
    assert!(
        spoiler.injected_count() >= expected,
        "{} texts are too few",
        spoiler.injected_count()
    );
}

/// Types keys and waits for their requests.
fn press_and_settle(session: &mut TerminalSession, keys: &str) {
    session.type_keys(keys);
    session.wait_until_quiet();
}

/// What follows an escape byte sent by the program: `[..m` and the like.
fn strip_style_sequence(part: &str) -> &str {
    part.strip_prefix('[')
        .and_then(|rest| {
            rest.find(|c: char| c.is_ascii_alphabetic())
                .map(|at| &rest[at + 1..])
        })
        .unwrap_or(part)
}
