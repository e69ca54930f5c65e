//! Output for scripts and for people: fields, jq programs, templates, streams, notes, questions,
//! the pager and the help.

use std::process::{Command, Output, Stdio};

use clap::CommandFactory as _;
use gantry::cli::args::Args;
use serde_json::{Value, json};

use crate::pty::gantry_program;
use crate::scripted_server::{ScriptedAction, ScriptedServer};

const WORKSPACE_ID: &str = "018f4d3a-0000-7000-8000-00000000000a";

fn command(base_url: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gantry"));
    command
        .args(arguments)
        .env_clear()
        .env("HOME", crate::home())
        .stdin(Stdio::null());
    command
        .env("GANTRY_TOKEN", "gk_canary")
        .env("GANTRY_BASE_URL", base_url)
        .env("GANTRY_WORKSPACE", WORKSPACE_ID);
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn signals(rows: std::ops::Range<usize>, total: usize) -> Value {
    let row = |n: usize| json!({"id": format!("018f4d3a-0000-7000-8000-{n:012}"), "project_name": format!("Yard {n}"), "reported_cost_usd": n * 10});
    json!({"signals": rows.map(row).collect::<Vec<_>>(), "pagination": {"limit": 200, "offset": 0, "total": total}})
}

/// What a command prints for a queue of three signals.
async fn run(arguments: &[&str]) -> Output {
    let server = ScriptedServer::start([ScriptedAction::json(&signals(1..4, 3).to_string())]).await;
    command(&server.base_url, &[&["queue", "list"], arguments].concat())
        .output()
        .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn chosen_fields_come_in_the_chosen_order() {
    let output = run(&["--json", "project_name,id"]).await;
    let first = "[\n  {\n    \"project_name\": \"Yard 1\",\n    \"id\": \"018f4d3a-0000-7000-8000-000000000001\"\n  },";
    assert!(
        output.status.success() && text(&output.stdout).starts_with(first),
        "{output:?}"
    );
    let whole: Vec<Value> = serde_json::from_slice(&run(&["--json"]).await.stdout).unwrap();
    assert_eq!(
        (whole.len(), whole[0]["reported_cost_usd"].as_u64()),
        (3, Some(10)),
        "a bare --json keeps all fields"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_misspelled_field_is_named_after_the_rows_because_they_may_have_been_paid_for() {
    let output = run(&["--json=project_nam,id"]).await;
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        serde_json::from_slice::<Vec<Value>>(&output.stdout).unwrap()[0]["project_nam"],
        Value::Null
    );
    let error: Value = serde_json::from_slice(&output.stderr).unwrap();
    assert_eq!(
        error["error"]["hint"], "did you mean project_name?",
        "{error}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_jq_program_gets_the_list_or_with_jsonl_each_row() {
    let output = run(&["--jq", "map(.reported_cost_usd) | add"]).await;
    assert_eq!(
        (text(&output.stdout).as_str(), output.status.code()),
        ("60\n", Some(0)),
        "{output:?}"
    );
    let output = run(&[
        "--format",
        "jsonl",
        "--jq",
        "select(.reported_cost_usd > 10) | .project_name",
    ])
    .await;
    assert_eq!(text(&output.stdout), "Yard 2\nYard 3\n");
    let output = run(&["--json", "id", "--jq", ".[0] | keys"]).await;
    assert_eq!(text(&output.stdout), "[\"id\"]\n");
    let output = run(&["--jq", ".[] | .project_name + 1"]).await;
    assert!(
        output.status.code() == Some(1) && text(&output.stderr).contains("--jq: "),
        "{output:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_cannot_be_read_sends_no_request() {
    let server = ScriptedServer::start([ScriptedAction::json(&signals(1..4, 3).to_string())]).await;
    for arguments in [["--jq", ".["], ["--template", "{{"], ["--jq", "unheard_of"]] {
        let output = command(
            &server.base_url,
            &[&["queue", "list"], &arguments[..]].concat(),
        )
        .output()
        .unwrap();
        assert_eq!(
            (output.status.code(), output.stdout.len()),
            (Some(2), 0),
            "{output:?}"
        );
    }
    assert!(server.requests().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_template_makes_a_line_of_each_row() {
    let output = run(&[
        "--template",
        "{{ project_name | upper }}: {{ reported_cost_usd }}{{ project_primary_address }}",
    ])
    .await;
    assert_eq!(
        text(&output.stdout),
        "YARD 1: 10\nYARD 2: 20\nYARD 3: 30\n",
        "{output:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn json_lines_are_printed_page_by_page() {
    for arguments in [
        &["--format", "jsonl"][..],
        &["--format", "jsonl", "--jq", "{id}"],
    ] {
        let pages = [
            ScriptedAction::json(&signals(0..200, 1_000).to_string()),
            ScriptedAction::Hang,
        ];
        let server = ScriptedServer::start(pages).await;
        let mut child = command(
            &server.base_url,
            &[&["queue", "list", "--all"], arguments].concat(),
        )
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
        let lines = std::io::BufRead::lines(std::io::BufReader::new(child.stdout.take().unwrap()));
        // The second page never comes: 200 rows are there before it.
        let rows = lines
            .take(200)
            .filter(|line| serde_json::from_str::<Value>(line.as_ref().unwrap()).is_ok())
            .count();
        assert_eq!(rows, 200, "{arguments:?}");
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn quiet_leaves_out_notes_and_verbose_adds_requests_with_their_prices() {
    let found = json!({"data": [{"id": WORKSPACE_ID, "name": "Harbor"}], "meta": {"credits_used": 1, "total": 9}}).to_string();
    let search = async |arguments: &[&str]| {
        let server = ScriptedServer::start([ScriptedAction::json(&found)]).await;
        let output = command(
            &server.base_url,
            &[&["book", "search", "projects", "--limit", "1"], arguments].concat(),
        )
        .output()
        .unwrap();
        assert!(output.status.success(), "{output:?}");
        text(&output.stderr)
    };
    let plain = search(&[]).await;
    assert!(
        plain.contains("showing") && !plain.contains("POST"),
        "{plain}"
    );
    assert_eq!(search(&["--quiet"]).await, "");
    let verbose = search(&["--verbose"]).await;
    assert!(
        verbose.contains("gantry: POST /workspace/projects/search (")
            && !verbose.contains("gk_canary"),
        "{verbose}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_is_json_where_the_data_is() {
    let refuse = || {
        ScriptedAction::error_response(
            404,
            "X-Request-Id: r-7\r\n",
            "signal_not_found",
            "No such signal",
        )
    };
    let server = ScriptedServer::start([refuse()]).await;
    let output = command(
        &server.base_url,
        &["signals", "show", WORKSPACE_ID, "--json"],
    )
    .output()
    .unwrap();
    let error: Value = serde_json::from_slice(&output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(4));
    assert_eq!(
        (&error["error"]["code"], &error["error"]["request_id"]),
        (&"signal_not_found".into(), &"r-7".into()),
        "{error}"
    );
    let output = command(&server.base_url, &["queue", "lst", "--format", "json"])
        .output()
        .unwrap();
    let error: Value = serde_json::from_slice(&output.stderr).unwrap();
    assert_eq!(
        (output.status.code(), &error["error"]["code"]),
        (Some(2), &"usage".into()),
        "{error}"
    );
    assert_eq!(error["error"]["hint"], "see gantry queue --help");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_terminal_is_asked_before_something_is_lost_and_a_pipe_is_not() {
    let deleted = || ScriptedAction::json(r#"{"data":{"deleted":true}}"#);
    let delete = ["views", "delete", WORKSPACE_ID];
    let server = ScriptedServer::start([deleted()]).await;
    let program = |more: &[&str]| {
        let program =
            gantry_program(&[&delete[..], more].concat()).env("GANTRY_BASE_URL", &server.base_url);
        program
            .env("GANTRY_WORKSPACE", WORKSPACE_ID)
            .env("GANTRY_TOKEN", "gk_canary")
    };
    let mut session = program(&[]).start();
    session.wait_for("Delete 1 View for the whole workspace? Its records are kept [y/N]");
    session.type_keys("n\r");
    assert_eq!(
        (session.wait_for_exit(), server.requests().len()),
        (1, 0),
        "{}",
        session.text()
    );
    assert!(
        session.text().contains("canceled; nothing was changed"),
        "{}",
        session.text()
    );
    let mut session = program(&[]).start();
    session.wait_for("[y/N]");
    session.type_keys("y\r");
    assert_eq!(
        (session.wait_for_exit(), server.requests().len()),
        (0, 1),
        "{}",
        session.text()
    );
    assert_eq!(program(&["--yes"]).start().wait_for_exit(), 0);
    let output = command(&server.base_url, &delete).output().unwrap();
    assert!(
        output.status.success() && !text(&output.stderr).contains("[y/N]"),
        "{output:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_longer_than_the_terminal_is_paged_and_no_other() {
    let run = async |rows: usize, more: &[&str]| {
        let server =
            ScriptedServer::start([ScriptedAction::json(&signals(0..rows, rows).to_string())])
                .await;
        let program = gantry_program(&[&["queue", "list"], more].concat())
            .env("GANTRY_BASE_URL", &server.base_url);
        let program = program
            .env("GANTRY_WORKSPACE", WORKSPACE_ID)
            .env("GANTRY_TOKEN", "gk_canary")
            .env("GANTRY_PAGER", "wc -l");
        let mut session = program.start();
        assert_eq!(session.wait_for_exit(), 0, "{}", session.text());
        session.text().trim().to_owned()
    };
    assert_eq!(run(49, &[]).await, "50", "the pager counts the lines");
    assert!(run(5, &[]).await.contains("Yard 4"));
    assert!(run(49, &["--no-pager"]).await.contains("Yard 48"));
}

#[test]
fn the_help_of_every_command_fits_a_screen_and_has_an_example() {
    // What starts a service, imports or annotates has more options than a screen has rows.
    let long = [
        "gantry",
        "gantry serve",
        "gantry team up",
        "gantry import",
        "gantry book set",
    ];
    let home = tempfile::tempdir().unwrap();
    let help = |path: &str, option: &str| {
        let words = path.split(' ').skip(1);
        let output = Command::new(env!("CARGO_BIN_EXE_gantry"))
            .args(words)
            .arg(option)
            .env_clear()
            .env("HOME", home.path())
            .output();
        let output = output.unwrap();
        assert!(output.status.success(), "{path} {option}: {output:?}");
        text(&output.stdout)
    };
    for path in all_commands(&Args::command(), "gantry") {
        let (short, explained) = (help(&path, "-h"), help(&path, "--help"));
        let is_long = long.contains(&path.as_str());
        assert!(
            is_long || short.lines().count() <= 24,
            "{path} -h has {} lines:\n{short}",
            short.lines().count()
        );
        assert!(
            is_long || explained.lines().count() <= 40,
            "{path} --help has {} lines:\n{explained}",
            explained.lines().count()
        );
        assert!(
            explained
                .lines()
                .chain(short.lines())
                .all(|line| line.len() <= 110),
            "{path}:\n{explained}"
        );
        let has_subcommands = short.contains("Commands:") || path == "gantry";
        assert!(
            has_subcommands || explained.contains("Example"),
            "{path}:\n{explained}"
        );
        assert!(
            path == "gantry"
                || explained.contains("Global options, explained by gantry --help:\n  --profile "),
            "{path}:\n{explained}"
        );
    }
}

/// All commands that the help shows.
fn all_commands(command: &clap::Command, path: &str) -> Vec<String> {
    let inner = command.get_subcommands().filter(|verb| !verb.is_hide_set());
    let inner = inner.flat_map(|verb| all_commands(verb, &format!("{path} {}", verb.get_name())));
    std::iter::once(path.to_owned()).chain(inner).collect()
}
