//! The built program against a service and a network that misbehave: a test a fault, in the order in which a request meets them.
//!
//! Each says how the program ends, the one line on standard error, and how often it asked: nothing is repeated that must not be,
//! nothing more than three times.

use std::process::{Command, Output, Stdio};
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::net::TcpSocket;

use crate::hostile::{Act, Hostile};
use crate::served::Served;
use crate::tls::{self, Tls};

const WORKSPACE: &str = "018f4d3a-0000-7000-8000-00000000000a";
const A: &str = "018f4d3a-0000-7000-8000-000000000001";
const B: &str = "018f4d3a-0000-7000-8000-000000000002";
const STATS: &str = r#"{"new_count":3,"high_priority_new_count":1,"done_count":2,"type_counts":[]}"#;

const COUNT: &[&str] = &["queue", "stats", "--json"];
const LIST: &[&str] = &["queue", "list", "--format", "jsonl"];
const TRIAGE: &[&str] = &["queue", "triage", "done", A, "--json"];
const INVITE: &[&str] = &["invitations", "create", "new@northline.example"];
const UNSUBSCRIBE: &[&str] = &["subscriptions", "remove", "permit_filed"];

/// How a run of the program ended.
#[derive(Debug)]
struct Met {
    status: Option<i32>,
    out: String,
    err: String,
    asked: usize,
}

fn gantry(base_url: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gantry"));
    command
        .env_clear()
        .env("HOME", env!("CARGO_TARGET_TMPDIR"))
        .env("GANTRY_TOKEN", "gk_canary")
        .env("GANTRY_WORKSPACE", WORKSPACE);
    command.env("GANTRY_BASE_URL", base_url).stdin(Stdio::null());
    command
}

impl Met {
    fn of(output: Output, base_url: &str, asked: usize) -> Met {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        let host = base_url.split('/').nth(2).unwrap();
        let met =
            Met { status: output.status.code(), out: text(output.stdout), err: text(output.stderr).replace(host, "HOST"), asked };
        assert!(!met.err.contains("gk_canary") && !met.err.trim_end().contains(|c: char| c.is_control() && c != '\n'), "{met:?}");
        met
    }

    /// It failed with this one line on standard error, having asked so often.
    #[track_caller]
    fn failed(&self, status: i32, line: &str, asked: usize) {
        let expected = (Some(status), format!("gantry: {line}\n"), asked);
        assert_eq!((self.status, self.err.clone(), self.asked), expected, "{self:?}");
    }

    /// The same for the counts of the queue; nothing is on standard output.
    #[track_caller]
    fn no_count(&self, status: i32, why: &str, asked: usize) {
        self.failed(status, &format!("cannot count the queue: {why}"), asked);
        assert_eq!(self.out, "");
    }

    /// The same for its rows.
    #[track_caller]
    fn no_list(&self, status: i32, why: &str, asked: usize) {
        self.failed(status, &format!("cannot list the queue: {why}"), asked);
        assert_eq!(self.out, "");
    }

    /// A triage of which it is not known what became of it.
    #[track_caller]
    fn unknown(&self, why: &str, asked: usize) {
        self.failed(5, &format!("cannot mark the rest: {why}; whether it was applied is unknown"), asked);
        let report: Value = serde_json::from_str(&self.out).unwrap();
        assert_eq!((&report["unknown"], &report["not_sent"]), (&json!([A]), &json!(0)));
    }

    /// It did what was asked without a word.
    #[track_caller]
    fn done(&self, asked: usize) {
        assert_eq!((self.status, self.err.as_str(), self.asked), (Some(0), "", asked), "{self:?}");
    }
}

/// Runs a verb against a socket that acts so.
async fn met(acts: impl IntoIterator<Item = Act>, args: &[&str]) -> Met {
    let socket = Hostile::start(acts).await;
    let output = gantry(&socket.base_url).args(args).output().unwrap();
    Met::of(output, &socket.base_url, socket.seen().len())
}

/// The rows of the queue, sent so, as JSON lines.
async fn rows(rows: &str) -> Vec<String> {
    let met = met([signals(rows)], LIST).await;
    met.done(1);
    met.out.lines().map(str::to_owned).collect()
}

/// One row of the queue, sent so, in a table, after its id.
async fn row(fields: &str) -> String {
    let met = met([signals(&format!(r#"{{"id":"{A}",{fields}}}"#))], &["queue", "list"]).await;
    met.done(1);
    let line = met.out.lines().nth(1).unwrap().strip_prefix(A).unwrap();
    line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect::<Vec<_>>().join(" | ")
}

/// Runs a verb where no socket answers.
fn alone(base_url: &str, args: &[&str], env: &[(&str, &str)]) -> Met {
    Met::of(gantry(base_url).args(args).envs(env.iter().copied()).output().unwrap(), base_url, 0)
}

fn cut() -> Act {
    Act::Bytes(b"HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{\"new_co".to_vec())
}

fn signals(rows: &str) -> Act {
    let total = serde_json::from_str::<Vec<&serde_json::value::RawValue>>(&format!("[{rows}]")).map_or(1, |rows| rows.len());
    Act::json(&format!(r#"{{"signals":[{rows}],"pagination":{{"limit":50,"offset":0,"total":{total}}}}}"#))
}

#[test]
fn f01_a_refused_connection_is_told_with_what_to_look_at() {
    let gone = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let why = "cannot reach HOST: connection refused; is the service running, and the address right?";
    alone(&format!("http://{gone}/api/v1"), COUNT, &[]).no_count(5, why, 0);
}

#[test]
fn f02_a_name_that_nobody_knows_is_told_as_such() {
    let met = alone("https://signals.invalid/api/v1", COUNT, &[]);
    // A machine whose resolver does not answer either has the other line.
    let lines = [
        "cannot resolve the host HOST; is the address right?",
        "HOST took no connection in time; is the address right, and the network there?",
    ];
    assert!(
        met.status == Some(5) && lines.iter().any(|line| met.err == format!("gantry: cannot count the queue: {line}\n")),
        "{met:?}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn f03_a_network_without_a_way_there_is_told_as_such() {
    let why = "cannot reach HOST: no route there; is the service running, and the address right?";
    alone("https://255.255.255.255/api/v1", COUNT, &[]).no_count(5, why, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn f04_a_connection_that_is_swallowed_is_given_up() {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener = socket.listen(1).unwrap();
    let address = listener.local_addr().unwrap();
    // Two fill the queue of those that wait to be accepted; whoever comes later is not heard.
    let _waiting = [std::net::TcpStream::connect(address).unwrap(), std::net::TcpStream::connect(address).unwrap()];
    let met = alone(&format!("http://{address}/api/v1"), &["--timeout", "3s", "queue", "stats"], &[]);
    met.no_count(5, "HOST took no connection in time; is the address right, and the network there?", 0);
}

#[test]
fn f05_a_certificate_that_does_not_hold_is_told_by_what_is_wrong_with_it() {
    let authority = tls::file("ca.pem").display().to_string();
    let trusting = [("SSL_CERT_FILE", authority.as_str())];
    for (name, trust, why) in [
        ("expired", trusting.as_slice(), "its certificate has expired, or this machine's clock is wrong"),
        ("other", &trusting, "its certificate is for another name"),
        ("self", &trusting, "its certificate is self-signed, and this machine does not trust it"),
        ("good", &[], "its certificate is signed by nobody this machine trusts"),
    ] {
        let socket = Tls::start(name, STATS);
        alone(&socket.base_url, COUNT, trust).no_count(5, &format!("no safe connection to HOST: {why}"), 0);
        assert_eq!(socket.spoken.load(Ordering::SeqCst), 0, "the token never left");
    }
    alone(&Tls::start("good", STATS).base_url, COUNT, &trusting).done(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_scheme_is_told_with_the_right_one() {
    let plain = Served::start(&["--projects", "20"]);
    let (_, url) = plain.env.iter().find(|(name, _)| *name == "GANTRY_BASE_URL").unwrap();
    alone(&url.replace("http://", "https://"), COUNT, &[]).no_count(5, "HOST speaks plain http: try http://HOST", 0);
    let secure = Tls::start("good", STATS);
    let http = secure.base_url.replace("https://", "http://");
    alone(&http, COUNT, &[]).no_count(5, "HOST does not answer in http; if it speaks https, try https://HOST", 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn plain_http_works_on_a_machine_without_certificates() {
    let nowhere = [("SSL_CERT_FILE", "/nonexistent/ca.pem"), ("SSL_CERT_DIR", "/nonexistent")];
    let socket = Hostile::start([Act::json(STATS)]).await;
    alone(&socket.base_url, COUNT, &nowhere).done(0);
    let secure = Tls::start("good", STATS);
    let met = alone(&secure.base_url, COUNT, &nowhere);
    let why = "no safe connection to HOST: this machine has no CA certificates; install them";
    assert!(met.status == Some(2) && met.err.contains(why), "{}", met.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn f06_a_proxy_that_refuses_is_named_as_a_proxy_and_this_machine_needs_none() {
    for (act, why) in [
        (Act::Answer(407, "", vec![]), "proxy authorization required"),
        (Act::Answer(403, "", vec![]), "unsuccessful"),
        (Act::Close, "unexpected end of file"),
    ] {
        let proxy = Hostile::start([act]).await;
        let url = proxy.base_url.replace("http://", "http://user:secret@").replace("/api/v1", "");
        let met = alone("https://signals.example/api/v1", COUNT, &[("HTTPS_PROXY", &url)]);
        met.no_count(5, &format!("the proxy on the way to HOST refused ({why}); look at HTTPS_PROXY"), 0);
        assert!(proxy.seen().len() <= 3 && proxy.seen().iter().all(|seen| !seen.headers.contains("gk_canary")));
    }
    let socket = Hostile::start([Act::json(STATS)]).await;
    alone(&socket.base_url, COUNT, &[("HTTP_PROXY", "http://127.0.0.1:1"), ("ALL_PROXY", "http://127.0.0.1:1")]).done(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn f07_a_sign_in_page_of_the_network_is_no_answer_and_a_write_it_took_is_unknown() {
    let page = |status| Act::Answer(status, "content-type: text/html\r\n", b"<!DOCTYPE html><title>Hello</title>".to_vec());
    let wrong = "a web page answered instead of HOST: a sign-in page of the network, or a wrong address";
    met([page(200)], TRIAGE).await.unknown(wrong, 1);
    met([page(200)], COUNT).await.no_count(5, wrong, 1);
    met([page(511)], TRIAGE).await.unknown("a sign-in page answered instead of HOST; sign in to the network first", 1);
    let away = Act::Answer(302, "location: http://portal.example/\r\n", vec![]);
    met([away], TRIAGE)
        .await
        .unknown("HOST sends this on to portal.example (302), which is not followed; is the address right?", 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn f08_a_connection_that_breaks_before_the_answer_is_tried_again_without_a_word() {
    met([Act::Reset, Act::json(STATS)], COUNT).await.done(2);
    met([Act::Close, Act::Reset, Act::json(STATS)], COUNT).await.done(3);
    let why = |how| format!("the connection to HOST broke before the answer ({how})");
    met([Act::Close], COUNT).await.no_count(5, &why("connection closed before message completed"), 3);
    met([Act::Reset], LIST).await.no_list(5, &why("connection reset"), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn f09_a_write_whose_answer_was_lost_is_sent_again_only_where_that_changes_nothing() {
    let triage = met([Act::Close, Act::Reset, Act::json(r#"{"updated":0}"#)], TRIAGE).await;
    triage.done(3);
    assert!(triage.out.contains("\"uncounted\": 1"), "{}", triage.out);
    let late = || Act::refusal(504, "", "timeout", "Later");
    met([late()], TRIAGE).await.unknown("HOST is in trouble (504): Later", 3);
    for (act, why) in [
        (Act::Close, "the connection to HOST broke before the answer (connection closed before message completed)"),
        (late(), "HOST is in trouble (504): Later"),
    ] {
        let line = format!("cannot invite new@northline.example: {why}; whether it was applied is unknown");
        met([act], INVITE).await.failed(5, &line, 1);
    }
    met([Act::Close, Act::refusal(404, "", "not_found", "Not subscribed")], UNSUBSCRIBE).await.done(2);
    met([Act::refusal(404, "", "not_found", "Not subscribed")], UNSUBSCRIBE).await.failed(
        4,
        "cannot unsubscribe from permit_filed: not found: Not subscribed",
        1,
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn f10_an_answer_that_breaks_off_is_asked_for_again_and_a_paid_one_once() {
    met([cut(), Act::json(STATS)], COUNT).await.done(2);
    met([cut()], LIST).await.no_list(5, "the answer of HOST broke off after 8 bytes (it ended too early)", 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn f11_json_that_is_cut_shows_no_half_a_list() {
    let whole = format!(r#"{{"signals":[{{"id":"{A}"}},{{"id":"{B}"}}],"pagination":{{"total":2}}}}"#);
    for at in (1..whole.len() - 1).step_by(11) {
        let why = format!("bad answer (no JSON at line 1, column {at}) from HOST to GET /signals/queue");
        met([Act::json(&whole[..at])], LIST).await.no_list(5, &why, 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn f12_silence_is_given_up_in_time() {
    met([Act::Hang], COUNT).await.no_count(5, "HOST did not answer within 15 s", 1);
    met([Act::Hang], &["--timeout", "2s", "queue", "stats"]).await.no_count(5, "HOST did not answer within 0.5 s", 1);
    let triage = met([Act::Hang], &["--timeout", "2s", "queue", "triage", "done", A]).await;
    triage.failed(5, "cannot mark the rest: HOST did not answer within 0.7 s; whether it was applied is unknown", 1);
    let invite = met([Act::Hang], &[&["--timeout", "1s"], INVITE].concat()).await;
    let why = "HOST did not answer within 0.3 s; whether it was applied is unknown";
    invite.failed(5, &format!("cannot invite new@northline.example: {why}"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn f13_an_answer_that_drips_is_given_up_in_time() {
    let met = met([Act::Drip(Duration::from_millis(20))], &["--timeout", "1s", "queue", "stats"]).await;
    met.no_count(5, "the answer of HOST stalled", 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn f14_a_line_that_is_slow_and_alive_is_waited_for() {
    let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", STATS.len());
    let slowly = Act::Slowly(format!("{head}{STATS}").into_bytes(), Duration::from_millis(30));
    met([slowly], &["--timeout", "6s", "queue", "stats"]).await.done(1);
}

#[tokio::test(flavor = "multi_thread")]
async fn f15_a_connection_that_died_between_two_pages_costs_nothing_and_no_answer_goes_to_another_question() {
    let page = |from: usize| {
        let rows: Vec<_> = (from..from + 200).map(|n| json!({"id": format!("018f4d3a-0000-7000-8000-{n:012}")})).collect();
        json!({"signals": rows, "pagination": {"limit": 200, "offset": from, "total": 400}}).to_string()
    };
    let all = ["queue", "list", "--all", "--format", "jsonl"];
    let stray = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";
    for more in ["", stray] {
        let met = met([Act::kept(&page(0), more), Act::json(&page(200))], &all).await;
        met.done(2);
        assert_eq!(met.out.lines().count(), 400);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn f16_a_service_that_wants_to_be_left_alone_is() {
    let later = |after: &'static str| Act::refusal(429, after, "rate_limited", "Too many requests");
    for (after, wait) in [
        ("retry-after: 3600\r\n", "60 min"),
        ("date: Wed, 21 Oct 2026 07:28:00 GMT\r\nretry-after: Wed, 21 Oct 2026 07:29:00 GMT\r\n", "60 s"),
        ("", "30 s"),
        ("retry-after: soon\r\n", "30 s"),
        ("retry-after: -5\r\n", "30 s"),
        ("retry-after: 864000\r\n", "24 h"),
    ] {
        met([later(after)], COUNT).await.no_count(1, &format!("Too many requests; try again in {wait}"), 1);
    }
    // A short wait is waited for, and to its end.
    let socket = Hostile::start([later("retry-after: 1\r\n"), Act::json(STATS)]).await;
    let output = gantry(&socket.base_url).args(COUNT).output().unwrap();
    let seen = socket.seen();
    Met::of(output, &socket.base_url, seen.len()).done(2);
    assert!(seen[1].at - seen[0].at >= Duration::from_secs(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn f17_a_service_in_trouble_is_asked_three_times_and_then_told() {
    for status in [500, 502, 503, 504] {
        let trouble = || Act::refusal(status, "", "internal", "Oh");
        met([trouble(), Act::json(STATS)], COUNT).await.done(2);
        met([trouble()], COUNT).await.no_count(5, &format!("HOST is in trouble ({status}): Oh"), 3);
    }
    let busy = Act::refusal(503, "retry-after: 60\r\n", "unavailable", "Busy");
    met([busy], COUNT).await.no_count(5, "HOST is in trouble (503): Busy; try again in 60 s", 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn f19_good_json_is_taken_whatever_it_is_labelled() {
    for label in ["content-type: text/plain\r\n", "content-type: text/html\r\n", ""] {
        met([Act::Answer(200, label, STATS.into())], COUNT).await.done(1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn f20_an_empty_answer_is_no_answer() {
    for act in [|| Act::json(""), || Act::Answer(204, "", vec![])] {
        met([act()], COUNT).await.no_count(5, "empty answer from HOST to GET /signals/queue/stats", 2);
        met([act()], TRIAGE).await.unknown("empty answer from HOST to POST /signals/triage", 1);
    }
    met([Act::Answer(204, "", vec![])], UNSUBSCRIBE).await.done(1);
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn f21_f22_an_answer_of_a_gigabyte_is_refused_within_96_mib_of_memory() {
    for act in [Act::json(&"x".repeat(200 << 20)), Act::gzip_bomb(1000)] {
        let socket = Hostile::start([act]).await;
        let mut child = gantry(&socket.base_url).args(LIST).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut peak = 0;
        while child.try_wait().unwrap().is_none() {
            let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
            let kib = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse().ok());
            peak = peak.max(kib.unwrap_or(0));
        }
        let met = Met::of(child.wait_with_output().unwrap(), &socket.base_url, socket.seen().len());
        met.no_list(5, "the answer of HOST is too large (limit 8 MiB)", 1);
        assert!((1024..96 << 10).contains(&peak), "{peak} KiB");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn f23_what_is_no_http_is_told_without_its_bytes() {
    let bytes = |text: String| Act::Bytes(text.into_bytes());
    let broke = |why| format!("the connection to HOST broke before the answer ({why})");
    for (act, why) in [
        (bytes(format!("HTTP/1.1 200 OK\r\n{}\r\n{STATS}", "x-a: b\r\n".repeat(500))), broke("message head is too large")),
        (bytes(format!("HTTP/1.1 200 OK\r\nx-a: {}", "b".repeat(4 << 20))), broke("message head is too large")),
        (
            bytes("\u{1b}[2J garbage\r\n\r\n".to_owned()),
            "HOST does not answer in http; if it speaks https, try https://HOST".to_owned(),
        ),
        (
            bytes("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n".to_owned()),
            "the answer of HOST broke off after 0 bytes (Invalid chunk size line: missing size digit)".to_owned(),
        ),
    ] {
        met([act], COUNT).await.no_count(5, &why, 3);
    }
    let short = bytes(format!("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n{STATS}"));
    met([short], COUNT).await.no_count(5, "bad answer (no JSON at line 1, column 5) from HOST to GET /signals/queue/stats", 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn f24_a_redirect_is_not_followed_with_token_or_body() {
    let trap = Hostile::start([Act::json(STATS)]).await;
    let elsewhere = trap.base_url.replace("127.0.0.1", "localhost");
    for (location, there) in [
        (elsewhere.as_str(), "localhost"),
        ("/api/v1/signals/triage", "127.0.0.1"),
        ("http://signals.example/", "signals.example"),
        ("file:///etc/passwd", "another page"),
    ] {
        let header: &'static str = Box::leak(format!("location: {location}\r\n").into());
        let why = format!("HOST sends this on to {there} (307), which is not followed; is the address right?");
        met([Act::Answer(307, header, vec![])], TRIAGE).await.unknown(&why, 1);
    }
    assert!(trap.seen().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn f25_a_value_of_tomorrow_is_shown_as_it_came() {
    let fields = r#""signal_type":"orbital_permit","priority":"cosmic","triage_status":"pondered""#;
    assert_eq!(row(fields).await, "pondered | cosmic | orbital_permit | - | - | - | -");
}

#[tokio::test(flavor = "multi_thread")]
async fn f26_f27_f33_f34_what_is_missing_null_unknown_or_in_other_letters_costs_its_own_cell() {
    assert_eq!(row(r#""city":null"#).await, "- | - | - | - | - | - | -");
    assert_eq!(row(r#""priority":null,"project_name":null,"filed_at":null"#).await, "- | - | - | - | - | - | -");
    assert_eq!(row(r#""Priority":"high","__proto__":{"priority":"low"},"constructor":1"#).await, "- | - | - | - | - | - | -");
    let odd = r#"{"priority":null,"id":7,"__proto__":{"a":1}}"#;
    assert_eq!(rows(&format!("{odd},{{}}")).await, [odd, "{}"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn f28_f29_f30_f31_numbers_come_out_as_they_came_in() {
    for (number, cell) in [
        ("\"41200000\"", "$41.2M"),
        ("12.0", "$12"),
        ("-0", "$0"),
        ("1e0", "$1"),
        ("18446744073709551617", "$18446744073.7B"),
        ("1e400", "-"),
        ("\"a lot\"", "a lot"),
    ] {
        assert_eq!(row(&format!(r#""reported_cost_usd":{number}"#)).await, format!("- | - | - | - | {cell} | - | -"), "{number}");
        let sent = format!(r#"{{"id":"{A}","reported_cost_usd":{number}}}"#);
        assert_eq!(rows(&sent).await, [sent]);
    }
    let nan = Act::json(r#"{"signals":[{"id":NaN}]}"#);
    met([nan], LIST).await.no_list(5, "bad answer (no JSON at line 1, column 19) from HOST to GET /signals/queue", 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn f32_of_a_repeated_key_the_last_counts() {
    assert_eq!(row(r#""priority":"low","priority":"high""#).await, "- | high | - | - | - | - | -");
}

#[tokio::test(flavor = "multi_thread")]
async fn f35_an_answer_of_another_shape_is_no_empty_list() {
    let why = |expected| format!("unexpected answer of HOST to GET /signals/queue (expected signals: {expected})");
    for body in ["{}", "[]", "7", r#"{"rows":[]}"#] {
        met([Act::json(body)], LIST).await.no_list(5, &why("it was not there"), 1);
    }
    met([Act::json(r#"{"signals":{}}"#)], LIST).await.no_list(5, &why("a list was expected"), 1);
    let counted = "unexpected answer of HOST to GET /signals/queue/stats (expected new_count: it was not there)";
    met([Act::json("{}")], COUNT).await.no_count(5, counted, 1);
    met([Act::json(r#"{"error":{"code":"forbidden","message":"No"}}"#)], LIST).await.no_list(1, "refused (forbidden): No", 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn f36_what_is_nested_without_end_costs_its_row_and_little_room() {
    let deep = |depth| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert_eq!(row(&format!(r#""project_name":{}"#, deep(5_000))).await, "- | - | - | - | - | - | -");
    let api = met([Act::json(&deep(500_000))], &["api", "GET", "/workspace"]).await;
    api.done(1);
    assert!(api.out.len() < 2_000_000);
}

#[tokio::test(flavor = "multi_thread")]
async fn f37_text_that_is_no_text_is_told_by_its_place_and_never_shown() {
    met([Act::json(&format!("\u{feff}{STATS}"))], COUNT).await.done(1);
    let why = |what: &str| format!("bad answer ({what}) from HOST to GET /signals/queue/stats");
    for (body, what) in [
        (b"{\"a\": \"\xff\"}".to_vec(), "no UTF-8 at byte 7"),
        (format!("{STATS} x").into_bytes(), "no JSON at line 1, column 77"),
        (b"{\"a\":\"\x01\"}".to_vec(), "no JSON at line 1, column 6"),
    ] {
        met([Act::Answer(200, "", body)], COUNT).await.no_count(5, &why(what), 2);
    }
    assert_eq!(row(r#""project_name":"\ud800""#).await, "- | - | - | - | - | - | -");
    assert_eq!(row(r#""project_name":"a\u001b[2Jb\u202ec""#).await, "- | - | - | - | - | a␛[2Jb\u{fffd}c | -");
}

#[tokio::test(flavor = "multi_thread")]
async fn f38_a_date_that_is_none_is_shown_as_it_came() {
    for (date, cell) in [
        ("2026-02-31", "2026-02-31"),
        ("soon", "soon"),
        ("2026-07-02", "2026-07-02"),
        ("99999-01-01T00:00:00Z", "99999-01-01T00:00:00Z"),
    ] {
        assert_eq!(row(&format!(r#""filed_at":"{date}""#)).await, format!("- | - | - | {cell} | - | - | -"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn f39_a_row_that_comes_twice_is_listed_once_and_more_rows_than_asked_for_are_shown() {
    let twice = format!(r#"{{"id":"{A}"}},{{"id":"{B}"}},{{"id":"{A}"}}"#);
    assert_eq!(rows(&twice).await.len(), 2);
    let many: Vec<_> = (0..300).map(|n| json!({"id": format!("018f4d3a-0000-7000-8000-{n:012}")}).to_string()).collect();
    let met = met([signals(&many.join(","))], &["queue", "list", "--limit", "5", "--format", "jsonl"]).await;
    assert_eq!((met.status, met.asked), (Some(0), 1), "{}", met.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn f40_a_list_that_never_ends_is_left_when_it_repeats_itself() {
    let page = |from: usize, cursor: &str| {
        let rows: Vec<_> = (from..from + 100).map(|n| json!({"id": format!("018f4d3a-0000-7000-8000-{n:012}")})).collect();
        Act::json(&json!({"data": rows, "metadata": {"credits": 100, "search_after": cursor}}).to_string())
    };
    let all = ["data", "search", "projects", "--all", "--format", "jsonl"];
    let met_cursor = met([page(0, "a"), page(100, "b"), page(200, "a")], &all).await;
    let line = |rows| format!("cannot search projects: stopped after {rows} rows: the service sends the same ones again");
    met_cursor.failed(1, &line(300), 3);
    // The next page may have been on its way when the repeat was seen.
    let met_rows = met([page(0, "a"), page(0, "b"), page(0, "c")], &all).await;
    met_rows.failed(1, &line(100), met_rows.asked.clamp(2, 3));
    // The feed goes by offset and tells no total.
    let rows: Vec<_> = (0..200).map(|n| json!({"id": format!("018f4d3a-0000-7000-8000-{n:012}")})).collect();
    let feed = Act::json(&json!({"signals": rows, "pagination": {"limit": 200, "offset": 0, "total": null}}).to_string());
    let met = met([feed], &["signals", "list", "--all", "--format", "jsonl"]).await;
    met.failed(1, "cannot list signals: stopped after 200 rows: the service sends the same ones again", met.asked.clamp(2, 3));
}

#[tokio::test(flavor = "multi_thread")]
async fn f41_a_batch_says_what_became_of_each_item_however_the_service_answers() {
    let remove = ["book", "contacts", "remove", A, B, "--json"];
    let results = |results: Value| Act::json(&json!({"data": {"results": results}, "metadata": {"credits": 0}}).to_string());
    let error = json!({"index": 0, "status": "error", "error": {"code": "not_found", "message": "No such contact"}});
    let states = |met: &Met| {
        let outcomes: Vec<Value> = serde_json::from_str(&met.out).unwrap();
        outcomes.iter().map(|outcome| outcome["status"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    for (answer, expected, line) in [
        (
            results(json!([{"index": 1, "status": "ok"}, error])),
            ["error", "ok"],
            "cannot remove contacts: 1 of 2 records were not removed",
        ),
        (
            results(json!([{"index": 1, "status": "ok"}])),
            ["unknown", "ok"],
            "cannot remove contacts: 1 of 2 records were not removed",
        ),
        (
            results(json!([{"index": 0, "status": "ok"}, {"index": 1, "status": "pondered"}])),
            ["ok", "error"],
            "cannot remove contacts: 1 of 2 records were not removed",
        ),
        (results(json!([])), ["unknown", "unknown"], "cannot remove contacts: 2 of 2 records were not removed"),
    ] {
        let met = met([answer], &remove).await;
        assert_eq!(states(&met), expected, "{met:?}");
        met.failed(1, line, 1);
    }
    let nothing = met([Act::json(r#"{"data":null,"metadata":{"credits":0}}"#)], &remove).await;
    assert_eq!((nothing.status, states(&nothing)), (Some(5), vec!["unknown".to_owned(), "unknown".to_owned()]), "{nothing:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn f42_a_refusal_is_one_safe_line_whatever_its_body_holds() {
    let said = |why: &str| format!("HOST answered 400 to GET /signals/queue/stats: {why}");
    met([Act::Answer(400, "", b"<html>\x1b[2J".to_vec())], COUNT).await.no_count(1, &said("a web page"), 1);
    let mute = "HOST answered 400 Bad Request without a reason to GET /signals/queue/stats";
    met([Act::Answer(400, "", vec![])], COUNT).await.no_count(1, mute, 1);
    met([Act::refusal(409, "", "odd_code", "\u{1b}[31mred\n")], COUNT).await.no_count(1, "refused (odd_code): [31mred", 1);
    let long = met([Act::refusal(400, "", "bad_request", &"x".repeat(90_000))], COUNT).await;
    assert!(long.status == Some(1) && long.err.len() < 500, "{long:?}");
    let issue = r#"{"error":{"code":"bad_request","message":"Invalid","issues":[{"code":"invalid_enum_value",
        "path":["filters","stage","value"],"message":"no such stage","allowed":["approved","permitted"]}]}}"#;
    let why = "refused: Invalid: filters.stage.value no such stage (allowed: approved, permitted)";
    met([Act::Answer(400, "", issue.into())], LIST).await.no_list(1, why, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn f92_after_a_refused_token_nothing_more_is_sent() {
    let ids: Vec<_> = (0..250).map(|n| format!("018f4d3a-0000-7000-8000-{n:012}")).collect();
    let refused = Act::refusal(401, "", "unauthorized", "Unknown token");
    let args: Vec<_> = ["queue", "triage", "done"].into_iter().chain(ids.iter().map(String::as_str)).collect();
    let met = met([refused], &args).await;
    let why = "cannot mark the rest: HOST does not accept the token: Unknown token; check the token of this profile";
    met.failed(3, why, 1);
    assert_eq!(met.out, "0 signals changed to done; 250 not sent\n");
}
