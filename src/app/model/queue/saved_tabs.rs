//! The tabs of the queue: New and Done, and those that the user saved. A saved tab shows the New
//! list under its own settings.

use std::collections::BTreeSet;

use super::saved_tab_list::SavedTabs;
use super::{Arrangement, KnownFacts, MAX_ROWS_REFRESHED, SignalQueue};
use crate::app::model::load_state::LoadState;
use crate::domain::queue::{QueueFilter, QueueSignal, QueueTab};
use crate::domain::queue_tabs::{ListSettings, SavedTab};
use crate::domain::row_columns::{RowColumn, RowValue};
use crate::domain::row_matcher::TabMatcher;

impl SignalQueue {
    /// Which signals the current list shows, and in which order.
    pub fn list_settings(&self) -> ListSettings {
        let arrangement = &self.new.arrangement;
        ListSettings {
            filter: self.filter.clone(),
            conditions: arrangement.conditions.clone(),
            sort: arrangement.sort,
        }
    }

    /// The settings of New and Done, also while a saved tab is shown.
    pub fn own_settings(&self) -> ListSettings {
        if self.saved.shown.is_some() {
            self.saved.own.clone()
        } else {
            self.list_settings()
        }
    }

    /// The tabs that the user saved, in order.
    pub fn saved_tabs(&self) -> &[SavedTab] {
        &self.saved.tabs
    }

    pub fn find_saved_tab(&self, name: &str) -> Option<&SavedTab> {
        self.saved.tabs.iter().find(|tab| tab.name == name)
    }

    /// The values that a column of texts has in loaded rows.
    pub fn text_values(&self, column: &RowColumn) -> BTreeSet<String> {
        let rows = self
            .current_tab()
            .list
            .loaded_rows()
            .take(MAX_ROWS_REFRESHED);
        let text = |value: RowValue<'_>| {
            if let RowValue::Text(text) = value {
                Some(text.into_owned())
            } else {
                None
            }
        };
        rows.filter_map(|(_, row)| self.describe_row(row).value(column).and_then(text))
            .collect()
    }

    /// Whether conditions or a filter hide signals.
    pub fn is_narrowed(&self) -> bool {
        self.is_filtered() || !self.current_tab().arrangement.conditions.is_empty()
    }

    /// Shows other signals. The rows are read again only if the service's filter is another one.
    pub fn set_list_settings(&mut self, settings: ListSettings) {
        let ListSettings {
            filter,
            conditions,
            sort,
        } = settings;
        if (QueueFilter {
            status: self.filter.status.clone(),
            ..filter.clone()
        }) != self.filter
        {
            self.set_filter(filter);
        }
        let has_conditions = !conditions.is_empty();
        for tab in [QueueTab::New, QueueTab::Done] {
            let is_new = tab == QueueTab::New;
            let now = self.tab_state(tab).arrangement.clone();
            let next = Arrangement {
                conditions: conditions.clone(),
                sort: if is_new { sort } else { now.sort },
                ..now.clone()
            };
            if next != now {
                self.arrange(tab, |arrangement| *arrangement = next);
            }
            let state = self.tab_state_mut(tab);
            if has_conditions || (is_new && sort.is_some()) {
                state.read_all_up_to = state.read_all_up_to.max(MAX_ROWS_REFRESHED);
            }
        }
    }

    /// The place of the shown tab: Today, New and Done, then the saved ones.
    pub fn tab_index(&self) -> usize {
        let own = || QueueTab::ALL.iter().position(|tab| *tab == self.tab);
        match self.saved.shown {
            Some(saved) => QueueTab::ALL.len() + saved,
            None => own().unwrap_or(0),
        }
    }

    pub fn tab_count(&self) -> usize {
        QueueTab::ALL.len() + self.saved.tabs.len()
    }

    /// Shows the tab that lists these signals; a saved tab lists new ones, too.
    pub fn show_tab_of(&mut self, tab: QueueTab) {
        if self.tab != tab {
            self.show_own_tab(tab);
        }
    }

    /// Shows Today, New or Done, not a saved tab.
    pub fn show_own_tab(&mut self, tab: QueueTab) {
        let place = QueueTab::ALL.iter().position(|own| *own == tab);
        self.show_tab(place.unwrap_or(0));
    }

    /// Shows the tab at this place.
    pub fn show_tab(&mut self, index: usize) {
        if index >= self.tab_count() || index == self.tab_index() {
            return;
        }
        let own = QueueTab::ALL.get(index).copied();
        let saved = index.checked_sub(QueueTab::ALL.len());
        if self.saved.shown.is_none() {
            self.saved.own = self.list_settings();
        }
        self.saved.shown = saved;
        self.tab = own.unwrap_or(QueueTab::New);
        self.is_today_stale = true;
        let settings = saved
            .and_then(|at| self.saved.tabs.get(at))
            .map_or_else(|| self.saved.own.clone(), |tab| tab.settings.clone());
        self.set_list_settings(settings);
    }

    /// The saved tab that is shown.
    pub fn shown_saved_tab(&self) -> Option<&SavedTab> {
        self.saved.tabs.get(self.saved.shown?)
    }

    /// Whether the shown tab differs from what was saved.
    pub fn is_saved_tab_changed(&self) -> bool {
        self.shown_saved_tab()
            .is_some_and(|tab| tab.settings != self.list_settings())
    }

    /// Saves what is shown as a tab, and shows that. A tab of this name gets these settings and
    /// keeps its action.
    pub fn save_tab(&mut self, name: &str) {
        let tabs = &mut self.saved.tabs;
        let at = tabs.iter().position(|tab| tab.name == name);
        let at = at.unwrap_or_else(|| {
            tabs.push(SavedTab {
                name: name.to_owned(),
                ..SavedTab::default()
            });
            tabs.len() - 1
        });
        let settings = self.list_settings();
        if let Some(tab) = self.saved.tabs.get_mut(at) {
            tab.settings = settings;
        }
        if self.saved.shown.is_none() {
            // New and Done are as they were before the filter that now has a tab of its own.
            self.saved.own = ListSettings::default();
        }
        (self.saved.shown, self.tab) = (Some(at), QueueTab::New);
        self.update_saved_counts();
    }

    /// Takes the tabs of the configuration. The shown tab stays, with its changes; New replaces one
    /// that is gone.
    pub fn set_saved_tabs(&mut self, tabs: Vec<SavedTab>) {
        let (shown, is_changed) = (self.shown_saved_tab().cloned(), self.is_saved_tab_changed());
        let at = shown
            .as_ref()
            .and_then(|shown| tabs.iter().position(|tab| tab.name == shown.name));
        if shown.is_some() && at.is_none() {
            self.show_own_tab(QueueTab::New);
        }
        self.saved.tabs = tabs;
        self.saved.shown = at;
        match self.shown_saved_tab() {
            Some(tab) if !is_changed && Some(tab) != shown.as_ref() => {
                self.set_list_settings(tab.settings.clone())
            }
            _ => self.update_saved_counts(),
        }
    }

    /// Shows the saved tab at this place among them.
    pub fn show_saved_tab(&mut self, at: usize) {
        self.show_tab(QueueTab::ALL.len() + at);
    }

    /// Removes a saved tab; New is shown in its place.
    pub fn remove_saved_tab(&mut self, name: &str) {
        // Of two tabs with one name, the one that is shown.
        let is_named = |at: &usize| self.saved.tabs.get(*at).is_some_and(|tab| tab.name == name);
        let shown = self.saved.shown.filter(is_named);
        let Some(at) = shown.or_else(|| (0..self.saved.tabs.len()).find(is_named)) else {
            return;
        };
        if self.saved.shown == Some(at) {
            self.show_own_tab(QueueTab::New);
        }
        self.saved.tabs.remove(at);
        let after = self.saved.shown.iter_mut().filter(|shown| **shown > at);
        after.for_each(|shown| *shown -= 1);
        self.update_saved_counts();
    }

    pub fn rename_saved_tab(&mut self, name: &str, to: &str) {
        let mut tabs = self.saved.tabs.iter_mut();
        if let Some(tab) = tabs.find(|tab| tab.name == name) {
            tab.name = to.to_owned();
        }
    }

    /// Moves the saved tab that is shown one place to the left or right; false if it is at the end.
    pub fn move_saved_tab(&mut self, is_right: bool) -> bool {
        let Some(at) = self.saved.shown else {
            return false;
        };
        let Some(to) = (if is_right {
            Some(at + 1)
        } else {
            at.checked_sub(1)
        })
        .filter(|to| *to < self.saved.tabs.len()) else {
            return false;
        };
        self.saved.tabs.swap(at, to);
        self.saved.shown = Some(to);
        self.update_saved_counts();
        true
    }

    /// The number of signals of a saved tab, where the loaded rows tell.
    pub fn saved_count(&self, at: usize) -> Option<u64> {
        if self.saved.shown == Some(at) {
            return self.list_count(QueueTab::New);
        }
        self.saved.counts.get(at).copied().flatten()
    }

    /// How many signals the list of a tab shows, if all of them are loaded or the service counted
    /// them.
    pub fn list_count(&self, tab: QueueTab) -> Option<u64> {
        let state = self.tab_state(tab);
        if state.load != LoadState::Ready {
            return None;
        }
        if state.arrangement.conditions.is_empty() {
            return Some(self.shown_total(tab));
        }
        (state.unread_count() == 0).then(|| state.shown_count() as u64)
    }

    /// Counts the saved tabs again: where all new signals are loaded, for those whose filter can be
    /// tested here.
    pub(super) fn update_saved_counts(&mut self) {
        let list = &self.new.list;
        let is_complete = !self.is_filtered()
            && self.new.load == LoadState::Ready
            && self.new.unread_count() == 0
            && list.len() <= MAX_ROWS_REFRESHED;
        let known = KnownFacts {
            facts: &self.facts,
            today: self.day,
        };
        let count = |tab: &SavedTab| {
            let is_local = tab.settings.filter.city.is_empty() && tab.settings.filter.q.is_empty();
            let hidden = &self.new.moved.hidden;
            let rows = list
                .loaded_rows()
                .map(|(_, row)| row)
                .filter(|row| !hidden.contains(&row.signal.id));
            let matcher = TabMatcher::new(&tab.settings);
            let rows = rows.filter(|row| matcher.matches(row, || known.describe_row(row)));
            (is_complete && is_local).then(|| rows.count() as u64)
        };
        self.saved.counts = self.saved.tabs.iter().map(count).collect();
    }

    /// Adjusts the counts of the saved tabs for new signals that leave.
    pub(super) fn count_out<'a>(&mut self, rows: impl Iterator<Item = &'a QueueSignal>) {
        let SavedTabs { tabs, counts, .. } = &mut self.saved;
        let known = KnownFacts {
            facts: &self.facts,
            today: self.day,
        };
        let hidden = &self.new.moved.hidden;
        let matchers: Vec<TabMatcher> = tabs
            .iter()
            .map(|tab| TabMatcher::new(&tab.settings))
            .collect();
        for row in rows.filter(|row| !tabs.is_empty() && !hidden.contains(&row.signal.id)) {
            for (matcher, count) in matchers.iter().zip(counts.iter_mut()) {
                let is_counted = |_: &&mut u64| matcher.matches(row, || known.describe_row(row));
                if let Some(count) = count.as_mut().filter(is_counted) {
                    *count = count.saturating_sub(1);
                }
            }
        }
    }
}
