//! `gantry help` and `gantry version`.
//!
//! Never here: the texts themselves.

use std::env::consts::{ARCH, OS};

use clap::{Args, Command};
use serde::Serialize;

use crate::store;

use super::error::CliError;
use super::output::Output;
use super::topics::{TOPICS, format_topic, topic_names};
use super::{print, usage};

#[derive(Debug, Args)]
#[command(after_help = "Example: gantry help exit-codes")]
pub struct HelpArgs {
    /// A command, or a topic: exit-codes, environment, files, filters, keys, aliases
    #[arg(value_name = "COMMAND|TOPIC")]
    words: Vec<String>,
}

/// Prints the help of a command or a topic; without either, that of the program.
pub(super) fn print_help(help: &HelpArgs, mut program: Command) -> Result<(), CliError> {
    if let [word] = help.words.as_slice()
        && let Some(topic) = TOPICS.iter().find(|topic| topic.name == word)
    {
        return Ok(print::write_data(&format_topic(topic))?);
    }
    program.build();
    let path = usage::command_path(&program, &help.words);
    if path.len() < help.words.len() {
        return Err(unknown_command(help, &program));
    }
    Ok(usage::print_command_help(&program, &path, true)?)
}

/// Names the closest command or topic to the first word that is neither.
fn unknown_command(help: &HelpArgs, program: &Command) -> CliError {
    let known = (0..help.words.len())
        .find(|&known| usage::command_path(program, &help.words[..=known]).len() == known);
    let known = known.unwrap_or_default();
    let path = usage::command_path(program, &help.words[..known]);
    let names = path
        .last()
        .unwrap_or(&program)
        .get_subcommands()
        .map(Command::get_name);
    let word = help
        .words
        .get(known)
        .map(String::as_str)
        .unwrap_or_default();
    CliError::usage(format!("no command or topic {}", help.words.join(" ")))
        .with_hint(format!("the topics are {}", topic_names().join(", ")))
        .with_closest(word, names.chain(topic_names()))
}

/// What a report of a problem should name.
#[derive(Serialize)]
struct VersionReport {
    version: &'static str,
    /// Architecture, system and C library.
    target: String,
    /// `release` or `debug`.
    build: &'static str,
    sqlite: &'static str,
}

/// Prints the version, and with what the program was built.
pub(super) fn print_version(output: Output) -> Result<(), CliError> {
    let libc = if cfg!(target_env = "musl") {
        "-musl"
    } else {
        ""
    };
    let report = VersionReport {
        version: env!("CARGO_PKG_VERSION"),
        target: format!("{ARCH}-{OS}{libc}"),
        build: if cfg!(debug_assertions) {
            "debug"
        } else {
            "release"
        },
        sqlite: store::sqlite_version(),
    };
    let VersionReport {
        version,
        target,
        build,
        sqlite,
    } = &report;
    output.print_summary(
        &format!("gantry {version} ({target}, {build}, SQLite {sqlite})"),
        &report,
    )
}
