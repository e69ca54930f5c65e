//! `gantry install`: puts completions, manual pages and a systemd unit where the shell, man and
//! systemd look, and removes them.
//!
//! Never here: starting anything. What the user has to do is printed.

use clap::{Command, Subcommand, ValueEnum as _};
use serde::Serialize;

use crate::config::{EnvLookup, process_env};
use crate::text;

use super::columns::{Column, hidden, text_column};
use super::error::{CliError, Context};
use super::options::OutputFormat;
use super::output::Output;
use super::{completions, man, print};

mod files;
mod locations;
pub mod options;
pub(super) mod unit;

use files::{INSTALL_MARKER, InstallResult, Plan};
use locations::InstallRoot;
use options::{InstallOptions, InstallShell};

const INSTALL_COLUMNS: &[Column] = &[
    text_column("what", "WHAT"),
    text_column("result", "RESULT"),
    text_column("path", "PATH"),
    hidden("dry_run"),
    hidden("next_steps"),
];

#[derive(Debug, Subcommand)]
pub enum InstallCommand {
    /// Install the completions of your shell, or of the named ones
    #[command(after_help = "Example: gantry install completions zsh")]
    Completions {
        /// Shells; by default yours, and all three with --system, --prefix or --remove
        #[arg(value_enum)]
        shells: Vec<InstallShell>,
        #[command(flatten)]
        options: InstallOptions,
    },
    /// Install the manual pages of all commands
    #[command(after_help = "Example: gantry install man")]
    Man {
        #[command(flatten)]
        options: InstallOptions,
    },
    /// Install a systemd unit that runs a service
    #[command(
        after_help = "Example: gantry install unit serve --data desk.db --listen 0.0.0.0:8484\n\n\
        Options of install come before the command. For you, relative paths are read in the current directory; with --system the \
        service runs as the user gantry in /var/lib/gantry."
    )]
    Unit {
        #[command(flatten)]
        options: InstallOptions,
        /// What the unit runs: serve or team up, with its options
        #[arg(
            value_name = "COMMAND",
            required_unless_present = "remove",
            trailing_var_arg = true,
            allow_hyphen_values = true
        )]
        words: Vec<String>,
    },
}

/// What was done with one thing, and what is left to do.
#[derive(Serialize)]
struct InstallRow {
    what: String,
    result: InstallResult,
    path: String,
    dry_run: bool,
    next_steps: Vec<String>,
}

/// Installs or removes; `program` has the definitions of all commands.
pub(super) fn run(
    command: &InstallCommand,
    program: Command,
    output: Output,
) -> Result<(), CliError> {
    let (options, plans) = match command {
        InstallCommand::Completions { shells, options } => {
            (options, plan_completions(shells, options, &process_env)?)
        }
        InstallCommand::Man { options } => {
            (options, vec![plan_manual(program, options, &process_env)?])
        }
        InstallCommand::Unit { options, words } => (
            options,
            vec![unit::plan(words, options, program, &process_env)?],
        ),
    };
    // Everything is checked before anything changes.
    for plan in &plans {
        plan.check(options.remove, options.force)?;
    }
    let mut rows = Vec::new();
    for plan in plans {
        let result = if options.remove {
            plan.remove(options.dry_run)?
        } else {
            plan.write(options.dry_run)?
        };
        let next_steps = if options.remove || options.dry_run {
            Vec::new()
        } else {
            plan.next_steps
        };
        let path = plan.shown_path.display().to_string();
        rows.push(InstallRow {
            what: plan.what,
            result,
            path,
            dry_run: options.dry_run,
            next_steps,
        });
    }
    if output.format == OutputFormat::Table {
        for row in &rows {
            let line = format!(
                "{}: {} {}",
                row.what,
                row.result.phrase(row.dry_run),
                row.path
            );
            print::write_data(&format!("{}\n", text::sanitize_line(&line)))?;
            row.next_steps
                .iter()
                .for_each(|step| print::write_note(step));
        }
        return Ok(());
    }
    output.print_rows(&rows, INSTALL_COLUMNS)
}

fn plan_completions(
    shells: &[InstallShell],
    options: &InstallOptions,
    env: EnvLookup<'_>,
) -> Result<Vec<Plan>, CliError> {
    let root = InstallRoot::from_options(options, env)?;
    let for_all = options.remove || matches!(root, InstallRoot::Prefix(_));
    let shells = match shells {
        [] if for_all => InstallShell::value_variants().to_vec(),
        [] => vec![detect_shell(env)?],
        named => named.to_vec(),
    };
    let plan = |shell: InstallShell| {
        let name = shell
            .to_possible_value()
            .expect("no shell is hidden")
            .get_name()
            .to_owned();
        let path = root.completion_file(shell);
        let script = mark_script(&completions::registration_script(shell.into())?);
        let next_steps = match shell {
            InstallShell::Bash => {
                "bash: open a new shell; the package bash-completion has to be installed".to_owned()
            }
            InstallShell::Zsh => {
                let folder = path.parent().unwrap_or(&path).display();
                format!(
                    "zsh: open a new shell; .zshrc needs this line before compinit: fpath=({folder} $fpath)"
                )
            }
            InstallShell::Fish => "fish: open a new shell".to_owned(),
        };
        Ok(Plan::of_file(
            format!("completions for {name}"),
            path,
            script,
            vec![next_steps],
        ))
    };
    shells.into_iter().map(plan).collect()
}

/// A completion script with the marker; the first line of zsh's says for what it is.
fn mark_script(script: &str) -> String {
    let marker = format!(
        "# {INSTALL_MARKER} completions; gantry install completions --remove removes it.\n"
    );
    let (head, rest) = if script.starts_with("#compdef") {
        script.split_once('\n').unwrap_or((script, ""))
    } else {
        ("", script)
    };
    let head = if head.is_empty() {
        String::new()
    } else {
        format!("{head}\n")
    };
    format!("{head}{marker}{rest}")
}

/// The shell that the user signs in with.
fn detect_shell(env: EnvLookup<'_>) -> Result<InstallShell, CliError> {
    let shell = env("SHELL").unwrap_or_default();
    let name = shell.rsplit('/').next().unwrap_or_default();
    InstallShell::from_str(name, false).map_err(|_| {
        let problem = if name.is_empty() {
            "SHELL is not set".to_owned()
        } else {
            format!("no completions for the shell {name}")
        };
        CliError::usage(problem)
            .with_hint("name a shell: gantry install completions bash, zsh or fish")
    })
}

fn plan_manual(
    program: Command,
    options: &InstallOptions,
    env: EnvLookup<'_>,
) -> Result<Plan, CliError> {
    let root = InstallRoot::from_options(options, env)?;
    let folder = root.man_folder();
    let marker = format!(".\\\" {INSTALL_MARKER} man; gantry install man --remove removes it.\n");
    let pages = man::render_pages(program).context("write the manual pages")?;
    let pages = pages
        .into_iter()
        .map(|(name, page)| (name, format!("{marker}{page}")))
        .collect();
    let next_steps = match root.is_man_folder_known(env) {
        true => Vec::new(),
        false => {
            let man = folder.parent().unwrap_or(&folder).display();
            vec![format!(
                "man: it does not look there unless you set MANPATH: export MANPATH={man}:"
            )]
        }
    };
    Ok(Plan::of_folder(
        "manual pages".to_owned(),
        folder,
        pages,
        is_manual_page,
        next_steps,
    ))
}

/// Whether a file name is that of a page that this or another version of gantry installs.
fn is_manual_page(name: &str) -> bool {
    name.strip_suffix(".1")
        .is_some_and(|name| name == "gantry" || name.starts_with("gantry-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shell_is_detected_by_its_name() {
        let detect = |shell: &str| {
            detect_shell(&|name| (name == "SHELL" && !shell.is_empty()).then(|| shell.to_owned()))
        };
        assert_eq!(detect("/usr/bin/zsh"), Ok(InstallShell::Zsh));
        assert_eq!(detect("/bin/bash"), Ok(InstallShell::Bash));
        let message = |shell: &str| detect(shell).unwrap_err().to_line().unwrap();
        let how = "name a shell: gantry install completions bash, zsh or fish";
        assert_eq!(
            message("/bin/tcsh"),
            format!("no completions for the shell tcsh; {how}")
        );
        assert_eq!(message(""), format!("SHELL is not set; {how}"));
    }
}
