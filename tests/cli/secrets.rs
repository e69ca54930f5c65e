//! The token is a canary: searched for in everything that commands and the console leave behind.

use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use crate::golden::{GOLDEN_FILES, SHELL_HELPERS};
use crate::pty::gantry_program;
use crate::scripted_server::{ScriptedAction, ScriptedServer};
use crate::spawned_service::SpawnedService;

/// Text that only colleagues should see.
const NOTE_CANARY: &str = "canary-note";
const WORKSPACE_ID: &str = "018f4d3a-0000-7000-8000-00000000000a";

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

fn contains_bytes(bytes: &[u8], canary: &str) -> bool {
    bytes
        .windows(canary.len())
        .any(|window| window == canary.as_bytes())
}

/// Prepares a home folder whose browser and editor record what they were given.
fn prepare_home(served: &SpawnedService) -> (String, String) {
    let home = served.home.path();
    let bin = home.join("bin");
    fs::create_dir_all(&bin).unwrap();
    fs::write(home.join("editor"), "env > \"$HOME/editor.env\"\n").unwrap();
    for opener in ["xdg-open", "gio", "gnome-open", "kde-open", "open"] {
        fs::write(
            bin.join(opener),
            "#!/bin/sh\nenv > \"$HOME/browser.env\"\necho \"$@\" > \"$HOME/browser.args\"\n",
        )
        .unwrap();
        fs::set_permissions(bin.join(opener), fs::Permissions::from_mode(0o755)).unwrap();
    }
    (
        home.display().to_string(),
        format!("{}:{}", bin.display(), env::var("PATH").unwrap()),
    )
}

#[test]
fn verbs_and_console_leave_no_token_behind() {
    let served = SpawnedService::start(&[
        "--seed",
        "7",
        "--projects",
        "60",
        "--as-of",
        "2026-07-01T17:42:00Z",
    ]);
    let of = |name: &str| {
        served
            .env
            .iter()
            .find(|(known, _)| *known == name)
            .unwrap()
            .1
            .clone()
    };
    let canary = of("GANTRY_TOKEN");
    let (home, path) = prepare_home(&served);
    fs::write(served.home.path().join("token"), &canary).unwrap();
    fs::set_permissions(
        served.home.path().join("token"),
        fs::Permissions::from_mode(0o600),
    )
    .unwrap();

    // Every command, whether it succeeds or not, and some that must fail.
    let lines = GOLDEN_FILES
        .iter()
        .flat_map(|(_, lines)| *lines)
        .map(|line| format!("gantry {line} --format jsonl"));
    let wrong = [
        "gantry queue list --token $GANTRY_TOKEN",
        "GANTRY_TOKEN='Bearer '$GANTRY_TOKEN gantry queue list",
        "GANTRY_BASE_URL=http://127.0.0.1:1/api/v1 gantry queue list",
        "GANTRY_WORKSPACE=nonsense gantry queue list",
        "gantry api GET /nowhere",
        "gantry doctor",
        "gantry login --profile other < token",
        "gantry profiles --json",
    ];
    for line in lines.chain(wrong.map(str::to_owned)) {
        let output = served.run(&format!(
            "{SHELL_HELPERS}echo x | {}",
            line.replace("{n}", "1")
        ));
        for (name, bytes) in [("output", &output.stdout), ("error", &output.stderr)] {
            // A token typed on the command line is echoed in the usage error: no command accepts
            // it.
            assert!(
                line.contains("--token $") || !contains_bytes(bytes, &canary),
                "{name} of {line}"
            );
        }
    }

    let editor = format!("sh '{home}/editor'");
    let mut console = gantry_program(&[])
        .env("HOME", &home)
        .env("PATH", &path)
        .env("EDITOR", &editor);
    for name in ["GANTRY_BASE_URL", "GANTRY_TOKEN", "GANTRY_WORKSPACE"] {
        console = console.env(name, &of(name));
    }
    let mut console = console.env("DISPLAY", ":0").start().wait_for_text("e done");
    // Keys in the same read as an Enter would count as a paste.
    for (keys, there) in [("j", "2 of"), ("\r", "Overview")] {
        console.type_keys(keys);
        console.wait_for(there);
    }
    console.type_keys("ycyjyfo");
    let opened = served.home.path().join("browser.args");
    console.wait_until("a browser", |_| opened.exists());
    // Each overlay is open before it is closed: an Esc in the same read as the next key is another
    // key.
    for (keys, there) in [("?", "Help"), (":token", "token")] {
        console.type_keys(keys);
        console.wait_for(there);
        console.type_keys("\x1b");
        console.wait_until("no overlay", |console| !console.text().contains(there));
    }
    for (keys, expected) in [("e", "z undoes"), ("z", "Z redoes")] {
        console.type_keys(keys);
        console.wait_for(expected);
    }
    console.type_keys("R");
    console.type_keys("an");
    console.wait_for("Annotate");
    console.type_keys(NOTE_CANARY);
    console.wait_for(NOTE_CANARY);
    console.type_keys("\x0f");
    let edited = served.home.path().join("editor.env");
    console.wait_until("an editor", |_| edited.exists());
    console.type_keys("\x03\x03");
    console.wait_for_exit();
    assert!(
        !contains_bytes(console.all_output().as_bytes(), &canary),
        "the screen or the clipboard"
    );

    for file in files_below(served.home.path()) {
        let bytes = fs::read(&file).unwrap_or_default();
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        if name == "ready.json" || name == "token" || name.ends_with(".token") {
            assert_eq!(
                fs::metadata(&file).unwrap().permissions().mode() & 0o077,
                0,
                "only the owner can read {name}"
            );
        } else {
            assert!(!contains_bytes(&bytes, &canary), "{}", file.display());
        }
        // A note is only in the store, which only its owner can read.
        let is_store = file
            .extension()
            .is_some_and(|kind| kind.to_string_lossy().starts_with("db"));
        assert!(
            is_store || !contains_bytes(&bytes, NOTE_CANARY),
            "a note in {}",
            file.display()
        );
    }
    let log = files_below(served.home.path())
        .into_iter()
        .any(|file| file.ends_with("gantry.log"));
    assert!(log, "there is no log to search");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_echoed_by_the_service_is_not_shown() {
    let canary = "gkcanary0123456789";
    for action in [
        ScriptedAction::error_response(401, "", "unauthorized", "Unknown token gkcanary0123456789"),
        ScriptedAction::error_response(500, "", "gkcanary0123456789", ""),
        ScriptedAction::Respond(
            400,
            "",
            b"Authorization: Bearer gkcanary0123456789".to_vec(),
        ),
    ] {
        let socket = ScriptedServer::start([action]).await;
        let mut command = Command::new(env!("CARGO_BIN_EXE_gantry"));
        command
            .env_clear()
            .env("HOME", crate::home())
            .env("GANTRY_BASE_URL", &socket.base_url);
        command
            .env("GANTRY_WORKSPACE", WORKSPACE_ID)
            .env("GANTRY_TOKEN", canary);
        let output = command.args(["queue", "stats"]).output().unwrap();
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            !message.contains(canary) && message.contains("(the token)"),
            "{message}"
        );
    }
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn a_killed_run_leaves_no_core_dump_and_no_token_in_its_arguments() {
    let socket = ScriptedServer::start([ScriptedAction::Hang]).await;
    let folder = tempfile::tempdir().unwrap();
    let mut child = Command::new("sh")
        .args([
            "-c",
            "ulimit -c unlimited; exec \"$0\" queue stats",
            env!("CARGO_BIN_EXE_gantry"),
        ])
        .env_clear()
        .env("HOME", folder.path())
        .env("GANTRY_BASE_URL", &socket.base_url)
        .env("GANTRY_WORKSPACE", WORKSPACE_ID)
        .env("GANTRY_TOKEN", "gk_canary")
        .current_dir(folder.path())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while socket.requests().is_empty() {
        tokio::task::yield_now().await;
    }
    let of = |name: &str| fs::read(format!("/proc/{}/{name}", child.id())).unwrap();
    assert!(!contains_bytes(&of("cmdline"), "gk_canary"));
    let limits = String::from_utf8(of("limits")).unwrap();
    let core = limits
        .lines()
        .find(|line| line.starts_with("Max core file size"))
        .unwrap();
    assert_eq!(core.split_whitespace().nth(4), Some("0"), "{core}");
    rustix::process::kill_process(
        rustix::process::Pid::from_child(&child),
        rustix::process::Signal::ABORT,
    )
    .unwrap();
    let status = child.wait().unwrap();
    assert!(
        status.signal() == Some(6) && !status.core_dumped(),
        "{status}"
    );
    assert!(
        files_below(folder.path())
            .iter()
            .all(|file| !file.display().to_string().contains("core"))
    );
}
