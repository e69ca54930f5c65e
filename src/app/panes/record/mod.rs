//! A record's page: its facts, the workspace's annotations, and the related records, each of which
//! opens the next page.
//!
//! One pane for accounts, contacts and projects. A page is one get with everything that it can
//! embed, for a credit; it is cached while the program runs, so that going back or returning costs
//! nothing. Its history is on this machine.

pub(crate) mod commands;
mod details;
mod draw;
mod layout;
pub(in crate::app) mod messages;
mod related;

#[cfg(test)]
mod tests;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::app::change::Change;
use crate::app::command::Scope;
use crate::app::effect::{ListId, RecordKey, ServiceCall, Slot};
use crate::app::focused_list::FocusedList;
use crate::app::layout::FrameLayout;
use crate::app::model::list_table::ListLines;
use crate::app::model::records::{FetchedRecord, record_name};
use crate::app::msg::{CallResult, payload};
use crate::app::pane::{ClickedRow, Pane, PaneEvent, PaneFocus, PaneFrame};
use crate::app::panes::record::messages::HistoryRequest;
use crate::app::panes::record::related::RelatedList;
use crate::app::selection::Subject;
use crate::app::{Context, Screen};
use crate::domain::book::Dataset;
use crate::domain::record_history::RecordHistory;
use crate::domain::records::Record;

/// The open pages, from the first to the one on the screen.
#[derive(Clone, Debug, Default)]
pub struct RecordPane {
    pages: Vec<RecordPage>,
    /// The screen that the first page was opened from.
    opened_from: Option<Screen>,
}

/// An open page and the position in it.
#[derive(Clone, Debug)]
struct RecordPage {
    key: RecordKey,
    /// Its name, from the row that it was opened from.
    name: String,
    /// The list that it was opened from, for the records before and after it.
    list: Option<ListId>,
    /// The tab: facts, related records, history or payload.
    tab: usize,
    /// Whether the related records have the focus; `None` until the record is read.
    related_focused: Option<bool>,
    /// The related records of the tab, in the user's order.
    lines: ListLines,
    /// The tab that the lines are of.
    arranged_tab: Option<usize>,
    /// The first visible line of the history or the payload beside the facts.
    side_top: usize,
    /// The first visible line of the text.
    top: usize,
    /// What happened to the record, once it was read from this machine.
    history: Option<Result<RecordHistory, String>>,
}

impl RecordPage {
    fn new(key: RecordKey, name: String, list: Option<ListId>) -> RecordPage {
        RecordPage {
            key,
            name,
            list,
            tab: 0,
            related_focused: None,
            lines: ListLines::default(),
            arranged_tab: None,
            side_top: 0,
            top: 0,
            history: None,
        }
    }

    fn tabs(&self) -> Vec<&'static str> {
        let includes = self.key.dataset.available_includes().iter().copied();
        ["facts"]
            .into_iter()
            .chain(includes)
            .chain(["history", "raw"])
            .collect()
    }

    /// The include that the current tab lists; None for facts and payload.
    fn current_include(&self) -> Option<&'static str> {
        self.tab
            .checked_sub(1)
            .and_then(|at| self.key.dataset.available_includes().get(at))
            .copied()
    }

    fn current_tab(&self) -> &'static str {
        self.tabs().get(self.tab).copied().unwrap_or("raw")
    }

    /// The first tab that lists related records.
    fn first_filled_tab(&self, cx: &Context) -> Option<usize> {
        let paid = self.fetched(cx)?;
        let includes = self.key.dataset.available_includes();
        let filled = includes
            .iter()
            .position(|include| !paid.related(include).is_empty())?;
        Some(filled + 1)
    }

    /// The dataset of the related records that the current tab lists.
    fn related_dataset(&self) -> Option<Dataset> {
        self.current_include().map(embedded_dataset)
    }

    /// The related record under the cursor.
    fn current_related<'a>(&self, cx: &'a Context) -> Option<&'a Record> {
        self.related_records(cx).get(self.lines.current_row())
    }

    /// The contact whose phone and e-mail were not read: they are in the index, not in the book.
    fn unread_contact(&self, cx: &Context) -> Option<RecordKey> {
        let index = RecordKey::for_indexed_contact(self.key.id);
        let is_unread = self.key.dataset == Dataset::Contacts
            && self.key.in_book
            && cx.records.fetched.get(&index).is_none()
            && !cx.records.fetched.is_missing(&index);
        is_unread.then_some(index)
    }

    /// The record, once it was paid for.
    fn fetched<'a>(&self, cx: &'a Context) -> Option<&'a FetchedRecord> {
        cx.records.fetched.get(&self.key)
    }

    /// The related records that the current tab lists.
    fn related_records<'a>(&self, cx: &'a Context) -> &'a [Record] {
        let listed = || Some(self.fetched(cx)?.related(self.current_include()?));
        listed().unwrap_or_default()
    }
}

/// The dataset of an include's records.
fn embedded_dataset(include: &str) -> Dataset {
    let plural = if include.ends_with('s') {
        include.to_owned()
    } else {
        format!("{include}s")
    };
    plural.as_str().into()
}

impl RecordPane {
    fn page(&self) -> Option<&RecordPage> {
        self.pages.last()
    }

    fn page_mut(&mut self) -> Option<&mut RecordPage> {
        self.pages.last_mut()
    }

    /// Opens a record's page; a paid record is shown from memory.
    pub fn open(&mut self, key: RecordKey, name: String, cx: &mut Context) {
        let key = cx.records.preferred_key(key);
        let mut list = None;
        if cx.ui.screen() != Screen::Record {
            *self = RecordPane {
                pages: Vec::new(),
                opened_from: Some(cx.ui.screen()),
            };
            list = cx.ui.focused_list().cloned();
        }
        self.show_page(RecordPage::new(key, name, list), cx);
    }

    fn show_page(&mut self, mut page: RecordPage, cx: &mut Context) {
        let key = page.key.clone();
        page.arrange_related(cx);
        self.pages.push(page);
        cx.ui.show_screen(Screen::Record);
        cx.ui.notice = None;
        cx.read_record(key, false);
        self.read_shown_history(cx);
        self.describe_signals(cx);
    }

    /// Shows a page that was visited before: the open one of this record, or a new one.
    pub fn revisit(&mut self, key: RecordKey, name: String, cx: &mut Context) {
        let is_this =
            |page: &RecordPage| (&page.key.dataset, page.key.id) == (&key.dataset, key.id);
        match self
            .pages
            .iter()
            .position(is_this)
            .filter(|_| cx.ui.screen() == Screen::Record)
        {
            Some(at) => {
                self.pages.truncate(at + 1);
                cx.ui.notice = None;
                self.describe_signals(cx);
            }
            None => self.open(key, name, cx),
        }
    }

    /// The record before or after this one in the list that it was opened from: its line there, its
    /// key and its name.
    fn adjacent(
        &self,
        step: isize,
        cx: &Context,
    ) -> Result<(usize, RecordKey, String), &'static str> {
        let page = self.page().ok_or("there is no record here")?;
        let at_end = if step > 0 {
            "this is the last loaded record of its list"
        } else {
            "this is the first record of its list"
        };
        let parent = self.pages.len().checked_sub(2).map(|at| &self.pages[at]);
        match (&page.list, parent) {
            (Some(list), _) => {
                let list = cx
                    .records
                    .lists
                    .get(list)
                    .ok_or("its list is no longer loaded")?;
                let line = list
                    .line_of(page.key.id)
                    .ok_or("it is no longer in its list")?;
                let next = line.checked_add_signed(step).ok_or(at_end)?;
                let row = list.row_at(next).ok_or(at_end)?;
                let key = RecordKey {
                    dataset: list.source.dataset(),
                    id: row.id,
                    in_book: list.is_in_book(row),
                };
                Ok((
                    next,
                    cx.records.preferred_key(key),
                    record_name(&row.fields()),
                ))
            }
            (None, Some(parent)) => {
                let dataset = parent
                    .related_dataset()
                    .ok_or("it was not opened from a list")?;
                let next = parent
                    .lines
                    .scroll
                    .cursor
                    .checked_add_signed(step)
                    .ok_or(at_end)?;
                let row = parent
                    .related_records(cx)
                    .get(parent.lines.row_on(next))
                    .ok_or(at_end)?;
                let key = RecordKey {
                    dataset,
                    id: row.id,
                    in_book: false,
                };
                Ok((
                    next,
                    cx.records.preferred_key(key),
                    record_name(&row.fields()),
                ))
            }
            (None, None) => Err("it was not opened from a list"),
        }
    }

    /// Opens the record before or after this one, on the same tab, and moves the cursor of the list
    /// with it.
    fn open_adjacent(&mut self, step: isize, cx: &mut Context) {
        let Ok((line, key, name)) = self.adjacent(step, cx) else {
            return;
        };
        let Some(page) = self.pages.pop() else { return };
        match &page.list {
            Some(list) => cx
                .records
                .lists
                .get_mut(list)
                .into_iter()
                .for_each(|list| list.lines.scroll.cursor = line),
            None => self
                .page_mut()
                .into_iter()
                .for_each(|parent| parent.lines.scroll.cursor = line),
        }
        let next = RecordPage::new(key, name, page.list);
        self.show_page(
            RecordPage {
                tab: page.tab,
                related_focused: page.related_focused,
                ..next
            },
            cx,
        );
    }

    fn describe_signals(&self, cx: &mut Context) {
        if let Some(page) = self.page() {
            page.describe_signals(cx);
        }
    }

    /// Reads the history of the page's record from this machine, if it is shown and not read yet.
    fn read_shown_history(&mut self, cx: &mut Context) {
        let shown = self
            .page_mut()
            .filter(|page| page.current_tab() == "history" && !matches!(page.history, Some(Ok(_))));
        if let Some(id) = shown.map(|page| page.key.id) {
            cx.work.call_service(
                Slot::RecordHistory,
                ServiceCall::RecordHistory(id, cx.clock.skew()),
                HistoryRequest(id),
            );
        }
    }

    pub fn on_reply(
        &mut self,
        HistoryRequest(id): HistoryRequest,
        result: CallResult,
        _: &mut Context,
    ) {
        let history = payload(result).map_err(|failure| failure.message);
        for page in self.pages.iter_mut().filter(|page| page.key.id == id) {
            page.history = Some(history.clone());
        }
    }

    fn switch_tab(&mut self, forward: bool, cx: &mut Context) {
        let Some(page) = self.page() else { return };
        let (first, len) = (layout::first_tab(cx.frame.layout()), page.tabs().len());
        let next = match (page.tab, forward) {
            (tab, true) if tab + 1 < len => tab + 1,
            (_, true) => first,
            (tab, false) if tab > first => tab - 1,
            (_, false) => len - 1,
        };
        self.show_tab(next, cx);
    }

    /// Moves the focus to the related records: of the tab, or of the first one that lists any.
    fn focus_related(&mut self, cx: &mut Context) {
        let Some(page) = self.page_mut() else { return };
        if page.current_related(cx).is_some() {
            page.related_focused = Some(true);
        } else if let Some(tab) = page.first_filled_tab(cx) {
            self.show_tab(tab, cx);
        }
    }

    fn show_tab(&mut self, tab: usize, cx: &mut Context) {
        if let Some(page) = self.page_mut() {
            page.tab = tab;
            (page.top, page.side_top) = (0, 0);
            page.lines = ListLines::default();
            page.arranged_tab = None;
            page.related_focused = Some(true);
        }
        self.read_shown_history(cx);
        self.describe_signals(cx);
    }

    /// Goes back one page; from the first one, to the screen it was opened from.
    fn go_back(&mut self, cx: &mut Context) {
        self.pages.pop();
        cx.ui.notice = None;
        if self.pages.is_empty() {
            cx.ui
                .show_screen(self.opened_from.take().unwrap_or(Screen::Queue));
            cx.ui.forget_screen(Screen::Record);
        }
        self.describe_signals(cx);
    }
}

impl Pane for RecordPane {
    fn focus(&self, _cx: &Context) -> PaneFocus {
        PaneFocus {
            scope: Scope::Record,
            list: None,
            participant: None,
            subject: self.page().map_or(Subject::None, |page| {
                Subject::Record(page.key.clone(), page.name.clone())
            }),
        }
    }

    fn frame(&self, _cx: &Context) -> PaneFrame {
        PaneFrame {
            opened_from: self.opened_from,
            tab_bar: Some(Vec::new()),
            ..PaneFrame::default()
        }
    }

    fn layout(&mut self, areas: &mut FrameLayout, body: Rect, cx: &mut Context) {
        if let Some(page) = self.page_mut() {
            page.lay_out(areas, body, cx);
        }
    }

    fn draw(&self, cx: &Context, buf: &mut Buffer) -> Option<Position> {
        draw::draw(self, cx, buf);
        None
    }

    fn on_event(&mut self, event: PaneEvent<'_>, cx: &mut Context) {
        match event {
            // Its pages may be closed by the time a screen that was opened from it goes back.
            PaneEvent::Opened if self.pages.is_empty() => cx.ui.show_screen(Screen::Queue),
            PaneEvent::Changed(Change::LeftBook(key)) => {
                if let Some(page) = self.page_mut().filter(|page| page.key == *key) {
                    page.key.in_book = false;
                }
            }
            PaneEvent::Changed(Change::RecordRead(key)) => {
                for page in self.pages.iter_mut().filter(|page| page.key == *key) {
                    page.history = None;
                    page.arrange_related(cx);
                }
                self.read_shown_history(cx);
                self.describe_signals(cx);
            }
            PaneEvent::Changed(Change::Written(write)) => {
                let ids: Vec<_> = write
                    .applied
                    .iter()
                    .filter_map(|change| change.forward.record_id())
                    .collect();
                for page in self
                    .pages
                    .iter_mut()
                    .filter(|page| ids.contains(&page.key.id))
                {
                    page.history = None;
                }
                self.read_shown_history(cx);
            }
            PaneEvent::TabSwitched { forward } => self.switch_tab(forward, cx),
            PaneEvent::TabClicked(index) => self.show_tab(index, cx),
            PaneEvent::Back => self.go_back(cx),
            _ => {}
        }
    }

    fn move_cursor(&mut self, rows: isize, cx: &mut Context) {
        let Some(page) = self.page_mut() else { return };
        if cx.frame.layout().side_has_focus {
            match page.current_include() {
                Some(_) => page.lines.move_cursor(rows),
                None => page.side_top = page.side_top.saturating_add_signed(rows),
            }
        } else {
            page.top = page.top.saturating_add_signed(rows);
        }
    }

    fn click_row(&mut self, row: ClickedRow, _cx: &mut Context) -> Option<&'static str> {
        let page = self.page_mut()?;
        page.related_focused = Some(true);
        page.lines.click(row.line).then_some("record.open")
    }

    fn list<'a>(&'a self, cx: &'a Context) -> Option<Box<dyn FocusedList<'a> + 'a>> {
        let page = self.page()?;
        Some(Box::new(RelatedList::new(page, cx)?))
    }

    fn list_lines_mut(&mut self) -> Option<&mut ListLines> {
        self.page_mut()
            .filter(|page| page.current_include().is_some())
            .map(|page| &mut page.lines)
    }
}
