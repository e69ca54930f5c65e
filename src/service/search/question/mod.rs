//! A question in plain words to filters, by rules over the vocabulary (decisions 2.17). It is a small translator and says so: words
//! that it does not understand are told, never guessed at.
//!
//! It knows the words of enums, states and cities after "in", amounts ("more than 100 units", "over $5m"), days ("since 2026-03-01",
//! "last 30 days"), a name in quotation marks, and negations ("not", "without", "no"). A negated relation is always the relation's
//! `without_*` twin: `exclude` within `has_*` would find records that also have another related record. What a negation is about
//! may be unknown; then no condition is made of it. Never here: running what it made.

mod phrases;
mod skills;
mod words;

use chrono::{DateTime, Utc};
use serde_json::{Map, Value, json};

use self::words::{BEYOND_FILTERS, CLAUSES, EMPTY, negation, spoken};
use super::Dataset;
use super::fields::{self, Field, Kind, Place};
use super::vocabulary::Entity;
use crate::service::db::{Conn, Error};

/// What became of a question.
#[derive(Debug, Default)]
pub struct Translation {
    /// The filters, ready to be sent.
    pub filters: Map<String, Value>,
    /// What was understood, for people.
    pub understood: Vec<String>,
    /// The words that were not.
    pub unmatched: Vec<String>,
}

/// Translates a question.
///
/// # Errors
/// When the database refuses.
pub fn translate(conn: &Conn, entity: Entity, question: &str, now: DateTime<Utc>) -> Result<Translation, Error> {
    let words = spoken(question);
    let Entity::Records(dataset, place) = entity else { return Ok(skills::translate(&words)) };
    let known = fields::fields(dataset, place);
    let mut reader = Reader {
        conn,
        dataset,
        place,
        known,
        now,
        found: Translation::default(),
        negation: Negation::None,
        last: None,
        joint: None,
        having: false,
    };
    let mut at = 0;
    while at < words.len() {
        at += reader.read(&words[at..])?;
    }
    reader.pause(".");
    Ok(reader.found)
}

/// What becomes of the words after a negation.
#[derive(Debug, PartialEq)]
enum Negation {
    /// There is none.
    None,
    /// These words were said; what they negate is still to come.
    Pending(String),
    /// What they negate was not understood: no word makes a condition before the next clause.
    Lost { comma: bool },
}

/// What was understood last.
#[derive(Clone, Copy)]
struct Last {
    relation: Option<&'static Field>,
    key: &'static str,
    not: bool,
}

impl Last {
    fn is_place(&self) -> bool {
        self.relation.is_none() && matches!(self.key, "city" | "state")
    }

    fn is_same_relation(&self, relation: Option<&'static Field>) -> bool {
        matches!((self.relation, relation), (Some(one), Some(other)) if one.key == other.key)
    }

    fn is_same(&self, relation: Option<&'static Field>, key: &str) -> bool {
        self.key == key && (self.is_same_relation(relation) || (self.relation.is_none() && relation.is_none()))
    }
}

struct Reader<'a> {
    conn: &'a Conn,
    dataset: Dataset,
    place: Place,
    known: Vec<&'static Field>,
    now: DateTime<Utc>,
    found: Translation,
    negation: Negation,
    last: Option<Last>,
    /// The "and", "or" or comma since then.
    joint: Option<String>,
    /// Whether "with" or "has" was said just now.
    having: bool,
}

impl Reader<'_> {
    /// Reads what the words begin with: how many of them.
    fn read(&mut self, words: &[String]) -> Result<usize, Error> {
        let word = words[0].as_str();
        if matches!(word, "," | ".") {
            self.pause(word);
            return Ok(1);
        }
        if matches!(word, "and" | "or" | "&" | "plus") {
            self.joint = Some(if word == "or" { "or" } else { "and" }.to_owned());
            return Ok(1);
        }
        let having = std::mem::take(&mut self.having);
        let explicit = word == "in" || self.is_amount_or_day(words);
        if self.negation == (Negation::Lost { comma: true }) && explicit {
            self.negation = Negation::None;
        }
        if matches!(self.negation, Negation::Lost { .. }) {
            return Ok(self.other(words, having));
        }
        let mut taken = self.amount(words);
        if taken == 0 {
            taken = self.days(words);
        }
        if taken == 0 {
            taken = self.place(words)?;
        }
        if taken == 0 {
            taken = self.word(words);
        }
        if taken == 0 {
            taken = self.noun(words, having);
        }
        Ok(if taken > 0 { taken } else { self.other(words, having) })
    }

    /// A comma, or the end of a sentence.
    fn pause(&mut self, sign: &str) {
        match &self.negation {
            Negation::Pending(_) => self.lose(&[]),
            Negation::Lost { .. } => self.negation = Negation::Lost { comma: true },
            Negation::None if self.joint.is_none() => self.joint = Some(sign.to_owned()),
            Negation::None => {}
        }
        if sign == "." {
            (self.negation, self.last, self.joint) = (Negation::None, None, None);
        }
    }

    /// Whether a value of this key is negated: by the words before it, or as one of several ("without a gc or an architect").
    fn is_negated(&self, relation: Option<&'static Field>, key: &str) -> bool {
        let Negation::None = self.negation else { return true };
        let Some(last) = self.last.filter(|last| last.not) else { return false };
        last.is_same_relation(relation)
            || last.is_same(relation, key)
            || match self.joint.as_deref() {
                Some("and" | "or") => {
                    relation.is_some() && last.relation.is_some()
                        || (last.is_place()
                            && Last { relation, key: "city", not: true }.is_place()
                            && matches!(key, "city" | "state"))
                }
                _ => false,
            }
    }

    /// Words that are not understood, with the negation before them: no condition is made of what follows.
    fn lose(&mut self, words: &[String]) {
        if let Negation::Pending(said) = std::mem::replace(&mut self.negation, Negation::Lost { comma: false }) {
            self.found.unmatched.push(said);
        }
        self.found.unmatched.extend(words.iter().map(|word| word.trim_start_matches('"').to_owned()));
        (self.last, self.joint) = (None, None);
    }

    /// Tells an "or" between conditions that must all be met, and an "and" between related records of which any will do.
    fn check_joint(&mut self, relation: Option<&'static Field>, key: &str, not: bool) {
        let joined = self.last.is_some_and(|last| (last.is_same(relation, key) && last.not == not) || (not && last.not));
        let related = self.last.is_some_and(|last| last.is_same_relation(relation) && !last.not && !not);
        match self.joint.take() {
            Some(joint) if joint == "or" && !joined => self.found.unmatched.push(joint),
            Some(joint) if joint == "and" && related => self.found.unmatched.push(joint),
            _ => {}
        }
    }

    /// The relation that asks that there be none.
    fn twin(&self, relation: &Field) -> Option<&'static str> {
        let without = relation.key.strip_prefix("has_").map(|noun| format!("without_{noun}"))?;
        self.known.iter().find(|field| field.key == without).map(|field| field.key)
    }

    /// A value of a key, perhaps within a relation, joined to what is there.
    fn value(&mut self, relation: Option<&'static Field>, key: &'static str, value: &str, said: &[String]) {
        let not = self.is_negated(relation, key);
        let place = matches!(key, "city" | "state") && relation.is_none();
        // "not in Austin, Texas": to leave out all of Texas would be more than was asked for
        let narrows = place && self.last.is_some_and(|last| last.not && last.is_place() && last.key != key);
        if narrows && !matches!(self.joint.as_deref(), Some("and" | "or")) {
            return self.found.unmatched.extend(said.iter().cloned());
        }
        let within = match relation {
            Some(relation) if not => match self.twin(relation) {
                Some(twin) => Some(twin),
                None => return self.lose(said),
            },
            relation => relation.map(|relation| relation.key),
        };
        let attached = self.joint.is_none()
            && self.negation == Negation::None
            && self.last.is_some_and(|last| last.is_same_relation(relation) && last.not == not);
        let filters = &mut self.found.filters;
        let inner = within.and_then(|within| filters.get(within)).and_then(Value::as_object);
        let narrower = not && inner.is_some_and(|inner| !inner.contains_key(key) || inner.len() > 1);
        let exclude = not && within.is_none();
        let there = if within.is_none() { filters.get(key) } else { None };
        if (narrower && !attached) || there.is_some_and(|filter| filter.get("exclude").is_some() != exclude) {
            return self.lose(said);
        }
        self.check_joint(relation, key, not);
        let mut filters = &mut self.found.filters;
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
        self.found.understood.push(format!("{name} is {}{value}", if exclude { "not " } else { "" }));
        self.negation = Negation::None;
        self.last = Some(Last { relation, key, not });
    }

    /// An end of a range, of the related records that were just said or of the records themselves.
    fn end(&mut self, kind: fn(&Kind) -> bool, key: Option<&str>, end: &str, value: Value) -> bool {
        let fits = |field: &&&'static Field| kind(&field.kind) && key.is_none_or(|key| field.key == key);
        let last = self.last.filter(|last| last.relation.is_some() && self.joint.is_none());
        let inner = last.and_then(|last| last.relation).map(|relation| relation.inner(self.place)).unwrap_or_default();
        let within = last.and_then(|last| {
            let relation = last.relation?;
            Some((if last.not { self.twin(relation)? } else { relation.key }, inner.iter().find(fits)?.key))
        });
        let (within, key) = match within {
            Some((within, key)) => (Some(within), key),
            // "without a gc since March" says nothing of the last signal
            None if last.is_some_and(|last| last.not) && key.is_none() => return false,
            None => match self.known.iter().find(fits) {
                Some(field) => (None, field.key),
                None => return false,
            },
        };
        let mut filters = &mut self.found.filters;
        if let Some(within) = within {
            let Some(Value::Object(inner)) = filters.get_mut(within) else { return false };
            filters = inner;
        }
        let range = filters.entry(key).or_insert_with(|| json!({}));
        if range.get(end).is_some() {
            return false;
        }
        let said = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        range[end] = value;
        let name = within.iter().chain([&key]).copied().collect::<Vec<_>>().join(".");
        self.found.understood.push(format!("{name} is at {} {said}", if end == "min" { "least" } else { "most" }));
        if self.joint.take().as_deref() == Some("or") {
            self.found.unmatched.push("or".to_owned());
        }
        if within.is_none() {
            self.last = None;
        }
        true
    }

    /// Words that say nothing of values.
    fn other(&mut self, words: &[String], having: bool) -> usize {
        let word = words[0].as_str();
        if let Some(count) = negation(words) {
            let said = words[..count].join(" ");
            match &mut self.negation {
                // "not without" is "with"
                Negation::Pending(_) => self.negation = Negation::None,
                negation => *negation = Negation::Pending(said),
            }
            (self.last, self.joint) = (None, None);
            return count;
        }
        if CLAUSES.contains(&word) {
            self.having = word != "but";
            self.last = None;
            if let Negation::Lost { .. } = self.negation {
                self.negation = Negation::None;
            }
        } else if EMPTY.contains(&word) {
            self.having = having;
            // "I need" and "we need" only introduce
            let introduces = matches!(word, "i" | "we") && words.get(1).is_some_and(|next| next == "need");
            return 1 + usize::from(introduces);
        } else if self.negation != Negation::None || BEYOND_FILTERS.contains(&word) || self.goes_on() {
            self.lose(&words[..1]);
        } else {
            self.found.unmatched.push(word.to_owned());
        }
        1
    }

    /// Whether a negation goes on over an "and" or "or".
    fn goes_on(&self) -> bool {
        matches!(self.joint.as_deref(), Some("and" | "or")) && self.last.is_some_and(|last| last.not)
    }
}
