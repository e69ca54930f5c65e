//! Watch: a dashboard of the queue's counts, readable from across a room and stable for months.
//!
//! Everything shown comes from polling the counts, which is free. No rows, names or amounts are read or shown unless the
//! configuration adds more [`pages`]. The screen only wakes for polls and full minutes. Its keymap has no commands that write.

pub(crate) mod commands;
pub(crate) mod digits;
pub(crate) mod draw;
pub(crate) mod history;
pub(crate) mod pages;
pub(crate) mod rows;

#[cfg(test)]
mod tests;

use std::time::Duration;

use chrono::{DateTime, Timelike, Utc};

use crate::app::effect::Effect;
use crate::app::format::{humanize, pluralize};
use crate::app::msg::Timer;
use crate::app::{App, Screen};
use crate::domain::lenient::saturating_sum;
use crate::domain::queue::{QueueStats, SignalTypeCount};
use history::CountHistory;

/// Poll intervals in seconds, ascending.
pub const POLL_INTERVALS: [u64; 6] = [5, 10, 15, 30, 60, 300];

#[derive(Clone, Debug, Default)]
pub struct WatchPane {
    /// The counts of the last day.
    pub history: CountHistory,
    /// The counts at the moment of pausing; polling continues.
    pub frozen_stats: Option<Box<QueueStats>>,
    pub charts_hidden: bool,
    /// Bell and desktop notification for new high-priority signals.
    pub bell_enabled: bool,
    /// Time and text of the last high-priority arrival.
    pub last_arrival: Option<(DateTime<Utc>, String)>,
    /// Numbers of successful and failed polls.
    pub poll_results: (u64, u64),
    /// Index of the current page among the configured ones.
    pub page_index: usize,
    /// The rows of the pages that show any.
    pub data: pages::DashboardData,
    tick_number: u64,
}

impl App {
    /// The counts on the screen: those from when it was paused, else the latest.
    pub fn displayed_stats(&self) -> Option<&QueueStats> {
        self.dashboard.frozen_stats.as_deref().or(self.stats.as_ref())
    }

    /// Records the counts of a poll, before they replace the previous ones.
    pub(in crate::app) fn on_watch_poll(&mut self, stats: &QueueStats) {
        self.dashboard.poll_results.0 += 1;
        self.dashboard.history.record_counts(stats, self.now);
        let Some(before) = &self.stats else { return };
        let came = stats.high_priority_new_count.saturating_sub(before.high_priority_new_count);
        if came == 0 {
            return;
        }
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
        let words = if kinds.is_empty() { format!("HIGH +{came}") } else { format!("HIGH +{came}: {}", kinds.join(", ")) };
        if self.dashboard.bell_enabled && self.screen == Screen::Watch {
            // A notification is shown outside gantry, so it only contains a count.
            self.effects.push(Effect::Notify(format!("gantry: {}", pluralize(came, "new high-priority signal"))));
        }
        self.dashboard.last_arrival = Some((self.now, words));
    }

    /// Handles a full minute: redraws ages, turns the page, and schedules the next minute.
    pub(in crate::app) fn on_minute_tick(&mut self, tick: u64) {
        if tick == self.dashboard.tick_number && self.screen == Screen::Watch {
            if self.dashboard.frozen_stats.is_none() {
                self.turn_dashboard_page(true);
            }
            self.schedule_minute_tick();
        }
    }

    /// Schedules the next full minute while the Watch screen is open.
    pub fn schedule_minute_tick(&mut self) {
        self.dashboard.tick_number += 1;
        let left = 60 - u64::from(self.now.second().min(59));
        self.effects
            .push(Effect::SetTimer { timer: Timer::Minute(self.dashboard.tick_number), delay: Duration::from_secs(left) });
    }

    /// Age of the counts in minutes, if they are older than they should be.
    pub fn stale_minutes(&self) -> Option<i64> {
        let at = self.connection.stats_read_at?;
        let age = (self.now - at).to_std().unwrap_or_default();
        (age > self.settings.poll_interval * 2 + Duration::from_secs(5)).then_some((self.now - at).num_minutes())
    }

    pub fn change_poll_interval(&mut self, slower: bool) {
        let now = self.settings.poll_interval.as_secs();
        let next = if slower {
            POLL_INTERVALS.iter().copied().find(|seconds| *seconds > now)
        } else {
            POLL_INTERVALS.iter().copied().rev().find(|seconds| *seconds < now)
        };
        let next = Duration::from_secs(next.unwrap_or(now));
        self.settings.poll_interval = next;
        self.effects.push(Effect::SetPollInterval(next));
        self.notice = Some(crate::app::notice::Notice::info(format!("polling every {} s", next.as_secs())));
    }
}
