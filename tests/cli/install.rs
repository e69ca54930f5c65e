//! `gantry install`: files where shell, man and systemd look, said in plain lines, and removed
//! again.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Home {
        Home(tempfile::tempdir().unwrap())
    }

    fn path(&self, below: &str) -> PathBuf {
        self.0.path().join(below)
    }

    fn run(&self, line: &str) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gantry"));
        command
            .args(line.split(' '))
            .env_clear()
            .env("HOME", self.0.path())
            .env("SHELL", "/bin/bash");
        command
            .env("PATH", self.path(".local/bin"))
            .current_dir(self.0.path())
            .output()
            .unwrap()
    }

    fn ok(&self, line: &str) -> String {
        let output = self.run(line);
        assert!(output.status.success(), "{line}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// The one-line error of a command that fails.
    fn error(&self, line: &str) -> (Option<i32>, String) {
        let output = self.run(line);
        assert!(!output.status.success(), "{line}: {output:?}");
        (
            output.status.code(),
            String::from_utf8(output.stderr)
                .unwrap()
                .trim_end()
                .to_owned(),
        )
    }

    /// All files, relative to the home.
    fn files(&self) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        let mut folders = vec![self.0.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for path in fs::read_dir(folder)
                .unwrap()
                .map(|entry| entry.unwrap().path())
            {
                match path.is_dir() {
                    true => folders.push(path),
                    false => drop(
                        found.insert(
                            path.strip_prefix(self.0.path())
                                .unwrap()
                                .display()
                                .to_string(),
                        ),
                    ),
                }
            }
        }
        found
    }
}

fn names(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

const BASH_FILE: &str = ".local/share/bash-completion/completions/gantry";
const ZSH_FILE: &str = ".local/share/zsh/site-functions/_gantry";
const FISH_FILE: &str = ".config/fish/completions/gantry.fish";
const UNIT_FILE: &str = ".config/systemd/user/gantry.service";

#[test]
fn completions_go_where_the_users_shell_looks() {
    let home = Home::new();
    let written = home.ok("install completions");
    assert_eq!(
        written,
        format!(
            "completions for bash: written to {}\n",
            home.path(BASH_FILE).display()
        )
    );
    assert_eq!(home.files(), names(&[BASH_FILE]));
    let loaded = Command::new("bash")
        .args(["-c", "source \"$0\" && complete -p gantry"])
        .arg(home.path(BASH_FILE))
        .output()
        .unwrap();
    assert!(
        String::from_utf8_lossy(&loaded.stdout).contains("_clap_complete_gantry"),
        "{loaded:?}"
    );

    let output = home.run("install completions zsh fish");
    let steps = String::from_utf8(output.stderr).unwrap();
    let folder = home.path(".local/share/zsh/site-functions");
    assert!(
        steps.contains(&format!(
            "before compinit: fpath=({} $fpath)",
            folder.display()
        )),
        "{steps}"
    );
    assert_eq!(home.files(), names(&[BASH_FILE, ZSH_FILE, FISH_FILE]));
    assert!(
        fs::read_to_string(home.path(ZSH_FILE))
            .unwrap()
            .starts_with("#compdef gantry\n# Written by gantry install")
    );
}

#[test]
fn what_is_installed_twice_is_up_to_date_and_what_is_removed_is_gone() {
    let home = Home::new();
    for (noun, command) in [
        ("completions", "bash zsh fish"),
        ("man", ""),
        ("unit", "serve --data desk.db"),
    ] {
        let (install, remove) = (
            format!("install {noun} {command}"),
            format!("install {noun} --remove"),
        );
        let install = install.trim_end();
        let planned = home.ok(format!("install {noun} --dry-run {command}").trim_end());
        assert!(
            planned
                .lines()
                .all(|line| line.contains(": would be written to ")),
            "{planned}"
        );
        assert_eq!(home.files(), names(&[]), "{noun}");
        assert!(
            home.ok(install)
                .lines()
                .all(|line| line.contains(": written to ")),
            "{install}"
        );
        let installed = home.files();
        assert!(
            home.ok(install)
                .lines()
                .all(|line| line.contains(": up to date in ")),
            "{install}"
        );
        assert!(
            home.ok(&format!("{remove} --dry-run"))
                .contains("would be removed from")
        );
        assert_eq!(home.files(), installed);
        assert!(
            home.ok(&remove)
                .lines()
                .all(|line| line.contains(": removed from ")),
            "{remove}"
        );
        assert_eq!(home.files(), names(&[]), "{remove}");
        assert!(
            home.ok(&remove)
                .lines()
                .all(|line| line.contains(": not installed in ")),
            "{remove}"
        );
    }
}

#[test]
fn a_file_of_somebody_else_is_neither_replaced_nor_removed_without_force() {
    let home = Home::new();
    let file = home.path(FISH_FILE);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, "# mine\n").unwrap();
    let problem = |verb: &str| {
        let line = format!(
            "gantry: gantry did not write {}; nothing was changed; add --force to {verb} it",
            file.display()
        );
        (Some(1), line)
    };
    assert_eq!(
        home.error("install completions bash fish"),
        problem("replace")
    );
    assert_eq!(
        home.error("install completions --remove"),
        problem("remove")
    );
    assert_eq!(
        home.files(),
        names(&[FISH_FILE]),
        "bash's was not written either"
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), "# mine\n");
    let replaced = home.ok("install completions fish --force");
    assert!(
        replaced.contains(": written over what gantry had not written: "),
        "{replaced}"
    );
    assert!(
        fs::read_to_string(&file)
            .unwrap()
            .contains("GANTRY_COMPLETE")
    );
}

#[test]
fn every_manual_page_is_installed_and_pages_of_removed_commands_go() {
    let home = Home::new();
    let folder = home.path(".local/share/man/man1");
    fs::create_dir_all(&folder).unwrap();
    fs::write(
        folder.join("gantry-former.1"),
        ".\\\" Written by gantry install man\n",
    )
    .unwrap();
    fs::write(folder.join("gantry-own.1"), ".TH mine\n").unwrap();
    let output = home.run("install man");
    assert!(
        output.status.success() && output.stderr.is_empty(),
        "man finds them: {output:?}"
    );
    let pages = home.files();
    for page in [
        "gantry.1",
        "gantry-queue-list.1",
        "gantry-install-unit.1",
        "gantry-own.1",
    ] {
        assert!(
            pages.contains(&format!(".local/share/man/man1/{page}")),
            "{page}"
        );
    }
    assert!(!pages.contains(".local/share/man/man1/gantry-former.1"));
    home.ok("install man --remove");
    assert_eq!(home.files(), names(&[".local/share/man/man1/gantry-own.1"]));
}

#[test]
fn man_is_pointed_to_a_folder_that_it_does_not_know() {
    let home = Home::new();
    let output = home.run("install man --prefix opt");
    let step = format!(
        "gantry: man: it does not look there unless you set MANPATH: export MANPATH={}:\n",
        home.path("opt/share/man").display()
    );
    assert_eq!(String::from_utf8(output.stderr).unwrap(), step);
}

#[test]
fn a_prefix_has_the_layout_of_the_system() {
    let home = Home::new();
    home.ok("install completions --prefix opt");
    home.ok("install unit --prefix opt serve --data desk.db");
    let installed = [
        "opt/lib/systemd/system/gantry.service",
        "opt/share/bash-completion/completions/gantry",
        "opt/share/fish/vendor_completions.d/gantry.fish",
        "opt/share/zsh/site-functions/_gantry",
    ];
    assert_eq!(home.files(), names(&installed));
    let unit = fs::read_to_string(home.path(installed[0])).unwrap();
    assert!(
        unit.contains("\nUser=gantry\n") && unit.contains("gantry serve --data desk.db\n"),
        "{unit}"
    );
}

#[test]
fn the_unit_runs_the_command_in_the_directory_where_it_was_installed() {
    let home = Home::new();
    home.ok("install unit team up --data desk.db --listen 0.0.0.0:9000");
    let unit = fs::read_to_string(home.path(UNIT_FILE)).unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_gantry")).display();
    let folder = home.0.path().canonicalize().unwrap();
    let lines = format!(
        "\nWorkingDirectory={}\nExecStart={program} team up --data desk.db --listen 0.0.0.0:9000\n",
        folder.display()
    );
    assert!(unit.contains(&lines), "{unit}");
    let (status, why) = home.error("install unit queue list");
    assert_eq!(
        (
            status,
            why.contains("a unit runs gantry serve or gantry team up")
        ),
        (Some(2), true),
        "{why}"
    );
    assert_eq!(home.error("install unit").0, Some(2));
}

#[test]
fn a_unit_that_systemd_starts_is_not_removed() {
    let home = Home::new();
    home.ok("install unit serve --data desk.db");
    let wanted = home.path(".config/systemd/user/default.target.wants");
    fs::create_dir_all(&wanted).unwrap();
    std::os::unix::fs::symlink(home.path(UNIT_FILE), wanted.join("gantry.service")).unwrap();
    let line = "gantry: systemd starts the unit; first run: systemctl --user disable --now gantry";
    assert_eq!(
        home.error("install unit --remove"),
        (Some(1), line.to_owned())
    );
    fs::remove_file(wanted.join("gantry.service")).unwrap();
    home.ok("install unit --remove");
    assert_eq!(home.files(), names(&[]));
}

#[test]
fn scripts_read_what_was_done_as_json() {
    let home = Home::new();
    let rows: serde_json::Value =
        serde_json::from_str(&home.ok("install completions zsh --json")).unwrap();
    assert_eq!(
        (&rows[0]["what"], &rows[0]["result"]),
        (&"completions for zsh".into(), &"written".into())
    );
    assert_eq!(rows[0]["path"], home.path(ZSH_FILE).display().to_string());
    assert!(
        rows[0]["next_steps"][0]
            .as_str()
            .unwrap()
            .contains("fpath="),
        "{rows}"
    );
}
