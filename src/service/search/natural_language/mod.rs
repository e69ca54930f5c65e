//! Translates questions in plain words to filters, by rules over the vocabulary (decisions 2.17).
//! It is a small translator and does not hide it: words it does not understand are reported, never
//! guessed.
//!
//! It knows the words of enums, states and cities, amounts ("more than 100 units", "over $5m"),
//! dates ("since September", "last 30 days"), names in quotation marks or after "owned by", orders
//! ("newest first"), and negations ("not", "without", "no"). A negated relation always uses the
//! relation's `without_*` key, because `exclude` within `has_*` would match records that also have
//! another related record. If it is unknown what a negation refers to, no condition results; nor
//! does one result from an amount, a date or a related record whose neighbor is not understood,
//! because it may belong to it. Never here: running the filters.

mod amounts;
mod dates;
mod lexicon;
mod names;
mod phrases;
mod skills;

use chrono::{DateTime, Utc};
use serde_json::{Map, Value, json};

use self::lexicon::{
    ARTICLES, CLAUSE_STARTS, RELATION_WORDS, STOP_WORDS, negation_length, split_words,
};
use super::fields::{self, FilterDialect, FilterKey, FilterKind};
use super::vocabulary::FilterEntity;
use crate::service::dataset::Dataset;
use crate::service::db::{Conn, DbError, full_text};
use crate::service::fuzzy;

/// The result of a translation.
#[derive(Debug, Default)]
pub struct FilterTranslation {
    /// The filters, ready to send.
    pub filters: Map<String, Value>,
    /// The order asked for: a sort key, and whether it ascends.
    pub sort: Option<(&'static str, bool)>,
    /// How many rows of that order were asked for.
    pub limit: Option<u32>,
    /// What was understood, for people.
    pub understood: Vec<String>,
    /// The words that were not understood.
    pub unmatched: Vec<String>,
}

/// Translates a question.
pub fn translate(
    conn: &Conn,
    entity: FilterEntity,
    question: &str,
    now: DateTime<Utc>,
) -> Result<FilterTranslation, DbError> {
    let originals = split_words(question);
    let words: Vec<String> = originals.iter().map(|word| word.to_lowercase()).collect();
    let FilterEntity::Records(dataset, place) = entity else {
        return Ok(skills::translate(&words));
    };
    let places = if dataset == Dataset::Accounts {
        dataset
    } else {
        Dataset::Projects
    };
    let cities = full_text::all_cities(conn, places)?;
    let mut reader = QuestionParser {
        originals,
        cities: cities
            .into_iter()
            .map(|city| (fuzzy::tokenize(&city), city))
            .collect(),
        dataset,
        grammar: place,
        keys: fields::filter_keys(dataset, place),
        now,
        translation: FilterTranslation::default(),
        negation: Negation::None,
        last: None,
        conjunction: None,
        after_having: false,
        after_unknown: false,
        is_skipping: false,
        is_first_clause: true,
        is_ranked: false,
        date_key: None,
        last_own_key: None,
        is_second_pair: false,
    };
    let (mut at, mut ignored) = (0, Vec::<(String, usize)>::new());
    while at < words.len() {
        let count = reader.parse_next(&words[at..]);
        reader.collect_ignored(&mut ignored, at, at + count);
        at += count;
    }
    reader.end_clause(".");
    reader.collect_ignored(&mut ignored, at, at);
    reader.translation.unmatched = ignored.into_iter().map(|(phrase, _)| phrase).collect();
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
        self.key == key
            && (self.is_same_relation(relation) || (self.relation.is_none() && relation.is_none()))
    }
}

struct QuestionParser {
    /// The words as they were written.
    originals: Vec<String>,
    /// The cities of the index, with their words.
    cities: Vec<(Vec<String>, String)>,
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
    /// Whether the previous word was not understood.
    after_unknown: bool,
    /// Whether what was last ignored continues after an "and" or "or".
    is_skipping: bool,
    /// Nothing was read but words like "I" and "show".
    is_first_clause: bool,
    /// A number of rows was asked for, of an order that "by" names.
    is_ranked: bool,
    /// What the next date is the date of.
    date_key: Option<&'static str>,
    /// The key of the last condition without a relation that is not negated.
    last_own_key: Option<&'static str>,
    /// A second pair was read: "hotels in Austin, offices in Dallas" is two searches.
    is_second_pair: bool,
}

impl QuestionParser {
    /// Takes what was just ignored; words that follow each other are one phrase.
    fn collect_ignored(&mut self, ignored: &mut Vec<(String, usize)>, start: usize, end: usize) {
        for phrase in std::mem::take(&mut self.translation.unmatched) {
            match ignored.last_mut() {
                Some((before, last))
                    if [start, end].contains(last)
                        && !before.ends_with(')')
                        && !phrase.ends_with(')') =>
                {
                    (*before, *last) = (format!("{before} {phrase}"), end);
                }
                _ => ignored.push((phrase, end)),
            }
        }
    }

    /// The first of these words, the last of the question, as they were written.
    fn originals_of(&self, words: &[String], count: usize) -> Vec<String> {
        let start = self.originals.len() - words.len();
        self.originals[start..start + count.min(words.len())].to_vec()
    }

    /// Parses the beginning of the words and returns how many it used.
    fn parse_next(&mut self, words: &[String]) -> usize {
        let word = words[0].as_str();
        if matches!(word, "," | ".") {
            self.end_clause(word);
            return 1;
        }
        if matches!(word, "and" | "or" | "&" | "plus") {
            self.conjunction = Some(if word == "or" { "or" } else { "and" }.to_owned());
            return 1;
        }
        let having = std::mem::take(&mut self.after_having);
        let explicit = word == "in"
            || amounts::starts_amount(words)
            || dates::starts_date(words, self.now.date_naive());
        if self.negation == (Negation::Unresolved { after_comma: true }) && explicit {
            self.negation = Negation::None;
        }
        if matches!(self.negation, Negation::Unresolved { .. }) {
            return self.parse_other(words, having);
        }
        let after_unknown = std::mem::take(&mut self.after_unknown);
        let parsers: &[&dyn Fn(&mut Self) -> usize] = &[
            &|parser| parser.parse_amount(words, after_unknown),
            &|parser| parser.parse_dates(words, after_unknown),
            &|parser| parser.parse_dated_word(words),
            &|parser| parser.parse_untranslatable(words),
            &|parser| parser.parse_order(words),
            &|parser| parser.parse_name(words),
            &|parser| parser.parse_longest(words, after_unknown),
            &|parser| parser.parse_noun(words, having),
        ];
        for parse in parsers {
            let count = parse(self);
            if count > 0 {
                self.is_first_clause = false;
                return count;
            }
        }
        self.after_unknown = after_unknown && ARTICLES.contains(&word);
        self.parse_other(words, having)
    }

    /// A place or a value, whichever has more words.
    fn parse_longest(&mut self, words: &[String], after_unknown: bool) -> usize {
        let (filters, value) = (
            self.translation.understood.len(),
            self.find_value(words).map_or(0, |(count, ..)| count),
        );
        let place = self
            .find_place(words, true)
            .map_or(0, |(_, _, count)| count);
        let mut count = if value >= place.max(1) {
            self.parse_value(words, after_unknown)
        } else {
            0
        };
        if count == 0 {
            count = self.parse_place(words);
        }
        if count == 0 {
            count = self.parse_value(words, after_unknown);
        }
        if self.translation.understood.len() > filters {
            self.is_skipping = false;
        }
        count
    }

    /// Handles a comma or the end of a sentence.
    fn end_clause(&mut self, sign: &str) {
        match &self.negation {
            Negation::Pending(_) => self.mark_unmatched(&[]),
            Negation::Unresolved { .. } => {
                self.negation = Negation::Unresolved { after_comma: true }
            }
            Negation::None if self.conjunction.is_none() => {
                self.conjunction = Some(sign.to_owned())
            }
            Negation::None => {}
        }
        if sign == "." {
            (self.negation, self.last, self.conjunction) = (Negation::None, None, None);
            (self.after_unknown, self.is_skipping, self.date_key) = (false, false, None);
        }
    }

    /// Whether a value of this key is negated: by the words before it, or as one of several
    /// ("without a gc or an architect").
    fn is_negated(&self, relation: Option<&'static FilterKey>, key: &str) -> bool {
        let Negation::None = self.negation else {
            return true;
        };
        let Some(last) = self.last.filter(|last| last.is_negated) else {
            return false;
        };
        last.is_same_relation(relation)
            || last.is_same(relation, key)
            || match self.conjunction.as_deref() {
                Some("and" | "or") => {
                    relation.is_some() && last.relation.is_some()
                        || (last.is_place()
                            && LastCondition {
                                relation,
                                key: "city",
                                is_negated: true,
                            }
                            .is_place()
                            && matches!(key, "city" | "state"))
                }
                _ => false,
            }
    }

    /// Reports words that are not understood, with the negation before them: no condition results
    /// from what follows.
    fn mark_unmatched(&mut self, words: &[String]) {
        if let Negation::Pending(phrase) = std::mem::replace(
            &mut self.negation,
            Negation::Unresolved { after_comma: false },
        ) {
            self.translation.unmatched.push(phrase);
        }
        self.translation.unmatched.extend(
            words
                .iter()
                .map(|word| word.trim_start_matches('"').to_owned()),
        );
        (self.last, self.conjunction) = (None, None);
    }

    /// Reports an "or" between conditions that must all match, and an "and" between related records
    /// of which any may match.
    fn check_conjunction(&mut self, relation: Option<&'static FilterKey>, key: &str, not: bool) {
        let joined = self.last.is_some_and(|last| {
            (last.is_same(relation, key) && last.is_negated == not) || (not && last.is_negated)
        });
        let related = self
            .last
            .is_some_and(|last| last.is_same_relation(relation) && !last.is_negated && !not);
        match self.conjunction.take() {
            Some(joint) if joint == "or" && !joined => self.translation.unmatched.push(joint),
            Some(joint) if joint == "and" && related => self.translation.unmatched.push(joint),
            _ => {}
        }
    }

    /// The relation's `without_*` key.
    fn negated_relation(&self, relation: &FilterKey) -> Option<&'static str> {
        let without = relation
            .key
            .strip_prefix("has_")
            .map(|noun| format!("without_{noun}"))?;
        self.keys
            .iter()
            .find(|field| field.key == without)
            .map(|field| field.key)
    }

    /// Adds a value of a key, possibly within a relation, to the existing filters.
    fn add_value(
        &mut self,
        relation: Option<&'static FilterKey>,
        key: &'static str,
        value: &str,
        phrase: &[String],
    ) {
        let not = self.is_negated(relation, key);
        let place = matches!(key, "city" | "state") && relation.is_none();
        // "not in Austin, Texas": excluding all of Texas would be more than was asked for
        let narrows = place
            && self
                .last
                .is_some_and(|last| last.is_negated && last.is_place() && last.key != key);
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
            && self
                .last
                .is_some_and(|last| last.is_same_relation(relation) && last.is_negated == not);
        let filters = &mut self.translation.filters;
        let inner = within
            .and_then(|within| filters.get(within))
            .and_then(Value::as_object);
        // a block with a name is about one firm: another value would be about another one
        let narrower = match inner {
            Some(inner) if not => !inner.contains_key(key) || inner.len() > 1,
            Some(inner) => inner.contains_key("name") || (key == "name" && !inner.is_empty()),
            None => false,
        };
        let exclude = not && within.is_none();
        let there = if within.is_none() {
            filters.get(key)
        } else {
            None
        };
        if (narrower && !attached)
            || there.is_some_and(|filter| filter.get("exclude").is_some() != exclude)
        {
            return self.mark_unmatched(phrase);
        }
        if within.is_none() && !not {
            let is_place = |key| matches!(key, "city" | "state");
            let follows = self
                .last_own_key
                .is_none_or(|last| last == key || (is_place(last) && is_place(key)));
            self.is_second_pair |= there.is_some() && !follows;
            if there.is_some() && self.is_second_pair {
                return self.mark_unmatched(phrase);
            }
            self.last_own_key = Some(key);
        }
        self.check_conjunction(relation, key, not);
        let mut filters = &mut self.translation.filters;
        if let Some(within) = within {
            let Value::Object(inner) = filters.entry(within).or_insert_with(|| json!({})) else {
                return;
            };
            filters = inner;
        }
        let empty = || {
            if exclude {
                json!({"value": [], "exclude": true})
            } else {
                json!({"value": []})
            }
        };
        if let Some(values) = filters.entry(key).or_insert_with(empty)["value"].as_array_mut()
            && !values.contains(&json!(value))
        {
            values.push(json!(value));
        }
        let name = within
            .iter()
            .chain([&key])
            .copied()
            .collect::<Vec<_>>()
            .join(".");
        self.translation.understood.push(format!(
            "{name} is {}{value}",
            if exclude { "not " } else { "" }
        ));
        self.negation = Negation::None;
        self.last = Some(LastCondition {
            relation,
            key,
            is_negated: not,
        });
    }

    /// Adds a range, for the related records just mentioned or for the records themselves.
    fn add_range(
        &mut self,
        kind: fn(&FilterKind) -> bool,
        key: Option<&str>,
        min: Option<Value>,
        max: Option<Value>,
    ) -> bool {
        let fits = |field: &&&'static FilterKey| {
            kind(&field.kind) && key.is_none_or(|key| field.key == key)
        };
        let last = self
            .last
            .filter(|last| last.relation.is_some() && self.conjunction.is_none());
        let inner = last
            .and_then(|last| last.relation)
            .map(|relation| relation.inner_keys(self.grammar))
            .unwrap_or_default();
        let within = last.and_then(|last| {
            let relation = last.relation?;
            Some((
                if last.is_negated {
                    self.negated_relation(relation)?
                } else {
                    relation.key
                },
                inner.iter().find(fits)?.key,
            ))
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
        if !self.insert_range(within, key, min, max) {
            return false;
        }
        if within.is_none() {
            self.last = None;
        }
        true
    }

    /// Dates belong to the signals that the question names, even if other words are between:
    /// "permits issued in Austin since May".
    fn add_signal_dates(&mut self, min: Option<Value>, max: Option<Value>) -> bool {
        let filters = &self.translation.filters;
        let named = |key: &&str| {
            filters
                .get(*key)
                .is_some_and(|inner| inner.get("signal_type").is_some())
        };
        let Some(within) = ["has_signal", "without_signal"].into_iter().find(named) else {
            return false;
        };
        self.insert_range(Some(within), "filed_at", min, max)
    }

    /// Adds the ends of a range of a key, unless it has them already.
    fn insert_range(
        &mut self,
        within: Option<&'static str>,
        key: &'static str,
        min: Option<Value>,
        max: Option<Value>,
    ) -> bool {
        let mut filters = &mut self.translation.filters;
        if let Some(within) = within {
            let Some(Value::Object(inner)) = filters.get_mut(within) else {
                return false;
            };
            filters = inner;
        }
        // "under 5 stories or over 10" is two ranges
        if filters.contains_key(key) && self.conjunction.as_deref() == Some("or") {
            return false;
        }
        let Some(range) = amounts::merge_range(filters.get(key), min.as_ref(), max.as_ref()) else {
            return false;
        };
        filters.insert(key.to_owned(), range);
        if within.is_none() {
            self.last_own_key = Some(key);
        }
        let name = within
            .iter()
            .chain([&key])
            .copied()
            .collect::<Vec<_>>()
            .join(".");
        for (end, words) in [(min, "least"), (max, "most")] {
            let Some(end) = end else { continue };
            let phrase = end.as_str().map_or_else(|| end.to_string(), str::to_owned);
            self.translation
                .understood
                .push(format!("{name} is at {words} {phrase}"));
        }
        if self.conjunction.take().as_deref() == Some("or") {
            self.translation.unmatched.push("or".to_owned());
        }
        true
    }

    /// Parses words that do not belong to values.
    fn parse_other(&mut self, words: &[String], having: bool) -> usize {
        let word = words[0].as_str();
        let introduces = [
            "am", "are", "can", "find", "get", "give", "i", "just", "list", "me", "please", "show",
            "to", "us", "want", "we", "you",
        ];
        self.is_first_clause &= introduces.contains(&word);
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
            (self.last, self.is_skipping) = (None, false);
            if let Negation::Unresolved { .. } = self.negation {
                self.negation = Negation::None;
            }
        } else if matches!(
            (&self.negation, word),
            (Negation::Pending(_), "all" | "just" | "only")
        ) {
            // "not only hotels" excludes nothing
            self.mark_unmatched(&words[..1]);
        } else if STOP_WORDS.contains(&word) {
            self.after_having = having || RELATION_WORDS.contains(&word);
            // "I need" and "we need" are only introductions
            let introduces =
                matches!(word, "i" | "we") && words.get(1).is_some_and(|next| next == "need");
            return 1 + usize::from(introduces);
        } else if self.negation != Negation::None || self.negation_continues() {
            self.mark_unmatched(&words[..1]);
        } else {
            let written = word.trim_start_matches('"');
            let suggestion = self
                .suggestion(word)
                .map(|near| format!("{written} (did you mean {near}?)"));
            self.translation
                .unmatched
                .push(suggestion.unwrap_or_else(|| written.to_owned()));
            self.after_unknown = true;
        }
        1
    }

    /// Whether a negation continues after an "and" or "or".
    fn negation_continues(&self) -> bool {
        matches!(self.conjunction.as_deref(), Some("and" | "or"))
            && self.last.is_some_and(|last| last.is_negated)
    }
}
