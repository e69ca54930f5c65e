//! `gantry join`: a second person and a wall, each with a home of their own, on a service of the
//! first.

use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::pty::gantry_program;
use crate::spawned_service::SpawnedService;

/// The home of somebody who has no profile yet.
pub struct Home(pub tempfile::TempDir);

impl Home {
    pub fn new() -> Home {
        Home(tempfile::tempdir().unwrap())
    }

    pub fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gantry"));
        command
            .args(arguments.split(' '))
            .env_clear()
            .env("HOME", self.0.path())
            .env("GANTRY_LOG", "debug");
        command
    }

    /// Runs a command with this standard input.
    pub fn run(&self, arguments: &str, input: &str) -> Output {
        let mut command = self.command(arguments);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A command that rejects its arguments does not read.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        child.wait_with_output().unwrap()
    }

    /// Runs a command that succeeds; returns what it printed.
    #[track_caller]
    pub fn ok(&self, arguments: &str, input: &str) -> String {
        let output = self.run(arguments, input);
        assert!(
            output.status.success(),
            "{arguments}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs a command that fails with this status; returns its one line.
    #[track_caller]
    pub fn failed(&self, arguments: &str, input: &str, status: i32) -> String {
        let output = self.run(arguments, input);
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(
            (output.status.code(), message.lines().count()),
            (Some(status), 1),
            "{arguments}: {message}"
        );
        message.trim_start_matches("gantry: ").trim().to_owned()
    }

    fn token_file(&self, profile: &str) -> PathBuf {
        self.0
            .path()
            .join(format!(".config/gantry/{profile}.token"))
    }
}

pub fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| {
            if path.is_dir() {
                files_below(&path)
            } else {
                vec![path]
            }
        })
        .collect()
}

/// Asserts that only files that their owner alone can read contain a secret, and only those that
/// `may_hold` it.
pub fn assert_kept_private(folder: &Path, secret: &str, may_hold: impl Fn(&Path) -> bool) {
    for file in files_below(folder) {
        let bytes = std::fs::read(&file).unwrap_or_default();
        if bytes
            .windows(secret.len())
            .any(|window| window == secret.as_bytes())
        {
            let mode = std::fs::metadata(&file).unwrap().permissions().mode() & 0o077;
            assert!(
                mode == 0 && may_hold(&file),
                "a secret in {}",
                file.display()
            );
        }
    }
}

/// The join code that a command printed as JSON.
fn printed_code(served: &SpawnedService, line: &str) -> String {
    let output = served.run(line);
    let printed: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{line}: {output:?}"));
    printed["join_code"].as_str().unwrap().to_owned()
}

#[test]
fn a_colleague_joins_with_a_code_and_works_on_the_same_queue() {
    let served = SpawnedService::start(&["--projects", "60"]);
    let code = printed_code(
        &served,
        "gantry invitations create lee@northline.example --json",
    );
    let lee = Home::new();
    assert_eq!(
        lee.failed("join", &code, 2),
        "the code is for a person; add --name NAME"
    );
    let named = lee.failed(&format!("join --name {code}"), &code, 2);
    assert_eq!(named, "this is a join code, not a name; nothing was sent");
    let said = lee.ok("join --name Lee", &format!("{code}\n"));
    assert!(
        said.contains(" as member, saved as profile ") && said.ends_with("next, run: gantry\n"),
        "{said}"
    );
    let profiles: Value = serde_json::from_str(&lee.ok("profiles --json", "")).unwrap();
    let name = profiles[0]["name"].as_str().unwrap();
    assert_eq!(profiles[0]["default"], true);
    let signals: Value =
        serde_json::from_str(&lee.ok("queue list --status new --limit 1 --json", "")).unwrap();
    lee.ok(
        &format!("queue triage done {}", signals[0]["id"].as_str().unwrap()),
        "",
    );
    let members = String::from_utf8(served.run("gantry members list").stdout).unwrap();
    assert!(members.contains("lee@northline.example"), "{members}");

    let late = Home::new();
    let reason = "cannot join: this join code was already used: ask the person who invited you for a new one";
    let refusal = late.failed("join --name Max", &code, 1);
    assert!(refusal.contains(reason), "{refusal}");
    assert!(
        !late.0.path().join(".config/gantry/config.toml").exists(),
        "no profile for nothing"
    );

    let token = std::fs::read_to_string(lee.token_file(name)).unwrap();
    for folder in [lee.0.path(), served.home.path()] {
        assert_kept_private(folder, token.trim(), |file| file == lee.token_file(name));
        assert_kept_private(folder, &code, |_| false);
    }
}

#[test]
fn a_renewed_invitation_voids_the_earlier_code() {
    let served = SpawnedService::start(&["--projects", "60"]);
    let first = printed_code(
        &served,
        "gantry invitations create lee@northline.example --role admin --json",
    );
    let second = printed_code(
        &served,
        "gantry invitations renew lee@northline.example --json",
    );
    let lee = Home::new();
    assert!(
        lee.failed("join --name Lee", &first, 1)
            .contains("this join code was revoked")
    );
    let said: Value =
        serde_json::from_str(&lee.ok("join --name Lee --profile desk --json", &second)).unwrap();
    assert_eq!(
        (&said["role"], &said["profile"]),
        (&"admin".into(), &"desk".into())
    );
    let again = served.run("gantry invitations renew nobody@northline.example");
    assert_eq!(again.status.code(), Some(4), "{again:?}");
}

#[test]
fn a_member_with_a_rejected_token_joins_again_and_keeps_the_profile() {
    let served = SpawnedService::start(&["--projects", "60"]);
    let invited = printed_code(
        &served,
        "gantry invitations create lee@northline.example --json",
    );
    let lee = Home::new();
    lee.ok("join --name Lee --profile desk", &invited);
    let another = printed_code(
        &served,
        "gantry invitations renew lee@northline.example --json",
    );
    lee.ok("join --profile laptop", &another);
    lee.ok("queue stats --profile desk", "");
    std::fs::write(lee.token_file("desk"), "gat_ended").unwrap();
    assert_eq!(lee.run("queue stats", "").status.code(), Some(3));
    let again = printed_code(
        &served,
        "gantry invitations renew lee@northline.example --json",
    );
    let said = lee.ok("join", &again);
    assert!(
        said.contains(" as member, saved as profile desk; next, run: gantry\n"),
        "{said}"
    );
    lee.ok("queue stats", "");
    let status = String::from_utf8(served.run("gantry team status").stdout).unwrap();
    assert!(
        !status.contains("invited; for a new code: gantry invitations renew lee@"),
        "{status}"
    );
}

#[test]
fn a_wall_joins_with_a_profile_that_only_reads_until_it_is_removed() {
    let served = SpawnedService::start(&["--projects", "60"]);
    let code = printed_code(&served, "gantry team wall-code Lobby --json");
    let wall = Home::new();
    let said = wall.ok("join", &code);
    assert!(
        said.contains("as a wall that only reads") && said.ends_with("next, run: gantry watch\n"),
        "{said}"
    );
    assert!(
        std::fs::read_to_string(wall.0.path().join(".config/gantry/config.toml"))
            .unwrap()
            .contains("read_only = true")
    );
    wall.ok("queue stats", "");
    assert!(
        wall.failed("views create Ours --dataset account", "", 3)
            .contains("is read-only")
    );
    let status: Value =
        serde_json::from_slice(&served.run("gantry team status --json").stdout).unwrap();
    let id = status["walls"][0]["id"].as_str().unwrap();
    assert!(
        served
            .run(&format!("gantry team remove-wall {id}"))
            .status
            .success()
    );
    let said = wall.failed("queue stats", "", 3);
    assert!(
        said.contains("check the token of profile ")
            && said.contains("/.config/gantry/")
            && said.ends_with("run: gantry join"),
        "{said}"
    );
}

#[test]
fn a_code_that_is_cut_off_is_rejected_before_anything_is_sent() {
    let home = Home::new();
    let incomplete = "this join code is incomplete: copy it again";
    assert_eq!(home.failed("join --name Lee", "gj_AQcAAA", 2), incomplete);
    assert_eq!(
        home.failed("join", "", 2),
        "no join code was given; paste the one that an owner or admin passed on to you"
    );
    assert_eq!(
        home.failed("join --name Lee", "hello", 2),
        "this is not a join code: a join code begins with gj_"
    );
}

#[test]
fn a_code_that_was_copied_as_two_lines_is_whole_after_the_second() {
    let code = gantry::domain::join_code::JoinCode {
        base_url: "http://127.0.0.1:1/api/v1".to_owned(),
        secret: gantry::domain::join_code::JoinSecret([7; 16]),
        fingerprint: None,
    };
    let code = code.encode();
    let (first, second) = code.split_at(code.len() / 2);
    // The rest, or the whole code once more.
    for then in [second, code.as_str()] {
        let mut terminal = gantry_program(&["join", "--name", "Lee"]).start();
        terminal.wait_for("paste the join code");
        terminal.type_keys(&format!("{first}\r"));
        terminal.wait_for("not the whole code: paste the rest");
        terminal.type_keys(&format!("{then}\r"));
        terminal.wait_for("cannot reach 127.0.0.1:1");
        assert_ne!(terminal.wait_for_exit(), 0);
    }
}

/// A service that ends with the test.
struct Office(
    std::process::Child,
    std::io::Lines<std::io::BufReader<std::process::ChildStdout>>,
);

impl Office {
    fn start(owner: &Home, arguments: &str) -> Office {
        use std::io::BufRead as _;
        let mut child = owner
            .command(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lines = std::io::BufReader::new(child.stdout.take().unwrap()).lines();
        Office(child, lines)
    }

    fn next_line(&mut self) -> String {
        self.1.next().expect("the service runs").unwrap()
    }
}

impl Drop for Office {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn an_office_goes_from_a_permit_file_to_two_people_and_a_wall_over_tls() {
    let (owner, ben, wall) = (Home::new(), Home::new(), Home::new());
    let data = owner.0.path().join("permits.db").display().to_string();
    let permits = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/data/san_francisco_400.csv"
    );
    owner.ok(
        &format!("import {permits} --layout san-francisco --data {data}"),
        "",
    );
    let up = format!("team up --data {data} --listen 127.0.0.1:0 --as-of 2018-03-10");
    assert!(
        owner.failed(&up, "", 2).contains("add --owner-name"),
        "without a terminal nothing is asked"
    );
    let mut office = Office::start(
        &owner,
        &format!("{up} --owner-name Ann --owner-email ann@example.com ben@example.com"),
    );
    assert_eq!(office.next_line(), "Ann, owner: joined");
    let invited = office.next_line();
    let code = invited
        .strip_prefix("ben@example.com, member: runs gantry join with ")
        .unwrap();

    ben.ok("join --name Ben", code);
    assert_eq!(
        office.next_line(),
        "Ben <ben@example.com>, member: has joined just now"
    );
    let profile = || std::fs::read(owner.0.path().join(".config/gantry/config.toml")).unwrap();
    let own = profile();
    let second = owner.failed(&up, "", 1);
    assert!(
        second.starts_with(&format!(
            "a service runs on {data} already, at https://127.0.0.1:"
        )) && second.contains("run gantry; to start it with other options, stop it there"),
        "{second}"
    );
    assert_eq!(profile(), own, "the profile stays");
    let again = format!("import {permits} --layout san-francisco --data {data}");
    let advice = String::from_utf8(owner.run(&again, "").stderr).unwrap();
    assert!(
        advice.contains("stop the service that runs on it at https://127.0.0.1:")
            && advice.contains(&format!(
                "with Ctrl-C, then run gantry team up --data {data} --as-of 20"
            ))
            && !advice.contains("--local"),
        "{advice}"
    );
    let signals: Value =
        serde_json::from_str(&ben.ok("queue list --status new --limit 1 --json", "")).unwrap();
    ben.ok(
        &format!("queue triage done {}", signals[0]["id"].as_str().unwrap()),
        "",
    );
    let stats: Value = serde_json::from_str(&owner.ok("queue stats --json", "")).unwrap();
    assert_eq!(stats["done_count"], 1, "the owner sees it");
    let created = owner.ok("team wall-code Lobby", "");
    assert!(created.starts_with("Lobby, wall: has until "), "{created}");
    let wall_code = created.trim_end().rsplit(' ').next().unwrap();
    wall.ok("join", wall_code);
    assert_eq!(office.next_line(), "Lobby, wall: has joined just now");
    wall.ok("watch --once --json", "");
    for home in [&owner, &ben, &wall] {
        let config =
            std::fs::read_to_string(home.0.path().join(".config/gantry/config.toml")).unwrap();
        assert!(
            config.contains("base_url = \"https://127.0.0.1:")
                && config.contains("certificate = \"sha256:"),
            "{config}"
        );
        let tokens = files_below(home.0.path())
            .into_iter()
            .filter(|file| file.extension().is_some_and(|kind| kind == "token"));
        let tokens: Vec<String> = tokens
            .map(|file| std::fs::read_to_string(file).unwrap().trim().to_owned())
            .collect();
        for (folder, token) in [&owner, &ben, &wall]
            .into_iter()
            .flat_map(|home| tokens.iter().map(move |token| (home, token)))
        {
            assert_kept_private(folder.0.path(), token, |file| {
                file.extension().is_some_and(|kind| kind == "token")
            });
        }
        for code in [code, wall_code] {
            assert_kept_private(home.0.path(), code, |_| false);
        }
    }
    drop(office);
    let mut again = Office::start(&owner, &format!("{up} eva@example.com:admin"));
    let mut joined = [again.next_line(), again.next_line()];
    joined.sort();
    assert_eq!(joined, ["Ann, owner: joined", "Ben, member: joined"]);
    assert!(
        again
            .next_line()
            .starts_with("eva@example.com, admin: runs gantry join with gj_")
    );
}

#[test]
fn an_office_serves_with_a_certificate_of_its_own() {
    let owner = Home::new();
    let path = |name: &str| owner.0.path().join(name);
    let pinned = |profile: &str| {
        let profiles: Value = serde_json::from_str(&owner.ok("profiles --json", "")).unwrap();
        profiles
            .as_array()
            .unwrap()
            .iter()
            .find(|one| one["name"] == profile)
            .unwrap()["certificate"]
            .clone()
    };
    let up = |data: &str, more: &str| {
        let who = "--owner-name Ann --owner-email ann@example.com --workspace-name Builders";
        let line = format!(
            "team up --data {} --listen 127.0.0.1:0 {who} --profile {data} {more}",
            path(data).display()
        );
        let mut office = Office::start(&owner, line.trim_end());
        assert_eq!(office.next_line(), "Ann, owner: joined");
    };
    up("first", "");
    let (certificate, key) = (path("first.cert.pem"), path("first.key.pem"));
    let files = format!("--cert {} --key {}", certificate.display(), key.display());
    up("second", &files);
    assert_eq!(pinned("second"), pinned("first"), "the given one");
    assert!(
        !path("second.cert.pem").exists() && !path("second.key.pem").exists(),
        "none is created"
    );
    let unit = owner.ok(&format!("team up --data second {files} --print-unit"), "");
    assert!(
        unit.contains(&format!(
            " --cert {} --key {}\n",
            certificate.display(),
            key.display()
        )),
        "{unit}"
    );
    assert!(
        owner
            .run(
                &format!("team up --data third --cert {}", certificate.display()),
                ""
            )
            .status
            .code()
            == Some(2)
    );
}

#[test]
fn a_new_team_asks_only_if_it_can_listen_and_asks_again_after_a_wrong_answer() {
    let home = tempfile::tempdir().unwrap();
    let data = home.path().join("desk.db").display().to_string();
    let team_up =
        |listen: &str| gantry_program(&["team", "up", "--data", &data, "--listen", listen]).start();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let mut office = team_up(&address);
    assert_eq!(office.wait_for_exit(), 1);
    let (said, why) = (
        office.all_output(),
        format!("cannot listen on {address}: another program"),
    );
    assert!(
        said.contains(&why) && said.contains("add --listen HOST:PORT") && !said.contains("type "),
        "{said}"
    );
    let mut office = team_up("127.0.0.1:0");
    for (question, answer) in [
        ("type the name of your team", "Builders"),
        ("type your name", " "),
        ("this is empty; type it again", "Ann"),
        ("type your email address", "ann@"),
        (
            "\"ann@\" is not an email address; type it again",
            "ann@example.com",
        ),
    ] {
        office.wait_for(question);
        office.type_keys(&format!("{answer}\r"));
    }
    office.wait_for("Ann, owner: joined");
}

#[test]
fn a_new_team_starts_without_data_and_its_unit_holds_no_secret() {
    let owner = Home::new();
    let data = owner.0.path().join("desk.db").display().to_string();
    let unit = owner.ok(&format!("team up --data {data} --print-unit"), "");
    assert!(
        unit.contains(&format!("team up --data {data} --listen 0.0.0.0:8484\n"))
            && !unit.contains("gj_"),
        "{unit}"
    );
    assert!(!Path::new(&data).exists());
    let who = "--workspace-name Builders --owner-name Ann --owner-email ann@example.com";
    let mut office = Office::start(
        &owner,
        &format!("team up --data {data} --listen 127.0.0.1:0 {who}"),
    );
    assert_eq!(office.next_line(), "Ann, owner: joined");
    let profiles: Value = serde_json::from_str(&owner.ok("profiles --json", "")).unwrap();
    assert_eq!(
        (&profiles[0]["name"], &profiles[0]["default"]),
        (&"builders".into(), &true.into())
    );
    let stats: Value = serde_json::from_str(&owner.ok("queue stats --json", "")).unwrap();
    assert_eq!(stats["new_count"], 0, "no sample data");
    gantry_program(&["queue", "list"])
        .env("HOME", owner.0.path().to_str().unwrap())
        .start()
        .wait_for("no signals of the last 90 days");
}
