//! Conditions under construction, one by one: at the top level or within a relation.

use super::types::{Conditions, Test};
use super::values::{is_above, read_range};
use crate::domain::field_kind::humanize_key;
use crate::domain::quoting::split_alternatives;
use crate::domain::vocabulary::{Vocabulary, VocabularyField};

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

impl Conditions {
    /// All conditions in depth-first order.
    pub fn condition_paths(&self) -> Vec<ConditionPath> {
        let within = |at: usize, filter: &Test| match filter {
            Test::Related(inner) => (0..inner.criteria().len())
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

    pub fn condition(&self, place: ConditionPath) -> Option<(&str, &Test)> {
        let (key, filter) = self.criteria().get(place.index)?;
        match (place.inner_index, filter) {
            (None, _) => Some((key, filter)),
            (Some(n), Test::Related(inner)) => inner.condition(ConditionPath::at_top_level(n)),
            (Some(_), _) => None,
        }
    }

    pub fn condition_mut(&mut self, place: ConditionPath) -> Option<&mut (String, Test)> {
        let within = place.inner_index;
        let there = self.criteria_mut().get_mut(place.index)?;
        match (within, there) {
            (None, there) => Some(there),
            (Some(n), (_, Test::Related(inner))) => inner.criteria_mut().get_mut(n),
            (Some(_), _) => None,
        }
    }

    /// Removes a condition; a relation is removed with its conditions.
    pub fn remove_condition(&mut self, place: ConditionPath) {
        let list = match (place.inner_index, self.criteria_mut()) {
            (None, list) => list,
            (Some(_), list) => match list.get_mut(place.index) {
                Some((_, Test::Related(inner))) => inner.criteria_mut(),
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
            Some(Some((_, Test::Related(inner)))) => inner.criteria_mut(),
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
            (Test::Values { .. }, _) => {}
            (Test::Range { .. }, _) => {
                return Err(format!(
                    "{} is a range; ranges cannot be excluded",
                    humanize_key(key)
                ));
            }
            (Test::Related(_), None) => {
                return Err(format!("{} has no opposite here", humanize_key(key)));
            }
            (Test::Related(_), Some(twin))
                if self.criteria().iter().any(|(key, _)| *key == twin) =>
            {
                return Err(format!(
                    "{} is already used; use each field once",
                    humanize_key(&twin)
                ));
            }
            (Test::Related(_), Some(twin)) => {
                if let Some((key, _)) = self.condition_mut(place) {
                    *key = twin;
                }
                return Ok(());
            }
        }
        if let Some((_, Test::Values { exclude, .. })) = self.condition_mut(place) {
            *exclude = !*exclude;
        }
        Ok(())
    }

    /// Whether an earlier condition beside it has the same field.
    pub(super) fn is_repeated(&self, place: ConditionPath) -> bool {
        let at = |n| match place.inner_index {
            Some(_) => ConditionPath {
                inner_index: Some(n),
                ..place
            },
            None => ConditionPath::at_top_level(n),
        };
        let key = |place| self.condition(place).map(|(key, _)| key);
        (0..place.inner_index.unwrap_or(place.index)).any(|n| key(at(n)) == key(place))
    }

    /// The name of a condition's field, with its relation.
    pub(super) fn path_name(&self, place: ConditionPath) -> String {
        let relation = ConditionPath::at_top_level(place.index);
        let key = |place| self.condition(place).map_or("", |(key, _)| key);
        match place.inner_index {
            Some(_) => format!("{}.{}", key(relation), key(place)),
            None => key(place).to_owned(),
        }
    }
}

impl Test {
    /// The same test of a field with a typed value.
    ///
    /// # Errors
    /// The invalid bound, in words that follow the name of the field.
    pub fn with_value_text(&self, field: &VocabularyField, text: &str) -> Result<Test, String> {
        Ok(match self {
            Test::Values { exact, exclude, .. } => Test::Values {
                values: split_alternatives(text)
                    .map(|text| field.read_word(&text))
                    .collect(),
                exact: *exact,
                exclude: *exclude,
            },
            Test::Range { exclude, .. } => {
                let (min, max) = read_range(&field.key, Some(&field.kind), text)?;
                if is_above(min.as_ref(), max.as_ref()) {
                    return Err(format!("needs the lower value first, not {text}"));
                }
                Test::Range {
                    min,
                    max,
                    exclude: *exclude,
                }
            }
            Test::Related(inner) => Test::Related(inner.clone()),
        })
    }
}
