//! Translates questions in plain words to filters, by rules over the vocabulary (decisions 2.17). It is a small translator and
//! does not hide it: words it does not understand are reported, never guessed.
//!
//! It knows the words of enums, states and cities after "in", amounts ("more than 100 units", "over $5m"), dates ("since
//! 2026-03-01", "last 30 days"), a name in quotation marks, and negations ("not", "without", "no"). A negated relation always
//! uses the relation's `without_*` key, because `exclude` within `has_*` would match records that also have another related
//! record. If it is unknown what a negation refers to, no condition results. Never here: running the filters.

mod lexicon;
mod phrases;
mod skills;

use chrono::{DateTime, Utc};
use serde_json::{Map, Value, json};

use self::lexicon::{CLAUSE_STARTS, STOP_WORDS, UNTRANSLATABLE_WORDS, negation_length, split_words};
use super::fields::{self, FilterDialect, FilterKey, FilterKind};
use super::vocabulary::FilterEntity;
use crate::service::dataset::Dataset;
use crate::service::db::{Conn, DbError};

/// The result of a translation.
#[derive(Debug, Default)]
pub struct FilterTranslation {
    /// The filters, ready to send.
    pub filters: Map<String, Value>,
    /// What was understood, for people.
    pub understood: Vec<String>,
    /// The words that were not understood.
    pub unmatched: Vec<String>,
}

/// Translates a question.
pub fn translate(conn: &Conn, entity: FilterEntity, question: &str, now: DateTime<Utc>) -> Result<FilterTranslation, DbError> {
    let words = split_words(question);
    let FilterEntity::Records(dataset, place) = entity else { return Ok(skills::translate(&words)) };
    let known = fields::filter_keys(dataset, place);
    let mut reader = QuestionParser {
        conn,
        dataset,
        grammar: place,
        keys: known,
        now,
        translation: FilterTranslation::default(),
        negation: Negation::None,
        last: None,
        conjunction: None,
        after_having: false,
    };
    let mut at = 0;
    while at < words.len() {
        at += reader.parse_next(&words[at..])?;
    }
    reader.end_clause(".");
    Ok(reader.translation)
}

/// The state of a negation.
#[derive(Debug, PartialEq)]
enum Negation {
    None,
    /// These words were read; what they negate is still to come.
    Pending(String),
    /// What they negate was not understood: no word makes a condition before the next clause.
    Unresolved {
        after_comma: bool,
    },
}

/// The last condition that was understood.
#[derive(Clone, Copy)]
struct LastCondition {
    relation: Option<&'static FilterKey>,
    key: &'static str,
    is_negated: bool,
}

impl LastCondition {
    fn is_place(&self) -> bool {
        self.relation.is_none() && matches!(self.key, "city" | "state")
    }

    fn is_same_relation(&self, relation: Option<&'static FilterKey>) -> bool {
        matches!((self.relation, relation), (Some(one), Some(other)) if one.key == other.key)
    }

    fn is_same(&self, relation: Option<&'static FilterKey>, key: &str) -> bool {
        self.key == key && (self.is_same_relation(relation) || (self.relation.is_none() && relation.is_none()))
    }
}

struct QuestionParser<'a> {
    conn: &'a Conn,
    dataset: Dataset,
    grammar: FilterDialect,
    keys: Vec<&'static FilterKey>,
    now: DateTime<Utc>,
    translation: FilterTranslation,
    negation: Negation,
    last: Option<LastCondition>,
    /// The "and", "or" or comma since then.
    conjunction: Option<String>,
    /// Whether the previous word was "with" or "has".
    after_having: bool,
}

impl QuestionParser<'_> {
    /// Parses the beginning of the words and returns how many it used.
    fn parse_next(&mut self, words: &[String]) -> Result<usize, DbError> {
        let word = words[0].as_str();
        if matches!(word, "," | ".") {
            self.end_clause(word);
            return Ok(1);
        }
        if matches!(word, "and" | "or" | "&" | "plus") {
            self.conjunction = Some(if word == "or" { "or" } else { "and" }.to_owned());
            return Ok(1);
        }
        let having = std::mem::take(&mut self.after_having);
        let explicit = word == "in" || self.starts_amount_or_date(words);
        if self.negation == (Negation::Unresolved { after_comma: true }) && explicit {
            self.negation = Negation::None;
        }
        if matches!(self.negation, Negation::Unresolved { .. }) {
            return Ok(self.parse_other(words, having));
        }
        let mut taken = self.parse_amount(words);
        if taken == 0 {
            taken = self.parse_dates(words);
        }
        if taken == 0 {
            taken = self.parse_place(words)?;
        }
        if taken == 0 {
            taken = self.parse_value(words);
        }
        if taken == 0 {
            taken = self.parse_noun(words, having);
        }
        Ok(if taken > 0 { taken } else { self.parse_other(words, having) })
    }

    /// Handles a comma or the end of a sentence.
    fn end_clause(&mut self, sign: &str) {
        match &self.negation {
            Negation::Pending(_) => self.mark_unmatched(&[]),
            Negation::Unresolved { .. } => self.negation = Negation::Unresolved { after_comma: true },
            Negation::None if self.conjunction.is_none() => self.conjunction = Some(sign.to_owned()),
            Negation::None => {}
        }
        if sign == "." {
            (self.negation, self.last, self.conjunction) = (Negation::None, None, None);
        }
    }

    /// Whether a value of this key is negated: by the words before it, or as one of several ("without a gc or an architect").
    fn is_negated(&self, relation: Option<&'static FilterKey>, key: &str) -> bool {
        let Negation::None = self.negation else { return true };
        let Some(last) = self.last.filter(|last| last.is_negated) else { return false };
        last.is_same_relation(relation)
            || last.is_same(relation, key)
            || match self.conjunction.as_deref() {
                Some("and" | "or") => {
                    relation.is_some() && last.relation.is_some()
                        || (last.is_place()
                            && LastCondition { relation, key: "city", is_negated: true }.is_place()
                            && matches!(key, "city" | "state"))
                }
                _ => false,
            }
    }

    /// Reports words that are not understood, with the negation before them: no condition results from what follows.
    fn mark_unmatched(&mut self, words: &[String]) {
        if let Negation::Pending(phrase) = std::mem::replace(&mut self.negation, Negation::Unresolved { after_comma: false }) {
            self.translation.unmatched.push(phrase);
        }
        self.translation.unmatched.extend(words.iter().map(|word| word.trim_start_matches('"').to_owned()));
        (self.last, self.conjunction) = (None, None);
    }

    /// Reports an "or" between conditions that must all match, and an "and" between related records of which any may match.
    fn check_conjunction(&mut self, relation: Option<&'static FilterKey>, key: &str, not: bool) {
        let joined =
            self.last.is_some_and(|last| (last.is_same(relation, key) && last.is_negated == not) || (not && last.is_negated));
        let related = self.last.is_some_and(|last| last.is_same_relation(relation) && !last.is_negated && !not);
        match self.conjunction.take() {
            Some(joint) if joint == "or" && !joined => self.translation.unmatched.push(joint),
            Some(joint) if joint == "and" && related => self.translation.unmatched.push(joint),
            _ => {}
        }
    }

    /// The relation's `without_*` key.
    fn negated_relation(&self, relation: &FilterKey) -> Option<&'static str> {
        let without = relation.key.strip_prefix("has_").map(|noun| format!("without_{noun}"))?;
        self.keys.iter().find(|field| field.key == without).map(|field| field.key)
    }

    /// Adds a value of a key, possibly within a relation, to the existing filters.
    fn add_value(&mut self, relation: Option<&'static FilterKey>, key: &'static str, value: &str, phrase: &[String]) {
        let not = self.is_negated(relation, key);
        let place = matches!(key, "city" | "state") && relation.is_none();
        // "not in Austin, Texas": excluding all of Texas would be more than was asked for
        let narrows = place && self.last.is_some_and(|last| last.is_negated && last.is_place() && last.key != key);
        if narrows && !matches!(self.conjunction.as_deref(), Some("and" | "or")) {
            return self.translation.unmatched.extend(phrase.iter().cloned());
        }
        let within = match relation {
            Some(relation) if not => match self.negated_relation(relation) {
                Some(twin) => Some(twin),
                None => return self.mark_unmatched(phrase),
            },
            relation => relation.map(|relation| relation.key),
        };
        let attached = self.conjunction.is_none()
            && self.negation == Negation::None
            && self.last.is_some_and(|last| last.is_same_relation(relation) && last.is_negated == not);
        let filters = &mut self.translation.filters;
        let inner = within.and_then(|within| filters.get(within)).and_then(Value::as_object);
        let narrower = not && inner.is_some_and(|inner| !inner.contains_key(key) || inner.len() > 1);
        let exclude = not && within.is_none();
        let there = if within.is_none() { filters.get(key) } else { None };
        if (narrower && !attached) || there.is_some_and(|filter| filter.get("exclude").is_some() != exclude) {
            return self.mark_unmatched(phrase);
        }
        self.check_conjunction(relation, key, not);
        let mut filters = &mut self.translation.filters;
        if let Some(within) = within {
            let Value::Object(inner) = filters.entry(within).or_insert_with(|| json!({})) else { return };
            filters = inner;
        }
        let empty = || if exclude { json!({"value": [], "exclude": true}) } else { json!({"value": []}) };
        if let Some(values) = filters.entry(key).or_insert_with(empty)["value"].as_array_mut()
            && !values.contains(&json!(value))
        {
            values.push(json!(value));
        }
        let name = within.iter().chain([&key]).copied().collect::<Vec<_>>().join(".");
        self.translation.understood.push(format!("{name} is {}{value}", if exclude { "not " } else { "" }));
        self.negation = Negation::None;
        self.last = Some(LastCondition { relation, key, is_negated: not });
    }

    /// Adds an end of a range, for the related records just mentioned or for the records themselves.
    fn add_range_end(&mut self, kind: fn(&FilterKind) -> bool, key: Option<&str>, end: &str, value: Value) -> bool {
        let fits = |field: &&&'static FilterKey| kind(&field.kind) && key.is_none_or(|key| field.key == key);
        let last = self.last.filter(|last| last.relation.is_some() && self.conjunction.is_none());
        let inner = last.and_then(|last| last.relation).map(|relation| relation.inner_keys(self.grammar)).unwrap_or_default();
        let within = last.and_then(|last| {
            let relation = last.relation?;
            Some((if last.is_negated { self.negated_relation(relation)? } else { relation.key }, inner.iter().find(fits)?.key))
        });
        let (within, key) = match within {
            Some((within, key)) => (Some(within), key),
            // "without a gc since March" says nothing about the last signal
            None if last.is_some_and(|last| last.is_negated) && key.is_none() => return false,
            None => match self.keys.iter().find(fits) {
                Some(field) => (None, field.key),
                None => return false,
            },
        };
        let mut filters = &mut self.translation.filters;
        if let Some(within) = within {
            let Some(Value::Object(inner)) = filters.get_mut(within) else { return false };
            filters = inner;
        }
        let range = filters.entry(key).or_insert_with(|| json!({}));
        if range.get(end).is_some() {
            return false;
        }
        let phrase = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        range[end] = value;
        let name = within.iter().chain([&key]).copied().collect::<Vec<_>>().join(".");
        self.translation.understood.push(format!("{name} is at {} {phrase}", if end == "min" { "least" } else { "most" }));
        if self.conjunction.take().as_deref() == Some("or") {
            self.translation.unmatched.push("or".to_owned());
        }
        if within.is_none() {
            self.last = None;
        }
        true
    }

    /// Parses words that do not belong to values.
    fn parse_other(&mut self, words: &[String], having: bool) -> usize {
        let word = words[0].as_str();
        if let Some(count) = negation_length(words) {
            let phrase = words[..count].join(" ");
            match &mut self.negation {
                // "not without" means "with"
                Negation::Pending(_) => self.negation = Negation::None,
                negation => *negation = Negation::Pending(phrase),
            }
            (self.last, self.conjunction) = (None, None);
            return count;
        }
        if CLAUSE_STARTS.contains(&word) {
            self.after_having = word != "but";
            self.last = None;
            if let Negation::Unresolved { .. } = self.negation {
                self.negation = Negation::None;
            }
        } else if STOP_WORDS.contains(&word) {
            self.after_having = having;
            // "I need" and "we need" are only introductions
            let introduces = matches!(word, "i" | "we") && words.get(1).is_some_and(|next| next == "need");
            return 1 + usize::from(introduces);
        } else if self.negation != Negation::None || UNTRANSLATABLE_WORDS.contains(&word) || self.negation_continues() {
            self.mark_unmatched(&words[..1]);
        } else {
            self.translation.unmatched.push(word.to_owned());
        }
        1
    }

    /// Whether a negation continues after an "and" or "or".
    fn negation_continues(&self) -> bool {
        matches!(self.conjunction.as_deref(), Some("and" | "or")) && self.last.is_some_and(|last| last.is_negated)
    }
}
