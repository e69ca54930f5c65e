//! Watch: a dashboard of the queue, readable from across a room and stable for months.
//!
//! Everything shown is free: the counts come from polling, rows and names from [`pages`], which
//! reads them only where the meter proves that it costs nothing. The screen only wakes for polls
//! and full minutes. Its keymap has no commands that write.

mod arrivals;
mod choices;
mod city_map;
pub(crate) mod commands;
pub(in crate::app) mod day_counts;
mod digits;
mod draw;
mod figures;
mod history;
mod latest;
pub(in crate::app) mod messages;
mod pages;
mod painting;
mod regions;
mod rows;
mod state;
mod trend;

#[cfg(test)]
mod tests;

use std::time::Duration;

use chrono::Timelike;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::app::action::Action;
use crate::app::change::Change;
use crate::app::command::Scope;
use crate::app::effect::Effect;
use crate::app::layout::FrameLayout;
use crate::app::msg::Timer;
use crate::app::pane::{Pane, PaneEvent, PaneFocus, PaneFrame};
use crate::app::{Context, Screen};
use crate::domain::queue::QueueStats;
pub use state::WatchPane;

/// Poll intervals in seconds, ascending.
const POLL_INTERVALS: [u64; 6] = [5, 10, 15, 30, 60, 300];

impl WatchPane {
    /// Records the counts of a poll; `before` are those of the previous one.
    fn on_counts(&mut self, before: Option<&QueueStats>, cx: &mut Context) {
        let Some(stats) = cx.stats.as_ref() else {
            return;
        };
        self.poll_results.0 += 1;
        self.history.record_counts(stats, cx.clock.now());
        let stats = stats.clone();
        if let Some(before) = before {
            self.note_arrival(before, &stats, cx);
        }
        self.read_due_rows(cx);
    }

    /// Handles a full minute: redraws ages, turns the page, and schedules the next minute.
    pub fn on_minute_tick(&mut self, tick: u64, cx: &mut Context) {
        if tick == self.tick_number && cx.ui.screen() == Screen::Watch {
            if self.frozen_stats.is_none() && self.pages(cx).len() > 1 {
                self.turn_page(true, cx);
            }
            self.schedule_minute_tick(cx);
        }
    }

    /// Schedules the next full minute while the screen is open.
    fn schedule_minute_tick(&mut self, cx: &mut Context) {
        self.tick_number += 1;
        let left = 60 - u64::from(cx.clock.now().second().min(59));
        cx.work.emit(Effect::SetTimer {
            timer: Timer::Minute(self.tick_number),
            delay: Duration::from_secs(left),
        });
    }
}

fn change_poll_interval(slower: bool, cx: &mut Context) {
    // Off is slower than any interval.
    let Some(now) = cx.settings.poll_interval.map(|every| every.as_secs()) else {
        let slowest = POLL_INTERVALS.last().filter(|_| !slower);
        return cx.set_poll_interval(slowest.map(|seconds| Duration::from_secs(*seconds)));
    };
    let next = if slower {
        POLL_INTERVALS
            .iter()
            .copied()
            .find(|seconds| *seconds > now)
    } else {
        POLL_INTERVALS
            .iter()
            .copied()
            .rev()
            .find(|seconds| *seconds < now)
    };
    cx.set_poll_interval(Some(Duration::from_secs(next.unwrap_or(now))));
}

impl WatchPane {
    /// Leaves the dashboard for the screen it was opened from; `gantry watch` shows nothing else.
    fn go_back(&mut self, cx: &mut Context) {
        if cx.ui.notice.take().is_none() && !cx.session.is_dashboard_only {
            let before = cx.ui.previous_screen();
            cx.work.perform(Action::GoTo(if before == Screen::Watch {
                Screen::Queue
            } else {
                before
            }));
        }
    }
}

impl Pane for WatchPane {
    fn focus(&self, _cx: &Context) -> PaneFocus {
        Scope::Watch.into()
    }

    fn frame(&self, cx: &Context) -> PaneFrame {
        PaneFrame {
            status: Some(draw::status_line(self, cx)),
            ..PaneFrame::default()
        }
    }

    fn layout(&mut self, areas: &mut FrameLayout, body: Rect, _cx: &mut Context) {
        areas.panel = body;
    }

    fn draw(&self, cx: &Context, buf: &mut Buffer) -> Option<Position> {
        draw::draw(self, cx, buf);
        None
    }

    fn on_event(&mut self, event: PaneEvent<'_>, cx: &mut Context) {
        match event {
            PaneEvent::Opened => {
                self.schedule_minute_tick(cx);
                self.read_due_rows(cx);
            }
            PaneEvent::Changed(Change::Counts(before)) => self.on_counts(before.as_ref(), cx),
            PaneEvent::Changed(Change::PollFailed) => self.poll_results.1 += 1,
            PaneEvent::TabSwitched { forward } => self.turn_page(forward, cx),
            PaneEvent::Back => self.go_back(cx),
            _ => {}
        }
    }
}
