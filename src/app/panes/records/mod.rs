//! A list of records that is read page by page, for a price: the rows of a View, of the book, of a search of the index.
//!
//! One pane for three screens. A list knows its route, what narrows it and how it is sorted; a page is asked for by a key whose
//! price stood on the screen, and never by going somewhere. Marks, the cursor's record and the reasons of failures hang on ids.

pub mod columns;
pub mod commands;
pub mod draw;
mod earlier;
mod kept;
pub mod map;
mod reading;

#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap};

use chrono::{DateTime, Utc};
use reading::Ask;
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
pub const PAGE: u32 = 50;

/// Which list of records: each screen has its own.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Shown {
    /// The records of a View.
    View(ViewId),
    /// A dataset of the book.
    Book(RecordKind),
    /// A run of Explore, by its number.
    Explore(u64),
}

/// A list of records.
#[derive(Clone, Debug)]
pub struct Records {
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
    pub compared: BTreeSet<Uuid>,
    /// Where a range began.
    pub range: Option<Uuid>,
    /// How many match, at most 1,000, once it was told.
    pub total: Option<u64>,
    /// The same without any filter, as it was told last.
    pub whole_total: Option<u64>,
    /// More match than [`Records::total`] says.
    pub is_capped: bool,
    /// Rows that came and could not be read.
    pub unreadable: usize,
    /// Credits that this list has cost.
    pub spent: u64,
    /// When its first page was read, on the service's clock.
    pub read_at: Option<DateTime<Utc>>,
    /// Why the last write of a record failed.
    pub reasons: HashMap<Uuid, String>,
    places: map::Places,
    rows: Vec<Record>,
    /// What the rows were read with: that of a read that failed is not theirs.
    of: Search,
    /// Rows of other searches that were read in this session.
    earlier: Vec<earlier::Reading>,
    slots: HashMap<Uuid, usize>,
    next: Option<String>,
    ask: Option<(Token, Ask)>,
}

impl Records {
    /// A list that was not read yet.
    pub fn new(source: RecordSource) -> Records {
        Records {
            source,
            search: Search::default(),
            load: LoadState::Idle,
            scroll: ScrollState::default(),
            marks: BTreeSet::new(),
            compared: BTreeSet::new(),
            range: None,
            total: None,
            whole_total: None,
            is_capped: false,
            unreadable: 0,
            spent: 0,
            read_at: None,
            reasons: HashMap::new(),
            places: map::Places::default(),
            rows: Vec::new(),
            of: Search::default(),
            earlier: Vec::new(),
            slots: HashMap::new(),
            next: None,
            ask: None,
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
    pub fn at(&self, at: usize) -> Option<&Record> {
        self.rows.get(at)
    }

    /// A loaded row.
    pub fn row(&self, id: Uuid) -> Option<&Record> {
        self.rows.get(*self.slots.get(&id)?)
    }

    /// All loaded rows, in the service's order.
    pub fn rows(&self) -> &[Record] {
        &self.rows
    }

    /// The row under the cursor.
    pub fn current(&self) -> Option<&Record> {
        self.at(self.scroll.cursor)
    }

    /// Where an id stands.
    pub fn slot_of(&self, id: Uuid) -> Option<usize> {
        self.slots.get(&id).copied()
    }

    /// What an act would be about: the marks and the range, or the row under the cursor; in the order of the list.
    pub fn chosen(&self) -> Vec<Uuid> {
        let mut ids: Vec<Uuid> = self.marks.iter().copied().chain(self.range_ids()).collect();
        ids.sort_unstable_by_key(|id| (self.slot_of(*id), *id));
        ids.dedup();
        if ids.is_empty() { self.current().map(|row| row.id).into_iter().collect() } else { ids }
    }

    /// The ids of the range that is being drawn.
    pub fn range_ids(&self) -> Vec<Uuid> {
        let Some(start) = self.range.and_then(|id| self.slot_of(id)) else { return Vec::new() };
        let (from, to) = (start.min(self.scroll.cursor), start.max(self.scroll.cursor));
        self.rows.iter().skip(from).take(to + 1 - from).map(|row| row.id).collect()
    }

    /// More rows can be read.
    pub fn has_more(&self) -> bool {
        self.next_cursor().is_some()
    }

    /// Where the next page begins; none when there is none, and while the list is read anew.
    pub fn next_cursor(&self) -> Option<&str> {
        self.next.as_deref().filter(|_| self.load == LoadState::Ready)
    }

    /// A read is under way.
    pub fn is_reading(&self) -> bool {
        self.ask.is_some()
    }

    /// The most that the next page can cost; none when there is none.
    pub fn next_price(&self) -> Option<u64> {
        if self.load != LoadState::Ready {
            return Some(self.total.map_or(u64::from(PAGE), |total| total.min(u64::from(PAGE))));
        }
        self.next.as_ref()?;
        Some(self.left().map_or(u64::from(PAGE), |left| left.min(u64::from(PAGE))))
    }

    /// The order of the rows: the one that was asked for, else the route's own; a sorting that a View keeps is only for show.
    pub fn sort(&self) -> Option<SortOrder> {
        let own = || self.source.sort_keys().first().map(|(field, up)| SortOrder { field: (*field).to_owned(), ascending: *up });
        self.search.sort.clone().or_else(own)
    }

    /// Whether a field sorts the rows, and then whether from the least on.
    pub fn sorted_by(&self, field: &str) -> Option<bool> {
        self.sort().filter(|sort| sort.field == field).map(|sort| sort.ascending)
    }

    /// How many rows are left to read, where that is known.
    pub fn left(&self) -> Option<u64> {
        let total = self.total.filter(|_| !self.is_capped)?;
        Some(total.saturating_sub(self.rows.len() as u64))
    }

    /// Changes a record in the loaded rows, and in those of other searches.
    pub fn change(&mut self, id: Uuid, change: impl Fn(&Record) -> Record) {
        if let Some(row) = self.slots.get(&id).and_then(|slot| self.rows.get_mut(*slot)) {
            *row = change(row);
        }
        for row in self.earlier.iter_mut().flat_map(|reading| &mut reading.rows).filter(|row| row.id == id) {
            *row = change(row);
        }
    }

    /// Takes rows out; the cursor stays at its place.
    pub fn drop_rows(&mut self, ids: &[Uuid]) {
        let before = self.rows.len();
        self.rows.retain(|row| !ids.contains(&row.id));
        let gone = (before - self.rows.len()) as u64;
        for total in [&mut self.total, &mut self.whole_total].into_iter().flatten() {
            *total = total.saturating_sub(gone);
        }
        for reading in &mut self.earlier {
            reading.drop_rows(ids);
        }
        ids.iter().for_each(|id| {
            self.marks.remove(id);
        });
        self.index();
    }

    fn index(&mut self) {
        self.slots = self.rows.iter().enumerate().map(|(slot, row)| (row.id, slot)).collect();
        self.scroll.cursor = self.scroll.cursor.min(self.rows.len().saturating_sub(1));
    }
}

impl App {
    /// The list on the screen.
    pub fn records(&self) -> Option<&Records> {
        self.list(&self.shown_list()?)
    }

    /// The list on the screen.
    pub fn records_mut(&mut self) -> Option<&mut Records> {
        self.list_mut(&self.shown_list()?)
    }

    /// A list.
    pub fn list(&self, shown: &Shown) -> Option<&Records> {
        match shown {
            Shown::View(id) => self.views.opened.get(id),
            Shown::Book(shelf) => self.book.list(shelf),
            Shown::Explore(run) => self.explore.run(*run).map(|run| &run.records),
        }
    }

    /// A list.
    pub fn list_mut(&mut self, shown: &Shown) -> Option<&mut Records> {
        match shown {
            Shown::View(id) => self.views.opened.get_mut(id),
            Shown::Book(shelf) => self.book.list_mut(shelf),
            Shown::Explore(run) => self.explore.records_mut(*run),
        }
    }

    /// Which lists there are.
    pub fn all_shown(&self) -> impl Iterator<Item = Shown> {
        let runs = self.explore.runs.iter().map(|run| Shown::Explore(run.number));
        let views = self.views.opened.keys().copied().map(Shown::View);
        RecordKind::ALL.iter().cloned().map(Shown::Book).chain(views).chain(runs)
    }

    /// All lists.
    pub fn lists(&self) -> impl Iterator<Item = &Records> {
        self.views.opened.values().chain(&self.book.lists).chain(self.explore.runs.iter().map(|run| &run.records))
    }

    /// All lists, for what concerns a record wherever it stands.
    pub fn lists_mut(&mut self) -> impl Iterator<Item = &mut Records> {
        let runs = self.explore.runs.iter_mut().map(|run| &mut run.records);
        self.views.opened.values_mut().chain(&mut self.book.lists).chain(runs)
    }

    /// The record under the cursor, as the route that knows most of it.
    pub fn record_key(&self) -> Option<RecordKey> {
        let list = self.records()?;
        let row = list.current()?;
        Some(RecordKey { dataset: list.source.dataset(), id: row.id, in_book: is_in_book(list, row) })
    }
}

/// Whether a row's record is in the book, as far as the row tells: rows of the index do not.
pub fn is_in_book(list: &Records, row: &Record) -> bool {
    match list.source {
        RecordSource::Book(_) => true,
        RecordSource::View(..) => !row.fields().is_outside_book(),
        RecordSource::Index(_) => false,
    }
}
