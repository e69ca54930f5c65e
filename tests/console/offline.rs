//! What is saved while the service is unreachable: the queue for the next start, and changes that
//! could not be sent.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use crate::proxied_service::ProxiedService;
use crate::pty::{TerminalSession, gantry_program};

impl ProxiedService {
    /// The saved queue files.
    fn cached_queue_files(&self) -> Vec<PathBuf> {
        let Ok(state) = std::fs::read_dir(self.service.home.path().join(".local/state/gantry"))
        else {
            return Vec::new();
        };
        let paths = state.map(|entry| entry.unwrap().path());
        paths
            .filter(|path| path.extension().is_some_and(|ending| ending == "queue"))
            .collect()
    }
}

fn quit(mut console: TerminalSession) {
    console.type_keys("q");
    assert_eq!(console.wait_for_exit(), 0);
}

#[test]
fn offline_start_shows_the_saved_queue_and_sends_its_triage_later() {
    let desk = ProxiedService::new();
    quit(desk.console_program().start().wait_for_text("New 1 of"));
    let [file] = desk.cached_queue_files().try_into().unwrap();
    assert_eq!(
        std::fs::metadata(file).unwrap().permissions().mode() & 0o777,
        0o600
    );
    let (before, spent) = (
        desk.new_count(),
        desk.verb_json("credits show")["used"].as_u64(),
    );

    desk.proxy.set_offline(true);
    let mut console = desk.console_program().start().wait_for_text("OFFLINE");
    let rows = console.text();
    assert!(rows.contains(" as of ") && rows.contains("HIGH"), "{rows}");
    console.type_keys("jje");
    console.wait_for("queued until the service is back");
    assert_eq!(desk.new_count(), before);

    desk.proxy.set_offline(false);
    console.type_keys("R");
    console.wait_for("z undoes");
    console.wait_for(&format!("of {}", before - 1));
    assert!(!console.text().contains("OFFLINE"), "{}", console.text());
    assert_eq!(
        (
            desk.new_count(),
            desk.verb_json("credits show")["used"].as_u64()
        ),
        (before - 1, spent)
    );
    quit(console);
}

#[test]
fn another_users_token_does_not_see_the_saved_queue() {
    let desk = ProxiedService::new();
    quit(desk.console_program().start().wait_for_text("New 1 of"));
    desk.proxy.set_offline(true);
    let mut console = desk
        .console_program()
        .env("GANTRY_TOKEN", "somebody-elses")
        .start();
    console.wait_for("R retries");
    console.type_keys("q");
    assert_eq!(console.wait_for_exit(), 5);
    assert!(
        !console.all_output().contains("as of"),
        "{}",
        console.all_output()
    );
}

#[test]
fn a_corrupt_saved_queue_is_ignored_and_the_demo_saves_none() {
    let desk = ProxiedService::new();
    quit(desk.console_program().start().wait_for_text("New 1 of"));
    let [file] = desk.cached_queue_files().try_into().unwrap();
    std::fs::write(&file, "{\"of\": \"nobody\"").unwrap();
    let console = desk.console_program().start().wait_for_text("New 1 of");
    assert!(
        !console.all_output().contains("damaged"),
        "{}",
        console.text()
    );
    quit(console);
    std::fs::remove_file(file).unwrap();
    let home = desk.service.home.path().display().to_string();
    quit(
        gantry_program(&["--demo"])
            .env("HOME", &home)
            .start()
            .wait_for_text("New 1 of"),
    );
    assert!(
        desk.cached_queue_files().is_empty(),
        "{:?}",
        desk.cached_queue_files()
    );
}

#[test]
fn an_unsent_status_is_announced_when_back_online_and_resumed_by_one_key() {
    let desk = ProxiedService::new();
    let mut console = desk.console_program().start().wait_for_text("New 1 of");
    console.type_keys("3");
    console.wait_for("Enter reads");
    console.type_keys("\r");
    console.wait_for("rows read");
    console.type_keys("as");
    console.wait_for("Annotate");
    console.type_keys("a-status-of-mine");
    console.wait_for("a-status-of-mine");
    desk.proxy.set_offline(true);
    console.type_keys("\x13");
    console.wait_for("is a new status");
    console.type_keys("\x13");
    console.wait_for("gt resumes it");
    console.wait_for("OFFLINE");
    desk.proxy.set_offline(false);
    console.wait_for("unsaved draft");
    let written = || {
        desk.service
            .run("gantry book accounts search --all --json | grep -c a-status-of-mine || true")
            .stdout
    };
    assert_eq!(written(), b"0\n", "nothing is sent automatically");
    console.type_keys("gt");
    console.wait_for("Unsaved drafts");
    console.type_keys("\r");
    console.wait_for("Annotate");
    console.type_keys("\x13");
    console.wait_for("done: status of");
    assert_eq!(written(), b"1\n");
    console.type_keys("q");
    quit(console);
}
