//! Values on their way into and out of SQLite: ids are blobs, moments are milliseconds, lists are JSON text.

use chrono::{DateTime, SecondsFormat, Utc};
use serde::de::DeserializeOwned;
use uuid::Uuid;

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
