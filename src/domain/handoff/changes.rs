//! The changes of a handoff: one for each result of each change, with the names of its records.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, Utc};
use serde::Serialize;
use uuid::Uuid;

use super::recorded::{RecordedWork, is_triage, record_name};
use crate::domain::SignalId;
use crate::domain::journal::{EntryCause, JournalChange, JournalEntry, SentWrite, WriteProgress};
use crate::domain::queue::TriageStatus;

/// The requests of a change that had the same result.
#[derive(Clone, Debug, Serialize)]
pub struct HandoffChange {
    #[serde(skip)]
    op: Uuid,
    pub(super) at: DateTime<Utc>,
    /// What was done, as in `marked done`, or asked for.
    pub(super) what: String,
    pub(super) result: WriteProgress,
    /// A later change undid all of it.
    pub(super) is_undone: bool,
    pub(super) records: u64,
    pub(super) changed: u64,
    #[serde(skip)]
    pub(super) rejected: u64,
    /// The names of its records; of all that were sent where only a part was changed and nothing
    /// says which.
    pub(super) about: Vec<String>,
    /// Why it failed.
    pub(super) why: Option<String>,
}

pub(super) fn is_applied(progress: &WriteProgress) -> bool {
    matches!(progress, WriteProgress::Done | WriteProgress::PartlyDone)
}

/// The changes in order, and the ops of those that had no lasting effect: what was undone, and its
/// undo.
pub(super) fn list_changes(work: &RecordedWork) -> (Vec<HandoffChange>, HashSet<Uuid>) {
    let by_op: HashMap<Uuid, &JournalEntry> =
        work.entries.iter().map(|entry| (entry.op, entry)).collect();
    let mut changes: Vec<HandoffChange> = Vec::new();
    for sent in without_repeated(&work.sent).into_iter().rev() {
        let entry = by_op.get(&sent.op).copied();
        let names = changed_keys(sent, entry)
            .into_iter()
            .map(|key| record_name(key, &work.names));
        let change = match changes
            .iter_mut()
            .position(|change| change.op == sent.op && change.result == sent.progress)
        {
            Some(place) => &mut changes[place],
            None => {
                changes.push(HandoffChange {
                    op: sent.op,
                    at: sent.at,
                    what: describe_change(sent, entry),
                    result: sent.progress.clone(),
                    is_undone: false,
                    records: 0,
                    changed: 0,
                    rejected: 0,
                    about: Vec::new(),
                    why: sent.why.clone(),
                });
                let Some(last) = changes.last_mut() else {
                    continue;
                };
                last
            }
        };
        change.about.extend(names);
        change.records += sent.records;
        change.changed += sent.changed.unwrap_or(sent.records);
        change.rejected += sent.rejected.unwrap_or_default();
    }
    mark_undone(&work.entries, changes)
}

/// Writes, the latest first, without rejected ones whose records were all sent again in later
/// requests of the same change, and without triage that was not sent at first and was answered
/// later.
fn without_repeated(sent: &[SentWrite]) -> Vec<&SentWrite> {
    let mut later: HashMap<Uuid, HashSet<&str>> = HashMap::new();
    let mut answered: HashSet<(&str, &str)> = HashSet::new();
    let mut needed = Vec::new();
    for sent in sent {
        let keys = sent.record_keys();
        let status = sent
            .body
            .as_ref()
            .filter(|_| is_triage(sent))
            .and_then(|body| body.get("status")?.as_str());
        let again = later.entry(sent.op).or_default();
        let is_repeated = !keys.is_empty()
            && keys.iter().all(|key| match sent.progress {
                WriteProgress::Rejected => again.contains(key),
                WriteProgress::NotSent => {
                    status.is_some_and(|status| answered.contains(&(status, *key)))
                }
                _ => false,
            });
        again.extend(&keys);
        if let (Some(status), WriteProgress::Done | WriteProgress::Unchanged) =
            (status, &sent.progress)
        {
            answered.extend(keys.iter().map(|key| (status, *key)));
        }
        if !is_repeated {
            needed.push(sent);
        }
    }
    needed
}

/// A triage that waits until the service responds.
#[derive(Clone, Debug, Serialize)]
pub struct WaitingTriage {
    pub(super) id: Uuid,
    pub(super) what: &'static str,
    pub(super) name: String,
}

/// The triage that waits, without what is listed as not sent.
pub(super) fn list_waiting(
    work: &RecordedWork,
    waiting: &[(TriageStatus, SignalId)],
) -> Vec<WaitingTriage> {
    let not_sent = without_repeated(&work.sent)
        .into_iter()
        .filter(|sent| sent.progress == WriteProgress::NotSent);
    let listed: HashSet<&str> = not_sent.flat_map(SentWrite::record_keys).collect();
    let waiting = waiting
        .iter()
        .map(|(from, id)| (from, id.to_string()))
        .filter(|(_, key)| !listed.contains(key.as_str()));
    let new_line = |(from, key): (&TriageStatus, String)| WaitingTriage {
        id: key.parse().unwrap_or_default(),
        what: if *from == TriageStatus::New {
            "mark done"
        } else {
            "move back to New"
        },
        name: record_name(&key, &work.names),
    };
    waiting.map(new_line).collect()
}

/// The keys of the records that a write is about: where it was applied and the journal knows to
/// which, only those.
fn changed_keys<'s>(sent: &'s SentWrite, entry: Option<&JournalEntry>) -> Vec<&'s str> {
    let mut keys = sent.record_keys();
    if let Some(JournalChange::Triage { signals, .. }) = entry.map(|entry| &entry.change)
        && is_applied(&sent.progress)
    {
        let changed: HashSet<Uuid> = signals.iter().map(|signal| signal.id).collect();
        keys.retain(|key| key.parse().is_ok_and(|id: Uuid| changed.contains(&id)));
    }
    keys
}

/// What a write did, or was to do.
fn describe_change(sent: &SentWrite, entry: Option<&JournalEntry>) -> String {
    if is_triage(sent) {
        let status = sent
            .body
            .as_ref()
            .and_then(|body| serde_json::from_value(body.get("status")?.clone()).ok());
        let status = status.or_else(|| match entry.map(|entry| &entry.change) {
            Some(JournalChange::Triage { after, .. }) => Some(after.clone()),
            _ => None,
        });
        return match (status, is_applied(&sent.progress)) {
            (Some(TriageStatus::Done), true) => "marked done".to_owned(),
            (Some(TriageStatus::Done), false) => "mark done".to_owned(),
            (Some(TriageStatus::New), true) => "moved back to New".to_owned(),
            (Some(TriageStatus::New), false) => "move back to New".to_owned(),
            _ => sent.reason.clone(),
        };
    }
    match entry {
        Some(entry) if entry.cause == EntryCause::Undo => format!("undone: {}", entry.description),
        Some(entry) if entry.cause == EntryCause::Redo => format!("redone: {}", entry.description),
        Some(entry) => entry.description.clone(),
        None => sent.describe_command(),
    }
}

/// Marks changes that were undone as a whole. Such an undo is not listed itself, nor is a redo of
/// the whole change.
fn mark_undone(
    entries: &[JournalEntry],
    mut changes: Vec<HandoffChange>,
) -> (Vec<HandoffChange>, HashSet<Uuid>) {
    let mut changed: HashMap<Uuid, u64> = HashMap::new();
    for change in changes.iter().filter(|change| is_applied(&change.result)) {
        *changed.entry(change.op).or_default() += change.changed;
    }
    let (mut done, mut undone, mut absorbed) = (
        Vec::<&JournalEntry>::new(),
        Vec::<&JournalEntry>::new(),
        HashSet::new(),
    );
    let mut reverted = HashSet::new();
    for entry in entries
        .iter()
        .filter(|entry| changed.get(&entry.op).is_some_and(|count| *count > 0))
    {
        let is_whole = |other: &JournalEntry| changed[&entry.op] >= changed[&other.op];
        let (from, to) = if entry.cause == EntryCause::Undo {
            (&mut done, &mut undone)
        } else {
            (&mut undone, &mut done)
        };
        let turned = match entry.cause {
            EntryCause::Undo => from
                .iter()
                .rposition(|other| entry.reverts(other) && is_whole(other)),
            EntryCause::Redo => from
                .iter()
                .rposition(|other| entry.repeats(other) && is_whole(other)),
            _ => None,
        };
        match turned {
            Some(at) => {
                to.push(from.remove(at));
                absorbed.insert(entry.op);
                if entry.cause == EntryCause::Undo {
                    reverted.insert(entry.op);
                }
            }
            None if entry.cause != EntryCause::Undo => to.push(entry),
            None => {}
        }
    }
    reverted.extend(undone.iter().map(|entry| entry.op));
    let is_undone_redo = |entry: &&JournalEntry| {
        entry.cause == EntryCause::Redo
            && absorbed.contains(&entry.op)
            && undone.iter().any(|other| entry.repeats(other))
    };
    reverted.extend(entries.iter().filter(is_undone_redo).map(|entry| entry.op));
    changes
        .retain(|change| !(absorbed.contains(&change.op) && change.result == WriteProgress::Done));
    for change in changes
        .iter_mut()
        .filter(|change| undone.iter().any(|entry| entry.op == change.op))
    {
        change.is_undone = is_applied(&change.result);
    }
    (changes, reverted)
}

#[derive(Debug, PartialEq, Serialize)]
pub struct WrittenNote {
    pub(super) record: String,
    pub(super) note: String,
}

/// The last note that was written about each record by a change that was not reverted.
pub(super) fn notes_written(work: &RecordedWork, reverted: &HashSet<Uuid>) -> Vec<WrittenNote> {
    let is_applied = |sent: &&SentWrite| {
        matches!(
            sent.progress,
            WriteProgress::Done | WriteProgress::PartlyDone
        ) && !reverted.contains(&sent.op)
    };
    let mut seen = HashSet::new();
    // The newest write comes first.
    let notes = work
        .sent
        .iter()
        .filter(is_applied)
        .flat_map(SentWrite::notes)
        .filter(|(key, _)| seen.insert(*key));
    notes
        .map(|(key, note)| WrittenNote {
            record: record_name(key, &work.names),
            note: note.to_owned(),
        })
        .collect()
}
