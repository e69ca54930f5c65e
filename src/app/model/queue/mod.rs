//! The queue: two lists, New and Done, under one filter; and Today, put together from New.
//!
//! Each tab has a list, a cursor, marks and a loading state ([`QueueTabState`]).

mod lines;
pub(in crate::app) mod news;
mod read_windows;
mod row_text;
mod saved_tab_list;
mod saved_tabs;
mod snoozes;
mod tab_state;
pub(in crate::app) mod today;
mod today_parts;

use std::collections::HashSet;

use chrono::{DateTime, NaiveDate, Utc};
pub use lines::{Arrangement, KnownFacts, THREAD_COLUMN};
use news::News;
pub use read_windows::MAX_ROWS_REFRESHED;
use saved_tab_list::SavedTabs;
pub use snoozes::Snoozes;
pub use tab_state::QueueTabState;

use uuid::Uuid;

use crate::app::model::load_state::LoadState;
use crate::app::model::signal_facts::SignalFacts;
use crate::app::model::signal_list::{RemovedRow, SignalList};
use crate::domain::field_kind::ListSort;
use crate::domain::pages::Page;
use crate::domain::queue::{QueueFilter, QueueSignal, QueueSnapshot, QueueTab};
use crate::domain::row_columns::find_column;
use crate::domain::{ProjectId, SignalId};

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

/// The queue as saved between sessions.
#[derive(Clone, Debug, Default)]
pub struct QueueCache {
    /// The previous session's queue, until the queue has been loaded.
    pub previous: Option<QueueSnapshot>,
    /// When it was last saved for the next session.
    pub saved_at: Option<DateTime<Utc>>,
}

/// The queue's lists, as every part of the console sees them.
#[derive(Clone, Debug)]
pub struct SignalQueue {
    pub new: QueueTabState,
    pub done: QueueTabState,
    /// What is due and best, and what the user has put aside; filled on this machine.
    pub today: QueueTabState,
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
    day: Option<NaiveDate>,
    /// How many signals the user marked done today, in this run of the console.
    done_today: u64,
    /// The day of that, by the user's clock.
    tally_day: Option<NaiveDate>,
    /// When the Today tab was last put together, in minutes of the service's clock.
    today_minute: Option<i64>,
    /// The Today tab has to be put together again.
    pub is_today_stale: bool,
}

impl Default for SignalQueue {
    /// The service sends Done by priority and filing date; what was done last comes first here.
    fn default() -> SignalQueue {
        let done = QueueTabState {
            arrangement: Arrangement {
                sort: find_column("when").map(|column| ListSort {
                    key: column.spec.key,
                    kind: column.spec.kind,
                    is_descending: true,
                }),
                ..Arrangement::default()
            },
            ..QueueTabState::default()
        };
        SignalQueue {
            new: QueueTabState::default(),
            done,
            today: QueueTabState::default(),
            snoozes: Snoozes::default(),
            tab: QueueTab::default(),
            filter: QueueFilter::default(),
            counts: None,
            cache: QueueCache::default(),
            facts: SignalFacts::default(),
            news: News::default(),
            saved: SavedTabs::default(),
            facts_revision: 0,
            day: None,
            done_today: 0,
            tally_day: None,
            today_minute: None,
            is_today_stale: true,
        }
    }
}

impl SignalQueue {
    /// Whether a loaded signal is about this project.
    pub fn has_project(&self, project: ProjectId) -> bool {
        [&self.new, &self.done]
            .iter()
            .any(|tab| tab.list.project_count(project) > 0)
    }

    pub fn current_tab(&self) -> &QueueTabState {
        self.tab_state(self.tab)
    }

    /// Removes the marks of the signals of projects that a write was about.
    pub fn unmark_projects(&mut self, projects: &[Uuid]) {
        for tab in [&mut self.new, &mut self.done, &mut self.today] {
            let list = &tab.list;
            let is_of_them = |id: &SignalId| {
                let project = list.row(*id).and_then(|row| row.signal.project_id);
                project.is_some_and(|project| projects.contains(&project.0))
            };
            tab.marks.retain(|id| !is_of_them(id));
        }
    }

    pub fn current_tab_mut(&mut self) -> &mut QueueTabState {
        self.tab_state_mut(self.tab)
    }

    pub fn tab_state(&self, tab: QueueTab) -> &QueueTabState {
        match tab {
            QueueTab::New => &self.new,
            QueueTab::Done => &self.done,
            QueueTab::Today => &self.today,
        }
    }

    pub fn tab_state_mut(&mut self, tab: QueueTab) -> &mut QueueTabState {
        match tab {
            QueueTab::New => &mut self.new,
            QueueTab::Done => &mut self.done,
            QueueTab::Today => &mut self.today,
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

    /// Removes signals from a tab at once, unmarks them, and places the cursor according to the
    /// `advance` setting.
    pub fn remove_signals(
        &mut self,
        from: QueueTab,
        ids: &[SignalId],
        advance: AfterTriage,
    ) -> Vec<RemovedRow> {
        self.is_today_stale = true;
        let (tab, known) = self.tab_and_facts(from);
        let leaving: HashSet<SignalId> = ids.iter().copied().collect();
        let stays = tab
            .line_id(tab.scroll.cursor)
            .is_some_and(|id| !leaving.contains(&id));
        tab.range_anchor = None;
        tab.marks.retain(|id| !leaving.contains(id));
        let mut taken = Vec::new();
        if stays {
            tab.preserve_cursor(known, |list| taken = list.remove_rows(ids));
        } else {
            let before = tab
                .read_lines(0..tab.scroll.cursor)
                .filter(|(_, id)| leaving.contains(id))
                .count();
            tab.stale |= tab.refreshed.take().is_some();
            taken = tab.list.remove_rows(ids);
            tab.rearrange(known);
            let back = usize::from(advance == AfterTriage::Back);
            tab.move_to_line(
                tab.scroll
                    .cursor
                    .saturating_sub(before + back)
                    .min(tab.len().saturating_sub(1)),
            );
            tab.scroll.top = tab.scroll.top.saturating_sub(before);
        }
        if from == QueueTab::New {
            self.count_out(taken.iter().filter_map(|removed| removed.row.as_ref()));
        }
        taken
    }

    /// Takes the service's counts of New and Done; returns whether the lists as read differ from
    /// them.
    pub fn replace_counts(&mut self, counts: (u64, u64)) -> bool {
        match self.counts.replace(counts) {
            Some(known) => known != counts,
            // The rows were read before the first counts.
            None => {
                !self.is_filtered()
                    && self.new.load == LoadState::Ready
                    && self.new.list.total() != counts.0
            }
        }
    }

    /// Adjusts the counts for our own triage, so that the next poll does not reload the lists.
    pub fn shift_counts(&mut self, from: QueueTab, signals: u64) {
        self.done_today = match from {
            QueueTab::Done => self.done_today.saturating_sub(signals),
            QueueTab::New | QueueTab::Today => self.done_today + signals,
        };
        if let Some((new, done)) = &mut self.counts {
            let (less, more) = if from == QueueTab::New {
                (new, done)
            } else {
                (done, new)
            };
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
            let marks = std::mem::take(&mut tab.marks);
            *tab = QueueTabState {
                earlier_marks: marks.clone(),
                marks,
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
            QueueTab::Today => &mut self.today,
        };
        (
            state,
            KnownFacts {
                facts: &self.facts,
                today: self.day,
            },
        )
    }

    /// Takes the day from which days left are counted.
    pub fn set_today(&mut self, today: NaiveDate) {
        if self.day.replace(today) != Some(today) {
            self.rearrange();
        }
    }

    /// Changes a list and keeps the cursor on its record.
    pub fn change_list(&mut self, tab: QueueTab, change: impl FnOnce(&mut SignalList)) {
        self.is_today_stale |= tab != QueueTab::Today;
        let (state, known) = self.tab_and_facts(tab);
        state.preserve_cursor(known, change);
        self.update_saved_counts();
    }

    /// Inserts the page that a read returned. A refresh of all rows replaces them once it is
    /// complete: until then they stay.
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
            self.is_today_stale = true;
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
}
