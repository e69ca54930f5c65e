//! What is on the Today tab, part by part.

use chrono::NaiveDate;

use crate::app::model::line_order::LineOrder;
use crate::app::model::promises::PromiseRow;
use crate::app::model::signal_list::SignalList;
use crate::domain::SignalId;
use crate::domain::queue::QueueSignal;
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
    /// The best of the new signals, as they were when the day began here.
    pub(super) best: Option<(NaiveDate, Vec<SignalId>)>,
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

    pub(super) fn promise_at(&self, slot: usize, list: &SignalList) -> Option<&PromiseRow> {
        self.promises.get(slot.checked_sub(list.len())?)
    }
}
