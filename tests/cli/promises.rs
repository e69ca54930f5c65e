//! Promises: lines of shared notes, made and closed by commands.

use serde_json::Value;

use crate::golden::SHELL_HELPERS;
use crate::spawned_service::SpawnedService;

/// Runs a line with `$id`, an account of the book; returns what it printed, and its exit status.
fn run(served: &SpawnedService, line: &str) -> (String, i32) {
    let account =
        "id=$(gantry book search accounts --limit 1 --json id --jq '.[].id' 2>/dev/null)\n";
    let output = served.run(&format!("{SHELL_HELPERS}{account}{line}"));
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (
        text(output.stdout) + &text(output.stderr),
        output.status.code().unwrap(),
    )
}

fn note(served: &SpawnedService) -> String {
    let (text, _) = run(served, "gantry book show accounts $id --json 2>/dev/null");
    let record: Value = serde_json::from_str(&text).unwrap();
    record["notes"].as_str().unwrap_or_default().to_owned()
}

fn promised(served: &SpawnedService) -> Vec<Value> {
    let (text, status) = run(served, "gantry promise list --json 2>/dev/null");
    assert_eq!(status, 0, "{text}");
    serde_json::from_str(&text).unwrap()
}

#[test]
fn a_promise_is_made_moved_and_kept_by_commands_and_every_step_stands_in_the_note() {
    let served = SpawnedService::start(&["--seed", "7", "--projects", "60"]);
    let before = note(&served);
    let (said, status) = run(
        &served,
        "gantry promise add accounts $id tomorrow 9:30 call Ann about glazing",
    );
    assert!(
        status == 0 && said.starts_with("promised for tomorrow 09:30"),
        "{said}"
    );
    let line = note(&served);
    let line = line.strip_prefix(&before).unwrap().trim();
    assert!(
        line.starts_with("> ") && line.ends_with(": call Ann about glazing"),
        "{line}"
    );
    let listed = promised(&served);
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0]["text"], "call Ann about glazing");
    assert_eq!(listed[0]["time"], "09:30");
    assert_eq!(listed[0]["is_due"], false);

    let (said, status) = run(
        &served,
        "gantry promise move accounts $id --about glazing --to 3d",
    );
    assert!(status == 0 && said.starts_with("moved to "), "{said}");
    let (said, status) = run(&served, "gantry promise done accounts $id");
    assert!(
        status == 0 && said.starts_with("done: call Ann about glazing"),
        "{said}"
    );
    let after = note(&served);
    let closed: Vec<&str> = after
        .lines()
        .filter(|line| line.starts_with("x "))
        .collect();
    assert!(
        closed[0].contains("(moved to ") && closed[1].contains("(done "),
        "{after}"
    );
    assert_eq!(promised(&served), [""; 0]);

    let (said, status) = run(&served, "gantry promise drop accounts $id");
    assert!(
        status == 4 && said.contains("no open promise in its note"),
        "{status}: {said}"
    );
    let (said, status) = run(&served, "gantry promise add accounts $id next filing call");
    assert!(
        status == 2 && said.contains("a promise needs a day"),
        "{status}: {said}"
    );
}
