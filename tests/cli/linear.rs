//! `gantry triage --linear`: a conversation over a pipe, as a screen reader or a script has it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::hostile::{Act, Hostile};
use crate::served::Served;

fn served() -> Served {
    Served::start(&["--seed", "7", "--projects", "60", "--as-of", "2026-07-01T17:42:00Z"])
}

/// What is heard when this is answered, a line each.
fn hear(served: &Served, answers: &str) -> String {
    let output = served.run(&format!("printf '{answers}' | gantry triage --linear --priority high"));
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn counts(served: &Served) -> (u64, u64) {
    let stats: Value = serde_json::from_slice(&served.run("gantry queue stats --json").stdout).unwrap();
    (stats["new_count"].as_u64().unwrap(), stats["done_count"].as_u64().unwrap())
}

#[test]
fn a_conversation_reads_as_it_read() {
    let served = served();
    let heard = hear(&served, "d\\nn\\np\\na\\nu\\nu\\nu\\nr\\nm\\nm\\nfoo\\n2\\nh\\nq\\n");
    // When the project was read before is a moment of this machine.
    let heard: Vec<&str> = heard.lines().map(|line| if line.starts_with("Read before") { "Read before" } else { line }).collect();
    let (heard, path) = (heard.join("\n") + "\n", Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/cli/linear.txt"));
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &heard).unwrap();
    }
    assert_eq!(heard, std::fs::read_to_string(path).unwrap(), "BLESS=1 cargo test --test cli linear writes it anew");
}

#[test]
fn nothing_is_drawn_and_every_line_is_whole() {
    let heard = hear(&served(), "d\\nm\\nu\\n");
    assert!(heard.ends_with('\n') && heard.is_ascii() && !heard.contains(|c: char| c.is_control() && c != '\n'), "{heard}");
    assert!(heard.lines().all(|line| line.ends_with(['.', '?', '!', ':'])), "{heard}");
}

#[test]
fn what_is_done_is_done_for_everyone_and_taken_back_in_another_run() {
    let served = served();
    let (new, done) = counts(&served);
    assert!(hear(&served, "done\\ndone\\n").contains("Done: "));
    assert_eq!(counts(&served), (new - 2, done + 2));
    let heard = hear(&served, "undo\\nundo\\nundo\\n");
    assert_eq!(heard.matches("Undone: ").count(), 2, "{heard}");
    assert!(heard.contains("There is nothing to undo."), "{heard}");
    assert_eq!(counts(&served), (new, done));
    assert_eq!(hear(&served, "redo\\n").matches("Done again: ").count(), 1);
    assert_eq!(counts(&served), (new - 1, done + 1));
    let log: Value = serde_json::from_slice(&served.run("gantry log --json").stdout).unwrap();
    assert!(log.as_array().unwrap().iter().all(|row| row["reason"] == "triage" && row["progress"] == "done"), "{log}");
}

#[test]
fn all_of_a_project_is_one_step() {
    let served = served();
    let before = counts(&served);
    // The first signal that has another one of its project in the list.
    let heard = hear(&served, &"n\\n".repeat(40));
    let lines: Vec<&str> = heard.lines().collect();
    let at =
        lines.iter().position(|line| line.contains("more signals of this project") || line.contains("One more signal")).unwrap();
    let number = lines[at - 2].split(' ').next().unwrap();
    let heard = hear(&served, &format!("{number}\\nall\\nundo\\n"));
    assert!(heard.contains(" signals on ") && heard.contains("They are new again"), "{heard}");
    assert_eq!(counts(&served), before);
}

#[test]
fn a_project_is_paid_for_once_and_its_price_was_said_before() {
    let served = served();
    let used = || -> u64 {
        let credits: Value = serde_json::from_slice(&served.run("gantry credits show --json").stdout).unwrap();
        credits["used"].as_u64().unwrap()
    };
    let before = used();
    let heard = hear(&served, "more\\nmore\\n");
    assert!(heard.find("m more (1 credit)") < heard.find("Read before"), "{heard}");
    let queue = used() - before;
    hear(&served, "more\\n");
    let again = used() - before - queue;
    assert_eq!(queue, again + 1, "the project itself was free the second time");
}

/// A conversation at a service, with a colleague at the same queue.
struct Both<'s> {
    served: &'s Served,
    /// How the members are called.
    colleague: String,
    /// Where the colleague works, and as whom.
    home: tempfile::TempDir,
    token: String,
}

impl Both<'_> {
    fn at(served: &Served) -> Both<'_> {
        let ready: Value = serde_json::from_slice(&std::fs::read(served.home.path().join("ready.json")).unwrap()).unwrap();
        let members = ready["workspaces"][0]["members"].as_array().unwrap();
        let member = members.iter().find(|member| member["role"] != "owner").unwrap();
        let team: Value = serde_json::from_slice(&served.run("gantry members list --json").stdout).unwrap();
        let named = |row: &&Value| row["email"] == member["email"];
        let colleague = team.as_array().unwrap().iter().find(named).unwrap()["display_name"].as_str().unwrap().to_owned();
        let token = member["access_token"].as_str().unwrap().to_owned();
        Both { served, colleague, home: tempfile::tempdir().unwrap(), token }
    }

    /// The colleague gives signals a status.
    fn colleague_marks(&self, status: &str, ids: &[String]) {
        let mut command = self.served.shell(&format!("gantry queue triage {status} {}", ids.join(" ")));
        command.env("HOME", self.home.path()).env("GANTRY_TOKEN", &self.token);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }

    /// What is heard when these are answered, after the colleague has done something while the first signal was heard.
    fn hear_after(&self, meanwhile: impl FnOnce(), answers: &str) -> String {
        let mut command = self.served.shell("gantry triage --linear --priority high");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut heard = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        while !line.starts_with("Answer:") {
            line.clear();
            assert_ne!(heard.read_line(&mut line).unwrap(), 0);
        }
        meanwhile();
        child.stdin.take().unwrap().write_all(answers.as_bytes()).unwrap();
        let mut rest = String::new();
        heard.read_to_string(&mut rest).unwrap();
        assert!(child.wait().unwrap().success(), "{rest}");
        rest
    }

    /// The signals that the conversation goes through.
    fn signals(&self) -> Vec<Value> {
        let output = self.served.run("gantry queue list --status new --priority high --all --json");
        serde_json::from_slice::<Value>(&output.stdout).unwrap().as_array().unwrap().clone()
    }

    /// The signals of the first project that has several, and the number of the first.
    fn project(&self) -> (usize, Vec<String>) {
        let rows = self.signals();
        let of = |row: &Value| rows.iter().filter(|other| other["project_id"] == row["project_id"]).map(id).collect::<Vec<_>>();
        let found = rows.iter().enumerate().map(|(n, row)| (n + 1, of(row)));
        found.into_iter().find(|(_, ids)| ids.len() > 1).unwrap()
    }

    /// Those of the signals that are done.
    fn done(&self, ids: &[String]) -> Vec<String> {
        let output = self.served.run("gantry queue list --status done --all --json");
        let rows: Value = serde_json::from_slice(&output.stdout).unwrap();
        let done: Vec<String> = rows.as_array().unwrap().iter().map(id).collect();
        ids.iter().filter(|id| done.contains(id)).cloned().collect()
    }
}

fn id(row: &Value) -> String {
    row["id"].as_str().unwrap().to_owned()
}

#[test]
fn what_a_colleague_did_first_is_not_said_to_be_ours_and_not_undone() {
    let served = served();
    let both = Both::at(&served);
    let first = vec![id(&both.signals()[0])];
    let heard = both.hear_after(|| both.colleague_marks("done", &first), "d\nu\n");
    assert!(heard.contains(&format!("Already done by {} at 17:4", both.colleague)), "{heard}");
    assert!(heard.contains(". Nothing changed.\n2 of ") && heard.contains("There is nothing to undo."), "{heard}");
    assert!(!heard.contains("Done: "), "{heard}");
    assert!(hear(&served, "u\\n").contains("There is nothing to undo."), "in another run");
    assert_eq!(both.done(&first), first);
}

#[test]
fn undo_takes_back_only_those_signals_of_an_act_that_it_changed() {
    let served = served();
    let both = Both::at(&served);
    let (number, ids) = both.project();
    let theirs = &ids[..1];
    let heard = both.hear_after(|| both.colleague_marks("done", theirs), &format!("{number}\na\nu\nr\n"));
    let already = format!("1 of {} was already done, by {} at 17:4", ids.len(), both.colleague);
    assert!(heard.contains(&already), "{heard}");
    assert!(heard.contains("Undone: ") && heard.contains("Done again: "), "{heard}");
    assert_eq!(both.done(&ids), ids);
    let heard = hear(&served, "u\\n");
    assert!(heard.contains("Undone: "), "{heard}");
    assert_eq!(both.done(&ids), theirs, "in another run");
}

#[test]
fn undo_asks_before_it_overwrites_what_a_colleague_did_since() {
    let served = served();
    let both = Both::at(&served);
    let first = vec![id(&both.signals()[0])];
    hear(&served, "d\\n");
    both.colleague_marks("new", &first);
    both.colleague_marks("done", &first);
    let asked = format!("{} marked it done at 17:4", both.colleague);
    let heard = hear(&served, "u\\nq\\n");
    assert!(heard.contains(&asked) && heard.contains("y undoes it all the same"), "{heard}");
    assert!(heard.contains("Not undone; nothing changed."), "{heard}");
    assert_eq!(both.done(&first), first);
    let heard = hear(&served, "u\\nu\\ny\\ny\\n");
    assert_eq!((heard.matches(&asked).count(), heard.matches("Undone: ").count()), (2, 1), "{heard}");
    assert!(heard.contains("\"y\" is no answer"), "{heard}");
    assert!(both.done(&first).is_empty());
}

#[test]
fn what_a_colleague_has_put_back_already_is_not_undone_again() {
    let served = served();
    let both = Both::at(&served);
    let first = vec![id(&both.signals()[0])];
    hear(&served, "d\\n");
    both.colleague_marks("new", &first);
    let heard = hear(&served, "u\\nu\\n");
    assert!(heard.contains("No longer done: ") && heard.contains(". Nothing changed."), "{heard}");
    assert!(heard.contains("There is nothing to undo.") && !heard.contains("Undone: "), "{heard}");
}

#[tokio::test(flavor = "multi_thread")]
async fn undo_sends_nothing_when_it_cannot_look_first() {
    let home = tempfile::tempdir().unwrap();
    let refusal = || Act::refusal(403, "", "forbidden", "the queue is closed");
    let acts = [Act::json(STATS), Act::json(QUEUE), Act::json(r#"{"updated":1}"#), Act::json(QUEUE), refusal()];
    let socket = Hostile::start(acts).await;
    let output = gantry(home.path(), &socket, &["triage", "--linear"], "d\nu\nu\n");
    let heard = String::from_utf8(output.stdout).unwrap();
    let why = "Nothing was undone, because it is not known whether a colleague changed it since: ";
    assert_eq!((heard.matches(why).count(), heard.matches("the queue is closed").count()), (2, 2), "{heard}");
    assert_eq!(socket.seen().iter().filter(|seen| seen.line.starts_with("POST")).count(), 1, "{heard}");
}

fn gantry(home: &Path, socket: &Hostile, args: &[&str], answers: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gantry"));
    command.env_clear().env("HOME", home).env("GANTRY_TOKEN", "gk_canary").env("GANTRY_BASE_URL", &socket.base_url);
    command.env("GANTRY_WORKSPACE", "018f4d3a-0000-7000-8000-00000000000a").args(args);
    command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(answers.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

const STATS: &str = r#"{"new_count":1,"high_priority_new_count":0,"done_count":9,"type_counts":[]}"#;
const QUEUE: &str = r#"{"signals":[{"id":"018f4d3a-0000-7000-8000-000000000001","signal_type":"permit_filed","project_name":"Pier 9"}],"pagination":{"total":1,"limit":200,"offset":0}}"#;

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_is_said_the_signal_stays_and_the_status_tells_it() {
    let home = tempfile::tempdir().unwrap();
    let refusal = Act::refusal(409, "", "conflict", "the queue is closed");
    let socket = Hostile::start([Act::json(STATS), Act::json(QUEUE), refusal]).await;
    let output = gantry(home.path(), &socket, &["triage", "--linear"], "d\n\n");
    let heard = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{heard}");
    assert!(heard.contains("Not done, 1 of 1: ") && heard.contains("the queue is closed"), "{heard}");
    assert_eq!(heard.matches("1 of 1. Priority not told. Permit filed.").count(), 2, "{heard}");
}

#[tokio::test(flavor = "multi_thread")]
async fn read_only_changes_nothing_and_wrong_usage_says_what_is_right() {
    let home = tempfile::tempdir().unwrap();
    let socket = Hostile::start([Act::json(STATS), Act::json(QUEUE)]).await;
    let output = gantry(home.path(), &socket, &["--read-only", "triage", "--linear"], "d\n");
    assert!(String::from_utf8(output.stdout).unwrap().contains("Read only: nothing is changed here."));
    assert_eq!((output.status.code(), socket.seen().len()), (Some(0), 2));
    for (args, said) in [(&["triage"][..], "--linear"), (&["triage", "--linear", "--json"], "queue list --json")] {
        let output = gantry(home.path(), &socket, args, "");
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8(output.stderr).unwrap().contains(said));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_wants_nothing_drawn_gets_the_conversation_without_a_verb() {
    let home = tempfile::tempdir().unwrap();
    let socket = Hostile::start([Act::json(STATS), Act::json(QUEUE)]).await;
    let output = Command::new(env!("CARGO_BIN_EXE_gantry"))
        .env_clear()
        .envs([("GANTRY_ACCESSIBLE", "1"), ("GANTRY_TOKEN", "t"), ("GANTRY_BASE_URL", &socket.base_url)])
        .envs([("HOME", home.path().to_str().unwrap()), ("GANTRY_WORKSPACE", "018f4d3a-0000-7000-8000-00000000000a")])
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    assert!(String::from_utf8(output.stdout).unwrap().contains("Project Pier 9."), "{:?}", output.stderr);
    assert_eq!(output.status.code(), Some(0));
}
