//! `gantry log` and `gantry handoff`: what was done from this machine, for oneself and for the next person.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use chrono::{DateTime, Local, Utc};
use serde::Serialize;
use uuid::Uuid;

use crate::domain::journal::{EntryCause, JournalChange, JournalEntry, SentWrite, WriteProgress};
use crate::domain::queue::TriageStatus;
use crate::store::Store;
use crate::text;

use super::error::CliError;
use super::handoff_facts::{OpenWork, read_open_work};
use super::options::{GlobalOptions, OutputFormat};
use super::output::{Output, to_raw_json};
use super::session::{self, Session, StoreCell};
use super::time_args::SinceArgs;
use super::{columns, credits, print};

/// Prints the writes journaled for the configured service.
pub(super) async fn print_log(
    window: &SinceArgs,
    options: &GlobalOptions,
    store_cell: &StoreCell,
    output: Output,
) -> Result<(), CliError> {
    let store = session::store_for_options(options, store_cell)?;
    let sent = store.writes_since(window.since).await?;
    if sent.is_empty() {
        print::write_note("nothing was written in this period");
    }
    let names = load_record_names(store, sent.iter().flat_map(SentWrite::record_keys)).await;
    let row = |sent: &SentWrite| to_raw_json(&LogRow { sent, about: list_records(&sent.record_keys(), &names) });
    let rows: Vec<_> = sent.iter().map(row).collect::<Result<_, _>>()?;
    output.print_rows(&rows, columns::LOG_COLUMNS)
}

/// A row of the log.
#[derive(Serialize)]
struct LogRow<'a> {
    #[serde(flatten)]
    sent: &'a SentWrite,
    /// The first records it changed.
    about: Option<String>,
}

/// Prints a summary of the period: in Markdown, or as JSON.
pub(super) async fn print_handoff(window: &SinceArgs, session: &Session, output: Output) -> Result<(), CliError> {
    if output.format == OutputFormat::Csv {
        return Err(CliError::usage("handoff prints Markdown or JSON; use gantry log for rows"));
    }
    let entries = session.store.journal_entries_since(window.since).await?;
    let sent = session.store.writes_since(window.since).await?;
    let spent = session.store.ledger_entries_since(window.since).await?;
    let signals = sent.iter().filter(|sent| sent.route.starts_with("POST /signals/triage"));
    let signals = signals.flat_map(SentWrite::record_keys).filter_map(|key| key.parse().ok()).collect();
    let mut names = load_record_names(&session.store, sent.iter().flat_map(SentWrite::record_keys)).await;
    let open = read_open_work(session, signals, &mut names).await;
    let notes = notes_written(&sent, &names);
    let handoff = Handoff {
        since: window.since,
        changes: handoff_lines(&entries, sent).iter().map(|line| HandoffChange::of_line(line, &names)).collect(),
        notes,
        open,
        spent: credits::describe_total(&spent),
    };
    match output.format {
        OutputFormat::Table => Ok(print::write_data(&handoff.to_markdown())?),
        _ => output.print_json(&to_raw_json(&handoff)?),
    }
}

/// A summary for the next person.
#[derive(Serialize)]
struct Handoff {
    since: DateTime<Utc>,
    /// In order.
    changes: Vec<HandoffChange>,
    /// What was noted about records.
    notes: Vec<WrittenNote>,
    open: OpenWork,
    /// Credits used.
    spent: String,
}

/// A change, with its records by name.
#[derive(Serialize)]
struct HandoffChange {
    at: DateTime<Utc>,
    what: String,
    result: WriteProgress,
    is_undone: bool,
    records: u64,
    changed: u64,
    /// The records of a command; a change of the console names them in `what`.
    about: Vec<String>,
    why: Option<String>,
    #[serde(skip)]
    counts: String,
}

impl HandoffChange {
    fn of_line(line: &HandoffLine, names: &RecordNames) -> HandoffChange {
        HandoffChange {
            at: line.at,
            what: line.description.clone(),
            result: line.progress.clone(),
            is_undone: line.is_undone,
            records: line.records,
            changed: line.changed,
            about: line.record_keys.iter().map(|key| record_name(key, names)).collect(),
            why: line.reason.clone(),
            counts: line.counts_text(),
        }
    }
}

#[derive(Debug, PartialEq, Serialize)]
struct WrittenNote {
    record: String,
    note: String,
}

/// The last note that was written about each record.
fn notes_written(sent: &[SentWrite], names: &RecordNames) -> Vec<WrittenNote> {
    let is_applied = |sent: &&SentWrite| matches!(sent.progress, WriteProgress::Done | WriteProgress::PartlyDone);
    let mut seen = HashSet::new();
    // The newest write comes first.
    let notes = sent.iter().filter(is_applied).flat_map(SentWrite::notes).filter(|(key, _)| seen.insert(*key));
    notes.map(|(key, note)| WrittenNote { record: record_name(key, names), note: note.to_owned() }).collect()
}

/// A change on one line: when, what, and its result.
struct HandoffLine {
    op: Uuid,
    at: DateTime<Utc>,
    description: String,
    progress: WriteProgress,
    reason: Option<String>,
    records: u64,
    changed: u64,
    rejected: u64,
    /// A later change undid all of it.
    is_undone: bool,
    /// The records of a command's write; a console change names its records in its description.
    record_keys: Vec<String>,
}

impl HandoffLine {
    /// How many records it includes, and how many of them were changed.
    fn counts_text(&self) -> String {
        let HandoffLine { records, changed, rejected, .. } = *self;
        let all = if records == 1 { "1 record".to_owned() } else { format!("{records} records") };
        match self.progress {
            WriteProgress::Done if changed < records => format!("{changed} of {all} changed"),
            WriteProgress::PartlyDone => {
                let unknown = records.saturating_sub(changed + rejected);
                let rest = [(rejected, "rejected"), (unknown, "unknown")].into_iter().filter(|(count, _)| *count > 0);
                rest.fold(format!("{changed} of {all}"), |text, (count, what)| format!("{text}, {count} {what}"))
            }
            _ => all,
        }
    }
}

/// The changes in order. Requests of one change with the same result share a line.
fn handoff_lines(entries: &[JournalEntry], sent: Vec<SentWrite>) -> Vec<HandoffLine> {
    let by_op: HashMap<_, _> = entries.iter().map(|entry| (entry.op, entry)).collect();
    let mut lines: Vec<HandoffLine> = Vec::new();
    for sent in without_repeated(sent).into_iter().rev() {
        let SentWrite { op, at, records, .. } = sent;
        let (changed, rejected) = (sent.changed.unwrap_or(records), sent.rejected.unwrap_or_default());
        match lines.iter_mut().find(|line| line.op == op && line.progress == sent.progress) {
            Some(line) => {
                if !by_op.contains_key(&op) {
                    line.record_keys.extend(sent.record_keys().into_iter().map(str::to_owned));
                }
                line.records += records;
                line.changed += changed;
                line.rejected += rejected;
            }
            None => {
                let what = by_op.get(&op).map_or_else(|| describe_write(&sent), |entry| describe_entry(entry));
                let about = if by_op.contains_key(&op) { Vec::new() } else { sent.record_keys() };
                let about = about.into_iter().map(str::to_owned).collect();
                let (progress, why, is_undone) = (sent.progress, sent.why, false);
                lines.push(HandoffLine {
                    op,
                    at,
                    description: what,
                    progress,
                    reason: why,
                    records,
                    changed,
                    rejected,
                    is_undone,
                    record_keys: about,
                });
            }
        }
    }
    mark_undone(entries, lines)
}

/// Requests, the latest first, without rejected ones whose records were all sent again in later requests of the same change.
fn without_repeated(mut sent: Vec<SentWrite>) -> Vec<SentWrite> {
    let mut later: HashMap<Uuid, HashSet<String>> = HashMap::new();
    sent.retain(|sent| {
        let keys = sent.record_keys();
        let again = later.entry(sent.op).or_default();
        let is_repeated =
            sent.progress == WriteProgress::Rejected && !keys.is_empty() && keys.iter().all(|key| again.contains(*key));
        again.extend(keys.into_iter().map(str::to_owned));
        !is_repeated
    });
    sent
}

/// Marks changes that were undone as a whole. Such an undo gets no line of its own, nor does a redo of the whole change.
fn mark_undone(entries: &[JournalEntry], mut lines: Vec<HandoffLine>) -> Vec<HandoffLine> {
    let is_changed = |line: &&HandoffLine| matches!(line.progress, WriteProgress::Done | WriteProgress::PartlyDone);
    let mut changed: HashMap<Uuid, u64> = HashMap::new();
    for line in lines.iter().filter(is_changed) {
        *changed.entry(line.op).or_default() += line.changed;
    }
    let (mut done, mut undone, mut absorbed) = (Vec::<&JournalEntry>::new(), Vec::<&JournalEntry>::new(), HashSet::new());
    for entry in entries.iter().filter(|entry| changed.get(&entry.op).is_some_and(|count| *count > 0)) {
        let is_whole = |other: &JournalEntry| changed[&entry.op] >= changed[&other.op];
        let (from, to) = if entry.cause == EntryCause::Undo { (&mut done, &mut undone) } else { (&mut undone, &mut done) };
        let turned = match entry.cause {
            EntryCause::Undo => from.iter().rposition(|other| entry.reverts(other) && is_whole(other)),
            EntryCause::Redo => from.iter().rposition(|other| entry.repeats(other) && is_whole(other)),
            _ => None,
        };
        match turned {
            Some(at) => {
                to.push(from.remove(at));
                absorbed.insert(entry.op);
            }
            None if entry.cause != EntryCause::Undo => to.push(entry),
            None => {}
        }
    }
    lines.retain(|line| !(absorbed.contains(&line.op) && line.progress == WriteProgress::Done));
    for line in lines.iter_mut().filter(|line| undone.iter().any(|entry| entry.op == line.op)) {
        line.is_undone = matches!(line.progress, WriteProgress::Done | WriteProgress::PartlyDone);
    }
    lines
}

/// Describes a command's write: the command, and for a triage the new status.
fn describe_write(sent: &SentWrite) -> String {
    let status = sent.body.as_ref().and_then(|body| body.get("status")?.as_str());
    status.map_or_else(|| sent.reason.clone(), |status| format!("{} {status}", sent.reason))
}

fn describe_entry(entry: &JournalEntry) -> String {
    let what = match &entry.change {
        JournalChange::Triage { after: TriageStatus::Done, .. } => "marked done: ",
        JournalChange::Triage { after: TriageStatus::New, .. } => "marked new: ",
        _ => "",
    };
    match entry.cause {
        EntryCause::Undo => format!("undone: {}", entry.description),
        EntryCause::Redo => format!("redone: {}", entry.description),
        _ => format!("{what}{}", entry.description),
    }
}

type RecordNames = HashMap<Uuid, String>;

/// Loads the stored names of records. If they cannot be read, the ids are shown.
async fn load_record_names<'k>(store: &Store, keys: impl Iterator<Item = &'k str>) -> RecordNames {
    let ids = keys.filter_map(|key| key.parse().ok()).collect();
    store.record_names(ids).await.unwrap_or_default()
}

/// The record's name; its key if that is unknown.
fn record_name(key: &str, names: &RecordNames) -> String {
    key.parse().ok().and_then(|id: Uuid| names.get(&id)).cloned().unwrap_or_else(|| key.to_owned())
}

/// The first records by name or id, and how many more there are; `None` without records.
fn list_records(keys: &[impl AsRef<str>], names: &RecordNames) -> Option<String> {
    const MAX_NAMES_SHOWN: usize = 3;
    let shown = keys.iter().take(MAX_NAMES_SHOWN).map(|key| record_name(key.as_ref(), names)).collect::<Vec<_>>().join(", ");
    match keys.len().saturating_sub(MAX_NAMES_SHOWN) {
        0 => Some(shown).filter(|shown| !shown.is_empty()),
        more => Some(format!("{shown} and {more} more")),
    }
}

impl Handoff {
    fn to_markdown(&self) -> String {
        let local = |at: DateTime<Utc>| at.with_timezone(&Local);
        let mut page = format!("# Handoff\n\nSince {}, from this machine.\n", local(self.since).format("%-d %B %Y, %H:%M"));
        let line = |change: &HandoffChange| {
            let why = change.why.as_deref().map(|why| format!(": {}", escape_markdown(why))).unwrap_or_default();
            let about = list_records(&change.about, &RecordNames::new());
            let about = about.map(|about| format!(": {}", escape_markdown(&about))).unwrap_or_default();
            format!("{} {}{about} ({}){why}", local(change.at).format("%H:%M"), escape_markdown(&change.what), change.counts)
        };
        let of = |results: &[WriteProgress]| {
            let chosen = self.changes.iter().filter(|change| !change.is_undone && results.contains(&change.result));
            chosen.map(line).collect::<Vec<_>>()
        };
        let undone = self.changes.iter().filter(|change| change.is_undone).map(line).collect();
        let notes = self.notes.iter().map(|note| format!("{}: {}", escape_markdown(&note.record), escape_markdown(&note.note)));
        let mut sections = vec![
            ("Done", of(&[WriteProgress::Done])),
            ("Partly done", of(&[WriteProgress::PartlyDone])),
            ("Undone", undone),
            ("Unchanged", of(&[WriteProgress::Unchanged])),
            ("Rejected", of(&[WriteProgress::Rejected])),
            ("Not sent", of(&[WriteProgress::NotSent])),
            ("Unknown: check before you repeat them", of(&[WriteProgress::Unknown, WriteProgress::Sending])),
            ("Notes written", notes.collect()),
        ];
        if self.changes.is_empty() {
            page.push_str("\nNothing was written.\n");
        }
        let escaped = |lines: Vec<String>| lines.iter().map(|line| escape_markdown(line)).collect();
        sections.extend(self.open.sections().into_iter().map(|(title, lines)| (title, escaped(lines))));
        sections.push(("Credits used", vec![self.spent.clone()]));
        for (title, lines) in sections.iter().filter(|(_, lines)| !lines.is_empty()) {
            let _ = write!(page, "\n## {title}\n\n");
            for line in lines {
                let _ = writeln!(page, "- {line}");
            }
        }
        page
    }
}

/// Escapes a text so that Markdown shows it literally, on one line.
fn escape_markdown(text: &str) -> String {
    text::sanitize_line(text).chars().fold(String::new(), |mut plain, c| {
        if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '~') {
            plain.push('\\');
        }
        plain.push(c);
        plain
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::journal::TriageMove;

    fn sent_write(op: u128, progress: WriteProgress, records: u64) -> SentWrite {
        SentWrite {
            id: Uuid::now_v7(),
            at: "2026-07-09T09:12:00Z".parse().unwrap(),
            op: Uuid::from_u128(op),
            reason: "queue triage done".to_owned(),
            route: "POST /signals/triage".to_owned(),
            records,
            changed: None,
            rejected: None,
            target: None,
            why: (progress == WriteProgress::Rejected).then(|| "no such <signal>".to_owned()),
            progress,
            body: None,
        }
    }

    /// A triage entry for these signals.
    fn triage_entry(op: u128, wish: EntryCause, signals: &[u128]) -> JournalEntry {
        let signals = signals.iter().map(|id| TriageMove { id: Uuid::from_u128(*id), row: None }).collect();
        let (before, after) = if wish == EntryCause::Undo {
            (TriageStatus::Done, TriageStatus::New)
        } else {
            (TriageStatus::New, TriageStatus::Done)
        };
        let change = JournalChange::Triage { before, after, signals };
        let (reason, words) = ("queue.done".to_owned(), format!("permit {op}"));
        JournalEntry {
            op: Uuid::from_u128(op),
            at: DateTime::UNIX_EPOCH,
            cause: wish,
            original_op: None,
            group: None,
            reason,
            description: words,
            change,
        }
    }

    fn page_of(lines: &[HandoffLine], names: &RecordNames) -> String {
        let changes = lines.iter().map(|line| HandoffChange::of_line(line, names)).collect();
        let (since, open, spent) = (DateTime::UNIX_EPOCH, OpenWork::default(), "7 credits in 2 requests".to_owned());
        Handoff { since, changes, notes: Vec::new(), open, spent }.to_markdown()
    }

    /// The handoff of entries that were all sent successfully.
    fn handoff_page(entries: &[JournalEntry]) -> String {
        let sent = entries
            .iter()
            .rev()
            .map(|entry| SentWrite { op: entry.op, ..sent_write(0, WriteProgress::Done, entry.change.record_count() as u64) })
            .collect();
        page_of(&handoff_lines(entries, sent), &RecordNames::new())
    }

    #[test]
    fn an_undone_change_is_listed_under_undone_and_not_under_done() {
        let (first, second) = (triage_entry(1, EntryCause::New, &[7, 8]), triage_entry(2, EntryCause::New, &[9]));
        let undone = [first.clone(), second.clone(), triage_entry(3, EntryCause::Undo, &[7, 8])];
        let all = handoff_page(&undone);
        let (done, undone) = all.split_once("## Undone").unwrap();
        assert!(done.contains("marked done: permit 2") && !done.contains("permit 1"), "{all}");
        assert!(undone.contains("marked done: permit 1 (2 records)") && !all.contains("permit 3"), "{all}");

        let redone = handoff_page(&[
            first.clone(),
            triage_entry(2, EntryCause::Undo, &[7, 8]),
            triage_entry(3, EntryCause::Redo, &[7, 8]),
        ]);
        assert!(redone.contains("## Done") && redone.contains("permit 1") && !redone.contains("## Undone"), "{redone}");

        let partly = handoff_page(&[first, triage_entry(2, EntryCause::Undo, &[7])]);
        let done = partly.split_once("## Done").unwrap().1;
        assert!(done.contains("permit 1 (2 records)") && done.contains("undone: permit 2 (1 record)"), "{partly}");
        assert!(!partly.contains("## Undone"), "{partly}");
    }

    #[test]
    fn a_request_that_was_rejected_and_sent_again_in_halves_is_not_listed_as_rejected() {
        let ids = |ids: &[u128]| ids.iter().map(|id| Uuid::from_u128(*id)).collect::<Vec<_>>();
        let of = |progress, signals: &[u128]| {
            let body = serde_json::json!({"signal_ids": ids(signals), "status": "done"});
            SentWrite { body: Some(body), ..sent_write(1, progress, signals.len() as u64) }
        };
        // The latest request comes first.
        let halves = || [of(WriteProgress::Rejected, &[9]), of(WriteProgress::Done, &[7, 8])];
        let page = |sent: Vec<SentWrite>| page_of(&handoff_lines(&[], sent), &RecordNames::new());
        let whole = page([halves().as_slice(), &[of(WriteProgress::Rejected, &[7, 8, 9])]].concat());
        let (done, rejected) = whole.split_once("## Rejected").unwrap();
        assert!(done.contains("(2 records)") && rejected.contains("(1 record)"), "{whole}");
        assert_eq!(rejected.matches("- ").count(), 2, "one request and the credits used: {whole}");
        let other = page(vec![of(WriteProgress::Done, &[7]), of(WriteProgress::Rejected, &[7, 8, 9])]);
        assert!(other.split_once("## Rejected").unwrap().1.contains("(3 records)"), "8 and 9 were not sent again: {other}");
    }

    #[test]
    fn an_undo_that_was_not_sent_leaves_the_change_under_done() {
        let entries = [triage_entry(1, EntryCause::New, &[7]), triage_entry(2, EntryCause::Undo, &[7])];
        let sent = vec![sent_write(2, WriteProgress::NotSent, 1), sent_write(1, WriteProgress::Done, 1)];
        let page = page_of(&handoff_lines(&entries, sent), &RecordNames::new());
        assert!(page.contains("## Done") && page.contains("## Not sent") && !page.contains("## Undone"), "{page}");
    }

    #[test]
    fn a_record_written_by_a_verb_is_shown_by_its_stored_name() {
        let names = RecordNames::from([(Uuid::from_u128(7), "Harbor *Yard*".to_owned())]);
        let target = Some(Uuid::from_u128(7).to_string());
        let lines = handoff_lines(&[], vec![SentWrite { target, ..sent_write(1, WriteProgress::Done, 1) }]);
        let page = page_of(&lines, &names);
        assert!(page.contains("queue triage done: Harbor \\*Yard\\* (1 record)\n"), "{page}");
    }

    #[test]
    fn the_requests_of_one_change_are_one_line_and_a_rejection_gives_its_reason() {
        let lines = handoff_lines(
            &[],
            vec![
                sent_write(2, WriteProgress::Rejected, 1),
                sent_write(1, WriteProgress::Done, 50),
                sent_write(1, WriteProgress::Done, 100),
            ],
        );
        let page = page_of(&lines, &RecordNames::new());
        assert!(page.contains("queue triage done (150 records)\n"), "{page}");
        assert!(page.contains("## Rejected") && page.contains("no such \\<signal\\>"), "{page}");
        assert!(page.ends_with("- 7 credits in 2 requests\n") && !page.contains("Unknown"), "{page}");
    }

    #[test]
    fn the_last_note_about_each_record_is_handed_over() {
        let note = |record: u128, note: &str| {
            let body =
                serde_json::json!({"inputs": [{"account_id": Uuid::from_u128(record), "notes": note}, {"name": "Gensler"}]});
            SentWrite { body: Some(body), ..sent_write(1, WriteProgress::Done, 2) }
        };
        let rejected = SentWrite { progress: WriteProgress::Rejected, ..note(9, "never written") };
        let names = RecordNames::from([(Uuid::from_u128(7), "Harbor Yard".to_owned())]);
        let notes = notes_written(&[rejected, note(7, "Ask for Dana"), note(7, "Call back")], &names);
        assert_eq!(notes, [WrittenNote { record: "Harbor Yard".to_owned(), note: "Ask for Dana".to_owned() }]);
    }
}
