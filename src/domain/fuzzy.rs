//! Fuzzy matching of texts.
//!
//! A text is split into words, ignoring case, accents and width. A text matches a value if each of
//! its words does: as a word, as a part of a word, or with a typo. Words of one or two letters
//! match exactly, and words with digits as a prefix, since a typo in a number is another number. A
//! word of three letters matches as a prefix. Nothing in a text is an operator.

use nucleo_matcher::chars::normalize;

/// A text in lower case, for all alphabets.
pub fn lowercase(text: &str) -> String {
    text.to_lowercase()
}

/// The normalized words of a text.
pub fn tokenize(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for_each_word(text, |word| words.push(word.to_owned()));
    words
}

/// Takes each of the normalized words of a text.
pub fn for_each_word(text: &str, mut take: impl FnMut(&str)) {
    let mut word = String::new();
    for c in text.chars() {
        let c = match c {
            '\u{ff01}'..='\u{ff5e}' => char::from_u32(c as u32 - 0xfee0).unwrap_or(c), // full-width characters
            '\u{300}'..='\u{36f}' | '\'' | '\u{2019}' | '`' => continue, // combining accents; O'Neill
            c => c,
        };
        match c {
            c if c.is_ascii_alphanumeric() => word.push(c.to_ascii_lowercase()),
            '%' | '_' | '*' | '^' | '~' | '$' | '=' => word.push(c),
            'ß' => word.push_str("ss"),
            'æ' | 'Æ' => word.push_str("ae"),
            'œ' | 'Œ' => word.push_str("oe"),
            c if c.is_alphanumeric() => word.extend(c.to_lowercase().map(normalize)),
            _ if word.is_empty() => {}
            _ => {
                take(&word);
                word.clear();
            }
        }
    }
    if !word.is_empty() {
        take(&word);
    }
}

/// How a search term matches a word, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MatchKind {
    /// It is the word.
    Whole,
    /// It is a part of the word.
    Part,
    /// It is the word with a typo or two.
    Typo,
}

/// A search term.
#[derive(Clone, Debug)]
pub struct QueryTerm {
    /// The normalized word.
    pub word: String,
    /// Whether it only matches as a prefix.
    pub prefix_only: bool,
    letters: Vec<char>,
    letter_bits: u64,
    allows_typos: bool,
    max_typos: usize,
}

impl QueryTerm {
    fn new(word: String) -> Self {
        let letters: Vec<char> = word.chars().collect();
        let has_slips = allows_typos(&word);
        let slips = if has_slips {
            usize::from(letters.len() > 3) + usize::from(letters.len() > 7)
        } else {
            0
        };
        let by_beginning = word.chars().any(|c| c.is_ascii_digit());
        QueryTerm {
            prefix_only: by_beginning,
            letter_bits: letter_bits(&word),
            letters,
            allows_typos: has_slips,
            max_typos: slips,
            word,
        }
    }

    /// Whether it may match a word with these letters. A typo adds at most one letter and removes
    /// at most one: this alone rules out nearly all words of a dictionary.
    pub fn may_match(&self, letter_bits: u64) -> bool {
        (self.letter_bits & !letter_bits).count_ones() as usize <= self.max_typos
    }

    /// Whether and how it matches a word.
    pub fn match_word(&self, word: &str) -> Option<MatchKind> {
        if !self.may_match(letter_bits(word)) {
            None
        } else if self.word == word {
            Some(MatchKind::Whole)
        } else if self.prefix_only {
            word.starts_with(&self.word).then_some(MatchKind::Part)
        } else if !self.allows_typos || !allows_typos(word) {
            None
        } else if word.starts_with(&self.word)
            || (self.letters.len() > 3 && word.contains(&self.word))
        {
            Some(MatchKind::Part)
        } else {
            (self.max_typos > 0 && is_within_edits(&self.letters, word, self.max_typos))
                .then_some(MatchKind::Typo)
        }
    }
}

/// The letters of a word as bits; some letters share one.
pub fn letter_bits(word: &str) -> u64 {
    word.chars().fold(0, |set, c| set | 1 << (c as u32 & 63))
}

/// Whether a word can be found by a part or with a typo: it has at least three letters and no
/// digit.
pub fn allows_typos(word: &str) -> bool {
    word.chars().nth(2).is_some() && !word.chars().any(|c| c.is_ascii_digit())
}

/// A search text.
#[derive(Clone, Debug)]
pub struct QueryText {
    /// Its words.
    pub terms: Vec<QueryTerm>,
}

impl QueryText {
    pub fn new(text: &str) -> Self {
        QueryText {
            terms: tokenize(text).into_iter().map(QueryTerm::new).collect(),
        }
    }

    /// Without typos: each word as it is, or as a part of a word.
    #[must_use]
    pub fn without_typos(mut self) -> QueryText {
        self.terms.iter_mut().for_each(|term| term.max_typos = 0);
        self
    }

    /// How well a value matches the text, less is better: 0 is the value itself. A word that is not
    /// in the value counts as distant.
    pub fn rank(&self, value: &str) -> i64 {
        let there = tokenize(value);
        if there
            .iter()
            .eq(self.terms.iter().map(|sought| &sought.word))
        {
            return 0;
        }
        let far = self.terms.iter().map(|sought| {
            match there
                .iter()
                .filter_map(|word| sought.match_word(word))
                .min()
            {
                Some(meets) => meets as i64,
                None => 3,
            }
        });
        1 + far.sum::<i64>() * 10 + (there.len().abs_diff(self.terms.len()) as i64).min(9)
    }

    /// Whether the text matches a value.
    pub fn matches(&self, value: &str) -> bool {
        let there = tokenize(value);
        !self.terms.is_empty()
            && self
                .terms
                .iter()
                .all(|sought| there.iter().any(|word| sought.match_word(word).is_some()))
    }
}

/// Whether two words differ by at most this many edits: an added, missing or different letter, or
/// two swapped letters.
pub fn is_within_edits(sought: &[char], word: &str, slips: usize) -> bool {
    if sought.len().abs_diff(word.chars().count()) > slips {
        return false;
    }
    let word: Vec<char> = word.chars().collect();
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=word.len()).collect();
    for (i, a) in sought.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in word.iter().enumerate() {
            let mut cost = (above[j] + usize::from(a != b))
                .min(above[j + 1] + 1)
                .min(row[j] + 1);
            if i > 0 && j > 0 && *a == word[j - 1] && sought[i - 1] == *b {
                cost = cost.min(before[j - 1] + 1);
            }
            row.push(cost);
        }
        if row.iter().all(|cost| *cost > slips) {
            return false;
        }
        before = std::mem::replace(&mut above, row);
    }
    above[word.len()] <= slips
}

/// The name closest to a word, if it is near: at most one edit for each three letters, and three in
/// all.
pub fn closest_match<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let near = |name: &'a str| {
        let longer = word.chars().count().max(name.chars().count());
        let distance = edit_distance(word, name);
        (distance <= 3.min(longer / 3)).then_some((distance, name))
    };
    names.filter_map(near).min().map(|(_, name)| name)
}

/// Number of letters to change, add, remove or swap with the next to turn one word into the other.
fn edit_distance(from: &str, to: &str) -> usize {
    let (from, to): (Vec<char>, Vec<char>) = (from.chars().collect(), to.chars().collect());
    let at = |row: &[usize], column: usize| row.get(column).copied().unwrap_or(usize::MAX - 1);
    let (mut before, mut row): (Vec<usize>, Vec<usize>) = (Vec::new(), (0..=to.len()).collect());
    for (i, a) in from.iter().enumerate() {
        let mut next = vec![i + 1];
        for (j, b) in to.iter().enumerate() {
            let is_swapped =
                i > 0 && j > 0 && from.get(i - 1) == Some(b) && to.get(j - 1) == Some(a);
            let swapped = if is_swapped {
                at(&before, j - 1) + 1
            } else {
                usize::MAX
            };
            let changed = at(&row, j) + usize::from(a != b);
            next.push(
                changed
                    .min(at(&row, j + 1) + 1)
                    .min(at(&next, j) + 1)
                    .min(swapped),
            );
        }
        (before, row) = (row, next);
    }
    at(&row, to.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_accent_and_width_are_folded_and_an_apostrophe_joins() {
        for (text, folded) in [
            ("Café MÜLLER", "cafe muller"),
            ("ＡＢＣ　１２", "abc 12"),
            ("Cafe\u{301}", "cafe"),
            ("Straße", "strasse"),
            ("O'Neill & Sons, Inc.", "oneill sons inc"),
            ("50% _off_", "50% _off_"),
            ("a\0b\"c", "a b c"),
            ("ŁÓDŹ", "lodz"),
            ("東京 タワー", "東京 タワー"),
        ] {
            assert_eq!(tokenize(text).join(" "), folded, "{text}");
        }
    }

    #[test]
    fn the_whole_value_any_word_and_a_word_with_a_typo_are_found() {
        for (text, value) in [
            ("Harborview Residences", "Harborview Residences"),
            ("residences", "Harborview Residences"),
            ("Harborveiw", "Harborview Residences"),
            ("Harbrveiw", "Harborview Residences"),
            ("view", "Harborview Residences"),
            ("mapel", "120 Maple Ave"),
            ("120", "1200 Maple Ave"),
            ("sons oneil", "O'Neill & Sons"),
        ] {
            assert!(QueryText::new(text).matches(value), "{text} in {value}");
        }
        for (text, value) in [
            ("zzzz", "Harborview Residences"),
            ("Hrbrveiw", "Harborview Residences"),
            ("121", "1200 Maple Ave"),
            ("%", "Maple"),
            ("Map%", "Maple"),
            ("ma", "Maple"),
            ("maple OR oak", "Maple"),
            ("", "Maple"),
            ("--", "Maple"),
        ] {
            assert!(!QueryText::new(text).matches(value), "{text} in {value}");
        }
    }

    #[test]
    fn the_exact_value_ranks_first_then_whole_words_parts_and_typos() {
        let text = QueryText::new("Maple Court");
        let ranks: Vec<i64> = [
            "maple court",
            "Maple Court East",
            "Maplewood Court",
            "Mapel Court",
            "Oak",
        ]
        .map(|value| text.rank(value))
        .into();
        assert!(ranks.is_sorted() && ranks[0] == 0, "{ranks:?}");
    }

    #[test]
    fn only_a_name_that_is_truly_near_is_suggested() {
        let names = ["id", "name", "status", "records_count", "high", "dataset"];
        for (typed, near) in [
            ("nam", Some("name")),
            ("hihg", Some("high")),
            ("sattus", Some("status")),
            ("record_cuont", Some("records_count")),
            ("city", None),
            ("date", None),
            ("ip", None),
            ("stories", None),
            ("", None),
        ] {
            assert_eq!(closest_match(typed, names.into_iter()), near, "{typed}");
        }
    }
}
