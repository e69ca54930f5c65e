//! Takes a question apart: at each place the longest phrase that means something.

use std::cmp::Reverse;

use chrono::NaiveDate;

use super::lexicon::{Phrase, list_phrases};
use super::subject::{QuestionSubject, Target};
use super::words::{Word, split_words};
use crate::domain::conditions::capitalize;
use crate::service::dataset::Dataset;
use crate::service::fuzzy;

/// What a phrase means.
pub(super) enum Part {
    /// Values of an enum.
    Values(Target, &'static str),
    /// A city or a state: the key and the name.
    Place(&'static str, String),
    /// The key of a name, or the role of a firm; and the name, as it is typed in a filter.
    Name(&'static str, String),
    Range(Range),
    /// "projects": the relation to them.
    Records(&'static str),
    /// "top 20".
    Top(u32),
    /// Sort keys and a direction.
    Order(&'static str),
    /// A word of grammar, a sign, or a word without a meaning.
    Particle(&'static str),
    /// It is understood, but no filter can express it.
    Unclear,
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
pub(super) struct Range {
    pub key: Option<&'static str>,
    pub kind: RangeKind,
    /// As it is typed in a filter: ">=5".
    pub test: String,
}

/// Fields that count something: "more than 10 stories" is at least 11, and "10 stories" exactly so
/// many.
pub(super) const COUNTS: &[&str] = &["residential_units", "stories"];

impl Range {
    /// Tests what compares in this way with the numbers, or days, from one to another.
    pub fn compare(
        key: Option<&'static str>,
        kind: RangeKind,
        comparison: &str,
        [first, last]: [f64; 2],
    ) -> Part {
        let is_day = kind == RangeKind::Days;
        let step = f64::from(is_day || key.is_some_and(|key| COUNTS.contains(&key)));
        let write = |end: f64| match NaiveDate::from_num_days_from_ce_opt(end as i32) {
            Some(day) if is_day => day.to_string(),
            _ => end.to_string(),
        };
        let test = match comparison {
            ">=" => format!(">={}", write(first)),
            ">" => format!(">={}", write(last + step)),
            "<=" => format!("<={}", write(last)),
            "<" => format!("<={}", write(first - step)),
            _ => format!("={}..{}", write(first), write(last)),
        };
        Part::Range(Range { key, kind, test })
    }
}

/// A phrase, from one word to before another.
pub(super) struct Token {
    pub part: Part,
    pub start: usize,
    pub end: usize,
}

impl Token {
    /// Whether it joins the phrases around it.
    pub fn is_filler(&self) -> bool {
        matches!(self.part, Part::Particle("noise" | "on" | "and" | "or"))
    }
}

/// What was read, and the word after it.
pub(super) type ReadPart = Option<(Part, usize)>;

pub(super) struct Question<'a> {
    text: &'a str,
    pub words: Vec<Word>,
    /// The texts of the words, each followed by a space.
    normalized: String,
    pub subject: QuestionSubject,
    /// The cities of the index.
    cities: Vec<Phrase>,
    pub today: NaiveDate,
    pub tokens: Vec<Token>,
}

impl<'a> Question<'a> {
    pub fn read(
        text: &'a str,
        subject: QuestionSubject,
        cities: &[String],
        today: NaiveDate,
    ) -> Self {
        let (words, normalized) = split_words(text);
        let new_city = |city: &String| Phrase::new(&fuzzy::tokenize(city).join(" "), city);
        let cities = cities.iter();
        let mut question = Question {
            text,
            words,
            normalized,
            subject,
            cities: cities.map(new_city).collect(),
            today,
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

    fn read_part(&self, at: usize) -> (Part, usize) {
        let readers = [
            Self::read_amount,
            Self::read_days,
            Self::read_values,
            Self::read_place,
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
        let text = match (words.first(), words.last()) {
            (Some(first), Some(last)) => &self.text[first.start..last.end],
            _ => "",
        };
        text.trim_matches(['"', '\u{201c}', '\u{201d}'])
    }

    /// The phrases that begin here: what each means, and the word after it.
    fn find_all<'p>(
        &self,
        phrases: &'p [Phrase],
        at: usize,
    ) -> impl Iterator<Item = (&'p str, usize)> {
        let word = self.words.get(at);
        let text = word.map_or("", |word| &self.normalized[word.offset..]);
        phrases.iter().filter_map(move |phrase| {
            let count = phrase.match_words(text)?;
            Some((phrase.meaning.as_str(), at + count))
        })
    }

    /// The longest phrase of a list that begins here: what it means, and the word after it.
    pub fn find(&self, list: &str, at: usize) -> Option<(&'static str, usize)> {
        let phrases = self.find_all(list_phrases(list), at);
        phrases.max_by_key(|(_, end)| *end)
    }

    /// What the phrase of a list means that begins here, if there is one, and the word after it.
    pub fn take(&self, list: &str, at: usize) -> (Option<&'static str>, usize) {
        let phrase = self.find(list, at);
        phrase.map_or((None, at), |(meaning, end)| (Some(meaning), end))
    }

    /// The word after a phrase of a list; this one if there is none.
    pub fn skip(&self, list: &str, at: usize) -> usize {
        self.take(list, at).1
    }

    fn read_values(&self, at: usize) -> ReadPart {
        let phrases = self.find_all(list_phrases("values"), at);
        let values = phrases.filter_map(|(values, end)| {
            let target = self.subject.find_value(values.split(',').next()?)?;
            Some((Part::Values(target, values), end))
        });
        values.max_by_key(|(_, end)| *end)
    }

    /// A state or a city by its whole name; the code of a state only where a place may be.
    fn read_place(&self, at: usize) -> ReadPart {
        let before = self.tokens.iter().rev();
        let mut before = before.filter(|token| !matches!(token.part, Part::Particle(",")));
        let follows = (before.next()).is_some_and(|token| matches!(token.part, Part::Place(..)));
        let written = self.written(at, at + 1);
        let is_code = match self.word(at) {
            _ if self.is_after_in(at) => true,
            "in" | "or" | "me" | "hi" => false,
            _ => follows || written == written.to_uppercase() && written != self.text,
        };
        let is_state = |end| self.written(at, end).len() > 3 || is_code && written.len() == 2;
        let states = self.find_all(list_phrases("states"), at);
        let states = states.filter(|(_, end)| is_state(*end));
        let states = states.map(|(code, end)| ("state", code, end));
        let cities = self.find_all(&self.cities, at);
        let places = cities.map(|(city, end)| ("city", city, end)).chain(states);
        let (key, name, end) = places.max_by_key(|(.., end)| *end)?;
        match self.word(end) {
            "county" | "counties" => Some((Part::Unclear, end + 1)),
            _ => Some((Part::Place(key, name.replace(',', "\\,")), end)),
        }
    }

    pub fn is_after_in(&self, at: usize) -> bool {
        at > 0 && self.word(at - 1) == "in"
    }

    /// "owned by Hines", "by Turner", "named Maple Court", a text in quotation marks.
    fn read_name(&self, at: usize) -> ReadPart {
        let is_quoted = |at: usize| self.word(at).starts_with('"');
        let is_capital = |at: usize| self.written(at, at + 1).starts_with(char::is_uppercase);
        let phrase = is_quoted(at).then_some(("name", at));
        let (kind, start) = phrase.or_else(|| self.find("names", at))?;
        let is_number = |c: char| c == '&' || c.is_ascii_digit();
        let continues = |at: &usize| is_capital(*at) || self.word(*at).starts_with(is_number);
        let end = match start {
            _ if is_quoted(start) => start + 1,
            _ if is_capital(start) => {
                start + (start..self.words.len()).take_while(continues).count()
            }
            _ => self.find_end_of_phrase(start, 4),
        };
        let is_name = match kind {
            "name" | "tags" => true,
            "anyone" if self.read_place(start).is_some() => false,
            "anyone" => is_quoted(start) || is_capital(start),
            _ => self.skip("nobody", start) == start,
        };
        let name = self.written(start, end).replace(',', "\\,");
        match is_name && end > start {
            true => Some((Part::Name(kind, name), end)),
            false => Some((Part::Unclear, end)),
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
    fn read_order(&self, at: usize) -> ReadPart {
        if self.word(at) == "top" {
            let (count, end) = self.read_count(at + 1)?;
            return Some((Part::Top(count), end));
        }
        let start = self.skip("sorted", at);
        match self.find("orders", start) {
            Some((order, end)) => Some((Part::Order(order), end)),
            None => (start > at).then_some((Part::Unclear, start)),
        }
    }

    /// Words that change what follows, with it: "looking for a gc", "near Austin".
    fn read_doubt(&self, at: usize) -> ReadPart {
        let (_, doubt) = self.find("doubts", at)?;
        if (0..=at).all(|at| self.skip("introductions", at) > at) {
            return Some((Part::Particle("noise"), doubt));
        }
        let start = self.skip("articles", doubt);
        let next = self.read_values(start).or_else(|| self.read_place(start));
        let end = next.map_or_else(|| self.find_end_of_phrase(start, 1), |(_, end)| end);
        Some((Part::Unclear, end))
    }

    /// Related records; the records themselves mean nothing.
    fn read_records(&self, at: usize) -> ReadPart {
        let (records, end) = self.find("records", at)?;
        let is_own = |own: Dataset| own.plural() == records;
        if self.subject.dataset.is_none_or(is_own) {
            return Some((Part::Particle("noise"), end));
        }
        let relation = self.subject.find_relation(records);
        Some((relation.map_or(Part::Unknown, Part::Records), end))
    }

    fn read_particle(&self, at: usize) -> ReadPart {
        let (particle, end) = self.find("particles", at)?;
        Some((Part::Particle(particle), end))
    }

    /// What a word may mean that is not understood: another spelling of at least five letters.
    pub fn suggest_word(&self, at: usize) -> Option<String> {
        if let Some((hint, _)) = self.find("hints", at) {
            return Some(hint.to_owned());
        }
        let letters: Vec<char> = self.word(at).chars().collect();
        let typos = if letters.len() < 9 { 1 } else { 2 };
        let is_near = |name: &String| {
            let name = name.to_lowercase();
            let is_near = fuzzy::is_within_edits(&letters, &name, typos);
            letters.len() >= 5 && !name.contains(' ') && is_near && !self.word(at).ends_with(&name)
        };
        let values = list_phrases("values").iter();
        let values = values.filter(|value| self.subject.find_value(&value.meaning).is_some());
        let places = list_phrases("states").iter().chain(&self.cities);
        let places = places.map(|place| capitalize(&place.text));
        let mut names = values.map(|value| value.text.clone()).chain(places);
        let name = names.find(is_near)?;
        Some(format!("did you mean {name}?"))
    }
}
