//! Whatever strangers write into filings, names and notes, the console shows it as text that no terminal can be steered with.

use crate::pty::{Session, gantry};
use crate::served::Served;
use crate::strangers_texts::{Spoiler, is_harmless};

/// What the program itself never sends: what only a stranger's text would begin with.
const FOREIGN: &[&str] = &["\x1b]0;owned", "\x1b]52;c;aGk=", "\x1bP+q", "\u{9b}31m", "\u{9d}8"];

#[test]
fn ten_thousand_texts_of_strangers_steer_no_terminal() {
    let served = Served::start(&["--seed", "7", "--projects", "900", "--as-of", "2026-07-01T17:42:00Z"]);
    let of = |name: &str| served.env.iter().find(|(known, _)| *known == name).unwrap().1.clone();
    let spoiler = Spoiler::to(&of("GANTRY_BASE_URL"));
    let mut session = gantry(&[])
        .env("GANTRY_BASE_URL", &spoiler.base_url)
        .env("GANTRY_TOKEN", &of("GANTRY_TOKEN"))
        .env("GANTRY_WORKSPACE", &of("GANTRY_WORKSPACE"))
        .start();
    session.wait_for("1 of ");
    // The queue to its end and back, a detail with its payload, what copies and asks why.
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
        step(&mut session, keys);
    }
    for screen in ["2", "3", "4", "5", "6", "7", "8", "9", "1"] {
        for keys in [screen, "\r", "jj\r", ">", ">", ">", ">", ">", "]", "?", "\x1b", "q"] {
            step(&mut session, keys);
        }
    }
    session.resize(60, 20);
    step(&mut session, "1jjj\r");
    session.type_keys("qqqqq\x03\x03");
    let all = session.all();
    let shown: String = all.split('\x1b').map(after_sequence).collect();
    if let Some(c) = shown.chars().find(|c| !matches!(c, '\r' | '\n' | '\x07') && !is_harmless(*c)) {
        panic!("{c:?} reached the terminal");
    }
    for foreign in FOREIGN {
        assert!(!all.contains(foreign), "{foreign:?} reached the terminal");
    }
    assert!(spoiler.texts() >= 10_000, "{} texts are too few", spoiler.texts());
}

/// Keys, and a while for what they ask for.
fn step(session: &mut Session, keys: &str) {
    session.type_keys(keys);
    session.settle();
}

/// What follows a sequence of the program: `[..m` and the like.
fn after_sequence(part: &str) -> &str {
    part.strip_prefix('[').and_then(|rest| rest.find(|c: char| c.is_ascii_alphabetic()).map(|at| &rest[at + 1..])).unwrap_or(part)
}
