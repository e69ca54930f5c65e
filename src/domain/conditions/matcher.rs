//! Whether a value passes a test, as the service decides it.

use chrono::NaiveDate;
use serde_json::Value;

use crate::domain::fuzzy::{QueryText, lowercase};
use crate::domain::row_columns::RowValue;
use crate::domain::vocabulary::ValueKind;

use super::types::Test;
use super::values::display_value;

/// A test, prepared for many values.
#[derive(Clone, Debug)]
pub struct TestMatcher {
    expected: Expected,
    exclude: bool,
}

#[derive(Clone, Debug)]
enum Expected {
    Anything,
    Number(Option<f64>, Option<f64>),
    Day(Option<NaiveDate>, Option<NaiveDate>),
    Similar(Vec<QueryText>),
    /// The whole text, in any case.
    Text(Vec<String>),
    /// A word, in any case, with blanks for underscores: `permit_issued` is `Permit issued`.
    Word(Vec<String>),
    Nothing,
}

impl TestMatcher {
    /// Prepares the test of a field of this kind. Related records are never matched.
    pub fn new(test: &Test, kind: &ValueKind) -> TestMatcher {
        let expected = match test {
            Test::Values { values, exact, .. } => {
                let texts = values.iter().map(display_value);
                match kind {
                    ValueKind::Text if !exact => {
                        Expected::Similar(texts.map(|text| QueryText::new(&text)).collect())
                    }
                    ValueKind::Text => Expected::Text(texts.map(|text| lowercase(&text)).collect()),
                    _ => Expected::Word(texts.map(|text| fold_word(&text)).collect()),
                }
            }
            Test::Range { min, max, .. } => match (min, max) {
                (None, None) => Expected::Anything,
                (min, max) if min.iter().chain(max).all(Value::is_number) => {
                    let number = |bound: &Option<Value>| bound.as_ref().and_then(Value::as_f64);
                    Expected::Number(number(min), number(max))
                }
                (min, max) => {
                    let day = |bound: &Option<Value>| bound.as_ref()?.as_str()?.parse().ok();
                    Expected::Day(day(min), day(max))
                }
            },
            Test::Related(_) => Expected::Nothing,
        };
        TestMatcher {
            expected,
            exclude: test.is_excluded(),
        }
    }

    /// The same without typos of similar texts, for what acts on many rows.
    #[must_use]
    pub fn without_typos(mut self) -> TestMatcher {
        if let Expected::Similar(texts) = self.expected {
            let texts = texts.into_iter().map(QueryText::without_typos);
            self.expected = Expected::Similar(texts.collect());
        }
        self
    }

    /// Whether a value passes; `None` if the test is about values of another kind.
    pub fn matches(&self, value: &RowValue<'_>) -> Option<bool> {
        let is_met = match (&self.expected, value) {
            (Expected::Anything, _) => true,
            (Expected::Number(min, max), RowValue::Number(value)) => {
                min.is_none_or(|min| *value >= min) && max.is_none_or(|max| *value <= max)
            }
            (Expected::Day(min, max), RowValue::Date(value)) => {
                let day = value.date_naive();
                min.is_none_or(|min| day >= min) && max.is_none_or(|max| day <= max)
            }
            (Expected::Similar(sought), value) => {
                let text = value.as_text()?;
                sought.iter().any(|sought| sought.matches(text))
            }
            (Expected::Text(texts), value) => texts.contains(&lowercase(value.as_text()?)),
            (Expected::Word(words), value) => words.contains(&fold_word(value.as_text()?)),
            _ => return None,
        };
        Some(is_met != self.exclude)
    }

    /// As [`TestMatcher::matches`] for a value that may not be known: then only an exclusion
    /// matches.
    pub fn matches_known(&self, value: Option<&RowValue<'_>>) -> bool {
        value
            .and_then(|value| self.matches(value))
            .unwrap_or(self.exclude)
    }
}

/// A text in lowercase, with blanks for underscores.
pub(in crate::domain) fn fold_word(text: &str) -> String {
    lowercase(&text.replace('_', " "))
}
