//! Watch: the queue's counts, made to be read from across a room and to run for months.
//!
//! All that is shown comes from the polls of the counts, which cost nothing; no row, no name and no money is read or shown, unless
//! the configuration names further [`pages`]. The screen wakes for a poll and for the minute, and for nothing else. Writes are not
//! in its keymap.

pub mod commands;
pub mod digits;
pub mod draw;
pub mod history;
pub mod pages;
pub mod rows;

#[cfg(test)]
mod tests;

use std::time::Duration;

use chrono::{DateTime, Timelike, Utc};

use crate::app::effect::Effect;
use crate::app::msg::Timer;
use crate::app::{App, Screen};
use crate::domain::lenient::saturating_sum;
use crate::domain::queue::{QueueStats, SignalTypeCount};
use history::CountHistory;

/// Intervals of the polls, from the shortest on.
pub const POLL_INTERVALS: [u64; 6] = [5, 10, 15, 30, 60, 300];

/// The Watch pane.
#[derive(Clone, Debug, Default)]
pub struct WatchPane {
    /// The course of the day.
    pub history: CountHistory,
    /// The person stopped the clock: polls go on, the figures stand.
    pub frozen_stats: Option<Box<QueueStats>>,
    /// Charts are not shown.
    pub charts_hidden: bool,
    /// A bell and a desktop notification for arrivals of high priority.
    pub bell_enabled: bool,
    /// The last arrival of high priority, in words, and when.
    pub last_arrival: Option<(DateTime<Utc>, String)>,
    /// Polls that were answered, and that were not.
    pub poll_results: (u64, u64),
    /// The page on the screen, by its place among those of the configuration.
    pub page_index: usize,
    /// What the pages have read.
    pub data: pages::DashboardData,
    tick_number: u64,
}

impl App {
    /// The counts that the screen shows: those of the moment when it was paused, else the last.
    pub fn displayed_stats(&self) -> Option<&QueueStats> {
        self.dashboard.frozen_stats.as_deref().or(self.stats.as_ref())
    }

    /// Takes the counts of a poll, before they take the place of the last ones.
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
        // More than came at all were given another priority: then nothing tells which they are.
        let came_anew = saturating_sum(rises.iter().map(|(_, rise)| *rise)) >= came;
        let kinds = rises.iter().filter(|_| came_anew).take(3);
        let kinds: Vec<String> = kinds.map(|(count, _)| super::super::format::humanize(count.signal_type.as_str())).collect();
        let words = if kinds.is_empty() { format!("HIGH +{came}") } else { format!("HIGH +{came}: {}", kinds.join(", ")) };
        if self.dashboard.bell_enabled && self.screen == Screen::Watch {
            // A notification leaves the screen: it tells a count and nothing else.
            self.effects.push(Effect::Notify(format!("gantry: {came} new of high priority")));
        }
        self.dashboard.last_arrival = Some((self.now, words));
    }

    /// The minute has turned: what counts minutes is drawn anew, the next page is shown, and the next minute is waited for.
    pub(in crate::app) fn on_minute_tick(&mut self, tick: u64) {
        if tick == self.dashboard.tick_number && self.screen == Screen::Watch {
            if self.dashboard.frozen_stats.is_none() {
                self.turn_dashboard_page(true);
            }
            self.schedule_minute_tick();
        }
    }

    /// Waits for the next full minute, as long as the screen is watched.
    pub fn schedule_minute_tick(&mut self) {
        self.dashboard.tick_number += 1;
        let left = 60 - u64::from(self.now.second().min(59));
        self.effects
            .push(Effect::SetTimer { timer: Timer::Minute(self.dashboard.tick_number), delay: Duration::from_secs(left) });
    }

    /// Minutes since the counts were read, when they are older than they should be.
    pub fn stale_minutes(&self) -> Option<i64> {
        let at = self.connection.stats_read_at?;
        let age = (self.now - at).to_std().unwrap_or_default();
        (age > self.settings.poll_interval * 2 + Duration::from_secs(5)).then_some((self.now - at).num_minutes())
    }

    /// Polls more or less often.
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
        self.notice = Some(crate::app::notice::Notice::info(format!("asked every {} s", next.as_secs())));
    }
}
