//! Commands in a pseudo-terminal: progress, hidden input, and tables wider than the terminal.

use serde_json::json;

use crate::pty::{TerminalProgram, TerminalSession, gantry_program};
use crate::scripted_server::{ScriptedAction, ScriptedServer};
use crate::spawned_service::SpawnedService;

const WORKSPACE_ID: &str = "018f4d3a-0000-7000-8000-00000000000a";

/// The program against this service.
fn program_against(base_url: &str, arguments: &[&str]) -> TerminalProgram {
    gantry_program(arguments)
        .env("GANTRY_BASE_URL", base_url)
        .env("GANTRY_WORKSPACE", WORKSPACE_ID)
        .env("GANTRY_TOKEN", "gk_canary")
}

fn signal_ids(count: usize) -> Vec<String> {
    (0..count)
        .map(|n| format!("018f4d3a-0000-7000-8000-{n:012}"))
        .collect()
}

fn queue_page(rows: std::ops::Range<usize>) -> ScriptedAction {
    let rows: Vec<_> = rows
        .map(|n| json!({"id": format!("018f4d3a-0000-7000-8000-{n:012}")}))
        .collect();
    ScriptedAction::json(
        &json!({"signals": rows, "pagination": {"limit": 200, "offset": 0, "total": 1000}})
            .to_string(),
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_triage_shows_progress_and_reports_it_when_interrupted() {
    let done = || ScriptedAction::json(r#"{"updated":100}"#);
    let socket = ScriptedServer::start([done(), done(), done(), ScriptedAction::Hang]).await;
    let ids = signal_ids(1_200);
    let arguments: Vec<_> = ["queue", "triage", "done"]
        .into_iter()
        .chain(ids.iter().map(String::as_str))
        .collect();
    let mut session = program_against(&socket.base_url, &arguments).start();
    session.wait_until("300 of 1,200 signals and a fourth request", |session| {
        session.text().contains("300 of 1,200 signals") && socket.requests().len() == 4
    });
    session.type_keys("\x03");
    assert_eq!(session.wait_for_exit(), 130);
    let text = session.text();
    assert!(
        text.contains("gantry: stopped: 300 of 1,200 signals done; the next 100 may be done"),
        "{text}"
    );
    session.assert_terminal_restored();
    socket.wait_for_disconnects(1).await;
    assert_eq!(socket.requests().len(), 4, "nothing was sent afterwards");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_list_shows_progress_and_reports_it_when_interrupted() {
    let socket = ScriptedServer::start([
        queue_page(0..200),
        queue_page(200..400),
        ScriptedAction::Hang,
    ])
    .await;
    let mut session = program_against(&socket.base_url, &["queue", "list", "--all"]).start();
    session.wait_for("400 of 1,000 rows");
    session.type_keys("\x03");
    assert_eq!(session.wait_for_exit(), 130);
    assert!(
        session
            .text()
            .contains("gantry: stopped: 400 of 1,000 rows done"),
        "{}",
        session.text()
    );
    assert!(
        session
            .text()
            .contains("018f4d3a-0000-7000-8000-000000000399"),
        "the rows received: {}",
        session.text()
    );
    session.assert_terminal_restored();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_progress_line_is_cleared_when_the_work_is_done() {
    let socket = ScriptedServer::start([ScriptedAction::json(r#"{"updated":100}"#)]).await;
    let ids = signal_ids(300);
    let arguments: Vec<_> = ["queue", "triage", "done"]
        .into_iter()
        .chain(ids.iter().map(String::as_str))
        .collect();
    let mut session = program_against(&socket.base_url, &arguments).start();
    assert_eq!(session.wait_for_exit(), 0);
    assert!(
        session.all_output().contains("200 of 300 signals"),
        "{}",
        session.all_output()
    );
    assert_eq!(session.text().trim(), "300 signals changed to done");
}

#[test]
fn a_typed_token_is_not_echoed_and_echo_is_restored() {
    let served = SpawnedService::start(&["--projects", "20"]);
    let of = |name: &str| {
        served
            .env
            .iter()
            .find(|(known, _)| *known == name)
            .unwrap()
            .1
            .clone()
    };
    let sign_in = || {
        let url = of("GANTRY_BASE_URL");
        gantry_program(&[
            "login",
            "--base-url",
            &url,
            "--workspace",
            &of("GANTRY_WORKSPACE"),
        ])
        .start()
        .wait_for_text("it is not shown")
    };
    let mut session = sign_in();
    session.type_keys(&format!("{}\r", of("GANTRY_TOKEN")));
    assert_eq!(session.wait_for_exit(), 0, "{}", session.text());
    assert!(
        session.text().contains("signed in to ")
            && !session.all_output().contains(&of("GANTRY_TOKEN")),
        "{}",
        session.all_output()
    );
    session.assert_terminal_restored();

    let mut session = sign_in();
    session.type_keys("half a tok\x03");
    assert_eq!(session.wait_for_exit(), 130);
    assert!(
        !session.all_output().contains("half"),
        "{}",
        session.all_output()
    );
    session.assert_terminal_restored();
}

/// The width of the widest line on the screen.
fn widest_line(session: &TerminalSession) -> usize {
    session
        .text()
        .lines()
        .map(|line| line.chars().count())
        .max()
        .unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_fits_the_terminal_and_truncates_long_cells() {
    let row = json!({"id": signal_ids(1)[0], "signal_type": "permit_filed", "priority": "high", "triage_status": "new",
        "filed_at": "2026-07-02T09:00:00Z", "reported_cost_usd": 41_200_000,
        "project_name": "Harbor Yard Lofts and Gardens, second phase", "project_primary_address": "12 Harbor Street, Suite 1400"});
    let rows = ScriptedAction::json(
        &json!({"signals": [row], "pagination": {"limit": 50, "offset": 0, "total": 1}})
            .to_string(),
    );
    let socket = ScriptedServer::start([rows]).await;
    for (columns, cut) in [("100", true), ("200", false)] {
        let mut session = program_against(&socket.base_url, &["queue", "list"])
            .env("COLUMNS", columns)
            .start();
        assert_eq!(session.wait_for_exit(), 0);
        let text = session.all_output();
        assert_eq!(
            (text.contains(".."), text.contains("second phase")),
            (cut, !cut),
            "{text}"
        );
        assert_eq!(
            (
                text.contains(&signal_ids(1)[0]),
                text.contains("ids have no room here")
            ),
            (!cut, cut),
            "an id is whole, or left out and said to be: {text}"
        );
        assert!(
            text.lines()
                .all(|line| line.trim_end().chars().count() <= columns.parse().unwrap()),
            "{text}"
        );
    }
    let mut session = program_against(&socket.base_url, &["queue", "list"]).start();
    assert_eq!(session.wait_for_exit(), 0);
    assert!(
        widest_line(&session) <= 100 && session.text().lines().count() == 3,
        "{}",
        session.text()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_service_is_named_while_waiting() {
    let socket = ScriptedServer::start([ScriptedAction::Hang]).await;
    let mut session =
        program_against(&socket.base_url, &["--timeout", "30s", "queue", "stats"]).start();
    session.wait_for("is slow to respond; Ctrl-C cancels");
    session.type_keys("\x03");
    assert_eq!(session.wait_for_exit(), 130);
}

#[test]
fn without_a_token_the_console_and_a_command_exit_with_status_3() {
    let location = ["--base-url", "https://permits.example/api/v1"];
    for verb in [&[][..], &["queue", "stats"]] {
        let mut session = gantry_program(&[&location, verb].concat()).start();
        assert_eq!(session.wait_for_exit(), 3, "{verb:?}: {}", session.text());
        assert!(
            session
                .text()
                .starts_with("gantry: no token for https://permits.example"),
            "{}",
            session.text()
        );
    }
}
