//! The values of text columns by row: as numbers of distinct values, or as the words of each value.

use std::sync::Arc;

use super::row_set::RowSet;
use crate::domain::fuzzy::{self, QueryText};

/// The distinct texts of a column, and which of them each row has. The first one stands for null.
#[derive(Clone, Default)]
pub struct TextColumn {
    dictionary: Dictionary,
    /// For each row one more than the number of its text; 0 for null.
    codes: Vec<u32>,
}

/// Distinct texts with their numbers.
#[derive(Clone, Default)]
struct Dictionary {
    texts: Vec<Arc<str>>,
    numbers: foldhash::HashMap<Arc<str>, u32>,
}

impl Dictionary {
    fn number_of(&mut self, text: &str) -> u32 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = self.texts.len() as u32;
        let text: Arc<str> = text.into();
        self.texts.push(text.clone());
        self.numbers.insert(text, number);
        number
    }
}

impl TextColumn {
    pub fn set(&mut self, row: u32, text: Option<&str>) {
        let code = text.map_or(0, |text| self.dictionary.number_of(text) + 1);
        set_at(&mut self.codes, row, code);
    }

    /// The rows whose text passes a test; those without a text do not.
    pub fn rows_where(&self, test: impl Fn(&str) -> bool) -> RowSet {
        let passes: Vec<bool> = std::iter::once(false)
            .chain(self.dictionary.texts.iter().map(|text| test(text)))
            .collect();
        RowSet::from_test(self.codes.len(), |row| passes[self.codes[row] as usize])
    }
}

/// The words of each value of a column, as [`fuzzy::tokenize`] splits them, without repetitions.
#[derive(Clone, Default)]
pub struct WordColumn {
    dictionary: Dictionary,
    /// The letters of each word of the dictionary.
    letters: Vec<u64>,
    /// For each row where its words are.
    spans: Vec<(u32, u32)>,
    words: Vec<u32>,
    /// The rows whose value is not null.
    known: RowSet,
}

impl WordColumn {
    pub fn set(&mut self, row: u32, text: Option<&str>) {
        let first = self.words.len();
        fuzzy::for_each_word(text.unwrap_or_default(), |word| {
            let number = self.dictionary.number_of(word);
            if number as usize == self.letters.len() {
                self.letters.push(fuzzy::letter_bits(word));
            }
            if !self.words[first..].contains(&number) {
                self.words.push(number);
            }
        });
        set_at(
            &mut self.spans,
            row,
            (first as u32, self.words.len() as u32),
        );
        match text {
            Some(_) => self.known.insert(row),
            None => self.known.remove(row),
        }
    }

    /// The rows with a value.
    pub fn known_rows(&self) -> &RowSet {
        &self.known
    }

    fn words_of(&self, row: usize) -> &[u32] {
        let (first, end) = self.spans[row];
        &self.words[first as usize..end as usize]
    }

    /// The rows that a text matches; see [`QueryText::matches`].
    pub fn rows_matching(&self, text: &QueryText) -> RowSet {
        let mut found = RowSet::default();
        for (nth, terms) in text.terms.chunks(64).enumerate() {
            let mut met = vec![0_u64; self.dictionary.texts.len()];
            for (bit, term) in terms.iter().enumerate() {
                let mut is_known = false;
                for (number, letters) in self.letters.iter().enumerate() {
                    if term.may_match(*letters)
                        && term.match_word(&self.dictionary.texts[number]).is_some()
                    {
                        met[number] |= 1 << bit;
                        is_known = true;
                    }
                }
                if !is_known {
                    return RowSet::default();
                }
            }
            let all = u64::MAX >> (64 - terms.len());
            let matches = RowSet::from_test(self.spans.len(), |row| {
                self.words_of(row)
                    .iter()
                    .fold(0, |sum, word| sum | met[*word as usize])
                    == all
            });
            if nth == 0 {
                found = matches
            } else {
                found.intersect(&matches)
            }
        }
        found
    }

    /// The rows whose value has the same words as a text, in the order in which they first occur.
    pub fn rows_with_words_of(&self, text: &str) -> RowSet {
        let mut words = Vec::new();
        for word in fuzzy::tokenize(text) {
            match self.dictionary.numbers.get(word.as_str()) {
                Some(number) if words.contains(number) => {}
                Some(number) => words.push(*number),
                None => return RowSet::default(),
            }
        }
        let mut rows = RowSet::from_test(self.spans.len(), |row| self.words_of(row) == words);
        rows.intersect(&self.known);
        rows
    }
}

/// Sets the value of a row; rows before it that were not set have the default.
pub(super) fn set_at<T: Clone + Default>(values: &mut Vec<T>, row: u32, value: T) {
    if row as usize >= values.len() {
        values.resize(row as usize + 1, T::default());
    }
    values[row as usize] = value;
}
