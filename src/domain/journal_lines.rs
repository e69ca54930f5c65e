//! The journal as lines for people: when, what, the result, and the command that does the same.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use serde_json::Value;
use uuid::Uuid;

use super::journal::{EntryCause, JournalChange, JournalEntry, SentWrite, WriteProgress};
use super::queue::TriageStatus;

/// This many records are named; the others are counted.
const MAX_NAMES: usize = 3;
/// A longer command is of no use to anybody.
const MAX_COMMAND_BYTES: usize = 16_384;

/// A write, or all writes of one change with the same result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalLine {
    pub at: DateTime<Utc>,
    pub what: String,
    /// `done`, `2 of 3 changed`, `rejected`.
    pub result: String,
    /// Why it failed.
    pub reason: Option<String>,
    /// Whether it was done, at least in part, or needed no change.
    pub is_ok: bool,
    /// The `gantry` command that does the same; none where the journal no longer has what was sent.
    pub command: Option<String>,
}

/// The lines of these writes, newest first as they are. `entries` are the changes that they belong
/// to, where the console made them.
pub fn journal_lines(
    entries: &[JournalEntry],
    sent: &[SentWrite],
    names: &HashMap<Uuid, String>,
) -> Vec<JournalLine> {
    let by_op: HashMap<Uuid, &JournalEntry> =
        entries.iter().map(|entry| (entry.op, entry)).collect();
    let mut lines: Vec<(Uuid, WriteProgress, Vec<&SentWrite>)> = Vec::new();
    let mut places: HashMap<(Uuid, String), usize> = HashMap::new();
    for write in sent {
        let place = *places
            .entry((write.op, write.progress.as_str().to_owned()))
            .or_insert(lines.len());
        match lines.get_mut(place) {
            Some((_, _, writes)) => writes.push(write),
            None => lines.push((write.op, write.progress.clone(), vec![write])),
        }
    }
    let line = |(op, progress, writes): (Uuid, WriteProgress, Vec<&SentWrite>)| JournalLine {
        at: writes
            .iter()
            .map(|write| write.at)
            .min()
            .unwrap_or_default(),
        what: by_op.get(&op).map_or_else(
            || describe_writes(&writes, names),
            |entry| describe_entry(entry),
        ),
        result: describe_result(&progress, &writes),
        reason: writes.iter().find_map(|write| write.why.clone()),
        is_ok: matches!(
            progress,
            WriteProgress::Done | WriteProgress::PartlyDone | WriteProgress::Unchanged
        ),
        command: command(&writes).filter(|command| command.len() <= MAX_COMMAND_BYTES),
    };
    lines.into_iter().map(line).collect()
}

fn describe_entry(entry: &JournalEntry) -> String {
    let what = match &entry.change {
        JournalChange::Triage {
            after: TriageStatus::Done,
            ..
        } => "done: ",
        JournalChange::Triage {
            after: TriageStatus::New,
            ..
        } => "back to New: ",
        _ => "",
    };
    match entry.cause {
        EntryCause::Undo => format!("undone: {}", entry.description),
        EntryCause::Redo => format!("redone: {}", entry.description),
        _ => format!("{what}{}", entry.description),
    }
}

/// A command's writes: the command and the first records whose names are known.
fn describe_writes(writes: &[&SentWrite], names: &HashMap<Uuid, String>) -> String {
    let keys: Vec<&str> = writes
        .iter()
        .flat_map(|write| write.record_keys())
        .collect();
    let name = |key: &&str| match key.parse::<Uuid>() {
        Ok(id) => names.get(&id).cloned(),
        Err(_) => Some((*key).to_owned()),
    };
    let what = writes.first().map(|write| write.describe_command());
    let what = what.unwrap_or_default();
    let shown: Vec<String> = keys
        .iter()
        .filter_map(name)
        .filter(|name| !what.contains(name.as_str()))
        .take(MAX_NAMES)
        .collect();
    match (shown.join(", "), keys.len() - shown.len()) {
        (shown, _) if shown.is_empty() => what,
        (shown, 0) => format!("{what}: {shown}"),
        (shown, more) => format!("{what}: {shown} and {more} more"),
    }
}

fn describe_result(progress: &WriteProgress, writes: &[&SentWrite]) -> String {
    let records: u64 = writes.iter().map(|write| write.records).sum();
    let changed: u64 = writes
        .iter()
        .map(|write| write.changed.unwrap_or(write.records))
        .sum();
    let all = if records == 1 {
        "1 item".to_owned()
    } else {
        format!("{records} items")
    };
    match progress {
        WriteProgress::Done if changed >= records => format!("{all}, done"),
        WriteProgress::Done | WriteProgress::PartlyDone => format!("{changed} of {all} changed"),
        WriteProgress::Unchanged => format!("{all}, unchanged"),
        WriteProgress::Rejected => format!("{all}, rejected"),
        WriteProgress::NotSent => format!("{all}, not sent"),
        WriteProgress::Sending => format!("{all}, sending"),
        _ => format!("{all}, result unknown"),
    }
}

/// The command that sends these writes again.
fn command(writes: &[&SentWrite]) -> Option<String> {
    let first = writes.first()?;
    let (method, path) = first.route.split_once(' ')?;
    let ids = || {
        writes
            .iter()
            .flat_map(|write| write.record_keys())
            .collect::<Vec<_>>()
            .join(" ")
    };
    if path == "/signals/triage" {
        let status = first.body.as_ref()?.get("status")?.as_str()?;
        return Some(format!("gantry queue triage {status} {}", ids()));
    }
    let parts: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    match (method, parts.as_slice()) {
        (
            "POST",
            [
                "workspace",
                kind @ ("accounts" | "contacts" | "projects"),
                "upsert",
                ..,
            ],
        ) => annotate_options(writes)
            .map(|options| format!("gantry book set {kind} {}{options}", ids())),
        (
            "POST",
            [
                "workspace",
                kind @ ("accounts" | "contacts" | "projects"),
                "delete",
                "batch",
            ],
        ) => Some(format!("gantry book remove {kind} {}", ids())),
        _ => None,
    }
    .or_else(|| raw_command(writes, method, path))
}

/// The options of `book set` for records that all get the same annotation.
fn annotate_options(writes: &[&SentWrite]) -> Option<String> {
    let mut inputs = Vec::new();
    for write in writes {
        let body = write.body.as_ref()?;
        match body.get("inputs").and_then(Value::as_array) {
            Some(batch) => inputs.extend(batch.iter().map(annotation_fields)),
            None => inputs.push(annotation_fields(body)),
        }
    }
    let first = inputs.first()?.clone()?;
    if !inputs.iter().all(|input| input.as_ref() == Some(&first)) {
        return None;
    }
    let mut options = String::new();
    for (field, value) in first {
        let (option, clear) = match field.as_str() {
            "workspace_status" => ("--status", "--clear-status"),
            "notes" => ("--notes", "--clear-notes"),
            "icp_tier" => ("--tier", "--clear-tier"),
            "tags" => ("--tags", ""),
            _ => return None,
        };
        let text = match value {
            Value::Null => {
                options.push_str(&format!(" {clear}"));
                continue;
            }
            Value::Array(tags) => {
                let tags: Option<Vec<&str>> = tags.iter().map(Value::as_str).collect();
                // A comma separates tags.
                tags.filter(|tags| tags.iter().all(|tag| !tag.contains(',')))?
                    .join(",")
            }
            Value::String(text) => text,
            _ => return None,
        };
        // A line end would not survive the clipboard.
        if text.chars().any(char::is_control) {
            return None;
        }
        options.push_str(&format!(" {option} {}", quote(&text)));
    }
    Some(options)
}

/// An input without the record that it is for; `None` where the record has no id.
fn annotation_fields(input: &Value) -> Option<Vec<(String, Value)>> {
    let is_id = |name: &str| name.ends_with("_id");
    let fields = input.as_object()?;
    fields.keys().any(|name| is_id(name)).then_some(())?;
    Some(
        fields
            .iter()
            .filter(|(name, _)| !is_id(name))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect(),
    )
}

/// The request itself, for what no other command does the same way. One request only.
fn raw_command(writes: &[&SentWrite], method: &str, path: &str) -> Option<String> {
    let [write] = writes else { return None };
    let path = match path.matches("{id}").count() {
        0 => path.to_owned(),
        1 => path.replace("{id}", write.target.as_deref()?),
        _ => return None,
    };
    let data = match &write.body {
        Some(body) => format!(" --data {}", quote(&body.to_string())),
        None if method == "DELETE" => String::new(),
        None => return None,
    };
    Some(format!("gantry api {method} {path}{data}"))
}

/// A text as one word for a shell.
fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const ID: &str = "00000000-0000-0000-0000-000000000007";

    fn sent(route: &str, body: Value) -> SentWrite {
        SentWrite {
            id: Uuid::from_u128(1),
            at: DateTime::UNIX_EPOCH,
            op: Uuid::from_u128(2),
            reason: "queue triage done".to_owned(),
            route: route.to_owned(),
            records: 1,
            changed: None,
            rejected: None,
            progress: WriteProgress::Done,
            why: None,
            target: None,
            body: Some(body),
        }
    }

    fn command_of(route: &str, body: Value) -> Option<String> {
        journal_lines(&[], &[sent(route, body)], &HashMap::new())
            .remove(0)
            .command
    }

    #[test]
    fn a_line_has_the_command_that_does_the_same() {
        let triage = command_of(
            "POST /signals/triage",
            json!({"signal_ids": [ID], "status": "done", "workspace_id": ID}),
        );
        assert_eq!(triage, Some(format!("gantry queue triage done {ID}")));
        let note = json!({"inputs": [{"account_id": ID, "notes": "it's won", "icp_tier": "tier_1", "workspace_status": null}]});
        let set = format!(
            "gantry book set accounts {ID} --tier 'tier_1' --notes 'it'\\''s won' --clear-status"
        );
        let written = command_of("POST /workspace/accounts/upsert/batch", note).unwrap();
        let words = |text: &str| {
            text.split(" --")
                .map(str::to_owned)
                .collect::<std::collections::BTreeSet<_>>()
        };
        assert_eq!(words(&written), words(&set));
        let removed = command_of(
            "POST /workspace/contacts/delete/batch",
            json!({"ids": [ID]}),
        );
        assert_eq!(removed, Some(format!("gantry book remove contacts {ID}")));
        let view = SentWrite {
            target: Some(ID.to_owned()),
            body: None,
            ..sent("DELETE /workspace/views/{id}", json!({}))
        };
        let view = journal_lines(&[], &[view], &HashMap::new())
            .remove(0)
            .command;
        assert_eq!(
            view,
            Some(format!("gantry api DELETE /workspace/views/{ID}"))
        );
    }

    #[test]
    fn the_requests_of_one_change_with_one_result_are_one_line() {
        let body = |id: &str| json!({"signal_ids": [id], "status": "done"});
        let other = ID.replace('7', "8");
        let rejected = SentWrite {
            progress: WriteProgress::Rejected,
            ..sent("POST /signals/triage", body("x"))
        };
        let all = [
            sent("POST /signals/triage", body(ID)),
            sent("POST /signals/triage", body(&other)),
            rejected,
        ];
        let names = HashMap::from([(ID.parse().unwrap(), "Harbor Yard".to_owned())]);
        let lines = journal_lines(&[], &all, &names);
        let texts: Vec<String> = lines
            .iter()
            .map(|line| format!("{} | {}", line.what, line.result))
            .collect();
        assert_eq!(
            texts,
            [
                "queue triage done: Harbor Yard and 1 more | 2 items, done",
                "queue triage done: x | 1 item, rejected"
            ]
        );
        assert_eq!(
            lines[0].command,
            Some(format!("gantry queue triage done {ID} {other}"))
        );
        assert_eq!((lines[0].is_ok, lines[1].is_ok), (true, false));
    }
}
