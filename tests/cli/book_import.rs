//! `gantry book import` and rows piped from one command to another, over HTTP.

use serde_json::Value;

use crate::golden::SHELL_HELPERS;
use crate::route_coverage::start_recorded_service;
use crate::scripted_server::ScriptedServer;
use crate::spawned_service::SpawnedService;

fn run(served: &SpawnedService, line: &str) -> (String, String, i32) {
    let output = served.run(&format!("{SHELL_HELPERS}{line}"));
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (
        text(output.stdout),
        text(output.stderr),
        output.status.code().unwrap(),
    )
}

fn json(served: &SpawnedService, line: &str) -> Vec<Value> {
    let (text, error, _) = run(served, &format!("{line} --json"));
    serde_json::from_str(&text).unwrap_or_else(|_| panic!("{line}: {text} {error}"))
}

fn lines(socket: &ScriptedServer) -> Vec<String> {
    socket
        .requests()
        .into_iter()
        .map(|seen| seen.line)
        .filter(|line| !line.is_empty())
        .collect()
}

/// The names of some accounts, one per line, with a header.
fn names(served: &SpawnedService, count: usize) -> String {
    let rows = json(
        served,
        &format!("gantry data search accounts --sort name --limit {count}"),
    );
    rows.iter()
        .map(|row| row["name"].as_str().unwrap())
        .fold("Company\\n".to_owned(), |text, name| {
            format!("{text}\"{name}\"\\n")
        })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dry_run_shows_columns_and_price_and_requests_nothing() {
    let (served, socket) = start_recorded_service(&["--seed", "7", "--projects", "60"]).await;
    let before = lines(&socket).len();
    let (columns, price, status) = run(
        &served,
        "printf 'Firm;Web Site;Ort\\nCalder;www.calder.example;Austin\\nVolt;;\\n' | gantry book import - --dry-run --format csv",
    );
    assert_eq!(
        (columns.as_str(), status),
        (
            "column,heading,role,samples\n1,Firm,name,Calder; Volt\n2,Web Site,domain,www.calder.example\n3,Ort,not used,Austin\n",
            0
        )
    );
    assert_eq!(
        price,
        "gantry: 2 lines of accounts (UTF-8): at most 3 searches and 10 credits; nothing was requested\n"
    );
    let (_, error, status) = run(
        &served,
        "printf 'Firm\\nCalder\\n' | gantry book import - --max-credits 4",
    );
    assert!(
        status == 2 && error.contains("more than the 4 of --max-credits"),
        "{error}"
    );
    assert_eq!(lines(&socket).len(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn exact_names_cost_a_credit_each_and_are_saved_in_one_request() {
    let (served, socket) = start_recorded_service(&["--seed", "7", "--projects", "60"]).await;
    let list = names(&served, 12);
    let before = lines(&socket).len();
    let rows = json(&served, &format!("printf '{list}' | gantry book import -"));
    assert_eq!(rows.len(), 12);
    assert!(
        rows.iter()
            .all(|row| row["result"] == "saved" && row["match"] == "same"),
        "{rows:?}"
    );
    let sent = lines(&socket).split_off(before);
    let count = |path: &str| sent.iter().filter(|line| line.contains(path)).count();
    assert_eq!(
        (
            count("/data/accounts/search"),
            count("/workspace/accounts/upsert/batch"),
            sent.len()
        ),
        (1, 1, 2),
        "{sent:?}"
    );
    let book = json(&served, "gantry book accounts search --all");
    for row in &rows {
        assert!(book.iter().any(|saved| saved["id"] == row["id"]), "{row}");
    }
    let (_, note, status) = run(
        &served,
        &format!("printf '{list}' | gantry book import - --no-save"),
    );
    assert!(
        status == 0 && note.contains("12 found; 12 credits"),
        "{note}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn uncertain_lines_are_reported_with_their_candidates_and_not_saved() {
    let (served, _) = start_recorded_service(&["--seed", "7", "--projects", "60"]).await;
    let rows = json(&served, "gantry data search accounts --sort name --limit 2");
    let (name, domain) = (
        rows[0]["name"].as_str().unwrap(),
        rows[1]["domains"][0].as_str().unwrap(),
    );
    let misspelled = name.replacen(|c: char| c.is_lowercase(), "", 1);
    let list = format!("Company,Domain\\n\"{misspelled}\",\\n,{domain}\\nZzyzx Qqq,\\nGroup,\\n");
    let (_, note, status) = run(&served, &format!("printf '{list}' | gantry book import - "));
    assert!(status == 1 && note.contains("were not saved"), "{note}");
    let rows = json(&served, &format!("printf '{list}' | gantry book import -"));
    let results: Vec<&str> = rows
        .iter()
        .map(|row| row["result"].as_str().unwrap())
        .collect();
    assert_eq!(results[1..], ["saved", "none", "several"], "{rows:?}");
    assert!(["similar", "several"].contains(&results[0]), "{rows:?}");
    assert!(
        rows[3]["candidates"].as_array().unwrap().len() > 1,
        "{rows:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_fills_a_view_that_is_created_once() {
    let (served, _) = start_recorded_service(&["--seed", "7", "--projects", "60"]).await;
    let list = names(&served, 5);
    for _ in 0..2 {
        let (_, note, status) = run(
            &served,
            &format!("printf '{list}' | gantry book import - --to-view 'Trade fair'"),
        );
        assert!(status == 0 && note.contains("5 saved"), "{note}");
    }
    let views = json(&served, "gantry views list");
    let named: Vec<&Value> = views
        .iter()
        .filter(|view| view["name"] == "Trade fair")
        .collect();
    assert_eq!(named.len(), 1, "{views:?}");
    let members = json(
        &served,
        &format!("gantry views search {}", named[0]["id"].as_str().unwrap()),
    );
    assert_eq!(members.len(), 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_not_a_list_is_a_usage_error() {
    let (served, _) = start_recorded_service(&["--seed", "7", "--projects", "60"]).await;
    for (line, expected) in [
        (
            "gantry book import /nowhere.csv",
            "cannot read /nowhere.csv",
        ),
        (
            "printf 'Company\\n' | gantry book import -",
            "the file has no rows",
        ),
        (
            "printf 'Firm\\nx\\n' | gantry book import - --column Nope=name",
            "there is no column \"Nope\"; the file has Firm",
        ),
        (
            "printf 'Firm\\nx\\n' | gantry book import - --column Firm=nme",
            "write HEADING=name, domain",
        ),
    ] {
        let (_, error, status) = run(&served, line);
        assert!(
            status == 2 && error.contains(expected),
            "{line}: {status} {error}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_of_a_search_are_saved_by_the_next_command() {
    let (served, _) = start_recorded_service(&["--seed", "7", "--projects", "60"]).await;
    for format in ["--json", "--format jsonl", "--format csv"] {
        let line = format!(
            "gantry data search accounts --sort name --limit 3 {format} | gantry book accounts set --stdin --status from-{} --json",
            format.rsplit([' ', '-']).next().unwrap()
        );
        let (text, error, status) = run(&served, &line);
        let results: Vec<Value> =
            serde_json::from_str(&text).unwrap_or_else(|_| panic!("{line}: {text} {error}"));
        assert!(
            status == 0 && results.len() == 3 && results.iter().all(|item| item["status"] == "ok"),
            "{line}: {text} {error}"
        );
    }
    let (text, error, status) = run(
        &served,
        "gantry data search signals --limit 4 --json | gantry book projects set --stdin --tags from-signals --json",
    );
    let results: Vec<Value> =
        serde_json::from_str(&text).unwrap_or_else(|_| panic!("{text} {error}"));
    assert!(
        status == 0 && !results.is_empty() && results.iter().all(|item| item["status"] == "ok"),
        "{text} {error}"
    );
}
