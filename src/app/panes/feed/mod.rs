//! The feed: all signals of the index, whether or not the workspace is subscribed to their types,
//! newest filing first.
//!
//! A service need not state what a page or a payload costs, so that each is read only by a key
//! until it has proved to be free.
//! Rows of another filter stay, labeled, until the rows of the new one arrive.

mod columns;
pub(crate) mod commands;
pub(crate) mod draw;
mod filter;
mod layout;
pub(in crate::app) mod messages;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use filter::NamedFilter;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::app::action::Action;
use crate::app::command::Scope;
use crate::app::context::record_lists;
use crate::app::effect::{RecordKey, ServiceCall, Slot};
use crate::app::focused_list::{self, FocusedList};
use crate::app::layout::FrameLayout;
use crate::app::list::{self, list_of};
use crate::app::list_change::ListChange;
use crate::app::model::list_table::ListLines;
use crate::app::model::load_state::LoadState;
use crate::app::msg::{CallResult, ReadCost, payload};
use crate::app::pane::{ClickedRow, Pane, PaneEvent, PaneFocus, PaneFrame};
use crate::app::panes::feed::columns::Feed;
use crate::app::panes::feed::messages::FeedRequest;
use crate::app::selection::Subject;
use crate::app::{Context, Screen};
use crate::domain::book::Dataset;
use crate::domain::pages::Page;
use crate::domain::signals::Signal;
use crate::domain::{AccountId, ProjectId, SignalId};

/// Rows of a page.
const PAGE_ROWS: u32 = 50;

#[derive(Clone, Debug, Default)]
pub struct FeedPane {
    filter: NamedFilter,
    /// What the loaded rows are filtered by.
    loaded_filter: NamedFilter,
    rows: Vec<Signal>,
    /// Rows that could not be read.
    unreadable: usize,
    /// Rows of the service to skip for the next page; `None` after the last one.
    next_offset: Option<u32>,
    load: LoadState,
    lines: ListLines,
    /// The side panel replaces the list if there is room for only one of them.
    panel_open: bool,
    /// The first visible line of the side panel.
    panel_top: usize,
    /// Signals with their payloads, or why they could not be read.
    payloads: BTreeMap<SignalId, Result<Signal, String>>,
    /// The signal whose payload is being read.
    reading_payload: Option<SignalId>,
    opened_from: Option<Screen>,
}

impl FeedPane {
    fn current(&self) -> Option<&Signal> {
        self.rows.get(self.lines.current_row())
    }

    /// The rows on the screen are those of another filter.
    fn is_outdated(&self) -> bool {
        !self.rows.is_empty() && self.filter != self.loaded_filter
    }

    /// Opens the feed of the account or project in front of the user, else of all signals.
    fn open(&mut self, cx: &mut Context) {
        if cx.ui.screen() != Screen::Feed {
            self.opened_from = Some(cx.ui.screen());
        }
        if self.reads_on_open(cx) {
            self.set_filter(filter_of_record_in_front(cx).unwrap_or_default(), cx);
        }
        cx.work.perform(Action::GoTo(Screen::Feed));
    }

    /// Whether opening it reads rows: none are loaded, or those of another filter.
    fn reads_on_open(&self, cx: &Context) -> bool {
        self.load.needs_load() || self.filter != filter_of_record_in_front(cx).unwrap_or_default()
    }

    fn set_filter(&mut self, filter: NamedFilter, cx: &mut Context) {
        self.filter = filter;
        self.read(0, cx);
    }

    /// Changes the filter, unless it is the same afterwards.
    fn change_filter(&mut self, cx: &mut Context, change: impl FnOnce(&mut NamedFilter)) {
        let mut filter = self.filter.clone();
        change(&mut filter);
        if filter != self.filter {
            self.set_filter(filter, cx);
        }
    }

    fn refresh(&mut self, cx: &mut Context) {
        self.read(0, cx);
    }

    fn read(&mut self, offset: u32, cx: &mut Context) {
        self.load = LoadState::Loading;
        let call = ServiceCall::Feed {
            filter: self.filter.feed.clone(),
            offset,
            limit: PAGE_ROWS,
        };
        cx.work
            .call_service(Slot::Feed, call, FeedRequest::Rows(offset));
    }

    /// Whether the payload of the signal under the cursor is neither loaded nor being read.
    fn needs_payload(&self) -> bool {
        let is_missing =
            |id| self.reading_payload != Some(id) && !matches!(self.payloads.get(&id), Some(Ok(_)));
        self.current().is_some_and(|signal| is_missing(signal.id))
    }

    fn read_payload(&mut self, cx: &mut Context) {
        if let Some(id) = self
            .current()
            .map(|signal| signal.id)
            .filter(|_| self.needs_payload())
        {
            self.reading_payload = Some(id);
            let call = cx.descriptions.signal_call(id);
            cx.work
                .call_service(Slot::FeedSignal, call, FeedRequest::Payload(id));
        }
    }

    pub fn on_reply(&mut self, request: FeedRequest, result: CallResult, cx: &mut Context) {
        match request {
            FeedRequest::Rows(offset) => match payload::<(Page<Signal>, Option<u64>)>(result) {
                Ok((page, credits)) => {
                    if credits == Some(0) {
                        cx.descriptions
                            .learn_signal_price(Some(ReadCost::Reported(0)), &mut cx.work);
                    }
                    self.store_page(offset, page, cx);
                    cx.describe_listed(Screen::Feed, self.rows.iter());
                }
                Err(failure) => {
                    // Rows of another filter are not an answer.
                    if self.is_outdated() {
                        self.rows.clear();
                        self.lines = list::arrange::<Feed>(self, cx);
                    } else if !self.rows.is_empty() {
                        let retry = if offset == 0 {
                            "{feed.refresh} retries"
                        } else {
                            "{feed.more} retries"
                        };
                        cx.ui
                            .show_failure("could not load the feed", &failure, retry);
                    }
                    self.load = LoadState::Failed(failure.message);
                }
            },
            FeedRequest::Payload(id) => {
                self.reading_payload = None;
                self.payloads.insert(
                    id,
                    payload(result)
                        .map(|read| cx.take_signal(read))
                        .map_err(|failure| failure.message),
                );
            }
        }
    }

    fn store_page(&mut self, offset: u32, page: Page<Signal>, cx: &Context) {
        let here = self.current().map(|signal| signal.id);
        if offset == 0 {
            self.rows.clear();
            self.unreadable = 0;
            self.loaded_filter = self.filter.clone();
        }
        self.next_offset = page.next_offset;
        self.unreadable += page.unreadable;
        // A signal that arrived meanwhile has moved rows of the last page to this one.
        let known: BTreeSet<SignalId> = self.rows.iter().map(|signal| signal.id).collect();
        self.rows.extend(
            page.rows
                .into_iter()
                .filter(|signal| !known.contains(&signal.id)),
        );
        self.load = LoadState::Ready;
        self.lines = list::arrange::<Feed>(self, cx);
        let row = self.rows.iter().position(|signal| Some(signal.id) == here);
        let before = self.lines.scroll.cursor;
        match row {
            None if offset == 0 => self.lines.scroll.cursor = 0,
            row => self.lines.move_to_row(row),
        }
        if self.lines.scroll.cursor != before {
            self.panel_top = 0;
        }
    }

    /// The signal under the cursor with its payload, if that was read.
    fn current_with_payload(&self) -> Option<&Signal> {
        let signal = self.current()?;
        Some(
            self.payloads
                .get(&signal.id)
                .and_then(|read| read.as_ref().ok())
                .unwrap_or(signal),
        )
    }
}

/// The filter by the account or project whose page is open or whose row has the cursor.
fn filter_of_record_in_front(cx: &Context) -> Option<NamedFilter> {
    let (key, name) = match cx.ui.subject() {
        Subject::Signal(_) => return None,
        Subject::Record(key, name) => (key.clone(), name.clone()),
        Subject::None => {
            let fields = cx.records.current_record(&cx.ui.focus)?.fields();
            let name = fields
                .text("name")
                .filter(|name| !name.trim().is_empty())
                .unwrap_or("unnamed");
            (
                record_lists::current_record_key(&cx.ui, &cx.records.lists)?,
                name.to_owned(),
            )
        }
    };
    let mut filter = NamedFilter::default();
    match key {
        RecordKey {
            dataset: Dataset::Projects,
            id,
            ..
        } => {
            (filter.feed.project_id, filter.project_name) = (Some(ProjectId(id)), name);
        }
        RecordKey {
            dataset: Dataset::Accounts,
            id,
            ..
        } => {
            (filter.feed.account_id, filter.account_name) = (Some(AccountId(id)), name);
        }
        _ => return None,
    }
    Some(filter)
}

fn project_name(signal: &Signal) -> &str {
    signal
        .project_name
        .as_deref()
        .filter(|name| !name.trim().is_empty())
        .unwrap_or("unnamed project")
}

impl Pane for FeedPane {
    fn focus(&self, _cx: &Context) -> PaneFocus {
        Scope::Feed.into()
    }

    fn frame(&self, _cx: &Context) -> PaneFrame {
        PaneFrame {
            opened_from: self.opened_from,
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
            // the side panel may cover the list
            PaneEvent::Back if std::mem::take(&mut self.panel_open) => {}
            PaneEvent::Back => {
                cx.work
                    .perform(Action::GoTo(self.opened_from.unwrap_or(Screen::Queue)));
            }
            _ => {}
        }
    }

    fn move_cursor(&mut self, rows: isize, _cx: &mut Context) {
        self.lines.move_cursor(rows);
        self.panel_top = 0;
    }

    fn click_row(&mut self, row: ClickedRow, _cx: &mut Context) -> Option<&'static str> {
        self.panel_top = 0;
        self.lines.click(row.line).then_some("feed.panel")
    }

    fn list<'a>(&'a self, cx: &'a Context) -> Option<Box<dyn FocusedList<'a> + 'a>> {
        Some(Box::new(list_of::<Feed>(self, cx)))
    }

    fn list_lines_mut(&mut self) -> Option<&mut ListLines> {
        Some(&mut self.lines)
    }

    fn change_list(&mut self, change: ListChange<'_>, cx: &mut Context) {
        self.panel_top = 0;
        focused_list::change_list(self, change, cx);
    }
}
