//! Which signals of a triage changed.
//!
//! The service reports only their number. Where that is smaller than what was sent, somebody else
//! triaged some of them first. The queue reports who and when, so those rows are read.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, Utc};

use crate::app::effect::ServiceCall;
use crate::app::outbox::pending_write::PendingWrite;
use crate::app::outbox::signal_lookup::{MAX_PREFLIGHT_PAGES, filter_for_signals};
use crate::domain::SignalId;
use crate::domain::pages::Page;
use crate::domain::person::Person;
use crate::domain::queue::{
    CLOCK_TOLERANCE, MAX_QUEUE_PAGE_ROWS, QueueFilter, QueueSignal, QueueTab,
};

/// Who triaged a signal, and when.
pub type TriageMark = (Option<Person>, Option<DateTime<Utc>>);

/// A check of which signals already had the new status.
#[derive(Clone, Debug)]
pub struct AttributionCheck {
    triage: PendingWrite,
    missing: HashSet<SignalId>,
    found: HashMap<SignalId, TriageMark>,
    filter: QueueFilter,
    offset: u32,
}

impl AttributionCheck {
    pub fn new(triage: PendingWrite) -> AttributionCheck {
        let unsure = |(ids, changed): (Vec<SignalId>, Option<u64>)| {
            (changed != Some(ids.len() as u64)).then_some(ids)
        };
        let mut check = AttributionCheck {
            missing: HashSet::new(),
            found: HashMap::new(),
            filter: QueueFilter::default(),
            offset: 0,
            triage,
        };
        // Nothing reports who put a signal back to New.
        if let Some(signals) = check
            .triage
            .signals()
            .filter(|signals| signals.from == QueueTab::New)
        {
            check.missing = check
                .triage
                .answered_requests()
                .filter_map(unsure)
                .flatten()
                .collect();
            let rows = signals
                .rows
                .iter()
                .filter(|row| check.missing.contains(&row.id));
            let rows: Vec<_> = rows.map(|row| (row.id, row.row.clone())).collect();
            let status = [signals.from.other().status()].into();
            check.filter = filter_for_signals(
                &rows,
                QueueFilter {
                    status,
                    ..QueueFilter::default()
                },
            );
        }
        check
    }

    pub fn triage(&self) -> &PendingWrite {
        &self.triage
    }

    /// Whether nothing needs to be read.
    pub fn is_done(&self) -> bool {
        self.missing.is_empty()
    }

    pub fn call(&self) -> ServiceCall {
        ServiceCall::Queue {
            filter: self.filter.clone(),
            offset: self.offset,
            limit: MAX_QUEUE_PAGE_ROWS,
        }
    }

    /// Adds a page; returns whether the next one is needed.
    pub fn insert_page(&mut self, page: &Page<QueueSignal>) -> bool {
        for row in &page.rows {
            if self.missing.remove(&row.signal.id) {
                let when = row.triaged_time();
                self.found
                    .insert(row.signal.id, (row.triaged_by.clone(), when));
            }
        }
        self.offset = page.next_offset.unwrap_or(self.offset);
        !self.missing.is_empty()
            && page.next_offset.is_some()
            && self.offset < MAX_PREFLIGHT_PAGES * MAX_QUEUE_PAGE_ROWS
    }

    /// The signals that this triage changed. `me` is the caller.
    pub fn own_signals(&self, me: Option<&Person>) -> HashSet<SignalId> {
        self.triage
            .answered_requests()
            .flat_map(|(ids, changed)| self.own_of_request(ids, changed, me))
            .collect()
    }

    /// Who triaged the last of these signals.
    pub fn last_mark(&self, ids: impl Iterator<Item = SignalId>) -> Option<&TriageMark> {
        ids.filter_map(|id| self.found.get(&id))
            .max_by_key(|(_, at)| *at)
    }

    /// The signals of a request that this triage changed. Where the check was inconclusive, all of
    /// them: undo checks again, and asks.
    fn own_of_request(
        &self,
        ids: Vec<SignalId>,
        changed: Option<u64>,
        me: Option<&Person>,
    ) -> Vec<SignalId> {
        let changed = changed.map(|changed| usize::try_from(changed).unwrap_or(usize::MAX));
        match changed {
            Some(0) => return Vec::new(),
            Some(n) if n >= ids.len() => return ids,
            _ => {}
        }
        let began = self.triage.started_at();
        let is_me = |by: &Option<Person>| {
            me.is_none_or(|me| by.as_ref().is_some_and(|by| me.is_same(by) != Some(false)))
        };
        // For a request that was sent twice the number of changes is unknown: those triaged since
        // it began.
        let is_mine = |(by, at): &TriageMark| {
            is_me(by) && (changed.is_some() || at.is_none_or(|at| at >= began - CLOCK_TOLERANCE))
        };
        let marks = ids.iter().filter_map(|id| Some((*id, self.found.get(id)?)));
        let mut mine: Vec<(SignalId, &TriageMark)> =
            marks.filter(|(_, mark)| is_mine(mark)).collect();
        // The first triage of a signal keeps its mark, so the newest marks are this triage's.
        mine.sort_by_key(|(_, (_, at))| std::cmp::Reverse(*at));
        mine.truncate(changed.unwrap_or(usize::MAX));
        let is_conclusive = changed.map_or(!self.found.is_empty(), |changed| mine.len() == changed);
        if is_conclusive {
            mine.into_iter().map(|(id, _)| id).collect()
        } else {
            ids
        }
    }
}
