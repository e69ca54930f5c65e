//! The detail: one signal, its project's facts, its people and its timeline.
//!
//! The signal is a row of the queue that is in hand; everything else comes from one get of the project with all that it can
//! embed, which costs one credit and is kept for as long as the program runs. Only the Raw tab asks for more: the source's payload.

pub mod commands;
pub mod draw;

#[cfg(test)]
mod tests;

use chrono::{DateTime, Utc};

use crate::app::App;
use crate::app::effect::{Call, Effect, Slot};
use crate::app::msg::Token;
use crate::app::panes::queue::Tab as QueueTab;
use crate::app::records::Load;
use crate::app::{Advance, Screen};
use crate::domain::failure::{Failure, Kind};
use crate::domain::projects::Dossier;
use crate::domain::queue::QueueSignal;
use crate::domain::signals::Signal;
use crate::domain::{ProjectId, SignalId};
use crate::ui::scroll::Scroll;

/// What the detail shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tab {
    /// The signal and its project.
    #[default]
    Overview,
    /// The project's signals; beside the others where there is room.
    Timeline,
    /// Firms and people.
    People,
    /// The source's payload.
    Raw,
}

impl Tab {
    /// Its name.
    pub fn title(self) -> &'static str {
        match self {
            Tab::Overview => "Overview",
            Tab::Timeline => "Timeline",
            Tab::People => "People",
            Tab::Raw => "Raw",
        }
    }
}

/// The signal that is open.
#[derive(Clone, Debug)]
pub struct Detail {
    /// The row that it was opened from.
    pub row: QueueSignal,
    /// The tab of the queue that it was opened from.
    pub from: QueueTab,
    /// What is shown.
    pub tab: Tab,
    /// The keys move in the timeline beside.
    pub on_timeline: bool,
    /// The first line of the text on the screen.
    pub top: usize,
    /// The timeline's cursor.
    pub timeline: Scroll,
    /// The source's payload.
    pub raw: Option<Signal>,
    /// How far reading the payload has come.
    pub raw_load: Load,
}

/// A project that was paid for, and when.
#[derive(Clone, Debug)]
pub struct Paid {
    /// The project and all that is around it.
    pub dossier: Dossier,
    /// When it was read, on the service's clock.
    pub read_at: DateTime<Utc>,
    /// What it cost.
    pub credits: Option<u64>,
}

impl App {
    /// The project of the open signal, when it was paid for.
    pub fn paid(&self, project: Option<ProjectId>) -> Option<&Paid> {
        self.dossiers.get(&project?)
    }

    /// Opens the row under the cursor.
    pub fn open_detail(&mut self) {
        let Some(row) = self.queue.shown().current().cloned() else { return };
        let from = self.queue.tab;
        let (tab, on_timeline) = self.detail.as_ref().map_or_else(Default::default, |detail| (detail.tab, detail.on_timeline));
        self.detail =
            Some(Detail { row, from, tab, on_timeline, top: 0, timeline: Scroll::default(), raw: None, raw_load: Load::Idle });
        self.screen = Screen::Detail;
        self.notice = None;
        self.read_dossier(false);
        self.read_raw();
        self.point_timeline();
    }

    /// Asks for the project, unless it was paid for already or `again` is wanted.
    pub fn read_dossier(&mut self, again: bool) {
        let Some(project) = self.detail.as_ref().and_then(|detail| detail.row.signal.project_id) else { return };
        if !again && (self.dossiers.contains_key(&project) || self.dossier_ask.is_some_and(|(_, asked)| asked == project)) {
            return;
        }
        let token = self.token();
        if self.dossier_ask.is_some() {
            self.out.push(Effect::Cancel(Slot::Dossier));
        }
        self.dossier_ask = Some((token, project));
        self.dossier_load = Load::Loading;
        self.out.push(Effect::Call { token, slot: Slot::Dossier, call: Call::Dossier(project) });
    }

    /// Asks for the source's payload when the Raw tab is shown.
    pub fn read_raw(&mut self) {
        let Some(detail) = self.detail.as_mut().filter(|detail| detail.tab == Tab::Raw && detail.raw_load == Load::Idle) else {
            return;
        };
        detail.raw_load = Load::Loading;
        let id = detail.row.signal.id;
        let token = self.token();
        self.raw_ask = Some((token, id));
        self.out.push(Effect::Call { token, slot: Slot::Signal, call: Call::Signal(id) });
    }

    /// Takes a project; false when the reply was not asked for.
    pub fn dossier_replied(&mut self, token: Token, result: Result<(Dossier, Option<u64>), Failure>) -> bool {
        let Some((_, project)) = self.dossier_ask.take_if(|(asked, _)| *asked == token) else { return false };
        match result {
            Ok((dossier, credits)) => {
                self.dossier_load = Load::Ready;
                self.dossiers.insert(project, Paid { dossier, read_at: self.service_now(), credits });
                self.spent(credits);
                self.point_timeline();
            }
            Err(failure) if failure.kind == Kind::Cancelled => self.dossier_load = Load::Failed("not read: given up".to_owned()),
            Err(failure) => {
                self.dossier_load = Load::Failed(failure.message.clone());
                self.failed("the project could not be read", &failure);
            }
        }
        true
    }

    /// Takes a payload; false when the reply was not asked for.
    pub fn raw_replied(&mut self, token: Token, result: Result<Signal, Failure>) -> bool {
        let Some((_, id)) = self.raw_ask.take_if(|(asked, _)| *asked == token) else { return false };
        let Some(detail) = self.detail.as_mut().filter(|detail| detail.row.signal.id == id) else { return true };
        match result {
            Ok(signal) => {
                detail.raw = Some(signal);
                detail.raw_load = Load::Ready;
            }
            Err(failure) => detail.raw_load = Load::Failed(failure.message),
        }
        true
    }

    /// Puts the timeline's cursor on the open signal.
    fn point_timeline(&mut self) {
        let Some(detail) = &mut self.detail else { return };
        let Some(paid) = detail.row.signal.project_id.and_then(|project| self.dossiers.get(&project)) else { return };
        let here = timeline(&paid.dossier).iter().position(|signal| signal.id == detail.row.signal.id);
        detail.timeline = Scroll { cursor: here.unwrap_or(0), top: 0 };
    }

    /// Opens the next or previous signal of the list without going back to it.
    pub fn open_beside(&mut self, rows: isize) {
        let tab = self.queue.shown_mut();
        let before = tab.scroll.cursor;
        let len = tab.len();
        tab.scroll.step(rows, len);
        if tab.scroll.cursor != before && tab.current().is_some() {
            self.open_detail();
        } else {
            tab.scroll.cursor = before;
            self.notice = Some(super::super::notice::Notice::note(if rows > 0 {
                "this is the last signal"
            } else {
                "this is the first signal"
            }));
        }
    }

    /// After an act on the open signal: what the person's setting wants to see next.
    pub fn advance_detail(&mut self) {
        match self.settings.advance {
            Advance::Next if self.queue.shown().current().is_some() => {
                let notice = self.notice.take();
                self.open_detail();
                self.notice = notice;
            }
            Advance::Stay => {}
            Advance::Next | Advance::Back => self.screen = Screen::Queue,
        }
    }

    /// New signals of the open signal's project that stand in the loaded rows, and the open one itself.
    pub fn thread_of_detail(&self) -> Vec<SignalId> {
        let Some(detail) = &self.detail else { return Vec::new() };
        let mut ids =
            detail.row.signal.project_id.map(|project| self.queue.tab(detail.from).of_project(project)).unwrap_or_default();
        if !ids.contains(&detail.row.signal.id) {
            ids.push(detail.row.signal.id);
        }
        ids
    }
}

/// A project's signals, newest filing first; undated ones last.
pub fn timeline(dossier: &Dossier) -> Vec<&Signal> {
    let mut signals: Vec<&Signal> = dossier.signals.iter().collect();
    signals.sort_by_key(|signal| (std::cmp::Reverse(signal.filed_at.as_ref().and_then(|when| when.at())), signal.id));
    signals
}
