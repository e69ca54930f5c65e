//! The built program against a misbehaving service or network: one test per fault, in the order in
//! which a request meets them.
//!
//! Each checks the exit status, the one line on standard error and the number of requests: nothing
//! is retried that must not be, and nothing more than three times.

use std::process::{Command, Output, Stdio};
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::net::TcpSocket;

use crate::scripted_server::{ScriptedAction, ScriptedServer};
use crate::spawned_service::SpawnedService;
use crate::tls_server::{self, TlsServer};

const WORKSPACE_ID: &str = "018f4d3a-0000-7000-8000-00000000000a";
const SIGNAL_ID: &str = "018f4d3a-0000-7000-8000-000000000001";
const OTHER_SIGNAL_ID: &str = "018f4d3a-0000-7000-8000-000000000002";
const STATS_JSON: &str =
    r#"{"new_count":3,"high_priority_new_count":1,"done_count":2,"type_counts":[]}"#;

const COUNT_ARGS: &[&str] = &["queue", "stats", "--json"];
const LIST_ARGS: &[&str] = &["queue", "list", "--format", "jsonl"];
const TRIAGE_ARGS: &[&str] = &["queue", "triage", "done", SIGNAL_ID, "--json"];
const INVITE_ARGS: &[&str] = &["invitations", "create", "new@northline.example"];
const UNSUBSCRIBE_ARGS: &[&str] = &["subscriptions", "remove", "permit_filed"];

/// The result of a run.
#[derive(Debug)]
struct RunOutcome {
    status: Option<i32>,
    stdout: String,
    stderr: String,
    request_count: usize,
}

fn gantry_command(base_url: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gantry"));
    command
        .env_clear()
        .env("HOME", crate::home())
        .env("GANTRY_TOKEN", "gk_canary")
        .env("GANTRY_WORKSPACE", WORKSPACE_ID);
    command
        .env("GANTRY_BASE_URL", base_url)
        .stdin(Stdio::null());
    command
}

/// An error in JSON as the line that it is without `--json`.
fn plain_line(line: &str) -> String {
    let error: Value = serde_json::from_str(line).unwrap_or_default();
    let Some(message) = error["error"]["message"].as_str() else {
        return line.to_owned();
    };
    let hint = error["error"]["hint"]
        .as_str()
        .map(|hint| format!("; {hint}"))
        .unwrap_or_default();
    format!("gantry: {message}{hint}")
}

impl RunOutcome {
    fn from_output(output: Output, base_url: &str, asked: usize) -> RunOutcome {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        let host = base_url.split('/').nth(2).unwrap();
        let met = RunOutcome {
            status: output.status.code(),
            stdout: text(output.stdout),
            stderr: text(output.stderr)
                .replace(host, "HOST")
                .lines()
                .map(|line| plain_line(line) + "\n")
                .collect(),
            request_count: asked,
        };
        assert!(
            !met.stderr.contains("gk_canary")
                && !met
                    .stderr
                    .trim_end()
                    .contains(|c: char| c.is_control() && c != '\n'),
            "{met:?}"
        );
        met
    }

    /// Asserts that it failed with this one line on standard error after this many requests.
    #[track_caller]
    fn assert_failed(&self, status: i32, line: &str, asked: usize) {
        let expected = (Some(status), format!("gantry: {line}\n"), asked);
        assert_eq!(
            (self.status, self.stderr.clone(), self.request_count),
            expected,
            "{self:?}"
        );
    }

    /// The same for the counts of the queue, with empty standard output.
    #[track_caller]
    fn assert_count_failed(&self, status: i32, why: &str, asked: usize) {
        self.assert_failed(status, &format!("cannot count the queue: {why}"), asked);
        assert_eq!(self.stdout, "");
    }

    /// The same for the rows of the queue.
    #[track_caller]
    fn assert_list_failed(&self, status: i32, why: &str, asked: usize) {
        self.assert_failed(status, &format!("cannot list the queue: {why}"), asked);
        assert_eq!(self.stdout, "");
    }

    /// Asserts that the result of a triage is unknown.
    #[track_caller]
    fn assert_outcome_unknown(&self, why: &str, asked: usize) {
        self.assert_failed(
            5,
            &format!("cannot mark the rest: {why}; whether it was applied is unknown"),
            asked,
        );
        let report: Value = serde_json::from_str(&self.stdout).unwrap();
        assert_eq!(
            (&report["unknown"], &report["not_sent"]),
            (&json!([SIGNAL_ID]), &json!(0))
        );
    }

    /// Asserts that it succeeded without notes.
    #[track_caller]
    fn assert_succeeded(&self, asked: usize) {
        assert_eq!(
            (self.status, self.stderr.as_str(), self.request_count),
            (Some(0), "", asked),
            "{self:?}"
        );
    }
}

/// Runs a command against a scripted server.
async fn run_against(
    actions: impl IntoIterator<Item = ScriptedAction>,
    args: &[&str],
) -> RunOutcome {
    let socket = ScriptedServer::start(actions).await;
    let output = gantry_command(&socket.base_url)
        .args(args)
        .output()
        .unwrap();
    RunOutcome::from_output(output, &socket.base_url, socket.requests().len())
}

/// Prints these rows of the queue as JSON lines.
async fn queue_json_lines(rows: &str) -> Vec<String> {
    let met = run_against([queue_response(rows)], LIST_ARGS).await;
    met.assert_succeeded(1);
    met.stdout.lines().map(str::to_owned).collect()
}

/// Prints one row of the queue as a table; returns its cells after the id.
async fn queue_table_row(fields: &str) -> String {
    let met = run_against(
        [queue_response(&format!(
            r#"{{"id":"{SIGNAL_ID}",{fields}}}"#
        ))],
        &["queue", "list"],
    )
    .await;
    met.assert_succeeded(1);
    let line = met
        .stdout
        .lines()
        .nth(1)
        .unwrap()
        .strip_prefix(SIGNAL_ID)
        .unwrap();
    line.split("  ")
        .map(str::trim)
        .filter(|cell| !cell.is_empty())
        .collect::<Vec<_>>()
        .join(" | ")
}

/// Runs a command without a scripted server.
fn run_without_server(base_url: &str, args: &[&str], env: &[(&str, &str)]) -> RunOutcome {
    RunOutcome::from_output(
        gantry_command(base_url)
            .args(args)
            .envs(env.iter().copied())
            .output()
            .unwrap(),
        base_url,
        0,
    )
}

fn truncated_response() -> ScriptedAction {
    ScriptedAction::SendBytes(b"HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{\"new_co".to_vec())
}

fn queue_response(rows: &str) -> ScriptedAction {
    let total = serde_json::from_str::<Vec<&serde_json::value::RawValue>>(&format!("[{rows}]"))
        .map_or(1, |rows| rows.len());
    ScriptedAction::json(&format!(
        r#"{{"signals":[{rows}],"pagination":{{"limit":50,"offset":0,"total":{total}}}}}"#
    ))
}

#[test]
fn f01_a_refused_connection_is_reported_with_what_to_check() {
    // a port that no other test can get
    let gone = "127.0.0.1:1";
    let why =
        "cannot reach HOST: connection refused; check the address and that the service is running";
    run_without_server(&format!("http://{gone}/api/v1"), COUNT_ARGS, &[])
        .assert_count_failed(5, why, 0);
}

#[test]
fn f02_an_unknown_host_name_is_reported() {
    let met = run_without_server("https://signals.invalid/api/v1", COUNT_ARGS, &[]);
    // A machine whose resolver does not respond gets the other line.
    let lines = [
        "cannot resolve the host HOST; check the address",
        "connection to HOST timed out; check the address and your network",
    ];
    assert!(
        met.status == Some(5)
            && lines
                .iter()
                .any(|line| met.stderr == format!("gantry: cannot count the queue: {line}\n")),
        "{met:?}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn f03_an_unreachable_network_is_reported() {
    let why =
        "cannot reach HOST: no route to host; check the address and that the service is running";
    run_without_server("https://255.255.255.255/api/v1", COUNT_ARGS, &[])
        .assert_count_failed(5, why, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn f04_a_connection_that_never_opens_times_out() {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener = socket.listen(1).unwrap();
    let address = listener.local_addr().unwrap();
    // Two connections fill the accept queue; later ones get no response.
    let _waiting = [
        std::net::TcpStream::connect(address).unwrap(),
        std::net::TcpStream::connect(address).unwrap(),
    ];
    let met = run_without_server(
        &format!("http://{address}/api/v1"),
        &["--timeout", "3s", "queue", "stats"],
        &[],
    );
    met.assert_count_failed(
        5,
        "connection to HOST timed out; check the address and your network",
        0,
    );
}

#[test]
fn f05_an_invalid_certificate_is_reported_with_its_problem() {
    let authority = tls_server::tls_file("ca.pem").display().to_string();
    let trusting = [("SSL_CERT_FILE", authority.as_str())];
    for (name, trust, why) in [
        (
            "expired",
            trusting.as_slice(),
            "its certificate has expired, or this machine's clock is wrong",
        ),
        (
            "other",
            &trusting,
            "its certificate is for a different name",
        ),
        (
            "self",
            &trusting,
            "its certificate is self-signed, and this machine does not trust it; if the service created it, pin it with gantry login",
        ),
        (
            "good",
            &[],
            "this machine does not trust the issuer of its certificate; if the service created it, pin it with gantry login",
        ),
    ] {
        let socket = TlsServer::start(name, STATS_JSON);
        run_without_server(&socket.base_url, COUNT_ARGS, trust).assert_count_failed(
            5,
            &format!("no secure connection to HOST: {why}"),
            0,
        );
        assert_eq!(
            socket.handshake_count.load(Ordering::SeqCst),
            0,
            "the token was not sent"
        );
    }
    run_without_server(
        &TlsServer::start("good", STATS_JSON).base_url,
        COUNT_ARGS,
        &trusting,
    )
    .assert_succeeded(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_url_scheme_is_reported_with_the_right_one() {
    let plain = SpawnedService::start(&["--projects", "20"]);
    let (_, url) = plain
        .env
        .iter()
        .find(|(name, _)| *name == "GANTRY_BASE_URL")
        .unwrap();
    run_without_server(&url.replace("http://", "https://"), COUNT_ARGS, &[]).assert_count_failed(
        5,
        "HOST speaks plain http: try http://HOST",
        0,
    );
    let secure = TlsServer::start("good", STATS_JSON);
    let http = secure.base_url.replace("https://", "http://");
    run_without_server(&http, COUNT_ARGS, &[]).assert_count_failed(
        5,
        "HOST did not reply in http; if it uses https, try https://HOST",
        0,
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn plain_http_works_on_a_machine_without_certificates() {
    let nowhere = [
        ("SSL_CERT_FILE", "/nonexistent/ca.pem"),
        ("SSL_CERT_DIR", "/nonexistent"),
    ];
    let socket = ScriptedServer::start([ScriptedAction::json(STATS_JSON)]).await;
    run_without_server(&socket.base_url, COUNT_ARGS, &nowhere).assert_succeeded(0);
    let secure = TlsServer::start("good", STATS_JSON);
    let met = run_without_server(&secure.base_url, COUNT_ARGS, &nowhere);
    let why = "no secure connection to HOST: this machine has no CA certificates; install the package ca-certificates";
    assert!(
        met.status == Some(2) && met.stderr.contains(why),
        "{}",
        met.stderr
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn f06_a_refusing_proxy_is_named_and_localhost_bypasses_proxies() {
    for (action, why) in [
        (
            ScriptedAction::Respond(407, "", vec![]),
            "proxy authorization required",
        ),
        (ScriptedAction::Respond(403, "", vec![]), "unsuccessful"),
        (ScriptedAction::Close, "unexpected end of file"),
    ] {
        let proxy = ScriptedServer::start([action]).await;
        let url = proxy
            .base_url
            .replace("http://", "http://user:secret@")
            .replace("/api/v1", "");
        let met = run_without_server(
            "https://signals.example/api/v1",
            COUNT_ARGS,
            &[("HTTPS_PROXY", &url)],
        );
        met.assert_count_failed(
            5,
            &format!("the proxy to HOST refused the connection ({why}); check HTTPS_PROXY"),
            0,
        );
        assert!(
            proxy.requests().len() <= 3
                && proxy
                    .requests()
                    .iter()
                    .all(|seen| !seen.headers.contains("gk_canary"))
        );
    }
    let socket = ScriptedServer::start([ScriptedAction::json(STATS_JSON)]).await;
    run_without_server(
        &socket.base_url,
        COUNT_ARGS,
        &[
            ("HTTP_PROXY", "http://127.0.0.1:1"),
            ("ALL_PROXY", "http://127.0.0.1:1"),
        ],
    )
    .assert_succeeded(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn f07_a_captive_portal_page_is_an_error_and_leaves_a_write_unknown() {
    let page = |status| {
        ScriptedAction::Respond(
            status,
            "content-type: text/html\r\n",
            b"<!DOCTYPE html><title>Hello</title>".to_vec(),
        )
    };
    let wrong = "a web page answered instead of HOST; sign in to the network or check the address";
    run_against([page(200)], TRIAGE_ARGS)
        .await
        .assert_outcome_unknown(wrong, 1);
    run_against([page(200)], COUNT_ARGS)
        .await
        .assert_count_failed(5, wrong, 1);
    run_against([page(511)], TRIAGE_ARGS)
        .await
        .assert_outcome_unknown(
            "a sign-in page answered instead of HOST; sign in to the network first",
            1,
        );
    let away = ScriptedAction::Respond(302, "location: http://portal.example/\r\n", vec![]);
    run_against([away], TRIAGE_ARGS)
        .await
        .assert_outcome_unknown(
            "HOST redirects to portal.example (302), which is not followed; check the address",
            1,
        );
}

#[tokio::test(flavor = "multi_thread")]
async fn f08_a_connection_reset_before_the_response_is_retried_silently() {
    run_against(
        [ScriptedAction::Reset, ScriptedAction::json(STATS_JSON)],
        COUNT_ARGS,
    )
    .await
    .assert_succeeded(2);
    run_against(
        [
            ScriptedAction::Close,
            ScriptedAction::Reset,
            ScriptedAction::json(STATS_JSON),
        ],
        COUNT_ARGS,
    )
    .await
    .assert_succeeded(3);
    let why = |how| format!("lost the connection to HOST before it replied ({how})");
    run_against([ScriptedAction::Close], COUNT_ARGS)
        .await
        .assert_count_failed(5, &why("connection closed before message completed"), 3);
    run_against([ScriptedAction::Reset], LIST_ARGS)
        .await
        .assert_list_failed(5, &why("connection reset"), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn f09_a_write_with_a_lost_response_is_retried_only_if_idempotent() {
    let triage = run_against(
        [
            ScriptedAction::Close,
            ScriptedAction::Reset,
            ScriptedAction::json(r#"{"updated":0}"#),
        ],
        TRIAGE_ARGS,
    )
    .await;
    triage.assert_succeeded(3);
    assert!(
        triage.stdout.contains("\"uncounted\": 1"),
        "{}",
        triage.stdout
    );
    let late = || ScriptedAction::error_response(504, "", "timeout", "Later");
    run_against([late()], TRIAGE_ARGS)
        .await
        .assert_outcome_unknown("HOST has a server error (504): Later", 3);
    for (action, why) in [
        (
            ScriptedAction::Close,
            "lost the connection to HOST before it replied (connection closed before message completed)",
        ),
        (late(), "HOST has a server error (504): Later"),
    ] {
        let line = format!(
            "cannot invite new@northline.example: {why}; whether it was applied is unknown"
        );
        run_against([action], INVITE_ARGS)
            .await
            .assert_failed(5, &line, 1);
    }
    run_against(
        [
            ScriptedAction::Close,
            ScriptedAction::error_response(404, "", "not_found", "Not subscribed"),
        ],
        UNSUBSCRIBE_ARGS,
    )
    .await
    .assert_succeeded(2);
    run_against(
        [ScriptedAction::error_response(
            404,
            "",
            "not_found",
            "Not subscribed",
        )],
        UNSUBSCRIBE_ARGS,
    )
    .await
    .assert_failed(
        4,
        "cannot unsubscribe from permit_filed: not found: Not subscribed",
        1,
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn f10_a_truncated_response_is_retried_and_a_paid_one_only_once() {
    run_against(
        [truncated_response(), ScriptedAction::json(STATS_JSON)],
        COUNT_ARGS,
    )
    .await
    .assert_succeeded(2);
    run_against([truncated_response()], LIST_ARGS)
        .await
        .assert_list_failed(
            5,
            "the response from HOST was cut off after 8 bytes (closed too early)",
            2,
        );
}

#[tokio::test(flavor = "multi_thread")]
async fn f11_truncated_json_shows_no_partial_list() {
    let whole = format!(
        r#"{{"signals":[{{"id":"{SIGNAL_ID}"}},{{"id":"{OTHER_SIGNAL_ID}"}}],"pagination":{{"total":2}}}}"#
    );
    for at in (1..whole.len() - 1).step_by(11) {
        let why = format!(
            "bad response (invalid JSON at line 1, column {at}) from HOST to GET /signals/queue"
        );
        run_against([ScriptedAction::json(&whole[..at])], LIST_ARGS)
            .await
            .assert_list_failed(5, &why, 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn f12_a_silent_server_times_out() {
    run_against([ScriptedAction::Hang], COUNT_ARGS)
        .await
        .assert_count_failed(5, "HOST did not answer within 15 s", 1);
    run_against(
        [ScriptedAction::Hang],
        &["--timeout", "2s", "queue", "stats"],
    )
    .await
    .assert_count_failed(5, "HOST did not answer within 0.5 s", 1);
    let triage = run_against(
        [ScriptedAction::Hang],
        &["--timeout", "2s", "queue", "triage", "done", SIGNAL_ID],
    )
    .await;
    triage.assert_failed(
        5,
        "cannot mark the rest: HOST did not answer within 0.7 s; whether it was applied is unknown",
        1,
    );
    let invite = run_against(
        [ScriptedAction::Hang],
        &[&["--timeout", "1s"], INVITE_ARGS].concat(),
    )
    .await;
    let why = "HOST did not answer within 0.3 s; whether it was applied is unknown";
    invite.assert_failed(5, &format!("cannot invite new@northline.example: {why}"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn f13_a_trickling_response_times_out() {
    let met = run_against(
        [ScriptedAction::Trickle(Duration::from_millis(20))],
        &["--timeout", "1s", "queue", "stats"],
    )
    .await;
    met.assert_count_failed(5, "the response from HOST stalled", 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn f14_a_slow_but_live_response_is_waited_for() {
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        STATS_JSON.len()
    );
    let slowly = ScriptedAction::SendSlowly(
        format!("{head}{STATS_JSON}").into_bytes(),
        Duration::from_millis(30),
    );
    run_against([slowly], &["--timeout", "6s", "queue", "stats"])
        .await
        .assert_succeeded(1);
}

#[tokio::test(flavor = "multi_thread")]
async fn f15_a_dead_keep_alive_connection_costs_nothing_and_responses_never_mix() {
    let page = |from: usize| {
        let rows: Vec<_> = (from..from + 200)
            .map(|n| json!({"id": format!("018f4d3a-0000-7000-8000-{n:012}")}))
            .collect();
        json!({"signals": rows, "pagination": {"limit": 200, "offset": from, "total": 400}})
            .to_string()
    };
    let all = ["queue", "list", "--all", "--format", "jsonl"];
    let stray = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";
    for more in ["", stray] {
        let met = run_against(
            [
                ScriptedAction::keep_alive(&page(0), more),
                ScriptedAction::json(&page(200)),
            ],
            &all,
        )
        .await;
        met.assert_succeeded(2);
        assert_eq!(met.stdout.lines().count(), 400);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn f16_a_rate_limit_is_respected() {
    let later = |after: &'static str| {
        ScriptedAction::error_response(429, after, "rate_limited", "Too many requests")
    };
    for (after, wait) in [
        ("retry-after: 3600\r\n", "60 min"),
        (
            "date: Wed, 21 Oct 2026 07:28:00 GMT\r\nretry-after: Wed, 21 Oct 2026 07:29:00 GMT\r\n",
            "60 s",
        ),
        ("", "30 s"),
        ("retry-after: soon\r\n", "30 s"),
        ("retry-after: -5\r\n", "30 s"),
        ("retry-after: 864000\r\n", "24 h"),
    ] {
        run_against([later(after)], COUNT_ARGS)
            .await
            .assert_count_failed(1, &format!("Too many requests; try again in {wait}"), 1);
    }
    // A short wait is waited out.
    let socket = ScriptedServer::start([
        later("retry-after: 1\r\n"),
        ScriptedAction::json(STATS_JSON),
    ])
    .await;
    let output = gantry_command(&socket.base_url)
        .args(COUNT_ARGS)
        .output()
        .unwrap();
    let seen = socket.requests();
    RunOutcome::from_output(output, &socket.base_url, seen.len()).assert_succeeded(2);
    assert!(seen[1].received_at - seen[0].received_at >= Duration::from_secs(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn f17_a_failing_service_is_tried_three_times_then_reported() {
    for status in [500, 502, 503, 504] {
        let trouble = || ScriptedAction::error_response(status, "", "internal", "Oh");
        run_against([trouble(), ScriptedAction::json(STATS_JSON)], COUNT_ARGS)
            .await
            .assert_succeeded(2);
        run_against([trouble()], COUNT_ARGS)
            .await
            .assert_count_failed(5, &format!("HOST has a server error ({status}): Oh"), 3);
    }
    let busy = ScriptedAction::error_response(503, "retry-after: 60\r\n", "unavailable", "Busy");
    run_against([busy], COUNT_ARGS).await.assert_count_failed(
        5,
        "HOST has a server error (503): Busy; try again in 60 s",
        1,
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn f19_valid_json_is_accepted_with_any_content_type() {
    for label in [
        "content-type: text/plain\r\n",
        "content-type: text/html\r\n",
        "",
    ] {
        run_against(
            [ScriptedAction::Respond(200, label, STATS_JSON.into())],
            COUNT_ARGS,
        )
        .await
        .assert_succeeded(1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn f20_an_empty_response_is_an_error() {
    for action in [
        || ScriptedAction::json(""),
        || ScriptedAction::Respond(204, "", vec![]),
    ] {
        run_against([action()], COUNT_ARGS)
            .await
            .assert_count_failed(5, "empty response from HOST to GET /signals/queue/stats", 2);
        run_against([action()], TRIAGE_ARGS)
            .await
            .assert_outcome_unknown("empty response from HOST to POST /signals/triage", 1);
    }
    run_against([ScriptedAction::Respond(204, "", vec![])], UNSUBSCRIBE_ARGS)
        .await
        .assert_succeeded(1);
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn f21_f22_a_gigabyte_response_is_rejected_within_96_mib_of_memory() {
    for action in [
        ScriptedAction::json(&"x".repeat(200 << 20)),
        ScriptedAction::gzip_bomb(1000),
    ] {
        let socket = ScriptedServer::start([action]).await;
        let mut child = gantry_command(&socket.base_url)
            .args(LIST_ARGS)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut peak = 0;
        while child.try_wait().unwrap().is_none() {
            let status =
                std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
            let kib = status.lines().find_map(|line| {
                line.strip_prefix("VmHWM:")?
                    .trim()
                    .strip_suffix(" kB")?
                    .parse()
                    .ok()
            });
            peak = peak.max(kib.unwrap_or(0));
        }
        let met = RunOutcome::from_output(
            child.wait_with_output().unwrap(),
            &socket.base_url,
            socket.requests().len(),
        );
        met.assert_list_failed(5, "the response from HOST is too large (limit 8 MiB)", 1);
        assert!((1024..96 << 10).contains(&peak), "{peak} KiB");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn f23_a_response_that_is_not_http_is_reported_without_its_bytes() {
    let bytes = |text: String| ScriptedAction::SendBytes(text.into_bytes());
    let broke = |why| format!("lost the connection to HOST before it replied ({why})");
    for (action, why) in [
        (bytes(format!("HTTP/1.1 200 OK\r\n{}\r\n{STATS_JSON}", "x-a: b\r\n".repeat(500))), broke("message head is too large")),
        (bytes(format!("HTTP/1.1 200 OK\r\nx-a: {}", "b".repeat(4 << 20))), broke("message head is too large")),
        (
            bytes("\u{1b}[2J garbage\r\n\r\n".to_owned()),
            "HOST did not reply in http; if it uses https, try https://HOST".to_owned(),
        ),
        (
            bytes("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n".to_owned()),
            "the response from HOST was cut off after 0 bytes (Invalid chunk size line: missing size digit)".to_owned(),
        ),
    ] {
        run_against([action], COUNT_ARGS).await.assert_count_failed(5, &why, 3);
    }
    let short = bytes(format!(
        "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n{STATS_JSON}"
    ));
    run_against([short], COUNT_ARGS).await.assert_count_failed(
        5,
        "bad response (invalid JSON at line 1, column 5) from HOST to GET /signals/queue/stats",
        2,
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn f24_a_redirect_never_receives_the_token_or_body() {
    let trap = ScriptedServer::start([ScriptedAction::json(STATS_JSON)]).await;
    let elsewhere = trap.base_url.replace("127.0.0.1", "localhost");
    for (location, there) in [
        (elsewhere.as_str(), "localhost"),
        ("/api/v1/signals/triage", "127.0.0.1"),
        ("http://signals.example/", "signals.example"),
        ("file:///etc/passwd", "another page"),
    ] {
        let header: &'static str = Box::leak(format!("location: {location}\r\n").into());
        let why =
            format!("HOST redirects to {there} (307), which is not followed; check the address");
        run_against([ScriptedAction::Respond(307, header, vec![])], TRIAGE_ARGS)
            .await
            .assert_outcome_unknown(&why, 1);
    }
    assert!(trap.requests().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn f25_an_unknown_enum_value_is_shown_unchanged() {
    let fields = r#""signal_type":"orbital_permit","priority":"cosmic","triage_status":"pondered""#;
    assert_eq!(
        queue_table_row(fields).await,
        "pondered | cosmic | orbital_permit | - | - | - | -"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn f26_f27_f33_f34_a_missing_null_unknown_or_renamed_field_affects_only_its_cell() {
    assert_eq!(
        queue_table_row(r#""city":null"#).await,
        "- | - | - | - | - | - | -"
    );
    assert_eq!(
        queue_table_row(r#""priority":null,"project_name":null,"filed_at":null"#).await,
        "- | - | - | - | - | - | -"
    );
    assert_eq!(
        queue_table_row(r#""Priority":"high","__proto__":{"priority":"low"},"constructor":1"#)
            .await,
        "- | - | - | - | - | - | -"
    );
    let odd = r#"{"priority":null,"id":7,"__proto__":{"a":1}}"#;
    assert_eq!(queue_json_lines(&format!("{odd},{{}}")).await, [odd, "{}"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn f28_f29_f30_f31_numbers_are_printed_as_received() {
    for (number, cell) in [
        ("\"41200000\"", "$41.2M"),
        ("12.0", "$12"),
        ("-0", "$0"),
        ("1e0", "$1"),
        ("18446744073709551617", "$18,446,744,074B"),
        ("1e400", "-"),
        ("\"a lot\"", "a lot"),
    ] {
        assert_eq!(
            queue_table_row(&format!(r#""reported_cost_usd":{number}"#)).await,
            format!("- | - | - | - | {cell} | - | -"),
            "{number}"
        );
        let sent = format!(r#"{{"id":"{SIGNAL_ID}","reported_cost_usd":{number}}}"#);
        assert_eq!(queue_json_lines(&sent).await, [sent]);
    }
    let nan = ScriptedAction::json(r#"{"signals":[{"id":NaN}]}"#);
    run_against([nan], LIST_ARGS).await.assert_list_failed(
        5,
        "bad response (invalid JSON at line 1, column 19) from HOST to GET /signals/queue",
        1,
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn f32_the_last_of_duplicate_json_keys_wins() {
    assert_eq!(
        queue_table_row(r#""priority":"low","priority":"high""#).await,
        "- | high | - | - | - | - | -"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn f35_a_response_of_another_shape_is_not_an_empty_list() {
    let why = |expected| {
        format!(
            "unexpected response from HOST to GET /signals/queue (expected signals: {expected})"
        )
    };
    for body in ["{}", "[]", "7", r#"{"rows":[]}"#] {
        run_against([ScriptedAction::json(body)], LIST_ARGS)
            .await
            .assert_list_failed(5, &why("missing"), 1);
    }
    run_against([ScriptedAction::json(r#"{"signals":{}}"#)], LIST_ARGS)
        .await
        .assert_list_failed(5, &why("not a list"), 1);
    let counted =
        "unexpected response from HOST to GET /signals/queue/stats (expected new_count: missing)";
    run_against([ScriptedAction::json("{}")], COUNT_ARGS)
        .await
        .assert_count_failed(5, counted, 1);
    run_against(
        [ScriptedAction::json(
            r#"{"error":{"code":"forbidden","message":"No"}}"#,
        )],
        LIST_ARGS,
    )
    .await
    .assert_list_failed(1, "rejected (forbidden): No", 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn f36_deeply_nested_json_loses_only_its_row_and_little_memory() {
    let deep = |depth| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert_eq!(
        queue_table_row(&format!(r#""project_name":{}"#, deep(5_000))).await,
        "- | - | - | - | - | - | -"
    );
    let api = run_against(
        [ScriptedAction::json(&deep(500_000))],
        &["api", "GET", "/workspace"],
    )
    .await;
    api.assert_succeeded(1);
    assert!(api.stdout.len() < 2_000_000);
}

#[tokio::test(flavor = "multi_thread")]
async fn f37_invalid_utf8_is_reported_by_position_and_never_shown() {
    run_against(
        [ScriptedAction::json(&format!("\u{feff}{STATS_JSON}"))],
        COUNT_ARGS,
    )
    .await
    .assert_succeeded(1);
    let why = |what: &str| format!("bad response ({what}) from HOST to GET /signals/queue/stats");
    for (body, what) in [
        (b"{\"a\": \"\xff\"}".to_vec(), "invalid UTF-8 at byte 7"),
        (
            format!("{STATS_JSON} x").into_bytes(),
            "invalid JSON at line 1, column 77",
        ),
        (
            b"{\"a\":\"\x01\"}".to_vec(),
            "invalid JSON at line 1, column 6",
        ),
    ] {
        run_against([ScriptedAction::Respond(200, "", body)], COUNT_ARGS)
            .await
            .assert_count_failed(5, &why(what), 2);
    }
    assert_eq!(
        queue_table_row(r#""project_name":"\ud800""#).await,
        "- | - | - | - | - | - | -"
    );
    assert_eq!(
        queue_table_row(r#""project_name":"a\u001b[2Jb\u202ec""#).await,
        "- | - | - | - | - | a␛[2Jb\u{fffd}c | -"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn f38_an_invalid_date_is_shown_unchanged() {
    for (date, cell) in [
        ("2026-02-31", "2026-02-31"),
        ("soon", "soon"),
        ("2026-07-02", "2026-07-02"),
        ("99999-01-01T00:00:00Z", "99999-01-01T00:00:00Z"),
    ] {
        assert_eq!(
            queue_table_row(&format!(r#""filed_at":"{date}""#)).await,
            format!("- | - | - | {cell} | - | - | -")
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn f39_duplicate_rows_are_listed_once_and_extra_rows_are_shown() {
    let twice =
        format!(r#"{{"id":"{SIGNAL_ID}"}},{{"id":"{OTHER_SIGNAL_ID}"}},{{"id":"{SIGNAL_ID}"}}"#);
    assert_eq!(queue_json_lines(&twice).await.len(), 2);
    let many: Vec<_> = (0..300)
        .map(|n| json!({"id": format!("018f4d3a-0000-7000-8000-{n:012}")}).to_string())
        .collect();
    let met = run_against(
        [queue_response(&many.join(","))],
        &["queue", "list", "--limit", "5", "--format", "jsonl"],
    )
    .await;
    assert_eq!(
        (met.status, met.request_count),
        (Some(0), 1),
        "{}",
        met.stderr
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn f40_an_endless_list_stops_when_it_repeats() {
    let page = |from: usize, cursor: &str| {
        let rows: Vec<_> = (from..from + 100)
            .map(|n| json!({"id": format!("018f4d3a-0000-7000-8000-{n:012}")}))
            .collect();
        ScriptedAction::json(
            &json!({"data": rows, "metadata": {"credits": 100, "search_after": cursor}})
                .to_string(),
        )
    };
    let all = ["data", "search", "projects", "--all", "--format", "jsonl"];
    let met_cursor = run_against([page(0, "a"), page(100, "b"), page(200, "a")], &all).await;
    let line = |rows| {
        format!(
            "cannot search projects: stopped after {rows} rows: the service sent the same rows again"
        )
    };
    met_cursor.assert_failed(1, &line(300), 3);
    // The next page may already have been requested when the repeat was detected.
    let met_rows = run_against([page(0, "a"), page(0, "b"), page(0, "c")], &all).await;
    met_rows.assert_failed(1, &line(100), met_rows.request_count.clamp(2, 3));
    // The feed uses offsets and reports no total.
    let rows: Vec<_> = (0..200)
        .map(|n| json!({"id": format!("018f4d3a-0000-7000-8000-{n:012}")}))
        .collect();
    let feed = ScriptedAction::json(
        &json!({"signals": rows, "pagination": {"limit": 200, "offset": 0, "total": null}})
            .to_string(),
    );
    let met = run_against([feed], &["signals", "list", "--all", "--format", "jsonl"]).await;
    met.assert_failed(
        1,
        "cannot list signals: stopped after 200 rows: the service sent the same rows again",
        met.request_count.clamp(2, 3),
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn f41_a_batch_reports_each_item_for_any_response_shape() {
    let annotate = [
        "book",
        "contacts",
        "set",
        SIGNAL_ID,
        OTHER_SIGNAL_ID,
        "--clear-notes",
        "--json",
    ];
    let results = |results: Value| {
        ScriptedAction::json(
            &json!({"data": {"results": results}, "metadata": {"credits": 0}}).to_string(),
        )
    };
    let error = json!({"index": 0, "status": "error", "error": {"code": "not_found", "message": "No such contact"}});
    let states = |met: &RunOutcome| {
        let outcomes: Vec<Value> = serde_json::from_str(&met.stdout).unwrap();
        outcomes
            .iter()
            .map(|outcome| outcome["status"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    for (answer, expected, line) in [
        (
            results(json!([{"index": 1, "status": "ok"}, error])),
            ["error", "ok"],
            "cannot annotate contacts: 1 of 2 records were not saved",
        ),
        (
            results(json!([{"index": 1, "status": "ok"}])),
            ["unknown", "ok"],
            "cannot annotate contacts: 1 of 2 records were not saved",
        ),
        (
            results(json!([{"index": 0, "status": "ok"}, {"index": 1, "status": "pondered"}])),
            ["ok", "error"],
            "cannot annotate contacts: 1 of 2 records were not saved",
        ),
        (
            results(json!([])),
            ["unknown", "unknown"],
            "cannot annotate contacts: 2 of 2 records were not saved",
        ),
    ] {
        let met = run_against([answer], &annotate).await;
        assert_eq!(states(&met), expected, "{met:?}");
        met.assert_failed(1, line, 1);
    }
    let nothing = run_against(
        [ScriptedAction::json(
            r#"{"data":null,"metadata":{"credits":0}}"#,
        )],
        &annotate,
    )
    .await;
    assert_eq!(
        (nothing.status, states(&nothing)),
        (Some(5), vec!["unknown".to_owned(), "unknown".to_owned()]),
        "{nothing:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn f42_any_error_body_becomes_one_safe_line() {
    let line = |why: &str| format!("HOST returned 400 for GET /signals/queue/stats: {why}");
    run_against(
        [ScriptedAction::Respond(400, "", b"<html>\x1b[2J".to_vec())],
        COUNT_ARGS,
    )
    .await
    .assert_count_failed(1, &line("a web page"), 1);
    let mute = "HOST returned 400 Bad Request without a reason for GET /signals/queue/stats";
    run_against([ScriptedAction::Respond(400, "", vec![])], COUNT_ARGS)
        .await
        .assert_count_failed(1, mute, 1);
    run_against(
        [ScriptedAction::error_response(
            409,
            "",
            "odd_code",
            "\u{1b}[31mred\n",
        )],
        COUNT_ARGS,
    )
    .await
    .assert_count_failed(1, "rejected (odd_code): [31mred", 1);
    let long = run_against(
        [ScriptedAction::error_response(
            400,
            "",
            "bad_request",
            &"x".repeat(90_000),
        )],
        COUNT_ARGS,
    )
    .await;
    assert!(
        long.status == Some(1) && long.stderr.len() < 600,
        "{long:?}"
    );
    let issue = r#"{"error":{"code":"bad_request","message":"Invalid","issues":[{"code":"invalid_enum_value",
        "path":["filters","stage","value"],"message":"no such stage","allowed":["approved","permitted"]}]}}"#;
    let why = "rejected: Invalid: filters.stage.value no such stage (allowed: approved, permitted)";
    run_against([ScriptedAction::Respond(400, "", issue.into())], LIST_ARGS)
        .await
        .assert_list_failed(1, why, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn f92_nothing_is_sent_after_a_rejected_token() {
    let ids: Vec<_> = (0..250)
        .map(|n| format!("018f4d3a-0000-7000-8000-{n:012}"))
        .collect();
    let refused = ScriptedAction::error_response(401, "", "unauthorized", "Unknown token");
    let args: Vec<_> = ["queue", "triage", "done"]
        .into_iter()
        .chain(ids.iter().map(String::as_str))
        .collect();
    let met = run_against([refused], &args).await;
    let why = "cannot mark the rest: HOST rejected the token: Unknown token; check the token in GANTRY_TOKEN, or get a new join code from an owner or admin and run: gantry join";
    met.assert_failed(3, why, 1);
    assert_eq!(met.stdout, "0 signals changed to done; 250 not sent\n");
}
