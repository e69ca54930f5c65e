//! What is on the Today tab, part by part.

use chrono::{DateTime, NaiveDate, Utc};

use crate::app::model::line_order::LineOrder;
use crate::app::model::promises::PromiseRow;
use crate::app::model::signal_list::SignalList;
use crate::domain::SignalId;
use crate::domain::conditions::ConditionLine;
use crate::domain::queue::{QueueFilter, QueueSignal};
use crate::domain::text_query::{TextMatcher, TextQuery};

/// A part of the Today tab, in its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TodayPart {
    Due,
    Mine,
    Leaving,
    Best,
    Later,
}

/// What the tab shows besides the rows of its list.
#[derive(Clone, Debug, Default)]
pub(super) struct TodayParts {
    /// Slots of the list, and behind them those of promises.
    pub(super) parts: Vec<(TodayPart, Vec<usize>)>,
    pub(super) promises: Vec<PromiseRow>,
    pub(super) picks: Option<Picks>,
    /// By the user's clock.
    pub(super) day_began: Option<DateTime<Utc>>,
}

/// What was picked for a day, under a filter. It stays picked when it is done, so that the day has
/// an end.
#[derive(Clone, Debug)]
pub(super) struct Picks {
    pub(super) day: NaiveDate,
    pub(super) filter: QueueFilter,
    pub(super) conditions: ConditionLine,
    pub(super) leaving: Vec<SignalId>,
    pub(super) best: Vec<SignalId>,
}

impl Picks {
    /// At most so many signals of a kind are picked for a day.
    const OF_A_DAY: usize = 10;

    /// Picks the first of these rows, as long as there is room.
    pub(super) fn fill<'r>(
        picked: &mut Vec<SignalId>,
        rows: impl Iterator<Item = &'r QueueSignal>,
    ) {
        for row in rows {
            if picked.len() >= Picks::OF_A_DAY {
                return;
            }
            if !picked.contains(&row.signal.id) {
                picked.push(row.signal.id);
            }
        }
    }
}

impl TodayPart {
    pub(super) fn title(self) -> &'static str {
        match self {
            TodayPart::Due => "due",
            TodayPart::Mine => "on your accounts",
            TodayPart::Leaving => "leaves the queue within 7 days",
            TodayPart::Best => "best new signals",
            TodayPart::Later => "later",
        }
    }
}

impl TodayParts {
    /// Adds the lines of all parts, without those that `is_shown` leaves out.
    pub(super) fn list_lines<'t>(
        &self,
        list: &'t SignalList,
        query: Option<&TextQuery>,
        lines: &mut LineOrder,
        is_shown: impl Fn(&(usize, &'t QueueSignal)) -> bool,
    ) {
        let mut matcher = query.map(TextQuery::matcher);
        let mut is_found = |slot: &usize| {
            let promise = self.promise_at(*slot, list);
            promise.is_some_and(|promise| {
                let matches = |matcher: &mut TextMatcher<'_>| matcher.matches(&promise.text());
                matcher.as_mut().is_none_or(matches)
            })
        };
        lines.begin(true);
        for (part, slots) in &self.parts {
            let rows = slots
                .iter()
                .filter_map(|slot| Some((*slot, list.row_at(*slot)?)));
            let rows: Vec<_> = rows.filter(&is_shown).collect();
            let promises = slots.iter().copied().filter(&mut is_found);
            let cost =
                |(_, row): &(usize, &QueueSignal)| row.signal.reported_cost_usd.as_ref()?.as_f64();
            let sum = rows.iter().filter_map(cost).sum();
            let shown: Vec<usize> = promises.chain(rows.iter().map(|(slot, _)| *slot)).collect();
            if !shown.is_empty() {
                lines.push_group(part.title().to_owned(), shown, sum);
            }
        }
    }

    pub(super) fn part_of(&self, slot: usize) -> Option<TodayPart> {
        let mut parts = self.parts.iter();
        let found = parts.find(|(_, slots)| slots.contains(&slot));
        found.map(|(part, _)| *part)
    }

    pub(super) fn promise_at(&self, slot: usize, list: &SignalList) -> Option<&PromiseRow> {
        self.promises.get(slot.checked_sub(list.len())?)
    }
}
