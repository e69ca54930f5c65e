//! Filters under construction: condition by condition, each checked against the vocabulary before
//! anything is sent.
//!
//! A condition is at the top level or within a relation. Errors are reported in words, and a filter
//! without errors is accepted by the service (interface: Filter grammar).

use serde_json::Value;
use uuid::Uuid;

use super::field_kind::humanize_key;
use super::filters::{Filter, Filters, display_value};
use super::vocabulary::{ValueKind, Vocabulary, VocabularyField};

/// The position of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ConditionPath {
    /// Its index, or that of its relation.
    pub index: usize,
    /// Its index within the relation.
    pub inner_index: Option<usize>,
}

impl ConditionPath {
    pub fn at_top_level(at: usize) -> ConditionPath {
        ConditionPath {
            index: at,
            inner_index: None,
        }
    }
}

/// An error in a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilterError {
    pub path: ConditionPath,
    /// In words that follow the key's name: `takes a range, from and to`.
    pub message: String,
}

impl Filters {
    /// All conditions in depth-first order.
    pub fn condition_paths(&self) -> Vec<ConditionPath> {
        let within = |at: usize, filter: &Filter| match filter {
            Filter::Relation(inner) => (0..inner.criteria().len())
                .map(|n| ConditionPath {
                    index: at,
                    inner_index: Some(n),
                })
                .collect(),
            _ => Vec::new(),
        };
        let all = self.criteria().iter().enumerate();
        all.flat_map(|(at, (_, filter))| {
            std::iter::once(ConditionPath::at_top_level(at)).chain(within(at, filter))
        })
        .collect()
    }

    pub fn condition(&self, place: ConditionPath) -> Option<(&str, &Filter)> {
        let (key, filter) = self.criteria().get(place.index)?;
        match (place.inner_index, filter) {
            (None, _) => Some((key, filter)),
            (Some(n), Filter::Relation(inner)) => inner.condition(ConditionPath::at_top_level(n)),
            (Some(_), _) => None,
        }
    }

    pub fn condition_mut(&mut self, place: ConditionPath) -> Option<&mut (String, Filter)> {
        let within = place.inner_index;
        let there = self.criteria_mut().get_mut(place.index)?;
        match (within, there) {
            (None, there) => Some(there),
            (Some(n), (_, Filter::Relation(inner))) => inner.criteria_mut().get_mut(n),
            (Some(_), _) => None,
        }
    }

    /// Removes a condition; a relation is removed with its conditions.
    pub fn remove_condition(&mut self, place: ConditionPath) {
        let list = match (place.inner_index, self.criteria_mut()) {
            (None, list) => list,
            (Some(_), list) => match list.get_mut(place.index) {
                Some((_, Filter::Relation(inner))) => inner.criteria_mut(),
                _ => return,
            },
        };
        let at = place.inner_index.unwrap_or(place.index);
        if at < list.len() {
            list.remove(at);
        }
    }

    /// Adds a blank condition on a key at the top level, or in the relation at `into`. Each key
    /// occurs once: an existing condition is returned as it is. The flag tells whether it is new.
    pub fn add_condition(
        &mut self,
        into: Option<usize>,
        field: &VocabularyField,
    ) -> (ConditionPath, bool) {
        let place = |n: usize| {
            into.map_or(ConditionPath::at_top_level(n), |at| ConditionPath {
                index: at,
                inner_index: Some(n),
            })
        };
        let list = match into.map(|at| self.criteria_mut().get_mut(at)) {
            Some(Some((_, Filter::Relation(inner)))) => inner.criteria_mut(),
            _ => self.criteria_mut(),
        };
        if let Some(n) = list.iter().position(|(key, _)| *key == field.key) {
            return (place(n), false);
        }
        list.push((field.key.clone(), field.empty_filter()));
        (place(list.len() - 1), true)
    }

    /// Inverts a condition: excluded or not, with such a related record or without.
    ///
    /// # Errors
    /// Why it cannot be inverted.
    pub fn invert_condition(
        &mut self,
        place: ConditionPath,
        vocabulary: &Vocabulary,
    ) -> Result<(), String> {
        let Some((key, filter)) = self.condition(place) else {
            return Err("no condition here".to_owned());
        };
        let twin = vocabulary
            .field(key)
            .and_then(|field| vocabulary.opposite_relation(field))
            .map(|twin| twin.key.clone());
        match (filter, twin) {
            (Filter::Field { .. }, _) => {}
            (Filter::Range { .. }, _) => {
                return Err(format!(
                    "{} is a range; ranges cannot be excluded",
                    humanize_key(key)
                ));
            }
            (Filter::Relation(_), None) => {
                return Err(format!("{} has no opposite here", humanize_key(key)));
            }
            (Filter::Relation(_), Some(twin))
                if self.criteria().iter().any(|(key, _)| *key == twin) =>
            {
                return Err(format!(
                    "{} is already used; use each field once",
                    humanize_key(&twin)
                ));
            }
            (Filter::Relation(_), Some(twin)) => {
                if let Some((key, _)) = self.condition_mut(place) {
                    *key = twin;
                }
                return Ok(());
            }
        }
        if let Some((_, Filter::Field { exclude, .. })) = self.condition_mut(place) {
            *exclude = !*exclude;
        }
        Ok(())
    }
}

impl Vocabulary {
    pub fn condition_field(
        &self,
        filters: &Filters,
        place: ConditionPath,
    ) -> Option<&VocabularyField> {
        let (key, _) = filters.condition(ConditionPath::at_top_level(place.index))?;
        let field = self.field(key)?;
        if place.inner_index.is_none() {
            Some(field)
        } else {
            field.field(filters.condition(place)?.0)
        }
    }

    /// The errors, condition by condition. Without a vocabulary there are none.
    pub fn validate(&self, filters: &Filters) -> Vec<FilterError> {
        if self.fields.is_empty() {
            return Vec::new();
        }
        let wrong = |place: ConditionPath| {
            let (key, filter) = filters.condition(place)?;
            let relation = self.condition_field(filters, ConditionPath::at_top_level(place.index));
            if place.inner_index.is_some()
                && relation.is_none_or(|relation| relation.fields.is_empty())
            {
                return None;
            }
            let words = match self.condition_field(filters, place) {
                Some(field) => field.validate_filter(filter)?,
                None => format!(
                    "is not a field here{}",
                    self.suggest_key(relation.filter(|_| place.inner_index.is_some()), key)
                ),
            };
            Some(FilterError {
                path: place,
                message: words,
            })
        };
        filters
            .condition_paths()
            .into_iter()
            .filter_map(wrong)
            .collect()
    }

    /// Suggests the key that was probably meant.
    fn suggest_key(&self, relation: Option<&VocabularyField>, key: &str) -> String {
        let fields = relation.map_or(&self.fields, |relation| &relation.fields);
        let shares = |field: &&VocabularyField| {
            field
                .key
                .split('_')
                .any(|word| key.split('_').any(|other| word.starts_with(other)))
        };
        fields
            .iter()
            .find(shares)
            .map(|field| format!("; {} is", field.key))
            .unwrap_or_default()
    }

    /// Converts each value to the type of its key: what was typed is a text until the vocabulary
    /// says otherwise.
    pub fn coerce_filters(&self, mut filters: Filters) -> Filters {
        for place in filters.condition_paths() {
            let Some(field) = self.condition_field(&filters, place).cloned() else {
                continue;
            };
            if let Some((_, filter)) = filters.condition_mut(place) {
                field.coerce_filter(filter);
            }
        }
        filters
    }
}

impl VocabularyField {
    /// The error of a filter on this key, if any.
    fn validate_filter(&self, filter: &Filter) -> Option<String> {
        match (&self.kind, filter) {
            (ValueKind::Other(_), _) | (ValueKind::Relation, Filter::Relation(_)) => None,
            (ValueKind::Relation, _) => Some("needs its own conditions".to_owned()),
            (ValueKind::Number | ValueKind::Date, Filter::Range { min, max }) => [min, max]
                .into_iter()
                .flatten()
                .find_map(|bound| self.validate_value(bound)),
            (ValueKind::Number | ValueKind::Date, _) => {
                Some("takes a range, from and to".to_owned())
            }
            (_, Filter::Field { values, exact, .. }) => match values.as_slice() {
                [] => Some("needs a value".to_owned()),
                _ if *exact && !self.exact => {
                    Some("is always exact; exactly is for text".to_owned())
                }
                [_, _, ..] if !self.multi => Some("takes one value".to_owned()),
                values => values.iter().find_map(|value| self.validate_value(value)),
            },
            (_, Filter::Range { .. }) => Some("takes values, not a range".to_owned()),
            (_, Filter::Relation(_)) => Some("takes no conditions".to_owned()),
        }
    }

    fn validate_value(&self, value: &Value) -> Option<String> {
        let text = value.as_str();
        let (is_right, takes) = match &self.kind {
            ValueKind::Number => (value.is_number(), "a number"),
            ValueKind::Date => (text.is_some_and(is_iso_date), "a date like 2026-07-02"),
            ValueKind::Boolean => (value.is_boolean(), "true or false"),
            ValueKind::Uuid => (
                text.is_some_and(|text| Uuid::try_parse(text).is_ok()),
                "the id of a record",
            ),
            ValueKind::Text => (value.is_string(), "text"),
            ValueKind::Enum if !self.values.is_empty() => {
                let known = text.is_some_and(|text| self.values.iter().any(|word| word == text));
                return (!known).then(|| {
                    format!(
                        "has no value {}; use {}",
                        display_value(value),
                        join_with_or(&self.values)
                    )
                });
            }
            _ => return None,
        };
        (!is_right).then(|| format!("takes {takes}, not {}", display_value(value)))
    }

    fn coerce_filter(&self, filter: &mut Filter) {
        if matches!(
            (&self.kind, &*filter),
            (
                ValueKind::Number | ValueKind::Date,
                Filter::Field { exclude: false, .. }
            )
        ) && let Ok(range) = self.empty_filter().with_value_text(&filter.value_text())
        {
            *filter = range;
        }
        if let Filter::Field { values, .. } = filter {
            for value in values.iter_mut().filter(|value| value.is_string()) {
                match (&self.kind, value.as_str()) {
                    (ValueKind::Boolean, Some("true" | "yes")) => *value = true.into(),
                    (ValueKind::Boolean, Some("false" | "no")) => *value = false.into(),
                    (ValueKind::Enum, Some(text)) => {
                        let wanted = text.to_lowercase().replace(' ', "_");
                        if let Some(word) = self
                            .values
                            .iter()
                            .find(|word| word.to_lowercase() == wanted)
                        {
                            *value = word.as_str().into();
                        }
                    }
                    _ => {}
                }
            }
        }
    }
}

/// `YYYY-MM-DD` and a valid date.
fn is_iso_date(text: &str) -> bool {
    text.len() == 10 && text.parse::<chrono::NaiveDate>().is_ok()
}

/// The text with its first letter in upper case.
pub fn capitalize(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(chars).collect()
    })
}

/// `a, b or c`.
pub fn join_with_or(words: &[String]) -> String {
    match words {
        [rest @ .., last] if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        words => words.concat(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn project_vocabulary() -> Vocabulary {
        let inner = json!([{"key": "role", "kind": "enum", "values": ["developer", "gc"]}, {"key": "name", "kind": "text"}]);
        serde_json::from_value(json!([
            {"key": "stage", "kind": "enum", "values": ["approved", "permitted"]}, {"key": "city", "kind": "text"},
            {"key": "stories", "kind": "number"}, {"key": "last_signal_at", "kind": "date"},
            {"key": "stories_known", "kind": "boolean", "multi": false}, {"key": "account_id", "kind": "uuid"},
            {"key": "has_account", "kind": "relation", "fields": inner}, {"key": "without_account", "kind": "relation", "fields": inner},
            {"key": "on_site", "kind": "relation", "fields": []},
        ]))
        .unwrap()
    }

    fn validation_messages(json: Value) -> Vec<String> {
        project_vocabulary()
            .validate(&Filters::from_json(&json).unwrap())
            .into_iter()
            .map(|issue| issue.message)
            .collect()
    }

    #[test]
    fn what_the_vocabulary_does_not_accept_is_explained() {
        for (filters, words) in [
            (
                json!({"stage": {"value": "built"}}),
                "has no value built; use approved or permitted",
            ),
            (
                json!({"stage": {"value": "approved", "exact_match": true}}),
                "exactly is for text",
            ),
            (
                json!({"stories": {"min": "2026-01-01"}}),
                "takes a number, not 2026-01-01",
            ),
            (
                json!({"last_signal_at": {"max": 5}}),
                "takes a date like 2026-07-02, not 5",
            ),
            (
                json!({"last_signal_at": {"max": "2026-02-31"}}),
                "takes a date",
            ),
            (
                json!({"stories": {"value": 5}}),
                "takes a range, from and to",
            ),
            (json!({"city": {"min": 5}}), "takes values, not a range"),
            (json!({"city": {"value": []}}), "needs a value"),
            (
                json!({"stories_known": {"value": [true, false]}}),
                "takes one value",
            ),
            (
                json!({"account_id": {"value": "7"}}),
                "takes the id of a record",
            ),
            (json!({"town": {"value": "Austin"}}), "is not a field here"),
            (
                json!({"account": {"value": "Austin"}}),
                "is not a field here; account_id is",
            ),
            (
                json!({"has_account": {"role": {"value": "plumber"}}}),
                "has no value plumber; use developer or gc",
            ),
            (
                json!({"has_account": {"stage": {"value": "approved"}}}),
                "is not a field here",
            ),
        ] {
            let said = validation_messages(filters.clone());
            assert!(
                said.len() == 1 && said[0].contains(words),
                "{filters}: {said:?}"
            );
        }
        let right = json!({"stage": {"value": ["approved"], "exclude": true}, "stories": {}, "has_account": {},
            "without_account": {"role": {"value": "gc"}}, "on_site": {"anything": {"value": "x"}}});
        assert_eq!(validation_messages(right), [""; 0]);
    }

    #[test]
    fn a_condition_is_added_once_inverted_and_removed() {
        let vocabulary = project_vocabulary();
        let mut filters = Filters::default();
        let relation = filters
            .add_condition(None, vocabulary.field("has_account").unwrap())
            .0;
        let role = vocabulary
            .field("has_account")
            .unwrap()
            .field("role")
            .unwrap();
        let (place, _) = filters.add_condition(Some(relation.index), role);
        *filters.condition_mut(place).unwrap() = (
            "role".to_owned(),
            role.empty_filter().with_value_text("gc").unwrap(),
        );
        assert_eq!(
            filters.add_condition(Some(relation.index), role),
            (place, false)
        );
        filters.invert_condition(place, &vocabulary).unwrap();
        filters.invert_condition(relation, &vocabulary).unwrap();
        assert_eq!(
            filters.to_json(),
            json!({"without_account": {"role": {"value": "gc", "exclude": true}}})
        );
        let stories = filters
            .add_condition(None, vocabulary.field("stories").unwrap())
            .0;
        assert!(
            filters
                .invert_condition(stories, &vocabulary)
                .unwrap_err()
                .contains("cannot be excluded")
        );
        filters.add_condition(None, vocabulary.field("has_account").unwrap());
        assert!(
            filters
                .invert_condition(relation, &vocabulary)
                .unwrap_err()
                .contains("already used")
        );
        filters.remove_condition(place);
        filters.remove_condition(stories);
        assert_eq!(
            filters.to_json(),
            json!({"without_account": {}, "has_account": {}})
        );
    }

    #[test]
    fn typed_values_are_coerced_to_the_kind_of_their_key() {
        let (_, typed) =
            Filters::parse_line("stage=Approved stories_known=yes stories=5 has_account.role=GC")
                .unwrap();
        let expected = json!({"stage": {"value": "approved"}, "stories_known": {"value": true}, "stories": {"min": 5, "max": 5},
            "has_account": {"role": {"value": "gc"}}});
        assert_eq!(
            project_vocabulary().coerce_filters(typed).to_json(),
            expected
        );
    }
}
