//! A refresh of several pages: rows that are read again replace the earlier ones page by page. What
//! was not read again stays behind them, with the place where the list continues: it was paid for.

use chrono::{DateTime, Utc};

use super::RecordList;
use crate::domain::records::Record;
use crate::domain::search::MAX_SEARCH_PAGE_ROWS;

/// A refresh under way.
#[derive(Clone, Debug)]
pub(super) struct Refresh {
    /// How many rows are to be read again.
    target: usize,
    /// How many were.
    fresh: usize,
    /// The rows as they were, the place after them, and when they were read.
    rows: Vec<Record>,
    next: Option<String>,
    read_at: Option<DateTime<Utc>>,
}

impl RecordList {
    /// The next read of the first page begins a refresh of this many rows.
    pub fn begin_refresh(&mut self, rows: usize) {
        self.refresh_target = Some(rows);
    }

    /// How many rows of a refresh were read, while it is under way.
    pub fn refreshed_rows(&self) -> Option<usize> {
        self.refresh.as_ref().map(|refresh| refresh.fresh)
    }

    /// The first rows that were read later than the others: how many, and when.
    pub fn fresher_rows(&self) -> Option<(usize, DateTime<Utc>)> {
        self.fresher
    }

    /// Rows for the next page of a refresh.
    pub(super) fn refresh_limit(&self) -> u32 {
        let left = self
            .refresh
            .as_ref()
            .map_or(0, |refresh| refresh.target.saturating_sub(refresh.fresh));
        u32::try_from(left).map_or(MAX_SEARCH_PAGE_ROWS, |left| {
            left.clamp(1, MAX_SEARCH_PAGE_ROWS)
        })
    }

    /// Sets the rows aside that a refresh replaces. One that is begun again replaces what the first
    /// one did.
    pub(super) fn set_rows_aside(&mut self) {
        self.fresher = None;
        let before = self.refresh.take();
        let target = self
            .refresh_target
            .take()
            .or(before.as_ref().map(|before| before.target));
        let (next, read_at) = match before {
            Some(before) => (before.next, before.read_at),
            None => (self.next_page.take(), self.read_at),
        };
        let target = target.filter(|_| self.loaded_search == self.search);
        self.refresh = target.map(|target| Refresh {
            target,
            fresh: 0,
            rows: std::mem::take(&mut self.rows),
            next,
            read_at,
        });
    }

    /// Removes the earlier rows before the next page of a refresh is added.
    pub(super) fn remove_earlier_rows(&mut self) {
        if let Some(refresh) = &self.refresh {
            self.rows.truncate(refresh.fresh);
            self.row_indexes = self
                .rows
                .iter()
                .enumerate()
                .map(|(slot, row)| (row.id, slot))
                .collect();
        }
    }

    /// A page of a refresh was added: ends it, or adds the earlier rows that were not read again.
    pub(super) fn end_refreshed_page(&mut self, now: DateTime<Utc>) {
        let Some(refresh) = &mut self.refresh else {
            return;
        };
        refresh.fresh = self.rows.len();
        let is_whole = self.next_page.is_none();
        let is_done = is_whole || refresh.fresh >= refresh.target;
        if is_whole || is_done && refresh.target >= refresh.rows.len() {
            self.refresh = None;
            return;
        }
        for row in &refresh.rows {
            if !self.row_indexes.contains_key(&row.id) {
                self.row_indexes.insert(row.id, self.rows.len());
                self.rows.push(row.clone());
            }
        }
        if is_done {
            self.stop_refresh(now);
        }
    }

    /// A refresh ended before all rows were read again.
    pub fn stop_refresh(&mut self, now: DateTime<Utc>) {
        if let Some(fresh) = self.abandon_refresh() {
            self.fresher = Some((fresh, now));
        }
    }

    /// Ends a refresh: the list continues after the earlier rows. Returns how many rows were read
    /// again.
    pub(super) fn abandon_refresh(&mut self) -> Option<usize> {
        self.refresh_target = None;
        let refresh = self.refresh.take()?;
        (self.next_page, self.read_at) = (refresh.next, refresh.read_at);
        Some(refresh.fresh)
    }
}
