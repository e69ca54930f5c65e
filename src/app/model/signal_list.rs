//! A list of any length that is read in windows.
//!
//! Only loaded rows take memory: the length is what the service reports, and allocates nothing. A page that contradicts the list
//! (another total) wins: other slots are forgotten and read again when they become visible. A row that was requested and did not
//! come is remembered as [`MissingReason`], so that it is not requested forever.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

use crate::domain::SignalId;
use crate::domain::pages::Page;
use crate::domain::queue::QueueSignal;

/// Rows per request.
pub const WINDOW_ROWS: u32 = 100;
/// Above this many rows, those far from the last page are forgotten.
const MAX_ROWS_IN_MEMORY: usize = 20_000;
/// Reachable rows: an offset has 32 bits.
const MAX_REACHABLE_ROWS: usize = u32::MAX as usize;

/// Why a requested row is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingReason {
    /// It arrived and could not be parsed.
    Unreadable,
    /// The service counts it but did not send it.
    NotSent,
}

/// The queue's rows under one filter and status.
#[derive(Clone, Debug, Default)]
pub struct SignalList {
    total: u64,
    slots: BTreeMap<usize, SignalId>,
    missing: BTreeMap<usize, MissingReason>,
    rows: HashMap<SignalId, QueueSignal>,
}

/// A row that was removed, and its slot.
#[derive(Clone, Debug, PartialEq)]
pub struct RemovedRow {
    /// Counted before anything was removed.
    pub slot: Option<usize>,
    pub id: SignalId,
    /// `None` when it was not loaded.
    pub row: Option<QueueSignal>,
}

impl SignalList {
    /// How many rows can be reached.
    pub fn len(&self) -> usize {
        usize::try_from(self.total).unwrap_or(MAX_REACHABLE_ROWS).min(MAX_REACHABLE_ROWS)
    }

    /// How many rows the service reports.
    pub fn total(&self) -> u64 {
        self.total
    }

    pub fn is_empty(&self) -> bool {
        self.total == 0
    }

    pub fn id_at(&self, slot: usize) -> Option<SignalId> {
        self.slots.get(&slot).copied()
    }

    pub fn row(&self, id: SignalId) -> Option<&QueueSignal> {
        self.rows.get(&id)
    }

    pub fn row_at(&self, slot: usize) -> Option<&QueueSignal> {
        self.row(self.id_at(slot)?)
    }

    pub fn missing(&self, slot: usize) -> Option<MissingReason> {
        self.missing.get(&slot).copied()
    }

    pub fn missing_count(&self, why: MissingReason) -> usize {
        self.missing.values().filter(|missing| **missing == why).count()
    }

    pub fn slot_of(&self, id: SignalId) -> Option<usize> {
        self.slots.iter().find(|(_, there)| **there == id).map(|(slot, _)| *slot)
    }

    /// The loaded rows in order, with their slots.
    pub fn loaded_rows(&self) -> impl Iterator<Item = (usize, &QueueSignal)> {
        self.slots.iter().filter_map(|(slot, id)| Some((*slot, self.rows.get(id)?)))
    }

    /// The loaded IDs within these slots, in order.
    pub fn ids_in(&self, slots: Range<usize>) -> impl Iterator<Item = (usize, SignalId)> {
        self.slots.range(slots).map(|(slot, id)| (*slot, *id))
    }

    /// The first slot of `shown` that was neither loaded nor requested.
    pub fn first_gap(&self, shown: Range<usize>) -> Option<u32> {
        // Every step but the last passes a row that is kept: this never takes longer than the number of kept rows.
        let mut slots = shown.start..shown.end.min(self.len());
        let first = slots.find(|slot| !self.slots.contains_key(slot) && !self.missing.contains_key(slot))?;
        u32::try_from(first).ok()
    }

    /// The first slot of the window of `limit` rows that closes the first gap of `shown`. A gap with loaded rows only below it is
    /// closed from above: the window ends with it. The last window of the list ends with the list.
    pub fn window_start(&self, shown: Range<usize>, limit: u32) -> Option<u32> {
        let gap = self.first_gap(shown.clone())? as usize;
        let is_gap = |slot: usize| !self.slots.contains_key(&slot) && !self.missing.contains_key(&slot);
        let follows_loaded_row = gap.checked_sub(1).is_none_or(|above| !is_gap(above));
        let end = (gap..shown.end.min(self.len())).find(|slot| !is_gap(*slot));
        let start = match end {
            _ if follows_loaded_row => gap,
            Some(end) => end.saturating_sub(limit as usize),
            None => gap.min(self.len().saturating_sub(limit as usize)),
        };
        u32::try_from(start).ok()
    }

    /// Inserts a page for which `asked` rows were requested. Other slots that contradict it are forgotten, with `replace_all` all
    /// of them. Returns true when they were.
    pub fn insert_page(&mut self, page: Page<QueueSignal>, asked: u32, replace_all: bool) -> bool {
        let offset = page.offset as usize;
        let end = offset + page.rows.len();
        let unreadable = end..end + page.unreadable.min(asked as usize);
        // An empty page before the end of the list is not requested again: nothing suggests that a second attempt would differ.
        let not_sent = if unreadable.end == offset { offset..offset + asked as usize } else { 0..0 };
        // Without a total, a page that is not full is the last.
        let untold = if unreadable.end < offset + asked as usize { unreadable.end as u64 } else { self.total };
        let least = if unreadable.end == offset { 0 } else { unreadable.end as u64 };
        let total = page.total.unwrap_or(untold).max(least);
        let replace_all = replace_all || total != self.total;
        self.total = total;
        if replace_all {
            self.slots.clear();
            self.missing.clear();
        } else {
            let ids: HashSet<SignalId> = page.rows.iter().map(|row| row.signal.id).collect();
            self.slots.retain(|slot, id| (offset..end).contains(slot) || !ids.contains(id));
        }
        let len = self.len();
        for (why, slots) in [(MissingReason::Unreadable, unreadable), (MissingReason::NotSent, not_sent)] {
            for slot in slots.start..slots.end.min(len) {
                self.slots.remove(&slot);
                self.missing.insert(slot, why);
            }
        }
        for (slot, row) in (offset..).zip(page.rows) {
            self.missing.remove(&slot);
            self.slots.insert(slot, row.signal.id);
            self.rows.insert(row.signal.id, row);
        }
        let is_full = self.rows.len().max(self.missing.len()) > MAX_ROWS_IN_MEMORY;
        if is_full {
            let near = offset.saturating_sub(MAX_ROWS_IN_MEMORY / 4)..offset + MAX_ROWS_IN_MEMORY / 4;
            self.slots.retain(|slot, _| near.contains(slot));
            self.missing.retain(|slot, _| near.contains(slot));
        }
        if replace_all || is_full {
            let kept: HashSet<SignalId> = self.slots.values().copied().collect();
            self.rows.retain(|id, _| kept.contains(id));
        }
        replace_all
    }

    /// Removes rows and closes the gaps. IDs that are not in the list are returned without a slot.
    pub fn remove_rows(&mut self, ids: &[SignalId]) -> Vec<RemovedRow> {
        let wanted: HashSet<SignalId> = ids.iter().copied().collect();
        let at: HashMap<SignalId, usize> =
            self.slots.iter().filter(|(_, id)| wanted.contains(id)).map(|(slot, id)| (*id, *slot)).collect();
        let mut gone: Vec<usize> = at.values().copied().collect();
        gone.sort_unstable();
        let closed = |slot: usize| slot - gone.partition_point(|gone| *gone < slot);
        self.slots.retain(|_, id| !wanted.contains(id));
        self.slots = std::mem::take(&mut self.slots).into_iter().map(|(slot, id)| (closed(slot), id)).collect();
        self.missing = std::mem::take(&mut self.missing).into_iter().map(|(slot, why)| (closed(slot), why)).collect();
        self.total = self.total.saturating_sub(gone.len() as u64);
        ids.iter().map(|&id| RemovedRow { slot: at.get(&id).copied(), id, row: self.rows.remove(&id) }).collect()
    }

    /// Puts rows back into their slots. Rows without a slot are left to the next read; rows that a read has already brought back
    /// stay where they are.
    pub fn restore_rows(&mut self, taken: impl IntoIterator<Item = RemovedRow>) {
        let with_slot = |taken: RemovedRow| Some((taken.id, (taken.slot?, taken.row?)));
        let mut back: HashMap<SignalId, (usize, QueueSignal)> = taken.into_iter().filter_map(with_slot).collect();
        self.slots.values().for_each(|id| drop(back.remove(id)));
        let mut back: Vec<(SignalId, (usize, QueueSignal))> = back.into_iter().collect();
        back.sort_unstable_by_key(|(id, (slot, _))| (*slot, *id));
        // Their slots once all of them are back.
        let (mut at, mut least, mut end) = (Vec::with_capacity(back.len()), 0, self.len());
        for (_, (slot, _)) in &back {
            let slot = (*slot).clamp(least, end.max(least));
            at.push(slot);
            (least, end) = (slot + 1, end + 1);
        }
        // Moves each slot up by the number of rows inserted before it.
        fn make_room<T>(slots: BTreeMap<usize, T>, at: &[usize]) -> BTreeMap<usize, T> {
            let mut before = 0;
            let open = |(slot, what): (usize, T)| {
                before += at[before..].iter().zip(slot + before..).take_while(|(at, slot)| *at <= slot).count();
                (slot + before, what)
            };
            slots.into_iter().map(open).collect()
        }
        self.slots = make_room(std::mem::take(&mut self.slots), &at);
        self.missing = make_room(std::mem::take(&mut self.missing), &at);
        self.total = self.total.saturating_add(at.len() as u64);
        for (slot, (id, (_, row))) in at.into_iter().zip(back) {
            self.slots.insert(slot, id);
            self.rows.insert(id, row);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use uuid::Uuid;

    fn id(n: usize) -> SignalId {
        SignalId(Uuid::from_u128(n as u128 + 1))
    }

    fn row(n: usize) -> QueueSignal {
        serde_json::from_value(serde_json::json!({ "id": id(n), "project_name": format!("Project {n}") })).unwrap()
    }

    fn page(range: Range<usize>, total: usize) -> Page<QueueSignal> {
        Page {
            offset: u32::try_from(range.start).unwrap(),
            rows: range.map(row).collect(),
            unreadable: 0,
            total: Some(total as u64),
        }
    }

    fn ids_of(list: &SignalList) -> Vec<Option<SignalId>> {
        (0..list.len()).map(|slot| list.id_at(slot)).collect()
    }

    #[test]
    fn only_visible_rows_are_requested() {
        let mut list = SignalList::default();
        assert!(list.insert_page(page(0..100, 100_000), 100, false));
        assert_eq!(list.first_gap(0..50), None);
        assert_eq!(list.first_gap(80..130), Some(100));
        assert_eq!(list.first_gap(99_960..100_010), Some(99_960));
        assert!(!list.insert_page(page(99_960..100_000, 100_000), 100, false));
        assert_eq!(list.first_gap(99_960..100_010), None);
        assert_eq!(list.row_at(99_999).unwrap().signal.id, id(99_999));
    }

    #[test]
    fn a_window_ends_where_loaded_rows_begin_when_the_user_comes_from_below() {
        let mut list = SignalList::default();
        list.insert_page(page(0..100, 1_000), 100, false);
        assert_eq!(list.window_start(80..130, 100), Some(100), "coming from above it begins at the gap");
        assert_eq!(list.window_start(990..1_030, 100), Some(900), "the last window ends with the list");
        list.insert_page(page(900..1_000, 1_000), 100, false);
        assert_eq!(list.window_start(899..929, 100), Some(800), "one row up from the last window");
        assert_eq!(list.window_start(500..530, 100), Some(500), "a jump into the middle");
        list.insert_page(page(110..120, 1_000), 10, false);
        assert_eq!(list.window_start(95..125, 100), Some(100), "a gap between loaded rows is closed from its start");
        assert_eq!(list.window_start(60..90, 100), None);
    }

    #[test]
    fn a_page_with_another_total_replaces_the_list() {
        let mut list = SignalList::default();
        list.insert_page(page(0..100, 200), 100, false);
        assert!(list.insert_page(Page { total: Some(201), ..page(100..150, 0) }, 100, false));
        assert_eq!(list.id_at(0), None, "rows before the page may have moved");
        assert_eq!(list.id_at(100), Some(id(100)));
        assert_eq!(list.len(), 201);
    }

    #[test]
    fn memory_use_does_not_depend_on_the_total() {
        for total in [100_000_000, 1 << 31, 1 << 63, u64::MAX] {
            let mut list = SignalList::default();
            list.insert_page(Page { total: Some(total), ..page(0..100, 0) }, 100, false);
            assert_eq!((list.total(), list.loaded_rows().count(), list.first_gap(50..150)), (total, 100, Some(100)));
            let last = list.len() - 30;
            assert_eq!(list.first_gap(last..last + 60), u32::try_from(last).ok());
            let taken = list.remove_rows(&[id(3), id(7)]);
            assert_eq!((list.total(), list.row_at(6).unwrap().signal.id), (total - 2, id(8)));
            list.restore_rows(taken);
            assert_eq!((list.total(), list.row_at(7).unwrap().signal.id), (total, id(7)));
        }
    }

    #[test]
    fn a_missing_row_is_not_requested_again() {
        let mut list = SignalList::default();
        list.insert_page(Page { unreadable: 1, total: Some(100), ..page(0..99, 0) }, 100, false);
        assert_eq!((list.first_gap(50..100), list.missing(99)), (None, Some(MissingReason::Unreadable)));
        let mut list = SignalList::default();
        list.insert_page(page(0..100, 101), 100, false);
        assert_eq!(list.first_gap(60..120), Some(100));
        list.insert_page(Page { offset: 100, total: Some(101), ..Page::default() }, 100, false);
        assert_eq!((list.first_gap(60..120), list.missing(100), list.len()), (None, Some(MissingReason::NotSent), 101));
        list.insert_page(page(100..101, 101), 100, false);
        assert_eq!((list.missing_count(MissingReason::NotSent), list.id_at(100)), (0, Some(id(100))), "it came after all");
    }

    #[test]
    fn a_moved_row_is_in_the_list_once() {
        let mut list = SignalList::default();
        list.insert_page(page(0..10, 20), 100, false);
        list.insert_page(Page { offset: 10, ..page(5..15, 20) }, 100, false);
        assert_eq!(list.slot_of(id(7)), Some(12));
        assert_eq!(ids_of(&list).iter().flatten().filter(|found| **found == id(7)).count(), 1);
    }

    #[test]
    fn a_row_that_a_read_brought_back_is_not_restored_twice() {
        let mut list = SignalList::default();
        list.insert_page(page(0..10, 10), 100, false);
        let taken = list.remove_rows(&[id(3), id(5)]);
        list.insert_page(Page { rows: (0..10).filter(|n| *n != 5).map(row).collect(), ..page(0..9, 9) }, 100, true);
        list.restore_rows(taken);
        assert_eq!(ids_of(&list), (0..10).map(|n| Some(id(n))).collect::<Vec<_>>());
    }

    proptest! {
        #[test]
        fn removed_rows_are_restored_to_their_places(total in 1usize..60, picks in proptest::collection::btree_set(0usize..60, 0..20)) {
            let mut list = SignalList::default();
            list.insert_page(page(0..total, total), 100, false);
            let before = ids_of(&list);
            let ids: Vec<SignalId> = picks.into_iter().filter(|n| *n < total).map(id).collect();
            let taken = list.remove_rows(&ids);
            prop_assert_eq!(list.len(), total - ids.len());
            list.restore_rows(taken);
            prop_assert_eq!(ids_of(&list), before);
        }
    }
}
