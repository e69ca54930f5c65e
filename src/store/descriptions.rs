//! What signals are about, from payloads that were read, and whether reading them is free.

use chrono::{DateTime, Utc};
use rusqlite::{OptionalExtension, params};
use uuid::Uuid;

use super::cache_owner::CacheOwner;
use super::{Durability, Store, StoreError, to_json_text};
use crate::domain::SignalId;
use crate::domain::description::Description;

/// Maximum number of descriptions in the file; the newest are kept.
pub(super) const MAX_DESCRIPTIONS: i64 = 20_000;
/// Beyond the maximum this many more are kept, so that few writes delete.
const SLACK: i64 = 1_000;

/// The descriptions of one owner.
#[derive(Clone)]
pub struct DescriptionStore {
    store: Store,
    owner: Uuid,
}

impl Store {
    pub fn descriptions(&self, owner: CacheOwner) -> DescriptionStore {
        DescriptionStore {
            store: self.clone(),
            owner: owner.0,
        }
    }
}

impl DescriptionStore {
    pub fn save(&self, signal: SignalId, description: Description, at: DateTime<Utc>) {
        let owner = self.owner;
        self.store.enqueue_write_as(Durability::Program, move |connection| {
            connection
                .prepare_cached(
                    "INSERT OR REPLACE INTO descriptions (owner, signal_id, work, record_type, city, at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                )?
                .execute(params![owner, signal.0, description.work, description.record_type, description.city, at.timestamp_millis()])?;
            let count: i64 = connection.prepare_cached("SELECT count(*) FROM descriptions")?.query_row([], |row| row.get(0))?;
            if count > MAX_DESCRIPTIONS + SLACK {
                connection
                    .prepare_cached(
                        "DELETE FROM descriptions WHERE at < (SELECT at FROM descriptions ORDER BY at DESC LIMIT 1 OFFSET ?1)",
                    )?
                    .execute([MAX_DESCRIPTIONS])?;
            }
            Ok(())
        });
    }

    /// Those of these signals that were described.
    pub async fn find(
        &self,
        signals: Vec<SignalId>,
    ) -> Result<Vec<(SignalId, Description)>, StoreError> {
        let owner = self.owner;
        self.store
            .query(move |connection| {
                connection
                    .prepare_cached(
                        "SELECT signal_id, work, record_type, city FROM descriptions
                         WHERE owner = ?1 AND signal_id IN (SELECT unhex(value, '-') FROM json_each(?2))",
                    )?
                    .query_map(params![owner, to_json_text(&signals)?], |row| {
                        Ok((
                            SignalId(row.get(0)?),
                            Description { work: row.get(1)?, record_type: row.get(2)?, city: row.get(3)? },
                        ))
                    })?
                    .collect()
            })
            .await
    }

    /// The meter proved that reading a signal is free, or, with `false`, that it no longer is.
    pub fn save_free_reads(&self, is_free: bool, at: DateTime<Utc>) {
        let owner = self.owner;
        self.store
            .enqueue_write_as(Durability::Program, move |connection| {
                if is_free {
                    connection.execute(
                        "INSERT OR REPLACE INTO free_signal_reads VALUES (?1, ?2)",
                        params![owner, at.timestamp_millis()],
                    )
                } else {
                    connection.execute("DELETE FROM free_signal_reads WHERE owner = ?1", [owner])
                }
                .map(drop)
            });
    }

    pub async fn are_reads_free(&self) -> Result<bool, StoreError> {
        let owner = self.owner;
        self.store
            .query(move |connection| {
                let found = connection
                    .query_row(
                        "SELECT 1 FROM free_signal_reads WHERE owner = ?1",
                        [owner],
                        |_| Ok(()),
                    )
                    .optional()?;
                Ok(found.is_some())
            })
            .await
    }
}
