//! What reads do to a list.

use chrono::{DateTime, Utc};

use super::{PAGE_SIZE, RecordList, RecordsRead};
use crate::app::effect::ServiceCall;
use crate::app::model::load_state::LoadState;
use crate::domain::request_error::{RequestError, RequestErrorKind};
use crate::domain::search::{MAX_SEARCH_PAGE_ROWS, SearchPage};
use crate::ui::scroll::ScrollState;

impl RecordList {
    pub fn is_reading(&self) -> bool {
        self.pending_read.is_some()
    }

    /// Starts a read, in place of one under way. Returns its call.
    pub fn start_read(&mut self, read: RecordsRead) -> ServiceCall {
        self.pending_read = Some(read);
        let (limit, is_next) = match read {
            RecordsRead::Saved { .. } => {
                return ServiceCall::SavedSearch { source: self.source.clone(), search: self.search.clone() };
            }
            RecordsRead::First => (PAGE_SIZE, false),
            RecordsRead::More => (PAGE_SIZE, true),
            RecordsRead::Rest => (MAX_SEARCH_PAGE_ROWS, true),
            RecordsRead::Refresh => (self.refresh_limit(), true),
            RecordsRead::Count => (1, false),
        };
        let after = self.next_page.clone().filter(|_| is_next);
        ServiceCall::Search { source: self.source.clone(), search: self.search.clone(), after, limit }
    }

    /// Ends the read under way.
    pub fn take_pending_read(&mut self) -> Option<RecordsRead> {
        self.pending_read.take()
    }

    /// Stops after the page that is being read.
    pub fn stop_after_page(&mut self) {
        if let Some(read @ RecordsRead::Rest) = &mut self.pending_read {
            *read = RecordsRead::More;
        }
    }

    /// Adds a page; the newer version of a repeated row wins.
    pub fn apply_page(&mut self, read: RecordsRead, found: SearchPage, now: DateTime<Utc>) {
        if read == RecordsRead::First {
            if self.loaded_search != self.search {
                self.cache_current_rows();
            }
            self.cached_searches.retain(|reading| !reading.matches_search(&self.search));
            self.set_rows_aside();
            self.rows.clear();
            self.row_indexes.clear();
            self.next_page = None;
            self.searched = None;
            self.loaded_search.clone_from(&self.search);
            self.scroll = ScrollState::default();
            self.range_anchor = None;
            self.unreadable = 0;
        }
        if read == RecordsRead::Refresh {
            self.remove_earlier_rows();
        }
        self.total = found.total;
        if self.search.is_unfiltered() {
            self.unfiltered_total = found.total;
        }
        self.is_capped = found.total_is_capped;
        let cost = found.credits.unwrap_or(found.rows.len() as u64);
        self.credits_spent = self.credits_spent.saturating_add(cost);
        if read == RecordsRead::Count {
            return;
        }
        self.rows_cost = if read == RecordsRead::First { cost } else { self.rows_cost.saturating_add(cost) };
        let before = self.rows.len();
        self.unreadable += found.unreadable;
        for row in found.rows {
            if let Some(slot) = self.row_indexes.get(&row.id) {
                self.rows[*slot] = row;
            } else {
                self.row_indexes.insert(row.id, self.rows.len());
                self.rows.push(row);
            }
        }
        let grew = self.rows.len() > before;
        // A cursor that returns nothing new would be paid for endlessly.
        self.next_page = found.search_after.filter(|cursor| grew && self.next_page.as_ref() != Some(cursor));
        if read == RecordsRead::First {
            self.read_at = Some(now);
            self.load = LoadState::Ready;
        }
        self.end_refreshed_page(now);
        if read == RecordsRead::First {
            self.marks.retain(|id| self.row_indexes.contains_key(id));
        }
        self.arrange_lines();
        if read == RecordsRead::First {
            self.scroll = ScrollState::default();
        }
    }

    /// Ends a look at the saved rows that found none. The displayed rows stay, with the search they belong to.
    pub fn end_lookup(&mut self) {
        self.load = if self.is_empty() { LoadState::Idle } else { LoadState::Ready };
        if !self.is_empty() {
            self.search.clone_from(&self.loaded_search);
        }
    }

    /// Ends a read that failed. The displayed rows stay, with the search they belong to.
    pub fn fail_read(&mut self, failure: &RequestError) {
        self.load = if !self.is_empty() {
            self.search.clone_from(&self.loaded_search);
            LoadState::Ready
        } else if failure.kind == RequestErrorKind::Cancelled {
            LoadState::Idle
        } else {
            LoadState::Failed(failure.message.clone())
        };
    }
}
