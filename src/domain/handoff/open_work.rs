//! What is left to do, and what the members of the workspace marked done.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::Serialize;
use uuid::Uuid;

use super::recorded::describe_signal;
use crate::domain::SignalId;
use crate::domain::person::Person;
use crate::domain::queue::{Priority, QueueSignal, QueueStats, TriageStatus};
use crate::domain::snooze::{Snooze, SnoozeUntil};

/// What is left to do. What could not be read is left out.
#[derive(Debug, Default, Serialize)]
pub struct OpenWork {
    pub(super) counts: Option<QueueStats>,
    /// New signals that leave the queue soon, the first to leave first; `None` if not all of them
    /// were read.
    pub(super) leaving_soon: Option<Vec<LeavingSignal>>,
    /// Signals that are snoozed on this machine.
    pub(super) snoozed: Vec<SnoozedSignal>,
    /// Triage that was never sent because the service did not respond: the status that the signals
    /// are to leave.
    #[serde(skip)]
    pub(super) waiting: Vec<(TriageStatus, SignalId)>,
}

#[derive(Debug, Serialize)]
pub(super) struct LeavingSignal {
    pub(super) id: Uuid,
    pub(super) name: String,
    pub(super) priority: Option<Priority>,
    pub(super) days_left: i64,
}

#[derive(Debug, Serialize)]
pub(super) struct SnoozedSignal {
    pub(super) id: Uuid,
    pub(super) name: String,
    pub(super) until: SnoozeUntil,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
}

/// What the members of the workspace marked done, as far as the Done list shows it.
#[derive(Debug, Default, Serialize)]
pub struct TeamWork {
    pub(super) members: Vec<MemberWork>,
    /// Not all rows of the Done list were read.
    pub(super) is_partial: bool,
}

#[derive(Debug, Serialize)]
pub(super) struct MemberWork {
    /// The name, or the id where that is unknown.
    pub(super) member: String,
    pub(super) done: usize,
    pub(super) signals: Vec<String>,
}

impl LeavingSignal {
    /// The first to leave first, and of those the most important.
    pub(super) fn order(&self) -> (i64, u8, &str) {
        let rank = self.priority.as_ref().map_or(u8::MAX, Priority::rank);
        (self.days_left, rank, &self.name)
    }
}

impl OpenWork {
    pub fn new(counts: Option<QueueStats>) -> OpenWork {
        OpenWork {
            counts,
            ..OpenWork::default()
        }
    }

    /// Adds the new signals that leave soon, of all that are new.
    #[must_use]
    pub fn with_queue<'r>(
        self,
        rows: impl Iterator<Item = &'r QueueSignal>,
        now: DateTime<Utc>,
    ) -> OpenWork {
        let leaving = rows.filter(|row| row.leaves_soon(now)).filter_map(|row| {
            Some(LeavingSignal {
                id: row.signal.id.0,
                name: describe_signal(row),
                priority: row.priority.clone(),
                days_left: row.days_left(now)?,
            })
        });
        let mut leaving: Vec<LeavingSignal> = leaving.collect();
        leaving.sort_by(|one, other| one.order().cmp(&other.order()));
        OpenWork {
            leaving_soon: Some(leaving),
            ..self
        }
    }

    /// Adds the signals that are asleep.
    #[must_use]
    pub fn with_snoozes<'s>(
        self,
        snoozes: impl Iterator<Item = &'s Snooze>,
        now: DateTime<Utc>,
    ) -> OpenWork {
        let sleeping =
            snoozes.filter(|snooze| !snooze.has_returned(now) && !snooze.has_left_queue(now));
        let snoozed = sleeping.map(|snooze| SnoozedSignal {
            id: snooze.row.signal.id.0,
            name: describe_signal(&snooze.row),
            until: snooze.until,
            reason: snooze.reason.clone(),
        });
        OpenWork {
            snoozed: snoozed.collect(),
            ..self
        }
    }

    /// Adds the triage that waits until the service responds.
    #[must_use]
    pub fn with_waiting(self, waiting: Vec<(TriageStatus, SignalId)>) -> OpenWork {
        OpenWork { waiting, ..self }
    }
}

impl TeamWork {
    /// What was marked done since then, by member, most first. `name` is a member's name.
    pub fn of_rows<'r>(
        rows: impl Iterator<Item = &'r QueueSignal>,
        is_whole: bool,
        since: DateTime<Utc>,
        name: impl Fn(&Person) -> String,
    ) -> TeamWork {
        let mut by_member: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let is_recent = |row: &&QueueSignal| {
            row.triaged_at
                .as_ref()
                .and_then(|at| at.date_time())
                .is_some_and(|at| at >= since)
        };
        for row in rows.filter(is_recent) {
            let member = row
                .triaged_by
                .as_ref()
                .map_or_else(|| "unknown".to_owned(), &name);
            by_member
                .entry(member)
                .or_default()
                .push(describe_signal(row));
        }
        let work = |(member, mut signals): (String, Vec<String>)| {
            signals.sort();
            MemberWork {
                member,
                done: signals.len(),
                signals,
            }
        };
        let mut members: Vec<MemberWork> = by_member.into_iter().map(work).collect();
        members.sort_by_key(|member| std::cmp::Reverse(member.done));
        TeamWork {
            members,
            is_partial: !is_whole,
        }
    }
}
