//! The log that the console writes without being asked to.

use crate::pty::gantry_program;

#[test]
fn the_log_names_what_was_opened_what_is_wrong_and_what_was_written() {
    let room = tempfile::tempdir().unwrap();
    let folder = room.path().join("config/gantry");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(
        folder.join("config.toml"),
        "[console]\nfirst_run = false\nadvanse = \"next\"\n",
    )
    .unwrap();
    let path = |name: &str| room.path().join(name).display().to_string();
    let program = gantry_program(&["--demo"])
        .env("XDG_CONFIG_HOME", &path("config"))
        .env("XDG_STATE_HOME", &path("state"));
    let mut session = program.start();
    session.wait_for("▌");
    session.type_keys("e");
    session.wait_for("z undo");
    session.type_keys("q");
    assert_eq!(session.wait_for_exit(), 0);
    let log = std::fs::read_to_string(room.path().join("state/gantry/gantry.log")).unwrap();
    let line = |text: &str| {
        log.lines()
            .find(|line| line.contains(text))
            .unwrap_or_else(|| panic!("{text}:\n{log}"))
            .to_owned()
    };
    assert!(
        line("the console opens").contains("read_only=false"),
        "{log}"
    );
    assert!(
        line("configuration").contains("WARN")
            && line("configuration").contains("unknown key advanse"),
        "{log}"
    );
    let write = line("triage done ");
    assert!(
        write.contains("INFO") && write.contains("1 changed"),
        "{write}"
    );
    assert!(line("the console has ended").contains("status=0"), "{log}");
}
