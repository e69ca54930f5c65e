//! Credits in a pseudo-terminal, over HTTP: the ledger next to the meter, and a hard budget.

use serde_json::Value;

use crate::pty::{TerminalSession, gantry_program};
use crate::spawned_service::SpawnedService;

/// The console of the same person and service.
fn start_console(served: &SpawnedService) -> TerminalSession {
    served
        .env
        .iter()
        .fold(gantry_program(&[]), |program, (name, value)| {
            program.env(name, value)
        })
        .start()
}

fn verb_json(served: &SpawnedService, line: &str) -> Value {
    let output = served.run(line);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A number formatted as on the screen.
fn format_number(value: &Value) -> String {
    let digits = value.as_i64().unwrap().to_string();
    let at = digits.len().saturating_sub(3);
    if at == 0 {
        digits
    } else {
        format!("{},{}", &digits[..at], &digits[at..])
    }
}

#[test]
fn the_credits_screen_matches_the_meter_after_mixed_use() {
    let served = SpawnedService::start(&["--seed", "7"]);
    let before = verb_json(&served, "gantry credits --json")["used"]
        .as_i64()
        .unwrap();
    served.run("gantry data search projects --limit 9; gantry book accounts search --limit 4; gantry api GET /workspace/views");
    // A colleague has a different home: what they spend is not in this machine's ledger.
    served.run("HOME=$HOME/colleague gantry data search accounts --limit 11");

    let mut session = start_console(&served);
    session.wait_for("NEW");
    session.type_keys("5");
    session.wait_for("c counts");
    session.type_keys("c");
    session.wait_for("match");
    session.type_keys("8");
    session.wait_for("by others");
    let settled = verb_json(&served, "gantry credits settle --json");
    assert_eq!(settled["used"].as_i64().unwrap() - before, 9 + 4 + 11 + 1);
    assert_eq!(
        (
            settled["booked"].as_i64().unwrap(),
            settled["drift"].as_i64().unwrap()
        ),
        (14, before + 11)
    );
    session.wait_for(&format!(
        "{} of 250,000 cr used",
        format_number(&settled["used"])
    ));
    session.wait_for(&format!(
        "14 by this machine, {} by others",
        format_number(&settled["drift"])
    ));
    // Every tab adds up to what this machine has booked.
    for tab in ["Days", "Screens", "Requests", "What for"] {
        session.type_keys("]");
        session.wait_for("14 cr in");
        assert!(session.text().contains(tab));
    }
    session.type_keys("qq");
    assert_eq!(session.wait_for_exit(), 0);
}

#[test]
fn a_hard_budget_blocks_requests_in_console_and_command_line() {
    let served = SpawnedService::start(&[]);
    let used = || {
        verb_json(&served, "gantry credits --json")["used"]
            .as_i64()
            .unwrap()
    };
    let before = used();
    assert_eq!(
        verb_json(&served, "gantry credits budget --hard-day 5 --json")["hard_day"],
        5
    );

    let refused = served.run("gantry data search projects --limit 6");
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(1), "{said}");
    assert!(
        said.contains(
            "not sent: the budget “block per 24 hours” has 5 of 5 credits left, and this may cost 6"
        ),
        "{said}"
    );
    assert!(
        said.contains("change it with gantry credits budget"),
        "{said}"
    );
    assert!(
        served
            .run("gantry data search projects --limit 2")
            .status
            .success(),
        "a request within the budget is sent"
    );
    assert_eq!(
        served
            .run("gantry api POST /data/projects/search --data '{\"limit\": 4}'")
            .status
            .code(),
        Some(1),
        "any route counts"
    );
    assert_eq!(used(), before + 2);

    let mut session = start_console(&served);
    session.wait_for("NEW");
    session.type_keys("3");
    session.wait_for("nothing read yet");
    session.type_keys("\r");
    session.wait_for("the budget “block per 24 hours” has 3 of 5 credits left");
    assert_eq!(used(), before + 2);
    // A budget changed on the screen applies at once, here and in the shell.
    session.type_keys("8");
    session.wait_for("3 cr before gantry stops");
    session.type_keys("b\x1b[F\r");
    session.wait_for("leave empty for no budget");
    session.type_keys("\x15900\r");
    session.wait_for("898 cr before gantry stops");
    session.type_keys("3");
    session.wait_for("Enter retries");
    session.type_keys("\r");
    session.wait_for("rows read");
    assert_eq!(
        verb_json(&served, "gantry credits budget --json")["hard_day"],
        900
    );
    session.type_keys("qq");
    assert_eq!(session.wait_for_exit(), 0);
    assert!(used() > before + 2);
}
