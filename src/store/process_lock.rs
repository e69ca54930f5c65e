//! Tracks live processes through per-process lock files next to the store, which the kernel
//! releases on exit.

use std::fs::{self, File};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use uuid::Uuid;

use crate::platform::files::private_file_options;

/// This process.
#[derive(Debug)]
pub(super) struct ProcessLock {
    store_file: Option<PathBuf>,
    id: Uuid,
    lock_file: Mutex<Option<File>>,
}

impl ProcessLock {
    /// A process using the store in this file.
    pub(super) fn new(store: Option<PathBuf>) -> ProcessLock {
        ProcessLock {
            store_file: store,
            id: Uuid::now_v7(),
            lock_file: Mutex::new(None),
        }
    }

    pub(super) fn id(&self) -> Uuid {
        self.id
    }

    /// Takes the lock, so that others see this process as alive.
    pub(super) fn acquire(&self) {
        let mut held = self
            .lock_file
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if held.is_none()
            && let Some(path) = self.lock_path(self.id)
        {
            let file = private_file_options().append(true).create(true).open(path);
            *held = file.ok().filter(|file| file.try_lock().is_ok());
        }
    }

    /// Whether another process is alive; removes the lock file of one that is not.
    pub(super) fn is_process_alive(&self, other: Uuid) -> bool {
        if other == self.id {
            return true;
        }
        let Some(path) = self.lock_path(other) else {
            return false;
        };
        let Ok(file) = File::open(&path) else {
            return false;
        };
        if matches!(file.try_lock(), Err(fs::TryLockError::WouldBlock)) {
            return true;
        }
        let _ = fs::remove_file(path);
        false
    }

    pub(super) fn release(&self) {
        if self
            .lock_file
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
            .is_some()
            && let Some(path) = self.lock_path(self.id)
        {
            let _ = fs::remove_file(path);
        }
    }

    fn lock_path(&self, run: Uuid) -> Option<PathBuf> {
        Some(
            self.store_file
                .as_ref()?
                .with_extension(format!("run-{run}")),
        )
    }
}
