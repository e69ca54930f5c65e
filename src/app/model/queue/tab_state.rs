//! A tab of the queue: its list, cursor, marks and loading state.
//!
//! Everything that must survive a refresh is keyed by id; the cursor is a line on the screen that
//! moves with its record ([`QueueTabState::preserve_cursor`]).

use std::collections::{BTreeSet, HashSet};
use std::ops::Range;

use chrono::{DateTime, Utc};

use super::QueuePageRequest;
use super::lines::{Arrangement, KnownFacts};
use super::snoozes::MovedRows;
use super::today_parts::TodayParts;
use crate::app::format::{format_count, pluralize};
use crate::app::model::line_order::{Line, LineOrder, RowGroup};
use crate::app::model::load_state::LoadState;
use crate::app::model::signal_list::{LoadedRun, SignalList};
use crate::domain::SignalId;
use crate::domain::queue::QueueSignal;
use crate::ui::scroll::ScrollState;

/// One tab's list and the user's position in it.
#[derive(Clone, Debug, Default)]
pub struct QueueTabState {
    pub list: SignalList,
    pub load: LoadState,
    /// The cursor and the first visible line, counted in lines rather than rows.
    pub scroll: ScrollState,
    /// The first visible line when rows were last looked for.
    pub last_top: usize,
    pub marks: BTreeSet<SignalId>,
    /// The marks of before the filter changed: where their rows are not loaded, they may be outside
    /// the filter.
    pub(super) earlier_marks: BTreeSet<SignalId>,
    /// The signal at which the current range starts.
    pub range_anchor: Option<SignalId>,
    /// Signals whose triage was interrupted and has not been checked yet.
    pub unconfirmed: HashSet<SignalId>,
    /// The service's list has changed since it was read.
    pub stale: bool,
    /// The last read failed: no more reads until the counts are polled again or the user refreshes.
    pub is_halted: bool,
    /// Reads since the visible lines were last complete or the user refreshed.
    pub consecutive_reads: u16,
    pub pending_page: Option<QueuePageRequest>,
    /// Signals whose triage was confirmed during the read in flight: the page may still contain
    /// them.
    pub left_during_read: HashSet<SignalId>,
    /// When the first page was read.
    pub read_at: Option<DateTime<Utc>>,
    /// The first read uses a larger page because the cursor is further down.
    pub reads_deep: bool,
    /// A list of at most this many rows is read as a whole, rather than the rows on the screen: the
    /// user asked for it.
    pub read_all_up_to: usize,
    /// All rows are marked once they are loaded.
    pub marks_when_loaded: bool,
    /// The user has moved the cursor, or all rows were there. Otherwise it stays on the first line
    /// of a sorted list, whatever is there: its rows still come in.
    pub(super) is_cursor_placed: bool,
    /// The pages of a refresh of all rows, until it is complete.
    pub(super) refreshed: Option<SignalList>,
    /// How its rows are arranged; changed by `SignalQueue::arrange`.
    pub(super) arrangement: Arrangement,
    pub(super) moved: MovedRows,
    /// Of the Today tab, once it was put together.
    pub(super) today: Option<TodayParts>,
    pub(super) lines: LineOrder,
    /// Where in the gap under the cursor the user is; its first row when unknown.
    pub(super) gap_slot: Option<usize>,
}

impl QueueTabState {
    /// Number of lines: rows, or threads, their rows and gaps.
    pub fn len(&self) -> usize {
        self.lines.len(self.list.len())
    }

    /// Total lines: the service's count if every line is a row, else the grouped lines.
    pub fn total(&self) -> u64 {
        if self.is_arranged() {
            self.len() as u64
        } else {
            self.list.total()
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many loaded rows are shown; those of a closed thread count.
    pub fn shown_count(&self) -> usize {
        let shown = self.lines.shown_count();
        shown.unwrap_or_else(|| self.list.loaded_count())
    }

    /// The loaded rows that are shown, in the service's order.
    pub fn shown_rows(&self) -> impl Iterator<Item = &QueueSignal> {
        self.list
            .loaded_rows()
            .filter(|(slot, _)| self.lines.shows(*slot))
            .map(|(_, row)| row)
    }

    /// The slots of these rows, in the order of the lines.
    pub fn shown_slots(&self) -> Vec<usize> {
        if self.is_arranged() {
            let mut slots = self.lines.shown_rows(self.list.len());
            // Promises have no row.
            slots.retain(|slot| *slot < self.list.len());
            slots
        } else {
            self.list.loaded_rows().map(|(slot, _)| slot).collect()
        }
    }

    pub fn shown_ids(&self) -> impl Iterator<Item = SignalId> {
        self.shown_rows().map(|row| row.signal.id)
    }

    pub fn line_at(&self, at: usize) -> Option<Line> {
        self.lines.line_at(at, self.list.len())
    }

    /// The group whose heading is on a line.
    pub fn group_on(&self, line: Line) -> Option<&RowGroup> {
        match line {
            Line::Heading(group) => self.lines.group(group),
            Line::Row(_) | Line::Gap { .. } => None,
        }
    }

    /// The slot of the row on a line; for a thread, of its first row.
    pub fn slot_at(&self, at: usize) -> Option<usize> {
        match self.line_at(at)? {
            Line::Row(slot) => Some(slot),
            // The parts of Today have nothing in common that one acts on.
            Line::Heading(_) if self.today.is_some() => None,
            line => self.group_on(line)?.rows.first().copied(),
        }
    }

    /// The line of the next signal from a line on, up or down. Lines without one are passed on the
    /// Today tab only; elsewhere their rows are not loaded.
    pub fn adjacent_line(&self, from: usize, rows: isize) -> Option<usize> {
        let mut line = from;
        loop {
            line = line
                .checked_add_signed(rows)
                .filter(|line| *line < self.len())?;
            if self.today.is_none() || self.row_at(line).is_some() {
                return Some(line);
            }
        }
    }

    /// The row on a line; for a thread, its first row.
    pub fn row_at(&self, at: usize) -> Option<&QueueSignal> {
        self.list.row_at(self.slot_at(at)?)
    }

    /// The row under the cursor; for a thread, its first row.
    pub fn current_row(&self) -> Option<&QueueSignal> {
        self.row_at(self.scroll.cursor)
    }

    pub(super) fn line_id(&self, at: usize) -> Option<SignalId> {
        self.row_at(at).map(|row| row.signal.id)
    }

    /// Changes the list and keeps the cursor on its record, at the same height on the screen if
    /// possible. Rows far from the cursor are forgotten if there are too many.
    pub(super) fn preserve_cursor(
        &mut self,
        known: KnownFacts<'_>,
        change: impl FnOnce(&mut SignalList),
    ) {
        let is_refreshing = self.refreshed.take().is_some();
        self.stale |= is_refreshing;
        let anchor = self.line_id(self.scroll.cursor);
        let line = self.line_at(self.scroll.cursor);
        let slot = self.cursor_slot();
        let height = self.scroll.cursor.saturating_sub(self.scroll.top);
        let (drawn, unread) = (self.range_ids(), self.unread_in_range());
        change(&mut self.list);
        self.list.forget_far_rows(slot, self.range_anchor);
        self.rearrange(known);
        let at = match line {
            Some(Line::Gap { .. }) => self.leave_gap(slot),
            line => {
                anchor.and_then(|id| self.find_line(id, matches!(line, Some(Line::Heading(_)))))
            }
        };
        if self.arrangement.sort.is_some() && !self.is_cursor_placed {
            self.scroll = ScrollState::default();
            self.is_cursor_placed = self.is_complete() && !is_refreshing;
        } else if let Some(at) = at {
            self.scroll.cursor = at;
            if self.scroll.top > 0 {
                self.scroll.top = at.saturating_sub(height);
            }
        }
        self.scroll.cursor = self.scroll.cursor.min(self.len().saturating_sub(1));
        self.convert_range_to_marks(drawn, unread);
    }

    /// Whether all rows are loaded, and not those of the last session.
    pub(super) fn is_complete(&self) -> bool {
        self.read_at.is_some() && self.unread_count() == 0
    }

    /// Number of rows in the current range that are not loaded yet.
    pub fn unread_in_range(&self) -> usize {
        let Some((from, to)) = self.range_ends() else {
            return 0;
        };
        if self.is_arranged() {
            self.lines.unread_in(from..to + 1)
        } else {
            to + 1 - from - self.list.count_in(from..to + 1)
        }
    }

    /// Turns the range into marks if a signal arrived inside it: the user did not select that one.
    pub(super) fn convert_range_to_marks(&mut self, drawn: Vec<SignalId>, unread: usize) {
        let known: HashSet<SignalId> = drawn.iter().copied().collect();
        if self
            .range_ids()
            .iter()
            .filter(|id| !known.contains(id))
            .count()
            > unread
        {
            self.marks.extend(drawn);
            self.range_anchor = None;
        }
    }

    /// Which rows are loaded, if not all of them: `rows 1–100 and 226–325`.
    pub fn loaded_ranges_label(&self) -> Option<String> {
        let span = |run: &LoadedRun| (run.start, run.start + run.ids.len() - 1);
        let spans: Vec<(usize, usize)> = self.list.loaded_runs().iter().map(span).collect();
        let all = self.list.total();
        let words = |(first, last): &(usize, usize)| {
            format!(
                "{}–{}",
                format_count(*first as u64 + 1),
                format_count(*last as u64 + 1)
            )
        };
        match spans.as_slice() {
            [] => (all > 0).then(|| "no rows".to_owned()),
            [(0, last)] if *last as u64 + 1 == all => None,
            [one] => Some(format!("rows {}", words(one))),
            [one, other] => Some(format!("rows {} and {}", words(one), words(other))),
            [one, .., other] => Some(format!(
                "{} between {} and {}",
                pluralize(self.list.loaded_count(), "row"),
                one.0 + 1,
                other.1 + 1
            )),
        }
    }

    pub(super) fn find_line(&self, id: SignalId, on_thread: bool) -> Option<usize> {
        let slot = self.list.slot_of(id)?;
        let heading = || self.lines.heading_of(slot);
        on_thread
            .then(heading)
            .flatten()
            .or_else(|| self.lines.line_of(slot))
    }

    /// How its rows are arranged.
    pub fn arrangement(&self) -> &Arrangement {
        &self.arrangement
    }

    /// Moves the cursor to the first line that shows one of these signals, if any does.
    pub fn move_to_first_of(&mut self, ids: &[SignalId]) {
        let wanted: HashSet<SignalId> = ids.iter().copied().collect();
        let first = self
            .read_lines(0..usize::MAX)
            .find(|(_, id)| wanted.contains(id));
        if let Some((at, _)) = first {
            self.move_to_line(at);
        }
    }

    /// The lines in `within` whose rows are loaded, with the row's id. Iterates over loaded rows
    /// only, because the list's length is whatever the service claims.
    pub fn read_lines(
        &self,
        within: Range<usize>,
    ) -> Box<dyn Iterator<Item = (usize, SignalId)> + '_> {
        if !self.is_arranged() {
            return Box::new(self.list.ids_in(within));
        }
        let within = within.start.min(self.len())..within.end.min(self.len());
        Box::new(within.filter_map(|at| Some((at, self.line_id(at)?))))
    }

    /// The ids in the current range, from its start to the cursor.
    pub fn range_ids(&self) -> Vec<SignalId> {
        let Some((from, to)) = self.range_ends() else {
            return Vec::new();
        };
        self.read_lines(from..to + 1).map(|(_, id)| id).collect()
    }

    /// How many loaded rows are in the current range.
    pub fn range_count(&self) -> usize {
        let Some((from, to)) = self.range_ends() else {
            return 0;
        };
        if self.is_arranged() {
            self.read_lines(from..to + 1).count()
        } else {
            self.list.count_in(from..to + 1)
        }
    }

    pub fn is_in_range(&self, at: usize, start: Option<usize>) -> bool {
        start.is_some_and(|start| {
            (start.min(self.scroll.cursor)..=start.max(self.scroll.cursor)).contains(&at)
        })
    }

    pub fn range_start(&self) -> Option<usize> {
        self.range_anchor.and_then(|id| self.find_line(id, false))
    }

    /// The first and the last line of the current range.
    pub(super) fn range_ends(&self) -> Option<(usize, usize)> {
        let start = self.range_start()?;
        Some((start.min(self.scroll.cursor), start.max(self.scroll.cursor)))
    }

    /// The marked signals that acts are about, and those in the range, in list order; those that
    /// are no longer loaded come last.
    pub fn chosen_marks(&self) -> Vec<SignalId> {
        let mut chosen: HashSet<SignalId> =
            self.marks.iter().copied().chain(self.range_ids()).collect();
        if chosen.is_empty() {
            return Vec::new();
        }
        let mut ids: Vec<SignalId> = self.shown_ids().filter(|id| chosen.contains(id)).collect();
        ids.iter().for_each(|id| {
            chosen.remove(id);
        });
        ids.extend(
            self.marks
                .iter()
                .filter(|id| chosen.contains(id) && self.is_chosen_mark(**id)),
        );
        ids
    }

    /// Whether acts are about a marked signal: its row is shown, in a closed thread too, or was
    /// when it was marked and is no longer loaded.
    pub fn is_chosen_mark(&self, id: SignalId) -> bool {
        match self.list.row(id) {
            None => !self.earlier_marks.contains(&id),
            // Each frame asks for each mark.
            Some(_) if self.lines.is_plain() => true,
            Some(_) => self
                .list
                .slot_of(id)
                .is_some_and(|slot| self.lines.shows(slot)),
        }
    }

    pub fn has_chosen_marks(&self) -> bool {
        self.marks.iter().any(|id| self.is_chosen_mark(*id))
    }

    /// How many marked signals are hidden: acts leave them.
    pub fn hidden_mark_count(&self) -> usize {
        if self.lines.is_plain() && self.earlier_marks.is_empty() {
            return 0;
        }
        self.marks
            .iter()
            .filter(|id| !self.is_chosen_mark(**id))
            .count()
    }

    /// The signals a command applies to, in list order: the marks that are not hidden and the
    /// range, or else the thread or row under the cursor.
    pub fn selection(&self) -> Vec<SignalId> {
        Some(self.chosen_marks())
            .filter(|ids| !ids.is_empty())
            .unwrap_or_else(|| self.ids_under_cursor())
    }

    pub fn ids_under_cursor(&self) -> Vec<SignalId> {
        self.line_at(self.scroll.cursor)
            .map(|line| self.ids_on_line(line))
            .unwrap_or_default()
    }

    pub fn has_selection(&self) -> bool {
        self.current_row().is_some() || self.range_start().is_some() || self.has_chosen_marks()
    }

    /// Moves the cursor by lines. A gap counts as many as it has rows: nobody walks past them.
    pub fn move_cursor(&mut self, rows: isize) {
        self.is_cursor_placed = true;
        if self.is_arranged() {
            self.move_over_gaps(rows)
        } else {
            self.scroll.move_cursor(rows, self.len())
        }
    }

    /// Moves the cursor to a line.
    pub fn move_to_line(&mut self, at: usize) {
        self.is_cursor_placed = true;
        self.scroll.cursor = at;
        self.gap_slot = None;
    }

    /// Keeps the cursor within the list and on a screen of `height` lines.
    pub fn clamp_scroll(&mut self, height: u16) {
        self.scroll.clamp_to_list(self.len(), height);
    }

    /// Ends the range, else clears the marks; false if there is neither.
    pub fn clear_selection(&mut self) -> bool {
        self.range_anchor.take().is_some() || !std::mem::take(&mut self.marks).is_empty()
    }
}
