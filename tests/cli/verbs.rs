//! The built program as a script sees it: standard output, standard error and the exit status.

use std::process::{Command, Output, Stdio};

use crate::hostile::{Act, Hostile};

const WORKSPACE: &str = "018f4d3a-0000-7000-8000-00000000000a";
const A: &str = "018f4d3a-0000-7000-8000-000000000001";
const B: &str = "018f4d3a-0000-7000-8000-000000000002";

/// The program with an environment of its own.
fn gantry(base_url: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gantry"));
    // A folder of cargo's own: what these runs write down goes with the build.
    command.env_clear().env("HOME", env!("CARGO_TARGET_TMPDIR")).env("GANTRY_TOKEN", "gk_canary").stdin(Stdio::null());
    if !base_url.is_empty() {
        command.env("GANTRY_BASE_URL", base_url).env("GANTRY_WORKSPACE", WORKSPACE);
    }
    command
}

fn run(base_url: &str, args: &[&str]) -> Output {
    gantry(base_url).args(args).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// A queue of two signals, the second by a hostile stranger, with a field of tomorrow.
fn queue() -> Act {
    Act::json(&format!(
        r#"{{"signals":[
            {{"id":"{A}","signal_type":"permit_filed","priority":"high","triage_status":"new","filed_at":"2026-07-02T09:00:00Z",
              "reported_cost_usd":41200000,"project_name":"Harbor Yard Lofts","project_primary_address":"12 Harbor Street"}},
            {{"tomorrow":{{"b":1,"a":2}},"id":"{B}","signal_type":"orbital_permit","priority":"low","triage_status":"done",
              "project_name":"=HYPERLINK(\"x\")","project_primary_address":"a\u001b[2J\u202eb, \"c\""}}],
          "pagination":{{"limit":50,"offset":0,"total":2}}}}"#
    ))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_has_columns_and_what_a_stranger_wrote_cannot_steer_the_terminal() {
    let socket = Hostile::start([queue()]).await;
    let output = run(&socket.base_url, &["queue", "list"]);
    assert_eq!(
        text(&output.stdout),
        "\
ID                                    STATUS  PRIORITY  TYPE            FILED         COST  PROJECT            ADDRESS
018f4d3a-0000-7000-8000-000000000001  new     high      permit_filed    2026-07-02  $41.2M  Harbor Yard Lofts  12 Harbor Street
018f4d3a-0000-7000-8000-000000000002  done    low       orbital_permit  -                -  =HYPERLINK(\"x\")    a␛[2J\u{fffd}b, \"c\"
"
    );
    assert_eq!((text(&output.stderr).as_str(), output.status.code()), ("", Some(0)));
}

#[tokio::test(flavor = "multi_thread")]
async fn json_is_what_the_service_sent_with_its_names_and_its_order() {
    let socket = Hostile::start([queue()]).await;
    let output = run(&socket.base_url, &["queue", "list", "--format", "jsonl"]);
    let lines = text(&output.stdout);
    assert_eq!(
        lines.lines().nth(1).unwrap(),
        format!(
            r#"{{"tomorrow":{{"b":1,"a":2}},"id":"{B}","signal_type":"orbital_permit","priority":"low","triage_status":"done","project_name":"=HYPERLINK(\"x\")","project_primary_address":"a\u001b[2J\u202eb, \"c\""}}"#
        )
    );
    for args in [["queue", "list", "--json"], ["--format=json", "queue", "list"]] {
        let rows: serde_json::Value = serde_json::from_slice(&run(&socket.base_url, &args).stdout).unwrap();
        assert_eq!((rows[0]["id"].as_str(), rows[1]["tomorrow"]["b"].as_u64()), (Some(A), Some(1)));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn csv_has_the_interfaces_names_and_no_formula() {
    let socket = Hostile::start([queue()]).await;
    let output = text(&run(&socket.base_url, &["queue", "list", "--format", "csv"]).stdout);
    let lines: Vec<_> = output.lines().collect();
    assert_eq!(
        lines,
        [
            "id,triage_status,priority,signal_type,filed_at,reported_cost_usd,project_name,project_primary_address,project_id,\
             discovered_at,reported_gross_floor_area_sf,source_slug,source_display_name,source_filing_id,source_url,triaged_by,triaged_at",
            &format!("{A},new,high,permit_filed,2026-07-02T09:00:00Z,41200000,Harbor Yard Lofts,12 Harbor Street,,,,,,,,,"),
            &format!("{B},done,low,orbital_permit,,,\"'=HYPERLINK(\"\"x\"\")\",\"a␛[2J\u{fffd}b, \"\"c\"\"\",,,,,,,,,"),
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_of_nothing_is_still_of_its_format() {
    let nothing = || Act::json(r#"{"signals":[],"pagination":{"limit":50,"offset":0,"total":0}}"#);
    let socket = Hostile::start([nothing()]).await;
    for (format, expected) in [("table", ""), ("json", "[]\n"), ("jsonl", "")] {
        let output = run(&socket.base_url, &["queue", "list", "--format", format]);
        assert_eq!((text(&output.stdout).as_str(), text(&output.stderr).as_str()), (expected, "gantry: nothing matches\n"));
    }
    assert!(text(&run(&socket.base_url, &["queue", "list", "--format", "csv"]).stdout).starts_with("id,triage_status,"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_pages_until_it_has_what_was_asked_for_and_says_what_is_left() {
    let page = |from: u32, rows: u32| {
        let rows: Vec<_> =
            (from..from + rows).map(|n| serde_json::json!({"id": format!("018f4d3a-0000-7000-8000-{n:012}")})).collect();
        Act::json(&serde_json::json!({"signals": rows, "pagination": {"limit": 200, "offset": from, "total": 1000}}).to_string())
    };
    // The first row of the second page was seen: somebody's triage moved the list.
    let socket = Hostile::start([page(0, 200), page(199, 50)]).await;
    let output =
        run(&socket.base_url, &["queue", "list", "--limit", "250", "--format", "jsonl", "--status", "new", "--status", "done"]);
    assert_eq!(text(&output.stdout).lines().count(), 249);
    let lines: Vec<_> = socket.seen().into_iter().map(|seen| seen.line).collect();
    assert!(lines[0].contains("status=new&status=done&limit=200&offset=0"), "{lines:?}");
    assert!(lines[1].contains("limit=50&offset=200"), "{lines:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_exit_status_says_what_kind_of_end_it_was_and_the_error_is_one_line() {
    for (act, status, words) in [
        (Act::refusal(401, "", "unauthorized", "Unknown token"), 3, "does not accept the token: Unknown token"),
        (Act::refusal(403, "", "forbidden", "The Pro plan is required"), 3, "not allowed: The Pro plan is required"),
        (Act::refusal(404, "", "not_found", "No such signal"), 4, "not found: No such signal"),
        (Act::refusal(400, "", "bad_request", "No"), 1, "refused: No"),
        (Act::Answer(200, "", b"<html>".to_vec()), 5, "a web page answered instead"),
        (Act::refusal(500, "", "internal", "Oh"), 5, "is in trouble (500): Oh"),
    ] {
        let socket = Hostile::start([act]).await;
        let output = run(&socket.base_url, &["signals", "show", A]);
        let said = text(&output.stderr);
        assert_eq!((output.status.code(), said.lines().count(), output.stdout.len()), (Some(status), 1, 0), "{said}");
        assert!(said.starts_with(&format!("gantry: cannot show the signal {A}: ")) && said.contains(words), "{said}");
        assert!(!said.contains("canary"));
    }
}

#[test]
fn without_a_service_the_error_says_what_to_do() {
    for (args, env, status, words) in [
        (vec!["queue", "list"], vec![], 3, "not signed in"),
        (vec!["queue", "list", "--base-url", "http://signals.example/api/v1"], vec![], 2, "use https://signals.example"),
        (
            vec!["queue", "list"],
            vec![("GANTRY_BASE_URL", "http://127.0.0.1:1/api/v1")],
            5,
            "cannot reach 127.0.0.1:1: connection refused",
        ),
        (vec!["queue", "list", "--profile", "desk"], vec![], 2, "no profile desk"),
        (
            vec!["queue", "list", "--token-file", "/nowhere/token", "--base-url", "https://a.example"],
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
        (vec!["queue", "list", "--status", "maybe"], vec![], 2, "possible values"),
        (vec!["queue", "list", "--token", "gk_1"], vec![], 2, "unexpected argument"),
    ] {
        let mut command = gantry("");
        command.args(&args).envs(env.iter().copied());
        let output = command.output().unwrap();
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{args:?}: {said}");
        assert!(said.contains(words), "{args:?}: {said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn triage_reads_ids_from_a_pipe_and_names_the_lines_that_are_none() {
    let queue = format!(r#"{{"signals":[{{"id":"{A}"}}],"pagination":{{"total":1}}}}"#);
    let socket = Hostile::start([Act::json(r#"{"updated":1}"#), Act::json(&queue)]).await;
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), format!("{A}\r\n\r\nnot an id\n{B}\n{A}\n")).unwrap();
    let stdin = || Stdio::from(std::fs::File::open(file.path()).unwrap());
    let output = gantry(&socket.base_url).args(["queue", "triage", "done", "--stdin"]).stdin(stdin()).output().unwrap();
    assert_eq!(text(&output.stdout), "1 signal changed to done; 1 not changed (1 not in this queue)\n");
    let lines = "gantry: line 3: \"not an id\" is no id\ngantry: 1 ids were given more than once\n";
    assert_eq!(text(&output.stderr), format!("{lines}gantry: {B}: not in this queue\ngantry: 1 lines were no ids\n"));
    assert_eq!(output.status.code(), Some(1));
    let body: serde_json::Value = serde_json::from_str(&socket.seen()[0].body).unwrap();
    assert_eq!(body["signal_ids"], serde_json::json!([A, B]));

    let sent = socket.seen().len();
    let strict =
        gantry(&socket.base_url).args(["queue", "triage", "done", "--stdin", "--strict"]).stdin(stdin()).output().unwrap();
    assert_eq!((strict.status.code(), socket.seen().len()), (Some(2), sent), "nothing was sent");
}

#[tokio::test(flavor = "multi_thread")]
async fn triage_goes_by_hundreds_and_a_dry_run_sends_nothing() {
    let socket =
        Hostile::start([Act::json(r#"{"updated":100}"#), Act::json(r#"{"updated":100}"#), Act::json(r#"{"updated":50}"#)]).await;
    let file = tempfile::NamedTempFile::new().unwrap();
    let ids: String = (0..250).map(|n| format!("018f4d3a-0000-7000-8000-{n:012}\n")).collect();
    std::fs::write(file.path(), ids).unwrap();
    let triage = |more: &[&str]| {
        let stdin = Stdio::from(std::fs::File::open(file.path()).unwrap());
        gantry(&socket.base_url).args(["queue", "triage", "done", "--stdin"]).args(more).stdin(stdin).output().unwrap()
    };
    assert_eq!(
        text(&triage(&["--dry-run"]).stdout),
        "would send 250 signals to done by POST /signals/triage; nothing was sent\n"
    );
    assert!(socket.seen().is_empty());
    let output = triage(&["--json"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (report["asked"].as_u64(), report["changed"].as_u64(), report["not_sent"].as_u64()),
        (Some(250), Some(250), Some(0))
    );
    assert_eq!((socket.seen().len(), text(&output.stderr).as_str()), (3, ""));
}

#[tokio::test(flavor = "multi_thread")]
async fn one_bad_id_does_not_sink_its_hundred() {
    let bad = || Act::refusal(400, "", "bad_request", "Not yours");
    let socket = Hostile::start([bad(), Act::json(r#"{"updated":1}"#), bad()]).await;
    let output = run(&socket.base_url, &["queue", "triage", "done", A, B, "--json"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((report["changed"].as_u64(), report["refused"][0]["id"].as_str()), (Some(1), Some(B)));
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("1 signals were not marked: refused: Not yours"));
}

#[tokio::test(flavor = "multi_thread")]
async fn when_of_a_whole_hundred_none_is_taken_no_further_hundred_is_sent() {
    let socket = Hostile::start([Act::refusal(400, "", "bad_request", "No such status")]).await;
    let ids: Vec<_> = (0..1_000).map(|n| format!("018f4d3a-0000-7000-8000-{n:012}")).collect();
    let output = gantry(&socket.base_url).args(["queue", "triage", "done"]).args(&ids).output().unwrap();
    assert_eq!(text(&output.stdout), "0 signals changed to done; 100 refused; 900 not sent\n");
    assert_eq!(text(&output.stderr), "gantry: cannot mark the rest: refused: No such status\n");
    assert_eq!((output.status.code(), socket.seen().len()), (Some(1), 199));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_triage_that_breaks_says_what_is_done_what_is_unknown_and_what_was_not_sent() {
    let socket = Hostile::start([Act::json(r#"{"updated":100}"#), Act::Close]).await;
    let ids: Vec<_> = (0..250).map(|n| format!("018f4d3a-0000-7000-8000-{n:012}")).collect();
    let output = gantry(&socket.base_url).args(["queue", "triage", "done"]).args(&ids).output().unwrap();
    assert_eq!(text(&output.stdout), "100 signals changed to done; 100 not known; 50 not sent\n");
    assert_eq!(output.status.code(), Some(5));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pipe_that_nobody_reads_ends_the_program_quietly() {
    let rows: Vec<_> =
        (0..200).map(|n| serde_json::json!({"id": format!("018f4d3a-0000-7000-8000-{n:012}"), "x": "y".repeat(2_000)})).collect();
    let socket =
        Hostile::start([Act::json(&serde_json::json!({"signals": rows, "pagination": {"total": 200}}).to_string())]).await;
    let mut child = gantry(&socket.base_url)
        .args(["queue", "list", "--limit", "200", "--format", "jsonl"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""));
}

/// Runs it with a standard output that nobody reads.
fn unread(base_url: &str, args: &[&str]) -> Output {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    gantry(base_url).args(args).stdout(writer).stderr(Stdio::piped()).spawn().unwrap().wait_with_output().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failure_is_in_the_status_also_where_nobody_reads_what_came_of_the_rest() {
    for (args, status, line) in [
        (&["queue", "triage", "done", A][..], 3, "gantry: cannot mark the rest: not allowed: No"),
        (&["book", "accounts", "remove", A, B], 3, "gantry: cannot remove accounts: not allowed: No"),
        (&["book", "accounts", "remove", A, B, "--json"], 3, "gantry: cannot remove accounts: not allowed: No"),
        (&["doctor"], 3, ""),
    ] {
        let socket = Hostile::start([Act::refusal(403, "", "forbidden", "No")]).await;
        let output = unread(&socket.base_url, args);
        assert_eq!(output.status.code(), Some(status), "{args:?}: {output:?}");
        assert!(text(&output.stderr).starts_with(line), "{args:?}: {output:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_that_breaks_off_shows_the_rows_that_came_and_what_they_cost() {
    let rows: Vec<_> = (0..100).map(|n| serde_json::json!({"id": format!("018f4d3a-0000-7000-8000-{n:012}")})).collect();
    let page = serde_json::json!({"data": rows, "metadata": {"credits": 100, "search_after": "next"}}).to_string();
    for (format, credits) in [("table", "gantry: 100 credits\n"), ("json", ""), ("jsonl", ""), ("csv", "")] {
        let socket = Hostile::start([Act::json(&page), Act::refusal(403, "", "forbidden", "Your role is none")]).await;
        let output = run(&socket.base_url, &["data", "search", "projects", "--all", "--format", format]);
        let (out, err) = (text(&output.stdout), text(&output.stderr));
        assert_eq!((out.matches("018f4d3a").count(), output.status.code()), (100, Some(3)), "{format}: {out}{err}");
        assert_eq!(err, format!("{credits}gantry: cannot search projects: not allowed: Your role is none\n"));
        if format == "json" {
            assert_eq!(serde_json::from_str::<Vec<serde_json::Value>>(&out).unwrap().len(), 100);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_of_skills_is_read_to_its_end() {
    let page = |skills: std::ops::Range<usize>| {
        let skills: Vec<_> = skills.map(|n| serde_json::json!({"id": format!("018f4d3a-0000-7000-8000-{n:012}")})).collect();
        Act::json(&serde_json::json!({"data": {"skills": skills}, "metadata": {"credits": 0, "total": 126}}).to_string())
    };
    // One moved to the second page meanwhile.
    let socket = Hostile::start([page(0..100), page(99..126)]).await;
    let output = run(&socket.base_url, &["skills", "list", "--json"]);
    assert_eq!(serde_json::from_slice::<Vec<serde_json::Value>>(&output.stdout).unwrap().len(), 126);
    assert_eq!(text(&output.stderr), "");
    assert!(socket.seen()[1].body.contains(r#""offset":100"#), "{}", socket.seen()[1].body);
    // One that gives no further page, however it is asked.
    let socket = Hostile::start([page(0..25)]).await;
    let output = run(&socket.base_url, &["skills", "list", "--json"]);
    assert_eq!(text(&output.stderr), "gantry: 25 of 126; more do not come, narrow the list\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_watch_asks_no_more_often_than_the_console_may() {
    let stats = r#"{"new_count":1,"high_priority_new_count":0,"done_count":0,"type_counts":[]}"#;
    let socket = Hostile::start([Act::json(stats), Act::refusal(403, "", "forbidden", "No")]).await;
    let output = run(&socket.base_url, &["--poll", "500ms", "watch", "--plain"]);
    assert!(text(&output.stderr).starts_with("gantry: poll is held between 10 s and 300 s\n"), "{output:?}");
    let seen = socket.seen();
    assert!(seen[1].at - seen[0].at >= std::time::Duration::from_secs(10));
}

#[tokio::test(flavor = "multi_thread")]
async fn api_sends_what_it_was_given() {
    let socket = Hostile::start([Act::json(r#"{"data":[],"metadata":{"credits":0}}"#)]).await;
    let output = run(&socket.base_url, &["api", "post", "/data/projects/search?x=1", "--data", r#"{"limit": 2}"#]);
    assert_eq!(text(&output.stdout), "{\n  \"data\": [],\n  \"metadata\": {\n    \"credits\": 0\n  }\n}\n");
    let seen = &socket.seen()[0];
    assert_eq!(seen.line, format!("POST /api/v1/data/projects/search?x=1&workspace_id={WORKSPACE}"));
    assert_eq!(seen.body, r#"{"limit":2}"#);
    run(&socket.base_url, &["api", "get", "/signals/queue?city=San%20Francisco&q=a+b%26c&open", "--query", "city=50% off"]);
    let query = "city=San+Francisco&q=a+b%26c&open=&city=50%25+off";
    assert_eq!(socket.seen()[1].line, format!("GET /api/v1/signals/queue?{query}&workspace_id={WORKSPACE}"));
}

#[test]
fn completions_and_keys_need_no_service() {
    for args in [["completions", "bash"].as_slice(), &["completions", "zsh"], &["keys"], &["keys", "--json"]] {
        let output = run("", args);
        assert!(output.status.success() && !output.stdout.is_empty(), "{args:?}: {}", text(&output.stderr));
    }
    assert!(text(&run("", &["keys"]).stdout).contains("mark signals done"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_token_without_a_workspace_is_told_what_to_name() {
    let socket = Hostile::start([Act::refusal(400, "", "bad_request", "workspace_id: is required in the query")]).await;
    let output = gantry("").env("GANTRY_BASE_URL", &socket.base_url).args(["queue", "list"]).output().unwrap();
    let line = text(&output.stderr);
    let told = ["needs the id of its workspace", "--workspace, GANTRY_WORKSPACE"].iter().all(|words| line.contains(words));
    assert!(output.status.code() == Some(2) && told && line.lines().count() == 1, "{output:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn watching_once_prints_the_counts_as_a_line_or_as_an_object() {
    let stats = || Act::json(r#"{"new_count":142,"high_priority_new_count":17,"done_count":389,"type_counts":[]}"#);
    let socket = Hostile::start([stats(), stats()]).await;
    let plain = run(&socket.base_url, &["watch", "--plain", "--once"]);
    assert!(text(&plain.stdout).ends_with("  new 142  high 17  done 389\n"), "{}", text(&plain.stdout));
    let object: serde_json::Value =
        serde_json::from_slice(&run(&socket.base_url, &["watch", "--json", "--once"]).stdout).unwrap();
    assert_eq!((&object["new_count"], &object["done_count"]), (&serde_json::json!(142), &serde_json::json!(389)));
}

#[test]
fn keys_and_doctor_tell_the_keys_that_one_has_and_the_lines_that_clash() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join(".config/gantry");
    std::fs::create_dir_all(&folder).unwrap();
    let config = "[keys]\npreset = \"mutt\"\nqueue.why = \"d\"\nqueue.dome = \"F5\"\nrefresh = [\"F5\", \"g r\"]\n";
    std::fs::write(folder.join("config.toml"), config).unwrap();
    let run = |args: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_gantry"));
        let output = command.args(args).env_clear().env("HOME", home.path()).output().unwrap();
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap(), output.status.code())
    };
    let (rows, notes, status) = run(&["keys", "--json"]);
    let rows: Vec<serde_json::Value> = serde_json::from_str(&rows).unwrap();
    let keys = |id: &str| rows.iter().find(|row| row["id"] == id).unwrap()["keys"].clone();
    assert_eq!((keys("refresh"), keys("queue.mark"), status), ("F5, g r".into(), "t, Space".into(), Some(0)));
    let clashes = [
        "config.toml:4: no command is called queue.dome; did you mean queue.done?",
        "config.toml:3: queue.why and queue.done share d in Queue; queue.why has it",
    ];
    assert!(clashes.iter().all(|clash| notes.contains(clash)), "{notes}");
    let (checks, notes, _) = run(&["doctor"]);
    assert!(checks.contains("ok   keys: mutt (2 notes)"), "{checks}");
    assert!(clashes.iter().all(|clash| notes.contains(clash)), "{notes}");
}
