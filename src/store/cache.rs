//! What was read from a service and is shown again for free: how much there is, and how it is
//! deleted.
//!
//! Never here: drafts, the journal, snoozes and the ledger, which no service has.

use rusqlite::Connection;

use super::cache_owner::CacheOwner;
use super::descriptions::DescriptionStore;
use super::named_searches::NamedSearchStore;
use super::record_lists::RecordListStore;
use super::records::RecordStore;
use super::{Store, StoreError};
use crate::domain::cache::{CacheKind, CacheUsage};

/// What one owner has read.
#[derive(Clone)]
pub struct Cache {
    pub records: RecordStore,
    pub lists: RecordListStore,
    pub descriptions: DescriptionStore,
    /// What was named; [`Store::clear_cache`] does not delete it.
    pub named_searches: NamedSearchStore,
}

impl Store {
    pub fn cache(&self, owner: CacheOwner) -> Cache {
        Cache {
            records: self.records(owner),
            lists: self.record_lists(owner),
            descriptions: self.descriptions(owner),
            named_searches: self.named_searches(owner),
        }
    }

    /// How much of each kind is in the file, of all owners.
    pub async fn cache_usage(&self) -> Result<Vec<CacheUsage>, StoreError> {
        self.query(|connection| {
            CacheKind::ALL
                .iter()
                .map(|kind| read_usage(connection, *kind))
                .collect()
        })
        .await
    }

    /// Deletes everything of these kinds, of all owners.
    pub async fn clear_cache(&self, kinds: Vec<CacheKind>) -> Result<(), StoreError> {
        self.query(move |connection| {
            let tx = connection.transaction()?;
            for kind in kinds {
                tx.execute_batch(match kind {
                    CacheKind::BookLists => {
                        "DELETE FROM record_lists WHERE source ->> '$.book' IS NOT NULL"
                    }
                    CacheKind::ViewLists => {
                        "DELETE FROM record_lists WHERE source ->> '$.view' IS NOT NULL"
                    }
                    CacheKind::Searches => {
                        "DELETE FROM record_lists WHERE source ->> '$.index' IS NOT NULL"
                    }
                    CacheKind::Records => "DELETE FROM records; DELETE FROM record_versions",
                    CacheKind::Descriptions => {
                        "DELETE FROM descriptions; DELETE FROM free_signal_reads"
                    }
                })?;
            }
            tx.commit()?;
            // The file shrinks too; where it cannot, the space is used again.
            let _ = connection.execute_batch("VACUUM");
            Ok(())
        })
        .await
    }
}

fn read_usage(connection: &Connection, kind: CacheKind) -> rusqlite::Result<CacheUsage> {
    let lists = |source: &str| {
        format!(
            "SELECT count(*), (SELECT count(*) FROM record_list_rows WHERE list IN
               (SELECT id FROM record_lists WHERE source ->> '$.{source}' IS NOT NULL)),
               sum(bytes), min(read_at), max(read_at), sum(spent)
             FROM record_lists WHERE source ->> '$.{source}' IS NOT NULL"
        )
    };
    let sql = match kind {
        CacheKind::BookLists => lists("book"),
        CacheKind::ViewLists => lists("view"),
        CacheKind::Searches => lists("index"),
        CacheKind::Records => "SELECT NULL, count(*), sum(octet_length(json)), min(read_at), max(read_at), sum(credits) FROM records".to_owned(),
        CacheKind::Descriptions => "SELECT NULL, count(*), sum(ifnull(octet_length(work), 0) + ifnull(octet_length(record_type), 0) + ifnull(octet_length(city), 0)), min(at), max(at), NULL FROM descriptions".to_owned(),
    };
    connection.query_row(&sql, [], |row| {
        let count = |column: usize| {
            row.get::<_, Option<i64>>(column)
                .map(|number| number.map(i64::unsigned_abs))
        };
        let time = |column: usize| {
            row.get::<_, Option<i64>>(column)
                .map(|millis| millis.and_then(chrono::DateTime::from_timestamp_millis))
        };
        Ok(CacheUsage {
            kind,
            lists: count(0)?,
            rows: count(1)?.unwrap_or(0),
            bytes: count(2)?.unwrap_or(0),
            oldest: time(3)?,
            newest: time(4)?,
            credits: count(5)?,
        })
    })
}
