//! Today against yesterday: what came and what was marked done, counted from rows.

use std::collections::BTreeMap;

use chrono::{DateTime, FixedOffset, NaiveDate, Utc};

use crate::domain::lenient::DateOrDateTime;
use crate::domain::person::Person;
use crate::domain::queue::QueueSignal;

/// How many rows are of today and of yesterday.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DayCount {
    pub today: u64,
    yesterday: u64,
    has_older: bool,
}

impl DayCount {
    fn add(&mut self, at: Option<&DateOrDateTime>, today: NaiveDate, zone: FixedOffset) {
        let Some(at) = at.and_then(DateOrDateTime::date_time) else {
            return;
        };
        match (today - local_date(at, zone)).num_days() {
            ..=0 => self.today += 1,
            1 => self.yesterday += 1,
            _ => self.has_older = true,
        }
    }

    pub fn with_more_today(self, more: u64) -> DayCount {
        DayCount {
            today: self.today.saturating_add(more),
            ..self
        }
    }

    /// Unknown on the first day: without anything older, an empty yesterday proves nothing.
    pub fn yesterday(&self) -> Option<u64> {
        (self.yesterday > 0 || self.has_older).then_some(self.yesterday)
    }
}

/// What the rows of the Done list show.
#[derive(Clone, Debug, Default)]
pub struct DoneTally {
    /// Signals marked done today, by who marked them.
    pub by_member: BTreeMap<Option<Person>, u64>,
    pub done: DayCount,
    /// When they were found.
    pub arrived: DayCount,
}

impl DoneTally {
    pub fn add(&mut self, rows: &[QueueSignal], today: NaiveDate, zone: FixedOffset) {
        for row in rows {
            self.arrived
                .add(row.signal.discovered_at.as_ref(), today, zone);
            self.done.add(row.triaged_at.as_ref(), today, zone);
            let marked = row.triaged_at.as_ref().and_then(DateOrDateTime::date_time);
            if marked.is_some_and(|at| local_date(at, zone) >= today) {
                *self.by_member.entry(row.triaged_by.clone()).or_default() += 1;
            }
        }
    }

    /// When the signals of both lists were found.
    pub fn arrivals_with(
        &self,
        new: &[QueueSignal],
        today: NaiveDate,
        zone: FixedOffset,
    ) -> DayCount {
        let mut arrived = self.arrived;
        new.iter()
            .for_each(|row| arrived.add(row.signal.discovered_at.as_ref(), today, zone));
        arrived
    }
}

pub fn local_date(at: DateTime<Utc>, zone: FixedOffset) -> NaiveDate {
    at.with_timezone(&zone).date_naive()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::testing::{morning_queue, parse_time};

    #[test]
    fn an_empty_yesterday_is_known_only_if_there_is_something_older() {
        let (zone, today) = (
            FixedOffset::east_opt(0).unwrap(),
            "2026-07-09".parse().unwrap(),
        );
        let count = |times: &[&str]| {
            let mut count = DayCount::default();
            for at in times {
                count.add(Some(&DateOrDateTime::At(parse_time(at))), today, zone);
            }
            (count.today, count.yesterday())
        };
        assert_eq!(count(&["2026-07-09T08:00:00Z"]), (1, None));
        assert_eq!(
            count(&["2026-07-09T08:00:00Z", "2026-07-08T23:59:59Z"]),
            (1, Some(1))
        );
        assert_eq!(
            count(&["2026-07-09T08:00:00Z", "2026-06-01T08:00:00Z"]),
            (1, Some(0))
        );
    }

    #[test]
    fn days_are_those_of_the_users_time_zone() {
        let (zone, today) = (
            FixedOffset::west_opt(7 * 3600).unwrap(),
            "2026-07-08".parse().unwrap(),
        );
        let mut row = morning_queue().remove(0);
        row.triaged_at = Some(DateOrDateTime::At(parse_time("2026-07-09T05:00:00Z")));
        row.triaged_by = Person::from_text("ben");
        let mut tally = DoneTally::default();
        tally.add(&[row], today, zone);
        assert_eq!(
            (
                tally.done.today,
                tally.by_member.get(&Person::from_text("ben"))
            ),
            (1, Some(&1))
        );
    }
}
