//! The console in a pseudo-terminal: how it starts, how it ends, and that the terminal is always
//! restored.

use std::io::Write as _;
use std::time::{Duration, Instant};

use crate::pty::{TerminalSession, gantry_program};

const FIRST_SCREEN: &str = "What do you want to open?";
const UNREACHABLE_ARGS: [&str; 4] = [
    "--base-url",
    "http://127.0.0.1:1/api/v1",
    "--workspace",
    "018f4d3a-0000-7000-8000-000000000001",
];

#[test]
fn quitting_the_first_screen_restores_the_terminal_and_exits_0() {
    let mut session = gantry_program(&[]).start();
    session.wait_for(FIRST_SCREEN);
    session.assert_terminal_taken_over();
    session.type_keys("\x1b");
    assert_eq!(session.wait_for_exit(), 0);
    session.assert_terminal_restored();
}

#[test]
fn a_light_background_is_detected_and_no_key_is_lost() {
    let mut session = gantry_program(&["--demo"]).start();
    session.wait_until("a question", |session| {
        session
            .all_output()
            .contains("\x1b[?u\x1b]11;?\x1b\\\x1b[c")
    });
    session.type_keys("?\x1b]11;rgb:ffff/ffff/ffff\x1b\\\x1b[?62;22c");
    session.wait_for("Help");
    // the first frame does not wait for the answer
    session.wait_until("colors for a light background", |session| {
        let of_light = |cell: &vt100::Cell| cell.fgcolor() == vt100::Color::Idx(242);
        let mut cells = (0..30).flat_map(|y| (0..100).map(move |x| (y, x)));
        cells.any(|(y, x)| session.screen().cell(y, x).is_some_and(of_light))
    });
    assert!(!session.text().contains("rgb:"), "{}", session.text());
    session.type_keys("\x1b");
    session.wait_until("the queue alone", |session| {
        !session.text().contains("Help")
    });
    session.type_keys("q");
    assert_eq!(session.wait_for_exit(), 0);
    session.assert_terminal_restored();
}

#[test]
fn an_answer_of_the_terminal_that_arrives_in_pieces_is_never_typed() {
    let mut session = gantry_program(&["--demo"]).start().wait_for_text("1 of ");
    session.wait_until_quiet();
    // The rest of the screen changes by itself: signals arrive, and the header has the time.
    let place_and_done = |text: String| {
        let line = |sign: &str| {
            text.lines()
                .find(|line| line.contains(sign))
                .unwrap_or_default()
                .to_owned()
        };
        let word = |line: String, before: &str| {
            line.split(before)
                .nth(1)
                .and_then(|rest| rest.split(' ').next().map(str::to_owned))
        };
        (word(line(" of "), "New "), word(line("Done "), "Done "))
    };
    // the counts arrive by themselves, and on a busy machine after the rows
    session.wait_until("the counts", |session| {
        let (place, done) = place_and_done(session.text());
        place.is_some() && done.is_some()
    });
    let before = place_and_done(session.text());
    for answer in [
        "\x1b]11;rgb:1111/1111/1111\x1b\\",
        "\x1b[?62;22c",
        "\x1bP>|term(e)\x1b\\",
    ] {
        for end in [2, answer.len() - 1] {
            session.type_keys(&answer[..end]);
            session.wait_until_quiet();
            session.type_keys(&answer[end..]);
            session.wait_until_quiet();
        }
    }
    assert_eq!(place_and_done(session.text()), before, "{}", session.text());
    session.type_keys("q");
    assert_eq!(session.wait_for_exit(), 0);
}

/// A console in a terminal with the kitty keyboard protocol, which is switched on.
fn start_with_keyboard_protocol() -> TerminalSession {
    let mut session = gantry_program(&[]).start().wait_for_text(FIRST_SCREEN);
    session.type_keys("\x1b[?0u\x1b[?62c");
    session.wait_until("the protocol", |session| {
        session.all_output().contains("\x1b[>5u\x1b[?u\x1b[c")
    });
    session.type_keys("\x1b[?5u\x1b[?62c");
    session
}

#[test]
fn the_keyboard_protocol_is_used_where_it_is_known_and_switched_off_at_the_end() {
    let mut session = start_with_keyboard_protocol();
    session.type_keys("\x1b[106;1:1u\x1b[13u");
    session.wait_for("gantry.db");
    session.type_keys("\x1b[27u");
    session.wait_until("the choices", |session| {
        !session.text().contains("gantry.db")
    });
    session.type_keys("\x1b[27u");
    assert_eq!(session.wait_for_exit(), 0);
    session.assert_terminal_restored();

    for (signal, status) in [
        (rustix::process::Signal::TERM, 143),
        (rustix::process::Signal::ABORT, 134),
    ] {
        let mut session = start_with_keyboard_protocol();
        session.send_signal(signal);
        assert_eq!(session.wait_for_exit(), status);
        session.assert_terminal_restored();
    }

    let mut session = start_with_keyboard_protocol();
    session.send_signal(rustix::process::Signal::TSTP);
    session.wait_stopped();
    session.wait_until("the terminal as found", |session| {
        !session.screen().alternate_screen()
    });
    session.assert_terminal_restored();
    session.send_signal(rustix::process::Signal::CONT);
    session.wait_for(FIRST_SCREEN);
    session.wait_until("the protocol", |session| {
        session.all_output().matches("\x1b[>5u").count() == 2
    });
    session.type_keys("\x1b[27u");
    assert_eq!(session.wait_for_exit(), 0);
    session.assert_terminal_restored();
}

#[test]
fn the_background_is_not_queried_without_colours() {
    let mut session = gantry_program(&["--demo"])
        .env("NO_COLOR", "1")
        .start()
        .wait_for_text("NEW");
    assert!(!session.all_output().contains("\x1b]11"));
    session.type_keys("q");
    assert_eq!(session.wait_for_exit(), 0);
}

#[test]
fn a_unix_signal_exits_with_its_status_and_restores_the_terminal() {
    for (signal, name, status) in [
        (rustix::process::Signal::TERM, "SIGTERM", 143),
        (rustix::process::Signal::HUP, "SIGHUP", 129),
        (rustix::process::Signal::INT, "SIGINT", 130),
        (rustix::process::Signal::QUIT, "SIGQUIT", 131),
    ] {
        let mut session = gantry_program(&[]).start();
        session.wait_for(FIRST_SCREEN);
        session.send_signal(signal);
        assert_eq!(session.wait_for_exit(), status, "{name}");
        session.assert_terminal_restored();
        assert!(
            session.text().contains(&format!("gantry ended by {name}")),
            "{name}: {}",
            session.text()
        );
    }
}

#[test]
fn a_unix_signal_ends_a_console_with_a_blocked_terminal() {
    for (signal, status) in [
        (rustix::process::Signal::TERM, 143),
        (rustix::process::Signal::HUP, 129),
        (rustix::process::Signal::INT, 130),
        (rustix::process::Signal::QUIT, 131),
    ] {
        let mut session = gantry_program(&["--demo"]).start();
        session.wait_for("1 of ");
        session.fill_until_blocked();
        session.send_signal(signal);
        assert_eq!(session.wait_for_exit_unread(), status, "{signal:?}");
    }
}

#[test]
fn an_abort_restores_the_terminal() {
    let mut session = gantry_program(&[]).start().wait_for_text(FIRST_SCREEN);
    session.send_signal(rustix::process::Signal::ABORT);
    assert_eq!(session.wait_for_exit(), 134);
    session.assert_terminal_restored();
    assert!(
        session.text().contains("gantry was aborted (SIGABRT)"),
        "{}",
        session.text()
    );
    let mut session =
        TerminalSession::start_ignored_test("terminal::the_console_that_runs_out_of_memory");
    assert_eq!(session.wait_for_exit(), 134);
    session.assert_terminal_restored();
}

#[test]
#[ignore = "runs in the pseudo-terminal of the test above"]
fn the_console_that_runs_out_of_memory() {
    let _terminal = gantry::runtime::terminal::Terminal::enter(true).unwrap();
    let all: Vec<u8> = Vec::with_capacity(isize::MAX as usize);
    drop(std::hint::black_box(all));
}

#[test]
fn a_file_size_limit_does_not_end_the_console() {
    let mut session = gantry_program(&[]).start().wait_for_text(FIRST_SCREEN);
    session.send_signal(rustix::process::Signal::XFSZ);
    session.resize(90, 30);
    session.type_keys("\x1b");
    assert_eq!(session.wait_for_exit(), 0);
    session.assert_terminal_restored();
}

#[test]
fn a_panic_restores_the_terminal_and_prints_its_location_but_no_data() {
    let mut session = TerminalSession::start_ignored_test("terminal::the_console_that_breaks");
    assert_eq!(session.wait_for_exit(), 101);
    session.assert_terminal_restored();
    let text = session.text();
    assert!(
        text.contains("crashed at tests/console/terminal.rs:"),
        "{text}"
    );
    assert!(!text.contains("Harbor Yard"), "{text}");
}

#[test]
#[ignore = "runs in the pseudo-terminal of the test above"]
fn the_console_that_breaks() {
    gantry::runtime::terminal::install_panic_hook();
    let _terminal = gantry::runtime::terminal::Terminal::enter(true).unwrap();
    let unwinding = std::panic::catch_unwind(|| panic!("a message with Harbor Yard in it"));
    assert!(unwinding.is_err());
    // The test runner catches panics; a program does not survive its own.
    std::process::exit(101);
}

#[test]
fn closing_the_terminal_ends_the_console() {
    let session = gantry_program(&[]).start();
    let mut session = session.wait_for_text(FIRST_SCREEN);
    let began = Instant::now();
    session.close_terminal();
    assert_eq!(session.wait_for_exit(), 129);
    assert!(
        began.elapsed() < Duration::from_secs(10),
        "{:?}",
        began.elapsed()
    );
}

#[test]
fn a_console_ends_when_its_session_leader_ignores_hangup() {
    let room = tempfile::tempdir().unwrap();
    let told = room.path().join("status");
    let script = format!(
        "trap '' HUP; '{}'; echo $? > '{}'",
        env!("CARGO_BIN_EXE_gantry"),
        told.display()
    );
    let mut session = TerminalSession::start_program("/bin/sh", &["-c", &script], &[])
        .wait_for_text(FIRST_SCREEN);
    let began = Instant::now();
    session.close_terminal();
    session.wait_for_exit();
    assert!(
        began.elapsed() < Duration::from_secs(10),
        "{:?}",
        began.elapsed()
    );
    assert_eq!(std::fs::read_to_string(told).unwrap().trim(), "129");
}

#[test]
fn every_window_size_is_drawn_and_resizing_back_restores_the_picture() {
    let mut session = gantry_program(&[]).start();
    session.wait_for(FIRST_SCREEN);
    let before = session.text();
    for (columns, rows) in [(1, 1), (2, 1), (1, 50), (300, 2), (40, 8)] {
        session.resize(columns, rows);
    }
    session.resize(100, 30);
    session.wait_until("the old picture", |session| session.text() == before);
    session.type_keys("\x1b");
    assert_eq!(session.wait_for_exit(), 0);
    session.assert_terminal_restored();
}

#[test]
fn a_suspended_console_releases_the_terminal_and_redraws_on_resume() {
    let mut session = gantry_program(&[]).start();
    session.wait_for(FIRST_SCREEN);
    session.send_signal(rustix::process::Signal::TSTP);
    session.wait_stopped();
    session.wait_until("the terminal as found", |session| {
        !session.screen().alternate_screen()
    });
    session.assert_terminal_restored();
    session.send_signal(rustix::process::Signal::CONT);
    session.wait_for(FIRST_SCREEN);
    assert!(session.screen().alternate_screen());
    session.type_keys("\x1b");
    assert_eq!(session.wait_for_exit(), 0);
    session.assert_terminal_restored();
}

#[test]
fn an_unreachable_address_is_retried_until_quit_with_status_5() {
    let mut session = gantry_program(&UNREACHABLE_ARGS)
        .env("GANTRY_TOKEN", "gk_canary")
        .start();
    session.wait_for("R retries");
    session.type_keys("R");
    session.wait_for("cannot reach 127.0.0.1");
    session.type_keys("q");
    assert_eq!(session.wait_for_exit(), 5);
    session.assert_terminal_restored();
    let text = session.text();
    assert!(
        text.trim().starts_with("gantry: cannot reach 127.0.0.1"),
        "{text}"
    );
    assert!(!session.all_output().contains("canary"));
}

#[test]
fn a_rejected_token_exits_with_one_line_and_status_3() {
    let address = start_fixed_response_server(
        "HTTP/1.1 401 Unauthorized",
        r#"{"error":{"code":"unauthorized","message":"no such token"}}"#,
    );
    let mut session = gantry_program(&[
        "--base-url",
        &address,
        UNREACHABLE_ARGS[2],
        UNREACHABLE_ARGS[3],
    ])
    .env("GANTRY_TOKEN", "gk_canary")
    .start();
    assert_eq!(session.wait_for_exit(), 3);
    session.assert_terminal_restored();
    assert!(
        session.text().contains("no such token"),
        "{}",
        session.text()
    );
}

#[test]
fn without_a_terminal_the_console_names_the_alternatives() {
    let mut session = gantry_program(&[]).env("TERM", "dumb").start();
    assert_eq!(session.wait_for_exit(), 2);
    assert!(
        session.text().contains("gantry queue list"),
        "{}",
        session.text()
    );
    let piped = std::process::Command::new(env!("CARGO_BIN_EXE_gantry"))
        .output()
        .unwrap();
    assert_eq!(piped.status.code(), Some(2));
    assert!(
        piped.stdout.is_empty()
            && String::from_utf8_lossy(&piped.stderr).contains("needs a terminal")
    );
}

#[test]
fn the_selection_is_visible_without_colour() {
    let mut session = gantry_program(&[]).env("NO_COLOR", "1").start();
    session.wait_for(FIRST_SCREEN);
    session.type_keys("\x1b");
    session.wait_for_exit();
    let all = session.all_output();
    let styles = all
        .split("\x1b[")
        .filter_map(|rest| rest.split_once('m').map(|(style, _)| style));
    let codes = styles
        .flat_map(|style| style.split(';'))
        .filter_map(|code| code.parse::<u16>().ok());
    assert_eq!(
        codes
            .filter(|code| matches!(code, 30..=49 | 90..=107))
            .count(),
        0,
        "a color was sent"
    );
    assert!(
        all.contains("\x1b[1m") || all.contains("\x1b[7m"),
        "neither bold nor reverse was sent"
    );
}

/// The memory of a process in KiB.
#[cfg(target_os = "linux")]
fn memory_kib(id: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmRSS"))
        .unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn a_blocked_terminal_uses_no_memory_and_gets_the_latest_frame() {
    let mut session = gantry_program(&["--demo"]).start();
    session.wait_for("1 of ");
    session.pause_reading();
    let before = memory_kib(session.process_id());
    let began = Instant::now();
    while began.elapsed() < Duration::from_secs(4) {
        // Each requires a complete redraw, and nobody reads it.
        session.send_signal(rustix::process::Signal::WINCH);
        session.send_signal(rustix::process::Signal::CONT);
        std::thread::yield_now();
    }
    let grown = memory_kib(session.process_id()).saturating_sub(before);
    assert!(grown < 6 * 1024, "{grown} KiB");
    session.type_keys("?");
    session.resume_reading();
    session.wait_for("Help");
    session.type_keys("\x03\x03");
    session.wait_for_exit();
}

#[test]
fn the_demo_shows_rows_and_quitting_restores_the_terminal() {
    let mut session = gantry_program(&["--demo"]).start();
    session.wait_for("1 of ");
    session.type_keys("q");
    assert_eq!(session.wait_for_exit(), 0);
    session.assert_terminal_restored();
}

/// The address of a service that gives every request the same answer.
fn start_fixed_response_server(status: &'static str, body: &'static str) -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/api/v1", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            std::thread::spawn(move || {
                let head = format!(
                    "{status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                    body.len()
                );
                let mut byte = [0; 4096];
                let _ = std::io::Read::read(&mut stream, &mut byte);
                let _ = stream.write_all(format!("{head}{body}").as_bytes());
            });
        }
    });
    address
}
