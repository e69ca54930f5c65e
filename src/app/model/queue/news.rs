//! What is new: signals that were discovered after the queue was last looked at, until the cursor
//! has been on them.

use std::collections::HashSet;

use chrono::{DateTime, Utc};

use crate::app::model::load_state::LoadState;
use crate::app::model::queue::{QueueTabState, SignalQueue};
use crate::domain::SignalId;
use crate::domain::queue::QueueSignal;

/// More than these are not counted exactly.
pub const MAX_NEWS_COUNTED: usize = 1_000;

#[derive(Clone, Debug, Default)]
pub struct News {
    /// When the console opened, on the service's clock.
    pub opened_at: Option<DateTime<Utc>>,
    /// When the queue was looked at before this visit, on the service's clock.
    last_visit: Option<DateTime<Utc>>,
    /// The header says how many came since the last visit.
    is_announced: bool,
    /// How many were about to leave when that was last known.
    pub last_leaving: Option<usize>,
    /// Signals that the cursor has been on.
    seen: HashSet<SignalId>,
    /// What is walked from one to the next.
    walk: Vec<SignalId>,
}

impl News {
    /// The queue was last looked at then.
    pub fn set_last_visit(&mut self, at: DateTime<Utc>) {
        self.last_visit = Some(at);
        self.is_announced = true;
        self.walk.clear();
    }

    pub fn mark_seen(&mut self, id: SignalId) {
        self.seen.insert(id);
    }

    /// When the last visit was, while the header says so.
    pub fn announced_visit(&self) -> Option<DateTime<Utc>> {
        self.last_visit.filter(|_| self.is_announced)
    }

    /// What is discovered after this is new: the last visit, else the start of the console.
    pub fn since(&self) -> Option<DateTime<Utc>> {
        self.last_visit.or(self.opened_at)
    }

    /// Whether the signal is new and the cursor has not been on it.
    pub fn contains(&self, row: &QueueSignal) -> bool {
        let found = row
            .signal
            .discovered_at
            .as_ref()
            .and_then(|when| when.date_time());
        self.since()
            .zip(found)
            .is_some_and(|(since, found)| found > since)
            && !self.seen.contains(&row.signal.id)
    }

    pub fn is_walking(&self) -> bool {
        !self.walk.is_empty()
    }

    pub fn walk_len(&self) -> usize {
        self.walk.len()
    }

    pub fn end_walk(&mut self) {
        self.walk.clear();
    }

    /// The user does not want to hear of it any more; false if there was nothing to dismiss.
    pub fn dismiss(&mut self) -> bool {
        let was_walking = !std::mem::take(&mut self.walk).is_empty();
        std::mem::take(&mut self.is_announced) || was_walking
    }
}

impl SignalQueue {
    /// The new signals among the loaded rows of the New list that the cursor has not been on.
    fn unseen(&self) -> impl Iterator<Item = SignalId> + '_ {
        let found = self
            .news
            .since()
            .map(|since| self.new.list.dates().discovered_after(since));
        found
            .into_iter()
            .flatten()
            .filter(|id| !self.news.seen.contains(id))
    }

    /// How many they are, at most [`MAX_NEWS_COUNTED`], and whether there may be more than were
    /// counted.
    pub fn news_count(&self) -> (usize, bool) {
        let count = self.unseen().take(MAX_NEWS_COUNTED).count();
        (count, count == MAX_NEWS_COUNTED || !self.has_all_new_rows())
    }

    /// Whether all New signals of the service are loaded.
    pub fn has_all_new_rows(&self) -> bool {
        let (loaded, total) = (self.new.list.loaded_count() as u64, self.new.list.total());
        self.new.load == LoadState::Ready && !self.is_filtered() && loaded >= total
    }

    /// Begins to walk the new signals; returns how many there are.
    pub fn start_news_walk(&mut self) -> usize {
        let unseen: Vec<SignalId> = self.unseen().take(MAX_NEWS_COUNTED).collect();
        self.news.walk = unseen;
        self.news.walk.len()
    }

    /// Goes to the first new signal.
    pub fn go_to_first_news(&mut self) {
        if let Some(first) = self.news_lines().first() {
            self.new.move_to_line(*first);
        }
    }

    /// Goes to the next or previous of the signals that are walked; returns its place among them,
    /// and how many there are.
    pub fn walk_news(&mut self, forward: bool) -> Option<(usize, usize)> {
        let (lines, here) = (self.news_lines(), self.new.scroll.cursor);
        let next = match forward {
            true => lines.iter().position(|line| *line > here),
            false => lines.iter().rposition(|line| *line < here),
        };
        let at = next.or(if forward {
            Some(0)
        } else {
            lines.len().checked_sub(1)
        })?;
        self.new.move_to_line(*lines.get(at)?);
        Some((at, lines.len()))
    }

    /// The lines of the signals that are walked.
    fn news_lines(&self) -> Vec<usize> {
        let line = |id: &SignalId| QueueTabState::find_line(&self.new, *id, false);
        let mut lines: Vec<usize> = self.news.walk.iter().filter_map(line).collect();
        lines.sort_unstable();
        lines.dedup();
        lines
    }
}
