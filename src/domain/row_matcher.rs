//! Conditions on loaded queue rows.
//!
//! They are tested on this machine, so they cost nothing and may use what the service cannot filter
//! by; what is unknown about a row never matches, except an exclusion.

use super::conditions::{ConditionLine, TestMatcher, fold_word};
use super::queue::{QueueFilter, QueueSignal};
use super::queue_tabs::ListSettings;
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

/// The settings of a tab as a test of rows on this machine.
pub struct TabMatcher<'a> {
    filter: &'a QueueFilter,
    conditions: RowMatcher,
}

impl<'a> TabMatcher<'a> {
    pub fn new(settings: &'a ListSettings) -> TabMatcher<'a> {
        TabMatcher {
            filter: &settings.filter,
            conditions: RowMatcher::new(&settings.local_conditions()),
        }
    }

    /// The same for what acts on its own proposal: see [`RowMatcher::without_typos`].
    #[must_use]
    pub fn without_typos(self) -> TabMatcher<'a> {
        TabMatcher {
            conditions: self.conditions.without_typos(),
            ..self
        }
    }

    /// The facts are gathered only for a row that its type and its priority leave.
    pub fn matches<'f>(&self, row: &QueueSignal, facts: impl FnOnce() -> RowFacts<'f>) -> bool {
        let kind = row.signal.signal_type.as_ref();
        let has_type = kind.is_some_and(|kind| self.filter.signal_type.contains(kind));
        let priority = row.priority.as_ref();
        let has_priority = priority.is_some_and(|priority| self.filter.priority.contains(priority));
        (self.filter.signal_type.is_empty() || has_type)
            && (self.filter.priority.is_empty() || has_priority)
            && self.conditions.matches(&facts())
    }
}

/// Whether conditions test what only the description of a signal tells.
pub fn need_descriptions(line: &ConditionLine) -> bool {
    let is_described =
        |key: &str| find_column(key).is_some_and(|column| column.origin == Origin::Description);
    let mut conditions = line.conditions.criteria().iter();
    !line.words.is_empty() || conditions.any(|(key, _)| is_described(key))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_tab_that_acts_takes_no_other_city_for_a_typo_of_its_own() {
        let row: QueueSignal = serde_json::from_value(json!({
            "id": "018f4d3a-0000-7000-8000-000000000007", "project_name": "Yard 7"
        }))
        .unwrap();
        let settings = |city: &str| ListSettings {
            filter: QueueFilter {
                city: city.to_owned(),
                ..QueueFilter::default()
            },
            ..ListSettings::default()
        };
        let facts = || RowFacts {
            city: Some("Austin"),
            is_city_certain: true,
            ..RowFacts::of_row(&row, None)
        };
        for (city, shown, proposed) in [
            ("Austin", true, true),
            ("Austn", true, false),
            ("Dallas", false, false),
        ] {
            let settings = settings(city);
            let matches = |matcher: TabMatcher| matcher.matches(&row, facts);
            assert_eq!(matches(TabMatcher::new(&settings)), shown, "{city}");
            assert_eq!(
                matches(TabMatcher::new(&settings).without_typos()),
                proposed,
                "{city}"
            );
        }
    }
}
