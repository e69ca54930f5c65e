//! Converts a list of records to a stored run, and back.

use chrono::{DateTime, Utc};

use uuid::Uuid;

use super::{RecordList, RowCount};
use crate::app::model::load_state::LoadState;
use crate::domain::records::Record;
use crate::domain::runs::SavedSearchRun;
use crate::domain::search::{RecordSource, Search};
use crate::ui::scroll::ScrollState;

impl RecordList {
    /// The list of a stored run, with its paid rows.
    pub fn from_run(run: SavedSearchRun) -> RecordList {
        let mut list = RecordList::new(run.source.clone());
        list.search = run.search.clone();
        list.credits_spent = run.credits_spent;
        list.show_run(run);
        list
    }

    /// Shows the saved rows of its search.
    pub fn show_run(&mut self, run: SavedSearchRun) {
        if self.loaded_search != self.search {
            self.cache_current_rows();
        }
        self.loaded_search = run.search;
        self.searched = None;
        self.load = if run.read_at.is_some() {
            LoadState::Ready
        } else {
            LoadState::Idle
        };
        (self.total, self.is_capped) = (run.total, run.is_capped);
        if self.search.is_unfiltered() {
            self.unfiltered_total = self.row_count();
        }
        self.unreadable = run.unreadable;
        self.rows_cost = run.credits_spent;
        self.read_at = run.read_at;
        self.next_page = run.search_after;
        self.rows = run.rows;
        self.check_order();
        (self.lines.scroll, self.range_anchor) = (ScrollState::default(), None);
        self.rebuild_index();
        self.marks.retain(|id| self.row_indexes.contains_key(id));
    }

    /// A record joined the list: its row comes last until a refresh. Without a row the total says
    /// that one is missing. Before the last page is read, and under a filter, it is not known where
    /// the record belongs.
    pub fn add_record(&mut self, id: Uuid, row: Option<Record>) {
        let is_whole =
            self.load == LoadState::Ready && !self.has_more() && self.search.is_unfiltered();
        let mut is_new = is_whole && self.searched.is_none() && !self.row_indexes.contains_key(&id);
        if is_new {
            self.total = self.total.map(|total| total + 1);
            self.rows.extend(row.clone());
            self.rebuild_index();
        }
        for cached in &mut self.cached_searches {
            is_new |= cached.add_record(id, row.as_ref());
        }
        if is_new {
            self.unfiltered_total = self.unfiltered_total.map(|count| RowCount {
                total: count.total + 1,
                ..count
            });
        }
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
            credits_spent: self.rows_cost,
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
