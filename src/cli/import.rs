//! `gantry import`: imports a city's permit file into a local service's database.

use std::path::Path;

use crate::config;
use crate::service::Storage;
use crate::service::import;
use crate::service::import::source::TableSource;

use super::error::CliError;
use super::import_args::{ImportArgs, team_command};
use super::import_dialog::{self, Choice, LayoutFile, answer_questions};
use super::import_file::{ImportRun, Imported, Stop, find_layout, import_file, queue_hint};
use super::import_follow;
use super::output::Output;
use super::running_service::find_running_service;
use super::{print, stdin};

pub(super) async fn run(import: &ImportArgs, output: Output) -> Result<(), CliError> {
    let folder = config::Paths::from_env(&config::process_env).layouts_folder();
    let folder = folder.as_deref();
    let data = import.storage()?;
    let run = ImportRun {
        args: import,
        data: &data,
        folder,
        output,
    };
    note_new_file(&data);
    if import.follow {
        return import_follow::follow(&run).await;
    }
    let opened = import.file.clone();
    let source = stdin::run_blocking(move || TableSource::open(&opened)).await?;
    if let Some(more) = &source.further_records {
        print::write_note(more);
    }
    let (mut layout, mut layout_file) = match &import.layout {
        Some(name) => (find_layout(name, folder)?, LayoutFile::open(name, folder)),
        None => match import_dialog::choose_layout(&run, &source).await? {
            Choice::Import {
                layout,
                layout_file,
            } => (*layout, layout_file),
            Choice::Reported => return Ok(()),
        },
    };
    let stop = Stop::on_interrupt();
    let mut answers = import.answers_for_layout();
    let (report, problem) = loop {
        answers.change_layout(&mut layout);
        match import_file(&run, source.path(), layout.clone(), "", &stop).await? {
            Imported::Read(report, problem) => break (report, problem),
            Imported::Undecided(questions) => {
                if !answer_questions(&run, &questions, &mut answers).await? {
                    return Ok(());
                }
            }
        }
    };
    if let Some(file) = layout_file.as_mut()
        && report.is_sound()
        && !import.dry_run
    {
        file.keep(&answers)?;
    }
    if !import.dry_run && !report.stopped {
        let searched = data.clone();
        let newest = stdin::run_blocking(move || {
            import::fullest_day_of_old_signals(&searched, chrono::Utc::now())
        });
        if let Ok(Some(newest)) = newest.await {
            let day = newest.date_naive();
            let how = match find_running_service(&data).await {
                Some(address) => format!(
                    "stop the service that runs on it at {address} with Ctrl-C, then run {}",
                    team_command(&data, day)
                ),
                None => format!("run {}", import.as_of_command(&data, day)),
            };
            print::write_note(&queue_hint(day, &how));
        }
    }
    problem.map_or(Ok(()), Err)
}

/// Says that a database will be created where there is another one: its name may be misspelled.
fn note_new_file(data: &Storage) {
    let Storage::File(path) = data else { return };
    let Some(extension) = path.extension().filter(|_| !path.exists()) else {
        return;
    };
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let files = std::fs::read_dir(folder.unwrap_or(Path::new("."))).into_iter();
    let mut others = files.flatten().flatten().map(|file| file.path());
    if let Some(other) = others.find(|file| file.extension() == Some(extension)) {
        print::write_note(&format!(
            "{} is a new database; {} is not changed",
            path.display(),
            other.file_name().unwrap_or_default().display()
        ));
    }
}
