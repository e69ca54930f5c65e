//! Which rows the queue reads next, and what it shows until they arrive.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use super::{QueuePageRequest, QueueTabState, SignalQueue};
use crate::app::model::line_order::Line;
use crate::app::model::load_state::LoadState;
use crate::app::model::signal_list::{MAX_ROWS_IN_MEMORY, MissingReason, WINDOW_ROWS};
use crate::domain::SignalId;
use crate::domain::pages::Page;
use crate::domain::queue::{MAX_QUEUE_PAGE_ROWS, QueueSignal, QueueSnapshot, QueueTab};

/// Rows beyond the screen that are read ahead while signals leave the list: held keys take thirty a
/// second.
const ROWS_AHEAD: usize = 50;
/// All rows of a list are refreshed together up to this many; of a longer list those around the
/// cursor.
pub const MAX_ROWS_REFRESHED: usize = 2_000;
/// Rows above the screen that a refresh also reads, so that the cursor's record is found after new
/// ones arrived above it.
const ROWS_ABOVE: usize = 75;

impl QueueTabState {
    /// Allows reads again after a failed one.
    pub fn allow_retry(&mut self) {
        self.is_halted = false;
        if matches!(self.load, LoadState::Failed(_)) {
            self.load = LoadState::Idle;
        }
    }

    /// The offset, limit and refresh flag of the next read needed to draw `height` lines from the
    /// top, or to draw the next screen in the direction in which the user scrolls, if any. While
    /// signals leave the list, it is not refreshed.
    pub fn next_window(&self, height: usize, are_leaving: bool) -> Option<(u32, u32, bool)> {
        let rows = if are_leaving {
            height.max(ROWS_AHEAD)
        } else {
            height
        };
        match self.load {
            _ if self.is_halted => None,
            LoadState::Failed(_) => None,
            LoadState::Idle | LoadState::Loading => Some((
                0,
                if self.reads_deep {
                    MAX_QUEUE_PAGE_ROWS
                } else {
                    WINDOW_ROWS
                },
                true,
            )),
            LoadState::Ready if !are_leaving && self.is_refresh_due() && self.refreshes_all() => {
                let gap = self
                    .refreshed
                    .as_ref()
                    .map_or(Some(0), |list| list.first_gap(0..usize::MAX));
                Some((gap.unwrap_or(0), MAX_QUEUE_PAGE_ROWS, true))
            }
            LoadState::Ready if !are_leaving && self.is_refresh_due() => {
                let page = MAX_QUEUE_PAGE_ROWS as usize;
                let start = if self.is_arranged() {
                    self.cursor_slot()
                        .saturating_sub(page / 2)
                        .min(self.list.len().saturating_sub(page))
                } else {
                    self.scroll.top.saturating_sub(ROWS_ABOVE)
                };
                Some((u32::try_from(start).unwrap_or(0), MAX_QUEUE_PAGE_ROWS, true))
            }
            LoadState::Ready
                if self.reads_all()
                    && !are_leaving
                    && self.list.first_gap(0..usize::MAX).is_some() =>
            {
                Some((
                    self.list.window_start(0..usize::MAX, MAX_QUEUE_PAGE_ROWS)?,
                    MAX_QUEUE_PAGE_ROWS,
                    false,
                ))
            }
            // After a missing page the end of the list is unknown; arranged rows would keep reading
            // forever.
            LoadState::Ready
                if self.is_arranged() && self.list.missing_count(MissingReason::NotSent) > 0 =>
            {
                None
            }
            LoadState::Ready if self.is_arranged() => Some((
                self.gap_window_start(height, rows)?,
                MAX_QUEUE_PAGE_ROWS,
                false,
            )),
            LoadState::Ready => {
                let shown = self.scroll.top..self.scroll.top + height.max(1);
                let ahead = match self.scroll.top.cmp(&self.last_top) {
                    Ordering::Less => shown.start.saturating_sub(rows)..shown.start,
                    Ordering::Equal if !are_leaving => 0..0,
                    _ => shown.end..shown.end + rows,
                };
                let start = [shown, ahead]
                    .into_iter()
                    .find_map(|rows| self.list.window_start(rows, WINDOW_ROWS));
                Some((start?, WINDOW_ROWS, false))
            }
        }
    }

    fn is_refresh_due(&self) -> bool {
        self.stale || self.refreshed.is_some() || self.pending_page.is_some_and(|ask| ask.refresh)
    }

    /// Whether a refresh reads all rows, so that none of them is missing from its place meanwhile.
    pub fn refreshes_all(&self) -> bool {
        self.reads_all() && self.load == LoadState::Ready && self.list.len() <= MAX_ROWS_REFRESHED
    }

    /// Whether all rows are read, not only those on the screen.
    pub fn reads_all(&self) -> bool {
        (1..=self.read_all_up_to).contains(&self.list.len())
    }

    /// How many rows are not loaded.
    pub fn unread_count(&self) -> u64 {
        self.list
            .total()
            .saturating_sub(self.list.loaded_count() as u64)
    }

    /// How many requests read all rows, at most.
    pub fn reads_for_all(&self) -> u64 {
        self.unread_count().div_ceil(u64::from(MAX_QUEUE_PAGE_ROWS))
    }

    /// The first slot of the window that closes the gap under the cursor, or else the next gap on
    /// the screen or among the `rows` beyond it in the direction of travel.
    fn gap_window_start(&self, height: usize, rows: usize) -> Option<u32> {
        let (cursor, top) = (self.scroll.cursor, self.scroll.top);
        let shown = top..top + height.max(1);
        let ahead = if top < self.last_top {
            top.saturating_sub(rows)..top
        } else {
            shown.end..shown.end + rows
        };
        let gap_at = |at| match self.line_at(at)? {
            Line::Gap { first, last, .. } if at == cursor => {
                Some((first, last, self.cursor_slot()))
            }
            Line::Gap { first, last, .. } => {
                Some((first, last, if at < cursor { last } else { first }))
            }
            _ => None,
        };
        let (first, last, slot) = gap_at(cursor).or_else(|| shown.chain(ahead).find_map(gap_at))?;
        // What is this far from the cursor would be forgotten again.
        if slot.abs_diff(self.cursor_slot()) > MAX_ROWS_IN_MEMORY / 4 {
            return None;
        }
        let page = MAX_QUEUE_PAGE_ROWS as usize;
        let start = slot
            .saturating_sub(page / 2)
            .min((last + 1).saturating_sub(page))
            .max(first);
        u32::try_from(start).ok()
    }

    /// A page as it will be once these signals have left the list, and whether it agrees with the
    /// list. Nobody knows how many of them were gone when it was read: its place is found by a row
    /// that is loaded already.
    pub fn place_page(
        &self,
        mut page: Page<QueueSignal>,
        leaving: &HashSet<SignalId>,
        is_refresh: bool,
    ) -> (Page<QueueSignal>, bool) {
        let sent = page.rows.len();
        page.rows.retain(|row| !leaving.contains(&row.signal.id));
        let dropped = sent - page.rows.len();
        if is_refresh {
            page.total = page.total.map(|total| total.saturating_sub(dropped as u64));
            return (page, dropped == leaving.len());
        }
        let counted = page
            .total
            .and_then(|total| usize::try_from(total.checked_sub(self.list.total())?).ok());
        let places: HashMap<SignalId, usize> = page
            .rows
            .iter()
            .zip(0..)
            .map(|(row, at)| (row.signal.id, at))
            .collect();
        let anchored = self
            .list
            .ids_in(0..usize::MAX)
            .find_map(|(slot, id)| slot.checked_sub(*places.get(&id)?));
        let offset = page.offset as usize;
        // How many of them were above the page.
        let above = match anchored {
            Some(start) => offset.checked_sub(start),
            None => counted.map(|counted| counted.saturating_sub(dropped).min(offset)),
        };
        let start = anchored.unwrap_or(offset - above.unwrap_or(0));
        page.offset = u32::try_from(start).unwrap_or(page.offset);
        page.total = Some(self.list.total());
        let explains = |above: usize| {
            counted.is_some_and(|counted| (dropped + above..=leaving.len()).contains(&counted))
        };
        (page, above.is_some_and(explains))
    }

    /// The loaded rows around the screen, in order, to find out what a refresh no longer contains.
    pub fn rows_around_screen(&self) -> Vec<QueueSignal> {
        let from = self.scroll.top.saturating_sub(ROWS_ABOVE);
        (from..(self.scroll.top + ROWS_ABOVE).min(self.len()))
            .filter(|at| matches!(self.line_at(*at), Some(Line::Row(_))))
            .filter_map(|at| self.row_at(at).cloned())
            .collect()
    }
}

impl SignalQueue {
    /// The previous session's queue, if this tab shows its rows.
    pub fn previous_queue_for(&self, tab: QueueTab) -> Option<&QueueSnapshot> {
        self.cache
            .previous
            .as_ref()
            .filter(|_| tab == QueueTab::New && !self.is_filtered())
    }

    /// Shows the previous session's rows, if they apply.
    pub fn show_previous_rows(&mut self) {
        if let Some(last) = self.previous_queue_for(QueueTab::New) {
            let (rows, total) = (last.rows.clone(), Some(last.rows.len() as u64));
            self.change_list(QueueTab::New, |list| {
                list.insert_page(
                    Page {
                        rows,
                        unreadable: 0,
                        offset: 0,
                        total,
                        ..Page::default()
                    },
                    WINDOW_ROWS,
                    true,
                );
            });
        }
    }

    /// Whether the cursor is on a saved row that is not in the first page: a larger page is read
    /// before the saved rows are dropped.
    pub fn needs_deeper_read(
        &self,
        tab: QueueTab,
        ask: QueuePageRequest,
        page: &Page<QueueSignal>,
    ) -> bool {
        let state = self.tab_state(tab);
        let end = u64::from(page.offset) + page.rows.len() as u64;
        let is_there =
            |row: &QueueSignal| page.rows.iter().any(|read| read.signal.id == row.signal.id);
        self.previous_queue_for(tab).is_some()
            && ask.limit < MAX_QUEUE_PAGE_ROWS
            && state.scroll.cursor + ROWS_ABOVE >= WINDOW_ROWS as usize
            && page.total.is_some_and(|total| total > end)
            && !state.current_row().is_some_and(is_there)
    }
}
