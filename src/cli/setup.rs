//! `gantry paths` and `gantry config`: where gantry keeps its files, and its configuration.
//!
//! Never here: requests.

use std::path::Path;
use std::process::Command;

use clap::Subcommand;
use serde::Serialize;

use crate::config::{self, Paths, process_env};
use crate::domain::exit_status;

use super::error::CliError;
use super::keys::KeyTable;
use super::output::{Output, to_raw_json};
use super::{columns, config_schema, print};

#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Print the path of the configuration file
    #[command(after_help = "Example: gantry config path")]
    Path,
    /// Print the configuration file
    #[command(after_help = "Example: gantry config show")]
    Show,
    /// Open the configuration file in your editor ($VISUAL, $EDITOR or vi), and check it afterwards
    #[command(after_help = "Example: gantry config edit")]
    Edit,
    /// Check the configuration file and its keys; exits 1 if something is wrong
    #[command(after_help = "Example: gantry config check")]
    Check,
    /// Print the JSON Schema of the configuration file, with which editors complete and check it
    #[command(after_help = "Example: gantry config schema > config.schema.json\n\
                            Beside config.toml, editors find it with this first line: #:schema ./config.schema.json")]
    Schema,
}

/// A file or folder of gantry.
#[derive(Serialize)]
struct PathRow {
    what: &'static str,
    path: String,
}

/// Prints where gantry keeps its files. They may not exist yet.
pub(super) fn print_paths(output: Output) -> Result<(), CliError> {
    let paths = Paths::from_env(&process_env);
    let row = |what, path: &Path| PathRow { what, path: path.display().to_string() };
    let rows = [
        row("configuration", &paths.config_file()),
        row("tokens", &paths.config),
        row("state", &paths.state),
        row("log", &paths.log_file()),
        row("preferences", &paths.state.join("preferences.toml")),
        row("cache", &paths.cache),
    ];
    let rows: Vec<_> = rows.iter().map(to_raw_json).collect::<Result<_, _>>()?;
    output.print_rows(&rows, columns::PATH_COLUMNS)
}

pub(super) fn run(verb: &ConfigCommand, key_table: fn(config::ConsoleTexts) -> KeyTable) -> Result<(), CliError> {
    let paths = Paths::from_env(&process_env);
    let file = paths.config_file();
    match verb {
        ConfigCommand::Path => Ok(print::write_data(&format!("{}\n", file.display()))?),
        ConfigCommand::Show => match std::fs::read_to_string(&file) {
            Ok(text) => Ok(print::write_data(&text)?),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                print::write_note(&format!("no configuration yet: {} does not exist", file.display()));
                Ok(())
            }
            Err(error) => Err(CliError::usage(format!("cannot read {}: {error}", file.display()))),
        },
        ConfigCommand::Edit => {
            config::create_config_file(&paths)?;
            edit(&file)?;
            check(&paths, key_table)
        }
        ConfigCommand::Check => check(&paths, key_table),
        ConfigCommand::Schema => {
            let schema = config_schema::build_json_schema(&key_table(config::ConsoleTexts::default()).rows);
            Ok(print::write_data(&format!("{schema:#}\n"))?)
        }
    }
}

/// Runs the user's editor, which may have arguments of its own.
fn edit(file: &Path) -> Result<(), CliError> {
    let editor = process_env("VISUAL").or_else(|| process_env("EDITOR")).unwrap_or_else(|| "vi".to_owned());
    let ended = Command::new("sh").arg("-c").arg(format!("{editor} \"$1\"")).arg("sh").arg(file).status();
    match ended {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(CliError::new(exit_status::FAILED, format!("{editor} ended with {status}"))),
        Err(error) => Err(CliError::new(exit_status::FAILED, format!("cannot run {editor}: {error}"))),
    }
}

/// Prints what is wrong with the configuration, a line each.
fn check(paths: &Paths, key_table: fn(config::ConsoleTexts) -> KeyTable) -> Result<(), CliError> {
    let file = paths.config_file();
    let text = std::fs::read_to_string(&file).unwrap_or_default();
    let mut problems = config::validate_config(&file, &text)?;
    let keys = key_table(config::load_console_texts(paths)?);
    problems.extend(keys.setting_problems.into_iter().chain(keys.problems));
    if problems.is_empty() {
        return Ok(print::write_data(&format!("{} is valid\n", file.display()))?);
    }
    let lines: String = problems.iter().map(|line| format!("{}\n", crate::text::sanitize_line(line))).collect();
    print::write_data(&lines)?;
    Err(CliError { exit_status: exit_status::FAILED, message: None })
}
