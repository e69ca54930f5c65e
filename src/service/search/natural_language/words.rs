//! Splits a question into words. Each keeps its place, so that it can be repeated as it was
//! written.

use chrono::NaiveDate;

use crate::service::fuzzy;

/// A word, a number without its unit, a date, a sign, or a text in quotation marks.
pub(super) struct Word {
    /// In lower case, without accents and apostrophes; a quoted text begins with its mark.
    pub text: String,
    /// Where the text begins among those of all words.
    pub offset: usize,
    pub start: usize,
    pub end: usize,
}

/// The words of a question, and their texts, each followed by a space. A "-" between numbers is "to"
/// and a "/" between words is "or"; commas and the ends of sentences are words.
pub(super) fn split_words(question: &str) -> (Vec<Word>, String) {
    let (mut words, mut texts) = (Vec::<Word>::new(), String::new());
    let mut start = 0;
    while let Some(first) = question[start..].chars().next() {
        let before = words.last().map_or("", |word| word.text.as_str());
        let (text, length) = read_word(first, &question[start..], before);
        let (offset, end) = (texts.len(), start + length);
        if !text.is_empty() {
            texts.extend([&text, " "]);
            words.push(Word {
                text,
                offset,
                start,
                end,
            });
        }
        start = end;
    }
    (words, texts)
}

/// The word that begins here after another one, and its length in bytes. What only separates words
/// is empty.
fn read_word(first: char, rest: &str, before: &str) -> (String, usize) {
    let count = |is_part: fn(char) -> bool| rest.find(|c| !is_part(c)).unwrap_or(rest.len());
    let sign = first.len_utf8();
    let after = &rest[sign..];
    let ends = after.chars().next().is_none_or(char::is_whitespace);
    let is_number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit() || c == '$');
    let text = match first {
        '"' | '\u{201c}' | '\u{201d}' => {
            let inner = after
                .split(['"', '\u{201c}', '\u{201d}'])
                .next()
                .unwrap_or_default();
            let closing = after[inner.len()..]
                .chars()
                .next()
                .map_or(0, char::len_utf8);
            return (format!("\"{}", inner.trim()), sign + inner.len() + closing);
        }
        '0'..='9' => {
            let long = count(|c| c.is_ascii_digit() || ",./-".contains(c));
            let date = format!("{}-01", &rest[..long]);
            let date = date
                .get(..10)
                .and_then(|date| date.parse::<NaiveDate>().ok());
            let short = count(|c| c.is_ascii_digit() || ",./".contains(c));
            let length = if date.is_some() { long } else { short };
            let number = rest[..length].trim_end_matches([',', '.', '/', '-']);
            return (number.replace(',', ""), number.len());
        }
        'w' | 'W' if after.starts_with("/o") && !after[2..].starts_with(char::is_alphabetic) => {
            return ("without".to_owned(), 3);
        }
        _ if first.is_alphabetic() => {
            let length = count(|c| c.is_alphanumeric() || "'\u{2019}".contains(c));
            return (fuzzy::tokenize(&rest[..length]).concat(), length);
        }
        '<' | '>' | '=' => {
            let length = count(|c| "<>=".contains(c));
            return (rest[..length].to_owned(), length);
        }
        '\u{2264}' => "<=",
        '\u{2265}' => ">=",
        '$' | '+' | '&' => &rest[..sign],
        ',' | ':' | '\u{2014}' => ",",
        // "St. Louis" does not end a sentence
        '.' if ends && (before.len() > 2 || after.is_empty()) => ".",
        '?' | '!' | ';' if ends => ".",
        // "w/gc" and "and/or"
        '/' if !["w", "and"].contains(&before) => "or",
        '-' | '\u{2013}' if is_number(after.trim_start()) => "to",
        _ => "",
    };
    (text.to_owned(), sign)
}
