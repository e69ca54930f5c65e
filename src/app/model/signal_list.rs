//! A list of any length that is read in windows.
//!
//! Only loaded rows take memory: the length is what the service reports, and allocates nothing.
//! When there are too many, those far from the cursor are forgotten. A page that contradicts the
//! list (another total) wins: other slots are forgotten and read again when they become visible. A
//! row that was requested and did not come is remembered as [`MissingReason`], so that it is not
//! requested forever.

use std::collections::BTreeMap;
use std::collections::hash_map::Entry;
use std::ops::Range;

use foldhash::{HashMap, HashSet};

use crate::app::model::signal_dates::SignalDates;
use crate::domain::pages::Page;
use crate::domain::queue::QueueSignal;
use crate::domain::{ProjectId, SignalId};

/// Rows per request.
pub const WINDOW_ROWS: u32 = 100;
/// Above this many rows, those far from the cursor are forgotten.
pub const MAX_ROWS_IN_MEMORY: usize = 20_000;
/// This many remain, so that rows are forgotten only once in many pages.
const ROWS_KEPT: usize = MAX_ROWS_IN_MEMORY * 3 / 4;
/// A row is looked for this far from the slot that it came to, before everywhere: few rows are
/// taken out or put in before it.
const SLOTS_MOVED: usize = 32;
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

/// Loaded rows without a gap.
#[derive(Clone, Debug)]
pub struct LoadedRun {
    /// The slot of the first.
    pub start: usize,
    pub ids: Vec<SignalId>,
}

impl LoadedRun {
    fn end(&self) -> usize {
        self.start + self.ids.len()
    }

    fn slots(&self) -> impl Iterator<Item = (usize, SignalId)> {
        (self.start..).zip(self.ids.iter().copied())
    }
}

/// The queue's rows under one filter and status.
#[derive(Clone, Debug, Default)]
pub struct SignalList {
    total: u64,
    /// In order; between two there is at least one slot that is not loaded.
    runs: Vec<LoadedRun>,
    missing: BTreeMap<usize, MissingReason>,
    /// The rows of `runs`, with the slots that they came to. They are large: in boxes the table
    /// stays small and fast.
    rows: HashMap<SignalId, (usize, Box<QueueSignal>)>,
    /// The loaded signals of each project.
    projects: HashMap<ProjectId, Vec<SignalId>>,
    /// How many loaded rows stand for each filing.
    filings: HashMap<u64, usize>,
    dates: SignalDates,
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
        usize::try_from(self.total)
            .unwrap_or(MAX_REACHABLE_ROWS)
            .min(MAX_REACHABLE_ROWS)
    }

    /// How many rows the service reports.
    pub fn total(&self) -> u64 {
        self.total
    }

    pub fn is_empty(&self) -> bool {
        self.total == 0
    }

    pub fn loaded_count(&self) -> usize {
        self.runs.iter().map(|run| run.ids.len()).sum()
    }

    pub fn id_at(&self, slot: usize) -> Option<SignalId> {
        let run = self
            .runs
            .get(self.runs.partition_point(|run| run.end() <= slot))?;
        run.ids.get(slot.checked_sub(run.start)?).copied()
    }

    /// The loaded rows by date.
    pub fn dates(&self) -> &SignalDates {
        &self.dates
    }

    pub fn row(&self, id: SignalId) -> Option<&QueueSignal> {
        self.rows.get(&id).map(|(_, row)| &**row)
    }

    pub fn row_at(&self, slot: usize) -> Option<&QueueSignal> {
        self.row(self.id_at(slot)?)
    }

    pub fn missing(&self, slot: usize) -> Option<MissingReason> {
        self.missing.get(&slot).copied()
    }

    pub fn missing_count(&self, why: MissingReason) -> usize {
        self.missing
            .values()
            .filter(|missing| **missing == why)
            .count()
    }

    pub fn slot_of(&self, id: SignalId) -> Option<usize> {
        let (came_to, _) = self.rows.get(&id)?;
        let find_in = |slots| {
            self.ids_in(slots)
                .find(|(_, there)| *there == id)
                .map(|(slot, _)| slot)
        };
        find_in(came_to.saturating_sub(SLOTS_MOVED)..came_to + SLOTS_MOVED)
            .or_else(|| find_in(0..self.len()))
    }

    /// The loaded rows, as runs without a gap.
    pub fn loaded_runs(&self) -> &[LoadedRun] {
        &self.runs
    }

    /// The loaded rows in order, with their slots.
    pub fn loaded_rows(&self) -> impl Iterator<Item = (usize, &QueueSignal)> {
        self.ids_in(0..usize::MAX)
            .filter_map(|(slot, id)| Some((slot, self.row(id)?)))
    }

    /// The loaded IDs within these slots, in order.
    pub fn ids_in(&self, slots: Range<usize>) -> impl Iterator<Item = (usize, SignalId)> {
        self.runs.iter().flat_map(move |run| {
            let from = slots.start.clamp(run.start, run.end());
            let end = slots.end.clamp(from, run.end());
            (from..end).zip(run.ids[from - run.start..end - run.start].iter().copied())
        })
    }

    /// How many rows within these slots are loaded.
    pub fn count_in(&self, slots: Range<usize>) -> usize {
        let within = |run: &LoadedRun| {
            run.end()
                .min(slots.end)
                .saturating_sub(run.start.max(slots.start))
        };
        self.runs.iter().map(within).sum()
    }

    /// How many loaded signals a project has.
    pub fn project_count(&self, project: ProjectId) -> usize {
        self.projects.get(&project).map_or(0, Vec::len)
    }

    /// How many projects the loaded signals have.
    pub fn distinct_project_count(&self) -> usize {
        self.projects.len()
    }

    /// How many other loaded rows stand for the same filing.
    pub fn duplicate_count(&self, row: &QueueSignal) -> usize {
        row.filing_key()
            .and_then(|key| self.filings.get(&key))
            .map_or(0, |count| count.saturating_sub(1))
    }

    /// The loaded signals of a project, in list order.
    pub fn ids_in_project(&self, project: ProjectId) -> Vec<SignalId> {
        let mut ids = self.projects.get(&project).cloned().unwrap_or_default();
        if ids.len() > 1 {
            ids.sort_by_cached_key(|id| self.slot_of(*id));
        }
        ids
    }

    /// Whether the slot is loaded, or known to be missing.
    fn is_read(&self, slot: usize) -> bool {
        self.id_at(slot).is_some() || self.missing.contains_key(&slot)
    }

    /// The first slot of `shown` that was neither loaded nor requested.
    pub fn first_gap(&self, shown: Range<usize>) -> Option<u32> {
        let first = (shown.start..shown.end.min(self.len())).find(|slot| !self.is_read(*slot))?;
        u32::try_from(first).ok()
    }

    /// The first slot of the window of `limit` rows that closes the first gap of `shown`. A gap
    /// with loaded rows only below it is closed from above: the window ends with it. The last
    /// window of the list ends with the list.
    pub fn window_start(&self, shown: Range<usize>, limit: u32) -> Option<u32> {
        let gap = self.first_gap(shown.clone())? as usize;
        let follows_loaded_row = gap.checked_sub(1).is_none_or(|above| self.is_read(above));
        let end = (gap..shown.end.min(self.len())).find(|slot| self.is_read(*slot));
        let start = match end {
            _ if follows_loaded_row => gap,
            Some(end) => end.saturating_sub(limit as usize),
            None => gap.min(self.len().saturating_sub(limit as usize)),
        };
        u32::try_from(start).ok()
    }

    /// The first and last slot within `slots` that were neither loaded nor requested, where no row
    /// is loaded, and their number.
    pub fn unread_in(&self, slots: Range<usize>) -> Option<(usize, usize, usize)> {
        let is_unread = |slot: &usize| !self.missing.contains_key(slot);
        let (first, last) = (
            slots.clone().find(is_unread)?,
            slots.clone().rfind(is_unread)?,
        );
        Some((first, last, slots.len() - self.missing.range(slots).count()))
    }

    /// Inserts a page for which `asked` rows were requested. Other slots that contradict it are
    /// forgotten, with `replace_all` all of them. Returns true when they were.
    pub fn insert_page(&mut self, page: Page<QueueSignal>, asked: u32, replace_all: bool) -> bool {
        let offset = page.offset as usize;
        let end = offset + page.rows.len();
        let unreadable = end..end + page.unreadable.min(asked as usize);
        // An empty page before the end of the list is not requested again: nothing suggests that a
        // second attempt would differ.
        let not_sent = if unreadable.end == offset {
            offset..offset + asked as usize
        } else {
            0..0
        };
        // Without a total, a page that is not full is the last.
        let untold = if unreadable.end < offset + asked as usize {
            unreadable.end as u64
        } else {
            self.total
        };
        let least = if unreadable.end == offset {
            0
        } else {
            unreadable.end as u64
        };
        let total = page.total.unwrap_or(untold).max(least);
        let replace_all = replace_all || total != self.total;
        self.total = total;
        if replace_all {
            *self = SignalList {
                total,
                ..SignalList::default()
            };
        } else {
            let moved: HashSet<SignalId> = page
                .rows
                .iter()
                .map(|row| row.signal.id)
                .filter(|id| self.rows.contains_key(id))
                .collect();
            let told = offset..unreadable.end.max(not_sent.end);
            // Most pages are of rows that were not loaded.
            if !moved.is_empty() || self.count_in(told.clone()) > 0 {
                self.retain_rows(|slot, id| !told.contains(&slot) && !moved.contains(&id));
            }
        }
        let len = self.len();
        for (why, slots) in [
            (MissingReason::Unreadable, unreadable),
            (MissingReason::NotSent, not_sent),
        ] {
            self.missing
                .extend((slots.start..slots.end.min(len)).map(|slot| (slot, why)));
        }
        let told = offset..end;
        self.missing.retain(|slot, _| !told.contains(slot));
        let ids = page.rows.iter().map(|row| row.signal.id).collect();
        (offset..)
            .zip(page.rows)
            .for_each(|(slot, row)| self.keep_row(slot, row));
        self.insert_run(LoadedRun { start: offset, ids });
        replace_all
    }

    /// Forgets the rows far from `center` when there are too many, but not the row `pinned`.
    pub fn forget_far_rows(&mut self, center: usize, pinned: Option<SignalId>) {
        if self.rows.len() + self.missing.len() <= MAX_ROWS_IN_MEMORY {
            return;
        }
        let near =
            |distance: usize| center.saturating_sub(distance)..center.saturating_add(distance + 1);
        let kept_count =
            |slots: Range<usize>| self.count_in(slots.clone()) + self.missing.range(slots).count();
        let (mut least, mut most) = (0, self.len());
        while least < most {
            let distance = (least + most) / 2;
            if kept_count(near(distance)) < ROWS_KEPT {
                least = distance + 1
            } else {
                most = distance
            }
        }
        let kept = near(least);
        self.missing.retain(|slot, _| kept.contains(slot));
        self.retain_rows(|slot, id| kept.contains(&slot) || Some(id) == pinned);
    }

    /// Removes rows and closes the gaps. IDs that are not in the list are returned without a slot.
    pub fn remove_rows(&mut self, ids: &[SignalId]) -> Vec<RemovedRow> {
        let wanted: HashSet<SignalId> = ids
            .iter()
            .copied()
            .filter(|id| self.rows.contains_key(id))
            .collect();
        let at: HashMap<SignalId, usize> = self
            .ids_in(0..self.len())
            .filter(|(_, id)| wanted.contains(id))
            .map(|(slot, id)| (id, slot))
            .collect();
        let mut gone: Vec<usize> = at.values().copied().collect();
        gone.sort_unstable();
        let removed = ids
            .iter()
            .map(|&id| RemovedRow {
                slot: at.get(&id).copied(),
                id,
                row: self.drop_row(id),
            })
            .collect();
        self.retain_rows(|_, id| !wanted.contains(&id));
        self.move_rows(|slot| slot - gone.partition_point(|gone| *gone < slot), []);
        self.total = self.total.saturating_sub(gone.len() as u64);
        removed
    }

    /// Puts rows back into their slots. Rows without a slot are left to the next read; rows that a
    /// read has already brought back stay where they are.
    pub fn restore_rows(&mut self, taken: impl IntoIterator<Item = RemovedRow>) {
        let with_slot = |taken: RemovedRow| Some((taken.id, (taken.slot?, taken.row?)));
        let mut back: HashMap<SignalId, (usize, QueueSignal)> =
            taken.into_iter().filter_map(with_slot).collect();
        back.retain(|id, _| !self.rows.contains_key(id));
        let mut back: Vec<(SignalId, (usize, QueueSignal))> = back.into_iter().collect();
        back.sort_unstable_by_key(|(id, (slot, _))| (*slot, *id));
        // Their slots once all of them are back.
        let (mut at, mut least, mut end) = (Vec::with_capacity(back.len()), 0, self.len());
        for (id, (slot, _)) in &back {
            let slot = (*slot).clamp(least, end.max(least));
            at.push((slot, *id));
            (least, end) = (slot + 1, end + 1);
        }
        // The slots before which they are inserted, as counted now.
        let before: Vec<usize> = at
            .iter()
            .enumerate()
            .map(|(n, (slot, _))| slot - n)
            .collect();
        self.total = self.total.saturating_add(at.len() as u64);
        back.into_iter()
            .for_each(|(_, (slot, row))| self.keep_row(slot, row));
        self.move_rows(
            |slot| slot + before.partition_point(|before| *before <= slot),
            at,
        );
    }

    fn keep_row(&mut self, slot: usize, row: QueueSignal) {
        let (id, project) = (row.signal.id, row.signal.project_id);
        self.drop_row(id);
        if let Some(filing) = row.filing_key() {
            *self.filings.entry(filing).or_default() += 1;
        }
        self.dates.insert(&row);
        self.rows.insert(id, (slot, Box::new(row)));
        if let Some(project) = project {
            self.projects.entry(project).or_default().push(id);
        }
    }

    fn drop_row(&mut self, id: SignalId) -> Option<QueueSignal> {
        let (_, row) = self.rows.remove(&id)?;
        if let Some(filing) = row.filing_key()
            && let Entry::Occupied(mut count) = self.filings.entry(filing)
        {
            *count.get_mut() -= 1;
            if *count.get() == 0 {
                count.remove();
            }
        }
        self.dates.remove(&row);
        if let Some(project) = row.signal.project_id
            && let Some(ids) = self.projects.get_mut(&project)
        {
            ids.retain(|there| *there != id);
            if ids.is_empty() {
                self.projects.remove(&project);
            }
        }
        Some(*row)
    }

    fn retain_rows(&mut self, keep: impl Fn(usize, SignalId) -> bool) {
        for run in std::mem::take(&mut self.runs) {
            for (slot, id) in run.slots() {
                if keep(slot, id) {
                    push_row(&mut self.runs, slot, id);
                } else {
                    self.drop_row(id);
                }
            }
        }
    }

    /// Moves every slot and adds rows. The order of the rows stays as it is.
    fn move_rows(
        &mut self,
        moved: impl Fn(usize) -> usize,
        added: impl IntoIterator<Item = (usize, SignalId)>,
    ) {
        self.missing = std::mem::take(&mut self.missing)
            .into_iter()
            .map(|(slot, why)| (moved(slot), why))
            .collect();
        let mut slots: Vec<(usize, SignalId)> = self
            .ids_in(0..usize::MAX)
            .map(|(slot, id)| (moved(slot), id))
            .collect();
        slots.extend(added);
        slots.sort_by_key(|(slot, _)| *slot);
        self.runs.clear();
        slots
            .into_iter()
            .for_each(|(slot, id)| push_row(&mut self.runs, slot, id));
    }

    /// Inserts a run where no row is loaded.
    fn insert_run(&mut self, run: LoadedRun) {
        if run.ids.is_empty() {
            return;
        }
        let mut at = self.runs.partition_point(|other| other.start < run.start);
        let end = run.end();
        match at
            .checked_sub(1)
            .map(|above| &mut self.runs[above])
            .filter(|above| above.end() == run.start)
        {
            Some(above) => {
                above.ids.extend(run.ids);
                at -= 1;
            }
            None => self.runs.insert(at, run),
        }
        if self
            .runs
            .get(at + 1)
            .is_some_and(|below| below.start == end)
        {
            let below = self.runs.remove(at + 1);
            self.runs[at].ids.extend(below.ids);
        }
    }
}

/// Adds a row after all others.
fn push_row(runs: &mut Vec<LoadedRun>, slot: usize, id: SignalId) {
    match runs.last_mut().filter(|run| run.end() == slot) {
        Some(run) => run.ids.push(id),
        None => runs.push(LoadedRun {
            start: slot,
            ids: vec![id],
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use uuid::Uuid;

    use crate::app::testing::{queue_row, signal_id};

    fn id(n: usize) -> SignalId {
        SignalId(Uuid::from_u128(n as u128 + 1))
    }

    fn row(n: usize) -> QueueSignal {
        serde_json::from_value(
            serde_json::json!({ "id": id(n), "project_name": format!("Project {n}") }),
        )
        .unwrap()
    }

    fn page(range: Range<usize>, total: usize) -> Page<QueueSignal> {
        Page {
            offset: u32::try_from(range.start).unwrap(),
            rows: range.map(row).collect(),
            unreadable: 0,
            total: Some(total as u64),
            next_offset: None,
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
        assert_eq!(
            list.window_start(80..130, 100),
            Some(100),
            "coming from above it begins at the gap"
        );
        assert_eq!(
            list.window_start(990..1_030, 100),
            Some(900),
            "the last window ends with the list"
        );
        list.insert_page(page(900..1_000, 1_000), 100, false);
        assert_eq!(
            list.window_start(899..929, 100),
            Some(800),
            "one row up from the last window"
        );
        assert_eq!(
            list.window_start(500..530, 100),
            Some(500),
            "a jump into the middle"
        );
        list.insert_page(page(110..120, 1_000), 10, false);
        assert_eq!(
            list.window_start(95..125, 100),
            Some(100),
            "a gap between loaded rows is closed from its start"
        );
        assert_eq!(list.window_start(60..90, 100), None);
    }

    #[test]
    fn a_page_with_another_total_replaces_the_list() {
        let mut list = SignalList::default();
        list.insert_page(page(0..100, 200), 100, false);
        assert!(list.insert_page(
            Page {
                total: Some(201),
                ..page(100..150, 0)
            },
            100,
            false
        ));
        assert_eq!(list.id_at(0), None, "rows before the page may have moved");
        assert_eq!(list.id_at(100), Some(id(100)));
        assert_eq!(list.len(), 201);
    }

    #[test]
    fn memory_use_does_not_depend_on_the_total() {
        for total in [100_000_000, 1 << 31, 1 << 63, u64::MAX] {
            let mut list = SignalList::default();
            list.insert_page(
                Page {
                    total: Some(total),
                    ..page(0..100, 0)
                },
                100,
                false,
            );
            assert_eq!(
                (
                    list.total(),
                    list.loaded_rows().count(),
                    list.first_gap(50..150)
                ),
                (total, 100, Some(100))
            );
            let last = list.len() - 30;
            assert_eq!(list.first_gap(last..last + 60), u32::try_from(last).ok());
            let taken = list.remove_rows(&[id(3), id(7)]);
            assert_eq!(
                (list.total(), list.row_at(6).unwrap().signal.id),
                (total - 2, id(8))
            );
            list.restore_rows(taken);
            assert_eq!(
                (list.total(), list.row_at(7).unwrap().signal.id),
                (total, id(7))
            );
        }
    }

    #[test]
    fn a_missing_row_is_not_requested_again() {
        let mut list = SignalList::default();
        list.insert_page(
            Page {
                unreadable: 1,
                total: Some(100),
                ..page(0..99, 0)
            },
            100,
            false,
        );
        assert_eq!(
            (list.first_gap(50..100), list.missing(99)),
            (None, Some(MissingReason::Unreadable))
        );
        let mut list = SignalList::default();
        list.insert_page(page(0..100, 101), 100, false);
        assert_eq!(list.first_gap(60..120), Some(100));
        list.insert_page(
            Page {
                offset: 100,
                total: Some(101),
                ..Page::default()
            },
            100,
            false,
        );
        assert_eq!(
            (list.first_gap(60..120), list.missing(100), list.len()),
            (None, Some(MissingReason::NotSent), 101)
        );
        list.insert_page(page(100..101, 101), 100, false);
        assert_eq!(
            (list.missing_count(MissingReason::NotSent), list.id_at(100)),
            (0, Some(id(100))),
            "it came after all"
        );
    }

    #[test]
    fn a_moved_row_is_in_the_list_once() {
        let mut list = SignalList::default();
        list.insert_page(page(0..10, 20), 100, false);
        list.insert_page(
            Page {
                offset: 10,
                ..page(5..15, 20)
            },
            100,
            false,
        );
        assert_eq!(list.slot_of(id(7)), Some(12));
        assert_eq!(
            ids_of(&list)
                .iter()
                .flatten()
                .filter(|found| **found == id(7))
                .count(),
            1
        );
    }

    #[test]
    fn a_row_that_a_read_brought_back_is_not_restored_twice() {
        let mut list = SignalList::default();
        list.insert_page(page(0..10, 10), 100, false);
        let taken = list.remove_rows(&[id(3), id(5)]);
        list.insert_page(
            Page {
                rows: (0..10).filter(|n| *n != 5).map(row).collect(),
                ..page(0..9, 9)
            },
            100,
            true,
        );
        list.restore_rows(taken);
        assert_eq!(
            ids_of(&list),
            (0..10).map(|n| Some(id(n))).collect::<Vec<_>>()
        );
    }

    #[test]
    fn rows_of_the_same_filing_and_type_count_each_other_until_one_is_removed() {
        let filing = |n: usize, number: Option<&str>, cost: Option<i64>| {
            let mut row = queue_row(
                n,
                "high",
                "permit_issued",
                "2026-07-02",
                (1, "Harbor Yard Lofts"),
                cost,
            );
            row.signal.source_filing_id = number.map(str::to_owned);
            row
        };
        let rows = vec![
            filing(1, Some("BP-1"), Some(1)),
            filing(2, Some("BP-1"), Some(2)),
            filing(3, Some("BP-2"), Some(1)),
            filing(4, None, Some(5)),
            filing(5, None, Some(5)),
            filing(6, None, Some(6)),
        ];
        let mut list = SignalList::default();
        list.insert_page(
            Page {
                rows,
                unreadable: 0,
                offset: 0,
                total: Some(6),
                ..Page::default()
            },
            6,
            true,
        );
        let counts = |list: &SignalList| {
            list.loaded_rows()
                .map(|(_, row)| list.duplicate_count(row))
                .collect::<Vec<_>>()
        };
        assert_eq!(counts(&list), [1, 1, 0, 1, 1, 0]);
        list.remove_rows(&[signal_id(1)]);
        assert_eq!(counts(&list), [0, 0, 1, 1, 0]);
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
