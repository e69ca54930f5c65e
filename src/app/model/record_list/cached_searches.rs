//! Rows of a list's earlier searches: they are paid for, so returning to them in this session is
//! free.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::RecordList;
use super::local_search::CompleteRows;
use crate::app::model::load_state::LoadState;
use crate::domain::records::Record;
use crate::domain::search::Search;
use crate::ui::scroll::ScrollState;

/// Most searches that a list keeps besides the displayed one; the oldest is dropped first.
const MAX_CACHED_SEARCHES: usize = 8;

#[derive(Clone, Debug)]
pub(super) struct CachedSearch {
    search: Search,
    pub(super) rows: Vec<Record>,
    next: Option<String>,
    total: Option<u64>,
    is_capped: bool,
    unreadable: usize,
    rows_cost: u64,
    read_at: DateTime<Utc>,
    scroll: ScrollState,
}

impl CachedSearch {
    pub(super) fn matches_search(&self, search: &Search) -> bool {
        self.search == *search
    }

    /// Adds a record that joined the list, as to the displayed rows; false if it was there or is
    /// not known to belong here.
    pub(super) fn add_record(&mut self, id: Uuid, row: Option<&Record>) -> bool {
        if !self.search.is_unfiltered()
            || self.next.is_some()
            || self.rows.iter().any(|row| row.id == id)
        {
            return false;
        }
        self.total = self.total.map(|total| total + 1);
        self.rows.extend(row.cloned());
        true
    }

    pub(super) fn remove_rows(&mut self, ids: &[Uuid]) {
        let before = self.rows.len();
        self.rows.retain(|row| !ids.contains(&row.id));
        let gone = (before - self.rows.len()) as u64;
        self.total = self.total.map(|total| total.saturating_sub(gone));
    }

    /// Its rows, if they are all there are.
    pub(super) fn complete_rows(&self) -> Option<CompleteRows<'_>> {
        let is_whole = self
            .total
            .is_none_or(|total| total <= self.rows.len() as u64);
        let is_complete = self.next.is_none() && self.unreadable == 0 && is_whole;
        is_complete.then_some(CompleteRows {
            search: &self.search,
            rows: &self.rows,
            read_at: self.read_at,
        })
    }
}

impl RecordList {
    pub fn cached_read_at(&self, search: &Search) -> Option<DateTime<Utc>> {
        if self.loaded_search == *search && self.read_at.is_some() {
            return self.read_at;
        }
        self.cached_searches
            .iter()
            .find(|reading| reading.matches_search(search))
            .map(|reading| reading.read_at)
    }

    /// Caches the displayed rows before those of another search replace them. What was found among
    /// other rows is found again.
    pub(super) fn cache_current_rows(&mut self) {
        self.abandon_refresh();
        self.fresher = None;
        let is_local = self.searched.take().is_some();
        let Some(read_at) = self.read_at.take().filter(|_| !is_local) else {
            return;
        };
        self.cached_searches
            .retain(|reading| reading.search != self.loaded_search);
        self.cached_searches.push(CachedSearch {
            search: self.loaded_search.clone(),
            rows: std::mem::take(&mut self.rows),
            next: self.next_page.take(),
            total: self.total.take(),
            is_capped: self.is_capped,
            unreadable: self.unreadable,
            rows_cost: self.rows_cost,
            read_at,
            scroll: self.lines.scroll,
        });
        let surplus = self
            .cached_searches
            .len()
            .saturating_sub(MAX_CACHED_SEARCHES);
        self.cached_searches.drain(..surplus);
        self.rebuild_index();
    }

    /// Shows the unread, unfiltered list: empty, with its price.
    pub fn show_unread_whole_list(&mut self) {
        self.cache_current_rows();
        self.pending_read = None;
        (self.search, self.loaded_search, self.ignores_sort) =
            (Search::default(), Search::default(), false);
        self.total = self.unfiltered_total.map(|count| count.total);
        (self.is_capped, self.unreadable) = (
            self.unfiltered_total.is_some_and(|count| count.is_capped),
            0,
        );
        (self.lines.scroll, self.range_anchor, self.load) =
            (ScrollState::default(), None, LoadState::Idle);
    }

    /// Restores the rows of a search; false if they are not cached.
    pub fn restore_cached_rows(&mut self, search: &Search) -> bool {
        if self.loaded_search != *search || self.read_at.is_none() {
            let Some(at) = self
                .cached_searches
                .iter()
                .position(|reading| reading.matches_search(search))
            else {
                return false;
            };
            let reading = self.cached_searches.remove(at);
            self.cache_current_rows();
            self.loaded_search = reading.search;
            self.rows = reading.rows;
            self.next_page = reading.next;
            self.total = reading.total;
            self.is_capped = reading.is_capped;
            self.unreadable = reading.unreadable;
            self.rows_cost = reading.rows_cost;
            self.read_at = Some(reading.read_at);
            self.lines.scroll = reading.scroll;
            self.range_anchor = None;
            self.rebuild_index();
        }
        self.search = search.clone();
        self.check_order();
        self.load = LoadState::Ready;
        self.marks.retain(|id| self.row_indexes.contains_key(id));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::model::record_list::RecordsRead;
    use crate::domain::book::Dataset;
    use crate::domain::search::{RecordSource, SearchPage};

    #[test]
    fn a_search_that_is_read_again_replaces_its_cached_rows() {
        let mut list = RecordList::new(RecordSource::Index(Dataset::Accounts));
        for query in ["", "calder", "", "calder"] {
            list.search.query = query.to_owned();
            list.apply_page(
                RecordsRead::First,
                SearchPage::default(),
                DateTime::UNIX_EPOCH,
            );
        }
        let cached: Vec<&str> = list
            .cached_searches
            .iter()
            .map(|cached| cached.search.query.as_str())
            .collect();
        assert_eq!(cached, [""]);
    }
}
