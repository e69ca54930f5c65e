//! The requests of a list, and the handling of their replies.
//!
//! One read per list runs at a time; of two, the later wins. The displayed rows stay, with their filter and next page, until other
//! rows have arrived.

use super::{PAGE_SIZE, RecordList};
use crate::app::Context;
use crate::app::change::Change;
use crate::app::effect::{Effect, ListId, ServiceCall, Slot};
use crate::app::format::{format_count, pluralize};
use crate::app::model::load_state::LoadState;
use crate::app::msg::{Reply, payload};
use crate::app::notice::Notice;
use crate::app::requests::Request;
use crate::domain::request_error::{RequestError, RequestErrorKind};
use crate::domain::search::{MAX_SEARCH_PAGE_ROWS, Search, SearchPage, SortOrder};
use crate::ui::scroll::ScrollState;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordsRead {
    First,
    More,
    /// All remaining pages, one after the other.
    Rest,
    Count,
}

impl RecordList {
    /// Stops after the page that is being read.
    pub fn stop_after_page(&mut self) {
        if let Some(read @ RecordsRead::Rest) = &mut self.pending_read {
            *read = RecordsRead::More;
        }
    }

    /// Adds a page; the newer version of a repeated row wins.
    fn apply_page(&mut self, ask: RecordsRead, found: SearchPage) {
        if ask == RecordsRead::First {
            if self.loaded_search != self.search {
                self.cache_current_rows();
            }
            self.cached_searches.retain(|reading| !reading.matches_search(&self.search));
            self.rows.clear();
            self.row_indexes.clear();
            self.next_page = None;
            self.loaded_search.clone_from(&self.search);
            self.scroll = ScrollState::default();
            self.range_anchor = None;
            self.unreadable = 0;
        }
        self.total = found.total;
        if self.search.is_unfiltered() {
            self.unfiltered_total = found.total;
        }
        self.is_capped = found.total_is_capped;
        self.credits_spent = self.credits_spent.saturating_add(found.credits.unwrap_or(found.rows.len() as u64));
        if ask == RecordsRead::Count {
            return;
        }
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
    }
}

impl Context {
    /// Reads the first page of a list, for a credit a row. The displayed rows stay until it arrives.
    pub fn read_first_page(&mut self, shown: &ListId) {
        if let Some(list) = self.record_lists.get_mut(shown) {
            list.load = LoadState::Loading;
        }
        self.read_record_page(shown, RecordsRead::First);
    }

    pub fn read_next_page(&mut self, shown: &ListId) {
        self.read_record_page(shown, RecordsRead::More);
    }

    pub fn read_remaining_pages(&mut self, shown: &ListId) {
        self.read_record_page(shown, RecordsRead::Rest);
    }

    /// Counts the rows: one credit, or zero when nothing matches.
    pub fn count_records(&mut self, shown: &ListId) {
        self.read_record_page(shown, RecordsRead::Count);
    }

    fn read_record_page(&mut self, shown: &ListId, ask: RecordsRead) {
        let Some(list) = self.record_lists.get(shown) else { return };
        let limit = match ask {
            RecordsRead::First | RecordsRead::More => PAGE_SIZE,
            RecordsRead::Rest => MAX_SEARCH_PAGE_ROWS,
            RecordsRead::Count => 1,
        };
        let after = list.next_page.clone().filter(|_| matches!(ask, RecordsRead::More | RecordsRead::Rest));
        let call = ServiceCall::Search { source: list.source.clone(), search: list.search.clone(), after, limit };
        if list.is_reading() {
            self.effects.push(Effect::Cancel(Slot::Records(shown.clone())));
        }
        if let Some(list) = self.record_lists.get_mut(shown) {
            list.pending_read = Some(ask);
        }
        self.call_service(Slot::Records(shown.clone()), call, Request::Records(shown.clone()));
    }

    pub(in crate::app) fn on_records_reply(&mut self, shown: ListId, result: Result<Reply, RequestError>) {
        let now = self.service_now();
        let Some(list) = self.record_lists.get_mut(&shown) else { return };
        let Some(ask) = list.pending_read.take() else { return };
        match payload::<SearchPage>(result) {
            Ok(found) => {
                let credits = found.credits;
                let before = if ask == RecordsRead::First { 0 } else { list.len() };
                list.apply_page(ask, found);
                if ask == RecordsRead::First {
                    list.read_at = Some(now);
                    list.load = LoadState::Ready;
                    list.marks.retain(|id| list.row_indexes.contains_key(id));
                    self.publish(Change::Filtered(shown.clone()));
                }
                self.update_fetched_records(&shown);
                let Some(list) = self.record_lists.get_mut(&shown) else { return };
                match ask {
                    RecordsRead::Count => {
                        let total = list.total.map_or_else(|| "an unknown number".to_owned(), format_count);
                        let more = if list.is_capped { " or more" } else { "" };
                        self.notice = Some(Notice::success(format!("{total}{more} match{}", cost_label(credits))));
                    }
                    RecordsRead::Rest if list.has_more() && !crosses_read_limit(before, list.len()) => {
                        list.load = LoadState::Ready;
                        let so_far = format_count(list.len() as u64);
                        self.notice = Some(Notice::info(format!("{so_far} rows read")).with_hint("Ctrl-c stops"));
                        self.record_spend(credits);
                        self.publish(Change::RowsRead { list: shown.clone(), first_row: before });
                        return self.read_record_page(&shown, RecordsRead::Rest);
                    }
                    _ => {
                        list.load = LoadState::Ready;
                        if ask == RecordsRead::More && list.len() > before {
                            list.scroll.cursor = before;
                        }
                        let now = list.len();
                        let (rows, unreadable) = (pluralize(now - before.min(now), "row"), list.unreadable);
                        let odd = if unreadable > 0 { format!(", {unreadable} unreadable") } else { String::new() };
                        self.notice = Some(Notice::info(format!("{rows} read{odd}{}", cost_label(credits))));
                    }
                }
                self.record_spend(credits);
                self.publish(Change::RowsRead { list: shown, first_row: before });
            }
            Err(failure) => {
                let has_rows = !list.is_empty();
                list.load = match failure.kind {
                    _ if has_rows => {
                        list.search.clone_from(&list.loaded_search);
                        LoadState::Ready
                    }
                    RequestErrorKind::Cancelled => LoadState::Idle,
                    _ => LoadState::Failed(failure.message.clone()),
                };
                // An empty list shows the error in its own area if it is on the screen.
                match failure.kind {
                    RequestErrorKind::Cancelled => self.notice = Some(Notice::info("read canceled")),
                    _ if !has_rows && self.focused_list == Some(shown) => self.notice = None,
                    _ => self.show_failure("could not load the rows", &failure, "{records.refresh} retries"),
                }
            }
        }
    }

    /// Sorts the list on the screen by a field of its route: reads it again, unless rows in this order are cached.
    pub fn sort_records(&mut self, sort: Option<SortOrder>) {
        // The route's default order is the request without a sort: the loaded rows are already in it.
        let own = self.displayed_list().and_then(|list| list.source.sort_keys().first().copied());
        let sort = sort.filter(|sort| own != Some((sort.field.as_str(), sort.ascending)));
        let Some(shown) = self.focused_list.clone() else { return };
        self.publish(Change::ListSorted(shown.clone(), sort.clone()));
        if let Some(search) = self.record_lists.get(&shown).map(|list| Search { sort, ..list.search.clone() }) {
            self.search_records(&shown, search);
        }
    }
}

/// Reading all rows stops at this many at a time: a cursor that never ends must not be paid for endlessly.
pub(super) fn crosses_read_limit(before: usize, now: usize) -> bool {
    const ROWS_PER_READ: usize = 10_000;
    before / ROWS_PER_READ < now / ROWS_PER_READ
}

/// The price paid for a read, for the notice.
fn cost_label(credits: Option<u64>) -> String {
    match credits {
        Some(credits) => format!(", {}", pluralize(credits, "credit")),
        None => ", price unknown".to_owned(),
    }
}
