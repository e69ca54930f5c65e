//! `gantry log`: what was written from this machine, and the program's own log.

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use clap::{Args, Subcommand};
use serde::Serialize;

use crate::config::{Paths, process_env};
use crate::domain::handoff::{list_names, record_name};
use crate::domain::journal::SentWrite;
use crate::domain::journal_lines::journal_lines;
use crate::store::Store;
use crate::text;

use super::error::CliError;
use super::list_args::ListArgs;
use super::options::{GlobalOptions, OutputFormat};
use super::output::Output;
use super::session::{self, Session, StoreCell};
use super::time_args::SinceArgs;
use super::{columns, print};

/// This many records are named; the others are counted.
const MAX_NAMES_SHOWN: usize = 3;

/// A row of the log.
#[derive(Serialize)]
struct LogRow<'a> {
    #[serde(flatten)]
    sent: &'a SentWrite,
    /// The first records it changed.
    about: Option<String>,
    #[serde(flatten)]
    line: Option<LogLine>,
}

/// What a table says of a row, in the words of the console's journal.
#[derive(Serialize)]
struct LogLine {
    what: String,
    outcome: String,
}

#[derive(Debug, Args)]
pub struct LogArgs {
    #[command(subcommand)]
    command: Option<LogCommand>,
    #[command(flatten)]
    window: SinceArgs,
    #[command(flatten)]
    list: ListArgs,
}

#[derive(Debug, Subcommand)]
enum LogCommand {
    /// Print the end of gantry's own log, for troubleshooting; GANTRY_LOG=debug adds requests
    #[command(after_help = "Example: gantry log show --lines 20")]
    Show {
        /// How many lines
        #[arg(long, value_name = "COUNT", default_value_t = 100)]
        lines: usize,
    },
    /// Print the path of gantry's own log
    #[command(after_help = "Example: gantry log path")]
    Path,
}

pub(super) async fn run_log(
    log: &LogArgs,
    options: &GlobalOptions,
    store_cell: &StoreCell,
    output: Output,
) -> Result<(), CliError> {
    let Some(command) = &log.command else {
        return print_writes(log, options, store_cell, output).await;
    };
    let missing = || {
        CliError::usage(
            "there is no folder for the log; set HOME or XDG_STATE_HOME to an absolute path",
        )
    };
    let file = Paths::from_env(&process_env)
        .log_file()
        .ok_or_else(missing)?;
    match command {
        LogCommand::Path => Ok(print::write_data(&format!("{}\n", file.display()))?),
        LogCommand::Show { lines } => match std::fs::read(&file) {
            Ok(bytes) => Ok(print::write_data(&last_lines(
                &String::from_utf8_lossy(&bytes),
                *lines,
            ))?),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                print::write_note(&format!("no log yet: {} does not exist", file.display()));
                Ok(())
            }
            Err(error) => Err(CliError::failed(format!(
                "cannot read {}: {error}",
                file.display()
            ))),
        },
    }
}

/// The last lines of a text, safe to print.
fn last_lines(text: &str, count: usize) -> String {
    let all = text.lines().count();
    text.lines()
        .skip(all.saturating_sub(count))
        .map(|line| format!("{}\n", text::sanitize_line(line)))
        .collect()
}

/// The time on the service's clock. A clock that is not this machine's is read, so that the log
/// works offline everywhere else.
pub(super) async fn service_now(
    options: &GlobalOptions,
    store: &Store,
    store_cell: &StoreCell,
    output: Output,
) -> DateTime<Utc> {
    let skew = store.last_clock_skew().await.unwrap_or_default();
    if !skew.is_zero()
        && let Ok(session) = Session::open(options, "log", store_cell, output).await
    {
        let date = session.service_time().await;
        session.close().await;
        if let Some(date) = date {
            return date;
        }
    }
    Utc::now() + skew
}

/// Prints the writes journaled for the configured service.
async fn print_writes(
    log: &LogArgs,
    options: &GlobalOptions,
    store_cell: &StoreCell,
    output: Output,
) -> Result<(), CliError> {
    let store = session::store_for_options(options, store_cell)?;
    let since = log
        .window
        .resolve(service_now(options, store, store_cell, output).await)?;
    let work = store.work_since_service_time(since, None).await?;
    if work.sent.is_empty() {
        print::write_note("nothing was written in this period");
    }
    let is_table = output.format == OutputFormat::Table;
    let about = |sent: &SentWrite| {
        let keys = sent.record_keys().into_iter();
        let names: Vec<String> = keys.map(|key| record_name(key, &work.names)).collect();
        list_names(&names, MAX_NAMES_SHOWN)
    };
    let row = |(sent, line)| LogRow {
        about: about(sent),
        sent,
        line,
    };
    let rows: Vec<_> = if is_table {
        // A change of many records was sent in several requests.
        let mut seen = HashSet::new();
        let is_first =
            |sent: &&SentWrite| seen.insert((sent.op, sent.progress.as_str().to_owned()));
        let firsts = work.sent.iter().filter(is_first);
        let lines = journal_lines(&work.entries, &work.sent, &work.names).into_iter();
        let lines = lines.map(|line| LogLine {
            what: line.what,
            outcome: line.result,
        });
        firsts.zip(lines.map(Some)).map(row).collect()
    } else {
        work.sent.iter().map(|sent| row((sent, None))).collect()
    };
    let columns = match is_table {
        true => columns::LOG_TABLE_COLUMNS,
        false => columns::LOG_COLUMNS,
    };
    log.list.print_rows(rows, columns, output)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_the_log_is_shown_without_control_characters() {
        assert_eq!(last_lines("one\ntwo\nthree\n", 2), "two\nthree\n");
        assert_eq!(last_lines("one\n", 5), "one\n");
        assert!(!last_lines("a \u{1b}[31mred\n", 1).contains('\u{1b}'));
    }
}
