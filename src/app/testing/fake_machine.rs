//! The machine below the console in tests: what it stores, and what the next start finds there.

use chrono::{DateTime, Duration, Utc};
use serde_json::Value;
use uuid::Uuid;

use super::{TestConsole, morning_queue};
use crate::app::effect::{ServiceCall, Slot};
use crate::app::msg::{Reply, Token};
use crate::app::{AppSettings, ConsoleSession, Effect};
use crate::domain::drafts::Draft;
use crate::domain::handoff::RecordedWork;
use crate::domain::journal::{
    EntryCause, InterruptedTriage, JournalChange, JournalEntry, SentWrite, WriteProgress,
};
use crate::domain::queue::TriageStatus;
use crate::domain::record_history::{
    RecordHistory, RecordVersion, compared_fields, record_history,
};
use crate::domain::records::{Record, RecordKey};
use crate::domain::request_error::{RequestError, RequestErrorKind};
use crate::domain::runs::{SavedRowsChange, SavedSearch, SavedSearchRun};
use crate::domain::search::{RecordSource, Search};
use crate::domain::snooze::Snooze;
use crate::domain::{SignalId, ViewId};

/// A change in the journal.
pub struct JournaledChange {
    /// The console that writes it, and its slot there.
    slot: (u32, Slot),
    entry: JournalEntry,
    /// What was applied, if that is another part than its requests say.
    applied: Option<JournalChange>,
}

impl JournaledChange {
    /// The change as the journal shows it.
    fn to_entry(&self) -> JournalEntry {
        JournalEntry {
            change: self
                .applied
                .clone()
                .unwrap_or_else(|| self.entry.change.clone()),
            ..self.entry.clone()
        }
    }
}

/// An act's share of a triage, as the journal has it.
#[derive(Clone)]
pub struct SentTriage {
    /// The console that looks its result up.
    owner: u32,
    token: Token,
    op: Uuid,
    at: DateTime<Utc>,
    ids: Vec<SignalId>,
    status: TriageStatus,
    progress: WriteProgress,
}

/// Adds the records that a saved list does not have, or counts them.
fn add_rows(run: &mut SavedSearchRun, joined: &[(Uuid, Option<Record>)]) {
    for (_, row) in joined
        .iter()
        .filter(|(id, _)| run.rows.iter().all(|row| row.id != *id))
        .collect::<Vec<_>>()
    {
        run.total = run.total.map(|total| total + 1);
        run.rows.extend(row.clone());
    }
}

impl TestConsole {
    /// Stores a triage that is sent, before it leaves.
    pub(super) fn store_sent_triage(&mut self, token: Token, call: &ServiceCall) {
        let ServiceCall::Triage { ids, status, acts } = call else {
            return;
        };
        assert_eq!(
            acts.iter().map(|(_, count)| count).sum::<usize>(),
            ids.len(),
            "each signal is of one act"
        );
        let mut rest = ids.iter().copied();
        for (slot, count) in acts {
            let slot = (self.number, slot.clone());
            let written = self
                .started_writes
                .iter()
                .rfind(|written| written.slot == slot);
            let entry = &written.expect("a triage is journaled first").entry;
            let ids: Vec<SignalId> = rest.by_ref().take(*count).collect();
            let JournalChange::Triage { signals, after, .. } = &entry.change else {
                panic!("{entry:?}")
            };
            assert!(
                after == status
                    && ids
                        .iter()
                        .all(|id| signals.iter().any(|signal| signal.id == id.0)),
                "{entry:?}"
            );
            let (owner, op, status, progress) = (
                self.number,
                entry.op,
                status.clone(),
                WriteProgress::Sending,
            );
            self.sent_triages.push(SentTriage {
                owner,
                token,
                op,
                at: self.now,
                ids,
                status,
                progress,
            });
        }
    }

    /// Stores the reply to a triage.
    pub(super) fn store_reply(&mut self, token: Token, result: &Result<Reply, RequestError>) {
        let progress = match result.as_ref().map_err(|failure| &failure.kind) {
            Ok(_) => WriteProgress::Done,
            Err(RequestErrorKind::Ambiguous) => WriteProgress::Unknown,
            Err(_) => WriteProgress::NotSent,
        };
        let is_of_call = |sent: &&mut SentTriage| {
            (sent.owner, sent.token) == (self.number, token)
                && sent.progress == WriteProgress::Sending
        };
        self.sent_triages
            .iter_mut()
            .filter(is_of_call)
            .for_each(|sent| sent.progress = progress.clone());
    }

    /// What a handoff reads: the triages that were sent since then.
    pub(super) fn recorded_work(&self, since: DateTime<Utc>) -> RecordedWork {
        let entries = self
            .started_writes
            .iter()
            .map(JournaledChange::to_entry)
            .collect();
        let sent = self
            .sent_triages
            .iter()
            .filter(|sent| sent.at >= since)
            .rev()
            .map(|sent| SentWrite {
                id: sent.op,
                at: sent.at,
                op: sent.op,
                reason: "queue.done".to_owned(),
                route: "POST /signals/triage".to_owned(),
                records: sent.ids.len() as u64,
                changed: None,
                rejected: None,
                progress: sent.progress.clone(),
                why: None,
                target: None,
                body: Some(serde_json::json!({"signal_ids": sent.ids, "status": sent.status})),
            });
        RecordedWork {
            since,
            entries,
            sent: sent.collect(),
            ..RecordedWork::default()
        }
    }

    /// What happened to a record: what was written, and what its reads differed in.
    pub(super) fn record_history(&self, id: Uuid) -> RecordHistory {
        let entries: Vec<JournalEntry> = self
            .started_writes
            .iter()
            .map(JournaledChange::to_entry)
            .collect();
        let is_about = |entry: &&JournalEntry| match &entry.change {
            JournalChange::Write { changes, .. } => changes
                .iter()
                .any(|change| change.forward.record_id() == Some(id)),
            _ => false,
        };
        let sent = entries.iter().filter(is_about).map(|entry| SentWrite {
            id: entry.op,
            at: entry.at,
            op: entry.op,
            reason: entry.reason.clone(),
            route: "POST /workspace/accounts/upsert/batch".to_owned(),
            records: 1,
            changed: None,
            rejected: None,
            progress: WriteProgress::Done,
            why: None,
            target: Some(id.to_string()),
            body: None,
        });
        let sent: Vec<SentWrite> = sent.collect();
        let versions = self.record_versions.get(&id).map_or(&[][..], Vec::as_slice);
        record_history(id, versions, &entries, &sent)
    }

    /// Stores a version of a record that was read.
    pub(super) fn store_version(&mut self, key: &RecordKey, record: &Record) {
        let (in_book, fields) = (key.in_book, compared_fields(record));
        let version = RecordVersion {
            in_book,
            first_read: self.now,
            last_read: self.now,
            fields,
        };
        self.record_versions
            .entry(key.id)
            .or_default()
            .push(version);
    }

    /// Stores what was found of triages of unknown outcome.
    fn store_reconciled(
        &mut self,
        status: &TriageStatus,
        applied: &[SignalId],
        not_applied: &[SignalId],
    ) {
        let (unknown, mut known): (Vec<_>, Vec<_>) = std::mem::take(&mut self.sent_triages)
            .into_iter()
            .partition(|sent| {
                sent.owner == self.number
                    && sent.progress == WriteProgress::Unknown
                    && sent.status == *status
            });
        let (mut applied, mut not_applied) = (applied.to_vec(), not_applied.to_vec());
        for sent in unknown.into_iter().rev() {
            let (done, rest): (Vec<_>, Vec<_>) = sent
                .ids
                .iter()
                .copied()
                .partition(|id| applied.contains(id));
            let (not_sent, rest): (Vec<_>, Vec<_>) =
                rest.into_iter().partition(|id| not_applied.contains(id));
            // A signal that was sent twice belongs to the later write.
            applied.retain(|id| !done.contains(id));
            not_applied.extend(&done);
            for (progress, ids) in [
                (WriteProgress::Done, done),
                (WriteProgress::NotSent, not_sent),
                (WriteProgress::Unknown, rest),
            ] {
                if !ids.is_empty() {
                    known.push(SentTriage {
                        ids,
                        progress,
                        ..sent.clone()
                    });
                }
            }
        }
        self.sent_triages = known;
    }

    /// What the start of console `next` finds: of each triage, what was confirmed; and the triages
    /// whose reply was lost when the console `dead` ended.
    fn save_triages(&mut self, dead: Option<u32>, next: u32) {
        for sent in self
            .sent_triages
            .iter_mut()
            .filter(|sent| Some(sent.owner) == dead)
        {
            sent.owner = next;
            if sent.progress == WriteProgress::Sending {
                sent.progress = WriteProgress::Unknown;
            }
        }
        let ids_of = |op: Uuid, progress: WriteProgress| {
            let is_it = move |sent: &&SentTriage| {
                sent.op == op
                    && sent.progress == progress
                    && (progress == WriteProgress::Done || sent.owner == next)
            };
            self.sent_triages
                .iter()
                .filter(is_it)
                .flat_map(|sent| sent.ids.clone())
                .collect::<Vec<SignalId>>()
        };
        self.saved_state.interrupted_triage.clear();
        for written in &self.started_writes {
            if !matches!(written.entry.change, JournalChange::Triage { .. }) {
                continue;
            }
            let (done, unknown) = (
                ids_of(written.entry.op, WriteProgress::Done),
                ids_of(written.entry.op, WriteProgress::Unknown),
            );
            self.saved_state
                .entries
                .retain(|entry| entry.op != written.entry.op);
            if !done.is_empty() {
                let mut entry = written.to_entry();
                if let JournalChange::Triage { signals, .. } = &mut entry.change {
                    signals.retain(|signal| done.contains(&SignalId(signal.id)));
                }
                self.saved_state.entries.push(entry);
            }
            if !unknown.is_empty() {
                self.saved_state.interrupted_triage.push(InterruptedTriage {
                    entry: written.entry.clone(),
                    ids: unknown,
                });
            }
        }
        self.saved_state
            .entries
            .sort_by_key(|entry| (entry.at, entry.op));
    }

    /// Stores what an effect contains, as the real store would.
    pub(super) fn store_effect(&mut self, effect: &Effect) {
        match effect {
            Effect::SaveDraft {
                name,
                content: typed,
            } => self.store_draft(name, typed.clone()),
            Effect::SaveSearchRun {
                run,
                first_row: from,
            } => self.store_run(run, *from),
            Effect::ChangeSavedRows(change) => self.change_saved_rows(change),
            Effect::JournalWrite {
                slot,
                op,
                cause,
                description: words,
                group,
                change,
            } => {
                let slot = (self.number, slot.clone());
                match self
                    .started_writes
                    .iter_mut()
                    .find(|written| Some(written.entry.op) == *op)
                {
                    Some(written) => written.slot = slot,
                    None => self.store_entry(slot, *op, cause, words, *group, change),
                }
            }
            Effect::JournalApplied {
                slot,
                change,
                settles_interrupted,
            } => {
                let slot = (self.number, slot.clone());
                let Some(written) = self
                    .started_writes
                    .iter_mut()
                    .rfind(|written| written.slot == slot)
                else {
                    return;
                };
                written.applied = Some(change.clone());
                let entry = written.to_entry();
                self.saved_state
                    .entries
                    .retain(|known| known.op != entry.op);
                if *settles_interrupted {
                    self.saved_state
                        .unconfirmed_writes
                        .retain(|known| known.op != entry.op);
                }
                self.saved_state.entries.push(entry);
            }
            Effect::JournalReconciled {
                status,
                applied,
                not_applied,
            } => self.store_reconciled(status, applied, not_applied),
            Effect::SaveNamedSearch(name, search) => {
                self.saved_state
                    .named_searches
                    .retain(|known| known.name != *name);
                self.saved_state
                    .named_searches
                    .extend(search.as_deref().cloned());
            }
            Effect::SavePromises(note) => {
                let notes = &mut self.saved_state.promises;
                notes.retain(|known| known.id != note.id);
                notes.push((**note).clone());
            }
            Effect::SaveSnoozes { saved, ended } => {
                let is_kept = |known: &Snooze| {
                    let id = known.row.signal.id;
                    !ended.contains(&id) && saved.iter().all(|snooze| snooze.row.signal.id != id)
                };
                self.saved_state.snoozes.retain(is_kept);
                self.saved_state.snoozes.extend(saved.iter().cloned());
            }
            _ => {}
        }
    }

    /// A write counts as applied unless a later effect says what was; a triage if its reply says
    /// so.
    fn store_entry(
        &mut self,
        slot: (u32, Slot),
        op: Option<Uuid>,
        cause: &EntryCause,
        words: &str,
        group: Option<Uuid>,
        change: &JournalChange,
    ) {
        let op = op.unwrap_or_else(|| Uuid::from_u128(0xE000 + self.started_writes.len() as u128));
        let (at, reason) = (self.now, self.context().work.request_reason().to_owned());
        let act = JournalEntry {
            op,
            at,
            cause: cause.clone(),
            original_op: None,
            reason,
            description: words.to_owned(),
            group,
            change: change.clone(),
        };
        self.saved_state.entries.push(act.clone());
        self.started_writes.push(JournaledChange {
            slot,
            entry: act,
            applied: None,
        });
    }

    fn store_run(&mut self, run: &SavedSearchRun, from: usize) {
        let same =
            |kept: &SavedSearchRun| (&kept.source, &kept.search) == (&run.source, &run.search);
        let runs = match run.source {
            RecordSource::Index(_) => &mut self.saved_state.search_runs,
            RecordSource::Book(_) | RecordSource::View(..) => &mut self.saved_lists,
        };
        match runs.iter_mut().find(|kept| same(kept)) {
            Some(kept) => {
                let rows = kept
                    .rows
                    .iter()
                    .take(from)
                    .chain(&run.rows)
                    .cloned()
                    .collect();
                *kept = SavedSearchRun {
                    rows,
                    ..run.clone()
                };
            }
            None => runs.push(run.clone()),
        }
    }

    pub(super) fn saved_list(
        &self,
        source: &RecordSource,
        search: &Search,
    ) -> Option<Box<SavedSearchRun>> {
        let mut found = self
            .saved_lists
            .iter()
            .filter(|run| (&run.source, &run.search) == (source, search));
        found.next().cloned().map(Box::new)
    }

    fn change_saved_rows(&mut self, change: &SavedRowsChange) {
        let is_of_view = |run: &SavedSearchRun, of: &ViewId| matches!(&run.source, RecordSource::View(view, _) if view == of);
        for run in &mut self.saved_lists {
            let before = run.rows.len();
            match change {
                SavedRowsChange::Update(id, fields) => {
                    run.rows
                        .iter_mut()
                        .filter(|row| row.id == *id)
                        .for_each(|row| *row = row.with_refreshed_fields(fields));
                }
                SavedRowsChange::LeaveBook(kind, ids)
                    if run.source == RecordSource::Book(kind.clone()) =>
                {
                    run.rows.retain(|row| !ids.contains(&row.id));
                }
                SavedRowsChange::LeaveView(view, ids) if is_of_view(run, view) => {
                    run.rows.retain(|row| !ids.contains(&row.id))
                }
                SavedRowsChange::JoinBook(kind, joined)
                    if run.source == RecordSource::Book(kind.clone())
                        && run.search.is_unfiltered()
                        && run.search_after.is_none() =>
                {
                    add_rows(run, joined);
                    continue;
                }
                SavedRowsChange::JoinView(view, joined) if is_of_view(run, view) => {
                    add_rows(run, joined);
                    continue;
                }
                _ => {}
            }
            run.total = run
                .total
                .map(|total| total - (before - run.rows.len()) as u64);
        }
        if let SavedRowsChange::DeleteView(view) = change {
            self.saved_lists.retain(|run| !is_of_view(run, view));
        }
    }

    fn store_draft(&mut self, name: &str, typed: Option<Value>) {
        let at = self.now;
        self.saved_state.drafts.retain(|draft| draft.name != name);
        self.saved_state.drafts.extend(typed.map(|typed| Draft {
            name: name.to_owned(),
            at,
            content: typed,
            is_open_elsewhere: false,
        }));
    }

    /// The program ends as it is, and starts again on the same machine an hour later.
    pub fn restart(self) -> TestConsole {
        self.restart_after(Duration::hours(1))
    }

    /// The program ends as it is, and starts again on the same machine.
    pub fn restart_after(self, after: Duration) -> TestConsole {
        self.kill_and_start(after).poll().serve()
    }

    /// The same, before anything is answered.
    pub fn kill_and_start(mut self, after: Duration) -> TestConsole {
        self.now += after;
        let dead = Some(self.number);
        self.start(dead)
    }

    /// Starts another console on the same machine, which has the machine from now on.
    pub fn start_another(&mut self) -> TestConsole {
        self.start(None)
    }

    /// Starts a console; `dead` is one that has ended.
    fn start(&mut self, dead: Option<u32>) -> TestConsole {
        let session = ConsoleSession {
            label: "acme-west".to_owned(),
            connected: true,
            read_only: false,
            is_dashboard_only: false,
        };
        let preferences = self.context().settings.preferences.clone();
        let settings = AppSettings {
            preferences,
            ..AppSettings::default()
        };
        let mut console = TestConsole::with_session(session, morning_queue(), (120, 36), settings);
        self.last_number += 1;
        console.number = self.last_number;
        self.save_triages(dead, console.number);
        let summary = |run: &SavedSearchRun| {
            Some(SavedSearch {
                source: run.source.clone(),
                search: run.search.clone(),
                read_at: run.read_at?,
            })
        };
        self.saved_state.saved_searches = self.saved_lists.iter().filter_map(summary).collect();
        self.saved_state.is_persistent = true;
        console.share_machine(self);
        console
    }

    pub fn now(&self) -> DateTime<Utc> {
        self.now
    }

    /// Swaps machine, service and clock with another console: of two, one acts at a time.
    pub fn share_machine(&mut self, other: &mut TestConsole) {
        use std::mem::swap;
        swap(&mut self.rows, &mut other.rows);
        swap(&mut self.service, &mut other.service);
        swap(&mut self.saved_lists, &mut other.saved_lists);
        swap(&mut self.saved_state, &mut other.saved_state);
        swap(&mut self.started_writes, &mut other.started_writes);
        swap(&mut self.sent_triages, &mut other.sent_triages);
        swap(&mut self.last_number, &mut other.last_number);
        swap(&mut self.now, &mut other.now);
    }
}
