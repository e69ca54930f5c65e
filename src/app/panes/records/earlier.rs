//! Rows that a list was read with before: they were paid for, so going back to them in this session costs nothing.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::{Records, Shown};
use crate::app::App;
use crate::app::effect::{Effect, Slot};
use crate::app::format::{format_time, pluralize};
use crate::app::notice::Notice;
use crate::app::records::LoadState;
use crate::domain::records::Record;
use crate::domain::search::Search;
use crate::ui::scroll::ScrollState;

/// Readings that a list keeps beside the one on the screen; the oldest goes first.
const KEPT: usize = 8;

/// The rows of one search.
#[derive(Clone, Debug)]
pub(super) struct Reading {
    of: Search,
    pub(super) rows: Vec<Record>,
    next: Option<String>,
    total: Option<u64>,
    is_capped: bool,
    unreadable: usize,
    read_at: DateTime<Utc>,
    scroll: ScrollState,
}

impl Reading {
    /// Whether a search found it.
    pub(super) fn is_of(&self, search: &Search) -> bool {
        self.of == *search
    }

    /// Takes rows out.
    pub(super) fn drop_rows(&mut self, ids: &[Uuid]) {
        let before = self.rows.len();
        self.rows.retain(|row| !ids.contains(&row.id));
        let gone = (before - self.rows.len()) as u64;
        self.total = self.total.map(|total| total.saturating_sub(gone));
    }
}

impl Records {
    /// When the rows of a search were read in this session, if they were.
    pub fn read_before(&self, search: &Search) -> Option<DateTime<Utc>> {
        if self.of == *search && self.read_at.is_some() {
            return self.read_at;
        }
        self.earlier.iter().find(|reading| reading.is_of(search)).map(|reading| reading.read_at)
    }

    /// Puts the rows on the screen aside, before those of another search take their place.
    pub(super) fn put_aside(&mut self) {
        let Some(read_at) = self.read_at.take() else { return };
        self.earlier.retain(|reading| reading.of != self.of);
        self.earlier.push(Reading {
            of: self.of.clone(),
            rows: std::mem::take(&mut self.rows),
            next: self.next.take(),
            total: self.total.take(),
            is_capped: self.is_capped,
            unreadable: self.unreadable,
            read_at,
            scroll: self.scroll,
        });
        let surplus = self.earlier.len().saturating_sub(KEPT);
        self.earlier.drain(..surplus);
        self.index();
    }

    /// Shows nothing yet of the whole list, which was not read: its price stands there.
    pub(super) fn wait_for_whole(&mut self) {
        self.put_aside();
        self.ask = None;
        (self.search, self.of) = (Search::default(), Search::default());
        (self.total, self.is_capped, self.unreadable) = (self.whole_total, false, 0);
        (self.scroll, self.range, self.load) = (ScrollState::default(), None, LoadState::Idle);
    }

    /// Brings the rows of a search back as they were read; false when they were not.
    fn bring_back(&mut self, search: &Search) -> bool {
        if self.of != *search || self.read_at.is_none() {
            let Some(at) = self.earlier.iter().position(|reading| reading.is_of(search)) else { return false };
            let reading = self.earlier.remove(at);
            self.put_aside();
            self.of = reading.of;
            self.rows = reading.rows;
            self.next = reading.next;
            self.total = reading.total;
            self.is_capped = reading.is_capped;
            self.unreadable = reading.unreadable;
            self.read_at = Some(reading.read_at);
            self.scroll = reading.scroll;
            self.range = None;
            self.index();
        }
        self.search = search.clone();
        self.load = LoadState::Ready;
        self.marks.retain(|id| self.slots.contains_key(id));
        true
    }
}

impl App {
    /// Shows the rows of another search: those that are here for nothing, else from the service for their price.
    pub(in crate::app) fn search_records(&mut self, shown: &Shown, search: Search) {
        if self.show_read(shown, &search) {
            return;
        }
        if let Some(list) = self.list_mut(shown) {
            list.search = search;
        }
        self.read_first(shown);
    }

    /// Shows the rows that a search found in this session; false when there are none.
    pub(super) fn show_read(&mut self, shown: &Shown, search: &Search) -> bool {
        let (now, zone) = (self.service_now(), self.settings.utc_offset);
        let Some(list) = self.list_mut(shown) else { return false };
        if !list.bring_back(search) {
            return false;
        }
        let was_reading = list.ask.take().is_some();
        let read = list.read_at.map(|at| format!(", read {}", format_time(at, now, zone))).unwrap_or_default();
        let text = format!("{}{read}, 0 credits", pluralize(list.len(), "row"));
        if was_reading {
            self.effects.push(Effect::Cancel(Slot::Records(shown.clone())));
        }
        self.notice = Some(Notice::info(text).with_hint("{records.refresh} reads again"));
        self.narrowed(shown);
        true
    }
}
