//! Exports from the console, in a pseudo-terminal and over real HTTP.

use std::time::Duration;

use crate::pty::{TerminalSession, gantry_program};
use crate::spawned_service::SpawnedService;

/// The peak memory of a program in KiB.
fn peak_memory_kib(session: &TerminalSession) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", session.process_id())).unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM"))
        .unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
fn exporting_20000_rows_writes_a_private_file_in_constant_memory() {
    use std::os::unix::fs::PermissionsExt as _;
    let served = SpawnedService::start(&["--projects", "40", "--book", "20000"]);
    let path = served.home.path().join("firms.csv");
    let mut console = served
        .env
        .iter()
        .fold(gantry_program(&[]), |program, (name, value)| {
            program.env(name, value)
        })
        .start();
    console.wait_for("as of");
    console.type_keys("3");
    console.wait_for("Enter reads the first 50 rows");
    console.type_keys("\r");
    console.wait_for("50 of 1,000+");
    let before = peak_memory_kib(&console);
    console.type_keys("X");
    console.wait_for("all rows, more than 1,000, as CSV");
    console.type_keys("jj\r");
    console.wait_for("file book-accounts-");
    console.type_keys(&format!("\x15{}\r", path.display()));
    console.wait_within(Duration::from_secs(240), "the whole file", |console| {
        console.text().contains("20,000 rows, 19,950 cr")
    });
    let grown = peak_memory_kib(&console) - before;
    assert!(
        grown < 12 * 1024,
        "{grown} KiB more than with the fifty rows on the screen"
    );
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(
        text.len() > 2_000_000,
        "rows that would have been seen in the memory: {} bytes",
        text.len()
    );
    let ids: std::collections::BTreeSet<&str> = text
        .lines()
        .skip(1)
        .filter_map(|line| line.get(..36))
        .collect();
    assert_eq!(
        (text.lines().count(), ids.len()),
        (20_001, 20_000),
        "each row once, under a header"
    );
    assert_eq!(
        std::fs::metadata(&path).unwrap().permissions().mode() & 0o777,
        0o600
    );
}
