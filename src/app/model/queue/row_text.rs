//! What is known about a row of the queue, and all that it shows as a text to search.

use super::SignalQueue;
use super::lines::KnownFacts;
use crate::app::format::humanize;
use crate::domain::field_kind::FieldKind;
use crate::domain::queue::QueueSignal;
use crate::domain::row_columns::{ROW_COLUMNS, RowColumn, RowFacts, RowValue};

impl KnownFacts<'_> {
    /// Writes the texts and the cost of a row, and its words also as they are on the wire.
    pub(super) fn write_row_text(&self, row: &QueueSignal, text: &mut String) {
        let is_searched = |column: &&RowColumn| {
            column.spec.kind == FieldKind::Money
                || !(column.spec.kind.is_numeric() || column.spec.kind == FieldKind::Date)
        };
        let facts = self.describe_row(row);
        for column in ROW_COLUMNS.iter().filter(is_searched) {
            match self.shown_value(&facts, column) {
                Some(RowValue::Number(number)) => {
                    text.extend([&column.spec.kind.format_number(number), " "]);
                }
                Some(RowValue::Text(word)) if column.spec.kind.is_word() => {
                    text.extend([&*word, " ", &humanize(&word), " "]);
                }
                Some(RowValue::Text(part) | RowValue::Ranked(_, part)) => {
                    text.extend([&*part, " "]);
                }
                Some(RowValue::Date(_)) | None => {}
            }
        }
    }
}

impl SignalQueue {
    fn known_facts(&self) -> KnownFacts<'_> {
        KnownFacts {
            facts: &self.facts,
            today: self.day,
        }
    }

    /// A row, with what is known about it from other reads.
    pub fn describe_row<'a>(&'a self, row: &'a QueueSignal) -> RowFacts<'a> {
        self.known_facts().describe_row(row)
    }

    /// What a row shows in a column: of a user, the name.
    pub fn shown_value<'a>(
        &'a self,
        row: &'a QueueSignal,
        column: &RowColumn,
    ) -> Option<RowValue<'a>> {
        let known = self.known_facts();
        known.shown_value(&known.describe_row(row), column)
    }

    /// Writes all that a row shows.
    pub fn write_row_text(&self, row: &QueueSignal, text: &mut String) {
        self.known_facts().write_row_text(row, text);
    }
}
