//! Where gantry keeps its files, its configuration, the default profile, and what `gantry open`
//! finds.

use std::process::{Command, Output, Stdio};

use crate::pty::gantry_program;
use crate::spawned_service::{SpawnedService, create_sample_file};

/// A home with a configuration.
struct Home(tempfile::TempDir);

impl Home {
    fn with_config(text: &str) -> Home {
        let home = Home(tempfile::tempdir().unwrap());
        std::fs::create_dir_all(home.0.path().join(".config/gantry")).unwrap();
        std::fs::write(home.config(), text).unwrap();
        home
    }

    fn config(&self) -> std::path::PathBuf {
        self.0.path().join(".config/gantry/config.toml")
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gantry"));
        command
            .args(arguments)
            .env_clear()
            .env("HOME", self.0.path())
            .env("PATH", std::env::var_os("PATH").unwrap());
        command
    }

    fn run(&self, arguments: &[&str], environment: &[(&str, &str)]) -> Output {
        self.command(arguments)
            .envs(environment.iter().copied())
            .output()
            .unwrap()
    }
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

const TWO_PROFILES: &str = "[profiles.desk]\nbase_url = \"https://a.example/api/v1\"\n\
    [profiles.other]\nbase_url = \"https://b.example/api/v1\"\ncolor = \"red\"\n";

#[test]
fn paths_prints_every_place_and_doctor_names_the_log() {
    let home = Home::with_config("");
    let rows: serde_json::Value =
        serde_json::from_slice(&home.run(&["paths", "--json"], &[]).stdout).unwrap();
    let path_of = |what: &str| {
        rows.as_array()
            .unwrap()
            .iter()
            .find(|row| row["what"] == what)
            .unwrap()["path"]
            .clone()
    };
    assert_eq!(
        path_of("configuration"),
        home.config().display().to_string()
    );
    assert_eq!(
        path_of("log"),
        home.0
            .path()
            .join(".local/state/gantry/gantry.log")
            .display()
            .to_string()
    );
    assert!(
        path_of("cache")
            .as_str()
            .unwrap()
            .ends_with(".cache/gantry")
    );
    let doctor = stdout(&home.run(&["--demo", "doctor"], &[]));
    assert!(doctor.contains("gantry.log"), "{doctor}");
}

#[test]
fn config_is_printed_edited_and_checked() {
    let home = Home::with_config(TWO_PROFILES);
    assert_eq!(
        stdout(&home.run(&["config", "path"], &[])).trim(),
        home.config().display().to_string()
    );
    assert_eq!(stdout(&home.run(&["config", "show"], &[])), TWO_PROFILES);
    assert!(home.run(&["config", "check"], &[]).status.success());
    let edited = home.run(&["config", "edit"], &[("EDITOR", "sed -i s/red/pink/")]);
    assert_eq!(edited.status.code(), Some(1));
    assert!(
        stdout(&edited)
            .contains("config.toml:5: unknown value \"pink\": use red, yellow, green, blue"),
        "{edited:?}"
    );
    let empty = Home(tempfile::tempdir().unwrap());
    assert!(
        empty
            .run(&["config", "edit"], &[("EDITOR", "true")])
            .status
            .success()
    );
    let created = std::fs::read_to_string(empty.config()).unwrap();
    assert!(
        created.contains("\n#[console]\n") && created.contains("\n#poll = \"15s\"\n"),
        "{created}"
    );
}

#[test]
fn a_setting_is_read_and_changed_by_its_key() {
    let home = Home::with_config(TWO_PROFILES);
    assert_eq!(
        stdout(&home.run(&["config", "get", "console.poll"], &[])),
        "15s\n"
    );
    let changed = stdout(&home.run(&["config", "set", "console.poll", "30s"], &[]));
    assert_eq!(
        changed,
        format!("console.poll = \"30s\" in {}:8\n", home.config().display())
    );
    let row: serde_json::Value = serde_json::from_slice(
        &home
            .run(&["config", "get", "console.poll", "--json"], &[])
            .stdout,
    )
    .unwrap();
    assert_eq!(
        (&row["value"], &row["source"]),
        (
            &"30s".into(),
            &format!("{}:8", home.config().display()).into()
        )
    );
    let themed = home.run(
        &["config", "get", "console", "--json"],
        &[("GANTRY_THEME", "dark")],
    );
    let rows: serde_json::Value = serde_json::from_slice(&themed.stdout).unwrap();
    let theme = rows
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["key"] == "console.theme")
        .unwrap();
    assert_eq!(
        (&theme["value"], &theme["source"]),
        (&"dark".into(), &"GANTRY_THEME".into())
    );
    for (arguments, why) in [
        (["console.advanse", "next"], "did you mean console.advance?"),
        (
            ["keys.queue.dome", "x"],
            "unknown command queue.dome; did you mean queue.done?",
        ),
    ] {
        let rejected = home.run(&["config", "set", arguments[0], arguments[1]], &[]);
        assert_eq!(rejected.status.code(), Some(2));
        assert!(
            String::from_utf8_lossy(&rejected.stderr).contains(why),
            "{rejected:?}"
        );
    }
    assert_eq!(
        home.run(
            &["--read-only", "config", "set", "console.ascii", "true"],
            &[]
        )
        .status
        .code(),
        Some(3)
    );
}

#[test]
fn a_setting_is_removed_and_its_default_applies() {
    let home = Home::with_config("[console]\n# often\npoll = \"30s\"\n");
    let removed = stdout(&home.run(&["config", "unset", "console.poll"], &[]));
    assert_eq!(
        removed,
        "console.poll = \"15s\", the default (was \"30s\")\n"
    );
    assert_eq!(
        std::fs::read_to_string(home.config()).unwrap(),
        "[console]\n# often\n"
    );
    assert_eq!(
        stdout(&home.run(&["config", "get", "watch.pages"], &[])),
        "[\"counts\",\"team\"]\n"
    );
    assert!(stdout(&home.run(&["config", "get", "call.outcomes"], &[])).contains("voicemail"));
}

#[test]
fn nothing_is_read_or_run_from_a_configuration_below_the_current_folder() {
    let here = Home::with_config(
        "[profiles.desk]\nbase_url = \"https://a.example/api/v1\"\ntoken_command = \"touch stolen\"\n[alias]\nmine = \"version\"\n",
    );
    let files = || crate::join::files_below(here.0.path()).len();
    let run = |arguments: &[&str], environment: &[(&str, &str)]| {
        let mut command = here.command(arguments);
        command
            .current_dir(here.0.path())
            .env_remove("HOME")
            .env("EDITOR", "true")
            .envs(environment.iter().copied())
            .output()
            .unwrap()
    };
    for environment in [
        &[][..],
        &[("HOME", "")],
        &[("HOME", ".")],
        &[("HOME", ""), ("XDG_CONFIG_HOME", ".config")],
    ] {
        let stats = run(&["queue", "stats"], environment);
        let line = String::from_utf8_lossy(&stats.stderr).into_owned();
        assert!(
            stats.status.code() == Some(3) && line.contains("not signed in"),
            "{environment:?}: {line}"
        );
        assert_eq!(
            run(&["mine"], environment).status.code(),
            Some(2),
            "{environment:?}"
        );
        assert_eq!(
            stdout(&run(&["config", "get", "console.poll"], environment)),
            "15s\n"
        );
        for writes in [
            &["config", "set", "console.poll", "30s"][..],
            &["config", "edit"],
            &["login"],
            &["join"],
        ] {
            let output = run(writes, environment);
            let line = String::from_utf8_lossy(&output.stderr).into_owned();
            let is_told = line.contains("set HOME or XDG_CONFIG_HOME to an absolute path")
                || writes == ["join"];
            assert!(
                output.status.code() == Some(2) && is_told,
                "{environment:?} {writes:?}: {line}"
            );
        }
        assert!(
            run(&["--demo", "queue", "list", "--limit", "1"], environment)
                .status
                .success()
        );
        assert_eq!(run(&["log", "path"], environment).status.code(), Some(2));
        assert!(
            stdout(&run(&["paths", "--json"], environment)).contains("\"path\": null"),
            "{environment:?}"
        );
        assert_eq!(
            files(),
            1,
            "nothing is written or run here: {environment:?}"
        );
    }
}

#[test]
fn a_local_file_that_does_not_exist_is_an_error_that_names_what_creates_one() {
    let home = Home::with_config("");
    let missing = home.0.path().join("nosuch.db").display().to_string();
    let empty = home.0.path().join("empty.db");
    std::fs::write(&empty, "").unwrap();
    let verbs = [
        "queue list",
        "log",
        "credits ledger",
        "watch --once --plain",
        "triage",
        "open Austin",
        "views list",
    ];
    for (file, what) in [
        (missing.as_str(), "does not exist"),
        (empty.to_str().unwrap(), "is empty"),
    ] {
        for verb in verbs {
            let arguments: Vec<&str> = ["--local", file]
                .into_iter()
                .chain(verb.split(' '))
                .collect();
            let output = home.run(&arguments, &[]);
            let line = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(
                output.status.code() == Some(2) && line.lines().count() == 1,
                "{verb}: {line}"
            );
            for part in [
                file,
                what,
                "gantry import PERMITS --data FILE",
                "gantry team up --data FILE",
                "gantry serve --data FILE",
            ] {
                assert!(line.contains(part), "{verb}: {part}: {line}");
            }
        }
        let doctor = home.run(&["--local", file, "doctor"], &[]);
        assert!(
            !doctor.status.success() && stdout(&doctor).contains(what),
            "{doctor:?}"
        );
        let mut console = gantry_program(&["--local", file]).start();
        console.wait_for(what);
        assert_eq!(console.wait_for_exit(), 2);
    }
    assert!(!std::path::Path::new(&missing).exists() && std::fs::read(&empty).unwrap().is_empty());
    let sized = home.run(
        &["--local", &missing, "--projects", "20", "queue", "list"],
        &[],
    );
    assert!(
        String::from_utf8_lossy(&sized.stderr).contains("use them with --demo or serve"),
        "{sized:?}"
    );
}

#[test]
fn without_a_profile_the_log_says_that_none_is_chosen() {
    let home = Home::with_config("");
    for command in ["log", "cache show", "credits ledger"] {
        let words: Vec<&str> = command.split(' ').collect();
        let output = home.run(&words, &[]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(3), "{command}: {said}");
        assert!(
            said.starts_with("gantry: no service and no file is chosen")
                && said.contains("--local FILE")
                && said.lines().count() == 1,
            "{command}: {said}"
        );
    }
}

#[test]
fn a_new_file_of_a_service_says_how_to_get_one_without_sample_data() {
    let home = Home::with_config("");
    let file = home.0.path().join("desk.db").display().to_string();
    let serve = [
        "serve",
        "--data",
        &file,
        "--listen",
        "127.0.0.1:0",
        "--projects",
        "20",
    ];
    gantry_program(&serve)
        .start()
        .wait_for("sample data; a new file without it: gantry team up");
    let mut again = gantry_program(&serve).start();
    again.wait_for("http://127.0.0.1:");
    assert!(!again.text().contains("team up"), "{}", again.text());
}

#[test]
fn sample_data_says_so_and_permits_do_not() {
    let home = Home::with_config("");
    let at = |name: &str| home.0.path().join(name).display().to_string();
    let note = |options: &[&str]| {
        let output = home.run(
            &[options, &["queue", "list", "--limit", "1", "--json"]].concat(),
            &[],
        );
        assert!(
            output.status.success() && output.stdout.starts_with(b"["),
            "{output:?}"
        );
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let first_note = |options: &[&str]| note(options).lines().next().unwrap_or_default().to_owned();
    assert_eq!(
        first_note(&["--demo"]),
        "gantry: sample data, which ends with this command"
    );
    create_sample_file(at("desk.db").as_ref(), &["--projects", "20"]);
    assert_eq!(
        first_note(&["--local", &at("desk.db")]),
        "gantry: sample data"
    );
    let permits = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/data/san_francisco_400.csv"
    );
    let import = home.run(
        &[
            "import",
            permits,
            "--layout",
            "san-francisco",
            "--data",
            &at("city.db"),
        ],
        &[],
    );
    assert!(import.status.success(), "{import:?}");
    assert!(!note(&["--local", &at("city.db"), "--as-of", "2018-03-10"]).contains("sample data"));
    let mut console = gantry_program(&["--local", &at("desk.db")])
        .env("HOME", home.0.path().to_str().unwrap())
        .start();
    console.wait_for("sample data");
}

/// Starts all of these at once; each must succeed.
fn run_at_once(commands: Vec<Command>) {
    let started: Vec<_> = commands
        .into_iter()
        .map(|mut command| command.stdout(Stdio::null()).spawn().unwrap())
        .collect();
    started
        .into_iter()
        .for_each(|mut child| assert!(child.wait().unwrap().success()));
}

#[test]
fn settings_and_profiles_that_are_saved_at_once_are_all_there() {
    let home = Home::with_config("# mine\r\n[console]\r\nmouse = true\r\n");
    let settings = [
        ("console.poll", "30s"),
        ("console.ascii", "true"),
        ("console.mouse", "false"),
        ("console.theme", "dark"),
    ];
    let settings = settings.into_iter().chain([
        ("watch.message", "Hello"),
        ("display.number_format", "1'234.5"),
    ]);
    let (names, values): (Vec<_>, Vec<_>) = settings.unzip();
    for _ in 0..5 {
        std::fs::write(home.config(), "# mine\r\n[console]\r\nmouse = true\r\n").unwrap();
        let set = |(name, value): (&&str, &&str)| home.command(&["config", "set", name, value]);
        run_at_once(names.iter().zip(&values).map(set).collect());
        let text = std::fs::read_to_string(home.config()).unwrap();
        assert!(
            values.iter().all(|value| text.contains(value))
                && text.starts_with("# mine\r\n[console]\r\n"),
            "{text}"
        );
        assert_eq!(
            text.matches('\n').count(),
            text.matches("\r\n").count(),
            "{text:?}"
        );
    }
    let served = SpawnedService::start(&["--projects", "20"]);
    let url = served
        .env
        .iter()
        .find(|(name, _)| *name == "GANTRY_BASE_URL")
        .unwrap()
        .1
        .clone();
    let token = served
        .env
        .iter()
        .find(|(name, _)| *name == "GANTRY_TOKEN")
        .unwrap()
        .1
        .clone();
    let login = |name: &str| {
        let mut login = home.command(&["login", "--base-url", &url, "--profile", name]);
        login.env("GANTRY_TOKEN", &token).stdin(Stdio::null());
        login
    };
    run_at_once(["a", "b", "c", "d"].map(login).into());
    let saved: serde_json::Value =
        serde_json::from_slice(&home.run(&["profiles", "--json"], &[]).stdout).unwrap();
    assert_eq!(saved.as_array().unwrap().len(), 4, "{saved}");
}

#[cfg(unix)]
#[test]
fn a_link_to_a_configuration_that_does_not_exist_yet_stays_a_link() {
    let home = Home::with_config("");
    std::fs::remove_file(home.config()).unwrap();
    std::os::unix::fs::symlink("../../dotfiles/gantry.toml", home.config()).unwrap();
    let failed = home.run(&["config", "set", "console.poll", "30s"], &[]);
    assert!(
        !failed.status.success() && home.config().is_symlink(),
        "its folder does not exist: {failed:?}"
    );
    std::fs::create_dir(home.0.path().join("dotfiles")).unwrap();
    assert!(
        home.run(&["config", "set", "console.poll", "30s"], &[])
            .status
            .success()
    );
    assert!(home.config().is_symlink());
    let text = std::fs::read_to_string(home.0.path().join("dotfiles/gantry.toml")).unwrap();
    assert_eq!(text, "[console]\npoll = \"30s\"\n");
}

#[cfg(unix)]
#[test]
fn a_configuration_that_cannot_be_used_is_explained_in_one_line_and_the_demo_starts_without_it() {
    type Spoil<'a> = &'a dyn Fn(&Home);
    let folder = |home: &Home| {
        std::fs::remove_file(home.config()).unwrap();
        std::fs::create_dir(home.config()).unwrap();
    };
    let link = |home: &Home| {
        std::fs::remove_file(home.config()).unwrap();
        std::os::unix::fs::symlink(home.config(), home.config()).unwrap();
    };
    let bytes =
        |home: &Home| std::fs::write(home.config(), b"[console]\nmouse = true\n# \xff\n").unwrap();
    let kinds: [(&str, &str, Spoil<'_>); 6] = [
        ("[console]\npoll = \n", "config.toml:2: ", &|_| ()),
        (
            "[budget]\nhard_day = \"many\"\n",
            "config.toml:2: expected a number of credits",
            &|_| (),
        ), // a warning
        ("", "config.toml is a directory, not a file", &folder),
        ("", "config.toml: Too many levels of symbolic links", &link),
        ("", "config.toml:3: the file is not valid UTF-8", &bytes),
        (
            "profile = 1\n[console]\nadvanse = \"next\"\n",
            "config.toml:3: unknown key advanse",
            &|_| (),
        ),
    ];
    for (text, why, spoil) in kinds {
        let home = Home::with_config(text);
        spoil(&home);
        let demo = home.run(&["--demo", "queue", "stats", "--json"], &[]);
        let notes = String::from_utf8_lossy(&demo.stderr).into_owned();
        assert!(
            demo.status.success() && stdout(&demo).contains("new"),
            "{why}: {demo:?}"
        );
        assert!(
            notes.contains(why) && notes.lines().all(|line| line.starts_with("gantry: ")),
            "{why}: {notes}"
        );
        // A service needs its profile, whose limits must not be missing.
        let service = home.run(&["queue", "stats"], &[]);
        let notes = String::from_utf8_lossy(&service.stderr).into_owned();
        let is_warning = text.starts_with("profile") || text.starts_with("[budget]");
        assert_eq!(
            service.status.code(),
            Some(if is_warning { 3 } else { 2 }),
            "{why}: {service:?}"
        );
        assert!(
            is_warning || (notes.contains(why) && notes.lines().count() == 1),
            "{why}: {notes}"
        );
    }
}

#[test]
fn an_alias_stands_for_a_command_and_never_for_a_command_of_gantry() {
    let home = Home::with_config("");
    assert!(
        home.run(
            &[
                "config",
                "set",
                "alias.high",
                "queue list --priority high --limit 2"
            ],
            &[]
        )
        .status
        .success()
    );
    assert!(
        home.run(
            &[
                "config",
                "set",
                "alias.of",
                "--",
                "--demo queue list --type $1 --limit 1"
            ],
            &[]
        )
        .status
        .success()
    );
    let rows: serde_json::Value =
        serde_json::from_slice(&home.run(&["--demo", "high", "--json"], &[]).stdout).unwrap();
    assert_eq!(rows.as_array().unwrap().len(), 2);
    let of_type = stdout(&home.run(&["of", "permit_issued", "--format", "csv"], &[]));
    assert!(
        of_type.lines().count() == 2 && of_type.contains("permit_issued"),
        "{of_type}"
    );
    let missing = home.run(&["of"], &[]);
    let line = String::from_utf8_lossy(&missing.stderr).into_owned();
    assert_eq!((missing.status.code(), line.lines().count()), (Some(2), 1));
    assert!(
        line.ends_with("config.toml:3: alias of needs an argument\n"),
        "{line}"
    );
    let shadow = home.run(
        &["config", "set", "alias.queue", "book accounts search"],
        &[],
    );
    let line = String::from_utf8_lossy(&shadow.stderr).into_owned();
    assert!(
        line.contains("queue is a command of gantry; an alias cannot replace it")
            && line.lines().count() == 1,
        "{line}"
    );
    let listed = stdout(&home.run(&["config", "get", "alias"], &[]));
    assert!(
        listed.contains("alias.high") && listed.contains("queue list --priority high"),
        "{listed}"
    );
    let completed = home.run(
        &["--", "gantry", "hi"],
        &[
            ("GANTRY_COMPLETE", "bash"),
            ("_CLAP_COMPLETE_INDEX", "1"),
            ("_CLAP_IFS", "\n"),
            ("_CLAP_COMPLETE_COMP_TYPE", "9"),
        ],
    );
    assert_eq!(stdout(&completed).trim(), "high");
}

#[test]
fn a_profile_becomes_the_default() {
    let home = Home::with_config(TWO_PROFILES);
    assert!(
        home.run(&["profiles", "use", "other"], &[])
            .status
            .success()
    );
    let rows: serde_json::Value =
        serde_json::from_slice(&home.run(&["profiles", "--json"], &[]).stdout).unwrap();
    assert_eq!(
        (&rows[1]["name"], &rows[1]["default"]),
        (&"other".into(), &true.into())
    );
    let unknown = home.run(&["profiles", "use", "nobody"], &[]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("known: desk, other"));
}

#[test]
fn open_says_that_nothing_has_an_id() {
    let served = SpawnedService::start(&[]);
    for (what, expected) in [
        (
            "018f4d3a-0000-7000-8000-000000000009",
            "nothing has the id 018f4d3a-0000-7000-8000-000000000009",
        ),
        ("'Q3 call lst'", "did you mean Q3 call list?"),
    ] {
        let output = served.run(&format!("gantry open {what}"));
        assert_eq!(output.status.code(), Some(4), "{what}");
        assert!(
            String::from_utf8_lossy(&output.stderr).contains(expected),
            "{output:?}"
        );
    }
}
