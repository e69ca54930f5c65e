//! Days in several columns, and days as moments.

use chrono::Timelike as _;

use super::shapes::ColumnShape;
use super::{Inspection, PermitField, QuestionSubject, TableSample};
use crate::service::import::dates;

impl Inspection {
    /// A column of years becomes a date with the column of months, and has no use without one.
    pub(super) fn join_year_and_month(&mut self, shapes: &[ColumnShape]) {
        let month = self
            .columns_of(PermitField::Month)
            .first()
            .map(|name| (*name).to_owned());
        let year = self
            .columns
            .iter()
            .position(|column| column.field == PermitField::Year);
        for (at, column) in self.columns.iter_mut().enumerate() {
            if let Some(month) = month
                .as_deref()
                .filter(|_| shapes[at].is_years() && column.field.is_date())
            {
                column.month = Some(month.to_owned());
            }
        }
        let is_dated = self
            .columns
            .iter()
            .any(|column| self.is_used_date(column.field));
        if let (Some(at), Some(month), false) = (year, month, is_dated) {
            let name = self.columns[at].name.clone();
            let text = format!("{name} and {month}: are they when permits were filed, or issued?");
            self.ask(
                QuestionSubject::Column,
                text,
                format!("--column '{name}=filed' or '{name}=issued'"),
            );
        }
    }

    pub(super) fn find_local_midnights(&mut self, sample: &TableSample) {
        let values = self.values_of(sample, |field| self.is_used_date(field));
        let of = |values: &[&str]| {
            values
                .iter()
                .filter_map(|text| dates::parse_instant(text))
                .collect::<Vec<_>>()
        };
        let in_the_night = values.iter().find_map(|(name, values)| {
            let is_utc = |text: &&&str| {
                text.ends_with(['Z', 'z'])
                    || text.ends_with("+00:00")
                    || text.bytes().all(|byte| byte.is_ascii_digit())
            };
            let moments = values.iter().filter(is_utc);
            let mut moments =
                moments.filter_map(|text| Some((name, *text, dates::parse_instant(text)?)));
            moments.find(|(.., moment)| (1..12).contains(&moment.hour()))
        });
        let first = values
            .iter()
            .find(|(_, values)| dates::are_local_midnights(&of(values)));
        let example = first.and_then(|(_, values)| {
            values
                .iter()
                .find_map(|text| Some((*text, dates::parse_instant(text)?)))
        });
        self.local_midnights = example.and_then(|(text, moment)| {
            let day = dates::day_beginning_at(moment)?.format("%-d %B %Y");
            Some(format!(
                "{text} is {} UTC, midnight of {day} in the city",
                moment.format("%H:%M")
            ))
        });
        if let (None, Some((name, text, moment))) = (&self.local_midnights, in_the_night) {
            self.notes.push(format!(
                "{name} has moments in UTC: {text} counts as {}, and may be the evening before in the city",
                moment.format("%-d %B")
            ));
        }
    }
}
