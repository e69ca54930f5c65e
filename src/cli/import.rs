//! `gantry import`: imports a city's permit file into a local service's database.

use crate::config;
use crate::service::import;
use crate::service::import::source::TableSource;

use super::database;
use super::error::CliError;
use super::import_args::ImportArgs;
use super::import_dialog::{self, Choice};
use super::import_file::{Stop, find_layout, import_file, queue_hint};
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
    let source = database::run_blocking(move || TableSource::open(&opened)).await?;
    if let Some(more) = &source.further_records {
        print::write_note(more);
    }
    let (layout, new_file) = match &import.layout {
        Some(name) => (find_layout(name, folder)?, None),
        None => match import_dialog::choose_layout(import, source.path(), folder, output).await? {
            Choice::Import { layout, new_file } => (*layout, new_file),
            Choice::Reported => return Ok(()),
        },
    };
    let stop = Stop::on_interrupt();
    let imported = import_file(import, source.path(), &data, layout, "", &stop, output).await?;
    if let Some(file) = new_file.filter(|_| imported.report.is_sound() && !import.dry_run) {
        file.write()?;
        print::write_note(&format!(
            "wrote {}; {}",
            file.path.display(),
            file.use_for_the_next
        ));
    }
    if !import.dry_run && !imported.report.stopped {
        let searched = data.clone();
        let newest = database::run_blocking(move || {
            import::fullest_day_of_old_signals(&searched, chrono::Utc::now())
        });
        if let Ok(Some(newest)) = newest.await {
            let day = newest.date_naive();
            print::write_note(&queue_hint(&import.as_of_command(&data, day), day));
        }
    }
    imported.problem.map_or(Ok(()), Err)
}
