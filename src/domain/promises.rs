//! Promises: what somebody of the team said they would do for a record on a day.
//!
//! A promise is a line of the record's shared note, so that colleagues see it with any client:
//! `> 2026-12-03 09:30 Dana Ortiz: call Ann about glazing`. Once it is kept, dropped or moved, its
//! line begins with `x` and says so. Lines are read leniently, because people edit them, and no line
//! changes but the one that is acted on.

use std::fmt;

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, TimeZone, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::book::RecordKind;
use super::display_format::format_recent_date;
use super::snooze::{SnoozeUntil, parse_snooze_until, split_snooze_reason};

/// Names in front of the colon have at most as many words; anything longer is part of the text.
const MAX_NAME_WORDS: usize = 4;

/// What is promised where only a day is given.
const FOLLOW_UP: &str = "follow up";

const OPEN: char = '>';
const CLOSED: char = 'x';

/// An open promise.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Promise {
    pub day: NaiveDate,
    pub time: Option<NaiveTime>,
    /// Who promised it, if the line says so.
    pub by: Option<String>,
    pub text: String,
}

/// The note of a record that promises something, as last read or written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromisingNote {
    pub kind: RecordKind,
    pub id: Uuid,
    /// Of the record.
    pub name: String,
    pub text: String,
    pub noted_at: DateTime<Utc>,
}

/// How a promise ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Closing {
    /// On this day.
    Kept(NaiveDate),
    Dropped(NaiveDate),
    Moved {
        due: NaiveDateTime,
        /// What is promised from then on, if that changes.
        text: Option<String>,
    },
}

impl Closing {
    /// A promise is moved, in words such as `fri` or `fri 9:30 call Ann instead`.
    ///
    /// # Errors
    /// As [`parse_due`].
    pub fn move_to<Z: TimeZone>(words: &str, now: &DateTime<Z>) -> Result<Closing, String> {
        let (time, text) = split_snooze_reason(words);
        Ok(Closing::Moved {
            due: parse_due(time, now)?,
            text: text.map(str::to_owned),
        })
    }

    /// What became of the promise, seen from now: `done`, `moved to Fri`.
    pub fn describe(&self, now: NaiveDateTime) -> String {
        match self {
            Closing::Kept(_) => "done".to_owned(),
            Closing::Dropped(_) => "dropped".to_owned(),
            Closing::Moved { due, .. } => format!("moved to {}", describe_due(*due, now)),
        }
    }
}

impl Promise {
    /// What somebody promises in words such as `thu 9:30 call Ann about glazing`.
    ///
    /// # Errors
    /// As [`parse_due`].
    pub fn from_words<Z: TimeZone>(
        words: &str,
        by: Option<String>,
        now: &DateTime<Z>,
    ) -> Result<Promise, String> {
        let (time, text) = split_snooze_reason(words);
        let due = parse_due(time, now)?;
        Ok(Promise::new(due, by, text.unwrap_or(FOLLOW_UP)))
    }

    pub fn new(due: NaiveDateTime, by: Option<String>, text: &str) -> Promise {
        Promise {
            day: due.date(),
            time: time_of(due),
            by,
            text: text.to_owned(),
        }
    }

    /// Reads a line of a note; `None` if it is no open promise.
    pub fn parse(line: &str) -> Option<Promise> {
        let rest = line.trim().strip_prefix(OPEN)?.trim_start();
        let (day, rest) = split_word(rest);
        // As `2026-12-03T09:30`, too.
        let (day, joined) = day.split_once('T').unwrap_or((day, ""));
        let (first, after) = split_word(rest);
        let (time, rest) = match (parse_time(joined), parse_time(first)) {
            (Some(time), _) => (Some(time), rest),
            (None, Some(time)) => (Some(time), after),
            (None, None) => (None, rest),
        };
        let (by, text) = split_name(rest);
        Some(Promise {
            day: day.trim_end_matches(':').parse().ok()?,
            time,
            by: by.map(str::to_owned),
            text: text.trim().to_owned(),
        })
    }

    /// When it is due: on a day without a time, from its beginning.
    pub fn due(&self) -> NaiveDateTime {
        self.day.and_time(self.time.unwrap_or_default())
    }

    /// The promise that replaces it once it is closed.
    pub fn successor(&self, closing: &Closing) -> Option<Promise> {
        let Closing::Moved { due, text } = closing else {
            return None;
        };
        let text = text.as_ref().unwrap_or(&self.text);
        Some(Promise::new(*due, self.by.clone(), text))
    }

    /// The line of the closed promise, in the words in which it stands there, and that of the one
    /// that replaces it.
    fn close(&self, line: &str, closing: &Closing) -> Vec<String> {
        let (line, end) = match line.strip_suffix('\r') {
            Some(line) => (line, "\r"),
            None => (line, ""),
        };
        let words = line.trim().trim_start_matches(OPEN).trim_start();
        let closed = |how: String| format!("{CLOSED} {words} ({how}){end}");
        let trace = match closing {
            Closing::Kept(day) => closed(format!("done {day}")),
            Closing::Dropped(day) => closed(format!("dropped {day}")),
            Closing::Moved { due, .. } => closed(format!("moved to {}", due.date())),
        };
        let moved = self.successor(closing).map(|moved| format!("{moved}{end}"));
        [trace].into_iter().chain(moved).collect()
    }
}

/// When a promise is due, as people write it, by their own clock.
///
/// # Errors
/// It is not a time ahead of us, as a line with examples.
pub fn parse_due<Z: TimeZone>(text: &str, now: &DateTime<Z>) -> Result<NaiveDateTime, String> {
    // Its beginning is over, but not the day.
    if text.trim().eq_ignore_ascii_case("today") {
        return Ok(now.naive_local().date().into());
    }
    match parse_snooze_until(text, now)? {
        SnoozeUntil::Time(at) => Ok(at.with_timezone(&now.timezone()).naive_local()),
        SnoozeUntil::NextFiling => {
            Err("only a signal waits for a filing; a promise needs a day".to_owned())
        }
    }
}

/// The time of day of what is due; a day begins at midnight.
fn time_of(due: NaiveDateTime) -> Option<NaiveTime> {
    Some(due.time()).filter(|time| *time != NaiveTime::MIN)
}

/// When a promise is due, seen from now: `2 days late`, `today 09:30`, `Thu`, `12-03`.
pub fn describe_due(due: NaiveDateTime, now: NaiveDateTime) -> String {
    let time = time_of(due).map(|time| time.format(" %H:%M").to_string());
    let time = time.unwrap_or_default();
    let day = match (due.date() - now.date()).num_days() {
        -1 => return "1 day late".to_owned(),
        days if days < 0 => return format!("{} days late", -days),
        0 => "today".to_owned(),
        1 => "tomorrow".to_owned(),
        2..=6 => due.format("%a").to_string(),
        _ => format_recent_date(due.date(), now.date()),
    };
    format!("{day}{time}")
}

/// As a line of a note.
impl fmt::Display for Promise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{OPEN} {}", self.day)?;
        if let Some(time) = self.time {
            write!(f, " {}", time.format("%H:%M"))?;
        }
        match &self.by {
            Some(name) => write!(f, " {name}:")?,
            // Otherwise its beginning would be read as a name or a time.
            None if split_name(&self.text).0.is_some() || begins_with_time(&self.text) => {
                write!(f, " :")?;
            }
            None => {}
        }
        match self.text.as_str() {
            "" => Ok(()),
            text => write!(f, " {text}"),
        }
    }
}

/// The open promises of a note, in its order.
pub fn open_promises(note: &str) -> impl Iterator<Item = Promise> {
    note.lines().filter_map(Promise::parse)
}

/// The note after a promise ended; every other line stays as it is. `None` if the promise is not in
/// it, because somebody changed or closed it.
pub fn close_promise(note: &str, promise: &Promise, closing: &Closing) -> Option<String> {
    let mut lines: Vec<String> = note.split('\n').map(str::to_owned).collect();
    let is_it = |line: &String| Promise::parse(line).as_ref() == Some(promise);
    let at = lines.iter().position(is_it)?;
    let closed = promise.close(&lines[at], closing);
    lines.splice(at..=at, closed);
    Some(lines.join("\n"))
}

fn split_word(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    text.split_once(char::is_whitespace).unwrap_or((text, ""))
}

/// The name in front of a colon, if it looks like one, and the rest. Nothing in front of the colon
/// is nobody.
fn split_name(text: &str) -> (Option<&str>, &str) {
    let is_name = |name: &str| {
        name.contains('@') && !name.contains(' ')
            || name.split_whitespace().count() <= MAX_NAME_WORDS
                && !name.contains(|c: char| c.is_ascii_digit() || c == '/')
    };
    match text.split_once(':') {
        Some((name, rest)) if name.trim().is_empty() => (None, rest),
        Some((name, rest)) if is_name(name.trim()) && !rest.starts_with('/') => {
            (Some(name.trim()), rest)
        }
        _ => (None, text),
    }
}

fn begins_with_time(text: &str) -> bool {
    parse_time(split_word(text).0).is_some() || text.starts_with(':')
}

/// `9:30` and `09:30`.
fn parse_time(word: &str) -> Option<NaiveTime> {
    NaiveTime::parse_from_str(word, "%H:%M").ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn promise(day: &str, time: &str, by: &str, text: &str) -> Promise {
        Promise {
            day: day.parse().unwrap(),
            time: parse_time(time),
            by: Some(by.to_owned()).filter(|by| !by.is_empty()),
            text: text.to_owned(),
        }
    }

    #[test]
    fn a_promise_is_read_as_people_write_it() {
        let ann = || {
            promise(
                "2026-12-03",
                "09:30",
                "Dana Ortiz",
                "call Ann about glazing",
            )
        };
        for line in [
            "> 2026-12-03 09:30 Dana Ortiz: call Ann about glazing",
            "  >2026-12-03 9:30 Dana Ortiz:call Ann about glazing  ",
            "> 2026-12-03T09:30 Dana Ortiz : call Ann about glazing",
        ] {
            assert_eq!(Promise::parse(line), Some(ann()), "{line}");
        }
        assert_eq!(
            ann().to_string(),
            "> 2026-12-03 09:30 Dana Ortiz: call Ann about glazing"
        );
        for (line, by, text) in [
            ("> 2026-12-03 call Ann", "", "call Ann"),
            ("> 2026-12-03", "", ""),
            ("> 2026-12-03: call Ann", "", "call Ann"),
            (
                "> 2026-12-03 Dana: ask: who pays?",
                "Dana",
                "ask: who pays?",
            ),
            ("> 2026-12-03 : ask: who pays?", "", "ask: who pays?"),
            ("> 2026-12-03 call Ann at 14:30", "", "call Ann at 14:30"),
            (
                "> 2026-12-03 see https://permits.example",
                "",
                "see https://permits.example",
            ),
            (
                "> 2026-12-03 d.ortiz7@firm.example: call",
                "d.ortiz7@firm.example",
                "call",
            ),
        ] {
            let read = Promise::parse(line).unwrap();
            assert_eq!(read, promise("2026-12-03", "", by, text), "{line}");
        }
        for line in [
            "> as they said",
            "x 2026-12-03 Dana: call Ann (done 2026-12-03)",
            "2026-12-03 call: reached",
            "> 2026-13-03 call Ann",
            "",
        ] {
            assert_eq!(Promise::parse(line), None, "{line}");
        }
    }

    #[test]
    fn a_promise_is_made_in_a_few_words() {
        let now: DateTime<Utc> = "2026-12-02T15:00:00Z".parse().unwrap();
        let made =
            |words: &str| Promise::from_words(words, None, &now).map(|made| made.to_string());
        for (words, line) in [
            ("thu 9:30 call Ann", "> 2026-12-03 09:30 call Ann"),
            ("today send plans", "> 2026-12-02 send plans"),
            ("today 16:00 send plans", "> 2026-12-02 16:00 send plans"),
            ("Today, send plans", "> 2026-12-02 send plans"),
            ("3d", "> 2026-12-05 follow up"),
        ] {
            assert_eq!(made(words).as_deref(), Ok(line), "{words}");
        }
        for words in ["next filing", "someday call Ann", "2026-12-01 call Ann"] {
            assert!(made(words).is_err(), "{words}");
        }
    }

    #[test]
    fn a_closed_promise_leaves_a_trace_and_every_other_line_as_it_is() {
        let note = "met at the fair\r\n\n> 2026-12-03 Dana: call Ann\n>2026-12-01  fix roof\n";
        let call = promise("2026-12-03", "", "Dana", "call Ann");
        let day: NaiveDate = "2026-12-04".parse().unwrap();
        let close = |closing| close_promise(note, &call, &closing).unwrap();
        let others = |line: &str| format!("met at the fair\r\n\n{line}\n>2026-12-01  fix roof\n");
        for (closing, line) in [
            (
                Closing::Kept(day),
                "x 2026-12-03 Dana: call Ann (done 2026-12-04)",
            ),
            (
                Closing::Dropped(day),
                "x 2026-12-03 Dana: call Ann (dropped 2026-12-04)",
            ),
            (
                Closing::Moved {
                    due: NaiveDateTime::from(day),
                    text: None,
                },
                "x 2026-12-03 Dana: call Ann (moved to 2026-12-04)\n> 2026-12-04 Dana: call Ann",
            ),
        ] {
            assert_eq!(close(closing), others(line));
        }
        let closed = close(Closing::Kept(day));
        assert_eq!(close_promise(&closed, &call, &Closing::Kept(day)), None);
        assert_eq!(open_promises(&closed).count(), 1);
        let windows = "> 2026-12-03  call Ann at 14:30\r\nlast";
        let call = open_promises(windows).next().unwrap();
        assert_eq!(
            close_promise(windows, &call, &Closing::Kept(day)).unwrap(),
            "x 2026-12-03  call Ann at 14:30 (done 2026-12-04)\r\nlast",
            "its words stay as they are"
        );
    }

    proptest! {
        #[test]
        fn a_written_promise_is_read_back(
            days in 0_i64..9000, minute in proptest::option::of(0_u32..1440),
            by in proptest::option::of("[A-Z][a-z]{1,12}( [A-Z][a-z]{1,12})?"), text in "[a-z0-9:@/]([a-z0-9:@/ ]{0,30}[a-z0-9:@/])?",
        ) {
            let promise = Promise {
                day: NaiveDate::default() + chrono::TimeDelta::days(days),
                time: minute.and_then(|minute| NaiveTime::from_hms_opt(minute / 60, minute % 60, 0)),
                by,
                text,
            };
            prop_assert_eq!(Promise::parse(&promise.to_string()), Some(promise));
        }

        #[test]
        fn whatever_a_note_holds_closing_changes_one_line(note in "([>x] ?2026-12-0[1-3] [a-b:]{0,3}\n|[a-z ]{0,9}\n){0,6}") {
            let day = NaiveDate::default();
            for promise in open_promises(&note) {
                let before = open_promises(&note).count();
                let closed = close_promise(&note, &promise, &Closing::Dropped(day)).unwrap();
                prop_assert_eq!(open_promises(&closed).count(), before - 1);
                let changed = note.split('\n').zip(closed.split('\n')).filter(|(one, other)| one != other);
                prop_assert_eq!(changed.count(), 1);
            }
        }
    }
}
