//! `--read-only`: no command sends a write.

use crate::examples::{all_verbs, examples_in_help};
use crate::route_coverage::start_recorded_service;
use crate::scripted_server::{ScriptedAction, ScriptedServer};

use clap::CommandFactory as _;
use gantry::cli::args::Args;

const SIGNAL_ID: &str = "018f4d3a-0000-7000-8000-000000000001";

/// Whether a request may change something, judged by its first line: the list of routes is what is
/// tested.
fn is_write(line: &str) -> bool {
    let (method, path) = line.split_once(' ').unwrap();
    let path = path
        .split('?')
        .next()
        .unwrap()
        .trim_start_matches("/api/v1");
    let skills = ["find", "list", "get", "get-file", "revisions"]
        .map(|read| format!("/workspace/skills/{read}"));
    let is_read = path.ends_with("/search")
        || path == "/filters/ask"
        || skills.iter().any(|read| read == path);
    method != "GET" && !(method == "POST" && is_read)
}

#[tokio::test(flavor = "multi_thread")]
async fn no_verb_writes_in_read_only_mode() {
    let (served, socket) = start_recorded_service(&[]).await;
    // Two examples read a file and write into a folder of the user.
    served.run("echo t > token; mkdir -p .local/share/bash-completion/completions");
    // One example shows a profile.
    served.run(
        "mkdir -p .config/gantry; printf '[profiles.desk]\\nbase_url = \"http://127.0.0.1:1\"\\n' > .config/gantry/config.toml",
    );
    // Two examples use a saved search.
    served
        .run("gantry data saved save 'Austin, no gc' projects city=Austin without_account.role=gc");
    let (mut rejected, mut wrong) = (0, Vec::new());
    for (verb, help) in all_verbs(&Args::command(), "gantry") {
        let example = examples_in_help(&help)
            .next()
            .unwrap()
            .replace(" --demo", "");
        // The book's record kinds share one example, which names only one of them.
        if [
            "gantry serve",
            "gantry team up",
            "gantry import",
            "gantry watch",
            "gantry open",
        ]
        .contains(&verb.as_str())
            || !example.contains(&verb)
        {
            continue;
        }
        // Only the tested command gets the flag, not those in its arguments.
        let line = example.replace(&verb, &verb.replace("gantry", "gantry --read-only"));
        let output = served.run(&line);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        match output.status.code() {
            Some(0) => {}
            Some(3) if message.contains("--read-only is set") => rejected += 1,
            other => wrong.push(format!("{line}: {other:?} {message}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(rejected >= 25, "only {rejected} commands were rejected");
    let writes: Vec<_> = socket
        .requests()
        .into_iter()
        .map(|seen| seen.line)
        .filter(|line| is_write(line))
        .collect();
    assert!(writes.is_empty(), "{writes:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_read_only_write_sends_no_request_wherever_the_flag_stands() {
    let home = tempfile::tempdir().unwrap();
    let socket = ScriptedServer::start([ScriptedAction::json(r#"{"data":{"id":null}}"#)]).await;
    for line in [
        format!("--read-only queue triage done {SIGNAL_ID}"),
        format!("queue --read-only triage done {SIGNAL_ID}"),
        format!("queue triage done {SIGNAL_ID} --read-only"),
        format!("book accounts set {SIGNAL_ID} --tag +a --read-only"),
        format!("views delete {SIGNAL_ID} --read-only"),
        "--read-only api POST /signals/triage --data {}".to_owned(),
        "--read-only api delete /workspace/views/1".to_owned(),
    ] {
        // Without a workspace, which would otherwise be requested first.
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_gantry"))
            .args(line.split(' '))
            .env_clear()
            .envs([
                ("GANTRY_TOKEN", "t"),
                ("GANTRY_BASE_URL", &socket.base_url),
                ("HOME", home.path().to_str().unwrap()),
            ])
            .output()
            .unwrap();
        assert_eq!(
            (output.status.code(), output.stdout.len()),
            (Some(3), 0),
            "{line}: {output:?}"
        );
        assert_eq!(
            String::from_utf8_lossy(&output.stderr).lines().count(),
            1,
            "{line}: {output:?}"
        );
    }
    assert!(socket.requests().is_empty(), "{:?}", socket.requests());
}
