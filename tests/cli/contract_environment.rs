//! The variables that scripts and terminals rely on: where files go, and what a terminal is not
//! sent.

use std::path::Path;

use crate::contract::{UNKNOWN_ID, parts};
use crate::pty::gantry_program;
use crate::spawned_service::SpawnedService;

/// The names of the files and folders of a folder.
fn names_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    entries
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect()
}

#[test]
fn state_and_cache_are_where_the_variables_say_and_nowhere_else() {
    let served = SpawnedService::start(&["--projects", "20"]);
    let home = served.home.path().display().to_string();
    let places = format!(
        "export XDG_STATE_HOME={home}/kept XDG_CACHE_HOME={home}/quick XDG_CONFIG_HOME={home}/settings; "
    );
    let line = format!(
        "{places} gantry data fields projects >fields; gantry config set console.poll 30s; gantry paths --json"
    );
    let (status, out, err) = parts(&served.run(&line));
    assert_eq!(status, Some(0), "{err}");
    for folder in [
        "kept/gantry/gantry.log",
        "quick/gantry",
        "settings/gantry/config.toml",
    ] {
        assert!(
            out.contains(&format!("{home}/{folder}\"")),
            "{folder}: {out}"
        );
    }
    let state = names_in(&served.home.path().join("kept/gantry"));
    assert!(
        state
            .iter()
            .any(|name| name.starts_with("profile-127.0.0.1") && name.ends_with(".db")),
        "{state:?}"
    );
    assert!(
        !names_in(&served.home.path().join("quick/gantry")).is_empty(),
        "the cache has the fields"
    );
    assert_eq!(
        names_in(&served.home.path().join("settings/gantry")),
        ["config.toml"]
    );
    assert_eq!(
        names_in(served.home.path())
            .iter()
            .filter(|name| name.starts_with('.'))
            .count(),
        0,
        "the home is untouched"
    );
    // A relative path in a variable is ignored, as the specification requires.
    let (_, out, _) = parts(&served.run("XDG_STATE_HOME=kept gantry paths --json"));
    assert!(
        out.contains(&format!("{home}/.local/state/gantry/gantry.log\"")),
        "{out}"
    );
}

/// Whether text for a terminal sets a color.
fn has_colors(text: &str) -> bool {
    let styles = text
        .split("\x1b[")
        .filter_map(|rest| rest.split_once('m').map(|(style, _)| style));
    let mut codes = styles
        .flat_map(|style| style.split(';'))
        .filter_map(|code| code.parse::<u16>().ok());
    codes.any(|code| matches!(code, 30..=49 | 90..=107))
}

#[test]
fn a_terminal_gets_no_colors_where_a_variable_or_the_option_turns_them_off() {
    for (arguments, variable, colored) in [
        (&["--demo", "--projects", "20"][..], ("CLICOLOR", "1"), true),
        (&["--demo", "--projects", "20"][..], ("NO_COLOR", ""), true),
        (
            &["--demo", "--projects", "20"][..],
            ("NO_COLOR", "1"),
            false,
        ),
        (
            &["--demo", "--projects", "20"][..],
            ("CLICOLOR", "0"),
            false,
        ),
        (
            &["--demo", "--projects", "20", "--no-color"][..],
            ("CLICOLOR", "1"),
            false,
        ),
    ] {
        let mut session = gantry_program(arguments)
            .env(variable.0, variable.1)
            .start()
            .wait_for_text("NEW");
        session.type_keys("q");
        assert_eq!(session.wait_for_exit(), 0);
        assert_eq!(
            has_colors(&session.all_output()),
            colored,
            "{variable:?} {arguments:?}"
        );
    }
}

#[test]
fn a_dumb_terminal_gets_data_and_no_escape_sequence() {
    for arguments in [&[][..], &["--demo"], &["--demo", "watch"]] {
        let mut session = gantry_program(arguments).env("TERM", "dumb").start();
        assert_eq!(session.wait_for_exit(), 2, "{arguments:?}");
        assert!(
            session.text().contains("TERM") && !session.all_output().contains('\x1b'),
            "{}",
            session.all_output()
        );
    }
    for verb in [
        &["queue", "list", "--limit", "3"][..],
        &["signals", "show", UNKNOWN_ID],
        &["queue", "stats"],
    ] {
        let arguments: Vec<&str> = ["--demo", "--projects", "20"]
            .iter()
            .chain(verb)
            .copied()
            .collect();
        let mut session = gantry_program(&arguments).env("TERM", "dumb").start();
        session.wait_for_exit();
        assert!(
            !session.all_output().contains('\x1b'),
            "{verb:?}: {}",
            session.all_output()
        );
    }
}
