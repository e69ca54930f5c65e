//! Every write is journaled before it is sent, and its result afterwards.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::scripted_server::{ScriptedAction, ScriptedServer};
use crate::spawned_service::create_sample_file;
use serde_json::{Value, json};

const SIGNAL_ID: &str = "018f4d3a-0000-7000-8000-000000000001";
const SECOND_SIGNAL_ID: &str = "018f4d3a-0000-7000-8000-000000000002";
const THIRD_SIGNAL_ID: &str = "018f4d3a-0000-7000-8000-000000000003";
const STATS_JSON: &str =
    r#"{"new_count":142,"high_priority_new_count":17,"done_count":9,"type_counts":[]}"#;

fn gantry_command(home: &Path, socket: &ScriptedServer, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gantry"));
    command
        .env_clear()
        .env("HOME", home)
        .env("GANTRY_TOKEN", "gk_canary")
        .env("GANTRY_BASE_URL", &socket.base_url);
    command
        .env("GANTRY_WORKSPACE", "018f4d3a-0000-7000-8000-00000000000a")
        .args(args);
    command
}

/// Reason and result of each write, newest first.
fn log_entries(home: &Path, socket: &ScriptedServer) -> Vec<(String, String)> {
    let output = gantry_command(home, socket, &["log", "--json"])
        .output()
        .unwrap();
    let rows: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    let word = |row: &Value, name: &str| row[name].as_str().unwrap().to_owned();
    rows.iter()
        .map(|row| (word(row, "reason"), word(row, "progress")))
        .collect()
}

/// The newest row of the log: the result of the write, with the numbers of records changed and
/// rejected.
fn newest_log_entry(home: &Path, socket: &ScriptedServer) -> Value {
    let output = gantry_command(home, socket, &["log", "--json"])
        .output()
        .unwrap();
    let rows: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    json!([
        rows[0]["progress"],
        rows[0]["records"],
        rows[0]["changed"],
        rows[0]["rejected"],
        rows[0]["why"]
    ])
}

fn handoff_text(home: &Path, socket: &ScriptedServer) -> String {
    String::from_utf8(
        gantry_command(home, socket, &["handoff"])
            .output()
            .unwrap()
            .stdout,
    )
    .unwrap()
}

fn log_entry(reason: &str, progress: &str) -> (String, String) {
    (reason.to_owned(), progress.to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_in_flight_is_journaled_and_unknown_after_a_kill() {
    let home = tempfile::tempdir().unwrap();
    let socket = ScriptedServer::start([ScriptedAction::Hang]).await;
    let mut child = gantry_command(
        home.path(),
        &socket,
        &["queue", "triage", "done", SIGNAL_ID],
    )
    .spawn()
    .unwrap();
    socket.wait_for_requests(1).await;
    assert_eq!(
        log_entries(home.path(), &socket),
        [log_entry("queue triage", "sending")]
    );
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(
        log_entries(home.path(), &socket),
        [log_entry("queue triage", "unknown")]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn log_and_handoff_show_what_was_done_rejected_and_left() {
    let home = tempfile::tempdir().unwrap();
    let rejection = ScriptedAction::error_response(404, "", "not_found", "no such *signal*");
    let socket = ScriptedServer::start([
        ScriptedAction::json(r#"{"updated":1}"#),
        rejection,
        ScriptedAction::json(STATS_JSON),
    ])
    .await;
    for (verb, status) in [("done", 0), ("new", 1)] {
        let output = gantry_command(home.path(), &socket, &["queue", "triage", verb, SIGNAL_ID])
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(status), "{output:?}");
    }
    assert_eq!(
        log_entries(home.path(), &socket),
        [
            log_entry("queue triage", "refused"),
            log_entry("queue triage", "done")
        ]
    );
    let table = gantry_command(home.path(), &socket, &["log"])
        .output()
        .unwrap();
    let table = String::from_utf8(table.stdout).unwrap();
    assert!(
        table.contains("1 item, done") && !table.contains(SIGNAL_ID) && !table.contains("POST /"),
        "{table}"
    );
    let page = handoff_text(home.path(), &socket);
    let (done, rest) = page.split_once("## Rejected").unwrap();
    assert!(
        done.contains("## Done") && done.contains("marked done (1)\n"),
        "{page}"
    );
    assert!(
        rest.contains("no such \\*signal\\*")
            && rest.contains("- 142 new signals, 17 of them high priority"),
        "{page}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_triage_that_changed_nothing_is_not_reported_as_done() {
    let home = tempfile::tempdir().unwrap();
    let rows =
        ScriptedAction::json(r#"{"signals":[],"pagination":{"limit":200,"offset":0,"total":0}}"#);
    let socket = ScriptedServer::start([
        ScriptedAction::json(r#"{"updated":0}"#),
        rows,
        ScriptedAction::json(STATS_JSON),
    ])
    .await;
    gantry_command(
        home.path(),
        &socket,
        &["queue", "triage", "done", SIGNAL_ID],
    )
    .output()
    .unwrap();
    assert_eq!(
        newest_log_entry(home.path(), &socket),
        json!(["unchanged", 1, 0, null, null])
    );
    let page = handoff_text(home.path(), &socket);
    assert!(
        !page.contains("## Done") && page.contains("## Unchanged\n\n- "),
        "{page}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_partly_rejected_batch_reports_how_many_and_why() {
    let home = tempfile::tempdir().unwrap();
    let error = json!({"index": 1, "status": "error", "error": {"code": "not_found", "message": "No such account"}});
    let ok = |index: usize| json!({"index": index, "status": "ok"});
    let answer = |results: Value| {
        ScriptedAction::json(
            &json!({"data": {"results": results}, "metadata": {"credits": 0}}).to_string(),
        )
    };
    let partly = answer(json!([ok(0), error, ok(2)]));
    let silent = answer(json!([ok(0)]));
    let socket = ScriptedServer::start([
        partly,
        answer(json!([error, error])),
        silent,
        ScriptedAction::json(STATS_JSON),
    ])
    .await;
    let remove = |ids: &[&str]| {
        let mut command = gantry_command(
            home.path(),
            &socket,
            &["book", "accounts", "remove", "--stdin"],
        );
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        child
            .stdin
            .take()
            .unwrap()
            .write_all(ids.join("\n").as_bytes())
            .unwrap();
        child.wait().unwrap();
        newest_log_entry(home.path(), &socket)
    };
    assert_eq!(
        remove(&[SIGNAL_ID, SECOND_SIGNAL_ID, THIRD_SIGNAL_ID]),
        json!(["partly done", 3, 2, 1, "No such account"])
    );
    assert_eq!(
        remove(&[SIGNAL_ID, SECOND_SIGNAL_ID]),
        json!(["refused", 2, 0, 2, "No such account"])
    );
    assert_eq!(
        remove(&[SIGNAL_ID, SECOND_SIGNAL_ID]),
        json!(["partly done", 2, 1, 0, null])
    );
    let page = handoff_text(home.path(), &socket);
    assert!(!page.contains("## Done"), "{page}");
    let (partly, rejected) = page.split_once("## Rejected").unwrap();
    assert!(
        partly.contains("removal from the book (2 of 3, 1 rejected): No such account\n"),
        "{page}"
    );
    assert!(
        partly.contains("removal from the book (1 of 2, 1 unknown)\n"),
        "{page}"
    );
    assert!(
        rejected.contains("removal from the book (2): No such account\n"),
        "{page}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn log_lines_name_their_records() {
    let home = tempfile::tempdir().unwrap();
    let ids: Vec<String> = (1..=5)
        .map(|n| format!("018f4d3a-0000-7000-8000-{n:012}"))
        .collect();
    let socket = ScriptedServer::start([
        ScriptedAction::json(r#"{"updated":5}"#),
        ScriptedAction::json(r#"{"data":null,"metadata":{}}"#),
        ScriptedAction::json(STATS_JSON),
    ])
    .await;
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    gantry_command(
        home.path(),
        &socket,
        &[&["queue", "triage", "done"], &ids[..]].concat(),
    )
    .output()
    .unwrap();
    gantry_command(
        home.path(),
        &socket,
        &["book", "accounts", "remove", THIRD_SIGNAL_ID],
    )
    .output()
    .unwrap();
    let page = handoff_text(home.path(), &socket);
    assert!(
        page.contains("marked done (5)\n") && !page.contains(ids[0]),
        "{page}"
    );
    assert!(page.contains("removal from the book (1)\n"), "{page}");
    let output = gantry_command(home.path(), &socket, &["log", "--json"])
        .output()
        .unwrap();
    let rows: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    let about: Vec<&Value> = rows.iter().map(|row| &row["about"]).collect();
    assert_eq!(
        about,
        [
            &json!(THIRD_SIGNAL_ID),
            &json!(format!(
                "{SIGNAL_ID}, {SECOND_SIGNAL_ID}, {THIRD_SIGNAL_ID} and 2 more"
            ))
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn no_write_is_sent_unless_it_can_be_journaled() {
    let home = tempfile::tempdir().unwrap();
    let socket = ScriptedServer::start([ScriptedAction::json(r#"{"updated":1}"#)]).await;
    gantry_command(
        home.path(),
        &socket,
        &["queue", "triage", "done", SIGNAL_ID],
    )
    .output()
    .unwrap();
    let folder = home.path().join(".local/state/gantry");
    let name = |path: &Path| path.extension().is_some_and(|ending| ending == "db");
    let file = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| name(path))
        .unwrap();
    // Simulates a full disk.
    let full = "CREATE TRIGGER full BEFORE INSERT ON sends BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END";
    rusqlite::Connection::open(file)
        .unwrap()
        .execute_batch(full)
        .unwrap();
    let output = gantry_command(
        home.path(),
        &socket,
        &["queue", "triage", "done", SIGNAL_ID],
    )
    .output()
    .unwrap();
    assert_eq!(
        (output.status.code(), socket.requests().len()),
        (Some(1), 1)
    );
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("not sent: "),
        "{output:?}"
    );
}

#[test]
fn log_ledger_and_handoff_show_the_time_of_a_clock_that_starts_in_the_past() {
    let home = crate::join::Home::new();
    let file = home.0.path().join("desk.db");
    create_sample_file(
        &file,
        &["--projects", "60", "--as-of", "2026-03-02T09:30:00Z"],
    );
    let file = file.display();
    let run = |line: &str| {
        home.ok(
            &format!("--local {file} --as-of 2026-03-02T09:30:00Z {line}"),
            "",
        )
    };
    let signals: Value =
        serde_json::from_str(&run("queue list --status new --limit 2 --json")).unwrap();
    run(&format!(
        "queue triage done {}",
        signals[0]["id"].as_str().unwrap()
    ));
    let log: Value = serde_json::from_str(&run("log --json")).unwrap();
    assert!(
        log[0]["at"].as_str().unwrap().starts_with("2026-03-02T09:"),
        "{log}"
    );
    let page = run("handoff --plain --since 09:00");
    assert!(
        page.contains("Since 2 March 2026, 09:00") && page.contains(" marked done: "),
        "{page}"
    );
    assert_eq!(run("log --since 2026-03-03 --json"), "[]\n");
    run("book accounts search --limit 1");
    let ledger: Value = serde_json::from_str(&run("credits ledger --since 09:00 --json")).unwrap();
    let paid = ledger
        .as_array()
        .unwrap()
        .iter()
        .find(|entry| entry["credits"] == 1)
        .unwrap();
    assert!(
        paid["at"].as_str().unwrap().starts_with("2026-03-02T09:"),
        "{ledger}"
    );
    let late = home.failed(
        &format!("--local {file} --as-of 2026-03-02T09:30:00Z --quiet handoff --since 23:00"),
        "",
        2,
    );
    assert_eq!(late, "\"23:00\" is in the future");
}
