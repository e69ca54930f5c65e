//! The open promises in notes, as last read or written. All consoles of this machine share them.

use std::sync::Arc;

use rusqlite::params;
use uuid::Uuid;

use super::{Store, StoreError, read_json_column, to_json_text};
use crate::domain::WorkspaceId;
use crate::domain::promises::PromisingNote;

/// The promises of one workspace of one service.
#[derive(Clone)]
pub struct PromiseStore {
    store: Store,
    meter: Arc<str>,
    workspace: Option<Uuid>,
}

impl Store {
    pub fn promises(&self, meter: &str, workspace: Option<WorkspaceId>) -> PromiseStore {
        PromiseStore {
            store: self.clone(),
            meter: meter.into(),
            workspace: workspace.map(|id| id.0),
        }
    }
}

impl PromiseStore {
    /// Saves the note of a record that promises something, or did.
    pub fn save(&self, note: PromisingNote) {
        let (meter, workspace) = (self.meter.clone(), self.workspace);
        self.store.enqueue_write(move |connection| {
            connection
                .prepare_cached(
                    "INSERT OR REPLACE INTO promises (meter, workspace_id, record_id, note) VALUES (?1, ?2, ?3, ?4)",
                )?
                .execute(params![meter, workspace, note.id, to_json_text(&note)?])
                .map(drop)
        });
    }

    /// All notes with promises. One that can no longer be read is left out.
    pub async fn load_all(&self) -> Result<Vec<PromisingNote>, StoreError> {
        let (meter, workspace) = (self.meter.clone(), self.workspace);
        self.store
            .query(move |connection| {
                read_json_column(
                    connection,
                    "SELECT note FROM promises WHERE meter = ?1 AND workspace_id IS ?2 ORDER BY rowid",
                    params![meter, workspace],
                )
            })
            .await
    }
}
