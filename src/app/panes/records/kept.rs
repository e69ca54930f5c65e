//! A list of records as a run that is kept, and such a run as a list again.

use chrono::{DateTime, Utc};

use super::Records;
use crate::app::records::LoadState;
use crate::domain::runs::SavedSearchRun;
use crate::domain::search::{RecordSource, Search};

impl Records {
    /// The list of a run that was kept: what was paid for stands there.
    pub fn kept(run: SavedSearchRun) -> Records {
        let mut list = Records::new(run.source);
        list.of = run.search.clone();
        list.search = run.search;
        list.load = if run.read_at.is_some() { LoadState::Ready } else { LoadState::Idle };
        list.total = run.total;
        list.is_capped = run.is_capped;
        list.unreadable = run.unreadable;
        list.spent = run.credits_spent;
        list.read_at = run.read_at;
        list.next = run.search_after;
        list.rows = run.rows;
        list.index();
        list
    }

    /// The list as a run of this moment, with its rows from a place on.
    pub fn to_keep(&self, at: DateTime<Utc>, from: usize) -> SavedSearchRun {
        SavedSearchRun {
            sent_at: at,
            source: self.source.clone(),
            search: self.search.clone(),
            read_at: self.read_at,
            total: self.total,
            is_capped: self.is_capped,
            credits_spent: self.spent,
            unreadable: self.unreadable,
            search_after: self.next.clone(),
            rows: self.rows.get(from..).unwrap_or_default().to_vec(),
        }
    }

    /// Whether it is what this search finds there.
    pub fn is_of(&self, source: &RecordSource, search: &Search) -> bool {
        self.source == *source && self.search == *search
    }
}
