//! The built program as a script uses it: standard output, standard error and the exit status.

use std::process::{Command, Output, Stdio};

use crate::scripted_server::{ScriptedAction, ScriptedServer};

const WORKSPACE_ID: &str = "018f4d3a-0000-7000-8000-00000000000a";
const SIGNAL_ID: &str = "018f4d3a-0000-7000-8000-000000000001";
const OTHER_SIGNAL_ID: &str = "018f4d3a-0000-7000-8000-000000000002";

/// The program with a clean environment.
fn gantry_command(base_url: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gantry"));
    command
        .env_clear()
        .env("HOME", crate::home())
        .env("GANTRY_TOKEN", "gk_canary")
        .stdin(Stdio::null());
    if !base_url.is_empty() {
        command
            .env("GANTRY_BASE_URL", base_url)
            .env("GANTRY_WORKSPACE", WORKSPACE_ID);
    }
    command
}

fn run_verb(base_url: &str, args: &[&str]) -> Output {
    gantry_command(base_url).args(args).output().unwrap()
}

fn utf8_text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// A queue of two signals, the second with hostile text and an unknown field.
fn queue_response() -> ScriptedAction {
    ScriptedAction::json(&format!(
        r#"{{"signals":[
            {{"id":"{SIGNAL_ID}","signal_type":"permit_filed","priority":"high","triage_status":"new","filed_at":"2026-07-02T09:00:00Z",
              "reported_cost_usd":41200000,"project_name":"Harbor Yard Lofts","project_primary_address":"12 Harbor Street"}},
            {{"tomorrow":{{"b":1,"a":2}},"id":"{OTHER_SIGNAL_ID}","signal_type":"orbital_permit","priority":"low","triage_status":"done",
              "project_name":"=HYPERLINK(\"x\")","project_primary_address":"a\u001b[2J\u202eb, \"c\""}}],
          "pagination":{{"limit":50,"offset":0,"total":2}}}}"#
    ))
}

#[tokio::test(flavor = "multi_thread")]
async fn signals_that_leave_the_queue_soon_are_listed_soonest_first_with_exit_status_1() {
    let filed = |days: i64| (chrono::Utc::now() - chrono::Duration::days(90 - days)).to_rfc3339();
    let row = |id: &str, days: i64| {
        format!(
            r#"{{"id":"{id}","triage_status":"new","filed_at":"{}"}}"#,
            filed(days)
        )
    };
    let (five, three, far) = (
        row(SIGNAL_ID, 5),
        row(OTHER_SIGNAL_ID, 3),
        row(WORKSPACE_ID, 30),
    );
    let page = format!(
        r#"{{"signals":[{far},{five},{three}],"pagination":{{"limit":200,"offset":0,"total":3}}}}"#
    );
    let socket = ScriptedServer::start([ScriptedAction::json(&page)]).await;
    let output = run_verb(
        &socket.base_url,
        &["queue", "list", "--aging", "7d", "--format", "csv"],
    );
    let text = utf8_text(&output.stdout);
    let ids: Vec<&str> = text
        .lines()
        .skip(1)
        .filter_map(|line| line.split(',').next())
        .collect();
    assert_eq!(
        (output.status.code(), ids),
        (Some(1), vec![OTHER_SIGNAL_ID, SIGNAL_ID]),
        "{text}"
    );
    assert_eq!(
        utf8_text(&output.stderr),
        "gantry: 2 signals leave the queue within 7 days\n"
    );
    let socket = ScriptedServer::start([ScriptedAction::json(&page)]).await;
    let limited = [
        "queue", "list", "--aging", "7d", "--limit", "1", "--format", "csv",
    ];
    let output = run_verb(&socket.base_url, &limited);
    assert!(utf8_text(&output.stdout).contains(OTHER_SIGNAL_ID));
    assert!(!utf8_text(&output.stdout).contains(&format!("\n{SIGNAL_ID}")));
    assert_eq!(
        utf8_text(&output.stderr),
        "gantry: 1 of 2 signals that leave the queue within 7 days\n"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_has_columns_and_untrusted_text_cannot_control_the_terminal() {
    let socket = ScriptedServer::start([queue_response()]).await;
    let output = run_verb(&socket.base_url, &["queue", "list"]);
    assert_eq!(
        utf8_text(&output.stdout),
        "\
ID                                    STATUS  PRIORITY  TYPE            FILED         COST  PROJECT            ADDRESS
018f4d3a-0000-7000-8000-000000000001  new     high      permit_filed    2026-07-02  $41.2M  Harbor Yard Lofts  12 Harbor Street
018f4d3a-0000-7000-8000-000000000002  done    low       orbital_permit  -                -  =HYPERLINK(\"x\")    a␛[2J\u{fffd}b, \"c\"
"
    );
    assert_eq!(
        (utf8_text(&output.stderr).as_str(), output.status.code()),
        ("", Some(0))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn json_keeps_the_services_names_and_order() {
    let socket = ScriptedServer::start([queue_response()]).await;
    let output = run_verb(&socket.base_url, &["queue", "list", "--format", "jsonl"]);
    let lines = utf8_text(&output.stdout);
    assert_eq!(
        lines.lines().nth(1).unwrap(),
        format!(
            r#"{{"tomorrow":{{"b":1,"a":2}},"id":"{OTHER_SIGNAL_ID}","signal_type":"orbital_permit","priority":"low","triage_status":"done","project_name":"=HYPERLINK(\"x\")","project_primary_address":"a\u001b[2J\u202eb, \"c\""}}"#
        )
    );
    for args in [
        ["queue", "list", "--json"],
        ["--format=json", "queue", "list"],
    ] {
        let rows: serde_json::Value =
            serde_json::from_slice(&run_verb(&socket.base_url, &args).stdout).unwrap();
        assert_eq!(
            (rows[0]["id"].as_str(), rows[1]["tomorrow"]["b"].as_u64()),
            (Some(SIGNAL_ID), Some(1))
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn csv_uses_the_api_field_names_and_contains_no_formula() {
    let socket = ScriptedServer::start([queue_response()]).await;
    let output =
        utf8_text(&run_verb(&socket.base_url, &["queue", "list", "--format", "csv"]).stdout);
    let lines: Vec<_> = output.lines().collect();
    assert_eq!(
        lines,
        [
            "id,triage_status,priority,signal_type,filed_at,reported_cost_usd,project_name,project_primary_address,project_id,\
             discovered_at,reported_gross_floor_area_sf,source_slug,source_display_name,source_filing_id,source_url,triaged_by,triaged_at",
            &format!(
                "{SIGNAL_ID},new,high,permit_filed,2026-07-02T09:00:00Z,41200000,Harbor Yard Lofts,12 Harbor Street,,,,,,,,,"
            ),
            &format!(
                "{OTHER_SIGNAL_ID},done,low,orbital_permit,,,\"'=HYPERLINK(\"\"x\"\")\",\"a␛[2J\u{fffd}b, \"\"c\"\"\",,,,,,,,,"
            ),
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_empty_list_is_valid_in_every_format() {
    let nothing =
        || ScriptedAction::json(r#"{"signals":[],"pagination":{"limit":50,"offset":0,"total":0}}"#);
    let socket = ScriptedServer::start([nothing()]).await;
    for (format, expected) in [("table", ""), ("json", "[]\n"), ("jsonl", "")] {
        let output = run_verb(&socket.base_url, &["queue", "list", "--format", format]);
        assert_eq!(
            (
                utf8_text(&output.stdout).as_str(),
                utf8_text(&output.stderr).as_str()
            ),
            (expected, "gantry: nothing matches\n")
        );
    }
    assert!(
        utf8_text(&run_verb(&socket.base_url, &["queue", "list", "--format", "csv"]).stdout)
            .starts_with("id,triage_status,")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_reads_pages_up_to_its_limit_and_reports_what_is_left() {
    let page = |from: u32, rows: u32| {
        let rows: Vec<_> = (from..from + rows)
            .map(|n| serde_json::json!({"id": format!("018f4d3a-0000-7000-8000-{n:012}")}))
            .collect();
        ScriptedAction::json(
            &serde_json::json!({"signals": rows, "pagination": {"limit": 200, "offset": from, "total": 1000}}).to_string(),
        )
    };
    // The first row of the second page is a repeat: a colleague's triage moved the list.
    let socket = ScriptedServer::start([page(0, 200), page(199, 50)]).await;
    let output = run_verb(
        &socket.base_url,
        &[
            "queue", "list", "--limit", "250", "--format", "jsonl", "--status", "new", "--status",
            "done",
        ],
    );
    assert_eq!(utf8_text(&output.stdout).lines().count(), 249);
    let lines: Vec<_> = socket
        .requests()
        .into_iter()
        .map(|seen| seen.line)
        .collect();
    assert!(
        lines[0].contains("status=new&status=done&limit=200&offset=0"),
        "{lines:?}"
    );
    assert!(lines[1].contains("limit=50&offset=200"), "{lines:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_exit_status_tells_the_kind_of_error_and_the_message_is_one_line() {
    for (action, status, words) in [
        (
            ScriptedAction::error_response(401, "", "unauthorized", "Unknown token"),
            3,
            "rejected the token: Unknown token",
        ),
        (
            ScriptedAction::error_response(403, "", "forbidden", "The Pro plan is required"),
            3,
            "not allowed: The Pro plan is required",
        ),
        (
            ScriptedAction::error_response(404, "", "not_found", "No such signal"),
            4,
            "not found: No such signal",
        ),
        (
            ScriptedAction::error_response(400, "", "bad_request", "No"),
            1,
            "rejected: No",
        ),
        (
            ScriptedAction::Respond(200, "", b"<html>".to_vec()),
            5,
            "a web page answered instead",
        ),
        (
            ScriptedAction::error_response(500, "", "internal", "Oh"),
            5,
            "has a server error (500): Oh",
        ),
    ] {
        let socket = ScriptedServer::start([action]).await;
        let output = run_verb(&socket.base_url, &["signals", "show", SIGNAL_ID]);
        let message = utf8_text(&output.stderr);
        assert_eq!(
            (
                output.status.code(),
                message.lines().count(),
                output.stdout.len()
            ),
            (Some(status), 1, 0),
            "{message}"
        );
        assert!(
            message.starts_with(&format!("gantry: cannot show the signal {SIGNAL_ID}: "))
                && message.contains(words),
            "{message}"
        );
        assert!(!message.contains("canary"));
    }
}

#[test]
fn an_unreachable_service_error_says_what_to_do() {
    for (args, env, status, words) in [
        (vec!["queue", "list"], vec![], 3, "not signed in"),
        (
            vec![
                "queue",
                "list",
                "--base-url",
                "http://signals.example/api/v1",
            ],
            vec![],
            2,
            "use https://signals.example",
        ),
        (
            vec!["queue", "list"],
            vec![("GANTRY_BASE_URL", "http://127.0.0.1:1/api/v1")],
            5,
            "cannot reach 127.0.0.1:1: connection refused",
        ),
        (
            vec!["queue", "list", "--profile", "desk"],
            vec![],
            2,
            "unknown profile desk",
        ),
        (
            vec![
                "queue",
                "list",
                "--token-file",
                "/nowhere/token",
                "--base-url",
                "https://a.example",
            ],
            vec![],
            2,
            "cannot read the token file",
        ),
        (
            vec!["queue", "triage", "done", "nonsense"],
            vec![("GANTRY_BASE_URL", "http://127.0.0.1:1")],
            5,
            "cannot find the workspace",
        ),
        (vec!["queue", "triage", "done"], vec![], 2, "required"),
        (
            vec!["queue", "list", "--status", "maybe"],
            vec![],
            2,
            "possible values",
        ),
        (
            vec!["queue", "list", "--token", "gk_1"],
            vec![],
            2,
            "unexpected argument",
        ),
    ] {
        let mut command = gantry_command("");
        command.args(&args).envs(env.iter().copied());
        let output = command.output().unwrap();
        let message = utf8_text(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{args:?}: {message}");
        assert!(message.contains(words), "{args:?}: {message}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn triage_reads_ids_from_stdin_and_names_invalid_lines() {
    let queue = format!(r#"{{"signals":[{{"id":"{SIGNAL_ID}"}}],"pagination":{{"total":1}}}}"#);
    let socket = ScriptedServer::start([
        ScriptedAction::json(r#"{"updated":1}"#),
        ScriptedAction::json(&queue),
    ])
    .await;
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(
        file.path(),
        format!("{SIGNAL_ID}\r\n\r\nnot an id\n{OTHER_SIGNAL_ID}\n{SIGNAL_ID}\n"),
    )
    .unwrap();
    let stdin = || Stdio::from(std::fs::File::open(file.path()).unwrap());
    let output = gantry_command(&socket.base_url)
        .args(["queue", "triage", "done", "--stdin"])
        .stdin(stdin())
        .output()
        .unwrap();
    assert_eq!(
        utf8_text(&output.stdout),
        "1 signal changed to done; 1 not changed (1 not in this queue)\n"
    );
    let lines =
        "gantry: line 3: \"not an id\" is not a valid id\ngantry: 1 id given more than once\n";
    assert_eq!(
        utf8_text(&output.stderr),
        format!("{lines}gantry: {OTHER_SIGNAL_ID}: not in this queue\ngantry: 1 invalid id\n")
    );
    assert_eq!(output.status.code(), Some(1));
    let body: serde_json::Value = serde_json::from_str(&socket.requests()[0].body).unwrap();
    assert_eq!(
        body["signal_ids"],
        serde_json::json!([SIGNAL_ID, OTHER_SIGNAL_ID])
    );

    let sent = socket.requests().len();
    let strict = gantry_command(&socket.base_url)
        .args(["queue", "triage", "done", "--stdin", "--strict"])
        .stdin(stdin())
        .output()
        .unwrap();
    assert_eq!(
        (strict.status.code(), socket.requests().len()),
        (Some(2), sent),
        "nothing was sent"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn triage_sends_batches_of_100_and_a_dry_run_sends_nothing() {
    let socket = ScriptedServer::start([
        ScriptedAction::json(r#"{"updated":100}"#),
        ScriptedAction::json(r#"{"updated":100}"#),
        ScriptedAction::json(r#"{"updated":50}"#),
    ])
    .await;
    let file = tempfile::NamedTempFile::new().unwrap();
    let ids: String = (0..250)
        .map(|n| format!("018f4d3a-0000-7000-8000-{n:012}\n"))
        .collect();
    std::fs::write(file.path(), ids).unwrap();
    let triage = |more: &[&str]| {
        let stdin = Stdio::from(std::fs::File::open(file.path()).unwrap());
        gantry_command(&socket.base_url)
            .args(["queue", "triage", "done", "--stdin"])
            .args(more)
            .stdin(stdin)
            .output()
            .unwrap()
    };
    assert_eq!(
        utf8_text(&triage(&["--dry-run"]).stdout),
        "would mark 250 signals as done with POST /signals/triage; nothing was sent\n"
    );
    assert!(socket.requests().is_empty());
    let output = triage(&["--json"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (
            report["asked"].as_u64(),
            report["changed"].as_u64(),
            report["not_sent"].as_u64()
        ),
        (Some(250), Some(250), Some(0))
    );
    assert_eq!(
        (socket.requests().len(), utf8_text(&output.stderr).as_str()),
        (3, "")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn one_bad_id_does_not_fail_its_batch() {
    let bad = || ScriptedAction::error_response(400, "", "bad_request", "Not yours");
    let socket =
        ScriptedServer::start([bad(), ScriptedAction::json(r#"{"updated":1}"#), bad()]).await;
    let output = run_verb(
        &socket.base_url,
        &[
            "queue",
            "triage",
            "done",
            SIGNAL_ID,
            OTHER_SIGNAL_ID,
            "--json",
        ],
    );
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (
            report["changed"].as_u64(),
            report["refused"][0]["id"].as_str()
        ),
        (Some(1), Some(OTHER_SIGNAL_ID))
    );
    assert_eq!(output.status.code(), Some(1));
    assert!(utf8_text(&output.stderr).contains("1 signal not marked: rejected: Not yours"));
}

#[tokio::test(flavor = "multi_thread")]
async fn no_further_batch_is_sent_after_one_is_rejected_entirely() {
    let socket = ScriptedServer::start([ScriptedAction::error_response(
        400,
        "",
        "bad_request",
        "No such status",
    )])
    .await;
    let ids: Vec<_> = (0..1_000)
        .map(|n| format!("018f4d3a-0000-7000-8000-{n:012}"))
        .collect();
    let output = gantry_command(&socket.base_url)
        .args(["queue", "triage", "done"])
        .args(&ids)
        .output()
        .unwrap();
    assert_eq!(
        utf8_text(&output.stdout),
        "0 signals changed to done; 100 rejected; 900 not sent\n"
    );
    assert_eq!(
        utf8_text(&output.stderr),
        "gantry: cannot mark the rest: rejected: No such status\n"
    );
    assert_eq!(
        (output.status.code(), socket.requests().len()),
        (Some(1), 199)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupted_triage_reports_done_unknown_and_unsent_signals() {
    let socket = ScriptedServer::start([
        ScriptedAction::json(r#"{"updated":100}"#),
        ScriptedAction::Close,
    ])
    .await;
    let ids: Vec<_> = (0..250)
        .map(|n| format!("018f4d3a-0000-7000-8000-{n:012}"))
        .collect();
    let output = gantry_command(&socket.base_url)
        .args(["queue", "triage", "done"])
        .args(&ids)
        .output()
        .unwrap();
    assert_eq!(
        utf8_text(&output.stdout),
        "100 signals changed to done; 100 unknown; 50 not sent\n"
    );
    assert_eq!(output.status.code(), Some(5));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_closed_pipe_ends_the_program_quietly() {
    let rows: Vec<_> =
        (0..200).map(|n| serde_json::json!({"id": format!("018f4d3a-0000-7000-8000-{n:012}"), "x": "y".repeat(2_000)})).collect();
    let socket = ScriptedServer::start([ScriptedAction::json(
        &serde_json::json!({"signals": rows, "pagination": {"total": 200}}).to_string(),
    )])
    .await;
    let mut child = gantry_command(&socket.base_url)
        .args(["queue", "list", "--limit", "200", "--format", "jsonl"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        (output.status.code(), utf8_text(&output.stderr).as_str()),
        (Some(0), "")
    );
}

/// Runs it with a closed standard output.
fn run_with_closed_stdout(base_url: &str, args: &[&str]) -> Output {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    gantry_command(base_url)
        .args(args)
        .stdout(writer)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
        .wait_with_output()
        .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failure_sets_the_exit_status_even_on_a_closed_pipe() {
    for (args, status, line) in [
        (
            &["queue", "triage", "done", SIGNAL_ID][..],
            3,
            "gantry: cannot mark the rest: not allowed: No",
        ),
        (
            &["book", "accounts", "remove", SIGNAL_ID, OTHER_SIGNAL_ID],
            3,
            "gantry: cannot remove accounts: not allowed: No",
        ),
        (
            &[
                "book",
                "accounts",
                "remove",
                SIGNAL_ID,
                OTHER_SIGNAL_ID,
                "--json",
            ],
            3,
            "{\"error\":{\"code\":\"forbidden\",\"message\":\"cannot remove accounts: not allowed: No",
        ),
        (&["doctor"], 3, ""),
    ] {
        let socket =
            ScriptedServer::start([ScriptedAction::error_response(403, "", "forbidden", "No")])
                .await;
        let output = run_with_closed_stdout(&socket.base_url, args);
        assert_eq!(output.status.code(), Some(status), "{args:?}: {output:?}");
        assert!(
            utf8_text(&output.stderr).starts_with(line),
            "{args:?}: {output:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupted_list_shows_its_rows_and_their_cost() {
    let rows: Vec<_> = (0..100)
        .map(|n| serde_json::json!({"id": format!("018f4d3a-0000-7000-8000-{n:012}")}))
        .collect();
    let page =
        serde_json::json!({"data": rows, "metadata": {"credits": 100, "search_after": "next"}})
            .to_string();
    for (format, credits) in [
        ("table", "gantry: 100 credits\n"),
        ("json", ""),
        ("jsonl", ""),
        ("csv", ""),
    ] {
        let socket = ScriptedServer::start([
            ScriptedAction::json(&page),
            ScriptedAction::error_response(403, "", "forbidden", "Your role is none"),
        ])
        .await;
        let output = run_verb(
            &socket.base_url,
            &["data", "search", "projects", "--all", "--format", format],
        );
        let (out, err) = (utf8_text(&output.stdout), utf8_text(&output.stderr));
        assert_eq!(
            (out.matches("018f4d3a").count(), output.status.code()),
            (100, Some(3)),
            "{format}: {out}{err}"
        );
        let why = "cannot search projects: not allowed: Your role is none";
        let error = match format {
            "json" | "jsonl" => {
                format!("{{\"error\":{{\"code\":\"forbidden\",\"message\":\"{why}\"}}}}\n")
            }
            _ => format!("gantry: {why}\n"),
        };
        assert_eq!(err, credits.to_owned() + &error);
        if format == "json" {
            assert_eq!(
                serde_json::from_str::<Vec<serde_json::Value>>(&out)
                    .unwrap()
                    .len(),
                100
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn skill_lists_are_read_to_the_end() {
    let page = |skills: std::ops::Range<usize>| {
        let skills: Vec<_> = skills
            .map(|n| serde_json::json!({"id": format!("018f4d3a-0000-7000-8000-{n:012}")}))
            .collect();
        ScriptedAction::json(
            &serde_json::json!({"data": {"skills": skills}, "metadata": {"credits": 0, "total": 126}}).to_string(),
        )
    };
    // One row moved to the second page in the meantime.
    let socket = ScriptedServer::start([page(0..100), page(99..126)]).await;
    let output = run_verb(&socket.base_url, &["skills", "list", "--json"]);
    assert_eq!(
        serde_json::from_slice::<Vec<serde_json::Value>>(&output.stdout)
            .unwrap()
            .len(),
        126
    );
    assert_eq!(utf8_text(&output.stderr), "");
    assert!(
        socket.requests()[1].body.contains(r#""offset":100"#),
        "{}",
        socket.requests()[1].body
    );
    // A service that never sends a second page.
    let socket = ScriptedServer::start([page(0..25)]).await;
    let output = run_verb(&socket.base_url, &["skills", "list", "--json"]);
    assert_eq!(
        utf8_text(&output.stderr),
        "gantry: showing 25 of 126 (limit reached); narrow the search\n"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn watch_polls_no_more_often_than_the_console_and_runs_its_program() {
    let stats = r#"{"new_count":1,"high_priority_new_count":0,"done_count":0,"type_counts":[]}"#;
    let more = stats.replace(":0,\"done", ":1,\"done");
    let no = ScriptedAction::error_response(403, "", "forbidden", "No");
    let socket =
        ScriptedServer::start([ScriptedAction::json(stats), ScriptedAction::json(&more), no]).await;
    let folder = tempfile::tempdir().unwrap();
    let alert = folder
        .path()
        .join("{count} new: {type}; $(id)")
        .display()
        .to_string();
    std::fs::create_dir_all(folder.path().join(".config/gantry")).unwrap();
    let config = format!("[watch]\non_high = [\"touch\", {alert:?}]\n");
    std::fs::write(folder.path().join(".config/gantry/config.toml"), config).unwrap();
    let mut watch = gantry_command(&socket.base_url);
    let output = watch
        .env("HOME", folder.path())
        .args(["--poll", "500ms", "watch", "--plain"])
        .output()
        .unwrap();
    assert!(
        utf8_text(&output.stderr).starts_with(
            "gantry: poll must be off, or between 10 s and 300 s; using the nearest\n"
        ),
        "{output:?}"
    );
    let seen = socket.requests();
    assert!(seen[1].received_at - seen[0].received_at >= std::time::Duration::from_secs(10));
    assert!(
        folder.path().join("1 new: signal; $(id)").exists(),
        "the program for high priority, without a shell"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn api_sends_the_given_request() {
    let socket = ScriptedServer::start([ScriptedAction::json(
        r#"{"data":[],"metadata":{"credits":0}}"#,
    )])
    .await;
    let output = run_verb(
        &socket.base_url,
        &[
            "api",
            "post",
            "/data/projects/search?x=1",
            "--data",
            r#"{"limit": 2}"#,
        ],
    );
    assert_eq!(
        utf8_text(&output.stdout),
        "{\n  \"data\": [],\n  \"metadata\": {\n    \"credits\": 0\n  }\n}\n"
    );
    let seen = &socket.requests()[0];
    assert_eq!(
        seen.line,
        format!("POST /api/v1/data/projects/search?x=1&workspace_id={WORKSPACE_ID}")
    );
    assert_eq!(seen.body, r#"{"limit":2}"#);
    run_verb(
        &socket.base_url,
        &[
            "api",
            "get",
            "/signals/queue?city=San%20Francisco&q=a+b%26c&open",
            "--query",
            "city=50% off",
        ],
    );
    let query = "city=San+Francisco&q=a+b%26c&open=&city=50%25+off";
    assert_eq!(
        socket.requests()[1].line,
        format!("GET /api/v1/signals/queue?{query}&workspace_id={WORKSPACE_ID}")
    );
}

#[test]
fn completions_and_keys_need_no_service() {
    for args in [
        ["completions", "bash"].as_slice(),
        &["completions", "zsh"],
        &["keys"],
        &["keys", "--json"],
    ] {
        let output = run_verb("", args);
        assert!(
            output.status.success() && !output.stdout.is_empty(),
            "{args:?}: {}",
            utf8_text(&output.stderr)
        );
    }
    assert!(utf8_text(&run_verb("", &["keys"]).stdout).contains("mark done for everyone"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_token_without_a_workspace_gets_a_hint() {
    let socket = ScriptedServer::start([ScriptedAction::error_response(
        400,
        "",
        "bad_request",
        "workspace_id: is required in the query",
    )])
    .await;
    let output = gantry_command("")
        .env("GANTRY_BASE_URL", &socket.base_url)
        .args(["queue", "list"])
        .output()
        .unwrap();
    let line = utf8_text(&output.stderr);
    let has_hint = [
        "needs the id of its workspace",
        "--workspace, GANTRY_WORKSPACE",
    ]
    .iter()
    .all(|words| line.contains(words));
    assert!(
        output.status.code() == Some(2) && has_hint && line.lines().count() == 1,
        "{output:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn watch_once_prints_the_counts_as_a_line_or_an_object() {
    let stats =
        r#"{"new_count":142,"high_priority_new_count":17,"done_count":389,"type_counts":[]}"#;
    let headers = "content-type: application/json\r\ndate: Sat, 01 Dec 2018 09:00:00 GMT\r\n";
    let stats = || ScriptedAction::Respond(200, headers, stats.into());
    let socket = ScriptedServer::start([stats(), stats()]).await;
    let plain = run_verb(&socket.base_url, &["watch", "--plain", "--once"]);
    assert_eq!(
        utf8_text(&plain.stdout),
        "2018-12-01T09:00:00Z  new 142  high 17  done 389\n",
        "the time of the service"
    );
    let object: serde_json::Value =
        serde_json::from_slice(&run_verb(&socket.base_url, &["watch", "--json", "--once"]).stdout)
            .unwrap();
    assert_eq!(
        (&object["new_count"], &object["done_count"]),
        (&serde_json::json!(142), &serde_json::json!(389))
    );
}

#[test]
fn keys_and_doctor_show_active_keys_and_conflicting_lines() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join(".config/gantry");
    std::fs::create_dir_all(&folder).unwrap();
    let config = "[keys]\npreset = \"vim\"\nqueue.why = \"d\"\nqueue.dome = \"F5\"\nrefresh = [\"F5\", \"g r\"]\n";
    std::fs::write(folder.join("config.toml"), config).unwrap();
    let run = |args: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_gantry"));
        let output = command
            .args(args)
            .env_clear()
            .env("HOME", home.path())
            .output()
            .unwrap();
        (
            String::from_utf8(output.stdout).unwrap(),
            String::from_utf8(output.stderr).unwrap(),
            output.status.code(),
        )
    };
    let (rows, notes, status) = run(&["keys", "--json"]);
    let rows: Vec<serde_json::Value> = serde_json::from_str(&rows).unwrap();
    let keys = |id: &str| rows.iter().find(|row| row["id"] == id).unwrap()["keys"].clone();
    assert_eq!(
        (keys("refresh"), keys("list.mark"), status),
        ("F5, g r".into(), "Space, x".into(), Some(0))
    );
    let clashes = [
        "config.toml:4: unknown command queue.dome; did you mean queue.done?",
        "config.toml:3: d of queue.why hides dd of queue.done in Queue",
    ];
    assert!(clashes.iter().all(|clash| notes.contains(clash)), "{notes}");
    let (checks, notes, _) = run(&["doctor"]);
    assert!(checks.contains("ok   keys: vim (3 warnings)"), "{checks}");
    assert!(clashes.iter().all(|clash| notes.contains(clash)), "{notes}");
}

#[test]
fn a_file_that_does_not_exist_is_reported_in_a_sentence() {
    let data = tempfile::tempdir().unwrap();
    let data = data.path().join("desk.db").display().to_string();
    let import = [
        "import",
        "/nope.csv",
        "--layout",
        "chicago",
        "--data",
        &data,
    ];
    let output = run_verb("", &import);
    assert_eq!(
        (output.status.code(), utf8_text(&output.stderr).as_str()),
        (
            Some(1),
            "gantry: cannot read /nope.csv: there is no such file\n"
        )
    );
}
