//! What tells permits apart whose number is used again.

use super::{Inspection, PermitField, QuestionSubject, TableSample};
use crate::service::import::dates::{self, DateOrder};
use crate::service::import::layout::YEAR;
use crate::service::import::permit_signals::{KeyPart, permit_key};
use crate::service::import::rejected_rows::is_total_line;
use crate::service::import::values;

impl Inspection {
    /// Numbers of permits are used again in every year, for every type or for every revision:
    /// chooses what tells such permits apart. What nothing tells apart is a question, because rows
    /// of one permit are merged. Where rows name their city, another city's permit is another one.
    pub(super) fn choose_key(&mut self, sample: &TableSample) {
        let first = |field| {
            self.columns_of(field)
                .first()
                .map(|name| (*name).to_owned())
        };
        let (revision, year, kind) = (
            first(PermitField::Revision),
            Some(YEAR.to_owned()),
            first(PermitField::Type),
        );
        let candidates = [
            vec![],
            vec![revision.clone()],
            vec![year.clone()],
            vec![kind.clone()],
            vec![revision.clone(), year.clone()],
            vec![revision, kind.clone()],
            vec![year, kind],
        ];
        let city = first(PermitField::City);
        let candidates = candidates
            .into_iter()
            .filter_map(|names| names.into_iter().collect::<Option<Vec<String>>>());
        let candidates =
            candidates.map(|names| city.iter().cloned().chain(names).collect::<Vec<String>>());
        let counted = candidates.map(|names| (self.count_unlike_rows(sample, &names), names));
        let Some(((rows, example), names)) = counted.min_by_key(|((rows, _), _)| *rows) else {
            return;
        };
        self.key = names;
        if rows > 0 {
            let text = format!(
                "{} the same number as another row, but not the same date, cost, address or status, such as {example}: are they the same permit?",
                match rows {
                    1 => "1 row has".to_owned(),
                    rows => format!("{rows} rows have"),
                }
            );
            let answer =
                "--key number if they are, or --key 'number,HEADING' with what tells them apart"
                    .to_owned();
            self.ask(QuestionSubject::Key, text, answer);
        } else if self.key.len() > city.iter().len() {
            self.notes.push(format!(
                "numbers are used again; a permit is its number{}",
                list_names(&self.key)
            ));
        }
    }

    /// How many rows are like an earlier one in their number and these columns, but have another
    /// date, cost, address or status; and the first such number.
    fn count_unlike_rows(&self, sample: &TableSample, names: &[String]) -> (usize, String) {
        let position = |name: &str| self.columns.iter().position(|column| column.name == name);
        let positions = |is_wanted: &dyn Fn(PermitField) -> bool| -> Vec<usize> {
            (0..self.columns.len())
                .filter(|at| is_wanted(self.columns[*at].field))
                .collect()
        };
        let dates = positions(&|field| self.is_used_date(field));
        let compared = positions(&|field| {
            use PermitField::{Address, Cost, Decision, Status, StreetName, StreetNumber};
            self.is_used_date(field)
                || matches!(
                    field,
                    Cost | Address | StreetName | StreetNumber | Status | Decision
                )
        });
        let Some(number) = self
            .columns_of(PermitField::Id)
            .first()
            .and_then(|name| position(name))
        else {
            return Default::default();
        };
        let parts: Vec<Option<usize>> = names.iter().map(|name| position(name)).collect();
        let city = self
            .columns_of(PermitField::City)
            .first()
            .and_then(|name| position(name));
        let order = self
            .dates
            .as_ref()
            .map_or(DateOrder::Ymd, |(order, _)| *order);
        let key = |row: &csv::StringRecord| -> String {
            let year = || {
                dates
                    .iter()
                    .filter_map(|at| dates::parse_ordered(cell(row, *at), order))
                    .min()
            };
            let part = |part: &Option<usize>| match part {
                Some(at) if city == Some(*at) => KeyPart::City(cell(row, *at)),
                Some(at) => KeyPart::Text(cell(row, *at)),
                None => KeyPart::Year(year()),
            };
            permit_key(cell(row, number), parts.iter().map(part))
        };
        let is_unlike = |one: &csv::StringRecord, other: &csv::StringRecord| {
            let differ = |at: &usize| {
                let (one, other) = (cell(one, *at), cell(other, *at));
                one != other && !one.is_empty() && !other.is_empty()
            };
            compared.iter().any(differ)
        };
        let mut seen: std::collections::HashMap<String, &csv::StringRecord> =
            std::collections::HashMap::new();
        let (mut rows, mut example) = (0, String::new());
        for row in sample
            .rows
            .iter()
            .filter(|row| !values::is_nothing(cell(row, number)) && !is_total_line(row))
        {
            let first = *seen.entry(key(row)).or_insert(row);
            if is_unlike(first, row) {
                rows += 1;
                if rows == 1 {
                    example = cell(row, number).to_owned();
                }
            }
        }
        (rows, example)
    }
}

/// Names behind another: `, City and year`.
fn list_names(names: &[String]) -> String {
    let Some((last, others)) = names.split_last() else {
        return String::new();
    };
    let others: String = others.iter().map(|name| format!(", {name}")).collect();
    format!("{others} and {last}")
}

/// The text of a cell.
fn cell(row: &csv::StringRecord, at: usize) -> &str {
    row.get(at).map(str::trim).unwrap_or_default()
}
