//! `gantry join`: a second person and a wall, each with a home of their own, on a service of the first.

use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::spawned_service::SpawnedService;

/// The home of somebody who has no profile yet.
pub struct Home(pub tempfile::TempDir);

impl Home {
    pub fn new() -> Home {
        Home(tempfile::tempdir().unwrap())
    }

    pub fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gantry"));
        command.args(arguments.split(' ')).env_clear().env("HOME", self.0.path()).env("GANTRY_LOG", "debug");
        command
    }

    /// Runs a command with this standard input.
    pub fn run(&self, arguments: &str, input: &str) -> Output {
        let mut command = self.command(arguments);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // A command that rejects its arguments does not read.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        child.wait_with_output().unwrap()
    }

    /// Runs a command that succeeds; returns what it printed.
    #[track_caller]
    pub fn ok(&self, arguments: &str, input: &str) -> String {
        let output = self.run(arguments, input);
        assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs a command that fails with this status; returns its one line.
    #[track_caller]
    pub fn failed(&self, arguments: &str, input: &str, status: i32) -> String {
        let output = self.run(arguments, input);
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), message.lines().count()), (Some(status), 1), "{arguments}: {message}");
        message.trim_start_matches("gantry: ").trim().to_owned()
    }

    fn token_file(&self, profile: &str) -> PathBuf {
        self.0.path().join(format!(".config/gantry/{profile}.token"))
    }
}

pub fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
}

/// Asserts that only files that their owner alone can read contain a secret, and only those that `may_hold` it.
pub fn assert_kept_private(folder: &Path, secret: &str, may_hold: impl Fn(&Path) -> bool) {
    for file in files_below(folder) {
        let bytes = std::fs::read(&file).unwrap_or_default();
        if bytes.windows(secret.len()).any(|window| window == secret.as_bytes()) {
            let mode = std::fs::metadata(&file).unwrap().permissions().mode() & 0o077;
            assert!(mode == 0 && may_hold(&file), "a secret in {}", file.display());
        }
    }
}

/// The join code that a command printed as JSON.
fn printed_code(served: &SpawnedService, line: &str) -> String {
    let output = served.run(line);
    let printed: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{line}: {output:?}"));
    printed["join_code"].as_str().unwrap().to_owned()
}

#[test]
fn a_colleague_joins_with_a_code_and_works_on_the_same_queue() {
    let served = SpawnedService::start(&["--projects", "60"]);
    let code = printed_code(&served, "gantry invitations create lee@northline.example --json");
    let lee = Home::new();
    assert_eq!(lee.failed("join", &code, 2), "the code is for a person: add --name NAME");
    let said = lee.ok("join --name Lee", &format!("{code}\n"));
    assert!(said.contains(" as member, saved as profile ") && said.ends_with("next, run: gantry\n"), "{said}");
    let profiles: Value = serde_json::from_str(&lee.ok("profiles --json", "")).unwrap();
    let name = profiles[0]["name"].as_str().unwrap();
    assert_eq!(profiles[0]["default"], true);
    let signals: Value = serde_json::from_str(&lee.ok("queue list --status new --limit 1 --json", "")).unwrap();
    lee.ok(&format!("queue triage done {}", signals[0]["id"].as_str().unwrap()), "");
    let members = String::from_utf8(served.run("gantry members list").stdout).unwrap();
    assert!(members.contains("lee@northline.example"), "{members}");

    let late = Home::new();
    let reason = "cannot join: this join code was already used: ask the person who invited you for a new one";
    let refusal = late.failed("join --name Max", &code, 1);
    assert!(refusal.contains(reason), "{refusal}");
    assert!(!late.0.path().join(".config/gantry/config.toml").exists(), "no profile for nothing");

    let token = std::fs::read_to_string(lee.token_file(name)).unwrap();
    for folder in [lee.0.path(), served.home.path()] {
        assert_kept_private(folder, token.trim(), |file| file == lee.token_file(name));
        assert_kept_private(folder, &code, |_| false);
    }
}

#[test]
fn a_renewed_invitation_voids_the_earlier_code() {
    let served = SpawnedService::start(&["--projects", "60"]);
    let first = printed_code(&served, "gantry invitations create lee@northline.example --role admin --json");
    let second = printed_code(&served, "gantry invitations renew lee@northline.example --json");
    let lee = Home::new();
    assert!(lee.failed("join --name Lee", &first, 1).contains("this join code was revoked"));
    let said: Value = serde_json::from_str(&lee.ok("join --name Lee --profile desk --json", &second)).unwrap();
    assert_eq!((&said["role"], &said["profile"]), (&"admin".into(), &"desk".into()));
    let again = served.run("gantry invitations renew lee@northline.example");
    assert_eq!(again.status.code(), Some(4), "{again:?}");
}

#[test]
fn a_wall_joins_with_a_profile_that_only_reads_until_it_is_removed() {
    let served = SpawnedService::start(&["--projects", "60"]);
    let code = printed_code(&served, "gantry team wall-code Lobby --json");
    let wall = Home::new();
    let said = wall.ok("join", &code);
    assert!(said.contains("as a wall that only reads") && said.ends_with("next, run: gantry watch\n"), "{said}");
    assert!(std::fs::read_to_string(wall.0.path().join(".config/gantry/config.toml")).unwrap().contains("read_only = true"));
    wall.ok("queue stats", "");
    assert!(wall.failed("views create Ours --dataset account", "", 3).contains("is read-only"));
    let status: Value = serde_json::from_slice(&served.run("gantry team status --json").stdout).unwrap();
    let id = status["walls"][0]["id"].as_str().unwrap();
    assert!(served.run(&format!("gantry team remove-wall {id}")).status.success());
    assert_eq!(wall.run("queue stats", "").status.code(), Some(3));
}

#[test]
fn a_code_that_is_cut_off_is_rejected_before_anything_is_sent() {
    let home = Home::new();
    let incomplete = "this join code is incomplete: copy it again";
    assert_eq!(home.failed("join --name Lee", "gj_AQcAAA", 2), incomplete);
    assert_eq!(home.failed("join --name Lee", "hello", 2), "this is not a join code: a join code begins with gj_");
}
