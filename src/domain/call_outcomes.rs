//! The outcomes of calls: what a call leaves on its record and on the signal.

use chrono::{DateTime, NaiveDate, TimeZone};

use super::snooze::{check_snooze_text, find_promised_time};

/// One for each of the keys 1 to 5.
pub const MAX_OUTCOMES: usize = 5;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallOutcome {
    /// As shown, and as written in the note.
    pub label: String,
    /// The new status of the record.
    pub status: String,
    /// What happens to the signal.
    pub then: AfterCall,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AfterCall {
    /// It is marked done for everyone.
    Done,
    /// It stays new.
    Nothing,
    /// It is snoozed on this machine until this time as it was written.
    Snooze(String),
}

impl AfterCall {
    /// The same after a note: whoever was promised a call on a day that lies ahead is called then.
    #[must_use]
    pub fn keep_promise<Z: TimeZone>(&self, note: &str, now: &DateTime<Z>) -> AfterCall {
        let promised = find_promised_time(note, now);
        match promised.filter(|_| *self != AfterCall::Nothing) {
            Some(time) => AfterCall::Snooze(time),
            None => self.clone(),
        }
    }
}

impl CallOutcome {
    /// The line of the record's note that tells of a call with this outcome.
    pub fn write_line(&self, day: NaiveDate, by: Option<&str>, note: &str) -> String {
        let by = by.map_or_else(String::new, |name| format!(" by {name}"));
        let line = format!("{day} call{by}: {}. {note}", self.label);
        line.trim_end().to_owned()
    }

    /// Reads an outcome. By default the status is the label, and the signal is marked done unless
    /// it is snoozed.
    ///
    /// # Errors
    /// What is missing or wrong.
    pub fn parse(
        label: &str,
        status: &str,
        done: Option<bool>,
        snooze: &str,
    ) -> Result<CallOutcome, String> {
        let (label, status, snooze) = (label.trim(), status.trim(), snooze.trim());
        if label.is_empty() {
            return Err("it needs a label".to_owned());
        }
        let then = match (done, snooze) {
            (Some(true), snooze) if !snooze.is_empty() => {
                return Err("it cannot both mark done and snooze".to_owned());
            }
            (_, snooze) if !snooze.is_empty() => {
                check_snooze_text(snooze).map_err(|error| format!("snooze: {error}"))?;
                AfterCall::Snooze(snooze.to_owned())
            }
            (Some(false), _) => AfterCall::Nothing,
            _ => AfterCall::Done,
        };
        let status = if status.is_empty() { label } else { status };
        Ok(CallOutcome {
            label: label.to_owned(),
            status: status.to_owned(),
            then,
        })
    }

    /// Those that are used unless the configuration has others. Whoever was not reached is to be
    /// called again: the signal comes back.
    pub fn defaults() -> Vec<CallOutcome> {
        let again = || AfterCall::Snooze("2d".to_owned());
        [
            ("reached", AfterCall::Done),
            ("voicemail", again()),
            ("no answer", again()),
            ("meeting set", AfterCall::Done),
            ("not interested", AfterCall::Done),
        ]
        .map(|(label, then)| CallOutcome {
            label: label.to_owned(),
            status: label.to_owned(),
            then,
        })
        .into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_whose_call_promises_a_day_comes_back_on_it_whatever_came_of_the_call() {
        let now = DateTime::parse_from_rfc3339("2026-07-09T16:20:00-07:00").unwrap();
        let after = |then: &AfterCall, note| then.keep_promise(note, &now);
        let snooze = |time: &str| AfterCall::Snooze(time.to_owned());
        for then in [AfterCall::Done, snooze("2d")] {
            assert_eq!(after(&then, "call back in 3 weeks"), snooze("in 3 weeks"));
            for note in ["", "called back Friday", "call back 2026-07-01"] {
                assert_eq!(after(&then, note), then, "{note}");
            }
        }
        let stays = AfterCall::Nothing;
        assert_eq!(after(&stays, "call back Friday"), stays);
    }

    #[test]
    fn an_outcome_is_read_or_says_what_is_wrong() {
        let then = |done, snooze| {
            CallOutcome::parse("call back", "", done, snooze).map(|outcome| outcome.then)
        };
        assert_eq!(then(None, ""), Ok(AfterCall::Done));
        assert_eq!(then(Some(false), ""), Ok(AfterCall::Nothing));
        assert_eq!(then(None, "2d"), Ok(AfterCall::Snooze("2d".to_owned())));
        assert_eq!(
            then(Some(true), "2d").unwrap_err(),
            "it cannot both mark done and snooze"
        );
        assert!(
            then(None, "someday")
                .unwrap_err()
                .starts_with("snooze: \"someday\" is not a time")
        );
        assert_eq!(
            CallOutcome::parse(" ", "x", None, "").unwrap_err(),
            "it needs a label"
        );
        assert_eq!(
            CallOutcome::parse("left word", "voicemail", None, "").map(|outcome| outcome.status),
            Ok("voicemail".to_owned())
        );
    }
}
