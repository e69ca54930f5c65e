//! Converts a list of records to a stored run, and back.

use chrono::{DateTime, Utc};

use super::RecordList;
use crate::app::model::load_state::LoadState;
use crate::domain::runs::SavedSearchRun;
use crate::domain::search::{RecordSource, Search};

impl RecordList {
    /// The list of a stored run, with its paid rows.
    pub fn from_run(run: SavedSearchRun) -> RecordList {
        let mut list = RecordList::new(run.source);
        list.loaded_search = run.search.clone();
        list.search = run.search;
        list.load = if run.read_at.is_some() { LoadState::Ready } else { LoadState::Idle };
        list.total = run.total;
        list.is_capped = run.is_capped;
        list.unreadable = run.unreadable;
        list.credits_spent = run.credits_spent;
        list.read_at = run.read_at;
        list.next_page = run.search_after;
        list.rows = run.rows;
        list.rebuild_index();
        list
    }

    /// The list as a run made at `at`, with its rows from an index on.
    pub fn to_run(&self, at: DateTime<Utc>, from: usize) -> SavedSearchRun {
        SavedSearchRun {
            sent_at: at,
            source: self.source.clone(),
            search: self.search.clone(),
            read_at: self.read_at,
            total: self.total,
            is_capped: self.is_capped,
            credits_spent: self.credits_spent,
            unreadable: self.unreadable,
            search_after: self.next_page.clone(),
            rows: self.rows.get(from..).unwrap_or_default().to_vec(),
        }
    }

    /// Whether the list is the result of this search.
    pub fn matches_search(&self, source: &RecordSource, search: &Search) -> bool {
        self.source == *source && self.search == *search
    }
}
