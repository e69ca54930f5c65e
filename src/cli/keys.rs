//! `gantry keys`: the console's commands and their keys.

use crate::config::{self, Paths};

use super::columns::{Column, hidden, text_column};
use super::error::CliError;
use super::output::Output;
use super::print;

const KEY_COLUMNS: &[Column] = &[
    text_column("place", "WHERE"),
    text_column("keys", "KEYS"),
    text_column("title", "COMMAND"),
    text_column("sentence", "DESCRIPTION"),
    hidden("id"),
];

/// A row of the console's command table, as `gantry keys` prints it. `launch` builds it, because this
/// layer does not depend on the console.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct KeyRow {
    /// The command id (`queue.done`).
    pub id: String,
    /// The keys as they are typed: a sequence is separated by spaces, alternatives by ", ".
    pub keys: String,
    pub title: String,
    /// A one-sentence description.
    pub sentence: String,
    /// The pane or overlay where it works.
    pub place: String,
}

/// The console's commands with the user's key overrides applied.
#[derive(Clone, Debug, Default)]
pub struct KeyTable {
    pub rows: Vec<KeyRow>,
    /// Problems in the `[keys]` section, one line each with file and line.
    pub problems: Vec<String>,
    /// Problems in tabs, rules and other settings that only the console reads, one line each.
    pub setting_problems: Vec<String>,
}

/// Prints the commands that `key_table` builds from the configured keys.
pub(super) fn run(
    key_table: fn(config::ConsoleTexts) -> KeyTable,
    output: Output,
) -> Result<(), CliError> {
    let keys = key_table(config::load_console_texts(&Paths::from_env(
        &config::process_env,
    ))?);
    keys.problems
        .iter()
        .for_each(|problem| print::write_note(problem));
    output.print_rows(&keys.rows, KEY_COLUMNS)
}
