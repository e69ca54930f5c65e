//! What was recorded since some time, for a handoff.

use chrono::{DateTime, Utc};

use super::{Store, StoreError};
use crate::domain::handoff::RecordedWork;
use crate::domain::journal::SentWrite;

impl Store {
    /// Everything that was recorded since then, in all workspaces, with the names of its records.
    /// Names that cannot be read are left out, and with the meter of a demo what other demos did:
    /// their data is gone.
    pub async fn recorded_work(
        &self,
        since: DateTime<Utc>,
        meter: Option<&str>,
    ) -> Result<RecordedWork, StoreError> {
        let entries = self.journal_entries_since(since, meter).await?;
        let sent = self.writes_since(since, meter).await?;
        let ledger = self.ledger_entries_since(since, meter).await?;
        let ids = sent
            .iter()
            .flat_map(SentWrite::record_keys)
            .filter_map(|key| key.parse().ok())
            .collect();
        let names = self.record_names(ids).await.unwrap_or_default();
        Ok(RecordedWork {
            since,
            entries,
            sent,
            ledger,
            names,
        })
    }

    /// The same with all times on the service's clock, `since` too. Before its first response that
    /// is this machine's clock, for what was not placed on the service's when it was recorded.
    pub async fn work_since_service_time(
        &self,
        since: DateTime<Utc>,
        meter: Option<&str>,
    ) -> Result<RecordedWork, StoreError> {
        let skew = self.clock_skew().unwrap_or_default();
        let mut work = self
            .recorded_work(since.checked_sub_signed(skew).unwrap_or(since), meter)
            .await?;
        work.shift_times(skew);
        Ok(work)
    }
}
