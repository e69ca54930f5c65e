//! The words of a question, each with its place, so that it can be repeated as it was written; and
//! the phrases that questions are made of, which are in `assets/questions/words.toml`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex_lite::Regex;

use crate::domain::fuzzy;
use crate::service::embedded_data::parse_table;

/// A word, a number without its unit, a date, a sign, or a text in quotation marks.
pub(super) struct Word {
    /// In lower case, without accents and apostrophes; a quoted text begins with its mark.
    pub text: String,
    pub start: usize,
    pub end: usize,
}

pub(super) const QUOTES: [char; 3] = ['"', '“', '”'];

static WORD: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r#"(?xi)
          ["“”] [^"“”]* ["“”]?     # a text in quotation marks
        | \d{4} - \d\d (-\d\d)? \b # a day or a month
        | \d ([\d,./]* \d)?        # a number
        | w/o(ut)? \b | w/ | and/or
        | [a-z]{1,2} \.            # "St. Louis" does not end a sentence
        | [a-zÀ-\u{1fff}\u{2c00}-\u{10ffff}] [a-z0-9'’À-\u{1fff}\u{2c00}-\u{10ffff}]*
        | [<>=]+ | [-–—≤≥$+&/,:]
        | [.?!;] (\s | $)          # the end of a sentence
    "#;
    Regex::new(pattern).expect("the pattern is valid")
});

pub(super) fn split_words(question: &str) -> Vec<Word> {
    let words = WORD.find_iter(question).filter_map(|word| {
        let (start, end) = (word.start(), word.end());
        let text = normalize_word(word.as_str().trim_end(), &question[end..])?;
        Some(Word { text, start, end })
    });
    words.collect()
}

/// The text of a word before the rest of a question. A hyphen is "to" before a number, and otherwise
/// only separates words.
fn normalize_word(word: &str, rest: &str) -> Option<String> {
    let is_digit = |c: char| c.is_ascii_digit();
    let precedes_number = rest.trim_start_matches([' ', '$']).starts_with(is_digit);
    match word {
        "-" | "–" => precedes_number.then(|| "to".to_owned()),
        _ if word.starts_with(QUOTES) => Some(format!("\"{}", word.trim_matches(QUOTES).trim())),
        _ if word.starts_with(is_digit) => Some(word.replace(',', "")),
        _ if word.contains(char::is_alphabetic) && !word.contains('/') => {
            Some(fuzzy::tokenize(word).concat())
        }
        sign => Some(sign.to_lowercase()),
    }
}

/// The phrases of all lists: the list, the phrase, and what it means. The words of a phrase are
/// separated by one space.
pub(super) fn list_phrases<'a>() -> impl Iterator<Item = (&'a str, String, &'a str)> {
    type Lists = BTreeMap<String, BTreeMap<String, Vec<String>>>;
    static LISTS: LazyLock<Lists> =
        LazyLock::new(|| parse_table(include_str!("../../../../assets/questions/words.toml")));
    LISTS.iter().flat_map(|(list, meanings)| {
        meanings.iter().flat_map(|(meaning, phrases)| {
            let phrases = phrases.iter();
            phrases.map(|phrase| (list.as_str(), phrase.clone(), meaning.as_str()))
        })
    })
}
