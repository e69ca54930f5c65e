//! Which field a name means, and whether its test is one that the field allows.

use std::fmt;

use serde_json::Value;
use uuid::Uuid;

use crate::domain::fuzzy::closest_match;
use crate::domain::vocabulary::{ValueKind, Vocabulary, VocabularyField};

use super::builder::ConditionPath;
use super::names::{find_field, interface_key};
use super::types::{Conditions, Test, join_with_or};
use super::values::{display_value, expected_value, is_iso_date};

/// The field that a condition names.
pub(super) struct FieldPath<'a> {
    pub(super) relation: Option<String>,
    pub(super) key: String,
    pub(super) field: Option<&'a VocabularyField>,
}

/// An error in a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConditionError {
    pub path: ConditionPath,
    /// In words that follow the key's name: `takes a range, from and to`.
    pub message: String,
}

impl<'a> FieldPath<'a> {
    /// Finds what a name like `city` or `has_account.role` means; a name that the fields do not
    /// have is kept as typed. `None` if no field can have that name.
    pub(super) fn find(name: &str, fields: &'a Vocabulary) -> Option<FieldPath<'a>> {
        let parts: Vec<&str> = name.split('.').map(str::trim).collect();
        let (key, relations) = parts.split_last()?;
        let path = match relations {
            [] => FieldPath::find_direct(key, fields),
            relations => {
                let relation = relations.join(".");
                let known = fields
                    .find(&relation)
                    .filter(|field| field.kind == ValueKind::Relation);
                let field = known.and_then(|known| find_field(&known.fields, key));
                FieldPath {
                    relation: Some(known.map_or(relation, |known| known.key.clone())),
                    key: field.map_or_else(|| (*key).to_owned(), |field| field.key.clone()),
                    field,
                }
            }
        };
        let is_name = |part: &&str| {
            !part.is_empty()
                && part
                    .chars()
                    .all(|c| c.is_alphanumeric() || "_-".contains(c))
        };
        (path.field.is_some() || parts.iter().all(is_name)).then_some(path)
    }

    /// A field of the records themselves; of signals also one of their project.
    fn find_direct(name: &str, fields: &'a Vocabulary) -> FieldPath<'a> {
        let project = fields.field("for_project");
        let of_project = project.and_then(|project| find_field(&project.fields, name));
        match (fields.find(name), project, of_project) {
            (None, Some(project), Some(field)) => FieldPath {
                relation: Some(project.key.clone()),
                key: field.key.clone(),
                field: Some(field),
            },
            (Some(field), ..) => FieldPath {
                relation: None,
                key: field.key.clone(),
                field: Some(field),
            },
            (None, ..) => FieldPath {
                relation: None,
                key: match fields.fields.is_empty() {
                    true => interface_key(name).to_owned(),
                    false => name.to_owned(),
                },
                field: None,
            },
        }
    }
}

impl fmt::Display for FieldPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.relation {
            Some(relation) => write!(f, "{relation}.{}", self.key),
            None => f.write_str(&self.key),
        }
    }
}

impl Vocabulary {
    /// The field of this name, as people type it.
    pub fn find(&self, name: &str) -> Option<&VocabularyField> {
        find_field(&self.fields, name)
    }

    pub fn condition_field(
        &self,
        conditions: &Conditions,
        place: ConditionPath,
    ) -> Option<&VocabularyField> {
        let (key, _) = conditions.condition(ConditionPath::at_top_level(place.index))?;
        let field = self.field(key)?;
        if place.inner_index.is_none() {
            Some(field)
        } else {
            field.field(conditions.condition(place)?.0)
        }
    }

    /// The errors, condition by condition. Without a vocabulary there are none.
    pub fn validate(&self, conditions: &Conditions) -> Vec<ConditionError> {
        if self.fields.is_empty() {
            return Vec::new();
        }
        let wrong = |path: ConditionPath| {
            let (key, test) = conditions.condition(path)?;
            let relation =
                self.condition_field(conditions, ConditionPath::at_top_level(path.index));
            let relation = relation.filter(|_| path.inner_index.is_some());
            if path.inner_index.is_some()
                && relation.is_none_or(|relation| relation.fields.is_empty())
            {
                return None;
            }
            let is_repeated = !self.is_local && conditions.is_repeated(path);
            let message = match self.condition_field(conditions, path) {
                Some(_) if is_repeated => "is there twice; use each field once".to_owned(),
                Some(field) => field.validate_test(test, self.is_local)?,
                None => {
                    let fields = relation.map_or(&self.fields, |relation| &relation.fields);
                    format!("is not a field; {}", suggest_field(fields, key))
                }
            };
            Some(ConditionError { path, message })
        };
        conditions
            .condition_paths()
            .into_iter()
            .filter_map(wrong)
            .collect()
    }

    /// Checks conditions.
    ///
    /// # Errors
    /// The first error, with the name of its field.
    pub fn check(&self, conditions: &Conditions) -> Result<(), String> {
        match self.validate(conditions).first() {
            Some(error) => {
                let name = conditions.path_name(error.path);
                Err(format!("{name} {}", error.message))
            }
            None => Ok(()),
        }
    }

    /// The same conditions with the keys and the types of these fields: while they were not known,
    /// a name was kept as typed and a value was a text.
    pub fn resolve(&self, conditions: &Conditions) -> Conditions {
        let mut resolved = Conditions::default();
        for condition in &conditions.0 {
            let one = Conditions(vec![condition.clone()]);
            let read = Conditions::parse_terms(one.to_terms(), self).unwrap_or(one);
            for (key, test) in read.0 {
                resolved.add(&key, test);
            }
        }
        resolved
    }

    /// The words that a word of a line of conditions may become: names with their usual operator,
    /// also of related records; after an operator, the values of the field.
    pub fn complete_word(
        &self,
        word: &str,
        values: impl Fn(&VocabularyField) -> Vec<String>,
    ) -> Vec<String> {
        let all = self.fields.iter().flat_map(|field| {
            let own = (field.key.clone(), field);
            let inner = move |inner| (format!("{}.{}", field.key, key_of(inner)), inner);
            field.fields.iter().map(inner).chain([own])
        });
        let Some(at) = word.find(['=', '~']) else {
            let excluded = if word.starts_with('!') { "!" } else { "" };
            return all
                .map(|(name, field)| format!("{excluded}{name}{}", field.usual_operator()))
                .collect();
        };
        let subject = &word[..=at];
        let name = word[..at].trim_matches(['!', '=', '<', '>']);
        let path = FieldPath::find(name, self);
        path.and_then(|path| path.field)
            .into_iter()
            .flat_map(values)
            .map(|value| match value.contains(char::is_whitespace) {
                true => format!("{subject}\"{value}\""),
                false => format!("{subject}{value}"),
            })
            .collect()
    }
}

fn key_of(field: &VocabularyField) -> &str {
    &field.key
}

impl VocabularyField {
    /// A typed value: a word of the list in any case, with blanks for underscores.
    pub(super) fn read_word(&self, text: &str) -> Value {
        let wanted = text.to_lowercase().replace(' ', "_");
        let words = self.values.iter().filter(|_| self.kind == ValueKind::Enum);
        let mut known = words.filter(|word| word.to_lowercase() == wanted);
        known.next().map_or(text, String::as_str).into()
    }

    /// The operator that a condition on the field usually has.
    fn usual_operator(&self) -> &'static str {
        match self.kind {
            ValueKind::Number if self.key == "days" => "<=",
            ValueKind::Number | ValueKind::Date => ">=",
            _ => "=",
        }
    }

    /// The error of a test of this field, if any.
    fn validate_test(&self, test: &Test, is_local: bool) -> Option<String> {
        match (&self.kind, test) {
            (ValueKind::Other(_), _) | (ValueKind::Relation, Test::Related(_)) => None,
            (ValueKind::Relation, _) => Some("needs its own conditions".to_owned()),
            (_, Test::Range { exclude: true, .. }) if !is_local => {
                Some("is a range; the service excludes no ranges".to_owned())
            }
            (ValueKind::Number | ValueKind::Date, Test::Range { min, max, .. }) => [min, max]
                .into_iter()
                .flatten()
                .find_map(|bound| self.validate_value(bound)),
            (ValueKind::Number | ValueKind::Date, _) => {
                Some("takes a range, from and to".to_owned())
            }
            (_, Test::Values { values, exact, .. }) => match values.as_slice() {
                [] => Some("needs a value".to_owned()),
                _ if *exact && !self.exact => {
                    Some("is always exact; exactly is for text".to_owned())
                }
                [_, _, ..] if !self.multi => Some("takes one value".to_owned()),
                values => values.iter().find_map(|value| self.validate_value(value)),
            },
            (
                _,
                Test::Range {
                    min: None,
                    max: None,
                    ..
                },
            ) if is_local => None,
            (ValueKind::Text, Test::Range { .. }) => Some("is a text: use =".to_owned()),
            (_, Test::Range { .. }) => Some("takes values, not a range".to_owned()),
            (_, Test::Related(_)) => Some("takes no conditions".to_owned()),
        }
    }

    fn validate_value(&self, value: &Value) -> Option<String> {
        let text = value.as_str();
        let is_right = match &self.kind {
            ValueKind::Number => value.is_number(),
            ValueKind::Date => text.is_some_and(is_iso_date),
            ValueKind::Boolean => value.is_boolean(),
            ValueKind::Uuid => text.is_some_and(|text| Uuid::try_parse(text).is_ok()),
            ValueKind::Text => value.is_string(),
            ValueKind::Enum if !self.values.is_empty() => {
                let known = text.is_some_and(|text| self.values.iter().any(|word| word == text));
                return (!known).then(|| self.suggest_value(&display_value(value)));
            }
            _ => return None,
        };
        let expected = || expected_value(&self.key, &self.kind);
        (!is_right).then(|| format!("needs {}, not {}", expected(), display_value(value)))
    }

    fn suggest_value(&self, value: &str) -> String {
        let near = closest_match(value, self.values.iter().map(String::as_str));
        let near = near.map_or_else(String::new, |near| format!(" (did you mean {near}?)"));
        format!(
            "has no value {value}{near}; use {}",
            join_with_or(&self.values)
        )
    }
}

/// The field that was probably meant, or all there are.
fn suggest_field(fields: &[VocabularyField], key: &str) -> String {
    let keys = || fields.iter().map(key_of);
    let shares_word = |name: &&str| {
        name.split('_')
            .any(|word| key.split('_').any(|other| word.starts_with(other)))
    };
    let near = closest_match(key, keys()).or_else(|| keys().find(shares_word));
    match near {
        Some(near) => format!("did you mean {near}?"),
        None => format!("the fields are {}", keys().collect::<Vec<_>>().join(", ")),
    }
}
