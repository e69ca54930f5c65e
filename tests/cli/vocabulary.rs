//! The service's vocabulary: checked before a search is sent, cached for a day, and offered as
//! shell completions.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use crate::scripted_server::{ScriptedAction, ScriptedServer};

const WORKSPACE_ID: &str = "018f4d3a-0000-7000-8000-00000000000a";
const FIELDS_JSON: &str = r#"{"data":{"dataset":"projects","fields":[{"key":"stage","kind":"enum","values":["approved","permitted"]},
    {"key":"city","kind":"text"}]},"metadata":{"credits":0}}"#;
const EMPTY_PAGE_JSON: &str = r#"{"data":[],"metadata":{"credits":0,"search_after":null}}"#;

fn run_gantry(home: &Path, base_url: &str, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gantry"));
    command
        .env_clear()
        .env("HOME", home)
        .env("GANTRY_TOKEN", "gk_canary")
        .env("GANTRY_BASE_URL", base_url);
    command
        .env("GANTRY_WORKSPACE", WORKSPACE_ID)
        .env("XDG_CACHE_HOME", home.join("cache"))
        .stdin(Stdio::null());
    command.args(args).output().unwrap()
}

/// The requested paths, without base and query.
fn requested_paths(socket: &ScriptedServer) -> Vec<String> {
    let path = |line: String| {
        line.split(['?', ' '])
            .nth(1)
            .unwrap()
            .replace("/api/v1/data", "")
    };
    socket
        .requests()
        .into_iter()
        .map(|seen| path(seen.line))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_invalid_filter_is_reported_before_any_search() {
    let home = tempfile::tempdir().unwrap();
    let socket = ScriptedServer::start([ScriptedAction::json(FIELDS_JSON)]).await;
    for (term, line) in [
        (
            "stge=approved",
            "gantry: stge is not a field; did you mean stage?",
        ),
        (
            "stage=aproved",
            "gantry: stage has no value aproved (did you mean approved?); use approved or permitted",
        ),
    ] {
        let output = run_gantry(
            home.path(),
            &socket.base_url,
            &["data", "search", "projects", term],
        );
        assert_eq!(String::from_utf8_lossy(&output.stderr).trim(), line);
        assert_eq!(output.status.code(), Some(2));
    }
    assert!(
        requested_paths(&socket)
            .iter()
            .all(|path| path == "/fields/search"),
        "{:?}",
        requested_paths(&socket)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn typed_values_are_converted_for_their_key_and_json_is_sent_unchanged() {
    let home = tempfile::tempdir().unwrap();
    let fields = FIELDS_JSON.replace(
        "\"city\",\"kind\":\"text\"",
        "\"floors\",\"kind\":\"number\"",
    );
    let socket = ScriptedServer::start([
        ScriptedAction::json(&fields),
        ScriptedAction::json(EMPTY_PAGE_JSON),
    ])
    .await;
    for (given, sent) in [
        (
            &["stage=Approved", "floors=5"][..],
            json!({"stage": {"value": "approved"}, "floors": {"min": 5, "max": 5}}),
        ),
        (
            &[
                "--filters",
                r#"{"stage": {"value": "approved", "tomorrow": 1}}"#,
            ],
            json!({"stage": {"value": "approved", "tomorrow": 1}}),
        ),
        (
            &["--filters", r#"{"stage": {"near": "approved"}}"#],
            json!({"stage": {"near": "approved"}}),
        ),
    ] {
        let output = run_gantry(
            home.path(),
            &socket.base_url,
            &[&["data", "search", "projects"], given].concat(),
        );
        assert!(output.status.success(), "{output:?}");
        let body: Value = serde_json::from_str(&socket.requests().last().unwrap().body).unwrap();
        assert_eq!(body["filters"], sent);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_vocabulary_cache_lasts_a_day_per_service_and_workspace() {
    let home = tempfile::tempdir().unwrap();
    let search = ["data", "search", "projects", "stage=approved"];
    let socket = ScriptedServer::start([
        ScriptedAction::json(FIELDS_JSON),
        ScriptedAction::json(EMPTY_PAGE_JSON),
        ScriptedAction::json(EMPTY_PAGE_JSON),
        ScriptedAction::json(FIELDS_JSON),
        ScriptedAction::json(EMPTY_PAGE_JSON),
    ])
    .await;
    let run = || {
        assert!(
            run_gantry(home.path(), &socket.base_url, &search)
                .status
                .success()
        )
    };
    run();
    run();
    assert_eq!(
        requested_paths(&socket),
        ["/fields/search", "/projects/search", "/projects/search"]
    );
    let folder = home.path().join("cache/gantry/fields");
    let cached = fs::read_dir(&folder)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path()
        .join("projects.json");
    assert!(
        cached.display().to_string().contains(WORKSPACE_ID),
        "{}",
        cached.display()
    );
    fs::File::open(&cached)
        .unwrap()
        .set_modified(SystemTime::now() - Duration::from_secs(25 * 3600))
        .unwrap();
    run();
    assert_eq!(
        requested_paths(&socket)[3..],
        ["/fields/search", "/projects/search"]
    );

    let other = ScriptedServer::start([
        ScriptedAction::json(FIELDS_JSON),
        ScriptedAction::json(EMPTY_PAGE_JSON),
    ])
    .await;
    assert!(
        run_gantry(home.path(), &other.base_url, &search)
            .status
            .success()
    );
    assert_eq!(
        requested_paths(&other),
        ["/fields/search", "/projects/search"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn new_values_refresh_the_vocabulary_and_a_missing_one_is_ignored() {
    let home = tempfile::tempdir().unwrap();
    let more = FIELDS_JSON.replace("\"permitted\"", "\"permitted\",\"built\"");
    let actions = [
        ScriptedAction::json(FIELDS_JSON),
        ScriptedAction::json(EMPTY_PAGE_JSON),
        ScriptedAction::json(&more),
        ScriptedAction::json(EMPTY_PAGE_JSON),
    ];
    let socket = ScriptedServer::start(actions).await;
    for term in ["stage=approved", "stage=built"] {
        assert!(
            run_gantry(
                home.path(),
                &socket.base_url,
                &["data", "search", "projects", term]
            )
            .status
            .success(),
            "{term}"
        );
    }
    assert_eq!(
        requested_paths(&socket),
        [
            "/fields/search",
            "/projects/search",
            "/fields/search",
            "/projects/search"
        ]
    );
    let silent = ScriptedServer::start([
        ScriptedAction::error_response(404, "", "not_found", "No such route"),
        ScriptedAction::json(EMPTY_PAGE_JSON),
    ])
    .await;
    assert!(
        run_gantry(
            home.path(),
            &silent.base_url,
            &["data", "search", "projects", "stage=anything"]
        )
        .status
        .success()
    );
}

/// The completions of the last word.
fn completions_for(home: &Path, words: &[&str]) -> Vec<String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gantry"));
    command
        .env_clear()
        .env("HOME", home)
        .env("GANTRY_COMPLETE", "fish")
        .args(["--", "gantry"])
        .args(words);
    let output = command.output().unwrap();
    let lines = String::from_utf8(output.stdout).unwrap();
    lines
        .lines()
        .map(|line| line.split('\t').next().unwrap().to_owned())
        .collect()
}

#[test]
fn completions_offer_verbs_types_priorities_profiles_and_cached_values() {
    let home = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = home.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let profile = |name: &str| {
        format!(
            "[profiles.{name}]\nbase_url = \"https://signals.example/api/v1\"\ntoken_command = \"touch \\\"$HOME/ran\\\"\"\n"
        )
    };
    write(
        ".config/gantry/config.toml",
        &format!("{}{}", profile("desk"), profile("depot")),
    );
    let vocabulary = r#"{"dataset":"signals","fields":[{"key":"signal_type","kind":"enum","values":["permit_filed","orbital_permit"]}]}"#;
    write(
        ".cache/gantry/fields/signals.example-any/signals.json",
        vocabulary,
    );
    for (words, expected) in [
        (vec!["que"], vec!["queue"]),
        (vec!["queue", "tri"], vec!["triage"]),
        (
            vec!["queue", "list", "--type", "permit_"],
            vec!["permit_filed", "permit_issued"],
        ),
        (
            vec!["signals", "list", "--type", "orb"],
            vec!["orbital_permit"],
        ),
        (
            vec!["subscriptions", "remove", "orb"],
            vec!["orbital_permit"],
        ),
        (
            vec!["queue", "list", "--priority", ""],
            vec!["high", "medium", "low"],
        ),
        (vec!["--profile", "de"], vec!["depot", "desk"]),
        (vec!["logout", "des"], vec!["desk"]),
        (vec!["api", "PA"], vec!["PATCH"]),
        (
            vec!["api", "GET", "/signals/q"],
            vec!["/signals/queue", "/signals/queue/stats"],
        ),
    ] {
        assert_eq!(completions_for(home.path(), &words), expected, "{words:?}");
    }
    assert!(!home.path().join("ran").exists(), "Tab runs no command");
}

#[test]
fn every_shell_gets_a_completion_script() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = Command::new(env!("CARGO_BIN_EXE_gantry"))
            .args(["completions", shell])
            .env_clear()
            .output()
            .unwrap();
        let script = String::from_utf8(output.stdout).unwrap();
        assert!(
            output.status.success()
                && script.contains("GANTRY_COMPLETE")
                && script.contains("gantry"),
            "{shell}: {script}"
        );
    }
}

#[test]
fn every_verb_has_a_man_page() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_gantry"));
    assert!(
        command
            .env_clear()
            .args(["man", "--dir"])
            .arg(folder.path())
            .status()
            .unwrap()
            .success()
    );
    for page in [
        "gantry.1",
        "gantry-queue-list.1",
        "gantry-book-set.1",
        "gantry-serve.1",
    ] {
        let text = fs::read_to_string(folder.path().join(page)).unwrap();
        assert!(text.contains(".TH") && text.contains(".SH"), "{page}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn completions_offer_listed_views_by_name() {
    let home = tempfile::tempdir().unwrap();
    let [towers, firms] = [
        "018f4d3a-0000-7000-8000-000000000001",
        "018f4d3a-0000-7000-8000-000000000002",
    ];
    let view = |id, name| {
        format!(r#"{{"id":"{id}","name":"{name}","dataset":"project","type":"static"}}"#)
    };
    let list = format!(
        r#"{{"data":{{"views":[{},{}]}}}}"#,
        view(towers, "Towers in Austin"),
        view(firms, "Firms\\u001b[2J")
    );
    let socket = ScriptedServer::start([ScriptedAction::json(&list)]).await;
    assert_eq!(
        completions_for(home.path(), &["views", "show", "tow"]),
        Vec::<String>::new(),
        "no request is made"
    );
    assert!(
        run_gantry(home.path(), &socket.base_url, &["views", "list"])
            .status
            .success()
    );
    fs::rename(home.path().join("cache"), home.path().join(".cache")).unwrap();
    assert_eq!(
        completions_for(home.path(), &["views", "show", "austin"]),
        [towers]
    );
    assert_eq!(
        completions_for(home.path(), &["views", "add", "018f"]),
        [towers, firms]
    );
    assert_eq!(
        completions_for(home.path(), &["views", "search", "nothing"]),
        Vec::<String>::new()
    );
    assert_eq!(socket.requests().len(), 1, "completion sends no request");
}
