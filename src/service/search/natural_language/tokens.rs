//! Takes a question apart: at each place the longest phrase that means something.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Display;

use chrono::NaiveDate;

use super::words::{QUOTES, Word, list_phrases, split_words};
use crate::domain::conditions::capitalize;
use crate::domain::fuzzy;
use crate::domain::fuzzy::closest_match;
use crate::service::search::vocabulary::{EntityKeys, KeyPath};

/// What a phrase means.
pub(super) enum Part<'a> {
    /// Values of a key, or a place: the relation to whose records they may belong, the key, and how
    /// they are typed behind it.
    Value(Option<&'static str>, &'a str, String),
    /// The key of a name, or the role of a firm; and the name, as it is typed in a filter.
    Name(&'a str, String),
    Range(Range<'a>),
    /// "projects": the relation to them.
    Records(&'static str),
    /// "top 20".
    Top(u32),
    /// Sort keys and a direction.
    Order(&'a str),
    /// A word of grammar, a sign, or a word without a meaning.
    Particle(&'a str),
    /// It is not understood, or no filter can express it.
    Unknown,
}

/// What a range without a key is a range of.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum RangeKind {
    Money,
    /// Thousands or millions.
    Large,
    Days,
    Other,
}

/// A test of the numbers or days of a key, or of what its kind suggests.
pub(super) struct Range<'a> {
    pub key: Option<&'a str>,
    pub kind: RangeKind,
    /// As it is typed in a filter: ">=5".
    pub test: String,
}

/// No phrase has more words.
const MAX_PHRASE_WORDS: usize = 8;

/// What an amount is about that names no field.
pub(super) const COST: &str = "cost_of_construction_usd";

/// Fields that count something: "more than 10 stories" is at least 11, and "10 stories" exactly so
/// many.
pub(super) const COUNTS: &[&str] = &["residential_units", "stories"];

/// A test of what compares in this way with the ends of a range; the neighbors of the ends are
/// given, too.
pub(super) fn write_test<T: Display>(how: &str, [before, first, last, after]: [T; 4]) -> String {
    match how {
        ">=" => format!(">={first}"),
        ">" => format!(">={after}"),
        "<=" => format!("<={last}"),
        "<" => format!("<={before}"),
        _ => format!("={first}..{last}"),
    }
}

/// What stands from one word to before another.
pub(super) struct Token<'a> {
    pub part: Part<'a>,
    pub start: usize,
    pub end: usize,
}

/// What was read, and the word after it.
pub(super) type ReadPart<'a> = Option<(Part<'a>, usize)>;

pub(super) struct Question<'a> {
    text: &'a str,
    pub words: Vec<Word>,
    pub keys: EntityKeys,
    pub today: NaiveDate,
    /// The phrases of each list, and what they mean.
    phrases: BTreeMap<&'a str, Vec<(String, &'a str)>>,
    pub tokens: Vec<Token<'a>>,
}

impl<'a> Question<'a> {
    pub fn read(text: &'a str, keys: EntityKeys, cities: &'a [String], today: NaiveDate) -> Self {
        // "unknown" and "other" say too little without the name of their field
        let values = keys
            .list_values()
            .filter(|value| !["unknown", "other"].contains(value));
        let values = values.map(|value| ("values", value.replace('_', " "), value));
        let cities = cities.iter().map(|city| {
            let phrase = fuzzy::tokenize(city.trim_start_matches("city=")).join(" ");
            ("values", phrase, city.as_str())
        });
        let mut phrases: BTreeMap<&str, Vec<_>> = BTreeMap::new();
        for (list, phrase, meaning) in cities.chain(list_phrases()).chain(values) {
            phrases.entry(list).or_default().push((phrase, meaning));
        }
        let mut question = Question {
            text,
            words: split_words(text),
            keys,
            today,
            phrases,
            tokens: Vec::new(),
        };
        let mut start = 0;
        while start < question.words.len() {
            let (part, end) = question.read_part(start);
            question.tokens.push(Token { part, start, end });
            start = end;
        }
        question
    }

    fn read_part(&self, at: usize) -> (Part<'a>, usize) {
        let readers = [
            Self::read_amount,
            Self::read_days,
            Self::read_value,
            Self::read_order,
            Self::read_name,
            Self::read_doubt,
            Self::read_records,
            Self::read_particle,
        ];
        let parts = readers.into_iter().filter_map(|read| read(self, at));
        // the first of the longest
        let longest = parts.min_by_key(|(_, end)| Reverse(*end));
        longest.unwrap_or((Part::Unknown, at + 1))
    }

    /// A word of the question; empty after the last.
    pub fn word(&self, at: usize) -> &str {
        self.words.get(at).map_or("", |word| word.text.as_str())
    }

    /// These words as they were written, without quotation marks.
    pub fn written(&self, start: usize, end: usize) -> &str {
        let words = self.words.get(start..end).unwrap_or_default();
        let ends = words.first().zip(words.last());
        let place = ends.map_or(0..0, |(first, last)| first.start..last.end);
        self.text[place].trim_matches(QUOTES).trim()
    }

    /// The phrases of a list that begin here: what each means, and the word after it.
    fn find_all(&self, list: &str, at: usize) -> Vec<(&'a str, usize)> {
        let words = self.words.iter().skip(at).take(MAX_PHRASE_WORDS);
        let text: String = words.map(|word| word.text.clone() + " ").collect();
        let phrases = self.phrases.get(list).into_iter().flatten();
        let phrases = phrases.filter_map(|(phrase, meaning)| {
            // perhaps in the plural
            let rest = text.strip_prefix(phrase.as_str())?;
            let is_whole = [" ", "s ", "es "].iter().any(|end| rest.starts_with(end));
            is_whole.then(|| (*meaning, at + phrase.split(' ').count()))
        });
        phrases.collect()
    }

    /// The longest phrase of a list that begins here: what it means, and the word after it.
    pub fn find(&self, list: &str, at: usize) -> Option<(&'a str, usize)> {
        let phrases = self.find_all(list, at).into_iter();
        phrases.max_by_key(|(_, end)| *end)
    }

    /// What the phrase of a list means that begins here, if there is one, and the word after it.
    pub fn take(&self, list: &str, at: usize) -> (Option<&'a str>, usize) {
        let (meaning, end) = self.find(list, at).unzip();
        (meaning, end.unwrap_or(at))
    }

    /// The word after a phrase of a list; this one if there is none.
    pub fn skip(&self, list: &str, at: usize) -> usize {
        self.take(list, at).1
    }

    /// A value, a city or a state. The code of a state counts only where a place may be.
    fn read_value(&self, at: usize) -> ReadPart<'a> {
        let mut before = self.tokens.iter().rev();
        let before = before.find(|token| !matches!(token.part, Part::Particle(",")));
        let is_place =
            |token: &Token<'_>| matches!(token.part, Part::Value(_, "city" | "state", _));
        let follows = before.is_some_and(is_place);
        let written = self.written(at, at + 1);
        let is_upper = written == written.to_uppercase() && written != self.text;
        let may_be_code = (follows || is_upper) && self.skip("particles", at) == at;
        let is_code = may_be_code || self.is_after_in(at);
        let codes = is_code.then(|| self.find_all("codes", at));
        let phrases = codes
            .into_iter()
            .flatten()
            .chain(self.find_all("values", at));
        let values = phrases.filter_map(|(meaning, end)| Some((self.read_meaning(meaning)?, end)));
        let (value, end) = values.max_by_key(|(_, end)| *end)?;
        match self.word(end) {
            "county" | "counties" => Some((Part::Unknown, end + 1)),
            _ => Some((value, end)),
        }
    }

    /// "stories>=12", which is about a project, or values like "hotel,office".
    fn read_meaning(&self, meaning: &'a str) -> Option<Part<'a>> {
        if let Some(at) = meaning.find(['<', '>', '=']) {
            let (key, test) = meaning.split_at(at);
            return Some(Part::Value(Some("for_project"), key, test.to_owned()));
        }
        let KeyPath(relation, key) = self.keys.find_word(meaning.split(',').next()?)?;
        Some(Part::Value(relation, key, format!("={meaning}")))
    }

    pub fn is_after_in(&self, at: usize) -> bool {
        at > 0 && self.word(at - 1) == "in"
    }

    /// "owned by Hines", "by Turner", "named Maple Court", a text in quotation marks.
    fn read_name(&self, at: usize) -> ReadPart<'a> {
        let is_quoted = |at: usize| self.word(at).starts_with('"');
        let is_capital = |at: usize| self.written(at, at + 1).starts_with(char::is_uppercase);
        let phrase = is_quoted(at).then_some(("name", at));
        let (kind, start) = phrase.or_else(|| self.find("names", at))?;
        let is_number = |c: char| c == '&' || c.is_ascii_digit();
        let continues = |at: &usize| is_capital(*at) || self.word(*at).starts_with(is_number);
        let end = match start {
            _ if is_quoted(start) => start + 1,
            _ if is_capital(start) && kind != "tags" => {
                start + (start..self.words.len()).take_while(continues).count()
            }
            _ => self.find_end_of_phrase(start, 4),
        };
        let is_proper = is_quoted(start) || is_capital(start);
        let is_known = self.read_value(start).is_some();
        let is_of_contacts = self.keys.entity.plural() == "contacts";
        let is_name = match kind {
            "anyone" => is_proper && !is_known,
            // "at Turner" is where contacts work
            "employer" if is_known || !is_proper || !is_of_contacts => return None,
            _ => is_proper || self.skip("particles", self.skip("nobody", start)) == start,
        };
        let name = self.written(start, end).replace(',', "\\,");
        match is_name && end > start {
            true => Some((Part::Name(kind, name), end)),
            false => Some((Part::Unknown, end)),
        }
    }

    /// The next word that begins something else, after so many words at most.
    fn find_end_of_phrase(&self, start: usize, most: usize) -> usize {
        let begins_other = |at: &usize| {
            let range = || self.read_amount(*at).or_else(|| self.read_days(*at));
            self.skip("boundaries", *at) > *at || range().is_some()
        };
        let end = self.words.len().min(start + most);
        (start..end).find(begins_other).unwrap_or(end)
    }

    /// "newest first", "sorted by name", "top 20", "biggest".
    fn read_order(&self, at: usize) -> ReadPart<'a> {
        if self.word(at) == "top" {
            let (count, end) = self.read_count(at + 1)?;
            return Some((Part::Top(count), end));
        }
        let by = self.skip("sorted", at);
        let field = || self.find("sort_fields", by).filter(|_| by > at);
        let (order, end) = self.find("orders", by).or_else(field)?;
        Some((Part::Order(order), end))
    }

    /// Words that change what follows, with it: "looking for a gc", "near Austin".
    fn read_doubt(&self, at: usize) -> ReadPart<'a> {
        let (_, doubt) = self.find("doubts", at)?;
        if (0..=at).all(|at| self.skip("introductions", at) > at) {
            return Some((Part::Particle("noise"), doubt));
        }
        let start = self.skip("articles", doubt);
        let end = self.read_value(start).map(|(_, end)| end);
        let end = end.unwrap_or_else(|| self.find_end_of_phrase(start, 1));
        Some((Part::Unknown, end))
    }

    /// Related records; the records themselves mean nothing.
    fn read_records(&self, at: usize) -> ReadPart<'a> {
        let (records, end) = self.find("records", at)?;
        let part = match self.keys.find_word(records) {
            _ if self.keys.entity.plural() == records => Part::Particle("noise"),
            Some(KeyPath(None, relation)) => Part::Records(relation),
            _ => Part::Unknown,
        };
        Some((part, end))
    }

    fn read_particle(&self, at: usize) -> ReadPart<'a> {
        let (particle, end) = self.find("particles", at)?;
        Some((Part::Particle(particle), end))
    }

    /// What a word that is not understood may mean: another spelling of at least five letters.
    pub fn suggest_word(&self, token: &Token<'_>) -> Option<String> {
        let is_word = matches!(token.part, Part::Unknown) && token.end == token.start + 1;
        let word = Some(self.word(token.start)).filter(|_| is_word)?;
        if let Some((hint, _)) = self.find("hints", token.start) {
            return Some(hint.to_owned());
        }
        let phrases = self.phrases.get("values").into_iter().flatten();
        let phrases = phrases.filter(|(_, meaning)| self.read_meaning(meaning).is_some());
        let mut phrases = phrases.filter(|(phrase, _)| {
            phrase.len().abs_diff(word.len()) < 2 && phrase.chars().next() == word.chars().next()
        });
        let near = closest_match(word, phrases.clone().map(|(phrase, _)| phrase.as_str()));
        let near = near.filter(|_| word.len() >= 5)?;
        let is_name = phrases.any(|(phrase, meaning)| phrase == near && meaning.contains('='));
        let name = Some(capitalize(near)).filter(|_| is_name);
        Some(format!("did you mean {}?", name.as_deref().unwrap_or(near)))
    }
}
