//! Snoozes: which signals the New list leaves out, and which have returned on top of it.
//!
//! A snoozed signal stays new for the service, so the rows of New are hidden here and nowhere else.
//! What the pages of New show ends snoozes: a filing that was waited for, and a place in the order
//! where a snoozed signal should be but is not.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};

use chrono::{DateTime, Utc};

use super::{QueueTabState, SignalQueue};
use crate::domain::SignalId;
use crate::domain::pages::Page;
use crate::domain::queue::{Priority, QueueSignal, QueueTab};
use crate::domain::snooze::{Snooze, SnoozeChange, SnoozeUntil};

/// Snoozes by signal.
#[derive(Clone, Debug, Default)]
pub struct Snoozes {
    by_signal: BTreeMap<SignalId, Snooze>,
    /// Those that are known to have returned.
    returned: HashSet<SignalId>,
    /// When the next one returns.
    next_return: Option<DateTime<Utc>>,
}

/// The signals that are not at their place among the rows of New.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct MovedRows {
    /// Left out.
    pub(super) hidden: HashSet<SignalId>,
    /// On top.
    pub(super) raised: HashSet<SignalId>,
}

impl MovedRows {
    /// Whether any of them is loaded.
    pub(super) fn concerns(&self, tab: &QueueTabState) -> bool {
        self.hidden
            .iter()
            .chain(&self.raised)
            .any(|id| tab.list.row(*id).is_some())
    }
}

impl Snoozes {
    pub fn is_empty(&self) -> bool {
        self.by_signal.is_empty()
    }

    pub fn all(&self) -> impl Iterator<Item = &Snooze> {
        self.by_signal.values()
    }

    pub fn get(&self, id: SignalId) -> Option<&Snooze> {
        self.by_signal.get(&id)
    }

    /// The snooze of a signal that is still snoozed.
    pub fn sleeping_snooze(&self, id: SignalId) -> Option<&Snooze> {
        self.get(id).filter(|_| !self.has_returned(id))
    }

    /// Whether the signal was snoozed and is back.
    pub fn has_returned(&self, id: SignalId) -> bool {
        self.returned.contains(&id)
    }

    /// The changes that lead to these snoozes.
    pub fn changes_to(&self, snoozes: Vec<Snooze>) -> Vec<SnoozeChange> {
        let kept: HashSet<SignalId> = snoozes.iter().map(|snooze| snooze.row.signal.id).collect();
        let gone = self.by_signal.iter().filter(|(id, _)| !kept.contains(id));
        let gone = gone.map(|(id, snooze)| SnoozeChange {
            id: *id,
            before: Some(snooze.clone()),
            after: None,
        });
        let is_other = |snooze: &Snooze| {
            let known = self.by_signal.get(&snooze.row.signal.id);
            known.is_none_or(|known| {
                (known.until, known.since, known.returned_at)
                    != (snooze.until, snooze.since, snooze.returned_at)
            })
        };
        let new = snoozes.into_iter().filter(is_other);
        let new = new.map(|snooze| SnoozeChange {
            id: snooze.row.signal.id,
            before: None,
            after: Some(snooze),
        });
        gone.chain(new).collect()
    }

    /// The number of signals that are still snoozed.
    pub fn sleeping_count(&self) -> usize {
        self.by_signal.len() - self.returned.len()
    }

    /// The number of signals that are back.
    pub fn returned_count(&self) -> usize {
        self.returned.len()
    }

    /// Whether a snooze ends at or before this time.
    pub fn is_due(&self, now: DateTime<Utc>) -> bool {
        self.next_return.is_some_and(|at| at <= now)
    }

    /// Those that are still snoozed.
    pub fn sleeping(&self) -> impl Iterator<Item = &Snooze> {
        self.by_signal
            .values()
            .filter(|snooze| !self.returned.contains(&snooze.row.signal.id))
    }

    /// Finds out which have returned; returns those that were not known to.
    fn update_returned(&mut self, now: DateTime<Utc>) -> Vec<SignalId> {
        let returned: HashSet<SignalId> = self
            .by_signal
            .iter()
            .filter(|(_, snooze)| snooze.has_returned(now))
            .map(|(id, _)| *id)
            .collect();
        let new = returned.difference(&self.returned).copied().collect();
        self.returned = returned;
        let ends = self.sleeping().filter_map(|snooze| match snooze.until {
            SnoozeUntil::Time(at) => Some(at),
            SnoozeUntil::NextFiling => None,
        });
        self.next_return = ends.min();
        new
    }
}

/// What a page of New says about snoozes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SnoozeNews {
    /// Snoozes whose filing has arrived.
    pub changed: Vec<SnoozeChange>,
    /// Signals that are no longer new.
    pub gone: Vec<QueueSignal>,
}

/// A row's place in the service's order of new signals: by priority, the newest filing first.
fn place_of(row: &QueueSignal) -> (u8, Reverse<Option<DateTime<Utc>>>) {
    let rank = match row.priority {
        Some(Priority::High) => 0,
        Some(Priority::Medium) => 1,
        Some(Priority::Low) => 2,
        _ => 3,
    };
    (
        rank,
        Reverse(row.signal.filed_at.as_ref().and_then(|at| at.date_time())),
    )
}

impl SignalQueue {
    /// Changes snoozes. Returns the signals that are back since the last time.
    pub fn change_snoozes(
        &mut self,
        changes: &[SnoozeChange],
        now: DateTime<Utc>,
    ) -> Vec<SignalId> {
        for change in changes {
            match &change.after {
                Some(snooze) => self.snoozes.by_signal.insert(change.id, snooze.clone()),
                None => self.snoozes.by_signal.remove(&change.id),
            };
        }
        let returned = self.snoozes.update_returned(now);
        self.arrange_snoozes();
        returned
    }

    /// Hides and raises rows of New.
    fn arrange_snoozes(&mut self) {
        let hidden = self
            .snoozes
            .sleeping()
            .map(|snooze| snooze.row.signal.id)
            .collect();
        let moved = MovedRows {
            hidden,
            raised: self.snoozes.returned.clone(),
        };
        if moved != self.new.moved {
            self.new.marks.retain(|id| !moved.hidden.contains(id));
            self.new.range_anchor = self
                .new
                .range_anchor
                .filter(|id| !moved.hidden.contains(id));
            self.new.moved = moved;
            self.change_list(QueueTab::New, |_| {});
        }
        self.is_today_stale = true;
    }

    /// Compares a page of New with the snoozes. The order of the page shows which signals are no
    /// longer new.
    pub fn snooze_news(&self, page: &Page<QueueSignal>, now: DateTime<Utc>) -> SnoozeNews {
        let mut news = SnoozeNews::default();
        if self.snoozes.is_empty() || page.unreadable > 0 {
            return news;
        }
        for snooze in self.snoozes.sleeping() {
            if page.rows.iter().any(|row| snooze.is_ended_by(&row.signal)) {
                let after = Snooze {
                    returned_at: Some(now),
                    ..snooze.clone()
                };
                let id = snooze.row.signal.id;
                news.changed.push(SnoozeChange {
                    id,
                    before: Some(snooze.clone()),
                    after: Some(after),
                });
            }
        }
        if self.is_filtered() {
            return news;
        }
        let there: HashSet<SignalId> = page.rows.iter().map(|row| row.signal.id).collect();
        let is_last = page.total == Some(u64::from(page.offset) + page.rows.len() as u64);
        let first = page.rows.first().map(place_of).filter(|_| page.offset > 0);
        let last = page.rows.last().map(place_of).filter(|_| !is_last);
        let is_empty_part = page.rows.is_empty() && !(page.offset == 0 && is_last);
        let is_inside = |snooze: &&Snooze| {
            let place = place_of(&snooze.row);
            first.is_none_or(|first| first < place) && last.is_none_or(|last| place < last)
        };
        let missing = self
            .snoozes
            .by_signal
            .values()
            .filter(|snooze| !is_empty_part && !there.contains(&snooze.row.signal.id));
        news.gone = missing
            .filter(is_inside)
            .map(|snooze| snooze.row.clone())
            .collect();
        news
    }

    /// The number of rows that the tab shows under the filter, without the snoozed ones of New.
    pub fn shown_total(&self, tab: QueueTab) -> u64 {
        let total = self.tab_state(tab).list.total();
        match tab {
            QueueTab::New if self.is_filtered() => {
                let hidden = self
                    .new
                    .moved
                    .hidden
                    .iter()
                    .filter(|id| self.new.list.row(**id).is_some())
                    .count();
                total.saturating_sub(hidden as u64)
            }
            QueueTab::New => total.saturating_sub(self.snoozes.sleeping_count() as u64),
            _ => total,
        }
    }

    /// The first row to read to find a signal that has returned, if any is not loaded.
    pub fn unread_for_returned(&self) -> Option<u32> {
        let is_missing = self
            .snoozes
            .returned
            .iter()
            .any(|id| self.new.list.row(*id).is_none());
        if is_missing && !self.is_filtered() {
            self.new.list.first_gap(0..self.new.list.len())
        } else {
            None
        }
    }
}
