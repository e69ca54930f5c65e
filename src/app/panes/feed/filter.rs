//! What the feed is filtered by: in words, as a command, and as typed dates.

use chrono::{DateTime, Datelike, Days, NaiveDate, NaiveTime, Utc};

use crate::domain::feed::FeedFilter;
use crate::domain::signals::SignalType;

/// What the prompt for the filing dates accepts.
pub const RANGE_EXAMPLES: &str = "write 2026-01-01..2026-06-30, ..2026-06-30, a day or 30d";
/// What the prompt for the day of discovery accepts: the service filters by its start only.
pub const START_EXAMPLES: &str = "write a first day, such as 2026-01-01, or 30d";

/// A filter, with the names of what it has only ids of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamedFilter {
    pub feed: FeedFilter,
    pub project_name: String,
    pub account_name: String,
}

impl NamedFilter {
    pub fn is_unfiltered(&self) -> bool {
        self.feed == FeedFilter::default()
    }

    /// Each part in words, with the name that types have on the screen.
    pub fn parts(&self, name_type: impl Fn(&SignalType) -> String) -> Vec<String> {
        let feed = &self.feed;
        let quoted = |text: &str| (!text.is_empty()).then(|| format!("\"{text}\""));
        [
            feed.signal_type.as_ref().map(name_type),
            feed.project_id
                .map(|_| format!("project {}", self.project_name)),
            feed.account_id
                .map(|_| format!("account {}", self.account_name)),
            (!feed.city.is_empty()).then(|| format!("in {}", feed.city)),
            quoted(&feed.q),
            self.filed()
                .in_words()
                .map(|range| format!("filed {range}")),
            self.discovered()
                .in_words()
                .map(|range| format!("found {range}")),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    /// The command that lists the same signals.
    pub fn to_command(&self) -> String {
        let feed = &self.feed;
        let quote = |text: &str| format!("'{}'", text.replace('\'', r"'\''"));
        let text = |text: &str| (!text.is_empty()).then(|| quote(text));
        let day = |at: Option<DateTime<Utc>>| at.map(|at| at.date_naive().to_string());
        let options = [
            (
                "type",
                feed.signal_type.as_ref().map(|kind| quote(kind.as_str())),
            ),
            ("project", feed.project_id.map(|id| id.to_string())),
            ("account", feed.account_id.map(|id| id.to_string())),
            ("city", text(&feed.city)),
            ("query", text(&feed.q)),
            ("filed-after", day(feed.filed_after)),
            ("filed-before", day(feed.filed_before)),
            ("discovered-after", day(feed.discovered_after)),
        ];
        let given = options
            .into_iter()
            .filter_map(|(name, value)| Some(format!(" --{name} {}", value?)));
        given.fold("gantry signals list".to_owned(), |command, option| {
            command + &option
        })
    }

    pub fn filed(&self) -> DateRange {
        let before = self
            .feed
            .filed_before
            .and_then(|at| at.date_naive().pred_opt());
        DateRange {
            first: self.feed.filed_after.map(|at| at.date_naive()),
            last: before,
        }
    }

    pub fn set_filed(&mut self, range: DateRange) {
        self.feed.filed_after = range.first.map(midnight);
        self.feed.filed_before = range.last.and_then(|day| day.succ_opt()).map(midnight);
    }

    pub fn discovered(&self) -> DateRange {
        DateRange {
            first: self.feed.discovered_after.map(|at| at.date_naive()),
            last: None,
        }
    }

    pub fn set_discovered(&mut self, first: Option<NaiveDate>) {
        self.feed.discovered_after = first.map(midnight);
    }
}

fn midnight(day: NaiveDate) -> DateTime<Utc> {
    day.and_time(NaiveTime::MIN).and_utc()
}

/// Days from the first to the last, both included; an end that is missing is open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DateRange {
    pub first: Option<NaiveDate>,
    pub last: Option<NaiveDate>,
}

impl DateRange {
    /// Reads `2026-01-01..2026-06-30` with either end open, a single day, or `30d` for the last 30
    /// days. No text is no limit.
    pub fn parse(text: &str, today: NaiveDate) -> Result<DateRange, String> {
        let range = match text.split_once("..") {
            None => match parse_start(text, today)? {
                None => DateRange::default(),
                Some(first) => DateRange {
                    first: Some(first),
                    last: (!is_span(text)).then_some(first),
                },
            },
            Some((first, last)) => DateRange {
                first: parse_open_end(first)?,
                last: parse_open_end(last)?,
            },
        };
        match range {
            DateRange {
                first: Some(first),
                last: Some(last),
            } if last < first => Err(format!(
                "{last} is before {first}: write the earlier day first"
            )),
            _ => Ok(range),
        }
    }

    /// As it is typed.
    pub fn to_text(self) -> String {
        let day = |day: Option<NaiveDate>| day.map(|day| day.to_string()).unwrap_or_default();
        match self {
            DateRange {
                first: None,
                last: None,
            } => String::new(),
            DateRange { first, last } if first == last => day(first),
            DateRange { first, last } => format!("{}..{}", day(first), day(last)),
        }
    }

    /// As it is read; `None` without a limit.
    pub fn in_words(self) -> Option<String> {
        match (self.first, self.last) {
            (None, None) => None,
            (Some(first), None) => Some(format!("since {first}")),
            (None, Some(last)) => Some(format!("until {last}")),
            (Some(first), Some(last)) if first == last => Some(format!("on {first}")),
            (Some(first), Some(last)) => Some(format!("{first} to {last}")),
        }
    }
}

/// Reads a first day, or `30d` for 30 days ago; also with `..` after it. `None` for no text.
pub fn parse_start(text: &str, today: NaiveDate) -> Result<Option<NaiveDate>, String> {
    let text = text.trim();
    let text = text.strip_suffix("..").unwrap_or(text);
    match text.strip_suffix('d').filter(|_| is_span(text)) {
        Some(days) => {
            let first = days
                .parse()
                .ok()
                .and_then(|days| today.checked_sub_days(Days::new(days)));
            first
                .filter(is_plausible)
                .map(Some)
                .ok_or_else(|| format!("{text} is too long"))
        }
        None => parse_open_end(text),
    }
}

/// A number of days, such as `30d`.
fn is_span(text: &str) -> bool {
    text.trim()
        .strip_suffix('d')
        .is_some_and(|days| !days.is_empty() && days.bytes().all(|byte| byte.is_ascii_digit()))
}

fn parse_open_end(text: &str) -> Result<Option<NaiveDate>, String> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    let day = text.parse().ok().filter(is_plausible);
    day.map(Some)
        .ok_or_else(|| format!("\"{text}\" is not a day"))
}

/// Years of four digits, so that the day after it can be written too.
fn is_plausible(day: &NaiveDate) -> bool {
    (1..9_999).contains(&day.year())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn today() -> NaiveDate {
        "2026-07-09".parse().unwrap()
    }

    #[test]
    fn ranges_with_open_ends_days_and_numbers_of_days_are_understood() {
        for (typed, text, words) in [
            (
                "2026-01-01..2026-06-30",
                "2026-01-01..2026-06-30",
                Some("2026-01-01 to 2026-06-30"),
            ),
            ("2026-01-01..", "2026-01-01..", Some("since 2026-01-01")),
            ("..2026-06-30", "..2026-06-30", Some("until 2026-06-30")),
            ("2026-06-30", "2026-06-30", Some("on 2026-06-30")),
            (
                " 2026-01-01 .. 2026-01-01 ",
                "2026-01-01",
                Some("on 2026-01-01"),
            ),
            ("30d", "2026-06-09..", Some("since 2026-06-09")),
            ("0d", "2026-07-09..", Some("since 2026-07-09")),
            ("", "", None),
            ("..", "", None),
        ] {
            let range = DateRange::parse(typed, today()).unwrap();
            assert_eq!(
                (range.to_text().as_str(), range.in_words().as_deref()),
                (text, words),
                "{typed}"
            );
            assert_eq!(
                DateRange::parse(text, today()),
                Ok(range),
                "{text} is read as it is written"
            );
        }
    }

    #[test]
    fn what_is_not_a_range_of_days_is_rejected_with_the_reason() {
        for (typed, reason) in [
            ("june", "\"june\" is not a day"),
            ("2026-02-30", "\"2026-02-30\" is not a day"),
            ("2026-01-01..soon", "\"soon\" is not a day"),
            ("2026-06-30..2026-01-01", "2026-01-01 is before 2026-06-30"),
            ("d", "\"d\" is not a day"),
            ("-3d", "\"-3d\" is not a day"),
            ("99999999999999999999d", "is too long"),
            ("9999999d", "is too long"),
            ("9999-12-31", "is not a day"),
            ("2026-01-01..2026-02-01..2026-03-01", "is not a day"),
        ] {
            let error = DateRange::parse(typed, today()).unwrap_err();
            assert!(error.contains(reason), "{typed}: {error}");
        }
    }

    #[test]
    fn a_start_has_no_last_day() {
        for typed in ["2026-06-09", "2026-06-09..", "30d", "30d.."] {
            assert_eq!(
                parse_start(typed, today()).unwrap(),
                "2026-06-09".parse().ok(),
                "{typed}"
            );
        }
        assert_eq!(parse_start("", today()), Ok(None));
        assert!(
            parse_start("2026-06-09..2026-06-10", today()).is_err()
                && parse_start("..2026-06-10", today()).is_err()
        );
    }

    #[test]
    fn the_last_day_is_part_of_the_range() {
        let mut filter = NamedFilter::default();
        filter.set_filed(DateRange::parse("2026-01-01..2026-06-30", today()).unwrap());
        assert_eq!(
            filter.feed.filed_before.unwrap().to_rfc3339(),
            "2026-07-01T00:00:00+00:00"
        );
        assert_eq!(filter.filed().to_text(), "2026-01-01..2026-06-30");
        assert_eq!(
            filter.to_command(),
            "gantry signals list --filed-after 2026-01-01 --filed-before 2026-07-01"
        );
    }
}
