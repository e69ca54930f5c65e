//! The detail: one signal with its project's facts, people and timeline.
//!
//! The signal is a loaded queue row. Everything else comes from a single get of the project with
//! all embedded records, which costs one credit and is kept for the rest of the session. Only the
//! Raw tab needs another request, for the source's payload.

pub(crate) mod commands;
mod draw;
mod layout;
pub(in crate::app) mod messages;

#[cfg(test)]
mod tests;

use crate::app::focused_list::FocusedList;
use crate::app::list_change::ListChange;
use crate::app::panes::detail::messages::PayloadRequest;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::app::change::Change;
use crate::app::command::Scope;
use crate::app::effect::{RecordKey, Slot};

use crate::app::format::{format_full_day, humanize};
use crate::app::layout::FrameLayout;
use crate::app::model::load_state::LoadState;
use crate::app::model::records::FetchedProject;
use crate::app::msg::{Reply, payload};
use crate::app::notice::Notice;
use crate::app::pane::{ClickedRow, Pane, PaneEvent, PaneFocus, PaneFrame, next_tab};
use crate::app::price::Price;
use crate::app::selection::Subject;
use crate::app::{AfterTriage, Context, Screen};
use crate::domain::projects::ProjectDetails;
use crate::domain::queue::{QueueSignal, QueueTab};
use crate::domain::request_error::RequestError;
use crate::domain::signals::Signal;
use crate::domain::{ProjectId, SignalId};
use crate::ui::scroll::ScrollState;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DetailTab {
    /// The signal and its project.
    #[default]
    Overview,
    /// The project's signals; beside the other tabs if there is room.
    Timeline,
    /// Firms and people.
    People,
    /// The source's payload.
    Raw,
}

impl DetailTab {
    pub fn title(self) -> &'static str {
        match self {
            DetailTab::Overview => "Overview",
            DetailTab::Timeline => "Timeline",
            DetailTab::People => "People",
            DetailTab::Raw => "Raw",
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct DetailPane {
    signal: Option<OpenSignal>,
    tab: DetailTab,
    timeline_focused: bool,
}

/// The open signal and the position in it.
#[derive(Clone, Debug)]
struct OpenSignal {
    row: QueueSignal,
    /// The queue tab it was opened from.
    queue_tab: QueueTab,
    /// First visible line of the text.
    top: usize,
    timeline_scroll: ScrollState,
    /// The source's payload.
    raw: Option<Signal>,
    raw_load: LoadState,
}

impl OpenSignal {
    fn new(row: QueueSignal, queue_tab: QueueTab) -> OpenSignal {
        OpenSignal {
            row,
            queue_tab,
            top: 0,
            timeline_scroll: ScrollState::default(),
            raw: None,
            raw_load: LoadState::Idle,
        }
    }

    /// Its project, once it was paid for.
    fn project<'a>(&self, cx: &'a Context) -> Option<FetchedProject<'a>> {
        cx.records.project(self.row.signal.project_id)
    }

    /// Puts the timeline's cursor on the signal.
    fn point_timeline_at_signal(&mut self, cx: &Context) {
        if let Some(paid) = self.project(cx) {
            let here = timeline_signals(paid.project_details)
                .iter()
                .position(|signal| signal.id == self.row.signal.id);
            self.timeline_scroll = ScrollState {
                cursor: here.unwrap_or(0),
                top: 0,
            };
        }
    }

    /// The loaded signals of its project, including itself.
    fn thread_ids(&self, cx: &Context) -> Vec<SignalId> {
        let signal = &self.row.signal;
        let tab = cx.queue.tab_state(self.queue_tab);
        let mut ids = signal
            .project_id
            .map(|project| tab.list.ids_in_project(project))
            .unwrap_or_default();
        if !ids.contains(&signal.id) {
            ids.push(signal.id);
        }
        ids
    }
}

impl DetailPane {
    /// Opens the row under the queue's cursor.
    pub fn open(&mut self, cx: &mut Context) {
        if let Some(row) = cx.queue.current_tab().current_row().cloned() {
            self.open_row(row, cx);
        }
    }

    fn open_row(&mut self, row: QueueSignal, cx: &mut Context) {
        // The payload of the signal that is open already was paid for.
        let before = self
            .signal
            .take()
            .filter(|open| open.row.signal.id == row.signal.id);
        let (raw, raw_load) = before
            .map(|open| (open.raw, open.raw_load))
            .unwrap_or_default();
        self.signal = Some(OpenSignal {
            raw,
            raw_load,
            ..OpenSignal::new(row, cx.queue.tab)
        });
        cx.show_screen(Screen::Detail);
        cx.notice = None;
        if !cx.is_compact() {
            self.read_project(false, cx);
        } else if !cx.is_reading_record() {
            // No price was shown before opening, so nothing is bought: the page says which key
            // loads the project.
            cx.records.load = LoadState::Idle;
        }
        self.read_raw_payload(cx);
        if let Some(open) = &mut self.signal {
            open.point_timeline_at_signal(cx);
        }
    }

    /// What opening a signal of this project costs: the project, and the payload where that is
    /// shown.
    fn opening_price(&self, project: Option<ProjectId>, cx: &Context) -> Price {
        let payload = if self.tab == DetailTab::Raw {
            cx.signal_price()
        } else {
            Price::Free
        };
        cx.opened_project_price(project) + payload
    }

    /// The signal under the timeline's cursor, while the timeline has the focus.
    fn timeline_signal<'a>(&self, cx: &'a Context) -> Option<&'a Signal> {
        let open = self
            .signal
            .as_ref()
            .filter(|_| cx.layout().side_has_focus)?;
        let project = open.project(cx)?.project_details;
        timeline_signals(project)
            .get(open.timeline_scroll.cursor)
            .copied()
    }

    /// Opens the signal under the timeline's cursor. The queue's cursor follows if its row is
    /// loaded; else the signal is shown as the project has it, without priority and triage status.
    fn open_from_timeline(&mut self, cx: &mut Context) {
        let Some(signal) = self.timeline_signal(cx).cloned() else {
            return;
        };
        for tab in [QueueTab::New, QueueTab::Done] {
            if let Some(row) = cx.queue.tab_state(tab).list.row(signal.id).cloned() {
                cx.queue.tab = tab;
                cx.queue.current_tab_mut().move_to_first_of(&[signal.id]);
                return self.open_row(row, cx);
            }
        }
        let Some(before) = self.signal.as_ref() else {
            return;
        };
        let project = &before.row.signal;
        let signal = Signal {
            project_id: project.project_id,
            project_name: project.project_name.clone(),
            project_primary_address: project.project_primary_address.clone(),
            ..signal
        };
        self.open_unlisted(signal, cx);
    }

    /// Opens a signal that is not among the loaded rows of the queue.
    pub fn open_unlisted(&mut self, signal: Signal, cx: &mut Context) {
        let row = QueueSignal {
            signal,
            triage_status: None,
            priority: None,
            triaged_by: None,
            triaged_at: None,
        };
        self.open_row(row, cx);
    }

    /// Loads the project, unless it was already paid for; `again` forces a reload.
    fn read_project(&mut self, again: bool, cx: &mut Context) {
        let Some(open) = &self.signal else { return };
        if let Some(project) = open
            .row
            .signal
            .project_id
            .filter(|_| again || open.project(cx).is_none())
        {
            cx.read_record(RecordKey::of_project(project), again);
        }
    }

    /// Loads the source's payload if the Raw tab is shown.
    fn read_raw_payload(&mut self, cx: &mut Context) {
        let Some(open) = &mut self.signal else { return };
        if self.tab == DetailTab::Raw && open.raw_load.needs_load() {
            open.raw_load = LoadState::Loading;
            let id = open.row.signal.id;
            let call = cx.signal_call(id);
            cx.call_service(Slot::Signal, call, PayloadRequest(id));
        }
    }

    pub fn on_reply(
        &mut self,
        PayloadRequest(id): PayloadRequest,
        result: Result<Reply, RequestError>,
        cx: &mut Context,
    ) {
        let read = payload(result).map(|read| cx.take_signal(read));
        let Some(open) = self.signal.as_mut().filter(|open| open.row.signal.id == id) else {
            return;
        };
        match read {
            Ok(signal) => {
                open.raw = Some(signal);
                open.raw_load = LoadState::Ready;
            }
            Err(failure) => open.raw_load = LoadState::Failed(failure.message),
        }
    }

    /// Opens the next or previous signal without returning to the list.
    fn open_adjacent(&mut self, rows: isize, cx: &mut Context) {
        let tab = cx.queue.current_tab_mut();
        let before = tab.scroll.cursor;
        tab.move_cursor(rows);
        let is_end = tab.scroll.cursor == before;
        if !is_end && tab.current_row().is_some() {
            return self.open(cx);
        }
        tab.move_to_line(before);
        cx.notice = Some(Notice::info(match rows > 0 {
            _ if !is_end => "the next signal is not loaded yet",
            true => "this is the last signal",
            false => "this is the first signal",
        }));
    }

    /// Opens the first of the signals that came back by an undo, if that reads nothing.
    fn return_to(&mut self, ids: &[SignalId], cx: &mut Context) {
        let before = cx.queue.current_tab().scroll.cursor;
        cx.queue.current_tab_mut().move_to_first_of(ids);
        let row = cx.queue.current_tab().current_row();
        let project = row
            .filter(|row| ids.contains(&row.signal.id))
            .and_then(|row| row.signal.project_id);
        let is_read = project
            .is_some_and(|project| cx.records.get(&RecordKey::of_project(project)).is_some());
        if is_read && self.tab != DetailTab::Raw {
            let notice = cx.notice.take();
            self.open(cx);
            cx.notice = notice;
        } else {
            cx.queue.current_tab_mut().move_to_line(before);
        }
    }

    /// Moves on after a triage of the open signal, according to the `advance` setting.
    fn advance(&mut self, cx: &mut Context) {
        match cx.settings().after_triage {
            AfterTriage::Next if cx.queue.current_tab().current_row().is_some() => {
                let notice = cx.notice.take();
                self.open(cx);
                cx.notice = notice;
            }
            AfterTriage::Stay => {}
            AfterTriage::Next | AfterTriage::Back => cx.show_screen(Screen::Queue),
        }
    }

    /// The tabs in order; the timeline is a tab only if it is not shown beside the text.
    fn visible_tabs(areas: &FrameLayout) -> &'static [DetailTab] {
        if areas.is_wide {
            &[DetailTab::Overview, DetailTab::People, DetailTab::Raw]
        } else {
            &[
                DetailTab::Overview,
                DetailTab::Timeline,
                DetailTab::People,
                DetailTab::Raw,
            ]
        }
    }
}

/// The timeline, while it has the keys.
struct Timeline<'a> {
    open: &'a OpenSignal,
    cx: &'a Context,
}

impl<'a> Timeline<'a> {
    fn of_pane(pane: &'a DetailPane, cx: &'a Context) -> Option<Timeline<'a>> {
        let layout = cx.layout();
        let open = pane.signal.as_ref()?;
        let has_keys = layout.side_has_focus && layout.entry_count > 0;
        has_keys.then_some(Timeline { open, cx })
    }
}

impl<'a> FocusedList<'a> for Timeline<'a> {
    fn cursor(&self) -> Option<usize> {
        Some(self.open.timeline_scroll.cursor)
    }

    fn row_count(&self) -> usize {
        self.cx.layout().entry_count
    }

    fn visit_lines(&self, visit: &mut dyn FnMut(usize, &str)) {
        let Some(paid) = self.open.project(self.cx) else {
            return;
        };
        let signals = timeline_signals(paid.project_details);
        for (line, signal) in signals.into_iter().enumerate() {
            let kind = signal
                .signal_type
                .as_ref()
                .map(|kind| format!("{} {}", kind.as_str(), humanize(kind.as_str())));
            let filed = signal.filed_at.as_ref().map(format_full_day);
            let parts = [
                kind,
                filed,
                signal.source_filing_id.clone(),
                signal.source_display_name.clone(),
            ];
            let parts: Vec<String> = parts.into_iter().flatten().collect();
            visit(line, &parts.join(" "));
        }
    }
}

impl DetailPane {
    fn switch_tab(&mut self, forward: bool, cx: &mut Context) {
        let tabs = DetailPane::visible_tabs(cx.layout());
        let at = tabs.iter().position(|tab| *tab == self.tab);
        let next = at.map_or(0, |at| next_tab(at, tabs.len(), forward));
        self.show_tab(next, cx);
    }

    fn show_tab(&mut self, index: usize, cx: &mut Context) {
        let (Some(open), Some(tab)) = (
            &mut self.signal,
            DetailPane::visible_tabs(cx.layout()).get(index),
        ) else {
            return;
        };
        open.top = 0;
        (self.tab, self.timeline_focused) = (*tab, false);
        self.read_raw_payload(cx);
    }
}

impl Pane for DetailPane {
    fn focus(&self, _cx: &Context) -> PaneFocus {
        PaneFocus {
            scope: Scope::Detail,
            list: None,
            subject: self.signal.as_ref().map_or(Subject::None, |open| {
                Subject::Signal(Box::new(open.row.clone()))
            }),
        }
    }

    fn frame(&self, cx: &Context) -> PaneFrame {
        // a project that was not read says what reading it costs
        let is_unread = self
            .signal
            .as_ref()
            .is_some_and(|open| open.project(cx).is_none());
        PaneFrame {
            opened_from: Some(Screen::Queue),
            tab_bar: Some(Vec::new()),
            priced_command: is_unread.then_some("detail.reload"),
            ..PaneFrame::default()
        }
    }

    fn layout(&mut self, areas: &mut FrameLayout, body: Rect, cx: &mut Context) {
        self.lay_out(areas, body, cx);
        // The cursor of the list moves along with the open signal.
        cx.queue.current_tab_mut().clamp_scroll(areas.rows.height);
    }

    fn draw(&self, cx: &Context, buf: &mut Buffer) -> Option<Position> {
        draw::draw(self, cx, buf);
        None
    }

    fn on_event(&mut self, event: PaneEvent<'_>, cx: &mut Context) {
        match event {
            PaneEvent::Changed(Change::RecordRead(_)) => {
                if let Some(open) = &mut self.signal {
                    open.point_timeline_at_signal(cx);
                }
            }
            PaneEvent::Changed(Change::SignalsReturned(ids)) if self.signal.is_some() => {
                self.return_to(ids, cx);
            }
            PaneEvent::TabSwitched { forward } => self.switch_tab(forward, cx),
            PaneEvent::TabClicked(index) => self.show_tab(index, cx),
            PaneEvent::Back => cx.show_screen(Screen::Queue),
            _ => {}
        }
    }

    fn move_cursor(&mut self, rows: isize, cx: &mut Context) {
        let Some(open) = &mut self.signal else { return };
        if cx.layout().side_has_focus {
            open.timeline_scroll
                .move_cursor(rows, cx.layout().entry_count);
        } else {
            open.top = open.top.saturating_add_signed(rows);
        }
    }

    /// A click on a row of the timeline.
    fn click_row(&mut self, row: ClickedRow, _cx: &mut Context) -> Option<&'static str> {
        self.signal.as_mut()?.timeline_scroll.cursor = row.line;
        self.timeline_focused = true;
        None
    }

    fn list<'a>(&'a self, cx: &'a Context) -> Option<Box<dyn FocusedList<'a> + 'a>> {
        Some(Box::new(Timeline::of_pane(self, cx)?))
    }

    fn change_list(&mut self, change: ListChange<'_>, _cx: &mut Context) {
        if let (Some(open), ListChange::MoveTo(line)) = (&mut self.signal, change) {
            open.timeline_scroll.cursor = line;
        }
    }
}

/// A project's signals, newest filing first, undated ones last.
pub fn timeline_signals(dossier: &ProjectDetails) -> Vec<&Signal> {
    let mut signals: Vec<&Signal> = dossier.signals.iter().collect();
    signals.sort_by_key(|signal| {
        (
            std::cmp::Reverse(signal.filed_at.as_ref().and_then(|when| when.date_time())),
            signal.id,
        )
    });
    signals
}
