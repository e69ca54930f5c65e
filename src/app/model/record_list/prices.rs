//! What reading a list costs at most.

use super::{RecordList, RecordsRead, page_size};
use crate::app::model::load_state::LoadState;

impl RecordList {
    /// The highest cost of the read under way. What an earlier search has found says nothing about
    /// another one.
    pub fn pending_price(&self) -> u64 {
        let is_other = self.read_at.is_some() && self.search != self.loaded_search;
        match self.pending_read {
            None | Some(RecordsRead::Saved { or_first: false }) => 0,
            Some(RecordsRead::Count) => 1,
            Some(RecordsRead::First | RecordsRead::Saved { .. }) => {
                self.price_of(self.total.filter(|_| !is_other))
            }
            Some(RecordsRead::More) => self.price_of(self.remaining()),
            Some(RecordsRead::Rest | RecordsRead::Refresh) => self.refresh_price(),
        }
    }

    /// The highest cost of a page of a search of which nothing is known.
    pub fn page_price(&self) -> u64 {
        self.price_of(None)
    }

    /// The highest cost of the next page; None if there is none.
    pub fn next_price(&self) -> Option<u64> {
        if self.load != LoadState::Ready {
            return Some(self.price_of(self.total));
        }
        self.next_page.as_ref()?;
        Some(self.price_of(self.remaining()))
    }

    /// The highest cost of reading the first page again.
    pub fn first_page_price(&self) -> u64 {
        self.price_of(self.total.filter(|_| !self.is_capped))
    }

    /// The highest cost of a page, where so many rows are left, if known.
    fn price_of(&self, left: Option<u64>) -> u64 {
        let page = u64::from(page_size(&self.search));
        left.map_or(page, |left| left.min(page))
            .saturating_mul(self.row_price)
    }

    /// The highest cost of reading the loaded rows again.
    pub fn refresh_price(&self) -> u64 {
        self.first_page_price()
            .max((self.rows.len() as u64).saturating_mul(self.row_price))
    }
}
