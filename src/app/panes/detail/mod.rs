//! The detail: one signal with its project's facts, people and timeline.
//!
//! The signal is a loaded queue row. Everything else comes from a single get of the project with all embedded records, which
//! costs one credit and is kept for the rest of the session. Only the Raw tab needs another request, for the source's payload.

pub(crate) mod commands;
pub(crate) mod draw;
pub(crate) mod layout;

#[cfg(test)]
mod tests;

use crate::app::Context;
use crate::app::action::Action;
use crate::app::effect::{RecordKey, ServiceCall, Slot};
use crate::app::model::load_state::LoadState;
use crate::app::msg::{Reply, payload};
use crate::app::requests::Request;
use crate::app::{AfterTriage, Screen};
use crate::domain::book::Dataset;
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

/// The open signal.
#[derive(Clone, Debug)]
pub struct DetailPane {
    pub row: QueueSignal,
    /// The queue tab it was opened from.
    pub queue_tab: QueueTab,
    pub tab: DetailTab,
    pub timeline_focused: bool,
    /// First visible line of the text.
    pub top: usize,
    pub timeline_scroll: ScrollState,
    /// The source's payload.
    pub raw: Option<Signal>,
    pub raw_load: LoadState,
}

impl Context {
    /// Opens the row under the cursor.
    pub fn open_detail(&mut self) {
        let Some(row) = self.queue.current_tab().current_row().cloned() else { return };
        let from = self.queue.tab;
        let (tab, on_timeline) =
            self.detail.as_ref().map_or_else(Default::default, |detail| (detail.tab, detail.timeline_focused));
        self.detail = Some(DetailPane {
            row,
            queue_tab: from,
            tab,
            timeline_focused: on_timeline,
            top: 0,
            timeline_scroll: ScrollState::default(),
            raw: None,
            raw_load: LoadState::Idle,
        });
        self.screen = Screen::Detail;
        self.notice = None;
        if !self.is_compact() {
            self.read_project(false);
        } else if !self.is_reading_record() {
            // No price was shown before opening, so nothing is bought: the page says which key loads the project.
            self.records.load = LoadState::Idle;
        }
        self.read_raw_payload();
        self.point_timeline_at_signal();
    }

    /// Loads the project, unless it was already paid for; `again` forces a reload.
    pub fn read_project(&mut self, again: bool) {
        let Some(project) = self.detail.as_ref().and_then(|detail| detail.row.signal.project_id) else { return };
        if again || self.records.project(Some(project)).is_none() {
            self.read_record(project_key(project), again);
        }
    }

    /// Opens the project page of the current signal.
    pub fn open_project_page(&mut self) {
        let Some(signal) = self.current_signal().map(|row| &row.signal) else { return };
        let Some(project) = signal.project_id else { return };
        let name = signal.project_name.clone().unwrap_or_else(|| "unnamed project".to_owned());
        self.perform(Action::OpenRecord(project_key(project), name));
    }

    /// Loads the source's payload if the Raw tab is shown.
    pub fn read_raw_payload(&mut self) {
        let Some(detail) = self.detail.as_mut().filter(|detail| detail.tab == DetailTab::Raw && detail.raw_load.needs_load())
        else {
            return;
        };
        detail.raw_load = LoadState::Loading;
        let id = detail.row.signal.id;
        self.call_service(Slot::Signal, ServiceCall::Signal(id), Request::Payload(id));
    }

    pub(in crate::app) fn on_payload_reply(&mut self, id: SignalId, result: Result<Reply, RequestError>) {
        let Some(detail) = self.detail.as_mut().filter(|detail| detail.row.signal.id == id) else { return };
        match payload(result) {
            Ok(signal) => {
                detail.raw = Some(signal);
                detail.raw_load = LoadState::Ready;
            }
            Err(failure) => detail.raw_load = LoadState::Failed(failure.message),
        }
    }

    /// Puts the timeline's cursor on the open signal.
    pub(in crate::app) fn point_timeline_at_signal(&mut self) {
        let Some(row) = self.detail.as_ref().map(|detail| &detail.row.signal) else { return };
        let Some(paid) = self.records.project(row.project_id) else { return };
        let here = timeline_signals(paid.project_details).iter().position(|signal| signal.id == row.id).unwrap_or(0);
        if let Some(detail) = &mut self.detail {
            detail.timeline_scroll = ScrollState { cursor: here, top: 0 };
        }
    }

    /// Opens the next or previous signal without returning to the list.
    pub fn open_adjacent_signal(&mut self, rows: isize) {
        let tab = self.queue.current_tab_mut();
        let before = tab.scroll.cursor;
        let len = tab.len();
        tab.scroll.move_cursor(rows, len);
        if tab.scroll.cursor != before && tab.current_row().is_some() {
            self.open_detail();
        } else {
            tab.scroll.cursor = before;
            self.notice = Some(super::super::notice::Notice::info(if rows > 0 {
                "this is the last signal"
            } else {
                "this is the first signal"
            }));
        }
    }

    /// Moves on after a triage of the open signal, according to the `advance` setting.
    pub fn advance_detail(&mut self) {
        match self.settings.after_triage {
            AfterTriage::Next if self.queue.current_tab().current_row().is_some() => {
                let notice = self.notice.take();
                self.open_detail();
                self.notice = notice;
            }
            AfterTriage::Stay => {}
            AfterTriage::Next | AfterTriage::Back => self.screen = Screen::Queue,
        }
    }

    /// The loaded signals of the open signal's project, including the open one.
    pub fn detail_thread_ids(&self) -> Vec<SignalId> {
        let Some(detail) = &self.detail else { return Vec::new() };
        let mut ids = detail
            .row
            .signal
            .project_id
            .map(|project| self.queue.tab_state(detail.queue_tab).ids_in_project(project))
            .unwrap_or_default();
        if !ids.contains(&detail.row.signal.id) {
            ids.push(detail.row.signal.id);
        }
        ids
    }
}

/// A signal's project is read from the index, which has it whether or not it is in the book.
fn project_key(project: ProjectId) -> RecordKey {
    RecordKey { dataset: Dataset::Projects, id: project.0, in_book: false }
}

/// A project's signals, newest filing first, undated ones last.
pub fn timeline_signals(dossier: &ProjectDetails) -> Vec<&Signal> {
    let mut signals: Vec<&Signal> = dossier.signals.iter().collect();
    signals.sort_by_key(|signal| (std::cmp::Reverse(signal.filed_at.as_ref().and_then(|when| when.date_time())), signal.id));
    signals
}
