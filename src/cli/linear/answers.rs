//! Answers that have words after them, on the same line or on the next.

/// An answer that has words after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WordyAnswer {
    Snooze,
    Call,
    Note,
}

impl WordyAnswer {
    /// The same after a question for words: they are not an answer, however they begin. Only a
    /// time is never called `s`.
    pub(super) fn parse_after(
        asked: Option<WordyAnswer>,
        answer: &str,
    ) -> Option<(WordyAnswer, &str)> {
        let parsed = WordyAnswer::parse(answer);
        match asked {
            None => parsed,
            Some(WordyAnswer::Snooze) => parsed
                .filter(|(wordy, _)| *wordy == WordyAnswer::Snooze)
                .or(Some((WordyAnswer::Snooze, answer))),
            Some(asked) => Some((asked, answer)),
        }
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_that_begins_with_call_stays_a_note() {
        use WordyAnswer::{Call, Note, Snooze};
        let asked = |asked, answer| WordyAnswer::parse_after(asked, answer);
        for (question, answer, read) in [
            (
                Some(Note),
                "Call 2 architects",
                Some((Note, "Call 2 architects")),
            ),
            (Some(Note), "Note the fence", Some((Note, "Note the fence"))),
            (Some(Call), "2 left word", Some((Call, "2 left word"))),
            (Some(Snooze), "3d lender", Some((Snooze, "3d lender"))),
            (Some(Snooze), "s 3d", Some((Snooze, "3d"))),
            (None, "call 2", Some((Call, "2"))),
            (None, "2", None),
        ] {
            assert_eq!(asked(question, answer), read, "{answer}");
        }
    }
}
