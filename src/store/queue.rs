//! The last queue shown, in a separate file, so that the next start can show it before anything is
//! opened or requested.
//!
//! A file that is damaged or belongs to another program or user is ignored: its content is read
//! again in a moment anyway.
//!
//! Never here: when it is written, and what is shown of it.

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::Store;
use crate::domain::queue::QueueSnapshot;

/// Maximum size of the file in bytes; gantry never writes a larger one.
const MAX_QUEUE_FILE_BYTES: u64 = 8 << 20;

/// The queue file for one service, workspace and credential.
#[derive(Clone, Debug)]
pub struct QueueFile {
    path: PathBuf,
    identity: Uuid,
}

#[derive(Serialize, Deserialize)]
struct StoredQueue<T> {
    of: Uuid,
    queue: T,
}

impl QueueFile {
    /// The queue file next to the store's. It can only be found with the same address, workspace
    /// and credential, and reveals none of them.
    pub fn for_store(store: &Path, base_url: &str, workspace: Uuid, credential: &str) -> QueueFile {
        let identity = format!(
            "{}\n{workspace}\n{credential}",
            base_url.trim_end_matches('/')
        );
        QueueFile {
            path: store.with_extension("queue"),
            identity: Uuid::new_v5(&Uuid::NAMESPACE_URL, identity.as_bytes()),
        }
    }

    pub fn read(&self) -> Option<QueueSnapshot> {
        fs::metadata(&self.path)
            .ok()
            .filter(fs::Metadata::is_file)?;
        let mut text = String::new();
        File::open(&self.path)
            .ok()?
            .take(MAX_QUEUE_FILE_BYTES)
            .read_to_string(&mut text)
            .ok()?;
        let kept: StoredQueue<QueueSnapshot> = serde_json::from_str(&text).ok()?;
        (kept.of == self.identity).then_some(kept.queue)
    }

    /// Writes the file atomically, readable only by its owner.
    fn write(&self, queue: &QueueSnapshot) -> io::Result<()> {
        let mut beside =
            tempfile::NamedTempFile::new_in(self.path.parent().unwrap_or(Path::new("/")))?;
        beside.write_all(&serde_json::to_vec(&StoredQueue {
            of: self.identity,
            queue,
        })?)?;
        beside.persist(&self.path)?;
        Ok(())
    }
}

impl Store {
    /// Saves a queue, replacing the previous one. If that fails, the next start begins without it.
    pub fn save_queue(&self, file: QueueFile, queue: QueueSnapshot) {
        self.enqueue_write(move |_| {
            if let Err(error) = file.write(&queue) {
                tracing::warn!(%error, "the queue was not saved");
            }
            Ok(())
        });
    }
}
