//! A list of records that is read page by page, for a price: the rows of a View, of the book, of a search of the index.
//!
//! One pane for three screens. A list knows its route, what narrows it and how it is sorted; a page is asked for by a key whose
//! price stood on the screen, and never by going somewhere. Marks, the cursor's record and the reasons of failures hang on ids.

pub mod columns;
pub mod commands;
pub mod draw;
mod kept;
pub mod map;

#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap};

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::app::effect::{Call, Effect, RecordKey, Slot};
use crate::app::format::{count, plural};
use crate::app::msg::Token;
use crate::app::notice::Notice;
use crate::app::records::Load;
use crate::app::{App, Screen};
use crate::domain::book::Shelf;
use crate::domain::failure::{Failure, Kind};
use crate::domain::records::Record;
use crate::domain::search::{Found, PAGE_MAX, Search, Sort, Source};
use crate::ui::scroll::Scroll;

/// Rows asked for at once.
pub const PAGE: u32 = 50;

/// Which list of records: each screen has its own.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Shown {
    /// The records of the View that was run last.
    View,
    /// A dataset of the book.
    Book(Shelf),
    /// A run of Explore, by its number.
    Explore(u64),
}

/// A list of records.
#[derive(Clone, Debug)]
pub struct Records {
    /// Where the rows come from.
    pub source: Source,
    /// What narrows and sorts them.
    pub search: Search,
    /// How far reading has come.
    pub load: Load,
    /// The cursor and the first row on the screen.
    pub scroll: Scroll,
    /// Marked records.
    pub marks: BTreeSet<Uuid>,
    /// Where a range began.
    pub range: Option<Uuid>,
    /// How many match, at most 1,000, once it was told.
    pub total: Option<u64>,
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
    slots: HashMap<Uuid, usize>,
    next: Option<String>,
    ask: Option<(Token, Ask)>,
}

/// What a read is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ask {
    /// The first page.
    First,
    /// The next page.
    More,
    /// Every page that is left, one after the other.
    Rest,
    /// One row, for the total.
    Count,
}

impl Records {
    /// A list that was not read yet.
    pub fn new(source: Source) -> Records {
        Records {
            source,
            search: Search::default(),
            load: Load::Idle,
            scroll: Scroll::default(),
            marks: BTreeSet::new(),
            range: None,
            total: None,
            is_capped: false,
            unreadable: 0,
            spent: 0,
            read_at: None,
            reasons: HashMap::new(),
            places: map::Places::default(),
            rows: Vec::new(),
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
        self.next.is_some()
    }

    /// Where the next page begins; none when there is none.
    pub fn next_cursor(&self) -> Option<&str> {
        self.next.as_deref()
    }

    /// A read is under way.
    pub fn is_reading(&self) -> bool {
        self.ask.is_some()
    }

    /// The most that the next page can cost; none when there is none.
    pub fn next_price(&self) -> Option<u64> {
        if self.load != Load::Ready {
            return Some(self.total.map_or(u64::from(PAGE), |total| total.min(u64::from(PAGE))));
        }
        self.next.as_ref()?;
        Some(self.left().map_or(u64::from(PAGE), |left| left.min(u64::from(PAGE))))
    }

    /// The order of the rows: the one that was asked for, else the route's own; a sorting that a View keeps is only for show.
    pub fn sort(&self) -> Option<Sort> {
        let own = || self.source.sort_keys().first().map(|(field, up)| Sort { field: (*field).to_owned(), ascending: *up });
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

    /// Changes a loaded row.
    pub fn change(&mut self, id: Uuid, change: impl FnOnce(&Record) -> Record) {
        if let Some(row) = self.slots.get(&id).and_then(|slot| self.rows.get_mut(*slot)) {
            *row = change(row);
        }
    }

    /// Takes rows out; the cursor stays at its place.
    pub fn drop_rows(&mut self, ids: &[Uuid]) {
        let before = self.rows.len();
        self.rows.retain(|row| !ids.contains(&row.id));
        self.total = self.total.map(|total| total.saturating_sub((before - self.rows.len()) as u64));
        ids.iter().for_each(|id| {
            self.marks.remove(id);
        });
        self.index();
    }

    fn index(&mut self) {
        self.slots = self.rows.iter().enumerate().map(|(slot, row)| (row.id, slot)).collect();
        self.scroll.cursor = self.scroll.cursor.min(self.rows.len().saturating_sub(1));
    }

    /// Takes a page in; of a row that came twice the newer counts.
    fn take(&mut self, ask: Ask, found: Found) {
        if ask == Ask::First {
            self.rows.clear();
            self.slots.clear();
            self.unreadable = 0;
        }
        self.total = found.total;
        self.is_capped = found.total_is_capped;
        self.spent += found.credits.unwrap_or(found.rows.len() as u64);
        if ask == Ask::Count {
            return;
        }
        let before = self.rows.len();
        self.unreadable += found.unreadable;
        for row in found.rows {
            if let Some(slot) = self.slots.get(&row.id) {
                self.rows[*slot] = row;
            } else {
                self.slots.insert(row.id, self.rows.len());
                self.rows.push(row);
            }
        }
        let grew = self.rows.len() > before;
        // A cursor that brings nothing new would be paid for without end.
        self.next = found.search_after.filter(|cursor| grew && self.next.as_ref() != Some(cursor));
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
            Shown::View => self.views.records(),
            Shown::Book(shelf) => self.book.list(shelf),
            Shown::Explore(run) => self.explore.run(*run).map(|run| &run.records),
        }
    }

    /// A list.
    pub fn list_mut(&mut self, shown: &Shown) -> Option<&mut Records> {
        match shown {
            Shown::View => self.views.records_mut(),
            Shown::Book(shelf) => self.book.list_mut(shelf),
            Shown::Explore(run) => self.explore.records_mut(*run),
        }
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

    /// Reads a list from its beginning: up to a page, a credit a row.
    pub fn read_first(&mut self, shown: &Shown) {
        if let Some(list) = self.list_mut(shown) {
            list.next = None;
            list.load = Load::Loading;
            list.scroll = Scroll::default();
            list.range = None;
        }
        self.read_page(shown, Ask::First);
    }

    /// Reads the next page.
    pub fn read_more(&mut self, shown: &Shown) {
        self.read_page(shown, Ask::More);
    }

    /// Reads every page that is left.
    pub fn read_rest(&mut self, shown: &Shown) {
        self.read_page(shown, Ask::Rest);
    }

    /// Reads how many rows there are: one credit, or none when nothing matches.
    pub fn read_count(&mut self, shown: &Shown) {
        self.read_page(shown, Ask::Count);
    }

    fn read_page(&mut self, shown: &Shown, ask: Ask) {
        let Some(list) = self.list(shown) else { return };
        let limit = match ask {
            Ask::First | Ask::More => PAGE,
            Ask::Rest => PAGE_MAX,
            Ask::Count => 1,
        };
        let after = list.next.clone().filter(|_| matches!(ask, Ask::More | Ask::Rest));
        let call = Call::Search { source: list.source.clone(), search: list.search.clone(), after, limit };
        if list.is_reading() {
            self.out.push(Effect::Cancel(Slot::Records(shown.clone())));
        }
        let token = self.call(Slot::Records(shown.clone()), call);
        if let Some(list) = self.list_mut(shown) {
            list.ask = Some((token, ask));
        }
    }

    /// Takes a page of a list; false when the reply belongs to none.
    pub fn records_replied(&mut self, token: Token, result: Result<Found, Failure>) -> bool {
        let Some(shown) = self.list_waiting_for(token) else { return false };
        let now = self.service_now();
        let Some(list) = self.list_mut(&shown) else { return false };
        let Some((_, ask)) = list.ask.take() else { return false };
        match result {
            Ok(found) => {
                let credits = found.credits;
                let before = if ask == Ask::First { 0 } else { list.len() };
                list.take(ask, found);
                if ask == Ask::First {
                    list.read_at = Some(now);
                    list.marks.retain(|id| list.slots.contains_key(id));
                }
                match ask {
                    Ask::Count => {
                        let total = list.total.map_or_else(|| "the service does not tell how many".to_owned(), count);
                        let more = if list.is_capped { " or more" } else { "" };
                        self.notice = Some(Notice::good(format!("{total}{more} match{}", cost_words(credits))));
                    }
                    Ask::Rest if list.has_more() => {
                        list.load = Load::Ready;
                        let so_far = count(list.len() as u64);
                        self.notice = Some(Notice::note(format!("{so_far} rows read")).with("Ctrl-c stops"));
                        self.spent(credits);
                        self.keep_run(&shown, before);
                        self.read_page(&shown, Ask::Rest);
                        return true;
                    }
                    _ => {
                        list.load = Load::Ready;
                        if ask == Ask::More && list.len() > before {
                            list.scroll.cursor = before;
                        }
                        let now = list.len();
                        let (rows, unreadable) = (plural(now - before.min(now), "row"), list.unreadable);
                        let odd = if unreadable > 0 { format!(", {unreadable} unreadable") } else { String::new() };
                        self.notice = Some(Notice::note(format!("{rows} read{odd}{}", cost_words(credits))));
                    }
                }
                self.spent(credits);
                self.keep_run(&shown, before);
            }
            Err(failure) => {
                let has_rows = !list.is_empty();
                list.load = match failure.kind {
                    _ if has_rows => Load::Ready,
                    Kind::Cancelled => Load::Idle,
                    _ => Load::Failed(failure.message.clone()),
                };
                match failure.kind {
                    Kind::Cancelled => self.notice = Some(Notice::note("the read was given up")),
                    _ => self.failed("the rows could not be read", &failure),
                }
            }
        }
        true
    }

    fn list_waiting_for(&self, token: Token) -> Option<Shown> {
        let runs = self.explore.runs.iter().map(|run| Shown::Explore(run.number));
        let mut all = Shelf::ALL.iter().map(|shelf| Shown::Book(shelf.clone())).chain([Shown::View]).chain(runs);
        all.find(|shown| self.list(shown).is_some_and(|list| list.ask.is_some_and(|(asked, _)| asked == token)))
    }

    /// Sorts the list on the screen by a key of its route: it is read anew.
    pub fn sort_records(&mut self, sort: Option<Sort>) {
        if let Some(narrow) = &mut self.explore.narrow {
            narrow.draft.sort = sort;
            return;
        }
        if self.screen == Screen::Explore {
            self.explore.draft_mut().sort.clone_from(&sort);
        }
        let Some(shown) = self.shown_list() else { return };
        if let Some(list) = self.list_mut(&shown) {
            list.search.sort = sort;
        }
        self.read_first(&shown);
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
        Source::Book(_) => true,
        Source::View(..) => !row.fields().is_outside_the_book(),
        Source::Index(_) => false,
    }
}

/// What was paid, after a read.
fn cost_words(credits: Option<u64>) -> String {
    match credits {
        Some(credits) => format!(", {}", plural(usize::try_from(credits).unwrap_or(usize::MAX), "credit")),
        None => ", price not told".to_owned(),
    }
}
