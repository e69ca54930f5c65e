//! New signals of high priority: their line below the dashboard, and what alerts the room.

use std::collections::{HashSet, VecDeque};

use chrono::{DateTime, Timelike, Utc};

use crate::app::effect::Effect;
use crate::app::format::pluralize;
use crate::app::panes::watch::choices;
use crate::app::panes::watch::pages::RowPrice;
use crate::app::panes::watch::state::WatchPane;
use crate::app::{Context, Screen};
use crate::domain::SignalId;
use crate::domain::high_arrivals::{fill_alert, find_high_arrivals};
use crate::domain::queue::{Priority, QueueSignal, QueueStats};

/// This many programs wait for the one that runs.
const MAX_WAITING: usize = 4;
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
        let Arrival {
            count,
            types,
            projects,
            ..
        } = self;
        let types = if types.is_empty() {
            String::new()
        } else {
            format!(": {}", types.join(", "))
        };
        let projects = match projects.as_slice() {
            [] => String::new(),
            _ if hides_names => String::new(),
            names => {
                let more = usize::try_from(*count)
                    .unwrap_or(usize::MAX)
                    .saturating_sub(names.len());
                let more = if more > 0 {
                    format!(" and {more} more")
                } else {
                    String::new()
                };
                format!(
                    "{}{}{more}",
                    if types.is_empty() { ": " } else { " on " },
                    names.join(", ")
                )
            }
        };
        format!("HIGH +{count}{types}{projects}")
    }
}

impl WatchPane {
    /// Takes note of a rise of high priority between two polls.
    pub(super) fn note_arrival(
        &mut self,
        before: &QueueStats,
        stats: &QueueStats,
        cx: &mut Context,
    ) {
        let Some((came, types)) = find_high_arrivals(before, stats) else {
            return;
        };
        let is_unnamed = self.data.row_price == RowPrice::Free
            && self.data.has_new()
            && cx.ui.screen() == Screen::Watch;
        self.last_arrival = Some(Arrival {
            at: cx.clock.now(),
            count: came,
            types,
            projects: Vec::new(),
            is_unnamed,
        });
        if choices::is_bell_on(cx) && may_alert(cx) {
            // A notification is shown outside gantry, so it only contains a count.
            cx.work.emit(Effect::Notify(format!(
                "gantry: {}",
                pluralize(came, "new high-priority signal")
            )));
            self.play_sound(0, cx);
        }
        if !is_unnamed {
            self.run_on_high(cx);
        }
    }

    pub(super) fn has_unnamed_arrival(&self) -> bool {
        self.last_arrival
            .as_ref()
            .is_some_and(|arrival| arrival.is_unnamed)
    }

    /// The New list was read: those of its signals that were not in it before have arrived.
    pub(super) fn on_new_rows(&mut self, before: Option<&[QueueSignal]>, cx: &mut Context) {
        let Some(known) = before.map(|rows| {
            rows.iter()
                .map(|row| row.signal.id)
                .collect::<HashSet<SignalId>>()
        }) else {
            return;
        };
        let came = |priority: Priority| {
            let is_new = move |row: &&QueueSignal| row.priority.as_ref() == Some(&priority);
            self.data
                .new
                .iter()
                .filter(|row| !known.contains(&row.signal.id))
                .filter(is_new)
        };
        let names: Vec<String> = came(Priority::High)
            .filter_map(|row| row.signal.project_name.clone())
            .take(MAX_NAMED)
            .collect();
        let quieter = [(Priority::Medium, 1), (Priority::Low, 2)].into_iter();
        let sound = quieter
            .filter_map(|(priority, sound)| came(priority).next().map(|_| sound))
            .next();
        if let Some(sound) = sound.filter(|_| choices::is_bell_on(cx) && may_alert(cx)) {
            self.play_sound(sound, cx);
        }
        if let Some(arrival) = self
            .last_arrival
            .as_mut()
            .filter(|arrival| arrival.is_unnamed)
        {
            arrival.projects = names;
            arrival.is_unnamed = false;
            self.run_on_high(cx);
        }
    }

    /// Rows could not be read: the arrival stays without names.
    pub(super) fn give_up_naming_arrival(&mut self, cx: &mut Context) {
        if let Some(arrival) = self
            .last_arrival
            .as_mut()
            .filter(|arrival| arrival.is_unnamed)
        {
            arrival.is_unnamed = false;
            self.run_on_high(cx);
        }
    }

    /// Plays the sound of high, medium or low priority, if there is one.
    fn play_sound(&mut self, priority: usize, cx: &mut Context) {
        let program = cx.settings.dashboard.sounds[priority].clone();
        if !program.is_empty() {
            self.alerts.start(program, cx);
        }
    }

    /// Runs the program for the last arrival, if there is one.
    fn run_on_high(&mut self, cx: &mut Context) {
        let dashboard = &cx.settings.dashboard;
        let (Some(template), Some(arrival)) = (&dashboard.on_high, &self.last_arrival) else {
            return;
        };
        if !may_alert(cx) {
            return;
        }
        let project = arrival.projects.first().filter(|_| !dashboard.hides_names);
        match fill_alert(
            template,
            arrival.count,
            &arrival.types,
            project.map(String::as_str),
        ) {
            Ok(program) => self.alerts.start(program, cx),
            Err(why) => self.alerts.report(&why, cx),
        }
    }

    /// A program that alerts has ended: the next one starts.
    pub fn on_alert_ended(&mut self, result: Result<(), String>, cx: &mut Context) {
        self.alerts.is_running = false;
        if let Err(why) = result {
            self.alerts.report(&why, cx);
        }
        if let Some(next) = self.alerts.waiting.pop_front() {
            self.alerts.start(next, cx);
        }
    }
}

/// Programs that alert the room: one at a time.
#[derive(Clone, Debug, Default)]
pub struct AlertPrograms {
    is_running: bool,
    waiting: VecDeque<Vec<String>>,
    /// A failure was shown; the next ones would say the same.
    has_failed: bool,
}

impl AlertPrograms {
    fn start(&mut self, program: Vec<String>, cx: &mut Context) {
        if !self.is_running {
            self.is_running = true;
            cx.work.emit(Effect::RunAlert(program));
        } else if self.waiting.len() < MAX_WAITING {
            self.waiting.push_back(program);
        }
    }

    fn report(&mut self, why: &str, cx: &mut Context) {
        if !std::mem::replace(&mut self.has_failed, true) {
            cx.ui.warn(format!("the program of [watch] failed: {why}"));
        }
    }
}

/// Whether the room may be alerted: the dashboard is on the screen, and it is not a quiet hour.
fn may_alert(cx: &Context) -> bool {
    cx.ui.screen() == Screen::Watch && !is_quiet(cx) && !cx.frame.is_blank()
}

/// Whether nothing may ring now.
pub fn is_quiet(cx: &Context) -> bool {
    let now = cx.clock.to_display_time(cx.clock.now());
    let minute = u16::try_from(now.hour() * 60 + now.minute()).unwrap_or_default();
    cx.settings
        .dashboard
        .quiet
        .is_some_and(|quiet| quiet.contains(minute))
}
