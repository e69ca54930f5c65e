//! `gantry import`: imports a city's permit file into a local service's database.

use crate::config;
use crate::domain::exit_status;
use crate::service::import::{self, AmbiguousNumbers};

use super::database;
use super::error::CliError;
use super::import_args::ImportArgs;
use super::import_dialog::{self, Choice};
use super::import_file::{Stop, import_file, queue_hint, summary};
use super::import_follow;
use super::output::Output;
use super::print;

pub(super) async fn run(import: &ImportArgs, output: Output) -> Result<(), CliError> {
    let folder = config::Paths::from_env(&config::process_env).layouts_folder();
    let folder = folder.as_deref();
    let data = import.storage()?;
    if import.follow {
        return import_follow::follow(import, &data, folder, import.follow_interval, output).await;
    }
    let opened = import.file.clone();
    let source = database::run_blocking(move || import::source::TableSource::open(&opened)).await?;
    let (layout, new_layout) = match &import.layout {
        Some(layout) => (layout.clone(), None),
        None => match import_dialog::choose_layout(import, source.path(), folder, output).await? {
            Choice::Import { layout, new_file } => (layout, new_file),
            Choice::Reported => return Ok(()),
        },
    };
    let stop = Stop::on_interrupt();
    let imported = import_file(import, source.path(), &data, &layout, folder, &stop).await;
    let has_permits = imported.as_ref().is_ok_and(|report| report.permits + report.further > 0);
    if let Some(path) = new_layout.filter(|_| !has_permits) {
        let _ = std::fs::remove_file(path);
    }
    let report = imported?;
    let printed = output.print_summary(&summary(import.dry_run, &report), &report);
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
        let line = format!("interrupted after {} rows", report.rows);
        return Err(CliError::new(exit_status::INTERRUPTED, line).with_hint("import the file again to resume"));
    }
    if !import.dry_run {
        let searched = data.clone();
        let newest = database::run_blocking(move || import::fullest_day_of_old_signals(&searched, chrono::Utc::now()));
        if let Ok(Some(newest)) = newest.await {
            let day = newest.date_naive();
            print::write_note(&queue_hint(&import.as_of_command(&data, day), day));
        }
    }
    printed?;
    if !report.is_balanced() {
        return Err(CliError::new(exit_status::FAILED, "not every row of the file is accounted for: please report this file"));
    }
    match report.damaged_rows() {
        _ if !has_permits => Err(CliError::new(exit_status::FAILED, "no row could be imported")
            .with_hint("the reasons are above; --dry-run tries again")),
        0 => Ok(()),
        rows => {
            let line = format!(
                "{} of the file {} damaged",
                print::pluralize(rows as usize, "row"),
                if rows == 1 { "is" } else { "are" }
            );
            Err(CliError::new(exit_status::FAILED, line)
                .with_hint("the others are imported; mend the lines above and import the file again"))
        }
    }
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
