//! The queue as it stood on the screen last: a file of its own beside the store's, so that the next start has it before anything is
//! opened or asked.
//!
//! A file that is damaged, of another program or of somebody else is as none: what it holds is read anew in a moment anyway.
//!
//! Never here: when it is written, and what is shown of it.

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::Store;
use crate::domain::queue::QueueSnapshot;

/// Nothing that this program writes is longer, in bytes.
const MAX_QUEUE_FILE_BYTES: u64 = 8 << 20;

/// The file of a place, in the eyes of one who works there.
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
    /// The file beside a store's file. Only who gives the same address, workspace and credential finds again what was kept; none of
    /// the three can be read from it.
    pub fn for_store(store: &Path, base_url: &str, workspace: Uuid, credential: &str) -> QueueFile {
        let identity = format!("{}\n{workspace}\n{credential}", base_url.trim_end_matches('/'));
        QueueFile { path: store.with_extension("queue"), identity: Uuid::new_v5(&Uuid::NAMESPACE_URL, identity.as_bytes()) }
    }

    /// What was kept.
    pub fn read(&self) -> Option<QueueSnapshot> {
        fs::metadata(&self.path).ok().filter(fs::Metadata::is_file)?;
        let mut text = String::new();
        File::open(&self.path).ok()?.take(MAX_QUEUE_FILE_BYTES).read_to_string(&mut text).ok()?;
        let kept: StoredQueue<QueueSnapshot> = serde_json::from_str(&text).ok()?;
        (kept.of == self.identity).then_some(kept.queue)
    }

    /// Whole or not at all, for its owner alone.
    fn write(&self, queue: &QueueSnapshot) -> io::Result<()> {
        let mut beside = tempfile::NamedTempFile::new_in(self.path.parent().unwrap_or(Path::new("/")))?;
        beside.write_all(&serde_json::to_vec(&StoredQueue { of: self.identity, queue })?)?;
        beside.persist(&self.path)?;
        Ok(())
    }
}

impl Store {
    /// Keeps a queue in the place of what was kept of it. Where that cannot be, the next start begins without.
    pub fn save_queue(&self, file: QueueFile, queue: QueueSnapshot) {
        self.enqueue_write(move |_| {
            if let Err(error) = file.write(&queue) {
                tracing::warn!(%error, "the queue was not kept");
            }
            Ok(())
        });
    }
}
