//! Bookmarked signals. All consoles of this machine share them; nothing of this is sent.

use std::sync::Arc;

use rusqlite::params;
use uuid::Uuid;

use super::{Store, StoreError, to_json_text};
use crate::domain::bookmarks::Bookmark;
use crate::domain::{SignalId, WorkspaceId};

/// The bookmarks of one workspace of one service.
#[derive(Clone)]
pub struct BookmarkStore {
    store: Store,
    meter: Arc<str>,
    workspace: Option<Uuid>,
}

impl Store {
    pub fn bookmarks(&self, meter: &str, workspace: Option<WorkspaceId>) -> BookmarkStore {
        BookmarkStore {
            store: self.clone(),
            meter: meter.into(),
            workspace: workspace.map(|id| id.0),
        }
    }
}

impl BookmarkStore {
    /// Saves the bookmark of a signal, or deletes it.
    pub fn save(&self, id: SignalId, bookmark: Option<Bookmark>) {
        let (meter, workspace) = (self.meter.clone(), self.workspace);
        self.store.enqueue_write(move |connection| match bookmark {
            Some(bookmark) => connection
                .prepare_cached(
                    "INSERT OR REPLACE INTO bookmarks (meter, workspace_id, signal_id, bookmark) VALUES (?1, ?2, ?3, ?4)",
                )?
                .execute(params![meter, workspace, id.0, to_json_text(&bookmark)?])
                .map(drop),
            None => connection
                .prepare_cached("DELETE FROM bookmarks WHERE meter = ?1 AND workspace_id IS ?2 AND signal_id = ?3")?
                .execute(params![meter, workspace, id.0])
                .map(drop),
        });
    }

    /// All bookmarks, the oldest first. One that can no longer be read is left out.
    pub async fn load_all(&self) -> Result<Vec<Bookmark>, StoreError> {
        let (meter, workspace) = (self.meter.clone(), self.workspace);
        self.store
            .query(move |connection| {
                connection
                    .prepare_cached("SELECT bookmark FROM bookmarks WHERE meter = ?1 AND workspace_id IS ?2 ORDER BY rowid")?
                    .query_map(params![meter, workspace], |row| row.get(0))?
                    .filter_map(|json: rusqlite::Result<String>| json.map(|json| serde_json::from_str(&json).ok()).transpose())
                    .collect()
            })
            .await
    }
}
