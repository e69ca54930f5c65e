//! The Today tab: what is due, what moved on the user's accounts, what leaves the queue soon and
//! the best of the new signals; at the end what comes later.
//!
//! It is put together from what is loaded, snoozed and promised. Signals are rows as on every tab.
//! Promises for records have no signal: they take the slots behind the rows.

use std::collections::HashSet;

use chrono::{DateTime, Utc};

use super::today_parts::{TodayPart, TodayParts};
use super::{QueueTabState, SignalQueue};
use crate::app::format::format_count;
use crate::app::model::line_order::Line;
use crate::app::model::load_state::LoadState;
use crate::app::model::promises::PromiseRow;
use crate::domain::SignalId;
use crate::domain::pages::Page;
use crate::domain::queue::{Priority, QueueSignal, QueueTab};
use crate::domain::snooze::SnoozeUntil;

const MAX_LEAVING: usize = 10;
const MAX_MINE: usize = 20;
/// The day has an end: what comes in later is for tomorrow.
const BEST_OF_A_DAY: usize = 10;

/// What the tab is made of besides the queue.
pub struct TodaySources {
    /// The user's open promises and those of nobody in particular, what is due first.
    pub promises: Vec<PromiseRow>,
    /// The names by which tags call the user.
    pub own_names: Vec<String>,
    pub now: DateTime<Utc>,
}

impl QueueTabState {
    pub fn promise_on_line(&self, line: Line) -> Option<&PromiseRow> {
        match line {
            Line::Row(slot) => self.today.as_ref()?.promise_at(slot, &self.list),
            Line::Heading(_) | Line::Gap { .. } => None,
        }
    }

    /// Whether what comes later is unfolded.
    pub fn is_later_open(&self) -> bool {
        self.lines.is_label_open(TodayPart::Later.title())
    }

    fn is_on_heading(&self) -> bool {
        matches!(self.line_at(self.scroll.cursor), Some(Line::Heading(_)))
    }

    /// The promise under the cursor.
    pub fn current_promise(&self) -> Option<&PromiseRow> {
        self.promise_on_line(self.line_at(self.scroll.cursor)?)
    }
}

impl SignalQueue {
    /// Whether everything for today is done: at most what comes later is left.
    pub fn is_through(&self) -> bool {
        let parts = self.today.today.iter().flat_map(|today| &today.parts);
        let mut parts = parts.filter(|(part, _)| *part != TodayPart::Later);
        parts.all(|(_, slots)| slots.is_empty())
    }

    /// The end of the day, with the new signals that are left for the next one.
    pub fn describe_end_of_day(&self, left: Option<u64>) -> String {
        let put_off = self
            .snoozes
            .sleeping()
            .filter(|snooze| Some(snooze.since.date_naive()) == self.day);
        let counts = [
            (self.done_today, "done"),
            (put_off.count() as u64, "put off"),
            (left.unwrap_or(0), "left for tomorrow"),
        ];
        let counts = counts.into_iter().filter(|(count, _)| *count > 0);
        let counts: Vec<String> = counts
            .map(|(count, what)| format!("{} {what}", format_count(count)))
            .collect();
        match counts.is_empty() {
            true => "You are through.".to_owned(),
            false => format!("You are through: {}.", counts.join(", ")),
        }
    }

    /// Has the Today tab put together again.
    pub fn mark_today_stale(&mut self) {
        self.is_today_stale = true;
    }

    /// Whether the Today tab is on the screen and no longer says what is known. What is due changes
    /// with the time.
    pub fn needs_plan(&mut self, now: DateTime<Utc>) -> bool {
        let minute = now.timestamp() / 60;
        self.is_today_stale |= self.today_minute.replace(minute) != Some(minute);
        self.is_today_stale && self.tab == QueueTab::Today
    }

    /// Puts the Today tab together.
    pub fn plan_today(&mut self, sources: TodaySources) {
        let TodaySources {
            promises,
            own_names,
            now,
        } = sources;
        self.is_today_stale = false;
        let mut plan = Plan::default();
        let mut snoozes: Vec<_> = self.snoozes.all().collect();
        snoozes.sort_by_key(|snooze| match snooze.until {
            SnoozeUntil::Time(at) => (at, snooze.since),
            SnoozeUntil::NextFiling => (DateTime::<Utc>::MAX_UTC, snooze.since),
        });
        let (due, later): (Vec<_>, Vec<_>) = snoozes
            .into_iter()
            .map(|snooze| &snooze.row)
            .partition(|row| self.snoozes.has_returned(row.signal.id));
        plan.add(TodayPart::Due, due);
        let new: Vec<&QueueSignal> = self.new.list.loaded_rows().map(|(_, row)| row).collect();
        plan.used.extend(later.iter().map(|row| row.signal.id));
        let is_mine = |row: &&QueueSignal| {
            let owner = self.facts.owner(&row.signal);
            owner.is_some_and(|owner| {
                own_names
                    .iter()
                    .any(|name| owner.eq_ignore_ascii_case(name))
            })
        };
        let mine = new.iter().copied().filter(is_mine).take(MAX_MINE);
        plan.add(TodayPart::Mine, mine.collect());
        let mut leaving: Vec<&QueueSignal> = new
            .iter()
            .copied()
            .filter(|row| row.leaves_soon(now))
            .collect();
        leaving.sort_by_key(|row| {
            let rank = row.priority.as_ref().map(Priority::rank);
            (rank.is_none(), rank, row.days_left(now))
        });
        leaving.truncate(MAX_LEAVING);
        plan.add(TodayPart::Leaving, leaving);
        let day = now.date_naive();
        let best = self
            .today
            .today
            .as_ref()
            .and_then(|today| today.best.clone());
        let best = best.filter(|(of, _)| *of == day).or_else(|| {
            let is_free = |row: &&&QueueSignal| !plan.used.contains(&row.signal.id);
            let ids = new.iter().filter(is_free).map(|row| row.signal.id);
            (self.new.load == LoadState::Ready).then(|| (day, ids.take(BEST_OF_A_DAY).collect()))
        });
        let ids = best.iter().flat_map(|(_, ids)| ids);
        plan.add(
            TodayPart::Best,
            ids.filter_map(|id| self.new.list.row(*id)).collect(),
        );
        plan.used.clear();
        plan.add(TodayPart::Later, later);
        let Plan {
            rows, mut parts, ..
        } = plan;
        for (at, promise) in promises.iter().enumerate() {
            let part = if promise.is_due {
                TodayPart::Due
            } else {
                TodayPart::Later
            };
            let slot = rows.len() + at;
            if let Some((_, slots)) = parts.iter_mut().find(|(named, _)| *named == part) {
                slots.push(slot);
            }
        }
        let ids: HashSet<SignalId> = rows.iter().map(|row| row.signal.id).collect();
        let asked = u32::try_from(rows.len()).unwrap_or(u32::MAX);
        let page = Page {
            total: Some(rows.len() as u64),
            rows,
            ..Page::default()
        };
        let is_first = self.today.today.is_none();
        let was_on_row = !self.today.is_on_heading();
        self.today.today = Some(TodayParts {
            parts,
            promises,
            best,
        });
        if is_first {
            self.today.lines.close_label(TodayPart::Later.title());
        }
        self.change_list(QueueTab::Today, |list| {
            list.insert_page(page, asked, true);
        });
        // What is pressed next is for a single row, also after the last one of a part was done.
        if (is_first || was_on_row) && self.today.is_on_heading() {
            self.today.move_cursor(1);
        }
        self.today.marks.retain(|id| ids.contains(id));
        self.today.load = LoadState::Ready;
    }
}

/// The rows of the tab as they come together: each signal is in one part.
#[derive(Default)]
struct Plan {
    rows: Vec<QueueSignal>,
    parts: Vec<(TodayPart, Vec<usize>)>,
    used: HashSet<SignalId>,
}

impl Plan {
    fn add(&mut self, part: TodayPart, rows: Vec<&QueueSignal>) {
        let first = self.rows.len();
        for row in rows {
            if self.used.insert(row.signal.id) {
                self.rows.push(row.clone());
            }
        }
        self.parts.push((part, (first..self.rows.len()).collect()));
    }
}
