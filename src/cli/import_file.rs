//! Importing one file: progress, ^C, the report, and what a script should know.
//!
//! Never here: which layout a file has.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use chrono::NaiveDate;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tokio_util::sync::CancellationToken;

use super::error::CliError;
use super::import_args::ImportArgs;
use super::output::Output;
use super::{print, stdin};
use crate::domain::exit_status;
use crate::platform::tasks;
use crate::service::Storage;
use crate::service::import::inspect::Question;
use crate::service::import::layout::PermitLayout;
use crate::service::import::{
    self, AmbiguousNumbers, ImportError, ImportOptions, ImportProgress, ImportReport, MergeCounts,
};

/// How to see the queue of an old file: without its day it is empty.
pub(super) fn as_of_hint(day: NaiveDate) -> String {
    queue_hint(day, &format!("add --as-of {day}"))
}

/// The same for what is done instead.
pub(super) fn queue_hint(day: NaiveDate, how: &str) -> String {
    let day = day.format("%-d %B %Y");
    format!(
        "all signals here are older than 90 days, so today's queue is empty; to see the queue of {day}, {how}"
    )
}

/// A stop that ^C asks for.
pub(super) struct Stop(CancellationToken);

impl Stop {
    pub(super) fn on_interrupt() -> Stop {
        let (token, asked) = (CancellationToken::new(), tokio::signal::ctrl_c());
        let stopping = token.clone();
        tasks::spawn(async move {
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

/// What every file of a run shares.
pub(super) struct ImportRun<'a> {
    pub(super) args: &'a ImportArgs,
    pub(super) data: &'a Storage,
    /// Where the layouts are.
    pub(super) folder: Option<&'a Path>,
    pub(super) output: Output,
}

/// What came of a file.
#[must_use]
pub(super) enum Imported {
    /// Its report, and why a script should not take it for the whole file.
    Read(Box<ImportReport>, Option<CliError>),
    /// Nothing yet: its layout does not say what to do with it.
    Undecided(Vec<Question>),
}

/// The layout of a name, a name in the folder or a path.
pub(super) fn find_layout(name: &str, folder: Option<&Path>) -> Result<PermitLayout, CliError> {
    let folders: Vec<PathBuf> = folder.map(Path::to_owned).into_iter().collect();
    PermitLayout::find(name, &folders).map_err(CliError::failed)
}

/// Imports one file with progress, until its end or the stop, and prints its report; `lead` begins
/// each line.
pub(super) async fn import_file(
    run: &ImportRun<'_>,
    file: &Path,
    layout: PermitLayout,
    lead: &str,
    stop: &Stop,
) -> Result<Imported, CliError> {
    let options = ImportOptions {
        file: file.to_owned(),
        layout,
        data: run.data.clone(),
        dry_run: run.args.dry_run,
        rejects: run.args.rejects.clone(),
        now: chrono::Utc::now(),
    };
    let stop = stop.0.clone();
    let reading = stdin::run_blocking(move || {
        let bar = new_progress_bar();
        let mut progress = |at: ImportProgress| {
            bar.set_length(at.total_bytes.unwrap_or(at.bytes));
            bar.set_position(at.bytes);
            bar.set_message(format!("{} rows", at.rows));
            if stop.is_cancelled() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        let done = import::run_import(&options, &mut progress);
        bar.finish_and_clear();
        match done {
            Err(ImportError::Undecided(questions)) => Ok(Err(questions)),
            done => done.map(Ok),
        }
    });
    let report = match reading.await? {
        Ok(report) => report,
        Err(questions) => return Ok(Imported::Undecided(questions)),
    };
    let sentence = format!("{lead}{}", summary(run.args.dry_run, &report));
    let printed = run.output.print_summary(&sentence, &report);
    details(&report)
        .iter()
        .for_each(|line| print::write_note(&format!("{lead}{line}")));
    printed?;
    let problem = problem(&report);
    Ok(Imported::Read(Box::new(report), problem))
}

/// What was rejected and what is odd, a line for each reason.
fn details(report: &ImportReport) -> Vec<String> {
    let mut lines = Vec::new();
    for (what, reasons) in [
        ("rejected", &report.rejected),
        ("with warnings", &report.remarks),
    ] {
        for (reason, met) in reasons {
            let rows = print::pluralize(met.rows, "row");
            let values: Vec<String> = met
                .values
                .iter()
                .map(|value| format!("\"{value}\""))
                .collect();
            let values = if values.is_empty() {
                String::new()
            } else {
                format!(": {}", values.join(", "))
            };
            lines.push(format!(
                "{rows} {what}: {reason}, first on line {}{values}",
                met.first_line
            ));
        }
    }
    lines.extend(
        report
            .doubts
            .iter()
            .map(|(what, doubt)| ambiguous_numbers_warning(what, doubt)),
    );
    lines
}

/// Why a file is not imported as a whole.
fn problem(report: &ImportReport) -> Option<CliError> {
    if report.stopped {
        let line = format!("interrupted after {} rows", report.rows);
        return Some(
            CliError::new(exit_status::INTERRUPTED, line)
                .with_hint("import the file again to resume"),
        );
    }
    if !report.is_balanced() {
        return Some(CliError::failed(
            "not every row of the file is accounted for: please report this file",
        ));
    }
    if report.permits + report.further == 0 {
        return Some(
            CliError::failed("no row could be imported")
                .with_hint("the reasons are above; --dry-run tries again"),
        );
    }
    let rows = report.damaged_rows();
    (rows > 0).then(|| {
        let are = if rows == 1 { "is" } else { "are" };
        CliError::failed(format!(
            "{} of the file {are} damaged",
            print::pluralize(rows, "row")
        ))
        .with_hint("the others are imported; mend the lines above and import the file again")
    })
}

/// "cost: 2 of 3 rows look like 1.234,56: lines 2, 3", and the fix.
fn ambiguous_numbers_warning(what: &str, doubt: &AmbiguousNumbers) -> String {
    let like = if doubt.decimal == ',' {
        "1.234,56"
    } else {
        "1,234.56"
    };
    let mut lines: Vec<String> = doubt.lines.iter().map(u64::to_string).collect();
    lines.extend((doubt.rows > doubt.lines.len() as u64).then(|| "...".to_owned()));
    format!(
        "{what}: {} of {} rows look like {like}: lines {}. If they are, set decimal = \"{}\" in the layout and import again",
        doubt.rows,
        doubt.of,
        lines.join(", "),
        doubt.decimal
    )
}

/// The report in one line.
fn summary(is_dry_run: bool, report: &ImportReport) -> String {
    let tally = |what: &str, tally: MergeCounts| match tally {
        MergeCounts {
            new: 0,
            changed: 0,
            same: 0,
        } => format!("no {what}s"),
        MergeCounts {
            new: 0, changed: 0, ..
        } => format!("{what}s unchanged"),
        MergeCounts {
            new, changed: 0, ..
        } => print::pluralize(new, &format!("new {what}")),
        MergeCounts { new, changed, .. } => format!("{new} new and {changed} changed {what}s"),
    };
    let did = if is_dry_run {
        "would import"
    } else {
        "imported"
    };
    let skipped = if report.skipped > 0 {
        format!(" + {} skipped", report.skipped)
    } else {
        String::new()
    };
    format!(
        "{did} {}: {} + {} merged + {} rejected{skipped}; {}, {}, {}, {}",
        print::pluralize(report.rows, "row"),
        print::pluralize(report.permits, "permit"),
        print::pluralize(report.further, "duplicate row"),
        report.rejected_rows(),
        tally("project", report.projects),
        tally("signal", report.signals),
        tally("account", report.accounts),
        tally("contact", report.contacts),
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
    use crate::domain::quoting::quote_for_shell;

    #[test]
    fn a_path_is_printed_so_that_a_shell_reads_it_back() {
        for (path, shown) in [
            ("permits.db", "permits.db"),
            ("/srv/Büro/desk-2.db", "/srv/Büro/desk-2.db"),
            ("my permits.db", "'my permits.db'"),
            ("it's $HOME.db", "'it'\\''s $HOME.db'"),
            ("", "''"),
        ] {
            assert_eq!(quote_for_shell(path), shown);
            let read = std::process::Command::new("sh")
                .args(["-c", &format!("printf %s {shown}")])
                .output()
                .unwrap();
            assert_eq!(String::from_utf8(read.stdout).unwrap(), path);
        }
    }
}
