//! Reads the lines of the journal on the screen, and the history of a record.

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use crate::domain::handoff::RecordedWork;
use crate::domain::journal::SentWrite;
use crate::domain::journal_lines::{JournalLine, journal_lines};
use crate::domain::record_history::{RecordHistory, record_history};
use crate::domain::request_error::RequestError;
use crate::store::Store;
use crate::store::cache::Cache;
use crate::store::journal::Journal;

/// Writes that are listed.
const MAX_JOURNAL_WRITES: u32 = 1_000;

/// What this machine wrote in this workspace, newest first.
pub(super) async fn read_lines(
    store: &Store,
    journal: &Journal,
) -> Result<Vec<JournalLine>, RequestError> {
    let (entries, sent) = journal.latest(MAX_JOURNAL_WRITES).await?;
    let ids = sent
        .iter()
        .flat_map(SentWrite::record_keys)
        .filter_map(|key| key.parse().ok())
        .collect();
    let names = store.record_names(ids).await?;
    Ok(journal_lines(&entries, &sent, &names))
}

/// What this machine wrote on a record, and what changed between its reads.
pub(super) async fn read_history(
    cache: &Cache,
    journal: &Journal,
    id: Uuid,
    clock_skew: TimeDelta,
) -> Result<RecordHistory, RequestError> {
    let (entries, mut sent) = journal.latest(MAX_JOURNAL_WRITES).await?;
    let versions = cache.records.versions(id).await?;
    for write in &mut sent {
        write.at = write.at.checked_add_signed(clock_skew).unwrap_or(write.at);
    }
    Ok(record_history(id, &versions, &entries, &sent))
}

/// What this machine recorded since then.
pub(super) async fn read_work(
    store: &Store,
    since: DateTime<Utc>,
    meter: &str,
) -> Result<RecordedWork, RequestError> {
    Ok(store.recorded_work(since, Some(meter)).await?)
}
