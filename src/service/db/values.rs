//! Values on their way into and out of SQLite: ids are blobs, moments are milliseconds, lists are JSON text.

use chrono::{DateTime, SecondsFormat, Utc};
use rusqlite::types::Value as Sql;
use rusqlite::{OptionalExtension, Params};
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use uuid::Uuid;

use super::{Conn, Error};

/// A moment as the wire spells it.
pub fn moment(millis: i64) -> String {
    at(millis).to_rfc3339_opts(SecondsFormat::AutoSi, true)
}

/// The UTC day of a moment as the wire spells it.
pub fn day(millis: i64) -> String {
    at(millis).format("%Y-%m-%d").to_string()
}

/// A moment.
pub fn at(millis: i64) -> DateTime<Utc> {
    DateTime::from_timestamp_millis(millis).unwrap_or_default()
}

/// A moment as it is stored.
pub fn millis(moment: DateTime<Utc>) -> i64 {
    moment.timestamp_millis()
}

/// A list or an object that is stored as JSON text.
pub fn json<T: DeserializeOwned + Default>(text: &str) -> T {
    serde_json::from_str(text).unwrap_or_default()
}

/// An id of its own, sorted by the time of its making.
pub fn fresh(now: DateTime<Utc>) -> Uuid {
    let mut random = [0; 10];
    super::secrets::random(&mut random);
    uuid::Builder::from_unix_timestamp_millis(now.timestamp_millis().unsigned_abs(), &random).into_uuid()
}

/// An id as a bound value.
pub fn id(id: Uuid) -> Sql {
    Sql::Blob(id.as_bytes().to_vec())
}

/// A record as SQLite spelled it: JSON text that is sent as it is.
pub type Json = Box<RawValue>;

/// Reads JSON text.
///
/// # Errors
/// When it is none.
pub fn spelled(text: String) -> Result<Json, Error> {
    RawValue::from_string(text).map_err(|error| Error::Sqlite(rusqlite::Error::ToSqlConversionFailure(error.into())))
}

/// The rows of a statement whose one column is JSON.
pub(super) fn json_rows(conn: &Conn, sql: &str, params: impl Params) -> Result<Vec<Json>, Error> {
    let mut statement = conn.prepare_cached(sql)?;
    let mut rows = statement.query(params)?;
    let mut records = Vec::new();
    while let Some(row) = rows.next()? {
        records.push(spelled(row.get(0)?)?);
    }
    Ok(records)
}

/// The one row of a statement whose one column is JSON.
pub(super) fn one(conn: &Conn, sql: &str, params: impl Params) -> Result<Option<Json>, Error> {
    let text = conn.prepare_cached(sql)?.query_row(params, |row| row.get::<_, String>(0)).optional()?;
    text.map(spelled).transpose()
}
