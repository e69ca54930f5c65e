//! When something was on the service's clock. A clock that starts at `--as-of` stands still between
//! its runs, so that is stored with each entry.
//!
//! Never here: a clock.

use std::sync::PoisonError;

use chrono::{DateTime, TimeDelta, Utc};
use rusqlite::{OptionalExtension as _, Row};

use super::{Store, StoreError, timestamp_column};

impl Store {
    /// How far the service's clock is ahead from now on.
    pub fn set_clock_skew(&self, skew: TimeDelta) {
        *self
            .shared
            .clock_skew
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = Some(skew);
    }

    /// How far the service's clock is ahead, once it has responded.
    pub(super) fn clock_skew(&self) -> Option<TimeDelta> {
        *self
            .shared
            .clock_skew
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// A time of this machine's clock on the service's, in milliseconds.
    pub(super) fn service_millis(&self, at: DateTime<Utc>) -> Option<i64> {
        Some(
            at.checked_add_signed(self.clock_skew()?)?
                .timestamp_millis(),
        )
    }

    /// How far the service's clock was ahead when the latest write or paid read was recorded;
    /// nothing before the first one.
    pub async fn last_clock_skew(&self) -> Result<TimeDelta, StoreError> {
        self.query(|connection| {
            let mut skew = connection.prepare_cached(
                "SELECT service_at - at FROM
                   (SELECT at, service_at FROM sends UNION ALL SELECT at, service_at FROM ledger)
                 WHERE service_at IS NOT NULL ORDER BY at DESC LIMIT 1",
            )?;
            Ok(TimeDelta::milliseconds(
                skew.query_row([], |row| row.get(0))
                    .optional()?
                    .unwrap_or_default(),
            ))
        })
        .await
    }
}

/// The rows of a period, without those of demos other than the one with this meter. Its values are
/// [`window_params`].
pub(super) const IS_IN_WINDOW: &str =
    "ifnull(service_at - ?2, at) >= ?1 AND (?3 IS NULL OR meter = ?3 OR meter NOT LIKE 'demo %')";

/// A start, how far the service's clock is ahead, in milliseconds, and a meter.
pub(super) fn window_params(
    since: DateTime<Utc>,
    skew: Option<TimeDelta>,
    meter: Option<&str>,
) -> (i64, i64, Option<String>) {
    let skew = skew.unwrap_or_default().num_milliseconds();
    (since.timestamp_millis(), skew, meter.map(str::to_owned))
}

/// A time from two columns of milliseconds: this machine's clock, and the service's. If both are
/// known, it is the time that this machine's clock would show if it had always been this far from
/// the service's.
pub(super) fn placed_timestamp(
    row: &Row<'_>,
    at: usize,
    service_at: usize,
    skew: Option<TimeDelta>,
) -> rusqlite::Result<DateTime<Utc>> {
    let machine = timestamp_column(row, at)?;
    let service = row
        .get::<_, Option<i64>>(service_at)?
        .and_then(DateTime::from_timestamp_millis);
    Ok(service
        .and_then(|service| service.checked_sub_signed(skew.unwrap_or_default()))
        .unwrap_or(machine))
}
