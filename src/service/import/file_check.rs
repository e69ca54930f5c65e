//! What a whole file says against its layout, before anything is written: its inspection has seen
//! some of the rows, or those of another file.
//!
//! Never here: what becomes of a row.

use std::collections::BTreeMap;

use super::columns::{CsvRow, PermitColumn, PermitColumns, PermitRow as _};
use super::dates::{self, DateOrder};
use super::layout::DecimalSign;
use super::questions::{Question, QuestionSubject, status_questions};
use super::{values, words};

/// A status column with more unknown values than these holds none.
const MAX_UNKNOWN: usize = 1_000;

/// The unknown values of a column with statuses, and how many rows have any value.
struct StatusCount<'c> {
    column: &'c PermitColumn,
    rows: usize,
    unknown: BTreeMap<String, usize>,
}

/// Values that can only be read in one way.
#[derive(Default)]
struct Evidence {
    /// How many can only be read as the layout says.
    own: usize,
    /// How many can only be read in another way.
    other: usize,
    /// The first of those, in words, and what reads it.
    example: Option<(String, String)>,
}

impl Evidence {
    fn add(&mut self, is_own: bool, example: impl FnOnce() -> (String, String)) {
        if is_own {
            self.own += 1;
        } else {
            self.other += 1;
            self.example.get_or_insert_with(example);
        }
    }

    /// The question whether the file is written in the other way, if most values say so.
    fn question(self, about: QuestionSubject, why: &str) -> Option<Question> {
        let (text, answer) = self.example.filter(|_| self.other > self.own)?;
        let rows = match self.other {
            1 => String::new(),
            count => format!(" ({count} values)"),
        };
        Some(Question {
            about,
            text: format!("{text}, but {why}{rows}"),
            answer,
            status: None,
        })
    }
}

/// The questions that the rows of a file raise about its layout.
pub struct FileCheck<'c> {
    columns: &'c PermitColumns<'c>,
    statuses: Vec<StatusCount<'c>>,
    /// The order of dates, if the layout has one: formats have one reading.
    order: Option<DateOrder>,
    /// The decimal sign, unless somebody wrote the layout by hand.
    sign: Option<DecimalSign>,
    order_of: Evidence,
    sign_of: Evidence,
    rows: usize,
    without_city: usize,
}

impl<'c> FileCheck<'c> {
    pub fn new(columns: &'c PermitColumns<'c>) -> Self {
        let layout = columns.layout;
        let of_both = columns.status.iter().chain(&columns.certificate);
        let statuses = of_both.map(|column| StatusCount {
            column,
            rows: 0,
            unknown: BTreeMap::new(),
        });
        let order = match layout.dates.as_slice() {
            [form] => DateOrder::from_word(form),
            _ => None,
        };
        let sign = layout
            .file
            .header
            .as_ref()
            .map(|_| layout.decimal.unwrap_or_default());
        FileCheck {
            columns,
            statuses: statuses.collect(),
            order,
            sign,
            order_of: Evidence::default(),
            sign_of: Evidence::default(),
            rows: 0,
            without_city: 0,
        }
    }

    /// Whether the rows can raise questions.
    pub fn is_needed(&self) -> bool {
        let is_read = self.order.is_some() || self.sign.is_some();
        is_read || !self.statuses.is_empty() || self.columns.layout.city.is_empty()
    }

    pub fn add_row(&mut self, row: &CsvRow<'_>) {
        self.rows += 1;
        if self.columns.layout.city.is_empty() && !row.get(&self.columns.permit).is_empty() {
            let (city, _) = self.columns.city_and_state(row);
            self.without_city += usize::from(city.is_empty());
        }
        for count in &mut self.statuses {
            let text = row.get(count.column);
            count.rows += usize::from(!text.is_empty());
            if !text.is_empty()
                && count.unknown.len() <= MAX_UNKNOWN
                && self.columns.layout.status.state_of(text).is_none()
                && !words::is_word_of("total", text)
            {
                *count.unknown.entry(text.to_owned()).or_default() += 1;
            }
        }
        if self.order.is_some() {
            self.add_dates(row);
        }
        if let Some(sign) = self.sign {
            self.add_figures(sign, row);
        }
    }

    fn add_dates(&mut self, row: &CsvRow<'_>) {
        let dates = self.columns.rules.iter().flat_map(|rule| &rule.dates);
        for column in dates
            .chain(&self.columns.decided)
            .chain(&self.columns.changed)
        {
            let text = column.text(row);
            if let [(only, day)] = dates::possible_dates(&text)[..] {
                self.order_of.add(Some(only) == self.order, || {
                    let day = day.format("%-d %B %Y");
                    let what = format!("{}: {text} can only be {day}", column.name());
                    (what, format!("--dates {}", only.word()))
                });
            }
        }
    }

    fn add_figures(&mut self, sign: DecimalSign, row: &CsvRow<'_>) {
        let columns = self.columns;
        let figures = [
            &columns.cost,
            &columns.area,
            &columns.stories,
            &columns.units,
        ];
        for column in figures.into_iter().flatten() {
            let text = row.get(column);
            let is_read = |sign| values::parse_number(text, sign).is_some();
            let other = sign.opposite();
            if is_read(sign) != is_read(other) {
                self.sign_of.add(is_read(sign), || {
                    let what = format!("{}: {text} is no number with this sign", column.name());
                    (what, format!("--decimal {}", other.as_char()))
                });
            }
        }
    }

    pub fn questions(self) -> Vec<Question> {
        let mut questions = Vec::new();
        for count in self.statuses {
            let name = count.column.name();
            if count.unknown.len() > MAX_UNKNOWN {
                questions.push(no_status(name));
            } else {
                let unknown = count.unknown.into_iter().collect();
                questions.extend(status_questions(name, unknown, count.rows));
            }
        }
        if self.without_city > 0 {
            questions.push(Question {
                about: QuestionSubject::City,
                text: format!("{} of {} rows name no city", self.without_city, self.rows),
                answer: "--city 'Springfield, IL'".to_owned(),
                status: None,
            });
        }
        let order = self.order.map_or("", DateOrder::description);
        let why = format!("the layout has the {order}");
        questions.extend(self.order_of.question(QuestionSubject::Dates, &why));
        let sign = self.sign.unwrap_or_default().as_char();
        let why = format!("the layout has the decimal sign {sign}");
        questions.extend(self.sign_of.question(QuestionSubject::Decimal, &why));
        questions
    }
}

/// The question about a column that has ever new values.
fn no_status(name: &str) -> Question {
    Question {
        about: QuestionSubject::Column,
        text: format!("{name}: more than {MAX_UNKNOWN} of its values are no known statuses"),
        answer: format!("--status '*=active', or import with --column '{name}=none'"),
        status: None,
    }
}
