//! Inspection of a table that no layout is known for: which column holds what, and how dates and
//! numbers are written, found in the names of the columns and in sample rows. What has two possible
//! readings becomes a question and is never guessed.
//!
//! Pure data in, report out. Never here: files (only [`sample`] reads one), printing.

use serde::Serialize;

use self::readings::Reading;
use self::shapes::ColumnShape;
use super::dates::{self, DateOrder};
use super::layout::DecimalSign;
use super::permit_state::PermitState;
use super::table::{Encoding, TableFormat};
use super::values;
use super::words::{self, PermitField};
use crate::domain::conditions::capitalize;
use crate::text;

mod cities;
mod days;
mod guess;
mod keys;
pub mod layout_text;
mod letters;
pub mod preview;
mod readings;
pub mod sample;
mod shapes;
mod statuses;
mod streets;

pub use super::questions::{Answers, Question, QuestionSubject};

/// Sample rows of a table.
#[derive(Clone, Debug)]
pub struct TableSample {
    pub format: TableFormat,
    pub header_line: u64,
    pub header: Vec<String>,
    /// With their line, where it is known.
    pub rows: Vec<csv::StringRecord>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    Unsure,
    Likely,
    Certain,
}

impl Confidence {
    pub fn word(self) -> &'static str {
        match self {
            Confidence::Unsure => "unsure",
            Confidence::Likely => "likely",
            Confidence::Certain => "certain",
        }
    }
}

/// What a column holds.
#[derive(Clone, Debug, Serialize)]
pub struct ColumnReport {
    pub name: String,
    pub field: PermitField,
    pub confidence: Confidence,
    /// Why, in words.
    pub reason: String,
    pub samples: Vec<String>,
    /// The column of months that makes dates of these years.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub month: Option<String>,
    #[serde(skip)]
    rank: (bool, std::cmp::Reverse<usize>),
}

impl ColumnReport {
    /// Makes it hold something else than its name alone says.
    fn set_likely(&mut self, field: PermitField, reason: &str) {
        (self.field, self.confidence) = (field, Confidence::Likely);
        self.reason = reason.to_owned();
    }

    /// Leaves it out.
    fn leave_out(&mut self, reason: &str) {
        (self.field, self.reason) = (PermitField::Nothing, reason.to_owned());
    }
}

/// What was found out about a table.
#[derive(Clone, Debug, Serialize)]
pub struct Inspection {
    pub format: TableFormat,
    pub header_line: u64,
    pub columns: Vec<ColumnReport>,
    /// The order of day and month; `None` if it does not matter, or is a question.
    pub dates: Option<(DateOrder, String)>,
    pub decimal: Option<(DecimalSign, String)>,
    /// Columns whose figures are multiplied, and with what.
    pub scales: Vec<(String, f64)>,
    /// The city and state of rows that name none.
    pub city: Option<(String, String)>,
    /// When it is midnight in the city, in UTC, and why.
    pub local_midnight: Option<(String, String)>,
    /// What identifies a permit with its number.
    pub key: Vec<String>,
    /// Values of the type that are demolitions.
    pub demolitions: Vec<String>,
    /// What the values of the decision and the status mean.
    pub statuses: Vec<(String, PermitState)>,
    /// What the values of the firms' role mean.
    pub roles: Vec<(String, &'static str)>,
    /// The encoding, if somebody said so.
    pub encoding: Option<Encoding>,
    pub questions: Vec<Question>,
    /// What a user should know, without an answer.
    pub notes: Vec<String>,
    /// How many rows were looked at.
    pub rows: usize,
}

/// Finds out what a table holds.
pub fn inspect(sample: &TableSample, answers: &Answers) -> Inspection {
    let shapes: Vec<ColumnShape> = (0..sample.header.len())
        .map(|at| {
            ColumnShape::from_values(
                sample
                    .rows
                    .iter()
                    .map(|row| row.get(at).unwrap_or_default()),
            )
        })
        .collect();
    let mut columns: Vec<ColumnReport> = sample
        .header
        .iter()
        .zip(&shapes)
        .map(|(name, shape)| guess::guess_column(name, shape))
        .collect();
    for (at, field) in &answers.columns {
        if let Some(column) = columns.get_mut(*at) {
            (column.field, column.confidence, column.reason) =
                (*field, Confidence::Certain, "chosen by you".to_owned());
            column.rank = (true, std::cmp::Reverse(0));
        }
    }
    let chosen: Vec<usize> = answers.columns.iter().map(|(at, _)| *at).collect();
    let mut found = Inspection {
        format: sample.format,
        header_line: sample.header_line,
        columns,
        dates: None,
        decimal: None,
        scales: Vec::new(),
        city: answers.city.clone(),
        local_midnight: None,
        key: answers.key.clone().unwrap_or_default(),
        demolitions: Vec::new(),
        statuses: Vec::new(),
        roles: Vec::new(),
        encoding: answers.encoding,
        questions: Vec::new(),
        notes: Vec::new(),
        rows: sample.rows.len(),
    };
    found.find_status_flag(&shapes, &chosen);
    found.leave_out_inspections(&chosen);
    found.ask_about_unfit_columns();
    found.find_expiry_date(sample, &chosen);
    found.keep_best_columns(&chosen);
    found.find_certificate_type(sample, &chosen);
    found.find_street_number(&shapes);
    found.leave_out_parts_of_streets(&chosen);
    found.join_year_and_month(&shapes);
    found.ask_for_missing_columns(sample);
    found.ask_for_missing_cities(sample);
    found.read_dates(sample, answers.dates);
    found.note_approval_date();
    found.find_local_midnight(sample);
    if answers.key.is_none() {
        found.choose_key(sample);
    }
    found.read_numbers(sample, answers.decimal);
    found.read_units(sample);
    found.find_demolitions(sample);
    found.read_statuses(sample, &answers.statuses);
    found.ask_about_coming_ends(&shapes, &chosen);
    found.read_roles(sample);
    found.note_unused_columns(sample, &shapes);
    if answers.encoding.is_none() {
        found.check_text(sample);
    }
    found
}

impl Inspection {
    /// Everything is clear.
    pub fn is_decided(&self) -> bool {
        self.questions.is_empty()
    }

    /// The names of the columns that hold a field, the best first.
    pub fn columns_of(&self, field: PermitField) -> Vec<&str> {
        let mut those: Vec<&ColumnReport> = self.reports_of(field).collect();
        those.sort_by_key(|column| std::cmp::Reverse(column.rank));
        those
            .into_iter()
            .map(|column| column.name.as_str())
            .collect()
    }

    fn reports_of(&self, field: PermitField) -> impl Iterator<Item = &ColumnReport> {
        self.columns
            .iter()
            .filter(move |column| column.field == field)
    }

    fn has(&self, field: PermitField) -> bool {
        self.reports_of(field).next().is_some()
    }

    fn ask(&mut self, about: QuestionSubject, text: String, answer: String) {
        self.questions.push(Question {
            about,
            text,
            answer,
            status: None,
        });
    }

    /// A column with the name of a date or figure whose values are something else.
    fn ask_about_unfit_columns(&mut self) {
        for at in 0..self.columns.len() {
            let column = self.columns[at].clone();
            if column.confidence != Confidence::Unsure || column.field == PermitField::AnyDate {
                continue;
            }
            // a city is asked for by itself
            let is_decisive = column.field != PermitField::City && column.field.is_in("decisive");
            let matters = is_decisive || column.field.is_figure();
            let is_held = self
                .reports_of(column.field)
                .any(|other| other.confidence != Confidence::Unsure);
            if matters && !is_held {
                let word = column.field.word();
                let text = format!(
                    "{}: is it the {}? {}",
                    column.name,
                    column.field.title(),
                    capitalize(&column.reason)
                );
                self.ask(
                    QuestionSubject::Column,
                    text,
                    format!(
                        "--column '{}={word}' or '{}=none'",
                        column.name, column.name
                    ),
                );
            } else if !is_held && column.rank.0 && column.field != PermitField::Nothing {
                let title = column.field.title();
                let note = format!(
                    "{} is not used as the {title}: {}",
                    column.name,
                    column.reason.trim_start_matches("by its name, but ")
                );
                self.notes.push(note);
            }
            self.columns[at].field = PermitField::Nothing;
        }
    }

    /// Of several columns for one thing the one with the best name stays; equal ones are a
    /// question.
    fn keep_best_columns(&mut self, chosen: &[usize]) {
        for field in words::fields_in("single")
            .iter()
            .chain(words::fields_in("list"))
        {
            let mut those: Vec<usize> = (0..self.columns.len())
                .filter(|at| self.columns[*at].field == *field)
                .collect();
            if those.len() < 2 {
                continue;
            }
            let key = |at: &usize| {
                (
                    chosen.contains(at),
                    self.columns[*at].rank,
                    self.columns[*at].confidence,
                )
            };
            those.sort_by_key(|at| std::cmp::Reverse(key(at)));
            let best = key(&those[0]);
            let equal: Vec<usize> = those.iter().copied().filter(|at| key(at) == best).collect();
            if equal.len() > 1 && field.is_in("decisive") {
                let names: Vec<&str> = equal
                    .iter()
                    .map(|at| self.columns[*at].name.as_str())
                    .collect();
                let text = format!(
                    "{} columns can be the {}: {}",
                    names.len(),
                    field.title(),
                    names.join(", ")
                );
                let answer = format!("--column '{}={}'", names[0], field.word());
                self.ask(QuestionSubject::Column, text, answer);
            }
            let is_list = field.is_in("list");
            let name = self.columns[those[0]].name.clone();
            if *field == PermitField::Issued {
                self.keep_approval_date(&mut those);
            }
            for at in &those[1..] {
                let is_exact = self.columns[*at].rank.0;
                if !is_list || !is_exact || equal.contains(at) {
                    self.columns[*at].field = PermitField::Nothing;
                    self.columns[*at].reason =
                        format!("because the {} is in {name}", field.title());
                }
            }
        }
    }

    fn ask_for_missing_columns(&mut self, sample: &TableSample) {
        let (heading, hint) = match self.format.unnamed {
            Some(_) => ("NUMBER", self.first_values()),
            None if self.lists_inspections() => {
                let hint = "; these look like inspections, not permits";
                ("HEADING", hint.to_owned())
            }
            None => ("HEADING", String::new()),
        };
        let is_asked = |word: &str, found: &Inspection| {
            found
                .questions
                .iter()
                .any(|question| question.answer.contains(&format!("={word}'")))
        };
        let dated = self
            .columns
            .iter()
            .any(|column| column.field.is_date_of_signal());
        let plain: Vec<String> = self
            .columns_of(PermitField::AnyDate)
            .into_iter()
            .map(str::to_owned)
            .collect();
        let is_decided = self.has(PermitField::Decision) || self.has(PermitField::Status);
        let dates = |field| {
            self.columns_of(field)
                .first()
                .map(|name| (*name).to_owned())
        };
        let is_only_decided = self
            .columns
            .iter()
            .filter(|column| column.field.is_date_of_signal())
            .all(|column| column.field == PermitField::Decided);
        if let Some(name) = dates(PermitField::Decided).filter(|_| is_only_decided && !is_decided) {
            self.ask(
                QuestionSubject::Column,
                format!("{name}: no column says what was decided{hint}"),
                format!("--column '{heading}=decision', or '{name}=issued' if all were granted"),
            );
        }
        if let Some(name) = plain.first().filter(|_| dated) {
            let rows = self.count_rows_dated_only_by(name, sample);
            let hint = match rows {
                0 => String::new(),
                1 => format!(" 1 of {} rows has no other date", sample.rows.len()),
                rows => format!(" {rows} of {} rows have no other date", sample.rows.len()),
            };
            if is_only_decided || rows > 0 && rows * 10 >= sample.rows.len() {
                self.ask(
                    QuestionSubject::Column,
                    format!("{name}: is it the date when permits were filed, or issued?{hint}"),
                    format!("--column '{name}=filed', '{name}=issued' or '{name}=none'"),
                );
            }
        }
        if !dated && !is_asked("issued", self) {
            match plain.first() {
                Some(name) => self.ask(
                    QuestionSubject::Column,
                    match self.dates_without_year(name) {
                        Some(date) => format!(
                            "{name}: its dates have no year, such as {date}; is another column the date?"
                        ),
                        None => {
                            format!("{name}: is it the date when permits were filed, or issued?")
                        }
                    },
                    format!("--column '{name}=filed', '{name}=issued' or '{name}=completed'"),
                ),
                None => self.ask(
                    QuestionSubject::Column,
                    format!("no column has the date when permits were filed or issued{hint}"),
                    format!("--column '{heading}=filed' or '{heading}=issued'"),
                ),
            }
        }
        if !self.has(PermitField::Id) && !is_asked("id", self) {
            self.ask(
                QuestionSubject::Column,
                format!("no column has the permit number{hint}"),
                format!("--column '{heading}=id'"),
            );
        }
        let placed = [
            PermitField::Address,
            PermitField::StreetName,
            PermitField::Parcel,
        ]
        .iter()
        .any(|field| self.has(*field));
        if !placed && !self.has(PermitField::Id) && self.format.unnamed.is_none() {
            self.notes.push(
                "this may not be a list of permits: no column has a permit number or an address"
                    .to_owned(),
            );
        }
        if !placed && !is_asked("address", self) {
            self.ask(
                QuestionSubject::Column,
                format!("no column has the address{hint}"),
                format!("--column '{heading}=address'"),
            );
        }
    }

    /// How many rows have a date in this column and none that makes a signal.
    fn count_rows_dated_only_by(&self, name: &str, sample: &TableSample) -> usize {
        let is_filled = |row: &csv::StringRecord, is_wanted: &dyn Fn(&ColumnReport) -> bool| {
            let mut cells = self.columns.iter().zip(row);
            cells.any(|(column, cell)| {
                let cell = cell.trim();
                is_wanted(column) && !cell.is_empty() && !values::is_nothing(cell)
            })
        };
        let rows = sample.rows.iter().filter(|row| {
            is_filled(row, &|column| column.name == name)
                && !is_filled(row, &|column| column.field.is_date_of_signal())
        });
        rows.count()
    }

    /// What the columns begin with, where they have no names.
    fn first_values(&self) -> String {
        let filled = self.columns.iter().zip(1..).filter_map(|(column, number)| {
            let value = text::truncate(column.samples.first()?, 24, "…");
            Some(format!("{number}: {value}"))
        });
        format!(
            "; the file has no header, and its columns begin with {}",
            filled.collect::<Vec<_>>().join(", ")
        )
    }

    /// Of several dates without a meaning one is used where no other date is.
    fn is_used_date(&self, field: PermitField) -> bool {
        let is_dated = || {
            self.columns
                .iter()
                .any(|column| column.field.is_date_of_signal())
        };
        field.is_date_of_signal()
            || field == PermitField::StatusDate
            || field == PermitField::AnyDate && !is_dated()
    }

    fn values_of<'s>(
        &self,
        sample: &'s TableSample,
        is_wanted: impl Fn(PermitField) -> bool,
    ) -> Vec<(String, Vec<&'s str>)> {
        let those = self
            .columns
            .iter()
            .enumerate()
            .filter(|(_, column)| is_wanted(column.field));
        those
            .map(|(at, column)| {
                let values = sample
                    .rows
                    .iter()
                    .filter_map(|row| row.get(at))
                    .map(str::trim)
                    .filter(|value| !value.is_empty());
                (column.name.clone(), values.collect())
            })
            .collect()
    }

    fn read_dates(&mut self, sample: &TableSample, answer: Option<DateOrder>) {
        let values = self.values_of(sample, |field| self.is_used_date(field));
        let columns: Vec<(&str, Vec<&str>)> = values
            .iter()
            .map(|(name, values)| (name.as_str(), values.clone()))
            .collect();
        match (answer, readings::read_date_order(&columns)) {
            (Some(order), _) => self.dates = Some((order, "chosen by you".to_owned())),
            (None, Reading::Only(order, why)) => self.dates = Some((order, why)),
            (None, Reading::Irrelevant) => {}
            (None, Reading::Ambiguous(text)) => self.ask(
                QuestionSubject::Dates,
                text,
                "--dates dmy or --dates mdy".to_owned(),
            ),
        }
        let Some((order, _)) = self.dates else { return };
        let short = columns.iter().find_map(|(name, values)| {
            let text = values.iter().find(|text| dates::has_short_year(text))?;
            let year = dates::parse_ordered(text, order)?.format("%Y");
            Some(format!(
                "years have two digits: {text} in {name} is in {year}"
            ))
        });
        self.notes.extend(short);
    }

    fn read_numbers(&mut self, sample: &TableSample, answer: Option<DecimalSign>) {
        if let Some(sign) = answer {
            self.decimal = Some((sign, "chosen by you".to_owned()));
            return;
        }
        let values = self.values_of(sample, PermitField::is_figure);
        let columns: Vec<(&str, Vec<&str>)> = values
            .iter()
            .map(|(name, values)| (name.as_str(), values.clone()))
            .collect();
        match readings::read_decimal_sign(&columns) {
            Reading::Only(sign, why) => self.decimal = Some((sign, why)),
            Reading::Irrelevant => {}
            Reading::Ambiguous(_) if self.is_american(&values) => {
                self.decimal = Some((
                    DecimalSign::Point,
                    "because dates have the month first, as in the United States".to_owned(),
                ));
            }
            Reading::Ambiguous(text) => self.ask(
                QuestionSubject::Decimal,
                text,
                "--decimal . or --decimal ,".to_owned(),
            ),
        }
    }

    /// What the headings of figures say: the currency, thousands, square meters.
    fn read_units(&mut self, sample: &TableSample) {
        let costs = self.values_of(sample, |field| field == PermitField::Cost);
        let areas = self.values_of(sample, |field| field == PermitField::Area);
        self.note_currencies(sample, &costs);
        for (name, _) in &areas {
            let has_unit =
                words::has_value_word("foot", name) || words::area_unit_in(name).is_some();
            if !has_unit && !matches!(self.dates, Some((DateOrder::Mdy, _))) {
                self.notes
                    .push(format!("{name} is taken to be in square feet"));
            }
        }
        let of_heading = [
            (costs, words::multiple_in as fn(&str) -> Option<f64>, ""),
            (areas, words::area_unit_in, " square feet"),
        ];
        let sign = self
            .decimal
            .as_ref()
            .map_or_else(DecimalSign::default, |(sign, _)| *sign);
        for (columns, factor_in, unit) in of_heading {
            for (name, values) in columns {
                let Some(factor) = factor_in(&name) else {
                    continue;
                };
                let example = values.iter().find_map(|text| {
                    let number = values::parse_scaled(text, sign, factor)?;
                    Some(format!(": {text} is {}", readings::group_thousands(number)))
                });
                self.notes.push(format!(
                    "{name} is in units of {factor}{unit}{}",
                    example.unwrap_or_default()
                ));
                self.scales.push((name, factor));
            }
        }
    }

    /// The currencies of costs that are not in dollars.
    fn note_currencies(&mut self, sample: &TableSample, costs: &[(String, Vec<&str>)]) {
        let mut columns = self.columns.iter();
        let column = columns.position(|column| words::is_word_of("currency", &column.name));
        let named = sample.rows.iter().filter_map(|row| row.get(column?));
        let named = named.filter_map(|code| words::currency_of_code(code.trim()));
        let of_rows: Vec<&str> = match column {
            Some(_) => named.collect(),
            None => (costs.iter().flat_map(|(_, values)| values))
                .filter_map(|value| words::currency_in(value))
                .collect(),
        };
        let of_heading = costs.iter().find_map(|(name, _)| words::currency_in(name));
        let rows = costs
            .iter()
            .map(|(_, values)| values.len())
            .max()
            .unwrap_or_default();
        let is_all = of_heading.is_some() || of_rows.len() >= rows;
        let mut currencies: Vec<&str> = Vec::new();
        for currency in of_heading.into_iter().chain(of_rows) {
            if !currencies.contains(&currency) {
                currencies.push(currency);
            }
        }
        if !currencies.is_empty() && rows > 0 {
            self.notes.push(format!(
                "{}costs are in {}; gantry keeps the figures and shows them as dollars",
                if is_all { "" } else { "some " },
                currencies.join(", ")
            ));
        }
    }

    /// A value of a column whose dates have no year.
    fn dates_without_year(&self, name: &str) -> Option<&str> {
        let column = self.columns.iter().find(|column| column.name == name)?;
        let mut samples = column.samples.iter();
        samples
            .find(|text| dates::lacks_year(text))
            .map(String::as_str)
    }

    /// Dates have the month first, and only commas are in doubt: they separate thousands.
    fn is_american(&self, values: &[(String, Vec<&str>)]) -> bool {
        let is_month_first = matches!(self.dates, Some((DateOrder::Mdy, _)));
        let plain = |value: &&str| value.contains(',') || !value.contains('.');
        is_month_first && values.iter().flat_map(|(_, values)| values).all(plain)
    }

    fn find_demolitions(&mut self, sample: &TableSample) {
        let words = words::value_words("demolition");
        let mut found: Vec<String> = Vec::new();
        for (_, values) in self.values_of(sample, |field| field == PermitField::Type) {
            for value in values {
                let normal = words::normalize(value);
                let names = words.iter().any(|word| {
                    normal.split(' ').any(|known| known == word)
                        || (word.len() > 5 && normal.contains(word.as_str()))
                });
                if names && !found.iter().any(|known| known == value) {
                    found.push(value.to_owned());
                }
            }
        }
        self.demolitions = found;
    }
}
