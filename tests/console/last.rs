//! What is kept for the time without the service: the queue of the next start, and what could not be written.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use crate::desk::Desk;
use crate::pty::{Session, gantry};

impl Desk {
    /// The files in which a queue is kept.
    fn kept(&self) -> Vec<PathBuf> {
        let Ok(state) = std::fs::read_dir(self.served.home.path().join(".local/state/gantry")) else { return Vec::new() };
        let paths = state.map(|entry| entry.unwrap().path());
        paths.filter(|path| path.extension().is_some_and(|ending| ending == "queue")).collect()
    }
}

fn quit(mut console: Session) {
    console.type_keys("q");
    assert_eq!(console.end(), 0);
}

#[test]
fn without_the_service_the_next_start_shows_the_queue_of_before_and_what_is_done_there_goes_out_later() {
    let desk = Desk::new();
    quit(desk.program().start().waited_for("New 1 of"));
    let [file] = desk.kept().try_into().unwrap();
    assert_eq!(std::fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);
    let (before, spent) = (desk.new_count(), desk.json("credits show")["used"].as_u64());

    desk.relay.away(true);
    let mut console = desk.program().start().waited_for("OFFLINE");
    let rows = console.text();
    assert!(rows.contains(" as of ") && rows.contains("HIGH"), "{rows}");
    console.type_keys("jje");
    console.wait_for("waits for the service");
    assert_eq!(desk.new_count(), before);

    desk.relay.away(false);
    console.type_keys("R");
    console.wait_for("z undoes");
    console.wait_for(&format!("of {}", before - 1));
    assert!(!console.text().contains("OFFLINE"), "{}", console.text());
    assert_eq!((desk.new_count(), desk.json("credits show")["used"].as_u64()), (before - 1, spent));
    quit(console);
}

#[test]
fn another_persons_token_sees_nothing_of_it() {
    let desk = Desk::new();
    quit(desk.program().start().waited_for("New 1 of"));
    desk.relay.away(true);
    let mut console = desk.program().env("GANTRY_TOKEN", "somebody-elses").start();
    console.wait_for("R tries");
    console.type_keys("q");
    assert_eq!(console.end(), 5);
    assert!(!console.all().contains("as of"), "{}", console.all());
}

#[test]
fn a_damaged_file_is_passed_over_and_the_sample_world_keeps_none() {
    let desk = Desk::new();
    quit(desk.program().start().waited_for("New 1 of"));
    let [file] = desk.kept().try_into().unwrap();
    std::fs::write(&file, "{\"of\": \"nobody\"").unwrap();
    let console = desk.program().start().waited_for("New 1 of");
    assert!(!console.all().contains("damaged"), "{}", console.text());
    quit(console);
    std::fs::remove_file(file).unwrap();
    let home = desk.served.home.path().display().to_string();
    quit(gantry(&["--demo"]).env("HOME", &home).start().waited_for("New 1 of"));
    assert!(desk.kept().is_empty(), "{:?}", desk.kept());
}

#[test]
fn a_status_that_could_not_be_written_is_said_when_the_service_answers_again_and_one_key_goes_on_with_it() {
    let desk = Desk::new();
    let mut console = desk.program().start().waited_for("New 1 of");
    console.type_keys("3");
    console.wait_for("Enter reads");
    console.type_keys("\r");
    console.wait_for("rows read");
    console.type_keys("as");
    console.wait_for("Annotate");
    console.type_keys("a-status-of-mine");
    console.wait_for("a-status-of-mine");
    desk.relay.away(true);
    console.type_keys("\x13");
    console.wait_for("gt goes on with it");
    console.wait_for("OFFLINE");
    desk.relay.away(false);
    console.wait_for("what you typed waits");
    let written = || desk.served.run("gantry book accounts search --all --json | grep -c a-status-of-mine || true").stdout;
    assert_eq!(written(), b"0\n", "nothing goes out by itself");
    console.type_keys("gt");
    console.wait_for("Typed and not written");
    console.type_keys("\r");
    console.wait_for("Annotate");
    console.type_keys("\x13");
    console.wait_for("done: status of");
    assert_eq!(written(), b"1\n");
    console.type_keys("q");
    quit(console);
}
