//! Subscriptions and the team in a pseudo-terminal and over HTTP: what the screens do matches the
//! service's state afterwards.

use serde_json::Value;

use crate::pty::{TerminalSession, gantry_program};
use crate::spawned_service::SpawnedService;

/// A console at the service, as its owner or with another token.
fn start_console(served: &SpawnedService, token: Option<&str>) -> TerminalSession {
    let mut program = served
        .env
        .iter()
        .fold(gantry_program(&[]), |program, (name, value)| {
            program.env(name, value)
        });
    if let Some(token) = token {
        program = program.env("GANTRY_TOKEN", token);
    }
    program.start().wait_for_text("as of")
}

/// The output of a command.
fn verb_json(served: &SpawnedService, line: &str) -> Value {
    let output = served.run(line);
    assert!(
        output.status.success(),
        "{line}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).unwrap()
}

fn find_by<'a>(all: &'a Value, key: &str, value: &str) -> Option<&'a Value> {
    all.as_array()
        .unwrap()
        .iter()
        .find(|each| each[key] == value)
}

/// A subscription without counts and dates.
fn stable_subscription(all: &Value, kind: &str) -> Option<Value> {
    let mut it = find_by(all, "signal_type", kind)?.clone();
    for name in ["new_count", "created_at", "updated_at"] {
        it.as_object_mut().unwrap().remove(name);
    }
    Some(it)
}

#[test]
fn staged_subscriptions_use_the_fewest_calls_and_removal_needs_confirmation() {
    let served = SpawnedService::start(&[]);
    let list = || verb_json(&served, "gantry subscriptions list --json");
    let before = list();
    let (first, second, last) = ("entitlement_approval", "permit_issued", "expiration");
    let mut console = start_console(&served, None);
    console.type_keys("4");
    console.wait_for("of 17 types");
    console.type_keys("cj-G ");
    console.wait_for("3 staged");
    assert_eq!(list(), before, "nothing is sent before Ctrl-s");
    console.type_keys("\x13");
    console.wait_for("done: 3 subscriptions");
    let after = list();
    assert_eq!(
        find_by(&after, "signal_type", second).unwrap()["priority"],
        "medium"
    );
    assert_eq!(
        find_by(&after, "signal_type", last).unwrap()["priority"],
        "medium"
    );
    let mail = find_by(&after, "signal_type", first).unwrap();
    assert_eq!(
        (
            &mail["priority"],
            mail["channels"].as_array().unwrap().len()
        ),
        (&"high".into(), 0),
        "its priority was not touched"
    );
    for each in before.as_array().unwrap() {
        let kind = each["signal_type"].as_str().unwrap();
        if ![first, second].contains(&kind) {
            assert_eq!(
                stable_subscription(&after, kind),
                stable_subscription(&before, kind),
                "{kind} was not touched"
            );
        }
    }
    let routes: Vec<String> = verb_json(&served, "gantry log --json")
        .as_array()
        .unwrap()
        .iter()
        .map(|sent| sent["route"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(routes.len(), 2, "{routes:?}");

    console.type_keys("z");
    // The new type has signals by now, and they would leave the queue.
    console.wait_until("a question or the end", |console| {
        console.text().contains("undo anyway") || console.text().contains("undone")
    });
    if console.text().contains("undo anyway") {
        console.type_keys("y\r");
    }
    console.wait_for("undone: 3 subscriptions");
    let again = list();
    for each in before.as_array().unwrap() {
        let kind = each["signal_type"].as_str().unwrap();
        assert_eq!(
            stable_subscription(&again, kind),
            stable_subscription(&before, kind),
            "{kind} is unchanged"
        );
    }
    assert!(stable_subscription(&again, last).is_none());

    console.type_keys("ggD\x13");
    console.wait_for("Unsubscribe for everyone?");
    assert!(find_by(&list(), "signal_type", first).is_some());
    console.type_keys("\x1b[B\r");
    console.wait_for("done: unsubscribing from entitlement approval");
    assert!(find_by(&list(), "signal_type", first).is_none());
    console.type_keys("qq");
    assert_eq!(console.wait_for_exit(), 0);
    console.assert_terminal_restored();
}

/// Types an address to invite.
fn type_address(console: &mut TerminalSession, address: &str) {
    console.type_keys("i");
    console.wait_until("a place to type", |console| !console.screen().hide_cursor());
    console.type_keys("\x15");
    console.type_keys(&format!("\x1b[200~{address}\x1b[201~"));
    console.wait_for(&format!("invite {address}"));
    console.type_keys("\r");
}

/// Invites an address as a member.
fn invite_member(console: &mut TerminalSession, address: &str) {
    type_address(console, address);
    console.wait_for(&format!("Invite {address} as"));
    console.type_keys("\r");
}

#[test]
fn an_owner_manages_the_team_and_a_plain_member_is_told_why_not() {
    let served = SpawnedService::start(&[]);
    let members = || verb_json(&served, "gantry members list --json");
    let invitations = || verb_json(&served, "gantry invitations list --json");
    let mut owner = start_console(&served, None);
    owner.type_keys("6");
    owner.wait_for("1 pending");
    invite_member(&mut owner, "new@northline.example");
    owner.wait_for("done: invitation of new@northline.example as member");
    owner.wait_for("Join code for new@northline.example");
    owner.type_keys("\x1b");
    owner.wait_for("2 pending");
    assert_eq!(
        find_by(&invitations(), "email", "new@northline.example").unwrap()["status"],
        "pending"
    );

    type_address(&mut owner, "new@northline.example");
    owner.wait_for("new@northline.example is already invited");
    owner.type_keys("\x1b");
    owner.wait_until("the prompt is closed", |owner| owner.screen().hide_cursor());
    assert_eq!(
        invitations()
            .as_array()
            .unwrap()
            .iter()
            .filter(|it| it["email"] == "new@northline.example")
            .count(),
        1
    );

    owner.type_keys("\tggD");
    owner.wait_for("Revoke the invitation?");
    owner.type_keys("\x1b[B\r");
    owner.wait_for("done: revocation of new@northline.example's invitation");
    assert_eq!(
        find_by(&invitations(), "email", "new@northline.example").unwrap()["status"],
        "revoked"
    );

    let plain = members()
        .as_array()
        .unwrap()
        .iter()
        .position(|member| member["role"] == "member")
        .unwrap();
    let someone = members()[plain]["id"].as_str().unwrap().to_owned();
    owner.type_keys(&format!("\tgg{}m", "j".repeat(plain)));
    owner.wait_for("Role of");
    owner.type_keys("k\r");
    owner.wait_for("done: role of");
    assert_eq!(
        find_by(&members(), "id", &someone).unwrap()["role"],
        "admin"
    );
    owner.type_keys("z");
    owner.wait_for("undone");
    assert_eq!(
        find_by(&members(), "id", &someone).unwrap()["role"],
        "member"
    );

    let ready: Value =
        serde_json::from_slice(&std::fs::read(served.home.path().join("ready.json")).unwrap())
            .unwrap();
    let tokens = ready["workspaces"][0]["members"].as_array().unwrap();
    let token = find_by(&tokens.clone().into(), "user_id", &someone).unwrap()["access_token"]
        .as_str()
        .unwrap()
        .to_owned();
    let mut member = start_console(&served, Some(&token));
    member.type_keys("6");
    member.wait_for("this needs an owner or admin");
    member.wait_for("only owners and admins may do this");
    member.type_keys("i");
    member.wait_for("invite: only owners and admins may do this");
    member.type_keys("qq");
    assert_eq!(member.wait_for_exit(), 0);

    owner.type_keys("D");
    owner.wait_for("Remove the member?");
    owner.type_keys("\x1b[B\r");
    owner.wait_for("done: removal of");
    assert!(find_by(&members(), "id", &someone).is_none());
    owner.type_keys("qq");
    assert_eq!(owner.wait_for_exit(), 0);
    owner.assert_terminal_restored();
}
