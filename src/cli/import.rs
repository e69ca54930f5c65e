//! `gantry import`: imports a city's permit file into a local service's database.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::error::CliError;
use super::import_dialog::{self, Choice};
use super::output::Output;
use super::print;
use crate::config;
use crate::domain::exit_status;
use crate::service::import::dates::DateOrder;
use crate::service::import::inspect::{Answers, TableSample};
use crate::service::import::layout::DecimalSign;
use crate::service::import::words::PermitField;
use crate::service::import::{self, AmbiguousNumbers, ImportOptions, ImportReport, MergeCounts};

#[derive(Debug, Args)]
#[command(after_help = "Example: gantry import permits.csv --data permits.db\n\
    Then:    gantry --local permits.db --as-of 2018-12-01")]
pub struct ImportArgs {
    /// Permit file, as the city publishes it: a table with commas, semicolons, tabs or vertical bars
    pub(super) file: PathBuf,
    /// Layout: a built-in name, a name in the layouts folder, or a FILE.toml. Without it, the file is recognized or inspected
    #[arg(long, value_name = "NAME", conflicts_with_all = ["dates", "decimal", "city", "columns", "write_layout"])]
    layout: Option<String>,
    /// Database file; created if it does not exist
    #[arg(long, value_name = "FILE")]
    data: PathBuf,
    /// Report what would be imported, without saving it
    #[arg(long)]
    dry_run: bool,
    /// Write rejected rows to this file
    #[arg(long, value_name = "FILE")]
    rejects: Option<PathBuf>,
    /// Order of day, month and year in dates: dmy, mdy or ymd
    #[arg(long, value_name = "ORDER", value_parser = import_dialog::parse_dates)]
    dates: Option<DateOrder>,
    /// Decimal sign in amounts: . or ,
    #[arg(long, value_name = "SIGN", value_parser = import_dialog::parse_decimal)]
    decimal: Option<DecimalSign>,
    /// City and state of rows that name none, such as 'Springfield, IL'
    #[arg(long, value_name = "CITY, STATE")]
    city: Option<String>,
    /// What a column holds, such as 'Datum=issued'; a number, from 1, works instead of the heading
    #[arg(long = "column", value_name = "HEADING=FIELD")]
    columns: Vec<String>,
    /// Import without asking, if nothing is undecided
    #[arg(long)]
    pub(super) yes: bool,
    /// Write the layout to this file [default: in the layouts folder, by the name of the permit file]
    #[arg(long, value_name = "FILE")]
    pub(super) write_layout: Option<PathBuf>,
}

impl ImportArgs {
    /// What the options say about the file.
    pub(super) fn answers(&self, sample: &TableSample) -> Result<Answers, CliError> {
        let column = |term: &String| {
            let (heading, word) = term.rsplit_once('=').unwrap_or((term, ""));
            let words = || PermitField::words().collect::<Vec<_>>().join(", ");
            let field = PermitField::from_word(word).ok_or_else(|| {
                CliError::usage(format!("--column {term}: write HEADING=FIELD, with one of the fields {}", words()))
            })?;
            let numbered = heading.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
            let named = sample.header.iter().position(|name| name.eq_ignore_ascii_case(heading.trim()));
            let at = named.or(numbered).filter(|at| *at < sample.header.len());
            let at = at.ok_or_else(|| {
                CliError::usage(format!("--column {term}: the file has no column {heading}, but {}", sample.header.join(", ")))
            })?;
            Ok((at, field))
        };
        Ok(Answers {
            dates: self.dates,
            decimal: self.decimal,
            city: self.city.as_deref().map(import_dialog::parse_city),
            columns: self.columns.iter().map(column).collect::<Result<_, CliError>>()?,
        })
    }
}

pub(super) async fn run(import: &ImportArgs, output: Output) -> Result<(), CliError> {
    let folder = config::Paths::from_env(&config::process_env).config.join("layouts");
    let layout = match &import.layout {
        Some(layout) => layout.clone(),
        None => match import_dialog::choose_layout(import, &folder, output).await? {
            Choice::Import(layout) => layout,
            Choice::Reported => return Ok(()),
        },
    };
    let options = ImportOptions {
        file: import.file.clone(),
        layout,
        layout_folders: vec![folder],
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
