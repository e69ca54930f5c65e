//! Conditions on loaded queue rows.
//!
//! They are tested on this machine, so they cost nothing and may use what the service cannot filter
//! by; what is unknown about a row never matches, except an exclusion.

use super::conditions::{ConditionLine, TestMatcher, fold_word};
use super::row_columns::{
    Origin, ROW_COLUMNS, RowColumn, RowFacts, RowValue, WordSearch, find_column, queue_fields,
};
use super::vocabulary::ValueKind;

/// Conditions, prepared for many rows. Without any, every row matches.
#[derive(Clone, Debug)]
pub struct RowMatcher {
    /// In lowercase; excluded or not.
    words: Vec<(String, bool)>,
    tests: Vec<(Option<&'static RowColumn>, TestMatcher)>,
}

impl RowMatcher {
    pub fn new(line: &ConditionLine) -> RowMatcher {
        let words = line.words.iter();
        let tests = line.conditions.criteria().iter().map(|(key, test)| {
            let field = queue_fields().field(key);
            let kind = field.map_or(&ValueKind::Text, |field| &field.kind);
            (find_column(key), TestMatcher::new(test, kind))
        });
        RowMatcher {
            words: words
                .map(|words| (words.text.to_lowercase(), words.exclude))
                .collect(),
            tests: tests.collect(),
        }
    }

    /// The same without typos of similar texts: a rule about roofs is not about rooms.
    #[must_use]
    pub fn without_typos(mut self) -> RowMatcher {
        let tests = self.tests.into_iter();
        self.tests = tests
            .map(|(column, test)| (column, test.without_typos()))
            .collect();
        self
    }

    pub fn matches(&self, facts: &RowFacts<'_>) -> bool {
        let contains_words = |text: &str| {
            let mut columns = ROW_COLUMNS
                .iter()
                .filter(|column| column.word_search != WordSearch::Never);
            columns.any(|column| {
                let value = facts.value(column);
                let value = value.as_ref().and_then(RowValue::as_text);
                value.is_some_and(|value| {
                    value.to_lowercase().contains(text) || fold_word(value).contains(text)
                })
            })
        };
        self.tests.iter().all(|(column, test)| {
            let value = column.and_then(|column| facts.value(column));
            test.matches_known(value.as_ref())
        }) && self
            .words
            .iter()
            .all(|(text, exclude)| contains_words(text) != *exclude)
    }
}

/// Whether conditions test what only the description of a signal tells.
pub fn need_descriptions(line: &ConditionLine) -> bool {
    let is_described =
        |key: &str| find_column(key).is_some_and(|column| column.origin == Origin::Description);
    let mut conditions = line.conditions.criteria().iter();
    !line.words.is_empty() || conditions.any(|(key, _)| is_described(key))
}
