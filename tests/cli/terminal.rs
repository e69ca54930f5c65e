//! Verbs in a pseudo-terminal: what a person sees of long work, of a secret that is typed, and of a table that is too wide.

use serde_json::json;

use crate::hostile::{Act, Hostile};
use crate::pty::{Program, Session, gantry};
use crate::served::Served;

const WORKSPACE: &str = "018f4d3a-0000-7000-8000-00000000000a";

/// A verb that speaks to this service.
fn asking(base_url: &str, arguments: &[&str]) -> Program {
    gantry(arguments).env("GANTRY_BASE_URL", base_url).env("GANTRY_WORKSPACE", WORKSPACE).env("GANTRY_TOKEN", "gk_canary")
}

fn ids(count: usize) -> Vec<String> {
    (0..count).map(|n| format!("018f4d3a-0000-7000-8000-{n:012}")).collect()
}

fn page(rows: std::ops::Range<usize>) -> Act {
    let rows: Vec<_> = rows.map(|n| json!({"id": format!("018f4d3a-0000-7000-8000-{n:012}")})).collect();
    Act::json(&json!({"signals": rows, "pagination": {"limit": 200, "offset": 0, "total": 1000}}).to_string())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_triage_of_thousands_shows_how_far_it_is_and_says_so_when_it_is_interrupted() {
    let done = || Act::json(r#"{"updated":100}"#);
    let socket = Hostile::start([done(), done(), done(), Act::Hang]).await;
    let ids = ids(1_200);
    let arguments: Vec<_> = ["queue", "triage", "done"].into_iter().chain(ids.iter().map(String::as_str)).collect();
    let mut session = asking(&socket.base_url, &arguments).start();
    session.wait_until("300 of 1,200 signals and a fourth request", |session| {
        session.text().contains("300 of 1,200 signals") && socket.seen().len() == 4
    });
    session.type_keys("\x03");
    assert_eq!(session.end(), 130);
    let text = session.text();
    assert!(text.contains("gantry: stopped: 300 of 1,200 signals done; the next 100 may have been"), "{text}");
    session.assert_as_found();
    socket.left(1).await;
    assert_eq!(socket.seen().len(), 4, "nothing was sent after it");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_list_shows_how_far_it_is_and_says_so_when_it_is_interrupted() {
    let socket = Hostile::start([page(0..200), page(200..400), Act::Hang]).await;
    let mut session = asking(&socket.base_url, &["queue", "list", "--all"]).start();
    session.wait_for("400 of 1,000 rows");
    session.type_keys("\x03");
    assert_eq!(session.end(), 130);
    assert!(session.text().contains("gantry: stopped: 400 of 1,000 rows done"), "{}", session.text());
    assert!(session.text().contains("018f4d3a-0000-7000-8000-000000000399"), "the rows that came: {}", session.text());
    session.assert_as_found();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_shown_of_long_work_is_gone_when_it_is_done() {
    let socket = Hostile::start([Act::json(r#"{"updated":100}"#)]).await;
    let ids = ids(300);
    let arguments: Vec<_> = ["queue", "triage", "done"].into_iter().chain(ids.iter().map(String::as_str)).collect();
    let mut session = asking(&socket.base_url, &arguments).start();
    assert_eq!(session.end(), 0);
    assert!(session.all().contains("200 of 300 signals"), "{}", session.all());
    assert_eq!(session.text().trim(), "300 signals changed to done");
}

#[test]
fn a_token_that_is_typed_is_not_shown_and_the_terminal_shows_again_what_comes_after() {
    let served = Served::start(&["--projects", "20"]);
    let of = |name: &str| served.env.iter().find(|(known, _)| *known == name).unwrap().1.clone();
    let sign_in = || {
        let url = of("GANTRY_BASE_URL");
        gantry(&["login", "--base-url", &url, "--workspace", &of("GANTRY_WORKSPACE")]).start().waited_for("it is not shown")
    };
    let mut session = sign_in();
    session.type_keys(&format!("{}\r", of("GANTRY_TOKEN")));
    assert_eq!(session.end(), 0, "{}", session.text());
    assert!(session.text().contains("signed in to ") && !session.all().contains(&of("GANTRY_TOKEN")), "{}", session.all());
    session.assert_as_found();

    let mut session = sign_in();
    session.type_keys("half a tok\x03");
    assert_eq!(session.end(), 130);
    assert!(!session.all().contains("half"), "{}", session.all());
    session.assert_as_found();
}

/// The widest line on the screen, and all of it.
fn widest(session: &Session) -> usize {
    session.text().lines().map(|line| line.chars().count()).max().unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_is_as_wide_as_the_terminal_and_long_cells_are_cut() {
    let row = json!({"id": ids(1)[0], "signal_type": "permit_filed", "priority": "high", "triage_status": "new",
        "filed_at": "2026-07-02T09:00:00Z", "reported_cost_usd": 41_200_000,
        "project_name": "Harbor Yard Lofts and Gardens, second phase", "project_primary_address": "12 Harbor Street, Suite 1400"});
    let rows = Act::json(&json!({"signals": [row], "pagination": {"limit": 50, "offset": 0, "total": 1}}).to_string());
    let socket = Hostile::start([rows]).await;
    for (columns, cut) in [("100", true), ("200", false)] {
        let mut session = asking(&socket.base_url, &["queue", "list"]).env("COLUMNS", columns).start();
        assert_eq!(session.end(), 0);
        let text = session.all();
        assert_eq!((text.contains(".."), text.contains("second phase")), (cut, !cut), "{text}");
        assert!(text.contains(&ids(1)[0]), "an id is never cut");
        assert!(text.lines().all(|line| line.trim_end().chars().count() <= columns.parse().unwrap()), "{text}");
    }
    let mut session = asking(&socket.base_url, &["queue", "list"]).start();
    assert_eq!(session.end(), 0);
    assert!(widest(&session) <= 100 && session.text().lines().count() == 2, "{}", session.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_that_is_slow_is_named_while_it_is_waited_for() {
    let socket = Hostile::start([Act::Hang]).await;
    let mut session = asking(&socket.base_url, &["--timeout", "30s", "queue", "stats"]).start();
    session.wait_for("is slow to answer; Ctrl-c gives up");
    session.type_keys("\x03");
    assert_eq!(session.end(), 130);
}
