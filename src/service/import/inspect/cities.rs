//! The city of a row: in a column, behind the street of its address, or asked for.

use super::{Inspection, PermitField, QuestionSubject, TableSample};
use crate::service::import::values;

impl Inspection {
    /// Rows without a city need one of their own.
    pub(super) fn ask_for_missing_cities(&mut self, sample: &TableSample) {
        if self.city.is_some() {
            return;
        }
        let position = |field| self.columns.iter().position(|column| column.field == field);
        let (city, address) = (position(PermitField::City), position(PermitField::Address));
        let has_city = |row: &csv::StringRecord| {
            let cell = |at: Option<usize>| at.and_then(|at| row.get(at)).unwrap_or_default().trim();
            let city = Some(cell(city)).filter(|city| !values::is_nothing(city));
            city.is_some_and(|city| !values::city_name(city).is_empty())
                || values::city_of_address(cell(address)).is_some()
        };
        let without = sample.rows.iter().filter(|row| !has_city(row)).count();
        let text = match city {
            None if without == sample.rows.len() => "no column has the city".to_owned(),
            _ if without == 1 => format!("1 of {} rows names no city", sample.rows.len()),
            _ => format!("{without} of {} rows name no city", sample.rows.len()),
        };
        if without > 0 || sample.rows.is_empty() && city.is_none() {
            let answer = "--city 'Springfield, IL'".to_owned();
            self.ask(QuestionSubject::City, text, answer);
        }
    }

    /// Whether the states stand behind the cities: `Salem, OR`.
    pub(super) fn names_states(&self, sample: &TableSample) -> bool {
        let cities = self.values_of(sample, |field| field == PermitField::City);
        let mut cities = cities.iter().flat_map(|(_, values)| values);
        let addresses = self.values_of(sample, |field| field == PermitField::Address);
        let mut addresses = addresses.iter().flat_map(|(_, values)| values);
        cities.any(|city| !values::city_and_state(city).1.is_empty())
            || addresses.any(|address| values::city_of_address(address).is_some())
    }
}
