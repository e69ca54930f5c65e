//! Earlier versions of the records that were read: what changed between reads.
//!
//! Never here: which fields are compared, and how a change is described
//! ([`crate::domain::record_history`]).

use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, params};
use uuid::Uuid;

use super::{timestamp_column, to_json_text};
use crate::domain::record_history::{RecordVersion, compared_fields};
use crate::domain::records::{Record, RecordKey};

/// Versions that are kept of a record, by one route.
const MAX_VERSIONS: i64 = 20;
/// Versions that are kept of all records; the ones read longest ago are deleted first.
const MAX_ALL_VERSIONS: i64 = 20_000;

/// The versions of a record, of any route, the oldest first.
pub(super) fn read_versions(
    connection: &Connection,
    owner: Uuid,
    id: Uuid,
) -> rusqlite::Result<Vec<RecordVersion>> {
    connection
        .prepare_cached(
            "SELECT in_book, first_read, last_read, json FROM record_versions
             WHERE owner = ?1 AND dataset IN ('accounts', 'contacts', 'projects', 'signals') AND id = ?2
             ORDER BY first_read",
        )?
        .query_map(params![owner, id], |row| {
            Ok(RecordVersion {
                in_book: row.get(0)?,
                first_read: timestamp_column(row, 1)?,
                last_read: timestamp_column(row, 2)?,
                fields: serde_json::from_str(&row.get::<_, String>(3)?).unwrap_or_default(),
            })
        })?
        .collect()
}

/// Saves a record that was read as a version, or extends the newest one if it is the same.
pub(super) fn save_version(
    connection: &Connection,
    owner: Uuid,
    key: &RecordKey,
    record: &Record,
    read_at: DateTime<Utc>,
) -> rusqlite::Result<()> {
    let (json, at) = (
        to_json_text(&compared_fields(record))?,
        read_at.timestamp_millis(),
    );
    let of_record = params![owner, key.dataset.as_str(), key.id, key.in_book];
    let newest: Option<(i64, String)> = connection
        .prepare_cached(
            "SELECT first_read, json FROM record_versions WHERE owner = ?1 AND dataset = ?2 AND id = ?3 AND in_book = ?4
             ORDER BY first_read DESC LIMIT 1",
        )?
        .query_row(of_record, |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let first = match newest {
        Some((first, known)) if known == json => first,
        _ => at,
    };
    connection
        .prepare_cached(
            "INSERT INTO record_versions (owner, dataset, id, in_book, first_read, last_read, json) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
             ON CONFLICT DO UPDATE SET last_read = max(last_read, excluded.last_read), json = excluded.json",
        )?
        .execute(params![owner, key.dataset.as_str(), key.id, key.in_book, first, at, json])?;
    connection
        .prepare_cached(
            "DELETE FROM record_versions WHERE owner = ?1 AND dataset = ?2 AND id = ?3 AND in_book = ?4 AND first_read <
               (SELECT min(first_read) FROM (SELECT first_read FROM record_versions
                WHERE owner = ?1 AND dataset = ?2 AND id = ?3 AND in_book = ?4 ORDER BY first_read DESC LIMIT ?5))",
        )?
        .execute(params![owner, key.dataset.as_str(), key.id, key.in_book, MAX_VERSIONS])?;
    connection
        .prepare_cached(
            "DELETE FROM record_versions WHERE last_read <
               (SELECT last_read FROM record_versions ORDER BY last_read DESC LIMIT 1 OFFSET ?1)",
        )?
        .execute([MAX_ALL_VERSIONS])
        .map(drop)
}
