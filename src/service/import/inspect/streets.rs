//! The parts of an address that stand in columns of their own.

use super::shapes::ColumnShape;
use super::{ColumnReport, Confidence, Inspection, PermitField};
use crate::service::import::words;

impl Inspection {
    /// A column called `Number` that is not the permit's is the house's, where the street is apart.
    pub(super) fn find_street_number(&mut self, shapes: &[ColumnShape]) {
        let has_digit = |value: &String| value.contains(|c: char| c.is_ascii_digit());
        let is_without_numbers = self
            .reports_of(PermitField::Address)
            .any(|column| !column.samples.iter().any(has_digit));
        let is_apart = self.has(PermitField::StreetName) || is_without_numbers;
        if !is_apart || self.has(PermitField::StreetNumber) {
            return;
        }
        let is_number = |(column, shape): &(&mut ColumnReport, &ColumnShape)| {
            column.field == PermitField::Nothing
                && words::is_word_of("plain_number", &column.name)
                && shape.fits(PermitField::StreetNumber)
        };
        if let Some((column, _)) = self.columns.iter_mut().zip(shapes).find(is_number) {
            column.set_likely(
                PermitField::StreetNumber,
                "by its name, beside that of the street",
            );
        }
    }

    /// A number, a direction or a kind of street is no place without the name of the street.
    pub(super) fn leave_out_parts_of_streets(&mut self, chosen: &[usize]) {
        use PermitField::{
            Address, StreetDirection, StreetEnd, StreetName, StreetNumber, StreetNumberEnd,
            StreetSuffix,
        };
        // codes that look like kinds of streets say so only beside the street
        let is_street = |at: Option<usize>| {
            let column = at.and_then(|at| self.columns.get(at));
            column.is_some_and(|column| column.field == StreetName)
        };
        let strays: Vec<usize> = (0..self.columns.len())
            .filter(|at| {
                let column = &self.columns[*at];
                column.field == StreetSuffix
                    && column.confidence == Confidence::Likely
                    && !chosen.contains(at)
                    && !is_street(at.checked_sub(1))
                    && !is_street(Some(at + 1))
            })
            .collect();
        for at in strays {
            self.columns[at].leave_out("because it is not beside the street");
        }
        if self.has(StreetName) || self.has(Address) {
            return;
        }
        let parts = [
            StreetNumber,
            StreetNumberEnd,
            StreetDirection,
            StreetSuffix,
            StreetEnd,
        ];
        for (at, column) in self.columns.iter_mut().enumerate() {
            if parts.contains(&column.field) && !chosen.contains(&at) {
                column.leave_out("because no column has the street");
            }
        }
    }
}
