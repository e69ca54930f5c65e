//! The loaded signals by date: how many leave the queue soon, and which were discovered last. Kept
//! with each row that comes or goes, so that a count costs nothing.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Duration, NaiveDate, Utc};

use crate::domain::SignalId;
use crate::domain::queue::{QUEUE_HISTORY_DAYS, QueueSignal};

#[derive(Clone, Debug, Default)]
pub struct SignalDates {
    /// How many were filed on each day.
    filed: BTreeMap<NaiveDate, usize>,
    discovered: BTreeSet<(DateTime<Utc>, SignalId)>,
}

fn filed_on(row: &QueueSignal) -> Option<NaiveDate> {
    row.signal.filed_at.as_ref()?.date()
}

fn discovered_at(row: &QueueSignal) -> Option<DateTime<Utc>> {
    row.signal.discovered_at.as_ref()?.date_time()
}

impl SignalDates {
    pub fn insert(&mut self, row: &QueueSignal) {
        if let Some(day) = filed_on(row) {
            *self.filed.entry(day).or_default() += 1;
        }
        self.discovered
            .extend(discovered_at(row).map(|at| (at, row.signal.id)));
    }

    pub fn remove(&mut self, row: &QueueSignal) {
        if let Some(count) = filed_on(row).and_then(|day| self.filed.get_mut(&day)) {
            *count = count.saturating_sub(1);
        }
        if let Some(at) = discovered_at(row) {
            self.discovered.remove(&(at, row.signal.id));
        }
    }

    /// How many drop off the queue within this many days, as [`QueueSignal::days_left`] counts
    /// them.
    pub fn leaving_count(&self, days: i64, now: DateTime<Utc>) -> usize {
        let last = now
            .date_naive()
            .checked_add_signed(Duration::days(days - QUEUE_HISTORY_DAYS));
        last.map_or(0, |last| {
            self.filed.range(..=last).map(|(_, count)| count).sum()
        })
    }

    /// The signals discovered after this time.
    pub fn discovered_after(&self, since: DateTime<Utc>) -> impl Iterator<Item = SignalId> + '_ {
        let later = self
            .discovered
            .iter()
            .rev()
            .take_while(move |(at, _)| *at > since);
        later.map(|(_, id)| *id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::testing::{morning_queue, parse_time};

    #[test]
    fn the_count_of_leaving_signals_agrees_with_the_rows() {
        let (mut dates, rows, now) = (
            SignalDates::default(),
            morning_queue(),
            parse_time("2026-07-09T09:20:14Z"),
        );
        rows.iter().for_each(|row| dates.insert(row));
        for days in [0, 3, 7, 60, 90] {
            let counted = rows
                .iter()
                .filter(|row| row.days_left(now).is_some_and(|left| left <= days))
                .count();
            assert_eq!(dates.leaving_count(days, now), counted, "{days}");
        }
        dates.remove(&rows[6]);
        assert_eq!(dates.leaving_count(7, now), 0);
    }
}
