//! Rows of a list's earlier searches: they are paid for, so returning to them in this session is free.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::RecordList;
use crate::app::Context;
use crate::app::change::Change;
use crate::app::effect::{ListId, Slot};
use crate::app::format::{format_time, pluralize};
use crate::app::model::load_state::LoadState;
use crate::app::notice::Notice;
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
    read_at: DateTime<Utc>,
    scroll: ScrollState,
}

impl CachedSearch {
    pub(super) fn matches_search(&self, search: &Search) -> bool {
        self.search == *search
    }

    pub(super) fn remove_rows(&mut self, ids: &[Uuid]) {
        let before = self.rows.len();
        self.rows.retain(|row| !ids.contains(&row.id));
        let gone = (before - self.rows.len()) as u64;
        self.total = self.total.map(|total| total.saturating_sub(gone));
    }
}

impl RecordList {
    pub fn cached_read_at(&self, search: &Search) -> Option<DateTime<Utc>> {
        if self.loaded_search == *search && self.read_at.is_some() {
            return self.read_at;
        }
        self.cached_searches.iter().find(|reading| reading.matches_search(search)).map(|reading| reading.read_at)
    }

    /// Caches the displayed rows before those of another search replace them.
    pub(super) fn cache_current_rows(&mut self) {
        let Some(read_at) = self.read_at.take() else { return };
        self.cached_searches.retain(|reading| reading.search != self.loaded_search);
        self.cached_searches.push(CachedSearch {
            search: self.loaded_search.clone(),
            rows: std::mem::take(&mut self.rows),
            next: self.next_page.take(),
            total: self.total.take(),
            is_capped: self.is_capped,
            unreadable: self.unreadable,
            read_at,
            scroll: self.scroll,
        });
        let surplus = self.cached_searches.len().saturating_sub(MAX_CACHED_SEARCHES);
        self.cached_searches.drain(..surplus);
        self.rebuild_index();
    }

    /// Shows the unread, unfiltered list: empty, with its price.
    pub(super) fn show_unread_whole_list(&mut self) {
        self.cache_current_rows();
        self.pending_read = None;
        (self.search, self.loaded_search) = (Search::default(), Search::default());
        (self.total, self.is_capped, self.unreadable) = (self.unfiltered_total, false, 0);
        (self.scroll, self.range_anchor, self.load) = (ScrollState::default(), None, LoadState::Idle);
    }

    /// Restores the rows of a search; false if they are not cached.
    fn restore_cached_rows(&mut self, search: &Search) -> bool {
        if self.loaded_search != *search || self.read_at.is_none() {
            let Some(at) = self.cached_searches.iter().position(|reading| reading.matches_search(search)) else { return false };
            let reading = self.cached_searches.remove(at);
            self.cache_current_rows();
            self.loaded_search = reading.search;
            self.rows = reading.rows;
            self.next_page = reading.next;
            self.total = reading.total;
            self.is_capped = reading.is_capped;
            self.unreadable = reading.unreadable;
            self.read_at = Some(reading.read_at);
            self.scroll = reading.scroll;
            self.range_anchor = None;
            self.rebuild_index();
        }
        self.search = search.clone();
        self.load = LoadState::Ready;
        self.marks.retain(|id| self.row_indexes.contains_key(id));
        true
    }
}

impl Context {
    /// Shows the rows of another search: cached ones for free, others from the service at their price.
    pub(in crate::app) fn search_records(&mut self, shown: &ListId, search: Search) {
        if self.show_cached_search(shown, &search) {
            return;
        }
        if let Some(list) = self.record_lists.get_mut(shown) {
            list.search = search;
        }
        self.read_first_page(shown);
    }

    /// Shows the cached rows of a search; false if there are none.
    pub(super) fn show_cached_search(&mut self, shown: &ListId, search: &Search) -> bool {
        let (now, zone) = (self.service_now(), self.settings.utc_offset);
        let Some(list) = self.record_lists.get_mut(shown) else { return false };
        if !list.restore_cached_rows(search) {
            return false;
        }
        let was_reading = list.pending_read.take().is_some();
        let read = list.read_at.map(|at| format!(", read {}", format_time(at, now, zone))).unwrap_or_default();
        let text = format!("{}{read}, 0 credits", pluralize(list.len(), "row"));
        if was_reading {
            self.abandon_slot(Slot::Records(shown.clone()));
        }
        self.notice = Some(Notice::info(text).with_hint("{records.refresh} refreshes"));
        self.publish(Change::Filtered(shown.clone()));
        true
    }
}
