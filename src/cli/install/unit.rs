//! systemd units that run a service: of the user's systemd, and of the system's.
//!
//! Never here: secrets. They belong into a drop-in (`systemctl edit gantry`), not into a file that
//! all users can read.

use std::path::Path;

use clap::Command;

use crate::config::EnvLookup;

use super::super::error::{CliError, Context};
use super::files::{INSTALL_MARKER, Plan};
use super::locations::InstallRoot;
use super::options::InstallOptions;

/// The unit of the system's systemd, as packages install it.
const SYSTEM_UNIT: &str = include_str!("../../../assets/systemd/gantry.service");

pub(super) fn plan(
    words: &[String],
    options: &InstallOptions,
    program: Command,
    env: EnvLookup<'_>,
) -> Result<Plan, CliError> {
    let root = InstallRoot::from_options(options, env)?;
    let path = root.unit_file();
    if options.remove {
        check_disabled(&root, options)?;
        return Ok(Plan::of_file(
            "unit".to_owned(),
            path,
            String::new(),
            Vec::new(),
        ));
    }
    check_service(words, program)?;
    let program = std::env::current_exe()
        .context("find this program")?
        .display()
        .to_string();
    let command =
        format_command(std::iter::once(program.as_str()).chain(words.iter().map(String::as_str)));
    let marker = format!("# {INSTALL_MARKER} unit; gantry install unit --remove removes it.");
    let (text, next_steps) = match root {
        InstallRoot::User { .. } => {
            let folder = std::env::current_dir().context("find the current directory")?;
            let steps = [
                "systemctl --user daemon-reload",
                "systemctl --user enable --now gantry",
            ];
            let linger =
                "to start it with the machine, not when you sign in: loginctl enable-linger";
            let steps = vec![
                format!("start it: {}", steps.join(" && ")),
                linger.to_owned(),
            ];
            (
                format!("{marker}\n{}", format_user_unit(&command, Some(&folder))),
                steps,
            )
        }
        InstallRoot::Prefix(_) => {
            let user =
                "useradd --system --home-dir /var/lib/gantry --shell /usr/sbin/nologin gantry";
            let start = "start it: systemctl daemon-reload && systemctl enable --now gantry";
            (
                format!("{marker}\n{}", format_system_unit(&command)),
                vec![format!("create its user: {user}"), start.to_owned()],
            )
        }
    };
    Ok(Plan::of_file("unit".to_owned(), path, text, next_steps))
}

/// A unit that systemd starts by itself is not removed.
fn check_disabled(root: &InstallRoot, options: &InstallOptions) -> Result<(), CliError> {
    let (link, systemctl) = match root {
        InstallRoot::User { config, .. } => (
            config.join("systemd/user/default.target.wants/gantry.service"),
            "systemctl --user",
        ),
        InstallRoot::Prefix(_) => (
            "/etc/systemd/system/multi-user.target.wants/gantry.service".into(),
            "systemctl",
        ),
    };
    if options.force || !options.is_at_its_place() || link.symlink_metadata().is_err() {
        return Ok(());
    }
    let hint = format!("first run: {systemctl} disable --now gantry");
    Err(CliError::failed("systemd starts the unit").with_hint(hint))
}

/// Fails unless the words are a command that runs a service.
fn check_service(words: &[String], program: Command) -> Result<(), CliError> {
    let matches = program
        .try_get_matches_from(std::iter::once("gantry").chain(words.iter().map(String::as_str)))
        .map_err(|error| {
            CliError::usage(format!(
                "the unit cannot run this: {}",
                first_line(&error.to_string())
            ))
        })?;
    match matches.subcommand() {
        Some(("serve", _)) => Ok(()),
        Some(("team", team)) if team.subcommand_name() == Some("up") => Ok(()),
        _ => Err(CliError::usage(
            "a unit runs gantry serve or gantry team up: gantry install unit serve --data FILE",
        )),
    }
}

fn first_line(error: &str) -> &str {
    error
        .lines()
        .next()
        .unwrap_or_default()
        .trim_start_matches("error: ")
}

/// A unit of the user's systemd.
pub(in super::super) fn format_user_unit(command: &str, folder: Option<&Path>) -> String {
    let folder = folder.map(|folder| {
        format!(
            "WorkingDirectory={}\n",
            folder.display().to_string().replace('%', "%%")
        )
    });
    format!(
        "[Unit]\nDescription=gantry, a service for a team\n\n\
         [Service]\n{}ExecStart={command}\nRestart=on-failure\n\n\
         [Install]\nWantedBy=default.target\n",
        folder.unwrap_or_default()
    )
}

/// The unit of packages with another command.
fn format_system_unit(command: &str) -> String {
    let line = |line: &str| match line.starts_with("ExecStart=") {
        true => format!("ExecStart={command}\n"),
        false => format!("{line}\n"),
    };
    SYSTEM_UNIT.lines().map(line).collect()
}

/// A command as systemd reads it back.
pub(in super::super) fn format_command<'w>(words: impl Iterator<Item = &'w str>) -> String {
    words.map(quote_for_systemd).collect::<Vec<_>>().join(" ")
}

/// A word of a command line; systemd expands `%` and `$`.
fn quote_for_systemd(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+,:@=[]".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    let escaped = word
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('%', "%%")
        .replace('$', "$$")
        .replace('\n', "\\n");
    format!("\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::super::super::args::Args;
    use super::*;

    #[test]
    fn words_are_quoted_as_systemd_reads_them() {
        let words = [
            "/usr/bin/gantry",
            "--listen",
            "[::1]:8484",
            "my desk.db",
            "100%",
            "$HOME",
            "a\"b\\c",
            "",
        ];
        let line =
            r#"/usr/bin/gantry --listen [::1]:8484 "my desk.db" "100%%" "$$HOME" "a\"b\\c" """#;
        assert_eq!(format_command(words.into_iter()), line);
    }

    #[test]
    fn the_system_unit_runs_the_given_command_in_the_sandbox_of_the_package() {
        let unit = format_system_unit("/opt/gantry serve");
        let changed: Vec<_> = unit
            .lines()
            .filter(|line| !SYSTEM_UNIT.lines().any(|known| known == *line))
            .collect();
        assert_eq!(changed, ["ExecStart=/opt/gantry serve"]);
        assert!(
            unit.contains("\nUser=gantry\n") && unit.contains("\nProtectSystem=strict\n"),
            "{unit}"
        );
    }

    #[test]
    fn a_unit_runs_only_a_service() {
        let check = |line: &str| {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            check_service(&words, Args::command())
                .map_err(|error| error.message.unwrap_or_default())
        };
        assert_eq!(check("serve --data desk.db --listen 0.0.0.0:8484"), Ok(()));
        assert_eq!(check("team up --data desk.db"), Ok(()));
        assert!(
            check("queue list")
                .unwrap_err()
                .starts_with("a unit runs gantry serve or gantry team up")
        );
        let wrong = check("serve --dta desk.db").unwrap_err();
        assert!(
            wrong.starts_with("the unit cannot run this: unexpected argument '--dta' found"),
            "{wrong}"
        );
    }
}
