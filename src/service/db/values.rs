//! Conversions to and from SQLite: ids are blobs, moments are milliseconds, lists are JSON text.

use chrono::{DateTime, SecondsFormat, Utc};
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use uuid::{NoContext, Timestamp, Uuid};

use super::sql::{Result, Value as Sql};

/// A moment in the interface's format.
pub fn format_timestamp(millis: i64) -> String {
    from_millis(millis).to_rfc3339_opts(SecondsFormat::AutoSi, true)
}

/// The UTC date of a moment in the interface's format.
pub fn format_date(millis: i64) -> String {
    from_millis(millis).format("%Y-%m-%d").to_string()
}

pub fn from_millis(millis: i64) -> DateTime<Utc> {
    DateTime::from_timestamp_millis(millis).unwrap_or_default()
}

/// A moment in its stored form.
pub fn to_millis(moment: DateTime<Utc>) -> i64 {
    moment.timestamp_millis()
}

/// A list or an object stored as JSON text.
pub fn parse_json<T: DeserializeOwned + Default>(text: &str) -> T {
    serde_json::from_str(text).unwrap_or_default()
}

/// A new id that sorts by creation time.
pub fn new_id(now: DateTime<Utc>) -> Uuid {
    Uuid::new_v7(Timestamp::from_unix(
        NoContext,
        now.timestamp().unsigned_abs(),
        now.timestamp_subsec_nanos(),
    ))
}

/// An id as a bound value.
pub fn id_value(id: Uuid) -> Sql {
    Sql::Blob(id.as_bytes().to_vec())
}

/// A list of ids as one parameter: `SELECT unhex(value) FROM json_each(?1)`.
pub(super) fn json_ids(ids: impl IntoIterator<Item = Uuid>) -> String {
    serde_json::json!(
        ids.into_iter()
            .map(|id| id.simple().to_string())
            .collect::<Vec<_>>()
    )
    .to_string()
}

/// A record as serialized by the database: JSON text that is sent unchanged.
pub type RawJson = Box<RawValue>;

/// Parses JSON text.
pub fn raw_json(text: String) -> Result<RawJson> {
    Ok(RawValue::from_string(text)?)
}
