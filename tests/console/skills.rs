//! Skills in a pseudo-terminal, over HTTP against a separate service.

use serde_json::Value;

use crate::pty::{TerminalSession, gantry_program};
use crate::spawned_service::{SpawnedService, is_stored};

/// The console at this service, with a script as its editor.
fn start_console(served: &SpawnedService, editor: &str, more: &[(&str, &str)]) -> TerminalSession {
    let script = served.home.path().join("editor");
    std::fs::write(&script, editor).unwrap();
    let program = served
        .env
        .iter()
        .fold(gantry_program(&[]), |program, (name, value)| {
            program.env(name, value)
        });
    let program = more
        .iter()
        .fold(program, |program, (name, value)| program.env(name, value));
    program
        .env("EDITOR", &format!("sh '{}'", script.display()))
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

fn find_skill(served: &SpawnedService, slug: &str) -> Value {
    let list = verb_json(served, "gantry skills list --json");
    list.as_array()
        .unwrap()
        .iter()
        .find(|skill| skill["slug"] == slug)
        .cloned()
        .unwrap_or_default()
}

/// Writes a Skill if the text has none yet, otherwise changes it.
const EDITOR_SCRIPT: &str = r#"
if grep -q '^=== skill .' "$1"; then
    sed -i 's/^description: .*/description: Second words/; s/Hello/Good morning/' "$1"
else
    printf '=== skill\nname: First call\naudience: workspace\ndescription: First words\n=== file: SKILL.md\nHello.\n' > "$1"
fi
"#;

#[test]
fn a_skill_can_be_created_published_edited_compared_forked_and_deleted() {
    let served = SpawnedService::start(&[]);
    let mut session = start_console(&served, EDITOR_SCRIPT, &[]);
    session.wait_for("NEW");
    session.type_keys("7");
    session.wait_for("permit-call-script");
    session.type_keys("A");
    session.wait_for("First call: 1 file");
    session.type_keys("y\r");
    session.wait_for("done: First call: 1 file");
    session.wait_for("first-call");
    assert_eq!(find_skill(&served, "first-call")["lifecycle"], "draft");

    // The most recently changed one comes first.
    session.type_keys("ggmp");
    session.wait_for("Publish first-call?");
    session.type_keys("y\r");
    session.wait_for("done: publish first-call");
    assert_eq!(find_skill(&served, "first-call")["lifecycle"], "published");
    session.type_keys("E");
    session.wait_for("First call: description, SKILL.md");
    session.type_keys("y\r");
    session.wait_for("done: First call: description, SKILL.md");
    session.type_keys("gg\r");
    session.wait_for("Good morning.");
    session.type_keys("d");
    session.wait_for("revisions 1 and 2");
    session.type_keys("\r");
    session.wait_for("- Hello.");
    session.wait_for("+ Good morning.");
    session.type_keys("\x1b");
    session.wait_until("the text again", |session| {
        !session.text().contains("- Hello.")
    });

    session.type_keys("mf");
    session.wait_for("name of the fork");
    session.type_keys("\x1b[F again");
    session.wait_for("First call again");
    session.type_keys("\r");
    session.wait_for("done: fork first-call");
    session.wait_for("2 revisions");
    assert_eq!(
        find_skill(&served, "first-call-again")["audience"],
        "personal"
    );
    session.type_keys("mmp\r");
    session.wait_for("done: move first-call to personal");
    session.type_keys("z");
    session.wait_for("undone: move first-call to personal");
    assert_eq!(find_skill(&served, "first-call")["audience"], "workspace");

    session.type_keys("D");
    session.wait_for("cannot be undone");
    session.type_keys("\x1b[B\r");
    session.wait_for("done: delete first-call");
    assert_eq!(find_skill(&served, "first-call"), Value::Null);
    session.type_keys("qq");
    assert_eq!(session.wait_for_exit(), 0);
    session.assert_terminal_restored();
}

#[test]
fn official_skills_are_installed_and_uninstalled_and_errors_shown_verbatim() {
    let served = SpawnedService::start(&[]);
    let ready: Value =
        serde_json::from_slice(&std::fs::read(served.home.path().join("ready.json")).unwrap())
            .unwrap();
    let members = ready["workspaces"][0]["members"].as_array().unwrap();
    let member = members
        .iter()
        .find(|member| member["role"] == "member")
        .unwrap()["access_token"]
        .as_str()
        .unwrap();
    let mut session = start_console(&served, EDITOR_SCRIPT, &[("GANTRY_TOKEN", member)]);
    session.wait_for("NEW");
    session.type_keys("7");
    session.wait_for("permit-call-script");
    session.type_keys("f");
    session.wait_until("the field", |session| session.text().contains("\n filter"));
    session.type_keys("source=official");
    session.wait_for("source=official");
    session.type_keys("\r");
    session.wait_until("only official ones", |session| {
        !session.text().contains("submittal-letter")
    });
    session.type_keys("mi");
    session.wait_for("done: install");
    session.type_keys("z");
    session.wait_for("undone: install");

    // A shared Skill of somebody else: only its owner or an admin can take it from the others.
    session.type_keys("F");
    session.wait_for("lender-watch");
    session.type_keys(";");
    session.wait_until("the field", |session| session.text().contains("\n words"));
    session.type_keys("permit call");
    session.wait_for("words permit call");
    session.type_keys("\r");
    session.wait_until("what was found", |session| {
        session.text().contains("search \"permit call\"")
            && !session.text().contains("lender-watch")
    });
    session.type_keys("ggmmp\r");
    session.wait_for("only the Skill's owner");
    session.type_keys("qq");
    assert_eq!(session.wait_for_exit(), 0);
}

#[test]
fn a_skill_draft_survives_a_kill() {
    let served = SpawnedService::start(&[]);
    let mut session = start_console(
        &served,
        "printf '=== skill\\nname: Half a thou' > \"$1\"",
        &[],
    );
    session.wait_for("NEW");
    session.type_keys("7");
    session.wait_for("permit-call-script");
    session.type_keys("A");
    session.wait_for("Send?");
    session.wait_until("a draft on the disk", |_| {
        is_stored(served.home.path(), "Half a thou")
    });
    session.send_signal(rustix::process::Signal::KILL);
    drop(session);
    let mut session = start_console(&served, "printf 'ght\\n' >> \"$1\"", &[]);
    session.wait_for("a Skill draft was saved");
    session.type_keys("7");
    session.wait_for("permit-call-script");
    session.type_keys("me");
    session.wait_for("Half a thought");
    session.type_keys("\x1b");
    session.wait_until("no question", |session| !session.text().contains("Send?"));
    session.type_keys("qq");
    assert_eq!(session.wait_for_exit(), 0);
}
