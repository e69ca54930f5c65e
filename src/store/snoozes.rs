//! Snoozed signals. Consoles and commands of this machine share them; nothing of this is sent.
//!
//! Never here: when a snooze ends.

use std::sync::Arc;

use rusqlite::params;
use uuid::Uuid;

use super::{Store, StoreError, read_json_column, to_json_text};
use crate::domain::snooze::Snooze;
use crate::domain::{SignalId, WorkspaceId};

/// The snoozes of one workspace of one service.
#[derive(Clone)]
pub struct SnoozeStore {
    store: Store,
    meter: Arc<str>,
    workspace: Option<Uuid>,
}

impl Store {
    pub fn snoozes(&self, meter: &str, workspace: Option<WorkspaceId>) -> SnoozeStore {
        SnoozeStore {
            store: self.clone(),
            meter: meter.into(),
            workspace: workspace.map(|id| id.0),
        }
    }
}

impl SnoozeStore {
    /// Saves snoozes, replacing those of the same signals.
    pub fn save(&self, snoozes: Vec<Snooze>) {
        let (meter, workspace) = (self.meter.clone(), self.workspace);
        self.store.enqueue_write(move |connection| {
            let mut statement = connection.prepare_cached(
                "INSERT OR REPLACE INTO snoozes (meter, workspace_id, signal_id, snooze) VALUES (?1, ?2, ?3, ?4)",
            )?;
            snoozes.iter().try_for_each(|snooze| {
                statement.execute(params![meter, workspace, snooze.row.signal.id.0, to_json_text(snooze)?]).map(drop)
            })
        });
    }

    /// Ends snoozes.
    pub fn remove(&self, ids: Vec<SignalId>) {
        let (meter, workspace) = (self.meter.clone(), self.workspace);
        self.store.enqueue_write(move |connection| {
            let mut statement = connection.prepare_cached(
                "DELETE FROM snoozes WHERE meter = ?1 AND workspace_id IS ?2 AND signal_id = ?3",
            )?;
            ids.iter()
                .try_for_each(|id| statement.execute(params![meter, workspace, id.0]).map(drop))
        });
    }

    /// All snoozes, in the order in which they began. One that can no longer be read is left out.
    pub async fn load_all(&self) -> Result<Vec<Snooze>, StoreError> {
        let (meter, workspace) = (self.meter.clone(), self.workspace);
        self.store
            .query(move |connection| {
                read_json_column(
                    connection,
                    "SELECT snooze FROM snoozes WHERE meter = ?1 AND workspace_id IS ?2 ORDER BY rowid",
                    params![meter, workspace],
                )
            })
            .await
    }
}
