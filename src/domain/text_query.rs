//! What is typed to find rows: words in any order, `/re/` for a regular expression, `!` before
//! either to exclude.
//!
//! A word matches where the text contains it. A longer word also matches a word of the text that
//! has its letters in order, so that `bldg` finds "building"; letters scattered over the whole text
//! do not count. Case matters only if the query has a capital letter.

use std::fmt;

use nucleo_matcher::chars::normalize;
use regex_lite::{Regex, RegexBuilder};

/// Shorter words match only where the text contains them.
const MIN_FUZZY_CHARS: usize = 4;
/// A word of the text may be this many times as long as the letters that abbreviate it.
const MAX_ABBREVIATION: usize = 2;
/// The most memory that an expression may take, in bytes.
const MAX_EXPRESSION_BYTES: usize = 1 << 20;

/// A query, read and ready to match.
#[derive(Clone, Debug)]
pub struct TextQuery {
    text: String,
    terms: Vec<Term>,
}

#[derive(Clone, Debug)]
struct Term {
    is_excluded: bool,
    pattern: Pattern,
}

#[derive(Clone, Debug)]
enum Pattern {
    /// A word without accents; in lower case, unless its case matters.
    Word {
        word: String,
        is_cased: bool,
        can_abbreviate: bool,
    },
    Expression(Regex),
}

impl PartialEq for TextQuery {
    fn eq(&self, other: &TextQuery) -> bool {
        self.text == other.text
    }
}

/// Why a query cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidQuery(String);

impl fmt::Display for InvalidQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not a regular expression: {}", self.0)
    }
}

impl TextQuery {
    /// Reads a query. An expression ends with the next `/` or with the text.
    pub fn parse(text: &str) -> Result<TextQuery, InvalidQuery> {
        let mut terms = Vec::new();
        let mut rest = text.trim_start();
        while !rest.is_empty() {
            let (is_excluded, term) = match rest.strip_prefix('!') {
                Some(term) => (true, term),
                None => (false, rest),
            };
            let (pattern, after) = match term.strip_prefix('/') {
                Some(expression) => {
                    let (expression, after) = split_expression(expression);
                    (parse_expression(expression)?, after)
                }
                None => {
                    let (word, after) =
                        term.split_at(term.find(char::is_whitespace).unwrap_or(term.len()));
                    (parse_word(word, is_excluded), after)
                }
            };
            terms.extend(pattern.map(|pattern| Term {
                is_excluded,
                pattern,
            }));
            rest = after.trim_start();
        }
        Ok(TextQuery {
            text: text.trim().to_owned(),
            terms,
        })
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it has nothing to look for yet.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// The same without words that are only similar; `None` if it accepts none of them.
    pub fn exact(&self) -> Option<TextQuery> {
        let mut exact = self.clone();
        let mut was_lenient = false;
        for term in &mut exact.terms {
            if let Pattern::Word { can_abbreviate, .. } = &mut term.pattern {
                was_lenient |= std::mem::take(can_abbreviate);
            }
        }
        was_lenient.then_some(exact)
    }

    /// Tells whether a row matches, by the text that `write` makes of it.
    pub fn row_matcher<R: Copy>(&self, write: impl Fn(R, &mut String)) -> impl FnMut(R) -> bool {
        let (mut matcher, mut text) = (self.matcher(), String::new());
        move |row| {
            text.clear();
            write(row, &mut text);
            matcher.matches(&text)
        }
    }

    /// What tests texts against it.
    pub fn matcher(&self) -> TextMatcher<'_> {
        TextMatcher {
            query: self,
            plain: String::new(),
            lower: String::new(),
        }
    }
}

/// Tests one text after the other.
pub struct TextMatcher<'a> {
    query: &'a TextQuery,
    /// The text without accents, and the same in lower case.
    plain: String,
    lower: String,
}

impl TextMatcher<'_> {
    pub fn matches(&mut self, text: &str) -> bool {
        self.plain.clear();
        self.plain.extend(text.chars().map(normalize));
        self.lower.clear();
        self.lower
            .extend(self.plain.chars().flat_map(char::to_lowercase));
        self.query.terms.iter().all(|term| {
            let is_there = match &term.pattern {
                Pattern::Expression(expression) => expression.is_match(text),
                Pattern::Word {
                    word,
                    is_cased,
                    can_abbreviate,
                } => {
                    let text = if *is_cased { &self.plain } else { &self.lower };
                    text.contains(word) || *can_abbreviate && has_abbreviated(text, word)
                }
            };
            is_there != term.is_excluded
        })
    }
}

/// Whether a word of the text begins as the abbreviation and has its letters in order.
fn has_abbreviated(text: &str, abbreviation: &str) -> bool {
    let first = abbreviation.chars().next();
    let most = abbreviation.len() * MAX_ABBREVIATION;
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.len() <= most && word.chars().next() == first)
        .any(|word| {
            let mut left = word.chars();
            abbreviation.chars().all(|wanted| left.any(|c| c == wanted))
        })
}

/// A word; `None` for a `!` without one.
fn parse_word(word: &str, is_excluded: bool) -> Option<Pattern> {
    let is_cased = word.chars().any(char::is_uppercase);
    // What is left out must be there as typed, and a number is a number.
    let can_abbreviate = !is_excluded
        && word.chars().all(char::is_alphabetic)
        && word.chars().count() >= MIN_FUZZY_CHARS;
    let plain = word.chars().map(normalize);
    let word: String = if is_cased {
        plain.collect()
    } else {
        plain.flat_map(char::to_lowercase).collect()
    };
    (!word.is_empty()).then_some(Pattern::Word {
        word,
        is_cased,
        can_abbreviate,
    })
}

/// An expression; `None` if it is empty, as it is when its first `/` was just typed.
fn parse_expression(expression: &str) -> Result<Option<Pattern>, InvalidQuery> {
    if expression.is_empty() {
        return Ok(None);
    }
    let expression = RegexBuilder::new(expression)
        .case_insensitive(!has_capital(expression))
        .size_limit(MAX_EXPRESSION_BYTES)
        .build()
        .map_err(|error| InvalidQuery(error.to_string()))?;
    Ok(Some(Pattern::Expression(expression)))
}

/// An expression and what follows its closing `/`; `\/` does not close it.
fn split_expression(text: &str) -> (&str, &str) {
    let mut is_escaped = false;
    for (at, c) in text.char_indices() {
        if c == '/' && !is_escaped {
            return (&text[..at], &text[at + 1..]);
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    (text, "")
}

/// Whether an expression has a capital letter, other than in a class such as `\W`.
fn has_capital(expression: &str) -> bool {
    let mut is_escaped = false;
    expression.chars().any(|c| {
        let is_capital = c.is_uppercase() && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        is_capital
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn matches(query: &str, text: &str) -> bool {
        TextQuery::parse(query).unwrap().matcher().matches(text)
    }

    const ROW: &str =
        "permit issued 415 Mission St San Francisco new apartment building, 12 stories $27.9k Café";

    #[test]
    fn words_match_in_any_order_and_parts_of_words_count() {
        assert!(
            matches("francisco permit", ROW)
                && matches("miss", ROW)
                && matches("27.9k 415", ROW)
                && matches("", ROW)
        );
        assert!(!matches("francisco oakland", ROW));
    }

    #[test]
    fn a_longer_word_matches_an_abbreviated_word_and_nothing_scattered() {
        for abbreviation in ["bldg", "aprtmnt", "frncsco"] {
            assert!(matches(abbreviation, ROW), "{abbreviation}");
        }
        // In order somewhere in the row, but not within one word; too short; a number; an
        // exclusion.
        for scattered in ["pmnt", "isan", "msn", "4112", "permits", "mission500"] {
            assert!(!matches(scattered, ROW), "{scattered}");
        }
        assert!(matches("!bldg", ROW));
    }

    #[test]
    fn an_excluded_word_or_expression_must_not_be_there() {
        assert!(matches("permit !hotel", ROW) && !matches("permit !apartment", ROW));
        assert!(matches("!/^loan/ mission", ROW) && !matches(r"!/\d+ stories/", ROW));
        assert!(
            matches("permit !", ROW),
            "an exclamation mark excludes nothing yet"
        );
    }

    #[test]
    fn an_expression_stands_between_slashes_and_may_have_spaces() {
        assert!(
            matches(r"/\d+ mission/", ROW)
                && matches(r"/\d+ mission", ROW)
                && matches(r"/12 stor/ francisco", ROW)
        );
        assert!(matches(r"/a\/c/", "an a/c unit") && matches("/", ROW));
        assert!(!matches("/^415/", ROW));
    }

    #[test]
    fn a_capital_letter_makes_case_matter() {
        assert!(
            matches("mission", ROW)
                && matches("Mission", ROW)
                && !matches("MISSION", ROW)
                && !matches("Permit", ROW)
        );
        assert!(
            matches("/mission st/", ROW)
                && !matches("/mission ST/", ROW)
                && matches(r"/\Wmission\W/", ROW)
        );
    }

    #[test]
    fn letters_match_with_and_without_accents() {
        assert!(matches("cafe", ROW) && matches("café", ROW) && !matches("CAFE", ROW));
    }

    #[test]
    fn an_invalid_expression_says_why() {
        let why = TextQuery::parse("mission /(/").unwrap_err().to_string();
        assert!(why.starts_with("not a regular expression: "), "{why}");
    }

    proptest! {
        #[test]
        fn no_query_panics(query in ".{0,40}", text in ".{0,80}") {
            if let Ok(query) = TextQuery::parse(&query) {
                query.matcher().matches(&text);
            }
        }

        #[test]
        fn a_word_of_the_text_always_matches(text in "[a-zA-Z0-9é$., ]{1,60}", at in 0usize..8) {
            if let Some(word) = text.split_whitespace().nth(at) {
                prop_assert!(matches(word, &text), "{word:?} in {text:?}");
            }
        }
    }
}
