//! `gantry book set` on records whose note the team has written already.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::pty::gantry_program;
use crate::spawned_service::SpawnedService;

/// A service, and the id of an account that is in its book with this note.
fn start_with_note(note: &str) -> (SpawnedService, String) {
    let served = SpawnedService::start(&["--projects", "20"]);
    let found = served.run("gantry data search accounts --limit 1 --json");
    let found: Value = serde_json::from_slice(&found.stdout).unwrap();
    let id = found[0]["id"].as_str().unwrap().to_owned();
    set(&served, &id, &format!("--add-note '{note}' --tag +austin"));
    assert_eq!(record(&served, &id)["notes"], note);
    (served, id)
}

/// What is printed to standard error.
fn set(served: &SpawnedService, id: &str, options: &str) -> String {
    let output = served.run(&format!("gantry book set accounts {id} {options}"));
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

fn record(served: &SpawnedService, id: &str) -> Value {
    let shown = served.run(&format!("gantry book show accounts {id} --json"));
    serde_json::from_slice(&shown.stdout).unwrap()
}

#[test]
fn a_note_of_the_team_that_is_replaced_is_printed_and_the_console_brings_it_back() {
    let (served, id) = start_with_note("Do not call before the permit is issued.");
    let said = set(&served, &id, "--notes 'called today' --status called");
    assert!(
        said.contains(
            "\"Do not call before the permit is issued.\"; --add-note adds to it instead"
        ),
        "{said}"
    );
    assert_eq!(record(&served, &id)["notes"], "called today");
    let console = gantry_program(&[]);
    let mut console = served
        .env
        .iter()
        .fold(console, |console, (name, value)| console.env(name, value))
        .start();
    console.wait_for("1 of ");
    let since = Instant::now();
    // The history is loaded a moment after the rows.
    while !console.text().contains("first, then undo") {
        assert!(since.elapsed() < Duration::from_secs(20));
        console.type_keys("z");
        console.wait_until_quiet();
    }
    console.type_keys("\r");
    console.wait_for("undone: annotation of ");
    let after = record(&served, &id);
    assert_eq!(after["notes"], "Do not call before the permit is issued.");
    assert_eq!(after["workspace_status"], Value::Null);
}

#[test]
fn a_line_is_added_to_a_note_which_stays() {
    let (served, id) = start_with_note("Ask for Ana");
    assert_eq!(set(&served, &id, "--notes 'Ask for Ana'"), "", "the same");
    assert_eq!(set(&served, &id, "--add-note 'back on Monday'"), "");
    let after = record(&served, &id);
    assert_eq!(after["notes"], "Ask for Ana\nback on Monday");
    assert_eq!(after["tags"], serde_json::json!(["austin"]));
}

#[test]
fn a_dry_run_and_a_domain_say_that_the_note_is_not_read() {
    let (served, id) = start_with_note("Ask for Ana");
    let said = set(&served, &id, "--notes x --dry-run");
    assert!(
        said.contains("--notes reads each record first, for 1 credit"),
        "{said}"
    );
    let refused = served.run("gantry book set accounts --domain a.example --add-note x");
    let said = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        said.contains("--add-note needs an id") && said.contains("gantry book search accounts"),
        "{said}"
    );
    assert_eq!(record(&served, &id)["notes"], "Ask for Ana");
    let replaced = served.run("gantry book set accounts --domain a.example --notes x");
    let said = String::from_utf8(replaced.stderr).unwrap();
    assert!(said.contains("is replaced unread"), "{said}");
}
