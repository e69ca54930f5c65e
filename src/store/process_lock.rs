//! Which runs of the program are alive: each holds the kernel's lock on a file of its own beside the store, which is gone with it.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use uuid::Uuid;

/// This run.
#[derive(Debug)]
pub(super) struct ProcessLock {
    store_file: Option<PathBuf>,
    id: Uuid,
    lock_file: Mutex<Option<File>>,
}

impl ProcessLock {
    /// A run beside the store of this file.
    pub(super) fn new(store: Option<PathBuf>) -> ProcessLock {
        ProcessLock { store_file: store, id: Uuid::now_v7(), lock_file: Mutex::new(None) }
    }

    /// Its id.
    pub(super) fn id(&self) -> Uuid {
        self.id
    }

    /// From now on others can see that it lives.
    pub(super) fn acquire(&self) {
        let mut held = self.lock_file.lock().unwrap_or_else(PoisonError::into_inner);
        if held.is_none()
            && let Some(path) = self.lock_path(self.id)
        {
            let file = OpenOptions::new().append(true).create(true).mode(0o600).open(path);
            *held = file.ok().filter(|file| file.try_lock().is_ok());
        }
    }

    /// Whether another run lives. What is left of one that does not is swept away.
    pub(super) fn is_process_alive(&self, other: Uuid) -> bool {
        if other == self.id {
            return true;
        }
        let Some(path) = self.lock_path(other) else { return false };
        let Ok(file) = File::open(&path) else { return false };
        if matches!(file.try_lock(), Err(fs::TryLockError::WouldBlock)) {
            return true;
        }
        let _ = fs::remove_file(path);
        false
    }

    /// The run ends.
    pub(super) fn release(&self) {
        if self.lock_file.lock().unwrap_or_else(PoisonError::into_inner).take().is_some()
            && let Some(path) = self.lock_path(self.id)
        {
            let _ = fs::remove_file(path);
        }
    }

    fn lock_path(&self, run: Uuid) -> Option<PathBuf> {
        Some(self.store_file.as_ref()?.with_extension(format!("run-{run}")))
    }
}
