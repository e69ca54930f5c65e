//! Snoozes: signals that the user has put aside until a time, or until the next filing about their
//! project. They are kept on this machine only; the service does not know of them.

use chrono::{
    DateTime, Datelike, Days, Duration, Month, Months, NaiveDate, NaiveDateTime, NaiveTime,
    TimeZone, Utc, Weekday,
};
use serde::{Deserialize, Serialize, Serializer};

use super::SignalId;
use super::queue::QueueSignal;
use super::signals::Signal;

/// The farthest date that a signal can be snoozed to.
const MAX_SNOOZE_DAYS: i64 = 366;

/// When a snoozed signal returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SnoozeUntil {
    Time(DateTime<Utc>),
    /// When another signal of its project arrives.
    NextFiling,
}

/// A snoozed signal. Times are by the service's clock.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Snooze {
    /// The signal as it was last read.
    #[serde(flatten)]
    pub row: QueueSignal,
    #[serde(rename = "snoozed_at")]
    pub since: DateTime<Utc>,
    #[serde(rename = "snoozed_until")]
    pub until: SnoozeUntil,
    /// When the awaited filing was seen.
    pub returned_at: Option<DateTime<Utc>>,
    /// Why, in the user's words.
    #[serde(
        rename = "snooze_reason",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub reason: Option<String>,
}

impl Snooze {
    pub fn new(row: QueueSignal, since: DateTime<Utc>, until: SnoozeUntil) -> Snooze {
        Snooze {
            row,
            since,
            until,
            returned_at: None,
            reason: None,
        }
    }

    #[must_use]
    pub fn with_reason(self, reason: Option<&str>) -> Snooze {
        Snooze {
            reason: reason.map(str::to_owned),
            ..self
        }
    }

    /// Whether the signal is back in the list of new signals.
    pub fn has_returned(&self, now: DateTime<Utc>) -> bool {
        self.returned_at.is_some() || matches!(self.until, SnoozeUntil::Time(at) if at <= now)
    }

    /// Whether this signal is the filing that the snooze waits for: of the same project, and found
    /// after the snooze began.
    pub fn is_ended_by(&self, signal: &Signal) -> bool {
        let found = signal.discovered_at.as_ref().and_then(|at| at.date_time());
        self.until == SnoozeUntil::NextFiling
            && signal.id != self.row.signal.id
            && signal.project_id.is_some()
            && signal.project_id == self.row.signal.project_id
            && found.is_some_and(|found| found > self.since)
    }

    /// Whether the signal has dropped off the queue.
    pub fn has_left_queue(&self, now: DateTime<Utc>) -> bool {
        self.row.days_left(now).is_some_and(|days| days < 0)
    }

    /// Whether the signal drops off the queue before it returns. Waiting for a filing may always
    /// last longer.
    pub fn outlasts_queue(&self) -> bool {
        matches!(self.until, SnoozeUntil::Time(at) if self.has_left_queue(at))
    }
}

/// A change of a snooze, and with `before` what undoes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SnoozeChange {
    pub id: SignalId,
    pub before: Option<Snooze>,
    pub after: Option<Snooze>,
}

impl SnoozeChange {
    pub fn inverse(self) -> SnoozeChange {
        SnoozeChange {
            before: self.after,
            after: self.before,
            ..self
        }
    }
}

impl Serialize for SnoozeUntil {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            SnoozeUntil::Time(at) => at.serialize(serializer),
            SnoozeUntil::NextFiling => serializer.serialize_str("next_filing"),
        }
    }
}

impl<'de> Deserialize<'de> for SnoozeUntil {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        match text.as_str() {
            "next_filing" => Ok(SnoozeUntil::NextFiling),
            time => time
                .parse()
                .map(SnoozeUntil::Time)
                .map_err(serde::de::Error::custom),
        }
    }
}

/// Splits `3d, waiting for the lender` into when a snooze ends and why. Without a comma, the longest
/// start that is a time is the time.
pub fn split_snooze_reason(text: &str) -> (&str, Option<&str>) {
    let words = || text.match_indices(' ').map(|(at, _)| at).rev();
    let is_time = |at: &usize| check_snooze_text(&text[..*at]).is_ok();
    let (until, reason) = match text.split_once(',') {
        Some((until, reason)) if check_snooze_text(until).is_ok() => (until, reason),
        _ if check_snooze_text(text).is_ok() => (text, ""),
        _ => text.split_at(words().find(is_time).unwrap_or(text.len())),
    };
    let reason = reason.trim();
    (
        until.trim(),
        Some(reason).filter(|reason| !reason.is_empty()),
    )
}

/// The time ahead that a note promises a call for, as in `call back Thursday` or `try Ann in 3
/// weeks`.
pub(super) fn find_promised_time<Z: TimeZone>(note: &str, now: &DateTime<Z>) -> Option<String> {
    let note = note.to_lowercase();
    let mut clauses = note.split(['.', ',', ';', '!', '?', '\n']);
    clauses.find_map(|clause| {
        let words: Vec<&str> = clause.split_whitespace().collect();
        let mut starts = (1..words.len()).filter(|start| is_promise(&words[..*start]));
        starts.find_map(|start| {
            let ends = (start + 1..=words.len()).rev();
            let mut texts = ends.map(|end| words[start..end].join(" "));
            texts.find(|text| is_appointment(text) && parse_snooze_until(text, now).is_ok())
        })
    })
}

/// Whether a text says when to call, and not how long a call took or what it was about.
fn is_appointment(text: &str) -> bool {
    let is_short = |(_, unit): (u32, &str)| unit.starts_with(['m', 'h']) && !unit.starts_with("mo");
    !is_next_filing(text) && !split_amount(text).is_some_and(is_short)
}

/// Whether a time after these words is one to call at: after `call back` and `try Ann`, but not
/// after `called back` or `did not call`.
fn is_promise(words: &[&str]) -> bool {
    let is_verb = |word: &&str| ["call", "try"].contains(word);
    let is_cue = |word: &&str| is_verb(word) || ["back", "again", "callback"].contains(word);
    let is_other = |word: &&str| {
        let others = [
            "called", "tried", "rang", "came", "was", "not", "never", "no", "cannot",
        ];
        others.contains(word) || word.ends_with("n't")
    };
    let is_topic =
        |word: &&str| ["lasted", "took", "went", "about", "re", "for", "with"].contains(word);
    let Some(cue) = words.iter().rposition(is_cue) else {
        return false;
    };
    // Whom to call stands between the verb and the time.
    let most_between = if is_verb(&words[cue]) { 2 } else { 0 };
    let between = &words[cue + 1..];
    between.len() <= most_between
        && !between.iter().any(is_topic)
        && !words[..cue].iter().any(is_other)
}

/// Parses when a snooze ends, from a time in the user's zone: `3d`, `in 2 weeks`, `4h`, `tomorrow`,
/// `monday 9:00`, `2026-12-01`, `next filing`. A day without a time means its beginning. The error is a
/// one-line message with examples.
pub fn parse_snooze_until<Z: TimeZone>(
    text: &str,
    now: &DateTime<Z>,
) -> Result<SnoozeUntil, String> {
    let words = text.trim().to_lowercase();
    if is_next_filing(&words) {
        return Ok(SnoozeUntil::NextFiling);
    }
    let at = parse_time(&words, now).ok_or_else(|| unreadable(text))?;
    match at.clone().signed_duration_since(now) {
        left if left <= Duration::zero() => Err(format!("\"{}\" is in the past", text.trim())),
        left if left > Duration::days(MAX_SNOOZE_DAYS) => {
            Err(format!("\"{}\" is more than a year away", text.trim()))
        }
        _ => Ok(SnoozeUntil::Time(at.with_timezone(&Utc))),
    }
}

/// Checks only the form: whether a date lies ahead depends on the clock.
///
/// # Errors
/// As [`parse_snooze_until`].
pub fn check_snooze_text(text: &str) -> Result<(), String> {
    let words = text.trim().to_lowercase();
    let is_read = is_next_filing(&words) || parse_time(&words, &DateTime::UNIX_EPOCH).is_some();
    if is_read {
        Ok(())
    } else {
        Err(unreadable(text))
    }
}

fn is_next_filing(words: &str) -> bool {
    matches!(
        words,
        "next filing" | "next-filing" | "next_filing" | "filing"
    )
}

fn unreadable(text: &str) -> String {
    format!(
        "\"{}\" is not a time; write it like 3d, 2w, tomorrow, monday 9:00, 2026-12-01 or next filing",
        text.trim()
    )
}

fn parse_time<Z: TimeZone>(words: &str, now: &DateTime<Z>) -> Option<DateTime<Z>> {
    if let Ok(at) = DateTime::parse_from_rfc3339(&words.to_uppercase()) {
        return Some(at.with_timezone(&now.timezone()));
    }
    let rest = words.strip_prefix("in ");
    let words = rest.or(words.strip_prefix("on ")).unwrap_or(words);
    let one = words.strip_prefix("an ").or(words.strip_prefix("a "));
    let amount = match one {
        Some(unit) => Some((1, unit)),
        None => split_amount(words),
    };
    if let Some(at) = amount.and_then(|(number, unit)| add_amount(number, unit, now)) {
        return Some(at);
    }
    let words: Vec<&str> = words.split_whitespace().collect();
    let mut day_lengths = (1..=words.len().min(2)).rev();
    day_lengths.find_map(|length| {
        let (day, time) = words.split_at(length);
        let day = parse_day(&day.join(" "), now.date_naive())?;
        let time = match time.join(" ").trim_start_matches("at ") {
            "" => NaiveTime::MIN,
            clock => parse_clock(clock)?,
        };
        local_time(now, day.and_time(time))
    })
}

/// `3d` and `3 days` as a number and a unit.
pub(super) fn split_amount(words: &str) -> Option<(u32, &str)> {
    let digits = words.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = words.split_at(digits);
    Some((number.parse().ok()?, unit.trim()))
        .filter(|(_, unit)| unit.chars().all(char::is_alphabetic))
}

/// Minutes and hours are exact; days, weeks and months end at the beginning of the day.
fn add_amount<Z: TimeZone>(number: u32, unit: &str, now: &DateTime<Z>) -> Option<DateTime<Z>> {
    let start_of = |day: NaiveDate| local_time(now, day.and_time(NaiveTime::MIN));
    let days = |count: u64| start_of(now.date_naive().checked_add_days(Days::new(count))?);
    match unit {
        "m" | "min" | "minute" | "minutes" => now
            .clone()
            .checked_add_signed(Duration::minutes(number.into())),
        "h" | "hour" | "hours" => now
            .clone()
            .checked_add_signed(Duration::hours(number.into())),
        "d" | "day" | "days" => days(number.into()),
        "w" | "week" | "weeks" => days(u64::from(number) * 7),
        "month" | "months" => start_of(now.date_naive().checked_add_months(Months::new(number))?),
        _ => None,
    }
}

fn parse_day(words: &str, today: NaiveDate) -> Option<NaiveDate> {
    match words {
        "today" => return Some(today),
        "tomorrow" => return today.succ_opt(),
        _ => {}
    }
    if let Ok(date) = words.parse() {
        return Some(date);
    }
    if let Some((first, second)) = words.split_once(' ') {
        return match first {
            "next" => parse_next_day(second, today),
            _ => parse_day_of_month(first, second, today)
                .or_else(|| parse_day_of_month(second, first, today)),
        };
    }
    let weekday: Weekday = words.parse().ok()?;
    let ahead = weekday.days_since(today.weekday());
    today.checked_add_days(Days::new(if ahead == 0 { 7 } else { ahead.into() }))
}

/// What follows `next`: a day of the next week, the week itself, or the month.
fn parse_next_day(word: &str, today: NaiveDate) -> Option<NaiveDate> {
    if word == "month" {
        return today.with_day(1)?.checked_add_months(Months::new(1));
    }
    let weekday = match word {
        "week" => Weekday::Mon,
        word => word.parse().ok()?,
    };
    let this_week = today.week(Weekday::Mon).first_day();
    let ahead = 7 + u64::from(weekday.num_days_from_monday());
    this_week.checked_add_days(Days::new(ahead))
}

/// `dec` and `4`, or `4th`: the next such day.
fn parse_day_of_month(month: &str, day: &str, today: NaiveDate) -> Option<NaiveDate> {
    let month: Month = match month {
        "sept" => Month::September,
        month => month.parse().ok()?,
    };
    let day = day.trim_end_matches(char::is_alphabetic).parse().ok()?;
    let in_year = |year| NaiveDate::from_ymd_opt(year, month.number_from_month(), day);
    in_year(today.year())
        .filter(|date| *date >= today)
        .or_else(|| in_year(today.year() + 1))
}

/// `9`, `9:30`, `9am`, `9:30 pm`.
pub(super) fn parse_clock(text: &str) -> Option<NaiveTime> {
    let (clock, half) = match text
        .strip_suffix("am")
        .map(|clock| (clock, 0))
        .or_else(|| text.strip_suffix("pm").map(|clock| (clock, 12)))
    {
        Some((clock, half)) => (clock.trim(), Some(half)),
        None => (text, None),
    };
    let (hour, minute) = clock.split_once(':').unwrap_or((clock, "0"));
    let (hour, minute): (u32, u32) = (hour.parse().ok()?, minute.parse().ok()?);
    let hour = match half {
        None => hour,
        Some(half) => (1..=12).contains(&hour).then_some(hour % 12 + half)?,
    };
    NaiveTime::from_hms_opt(hour, minute, 0)
}

/// A local time as an instant; one that the clock skips in spring is an hour later.
pub(super) fn local_time<Z: TimeZone>(
    now: &DateTime<Z>,
    local: NaiveDateTime,
) -> Option<DateTime<Z>> {
    let zone = now.timezone();
    zone.from_local_datetime(&local).earliest().or_else(|| {
        zone.from_local_datetime(&(local + Duration::hours(1)))
            .earliest()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_names_when_to_call_again() {
        let now = DateTime::parse_from_rfc3339("2026-07-09T16:20:00-07:00").unwrap();
        for (note, time) in [
            ("call back Thursday", Some("thursday")),
            ("reached Ann, call back Thursday", Some("thursday")),
            ("reached Ann call back thursday at 9", Some("thursday at 9")),
            ("call again in 3 weeks", Some("in 3 weeks")),
            ("call back 2 weeks", Some("2 weeks")),
            ("Try tomorrow", Some("tomorrow")),
            ("call back next week", Some("next week")),
            ("try her in a week", Some("in a week")),
            ("call again dec 4, about glazing", Some("dec 4")),
            ("call Ann on Thursday about glazing", Some("on thursday")),
            ("called back Friday, try her again Monday", Some("monday")),
            ("asked me to call back in 2 months", Some("in 2 months")),
            ("is back Monday", Some("monday")),
            ("called back Friday, mailbox full", None),
            ("called him back on Friday", None),
            ("called the owner back Friday", None),
            ("do not call her back Monday", None),
            ("no need to call Friday", None),
            ("call lasted 20 minutes", None),
            ("call about filing", None),
            ("good call today, call back Friday", Some("friday")),
            ("call back in 2 hours", Some("in 2 hours")),
            ("called on Friday", None),
            ("tried again Friday", None),
            ("do not call Friday", None),
            ("don't call back Friday", None),
            ("call went well, quote due Friday", None),
            (
                "Out today, call back on monday 9:00, about glazing",
                Some("on monday 9:00"),
            ),
            ("try again tomorrow.", Some("tomorrow")),
            ("he is back from lunch", None),
            ("wants the quote again", None),
            ("left a message", None),
        ] {
            assert_eq!(find_promised_time(note, &now).as_deref(), time, "{note}");
        }
    }

    /// A Thursday, in the afternoon, west of Greenwich.
    fn until(text: &str) -> Result<String, String> {
        let now = DateTime::parse_from_rfc3339("2026-07-09T16:20:00-07:00").unwrap();
        parse_snooze_until(text, &now).map(|until| match until {
            SnoozeUntil::NextFiling => "next filing".to_owned(),
            SnoozeUntil::Time(at) => at
                .with_timezone(&now.timezone())
                .format("%a %m-%d %H:%M")
                .to_string(),
        })
    }

    #[test]
    fn the_end_of_a_snooze_is_written_as_people_say_it() {
        for (text, expected) in [
            ("3d", "Sun 07-12 00:00"),
            ("3 days", "Sun 07-12 00:00"),
            ("2w", "Thu 07-23 00:00"),
            ("1 week", "Thu 07-16 00:00"),
            ("in 3 weeks", "Thu 07-30 00:00"),
            ("in 2 months", "Wed 09-09 00:00"),
            ("on monday at 9", "Mon 07-13 09:00"),
            ("4h", "Thu 07-09 20:20"),
            ("90 min", "Thu 07-09 17:50"),
            ("Tomorrow", "Fri 07-10 00:00"),
            ("tomorrow 9", "Fri 07-10 09:00"),
            ("today 17:10", "Thu 07-09 17:10"),
            ("monday", "Mon 07-13 00:00"),
            (" mon 9:00 ", "Mon 07-13 09:00"),
            ("monday 9am", "Mon 07-13 09:00"),
            ("fri 1:30 pm", "Fri 07-10 13:30"),
            ("thursday", "Thu 07-16 00:00"),
            ("2026-12-01", "Tue 12-01 00:00"),
            ("2026-12-01 8:15", "Tue 12-01 08:15"),
            ("2026-12-01T08:15:00Z", "Tue 12-01 01:15"),
            ("next week", "Mon 07-13 00:00"),
            ("next wed", "Wed 07-15 00:00"),
            ("next friday at 9", "Fri 07-17 09:00"),
            ("next month", "Sat 08-01 00:00"),
            ("in a week", "Thu 07-16 00:00"),
            ("in an hour", "Thu 07-09 17:20"),
            ("sept 4", "Fri 09-04 00:00"),
            ("4 dec", "Fri 12-04 00:00"),
            ("on Dec 4th 9:30", "Fri 12-04 09:30"),
            ("july 8", "Thu 07-08 00:00"),
            ("next filing", "next filing"),
            ("Next-Filing", "next filing"),
        ] {
            assert_eq!(until(text).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn a_reason_follows_a_comma() {
        assert_eq!(
            split_snooze_reason("3d, lender, maybe in May"),
            ("3d", Some("lender, maybe in May"))
        );
        assert_eq!(split_snooze_reason("monday 9:00"), ("monday 9:00", None));
        assert_eq!(split_snooze_reason("3d, "), ("3d", None));
        assert_eq!(split_snooze_reason("3d lender"), ("3d", Some("lender")));
        assert_eq!(
            split_snooze_reason("3d waiting for the lender, then call Ann"),
            ("3d", Some("waiting for the lender, then call Ann"))
        );
        assert_eq!(
            split_snooze_reason("monday 9:00 ask for the plans"),
            ("monday 9:00", Some("ask for the plans"))
        );
        assert_eq!(
            split_snooze_reason("someday maybe"),
            ("someday maybe", None)
        );
    }

    #[test]
    fn a_time_that_cannot_be_is_rejected_with_examples() {
        for wrong in [
            "",
            "3",
            "3x",
            "someday",
            "monday 25:00",
            "13pm",
            "2026-13-01",
            "99999999999d",
            "4294967295w",
            "monday 13pm",
        ] {
            let error = until(wrong).unwrap_err();
            assert!(error.contains("write it like 3d, 2w"), "{wrong}: {error}");
        }
        assert_eq!(until("today").unwrap_err(), "\"today\" is in the past");
        assert_eq!(
            until("2026-07-01").unwrap_err(),
            "\"2026-07-01\" is in the past"
        );
        assert_eq!(until("0d").unwrap_err(), "\"0d\" is in the past");
        assert_eq!(
            until("53w").unwrap_err(),
            "\"53w\" is more than a year away"
        );
    }

    fn signal(json: serde_json::Value) -> Signal {
        serde_json::from_value(json).unwrap()
    }

    fn snooze(until: SnoozeUntil) -> Snooze {
        let row = serde_json::json!({
            "id": "018f4d3a-0000-7000-8000-000000000001", "project_id": "018f4d3a-0000-7000-8000-00000000000a",
            "filed_at": "2026-07-01",
        });
        let since = "2026-07-09T12:00:00Z".parse().unwrap();
        Snooze::new(serde_json::from_value(row).unwrap(), since, until)
    }

    #[test]
    fn the_next_filing_is_another_signal_of_the_project_found_later() {
        let snooze = snooze(SnoozeUntil::NextFiling);
        let other = |id: u8, project: &str, found: &str| {
            signal(serde_json::json!({
                "id": format!("018f4d3a-0000-7000-8000-00000000000{id}"),
                "project_id": format!("018f4d3a-0000-7000-8000-00000000000{project}"), "discovered_at": found,
            }))
        };
        assert!(snooze.is_ended_by(&other(2, "a", "2026-07-10")));
        assert!(
            !snooze.is_ended_by(&other(1, "a", "2026-07-10")),
            "it is the signal itself"
        );
        assert!(
            !snooze.is_ended_by(&other(2, "b", "2026-07-10")),
            "another project"
        );
        assert!(
            !snooze.is_ended_by(&other(2, "a", "2026-07-09T11:00:00Z")),
            "it was there before"
        );
        assert!(!snooze.is_ended_by(&other(2, "a", "soon")));
    }

    #[test]
    fn a_snooze_returns_at_its_time_and_is_kept_as_json() {
        let at = "2026-07-13T07:00:00Z".parse().unwrap();
        let snooze = snooze(SnoozeUntil::Time(at));
        assert!(!snooze.has_returned(at - Duration::seconds(1)) && snooze.has_returned(at));
        assert!(!snooze.outlasts_queue());
        let late = Snooze {
            until: SnoozeUntil::Time("2026-09-30T00:00:00Z".parse().unwrap()),
            ..snooze.clone()
        };
        assert!(late.outlasts_queue(), "90 days after its filing it is gone");
        let json = serde_json::to_value(&snooze).unwrap();
        assert_eq!(
            (&json["snoozed_until"], json.get("snooze_reason")),
            (&"2026-07-13T07:00:00Z".into(), None)
        );
        let explained = snooze.clone().with_reason(Some("waiting for the lender"));
        let kept: Snooze =
            serde_json::from_value(serde_json::to_value(&explained).unwrap()).unwrap();
        assert_eq!(kept.reason.as_deref(), Some("waiting for the lender"));
        assert_eq!(serde_json::from_value::<Snooze>(json).unwrap(), snooze);
        let waiting = Snooze {
            until: SnoozeUntil::NextFiling,
            ..snooze
        };
        let json = serde_json::to_value(&waiting).unwrap();
        assert_eq!(
            (
                json["snoozed_until"].as_str(),
                serde_json::from_value::<Snooze>(json.clone()).unwrap()
            ),
            (Some("next_filing"), waiting)
        );
    }
}
