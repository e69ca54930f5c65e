//! `gantry paths` and `gantry config`: where gantry keeps its files, and its configuration.
//!
//! Never here: requests.

use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Subcommand;
use serde::Serialize;
use serde_json::Value;

use crate::config::editor::{Editor, find_editor};
use crate::config::setting_changes::{FindProblems, set_setting, unset_setting};
use crate::config::setting_values::read_settings;
use crate::config::{self, Paths, process_env};
use crate::domain::exit_status;

use super::columns::{Column, FieldKind, column, text_column};
use super::error::CliError;
use super::keys::KeyTable;
use super::options::{GlobalOptions, OutputFormat};
use super::output::Output;
use super::{aliases, columns, config_schema, print};

const SETTING_COLUMNS: &[Column] = &[
    column("key", "KEY", FieldKind::Name),
    text_column("value", "VALUE"),
    text_column("source", "SOURCE"),
];

#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Print the path of the configuration file
    #[command(after_help = "Example: gantry config path")]
    Path,
    /// Print the configuration file
    #[command(after_help = "Example: gantry config show")]
    Show,
    /// Open the configuration file in your editor ($VISUAL, $EDITOR, nano or vi), and check it afterwards
    #[command(after_help = "Example: gantry config edit")]
    Edit,
    /// Print the value of a setting in effect; without a key, or with that of a table, all of them
    #[command(after_help = "Example: gantry config get console.poll")]
    Get {
        /// A setting as in the file: console.poll, profiles.NAME.color, rules.1.where
        key: Option<String>,
    },
    /// Change a setting in the configuration file; its comments stay
    #[command(after_help = "Example: gantry config set console.poll 30s")]
    Set {
        /// A setting as in the file: console.poll, profiles.NAME.color, rules.1.where; the number
        /// after the last adds an entry
        key: String,
        /// The value; several for a list, or [] for an empty one
        #[arg(required = true, allow_negative_numbers = true)]
        value: Vec<String>,
    },
    /// Remove a setting from the configuration file, so that its default applies; comments stay
    #[command(after_help = "Example: gantry config unset console.poll")]
    Unset {
        /// A setting as in the file: console.poll, profiles.NAME.color, rules.1.where; rules.1
        /// removes an entry
        key: String,
    },
    /// Check the configuration file and its keys; exits 1 if something is wrong
    #[command(after_help = "Example: gantry config check")]
    Check,
    /// Print the JSON Schema of the configuration file, with which editors complete and check it
    #[command(after_help = "Example: gantry config schema > config.schema.json\n\
                            Beside config.toml, editors find it with this first line: #:schema ./config.schema.json")]
    Schema,
}

/// A file or folder of gantry; `None` without a home directory.
#[derive(Serialize)]
struct PathRow {
    what: &'static str,
    path: Option<String>,
}

/// Prints where gantry keeps its files. They may not exist yet.
pub(super) fn print_paths(output: Output) -> Result<(), CliError> {
    let paths = Paths::from_env(&process_env);
    let row = |what, path: Option<PathBuf>| PathRow {
        what,
        path: path.map(|path| path.display().to_string()),
    };
    let rows = [
        row("configuration", paths.config_file().ok()),
        row("tokens", paths.config_folder().ok().map(Path::to_owned)),
        row("state", paths.state.clone()),
        row("log", paths.log_file()),
        row("preferences", paths.preferences_file()),
        row("cache", paths.cache.clone()),
    ];
    if rows.iter().any(|row| row.path.is_none()) {
        print::write_note("there is no home directory; set HOME to an absolute path");
    }
    output.print_rows(&rows, columns::PATH_COLUMNS)
}

pub(super) fn run(
    verb: &ConfigCommand,
    options: &GlobalOptions,
    output: Output,
    key_table: fn(config::ConsoleTexts) -> KeyTable,
    commands: fn() -> clap::Command,
) -> Result<(), CliError> {
    let find_problems = |texts| list_problems(key_table, commands, texts);
    let paths = Paths::from_env(&process_env);
    match verb {
        ConfigCommand::Path => Ok(print::write_data(&format!(
            "{}\n",
            paths.config_file()?.display()
        ))?),
        ConfigCommand::Show => print_file(&paths.config_file()?),
        ConfigCommand::Edit => {
            edit(&config::create_config_file(&paths)?)?;
            check(&paths, &find_problems)
        }
        ConfigCommand::Get { key } => print_settings(&paths, key.as_deref(), options, output),
        ConfigCommand::Set { key, value } => {
            let change = set_setting(&paths, key, value, &find_problems)?;
            output.print_summary(&change.to_sentence(), &change)
        }
        ConfigCommand::Unset { key } => {
            let change = unset_setting(&paths, key, &find_problems)?;
            output.print_summary(&change.to_sentence(), &change)
        }
        ConfigCommand::Check => check(&paths, &find_problems),
        ConfigCommand::Schema => {
            let schema =
                config_schema::build_json_schema(&key_table(config::ConsoleTexts::default()).rows);
            Ok(print::write_data(&format!("{schema:#}\n"))?)
        }
    }
}

fn print_file(file: &Path) -> Result<(), CliError> {
    match std::fs::read_to_string(file) {
        Ok(text) => Ok(print::write_data(&text)?),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            print::write_note(&format!(
                "no configuration yet: {} does not exist",
                file.display()
            ));
            Ok(())
        }
        Err(error) => Err(CliError::usage(format!(
            "cannot read {}: {error}",
            file.display()
        ))),
    }
}

/// What is wrong with aliases and with what the console reads, keys last.
fn list_problems(
    key_table: fn(config::ConsoleTexts) -> KeyTable,
    commands: fn() -> clap::Command,
    texts: config::ConsoleTexts,
) -> Vec<String> {
    let wrong_aliases = aliases::find_problems(&texts.aliases, &commands());
    let keys = key_table(texts);
    wrong_aliases
        .into_iter()
        .chain(keys.setting_problems)
        .chain(keys.problems)
        .collect()
}

/// Prints the settings in effect: of one only its value.
fn print_settings(
    paths: &Paths,
    key: Option<&str>,
    options: &GlobalOptions,
    output: Output,
) -> Result<(), CliError> {
    let settings = read_settings(paths, key, &options.to_cli_options(), &process_env)?;
    for problem in settings
        .iter()
        .filter_map(|setting| setting.problem.as_ref())
    {
        print::write_note(&format!("{problem}; using the default"));
    }
    match settings.as_slice() {
        [setting] if key == Some(setting.key.as_str()) => match (output.format, &setting.value) {
            (OutputFormat::Table, Value::Null) => {
                print::write_note(&format!("{} is not set", setting.key))
            }
            (OutputFormat::Table, Value::String(text)) => print::write_data(&format!("{text}\n"))?,
            (OutputFormat::Table, value) => print::write_data(&format!("{value}\n"))?,
            _ => output.print_record(setting, SETTING_COLUMNS)?,
        },
        _ => output.print_rows(&settings, SETTING_COLUMNS)?,
    }
    Ok(())
}

/// Runs the user's editor, which may have arguments of its own.
fn edit(file: &Path) -> Result<(), CliError> {
    let Editor {
        command: editor,
        manual,
    } = find_editor();
    if let Some(manual) = manual {
        print::write_note(manual);
    }
    let ended = Command::new("sh")
        .arg("-c")
        .arg(format!("{editor} \"$1\""))
        .arg("sh")
        .arg(file)
        .status();
    match ended {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(CliError::failed(format!("{editor} ended with {status}"))),
        Err(error) => Err(CliError::failed(format!("cannot run {editor}: {error}"))),
    }
}

/// Prints what is wrong with the configuration, a line each.
fn check(paths: &Paths, find_problems: FindProblems<'_>) -> Result<(), CliError> {
    let file = paths.config_file()?;
    let text = std::fs::read_to_string(&file).unwrap_or_default();
    let mut problems = config::validate_config(&file, &text)?;
    problems.extend(find_problems(config::load_console_texts(paths)?));
    if problems.is_empty() {
        return Ok(print::write_data(&format!(
            "{} is valid\n",
            file.display()
        ))?);
    }
    let lines: String = problems
        .iter()
        .map(|line| format!("{}\n", crate::text::sanitize_line(line)))
        .collect();
    print::write_data(&lines)?;
    Err(CliError::silent(exit_status::FAILED))
}
