//! The queue: two lists, New and Done, under one filter.
//!
//! A tab holds its list, the cursor, the marks and the state of its reading. Everything that must survive a refresh hangs on
//! ids; the cursor is a line on the screen that is carried along with its record ([`TabState::keep_place`]).

mod cached_queue;
pub mod commands;
pub mod draw;
pub mod layout;
mod loading;
mod threads;

#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;

use chrono::{DateTime, Utc};

use crate::app::format::{format_count, pluralize};
use crate::app::records::LoadState;
use crate::app::records::signal_list::{RemovedRow, SignalList};
use crate::app::session::AfterTriage;
use crate::domain::queue::{QueueFilter, QueueSignal};
use crate::domain::{ProjectId, SignalId};
use crate::ui::scroll::ScrollState;

pub use loading::QueuePageRequest;
pub use threads::QueueLine;

/// A tab of the queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum QueueTab {
    /// Signals that nobody has dealt with.
    #[default]
    New,
    /// Signals that somebody has.
    Done,
}

impl QueueTab {
    /// The other one.
    pub fn other(self) -> QueueTab {
        match self {
            QueueTab::New => QueueTab::Done,
            QueueTab::Done => QueueTab::New,
        }
    }

    /// Its name.
    pub fn title(self) -> &'static str {
        match self {
            QueueTab::New => "New",
            QueueTab::Done => "Done",
        }
    }
}

/// One tab's list and where the person is in it.
#[derive(Clone, Debug, Default)]
pub struct QueueTabState {
    /// The rows.
    pub list: SignalList,
    /// How far reading has come.
    pub load: LoadState,
    /// The cursor and the first line on the screen, in lines.
    pub scroll: ScrollState,
    /// Marked signals.
    pub marks: BTreeSet<SignalId>,
    /// Where a range began.
    pub range_anchor: Option<SignalId>,
    /// Signals whose triage broke off and was not checked yet.
    pub unconfirmed: HashSet<SignalId>,
    /// The service's list is known to have changed.
    pub stale: bool,
    /// The last read failed: none is asked for until the counts come again or the person asks.
    pub is_halted: bool,
    /// Reads since the lines in sight were last all there, or somebody asked.
    pub consecutive_reads: u8,
    /// The read under way.
    pub pending_page: Option<QueuePageRequest>,
    /// When its first rows were read.
    pub read_at: Option<DateTime<Utc>>,
    /// The first read takes more rows than otherwise: the cursor is further down.
    reads_deep: bool,
    lines: Option<Vec<QueueLine>>,
    collapsed: HashSet<ProjectId>,
    projects: HashMap<ProjectId, Vec<usize>>,
    grouped_rows: usize,
}

impl QueueTabState {
    /// Lines on the screen: rows, or threads and their rows.
    pub fn len(&self) -> usize {
        self.lines.as_ref().map_or(self.list.len(), Vec::len)
    }

    /// How many lines there are, as the service counts them where each is a row.
    pub fn total(&self) -> u64 {
        self.lines.as_ref().map_or(self.list.total(), |lines| lines.len() as u64)
    }

    /// Whether there is no line.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What stands on a line.
    pub fn line_at(&self, at: usize) -> Option<QueueLine> {
        match &self.lines {
            Some(lines) => lines.get(at).copied(),
            None => (at < self.list.len()).then_some(QueueLine::Row(at)),
        }
    }

    /// The row on a line that is one.
    pub fn row_at(&self, at: usize) -> Option<&QueueSignal> {
        match self.line_at(at)? {
            QueueLine::Row(slot) => self.list.row_at(slot),
            QueueLine::Thread { first, .. } => self.list.row_at(first),
        }
    }

    /// The row that the cursor is on; of a thread its first.
    pub fn current_row(&self) -> Option<&QueueSignal> {
        self.row_at(self.scroll.cursor)
    }

    fn line_id(&self, at: usize) -> Option<SignalId> {
        self.row_at(at).map(|row| row.signal.id)
    }

    /// Changes the list and leaves the cursor on its record, at its height of the screen where that can be.
    pub fn preserve_cursor(&mut self, change: impl FnOnce(&mut SignalList)) {
        let anchor = self.line_id(self.scroll.cursor);
        let on_thread = matches!(self.line_at(self.scroll.cursor), Some(QueueLine::Thread { .. }));
        let height = self.scroll.cursor.saturating_sub(self.scroll.top);
        let (drawn, unread) = (self.range_ids(), self.unread_in_range());
        change(&mut self.list);
        self.regroup();
        if let Some(at) = anchor.and_then(|id| self.find_line(id, on_thread)) {
            self.scroll.cursor = at;
            if self.scroll.top > 0 {
                self.scroll.top = at.saturating_sub(height);
            }
        }
        self.scroll.cursor = self.scroll.cursor.min(self.len().saturating_sub(1));
        self.convert_range_to_marks(drawn, unread);
    }

    /// Lines of the range that is being drawn whose rows are not read yet.
    pub(in crate::app) fn unread_in_range(&self) -> usize {
        let Some(start) = self.range_start() else { return 0 };
        start.abs_diff(self.scroll.cursor) + 1 - self.range_ids().len()
    }

    /// Where a signal came in between, the range that was being drawn ends as the marks that it was: it was not drawn over that one.
    fn convert_range_to_marks(&mut self, drawn: Vec<SignalId>, unread: usize) {
        let known: HashSet<SignalId> = drawn.iter().copied().collect();
        if self.range_ids().iter().filter(|id| !known.contains(id)).count() > unread {
            self.marks.extend(drawn);
            self.range_anchor = None;
        }
    }

    /// Which rows are loaded, when not all are: `rows 1–100 and 226–325`.
    pub fn loaded_ranges_label(&self) -> Option<String> {
        let mut spans: Vec<(usize, usize)> = Vec::new();
        for (slot, _) in self.list.loaded_rows() {
            match spans.last_mut() {
                Some((_, last)) if *last + 1 == slot => *last = slot,
                _ => spans.push((slot, slot)),
            }
        }
        let all = self.list.total();
        let words =
            |(first, last): &(usize, usize)| format!("{}–{}", format_count(*first as u64 + 1), format_count(*last as u64 + 1));
        match spans.as_slice() {
            [] => (all > 0).then(|| "no rows".to_owned()),
            [(0, last)] if *last as u64 + 1 == all => None,
            [one] => Some(format!("rows {}", words(one))),
            [one, other] => Some(format!("rows {} and {}", words(one), words(other))),
            [one, .., other] => {
                Some(format!("{} between {} and {}", pluralize(self.loaded_count(), "row"), one.0 + 1, other.1 + 1))
            }
        }
    }

    fn find_line(&self, id: SignalId, on_thread: bool) -> Option<usize> {
        let slot = self.list.slot_of(id)?;
        let Some(lines) = &self.lines else { return Some(slot) };
        lines
            .iter()
            .position(|line| match line {
                QueueLine::Row(at) => !on_thread && *at == slot,
                QueueLine::Thread { first, .. } => on_thread && *first == slot,
            })
            .or_else(|| lines.iter().position(|line| matches!(line, QueueLine::Thread { first, .. } if *first == slot)))
    }

    /// Puts the cursor on the first line of some signals; where none of them is, it stays.
    pub fn move_to_first_of(&mut self, ids: &[SignalId]) {
        let wanted: HashSet<SignalId> = ids.iter().copied().collect();
        let first = self.read_lines(0..usize::MAX).find(|(_, id)| wanted.contains(id));
        if let Some((at, _)) = first {
            self.scroll.cursor = at;
        }
    }

    /// The lines of `within` whose rows were read, with the row's id. The length of the list is the service's word, so it is not
    /// what this goes through.
    pub fn read_lines(&self, within: Range<usize>) -> Box<dyn Iterator<Item = (usize, SignalId)> + '_> {
        match &self.lines {
            None => Box::new(self.list.ids_in(within)),
            Some(lines) => {
                let within = within.start.min(lines.len())..within.end.min(lines.len());
                Box::new(within.filter_map(|at| Some((at, self.line_id(at)?))))
            }
        }
    }

    /// The ids of a range that is being drawn, from where it began to the cursor.
    pub fn range_ids(&self) -> Vec<SignalId> {
        let Some(start) = self.range_anchor.and_then(|id| self.find_line(id, false)) else { return Vec::new() };
        let (from, to) = (start.min(self.scroll.cursor), start.max(self.scroll.cursor));
        self.read_lines(from..to.saturating_add(1)).map(|(_, id)| id).collect()
    }

    /// Whether a line lies in the range that is being drawn.
    pub fn is_in_range(&self, at: usize, start: Option<usize>) -> bool {
        start.is_some_and(|start| (start.min(self.scroll.cursor)..=start.max(self.scroll.cursor)).contains(&at))
    }

    /// Where the range that is being drawn began.
    pub fn range_start(&self) -> Option<usize> {
        self.range_anchor.and_then(|id| self.find_line(id, false))
    }

    /// What an act is about: the marks and the range, or the thread or the row under the cursor. In the order of the list.
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

    /// The thread or the row under the cursor.
    pub fn ids_under_cursor(&self) -> Vec<SignalId> {
        match self.line_at(self.scroll.cursor) {
            Some(QueueLine::Row(slot)) => self.list.id_at(slot).into_iter().collect(),
            Some(QueueLine::Thread { project, .. }) => self.ids_in_project(project),
            None => Vec::new(),
        }
    }

    /// Whether an act would be about anything.
    pub fn has_selection(&self) -> bool {
        !self.marks.is_empty() || self.range_start().is_some() || self.current_row().is_some()
    }

    /// The loaded signals of a project, in the order of the list.
    pub fn ids_in_project(&self, project: ProjectId) -> Vec<SignalId> {
        self.projects.get(&project).into_iter().flatten().filter_map(|slot| self.list.id_at(*slot)).collect()
    }
}

/// The queue pane.
#[derive(Clone, Debug, Default)]
pub struct QueuePane {
    /// The New tab.
    pub new: QueueTabState,
    /// The Done tab.
    pub done: QueueTabState,
    /// The tab on the screen.
    pub tab: QueueTab,
    /// What narrows both lists; its status is set by the tab.
    pub filter: QueueFilter,
    /// The preview is shown.
    pub preview: PreviewState,
    /// Counts of New and Done that the lists are true to.
    pub counts: Option<(u64, u64)>,
    /// What outlives a run of the program.
    pub cache: cached_queue::QueueCache,
}

/// Where the preview stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PreviewState {
    /// The person hid it.
    pub hidden: bool,
    /// The person moved it: `Some(true)` below, `Some(false)` beside.
    pub below: Option<bool>,
    /// Its first line on the screen.
    pub top: u16,
    /// It has the keys.
    pub focused: bool,
}

impl QueuePane {
    /// The tab on the screen.
    pub fn current_tab(&self) -> &QueueTabState {
        self.tab_state(self.tab)
    }

    /// The tab on the screen.
    pub fn current_tab_mut(&mut self) -> &mut QueueTabState {
        self.tab_state_mut(self.tab)
    }

    /// A tab.
    pub fn tab_state(&self, tab: QueueTab) -> &QueueTabState {
        match tab {
            QueueTab::New => &self.new,
            QueueTab::Done => &self.done,
        }
    }

    /// A tab.
    pub fn tab_state_mut(&mut self, tab: QueueTab) -> &mut QueueTabState {
        match tab {
            QueueTab::New => &mut self.new,
            QueueTab::Done => &mut self.done,
        }
    }

    /// Takes signals off a tab at once, unmarks them, and leaves the cursor where the person's setting wants it.
    pub fn remove_signals(&mut self, from: QueueTab, ids: &[SignalId], advance: AfterTriage) -> Vec<RemovedRow> {
        let tab = self.tab_state_mut(from);
        let leaving: HashSet<SignalId> = ids.iter().copied().collect();
        let stays = tab.line_id(tab.scroll.cursor).is_some_and(|id| !leaving.contains(&id));
        tab.range_anchor = None;
        tab.marks.retain(|id| !leaving.contains(id));
        let mut taken = Vec::new();
        if stays {
            tab.preserve_cursor(|list| taken = list.remove_rows(ids));
            return taken;
        }
        let before = tab.read_lines(0..tab.scroll.cursor).filter(|(_, id)| leaving.contains(id)).count();
        taken = tab.list.remove_rows(ids);
        tab.regroup();
        let back = usize::from(advance == AfterTriage::Back);
        tab.scroll.cursor = tab.scroll.cursor.saturating_sub(before + back).min(tab.len().saturating_sub(1));
        tab.scroll.top = tab.scroll.top.saturating_sub(before);
        taken
    }

    /// Signals changed sides by our own act: the counts that the lists are true to move with them.
    pub fn shift_counts(&mut self, from: QueueTab, signals: u64) {
        if let Some((new, done)) = &mut self.counts {
            let (less, more) = if from == QueueTab::New { (new, done) } else { (done, new) };
            *less = less.saturating_sub(signals);
            *more = more.saturating_add(signals);
        }
    }

    /// Whether the service's lists are narrowed by anything but the tab.
    pub fn is_filtered(&self) -> bool {
        QueueFilter { status: BTreeSet::new(), ..self.filter.clone() } != QueueFilter::default()
    }

    /// Narrows both lists anew: they are read from their beginning.
    pub fn set_filter(&mut self, filter: QueueFilter) {
        self.filter = filter;
        for tab in [&mut self.new, &mut self.done] {
            *tab = QueueTabState {
                marks: std::mem::take(&mut tab.marks),
                lines: tab.lines.take().map(|_| Vec::new()),
                ..QueueTabState::default()
            };
        }
        self.show_previous_rows();
    }
}
