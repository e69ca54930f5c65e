//! A list of records that is read page by page, for a price: the rows of a View, of the book, or of
//! a search of the index.
//!
//! A list knows its route, its filter and its order. Marks, the cursor's record and error messages
//! are keyed by id, so they survive a new read.
//!
//! Never here: what else is on the screen, a call of the service.

mod arrangement;
mod cached_searches;
pub(crate) mod columns;
mod local_search;
pub mod locations;
mod persistence;
mod prices;
mod reading;
mod refresh;
mod sorting;

use std::collections::{BTreeSet, HashMap};
use std::ops::RangeInclusive;

use cached_searches::CachedSearch;
use chrono::{DateTime, Utc};
use columns::available_columns;
pub use local_search::LocalAnswer;
use locations::RecordLocations;
use refresh::Refresh;
use serde_json::Value;
use uuid::Uuid;

use crate::app::format::{self, format_count, pluralize};
use crate::app::model::list_table::{ListLines, amount_column};
use crate::app::model::load_state::LoadState;
use crate::app::model::records::FetchedRecords;
use crate::domain::book::Dataset;
use crate::domain::field_kind::ListSort;
use crate::domain::records::Record;
use crate::domain::search::{RecordSource, Search, SortOrder};
use crate::ui::map::GeoPoint;

/// Rows per page.
pub const PAGE_SIZE: u32 = 50;

/// So many rows of a search are read at once.
pub fn page_size(search: &Search) -> u32 {
    search
        .limit
        .map_or(PAGE_SIZE, |limit| limit.clamp(1, PAGE_SIZE))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordsRead {
    First,
    More,
    /// All remaining pages, one after the other.
    Rest,
    /// The next page of a refresh.
    Refresh,
    Count,
    /// The rows that are saved on this machine; if there are none and `or_first` is set, the first
    /// page.
    Saved {
        or_first: bool,
    },
}

/// A number of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowCount {
    pub total: u64,
    /// There are more.
    pub is_capped: bool,
}

impl RowCount {
    /// `42`, `1,000+`.
    pub fn label(self) -> String {
        format!(
            "{}{}",
            format_count(self.total),
            if self.is_capped { "+" } else { "" }
        )
    }

    /// `42 records`, `1,000+ records`.
    pub fn describe(self, one: &str) -> String {
        if self.is_capped {
            format!("{} {one}s", self.label())
        } else {
            pluralize(self.total, one)
        }
    }
}

#[derive(Clone, Debug)]
pub struct RecordList {
    pub source: RecordSource,
    /// The filter and the order.
    pub search: Search,
    pub load: LoadState,
    pub lines: ListLines,
    pub marks: BTreeSet<Uuid>,
    /// Records that were marked by a comparison, not by the user.
    pub marked_by_comparison: BTreeSet<Uuid>,
    /// Start of the range being selected.
    pub range_anchor: Option<Uuid>,
    /// The number of matches once known, at most 1,000.
    pub total: Option<u64>,
    /// The last known total without a filter.
    pub unfiltered_total: Option<RowCount>,
    /// More match than [`RecordList::total`].
    pub is_capped: bool,
    /// Received rows that could not be parsed.
    pub unreadable: usize,
    /// Credits spent on the list in this session.
    pub credits_spent: u64,
    /// Credits that the loaded rows cost when they were read.
    rows_cost: u64,
    /// The credits that a row costs: those of the interface, or what the service has charged since.
    row_price: u64,
    /// The service sent rows in another order than the requested one.
    ignores_sort: bool,
    pub read_at: Option<DateTime<Utc>>,
    pub write_errors: HashMap<Uuid, String>,
    /// The sums of the marked rows, and which rows they are of.
    marked_totals: (BTreeSet<Uuid>, Vec<String>),
    locations: RecordLocations,
    rows: Vec<Record>,
    /// The order of the lines; `None` is that of the rows.
    sort: Option<ListSort>,
    /// The shown rows were found among this many rows of a complete list; the service was not
    /// asked.
    searched: Option<usize>,
    /// The search that the loaded rows belong to; it differs from `search` after a failed read.
    loaded_search: Search,
    /// Rows of other searches read in this session.
    cached_searches: Vec<CachedSearch>,
    row_indexes: foldhash::HashMap<Uuid, usize>,
    next_page: Option<String>,
    refresh_target: Option<usize>,
    refresh: Option<Refresh>,
    /// The first rows were read later than the others.
    fresher: Option<(usize, DateTime<Utc>)>,
    pending_read: Option<RecordsRead>,
}

impl RecordList {
    /// An unread list.
    pub fn new(source: RecordSource) -> RecordList {
        RecordList {
            lines: ListLines::with_amount(amount_column(available_columns(&source))),
            source,
            search: Search::default(),
            load: LoadState::Idle,
            marks: BTreeSet::new(),
            marked_by_comparison: BTreeSet::new(),
            range_anchor: None,
            total: None,
            unfiltered_total: None,
            is_capped: false,
            unreadable: 0,
            credits_spent: 0,
            rows_cost: 0,
            row_price: 1,
            ignores_sort: false,
            read_at: None,
            write_errors: HashMap::new(),
            marked_totals: Default::default(),
            locations: RecordLocations::default(),
            rows: Vec::new(),
            sort: None,
            searched: None,
            loaded_search: Search::default(),
            cached_searches: Vec::new(),
            row_indexes: foldhash::HashMap::default(),
            next_page: None,
            refresh_target: None,
            refresh: None,
            fresher: None,
            pending_read: None,
        }
    }

    /// The number of loaded rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The row on a line.
    pub fn row_at(&self, line: usize) -> Option<&Record> {
        self.rows.get(self.lines.row_on(line))
    }

    pub fn row(&self, id: Uuid) -> Option<&Record> {
        self.rows.get(*self.row_indexes.get(&id)?)
    }

    pub fn rows(&self) -> &[Record] {
        &self.rows
    }

    pub fn current_record(&self) -> Option<&Record> {
        self.row_at(self.lines.scroll.cursor)
    }

    /// The rows on the lines, in order.
    pub fn shown_rows(&self) -> impl Iterator<Item = &Record> {
        (0..self.lines.len()).filter_map(|line| self.row_at(line))
    }

    /// The index of a record among the loaded rows.
    pub fn index_of(&self, id: Uuid) -> Option<usize> {
        self.row_indexes.get(&id).copied()
    }

    /// The records that a command applies to: the marks that are shown and the range, or the row or
    /// group under the cursor; in list order. What is marked and hidden is left.
    pub fn selection(&self) -> Vec<Uuid> {
        let ids = self.marked_ids();
        if !ids.is_empty() {
            return ids;
        }
        let rows = self.lines.rows_under_cursor().into_iter();
        rows.filter_map(|row| Some(self.rows.get(row)?.id))
            .collect()
    }

    /// The marked records that are shown, and those in the range, in list order.
    pub fn marked_ids(&self) -> Vec<Uuid> {
        let marked = self.marks.iter().copied().filter(|id| self.shows(*id));
        let mut ids: Vec<Uuid> = marked.chain(self.range_ids()).collect();
        ids.sort_unstable_by_key(|id| self.index_of(*id));
        ids.dedup();
        ids
    }

    pub fn has_shown_marks(&self) -> bool {
        self.marks.iter().any(|id| self.shows(*id))
    }

    /// Whether the row of a record is loaded and shown; in a closed group it is.
    fn shows(&self, id: Uuid) -> bool {
        self.index_of(id).is_some_and(|row| self.lines.shows(row))
    }

    /// How many marked records are not shown.
    pub fn hidden_mark_count(&self) -> usize {
        self.marks.iter().filter(|id| !self.shows(**id)).count()
    }

    /// The ids in the range being selected.
    pub fn range_ids(&self) -> Vec<Uuid> {
        self.range_lines()
            .into_iter()
            .flatten()
            .filter_map(|line| self.row_at(line))
            .map(|row| row.id)
            .collect()
    }

    /// The lines in the range being selected.
    pub fn range_lines(&self) -> Option<RangeInclusive<usize>> {
        let (start, here) = (self.line_of(self.range_anchor?)?, self.lines.scroll.cursor);
        Some(start.min(here)..=start.max(here))
    }

    pub fn has_more(&self) -> bool {
        self.next_cursor().is_some()
    }

    /// The cursor of the next page; None if there is none or the list is being read again.
    pub fn next_cursor(&self) -> Option<&str> {
        self.next_page
            .as_deref()
            .filter(|_| self.load == LoadState::Ready)
    }

    /// Whether the loaded rows were read in an earlier session.
    pub fn is_from_earlier_session(&self) -> bool {
        self.searched.is_none()
            && self.read_at.is_some()
            && self.credits_spent == 0
            && !self.is_empty()
    }

    /// The order of the rows: the requested one, or the route's default, unless the rows came in
    /// another. A sort stored with a View does not count, since the service ignores it.
    pub fn sort_order(&self) -> Option<SortOrder> {
        if self.ignores_sort {
            return None;
        }
        let own = || {
            self.source
                .sort_keys()
                .first()
                .map(|(field, up)| SortOrder {
                    field: (*field).to_owned(),
                    ascending: *up,
                })
        };
        self.search.sort.clone().or_else(own)
    }

    /// Whether this field sorts the rows, and if so, whether ascending.
    pub fn sort_direction(&self, field: &str) -> Option<bool> {
        if let Some(sort) = self.sort {
            return (sort.key == field).then_some(!sort.is_descending);
        }
        self.sort_order()
            .filter(|sort| sort.field == field)
            .map(|sort| sort.ascending)
    }

    /// The number of matches, if known.
    pub fn row_count(&self) -> Option<RowCount> {
        self.total.map(|total| RowCount {
            total,
            is_capped: self.is_capped,
        })
    }

    /// How many rows are left to read, if known.
    pub fn remaining(&self) -> Option<u64> {
        let total = self.total.filter(|_| !self.is_capped)?;
        Some(total.saturating_sub(self.rows.len() as u64))
    }

    /// Changes a record in the loaded rows and in those of other searches.
    pub fn update_record(&mut self, id: Uuid, change: impl Fn(&Record) -> Record) {
        if let Some(row) = self
            .row_indexes
            .get(&id)
            .and_then(|slot| self.rows.get_mut(*slot))
        {
            *row = change(row);
        }
        for row in self
            .cached_searches
            .iter_mut()
            .flat_map(|reading| &mut reading.rows)
            .filter(|row| row.id == id)
        {
            *row = change(row);
        }
    }

    /// A click on a row. Returns the command to run, if it was the current one.
    pub fn click_row(&mut self, line: usize) -> Option<&'static str> {
        self.lines.click(line).then_some("records.open")
    }

    /// Ends the range, or else clears the marks. Returns whether there was something to clear.
    pub fn clear_selection(&mut self) -> bool {
        self.range_anchor.take().is_some() || !std::mem::take(&mut self.marks).is_empty()
    }

    /// Removes rows; the cursor keeps its index.
    pub fn remove_rows(&mut self, ids: &[Uuid]) {
        let before = self.rows.len();
        self.rows.retain(|row| !ids.contains(&row.id));
        let gone = (before - self.rows.len()) as u64;
        let unfiltered = self.unfiltered_total.as_mut().map(|count| &mut count.total);
        for total in self.total.as_mut().into_iter().chain(unfiltered) {
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

    /// How many rows of how many: `50 of 300 rows; 50 are loaded.`
    pub fn describe_scope(&self, chosen: usize) -> String {
        let loaded = self.len();
        let chosen = format_count(chosen as u64);
        match self.total {
            Some(total) if self.is_capped => {
                format!(
                    "{chosen} of more than {}; {} are loaded.",
                    pluralize(total, "row"),
                    format_count(loaded as u64)
                )
            }
            Some(total) if total > loaded as u64 => {
                format!(
                    "{chosen} of {}; {} are loaded.",
                    pluralize(total, "row"),
                    format_count(loaded as u64)
                )
            }
            _ => format!("{chosen} of {} in this list.", pluralize(loaded, "row")),
        }
    }

    /// Whether a row's record is in the book, as far as the row shows: rows of the index do not.
    pub fn is_in_book(&self, row: &Record) -> bool {
        match self.source {
            RecordSource::Book(_) => true,
            RecordSource::View(..) => !row.is_outside_book(),
            RecordSource::Index(_) => false,
        }
    }

    /// The line that shows a record.
    pub fn line_of(&self, id: Uuid) -> Option<usize> {
        self.lines.line_of(self.index_of(id)?)
    }

    /// Writes all values of a row.
    pub fn write_row(&self, row: usize, text: &mut String) {
        if let Some(row) = self.rows.get(row) {
            write_row_text(row, text);
        }
    }

    /// Whether records of this kind have a location.
    pub fn has_locations(&self) -> bool {
        matches!(self.source.dataset(), Dataset::Accounts | Dataset::Projects)
    }

    /// Where the location of a row without one can be found, with keys in braces.
    pub fn describe_place_source(&self) -> Option<&'static str> {
        match (&self.source, self.source.dataset()) {
            (RecordSource::Index(_), _) => None,
            (_, Dataset::Accounts) => Some("a firm's page ({records.open}, 1 cr) has it"),
            _ => Some("rows of Explore have one"),
        }
    }

    /// Whether the place of any of its rows is known.
    pub fn is_located(&self) -> bool {
        self.rows.iter().any(|row| self.location(row.id).is_some())
    }

    /// Finds the locations of its rows, in the rows themselves and in records that were paid for.
    pub fn locate_records(&mut self, fetched: &FetchedRecords) {
        let dataset = self.source.dataset();
        self.locations.scan(
            &self.rows,
            self.read_at,
            fetched.count(),
            fetched.of_dataset(&dataset),
        );
    }

    /// The location of a row's record and its city, if known.
    pub fn location(&self, id: Uuid) -> Option<&(GeoPoint, String)> {
        self.locations.get(id)
    }

    fn rebuild_index(&mut self) {
        self.row_indexes = self
            .rows
            .iter()
            .enumerate()
            .map(|(slot, row)| (row.id, slot))
            .collect();
        self.update_lines();
    }
}

/// Writes the values of a row as a text to search: words as they are on the wire and as they are
/// shown.
fn write_row_text(row: &Record, text: &mut String) {
    fn write_value(value: &Value, text: &mut String) {
        match value {
            Value::String(word) if word.contains('_') => {
                text.extend([word, " ", &format::humanize(word), " "])
            }
            Value::String(word) => text.extend([word, " "]),
            Value::Number(number) => text.extend([&number.to_string(), " "]),
            Value::Array(items) => items.iter().for_each(|item| write_value(item, text)),
            _ => {}
        }
    }
    row.fields()
        .iter()
        .filter(|(name, _)| *name != "id")
        .for_each(|(_, value)| write_value(value, text));
}
