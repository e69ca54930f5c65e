//! Answers that have words after them, on the same line or on the next.

/// An answer that has words after it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum WordyAnswer {
    Snooze,
    Call,
    Note,
}

impl WordyAnswer {
    /// The answer, and the words after it.
    pub(super) fn parse(answer: &str) -> Option<(WordyAnswer, &str)> {
        let (word, rest) = answer.split_once(' ').unwrap_or((answer, ""));
        let wordy = match word.to_lowercase().as_str() {
            "s" | "snooze" => WordyAnswer::Snooze,
            "call" => WordyAnswer::Call,
            "note" => WordyAnswer::Note,
            _ => return None,
        };
        Some((wordy, rest.trim()))
    }
}
