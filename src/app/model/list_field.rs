//! The values of a list's columns: what its loaded rows are counted, grouped and narrowed by, on
//! this machine.

use chrono::NaiveDate;

use super::list_table::ColumnSpec;
use crate::app::format::{format_dollars, format_number, humanize};
pub use crate::domain::field_kind::FieldKind;
use crate::domain::lenient::Number;
use crate::domain::row_columns::RowValue;

impl FieldKind {
    /// A number of this kind, short: `$4.2M`, `1,240`.
    pub fn format_number(self, number: f64) -> String {
        match self {
            FieldKind::Money => format_dollars(&Number::Float(number)),
            _ => format_number(&Number::Float(number)),
        }
    }
}

/// The values of a row in a column: none if it is unknown, several in a list such as tags.
pub type RowValues<'a> = Vec<RowValue<'a>>;

/// What the rows of a line of a frequency table have in common.
#[derive(Clone, Debug, PartialEq)]
pub enum ValueBin {
    /// The value is not known.
    Unknown,
    Text(String),
    /// From the first number on, below the second; a single number if they are the same.
    Numbers(f64, f64),
    /// From the first day on, before the second.
    Days(NaiveDate, NaiveDate),
}

impl ValueBin {
    /// The bin of a value alone.
    pub fn of_value(value: &RowValue<'_>) -> ValueBin {
        match value {
            RowValue::Text(text) | RowValue::Ranked(_, text) => ValueBin::Text(text.to_string()),
            RowValue::Number(number) => ValueBin::Numbers(*number, *number),
            RowValue::Date(at) => {
                let day = at.date_naive();
                ValueBin::Days(day, day + chrono::Days::new(1))
            }
        }
    }

    pub fn contains(&self, values: &[RowValue<'_>]) -> bool {
        match self {
            ValueBin::Unknown => values.is_empty(),
            ValueBin::Text(text) => values.iter().any(|value| value.as_text() == Some(text)),
            ValueBin::Numbers(from, below) => values.iter().any(|value| match value {
                RowValue::Number(number) => number == from || (from..below).contains(&number),
                _ => false,
            }),
            ValueBin::Days(from, before) => values.iter().any(|value| match value {
                RowValue::Date(at) => (*from..*before).contains(&at.date_naive()),
                _ => false,
            }),
        }
    }

    /// As a line shows it.
    pub fn label(&self, kind: FieldKind) -> String {
        match self {
            ValueBin::Unknown => "not known".to_owned(),
            ValueBin::Text(text) if kind.is_word() => humanize(text),
            ValueBin::Text(text) => text.clone(),
            ValueBin::Numbers(from, below) if from == below => kind.format_number(*from),
            ValueBin::Numbers(from, below) => format!(
                "{} to {}",
                kind.format_number(*from),
                kind.format_number(*below)
            ),
            ValueBin::Days(from, before) => {
                use chrono::Datelike;
                match (*before - *from).num_days() {
                    ..=1 => from.to_string(),
                    2..=31 => from.format("%Y-%m").to_string(),
                    _ => from.year().to_string(),
                }
            }
        }
    }
}

/// A condition on the values of a column: a row has one of them.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueFilter {
    pub column: ColumnSpec,
    pub bins: Vec<ValueBin>,
}

impl ValueFilter {
    pub fn matches(&self, values: &[RowValue<'_>]) -> bool {
        self.bins.iter().any(|bin| bin.contains(values))
    }

    /// In words: `stage: permitted, design`.
    pub fn label(&self) -> String {
        let bins: Vec<String> = self
            .bins
            .iter()
            .map(|bin| bin.label(self.column.kind))
            .collect();
        format!("{}: {}", self.column.title(), bins.join(", "))
    }
}
