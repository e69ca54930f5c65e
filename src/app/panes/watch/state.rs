//! The dashboard's state.

use std::time::Duration;

use crate::app::Context;
use crate::app::panes::watch::arrivals::{AlertPrograms, Arrival};
use crate::app::panes::watch::history::CountHistory;
use crate::app::panes::watch::pages::DashboardData;
use crate::domain::queue::QueueStats;

#[derive(Clone, Debug, Default)]
pub struct WatchPane {
    /// The counts of the last day.
    pub(super) history: CountHistory,
    /// The counts at the moment of pausing; polling continues.
    pub(super) frozen_stats: Option<Box<QueueStats>>,
    pub(super) charts_hidden: bool,
    /// Programs that alert the room.
    pub(super) alerts: AlertPrograms,
    pub(super) last_arrival: Option<Arrival>,
    /// Numbers of successful and failed polls.
    pub(super) poll_results: (u64, u64),
    /// Index of the current page among the configured ones.
    pub(super) page_index: usize,
    /// What is read besides the counts.
    pub(super) data: DashboardData,
    pub(super) tick_number: u64,
}

impl WatchPane {
    /// The counts on the screen: those from when it was paused, else the latest.
    pub(super) fn displayed_stats<'a>(&'a self, cx: &'a Context) -> Option<&'a QueueStats> {
        self.frozen_stats.as_deref().or(cx.stats.as_ref())
    }
}

/// Age of the counts in minutes, if they are older than they should be.
pub(super) fn stale_minutes(cx: &Context) -> Option<i64> {
    let at = cx.connection.stats_read_at?;
    let age = (cx.clock.now() - at).to_std().unwrap_or_default();
    (age > cx.settings.poll_interval? * 2 + Duration::from_secs(5))
        .then_some((cx.clock.now() - at).num_minutes())
}
