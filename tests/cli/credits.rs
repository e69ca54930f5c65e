//! The price of each request is recorded on this machine, whatever its result, and can be listed
//! and reconciled.

use std::path::Path;
use std::process::{Command, Output};

use crate::scripted_server::{ScriptedAction, ScriptedServer};
use crate::spawned_service::create_sample_file;
use serde_json::Value;

/// A separate home folder, and the address of a service or "".
struct IsolatedHome<'a>(&'a Path, &'a str);

impl IsolatedHome<'_> {
    fn run(&self, args: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gantry"));
        command
            .env_clear()
            .env("HOME", self.0)
            .env("GANTRY_TOKEN", "gk_canary")
            .args(args);
        if !self.1.is_empty() {
            command
                .env("GANTRY_BASE_URL", self.1)
                .env("GANTRY_WORKSPACE", "018f4d3a-0000-7000-8000-00000000000a");
        }
        command.output().unwrap()
    }

    fn json_rows(&self, args: &[&str]) -> Vec<Value> {
        serde_json::from_slice(&self.run(args).stdout).unwrap()
    }

    /// Route and price of each entry, newest first.
    fn ledger(&self) -> Vec<(String, Option<u64>)> {
        let line = |line: &Value| {
            (
                line["route"].as_str().unwrap().to_owned(),
                line["credits"].as_u64(),
            )
        };
        self.json_rows(&["credits", "ledger", "--json"])
            .iter()
            .map(line)
            .collect()
    }
}

fn stderr_text(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap()
}

#[test]
fn the_ledger_keeps_the_exact_cost_of_a_demo_search_after_the_demo_ends() {
    let home = tempfile::tempdir().unwrap();
    let desk = IsolatedHome(home.path(), "");
    let found = desk
        .json_rows(&["--demo", "book", "contacts", "search", "--all", "--json"])
        .len() as u64;
    assert!(found > 40);
    let ledger = desk.json_rows(&["--demo", "credits", "ledger", "--json"]);
    assert_eq!(
        ledger
            .iter()
            .map(|line| line["credits"].as_u64().unwrap())
            .sum::<u64>(),
        found
    );
    let line = &ledger[0];
    assert_eq!(
        (&line["route"], &line["reason"]),
        (
            &"POST /workspace/contacts/search".into(),
            &"book contacts search".into()
        )
    );
    assert_eq!(
        ledger
            .iter()
            .map(|line| line["rows"].as_u64().unwrap())
            .sum::<u64>(),
        found
    );
    assert!(
        ledger.iter().all(|other| other["op"] == line["op"]),
        "one operation"
    );
    let output = desk.run(&["--demo", "credits", "ledger"]);
    assert_eq!(
        stderr_text(&output),
        format!("gantry: sample data, which ends with this command\ngantry: {found} credits\n")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_prices_are_reconciled_with_the_meter_and_colleagues_spending_is_shown() {
    let home = tempfile::tempdir().unwrap();
    let meter = |used: u64| {
        ScriptedAction::json(&format!(
            r#"{{"data":{{"limit":250000,"used":{used}}},"metadata":{{"credits":0}}}}"#
        ))
    };
    let queue =
        ScriptedAction::json(r#"{"signals":[],"pagination":{"limit":50,"offset":0,"total":0}}"#);
    let socket =
        ScriptedServer::start([meter(40), queue.clone(), meter(40), queue, meter(53)]).await;
    let desk = IsolatedHome(home.path(), &socket.base_url);
    let line = |price| ("GET /signals/queue".to_owned(), price);

    desk.run(&["credits"]);
    desk.run(&["queue", "list"]);
    assert_eq!(
        desk.ledger(),
        [line(None)],
        "the service does not report the price"
    );
    let settled = desk.run(&["credits", "settle"]);
    assert_eq!(desk.ledger(), [line(Some(0))], "the meter did not move");
    assert_eq!(
        stderr_text(&settled),
        "gantry: 40 credits were spent by colleagues or by you elsewhere\n"
    );

    desk.run(&["queue", "list"]);
    let settled = desk.run(&["credits", "settle", "--json"]);
    assert!(
        stderr_text(&settled).ends_with("or by a request of unknown price\n"),
        "{}",
        stderr_text(&settled)
    );
    let record: Value = serde_json::from_slice(&settled.stdout).unwrap();
    let [used, booked, unknown, drift] =
        ["used", "booked", "unknown", "drift"].map(|name| record[name].as_i64().unwrap());
    assert_eq!((used, booked, unknown, drift), (53, 0, 1, 53));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rejected_read_costs_nothing_and_a_lost_response_has_an_unknown_price() {
    let home = tempfile::tempdir().unwrap();
    let lost = ScriptedAction::Respond(200, "content-type: application/json\r\n", b"{".to_vec());
    let socket = ScriptedServer::start([
        ScriptedAction::error_response(404, "", "not_found", "no such record"),
        lost,
    ])
    .await;
    let desk = IsolatedHome(home.path(), &socket.base_url);
    for status in [4, 5] {
        let output = desk.run(&[
            "data",
            "show",
            "projects",
            "018f4d3a-0000-7000-8000-000000000001",
        ]);
        assert_eq!(
            output.status.code(),
            Some(status),
            "{}",
            stderr_text(&output)
        );
    }
    let line = |price| ("GET /data/projects/{id}".to_owned(), price);
    assert_eq!(desk.ledger(), [line(None), line(Some(0))]);
}

#[test]
fn ledger_rows_and_meter_agree_after_reading_a_book_of_5000() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("desk.db");
    create_sample_file(&file, &["--projects", "40", "--book", "5000"]);
    let file = file.display().to_string();
    let at = |args: &[&'static str]| {
        let args: Vec<&str> = [&["--local", &file], args].concat();
        let output = IsolatedHome(home.path(), "").run(&args);
        assert_eq!(output.status.code(), Some(0), "{}", stderr_text(&output));
        String::from_utf8(output.stdout).unwrap()
    };
    let json = |text: String| serde_json::from_str::<Value>(&text).unwrap();
    let used = || json(at(&["credits", "--json"]))["used"].as_u64().unwrap();

    let before = used();
    let rows = json(at(&["book", "accounts", "search", "--all", "--json"]));
    let ids: std::collections::HashSet<_> = rows
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["id"].as_str().unwrap())
        .collect();
    assert_eq!((rows.as_array().unwrap().len(), ids.len()), (5_000, 5_000));
    assert_eq!(used() - before, 5_000);
    let ledger = json(at(&["credits", "ledger", "--json"]));
    let ledger = ledger.as_array().unwrap();
    assert_eq!(
        (
            ledger.len(),
            ledger
                .iter()
                .map(|line| line["credits"].as_u64().unwrap())
                .sum::<u64>()
        ),
        (50, 5_000)
    );
    assert_eq!(
        json(at(&["credits", "settle", "--json"]))["drift"],
        before,
        "what the sample team had spent before"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unwritable_ledger_is_reported_and_does_not_stop_the_verb() {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join(".local"), "no directory").unwrap();
    let output = IsolatedHome(home.path(), "").run(&[
        "--demo", "queue", "list", "--limit", "1", "--format", "jsonl",
    ]);
    assert_eq!(
        (
            output.status.code(),
            output.stdout.iter().filter(|byte| **byte == b'\n').count()
        ),
        (Some(0), 1)
    );
    assert!(
        stderr_text(&output).contains("not saved"),
        "{}",
        stderr_text(&output)
    );
}
