//! The tests of this program once more, on PostgreSQL: the same source, another engine.

use std::process::Command;

use crate::support::test_database::{postgres_server, temporary_cluster::temporary_cluster};

#[test]
#[allow(clippy::print_stderr, reason = "the test runner shows it")]
fn the_service_passes_all_of_these_tests_on_postgresql() {
    if postgres_server().is_some() {
        return; // they are running on it
    }
    let Some(url) = temporary_cluster() else {
        eprintln!("not run: PostgreSQL is not installed");
        return;
    };
    let again = Command::new(std::env::current_exe().unwrap())
        .args([
            "--skip",
            "the_service_passes_all_of_these_tests_on_postgresql",
            "--test-threads=8",
        ])
        .env("GANTRY_TEST_DATABASE", url)
        .output()
        .unwrap();
    let (told, errors) = (
        String::from_utf8_lossy(&again.stdout),
        String::from_utf8_lossy(&again.stderr),
    );
    assert!(again.status.success(), "{told}\n{errors}");
}
