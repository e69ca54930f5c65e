//! The course of the day, from the polls themselves: one sample a slot of ten minutes, a day of them, and no more.

use std::collections::VecDeque;

use chrono::{DateTime, Duration, Utc};

use crate::domain::lenient::saturating_sum;
use crate::domain::queue::QueueStats;

/// Minutes of a slot.
const SLOT: i64 = 10;
/// Slots that are kept: a day.
const KEPT: usize = 144;

/// What is further away is no forecast.
const FORESEEN: Duration = Duration::days(366);

/// The counts at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// When they were read.
    pub at: DateTime<Utc>,
    /// New signals.
    pub new: u64,
    /// Of them, of high priority.
    pub high: u64,
    /// Done signals.
    pub done: u64,
}

/// A day of samples: the last of each slot.
#[derive(Clone, Debug, Default)]
pub struct History {
    slots: VecDeque<Sample>,
    /// Signals that were marked done, as the counts rose, in each slot.
    cleared: VecDeque<u64>,
}

impl History {
    /// Takes the counts of a poll.
    pub fn take(&mut self, stats: &QueueStats, at: DateTime<Utc>) {
        let sample = Sample { at, new: stats.new_count, high: stats.high_priority_new_count, done: stats.done_count };
        let rose = self.slots.back().map_or(0, |last| sample.done.saturating_sub(last.done));
        match (self.slots.back_mut(), self.cleared.back_mut()) {
            (Some(last), Some(cleared)) if slot(last.at) == slot(at) => {
                *last = sample;
                *cleared = cleared.saturating_add(rose);
            }
            _ => {
                self.slots.push_back(sample);
                self.cleared.push_back(rose);
            }
        }
        while self.slots.len() > KEPT {
            self.slots.pop_front();
            self.cleared.pop_front();
        }
    }

    /// The samples since a moment, oldest first.
    pub fn since(&self, from: DateTime<Utc>) -> impl Iterator<Item = &Sample> {
        self.slots.iter().filter(move |sample| sample.at >= from)
    }

    /// The new counts of so many slots up to now, oldest first; none where nothing was read.
    pub fn course(&self, now: DateTime<Utc>, slots: usize) -> Vec<Option<u64>> {
        let last = slot(now);
        (0..slots)
            .rev()
            .map(|back| {
                let wanted = last - i64::try_from(back).unwrap_or(i64::MAX);
                self.slots.iter().find(|sample| slot(sample.at) == wanted).map(|sample| sample.new)
            })
            .collect()
    }

    /// How many were marked done since a moment, as the counts rose between polls.
    pub fn cleared_since(&self, from: DateTime<Utc>) -> u64 {
        saturating_sum(self.slots.iter().zip(&self.cleared).filter(|(sample, _)| sample.at >= from).map(|(_, cleared)| *cleared))
    }

    /// How many an hour were marked done, over the last two hours; none before half an hour was seen.
    pub fn pace(&self, now: DateTime<Utc>) -> Option<f64> {
        let from = now - Duration::hours(2);
        let first = self.since(from).next()?.at;
        let minutes = (now - first).num_minutes();
        if minutes < 30 {
            return None;
        }
        #[expect(clippy::cast_precision_loss, reason = "a count of signals and minutes of two hours")]
        Some(self.cleared_since(from) as f64 * 60.0 / minutes as f64)
    }

    /// When nothing would be left, at this pace; none when the queue does not shrink.
    pub fn zero_at(&self, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let from = now - Duration::hours(2);
        let (first, last) = (self.since(from).next()?, self.slots.back()?);
        let minutes = (last.at - first.at).num_minutes();
        let shrank = first.new.checked_sub(last.new).filter(|shrank| *shrank > 0 && minutes >= 30)?;
        let left = i64::try_from(last.new).ok()?.checked_mul(minutes)? / i64::try_from(shrank).ok()?;
        now.checked_add_signed(Duration::try_minutes(left).filter(|left| *left <= FORESEEN)?)
    }

    /// How many slots are kept.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether nothing was read yet.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }
}

fn slot(at: DateTime<Utc>) -> i64 {
    at.timestamp().div_euclid(SLOT * 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    fn stats(new: u64, done: u64) -> QueueStats {
        QueueStats { new_count: new, high_priority_new_count: 0, done_count: done, type_counts: Vec::new() }
    }

    #[test]
    fn a_slot_holds_its_last_counts_and_a_day_is_kept() {
        let mut history = History::default();
        let start = at("2026-07-09T00:00:00Z");
        for poll in 0..40_000 {
            history.take(&stats(poll, 0), start + Duration::seconds(15) * i32::try_from(poll).unwrap());
        }
        assert_eq!(history.len(), KEPT);
        let now = start + Duration::seconds(15) * 39_999;
        assert_eq!(history.course(now, 2).last(), Some(&Some(39_999)));
    }

    #[test]
    fn the_pace_counts_what_was_marked_done_and_not_what_was_put_back() {
        let mut history = History::default();
        for (time, new, done) in [("08:00", 100, 10), ("08:30", 90, 20), ("09:00", 95, 15), ("09:40", 80, 35)] {
            history.take(&stats(new, done), at(&format!("2026-07-09T{time}:00Z")));
        }
        let now = at("2026-07-09T09:40:00Z");
        assert_eq!(history.cleared_since(at("2026-07-09T08:00:00Z")), 30);
        assert_eq!(history.pace(now).map(f64::round), Some(18.0));
        assert_eq!(history.zero_at(now), Some(at("2026-07-09T16:20:00Z")));
    }

    #[test]
    fn a_queue_that_grows_has_no_end_and_a_quarter_of_an_hour_no_pace() {
        let mut history = History::default();
        history.take(&stats(100, 0), at("2026-07-09T09:00:00Z"));
        history.take(&stats(120, 0), at("2026-07-09T09:15:00Z"));
        let now = at("2026-07-09T09:15:00Z");
        assert_eq!((history.pace(now), history.zero_at(now)), (None, None));
    }
}
