//! The check of a large file that its last user did not close, while it is in use. Never here:
//! repairs.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use tokio_util::sync::CancellationToken;

use super::connection_pool::SEARCH_NICENESS;
use super::job_queue::{DatabaseJob, JobQueue};
use super::sql::{self, SqlError};
use super::{Conn, DbError, DbErrorKind, backups, open};
use crate::platform::processes::lower_thread_priority;

#[derive(Default)]
pub(super) struct FileCheck {
    stop: CancellationToken,
    thread: Option<JoinHandle<()>>,
    pub(super) damage: FileDamage,
}

/// Whether the file was found damaged: nothing is written to it from then on.
#[derive(Clone, Default)]
pub(super) struct FileDamage(Arc<AtomicBool>);

impl FileDamage {
    pub(super) fn report(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub(super) fn check(&self) -> sql::Result<()> {
        if self.0.load(Ordering::Relaxed) {
            Err(SqlError::FoundDamaged)
        } else {
            Ok(())
        }
    }

    /// A job that is left out then.
    pub(super) fn unless_found(&self, job: impl FnOnce(&mut Conn) + Send + 'static) -> DatabaseJob {
        let damage = self.clone();
        Box::new(move |conn| {
            if damage.check().is_ok() {
                job(conn);
            }
        })
    }
}

impl FileCheck {
    /// Checks the file on a thread of its own.
    pub(super) fn start(&mut self, path: PathBuf, writer: Arc<JobQueue>) -> Result<(), DbError> {
        let (stop, damage) = (self.stop.clone(), self.damage.clone());
        let check = move || -> Result<(), DbError> {
            lower_thread_priority(SEARCH_NICENESS);
            let mut conn = open::open_reader(&path)?;
            let Some(conn) = conn.sqlite_mut() else {
                return Ok(());
            };
            conn.progress_handler(1000, Some(move || stop.is_cancelled()))?;
            backups::check_integrity(conn).map_err(|error| error.with_file(&path))
        };
        let run = move || match check() {
            Ok(()) => {
                let done: DatabaseJob = Box::new(|conn| {
                    if let Some(Err(error)) =
                        conn.sqlite().map(|file| open::set_check_due(file, false))
                    {
                        tracing::warn!(%error, "the file will be checked again");
                    }
                });
                writer.push(None, done);
            }
            Err(error) if error.kind() == DbErrorKind::Corrupt => {
                damage.report();
                tracing::error!(%error, "the file is damaged: nothing more is written to it");
            }
            Err(error) => tracing::debug!(%error, "the file will be checked at the next start"),
        };
        self.thread = Some(
            std::thread::Builder::new()
                .name("database check".to_owned())
                .spawn(run)?,
        );
        Ok(())
    }

    /// Ends the check, which the next start begins again.
    pub(super) fn stop(&mut self) {
        self.stop.cancel();
        if self
            .thread
            .take()
            .is_some_and(|thread| thread.join().is_err())
        {
            tracing::error!("the check of the file panicked");
        }
    }
}
