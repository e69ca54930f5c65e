//! The shared signal queue and its triage (interface: Workspace: signals).

use std::collections::BTreeSet;
use std::hash::{BuildHasher as _, Hash as _, Hasher as _};

use chrono::{DateTime, Duration, Utc};
use foldhash::quality::FixedState;
use serde::{Deserialize, Serialize};

use super::lenient::{self, DateOrDateTime, Number};
use super::open_enum::open_enum;
use super::person::Person;
use super::signals::{Signal, SignalType};

/// Days after filing when a signal drops off the queue (Limits: queue history window).
pub const QUEUE_HISTORY_DAYS: i64 = 90;
/// A signal with at most this many days left leaves the queue soon: the header counts it, and rows,
/// handoffs and `aging` warn of it.
pub const LEAVING_SOON_DAYS: i64 = 7;
/// Maximum number of signal ids in one triage call (Limits: triage size).
pub const MAX_TRIAGE_SIGNALS: usize = 100;
/// The largest difference between two clocks that still counts as the same time.
pub const CLOCK_TOLERANCE: Duration = Duration::seconds(30);
/// Maximum number of rows on a page of the queue or the feed (Limits: signal list and queue page).
pub const MAX_QUEUE_PAGE_ROWS: u32 = 200;

open_enum! {
    /// The triage status of a signal, for the whole workspace.
    TriageStatus {
        /// Not triaged yet.
        New = "new",
        Done = "done",
    }
}

/// A tab of the queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum QueueTab {
    /// Signals nobody has triaged.
    #[default]
    New,
    /// Signals marked done.
    Done,
    /// What is due, the best of the new signals, and what the user has put aside: put together on
    /// this machine.
    Today,
}

impl QueueTab {
    /// All, in the order of the tab bar.
    pub const ALL: [QueueTab; 3] = [QueueTab::Today, QueueTab::New, QueueTab::Done];

    /// The list that a triage moves its signals to.
    pub fn other(self) -> QueueTab {
        match self {
            QueueTab::New | QueueTab::Today => QueueTab::Done,
            QueueTab::Done => QueueTab::New,
        }
    }

    /// The list of the service that has the signals of this tab.
    pub fn listing(self) -> QueueTab {
        match self {
            QueueTab::Today => QueueTab::New,
            tab => tab,
        }
    }

    /// The status of the signals on this tab.
    pub fn status(self) -> TriageStatus {
        match self {
            QueueTab::New | QueueTab::Today => TriageStatus::New,
            QueueTab::Done => TriageStatus::Done,
        }
    }

    pub fn title(self) -> &'static str {
        match self {
            QueueTab::New => "New",
            QueueTab::Done => "Done",
            QueueTab::Today => "Today",
        }
    }
}

open_enum! {
    /// The priority of a signal: that of the subscription to its type.
    Priority {
        High = "high",
        Medium = "medium",
        Low = "low",
    }
}

impl Priority {
    /// Its place in the order: high first, an unknown one last.
    pub fn rank(&self) -> u8 {
        match self {
            Priority::High => 0,
            Priority::Medium => 1,
            Priority::Low => 2,
            Priority::Other(_) => 3,
        }
    }

    /// One letter, so that the priority is readable without color.
    pub fn letter(&self) -> &'static str {
        match self {
            Priority::High => "H",
            Priority::Medium => "M",
            Priority::Low => "L",
            Priority::Other(_) => "?",
        }
    }
}

/// A signal of the queue, with its triage status in the workspace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QueueSignal {
    #[serde(flatten)]
    pub signal: Signal,
    #[serde(default, deserialize_with = "lenient::option")]
    pub triage_status: Option<TriageStatus>,
    /// Derived by the service.
    #[serde(default, deserialize_with = "lenient::option")]
    pub priority: Option<Priority>,
    /// Who triaged it. Null until triaged.
    #[serde(default, deserialize_with = "lenient::option")]
    pub triaged_by: Option<Person>,
    /// Null until triaged.
    #[serde(default, deserialize_with = "lenient::option")]
    pub triaged_at: Option<DateOrDateTime>,
}

impl QueueSignal {
    /// When it was triaged, if that is known to the second.
    pub fn triaged_time(&self) -> Option<DateTime<Utc>> {
        self.triaged_at.as_ref()?.date_time()
    }

    /// Equal for rows that stand for the same filing: the number and type at its source, or else
    /// project, type, day and cost.
    pub fn filing_key(&self) -> Option<u64> {
        let signal = &self.signal;
        let mut hasher = FixedState::with_seed(0).build_hasher();
        signal.signal_type.hash(&mut hasher);
        if let Some(number) = signal
            .source_filing_id
            .as_deref()
            .filter(|number| !number.trim().is_empty())
        {
            (&signal.source_slug, &signal.source_display_name, number).hash(&mut hasher);
        } else {
            let cost = signal
                .reported_cost_usd
                .as_ref()
                .and_then(Number::as_f64)
                .map(f64::to_bits);
            (signal.project_id?, signal.filed_at.as_ref()?.date()?, cost).hash(&mut hasher);
        }
        Some(hasher.finish())
    }

    /// Whole days until the signal drops off the queue, in UTC days from `now`; `None` without a
    /// filing date.
    pub fn days_left(&self, now: DateTime<Utc>) -> Option<i64> {
        let filed = self.signal.filed_at.as_ref()?.date()?;
        let last = filed.checked_add_signed(Duration::days(QUEUE_HISTORY_DAYS))?;
        Some((last - now.date_naive()).num_days())
    }

    /// Whether somebody else marked it after `me` did, at `done_at`. Where the service does not say
    /// who is who, the time decides.
    pub fn is_marked_by_other(&self, me: Option<&Person>, done_at: DateTime<Utc>) -> bool {
        let at = self.triaged_at.as_ref().and_then(DateOrDateTime::date_time);
        match (me, &self.triaged_by) {
            (Some(_), None) => false,
            (me, by) => match me.zip(by.as_ref()).and_then(|(me, by)| me.is_same(by)) {
                Some(is_me) => !is_me,
                None => at.is_some_and(|at| (at - done_at).abs() > CLOCK_TOLERANCE),
            },
        }
    }

    /// Whether the signal drops off the queue within [`LEAVING_SOON_DAYS`].
    pub fn leaves_soon(&self, now: DateTime<Utc>) -> bool {
        self.days_left(now)
            .is_some_and(|days| days <= LEAVING_SOON_DAYS)
    }
}

/// Parses a number of days: `7d`, `2w` or `7`. The error is a one-line message with an example.
pub fn parse_days(text: &str) -> Result<i64, String> {
    let (number, days) = match text.strip_suffix('w') {
        Some(weeks) => (weeks, 7),
        None => (text.strip_suffix('d').unwrap_or(text), 1),
    };
    let count: Option<u16> = number.parse().ok();
    count
        .map(|count| i64::from(count) * days)
        .ok_or_else(|| format!("\"{text}\" is not a number of days; write it like 7d"))
}

/// The top of the list of new signals as last shown: the next start shows it before anything
/// answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QueueSnapshot {
    /// By this machine's clock.
    pub read_at: DateTime<Utc>,
    /// Number of rows in the complete list.
    pub total: u64,
    /// The first rows in the service's order, at most [`MAX_QUEUE_PAGE_ROWS`].
    pub rows: Vec<QueueSignal>,
}

/// The service's filters of the queue. Empty sets and texts do not filter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct QueueFilter {
    /// New, done, or both if empty.
    pub status: BTreeSet<TriageStatus>,
    pub signal_type: BTreeSet<SignalType>,
    pub priority: BTreeSet<Priority>,
    /// As matched by the service.
    pub city: String,
    /// As matched by the service.
    pub q: String,
}

impl QueueFilter {
    /// All signals of a status.
    pub fn with_status(status: TriageStatus) -> QueueFilter {
        QueueFilter {
            status: [status].into(),
            ..QueueFilter::default()
        }
    }

    /// Whether it filters nothing but the status.
    pub fn is_empty(&self) -> bool {
        let QueueFilter {
            status: _,
            signal_type,
            priority,
            city,
            q,
        } = self;
        signal_type.is_empty() && priority.is_empty() && city.is_empty() && q.is_empty()
    }
}

/// The counts of the queue; cheap to poll (`GET /signals/queue/stats`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueueStats {
    #[serde(deserialize_with = "lenient::count")]
    pub new_count: u64,
    /// New signals of high priority.
    #[serde(default, deserialize_with = "lenient::count")]
    pub high_priority_new_count: u64,
    /// Done signals that are still in the window.
    #[serde(default, deserialize_with = "lenient::count")]
    pub done_count: u64,
    /// New signals by type.
    #[serde(default, deserialize_with = "lenient::list")]
    pub type_counts: Vec<SignalTypeCount>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignalTypeCount {
    pub signal_type: SignalType,
    #[serde(deserialize_with = "lenient::count")]
    pub new_count: u64,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn malformed_fields_of_a_queue_row_cost_only_themselves() {
        let row: QueueSignal = serde_json::from_str(
            r#"{"id":"018f4d3a-0000-7000-8000-000000000001","signal_type":"orbital_permit","priority":7,"filed_at":"2026-07-02",
                "reported_cost_usd":"41200000","project_name":null,"triage_status":"new","tomorrow":{}}"#,
        )
        .unwrap();
        assert_eq!(
            row.signal.signal_type,
            Some(SignalType::Other("orbital_permit".into()))
        );
        assert_eq!(row.priority, None);
        assert_eq!(row.signal.project_name, None);
        assert_eq!(row.triage_status, Some(TriageStatus::New));
        let now = "2026-07-09T12:00:00Z".parse().unwrap();
        assert_eq!(row.days_left(now), Some(83));
        assert!(!row.leaves_soon(now) && row.leaves_soon(now + Duration::days(76)));
    }

    #[test]
    fn a_colleagues_mark_is_told_from_an_own_one_however_people_are_named() {
        const ID: &str = "018f4d3a-0000-7000-8000-00000000000a";
        let me = Person::from_value(&json!({"id": ID, "email": "ana@a.example", "name": "Ana R."}));
        let other = ID.replace('a', "b");
        let (at_once, later) = ("2026-07-01T17:42:20Z", "2026-07-01T17:43:00Z");
        let own_id_alone = Person::from_text(ID);
        for (by, at, me, is_theirs) in [
            (json!(ID), later, &me, false),
            (json!(ID.to_uppercase()), later, &me, false),
            (
                json!({"id": ID.to_uppercase(), "name": "Ana Ruiz"}),
                later,
                &me,
                false,
            ),
            (
                json!({"user": {"email": "Ana@a.example"}}),
                later,
                &me,
                false,
            ),
            (json!("Ana R."), later, &me, false),
            (json!(null), later, &me, false),
            (json!(other), at_once, &me, true),
            (json!("ben@a.example"), at_once, &me, true),
            (json!("Ben K."), at_once, &me, true),
            (json!("Ana R."), at_once, &own_id_alone, false),
            (json!("Ben K."), later, &own_id_alone, true),
            (json!(other), at_once, &None, false),
            (json!(other), later, &None, true),
        ] {
            let row = json!({"id": "018f4d3a-0000-7000-8000-000000000001", "triaged_by": by, "triaged_at": at});
            let row: QueueSignal = serde_json::from_value(row).unwrap();
            let since = "2026-07-01T17:42:00Z".parse().unwrap();
            assert_eq!(
                row.is_marked_by_other(me.as_ref(), since),
                is_theirs,
                "{by} at {at}, we are {me:?}"
            );
        }
    }

    #[test]
    fn days_are_written_like_7d_2w_or_as_a_number() {
        assert_eq!(
            (parse_days("7d"), parse_days("14"), parse_days("0")),
            (Ok(7), Ok(14), Ok(0))
        );
        assert_eq!(parse_days("2w"), Ok(14));
        assert!(
            parse_days("90m").is_err() && parse_days("soon").is_err() && parse_days("-1").is_err()
        );
    }
}
