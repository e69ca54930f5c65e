//! A record's page: its facts, the workspace's annotations, and the related records, each of which opens the next page.
//!
//! One pane for accounts, contacts and projects. A page is one get with everything that it can embed, for a credit; it is cached
//! while the program runs, so that going back or returning costs nothing.

pub(crate) mod commands;
mod details;
mod draw;
mod layout;

#[cfg(test)]
mod tests;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::app::change::Change;
use crate::app::command::Scope;
use crate::app::effect::{ListId, RecordKey};
use crate::app::layout::FrameLayout;
use crate::app::model::records::FetchedRecord;
use crate::app::pane::Pane;
use crate::app::selection::Subject;
use crate::app::{Context, Screen};
use crate::domain::book::{Dataset, RecordKind};
use crate::domain::records::Record;
use crate::ui::scroll::ScrollState;

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
    /// The tab: facts, related records or payload.
    tab: usize,
    /// The related records have the focus.
    related_focused: bool,
    /// The cursor in the related records.
    related_scroll: ScrollState,
    /// The first visible line of the text.
    top: usize,
}

impl RecordPage {
    fn new(key: RecordKey, name: String) -> RecordPage {
        RecordPage { key, name, tab: 0, related_focused: false, related_scroll: ScrollState::default(), top: 0 }
    }

    fn tabs(&self) -> Vec<&'static str> {
        let includes = self.key.dataset.available_includes().iter().copied();
        ["facts"].into_iter().chain(includes).chain(["raw"]).collect()
    }

    /// The include that the current tab lists; None for facts and payload.
    fn current_include(&self) -> Option<&'static str> {
        self.tab.checked_sub(1).and_then(|at| self.key.dataset.available_includes().get(at)).copied()
    }

    /// The record, once it was paid for.
    fn fetched<'a>(&self, cx: &'a Context) -> Option<&'a FetchedRecord> {
        cx.records.get(&self.key)
    }

    /// The related records that the current tab lists.
    fn related_records<'a>(&self, cx: &'a Context) -> &'a [Record] {
        let listed = || Some(self.fetched(cx)?.related(self.current_include()?));
        listed().unwrap_or_default()
    }
}

/// The dataset of an include's records.
fn embedded_dataset(include: &str) -> Dataset {
    let plural = if include.ends_with('s') { include.to_owned() } else { format!("{include}s") };
    plural.as_str().into()
}

/// The route with the most fields: the book's if the record is known to be in it.
fn preferred_record_key(key: RecordKey, cx: &Context) -> RecordKey {
    let in_book = RecordKey { in_book: true, ..key.clone() };
    let kind: RecordKind = key.dataset.as_str().into();
    let is_listed = || cx.record_lists.get(&ListId::Book(kind)).is_some_and(|list| list.row(key.id).is_some());
    if cx.records.get(&in_book).is_some() || is_listed() { in_book } else { key }
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
        let key = preferred_record_key(key, cx);
        if cx.screen() != Screen::Record {
            *self = RecordPane { pages: Vec::new(), opened_from: Some(cx.screen()) };
        }
        self.pages.push(RecordPage::new(key.clone(), name));
        cx.show_screen(Screen::Record);
        cx.notice = None;
        cx.read_record(key, false);
    }
}

impl Pane for RecordPane {
    fn scope(&self, _cx: &Context) -> Scope {
        Scope::Record
    }

    fn subject(&self, _cx: &Context) -> Subject {
        self.page().map_or(Subject::None, |page| Subject::Record(page.key.clone(), page.name.clone()))
    }

    fn opened_from(&self) -> Option<Screen> {
        self.opened_from
    }

    /// Its pages may be closed by the time a screen that was opened from it goes back.
    fn on_open(&mut self, cx: &mut Context) {
        if self.pages.is_empty() {
            cx.show_screen(Screen::Queue);
        }
    }

    fn on_change(&mut self, change: &Change, _cx: &mut Context) {
        if let Change::LeftBook(key) = change
            && let Some(page) = self.page_mut().filter(|page| page.key == *key)
        {
            page.key.in_book = false;
        }
    }

    fn has_tab_bar(&self) -> bool {
        true
    }

    fn layout(&mut self, areas: &mut FrameLayout, body: Rect, cx: &mut Context) {
        if let Some(page) = self.page_mut() {
            page.lay_out(areas, body, cx);
        }
    }

    fn draw(&self, cx: &Context, buf: &mut Buffer) {
        draw::draw(self, cx, buf);
    }

    fn move_cursor(&mut self, rows: isize, cx: &mut Context) {
        let Some(page) = self.page_mut() else { return };
        if cx.layout().side_has_focus {
            page.related_scroll.move_cursor(rows, cx.layout().entry_count);
        } else {
            page.top = page.top.saturating_add_signed(rows);
        }
    }

    fn switch_tab(&mut self, forward: bool, cx: &mut Context) {
        let Some(page) = self.page() else { return };
        let (first, len) = (layout::first_tab(cx.layout()), page.tabs().len());
        let next = match (page.tab, forward) {
            (tab, true) if tab + 1 < len => tab + 1,
            (_, true) => first,
            (tab, false) if tab > first => tab - 1,
            (_, false) => len - 1,
        };
        self.show_tab(next, cx);
    }

    fn show_tab(&mut self, tab: usize, _cx: &mut Context) {
        if let Some(page) = self.page_mut() {
            page.tab = tab;
            page.top = 0;
            page.related_scroll = ScrollState::default();
            page.related_focused = true;
        }
    }

    fn click_row(&mut self, line: usize, _cx: &mut Context) -> Option<&'static str> {
        let page = self.page_mut()?;
        page.related_focused = true;
        (std::mem::replace(&mut page.related_scroll.cursor, line) == line).then_some("record.open")
    }

    /// Goes back one page; from the first one, to the screen it was opened from.
    fn go_back(&mut self, cx: &mut Context) {
        self.pages.pop();
        cx.notice = None;
        if self.pages.is_empty() {
            cx.show_screen(self.opened_from.take().unwrap_or(Screen::Queue));
            cx.forget_screen(Screen::Record);
        }
    }
}
