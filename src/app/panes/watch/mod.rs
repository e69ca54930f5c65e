//! Watch: a dashboard of the queue's counts, readable from across a room and stable for months.
//!
//! Everything shown comes from polling the counts, which is free. No rows, names or amounts are read or shown unless the
//! configuration adds more [`pages`]. The screen only wakes for polls and full minutes. Its keymap has no commands that write.

pub(crate) mod commands;
mod digits;
mod draw;
mod history;
pub(in crate::app) mod messages;
mod pages;
mod rows;

#[cfg(test)]
mod tests;

use std::time::Duration;

use chrono::{DateTime, Timelike, Utc};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::app::action::Action;
use crate::app::change::Change;
use crate::app::command::Scope;
use crate::app::effect::Effect;
use crate::app::format::{humanize, pluralize};
use crate::app::layout::FrameLayout;
use crate::app::msg::Timer;
use crate::app::notice::Notice;
use crate::app::pane::Pane;
use crate::app::{Context, Screen};
use crate::domain::lenient::saturating_sum;
use crate::domain::queue::{QueueStats, SignalTypeCount};
use crate::ui::TextSpan;
use history::CountHistory;
use pages::DashboardData;

/// Poll intervals in seconds, ascending.
const POLL_INTERVALS: [u64; 6] = [5, 10, 15, 30, 60, 300];

#[derive(Clone, Debug, Default)]
pub struct WatchPane {
    /// The counts of the last day.
    history: CountHistory,
    /// The counts at the moment of pausing; polling continues.
    frozen_stats: Option<Box<QueueStats>>,
    charts_hidden: bool,
    /// Bell and desktop notification for new high-priority signals.
    bell_enabled: bool,
    /// Time and text of the last high-priority arrival.
    last_arrival: Option<(DateTime<Utc>, String)>,
    /// Numbers of successful and failed polls.
    poll_results: (u64, u64),
    /// Index of the current page among the configured ones.
    page_index: usize,
    /// The rows of the pages that show any.
    data: DashboardData,
    tick_number: u64,
}

impl WatchPane {
    /// The counts on the screen: those from when it was paused, else the latest.
    fn displayed_stats<'a>(&'a self, cx: &'a Context) -> Option<&'a QueueStats> {
        self.frozen_stats.as_deref().or(cx.stats())
    }

    /// Records the counts of a poll; `before` are those of the previous one.
    fn on_counts(&mut self, before: Option<&QueueStats>, cx: &mut Context) {
        let Some(stats) = cx.stats() else { return };
        self.poll_results.0 += 1;
        self.history.record_counts(stats, cx.now());
        let came = before.map_or(0, |before| stats.high_priority_new_count.saturating_sub(before.high_priority_new_count));
        if let Some(before) = before.filter(|_| came > 0) {
            self.last_arrival = Some((cx.now(), arrival_text(came, before, stats)));
            if self.bell_enabled && cx.screen() == Screen::Watch {
                // A notification is shown outside gantry, so it only contains a count.
                cx.emit(Effect::Notify(format!("gantry: {}", pluralize(came, "new high-priority signal"))));
            }
        }
        self.read_due_rows(cx);
    }

    /// Handles a full minute: redraws ages, turns the page, and schedules the next minute.
    pub fn on_minute_tick(&mut self, tick: u64, cx: &mut Context) {
        if tick == self.tick_number && cx.screen() == Screen::Watch {
            if self.frozen_stats.is_none() {
                self.turn_page(true, cx);
            }
            self.schedule_minute_tick(cx);
        }
    }

    /// Schedules the next full minute while the screen is open.
    fn schedule_minute_tick(&mut self, cx: &mut Context) {
        self.tick_number += 1;
        let left = 60 - u64::from(cx.now().second().min(59));
        cx.emit(Effect::SetTimer { timer: Timer::Minute(self.tick_number), delay: Duration::from_secs(left) });
    }
}

/// How many signals with high priority came, and of which types.
fn arrival_text(came: u64, before: &QueueStats, stats: &QueueStats) -> String {
    let rises: Vec<(&SignalTypeCount, u64)> = stats
        .type_counts
        .iter()
        .map(|count| {
            let before = before.type_counts.iter().find(|known| known.signal_type == count.signal_type);
            (count, count.new_count.saturating_sub(before.map_or(0, |known| known.new_count)))
        })
        .filter(|(_, rise)| *rise > 0)
        .collect();
    // Fewer rises by type than high arrivals: signals changed priority, so the arrivals' types are unknown.
    let are_arrivals = saturating_sum(rises.iter().map(|(_, rise)| *rise)) >= came;
    let kinds = rises.iter().filter(|_| are_arrivals).take(3);
    let kinds: Vec<String> = kinds.map(|(count, _)| humanize(count.signal_type.as_str())).collect();
    if kinds.is_empty() { format!("HIGH +{came}") } else { format!("HIGH +{came}: {}", kinds.join(", ")) }
}

/// Age of the counts in minutes, if they are older than they should be.
fn stale_minutes(cx: &Context) -> Option<i64> {
    let at = cx.connection().stats_read_at?;
    let age = (cx.now() - at).to_std().unwrap_or_default();
    (age > cx.settings().poll_interval * 2 + Duration::from_secs(5)).then_some((cx.now() - at).num_minutes())
}

fn change_poll_interval(slower: bool, cx: &mut Context) {
    let now = cx.settings().poll_interval.as_secs();
    let next = if slower {
        POLL_INTERVALS.iter().copied().find(|seconds| *seconds > now)
    } else {
        POLL_INTERVALS.iter().copied().rev().find(|seconds| *seconds < now)
    };
    let next = Duration::from_secs(next.unwrap_or(now));
    cx.set_poll_interval(next);
    cx.notice = Some(Notice::info(format!("polling every {} s", next.as_secs())));
}

impl Pane for WatchPane {
    fn scope(&self, _cx: &Context) -> Scope {
        Scope::Watch
    }

    fn on_open(&mut self, cx: &mut Context) {
        self.schedule_minute_tick(cx);
        self.read_due_rows(cx);
    }

    fn on_change(&mut self, change: &Change, cx: &mut Context) {
        match change {
            Change::Counts(before) => self.on_counts(before.as_ref(), cx),
            Change::PollFailed => self.poll_results.1 += 1,
            _ => {}
        }
    }

    fn layout(&mut self, areas: &mut FrameLayout, body: Rect, _cx: &mut Context) {
        areas.panel = body;
    }

    fn draw(&self, cx: &Context, buf: &mut Buffer) {
        draw::draw(self, cx, buf);
    }

    fn status_line(&self, cx: &Context) -> Option<(Vec<TextSpan<'static>>, TextSpan<'static>)> {
        Some(draw::status_line(self, cx))
    }

    fn switch_tab(&mut self, forward: bool, cx: &mut Context) {
        self.turn_page(forward, cx);
    }

    /// Leaves the dashboard for the screen it was opened from; `gantry watch` shows nothing else.
    fn go_back(&mut self, cx: &mut Context) {
        if cx.notice.take().is_none() && !cx.session().is_dashboard_only {
            let before = cx.previous_screen();
            cx.perform(Action::GoTo(if before == Screen::Watch { Screen::Queue } else { before }));
        }
    }
}
