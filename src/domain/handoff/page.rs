//! A handoff, and its text: Markdown, or plain.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt::Write as _;

use chrono::{DateTime, NaiveDateTime, NaiveTime, TimeZone, Utc};

use serde::Serialize;

use super::changes::{
    HandoffChange, WaitingTriage, WrittenNote, is_applied, list_changes, list_waiting,
    notes_written,
};
use super::open_work::{LeavingSignal, MemberWork, OpenWork, SnoozedSignal, TeamWork};
use super::recorded::{RecordedWork, describe_spent, first_names, readable_name};
use crate::domain::journal::WriteProgress;
use crate::domain::past_time::{parse_past_time, start_of_week};
use crate::domain::queue::LEAVING_SOON_DAYS;
use crate::domain::snooze::SnoozeUntil;

/// This many names are listed; the others are counted.
const MAX_NAMES: usize = 12;
/// This many signals that leave soon are listed.
const MAX_LEAVING: usize = 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandoffFormat {
    Markdown,
    Plain,
}

/// What a handoff is to cover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HandoffRequest {
    pub since: DateTime<Utc>,
    /// With what each member marked done.
    pub with_team: bool,
}

impl HandoffRequest {
    /// Parses `since 09:00`, `week`, `team` in any order; by default the last 24 hours. The error
    /// is a one-line message.
    pub fn parse<Z: TimeZone>(text: &str, now: &DateTime<Z>) -> Result<HandoffRequest, String> {
        let words: Vec<&str> = text
            .split_whitespace()
            .filter(|word| !matches!(*word, "team" | "since"))
            .collect();
        let with_team = text.split_whitespace().any(|word| word == "team");
        let since = match words.as_slice() {
            [] => parse_past_time("24h", now),
            ["week"] => Ok(start_of_week(now)),
            time => parse_past_time(&time.join(" "), now),
        };
        since.map(|since| HandoffRequest { since, with_team })
    }
}

/// A line, and the lines below it.
type Line = (String, Vec<String>);
/// A heading and its lines.
type Section = (&'static str, Vec<Line>);

#[derive(Debug, Serialize)]
pub struct Handoff {
    pub since: DateTime<Utc>,
    /// In order.
    pub changes: Vec<HandoffChange>,
    /// What was noted about records, and not undone.
    pub notes: Vec<WrittenNote>,
    /// Triage that waits until the service responds.
    pub waiting: Vec<WaitingTriage>,
    pub open: OpenWork,
    /// What each member marked done; none unless that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team: Option<TeamWork>,
    /// Credits used, in words.
    pub spent: String,
}

impl Handoff {
    pub fn new(mut work: RecordedWork, open: OpenWork, team: Option<TeamWork>) -> Handoff {
        work.learn_journaled_names();
        let (changes, reverted) = list_changes(&work);
        let notes = notes_written(&work, &reverted);
        let waiting = list_waiting(&work, &open.waiting);
        Handoff {
            since: work.since,
            changes,
            notes,
            waiting,
            open,
            team,
            spent: describe_spent(&work.ledger),
        }
    }

    /// The page, in the reader's time zone. `sanitize` makes a text safe to show on one line.
    pub fn to_page<Z: TimeZone>(
        &self,
        format: HandoffFormat,
        zone: &Z,
        sanitize: fn(&str) -> Cow<'_, str>,
    ) -> String {
        let clean = |line: &str| match format {
            HandoffFormat::Markdown => escape_markdown(&sanitize(line)),
            HandoffFormat::Plain => sanitize(line).into_owned(),
        };
        let is_markdown = format == HandoffFormat::Markdown;
        let since = format_local(self.since, zone);
        let title = if is_markdown { "# Handoff" } else { "Handoff" };
        let mut page = format!("{title}\n\nSince {since}, from this machine.\n");
        if self.changes.is_empty() {
            page.push_str("\nNothing was written.\n");
        }
        for (title, lines) in self
            .sections(zone)
            .iter()
            .filter(|(_, lines)| !lines.is_empty())
        {
            let _ = if is_markdown {
                write!(page, "\n## {title}\n\n")
            } else {
                write!(page, "\n{title}\n")
            };
            let bullet = if is_markdown { "- " } else { "  " };
            for (line, below) in lines {
                let _ = writeln!(page, "{bullet}{}", clean(line));
                for line in below {
                    let _ = writeln!(page, "  {bullet}{}", clean(line));
                }
            }
        }
        page
    }

    fn sections<Z: TimeZone>(&self, zone: &Z) -> Vec<Section> {
        let of = |results: &[WriteProgress]| {
            let chosen = self
                .changes
                .iter()
                .filter(|change| !change.is_undone && results.contains(&change.result));
            self.change_lines(chosen, zone)
        };
        let undone = self.change_lines(self.changes.iter().filter(|change| change.is_undone), zone);
        let note_line = |note: &WrittenNote| {
            let mut lines = note.note.lines().filter(|line| !line.trim().is_empty());
            let first = lines.next().unwrap_or_default();
            let below = lines.map(str::to_owned).collect();
            let record = readable_name(&note.record).unwrap_or("a record without a name");
            (format!("{record}: {first}"), below)
        };
        let waiting = self.waiting.iter();
        let waiting = waiting.map(|waiting| {
            let name = readable_name(&waiting.name).unwrap_or("a signal without a name");
            format!("{}: {name}", waiting.what)
        });
        let mut sections = vec![
            ("Done", of(&[WriteProgress::Done])),
            ("Partly done", of(&[WriteProgress::PartlyDone])),
            ("Undone", undone),
            ("Unchanged", of(&[WriteProgress::Unchanged])),
            ("Rejected", of(&[WriteProgress::Rejected])),
            ("Not sent", of(&[WriteProgress::NotSent])),
            ("Waiting until the service responds", single_lines(waiting)),
            (
                "Unknown: check before you repeat them",
                of(&[WriteProgress::Unknown, WriteProgress::Sending]),
            ),
            ("Notes written", self.notes.iter().map(note_line).collect()),
        ];
        if let Some(team) = &self.team {
            let mut lines: Vec<_> = team.members.iter().map(describe_member).collect();
            if team.is_partial {
                let partial = "not all of the Done list was read: there may be more";
                lines.extend(single_lines([partial.to_owned()]));
            } else if lines.is_empty() {
                lines.extend(single_lines(["nothing".to_owned()]));
            }
            sections.push(("Marked done by the team", lines));
        }
        sections.extend(self.open.sections(zone));
        sections.push(("Credits used", single_lines([self.spent.clone()])));
        sections
    }

    /// A line for each change; equal ones in a row share a line.
    fn change_lines<'c, Z: TimeZone>(
        &self,
        changes: impl Iterator<Item = &'c HandoffChange>,
        zone: &Z,
    ) -> Vec<Line> {
        let mut merged: Vec<HandoffChange> = Vec::new();
        for change in changes {
            match merged
                .last_mut()
                .filter(|last| last.what == change.what && last.why == change.why)
            {
                Some(last) => {
                    last.about.extend(change.about.iter().cloned());
                    last.records += change.records;
                    last.changed += change.changed;
                    last.rejected += change.rejected;
                }
                None => merged.push(change.clone()),
            }
        }
        let days = self
            .changes
            .iter()
            .map(|change| local_time(change.at, zone).date());
        let format = if days.collect::<std::collections::BTreeSet<_>>().len() > 1 {
            "%a %-d %b %H:%M"
        } else {
            "%H:%M"
        };
        let line = |change: &HandoffChange| {
            let (head, names) = change.describe();
            let at = local_time(change.at, zone).format(format);
            (format!("{at} {head}"), names)
        };
        merged.iter().map(line).collect()
    }
}

impl HandoffChange {
    /// What was done, to what, how much of it, and why not all. Several names have a line each.
    fn describe(&self) -> Line {
        let counts = self.counts();
        let mut seen = HashSet::new();
        let (names, mut unnamed): (Vec<&String>, Vec<&String>) = self
            .about
            .iter()
            .filter(|name| !self.what.contains(name.as_str()) && seen.insert(*name))
            .partition(|name| readable_name(name).is_some());
        let most = names.len().min(MAX_NAMES);
        // A name that is not known says nothing about what was undone.
        unnamed.retain(|_| !self.is_undone);
        let names: Vec<&String> = names.into_iter().chain(unnamed).collect();
        // Without a word, names are those of changed records.
        let is_part = is_applied(&self.result) && self.about.len() as u64 > self.changed;
        let among = if is_part { " among" } else { "" };
        let why = self.why.as_deref();
        let why = why.map(|why| format!(": {why}")).unwrap_or_default();
        let head = format!("{}{counts}", self.what);
        match (most, first_names(&names, most)) {
            (0, _) => (format!("{head}{why}"), Vec::new()),
            (_, shown) if shown.len() == 1 => {
                (format!("{head}{among}: {}{why}", shown[0]), Vec::new())
            }
            (_, shown) => (format!("{head}{among}{why}:"), shown),
        }
    }

    /// How many records, and how many of them were changed, where that says more than the names.
    fn counts(&self) -> String {
        let HandoffChange {
            records,
            changed,
            rejected,
            ..
        } = *self;
        let unknown = records.saturating_sub(changed + rejected);
        match self.result {
            WriteProgress::Done if changed < records => {
                format!(" ({changed} of {records}, the others were so before)")
            }
            WriteProgress::PartlyDone => {
                let rest = [(rejected, "rejected"), (unknown, "unknown")]
                    .into_iter()
                    .filter(|(count, _)| *count > 0);
                let counts = rest.fold(format!("{changed} of {records}"), |text, (count, what)| {
                    format!("{text}, {count} {what}")
                });
                format!(" ({counts})")
            }
            _ if records == 1
                && matches!(&self.about[..], [name] if readable_name(name).is_some()) =>
            {
                String::new()
            }
            _ if is_applied(&self.result) && self.what.contains(|c: char| c.is_ascii_digit()) => {
                String::new()
            }
            _ => format!(" ({records})"),
        }
    }
}

impl OpenWork {
    fn sections<Z: TimeZone>(&self, zone: &Z) -> Vec<Section> {
        let mut open: Vec<String> = Vec::new();
        if let Some(stats) = &self.counts {
            let snoozed = match self.snoozed.len() {
                0 => String::new(),
                n => format!(", {n} snoozed on this machine"),
            };
            let signals = match stats.new_count {
                1 => "1 new signal".to_owned(),
                count => format!("{count} new signals"),
            };
            let high = stats.high_priority_new_count;
            open.push(format!("{signals}, {high} of them high priority{snoozed}"));
        }
        if let Some(leaving) = &self.leaving_soon {
            open.push(match leaving.len() {
                0 => format!("none leaves the queue within {LEAVING_SOON_DAYS} days"),
                1 => format!("1 leaves the queue within {LEAVING_SOON_DAYS} days"),
                n => format!("{n} leave the queue within {LEAVING_SOON_DAYS} days"),
            });
            // Signals that read the same share a line.
            let same: Vec<&[LeavingSignal]> = leaving
                .chunk_by(|one, other| one.order() == other.order())
                .collect();
            open.extend(
                same.iter()
                    .take(MAX_LEAVING)
                    .map(|same| describe_leaving(same)),
            );
            let more: usize = same.iter().skip(MAX_LEAVING).map(|same| same.len()).sum();
            if more > 0 {
                open.push(format!("and {more} more"));
            }
        }
        let until = |signal: &SnoozedSignal| {
            let until = match signal.until {
                SnoozeUntil::Time(at) => format_local(at, zone),
                SnoozeUntil::NextFiling => "the project's next filing".to_owned(),
            };
            let reason = signal
                .reason
                .as_deref()
                .map(|reason| format!(" ({reason})"))
                .unwrap_or_default();
            format!("{}: until {until}{reason}", signal.name)
        };
        vec![
            ("Open", single_lines(open)),
            (
                "Snoozed on this machine",
                single_lines(self.snoozed.iter().map(until)),
            ),
        ]
    }
}

/// Signals that leave on the same day and read the same: how important, when, what, how many.
fn describe_leaving(same: &[LeavingSignal]) -> String {
    let Some(signal) = same.first() else {
        return String::new();
    };
    let priority = signal.priority.as_ref();
    let priority = priority.map_or(String::new(), |priority| format!("{} ", priority.letter()));
    let when = match signal.days_left {
        ..=0 => "today".to_owned(),
        1 => "in 1 day".to_owned(),
        days => format!("in {days} days"),
    };
    let times = match same.len() {
        1 => String::new(),
        times => format!(" ({times})"),
    };
    format!("{priority}{when}: {}{times}", signal.name)
}

/// Lines with none below them.
fn single_lines(lines: impl IntoIterator<Item = String>) -> Vec<Line> {
    lines.into_iter().map(|line| (line, Vec::new())).collect()
}

/// A member, and a line for each of the first signals.
fn describe_member(member: &MemberWork) -> Line {
    let name = readable_name(&member.member).unwrap_or("somebody");
    let signals = first_names(&member.signals, MAX_NAMES);
    (format!("{name} ({}):", member.done), signals)
}

/// A day and time; a day begins at midnight, which goes without saying.
fn format_local<Z: TimeZone>(at: DateTime<Utc>, zone: &Z) -> String {
    let at = local_time(at, zone);
    let format = match at.time() == NaiveTime::MIN {
        true => "%-d %B %Y",
        false => "%-d %B %Y, %H:%M",
    };
    at.format(format).to_string()
}

fn local_time<Z: TimeZone>(at: DateTime<Utc>, zone: &Z) -> NaiveDateTime {
    at.with_timezone(zone).naive_local()
}

/// Escapes a text so that Markdown shows it literally. An underscore within a word needs no escape.
fn escape_markdown(text: &str) -> String {
    let mut chars = text.chars().peekable();
    let mut plain = String::new();
    while let Some(c) = chars.next() {
        let is_within_word = plain.ends_with(char::is_alphanumeric)
            && chars.peek().is_some_and(|next| next.is_alphanumeric());
        let is_special = match c {
            '_' => !is_within_word,
            _ => matches!(
                c,
                '\\' | '`' | '*' | '[' | ']' | '<' | '>' | '#' | '|' | '~'
            ),
        };
        if is_special {
            plain.push('\\');
        }
        plain.push(c);
    }
    plain
}
