//! Questions about a file, and what somebody answered.
//!
//! Never here: what raises a question.

use serde::Serialize;

use super::dates::DateOrder;
use super::layout::{ANY_STATUS, DecimalSign, PermitLayout};
use super::permit_state::PermitState;
use super::table::Encoding;
use super::words::PermitField;

/// What a user said about a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answers {
    pub encoding: Option<Encoding>,
    pub dates: Option<DateOrder>,
    pub decimal: Option<DecimalSign>,
    /// The city of all rows, and its state.
    pub city: Option<(String, String)>,
    /// The fields of columns, by position.
    pub columns: Vec<(usize, PermitField)>,
    /// What values of the status or the decision mean.
    pub statuses: Vec<(String, PermitState)>,
    /// What identifies a permit with its number: see [`super::layout::Permit::and`].
    pub key: Option<Vec<String>>,
}

impl Answers {
    /// Changes a layout to what somebody said about its file.
    pub fn change_layout(&self, layout: &mut PermitLayout) {
        if let Some(order) = self.dates {
            layout.dates = vec![order.word().to_owned()];
        }
        layout.decimal = self.decimal.or(layout.decimal);
        if let Some(place) = self.city.clone() {
            (layout.city, layout.state) = place;
        }
        layout.status.values.extend(self.statuses.iter().cloned());
    }
}

/// What has to be answered before the import.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Question {
    pub about: QuestionSubject,
    /// What is not clear.
    pub text: String,
    /// The options that answer it.
    pub answer: String,
    /// The status whose meaning is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
}

impl Question {
    /// The question and how to answer it, in a line.
    pub fn in_full(&self) -> String {
        match self.text.ends_with('?') {
            true => format!("{} Answer with {}", self.text, self.answer),
            false => format!("{}: answer with {}", self.text, self.answer),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum QuestionSubject {
    Dates,
    Decimal,
    City,
    Column,
    Status,
    Key,
    Encoding,
}

/// More unknown values than these are one question.
const MAX_STATUS_QUESTIONS: usize = 40;

/// The questions about values of a column that nothing explains, with their numbers of rows.
pub fn status_questions(
    name: &str,
    mut unknown: Vec<(String, usize)>,
    rows: usize,
) -> Vec<Question> {
    unknown.sort_by_key(|(_, rows)| std::cmp::Reverse(*rows));
    let meanings = "(or applied, approved, completed, withdrawn, denied, expired)";
    let ask = |text: String, answer: String, status: &str| Question {
        about: QuestionSubject::Status,
        text,
        answer,
        status: Some(status.to_owned()),
    };
    if unknown.len() <= MAX_STATUS_QUESTIONS {
        return unknown
            .iter()
            .map(|(value, of)| {
                ask(
                    format!("{name}: what does {value:?} mean for a permit ({of} of {rows} rows)?"),
                    format!("--status '{value}=active' {meanings}"),
                    value,
                )
            })
            .collect();
    }
    let of: usize = unknown.iter().map(|(_, rows)| rows).sum();
    let examples: Vec<String> = unknown
        .iter()
        .take(5)
        .map(|(value, _)| format!("{value:?}"))
        .collect();
    vec![ask(
        format!(
            "{name}: {} values are not understood ({of} of {rows} rows), such as {}: what do they mean for a permit?",
            unknown.len(),
            examples.join(", ")
        ),
        format!(
            "--status '{ANY_STATUS}=active' {meanings}, and --status 'VALUE=…' for those that mean another"
        ),
        ANY_STATUS,
    )]
}
