//! Whatever strangers write into filings, names and notes, the console shows it as text that cannot control a terminal.

use crate::injecting_proxy::{InjectingProxy, is_harmless};
use crate::pty::{TerminalSession, gantry_program};
use crate::spawned_service::SpawnedService;

/// What the program itself never sends: sequences that only an untrusted text would contain.
const DANGEROUS_SEQUENCES: &[&str] = &["\x1b]0;owned", "\x1b]52;c;aGk=", "\x1bP+q", "\u{9b}31m", "\u{9d}8"];

#[test]
fn ten_thousand_untrusted_texts_never_control_the_terminal() {
    let served = SpawnedService::start(&["--seed", "7", "--projects", "900", "--as-of", "2026-07-01T17:42:00Z"]);
    let of = |name: &str| served.env.iter().find(|(known, _)| *known == name).unwrap().1.clone();
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
    for screen in ["2", "3", "4", "5", "6", "7", "8", "9", "1"] {
        for keys in [screen, "\r", "jj\r", ">", ">", ">", ">", ">", "]", "?", "\x1b", "q"] {
            press_and_settle(&mut session, keys);
        }
    }
    session.resize(60, 20);
    press_and_settle(&mut session, "1jjj\r");
    session.type_keys("qqqqq\x03\x03");
    let all = session.all_output();
    let shown: String = all.split('\x1b').map(strip_style_sequence).collect();
    if let Some(c) = shown.chars().find(|c| !matches!(c, '\r' | '\n' | '\x07') && !is_harmless(*c)) {
        panic!("{c:?} reached the terminal");
    }
    for foreign in DANGEROUS_SEQUENCES {
        assert!(!all.contains(foreign), "{foreign:?} reached the terminal");
    }
    assert!(spoiler.injected_count() >= 10_000, "{} texts are too few", spoiler.injected_count());
}

/// Types keys and waits for their requests.
fn press_and_settle(session: &mut TerminalSession, keys: &str) {
    session.type_keys(keys);
    session.wait_until_quiet();
}

/// What follows an escape byte sent by the program: `[..m` and the like.
fn strip_style_sequence(part: &str) -> &str {
    part.strip_prefix('[').and_then(|rest| rest.find(|c: char| c.is_ascii_alphabetic()).map(|at| &rest[at + 1..])).unwrap_or(part)
}
