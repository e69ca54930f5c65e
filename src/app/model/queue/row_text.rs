//! What is known about a row of the queue, and all that it shows as a text to search.

use super::SignalQueue;
use super::lines::KnownFacts;
use crate::app::format::{format_dollars, humanize};
use crate::domain::queue::QueueSignal;
use crate::domain::row_fields::RowFacts;

impl KnownFacts<'_> {
    /// Writes all that a row and its preview show, and the type as it is on the wire.
    pub(super) fn write_row_text(&self, row: &QueueSignal, text: &mut String) {
        let (signal, account) = (&row.signal, self.facts.book_match(row));
        let kind = signal
            .signal_type
            .as_ref()
            .map(|kind| humanize(kind.as_str()));
        let cost = signal.reported_cost_usd.as_ref().map(format_dollars);
        let shown = [
            signal.signal_type.as_ref().map(|kind| kind.as_str()),
            kind.as_deref(),
            row.priority.as_ref().map(|priority| priority.as_str()),
            signal.project_name.as_deref(),
            self.facts.description(row),
            signal.project_primary_address.as_deref(),
            self.facts.city(row),
            signal.source_filing_id.as_deref(),
            signal.source_display_name.as_deref(),
            cost.as_deref(),
            account.map(|account| account.name),
            row.triaged_by
                .as_ref()
                .map(|person| self.facts.user_name(person)),
        ];
        shown
            .into_iter()
            .flatten()
            .for_each(|part| text.extend([part, " "]));
    }
}

impl SignalQueue {
    /// A row, with what is known about it from other reads.
    pub fn describe_row<'a>(&'a self, row: &'a QueueSignal) -> RowFacts<'a> {
        KnownFacts {
            facts: &self.facts,
            today: self.today,
        }
        .describe_row(row)
    }

    /// Writes all that a row shows.
    pub fn write_row_text(&self, row: &QueueSignal, text: &mut String) {
        KnownFacts {
            facts: &self.facts,
            today: self.today,
        }
        .write_row_text(row, text);
    }
}
