//! The rows of the journal: changes and writes, as the database has them.
//!
//! Never here: which rows are read.

use chrono::TimeDelta;
use rusqlite::Row;

use super::clock_skew::placed_timestamp;
use super::from_json_text;
use crate::domain::journal::{JournalEntry, SentWrite, WriteCounts, WriteProgress};

/// Selects the columns of a write.
macro_rules! sends {
    ($rest:literal) => {
        concat!(
            "SELECT id, at, op, reason, route, records, state, why, body, changed, rejected, target, service_at FROM sends ",
            $rest
        )
    };
}

pub(super) use sends;

/// Reads a change.
pub(super) fn journal_entry_from_row(
    row: &Row<'_>,
    skew: Option<TimeDelta>,
) -> rusqlite::Result<JournalEntry> {
    Ok(JournalEntry {
        op: row.get(0)?,
        at: placed_timestamp(row, 1, 8, skew)?,
        cause: row.get::<_, String>(2)?.as_str().into(),
        original_op: row.get(3)?,
        reason: row.get(4)?,
        description: row.get(5)?,
        change: from_json_text(6, &row.get::<_, String>(6)?)?,
        group: row.get(7)?,
    })
}

/// Reads a write that [`sends`] has selected.
pub(super) fn sent_write_from_row(
    row: &Row<'_>,
    skew: Option<TimeDelta>,
) -> rusqlite::Result<SentWrite> {
    let count = |column| {
        row.get::<_, Option<i64>>(column)
            .map(|count| count.map(i64::unsigned_abs))
    };
    let records = row.get::<_, i64>(5)?.unsigned_abs();
    let counts = WriteCounts {
        changed: count(9)?,
        rejected: count(10)?,
        rejection_reason: None,
    };
    let progress = match row.get::<_, String>(6)?.as_str().into() {
        WriteProgress::Done => counts.progress(records),
        progress => progress,
    };
    Ok(SentWrite {
        id: row.get(0)?,
        at: placed_timestamp(row, 1, 12, skew)?,
        op: row.get(2)?,
        reason: row.get(3)?,
        route: row.get(4)?,
        records,
        changed: counts.changed,
        rejected: counts.rejected,
        progress,
        why: row.get(7)?,
        target: row.get(11)?,
        body: row
            .get::<_, Option<String>>(8)?
            .map(|body| from_json_text(8, &body))
            .transpose()?,
    })
}
