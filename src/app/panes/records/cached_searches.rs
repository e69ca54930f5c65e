//! Rows that a list was read with before: they were paid for, so going back to them in this session costs nothing.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::{ListId, RecordList};
use crate::app::App;
use crate::app::effect::{Effect, Slot};
use crate::app::format::{format_time, pluralize};
use crate::app::notice::Notice;
use crate::app::records::LoadState;
use crate::domain::records::Record;
use crate::domain::search::Search;
use crate::ui::scroll::ScrollState;

/// Readings that a list keeps beside the one on the screen; the oldest goes first.
const MAX_CACHED_SEARCHES: usize = 8;

/// The rows of one search.
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
    /// Whether a search found it.
    pub(super) fn matches_search(&self, search: &Search) -> bool {
        self.search == *search
    }

    /// Takes rows out.
    pub(super) fn remove_rows(&mut self, ids: &[Uuid]) {
        let before = self.rows.len();
        self.rows.retain(|row| !ids.contains(&row.id));
        let gone = (before - self.rows.len()) as u64;
        self.total = self.total.map(|total| total.saturating_sub(gone));
    }
}

impl RecordList {
    /// When the rows of a search were read in this session, if they were.
    pub fn cached_read_at(&self, search: &Search) -> Option<DateTime<Utc>> {
        if self.loaded_search == *search && self.read_at.is_some() {
            return self.read_at;
        }
        self.cached_searches.iter().find(|reading| reading.matches_search(search)).map(|reading| reading.read_at)
    }

    /// Puts the rows on the screen aside, before those of another search take their place.
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

    /// Shows nothing yet of the whole list, which was not read: its price stands there.
    pub(super) fn show_unread_whole_list(&mut self) {
        self.cache_current_rows();
        self.pending_read = None;
        (self.search, self.loaded_search) = (Search::default(), Search::default());
        (self.total, self.is_capped, self.unreadable) = (self.unfiltered_total, false, 0);
        (self.scroll, self.range_anchor, self.load) = (ScrollState::default(), None, LoadState::Idle);
    }

    /// Brings the rows of a search back as they were read; false when they were not.
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

impl App {
    /// Shows the rows of another search: those that are here for nothing, else from the service for their price.
    pub(in crate::app) fn search_records(&mut self, shown: &ListId, search: Search) {
        if self.show_cached_search(shown, &search) {
            return;
        }
        if let Some(list) = self.record_list_mut(shown) {
            list.search = search;
        }
        self.read_first_page(shown);
    }

    /// Shows the rows that a search found in this session; false when there are none.
    pub(super) fn show_cached_search(&mut self, shown: &ListId, search: &Search) -> bool {
        let (now, zone) = (self.service_now(), self.settings.utc_offset);
        let Some(list) = self.record_list_mut(shown) else { return false };
        if !list.restore_cached_rows(search) {
            return false;
        }
        let was_reading = list.pending_read.take().is_some();
        let read = list.read_at.map(|at| format!(", read {}", format_time(at, now, zone))).unwrap_or_default();
        let text = format!("{}{read}, 0 credits", pluralize(list.len(), "row"));
        if was_reading {
            self.effects.push(Effect::Cancel(Slot::Records(shown.clone())));
        }
        self.notice = Some(Notice::info(text).with_hint("{records.refresh} refreshes"));
        self.on_list_filtered(shown);
        true
    }
}
