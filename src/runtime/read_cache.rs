//! What was read earlier from the service, for the backend: looked up before a read is paid for,
//! and saved after it.

use chrono::{DateTime, Utc};

use super::backend::CacheEntry;
use crate::domain::records::RecordKey;
use crate::domain::runs::SavedSearchRun;
use crate::domain::search::{RecordSource, Search};
use crate::store::cache::Cache;
use crate::store::records::StoredRecord;

/// A stored record.
pub(super) async fn stored_record(cache: &Cache, key: &RecordKey) -> Option<StoredRecord> {
    let kept = cache.records.get(key.clone(), Utc::now()).await;
    kept.inspect_err(|error| tracing::warn!(%error, "cannot read a stored record"))
        .ok()?
}

/// The saved rows of a search.
pub(super) async fn saved_search(
    cache: &Cache,
    source: RecordSource,
    search: Search,
) -> Option<Box<SavedSearchRun>> {
    let found = cache.lists.load(source, search, Utc::now()).await;
    found
        .inspect_err(|error| tracing::warn!(%error, "cannot read a saved list"))
        .ok()?
        .map(Box::new)
}

pub(super) fn save_entry(cache: &Cache, entry: CacheEntry, at: DateTime<Utc>) {
    let Cache {
        lists,
        descriptions,
        named_searches,
        ..
    } = cache;
    match entry {
        CacheEntry::SearchRun(run, from) => lists.save(*run, from, at),
        CacheEntry::RowsChange(change) => lists.change_rows(change),
        CacheEntry::Description(signal, description) => descriptions.save(signal, description, at),
        CacheEntry::FreeSignalReads(is_free) => descriptions.save_free_reads(is_free, at),
        CacheEntry::NamedSearch(name, search) => {
            named_searches.save(name, search.map(|search| *search))
        }
    }
}
