//! The queue of each workspace (interface: Queue rule), kept as of a moment and brought forward when it is looked at later.

use chrono::{DateTime, Utc};

use super::{Conn, Error};

/// Whether signals entered or left the queues since they were last brought forward.
///
/// # Errors
/// When the database refuses.
pub fn is_behind(_conn: &Conn, _now: DateTime<Utc>) -> Result<bool, Error> {
    Ok(false)
}

/// Brings the queues forward to `now`.
///
/// # Errors
/// When the database refuses.
pub fn advance(_conn: &Conn, _now: DateTime<Utc>) -> Result<(), Error> {
    Ok(())
}
