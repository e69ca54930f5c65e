//! New signals of high priority: their line below the dashboard, and the bell.

use std::collections::HashSet;

use chrono::{DateTime, Utc};

use crate::app::effect::Effect;
use crate::app::format::{humanize, pluralize};
use crate::app::panes::watch::pages::RowPrice;
use crate::app::panes::watch::state::WatchPane;
use crate::app::{Context, Screen};
use crate::domain::SignalId;
use crate::domain::lenient::saturating_sum;
use crate::domain::queue::{Priority, QueueSignal, QueueStats, SignalTypeCount};

/// This many projects of an arrival are named.
const MAX_NAMED: usize = 2;

/// Signals of high priority that came with one poll.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrival {
    pub at: DateTime<Utc>,
    count: u64,
    /// In words, as far as the counts show them.
    types: Vec<String>,
    /// Names of their projects, as far as rows show them.
    projects: Vec<String>,
    /// Rows that may name its projects are awaited.
    is_unnamed: bool,
}

impl Arrival {
    /// `HIGH +1: construction loan on Harbor Yard`.
    pub fn describe(&self, hides_names: bool) -> String {
        let Arrival { count, types, projects, .. } = self;
        let types = if types.is_empty() { String::new() } else { format!(": {}", types.join(", ")) };
        let projects = match projects.as_slice() {
            [] => String::new(),
            _ if hides_names => String::new(),
            names => {
                let more = usize::try_from(*count).unwrap_or(usize::MAX).saturating_sub(names.len());
                let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                format!("{}{}{more}", if types.is_empty() { ": " } else { " on " }, names.join(", "))
            }
        };
        format!("HIGH +{count}{types}{projects}")
    }
}

impl WatchPane {
    /// Takes note of a rise of high priority between two polls.
    pub(super) fn note_arrival(&mut self, before: &QueueStats, stats: &QueueStats, cx: &mut Context) {
        let came = stats.high_priority_new_count.saturating_sub(before.high_priority_new_count);
        if came == 0 {
            return;
        }
        let is_unnamed = self.data.row_price == RowPrice::Free && self.data.has_new() && cx.screen() == Screen::Watch;
        let types = arrived_types(came, before, stats);
        self.last_arrival = Some(Arrival { at: cx.now(), count: came, types, projects: Vec::new(), is_unnamed });
        if self.bell_enabled && cx.screen() == Screen::Watch {
            // A notification is shown outside gantry, so it only contains a count.
            cx.emit(Effect::Notify(format!("gantry: {}", pluralize(came, "new high-priority signal"))));
        }
    }

    pub(super) fn has_unnamed_arrival(&self) -> bool {
        self.last_arrival.as_ref().is_some_and(|arrival| arrival.is_unnamed)
    }

    /// The New list was read: those of its signals that were not in it before have arrived.
    pub(super) fn on_new_rows(&mut self, before: Option<&[QueueSignal]>, _cx: &mut Context) {
        let Some(known) = before.map(|rows| rows.iter().map(|row| row.signal.id).collect::<HashSet<SignalId>>()) else { return };
        let Some(arrival) = self.last_arrival.as_mut().filter(|arrival| arrival.is_unnamed) else { return };
        let is_high = |row: &&QueueSignal| row.priority == Some(Priority::High) && !known.contains(&row.signal.id);
        let names = self.data.new.iter().filter(is_high).filter_map(|row| row.signal.project_name.clone());
        arrival.projects = names.take(MAX_NAMED).collect();
        arrival.is_unnamed = false;
    }

    /// Rows could not be read: the arrival stays without names.
    pub(super) fn give_up_naming_arrival(&mut self, _cx: &mut Context) {
        if let Some(arrival) = &mut self.last_arrival {
            arrival.is_unnamed = false;
        }
    }
}

/// The types of the signals that came.
fn arrived_types(came: u64, before: &QueueStats, stats: &QueueStats) -> Vec<String> {
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
    let types = rises.iter().filter(|_| are_arrivals).take(3);
    types.map(|(count, _)| humanize(count.signal_type.as_str())).collect()
}
