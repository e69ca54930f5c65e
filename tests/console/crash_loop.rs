//! The console is killed again and again during triage and annotation: nothing that it began is
//! lost, and nothing unintended is done.
//!
//! `GANTRY_KILLS` sets the number of kills (12 by default).

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::pty::{TerminalSession, gantry_program};
use crate::spawned_service::SpawnedService;

#[test]
fn every_action_is_completed_as_intended_despite_repeated_kills() {
    let kills: usize = std::env::var("GANTRY_KILLS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(12);
    let served = SpawnedService::start(&["--projects", &(60 + kills * 2).to_string()]);
    let done_before = row_ids(&served, "gantry queue list --status done --all --json");
    for kill in 0..kills {
        let mut console = start_console(&served);
        let known = write_log(&served).len();
        if kill % 3 == 2 {
            open_annotation_form(&mut console);
            console.type_keys(&format!("status-{kill}\x13\x13"));
        } else {
            console.type_keys(["e", "ee", "  e", "eee"][kill % 4]);
        }
        // Every third kill waits until something was begun, however slow the machine is.
        if kill % 3 == 1 {
            // A row that an earlier write took away after it was marked is asked about.
            console.wait_until("a write or a question", |console| {
                console.text().contains("yes, mark") || write_log(&served).len() > known
            });
            if console.text().contains("yes, mark") {
                console.type_keys("y\r");
                console.wait_until("a write", |_| write_log(&served).len() > known);
            }
        }
        // From before the first byte to after the response.
        let moment = Duration::from_millis(u64::try_from(kill * 7 % 80).unwrap());
        let began = Instant::now();
        console.wait_until("its moment", |_| began.elapsed() >= moment);
        console.send_signal(rustix::process::Signal::KILL);
        assert_eq!(console.wait_for_exit(), 137);
    }
    let mut console = start_console(&served);
    let began = Instant::now();
    console.wait_until("an end of all acts", |_| {
        let open = unconfirmed_writes(&write_log(&served));
        assert!(
            began.elapsed() < Duration::from_secs(50),
            "never done: {open:#?} of {:#?}",
            write_log(&served)
        );
        open.is_empty()
    });
    console.type_keys("qq");
    console.wait_for_exit();

    let log = write_log(&served);
    let meant = confirmed_writes(&log);
    assert!(
        meant.len() >= kills / 3,
        "{} writes in {kills} kills: too little was begun",
        meant.len()
    );
    let marked: BTreeSet<String> = row_ids(&served, "gantry queue list --status done --all --json")
        .difference(&done_before)
        .cloned()
        .collect();
    let triaged: BTreeSet<String> = meant
        .iter()
        .filter(|(_, status)| *status == "done")
        .map(|(id, _)| id.clone())
        .collect();
    assert_eq!(
        marked, triaged,
        "the service has exactly what was triaged here"
    );
    let book = verb_json(&served, "gantry book projects search --all --json");
    for (id, status) in meant
        .iter()
        .filter(|(_, status)| status.starts_with("status-"))
    {
        let row = book
            .iter()
            .find(|row| row["id"] == **id)
            .unwrap_or_else(|| panic!("{id} is not in the book"));
        assert_eq!(row["workspace_status"], **status);
    }
}

fn start_console(served: &SpawnedService) -> TerminalSession {
    let known = served.env.iter().filter(|(name, _)| *name != "PATH");
    let mut console = known
        .fold(gantry_program(&[]), |program, (name, value)| {
            program.env(name, value)
        })
        .start();
    // Saved rows from the last start wait for the service before they are triaged.
    let is_read = |line: &str| line.contains("New 1 of ") && !line.contains(" as of ");
    console.wait_until("the queue as it is", |console| {
        console.text().lines().any(is_read)
    });
    console
}

/// Opens the form, repeatedly: it does not open while an interrupted write is under way.
fn open_annotation_form(console: &mut TerminalSession) {
    for tries in 0.. {
        if console.text().contains("Annotate") {
            return;
        }
        assert!(tries < 30, "no form on\n{}", console.text());
        console.type_keys("as");
        console.wait_until_quiet();
    }
}

fn verb_json(served: &SpawnedService, line: &str) -> Vec<Value> {
    serde_json::from_slice(&served.run(line).stdout).unwrap()
}

fn row_ids(served: &SpawnedService, line: &str) -> BTreeSet<String> {
    verb_json(served, line)
        .iter()
        .map(|row| row["id"].as_str().unwrap().to_owned())
        .collect()
}

/// The writes, newest first.
fn write_log(served: &SpawnedService) -> Vec<Value> {
    verb_json(served, "gantry log --json")
}

/// What the log knows to be done: each item and its latest result.
fn confirmed_writes(log: &[Value]) -> BTreeMap<String, String> {
    log.iter()
        .rev()
        .filter(|sent| sent["progress"] == "done")
        .flat_map(|sent| body_changes(&sent["body"]))
        .collect()
}

/// Items that were begun and are not known to be done, and writes whose result the log does not
/// know.
fn unconfirmed_writes(log: &[Value]) -> Vec<(String, String)> {
    let known = |part: &(String, String)| {
        log.iter()
            .any(|sent| sent["progress"] == "done" && body_changes(&sent["body"]).contains(part))
    };
    log.iter()
        .flat_map(|sent| body_changes(&sent["body"]))
        .filter(|part| !known(part))
        .collect()
}

/// Each item of a request and its new state: `done`, or a status in the book.
fn body_changes(body: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    match body["signal_ids"].as_array() {
        Some(ids) => ids
            .iter()
            .map(|id| (text(id), text(&body["status"])))
            .collect(),
        None => {
            let inputs = body["inputs"]
                .as_array()
                .cloned()
                .unwrap_or_else(|| vec![body.clone()]);
            let id = |input: &Value| {
                ["id", "project_id"]
                    .iter()
                    .find_map(|name| Some(input.get(name)?.as_str()?.to_owned()))
                    .unwrap()
            };
            inputs
                .iter()
                .map(|input| (id(input), text(&input["workspace_status"])))
                .collect()
        }
    }
}
