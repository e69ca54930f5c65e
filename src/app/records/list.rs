//! A list of any length that is read in windows.
//!
//! A slot stands for each row of the service's list, in its order; the rows that were read hang on their ids. A page that
//! contradicts the list (another total) wins: all other slots are forgotten and read again when they come into sight.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::domain::SignalId;
use crate::domain::pages::Page;
use crate::domain::queue::QueueSignal;

/// Rows asked for at once.
pub const WINDOW: u32 = 100;
/// Rows kept before those far from the last page are forgotten.
const KEPT: usize = 20_000;

/// The queue's rows under one filter and status.
#[derive(Clone, Debug, Default)]
pub struct List {
    slots: Vec<Option<SignalId>>,
    rows: HashMap<SignalId, QueueSignal>,
    /// Rows that came and could not be read.
    pub unreadable: usize,
}

/// A row that was taken out, and where it stood.
#[derive(Clone, Debug, PartialEq)]
pub struct Taken {
    /// The slot, counted before anything was taken out.
    pub slot: Option<usize>,
    /// The row's id.
    pub id: SignalId,
    /// The row, when it had been read.
    pub row: Option<QueueSignal>,
}

impl List {
    /// How many rows the list has.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// The id at a slot, when it was read.
    pub fn id(&self, slot: usize) -> Option<SignalId> {
        self.slots.get(slot).copied().flatten()
    }

    /// A row that was read.
    pub fn row(&self, id: SignalId) -> Option<&QueueSignal> {
        self.rows.get(&id)
    }

    /// The row at a slot, when it was read.
    pub fn at(&self, slot: usize) -> Option<&QueueSignal> {
        self.row(self.id(slot)?)
    }

    /// Where an id stands.
    pub fn slot_of(&self, id: SignalId) -> Option<usize> {
        self.slots.iter().position(|slot| *slot == Some(id))
    }

    /// The rows that were read, in order, with their slots.
    pub fn loaded(&self) -> impl Iterator<Item = (usize, &QueueSignal)> {
        self.slots.iter().enumerate().filter_map(|(slot, id)| Some((slot, self.rows.get(id.as_ref()?)?)))
    }

    /// The window to ask for so that the rows of `shown` are all there: none when they are.
    pub fn gap(&self, shown: Range<usize>) -> Option<u32> {
        let shown = shown.start.min(self.len())..shown.end.min(self.len());
        let first = shown.start + self.slots.get(shown)?.iter().position(Option::is_none)?;
        u32::try_from(first).ok()
    }

    /// Takes a page in. Slots elsewhere that contradict it are forgotten; `anew` forgets them all. True when they were.
    pub fn place(&mut self, page: Page<QueueSignal>, anew: bool) -> bool {
        let offset = page.offset as usize;
        let end = offset + page.rows.len();
        let total = page.total.and_then(|total| usize::try_from(total).ok()).unwrap_or(end.max(self.len())).max(end);
        let anew = anew || total != self.len();
        let ids: HashSet<SignalId> = page.rows.iter().map(|row| row.signal.id).collect();
        if anew {
            self.slots.clear();
            self.slots.resize(total, None);
        } else {
            let elsewhere = self.slots.iter_mut().enumerate().filter(|(slot, _)| !(offset..end).contains(slot));
            for (_, slot) in elsewhere {
                if slot.is_some_and(|id| ids.contains(&id)) {
                    *slot = None;
                }
            }
        }
        self.unreadable = page.unreadable;
        for (slot, row) in self.slots.iter_mut().skip(offset).zip(page.rows) {
            *slot = Some(row.signal.id);
            self.rows.insert(row.signal.id, row);
        }
        if self.rows.len() > KEPT {
            let near = offset.saturating_sub(KEPT / 4)..offset + KEPT / 4;
            self.slots.iter_mut().enumerate().filter(|(slot, _)| !near.contains(slot)).for_each(|(_, id)| *id = None);
        }
        if anew || self.rows.len() > KEPT {
            let kept: HashSet<SignalId> = self.slots.iter().flatten().copied().collect();
            self.rows.retain(|id, _| kept.contains(id));
        }
        anew
    }

    /// Takes rows out and closes the gaps. Ids that are not in the list are answered without a slot.
    pub fn take(&mut self, ids: &[SignalId]) -> Vec<Taken> {
        let wanted: HashSet<SignalId> = ids.iter().copied().collect();
        let mut at: HashMap<SignalId, usize> = HashMap::new();
        let mut slot = 0;
        self.slots.retain(|id| {
            let leaves = id.filter(|id| wanted.contains(id));
            if let Some(id) = leaves {
                at.insert(id, slot);
            }
            slot += 1;
            leaves.is_none()
        });
        ids.iter().map(|&id| Taken { slot: at.get(&id).copied(), id, row: self.rows.remove(&id) }).collect()
    }

    /// Puts rows back where they stood. Rows that had no slot are left to the next read; those that a read brought back already stay.
    pub fn put_back(&mut self, taken: impl IntoIterator<Item = Taken>) {
        let with_slot = |taken: Taken| Some((taken.id, (taken.slot?, taken.row?)));
        let mut back: HashMap<SignalId, (usize, QueueSignal)> = taken.into_iter().filter_map(with_slot).collect();
        self.slots.iter().flatten().for_each(|id| drop(back.remove(id)));
        let mut back: Vec<(SignalId, (usize, QueueSignal))> = back.into_iter().collect();
        back.sort_unstable_by_key(|(id, (slot, _))| (*slot, *id));
        let mut slots = Vec::with_capacity(self.slots.len() + back.len());
        let mut rest = self.slots.drain(..);
        for (id, (slot, row)) in back {
            slots.extend(rest.by_ref().take(slot.saturating_sub(slots.len())));
            slots.push(Some(id));
            self.rows.insert(id, row);
        }
        slots.extend(rest);
        self.slots = slots;
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

    fn shown(list: &List) -> Vec<Option<SignalId>> {
        (0..list.len()).map(|slot| list.id(slot)).collect()
    }

    #[test]
    fn only_the_rows_in_sight_are_asked_for() {
        let mut list = List::default();
        assert!(list.place(page(0..100, 100_000), false));
        assert_eq!(list.gap(0..50), None);
        assert_eq!(list.gap(80..130), Some(100));
        assert_eq!(list.gap(99_960..100_010), Some(99_960));
        assert!(!list.place(page(99_960..100_000, 100_000), false));
        assert_eq!(list.gap(99_960..100_010), None);
        assert_eq!(list.at(99_999).unwrap().signal.id, id(99_999));
    }

    #[test]
    fn a_page_that_contradicts_the_list_wins() {
        let mut list = List::default();
        list.place(page(0..100, 200), false);
        assert!(list.place(Page { total: Some(201), ..page(100..150, 0) }, false));
        assert_eq!(list.id(0), None, "what stood before the page may have moved");
        assert_eq!(list.id(100), Some(id(100)));
        assert_eq!(list.len(), 201);
    }

    #[test]
    fn a_row_that_moved_is_in_the_list_once() {
        let mut list = List::default();
        list.place(page(0..10, 20), false);
        list.place(Page { offset: 10, ..page(5..15, 20) }, false);
        assert_eq!(list.slot_of(id(7)), Some(12));
        assert_eq!(shown(&list).iter().flatten().filter(|found| **found == id(7)).count(), 1);
    }

    #[test]
    fn a_row_that_came_back_by_itself_is_not_put_back_a_second_time() {
        let mut list = List::default();
        list.place(page(0..10, 10), false);
        let taken = list.take(&[id(3), id(5)]);
        list.place(Page { rows: (0..10).filter(|n| *n != 5).map(row).collect(), ..page(0..9, 9) }, true);
        list.put_back(taken);
        assert_eq!(shown(&list), (0..10).map(|n| Some(id(n))).collect::<Vec<_>>());
    }

    proptest! {
        #[test]
        fn what_was_taken_out_comes_back_where_it_stood(total in 1usize..60, picks in proptest::collection::btree_set(0usize..60, 0..20)) {
            let mut list = List::default();
            list.place(page(0..total, total), false);
            let before = shown(&list);
            let ids: Vec<SignalId> = picks.into_iter().filter(|n| *n < total).map(id).collect();
            let taken = list.take(&ids);
            prop_assert_eq!(list.len(), total - ids.len());
            list.put_back(taken);
            prop_assert_eq!(shown(&list), before);
        }
    }
}
