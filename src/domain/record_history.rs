//! The history of a record: what this machine wrote on it, and what changed between its reads.

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::field_kind::humanize_key;
use super::journal::{EntryCause, JournalChange, JournalEntry, SentWrite, WriteProgress};
use super::queue::TriageStatus;
use super::records::Record;
use super::writes::{ReversibleWrite, WriteOp};

/// Fields that change without anything having happened.
const IGNORED_FIELDS: &[&str] = &[
    "id",
    "updated_at",
    "updates_last_30_days",
    "account_id",
    "project_id",
];
/// A longer value is cut.
const MAX_VALUE_CHARS: usize = 120;

/// A record as it was in one or several reads, without its related records: of those, only their
/// number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordVersion {
    /// Whether it was read from the book, which reports other fields than the index.
    pub in_book: bool,
    pub first_read: DateTime<Utc>,
    pub last_read: DateTime<Utc>,
    pub fields: Map<String, Value>,
}

/// What happened to a record, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordHistory {
    pub lines: Vec<HistoryLine>,
    /// When this machine first read it.
    pub first_read: Option<DateTime<Utc>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryLine {
    /// When it was written, or when the change was first seen.
    pub at: DateTime<Utc>,
    /// `stage: permitted → under construction`.
    pub text: String,
    pub origin: HistoryOrigin,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HistoryOrigin {
    /// Written by this machine, with the result.
    Written(String),
    /// Seen in a read; the last read without it was at this time.
    Seen(DateTime<Utc>),
}

/// The fields of a record that are compared between reads.
pub fn compared_fields(record: &Record) -> Map<String, Value> {
    let compared = |value: &Value| match value {
        Value::Array(items) if items.iter().any(Value::is_object) => Some(items.len().into()),
        Value::Object(_) => None,
        value => Some(value.clone()),
    };
    let fields = record.fields();
    let kept = fields
        .iter()
        .filter(|(name, _)| !IGNORED_FIELDS.contains(&name.as_str()));
    kept.filter_map(|(name, value)| Some((name.clone(), compared(value)?)))
        .collect()
}

/// Everything that is known to have happened to a record. `entries` are the changes that `sent`
/// belong to, where the console made them.
pub fn record_history(
    id: Uuid,
    versions: &[RecordVersion],
    entries: &[JournalEntry],
    sent: &[SentWrite],
) -> RecordHistory {
    let (mut lines, written) = (seen_changes(versions), written_changes(id, entries, sent));
    lines.retain(|seen| !written.iter().any(|written| is_cause(written, seen)));
    lines.extend(written);
    lines.sort_by_key(|line| std::cmp::Reverse(line.at));
    RecordHistory {
        lines,
        first_read: versions.iter().map(|version| version.first_read).min(),
    }
}

/// Whether a change that was seen is one that this machine wrote.
fn is_cause(written: &HistoryLine, seen: &HistoryLine) -> bool {
    let is_between = matches!(seen.origin, HistoryOrigin::Seen(before) if (before..=seen.at).contains(&written.at));
    is_between && written.text.contains(&seen.text)
}

/// A field's name for the user: `status` for `workspace_status`.
fn field_label(name: &str) -> String {
    humanize_key(
        name.trim_start_matches("workspace_")
            .trim_start_matches("icp_"),
    )
}

/// What differs between one version and the next, each route by itself.
fn seen_changes(versions: &[RecordVersion]) -> Vec<HistoryLine> {
    let mut lines: Vec<HistoryLine> = Vec::new();
    for in_book in [true, false] {
        let mut route: Vec<&RecordVersion> = versions
            .iter()
            .filter(|version| version.in_book == in_book)
            .collect();
        route.sort_by_key(|version| version.first_read);
        for pair in route.windows(2) {
            let [before, after] = pair else { continue };
            for (name, now) in &after.fields {
                let Some(then) = before.fields.get(name).filter(|then| *then != now) else {
                    continue;
                };
                let text = format!(
                    "{}: {} → {}",
                    field_label(name),
                    shown_value(then),
                    shown_value(now)
                );
                // The other route may have shown the same change.
                if !lines.iter().any(|line| line.text == text) {
                    lines.push(HistoryLine {
                        at: after.first_read,
                        text,
                        origin: HistoryOrigin::Seen(before.last_read),
                    });
                }
            }
        }
    }
    lines
}

fn written_changes(id: Uuid, entries: &[JournalEntry], sent: &[SentWrite]) -> Vec<HistoryLine> {
    let (key, mut ops) = (id.to_string(), HashSet::new());
    let mut lines = Vec::new();
    for write in sent {
        let entry = entries.iter().find(|entry| entry.op == write.op);
        let is_about = write.record_keys().contains(&key.as_str())
            || entry.is_some_and(|entry| is_triage_of(entry, id));
        if !is_about || !ops.insert(write.op) {
            continue;
        }
        let text = match entry {
            Some(entry) => written_text(entry, id),
            None => sent_text(write, &key),
        };
        lines.push(HistoryLine {
            at: write.at,
            text,
            origin: HistoryOrigin::Written(result_text(write)),
        });
    }
    lines
}

/// Whether signals of this project were triaged.
fn is_triage_of(entry: &JournalEntry, project: Uuid) -> bool {
    let JournalChange::Triage { signals, .. } = &entry.change else {
        return false;
    };
    let of_project = |row: &Value| {
        row.get("project_id").and_then(Value::as_str) == Some(project.to_string().as_str())
    };
    signals
        .iter()
        .any(|signal| signal.row.as_ref().is_some_and(of_project))
}

fn written_text(entry: &JournalEntry, id: Uuid) -> String {
    let text = match &entry.change {
        JournalChange::Triage {
            after: TriageStatus::Done,
            ..
        } => format!("{} marked done", entry.description),
        JournalChange::Triage { .. } => format!("{} moved back to New", entry.description),
        JournalChange::Write { changes, .. } => {
            let own = changes
                .iter()
                .filter(|change| change.forward.record_id() == Some(id));
            let parts: Vec<String> = own.filter_map(change_text).collect();
            if parts.is_empty() {
                entry.description.clone()
            } else {
                parts.join("; ")
            }
        }
        JournalChange::Snooze { .. } => entry.description.clone(),
    };
    match entry.cause {
        EntryCause::Undo => format!("undone: {text}"),
        EntryCause::Redo => format!("redone: {text}"),
        _ => text,
    }
}

/// What a change did to its record; `None` if the description of its step says that better.
fn change_text(change: &ReversibleWrite) -> Option<String> {
    match &change.forward {
        WriteOp::Annotate(_, _, annotation) if annotation.is_empty() => {
            Some("saved to the book".to_owned())
        }
        WriteOp::Annotate(_, _, annotation) => {
            let after = serde_json::to_value(annotation).unwrap_or_default();
            let before = match &change.back {
                Some(WriteOp::Annotate(_, _, before)) => {
                    serde_json::to_value(before).unwrap_or_default()
                }
                _ => Value::Null,
            };
            let fields = after.as_object().into_iter().flatten().map(|(name, now)| {
                let label = field_label(name);
                match before.get(name) {
                    Some(then) => format!("{label}: {} → {}", shown_value(then), shown_value(now)),
                    None => format!("{label}: {}", shown_value(now)),
                }
            });
            Some(fields.collect::<Vec<_>>().join("; "))
        }
        WriteOp::Forget(..) => Some("removed from the book".to_owned()),
        _ => None,
    }
}

/// What a write of the command line did to the record.
fn sent_text(write: &SentWrite, key: &str) -> String {
    let body = write.body.as_ref();
    let items = body
        .and_then(|body| body.get("inputs"))
        .and_then(Value::as_array)
        .map_or_else(
            || body.into_iter().collect(),
            |items| items.iter().collect::<Vec<_>>(),
        );
    let own = items.iter().find(|item| {
        item.as_object()
            .is_some_and(|item| item.values().any(|value| value == key))
    });
    let fields = own
        .and_then(|item| item.as_object())
        .into_iter()
        .flatten()
        .filter(|(name, _)| !name.ends_with("id"));
    let fields: Vec<String> = fields
        .map(|(name, value)| format!("{}: {}", humanize_key(name), shown_value(value)))
        .collect();
    [write.reason.clone(), fields.join("; ")]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(": ")
}

fn result_text(write: &SentWrite) -> String {
    match write.progress {
        WriteProgress::Done => "saved",
        WriteProgress::Rejected => "rejected",
        WriteProgress::NotSent => "not sent",
        WriteProgress::Sending => "being sent",
        _ => "result unknown",
    }
    .to_owned()
}

fn shown_value(value: &Value) -> String {
    let text = match value {
        Value::Null => "none".to_owned(),
        Value::Array(items) if items.is_empty() => "none".to_owned(),
        Value::Array(items) => items.iter().map(shown_value).collect::<Vec<_>>().join(", "),
        Value::String(text) if text.is_empty() => "none".to_owned(),
        Value::String(text) => humanize_key(&text.split_whitespace().collect::<Vec<_>>().join(" ")),
        value => value.to_string(),
    };
    match text.char_indices().nth(MAX_VALUE_CHARS) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::domain::book::RecordKind;

    fn at(day: u32) -> DateTime<Utc> {
        format!("2026-11-{day:02}T09:00:00Z").parse().unwrap()
    }

    fn version(in_book: bool, first: u32, last: u32, fields: Value) -> RecordVersion {
        let record: Record = serde_json::from_value(fields).unwrap();
        RecordVersion {
            in_book,
            first_read: at(first),
            last_read: at(last),
            fields: compared_fields(&record),
        }
    }

    const ID: &str = "00000000-0000-0000-0000-000000000007";

    #[test]
    fn a_change_between_reads_is_dated_by_both_and_shown_once() {
        let signals = |n: usize| vec![json!({"id": ID}); n];
        let old = |stage: &str, n| json!({"id": ID, "stage": stage, "city": "Austin", "signals": signals(n), "updated_at": "x"});
        let versions = [
            version(false, 1, 3, old("permitted", 2)),
            version(false, 21, 21, old("under_construction", 3)),
            version(
                true,
                2,
                3,
                json!({"id": ID, "stage": "permitted", "tags": []}),
            ),
            version(
                true,
                22,
                22,
                json!({"id": ID, "stage": "under_construction", "tags": ["q3"], "updated_at": "y"}),
            ),
        ];
        let history = record_history(ID.parse().unwrap(), &versions, &[], &[]);
        let mut lines: Vec<_> = history
            .lines
            .iter()
            .map(|line| (line.at, line.text.as_str(), line.origin.clone()))
            .collect();
        lines.sort_by_key(|(at, text, _)| (*at, *text));
        assert_eq!(
            lines,
            [
                (at(21), "signals: 2 → 3", HistoryOrigin::Seen(at(3))),
                (
                    at(22),
                    "stage: permitted → under construction",
                    HistoryOrigin::Seen(at(3))
                ),
                (at(22), "tags: none → q3", HistoryOrigin::Seen(at(3))),
            ]
        );
        assert_eq!(history.first_read, Some(at(1)));
    }

    #[test]
    fn what_this_machine_wrote_shows_old_and_new_values_and_its_result() {
        let id: Uuid = ID.parse().unwrap();
        let annotation = |status: &str| {
            serde_json::from_value(json!({"workspace_status": status, "tags": ["q3", "hotel"]}))
                .unwrap()
        };
        let write = |status: &str| WriteOp::Annotate(RecordKind::Accounts, id, annotation(status));
        let change = ReversibleWrite {
            forward: write("quoted"),
            back: Some(write("contacted")),
        };
        let entry = JournalEntry {
            op: Uuid::from_u128(1),
            at: at(4),
            cause: EntryCause::New,
            original_op: None,
            reason: "form.apply".to_owned(),
            description: "status of Calder".to_owned(),
            group: None,
            change: JournalChange::Write {
                things: 1,
                changes: vec![change],
            },
        };
        let sent = |op: u128, progress| SentWrite {
            id: Uuid::from_u128(op),
            at: at(4),
            op: Uuid::from_u128(op),
            reason: "book accounts set".to_owned(),
            route: "POST /workspace/accounts/upsert/batch".to_owned(),
            records: 1,
            changed: None,
            rejected: None,
            progress,
            why: None,
            target: None,
            body: Some(json!({"inputs": [{"account_id": ID, "workspace_status": "won"}]})),
        };
        let other = SentWrite {
            body: Some(json!({"inputs": [{"account_id": "x"}]})),
            ..sent(3, WriteProgress::Done)
        };
        let all = [
            sent(1, WriteProgress::Done),
            sent(2, WriteProgress::Rejected),
            other,
        ];
        let history = record_history(id, &[], &[entry], &all);
        let lines: Vec<_> = history
            .lines
            .into_iter()
            .map(|line| (line.text, line.origin))
            .collect();
        let written = |result: &str| HistoryOrigin::Written(result.to_owned());
        assert_eq!(
            lines,
            [
                (
                    "tags: q3, hotel → q3, hotel; status: contacted → quoted".to_owned(),
                    written("saved")
                ),
                (
                    "book accounts set: status: won".to_owned(),
                    written("rejected")
                ),
            ]
        );
    }
}
