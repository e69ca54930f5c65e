//! The detail: one signal with its project's facts, people and timeline.
//!
//! The signal is a loaded queue row. Everything else comes from a single get of the project with
//! all embedded records, which costs one credit and is kept for the rest of the session. Only the
//! Raw tab needs another request, for the source's payload.

mod columns;
pub(crate) mod commands;
mod draw;
mod layout;
pub(in crate::app) mod messages;

#[cfg(test)]
mod tests;

use columns::{Participants, Timeline};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::app::action::Action;
use crate::app::change::Change;
use crate::app::command::Scope;
use crate::app::context::promises;
use crate::app::context::{prices, records};
use crate::app::effect::{RecordKey, Slot};
use crate::app::focused_list::FocusedList;
use crate::app::layout::FrameLayout;
use crate::app::list::{self, List, list_of};
use crate::app::model::list_table::ListLines;
use crate::app::model::load_state::LoadState;
use crate::app::model::records::FetchedProject;
use crate::app::msg::{CallResult, payload};
use crate::app::pane::{ClickedRow, Pane, PaneEvent, PaneFocus, PaneFrame, step_around};
use crate::app::panes::detail::messages::PayloadRequest;
use crate::app::price::Price;
use crate::app::selection::Subject;
use crate::app::{AfterTriage, Context, Screen};
use crate::domain::participants::Participant;
use crate::domain::queue::{QueueSignal, QueueTab};
use crate::domain::signals::Signal;
use crate::domain::{ProjectId, SignalId};

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

/// A list of the page.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DetailList {
    Timeline,
    Participants,
}

#[derive(Clone, Debug, Default)]
pub struct DetailPane {
    signal: Option<OpenSignal>,
    tab: DetailTab,
    timeline_focused: bool,
    /// The lines of the timeline.
    timeline: ListLines,
    /// The firms and people of the project.
    participants: Vec<Participant>,
    participant_lines: ListLines,
}

/// The open signal and the position in it.
#[derive(Clone, Debug)]
struct OpenSignal {
    row: QueueSignal,
    /// The queue tab it was opened from.
    queue_tab: QueueTab,
    /// First visible line of the text.
    top: usize,
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
            raw: None,
            raw_load: LoadState::Idle,
        }
    }

    /// Its project, once it was paid for.
    fn project<'a>(&self, cx: &'a Context) -> Option<FetchedProject<'a>> {
        cx.records.fetched.project(self.row.signal.project_id)
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

/// The most filings of a project that are described without being asked for.
const MAX_DESCRIBED: usize = 60;
/// From this height of the screen on, a page has room for what the source sent.
const TALL_HEIGHT: u16 = 50;

impl DetailPane {
    /// Opens the row under the queue's cursor.
    pub fn open(&mut self, cx: &mut Context) {
        if let Some(row) = cx.queue.current_tab().current_row().cloned() {
            self.open_row(row, cx);
        }
    }

    fn open_row(&mut self, row: QueueSignal, cx: &mut Context) {
        let project = self.signal.as_ref().map(|open| open.row.signal.project_id);
        if project != Some(row.signal.project_id) {
            (self.timeline, self.participant_lines) = Default::default();
        }
        let before = self.signal.take();
        // Nobody waits for the payload of another signal any longer.
        if let Some(left) = before.as_ref().filter(|open| {
            open.row.signal.id != row.signal.id && open.raw_load == LoadState::Loading
        }) {
            cx.finish_payload_read(left.row.signal.id);
        }
        // The payload of the signal that is open already was paid for.
        let before = before.filter(|open| open.row.signal.id == row.signal.id);
        let (raw, raw_load) = before
            .map(|open| (open.raw, open.raw_load))
            .unwrap_or_default();
        self.signal = Some(OpenSignal {
            raw,
            raw_load,
            ..OpenSignal::new(row, cx.queue.tab.listing())
        });
        cx.ui.show_screen(Screen::Detail);
        cx.ui.notice = None;
        if !cx.frame.is_compact() {
            self.read_project(false, cx);
        } else if !records::is_reading_record(&cx.work) {
            // No price was shown before opening, so nothing is bought: the page says which key
            // loads the project.
            cx.records.fetched.load = LoadState::Idle;
        }
        self.read_raw_payload(cx);
        self.list_project(cx);
        self.point_timeline_at_signal(cx);
    }

    /// Fills the lists of the project, as far as it was read, and has its filings described where
    /// that is free.
    fn list_project(&mut self, cx: &mut Context) {
        let read = self.signal.as_ref().and_then(|open| open.project(cx));
        let participants = read.map(|read| read.project_details.participants());
        self.participants = participants.unwrap_or_default();
        self.timeline = list::arrange::<Timeline>(self, cx);
        self.participant_lines = list::arrange::<Participants>(self, cx);
        let open = self.signal.iter().map(|open| &open.row.signal);
        let filings = Timeline::items(self, cx).iter().take(MAX_DESCRIBED);
        let signals: Vec<Signal> = open.chain(filings).cloned().collect();
        cx.describe_listed(Screen::Detail, signals.iter());
    }

    /// Puts the timeline's cursor on the signal.
    fn point_timeline_at_signal(&mut self, cx: &Context) {
        let id = self.signal.as_ref().map(|open| open.row.signal.id);
        let mut signals = Timeline::items(self, cx).iter();
        let here = signals.position(|signal| Some(signal.id) == id);
        self.timeline.move_to_row(here);
    }

    /// What opening a signal of this project costs: the project, and the payload where that is
    /// shown.
    fn opening_price(&self, project: Option<ProjectId>, cx: &Context) -> Price {
        let payload = if self.tab == DetailTab::Raw {
            cx.descriptions.signal_price()
        } else {
            Price::Free
        };
        prices::opened_project_price(project, &cx.frame, &cx.records.fetched) + payload
    }

    /// The signal under the timeline's cursor, while the timeline has the focus.
    fn timeline_signal<'a>(&'a self, cx: &'a Context) -> Option<&'a Signal> {
        let row = self.timeline.current_row();
        let signals = Timeline::items(self, cx);
        signals.get(row).filter(|_| self.timeline_focused)
    }

    /// The firm or person under the cursor, while their tab has the focus.
    fn current_participant(&self) -> Option<&Participant> {
        let row = self.participant_lines.current_row();
        let has_keys = self.tab == DetailTab::People && !self.timeline_focused;
        self.participants.get(row).filter(|_| has_keys)
    }

    /// What opening the row under the cursor costs.
    fn row_price(&self, cx: &Context) -> Price {
        match (self.current_participant(), self.timeline_signal(cx)) {
            (Some(one), _) => cx.records.record_price(one.key.clone()),
            (None, Some(_)) => {
                let open = self.signal.as_ref();
                self.opening_price(open.and_then(|open| open.row.signal.project_id), cx)
            }
            (None, None) => Price::Free,
        }
    }

    /// Opens the signal, firm or person under the cursor; on the heading of a group, closes or
    /// opens the group.
    fn open_current(&mut self, cx: &mut Context) {
        if let Some(lines) = self.list_lines_mut().filter(|lines| lines.is_on_heading()) {
            return lines.toggle_fold();
        }
        match self.current_participant() {
            Some(one) => {
                let name = one.name_or_unnamed().to_owned();
                cx.work.perform(Action::OpenRecord(one.key.clone(), name));
            }
            None => self.open_from_timeline(cx),
        }
    }

    /// Opens the signal under the timeline's cursor. The queue's cursor follows if its row is
    /// loaded; else the signal is shown as the project has it, without priority and triage status.
    fn open_from_timeline(&mut self, cx: &mut Context) {
        let Some(signal) = self.timeline_signal(cx).cloned() else {
            return;
        };
        for tab in [QueueTab::New, QueueTab::Done] {
            if let Some(row) = cx.queue.tab_state(tab).list.row(signal.id).cloned() {
                cx.queue.show_tab_of(tab);
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

    /// Loads the source's payload if the Raw tab is shown; where that is proved to be free, nothing
    /// else reads it, and the page has room for it, always.
    fn read_raw_payload(&mut self, cx: &mut Context) {
        let Some(open) = &mut self.signal else { return };
        let id = open.row.signal.id;
        let reads = &cx.descriptions;
        let is_free = cx.frame.size().1 >= TALL_HEIGHT
            && reads.is_free_for_certain()
            && !reads.in_flight.contains(&id);
        if (self.tab == DetailTab::Raw || is_free) && open.raw_load.needs_load() {
            open.raw_load = LoadState::Loading;
            cx.descriptions.in_flight.insert(id);
            let call = cx.descriptions.signal_call(id);
            cx.work.call_service(Slot::Signal, call, PayloadRequest(id));
        }
    }

    pub fn on_reply(
        &mut self,
        PayloadRequest(id): PayloadRequest,
        result: CallResult,
        cx: &mut Context,
    ) {
        let read = payload(result).map(|read| cx.take_signal(read));
        cx.finish_payload_read(id);
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
        match tab.adjacent_line(before, rows) {
            Some(line) if tab.row_at(line).is_some() => tab.move_to_line(line),
            Some(_) => tab.move_cursor(rows),
            None => {}
        }
        let is_end = tab.scroll.cursor == before;
        if !is_end && tab.current_row().is_some() {
            return self.open(cx);
        }
        tab.move_to_line(before);
        cx.ui.inform(match rows > 0 {
            _ if !is_end => "the next signal is not loaded yet",
            true => "this is the last signal",
            false => "this is the first signal",
        });
    }

    /// Opens the first of the signals that came back by an undo, if that reads nothing.
    fn return_to(&mut self, ids: &[SignalId], cx: &mut Context) {
        let before = cx.queue.current_tab().scroll.cursor;
        cx.queue.current_tab_mut().move_to_first_of(ids);
        let row = cx.queue.current_tab().current_row();
        let project = row
            .filter(|row| ids.contains(&row.signal.id))
            .and_then(|row| row.signal.project_id);
        let is_read = project.is_some_and(|project| {
            cx.records
                .fetched
                .get(&RecordKey::of_project(project))
                .is_some()
        });
        if is_read && self.tab != DetailTab::Raw {
            let notice = cx.ui.notice.take();
            self.open(cx);
            cx.ui.notice = notice;
        } else {
            cx.queue.current_tab_mut().move_to_line(before);
        }
    }

    /// Moves on after a triage of the open signal, according to the `advance` setting.
    fn advance(&mut self, cx: &mut Context) {
        promises::update_today(cx);
        match cx.settings.after_triage {
            AfterTriage::Next if cx.queue.current_tab().current_row().is_some() => {
                let notice = cx.ui.notice.take();
                self.open(cx);
                cx.ui.notice = notice;
            }
            AfterTriage::Stay => {}
            AfterTriage::Next | AfterTriage::Back => cx.ui.show_screen(Screen::Queue),
        }
    }

    /// The list that has the keys.
    fn focused_list(&self, cx: &Context) -> Option<DetailList> {
        if self.timeline_focused {
            (!Timeline::items(self, cx).is_empty()).then_some(DetailList::Timeline)
        } else {
            (self.tab == DetailTab::People && !self.participants.is_empty())
                .then_some(DetailList::Participants)
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

    fn switch_tab(&mut self, forward: bool, cx: &mut Context) {
        let tabs = DetailPane::visible_tabs(cx.frame.layout());
        let at = tabs.iter().position(|tab| *tab == self.tab);
        let next = at.map_or(0, |at| step_around(at, tabs.len(), forward));
        self.show_tab(next, cx);
    }

    fn show_tab(&mut self, index: usize, cx: &mut Context) {
        let (Some(open), Some(tab)) = (
            &mut self.signal,
            DetailPane::visible_tabs(cx.frame.layout()).get(index),
        ) else {
            return;
        };
        open.top = 0;
        (self.tab, self.timeline_focused) = (*tab, *tab == DetailTab::Timeline);
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
            participant: self.current_participant().cloned(),
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
                let is_new = self.timeline.is_empty();
                self.list_project(cx);
                if is_new {
                    self.point_timeline_at_signal(cx);
                }
            }
            PaneEvent::Changed(Change::SignalsReturned(ids)) if self.signal.is_some() => {
                self.return_to(ids, cx);
            }
            PaneEvent::TabSwitched { forward } => self.switch_tab(forward, cx),
            PaneEvent::TabClicked(index) => self.show_tab(index, cx),
            PaneEvent::Back => cx.ui.show_screen(Screen::Queue),
            _ => {}
        }
    }

    fn move_cursor(&mut self, rows: isize, cx: &mut Context) {
        match self.focused_list(cx) {
            Some(DetailList::Timeline) => self.timeline.move_cursor(rows),
            Some(DetailList::Participants) => self.participant_lines.move_cursor(rows),
            None => {
                if let Some(open) = &mut self.signal {
                    open.top = open.top.saturating_add_signed(rows);
                }
            }
        }
    }

    fn click_row(&mut self, row: ClickedRow, cx: &mut Context) -> Option<&'static str> {
        let had_focus = cx.frame.layout().side_has_focus == row.in_side_list;
        self.timeline_focused = row.in_side_list;
        let was_current = if row.in_side_list {
            self.timeline.click(row.line)
        } else {
            self.participant_lines.click(row.line)
        };
        (was_current && had_focus).then_some("detail.open")
    }

    fn list<'a>(&'a self, cx: &'a Context) -> Option<Box<dyn FocusedList<'a> + 'a>> {
        Some(match self.focused_list(cx)? {
            DetailList::Timeline => Box::new(list_of::<Timeline>(self, cx)),
            DetailList::Participants => Box::new(list_of::<Participants>(self, cx)),
        })
    }

    fn list_lines_mut(&mut self) -> Option<&mut ListLines> {
        if self.timeline_focused {
            Some(&mut self.timeline)
        } else {
            (self.tab == DetailTab::People).then_some(&mut self.participant_lines)
        }
    }
}
