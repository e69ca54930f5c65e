//! What the values of a status mean, and which useful columns are not used.

use super::shapes::ColumnShape;
use super::{ColumnReport, Inspection, PermitField, Question, QuestionSubject, TableSample};
use crate::service::import::values;
use crate::service::import::words::PermitState;

/// More unknown values than these are one question.
const MAX_STATUS_QUESTIONS: usize = 12;
/// Answers for all values that no word and no other answer explains.
const ANY_STATUS: &str = "*";

impl Inspection {
    /// What the values of the decision and the status mean. What no word says is a question.
    pub(super) fn read_statuses(
        &mut self,
        sample: &TableSample,
        answers: &[(String, PermitState)],
    ) {
        for field in [PermitField::Decision, PermitField::Status] {
            let Some((name, values)) = self
                .values_of(sample, |known| known == field)
                .into_iter()
                .next()
            else {
                continue;
            };
            let mut counts: std::collections::BTreeMap<&str, usize> =
                std::collections::BTreeMap::new();
            values
                .iter()
                .filter(|value| !values::is_nothing(value))
                .for_each(|value| *counts.entry(value).or_default() += 1);
            let state_of = |value: &str| {
                let answer = |of: &str| {
                    answers
                        .iter()
                        .find(|(known, _)| known.eq_ignore_ascii_case(of))
                        .map(|(_, state)| *state)
                };
                answer(value)
                    .or_else(|| PermitState::of_status(value))
                    .or_else(|| answer(ANY_STATUS))
            };
            let mut unknown: Vec<(&str, usize)> = Vec::new();
            for (value, rows) in counts {
                match state_of(value) {
                    Some(state) => self.statuses.push((value.to_owned(), state)),
                    None => unknown.push((value, rows)),
                }
            }
            unknown.sort_by_key(|(_, rows)| std::cmp::Reverse(*rows));
            let meanings = "(or approved, completed, withdrawn, denied, expired)";
            if unknown.len() > MAX_STATUS_QUESTIONS {
                let rows: usize = unknown.iter().map(|(_, rows)| rows).sum();
                let examples: Vec<String> = unknown
                    .iter()
                    .take(5)
                    .map(|(value, _)| format!("{value:?}"))
                    .collect();
                let text = format!(
                    "{name}: {} values are not understood ({rows} of {} rows), such as {}: what do they mean for a permit?",
                    unknown.len(),
                    values.len(),
                    examples.join(", ")
                );
                let answer = format!(
                    "--status '{ANY_STATUS}=active' {meanings}, and --status 'VALUE=…' for those that mean another"
                );
                let status = Some(ANY_STATUS.to_owned());
                self.questions.push(Question {
                    about: QuestionSubject::Status,
                    text,
                    answer,
                    status,
                });
                continue;
            }
            for (value, rows) in unknown {
                let text = format!(
                    "{name}: what does {value:?} mean for a permit ({rows} of {} rows)?",
                    values.len()
                );
                let answer = format!("--status '{value}=active' {meanings}");
                let status = Some(value.to_owned());
                self.questions.push(Question {
                    about: QuestionSubject::Status,
                    text,
                    answer,
                    status,
                });
            }
        }
    }

    /// Columns that look useful and are not used, and what a queue of this file lacks.
    pub(super) fn note_unused_columns(&mut self, shapes: &[ColumnShape]) {
        let ends = |column: &ColumnReport| {
            PermitState::of_status(&column.name).is_some_and(PermitState::ends_permit)
        };
        let of_end = |(column, shape): &(&ColumnReport, &ColumnShape)| {
            let is_used = matches!(
                column.field,
                PermitField::Status | PermitField::Decision | PermitField::Decided
            );
            !is_used && ends(column) && shape.filled > 0
        };
        let ended: Vec<String> = self
            .columns
            .iter()
            .zip(shapes)
            .filter(of_end)
            .map(|(column, shape)| {
                format!(
                    "{} is not used, and has a value in {} rows: what it ends arrives as a permit like others",
                    column.name, shape.filled
                )
            })
            .collect();
        self.notes.extend(ended);
        let unused = self
            .columns
            .iter()
            .zip(shapes)
            .filter(|(column, _)| column.field == PermitField::Nothing && !ends(column));
        let notes: Vec<String> = unused
            .filter_map(|(column, shape)| {
                Some(format!(
                    "{} is not used; it looks like {}",
                    column.name,
                    shape.likely_kind()?
                ))
            })
            .collect();
        self.notes.extend(notes);
        if !self.has(PermitField::Cost) {
            self.notes
                .push("no column has the cost: the queue shows none".to_owned());
        }
    }
}
