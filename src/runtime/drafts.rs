//! What was typed and is not on the disk yet: it is written with the first key, and not with each while keys go on coming.
//!
//! Never here: what was typed, and where it is kept.

use std::collections::BTreeMap;
use std::time::Duration;

use chrono::{DateTime, Utc};
use serde_json::Value;
use tokio::time::Instant;

/// What is typed is written at once, but not more often than this: no more than it, and the time that the disk takes, is ever lost.
const EVERY: Duration = Duration::from_millis(500);

/// The drafts that wait.
#[derive(Debug, Default)]
pub struct Drafts {
    waiting: BTreeMap<String, (DateTime<Utc>, Option<Value>)>,
    written: Option<Instant>,
}

impl Drafts {
    /// Takes a draft in the place of the one of its name that waits. Answers after how long [`Drafts::due`] is to be asked, unless that
    /// was said before.
    pub fn take(&mut self, name: String, at: DateTime<Utc>, typed: Option<Value>) -> Option<Duration> {
        let is_first = self.waiting.is_empty();
        self.waiting.insert(name, (at, typed));
        let since = self.written.map(|written| written.elapsed());
        is_first.then(|| since.map_or(Duration::ZERO, |since| EVERY.saturating_sub(since)))
    }

    /// All that waits: it is written now.
    pub fn due(&mut self) -> BTreeMap<String, (DateTime<Utc>, Option<Value>)> {
        self.written = Some(Instant::now());
        std::mem::take(&mut self.waiting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(drafts: &mut Drafts, text: &str) -> Option<Duration> {
        drafts.take("note".to_owned(), DateTime::default(), Some(text.into()))
    }

    #[tokio::test(start_paused = true)]
    async fn the_first_key_is_written_at_once_and_those_that_go_on_coming_every_half_second() {
        let mut drafts = Drafts::default();
        assert_eq!(take(&mut drafts, "c"), Some(Duration::ZERO));
        assert_eq!(take(&mut drafts, "ca"), None, "that was said before");
        assert_eq!(drafts.due()["note"].1, Some("ca".into()), "the last of them counts");
        tokio::time::advance(EVERY / 5).await;
        assert_eq!(take(&mut drafts, "cal"), Some(EVERY * 4 / 5));
        tokio::time::advance(EVERY * 4 / 5).await;
        assert_eq!(drafts.due().len(), 1);
        tokio::time::advance(EVERY * 10).await;
        assert_eq!(take(&mut drafts, "call"), Some(Duration::ZERO));
    }
}
