//! The last day's counts, recorded from polls: one sample per ten-minute slot.

use std::collections::VecDeque;

use chrono::{DateTime, Duration, Utc};

use crate::domain::lenient::saturating_sum;
use crate::domain::queue::QueueStats;

const SLOT_MINUTES: i64 = 10;
const SAMPLES_PER_DAY: usize = 144;

/// Forecasts further away than this are not shown.
const MAX_FORECAST: Duration = Duration::days(366);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountSample {
    pub at: DateTime<Utc>,
    pub new: u64,
    /// New signals with high priority.
    pub high: u64,
    pub done: u64,
}

/// A day of samples; each slot keeps its last one.
#[derive(Clone, Debug, Default)]
pub struct CountHistory {
    slots: VecDeque<CountSample>,
    /// Rise of the done count in each slot.
    cleared: VecDeque<u64>,
}

impl CountHistory {
    pub fn record_counts(&mut self, stats: &QueueStats, at: DateTime<Utc>) {
        let sample = CountSample {
            at,
            new: stats.new_count,
            high: stats.high_priority_new_count,
            done: stats.done_count,
        };
        let rose = self
            .slots
            .back()
            .map_or(0, |last| sample.done.saturating_sub(last.done));
        match (self.slots.back_mut(), self.cleared.back_mut()) {
            (Some(last), Some(cleared)) if slot_index(last.at) == slot_index(at) => {
                *last = sample;
                *cleared = cleared.saturating_add(rose);
            }
            _ => {
                self.slots.push_back(sample);
                self.cleared.push_back(rose);
            }
        }
        while self.slots.len() > SAMPLES_PER_DAY {
            self.slots.pop_front();
            self.cleared.pop_front();
        }
    }

    /// Oldest first.
    pub fn samples_since(&self, from: DateTime<Utc>) -> impl Iterator<Item = &CountSample> {
        self.slots.iter().filter(move |sample| sample.at >= from)
    }

    /// The new counts of the last `slots` slots, oldest first; `None` where nothing was read.
    pub fn new_count_series(&self, now: DateTime<Utc>, slots: usize) -> Vec<Option<u64>> {
        let last = slot_index(now);
        (0..slots)
            .rev()
            .map(|back| {
                let wanted = last - i64::try_from(back).unwrap_or(i64::MAX);
                self.slots
                    .iter()
                    .find(|sample| slot_index(sample.at) == wanted)
                    .map(|sample| sample.new)
            })
            .collect()
    }

    /// Signals marked done since `from`, as the sum of rises between polls; signals put back do not
    /// reduce it.
    pub fn cleared_since(&self, from: DateTime<Utc>) -> u64 {
        saturating_sum(
            self.slots
                .iter()
                .zip(&self.cleared)
                .filter(|(sample, _)| sample.at >= from)
                .map(|(_, cleared)| *cleared),
        )
    }

    /// Signals marked done per hour over the last two hours; `None` with less than half an hour of
    /// samples.
    pub fn done_per_hour(&self, now: DateTime<Utc>) -> Option<f64> {
        let from = now - Duration::hours(2);
        let first = self.samples_since(from).next()?.at;
        let minutes = (now - first).num_minutes();
        if minutes < 30 {
            return None;
        }
        #[expect(
            clippy::cast_precision_loss,
            reason = "signal counts and minutes are small"
        )]
        Some(self.cleared_since(from) as f64 * 60.0 / minutes as f64)
    }

    /// When the queue will be empty at this pace; `None` if it is not shrinking.
    pub fn projected_zero_at(&self, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let from = now - Duration::hours(2);
        let (first, last) = (self.samples_since(from).next()?, self.slots.back()?);
        let minutes = (last.at - first.at).num_minutes();
        let shrank = first
            .new
            .checked_sub(last.new)
            .filter(|shrank| *shrank > 0 && minutes >= 30)?;
        let left =
            i64::try_from(last.new).ok()?.checked_mul(minutes)? / i64::try_from(shrank).ok()?;
        now.checked_add_signed(Duration::try_minutes(left).filter(|left| *left <= MAX_FORECAST)?)
    }

    #[cfg(test)]
    pub fn slot_count(&self) -> usize {
        self.slots.len()
    }
}

fn slot_index(at: DateTime<Utc>) -> i64 {
    at.timestamp().div_euclid(SLOT_MINUTES * 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time_at(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    fn stats(new: u64, done: u64) -> QueueStats {
        QueueStats {
            new_count: new,
            high_priority_new_count: 0,
            done_count: done,
            type_counts: Vec::new(),
        }
    }

    #[test]
    fn a_slot_holds_its_last_counts_and_a_day_is_kept() {
        let mut history = CountHistory::default();
        let start = time_at("2026-07-09T00:00:00Z");
        for poll in 0..40_000 {
            history.record_counts(
                &stats(poll, 0),
                start + Duration::seconds(15) * i32::try_from(poll).unwrap(),
            );
        }
        assert_eq!(history.slot_count(), SAMPLES_PER_DAY);
        let now = start + Duration::seconds(15) * 39_999;
        assert_eq!(history.new_count_series(now, 2).last(), Some(&Some(39_999)));
    }

    #[test]
    fn the_rate_counts_signals_marked_done_and_not_those_put_back() {
        let mut history = CountHistory::default();
        for (time, new, done) in [
            ("08:00", 100, 10),
            ("08:30", 90, 20),
            ("09:00", 95, 15),
            ("09:40", 80, 35),
        ] {
            history.record_counts(
                &stats(new, done),
                time_at(&format!("2026-07-09T{time}:00Z")),
            );
        }
        let now = time_at("2026-07-09T09:40:00Z");
        assert_eq!(history.cleared_since(time_at("2026-07-09T08:00:00Z")), 30);
        assert_eq!(history.done_per_hour(now).map(f64::round), Some(18.0));
        assert_eq!(
            history.projected_zero_at(now),
            Some(time_at("2026-07-09T16:20:00Z"))
        );
    }

    #[test]
    fn a_growing_queue_has_no_projected_end_and_a_quarter_hour_no_rate() {
        let mut history = CountHistory::default();
        history.record_counts(&stats(100, 0), time_at("2026-07-09T09:00:00Z"));
        history.record_counts(&stats(120, 0), time_at("2026-07-09T09:15:00Z"));
        let now = time_at("2026-07-09T09:15:00Z");
        assert_eq!(
            (history.done_per_hour(now), history.projected_zero_at(now)),
            (None, None)
        );
    }
}
