//! The phrases of a question: places, values of enums and related records.

use serde_json::json;

use super::lexicon::{STATE_NAMES, spellings, starts_with, starts_with_value};
use super::{LastCondition, Negation, QuestionParser};
use crate::domain::conditions::capitalize;
use crate::service::dataset::Dataset;
use crate::service::fuzzy;
use crate::service::search::fields::{FilterKey, FilterKind};

/// Codes of states that are more often meant as something else.
const AMBIGUOUS_PLACES: &[(&str, &str)] = &[("la", "Los Angeles or Louisiana")];

/// A value of an enum: the words, the relation, the key and the value.
pub(super) type FoundValue = (
    usize,
    Option<&'static FilterKey>,
    &'static FilterKey,
    &'static str,
);

impl QuestionParser {
    /// The relation that a place belongs to: none for the records themselves; or `None` if they
    /// have no places.
    fn place_relation(&self) -> Option<Option<&'static FilterKey>> {
        let has_state = |relation: &&'static FilterKey| {
            relation
                .inner_keys(self.grammar)
                .iter()
                .any(|field| field.key == "state")
        };
        let attached = self
            .last
            .filter(|_| self.conjunction.is_none())
            .and_then(|last| last.relation)
            .filter(has_state);
        let own = self.keys.iter().any(|field| field.key == "state");
        match (attached, self.dataset) {
            (Some(relation), Dataset::Accounts | Dataset::Contacts) => Some(Some(relation)),
            _ if own => Some(None),
            (_, Dataset::Signals) => {
                Some(self.relations().find(|field| field.key == "for_project"))
            }
            _ => None,
        }
    }

    /// A state or a city by its whole name; a city by itself only if it is no other word.
    pub(super) fn find_place(
        &self,
        words: &[String],
        with_cities: bool,
    ) -> Option<(&'static str, String, usize)> {
        let states = STATE_NAMES
            .split(',')
            .filter_map(|state| state.rsplit_once(' '));
        let spelled = |(name, code): (&'static str, &'static str)| {
            let spelled: Vec<&str> = name.split(' ').collect();
            starts_with(words, &spelled).then_some(("state", code.to_owned(), spelled.len()))
        };
        let state = states
            .filter_map(spelled)
            .max_by_key(|(_, _, count)| *count);
        let city = || {
            // a comma or "&" is no part of a name
            let room = words
                .iter()
                .take(4)
                .take_while(|word| !fuzzy::tokenize(word).is_empty())
                .count();
            (1..=room).rev().find_map(|count| {
                let sought = fuzzy::tokenize(&words[..count].join(" "));
                let city = self
                    .cities
                    .iter()
                    .find(|(tokens, _)| *tokens == sought && !sought.is_empty())?;
                Some(("city", city.1.clone(), count))
            })
        };
        let city = if with_cities { city() } else { None };
        match (state, city) {
            (Some(state), Some(city)) if city.2 > state.2 => Some(city),
            (Some(state), _) => Some(state),
            (None, city) => city,
        }
    }

    /// A state or a city: after "in" or "outside", as one of several, or by itself.
    pub(super) fn parse_place(&mut self, all: &[String]) -> usize {
        let Some(relation) = self.place_relation() else {
            return 0;
        };
        let after = [
            &["outside", "of"][..],
            &["outside"],
            &["city", "of"],
            &["state", "of"],
            &["in", "the", "city", "of"],
            &["based", "in"],
            &["in"],
        ]
        .into_iter()
        .find(|start| starts_with(all, start));
        let words = &all[after.map_or(0, <[_]>::len)..];
        if words.is_empty() {
            return 0;
        }
        let last = self.last.filter(LastCondition::is_place);
        let code_may_follow =
            after.is_some() || last.is_some() && !["in", "me", "or"].contains(&words[0].as_str());
        if let Some((code, names)) = AMBIGUOUS_PLACES
            .iter()
            .find(|(code, _)| code_may_follow && words[0] == *code)
        {
            self.translation
                .unmatched
                .push(format!("{code} ({names}?)"));
            return all.len() - words.len() + 1;
        }
        let code = words[0].to_uppercase();
        let by_code = || {
            let known = STATE_NAMES
                .split(',')
                .filter_map(|state| state.rsplit_once(' '))
                .any(|(_, known)| known == code);
            (code_may_follow && known).then(|| ("state", code.clone(), 1))
        };
        let Some((key, name, count)) = self.find_place(words, true).or_else(by_code) else {
            return if after.is_some() {
                self.suggest_place(all, words)
            } else {
                0
            };
        };
        let taken = all.len() - words.len() + count;
        if words
            .get(count)
            .is_some_and(|word| word == "county" || word == "counties")
        {
            return self.ignore(all, taken + 1);
        }
        if all[0] == "outside" {
            self.negation = Negation::Pending("outside".to_owned());
        }
        self.add_value(relation, key, &name, &all[..taken]);
        taken
    }

    /// A place after "in" that is not known: reported with the name that is close to it.
    fn suggest_place(&mut self, all: &[String], words: &[String]) -> usize {
        let is_other = |words: &[String]| {
            self.find_value(words).is_some() || self.find_dataset(words).is_some()
        };
        if is_other(all) || is_other(words) {
            return 0;
        }
        let Some(near) = self.close_place(&words[0]) else {
            return 0;
        };
        let written = self.originals_of(words, 1).join(" ");
        if self.negation != Negation::None {
            self.mark_unmatched(&[]);
        }
        self.translation
            .unmatched
            .push(format!("{} (did you mean {near}?)", written.to_lowercase()));
        (self.last, self.conjunction) = (None, None);
        all.len() - words.len() + 1
    }

    fn close_place(&self, word: &str) -> Option<String> {
        let cities = self.cities.iter().map(|(_, city)| city.to_lowercase());
        let states = STATE_NAMES
            .split(',')
            .filter_map(|state| state.rsplit_once(' '))
            .map(|(name, _)| name.to_owned());
        let names: Vec<String> = cities.chain(states).collect();
        let near = close_name(word, names.iter().map(String::as_str))?;
        let spelled = self
            .cities
            .iter()
            .find(|(_, city)| city.to_lowercase() == near)
            .map(|(_, city)| city.clone());
        Some(spelled.unwrap_or_else(|| {
            near.split(' ')
                .map(capitalize)
                .collect::<Vec<_>>()
                .join(" ")
        }))
    }

    /// The word of the vocabulary or the place that a misspelled word is close to.
    pub(super) fn suggestion(&self, word: &str) -> Option<String> {
        let values = self
            .values()
            .map(|(_, _, value)| value)
            .filter(|value| !value.contains('_'));
        close_name(word, values)
            .map(str::to_owned)
            .or_else(|| self.close_place(word))
    }

    fn values(
        &self,
    ) -> impl Iterator<Item = (Option<&'static FilterKey>, &'static FilterKey, &'static str)> {
        let own = self.keys.iter().map(|field| (None, *field));
        let related = self.relations().flat_map(|field| {
            field
                .inner_keys(self.grammar)
                .into_iter()
                .map(move |inner| (Some(field), inner))
        });
        own.chain(related).flat_map(|(relation, field)| {
            let values = if let FilterKind::Enum(values) = &field.kind {
                values.to_vec()
            } else {
                Vec::new()
            };
            values
                .into_iter()
                .map(move |value| (relation, field, value))
        })
    }

    /// The longest value of an enum, of the records or their related records, that the words begin
    /// with.
    pub(super) fn find_value(&self, words: &[String]) -> Option<FoundValue> {
        let mut best: Option<FoundValue> = None;
        for (relation, field, value) in self.values() {
            let count = spellings(field.key, value)
                .iter()
                .filter(|spelled| starts_with_value(words, spelled))
                .map(Vec::len)
                .max();
            if let Some(count) = count
                && best.is_none_or(|(most, ..)| count > most)
            {
                best = Some((count, relation, field, value));
            }
        }
        best
    }

    /// A value of an enum, of the records or their related records; or a name in quotation marks.
    pub(super) fn parse_value(&mut self, words: &[String], after_unknown: bool) -> usize {
        if let Some(name) = words[0].strip_prefix('"') {
            let written = self.originals_of(words, 1).join(" ");
            let name = written.strip_prefix('"').unwrap_or(name);
            let relation = self
                .last
                .filter(|_| self.conjunction.is_none())
                .and_then(|last| last.relation);
            let inner = relation.map(|relation| relation.inner_keys(self.grammar));
            if inner
                .unwrap_or_else(|| self.keys.clone())
                .iter()
                .any(|field| field.key == "name")
            {
                self.add_value(relation, "name", name, &words[..1]);
            } else {
                self.translation.unmatched.push(name.to_owned());
            }
            return 1;
        }
        let Some((count, relation, field, value)) = self.find_value(words) else {
            return 0;
        };
        // "electrical contractors" and "a local architect" are not any of them, and "need a gc or
        // an architect" needs both
        let continues = self.is_skipping && self.conjunction.is_some();
        let is_narrower =
            after_unknown && (relation.is_some() || words[count - 1].starts_with("contractor"));
        if continues || is_narrower {
            if self.negation != Negation::None {
                self.mark_unmatched(&words[..count]);
                return count;
            }
            let skipping = self.is_skipping;
            self.ignore(words, count);
            self.is_skipping = skipping;
            return count;
        }
        self.add_value(relation, field.key, value, &words[..count]);
        count
    }

    pub(super) fn relations(&self) -> impl Iterator<Item = &'static FilterKey> {
        self.keys.iter().copied().filter(
            |field| matches!(&field.kind, FilterKind::Relation(relation) if !relation.negated),
        )
    }

    /// The relation to the records of a dataset.
    pub(super) fn relation_to(&self, dataset: Dataset) -> Option<&'static FilterKey> {
        self.relations().find(|field| matches!(&field.kind, FilterKind::Relation(relation) if relation.related == dataset))
    }

    /// "contacts" and the like: the records themselves, or, after "with" or a negation, their
    /// related records.
    pub(super) fn parse_noun(&mut self, words: &[String], having: bool) -> usize {
        let Some(dataset) = self.find_dataset(words) else {
            return 0;
        };
        let relation = self.relation_to(dataset);
        let follows = self
            .last
            .is_some_and(|last| last.is_same_relation(relation))
            && self.conjunction.is_none();
        if dataset == self.dataset || (follows && self.negation == Negation::None) {
            return 1;
        }
        let not = self.is_negated(relation, "");
        let key = match relation {
            Some(relation) if not => self.negated_relation(relation),
            Some(relation) if having => Some(relation.key),
            _ => None,
        };
        match key {
            None if not => self.mark_unmatched(&words[..1]),
            Some(key) if not && self.translation.filters.contains_key(key) => {
                self.mark_unmatched(&words[..1])
            }
            // "active since" is about the last signal
            None if words[0] == "activity"
                && self.keys.iter().any(|field| field.key == "last_signal_at") =>
            {
                self.date_key = Some("last_signal_at");
            }
            None => self.translation.unmatched.push(words[0].clone()),
            Some(key) => {
                self.check_conjunction(relation, "", not);
                self.translation
                    .filters
                    .entry(key)
                    .or_insert_with(|| json!({}));
                self.translation.understood.push(key.replace('_', " "));
                self.negation = Negation::None;
                self.last = Some(LastCondition {
                    relation,
                    key: "",
                    is_negated: not,
                });
            }
        }
        1
    }

    /// "filed", "discovered" and "active" before a date say what it is the date of.
    pub(super) fn parse_dated_word(&mut self, words: &[String]) -> usize {
        let Some(rest) = words
            .get(1..)
            .filter(|rest| super::dates::starts_date(rest, self.now.date_naive()))
        else {
            return 0;
        };
        if rest.is_empty() || self.negation != Negation::None {
            return 0;
        }
        let has = |key: &str| self.keys.iter().any(|field| field.key == key);
        match words[0].as_str() {
            "filed" if has("filed_at") => self.date_key = Some("filed_at"),
            "discovered" if has("discovered_at") => self.date_key = Some("discovered_at"),
            "active" | "updated" if has("last_signal_at") => self.date_key = Some("last_signal_at"),
            "filed" => {
                let Some(relation) = self.relation_to(Dataset::Signals) else {
                    return 0;
                };
                self.translation
                    .filters
                    .entry(relation.key)
                    .or_insert_with(|| json!({}));
                self.last = Some(LastCondition {
                    relation: Some(relation),
                    key: "",
                    is_negated: false,
                });
            }
            _ => return 0,
        }
        1
    }
}

/// The name that a word of at least five letters is misspelled from.
fn close_name<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let letters = word.chars().count();
    let near: Vec<&str> = names
        .filter(|name| {
            name.chars().count().abs_diff(letters) <= 2 && *name != word && !word.ends_with(*name)
        })
        .collect();
    let most = if letters >= 9 { 2 } else { 1 };
    let name = crate::text::closest_match(word, near.into_iter())?;
    (letters >= 5 && fuzzy::is_within_edits(&word.chars().collect::<Vec<_>>(), name, most))
        .then_some(name)
}
