//! What was typed and is not on the disk yet: it is written with the first key, and not with each while keys go on coming.
//!
//! Never here: what was typed, and where it is kept.

use std::collections::BTreeMap;
use std::time::Duration;

use chrono::{DateTime, Utc};
use serde_json::Value;
use tokio::time::Instant;

/// What is typed is written at once, but not more often than this: no more than it, and the time that the disk takes, is ever lost.
const MIN_WRITE_INTERVAL: Duration = Duration::from_millis(500);

/// The drafts that wait.
#[derive(Debug, Default)]
pub struct DraftWriter {
    pending: BTreeMap<String, (DateTime<Utc>, Option<Value>)>,
    last_write: Option<Instant>,
}

impl DraftWriter {
    /// Takes a draft in the place of the one of its name that waits. Answers after how long [`Drafts::due`] is to be asked, unless that
    /// was said before.
    pub fn enqueue(&mut self, name: String, at: DateTime<Utc>, typed: Option<Value>) -> Option<Duration> {
        let is_first = self.pending.is_empty();
        self.pending.insert(name, (at, typed));
        let since = self.last_write.map(|written| written.elapsed());
        is_first.then(|| since.map_or(Duration::ZERO, |since| MIN_WRITE_INTERVAL.saturating_sub(since)))
    }

    /// All that waits: it is written now.
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
        assert_eq!(enqueue_note(&mut drafts, "ca"), None, "that was said before");
        assert_eq!(drafts.take_pending()["note"].1, Some("ca".into()), "the last of them counts");
        tokio::time::advance(MIN_WRITE_INTERVAL / 5).await;
        assert_eq!(enqueue_note(&mut drafts, "cal"), Some(MIN_WRITE_INTERVAL * 4 / 5));
        tokio::time::advance(MIN_WRITE_INTERVAL * 4 / 5).await;
        assert_eq!(drafts.take_pending().len(), 1);
        tokio::time::advance(MIN_WRITE_INTERVAL * 10).await;
        assert_eq!(enqueue_note(&mut drafts, "call"), Some(Duration::ZERO));
    }
}
