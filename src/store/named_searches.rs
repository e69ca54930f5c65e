//! Saved searches. All consoles and commands of this machine share them; nothing of this is sent.

use rusqlite::params;

use super::cache_owner::CacheOwner;
use super::{Store, StoreError, read_json_column, to_json_text};
use crate::domain::named_searches::NamedSearch;

/// The saved searches of one owner.
#[derive(Clone)]
pub struct NamedSearchStore {
    store: Store,
    owner: CacheOwner,
}

impl Store {
    pub fn named_searches(&self, owner: CacheOwner) -> NamedSearchStore {
        NamedSearchStore {
            store: self.clone(),
            owner,
        }
    }
}

impl NamedSearchStore {
    /// Saves a search by its name, or deletes it.
    pub fn save(&self, name: String, search: Option<NamedSearch>) {
        let owner = self.owner.0;
        self.store.enqueue_write(move |connection| match search {
            Some(search) => connection
                .prepare_cached("INSERT OR REPLACE INTO named_searches (owner, name, search) VALUES (?1, ?2, ?3)")?
                .execute(params![owner, name, to_json_text(&search)?])
                .map(drop),
            None => connection
                .prepare_cached("DELETE FROM named_searches WHERE owner = ?1 AND name = ?2")?
                .execute(params![owner, name])
                .map(drop),
        });
    }

    /// All saved searches, by name. One that can no longer be read is left out.
    pub async fn load_all(&self) -> Result<Vec<NamedSearch>, StoreError> {
        let owner = self.owner.0;
        self.store
            .query(move |connection| {
                read_json_column(
                    connection,
                    "SELECT search FROM named_searches WHERE owner = ?1 ORDER BY name COLLATE NOCASE",
                    [owner],
                )
            })
            .await
    }
}
