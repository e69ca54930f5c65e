//! The queue screen: the list of the current tab, and a preview of the signal under the cursor.
//!
//! The lists themselves are shared: they are in the context.

mod cells;
mod columns;
pub(crate) mod commands;
mod draw;
mod layout;
mod marks;
pub(in crate::app) mod messages;
mod preview;
pub(in crate::app) mod promises;
mod rules;
mod saved_tabs;
pub(in crate::app) mod sorting;
mod threads;
mod title;
mod value_conditions;

#[cfg(test)]
mod arrangement_tests;
#[cfg(test)]
mod long_list_tests;
#[cfg(test)]
mod rule_tests;
#[cfg(test)]
mod saved_tab_tests;
#[cfg(test)]
mod snooze_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod today_tests;

use std::borrow::Cow;
use std::collections::HashSet;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use serde_json::Value;

use crate::app::Context;
use crate::app::command::{Availability, Scope};
use crate::app::effect::RecordKey;
use crate::app::focused_list::FocusedList;
use crate::app::format::format_count;
use crate::app::layout::FrameLayout;
use crate::app::list_change::ListChange;
use crate::app::model::list_field::RowValues;
use crate::app::model::list_table::{ColumnSpec, ListTable};
use crate::app::model::queue::{QueueTabState, THREAD_COLUMN};
use crate::app::overlay::picker::PickerEntry;
use crate::app::pane::{ClickedRow, Pane, PaneEvent, PaneFocus, PaneFrame, step_around};
use crate::app::selection::Subject;
use crate::domain::SignalId;
use crate::domain::field_kind::ListSort;
use crate::domain::queue::{QueueSignal, QueueTab};
use crate::domain::queue_tabs::ListSettings;
use crate::domain::row_columns::find_column;
use crate::domain::signals::Signal;
use crate::domain::text_query::TextQuery;

#[derive(Clone, Debug, Default)]
pub struct QueuePane {
    preview: PreviewState,
    /// What the rules proposed last.
    proposals: Vec<rules::Proposal>,
}

/// Placement of the preview.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct PreviewState {
    /// The user's choice; `None` leaves it to the settings.
    visible: Option<bool>,
    /// The user's choice: `Some(true)` below the list, `Some(false)` beside it, `None` decided by
    /// the width.
    below: Option<bool>,
    /// First visible line.
    top: usize,
    focused: bool,
    /// The signal under the cursor when no key was held down. The preview of another is drawn once
    /// the key is released.
    rested_on: Option<SignalId>,
}

impl PreviewState {
    fn is_visible(self, cx: &Context) -> bool {
        self.visible.unwrap_or(cx.settings.preview_enabled)
    }

    /// The signal that is previewed now; none while the cursor runs over the list.
    fn row<'a>(&self, cx: &'a Context) -> Option<&'a QueueSignal> {
        cx.queue
            .current_tab()
            .current_row()
            .filter(|row| !cx.pressed.is_key_held() || self.rested_on == Some(row.signal.id))
    }
}

/// The list of the current tab.
struct QueueList<'a> {
    cx: &'a Context,
    has_focus: bool,
}

impl<'a> QueueList<'a> {
    fn tab(&self) -> &'a QueueTabState {
        self.cx.queue.current_tab()
    }
}

impl<'a> FocusedList<'a> for QueueList<'a> {
    fn columns(&self) -> Option<ListTable> {
        Some(columns::list_columns(self.cx))
    }

    fn cursor(&self) -> Option<usize> {
        let tab = self.tab();
        (!tab.is_empty() && self.has_focus).then_some(tab.scroll.cursor)
    }

    fn line_count(&self) -> usize {
        self.tab().len()
    }

    fn row_count(&self) -> usize {
        self.tab().list.loaded_count()
    }

    fn row_lines(&self) -> Box<dyn Iterator<Item = (usize, usize)> + 'a> {
        let tab = self.tab();
        let lines = tab.read_lines(0..usize::MAX);
        Box::new(lines.filter_map(|(line, _)| Some((line, tab.slot_at(line)?))))
    }

    fn values(&self, slot: usize, key: &str) -> RowValues<'a> {
        let value = find_column(key)
            .zip(self.tab().list.row_at(slot))
            .and_then(|(column, row)| self.cx.queue.shown_value(row, column));
        value.into_iter().collect()
    }

    fn export_row(&self, slot: usize, shown: &[ColumnSpec], cx: &Context) -> Vec<Value> {
        let row = self.tab().list.row_at(slot);
        let value = |column| row.map_or(Value::Null, |row| columns::export_value(column, row, cx));
        shown.iter().map(value).collect()
    }

    fn write_row(&self, slot: usize, text: &mut String) {
        if let Some(row) = self.tab().list.row_at(slot) {
            self.cx.queue.write_row_text(row, text);
        }
    }

    fn wider_search(&self) -> Cow<'static, str> {
        let list = &self.tab().list;
        match list.loaded_count() == list.len() {
            true => "{go.explore} searches the index".into(),
            false => "{queue.filter} filters all rows".into(),
        }
    }

    fn unread_rows(&self) -> usize {
        let rows = self.tab().list.loaded_rows();
        let facts = &self.cx.queue.facts;
        let is_unread =
            |signal: &Signal| facts.description(signal).is_none() && !facts.is_described(signal.id);
        rows.filter(|(_, row)| is_unread(&row.signal)).count()
    }

    fn query(&self) -> Option<&'a TextQuery> {
        self.tab().arrangement().query.as_ref()
    }

    fn is_filtered_by_service(&self, column: &str) -> bool {
        let filter = &self.cx.queue.filter;
        match column {
            "city" => filter.city.is_empty(),
            "type" => filter.signal_type.is_empty(),
            _ => false,
        }
    }

    fn filter_clear_hint(&self) -> &'static str {
        "{queue.filter.clear} shows all"
    }

    fn all_columns(&self, cx: &Context) -> Vec<ColumnSpec> {
        columns::all_columns(cx)
    }

    fn frozen_column(&self, shown: &[ColumnSpec]) -> usize {
        columns::frozen_column(shown)
    }

    fn has_marks(&self) -> bool {
        true
    }

    fn has_ranges(&self) -> bool {
        true
    }

    fn can_mark_row(&self) -> Availability {
        match self.tab().current_row() {
            Some(_) => Ok(()),
            None if self.tab().current_promise().is_some() => {
                Err("a promise cannot be marked".into())
            }
            None if self.tab().is_empty() => Err("there are no rows here".into()),
            None => Err("this row is not loaded".into()),
        }
    }

    fn sort(&self, _cx: &Context) -> Option<ListSort> {
        self.tab().arrangement().sort
    }

    fn sort_columns(&self, cx: &Context) -> Vec<ColumnSpec> {
        sorting::sort_columns(cx)
    }

    fn other_sorts(&self, _cx: &Context) -> Vec<PickerEntry> {
        vec![PickerEntry::of_usual_sort("usual order")]
    }

    fn sort_note(&self, cx: &Context) -> String {
        sorting::sort_note(cx)
    }

    fn is_grouped(&self) -> bool {
        self.tab().is_grouped()
    }

    /// The signals of a project are a thread.
    fn usual_group(&self) -> Option<&'static str> {
        Some(THREAD_COLUMN)
    }

    fn current_row(&self) -> Option<usize> {
        let slot = self.tab().slot_at(self.tab().scroll.cursor)?;
        self.tab().list.id_at(slot).map(|_| slot)
    }

    fn rows_under_cursor(&self) -> Vec<usize> {
        let line = self.tab().line_at(self.tab().scroll.cursor);
        line.map_or_else(Vec::new, |line| self.tab().slots_on_line(line))
    }

    fn shown_rows(&self) -> Vec<usize> {
        self.tab().shown_slots()
    }

    fn is_marked(&self, slot: usize) -> bool {
        let id = self.tab().list.id_at(slot);
        id.is_some_and(|id| self.tab().marks.contains(&id))
    }

    fn chosen_rows(&self) -> Option<Vec<usize>> {
        let tab = self.tab();
        let chosen: HashSet<SignalId> = tab.chosen_marks().into_iter().collect();
        let is_chosen = |slot: &usize| tab.list.id_at(*slot).is_some_and(|id| chosen.contains(&id));
        let rows = || tab.shown_slots().into_iter().filter(is_chosen).collect();
        (!chosen.is_empty()).then(rows)
    }

    fn total_label(&self) -> Option<String> {
        let queue = &self.cx.queue;
        let (total, loaded) = (queue.shown_total(queue.tab), self.row_count() as u64);
        (total > loaded).then(|| format_count(total))
    }
}

impl QueuePane {
    fn show_tab(&mut self, index: usize, cx: &mut Context) {
        cx.queue.show_tab(index);
        self.preview.top = 0;
    }

    fn scroll_side_panel(&mut self, rows: isize) {
        self.preview.top = self.preview.top.saturating_add_signed(rows);
    }
}

impl Pane for QueuePane {
    fn focus(&self, cx: &Context) -> PaneFocus {
        let tab = cx.queue.current_tab();
        let has_chosen = tab.has_chosen_marks() || tab.range_start().is_some();
        let Some(row) = tab.current_promise().filter(|_| !has_chosen) else {
            return Scope::Queue.into();
        };
        let key = RecordKey::for_book(&row.kind, row.id);
        PaneFocus {
            subject: Subject::Record(key, row.name.clone()),
            ..Scope::Promise.into()
        }
    }

    fn frame(&self, cx: &Context) -> PaneFrame {
        PaneFrame {
            tab_bar: Some(draw::tab_labels(cx)),
            ..PaneFrame::default()
        }
    }

    fn layout(&mut self, areas: &mut FrameLayout, body: Rect, cx: &mut Context) {
        self.lay_out(areas, body, cx);
    }

    fn draw(&self, cx: &Context, buf: &mut Buffer) -> Option<Position> {
        draw::draw(self, cx, buf);
        None
    }

    fn on_event(&mut self, event: PaneEvent<'_>, cx: &mut Context) {
        match event {
            PaneEvent::TabSwitched { forward } => {
                let (at, count) = (cx.queue.tab_index(), cx.queue.tab_count());
                self.show_tab(step_around(at, count, forward), cx);
            }
            PaneEvent::TabClicked(index) => self.show_tab(index, cx),
            PaneEvent::SidePanelScrolled(rows) => self.scroll_side_panel(rows),
            PaneEvent::Back
                if std::mem::take(&mut self.preview.focused)
                    || cx.queue.current_tab_mut().clear_selection()
                    || cx.queue.news.dismiss() => {}
            PaneEvent::Back => cx.ui.notice = None,
            _ => {}
        }
    }

    fn move_cursor(&mut self, rows: isize, cx: &mut Context) {
        if self.preview.focused && !cx.frame.layout().side_panel.is_empty() {
            return self.scroll_side_panel(rows);
        }
        cx.queue.current_tab_mut().move_cursor(rows);
        self.preview.top = 0;
    }

    fn click_row(&mut self, row: ClickedRow, cx: &mut Context) -> Option<&'static str> {
        let opens = cx.queue.current_tab().scroll.cursor == row.line;
        cx.queue.current_tab_mut().move_to_line(row.line);
        cx.queue.mark_visited();
        opens.then_some("queue.open")
    }

    fn list<'a>(&'a self, cx: &'a Context) -> Option<Box<dyn FocusedList<'a> + 'a>> {
        Some(Box::new(QueueList {
            cx,
            has_focus: !self.preview.focused,
        }))
    }

    fn change_list(&mut self, change: ListChange<'_>, cx: &mut Context) {
        let is_other_order = matches!(change, ListChange::Group(_) | ListChange::Sort(_));
        if is_other_order && cx.queue.tab == QueueTab::Today {
            return cx
                .ui
                .warn("Today has its own order; New and Done can be sorted and grouped");
        }
        match change {
            ListChange::MoveTo(line) => cx.queue.current_tab_mut().move_to_line(line),
            ListChange::Narrow(query) => {
                let here = cx.queue.current_tab().current_row();
                let here = here.map(|row| row.signal.id);
                cx.queue.arrange(cx.queue.tab, |arrangement| {
                    arrangement.query = query.cloned()
                });
                cx.queue.current_tab_mut().move_to_first_of(here.as_slice());
            }
            ListChange::Filter(None) => return,
            ListChange::Filter(Some(filter)) => {
                match value_conditions::conditions_of(cx, &filter) {
                    Ok(conditions) => {
                        let now = cx.queue.list_settings();
                        let conditions = now.conditions.clone().add_line(conditions.into());
                        let settings = ListSettings {
                            conditions,
                            ..now.clone()
                        };
                        let settings = settings.with_service_filters();
                        if settings.filter != now.filter {
                            cx.ui.inform(format!("of all rows: {}", filter.label()));
                        }
                        cx.set_queue_settings(settings);
                    }
                    Err(why) => return cx.ui.warn(why),
                }
            }
            ListChange::Sort(order) => self.sort(order, cx),
            ListChange::Group(column) => cx.group_queue(column.and_then(find_column)),
            ListChange::ToggleFold => cx.queue.current_tab_mut().toggle_fold(),
            ListChange::FoldAll { close } => cx.queue.current_tab_mut().fold_all(close),
            ListChange::Mark(change) => return marks::change_marks(change, cx),
        }
        self.preview.top = 0;
    }
}
