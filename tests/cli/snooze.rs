//! Snoozes and local sorting: what stays on this machine.

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
    let (text, error, status) = run(served, &format!("gantry {line} --json"));
    assert_eq!(status, 0, "{line}: {error}");
    serde_json::from_str(&text).unwrap()
}

fn writes(socket: &ScriptedServer) -> Vec<String> {
    socket
        .requests()
        .into_iter()
        .map(|seen| seen.line)
        .filter(|line| !line.starts_with("GET "))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_snooze_sends_no_write_and_ends_when_a_colleague_marks_the_signal_done() {
    let (served, socket) = start_recorded_service(&["--seed", "7", "--projects", "60"]).await;
    let (said, _, status) = run(
        &served,
        "ids queue list --status new --limit 3 | gantry queue snooze --stdin --until monday",
    );
    assert!(
        status == 0
            && said.starts_with("3 signals snoozed until Monday")
            && said.contains("on this machine only"),
        "{said}"
    );
    assert_eq!(
        json(&served, "queue list --status new --limit 3").len(),
        3,
        "the list hides nothing unless asked to"
    );
    assert_eq!(
        json(&served, "queue list --status new --limit 3 --hide-snoozed").len(),
        0
    );
    assert_eq!(writes(&socket), [""; 0]);

    let (_, note, _) = run(
        &served,
        "gantry queue triage done $(nth 1 queue list --status new) && gantry queue snoozed",
    );
    assert!(
        note.contains("no longer new in the queue; its snooze ended"),
        "{note}"
    );
    assert_eq!(json(&served, "queue snoozed").len(), 2);
    let (said, _, _) = run(&served, "gantry queue unsnooze $(nth 1 queue snoozed)");
    assert_eq!(
        (said.as_str(), json(&served, "queue snoozed").len()),
        ("1 snooze ended\n", 1)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_reason_of_a_snooze_is_listed_and_handed_over_and_never_sent() {
    let (served, socket) = start_recorded_service(&["--seed", "7", "--projects", "60"]).await;
    let line = "ids queue list --status new --limit 1 | gantry queue snooze --stdin --until 'next filing' --reason ' the *lender* '";
    assert_eq!(run(&served, line).2, 0);
    assert_eq!(
        json(&served, "queue snoozed")[0]["snooze_reason"],
        "the *lender*"
    );
    let (page, _, _) = run(&served, "gantry handoff --plain");
    assert!(
        page.contains(": until the project's next filing (the *lender*)\n"),
        "{page}"
    );
    assert_eq!(writes(&socket), [""; 0]);
    let (_, error, status) = run(
        &served,
        "gantry queue snooze --until 3d --reason ' ' 018f4d3a-0000-7000-8000-000000000001",
    );
    assert!(
        status == 2 && error.contains("the reason is empty"),
        "{error}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_snooze_that_cannot_be_made_says_why() {
    let (served, _) = start_recorded_service(&["--projects", "60"]).await;
    let done = "$(nth 1 queue list --status done)";
    for (line, expected_status, expected) in [
        (
            "--until someday 018f4d3a-0000-7000-8000-000000000001",
            2,
            "\"someday\" is not a time",
        ),
        (
            "--until 2020-01-01 $(nth 1 queue list --status new)",
            2,
            "\"2020-01-01\" is in the past",
        ),
        (&format!("--until 3d {done}"), 4, "not new in this queue"),
        (
            &format!("--until 3d {done} $(nth 1 queue list --status new)"),
            1,
            "not new in this queue",
        ),
    ] {
        let (_, error, status) = run(&served, &format!("gantry queue snooze {line}"));
        assert!(
            status == expected_status && error.contains(expected),
            "{line}: {status} {error}"
        );
    }
    let (_, error, status) = run(
        &served,
        "gantry queue unsnooze 018f4d3a-0000-7000-8000-000000000001",
    );
    assert!(status == 4 && error.contains("not snoozed"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_queue_is_sorted_here_and_says_when_only_a_part_of_it_is() {
    let (served, _) = start_recorded_service(&["--projects", "60"]).await;
    let costs = |rows: &[Value]| {
        rows.iter()
            .map(|row| row["reported_cost_usd"].as_f64())
            .collect::<Vec<_>>()
    };
    let all = costs(&json(&served, "queue list --all --sort cost"));
    assert!(
        all[0] > Some(0.0)
            && all.is_sorted_by(|one, other| one.is_some() >= other.is_some() && one >= other),
        "{all:?}"
    );
    let (_, note, _) = run(&served, "gantry queue list --limit 3 --sort cost");
    assert!(
        note.contains("sorted among themselves; use --all to sort everything"),
        "{note}"
    );
    let filed = json(&served, "queue list --all --sort days_left");
    let filed: Vec<_> = filed
        .iter()
        .map(|row| row["filed_at"].as_str().unwrap()[..10].to_owned())
        .collect();
    assert!(
        filed.is_sorted(),
        "the signal that leaves first comes first: {filed:?}"
    );
    let (_, error, status) = run(&served, "gantry queue list --sort city");
    assert!(
        status == 2 && error.contains("a row of the queue has no city"),
        "{error}"
    );
}
