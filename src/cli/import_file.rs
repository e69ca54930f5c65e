//! Importing one file: progress, ^C, and the report in one line.
//!
//! Never here: which layout a file has.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use chrono::{DateTime, NaiveDate, Utc};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tokio_util::sync::CancellationToken;

use super::error::CliError;
use super::import_args::ImportArgs;
use super::print;
use crate::domain::exit_status;
use crate::domain::quoting::quote_as_of_command;
use crate::service::Storage;
use crate::service::import::{self, ImportOptions, ImportProgress, ImportReport, MergeCounts};

/// How to see the queue of an old file: without its day it is empty.
pub(super) fn as_of_hint(data: &Path, newest: DateTime<Utc>) -> String {
    let day = newest.date_naive();
    queue_hint(&quote_as_of_command(&data.display().to_string(), day), day)
}

/// The same for any command that shows the queue of that day.
pub(super) fn queue_hint(command: &str, day: NaiveDate) -> String {
    format!("all signals are older than 90 days, so the queue is empty; the queue of {day}: {command}")
}

/// A stop that ^C asks for.
pub(super) struct Stop(CancellationToken);

impl Stop {
    pub(super) fn on_interrupt() -> Stop {
        let (token, asked) = (CancellationToken::new(), tokio::signal::ctrl_c());
        let stopping = token.clone();
        tokio::spawn(async move {
            if asked.await.is_ok() {
                stopping.cancel();
            }
        });
        Stop(token)
    }

    pub(super) fn is_requested(&self) -> bool {
        self.0.is_cancelled()
    }

    /// Waits for this long, or until the stop.
    pub(super) async fn wait(&self, time: Duration) {
        let _ = tokio::time::timeout(time, self.0.cancelled()).await;
    }
}

/// Imports one file with progress, until its end or the stop.
pub(super) async fn import_file(
    args: &ImportArgs,
    file: &Path,
    data: &Storage,
    layout: &str,
    folder: Option<&Path>,
    stop: &Stop,
) -> Result<ImportReport, CliError> {
    let options = ImportOptions {
        file: file.to_owned(),
        layout: layout.to_owned(),
        layout_folders: folder.map(Path::to_owned).into_iter().collect(),
        data: data.clone(),
        dry_run: args.dry_run,
        rejects: args.rejects.clone(),
        now: chrono::Utc::now(),
    };
    let stop = stop.0.clone();
    let reading = tokio::task::spawn_blocking(move || {
        let bar = new_progress_bar();
        let mut progress = |at: ImportProgress| {
            bar.set_length(at.total_bytes.unwrap_or(at.bytes));
            bar.set_position(at.bytes);
            bar.set_message(format!("{} rows", at.rows));
            if stop.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let done = import::run_import(&options, &mut progress);
        bar.finish_and_clear();
        done
    });
    let failed = |why: String| CliError::new(exit_status::FAILED, why);
    let report = reading.await.map_err(|error| failed(format!("the import was interrupted: {error}")))?;
    report.map_err(|error| failed(error.to_string()))
}

/// The report in one line.
pub(super) fn summary(is_dry_run: bool, report: &ImportReport) -> String {
    let tally = |what: &str, tally: MergeCounts| match tally {
        MergeCounts { new: 0, changed: 0, same: 0 } => format!("no {what}"),
        MergeCounts { new: 0, changed: 0, .. } => format!("{what} unchanged"),
        MergeCounts { new, changed: 0, .. } => format!("{new} new {what}"),
        MergeCounts { new, changed, .. } => format!("{new} new and {changed} changed {what}"),
    };
    let did = if is_dry_run { "would import" } else { "imported" };
    let skipped = if report.skipped > 0 { format!(" + {} skipped", report.skipped) } else { String::new() };
    format!(
        "{did} {} rows: {} permits + {} duplicate rows merged + {} rejected{skipped}; {}, {}, {}, {}",
        report.rows,
        report.permits,
        report.further,
        report.rejected_rows(),
        tally("projects", report.projects),
        tally("signals", report.signals),
        tally("accounts", report.accounts),
        tally("contacts", report.contacts),
    )
}

fn new_progress_bar() -> ProgressBar {
    let bar = ProgressBar::new(0);
    if !print::is_stderr_terminal() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    match ProgressStyle::with_template("{bar:40} {percent}%  {msg}  {eta} left") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_printed_so_that_a_shell_reads_it_back() {
        for (path, shown) in [
            ("permits.db", "permits.db"),
            ("/srv/Büro/desk-2.db", "/srv/Büro/desk-2.db"),
            ("my permits.db", "'my permits.db'"),
            ("it's $HOME.db", "'it'\\''s $HOME.db'"),
            ("", "''"),
        ] {
            let hint = as_of_hint(Path::new(path), DateTime::UNIX_EPOCH);
            assert!(hint.ends_with(&format!("gantry --local {shown} --as-of 1970-01-01")), "{hint}");
            let read = std::process::Command::new("sh").args(["-c", &format!("printf %s {shown}")]).output().unwrap();
            assert_eq!(String::from_utf8(read.stdout).unwrap(), path);
        }
    }
}
