//! The configuration in a pseudo-terminal: edited in the user's editor and applied without a
//! restart.

use crate::pty::gantry_program;

#[cfg(unix)]
#[test]
fn the_console_starts_with_a_configuration_that_cannot_be_used_and_says_why() {
    let kinds: [(&[u8], &str); 4] = [
        (b"[console\n", "config.toml:1:"),
        (
            b"[budget]\nhard_day = true\n",
            "config.toml:2: expected a number",
        ),
        (b"[console]\n# \xff\n", "config.toml:2: the file is not"),
        (b"[console]\nadvanse = true\n", "config.toml:2: unknown key"),
    ];
    for (text, why) in kinds {
        for arguments in [&["--demo"][..], &[]] {
            let room = tempfile::Builder::new()
                .prefix("c")
                .tempdir_in("/tmp")
                .unwrap();
            let folder = room.path().join("gantry");
            std::fs::create_dir(&folder).unwrap();
            std::fs::write(folder.join("config.toml"), text).unwrap();
            let mut session = gantry_program(arguments)
                .env("XDG_CONFIG_HOME", &room.path().display().to_string())
                .start();
            session.wait_for(why);
            session.type_keys("\x03\x03\x03");
            session.wait_for_exit();
            session.assert_terminal_restored();
        }
    }
    let room = tempfile::Builder::new()
        .prefix("c")
        .tempdir_in("/tmp")
        .unwrap();
    std::fs::create_dir_all(room.path().join("gantry/config.toml")).unwrap();
    let mut session = gantry_program(&["--demo"])
        .env("XDG_CONFIG_HOME", &room.path().display().to_string())
        .start();
    session.wait_for("config.toml is a directory");
    session.type_keys("\x03\x03\x03");
    session.wait_for_exit();
}

#[test]
fn a_setting_is_changed_on_its_screen_written_with_its_comments_and_applied() {
    let room = tempfile::tempdir().unwrap();
    let file = room.path().join("gantry/config.toml");
    std::fs::create_dir(room.path().join("gantry")).unwrap();
    std::fs::write(
        &file,
        "[console]\nfirst_run = false\npreview = true # beside the queue\n",
    )
    .unwrap();
    let mut session = gantry_program(&["--demo"])
        .env("XDG_CONFIG_HOME", &room.path().display().to_string())
        .start();
    session.wait_for("▌");
    session.type_keys("g,");
    session.wait_for("config.toml:3");
    session.type_keys("/preview\r\r");
    session.wait_for("console.preview = false (was true)");
    assert_eq!(
        std::fs::read_to_string(&file).unwrap(),
        "[console]\nfirst_run = false\npreview = false # beside the queue\n"
    );
    session.type_keys("-");
    session.wait_for("console.preview = true, the default");
    assert_eq!(
        std::fs::read_to_string(&file).unwrap(),
        "[console]\nfirst_run = false\n"
    );
    // Shows all settings again, closes the screen, quits.
    session.type_keys("qqq");
    assert_eq!(session.wait_for_exit(), 0);
}

#[test]
fn the_configuration_is_edited_and_applied_without_a_restart() {
    let room = tempfile::tempdir().unwrap();
    let editor = room.path().join("editor");
    let config =
        "[[queue.tabs]]\nname = \"Cranes\"\nwhere = \"crane\"\n\n[console]\nadvanse = \"next\"\n";
    std::fs::write(room.path().join("new.toml"), config).unwrap();
    std::fs::write(
        &editor,
        format!("cat '{}/new.toml' > \"$1\"", room.path().display()),
    )
    .unwrap();
    let mut session = gantry_program(&["--demo"])
        .env("EDITOR", &format!("sh '{}'", editor.display()))
        .start();
    session.wait_for("▌");
    session.type_keys(":config\r");
    // The message is wrapped after a path of any length.
    session.wait_for("advanse");
    session.wait_for("Cranes");

    std::fs::write(
        room.path().join("new.toml"),
        config
            .replace("advanse", "advance")
            .replace("Cranes", "Lifts"),
    )
    .unwrap();
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
