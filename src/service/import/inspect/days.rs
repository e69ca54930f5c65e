//! Days in several columns, and days as moments.

use chrono::{DateTime, Timelike as _, Utc};

use super::shapes::ColumnShape;
use super::{Inspection, PermitField, QuestionSubject, TableSample};
use crate::service::import::permit_state::PermitState;
use crate::service::import::{dates, values, words};

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

    /// Of the columns that could have the issue date, the best first: `Approved Date` beside `Issued
    /// Date` is when the permit was decided.
    pub(super) fn keep_approval_date(&mut self, those: &mut Vec<usize>) {
        let is_approval =
            |at: usize| PermitState::find_in(&self.columns[at].name) == Some(PermitState::Approved);
        if is_approval(those[0]) || self.has(PermitField::Decided) {
            return;
        }
        if let Some(place) = those.iter().position(|at| is_approval(*at)) {
            let at = those.remove(place);
            let reason = format!("by its name, beside {}", self.columns[those[0]].name);
            (self.columns[at].field, self.columns[at].reason) = (PermitField::Decided, reason);
        }
    }

    /// An approval says nothing more of a permit that was issued.
    pub(super) fn note_approval_date(&mut self) {
        let name_of = |field| {
            self.columns_of(field)
                .first()
                .map(|name| (*name).to_owned())
        };
        let approved = name_of(PermitField::Decided);
        let approved =
            approved.filter(|name| PermitState::find_in(name) == Some(PermitState::Approved));
        if let (Some(approved), Some(issued)) = (approved, name_of(PermitField::Issued)) {
            let note = format!("{approved} counts for permits that have no date in {issued}");
            self.notes.push(note);
        }
    }

    /// When it is midnight in the city, if the moments of a column say it: they are all on the hour,
    /// and the city can be where that hour is midnight. What is not decided is named.
    pub(super) fn find_local_midnight(&mut self, sample: &TableSample) {
        let columns = self.values_of(sample, |field| self.is_used_date(field));
        let side = self.find_side(sample);
        for (name, values) in columns {
            let moments: Vec<(&str, DateTime<Utc>)> = values
                .into_iter()
                .filter(|text| is_in_utc(text))
                .filter_map(|text| Some((text, dates::parse_instant(text)?)))
                .collect();
            let times: Vec<DateTime<Utc>> = moments.iter().map(|(_, moment)| *moment).collect();
            let Some((text, moment)) = moments.first() else {
                continue;
            };
            let is_same_time = dates::are_local_midnights(&times);
            if is_same_time && side.has_midnights(&times) {
                let day = dates::day_beginning_at(*moment).map(|day| day.format("%-d %B %Y"));
                let why = format!(
                    "{text} is {} UTC, midnight of {} in the city",
                    moment.format("%H:%M"),
                    day.map(|day| day.to_string()).unwrap_or_default()
                );
                let time = moment.format("%H:%M").to_string();
                self.local_midnight.get_or_insert((time, why));
                continue;
            }
            let early = moments
                .iter()
                .find(|(_, moment)| (1..12).contains(&moment.hour()));
            let day = |moment: &DateTime<Utc>| moment.format("%-d %B").to_string();
            if is_same_time {
                self.notes.push(format!(
                    "{name}: {text} counts as {}; if it is midnight in the city, write local_midnight = \"{}\" in the layout",
                    day(moment),
                    moment.format("%H:%M")
                ));
            } else if let Some((text, moment)) = early {
                self.notes.push(format!(
                    "{name} has moments in UTC: {text} counts as {}, and may be the evening before in the city",
                    day(moment)
                ));
            }
        }
    }

    /// Which side of Greenwich the city is on, by its longitude or its state.
    fn find_side(&self, sample: &TableSample) -> Side {
        let longitudes = self.values_of(sample, |field| field == PermitField::Longitude);
        let of_column = longitudes.iter().flat_map(|(_, values)| values);
        let points = self.values_of(sample, |field| field == PermitField::Point);
        let of_point = points.iter().flat_map(|(_, values)| values);
        let longitude = of_column
            .filter_map(|text| values::parse_coordinate(text))
            .chain(of_point.filter_map(|text| Some(values::parse_point(text)?.1)))
            .find(|longitude| *longitude != 0.0 && longitude.abs() <= 180.0);
        if let Some(longitude) = longitude {
            return Side::At(longitude);
        }
        let columns = self.values_of(sample, |field| field == PermitField::State);
        let of_rows = columns.iter().flat_map(|(_, values)| values).copied();
        let cities = self.values_of(sample, |field| field == PermitField::City);
        let of_cities = cities
            .iter()
            .flat_map(|(_, values)| values)
            .map(|city| values::city_and_state(city).1);
        let answered = self.city.iter().map(|(_, state)| state.as_str());
        let mut states: Vec<&str> = of_rows
            .chain(of_cities)
            .filter(|state| !state.is_empty())
            .collect();
        // an answer is about rows that name no city
        if !self.has(PermitField::City) {
            states.extend(answered);
        }
        let is_in = |lists: &[&str]| {
            let is_one = |state: &&str| lists.iter().any(|list| words::is_word_of(list, state));
            !states.is_empty() && states.iter().all(is_one)
        };
        match (
            is_in(&["state_code", "western_state"]),
            is_in(&["eastern_state"]),
        ) {
            (true, false) => Side::West,
            (false, true) => Side::East,
            _ => Side::Unknown,
        }
    }
}

/// Where a city is.
enum Side {
    At(f64),
    West,
    East,
    Unknown,
}

impl Side {
    /// Whether all these moments can be midnight there.
    fn has_midnights(&self, moments: &[DateTime<Utc>]) -> bool {
        let hour = |moment: &DateTime<Utc>| f64::from(moment.num_seconds_from_midnight()) / 3600.0;
        let hours: Vec<f64> = moments.iter().map(hour).collect();
        let is_noon = hours.iter().all(|hour| *hour == 12.0);
        let is_east = |hour: &f64| *hour >= 11.0;
        match self {
            // clocks differ from the sun by up to three hours
            Side::At(longitude) => hours.iter().all(|hour| {
                let offset = if is_east(hour) { 24.0 - hour } else { -hour };
                (offset - longitude / 15.0).abs() <= 3.0
            }),
            Side::West => !hours.iter().any(is_east),
            Side::East => !is_noon,
            // Europe is where all of them are late; a day of work elsewhere is over by then
            Side::Unknown => hours.iter().all(|hour| !(11.0..21.0).contains(hour)),
        }
    }
}

/// Whether a moment is written in UTC.
fn is_in_utc(text: &str) -> bool {
    text.ends_with(['Z', 'z'])
        || text.ends_with("+00:00")
        || text.ends_with("+00")
        || text.bytes().all(|byte| byte.is_ascii_digit())
}
