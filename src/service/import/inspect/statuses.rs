//! What the values of a status mean, and which useful columns are not used.

use std::collections::BTreeSet;

use super::layout_text::list_names;
use super::shapes::ColumnShape;
use super::{ColumnReport, Confidence, Inspection, PermitField, QuestionSubject, TableSample};
use crate::service::import::layout::StatusLayout;
use crate::service::import::permit_state::PermitState;
use crate::service::import::questions::status_questions;
use crate::service::import::words;
use crate::service::import::{dates, values};

/// Whether a column has the heading of a coordinate, and not its values.
fn is_unfit_coordinate(column: &ColumnReport) -> bool {
    let found = words::match_heading(&column.name).into_iter().next();
    column.confidence == Confidence::Unsure
        && found.is_some_and(|found| {
            matches!(found.field, PermitField::Latitude | PermitField::Longitude)
        })
}

/// What a firm is whose role is not known.
const OTHER_ROLE: &str = "consultant";

/// The type of account that a role on a permit is.
fn role_of(role: &str) -> &'static str {
    let heading = words::match_heading(role);
    match heading
        .iter()
        .find(|found| found.field.is_firm())
        .map(|found| found.field)
    {
        Some(PermitField::Contractor) => "gc",
        Some(PermitField::Subcontractor) => "subcontractor",
        Some(PermitField::Owner) => "owner",
        Some(PermitField::Architect) => "architect",
        Some(PermitField::Engineer) => "engineer",
        _ if words::has_value_word("trade", role) => "subcontractor",
        _ => OTHER_ROLE,
    }
}

/// Whether a heading asks whether a permit is active.
fn is_active_flag(heading: &str) -> bool {
    words::normalize(heading)
        .split(' ')
        .any(|word| word == "active")
}

/// Whether a heading asks whether a permit was issued: `Issued`, `Permit Approved (Y/N)`.
fn is_issue_flag(heading: &str) -> bool {
    let is_issued = |word: &str| words::is_named(word, |field| field == PermitField::Issued);
    let is_beside = |word: &str| {
        let lists = ["of_permit", "yes", "no"];
        lists.iter().any(|list| words::is_word_of(list, word))
    };
    let heading = words::normalize(heading);
    let mut words = heading.split(' ');
    words.clone().all(|word| is_issued(word) || is_beside(word)) && words.any(is_issued)
}

/// What a yes or a no says below such a heading, as far as it is clear.
fn state_of_flag(heading: &str, is_yes: bool) -> Option<PermitState> {
    match is_yes {
        true if is_active_flag(heading) || is_issue_flag(heading) => Some(PermitState::Active),
        false if is_issue_flag(heading) => Some(PermitState::Applied),
        _ => None,
    }
}

impl Inspection {
    /// A yes or no in a column such as `Active` or `Issued` is the status, if no other column has
    /// it.
    pub(super) fn find_status_flag(&mut self, shapes: &[ColumnShape], chosen: &[usize]) {
        if self.has(PermitField::Status) || self.has(PermitField::Decision) {
            return;
        }
        for (at, shape) in shapes.iter().enumerate() {
            let column = &mut self.columns[at];
            let is_whole = shape.filled == self.rows && is_issue_flag(&column.name);
            let is_free =
                column.field == PermitField::Nothing || column.confidence == Confidence::Unsure;
            if is_free
                && !chosen.contains(&at)
                && shape.is_flags()
                && (is_whole || is_active_flag(&column.name))
            {
                column.set_likely(PermitField::Status, "by part of its name, and its values");
            }
        }
    }

    /// A column about certificates, or one with a few of them as values, says which are for a while.
    pub(super) fn find_certificate_type(&mut self, sample: &TableSample, chosen: &[usize]) {
        const MAX_KINDS: usize = 12;
        const MAX_WORDS: usize = 8;
        if self.has(PermitField::CertificateType) {
            return;
        }
        // `Smith Co` is a firm
        let names_certificate =
            |text: &str| words::normalize(text).contains("certificat") || text.contains("TCO");
        for (at, column) in self.columns.iter_mut().enumerate() {
            if column.field != PermitField::Nothing || chosen.contains(&at) {
                continue;
            }
            let mut kinds = BTreeSet::new();
            let is_list = sample
                .rows
                .iter()
                .filter_map(|row| row.get(at))
                .all(|text| {
                    kinds.insert(text);
                    kinds.len() <= MAX_KINDS && text.split(' ').count() <= MAX_WORDS
                });
            let is_about = words::has_value_word("certificate", &column.name);
            let mut temporary = kinds.iter().filter(|text| PermitState::is_temporary(text));
            if is_list && temporary.any(|text| is_about || names_certificate(text)) {
                column.set_likely(PermitField::CertificateType, "by its values");
                return;
            }
        }
    }

    /// Whether each row is an inspection.
    pub(super) fn lists_inspections(&self) -> bool {
        let mut columns = self.columns.iter();
        columns.any(|column| words::is_word_of("of_inspections", &column.name))
    }

    /// What became of an inspection says nothing about its permit.
    pub(super) fn leave_out_inspections(&mut self, chosen: &[usize]) {
        let is_list = self.lists_inspections();
        let is_of_inspection =
            |column: &ColumnReport| words::has_value_word("inspection", &column.name);
        let is_inspected = self.columns.iter().any(is_of_inspection);
        for (at, column) in self.columns.iter_mut().enumerate() {
            let is_status = matches!(column.field, PermitField::Status | PermitField::Decision);
            let is_other = is_list && !words::has_value_word("of_permit", &column.name);
            let is_result = is_inspected && words::is_word_of("result", &column.name);
            if is_status
                && !chosen.contains(&at)
                && (is_of_inspection(column) || is_other || is_result)
            {
                column.leave_out("because it is about inspections");
            }
        }
        if is_list {
            self.notes.push(
                "this looks like inspections, not permits: their results say nothing about a permit"
                    .to_owned(),
            );
        }
    }

    /// What the values of the decision and the status mean. What no word says is a question.
    pub(super) fn read_statuses(
        &mut self,
        sample: &TableSample,
        answers: &[(String, PermitState)],
    ) {
        let known = StatusLayout {
            values: answers.iter().cloned().collect(),
            ..StatusLayout::default()
        };
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
            let mut unknown: Vec<(String, usize)> = Vec::new();
            for (value, rows) in counts {
                let of_flag = || state_of_flag(&name, values::parse_yes_or_no(value)?);
                let is_known = |(known, _): &(String, PermitState)| known == value;
                // a decision that was issued: which?
                let is_clear = |state: &PermitState| {
                    field != PermitField::Decision
                        || *state != PermitState::Active
                        || !words::has_value_word("given", value)
                        || PermitState::is_issued(value)
                        || answers.iter().any(|(known, _)| known == value)
                };
                match known.state_of(value).filter(is_clear).or_else(of_flag) {
                    // the decision says the same
                    Some(_) if self.statuses.iter().any(is_known) => {}
                    Some(state) => self.statuses.push((value.to_owned(), state)),
                    None if words::is_word_of("total", value) => {}
                    None => unknown.push((value.to_owned(), rows)),
                }
            }
            self.questions
                .extend(status_questions(&name, unknown, values.len()));
        }
    }

    /// Where permits have a day below `EXPIRED` that did not expire by their status, it is the one
    /// until which they are valid.
    pub(super) fn find_expiry_date(&mut self, sample: &TableSample, chosen: &[usize]) {
        let states = self.columns.iter().enumerate();
        let states: Vec<usize> = states
            .filter(|(_, column)| column.field == PermitField::Status)
            .map(|(at, _)| at)
            .collect();
        let state_of = |row: &csv::StringRecord| {
            let mut texts = states.iter().filter_map(|at| row.get(*at));
            texts.find_map(PermitState::of_status)
        };
        for at in 0..self.columns.len() {
            let column = &self.columns[at];
            let is_end = column.field == PermitField::Ended
                && PermitState::of_end(&column.name) == Some(PermitState::Expired);
            let goes_on = |row: &csv::StringRecord| {
                let day = row.get(at).unwrap_or_default().trim();
                !dates::possible_dates(day).is_empty()
                    && state_of(row).is_some_and(|state| state != PermitState::Expired)
            };
            if is_end && !chosen.contains(&at) && sample.rows.iter().any(goes_on) {
                let column = &mut self.columns[at];
                column.set_likely(
                    PermitField::Expires,
                    "by its name; permits with another status have a date too",
                );
            }
        }
    }

    /// A day of expiry that nearly all permits have may be the one on which they will end.
    pub(super) fn ask_about_coming_ends(&mut self, shapes: &[ColumnShape], chosen: &[usize]) {
        for (at, shape) in shapes.iter().enumerate() {
            let name = &self.columns[at].name;
            let is_coming = self.columns[at].field == PermitField::Ended
                && !chosen.contains(&at)
                && PermitState::of_end(name) == Some(PermitState::Expired)
                && self.rows > 0
                && shape.filled * 10 >= self.rows * 8;
            if is_coming {
                let text = format!(
                    "{name}: nearly all permits have a date in it. Is it when they expired, or when they will?"
                );
                let answer = format!("--column '{name}=ended' or '{name}=expires'");
                self.ask(QuestionSubject::Column, text, answer);
            }
        }
    }

    /// The roles that a column names for the firms of another; without both columns neither says
    /// anything.
    pub(super) fn read_roles(&mut self, sample: &TableSample) {
        if !(self.has(PermitField::Firm) && self.has(PermitField::Role)) {
            let is_half = |field| matches!(field, PermitField::Firm | PermitField::Role);
            for column in self
                .columns
                .iter_mut()
                .filter(|column| is_half(column.field))
            {
                self.notes.push(format!(
                    "{} is not used: {}",
                    column.name,
                    match column.field {
                        PermitField::Role => "no column has the firms of these roles",
                        _ => "no column says what these firms do",
                    }
                ));
                column.field = PermitField::Nothing;
            }
            return;
        }
        for (_, values) in self.values_of(sample, |field| field == PermitField::Role) {
            for value in values {
                if !self.roles.iter().any(|(known, _)| known == value) {
                    self.roles.push((value.to_owned(), role_of(value)));
                }
            }
        }
        let others: Vec<&str> = self
            .roles
            .iter()
            .filter(|(_, role)| *role == OTHER_ROLE)
            .map(|(value, _)| value.as_str())
            .take(5)
            .collect();
        if !others.is_empty() {
            self.notes.push(format!(
                "firms of these roles become consultants: {}",
                others.join(", ")
            ));
        }
    }

    /// Columns that look useful and are not used, and what a queue of this file lacks.
    pub(super) fn note_unused_columns(&mut self, sample: &TableSample, shapes: &[ColumnShape]) {
        let mut notes: Vec<String> = Vec::new();
        let mut others: Vec<&str> = Vec::new();
        let has_note = |name: &str| {
            let begins = format!("{name} is not used");
            self.notes.iter().any(|note| note.starts_with(&begins))
        };
        for (column, shape) in self.columns.iter().zip(shapes) {
            let name = &column.name;
            if PermitState::of_end(name).is_some() {
                let is_used = matches!(
                    column.field,
                    PermitField::Status
                        | PermitField::Decision
                        | PermitField::Decided
                        | PermitField::Ended
                        | PermitField::Expires
                );
                if !is_used && shape.filled > 0 {
                    notes.push(format!(
                        "{name} is not used: permits with a value in it are imported as if they had not ended ({} of {} rows)",
                        shape.filled, self.rows
                    ));
                }
            } else if column.field == PermitField::Nothing
                && is_issue_flag(name)
                && shape.is_flags()
            {
                notes.push(format!(
                    "{name} is not used, because only {} of {} rows say yes or no: all are imported as issued",
                    shape.filled, self.rows
                ));
            } else if column.field != PermitField::Nothing {
            } else if let Some(kind) = shape.likely_kind() {
                notes.push(format!("{name} is not used; it looks like {kind}"));
            } else if is_unfit_coordinate(column) {
                notes.push(format!("{name} is not used: its values are not degrees"));
            } else if shape.filled > 0 && !has_note(name) {
                others.push(name.as_str());
            }
        }
        let is_list = |value: &String| value.starts_with("[{") || value.starts_with("[ {");
        for column in self.reports_of(PermitField::Address) {
            if column.samples.iter().any(is_list) {
                notes.push(format!(
                    "of the objects in {} only the address is read",
                    column.name
                ));
            }
        }
        if !others.is_empty() {
            let names = list_names(&others);
            notes.push(format!("kept with each signal, and not read: {names}"));
        }
        self.notes.extend(notes);
        let has_digit = |value: &String| value.contains(|c: char| c.is_ascii_digit());
        let has_number = self
            .reports_of(PermitField::StreetName)
            .flat_map(|column| &column.samples)
            .any(has_digit);
        let is_whole = self.has(PermitField::Address) || self.has(PermitField::StreetNumber);
        if self.has(PermitField::StreetName) && !is_whole && !has_number {
            self.notes.push(
                "no column has the street number: the permits of a street are at one place"
                    .to_owned(),
            );
        }
        let has_state = self.has(PermitField::State) || self.city.is_some();
        if !has_state && !self.names_states(sample) {
            self.notes
                .push("no column has the state: --city 'Springfield, IL' gives it".to_owned());
        }
        if !self.has(PermitField::Cost) {
            self.notes
                .push("no column has the cost: the queue shows none".to_owned());
        }
    }
}
