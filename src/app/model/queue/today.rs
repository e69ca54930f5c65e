//! The Today tab: what is due, what moved on the user's accounts, what leaves the queue soon and
//! the best of the new signals; at the end what comes later.
//!
//! It is put together from what is loaded, snoozed and promised. Signals are rows as on every tab.
//! Promises for records have no signal: they take the slots behind the rows.

use std::collections::HashSet;

use chrono::{DateTime, FixedOffset, NaiveTime, Utc};
use uuid::Uuid;

use super::today_parts::{Picks, TodayPart, TodayParts};
use super::{QueueTabState, SignalQueue};
use crate::app::format::{format_count, pluralize};
use crate::app::model::line_order::Line;
use crate::app::model::load_state::LoadState;
use crate::app::model::promises::PromiseRow;
use crate::domain::SignalId;
use crate::domain::pages::Page;
use crate::domain::person::Person;
use crate::domain::promises::Promise;
use crate::domain::queue::{Priority, QueueSignal, QueueTab};
use crate::domain::row_matcher::RowMatcher;
use crate::domain::snooze::SnoozeUntil;

/// What the tab is made of besides the queue.
pub struct TodaySources {
    /// The user's open promises and those of nobody in particular, what is due first.
    pub promises: Vec<PromiseRow>,
    /// The user, as tags may call them.
    pub me: Option<Person>,
    /// The signals that are marked done once the service responds again.
    pub waiting: HashSet<SignalId>,
    /// By the user's clock.
    pub now: DateTime<FixedOffset>,
}

/// What a row is about, from one plan to the next.
#[derive(Clone, Debug, PartialEq)]
enum RowKey {
    Signal(SignalId),
    Promise(Uuid, Promise),
    Heading,
}

impl QueueTabState {
    pub fn promise_on_line(&self, line: Line) -> Option<&PromiseRow> {
        match line {
            Line::Row(slot) => self.today.as_ref()?.promise_at(slot, &self.list),
            Line::Heading(_) | Line::Gap { .. } => None,
        }
    }

    /// The promise under the cursor.
    pub fn current_promise(&self) -> Option<&PromiseRow> {
        self.promise_on_line(self.line_at(self.scroll.cursor)?)
    }

    /// Puts the cursor on what it was on, unless that moved to another part; then on the row that
    /// took its place. It never comes to a heading by itself.
    fn place_cursor(&mut self, before: Option<(TodayPart, RowKey)>, line: usize) {
        let count = self.len();
        let keys = |at: &usize| self.line_at(*at).and_then(|line| row_key(self, line));
        let same = (0..count).find(|at| before.is_some() && keys(at) == before);
        let is_row = |at: &usize| matches!(self.line_at(*at), Some(Line::Row(_)));
        let near = line.min(count.saturating_sub(1));
        let at = same
            .or_else(|| (near..count).find(is_row))
            .or_else(|| (0..near).rev().find(is_row));
        self.scroll.cursor = at.unwrap_or(0);
    }
}

impl SignalQueue {
    /// The end of the day, with the new signals that are left for the next one; `None` while there
    /// is more to do than what comes later.
    pub fn describe_end_of_day(&self) -> Option<String> {
        let parts = self.today.today.iter().flat_map(|today| &today.parts);
        let mut parts = parts.filter(|(part, _)| *part != TodayPart::Later);
        let is_through = parts.all(|(_, slots)| slots.is_empty());
        if !is_through || self.today.load != LoadState::Ready {
            return None;
        }
        let left = self.list_count(QueueTab::New);
        let day = self.today.today.as_ref().and_then(|today| today.day_began);
        let is_of_today = |since: DateTime<Utc>| day.is_some_and(|began| since >= began);
        let put_off = self.snoozes.sleeping();
        let put_off = put_off.filter(|snooze| is_of_today(snooze.since));
        let counts = [
            (self.done_today, "done"),
            (put_off.count() as u64, "put off"),
            (left.unwrap_or(0), "left for tomorrow"),
        ];
        let counts = counts.into_iter().filter(|(count, _)| *count > 0);
        let counts: Vec<String> = counts
            .map(|(count, what)| format!("{} {what}", format_count(count)))
            .collect();
        let text = match counts.is_empty() {
            true => "You are through.".to_owned(),
            false => format!("You are through: {}.", counts.join(", ")),
        };
        Some(match self.new.unread_count() {
            0 => text,
            unread => format!("{text} {} not loaded.", pluralize(unread, "row")),
        })
    }

    /// Whether the Today tab is on the screen and no longer says what is known. What is due changes
    /// with the time, and a day begins with nothing done.
    pub fn needs_plan(&mut self, now: DateTime<FixedOffset>) -> bool {
        let minute = now.timestamp() / 60;
        self.is_today_stale |= self.today_minute.replace(minute) != Some(minute);
        if self.tally_day.replace(now.date_naive()) != Some(now.date_naive()) {
            self.done_today = 0;
        }
        self.is_today_stale && self.tab == QueueTab::Today
    }

    /// Puts the Today tab together from the rows that New shows under its filter and conditions.
    pub fn plan_today(&mut self, sources: TodaySources) {
        self.is_today_stale = false;
        if self.new.load != LoadState::Ready {
            // What is due is not all there is to do: nothing is said before the queue is read.
            if self.today.is_empty() {
                self.today.load = self.new.load.clone();
            }
            return;
        }
        let before = self.today.line_at(self.today.scroll.cursor);
        let before = before.and_then(|line| row_key(&self.today, line));
        let line = self.today.scroll.cursor;
        let marks = std::mem::take(&mut self.today.marks).into_iter();
        let marked: Vec<_> = marks
            .map(|id| (id, part_of_signal(&self.today, id)))
            .collect();
        let anchor = self.today.range_anchor.take();
        let anchor = anchor.map(|id| (id, part_of_signal(&self.today, id)));
        let (parts, rows) = self.plan_parts(sources);
        self.today.today = Some(parts);
        let asked = u32::try_from(rows.len()).unwrap_or(u32::MAX);
        let page = Page {
            total: Some(rows.len() as u64),
            rows,
            ..Page::default()
        };
        let (tab, known) = self.tab_and_facts(QueueTab::Today);
        tab.preserve_cursor(known, |list| {
            list.insert_page(page, asked, true);
        });
        tab.place_cursor(before, line);
        // What was put off is no longer meant.
        let is_kept = |id: SignalId, part: Option<TodayPart>| {
            let now = part_of_signal(tab, id);
            now.is_some() && (now == part || now != Some(TodayPart::Later))
        };
        let marks = marked.into_iter().filter(|(id, part)| is_kept(*id, *part));
        let marks = marks.map(|(id, _)| id).collect();
        let anchor = anchor.filter(|(id, part)| is_kept(*id, *part));
        (tab.marks, tab.range_anchor) = (marks, anchor.map(|(id, _)| id));
        tab.load = LoadState::Ready;
    }

    fn plan_parts(&self, sources: TodaySources) -> (TodayParts, Vec<QueueSignal>) {
        let TodaySources {
            promises,
            me,
            waiting,
            now,
        } = sources;
        let service_now = now.to_utc();
        let mut plan = Plan {
            used: waiting,
            ..Plan::default()
        };
        let mut snoozes: Vec<_> = self.snoozes.all().collect();
        snoozes.sort_by_key(|snooze| match snooze.until {
            SnoozeUntil::Time(at) => (at, snooze.since),
            SnoozeUntil::NextFiling => (DateTime::<Utc>::MAX_UTC, snooze.since),
        });
        let (due, later): (Vec<_>, Vec<_>) = snoozes
            .into_iter()
            .map(|snooze| &snooze.row)
            .partition(|row| self.snoozes.has_returned(row.signal.id));
        let put_off: HashSet<SignalId> = later.iter().map(|row| row.signal.id).collect();
        plan.add(TodayPart::Due, due.into_iter());
        let conditions = &self.new.arrangement.conditions;
        let matcher = (!conditions.is_empty()).then(|| RowMatcher::new(conditions));
        let is_wanted = |row: &&QueueSignal| {
            !put_off.contains(&row.signal.id)
                && matcher
                    .as_ref()
                    .is_none_or(|matcher| matcher.matches(&self.describe_row(row)))
        };
        let new = self.new.list.loaded_rows().map(|(_, row)| row);
        let new: Vec<&QueueSignal> = new.filter(is_wanted).collect();
        let is_me = |owner: &str| me.as_ref().is_some_and(|me| me.is_called(owner));
        let is_mine = |row: &&QueueSignal| self.facts.owner(&row.signal).is_some_and(is_me);
        plan.add(TodayPart::Mine, new.iter().copied().filter(is_mine));
        let earlier = self.today.today.as_ref();
        let picks = earlier.and_then(|today| today.picks.clone());
        let settings = self.list_settings();
        let is_current = |picks: &Picks| {
            picks.day == now.date_naive()
                && (&picks.filter, &picks.conditions) == (&settings.filter, &settings.conditions)
        };
        let mut picks = picks.filter(is_current).unwrap_or_else(|| Picks {
            day: now.date_naive(),
            filter: settings.filter.clone(),
            conditions: settings.conditions.clone(),
            leaving: Vec::new(),
            best: Vec::new(),
        });
        let mut leaving: Vec<&QueueSignal> = new
            .iter()
            .copied()
            .filter(|row| row.leaves_soon(service_now))
            .collect();
        leaving.sort_by_key(|row| {
            let rank = row.priority.as_ref().map(Priority::rank);
            (row.days_left(service_now), rank.is_none(), rank)
        });
        let is_free = |row: &&&QueueSignal| !plan.used.contains(&row.signal.id);
        Picks::fill(&mut picks.leaving, leaving.iter().filter(is_free).copied());
        let is_picked = |ids: &[SignalId], row: &QueueSignal| ids.contains(&row.signal.id);
        let of_picks = leaving
            .into_iter()
            .filter(|row| is_picked(&picks.leaving, row));
        plan.add(TodayPart::Leaving, of_picks);
        let is_free = |row: &&&QueueSignal| !plan.used.contains(&row.signal.id);
        Picks::fill(&mut picks.best, new.iter().filter(is_free).copied());
        let of_picks = new
            .iter()
            .copied()
            .filter(|row| is_picked(&picks.best, row));
        plan.add(TodayPart::Best, of_picks);
        plan.add(TodayPart::Later, later.into_iter());
        let Plan {
            rows, mut parts, ..
        } = plan;
        for (at, promise) in promises.iter().enumerate() {
            let part = match promise.is_due {
                true => TodayPart::Due,
                false => TodayPart::Later,
            };
            if let Some((_, slots)) = parts.iter_mut().find(|(named, _)| *named == part) {
                slots.push(rows.len() + at);
            }
        }
        let midnight = now.with_time(NaiveTime::MIN).earliest();
        let parts = TodayParts {
            parts,
            promises,
            picks: Some(picks),
            day_began: midnight.map(|midnight| midnight.to_utc()),
        };
        (parts, rows)
    }
}

fn part_of_signal(tab: &QueueTabState, id: SignalId) -> Option<TodayPart> {
    tab.today.as_ref()?.part_of(tab.list.slot_of(id)?)
}

fn row_key(tab: &QueueTabState, line: Line) -> Option<(TodayPart, RowKey)> {
    let today = tab.today.as_ref()?;
    let slot = match line {
        Line::Row(slot) => slot,
        Line::Heading(group) => {
            let first = tab.lines.group(group)?.rows.first()?;
            return Some((today.part_of(*first)?, RowKey::Heading));
        }
        Line::Gap { .. } => return None,
    };
    let key = match tab.list.id_at(slot) {
        Some(id) => RowKey::Signal(id),
        None => {
            let row = today.promise_at(slot, &tab.list)?;
            RowKey::Promise(row.id, row.promise.clone())
        }
    };
    Some((today.part_of(slot)?, key))
}

/// The rows of the tab as they come together: each signal is in one part.
#[derive(Default)]
struct Plan {
    rows: Vec<QueueSignal>,
    parts: Vec<(TodayPart, Vec<usize>)>,
    used: HashSet<SignalId>,
}

impl Plan {
    fn add<'r>(&mut self, part: TodayPart, rows: impl Iterator<Item = &'r QueueSignal>) {
        let first = self.rows.len();
        for row in rows {
            if self.used.insert(row.signal.id) {
                self.rows.push(row.clone());
            }
        }
        self.parts.push((part, (first..self.rows.len()).collect()));
    }
}
