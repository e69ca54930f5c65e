//! Drafts that are not on disk yet: written with the first key press, then throttled while typing
//! continues.
//!
//! Never here: what was typed, and where it is saved.

use std::collections::BTreeMap;
use std::time::Duration;

use chrono::{DateTime, Utc};
use serde_json::Value;
use tokio::time::Instant;

/// Minimum time between two writes: at most this much typing, plus the disk's latency, can be lost.
const MIN_WRITE_INTERVAL: Duration = Duration::from_millis(500);

/// Pending drafts.
#[derive(Debug, Default)]
pub struct DraftWriter {
    pending: BTreeMap<String, (DateTime<Utc>, Option<Value>)>,
    last_write: Option<Instant>,
}

impl DraftWriter {
    /// Queues a draft, replacing a pending one of the same name. Returns the delay until
    /// [`DraftWriter::take_pending`], unless one is already scheduled.
    pub fn enqueue(
        &mut self,
        name: String,
        at: DateTime<Utc>,
        typed: Option<Value>,
    ) -> Option<Duration> {
        let is_first = self.pending.is_empty();
        self.pending.insert(name, (at, typed));
        let since = self.last_write.map(|written| written.elapsed());
        is_first.then(|| {
            since.map_or(Duration::ZERO, |since| {
                MIN_WRITE_INTERVAL.saturating_sub(since)
            })
        })
    }

    /// Takes all pending drafts for writing.
    pub fn take_pending(&mut self) -> BTreeMap<String, (DateTime<Utc>, Option<Value>)> {
        self.last_write = Some(Instant::now());
        std::mem::take(&mut self.pending)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn enqueue_note(drafts: &mut DraftWriter, text: &str) -> Option<Duration> {
        drafts.enqueue("note".to_owned(), DateTime::default(), Some(text.into()))
    }

    #[tokio::test(start_paused = true)]
    async fn the_first_key_is_written_at_once_and_further_keys_every_half_second() {
        let mut drafts = DraftWriter::default();
        assert_eq!(enqueue_note(&mut drafts, "c"), Some(Duration::ZERO));
        assert_eq!(enqueue_note(&mut drafts, "ca"), None, "already scheduled");
        assert_eq!(
            drafts.take_pending()["note"].1,
            Some("ca".into()),
            "the latest text wins"
        );
        tokio::time::advance(MIN_WRITE_INTERVAL / 5).await;
        assert_eq!(
            enqueue_note(&mut drafts, "cal"),
            Some(MIN_WRITE_INTERVAL * 4 / 5)
        );
        tokio::time::advance(MIN_WRITE_INTERVAL * 4 / 5).await;
        assert_eq!(drafts.take_pending().len(), 1);
        tokio::time::advance(MIN_WRITE_INTERVAL * 10).await;
        assert_eq!(enqueue_note(&mut drafts, "call"), Some(Duration::ZERO));
    }
}
