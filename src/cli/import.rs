//! `gantry import`: imports a city's permit file into a local service's database.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::error::CliError;
use super::output::Output;
use super::print;
use crate::config;
use crate::domain::exit_status;
use crate::service::import::{self, AmbiguousNumbers, ImportOptions, ImportReport, MergeCounts};

#[derive(Debug, Args)]
#[command(after_help = "Example: gantry import permits.csv --layout san-francisco --data permits.db\n\
    Then:    gantry --local permits.db --as-of 2018-12-01")]
pub struct ImportArgs {
    /// Permit file (CSV), as the city publishes it
    file: PathBuf,
    /// Column layout: san-francisco, chicago, a name in the layouts folder, or a FILE.toml
    #[arg(long, value_name = "NAME")]
    layout: String,
    /// Database file; created if it does not exist
    #[arg(long, value_name = "FILE")]
    data: PathBuf,
    /// Report what would be imported, without saving it
    #[arg(long)]
    dry_run: bool,
    /// Write rejected rows to this file
    #[arg(long, value_name = "FILE")]
    rejects: Option<PathBuf>,
}

pub(super) async fn run(import: &ImportArgs, output: Output) -> Result<(), CliError> {
    let options = ImportOptions {
        file: import.file.clone(),
        layout: import.layout.clone(),
        layout_folders: vec![config::Paths::from_env(&config::process_env).config.join("layouts")],
        data: import.data.clone(),
        dry_run: import.dry_run,
        rejects: import.rejects.clone(),
        now: chrono::Utc::now(),
    };
    let stopped = Arc::new(AtomicBool::new(false));
    let stop_requested = stopped.clone();
    let reading = tokio::task::spawn_blocking(move || {
        let bar = new_progress_bar();
        let done = import::run_import(&options, &mut |at| {
            bar.set_length(at.total_bytes.unwrap_or(at.bytes));
            bar.set_position(at.bytes);
            bar.set_message(format!("{} rows", at.rows));
            if stop_requested.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        bar.finish_and_clear();
        done
    });
    let report = {
        tokio::pin!(reading);
        let ended = tokio::select! {
            ended = &mut reading => ended,
            _ = tokio::signal::ctrl_c() => {
                stopped.store(true, Ordering::Relaxed);
                reading.await
            }
        };
        ended.map_err(|error| CliError::new(exit_status::FAILED, format!("the import was interrupted: {error}")))?
    };
    let report = report.map_err(|error| CliError::new(exit_status::FAILED, error.to_string()))?;
    let printed = output.print_summary(&summary(import, &report), &report);
    for (what, reasons) in [("rejected", &report.rejected), ("with warnings", &report.remarks)] {
        for (reason, met) in reasons {
            let rows = if met.rows == 1 { "1 row".to_owned() } else { format!("{} rows", met.rows) };
            print::write_note(&format!("{rows} {what}: {reason}, first on line {}", met.first_line));
        }
    }
    for (what, doubt) in &report.doubts {
        print::write_note(&ambiguous_numbers_warning(what, doubt));
    }
    if report.stopped {
        return Err(CliError::new(
            exit_status::INTERRUPTED,
            format!("interrupted after {} rows; import the file again to resume", report.rows),
        ));
    }
    printed
}

fn summary(import: &ImportArgs, report: &ImportReport) -> String {
    let tally = |what: &str, tally: MergeCounts| match tally {
        MergeCounts { new: 0, changed: 0, same: 0 } => format!("no {what}"),
        MergeCounts { new: 0, changed: 0, .. } => format!("{what} unchanged"),
        MergeCounts { new, changed: 0, .. } => format!("{new} new {what}"),
        MergeCounts { new, changed, .. } => format!("{new} new and {changed} changed {what}"),
    };
    let did = if import.dry_run { "would import" } else { "imported" };
    format!(
        "{did} {} rows: {} permits, {} duplicate rows merged, {} rejected; {}, {}, {}, {}",
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

/// "cost: 2 of 3 rows look like 1.234,56: lines 2, 3", and the fix.
fn ambiguous_numbers_warning(what: &str, doubt: &AmbiguousNumbers) -> String {
    let like = if doubt.decimal == ',' { "1.234,56" } else { "1,234.56" };
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
