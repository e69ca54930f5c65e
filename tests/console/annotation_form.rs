//! The annotation form in a pseudo-terminal, over HTTP against the sample data.

use crate::pty::{TerminalSession, gantry_program};

/// Twenty accounts of a View get a tag, a tier and a note, which are undone and redone in one step
/// each.
#[test]
fn twenty_accounts_of_a_view_can_be_annotated_undone_and_redone() {
    let mut session = gantry_program(&["--demo"]).start();
    session.wait_for("1 of ");
    session.type_keys("2");
    // The favorites come last but are shown first.
    session.wait_for("★");
    session.wait_for("Architects");
    session.type_keys("jjjj\r");
    session.wait_for("rows read");
    session.type_keys(&" ".repeat(20));
    session.wait_for("20 marked");
    session.type_keys("attarget-q3\x1b[Z1\t\t\rmet at the fair");
    session.wait_for("reads each again and writes");
    session.type_keys("\x13");
    session.wait_for("done: tier, tags and note of 20 accounts");
    assert!(shows_tag(&session), "{}", session.text());
    session.type_keys("z");
    session.wait_for("undo without checking");
    session.type_keys("\x1b[B\r");
    session.wait_for("undone: tier, tags and note of 20 accounts");
    assert!(!shows_tag(&session), "{}", session.text());
    session.type_keys("Z");
    session.wait_for("first, then redo");
    session.type_keys("\r");
    session.wait_for("redone: tier, tags and note of 20 accounts");
    assert!(shows_tag(&session), "{}", session.text());
    session.type_keys("qq");
    assert_eq!(session.wait_for_exit(), 0);
    session.assert_terminal_restored();
}

/// The rows show the tag, or as much of it as fits.
fn shows_tag(session: &TerminalSession) -> bool {
    session.text().matches("tier 1").count() >= 20 || session.text().contains("target-")
}

#[test]
fn a_note_can_be_written_in_the_users_editor() {
    let room = tempfile::tempdir().unwrap();
    let editor = room.path().join("editor");
    std::fs::write(&editor, "printf 'from the editor\\n' >> \"$1\"").unwrap();
    let mut session = gantry_program(&["--demo"])
        .env("EDITOR", &format!("sh '{}'", editor.display()))
        .start();
    session.wait_for("▌");
    session.type_keys("an");
    session.wait_for("Annotate");
    session.type_keys("mine, \x0f");
    session.wait_for("mine, from the editor");
    session.type_keys("\x1b\x1b");
    session.wait_for("Your draft is kept");
    session.type_keys("q");
    session.wait_for("Quit?");
    session.type_keys("y\r");
    assert_eq!(session.wait_for_exit(), 0);
    session.assert_terminal_restored();
}
