//! The console is killed in the middle of a change: the next start checks it and completes what is
//! left.

use std::time::{Duration, Instant};

use crate::faulty_proxy::TriageFault;
use crate::proxied_service::ProxiedService;
use crate::pty::TerminalSession;
use crate::spawned_service::is_stored;

impl ProxiedService {
    /// Starts the console on this machine.
    fn start_console(&self) -> TerminalSession {
        self.console_program().start()
    }

    /// The result of each triage, newest first.
    fn triage_log(&self) -> Vec<String> {
        let line = format!("GANTRY_BASE_URL={} gantry log --json", self.proxy.base_url);
        let log: Vec<serde_json::Value> =
            serde_json::from_slice(&self.service.run(&line).stdout).unwrap();
        log.iter()
            .map(|sent| sent["progress"].as_str().unwrap().to_owned())
            .collect()
    }
}

fn kill(session: &mut TerminalSession) {
    session.send_signal(rustix::process::Signal::KILL);
    assert_eq!(session.wait_for_exit(), 137);
}

/// Presses z until this text is shown: the history is loaded a moment after the rows, and until
/// then there is nothing to undo.
fn undo_until(console: &mut TerminalSession, words: &str) {
    let since = Instant::now();
    while !console.text().contains(words) {
        assert!(
            since.elapsed() < Duration::from_secs(20),
            "{}",
            console.text()
        );
        console.type_keys("z");
        let began = Instant::now();
        console.wait_until("an answer", |console| {
            console.text().contains(words) || began.elapsed() > Duration::from_secs(2)
        });
    }
}

#[test]
fn an_undelivered_triage_is_resent_after_a_kill_and_can_be_undone() {
    let desk = ProxiedService::new();
    let before = desk.new_count();
    desk.proxy.set_triage_fault(TriageFault::HoldRequest);
    let mut console = desk.start_console().wait_for_text("Enter");
    console.type_keys("e");
    desk.proxy.wait_for_held(1);
    assert_eq!(
        (desk.triage_log(), desk.new_count()),
        (vec!["sending".to_owned()], before)
    );
    kill(&mut console);

    desk.proxy.set_triage_fault(TriageFault::Forward);
    let mut console = desk.start_console().wait_for_text("z undoes");
    assert_eq!(desk.new_count(), before - 1, "{}", console.text());
    console.type_keys("q");
    assert_eq!(
        (console.wait_for_exit(), desk.triage_log()),
        (0, vec!["done".to_owned(), "not sent".to_owned()])
    );

    let mut console = desk.start_console().wait_for_text("Enter");
    undo_until(&mut console, "Z redoes");
    assert_eq!(desk.new_count(), before);
}

#[test]
fn a_triage_with_a_lost_response_is_confirmed_after_a_kill_and_not_resent() {
    let desk = ProxiedService::new();
    let before = desk.new_count();
    desk.proxy.set_triage_fault(TriageFault::HoldResponse);
    let mut console = desk.start_console().wait_for_text("Enter");
    console.type_keys("e");
    desk.proxy.wait_for_held(1);
    kill(&mut console);

    desk.proxy.set_triage_fault(TriageFault::Forward);
    let mut console = desk
        .start_console()
        .wait_for_text("checked: all 1 signal done");
    console.type_keys("q");
    assert_eq!(console.wait_for_exit(), 0);
    assert_eq!(
        (desk.new_count(), desk.triage_log()),
        (before - 1, vec!["done".to_owned()])
    );
}

#[test]
fn drafts_of_a_note_and_a_search_survive_a_kill() {
    let desk = ProxiedService::new();
    let mut console = desk.start_console().wait_for_text("Enter");
    console.type_keys("5");
    console.wait_for("filter is valid");
    console.type_keys("Ecity=Austin\r");
    console.wait_for("Projects in Austin");
    console.type_keys("1");
    console.wait_for("Enter open");
    console.type_keys("an");
    console.wait_for("Annotate");
    console.type_keys("met at the fair");
    console.wait_for("met at the fair");
    console.wait_until("a draft on the disk", |_| {
        is_stored(desk.service.home.path(), "met at the fair")
    });
    kill(&mut console);

    let mut console = desk.start_console().wait_for_text("your draft from");
    console.type_keys("gt");
    console.wait_for("Unsaved drafts");
    console.type_keys("\r");
    console.wait_for("met at the fair");
    console.type_keys(", call back");
    console.wait_for("met at the fair, call back");
    // A signal to end loses nothing either.
    console.send_signal(rustix::process::Signal::TERM);
    assert_eq!(console.wait_for_exit(), 143);

    let mut console = desk.start_console().wait_for_text("your draft from");
    console.type_keys("gt");
    console.wait_for("Unsaved drafts");
    console.type_keys("\r");
    console.wait_for("met at the fair, call back");
    console.type_keys("\x1b\x1b");
    console.wait_for("Nothing was written");
    console.type_keys("5");
    console.wait_for("Projects in Austin");
    console.type_keys("qq");
    assert_eq!(console.wait_for_exit(), 0);
    assert!(
        console
            .all_output()
            .contains("your draft for 1 record is kept"),
        "{}",
        console.text()
    );
}

#[test]
fn book_writes_can_be_undone_after_a_kill_once_reread() {
    let desk = ProxiedService::new();
    let mut console = desk.start_console().wait_for_text("Enter");
    console.type_keys("3");
    console.wait_for("Enter reads");
    console.type_keys("\r");
    console.wait_for("rows read");
    console.type_keys("as");
    console.wait_for("Annotate");
    console.type_keys("a-status-of-mine\x13\x13");
    console.wait_for("done: status of");
    // The journal is written in the background.
    console.wait_until("the journal", |_| {
        desk.triage_log()
            .first()
            .is_some_and(|state| state == "done")
    });
    kill(&mut console);

    let mut console = desk.start_console().wait_for_text("Enter");
    undo_until(&mut console, "read 1 account first, then undo");
    console.type_keys("\r");
    console.wait_for("undone: status of");
    console.type_keys("Z");
    console.wait_for("read 1 account first, then redo");
    console.type_keys("\r");
    console.wait_for("redone: status of");
    let found = desk
        .service
        .run("gantry book accounts search --all --json | grep -c a-status-of-mine");
    assert_eq!(String::from_utf8_lossy(&found.stdout).trim(), "1");
    console.type_keys("q");
    assert_eq!(console.wait_for_exit(), 0);
}
