//! The configuration in a pseudo-terminal: edited in the user's editor and applied without a restart.

use crate::pty::gantry_program;

#[test]
fn the_configuration_is_edited_and_applied_without_a_restart() {
    let room = tempfile::tempdir().unwrap();
    let editor = room.path().join("editor");
    let config = "[[queue.tabs]]\nname = \"Cranes\"\nwhere = \"crane\"\n\n[console]\nadvanse = \"next\"\n";
    std::fs::write(room.path().join("new.toml"), config).unwrap();
    std::fs::write(&editor, format!("cat '{}/new.toml' > \"$1\"", room.path().display())).unwrap();
    let mut session = gantry_program(&["--demo"]).env("EDITOR", &format!("sh '{}'", editor.display())).start();
    session.wait_for("▌");
    session.type_keys(":config\r");
    // The message is wrapped after a path of any length.
    session.wait_for("advanse");
    session.wait_for("Cranes");

    std::fs::write(room.path().join("new.toml"), config.replace("advanse", "advance").replace("Cranes", "Lifts")).unwrap();
    session.type_keys(":config\r");
    session.wait_for("configuration reloaded: tabs");
    session.wait_for("Lifts");
    session.type_keys(":reload\r");
    session.wait_for("configuration reloaded: nothing changed");

    std::fs::write(room.path().join("new.toml"), "[console\n").unwrap();
    session.type_keys(":config\r");
    session.wait_for("the configuration was not reloaded");
    assert!(session.text().contains("Lifts"), "{}", session.text());
    session.type_keys("qq");
    assert_eq!(session.wait_for_exit(), 0);
    session.assert_terminal_restored();
}
