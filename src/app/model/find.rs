//! The search in the loaded rows of a list: what was looked for, now and before, and where the user was when the prompt opened.

use crate::domain::text_query::TextQuery;

/// The preference that keeps the searches, one a line.
pub const HISTORY_PREFERENCE: &str = "find.history";
/// Searches that are kept, and the longest of them.
const MAX_HISTORY: usize = 20;
const MAX_KEPT_CHARS: usize = 200;

#[derive(Clone, Debug, Default)]
pub struct FindState {
    /// The last search, which the keys for the next and the previous match repeat.
    pub last: String,
    /// Where the list was when the prompt opened.
    pub origin: Option<FindOrigin>,
    /// Earlier searches, the last one at the end.
    history: Vec<String>,
    /// The search shown from the history, and the text that was typed before it.
    recalled: Option<(usize, String)>,
}

/// A list before its rows were searched.
#[derive(Clone, Debug)]
pub struct FindOrigin {
    pub line: usize,
    /// How many rows are loaded.
    pub rows: usize,
    /// What the list was narrowed to.
    pub query: Option<TextQuery>,
}

impl FindState {
    pub fn with_history(saved: &str) -> FindState {
        let history = saved.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect();
        FindState { history, ..FindState::default() }
    }

    /// Adds a search to the history. Returns the history to save.
    pub fn remember(&mut self, search: &str) -> String {
        search.clone_into(&mut self.last);
        self.recalled = None;
        if search.chars().count() <= MAX_KEPT_CHARS {
            self.history.retain(|known| known != search);
            self.history.push(search.to_owned());
            self.history.drain(..self.history.len().saturating_sub(MAX_HISTORY));
        }
        self.history.join("\n")
    }

    /// The search before the one in the prompt, or with `is_older` not set the one after it; `None` if there is none.
    pub fn recall(&mut self, is_older: bool, typed: &str) -> Option<String> {
        let at = self.recalled.as_ref().map_or(self.history.len(), |(at, _)| *at);
        let at = if is_older { at.checked_sub(1)? } else { at + 1 };
        let typed = self.recalled.take().map_or_else(|| typed.to_owned(), |(_, typed)| typed);
        if at >= self.history.len() {
            // Below the newest search is what was typed.
            return Some(typed);
        }
        self.recalled = Some((at, typed));
        self.history.get(at).cloned()
    }

    /// The prompt opened or closed.
    pub fn stop_recalling(&mut self) {
        self.recalled = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_are_recalled_from_the_last_one_and_what_was_typed_comes_back() {
        let mut find = FindState::with_history("austin\nlofts");
        assert_eq!(find.remember("crane"), "austin\nlofts\ncrane");
        assert_eq!(find.recall(true, "fo").as_deref(), Some("crane"));
        assert_eq!(find.recall(true, "crane").as_deref(), Some("lofts"));
        assert_eq!(find.recall(false, "lofts").as_deref(), Some("crane"));
        assert_eq!(find.recall(false, "crane").as_deref(), Some("fo"));
        assert_eq!((0..5).filter_map(|_| find.recall(true, "fo")).last().as_deref(), Some("austin"));
    }

    #[test]
    fn the_history_has_each_search_once_and_is_bounded() {
        let mut find = FindState::default();
        (0..50).for_each(|n| drop(find.remember(&format!("word {n}"))));
        let kept = find.remember("word 40");
        assert_eq!((kept.lines().count(), kept.lines().last()), (MAX_HISTORY, Some("word 40")));
        assert_eq!(find.remember(&"long ".repeat(100)).lines().count(), MAX_HISTORY);
    }
}
