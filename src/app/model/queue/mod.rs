//! The queue: two lists, New and Done, under one filter.
//!
//! A tab has its list, cursor, marks and loading state. Everything that must survive a refresh is keyed by id; the cursor is a
//! line on the screen that moves with its record ([`QueueTabState::preserve_cursor`]).

mod lines;
pub(in crate::app) mod news;
mod read_windows;
mod row_text;
mod saved_tabs;
mod snoozes;

use std::collections::{BTreeSet, HashSet};
use std::ops::Range;

use chrono::{DateTime, NaiveDate, Utc};
use lines::Lines;
pub use lines::{Arrangement, KnownFacts};
use news::News;
pub use read_windows::MAX_ROWS_REFRESHED;
use saved_tabs::SavedTabs;
use snoozes::MovedRows;
pub use snoozes::{SnoozeChange, Snoozes};

use crate::app::format::{format_count, pluralize};
use crate::app::model::load_state::LoadState;
use crate::app::model::signal_facts::SignalFacts;
use crate::app::model::signal_list::{LoadedRun, RemovedRow, SignalList};
use crate::domain::pages::Page;
use crate::domain::queue::{QueueFilter, QueueSignal, QueueSnapshot, QueueTab};
use crate::domain::{ProjectId, SignalId};
use crate::ui::scroll::ScrollState;

/// What a line of the list shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueLine {
    /// The row in this slot of the list.
    Row(usize),
    /// The loaded signals of one project.
    Thread {
        project: ProjectId,
        /// The slot of its first row.
        first: usize,
        /// Where its rows begin among the grouped rows.
        members: usize,
        size: usize,
        /// Its rows are shown below it.
        open: bool,
    },
    /// Rows that are not loaded, in a list of threads.
    Gap { first: usize, last: usize, size: usize },
}

/// Where the cursor goes after a triage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AfterTriage {
    /// The next row; in the detail, the next signal.
    #[default]
    Next,
    /// The same place on the screen; the detail stays open.
    Stay,
    /// The previous row; the detail closes.
    Back,
}

/// A read in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueuePageRequest {
    pub offset: u32,
    pub limit: u32,
    pub refresh: bool,
}

#[derive(Clone, Debug)]
pub enum QueueRequest {
    Page(QueueTab, QueuePageRequest),
    /// What colleagues have marked done.
    Activity,
    /// Who triaged these signals, which disappeared from the list.
    WhoTriaged(Vec<SignalId>),
}

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
    /// Signals whose triage was confirmed during the read in flight: the page may still contain them.
    pub left_during_read: HashSet<SignalId>,
    /// When the first page was read.
    pub read_at: Option<DateTime<Utc>>,
    /// The first read uses a larger page because the cursor is further down.
    pub reads_deep: bool,
    /// A list of at most this many rows is read as a whole, rather than the rows on the screen: the user asked for it.
    pub read_all_up_to: usize,
    /// All rows are marked once they are loaded.
    pub marks_when_loaded: bool,
    /// The cursor stays on the first line, whatever is there: the list was sorted and its rows still come in.
    stays_on_first_line: bool,
    /// The pages of a refresh of all rows, until it is complete.
    pub(super) refreshed: Option<SignalList>,
    /// How its rows are arranged; changed by [`SignalQueue::arrange`].
    arrangement: Arrangement,
    moved: MovedRows,
    lines: Option<Lines>,
    collapsed: HashSet<ProjectId>,
    /// Where in the gap under the cursor the user is; its first row when unknown.
    gap_slot: Option<usize>,
}

impl QueueTabState {
    /// Number of lines: rows, or threads, their rows and gaps.
    pub fn len(&self) -> usize {
        self.lines.as_ref().map_or(self.list.len(), |lines| lines.lines().len())
    }

    /// Total lines: the service's count if every line is a row, else the grouped lines.
    pub fn total(&self) -> u64 {
        self.lines.as_ref().map_or(self.list.total(), |lines| lines.lines().len() as u64)
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many loaded rows are shown; those of a closed thread count.
    pub fn shown_count(&self) -> usize {
        self.lines.as_ref().map_or_else(|| self.list.loaded_count(), Lines::row_count)
    }

    /// The loaded rows that are shown, in the service's order.
    pub fn shown_rows(&self) -> impl Iterator<Item = &QueueSignal> {
        let known = self.lines.as_ref();
        self.list.loaded_rows().filter(move |(slot, _)| known.is_none_or(|lines| lines.shows(*slot))).map(|(_, row)| row)
    }

    pub fn line_at(&self, at: usize) -> Option<QueueLine> {
        match &self.lines {
            Some(lines) => lines.lines().get(at).copied(),
            None => (at < self.list.len()).then_some(QueueLine::Row(at)),
        }
    }

    /// The row on a line; for a thread, its first row.
    pub fn row_at(&self, at: usize) -> Option<&QueueSignal> {
        match self.line_at(at)? {
            QueueLine::Row(slot) | QueueLine::Thread { first: slot, .. } => self.list.row_at(slot),
            QueueLine::Gap { .. } => None,
        }
    }

    /// The row under the cursor; for a thread, its first row.
    pub fn current_row(&self) -> Option<&QueueSignal> {
        self.row_at(self.scroll.cursor)
    }

    fn line_id(&self, at: usize) -> Option<SignalId> {
        self.row_at(at).map(|row| row.signal.id)
    }

    /// Changes the list and keeps the cursor on its record, at the same height on the screen if possible. Rows far from the cursor
    /// are forgotten if there are too many.
    fn preserve_cursor(&mut self, known: KnownFacts<'_>, change: impl FnOnce(&mut SignalList)) {
        self.stale |= self.refreshed.take().is_some();
        let anchor = self.line_id(self.scroll.cursor);
        let line = self.line_at(self.scroll.cursor);
        let slot = self.cursor_slot();
        let height = self.scroll.cursor.saturating_sub(self.scroll.top);
        let (drawn, unread) = (self.range_ids(), self.unread_in_range());
        change(&mut self.list);
        self.list.forget_far_rows(slot, self.range_anchor);
        self.rearrange(known);
        let at = match line {
            Some(QueueLine::Gap { .. }) => self.leave_gap(slot),
            line => anchor.and_then(|id| self.find_line(id, matches!(line, Some(QueueLine::Thread { .. })))),
        };
        if self.stays_on_first_line {
            self.scroll = ScrollState::default();
            self.stays_on_first_line = self.unread_count() > 0;
        } else if let Some(at) = at {
            self.scroll.cursor = at;
            if self.scroll.top > 0 {
                self.scroll.top = at.saturating_sub(height);
            }
        }
        self.scroll.cursor = self.scroll.cursor.min(self.len().saturating_sub(1));
        self.convert_range_to_marks(drawn, unread);
    }

    /// Number of rows in the current range that are not loaded yet.
    pub fn unread_in_range(&self) -> usize {
        let Some((from, to)) = self.range_ends() else { return 0 };
        match &self.lines {
            None => to + 1 - from - self.list.count_in(from..to + 1),
            Some(lines) => lines.unread_in(from..to + 1),
        }
    }

    /// Turns the range into marks if a signal arrived inside it: the user did not select that one.
    fn convert_range_to_marks(&mut self, drawn: Vec<SignalId>, unread: usize) {
        let known: HashSet<SignalId> = drawn.iter().copied().collect();
        if self.range_ids().iter().filter(|id| !known.contains(id)).count() > unread {
            self.marks.extend(drawn);
            self.range_anchor = None;
        }
    }

    /// Which rows are loaded, if not all of them: `rows 1–100 and 226–325`.
    pub fn loaded_ranges_label(&self) -> Option<String> {
        let span = |run: &LoadedRun| (run.start, run.start + run.ids.len() - 1);
        let spans: Vec<(usize, usize)> = self.list.loaded_runs().iter().map(span).collect();
        let all = self.list.total();
        let words =
            |(first, last): &(usize, usize)| format!("{}–{}", format_count(*first as u64 + 1), format_count(*last as u64 + 1));
        match spans.as_slice() {
            [] => (all > 0).then(|| "no rows".to_owned()),
            [(0, last)] if *last as u64 + 1 == all => None,
            [one] => Some(format!("rows {}", words(one))),
            [one, other] => Some(format!("rows {} and {}", words(one), words(other))),
            [one, .., other] => {
                Some(format!("{} between {} and {}", pluralize(self.list.loaded_count(), "row"), one.0 + 1, other.1 + 1))
            }
        }
    }

    fn find_line(&self, id: SignalId, on_thread: bool) -> Option<usize> {
        let slot = self.list.slot_of(id)?;
        match &self.lines {
            None => Some(slot),
            Some(lines) => lines.thread_of(slot).filter(|_| on_thread).or_else(|| lines.line_of(slot)),
        }
    }

    /// How its rows are arranged.
    pub fn arrangement(&self) -> &Arrangement {
        &self.arrangement
    }

    /// Moves the cursor to the first line that shows one of these signals, if any does.
    pub fn move_to_first_of(&mut self, ids: &[SignalId]) {
        let wanted: HashSet<SignalId> = ids.iter().copied().collect();
        let first = self.read_lines(0..usize::MAX).find(|(_, id)| wanted.contains(id));
        if let Some((at, _)) = first {
            self.scroll.cursor = at;
        }
    }

    /// The lines in `within` whose rows are loaded, with the row's id. Iterates over loaded rows only, because the list's length is
    /// whatever the service claims.
    pub fn read_lines(&self, within: Range<usize>) -> Box<dyn Iterator<Item = (usize, SignalId)> + '_> {
        if self.lines.is_none() {
            return Box::new(self.list.ids_in(within));
        }
        let within = within.start.min(self.len())..within.end.min(self.len());
        Box::new(within.filter_map(|at| Some((at, self.line_id(at)?))))
    }

    /// The ids in the current range, from its start to the cursor.
    pub fn range_ids(&self) -> Vec<SignalId> {
        let Some((from, to)) = self.range_ends() else { return Vec::new() };
        self.read_lines(from..to + 1).map(|(_, id)| id).collect()
    }

    /// How many loaded rows are in the current range.
    pub fn range_count(&self) -> usize {
        let Some((from, to)) = self.range_ends() else { return 0 };
        if self.is_arranged() { self.read_lines(from..to + 1).count() } else { self.list.count_in(from..to + 1) }
    }

    pub fn is_in_range(&self, at: usize, start: Option<usize>) -> bool {
        start.is_some_and(|start| (start.min(self.scroll.cursor)..=start.max(self.scroll.cursor)).contains(&at))
    }

    pub fn range_start(&self) -> Option<usize> {
        self.range_anchor.and_then(|id| self.find_line(id, false))
    }

    /// The first and the last line of the current range.
    fn range_ends(&self) -> Option<(usize, usize)> {
        let start = self.range_start()?;
        Some((start.min(self.scroll.cursor), start.max(self.scroll.cursor)))
    }

    /// The signals a command applies to, in list order: the marks and the range, or else the thread or row under the cursor.
    pub fn selection(&self) -> Vec<SignalId> {
        let marked: HashSet<SignalId> = self.marks.iter().copied().chain(self.range_ids()).collect();
        if !marked.is_empty() {
            let mut ids: Vec<SignalId> =
                self.list.loaded_rows().map(|(_, row)| row.signal.id).filter(|id| marked.contains(id)).collect();
            let seen: HashSet<SignalId> = ids.iter().copied().collect();
            ids.extend(marked.into_iter().filter(|id| !seen.contains(id)));
            return ids;
        }
        self.ids_under_cursor()
    }

    pub fn ids_under_cursor(&self) -> Vec<SignalId> {
        self.line_at(self.scroll.cursor).map(|line| self.ids_on_line(line)).unwrap_or_default()
    }

    pub fn has_selection(&self) -> bool {
        !self.marks.is_empty() || self.current_row().is_some() || self.range_start().is_some()
    }

    /// Moves the cursor by lines. A gap counts as many as it has rows: nobody walks past them.
    pub fn move_cursor(&mut self, rows: isize) {
        self.stays_on_first_line = false;
        if self.is_arranged() { self.move_over_gaps(rows) } else { self.scroll.move_cursor(rows, self.len()) }
    }

    /// Moves the cursor to a line.
    pub fn move_to_line(&mut self, at: usize) {
        self.stays_on_first_line = false;
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

/// The queue as saved between sessions.
#[derive(Clone, Debug, Default)]
pub struct QueueCache {
    /// The previous session's queue, until the queue has been loaded.
    pub previous: Option<QueueSnapshot>,
    /// When it was last saved for the next session.
    pub saved_at: Option<DateTime<Utc>>,
}

/// The queue's lists, as every part of the console sees them.
#[derive(Clone, Debug, Default)]
pub struct SignalQueue {
    pub new: QueueTabState,
    pub done: QueueTabState,
    /// The rows that the user has put aside, from this machine.
    pub snoozed: QueueTabState,
    pub snoozes: Snoozes,
    pub tab: QueueTab,
    /// Filters both lists; its status is ignored, each tab sets its own.
    pub filter: QueueFilter,
    /// Counts of New and Done that match the lists as loaded.
    pub counts: Option<(u64, u64)>,
    /// The queue saved between sessions.
    pub cache: QueueCache,
    /// What is known of signals besides their rows.
    pub facts: SignalFacts,
    /// What came since the queue was last looked at.
    pub news: News,
    saved: SavedTabs,
    /// The facts by which the lists are arranged.
    facts_revision: u64,
    /// The day by the service's clock, in UTC.
    today: Option<NaiveDate>,
}

impl SignalQueue {
    pub fn current_tab(&self) -> &QueueTabState {
        self.tab_state(self.tab)
    }

    pub fn current_tab_mut(&mut self) -> &mut QueueTabState {
        self.tab_state_mut(self.tab)
    }

    pub fn tab_state(&self, tab: QueueTab) -> &QueueTabState {
        match tab {
            QueueTab::New => &self.new,
            QueueTab::Done => &self.done,
            QueueTab::Snoozed => &self.snoozed,
        }
    }

    pub fn tab_state_mut(&mut self, tab: QueueTab) -> &mut QueueTabState {
        match tab {
            QueueTab::New => &mut self.new,
            QueueTab::Done => &mut self.done,
            QueueTab::Snoozed => &mut self.snoozed,
        }
    }

    /// Has both lists read again when they are shown.
    pub fn mark_stale(&mut self) {
        self.new.stale = true;
        self.done.stale = true;
    }

    /// The same, also after a read that failed to fill the screen.
    pub fn restart_reads(&mut self) {
        self.mark_stale();
        self.new.consecutive_reads = 0;
        self.done.consecutive_reads = 0;
    }

    /// Allows reads again after failed ones.
    pub fn allow_retry(&mut self) {
        self.new.allow_retry();
        self.done.allow_retry();
    }

    /// Reads only the rows on the screen again; returns whether all rows were being read.
    pub fn stop_reading_all(&mut self) -> bool {
        let mut was_reading = false;
        for tab in [&mut self.new, &mut self.done] {
            was_reading |= tab.reads_all() && tab.unread_count() > 0;
            tab.read_all_up_to = 0;
            tab.marks_when_loaded = false;
        }
        was_reading
    }

    /// The row under the cursor was seen: it no longer counts as new.
    pub fn mark_visited(&mut self) {
        if let Some(id) = self.current_tab().current_row().map(|row| row.signal.id) {
            self.news.mark_seen(id);
        }
    }

    /// Removes signals from a tab at once, unmarks them, and places the cursor according to the `advance` setting.
    pub fn remove_signals(&mut self, from: QueueTab, ids: &[SignalId], advance: AfterTriage) -> Vec<RemovedRow> {
        let (tab, known) = self.tab_and_facts(from);
        let leaving: HashSet<SignalId> = ids.iter().copied().collect();
        let stays = tab.line_id(tab.scroll.cursor).is_some_and(|id| !leaving.contains(&id));
        tab.range_anchor = None;
        tab.marks.retain(|id| !leaving.contains(id));
        let mut taken = Vec::new();
        if stays {
            tab.preserve_cursor(known, |list| taken = list.remove_rows(ids));
        } else {
            let before = tab.read_lines(0..tab.scroll.cursor).filter(|(_, id)| leaving.contains(id)).count();
            tab.stale |= tab.refreshed.take().is_some();
            taken = tab.list.remove_rows(ids);
            tab.rearrange(known);
            let back = usize::from(advance == AfterTriage::Back);
            tab.move_to_line(tab.scroll.cursor.saturating_sub(before + back).min(tab.len().saturating_sub(1)));
            tab.scroll.top = tab.scroll.top.saturating_sub(before);
        }
        if from == QueueTab::New {
            self.count_out(taken.iter().filter_map(|removed| removed.row.as_ref()));
        }
        taken
    }

    /// Takes the service's counts of New and Done; returns whether the lists as read differ from them.
    pub fn replace_counts(&mut self, counts: (u64, u64)) -> bool {
        match self.counts.replace(counts) {
            Some(known) => known != counts,
            // The rows were read before the first counts.
            None => !self.is_filtered() && self.new.load == LoadState::Ready && self.new.list.total() != counts.0,
        }
    }

    /// Adjusts the counts for our own triage, so that the next poll does not reload the lists.
    pub fn shift_counts(&mut self, from: QueueTab, signals: u64) {
        if let Some((new, done)) = &mut self.counts {
            let (less, more) = if from == QueueTab::New { (new, done) } else { (done, new) };
            *less = less.saturating_sub(signals);
            *more = more.saturating_add(signals);
        }
    }

    /// Whether any filter besides the tab's status is set.
    pub fn is_filtered(&self) -> bool {
        !self.filter.is_empty()
    }

    /// Sets the filter; both lists are read again from the start.
    pub fn set_filter(&mut self, filter: QueueFilter) {
        self.filter = filter;
        for tab in [&mut self.new, &mut self.done] {
            *tab = QueueTabState {
                marks: std::mem::take(&mut tab.marks),
                read_all_up_to: tab.read_all_up_to.min(MAX_ROWS_REFRESHED),
                arrangement: std::mem::take(&mut tab.arrangement),
                moved: std::mem::take(&mut tab.moved),
                ..QueueTabState::default()
            };
        }
        self.rearrange();
        self.show_previous_rows();
    }

    /// A list, and what is known about its rows from other reads.
    fn tab_and_facts(&mut self, tab: QueueTab) -> (&mut QueueTabState, KnownFacts<'_>) {
        let state = match tab {
            QueueTab::New => &mut self.new,
            QueueTab::Done => &mut self.done,
            QueueTab::Snoozed => &mut self.snoozed,
        };
        (state, KnownFacts { facts: &self.facts, today: self.today })
    }

    /// Takes the day from which days left are counted.
    pub fn set_today(&mut self, today: NaiveDate) {
        if self.today.replace(today) != Some(today) {
            self.rearrange();
        }
    }

    /// Changes a list and keeps the cursor on its record.
    pub fn change_list(&mut self, tab: QueueTab, change: impl FnOnce(&mut SignalList)) {
        let (state, known) = self.tab_and_facts(tab);
        state.preserve_cursor(known, change);
        self.update_saved_counts();
    }

    /// Inserts the page that a read returned. A refresh of all rows replaces them once it is complete: until then they stay.
    pub fn insert_page(&mut self, tab: QueueTab, ask: QueuePageRequest, page: Page<QueueSignal>) {
        let state = self.tab_state_mut(tab);
        if !ask.refresh || !state.refreshes_all() {
            return self.change_list(tab, |list| {
                list.insert_page(page, ask.limit, ask.refresh);
            });
        }
        let refreshed = state.refreshed.get_or_insert_default();
        refreshed.insert_page(page, ask.limit, false);
        if refreshed.first_gap(0..usize::MAX).is_none()
            && let Some(refreshed) = state.refreshed.take()
        {
            self.change_list(tab, |list| *list = refreshed);
        }
    }

    /// Arranges the rows of a list in another way.
    pub fn arrange(&mut self, tab: QueueTab, change: impl FnOnce(&mut Arrangement)) {
        let (state, known) = self.tab_and_facts(tab);
        let mut arrangement = state.arrangement.clone();
        change(&mut arrangement);
        state.arrange(arrangement, known);
    }

    /// Brings what depends on facts about rows up to date, if they changed.
    pub fn apply_facts(&mut self) {
        let revision = self.facts.revision();
        if std::mem::replace(&mut self.facts_revision, revision) != revision {
            self.rearrange();
            self.update_saved_counts();
        }
    }

    /// Arranges both lists again, because facts about rows or the day changed.
    pub fn rearrange(&mut self) {
        for tab in [QueueTab::New, QueueTab::Done] {
            if self.tab_state(tab).is_arranged() {
                self.change_list(tab, |_| {});
            }
        }
    }

    /// Opens or closes the thread under the cursor, or the thread its row belongs to; false if there is none.
    pub fn set_folded(&mut self, close: bool) -> bool {
        let (state, known) = self.tab_and_facts(self.tab);
        state.set_folded(close, known)
    }

    /// Opens or closes all threads; the cursor stays on its project.
    pub fn set_all_folded(&mut self, close: bool) {
        let (state, known) = self.tab_and_facts(self.tab);
        state.set_all_folded(close, known);
    }
}
