//! What a handoff says about the queue: what is open, what leaves soon, what is snoozed on this machine, and the signals' names.
//!
//! Never here: what was written.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, Local, Utc};
use serde::Serialize;
use uuid::Uuid;

use crate::domain::queue::{QueueSignal, QueueStats, TriageStatus};
use crate::domain::snooze::SnoozeUntil;

use super::print;
use super::session::Session;
use super::unchanged_signals::read_queue;

/// Signals that leave the queue within this many days are listed.
const LEAVING_SOON_DAYS: i64 = 7;

/// What is left to do. What could not be read is left out.
#[derive(Debug, Default, Serialize)]
pub(super) struct OpenWork {
    pub(super) counts: Option<QueueStats>,
    /// New signals that leave the queue soon, the first to leave first; `None` if the queue could not be read.
    pub(super) leaving_soon: Option<Vec<LeavingSignal>>,
    /// Signals that are snoozed on this machine.
    pub(super) snoozed: Vec<SnoozedSignal>,
}

#[derive(Debug, Serialize)]
pub(super) struct LeavingSignal {
    id: Uuid,
    name: String,
    days_left: i64,
}

#[derive(Debug, Serialize)]
pub(super) struct SnoozedSignal {
    id: Uuid,
    name: String,
    until: SnoozeUntil,
}

/// Reads what is open, and adds the names of these signals to `names`. Nothing of it costs more than a list of the queue.
pub(super) async fn read_open_work(session: &Session, signals: HashSet<Uuid>, names: &mut HashMap<Uuid, String>) -> OpenWork {
    let mut open = OpenWork::default();
    let mut now = Utc::now();
    match session.client.queue_stats().await {
        Ok(answer) => {
            now = answer.date.unwrap_or(now);
            open.counts = Some(answer.value);
        }
        Err(failure) => print::write_note(&format!("cannot count the open signals: {}", failure.message)),
    }
    if open.counts.is_none() {
        return open;
    }
    let mut unnamed: HashSet<Uuid> = signals.into_iter().filter(|id| !names.contains_key(id)).collect();
    let mut learn_names = |rows: &mut dyn Iterator<Item = &QueueSignal>| {
        let named = rows.filter(|row| unnamed.remove(&row.signal.id.0)).map(|row| (row.signal.id.0, describe_signal(row)));
        names.extend(named.collect::<Vec<_>>());
        !unnamed.is_empty()
    };
    match read_queue(&session.client, &TriageStatus::New).await {
        Ok((rows, _)) => {
            let is_incomplete = learn_names(&mut rows.values());
            open.leaving_soon = Some(leaving_soon(rows.values(), now));
            if is_incomplete && let Ok((done, _)) = read_queue(&session.client, &TriageStatus::Done).await {
                learn_names(&mut done.values());
            }
        }
        Err(failure) => print::write_note(&format!("cannot read the queue: {}", failure.message)),
    }
    let snoozes = session.store.snoozes(session.meter(), session.client.workspace_id()).load_all().await.unwrap_or_default();
    let sleeping = snoozes.iter().filter(|snooze| !snooze.has_returned(now) && !snooze.has_left_queue(now));
    let snoozed = |snooze: &crate::domain::snooze::Snooze| SnoozedSignal {
        id: snooze.row.signal.id.0,
        name: describe_signal(&snooze.row),
        until: snooze.until,
    };
    open.snoozed = sleeping.map(snoozed).collect();
    open
}

fn leaving_soon<'r>(rows: impl Iterator<Item = &'r QueueSignal>, now: DateTime<Utc>) -> Vec<LeavingSignal> {
    let leaving = |row: &QueueSignal| {
        let days_left = row.days_left(now).filter(|days| *days <= LEAVING_SOON_DAYS)?;
        Some(LeavingSignal { id: row.signal.id.0, name: describe_signal(row), days_left })
    };
    let mut leaving: Vec<LeavingSignal> = rows.filter_map(leaving).collect();
    leaving.sort_by(|one, other| (one.days_left, &one.name).cmp(&(other.days_left, &other.name)));
    leaving
}

/// "permit issued on Residences at Juniper".
fn describe_signal(row: &QueueSignal) -> String {
    let kind = row.signal.signal_type.as_ref().map_or_else(|| "signal".to_owned(), |kind| kind.as_str().replace('_', " "));
    format!("{kind} on {}", row.signal.project_name.as_deref().unwrap_or("an unnamed project"))
}

impl OpenWork {
    /// The lines of the page, under their headings.
    pub(super) fn sections(&self) -> Vec<(&'static str, Vec<String>)> {
        const MAX_LISTED: usize = 10;
        let mut sections = Vec::new();
        let mut open: Vec<String> = Vec::new();
        if let Some(stats) = &self.counts {
            open.push(format!("{} new signals, {} of them high priority", stats.new_count, stats.high_priority_new_count));
        }
        if let Some(leaving) = &self.leaving_soon {
            open.push(match leaving.len() {
                0 => format!("none leaves the queue within {LEAVING_SOON_DAYS} days"),
                1 => format!("1 leaves the queue within {LEAVING_SOON_DAYS} days"),
                n => format!("{n} leave the queue within {LEAVING_SOON_DAYS} days"),
            });
            let line = |signal: &LeavingSignal| match signal.days_left {
                ..=0 => format!("today: {}", signal.name),
                1 => format!("in 1 day: {}", signal.name),
                days => format!("in {days} days: {}", signal.name),
            };
            open.extend(leaving.iter().take(MAX_LISTED).map(line));
            if leaving.len() > MAX_LISTED {
                open.push(format!("and {} more: gantry queue list --aging {LEAVING_SOON_DAYS}d", leaving.len() - MAX_LISTED));
            }
        }
        if !open.is_empty() {
            sections.push(("Open", open));
        }
        let until = |signal: &SnoozedSignal| match signal.until {
            SnoozeUntil::Time(at) => {
                format!("{}: until {}", signal.name, at.with_timezone(&Local).format("%-d %B %Y, %H:%M"))
            }
            SnoozeUntil::NextFiling => format!("{}: until the project's next filing", signal.name),
        };
        if !self.snoozed.is_empty() {
            sections.push(("Snoozed on this machine", self.snoozed.iter().map(until).collect()));
        }
        sections
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leaves_soon_is_listed_the_first_to_leave_first() {
        let row = |name: &str, filed: &str| -> QueueSignal {
            let id = Uuid::from_u128(1);
            let row = serde_json::json!({"id": id, "signal_type": "permit_issued", "project_name": name, "filed_at": filed});
            serde_json::from_value(row).unwrap()
        };
        let rows = [row("Later", "2026-04-16"), row("Kept", "2026-07-01"), row("First", "2026-04-10")];
        let leaving_soon = leaving_soon(rows.iter(), "2026-07-09T12:00:00Z".parse().unwrap());
        let open = OpenWork { leaving_soon: Some(leaving_soon), ..OpenWork::default() };
        let expected = ["2 leave the queue within 7 days", "today: permit issued on First", "in 6 days: permit issued on Later"];
        assert_eq!(open.sections(), [("Open", expected.map(str::to_owned).to_vec())]);
    }
}
