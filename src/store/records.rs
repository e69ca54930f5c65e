//! Records that were paid for, as received, with their cost and time of reading: shown again
//! without a request until they are refreshed.
//!
//! Never here: when a record is too old to be shown. It is shown with its age.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, params};
use uuid::Uuid;

use super::cache_owner::CacheOwner;
use super::{Store, StoreError, record_versions, to_json_text};
use crate::domain::ProjectId;
use crate::domain::book::Dataset;
use crate::domain::record_history::RecordVersion;
use crate::domain::records::{Record, RecordKey};

/// Maximum size of the file in bytes, lists included; beyond it the least recently used records are
/// deleted.
const MAX_STORE_BYTES: i64 = 80 << 20;

/// Maximum number of records that are loaded at a time for what they say of signals.
const MAX_FACT_RECORDS: i64 = 500;

/// The records of one owner.
#[derive(Clone)]
pub struct RecordStore {
    pub(super) store: Store,
    pub(super) owner: Uuid,
}

/// A record as it was once read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredRecord {
    pub record: Record,
    /// What it cost at the time.
    pub credits: Option<u64>,
    pub read_at: DateTime<Utc>,
}

impl Store {
    pub fn records(&self, owner: CacheOwner) -> RecordStore {
        RecordStore {
            store: self.clone(),
            owner: owner.0,
        }
    }

    /// The names of stored records, or else of rows of stored lists, of any owner.
    pub async fn record_names(&self, ids: Vec<Uuid>) -> Result<HashMap<Uuid, String>, StoreError> {
        self.query(move |connection| {
            connection
                .prepare_cached(
                    "WITH wanted AS (SELECT unhex(value, '-') FROM json_each(?1))
                     SELECT id, name FROM
                       (SELECT id, json ->> 'name' AS name, read_at FROM records WHERE id IN wanted
                        UNION ALL SELECT id, json ->> 'name', 0 FROM record_list_rows WHERE id IN wanted)
                     WHERE name IS NOT NULL ORDER BY read_at",
                )?
                .query_map([to_json_text(&ids)?], |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect()
        })
        .await
    }
}

impl RecordStore {
    /// Saves a record, replacing the stored one.
    pub fn save(&self, key: RecordKey, kept: StoredRecord) {
        let owner = self.owner;
        self.store.enqueue_write(move |connection| {
            connection
                .prepare_cached(
                    "INSERT INTO records (owner, dataset, id, in_book, json, credits, read_at, seen_at)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7)
                     ON CONFLICT DO UPDATE SET json = excluded.json, credits = excluded.credits, read_at = excluded.read_at,
                       seen_at = excluded.seen_at",
                )?
                .execute(params![
                    owner,
                    key.dataset.as_str(),
                    key.id,
                    key.in_book,
                    kept.record.json(),
                    kept.credits.map(|credits| credits as i64),
                    kept.read_at.timestamp_millis(),
                ])?;
            record_versions::save_version(connection, owner, &key, &kept.record, kept.read_at)?;
            prune_records(connection, MAX_STORE_BYTES)
        });
    }

    /// The versions of a record, of any route, the oldest first.
    pub async fn versions(&self, id: Uuid) -> Result<Vec<RecordVersion>, StoreError> {
        let owner = self.owner;
        self.store
            .query(move |connection| record_versions::read_versions(connection, owner, id))
            .await
    }

    /// A stored record; marks it as used now.
    pub async fn get(
        &self,
        key: RecordKey,
        now: DateTime<Utc>,
    ) -> Result<Option<StoredRecord>, StoreError> {
        let owner = self.owner;
        self.store
            .query(move |connection| {
                let row: Option<(String, Option<i64>, i64)> = connection
                    .prepare_cached(
                        "UPDATE records SET seen_at = max(seen_at, ?5)
                         WHERE owner = ?1 AND dataset = ?2 AND id = ?3 AND in_book = ?4
                         RETURNING json, credits, read_at",
                    )?
                    .query_row(
                        params![
                            owner,
                            key.dataset.as_str(),
                            key.id,
                            key.in_book,
                            now.timestamp_millis()
                        ],
                        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
                    )
                    .optional()?;
                // A text that can no longer be parsed counts as missing.
                Ok(row.and_then(|(json, credits, read_at)| {
                    Some(StoredRecord {
                        record: serde_json::from_str(&json).ok()?,
                        credits: credits.and_then(|credits| u64::try_from(credits).ok()),
                        read_at: DateTime::from_timestamp_millis(read_at)?,
                    })
                }))
            })
            .await
    }

    /// The stored ones of these projects, and with `includes_book` the newest accounts and contacts
    /// of the book.
    pub async fn find_facts(
        &self,
        projects: Vec<ProjectId>,
        includes_book: bool,
    ) -> Result<Vec<(RecordKey, Record)>, StoreError> {
        let owner = self.owner;
        self.store
            .query(move |connection| {
                let rows = connection
                    .prepare_cached(
                        "SELECT dataset, id, in_book, json FROM records WHERE owner = ?1
                           AND (dataset = ?2 AND id IN (SELECT unhex(value, '-') FROM json_each(?3)) OR ?4 AND in_book AND dataset <> ?2)
                         ORDER BY seen_at DESC LIMIT ?5",
                    )?
                    .query_map(
                        params![
                            owner,
                            Dataset::Projects.as_str(),
                            to_json_text(&projects)?,
                            includes_book,
                            MAX_FACT_RECORDS
                        ],
                        |row| {
                            let dataset = Dataset::from(row.get::<_, String>(0)?.as_str());
                            let key = RecordKey { dataset, id: row.get(1)?, in_book: row.get(2)? };
                            Ok((key, row.get::<_, String>(3)?))
                        },
                    )?
                    .collect::<rusqlite::Result<Vec<_>>>()?;
                // A text that can no longer be parsed counts as missing.
                Ok(rows.into_iter().filter_map(|(key, json)| Some((key, serde_json::from_str(&json).ok()?))).collect())
            })
            .await
    }

    /// The stored accounts, contacts and projects that have this in their name, or this id; those of
    /// the book come first.
    pub async fn find_named(
        &self,
        name: &str,
        id: Option<Uuid>,
    ) -> Result<Vec<(RecordKey, String)>, StoreError> {
        let (owner, name) = (self.owner, name.to_owned());
        self.store
            .query(move |connection| {
                connection
                    .prepare_cached(
                        "SELECT dataset, id, in_book, json ->> 'name' AS name FROM records
                         WHERE owner = ?1 AND dataset <> ?2 AND name IS NOT NULL
                           AND (instr(lower(name), lower(?3)) > 0 OR id = ?4)
                         ORDER BY in_book DESC, seen_at DESC",
                    )?
                    .query_map(params![owner, Dataset::Signals.as_str(), name, id], |row| {
                        let dataset = Dataset::from(row.get::<_, String>(0)?.as_str());
                        let key = RecordKey {
                            dataset,
                            id: row.get(1)?,
                            in_book: row.get(2)?,
                        };
                        Ok((key, row.get(3)?))
                    })?
                    .collect()
            })
            .await
    }

    /// Deletes records, from all routes, because they have been written since.
    pub fn remove(&self, ids: Vec<Uuid>) {
        let owner = self.owner;
        self.store.enqueue_write(move |connection| {
            let mut statement = connection
                .prepare_cached("DELETE FROM records WHERE owner = ?1 AND id = ?2 AND in_book")?;
            ids.iter()
                .try_for_each(|id| statement.execute(params![owner, id]).map(drop))
        });
    }
}

/// Deletes a quarter of the records, least recently used first, once the file exceeds `full` bytes.
pub(super) fn prune_records(connection: &Connection, full: i64) -> rusqlite::Result<()> {
    let pragma = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    if (pragma("page_count")? - pragma("freelist_count")?) * pragma("page_size")? > full {
        connection.execute_batch(
            "DELETE FROM records WHERE rowid IN
               (SELECT rowid FROM records ORDER BY seen_at LIMIT (SELECT count(*) / 4 + 1 FROM records))",
        )?;
    }
    Ok(())
}
