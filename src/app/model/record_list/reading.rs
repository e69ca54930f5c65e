//! What reads do to a list.

use chrono::{DateTime, Utc};

use super::sorting::are_sorted;
use super::{RecordList, RecordsRead, page_size};
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
                return ServiceCall::SavedSearch {
                    source: self.source.clone(),
                    search: self.search.clone(),
                };
            }
            RecordsRead::First => (page_size(&self.search), false),
            RecordsRead::More => (page_size(&self.search), true),
            RecordsRead::Rest => (MAX_SEARCH_PAGE_ROWS, true),
            RecordsRead::Refresh => (self.refresh_limit(), true),
            RecordsRead::Count => (1, false),
        };
        let after = self.next_page.clone().filter(|_| is_next);
        ServiceCall::Search {
            source: self.source.clone(),
            search: self.search.clone(),
            after,
            limit,
        }
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
            self.cached_searches
                .retain(|reading| !reading.matches_search(&self.search));
            self.set_rows_aside();
            self.rows.clear();
            self.row_indexes.clear();
            self.next_page = None;
            self.searched = None;
            self.loaded_search.clone_from(&self.search);
            self.lines.scroll = ScrollState::default();
            self.range_anchor = None;
            self.unreadable = 0;
        }
        if read == RecordsRead::Refresh {
            self.remove_earlier_rows();
        }
        (self.total, self.is_capped) = (found.total, found.total_is_capped);
        if self.search.is_unfiltered() {
            self.unfiltered_total = self.row_count();
        }
        let cost = found.credits.unwrap_or(found.rows.len() as u64);
        self.credits_spent = self.credits_spent.saturating_add(cost);
        if !found.rows.is_empty() {
            self.row_price = cost.div_ceil(found.rows.len() as u64).max(1);
        }
        if read == RecordsRead::Count {
            return;
        }
        self.rows_cost = if read == RecordsRead::First {
            cost
        } else {
            self.rows_cost.saturating_add(cost)
        };
        let before_page = self.ignores_sort && read != RecordsRead::First;
        self.ignores_sort = false;
        self.ignores_sort = before_page
            || !self
                .sort_order()
                .is_none_or(|sort| are_sorted(&found.rows, &sort));
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
        self.next_page = found
            .search_after
            .filter(|cursor| grew && self.next_page.as_ref() != Some(cursor));
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
            self.lines.scroll = ScrollState::default();
        }
    }

    /// Ends a look at the saved rows that found none. The displayed rows stay, with the search they
    /// belong to.
    pub fn end_lookup(&mut self) {
        self.load = if self.is_empty() {
            LoadState::Idle
        } else {
            LoadState::Ready
        };
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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use uuid::Uuid;

    use super::*;
    use crate::app::model::record_list::RowCount;
    use crate::domain::book::Dataset;
    use crate::domain::records::Record;
    use crate::domain::search::{RecordSource, SortOrder};

    fn page(names: &[&str], credits: u64, total: u64) -> SearchPage {
        let row = |(n, name): (usize, &&str)| {
            let row: Value = json!({ "id": Uuid::from_u128(n as u128 + 1), "name": name });
            Record::try_from(&row).expect("a record")
        };
        SearchPage {
            rows: names.iter().enumerate().map(row).collect(),
            total: Some(total),
            total_is_capped: total == 1_000,
            search_after: Some("next".to_owned()),
            credits: Some(credits),
            ..SearchPage::default()
        }
    }

    fn list_with(read: RecordsRead, found: SearchPage) -> RecordList {
        let mut list = RecordList::new(RecordSource::Index(Dataset::Accounts));
        list.apply_page(read, found, DateTime::UNIX_EPOCH);
        list
    }

    #[test]
    fn the_next_page_is_announced_at_the_price_that_the_service_has_charged_a_row() {
        let list = list_with(RecordsRead::First, page(&["a", "b"], 4, 300));
        assert_eq!(
            (
                list.next_price(),
                list.first_page_price(),
                list.refresh_price()
            ),
            (Some(100), 100, 100)
        );
        let list = list_with(RecordsRead::First, page(&["a", "b"], 4, 12));
        assert_eq!(list.next_price(), Some(20), "what is left");
        for credits in [2, 0] {
            let list = list_with(RecordsRead::First, page(&["a", "b"], credits, 300));
            assert_eq!(
                list.next_price(),
                Some(50),
                "no less than the interface says"
            );
        }
    }

    #[test]
    fn a_capped_total_stays_capped_wherever_it_is_shown() {
        let mut list = list_with(RecordsRead::Count, page(&["a"], 1, 1_000));
        assert_eq!(
            list.unfiltered_total.map(RowCount::label).as_deref(),
            Some("1,000+")
        );
        list.show_unread_whole_list();
        assert_eq!(
            list.row_count()
                .map(|count| count.describe("record"))
                .as_deref(),
            Some("1,000+ records")
        );
    }

    #[test]
    fn a_list_that_is_not_sorted_as_asked_is_not_headed_as_if_it_were() {
        let by_name = |names: &[&str]| {
            list_with(RecordsRead::First, page(names, 2, 2)).sort_direction("name")
        };
        assert_eq!(
            (by_name(&["Calder", "Weld"]), by_name(&["Weld", "Calder"])),
            (Some(true), None)
        );
        let mut list = RecordList::new(RecordSource::Index(Dataset::Accounts));
        list.search.sort = Some(SortOrder {
            field: "name".to_owned(),
            ascending: false,
        });
        list.apply_page(
            RecordsRead::First,
            page(&["Weld", "Calder"], 2, 4),
            DateTime::UNIX_EPOCH,
        );
        assert_eq!(list.sort_direction("name"), Some(false));
        list.apply_page(
            RecordsRead::More,
            page(&["Adler", "Birch"], 2, 4),
            DateTime::UNIX_EPOCH,
        );
        assert_eq!(
            (list.sort_direction("name"), list.sort_order()),
            (None, None)
        );
    }
}
