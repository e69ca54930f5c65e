//! The completion of a word that is being typed, by words that are known already.

/// A text whose last word is completed: repeated completion goes through all words that begin like
/// it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The text before the word.
    before: String,
    words: Vec<String>,
    shown: usize,
}

impl Completion {
    /// Completes the last word of a text with the first or the last of the words that begin like
    /// it, ignoring case. `None` if there is none besides the word itself.
    pub fn start(
        text: &str,
        is_forward: bool,
        words: impl Iterator<Item = String>,
    ) -> Option<Completion> {
        let (before, stem) = split_last_word(text);
        Completion::start_after(before, stem, is_forward, words)
    }

    /// The same for a text that is one value, whatever it contains.
    pub fn start_whole(
        text: &str,
        is_forward: bool,
        values: impl Iterator<Item = String>,
    ) -> Option<Completion> {
        Completion::start_after("", text, is_forward, values)
    }

    fn start_after(
        before: &str,
        stem: &str,
        is_forward: bool,
        words: impl Iterator<Item = String>,
    ) -> Option<Completion> {
        let stem = stem.to_lowercase();
        let words: Vec<String> = words
            .filter(|word| word.to_lowercase().starts_with(&stem) && word.to_lowercase() != stem)
            .collect();
        let shown = if is_forward {
            0
        } else {
            words.len().checked_sub(1)?
        };
        (!words.is_empty()).then(|| Completion {
            before: before.to_owned(),
            words,
            shown,
        })
    }

    /// Begins a completion, or goes on with the one that is open; returns the completed text.
    pub fn advance(
        open: &mut Option<Completion>,
        is_forward: bool,
        start: impl FnOnce() -> Option<Completion>,
    ) -> Option<String> {
        match open {
            Some(completion) => completion.step(is_forward),
            None => *open = start(),
        }
        open.as_ref().map(Completion::text)
    }

    fn step(&mut self, is_forward: bool) {
        self.shown =
            (self.shown + if is_forward { 1 } else { self.words.len() - 1 }) % self.words.len();
    }

    /// The completed text.
    fn text(&self) -> String {
        format!("{}{}", self.before, self.words[self.shown])
    }
}

/// The text before the last word, and the word. A quoted value belongs to its word: `city="San `.
pub fn split_last_word(text: &str) -> (&str, &str) {
    let mut is_quoted = false;
    let mut start = 0;
    for (at, c) in text.char_indices() {
        match c {
            '"' => is_quoted = !is_quoted,
            c if c.is_whitespace() && !is_quoted => start = at + c.len_utf8(),
            _ => {}
        }
    }
    text.split_at(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complete(text: &str, steps: usize) -> Option<String> {
        let words = ["city=Austin", "city=\"San Jose\"", "cost>="].map(str::to_owned);
        let mut completion = Completion::start(text, true, words.into_iter())?;
        (0..steps).for_each(|_| completion.step(true));
        Some(completion.text())
    }

    #[test]
    fn the_last_word_is_completed_and_repeating_it_goes_through_all_words_that_begin_like_it() {
        assert_eq!(complete("days<=7 ci", 0).unwrap(), "days<=7 city=Austin");
        assert_eq!(
            complete("days<=7 ci", 1).unwrap(),
            "days<=7 city=\"San Jose\""
        );
        assert_eq!(complete("days<=7 ci", 2).unwrap(), "days<=7 city=Austin");
        assert_eq!(complete("CITY=a", 0).unwrap(), "city=Austin");
        assert_eq!(complete("city=\"San J", 0).unwrap(), "city=\"San Jose\"");
        assert_eq!(complete("", 2).unwrap(), "cost>=");
        assert_eq!(complete("where", 0), None);
        assert_eq!(complete("city=Austin", 0), None, "it is complete");
    }
}
