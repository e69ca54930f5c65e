//! A list of records that is read page by page, for a price: the rows of a View, of the book, of a search of the index.
//!
//! One pane for three screens. A list knows its route, what narrows it and how it is sorted; a page is asked for by a key whose
//! price stood on the screen, and never by going somewhere. Marks, the cursor's record and the reasons of failures hang on ids.

mod cached_searches;
pub mod columns;
pub mod commands;
pub mod draw;
mod loading;
pub mod map;
mod persistence;

#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap};

use chrono::{DateTime, Utc};
use loading::RecordsRead;
use uuid::Uuid;

use crate::app::App;
use crate::app::effect::RecordKey;
use crate::app::msg::Token;
use crate::app::records::LoadState;
use crate::domain::ViewId;
use crate::domain::book::RecordKind;
use crate::domain::records::Record;
use crate::domain::search::{RecordSource, Search, SortOrder};
use crate::ui::scroll::ScrollState;

/// Rows asked for at once.
pub const PAGE_SIZE: u32 = 50;

/// Which list of records: each screen has its own.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ListId {
    /// The records of a View.
    View(ViewId),
    /// A dataset of the book.
    Book(RecordKind),
    /// A run of Explore, by its number.
    Explore(u64),
}

/// A list of records.
#[derive(Clone, Debug)]
pub struct RecordList {
    /// Where the rows come from.
    pub source: RecordSource,
    /// What narrows and sorts them.
    pub search: Search,
    /// How far reading has come.
    pub load: LoadState,
    /// The cursor and the first row on the screen.
    pub scroll: ScrollState,
    /// Marked records.
    pub marks: BTreeSet<Uuid>,
    /// Records that a comparison marked, and not the person.
    pub marked_by_comparison: BTreeSet<Uuid>,
    /// Where a range began.
    pub range_anchor: Option<Uuid>,
    /// How many match, at most 1,000, once it was told.
    pub total: Option<u64>,
    /// The same without any filter, as it was told last.
    pub unfiltered_total: Option<u64>,
    /// More match than [`Records::total`] says.
    pub is_capped: bool,
    /// Rows that came and could not be read.
    pub unreadable: usize,
    /// Credits that this list has cost.
    pub credits_spent: u64,
    /// When its first page was read, on the service's clock.
    pub read_at: Option<DateTime<Utc>>,
    /// Why the last write of a record failed.
    pub write_errors: HashMap<Uuid, String>,
    locations: map::RecordLocations,
    rows: Vec<Record>,
    /// What the rows were read with: that of a read that failed is not theirs.
    loaded_search: Search,
    /// Rows of other searches that were read in this session.
    cached_searches: Vec<cached_searches::CachedSearch>,
    row_indexes: HashMap<Uuid, usize>,
    next_page: Option<String>,
    pending_read: Option<(Token, RecordsRead)>,
}

impl RecordList {
    /// A list that was not read yet.
    pub fn new(source: RecordSource) -> RecordList {
        RecordList {
            source,
            search: Search::default(),
            load: LoadState::Idle,
            scroll: ScrollState::default(),
            marks: BTreeSet::new(),
            marked_by_comparison: BTreeSet::new(),
            range_anchor: None,
            total: None,
            unfiltered_total: None,
            is_capped: false,
            unreadable: 0,
            credits_spent: 0,
            read_at: None,
            write_errors: HashMap::new(),
            locations: map::RecordLocations::default(),
            rows: Vec::new(),
            loaded_search: Search::default(),
            cached_searches: Vec::new(),
            row_indexes: HashMap::new(),
            next_page: None,
            pending_read: None,
        }
    }

    /// How many rows are loaded.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The row at a place.
    pub fn row_at(&self, at: usize) -> Option<&Record> {
        self.rows.get(at)
    }

    /// A loaded row.
    pub fn row(&self, id: Uuid) -> Option<&Record> {
        self.rows.get(*self.row_indexes.get(&id)?)
    }

    /// All loaded rows, in the service's order.
    pub fn rows(&self) -> &[Record] {
        &self.rows
    }

    /// The row under the cursor.
    pub fn current_record(&self) -> Option<&Record> {
        self.row_at(self.scroll.cursor)
    }

    /// Where an id stands.
    pub fn index_of(&self, id: Uuid) -> Option<usize> {
        self.row_indexes.get(&id).copied()
    }

    /// What an act would be about: the marks and the range, or the row under the cursor; in the order of the list.
    pub fn selection(&self) -> Vec<Uuid> {
        let mut ids: Vec<Uuid> = self.marks.iter().copied().chain(self.range_ids()).collect();
        ids.sort_unstable_by_key(|id| (self.index_of(*id), *id));
        ids.dedup();
        if ids.is_empty() { self.current_record().map(|row| row.id).into_iter().collect() } else { ids }
    }

    /// The ids of the range that is being drawn.
    pub fn range_ids(&self) -> Vec<Uuid> {
        let Some(start) = self.range_anchor.and_then(|id| self.index_of(id)) else { return Vec::new() };
        let (from, to) = (start.min(self.scroll.cursor), start.max(self.scroll.cursor));
        self.rows.iter().skip(from).take(to + 1 - from).map(|row| row.id).collect()
    }

    /// More rows can be read.
    pub fn has_more(&self) -> bool {
        self.next_cursor().is_some()
    }

    /// Where the next page begins; none when there is none, and while the list is read anew.
    pub fn next_cursor(&self) -> Option<&str> {
        self.next_page.as_deref().filter(|_| self.load == LoadState::Ready)
    }

    /// A read is under way.
    pub fn is_reading(&self) -> bool {
        self.pending_read.is_some()
    }

    /// The most that the next page can cost; none when there is none.
    pub fn next_price(&self) -> Option<u64> {
        if self.load != LoadState::Ready {
            return Some(self.total.map_or(u64::from(PAGE_SIZE), |total| total.min(u64::from(PAGE_SIZE))));
        }
        self.next_page.as_ref()?;
        Some(self.remaining().map_or(u64::from(PAGE_SIZE), |left| left.min(u64::from(PAGE_SIZE))))
    }

    /// The order of the rows: the one that was asked for, else the route's own; a sorting that a View keeps is only for show.
    pub fn sort_order(&self) -> Option<SortOrder> {
        let own = || self.source.sort_keys().first().map(|(field, up)| SortOrder { field: (*field).to_owned(), ascending: *up });
        self.search.sort.clone().or_else(own)
    }

    /// Whether a field sorts the rows, and then whether from the least on.
    pub fn sort_direction(&self, field: &str) -> Option<bool> {
        self.sort_order().filter(|sort| sort.field == field).map(|sort| sort.ascending)
    }

    /// How many rows are left to read, where that is known.
    pub fn remaining(&self) -> Option<u64> {
        let total = self.total.filter(|_| !self.is_capped)?;
        Some(total.saturating_sub(self.rows.len() as u64))
    }

    /// Changes a record in the loaded rows, and in those of other searches.
    pub fn update_record(&mut self, id: Uuid, change: impl Fn(&Record) -> Record) {
        if let Some(row) = self.row_indexes.get(&id).and_then(|slot| self.rows.get_mut(*slot)) {
            *row = change(row);
        }
        for row in self.cached_searches.iter_mut().flat_map(|reading| &mut reading.rows).filter(|row| row.id == id) {
            *row = change(row);
        }
    }

    /// Takes rows out; the cursor stays at its place.
    pub fn remove_rows(&mut self, ids: &[Uuid]) {
        let before = self.rows.len();
        self.rows.retain(|row| !ids.contains(&row.id));
        let gone = (before - self.rows.len()) as u64;
        for total in [&mut self.total, &mut self.unfiltered_total].into_iter().flatten() {
            *total = total.saturating_sub(gone);
        }
        for reading in &mut self.cached_searches {
            reading.remove_rows(ids);
        }
        ids.iter().for_each(|id| {
            self.marks.remove(id);
        });
        self.rebuild_index();
    }

    fn rebuild_index(&mut self) {
        self.row_indexes = self.rows.iter().enumerate().map(|(slot, row)| (row.id, slot)).collect();
        self.scroll.cursor = self.scroll.cursor.min(self.rows.len().saturating_sub(1));
    }
}

impl App {
    /// The list on the screen.
    pub fn displayed_list(&self) -> Option<&RecordList> {
        self.record_list(&self.focused_list_id()?)
    }

    /// The list on the screen.
    pub fn displayed_list_mut(&mut self) -> Option<&mut RecordList> {
        self.record_list_mut(&self.focused_list_id()?)
    }

    /// A list.
    pub fn record_list(&self, shown: &ListId) -> Option<&RecordList> {
        match shown {
            ListId::View(id) => self.views.records_by_view.get(id),
            ListId::Book(shelf) => self.book.list(shelf),
            ListId::Explore(run) => self.explore.run(*run).map(|run| &run.records),
        }
    }

    /// A list.
    pub fn record_list_mut(&mut self, shown: &ListId) -> Option<&mut RecordList> {
        match shown {
            ListId::View(id) => self.views.records_by_view.get_mut(id),
            ListId::Book(shelf) => self.book.list_mut(shelf),
            ListId::Explore(run) => self.explore.records_mut(*run),
        }
    }

    /// Which lists there are.
    pub fn list_ids(&self) -> impl Iterator<Item = ListId> {
        let runs = self.explore.runs.iter().map(|run| ListId::Explore(run.number));
        let views = self.views.records_by_view.keys().copied().map(ListId::View);
        RecordKind::ALL.iter().cloned().map(ListId::Book).chain(views).chain(runs)
    }

    /// All lists.
    pub fn record_lists(&self) -> impl Iterator<Item = &RecordList> {
        self.views.records_by_view.values().chain(&self.book.lists).chain(self.explore.runs.iter().map(|run| &run.records))
    }

    /// All lists, for what concerns a record wherever it stands.
    pub fn record_lists_mut(&mut self) -> impl Iterator<Item = &mut RecordList> {
        let runs = self.explore.runs.iter_mut().map(|run| &mut run.records);
        self.views.records_by_view.values_mut().chain(&mut self.book.lists).chain(runs)
    }

    /// The record under the cursor, as the route that knows most of it.
    pub fn current_record_key(&self) -> Option<RecordKey> {
        let list = self.displayed_list()?;
        let row = list.current_record()?;
        Some(RecordKey { dataset: list.source.dataset(), id: row.id, in_book: is_in_book(list, row) })
    }
}

/// Whether a row's record is in the book, as far as the row tells: rows of the index do not.
pub fn is_in_book(list: &RecordList, row: &Record) -> bool {
    match list.source {
        RecordSource::Book(_) => true,
        RecordSource::View(..) => !row.fields().is_outside_book(),
        RecordSource::Index(_) => false,
    }
}
