//! Limits of the operating system and the configuration: closed or too few descriptors, a shared
//! home folder, invalid configuration, limits checked before anything is sent, and private text
//! that must not leak.

use std::io::{BufRead as _, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs};

use serde_json::Value;

use crate::pty;
use crate::scripted_server::{ScriptedAction, ScriptedServer};
use crate::spawned_service::SpawnedService;

const WORKSPACE_ID: &str = "018f4d3a-0000-7000-8000-00000000000a";
const SIGNAL_ID: &str = "018f4d3a-0000-7000-8000-000000000001";
const STATS_JSON: &str =
    r#"{"new_count":3,"high_priority_new_count":1,"done_count":2,"type_counts":[]}"#;

/// A shell command line, with this program as `gantry` and its own home folder.
fn shell_command(home: &Path, base_url: &str, line: &str) -> Command {
    let folder = Path::new(env!("CARGO_BIN_EXE_gantry")).parent().unwrap();
    let mut command = Command::new("sh");
    command
        .args(["-c", line])
        .env_clear()
        .env("HOME", home)
        .env("GANTRY_TOKEN", "gk_canary");
    command.env(
        "PATH",
        format!("{}:{}", folder.display(), env::var("PATH").unwrap()),
    );
    if !base_url.is_empty() {
        command
            .env("GANTRY_BASE_URL", base_url)
            .env("GANTRY_WORKSPACE", WORKSPACE_ID);
    }
    command
}

fn run_shell(home: &Path, base_url: &str, line: &str) -> Output {
    shell_command(home, base_url, line).output().unwrap()
}

fn stderr_text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_missing_folder_for_temporary_files_is_an_error_that_says_which_variable_to_set() {
    let home = tempfile::tempdir().unwrap();
    let permits = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/data/san_francisco_400.csv"
    );
    let import = format!("import {permits} --data desk.db --dry-run");
    for verb in [
        "queue stats --demo",
        "serve --demo --listen 127.0.0.1:0",
        &import,
    ] {
        let output = run_shell(
            home.path(),
            "",
            &format!("TMPDIR=/nonexistent gantry {verb}"),
        );
        let error = stderr_text(&output);
        assert!(
            error.contains("/nonexistent/")
                && error.ends_with("; set TMPDIR to a folder that can be written\n"),
            "{verb}: {error}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_verb_ends_quietly_without_stdout_or_stderr() {
    let home = tempfile::tempdir().unwrap();
    let socket = ScriptedServer::start([ScriptedAction::json(STATS_JSON)]).await;
    for (closed, verb, statuses) in [
        (">&-", "queue stats", &[0][..]),
        ("2>&-", "queue stats", &[0]),
        (">&- 2>&-", "queue stats", &[0]),
        ("2>&-", "nonsense", &[2]),
        (">&- 2>&-", "queue list --limit x", &[2]),
        ("<&-", "queue stats", &[0]),
        ("<&- >&- 2>&-", "queue triage done --stdin", &[0, 1]),
        ("> /dev/full", "queue stats", &[1]),
    ] {
        let output = run_shell(
            home.path(),
            &socket.base_url,
            &format!("gantry {verb} {closed}"),
        );
        assert!(
            statuses.contains(&output.status.code().unwrap()),
            "{verb} {closed}: {output:?}"
        );
        assert!(
            !stderr_text(&output).contains("panicked"),
            "{verb} {closed}: {output:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn twenty_processes_share_one_home_and_a_killed_one_leaves_no_lock() {
    let home = tempfile::tempdir().unwrap();
    let socket = ScriptedServer::start([ScriptedAction::json(r#"{"updated":1}"#)]).await;
    let line = format!("exec gantry queue triage done {SIGNAL_ID}");
    let begin = || {
        shell_command(home.path(), &socket.base_url, &line)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let mut killed = begin();
    let others: Vec<_> = (0..20).map(|_| begin()).collect();
    killed.kill().unwrap();
    killed.wait().unwrap();
    for other in others {
        let output = other.wait_with_output().unwrap();
        assert!(
            output.status.success() && output.stderr.is_empty(),
            "{output:?}"
        );
    }
    let began = Instant::now();
    let log = run_shell(home.path(), &socket.base_url, "gantry log --json");
    let rows: Vec<Value> = serde_json::from_slice(&log.stdout).unwrap();
    assert_eq!(
        rows.iter().filter(|row| row["progress"] == "done").count(),
        20 + usize::from(rows.iter().filter(|row| row["progress"] == "done").count() == 21)
    );
    assert!(
        began.elapsed() < Duration::from_secs(5),
        "no run waits for the killed one"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_invalid_configuration_is_reported_with_its_file_and_breaks_nothing_else() {
    let home = tempfile::tempdir().unwrap();
    let socket = ScriptedServer::start([ScriptedAction::json(STATS_JSON)]).await;
    let folder = home.path().join(".config/gantry");
    fs::create_dir_all(&folder).unwrap();
    let file = folder.join("config.toml");
    for (content, works) in [
        (b"[console]\npoll = 'soon'\n".to_vec(), true),
        (b"[console]\npol = '30s'\n".to_vec(), true),
        (b"[profiles.a]\nbase_url = 1\n".to_vec(), true),
        (b"[console]\npoll = '30s'\npoll = '40s'\n".to_vec(), false),
        (b"[[[".to_vec(), false),
        (b"[console]\npoll = '30s' # caf\xe9\n".to_vec(), false),
        (b"\xff\xfep\x00o\x00".to_vec(), false),
        (format!("# {}\n", "x".repeat(10 << 20)).into_bytes(), true),
    ] {
        fs::write(&file, &content).unwrap();
        let output = run_shell(home.path(), &socket.base_url, "gantry queue stats --json");
        let what = String::from_utf8_lossy(&content)
            .chars()
            .take(30)
            .collect::<String>();
        assert_eq!(
            output.status.code(),
            Some(if works { 0 } else { 2 }),
            "{what}: {output:?}"
        );
        assert!(
            content.len() > 1 << 20 || stderr_text(&output).contains("config.toml"),
            "{what}: {}",
            stderr_text(&output)
        );
        assert!(
            stderr_text(&output).lines().count() <= 1 && !stderr_text(&output).contains('\u{fffd}'),
            "{what}: {}",
            stderr_text(&output)
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn api_limits_are_checked_before_sending() {
    let home = tempfile::tempdir().unwrap();
    let socket = ScriptedServer::start([ScriptedAction::json(r#"{"subscriptions":[]}"#)]).await;
    let types: Vec<String> = (0..15).map(|n| format!("type_{n}")).collect();
    let people: Vec<String> = (0..101)
        .map(|n| format!("018f4d3a-0000-7000-8000-{n:012}"))
        .collect();
    for (line, words) in [
        (
            format!("gantry subscriptions bulk {}", types.join(" ")),
            "15 types are too many for one request; give at most 14",
        ),
        (
            "gantry subscriptions bulk permit_filed completion permit_filed=high".to_owned(),
            "permit_filed is given twice",
        ),
        (
            format!(
                "gantry subscriptions set permit_filed --recipients {}",
                people.join(",")
            ),
            "a subscription has at most 100 recipients",
        ),
    ] {
        let output = run_shell(home.path(), &socket.base_url, &line);
        assert!(
            output.status.code() == Some(2) && stderr_text(&output).contains(words),
            "{output:?}"
        );
    }
    let nothing = run_shell(
        home.path(),
        &socket.base_url,
        "printf '\\n\\r\\n' | gantry book accounts remove --stdin",
    );
    assert_eq!(
        (nothing.status.code(), nothing.stdout.as_slice()),
        (Some(0), b"0 removed\n".as_slice())
    );
    assert!(socket.requests().is_empty());
    let recipients = format!(
        "gantry subscriptions set permit_filed --recipients {}",
        people[..100].join(",")
    );
    assert!(
        run_shell(home.path(), &socket.base_url, &recipients)
            .status
            .success(),
        "a hundred are allowed"
    );
}

/// The CPU time that a process has used.
fn cpu_time(id: u32) -> Duration {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap();
    let fields: Vec<u64> = stat
        .rsplit(") ")
        .next()
        .unwrap()
        .split(' ')
        .filter_map(|field| field.parse().ok())
        .collect();
    Duration::from_millis(10 * (fields[10] + fields[11]))
}

#[cfg(target_os = "linux")]
#[test]
fn a_service_out_of_file_descriptors_waits_without_spinning_and_recovers() {
    let home = tempfile::tempdir().unwrap();
    let ready = home.path().join("ready.json");
    let line = format!(
        "ulimit -n 40; exec gantry serve --listen 127.0.0.1:0 --projects 20 --ready-file {}",
        ready.display()
    );
    let mut service = shell_command(home.path(), "", &line)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    service
        .stdout
        .as_mut()
        .unwrap()
        .read_exact(&mut [0; 1])
        .unwrap();
    let ready: Value = serde_json::from_slice(&fs::read(&ready).unwrap()).unwrap();
    let host = ready["base_url"]
        .as_str()
        .unwrap()
        .split('/')
        .nth(2)
        .unwrap()
        .to_owned();
    let idle: Vec<_> = (0..60)
        .map(|_| TcpStream::connect(&host).unwrap())
        .collect();
    let (before, began) = (cpu_time(service.id()), Instant::now());
    while began.elapsed() < Duration::from_secs(1) {
        std::thread::yield_now();
    }
    let spent = cpu_time(service.id()) - before;
    assert!(spent < Duration::from_millis(400), "{spent:?} of a second");
    drop(idle);
    let mut stream = TcpStream::connect(&host).unwrap();
    stream
        .write_all(b"GET /openapi.yaml HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n")
        .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer:.80}");
    service.kill().unwrap();
    service.wait().unwrap();
}

#[cfg(target_os = "linux")]
#[test]
fn a_limit_on_file_sizes_is_an_error_and_never_the_end_without_a_word() {
    let home = tempfile::tempdir().unwrap();
    for line in [
        "serve --data full.db --listen 127.0.0.1:0",
        "--demo --projects 20 queue stats",
    ] {
        let output = run_shell(
            home.path(),
            "",
            &format!("cd; ulimit -f 8; exec timeout -s KILL 60 gantry {line}"),
        );
        assert_eq!(output.status.code(), Some(1), "{line}: {output:?}");
        assert!(
            stderr_text(&output)
                .contains("free some space, or raise the limit on the size of a file"),
            "{output:?}"
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn without_a_place_for_its_files_a_change_is_sent_and_doctor_says_what_is_lost() {
    let served = SpawnedService::start(&["--projects", "20"]);
    let listed = served.run("gantry queue list --json");
    let id = serde_json::from_slice::<Value>(&listed.stdout).unwrap()[0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let run = |line: &str| served.run(&format!("XDG_STATE_HOME=/dev/null/state gantry {line}"));
    let changed = run(&format!("queue triage done {id}"));
    assert_eq!(
        (changed.status.code(), changed.stdout.as_slice()),
        (Some(0), b"1 signal changed to done\n".as_slice())
    );
    assert!(
        stderr_text(&changed).contains("cannot write /dev/null/state"),
        "{changed:?}"
    );
    let doctor = run("doctor");
    let printed = String::from_utf8_lossy(&doctor.stdout).into_owned();
    assert_eq!(doctor.status.code(), Some(1), "{printed}");
    assert!(
        printed.contains("FAIL log: cannot write /dev/null/state")
            && printed.contains("without a journal"),
        "{printed}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_verb_short_of_file_descriptors_works_or_fails_with_one_line() {
    let home = tempfile::tempdir().unwrap();
    let socket = ScriptedServer::start([ScriptedAction::json(STATS_JSON)]).await;
    for most in [8, 10, 12, 16, 32] {
        let output = run_shell(
            home.path(),
            &socket.base_url,
            &format!("ulimit -n {most}; exec gantry queue stats"),
        );
        let line = stderr_text(&output);
        assert!(
            matches!(output.status.code(), Some(0..=2 | 5)) && line.lines().count() <= 2,
            "{most}: {output:?}"
        );
        assert!(!line.contains("panicked"), "{most}: {line}");
    }
}

/// All files below a folder.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder)
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

#[test]
fn notes_never_reach_logs_titles_or_notifications() {
    let served = SpawnedService::start(&["--projects", "40"]);
    let home = served.home.path().display().to_string();
    let known = served.env.iter().filter(|(name, _)| *name != "PATH");
    let mut console = known
        .fold(pty::gantry_program(&[]), |program, (name, value)| {
            program.env(name, value)
        })
        .env("HOME", &home)
        .start();
    console.wait_for("Enter open");
    console.type_keys("an");
    console.wait_for("Annotate");
    console.type_keys("canary of a note");
    console.wait_for("canary of a note");
    console.type_keys("\x13");
    console.wait_for("done: note of");
    console.type_keys("q");
    console.wait_for_exit();
    let sent = console.all_output();
    for command in sent.split("\x1b]").skip(1) {
        let command = command.split(['\x07', '\x1b']).next().unwrap();
        assert!(!command.contains("canary"), "{command:?}");
    }
    let line = served.run("gantry log --json");
    assert!(
        String::from_utf8_lossy(&line.stdout).contains("canary of a note"),
        "the journal, which only its owner can read, contains the note"
    );
    let logs: Vec<_> = files_below(served.home.path())
        .into_iter()
        .filter(|file| file.display().to_string().contains("gantry.log"))
        .collect();
    assert!(!logs.is_empty(), "there is no log to search");
    for log in logs {
        assert!(
            !fs::read_to_string(&log).unwrap().contains("canary"),
            "{}",
            log.display()
        );
    }
}

#[test]
fn listening_on_all_interfaces_speaks_tls_at_a_usable_address() {
    let home = tempfile::tempdir().unwrap();
    let ready = home.path().join("ready.json");
    for (options, scheme, warned) in [
        ("--listen 0.0.0.0:0", "https://", false),
        ("--listen '[::]:0'", "https://", false),
        (
            "--listen 0.0.0.0:0 --public-address 127.0.0.1 --plain-http",
            "http://127.0.0.1",
            true,
        ),
        ("--listen 127.0.0.1:0", "http://127.0.0.1:", false),
    ] {
        let line = format!(
            "exec gantry serve {options} --projects 20 --ready-file {}",
            ready.display()
        );
        let mut service = shell_command(home.path(), "", &line)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut printed = String::new();
        std::io::BufReader::new(service.stdout.as_mut().unwrap())
            .read_line(&mut printed)
            .unwrap();
        let known: Value = serde_json::from_slice(&fs::read(&ready).unwrap()).unwrap();
        let base_url = known["base_url"].as_str().unwrap().to_owned();
        let workspace = &known["workspaces"][0];
        let token = workspace["members"][0]["access_token"].as_str().unwrap();
        let mut stats = shell_command(home.path(), &base_url, "gantry queue stats --json");
        stats
            .env("GANTRY_TOKEN", token)
            .env("GANTRY_WORKSPACE", workspace["id"].as_str().unwrap());
        if let Some(certificate) = known["certificate"].as_str() {
            stats.env("GANTRY_CERTIFICATE", certificate);
        }
        let stats = stats.output().unwrap();
        let ended = Command::new("kill")
            .arg(service.id().to_string())
            .status()
            .unwrap();
        let mut warning = String::new();
        service
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut warning)
            .unwrap();
        service.wait().unwrap();
        assert!(
            ended.success() && base_url.starts_with(scheme) && printed.trim() == base_url,
            "{options}: {base_url}"
        );
        assert!(stats.status.success(), "{options}: {stats:?}");
        assert_eq!(
            warning.contains("plain http"),
            warned,
            "{options}: {warning}"
        );
    }
}

#[test]
fn login_needs_only_the_token_when_it_has_one_workspace() {
    let served = SpawnedService::start(&["--projects", "20"]);
    let of = |name: &str| {
        served
            .env
            .iter()
            .find(|(known, _)| *known == name)
            .unwrap()
            .1
            .clone()
    };
    let home = tempfile::tempdir().unwrap();
    let login = |token: &str| {
        let mut command = shell_command(
            home.path(),
            "",
            &format!(
                "echo {token} | gantry login --base-url {}",
                of("GANTRY_BASE_URL")
            ),
        );
        command.env_remove("GANTRY_TOKEN").output().unwrap()
    };
    let output = login(&of("GANTRY_TOKEN"));
    assert!(output.status.success(), "{output:?}");
    let profile = fs::read_to_string(home.path().join(".config/gantry/config.toml")).unwrap();
    assert!(profile.contains(&of("GANTRY_WORKSPACE")), "{profile}");
    let from_env = shell_command(
        home.path(),
        "",
        &format!(
            "gantry login --base-url {} < /dev/null",
            of("GANTRY_BASE_URL")
        ),
    )
    .env("GANTRY_TOKEN", of("GANTRY_TOKEN"))
    .output()
    .unwrap();
    assert!(from_env.status.success(), "{from_env:?}");
    let help = shell_command(home.path(), "", "gantry login --help")
        .output()
        .unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    assert!(
        [
            "standard input",
            "GANTRY_TOKEN",
            "--token-file",
            "not shown"
        ]
        .iter()
        .all(|way| help.contains(way)),
        "{help}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn login_explains_where_to_find_a_missing_workspace_id() {
    let home = tempfile::tempdir().unwrap();
    let required = |allowed: &str| {
        let body = format!(
            r#"{{"error":{{"code":"bad_request","message":"workspace_id is required","issues":[{{"code":"required","path":["workspace_id"],"message":"is required"{allowed}}}]}}}}"#
        );
        ScriptedAction::Respond(400, "content-type: application/json\r\n", body.into_bytes())
    };
    for (allowed, expected) in [
        (String::new(), "needs the id of its workspace (a UUID)"),
        (
            format!(r#","allowed":["{SIGNAL_ID}","{WORKSPACE_ID}"]"#),
            "this token is valid for 2 workspaces",
        ),
    ] {
        let socket = ScriptedServer::start([required(&allowed)]).await;
        let line = format!("echo t | gantry login --base-url {}", socket.base_url);
        let output = shell_command(home.path(), "", &line).output().unwrap();
        assert!(
            output.status.code() == Some(2) && stderr_text(&output).contains(expected),
            "{output:?}"
        );
        assert!(
            allowed.is_empty() || stderr_text(&output).contains(WORKSPACE_ID),
            "{output:?}"
        );
    }
}

#[test]
fn a_fifo_instead_of_a_file_does_not_block() {
    for name in [
        ".config/gantry/config.toml",
        ".local/state/gantry/demo.db",
        ".local/state/gantry/demo.lock",
        "desk.db",
    ] {
        let home = tempfile::tempdir().unwrap();
        let pipe = home.path().join(name);
        fs::create_dir_all(pipe.parent().unwrap()).unwrap();
        assert!(
            Command::new("mkfifo")
                .arg(&pipe)
                .status()
                .unwrap()
                .success()
        );
        let location = if name == "desk.db" {
            "--local desk.db"
        } else {
            "--demo --projects 20"
        };
        let line = format!("cd; timeout -s KILL 20 gantry {location} queue stats");
        let output = run_shell(home.path(), "", &line);
        assert!(
            matches!(output.status.code(), Some(0..=2)),
            "{name}: {output:?}"
        );
        let is_reported = stderr_text(&output).contains("no file")
            || stderr_text(&output).contains("regular file")
            || name.contains("demo");
        assert!(
            is_reported && !stderr_text(&output).contains("panicked"),
            "{name}: {output:?}"
        );
    }
}
