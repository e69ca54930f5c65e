//! `gantry triage --linear`: a conversation over a pipe, as with a screen reader or a script.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::pty::gantry_program;
use crate::scripted_server::{ScriptedAction, ScriptedServer};
use crate::spawned_service::SpawnedService;

fn start_service() -> SpawnedService {
    SpawnedService::start(&[
        "--seed",
        "12",
        "--projects",
        "60",
        "--as-of",
        "2026-07-01T17:42:00Z",
    ])
}

/// The output for these answers, one per line.
fn run_conversation(served: &SpawnedService, answers: &str) -> String {
    let output = served.run(&format!(
        "printf '{answers}' | gantry triage --linear --priority high"
    ));
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn queue_counts(served: &SpawnedService) -> (u64, u64) {
    let stats: Value =
        serde_json::from_slice(&served.run("gantry queue stats --json").stdout).unwrap();
    (
        stats["new_count"].as_u64().unwrap(),
        stats["done_count"].as_u64().unwrap(),
    )
}

#[test]
fn the_conversation_matches_its_golden_text() {
    let served = start_service();
    let heard = run_conversation(
        &served,
        "d\\nn\\np\\na\\nu\\nu\\nu\\nr\\nm\\nm\\nfoo\\n2\\nh\\nq\\n",
    );
    // The time at which the project was read before is from this machine's clock.
    let heard: Vec<&str> = heard
        .lines()
        .map(|line| {
            if line.starts_with("Read before") {
                "Read before"
            } else {
                line
            }
        })
        .collect();
    let (heard, path) = (
        heard.join("\n") + "\n",
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/cli/linear.txt"),
    );
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &heard).unwrap();
    }
    assert_eq!(
        heard,
        std::fs::read_to_string(path).unwrap(),
        "BLESS=1 cargo test --test cli linear rewrites it"
    );
}

#[test]
fn the_output_has_no_drawing_and_only_whole_lines() {
    let heard = run_conversation(&start_service(), "d\\nm\\nu\\n");
    assert!(
        heard.ends_with('\n')
            && heard.is_ascii()
            && !heard.contains(|c: char| c.is_control() && c != '\n'),
        "{heard}"
    );
    assert!(
        heard
            .lines()
            .all(|line| line.ends_with(['.', '?', '!', ':'])),
        "{heard}"
    );
}

#[test]
fn triage_is_shared_and_can_be_undone_in_a_later_run() {
    let served = start_service();
    let (new, done) = queue_counts(&served);
    assert!(run_conversation(&served, "done\\ndone\\n").contains("Done: "));
    assert_eq!(queue_counts(&served), (new - 2, done + 2));
    let heard = run_conversation(&served, "undo\\nundo\\nundo\\n");
    assert_eq!(heard.matches("Undone: ").count(), 2, "{heard}");
    assert!(heard.contains("There is nothing to undo."), "{heard}");
    assert_eq!(queue_counts(&served), (new, done));
    assert_eq!(
        run_conversation(&served, "redo\\n")
            .matches("Redone: ")
            .count(),
        1
    );
    assert_eq!(queue_counts(&served), (new - 1, done + 1));
    let log: Value = serde_json::from_slice(&served.run("gantry log --json").stdout).unwrap();
    assert!(
        log.as_array()
            .unwrap()
            .iter()
            .all(|row| row["reason"] == "triage" && row["progress"] == "done"),
        "{log}"
    );
}

#[test]
fn triaging_a_whole_project_is_one_undo_step() {
    let served = start_service();
    let before = queue_counts(&served);
    // The first signal whose project has another one in the list.
    let heard = run_conversation(&served, &"n\\n".repeat(40));
    let lines: Vec<&str> = heard.lines().collect();
    let at = lines
        .iter()
        .position(|line| {
            line.contains("more signals of this project") || line.contains("One more signal")
        })
        .unwrap();
    let number = lines[at - 2].split(' ').next().unwrap();
    let heard = run_conversation(&served, &format!("{number}\\nall\\nundo\\n"));
    assert!(
        heard.contains(" signals on ") && heard.contains("They are new again"),
        "{heard}"
    );
    assert_eq!(queue_counts(&served), before);
}

#[test]
fn a_snoozed_signal_is_left_out_on_this_machine_until_undo_brings_it_back() {
    let served = start_service();
    let before = queue_counts(&served);
    let snoozed = || -> Value {
        serde_json::from_slice(&served.run("gantry queue snoozed --json").stdout).unwrap()
    };
    let heard = run_conversation(
        &served,
        "s\\n\\ns someday\\ns\\n3d waiting for the Lender\\n",
    );
    for expected in [
        "Until when, and why if you like",
        "Nothing was changed.",
        "Not snoozed: \"someday\" is not a time",
        ", on this machine only. u undoes.\n2 of ",
    ] {
        assert!(heard.contains(expected), "{expected}: {heard}");
    }
    assert_eq!(snoozed()[0]["snooze_reason"], "waiting for the Lender");
    let heard = run_conversation(&served, "1\\n");
    for expected in [
        "1 signal is snoozed on this machine and left out.\n2 of ",
        "It is snoozed until Saturday, July 4",
    ] {
        assert!(heard.contains(expected), "{expected}: {heard}");
    }
    let heard = run_conversation(&served, "1\\nd\\nu\\nu\\n");
    assert!(heard.contains("Done: "), "{heard}");
    assert!(
        heard.contains("Undone: end of the snooze of "),
        "what is done is not snoozed: {heard}"
    );
    assert_eq!(queue_counts(&served), before);
    let heard = run_conversation(&served, "u\\n");
    assert!(
        heard.contains("Undone: snooze of ")
            && heard.contains("It is back in New, on this machine.\n1 of "),
        "{heard}"
    );
    assert_eq!(snoozed(), Value::Array(Vec::new()));
    assert_eq!(queue_counts(&served), before, "nothing was sent");
}

#[test]
fn a_call_and_a_note_are_written_on_the_project_and_the_call_closes_the_signal() {
    let served = start_service();
    let (new, done) = queue_counts(&served);
    let heard = run_conversation(
        &served,
        "note\\nSite visit Friday\\ncall 2 asks for Ana\\n1\\ncall reached sends plans\\nu\\n",
    );
    for expected in [
        "What is the note on the project?",
        "Written, for everyone: note of ",
        ": voicemail. ",
        "Snoozed: ",
        ": reached. Its status was voicemail. The console undoes it.\nDone: ",
        "Undone: ",
    ] {
        assert!(heard.contains(expected), "{expected}: {heard}");
    }
    assert_eq!(queue_counts(&served), (new, done), "undone");
    let found = served.run("gantry book projects search --all --json");
    let found = String::from_utf8(found.stdout).unwrap();
    assert!(
        found.contains("Site visit Friday\\n2026-07-01 call by Malik Schaefer: voicemail. asks for Ana\\n2026-07-01 call by Malik Schaefer: reached. sends plans"),
        "{found}"
    );
    let heard = run_conversation(&served, "call nobody\\n");
    assert!(
        heard.contains("Nothing was written.\nWhat came of the call: 1 reached, 2 voicemail")
            && heard.contains("A note may follow. An empty line changes nothing."),
        "{heard}"
    );
}

#[test]
fn a_call_that_promises_a_day_snoozes_the_signal_until_then_and_closes_nothing() {
    let served = start_service();
    let before = queue_counts(&served);
    let heard = run_conversation(&served, "call reached Ann, call back 2026-07-09\\n");
    assert!(
        heard.contains(": reached. ") && heard.contains(" until Thursday, July 9, on this machine"),
        "{heard}"
    );
    assert_eq!(queue_counts(&served), before);
}

#[test]
fn q_leaves_a_question_and_a_second_one_quits() {
    let served = start_service();
    let before = queue_counts(&served);
    for question in ["call", "call nobody", "s", "note"] {
        for leaves in ["q", "quit", "exit"] {
            let heard = run_conversation(&served, &format!("{question}\\n{leaves}\\nq\\nd\\n"));
            assert!(heard.contains("Nothing was changed.\nAnswer?"), "{heard}");
        }
    }
    assert_eq!(queue_counts(&served), before);
}

#[test]
fn the_demo_says_what_is_being_built_where_reading_a_signal_is_free() {
    let output = start_service().run("yes n | head -20 | gantry --demo triage --linear");
    let heard = String::from_utf8(output.stdout).unwrap();
    let mut projects = heard.lines().filter(|line| line.starts_with("Project "));
    assert!(projects.any(|line| line.contains(". New ")), "{heard}");
}

#[tokio::test(flavor = "multi_thread")]
async fn lines_break_between_words_at_the_width_of_the_terminal() {
    let socket = ScriptedServer::start([
        ScriptedAction::json(STATS_JSON),
        ScriptedAction::json(QUEUE_JSON),
    ])
    .await;
    let mut session = gantry_program(&["triage", "--linear"])
        .env("GANTRY_TOKEN", "gk_canary")
        .env("GANTRY_BASE_URL", &socket.base_url)
        .env("GANTRY_WORKSPACE", "018f4d3a-0000-7000-8000-00000000000a")
        .env("COLUMNS", "40")
        .start();
    session.wait_for("q quit.");
    let text = session.text();
    assert!(
        text.contains("Answer: d done, a all of this project\ndone, s snooze,"),
        "{text:?}"
    );
    session.type_keys("q\r");
    assert_eq!(session.wait_for_exit(), 0);
}

#[test]
fn a_project_is_paid_for_once_after_its_price_was_shown() {
    let served = start_service();
    let used = || -> u64 {
        let credits: Value =
            serde_json::from_slice(&served.run("gantry credits show --json").stdout).unwrap();
        credits["used"].as_u64().unwrap()
    };
    let before = used();
    let heard = run_conversation(&served, "more\\nmore\\n");
    assert!(
        heard.find("m more (1 credit)") < heard.find("Read before"),
        "{heard}"
    );
    let queue = used() - before;
    run_conversation(&served, "more\\n");
    let again = used() - before - queue;
    assert_eq!(
        queue,
        again + 1,
        "the project itself was free the second time"
    );
}

/// A conversation while a colleague works on the same queue.
struct SharedQueue<'s> {
    service: &'s SpawnedService,
    /// The colleague's display name.
    colleague: String,
    /// The colleague's home folder and token.
    colleague_home: tempfile::TempDir,
    colleague_token: String,
}

impl SharedQueue<'_> {
    fn new(served: &SpawnedService) -> SharedQueue<'_> {
        let ready: Value =
            serde_json::from_slice(&std::fs::read(served.home.path().join("ready.json")).unwrap())
                .unwrap();
        let members = ready["workspaces"][0]["members"].as_array().unwrap();
        let member = members
            .iter()
            .find(|member| member["role"] != "owner")
            .unwrap();
        let team: Value =
            serde_json::from_slice(&served.run("gantry members list --json").stdout).unwrap();
        let named = |row: &&Value| row["email"] == member["email"];
        let colleague = team.as_array().unwrap().iter().find(named).unwrap()["display_name"]
            .as_str()
            .unwrap()
            .to_owned();
        let token = member["access_token"].as_str().unwrap().to_owned();
        SharedQueue {
            service: served,
            colleague,
            colleague_home: tempfile::tempdir().unwrap(),
            colleague_token: token,
        }
    }

    /// Triages signals as the colleague.
    fn triage_as_colleague(&self, status: &str, ids: &[String]) {
        let mut command = self
            .service
            .shell_command(&format!("gantry queue triage {status} {}", ids.join(" ")));
        command
            .env("HOME", self.colleague_home.path())
            .env("GANTRY_TOKEN", &self.colleague_token);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }

    /// The output for these answers, after the colleague has done something while the first signal
    /// was shown.
    fn run_conversation_after(&self, meanwhile: impl FnOnce(), answers: &str) -> String {
        let mut command = self
            .service
            .shell_command("gantry triage --linear --priority high");
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut heard = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        while !line.starts_with("Answer:") {
            line.clear();
            assert_ne!(heard.read_line(&mut line).unwrap(), 0);
        }
        meanwhile();
        child
            .stdin
            .take()
            .unwrap()
            .write_all(answers.as_bytes())
            .unwrap();
        let mut rest = String::new();
        heard.read_to_string(&mut rest).unwrap();
        assert!(child.wait().unwrap().success(), "{rest}");
        rest
    }

    /// The signals of the conversation.
    fn new_signals(&self) -> Vec<Value> {
        let output = self
            .service
            .run("gantry queue list --status new --priority high --all --json");
        serde_json::from_slice::<Value>(&output.stdout)
            .unwrap()
            .as_array()
            .unwrap()
            .clone()
    }

    /// The signals of the first project that has several, and the number of the first.
    fn first_project_with_several_signals(&self) -> (usize, Vec<String>) {
        let rows = self.new_signals();
        let of = |row: &Value| {
            rows.iter()
                .filter(|other| other["project_id"] == row["project_id"])
                .map(row_id)
                .collect::<Vec<_>>()
        };
        let found = rows.iter().enumerate().map(|(n, row)| (n + 1, of(row)));
        found.into_iter().find(|(_, ids)| ids.len() > 1).unwrap()
    }

    /// The ids whose signals are done.
    fn filter_done(&self, ids: &[String]) -> Vec<String> {
        let output = self
            .service
            .run("gantry queue list --status done --all --json");
        let rows: Value = serde_json::from_slice(&output.stdout).unwrap();
        let done: Vec<String> = rows.as_array().unwrap().iter().map(row_id).collect();
        ids.iter().filter(|id| done.contains(id)).cloned().collect()
    }
}

fn row_id(row: &Value) -> String {
    row["id"].as_str().unwrap().to_owned()
}

#[test]
fn a_colleagues_earlier_triage_is_neither_claimed_nor_undone() {
    let served = start_service();
    let both = SharedQueue::new(&served);
    let first = vec![row_id(&both.new_signals()[0])];
    let heard = both.run_conversation_after(|| both.triage_as_colleague("done", &first), "d\nu\n");
    assert!(
        heard.contains(&format!("Already done by {} at 17:4", both.colleague)),
        "{heard}"
    );
    assert!(
        heard.contains(". Nothing changed.\n2 of ") && heard.contains("There is nothing to undo."),
        "{heard}"
    );
    assert!(!heard.contains("Done: "), "{heard}");
    assert!(
        run_conversation(&served, "u\\n").contains("There is nothing to undo."),
        "in another run"
    );
    assert_eq!(both.filter_done(&first), first);
}

#[test]
fn undo_restores_only_the_signals_that_the_action_changed() {
    let served = start_service();
    let both = SharedQueue::new(&served);
    let (number, ids) = both.first_project_with_several_signals();
    let theirs = &ids[..1];
    let heard = both.run_conversation_after(
        || both.triage_as_colleague("done", theirs),
        &format!("{number}\na\nu\nr\n"),
    );
    let already = format!(
        "1 of {} was already done, by {} at 17:4",
        ids.len(),
        both.colleague
    );
    assert!(heard.contains(&already), "{heard}");
    assert!(
        heard.contains("Undone: ") && heard.contains("Redone: "),
        "{heard}"
    );
    assert_eq!(both.filter_done(&ids), ids);
    let heard = run_conversation(&served, "u\\n");
    assert!(heard.contains("Undone: "), "{heard}");
    assert_eq!(both.filter_done(&ids), theirs, "in another run");
}

#[test]
fn undo_asks_before_overwriting_a_colleagues_later_change() {
    let served = start_service();
    let both = SharedQueue::new(&served);
    let first = vec![row_id(&both.new_signals()[0])];
    run_conversation(&served, "d\\n");
    both.triage_as_colleague("new", &first);
    both.triage_as_colleague("done", &first);
    let asked = format!("{} marked it done at 17:4", both.colleague);
    let heard = run_conversation(&served, "u\\nq\\n");
    assert!(
        heard.contains(&asked) && heard.contains("y undoes it anyway"),
        "{heard}"
    );
    assert!(heard.contains("Not undone; nothing changed."), "{heard}");
    assert_eq!(both.filter_done(&first), first);
    let heard = run_conversation(&served, "u\\nu\\ny\\ny\\n");
    assert_eq!(
        (
            heard.matches(&asked).count(),
            heard.matches("Undone: ").count()
        ),
        (2, 1),
        "{heard}"
    );
    assert!(heard.contains("\"y\" is not an answer"), "{heard}");
    assert!(both.filter_done(&first).is_empty());
}

#[test]
fn undo_skips_what_a_colleague_already_restored() {
    let served = start_service();
    let both = SharedQueue::new(&served);
    let first = vec![row_id(&both.new_signals()[0])];
    run_conversation(&served, "d\\n");
    both.triage_as_colleague("new", &first);
    let heard = run_conversation(&served, "u\\nu\\n");
    assert!(
        heard.contains("No longer done: ") && heard.contains(". Nothing changed."),
        "{heard}"
    );
    assert!(
        heard.contains("There is nothing to undo.") && !heard.contains("Undone: "),
        "{heard}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn undo_sends_nothing_when_its_check_fails() {
    let home = tempfile::tempdir().unwrap();
    let rejection = || ScriptedAction::error_response(403, "", "forbidden", "the queue is closed");
    let actions = [
        ScriptedAction::json(STATS_JSON),
        ScriptedAction::json(QUEUE_JSON),
        ScriptedAction::json(r#"{"updated":1}"#),
        ScriptedAction::json(QUEUE_JSON),
        rejection(),
    ];
    let socket = ScriptedServer::start(actions).await;
    let output = run_gantry(home.path(), &socket, &["triage", "--linear"], "d\nu\nu\n");
    let heard = String::from_utf8(output.stdout).unwrap();
    let why = "Nothing was undone, because the check for a colleague's later changes failed: ";
    assert_eq!(
        (
            heard.matches(why).count(),
            heard.matches("the queue is closed").count()
        ),
        (2, 2),
        "{heard}"
    );
    assert_eq!(
        socket
            .requests()
            .iter()
            .filter(|seen| seen.line.starts_with("POST"))
            .count(),
        1,
        "{heard}"
    );
}

fn run_gantry(home: &Path, socket: &ScriptedServer, args: &[&str], answers: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gantry"));
    command
        .env_clear()
        .env("HOME", home)
        .env("GANTRY_TOKEN", "gk_canary")
        .env("GANTRY_BASE_URL", &socket.base_url);
    command
        .env("GANTRY_WORKSPACE", "018f4d3a-0000-7000-8000-00000000000a")
        .args(args);
    command
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(answers.as_bytes())
        .unwrap();
    child.wait_with_output().unwrap()
}

const STATS_JSON: &str =
    r#"{"new_count":1,"high_priority_new_count":0,"done_count":9,"type_counts":[]}"#;
const QUEUE_JSON: &str = r#"{"signals":[{"id":"018f4d3a-0000-7000-8000-000000000001","signal_type":"permit_filed","project_name":"Pier 9"}],"pagination":{"total":1,"limit":200,"offset":0}}"#;

#[tokio::test(flavor = "multi_thread")]
async fn a_rejected_triage_is_reported_keeps_the_signal_and_sets_the_exit_status() {
    let home = tempfile::tempdir().unwrap();
    let rejection = ScriptedAction::error_response(409, "", "conflict", "the queue is closed");
    let socket = ScriptedServer::start([
        ScriptedAction::json(STATS_JSON),
        ScriptedAction::json(QUEUE_JSON),
        rejection,
    ])
    .await;
    let output = run_gantry(home.path(), &socket, &["triage", "--linear"], "d\n\n");
    let heard = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{heard}");
    assert!(
        heard.contains("Not done, 1 of 1: ") && heard.contains("the queue is closed"),
        "{heard}"
    );
    assert_eq!(
        heard
            .matches("1 of 1. Priority unknown. Permit filed.")
            .count(),
        2,
        "{heard}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn read_only_changes_nothing_and_wrong_usage_is_explained() {
    let home = tempfile::tempdir().unwrap();
    let socket = ScriptedServer::start([
        ScriptedAction::json(STATS_JSON),
        ScriptedAction::json(QUEUE_JSON),
    ])
    .await;
    let output = run_gantry(home.path(), &socket, &["--read-only", "triage"], "d\n");
    assert!(
        String::from_utf8(output.stdout)
            .unwrap()
            .contains("Read only: nothing was changed.")
    );
    assert_eq!(
        (output.status.code(), socket.requests().len()),
        (Some(0), 2)
    );
    let output = run_gantry(home.path(), &socket, &["triage", "--json"], "");
    assert_eq!(output.status.code(), Some(2));
    let why = String::from_utf8(output.stderr).unwrap();
    assert!(why.contains("queue list --json"), "{why}");
}

#[tokio::test(flavor = "multi_thread")]
async fn accessible_mode_starts_the_conversation_without_a_verb() {
    let home = tempfile::tempdir().unwrap();
    let socket = ScriptedServer::start([
        ScriptedAction::json(STATS_JSON),
        ScriptedAction::json(QUEUE_JSON),
    ])
    .await;
    let output = Command::new(env!("CARGO_BIN_EXE_gantry"))
        .env_clear()
        .envs([
            ("GANTRY_ACCESSIBLE", "1"),
            ("GANTRY_TOKEN", "t"),
            ("GANTRY_BASE_URL", &socket.base_url),
        ])
        .envs([
            ("HOME", home.path().to_str().unwrap()),
            ("GANTRY_WORKSPACE", "018f4d3a-0000-7000-8000-00000000000a"),
        ])
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    assert!(
        String::from_utf8(output.stdout)
            .unwrap()
            .contains("Project Pier 9."),
        "{:?}",
        output.stderr
    );
    assert_eq!(output.status.code(), Some(0));
}
