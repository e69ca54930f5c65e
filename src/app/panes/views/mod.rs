//! What is saved, as one list: the workspace's Views with the records of the one that was run, and
//! the user's own searches and queue tabs, which are opened in Explore and in the queue.
//!
//! The list is free and read when the screen opens. Running a View costs a credit a row; its rows
//! are saved, so that switching between Views and running one again the next day cost nothing.

mod columns;
pub(crate) mod commands;
mod draw;
mod layout;
pub(in crate::app) mod messages;
pub(in crate::app) mod saved_item;

#[cfg(test)]
mod saved_tests;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use uuid::Uuid;

use crate::app::action::Action;
use crate::app::change::Change;
use crate::app::command::Scope;
use crate::app::context::views;
use crate::app::drafts::DraftName;
use crate::app::effect::ListId;
use crate::app::focused_list::{self, FocusedList};
use crate::app::layout::FrameLayout;
use crate::app::list::{self, list_of};
use crate::app::list_change::ListChange;
use crate::app::model::list_table::ListLines;
use crate::app::model::load_state::LoadState;
use crate::app::model::record_list::{PAGE_SIZE, RecordList};
use crate::app::notice::Notice;
use crate::app::pane::{ClickedRow, Pane, PaneEvent, PaneFocus};
use crate::app::panes::records::list::focused_records;
use crate::app::panes::views::columns::Saved;
use crate::app::panes::views::messages::{ViewsAction, ViewsPrompt};
use crate::app::panes::views::saved_item::{SavedId, SavedItem};
use crate::app::selection::Subject;
use crate::app::{Context, Screen};
use crate::domain::book::{Dataset, RecordKind};
use crate::domain::named_searches::NamedSearch;
use crate::domain::search::{RecordSource, Search};
use crate::domain::views::View;
use crate::domain::{ViewId, fuzzy};

/// What it lists is in the context, because other screens save it and use it.
#[derive(Clone, Debug, Default)]
pub struct ViewsPane {
    /// In their usual order.
    rows: Vec<SavedId>,
    lines: ListLines,
    /// What is under the cursor, once the user has moved the cursor or done something with it; the
    /// cursor then follows it. Until then the cursor stays at the top.
    chosen: Option<SavedId>,
    marks: BTreeSet<SavedId>,
    open: Option<ViewId>,
    records_focused: bool,
    /// The View that was just created, until the list has it.
    created: Option<ViewId>,
    /// The name of the View to go to once the Views are read.
    wanted: Option<String>,
    /// What is deleted once its number is typed.
    pending_deletion: Vec<SavedId>,
    /// What the side panel shows in place of the records of the View under the cursor.
    shown_definition: Option<DefinitionFormat>,
    /// Whose new name is asked for.
    renamed: Option<SavedId>,
    /// The records of the View whose name is asked for.
    new_records: Option<(RecordKind, Vec<Uuid>)>,
    /// The kind of records that the user came from.
    came_from: Option<RecordKind>,
}

/// How the definition of a View is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DefinitionFormat {
    Sentence,
    Json,
}

impl ViewsPane {
    fn current_id(&self) -> Option<&SavedId> {
        self.rows.get(self.lines.current_row())
    }

    fn current_item<'a>(&self, cx: &'a Context) -> Option<SavedItem<'a>> {
        self.current_id()?.find(cx)
    }

    /// The saved search under the cursor.
    fn current_search(&self, cx: &Context) -> Option<Box<NamedSearch>> {
        match self.current_item(cx)? {
            SavedItem::Search(search) => Some(Box::new(search.clone())),
            _ => None,
        }
    }

    pub fn current_view<'a>(&self, cx: &'a Context) -> Option<&'a View> {
        cx.views.get(self.current_id()?.view_id()?)
    }

    fn open_view<'a>(&self, cx: &'a Context) -> Option<&'a View> {
        cx.views.get(self.open?)
    }

    /// Whether the side panel shows the records of the open View: otherwise it shows what the View
    /// under the cursor is.
    fn shows_records(&self, cx: &Context) -> bool {
        let is_current = || self.current_view(cx).map(|view| view.id) == self.open;
        self.open_view(cx).is_some()
            && (self.records_focused || self.shown_definition.is_none() && is_current())
    }

    fn open_list_id(&self) -> Option<ListId> {
        self.open.map(ListId::View)
    }

    fn open_list<'a>(&self, cx: &'a Context) -> Option<&'a RecordList> {
        cx.records.lists.get(&self.open_list_id()?)
    }

    fn open_list_mut<'a>(&self, cx: &'a mut Context) -> Option<&'a mut RecordList> {
        cx.records.lists.get_mut(&self.open_list_id()?)
    }

    /// What a command applies to: the marked rows, or the one under the cursor.
    fn selection(&self) -> Vec<SavedId> {
        let marked: Vec<SavedId> = self.marked_ids().cloned().collect();
        if marked.is_empty() {
            self.current_id().cloned().into_iter().collect()
        } else {
            marked
        }
    }

    /// The Views among them.
    fn selected_views(&self) -> Vec<ViewId> {
        let ids = self.selection();
        ids.iter().filter_map(SavedId::view_id).collect()
    }

    /// The marked rows that are shown.
    fn marked_ids(&self) -> impl Iterator<Item = &SavedId> {
        self.lines
            .rows()
            .filter_map(|row| self.rows.get(row))
            .filter(|id| self.marks.contains(id))
    }

    fn choose_current(&mut self) {
        self.chosen = self.current_id().cloned();
    }

    /// What is saved changed: the cursor follows what was chosen, or stays at its index.
    fn update_rows(&mut self, cx: &Context) {
        self.rows = SavedId::list_all(cx);
        self.marks.retain(|id| id.find(cx).is_some());
        if self
            .open
            .take_if(|id| cx.views.get(*id).is_none())
            .is_some()
        {
            self.records_focused = false;
        }
        self.lines = list::arrange::<Saved>(self, cx);
        let created = self.created.take_if(|id| cx.views.get(*id).is_some());
        self.chosen = created.map(SavedId::View).or(self.chosen.take());
        if let Some(chosen) = &self.chosen {
            let row = self.rows.iter().position(|id| id == chosen);
            self.lines.move_to_row(row);
            self.choose_current();
        }
    }

    /// Goes to the first search or queue tab of the user.
    fn show_mine(&mut self, cx: &mut Context) {
        self.update_rows(cx);
        let Some(first) = self.rows.iter().find(|id| id.view_id().is_none()) else {
            let text = "there are no saved searches or queue tabs yet";
            let hint =
                "{explore.save} in Explore saves a search, {queue.tab.save} in the queue a tab";
            cx.ui.notice = Some(Notice::info(text).with_hint(hint));
            return;
        };
        self.chosen = Some(first.clone());
        self.records_focused = false;
        self.update_rows(cx);
        cx.work.perform(Action::GoTo(Screen::Views));
    }

    pub fn perform(&mut self, action: ViewsAction, cx: &mut Context) {
        match action {
            ViewsAction::Show(id) => {
                cx.work.perform(Action::GoTo(Screen::Views));
                self.show(id, cx);
            }
            ViewsAction::Create(name, kind) => cx.create_static_view(&name, &kind, Vec::new()),
            ViewsAction::CreateFor(kind, records) => {
                self.new_records = Some((kind, records));
                self.ask_name(cx);
            }
            ViewsAction::DeleteSearch(name) => self.delete_search(&name, cx),
            ViewsAction::ShowNamed(name) => {
                self.wanted = Some(name);
                self.show_wanted(cx);
            }
        }
    }

    fn ask_name(&self, cx: &mut Context) {
        let label = "name of the new View, for everyone";
        cx.drafts.open_prompt(
            label,
            ViewsPrompt::Name,
            DraftName::ViewName,
            "",
            &mut cx.ui,
        );
    }

    /// Puts the cursor on a View and shows its records, as far as they are read.
    fn show(&mut self, id: ViewId, cx: &mut Context) {
        self.chosen = Some(SavedId::View(id));
        self.records_focused = false;
        self.update_rows(cx);
        self.open_current(cx);
        cx.show_saved_rows(&ListId::View(id));
    }

    /// Goes to the wanted View once the Views are read: by its name, or by a part of it that only
    /// one has.
    fn show_wanted(&mut self, cx: &mut Context) {
        let Some(wanted) = self
            .wanted
            .take_if(|_| *cx.views.load() == LoadState::Ready)
        else {
            return;
        };
        let lower = wanted.to_lowercase();
        let names = || {
            cx.views
                .list()
                .iter()
                .map(|view| (view.id, view.title().to_lowercase()))
        };
        let parts: Vec<_> = names().filter(|(_, name)| name.contains(&lower)).collect();
        let found = names().find(|(id, name)| *name == lower || id.to_string() == lower);
        match found.or(if let [part] = parts.as_slice() {
            Some(part.clone())
        } else {
            None
        }) {
            Some((id, _)) => self.show(id, cx),
            None if parts.len() > 1 => {
                let text = format!(
                    "{} Views have {wanted} in their name: type more of it",
                    parts.len()
                );
                cx.ui.warn(text);
            }
            None => {
                let titles: Vec<String> = cx.views.list().iter().map(View::title).collect();
                let near = fuzzy::closest_match(&wanted, titles.iter().map(String::as_str));
                let near = near
                    .map(|name| format!("; did you mean {name}?"))
                    .unwrap_or_default();
                cx.ui.warn(format!("there is no View {wanted}{near}"));
            }
        }
    }

    /// Opens the list of the View under the cursor: its paid rows, or an empty list that waits for
    /// Enter.
    fn open_current(&mut self, cx: &mut Context) {
        self.choose_current();
        let Some(view) = self.current_view(cx) else {
            return;
        };
        let (id, source) = (view.id, RecordSource::View(view.id, view.record_kind()));
        let count = cx.records.lists.count_of_view(view);
        cx.records.lists.insert_if_missing(ListId::View(id), source);
        if let Some((list, count)) = cx
            .records
            .lists
            .get_mut(&ListId::View(id))
            .filter(|list| list.total.is_none())
            .zip(count)
        {
            (list.total, list.is_capped) = (Some(count.total), count.is_capped);
        }
        self.open = Some(id);
    }

    /// The highest cost of showing the records of the View under the cursor.
    fn run_price(&self, cx: &Context) -> u64 {
        let Some(view) = self.current_view(cx) else {
            return 0;
        };
        let source = RecordSource::View(view.id, view.record_kind());
        match cx.records.lists.get(&ListId::View(view.id)) {
            Some(list) if list.load == LoadState::Ready || list.is_reading() => 0,
            _ if cx
                .records
                .lists
                .saved_read_at(&source, &Search::default())
                .is_some() =>
            {
                0
            }
            Some(list) if list.total.is_some() => list.next_price().unwrap_or(0),
            _ => cx
                .records
                .lists
                .count_of_view(view)
                .map_or(PAGE_SIZE.into(), |count| count.total.min(PAGE_SIZE.into())),
        }
    }

    fn run(&mut self, cx: &mut Context) {
        self.open_current(cx);
        self.records_focused = self.open.is_some();
        if let Some(id) = self.open_list_id()
            && self
                .open_list(cx)
                .is_some_and(|list| list.load != LoadState::Ready && !list.is_reading())
        {
            cx.read_saved_or_first_page(&id);
        }
    }
}

/// What the records in the focus are; for signals, their projects.
fn focused_dataset(cx: &Context) -> Option<Dataset> {
    let dataset = match cx.ui.subject() {
        Subject::Record(key, _) => Some(key.dataset.clone()),
        Subject::Signal(_) => Some(Dataset::Projects),
        Subject::None => cx.displayed_list().map(|list| list.source.dataset()),
    };
    dataset.map(|dataset| match dataset {
        Dataset::Signals => Dataset::Projects,
        dataset => dataset,
    })
}

impl ViewsPane {
    fn go_back(&mut self, cx: &mut Context) {
        if !self.records_focused && self.shown_definition.take().is_some() {
        } else if !self.records_focused && !self.marks.is_empty() {
            self.marks.clear();
        } else if !self.records_focused
            || !self
                .open_list_mut(cx)
                .is_some_and(RecordList::clear_selection)
        {
            cx.ui.notice = None;
            self.records_focused = false;
        }
    }
}

impl Pane for ViewsPane {
    fn focus(&self, _cx: &Context) -> PaneFocus {
        if self.records_focused {
            PaneFocus::of_list(Scope::ViewRecords, self.open_list_id())
        } else {
            Scope::Views.into()
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
            PaneEvent::Opened => {
                // The focus is still that of the screen before.
                let dataset = focused_dataset(cx);
                self.came_from = dataset.map(|dataset| dataset.as_str().into());
                self.update_rows(cx);
                views::read_missing_views(&mut cx.work, &mut cx.views);
            }
            PaneEvent::Changed(Change::Views) => {
                self.update_rows(cx);
                self.show_wanted(cx);
            }
            PaneEvent::Changed(Change::SettingsReloaded) => self.update_rows(cx),
            PaneEvent::Changed(Change::RowsRead { list, .. }) => cx.save_search_count(list),
            PaneEvent::Changed(Change::ViewCreated(id)) => {
                self.created = Some(*id);
                self.records_focused = false;
            }
            PaneEvent::Back => self.go_back(cx),
            _ => {}
        }
    }

    fn move_cursor(&mut self, rows: isize, cx: &mut Context) {
        if !self.records_focused {
            self.lines.move_cursor(rows);
            self.choose_current();
        } else if let Some(list) = self.open_list_mut(cx) {
            list.lines.move_cursor(rows);
        }
    }

    fn click_row(&mut self, row: ClickedRow, cx: &mut Context) -> Option<&'static str> {
        self.records_focused = row.in_side_list;
        if row.in_side_list {
            return self.open_list_mut(cx)?.click_row(row.line);
        }
        let was_current = self.lines.click(row.line);
        self.choose_current();
        was_current.then_some("views.run")
    }

    fn list<'a>(&'a self, cx: &'a Context) -> Option<Box<dyn FocusedList<'a> + 'a>> {
        if self.records_focused {
            return focused_records(cx);
        }
        Some(Box::new(list_of::<Saved>(self, cx)))
    }

    fn list_lines_mut(&mut self) -> Option<&mut ListLines> {
        (!self.records_focused).then_some(&mut self.lines)
    }

    fn change_list(&mut self, change: ListChange<'_>, cx: &mut Context) {
        if let ListChange::Mark(change) = change
            && !self.records_focused
        {
            return list::change_marks::<Saved, _>(self, change, cx, SavedId::clone, |pane| {
                &mut pane.marks
            });
        }
        let is_move = matches!(change, ListChange::MoveTo(_));
        focused_list::change_list(self, change, cx);
        if is_move && !self.records_focused {
            self.choose_current();
        }
    }
}
