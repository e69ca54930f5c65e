//! What is written is in the journal before its first byte leaves, and the journal tells what became of it.

use std::path::Path;
use std::process::Command;

use crate::hostile::{Act, Hostile};
use serde_json::{Value, json};

const A: &str = "018f4d3a-0000-7000-8000-000000000001";
const B: &str = "018f4d3a-0000-7000-8000-000000000002";
const C: &str = "018f4d3a-0000-7000-8000-000000000003";
const STATS: &str = r#"{"new_count":142,"high_priority_new_count":17,"done_count":9,"type_counts":[]}"#;

fn gantry(home: &Path, socket: &Hostile, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gantry"));
    command.env_clear().env("HOME", home).env("GANTRY_TOKEN", "gk_canary").env("GANTRY_BASE_URL", &socket.base_url);
    command.env("GANTRY_WORKSPACE", "018f4d3a-0000-7000-8000-00000000000a").args(args);
    command
}

/// Who did what, and what came of it, the newest first.
fn log(home: &Path, socket: &Hostile) -> Vec<(String, String)> {
    let output = gantry(home, socket, &["log", "--json"]).output().unwrap();
    let rows: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    let word = |row: &Value, name: &str| row[name].as_str().unwrap().to_owned();
    rows.iter().map(|row| (word(row, "reason"), word(row, "progress"))).collect()
}

/// The newest line of the log: what came of the write, with how many records were changed and rejected.
fn newest(home: &Path, socket: &Hostile) -> Value {
    let output = gantry(home, socket, &["log", "--json"]).output().unwrap();
    let rows: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    json!([rows[0]["progress"], rows[0]["records"], rows[0]["changed"], rows[0]["rejected"], rows[0]["why"]])
}

fn handoff(home: &Path, socket: &Hostile) -> String {
    String::from_utf8(gantry(home, socket, &["handoff"]).output().unwrap().stdout).unwrap()
}

fn line(reason: &str, progress: &str) -> (String, String) {
    (reason.to_owned(), progress.to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_under_way_is_in_the_journal_and_after_a_kill_it_is_known_that_nobody_knows() {
    let home = tempfile::tempdir().unwrap();
    let socket = Hostile::start([Act::Hang]).await;
    let mut child = gantry(home.path(), &socket, &["queue", "triage", "done", A]).spawn().unwrap();
    socket.came(1).await;
    assert_eq!(log(home.path(), &socket), [line("queue triage", "sending")]);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(log(home.path(), &socket), [line("queue triage", "unknown")]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_log_and_the_handoff_tell_what_was_done_what_was_refused_and_what_is_left() {
    let home = tempfile::tempdir().unwrap();
    let refusal = Act::refusal(404, "", "not_found", "no such *signal*");
    let socket = Hostile::start([Act::json(r#"{"updated":1}"#), refusal, Act::json(STATS)]).await;
    for (verb, status) in [("done", 0), ("new", 1)] {
        let output = gantry(home.path(), &socket, &["queue", "triage", verb, A]).output().unwrap();
        assert_eq!(output.status.code(), Some(status), "{output:?}");
    }
    assert_eq!(log(home.path(), &socket), [line("queue triage", "refused"), line("queue triage", "done")]);
    let page = handoff(home.path(), &socket);
    let (done, rest) = page.split_once("## Refused").unwrap();
    assert!(done.contains("## Done") && done.contains(&format!("queue triage done: {A} (1 record)")), "{page}");
    assert!(rest.contains("no such \\*signal\\*") && rest.contains("- 142 new signals, 17 of them of high priority"), "{page}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_triage_that_changed_nothing_is_not_told_as_done() {
    let home = tempfile::tempdir().unwrap();
    let rows = Act::json(r#"{"signals":[],"pagination":{"limit":200,"offset":0,"total":0}}"#);
    let socket = Hostile::start([Act::json(r#"{"updated":0}"#), rows, Act::json(STATS)]).await;
    gantry(home.path(), &socket, &["queue", "triage", "done", A]).output().unwrap();
    assert_eq!(newest(home.path(), &socket), json!(["unchanged", 1, 0, null, null]));
    let page = handoff(home.path(), &socket);
    assert!(!page.contains("## Done") && page.contains("## Changed nothing\n\n- "), "{page}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_that_was_rejected_in_part_says_how_many_and_why() {
    let home = tempfile::tempdir().unwrap();
    let error = json!({"index": 1, "status": "error", "error": {"code": "not_found", "message": "No such account"}});
    let ok = |index: usize| json!({"index": index, "status": "ok"});
    let answer = |results: Value| Act::json(&json!({"data": {"results": results}, "metadata": {"credits": 0}}).to_string());
    let partly = answer(json!([ok(0), error, ok(2)]));
    let silent = answer(json!([ok(0)]));
    let socket = Hostile::start([partly, answer(json!([error, error])), silent, Act::json(STATS)]).await;
    let remove = |ids: &[&str]| {
        let args = [&["book", "accounts", "remove"], ids].concat();
        gantry(home.path(), &socket, &args).output().unwrap();
        newest(home.path(), &socket)
    };
    assert_eq!(remove(&[A, B, C]), json!(["partly done", 3, 2, 1, "No such account"]));
    assert_eq!(remove(&[A, B]), json!(["refused", 2, 0, 2, "No such account"]));
    assert_eq!(remove(&[A, B]), json!(["partly done", 2, 1, 0, null]));
    let page = handoff(home.path(), &socket);
    assert!(!page.contains("## Done"), "{page}");
    let (partly, refused) = page.split_once("## Refused").unwrap();
    assert!(
        partly.contains(&format!("book accounts remove: {A}, {B}, {C} (2 of 3 records, 1 rejected): No such account\n")),
        "{page}"
    );
    assert!(partly.contains(&format!("book accounts remove: {A}, {B} (1 of 2 records, 1 not known)\n")), "{page}");
    assert!(refused.contains(&format!("book accounts remove: {A}, {B} (2 records): No such account\n")), "{page}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_lines_of_verbs_name_their_records() {
    let home = tempfile::tempdir().unwrap();
    let ids: Vec<String> = (1..=5).map(|n| format!("018f4d3a-0000-7000-8000-{n:012}")).collect();
    let socket =
        Hostile::start([Act::json(r#"{"updated":5}"#), Act::json(r#"{"data":null,"metadata":{}}"#), Act::json(STATS)]).await;
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    gantry(home.path(), &socket, &[&["queue", "triage", "done"], &ids[..]].concat()).output().unwrap();
    gantry(home.path(), &socket, &["book", "accounts", "remove", C]).output().unwrap();
    let page = handoff(home.path(), &socket);
    assert!(page.contains(&format!("queue triage done: {A}, {B}, {C} and 2 more (5 records)\n")), "{page}");
    assert!(page.contains(&format!("book accounts remove: {C} (1 record)\n")), "{page}");
    let output = gantry(home.path(), &socket, &["log", "--json"]).output().unwrap();
    let rows: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    let about: Vec<&Value> = rows.iter().map(|row| &row["about"]).collect();
    assert_eq!(about, [&json!(C), &json!(format!("{A}, {B}, {C} and 2 more"))]);
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_sent_that_could_not_be_written_down() {
    let home = tempfile::tempdir().unwrap();
    let socket = Hostile::start([Act::json(r#"{"updated":1}"#)]).await;
    gantry(home.path(), &socket, &["queue", "triage", "done", A]).output().unwrap();
    let folder = home.path().join(".local/state/gantry");
    let name = |path: &Path| path.extension().is_some_and(|ending| ending == "db");
    let file = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).find(|path| name(path)).unwrap();
    // A disk that is full, as far as SQLite knows.
    let full = "CREATE TRIGGER full BEFORE INSERT ON sends BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END";
    rusqlite::Connection::open(file).unwrap().execute_batch(full).unwrap();
    let output = gantry(home.path(), &socket, &["queue", "triage", "done", A]).output().unwrap();
    assert_eq!((output.status.code(), socket.seen().len()), (Some(5), 1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("nothing was sent"), "{output:?}");
}
