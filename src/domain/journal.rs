//! The journal: what a person did, with before and after, and what became of it. One mechanism for undo, handoff, repeats after a
//! crash and the log.

use std::collections::HashSet;
use std::pin::Pin;

use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use super::SignalId;
use super::credits::RequestCost;
use super::drafts::Draft;
use super::open_enum::open_enum;
use super::queue::TriageStatus;
use super::runs::SavedSearchRun;
use super::writes;

open_enum! {
    /// How an act came to be.
    EntryCause {
        /// The person did it.
        New = "act",
        /// It takes another back.
        Undo = "undo",
        /// It does again what was taken back.
        Redo = "redo",
    }
}

open_enum! {
    /// How far a write has come.
    WriteProgress {
        /// It is about to leave, or has left.
        Sending = "sending",
        /// The service has done it.
        Done = "done",
        /// The service has done some of it.
        PartlyDone = "partly done",
        /// The service had nothing to change.
        Unchanged = "unchanged",
        /// The service will not do it.
        Rejected = "refused",
        /// Nothing of it left this machine.
        NotSent = "not sent",
        /// It may have been done.
        Unknown = "unknown",
    }
}

/// An act: one step of the journal.
#[derive(Clone, Debug, PartialEq)]
pub struct JournalEntry {
    /// Its id; ids grow with time.
    pub op: Uuid,
    /// When it was done, on this machine's clock.
    pub at: DateTime<Utc>,
    /// How it came to be.
    pub cause: EntryCause,
    /// The act that it takes back or does again.
    pub original_op: Option<Uuid>,
    /// The command's id in the console, or the verb.
    pub reason: String,
    /// What it is about: `permit filed on Harbor Yard Lofts`.
    pub description: String,
    /// What changes.
    pub change: JournalChange,
}

/// What an act changes, with before and after.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum JournalChange {
    /// Signals of the queue change sides.
    Triage {
        /// Where they were.
        before: TriageStatus,
        /// Where they go.
        after: TriageStatus,
        /// The signals: their ids, and their rows where they were at hand.
        signals: Vec<TriageMove>,
    },
    /// Records, Views or favorites are written.
    Write {
        /// How many things.
        things: usize,
        /// What is written on each, with what takes it back.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        changes: Vec<writes::ReversibleWrite>,
    },
}

/// A signal that changes sides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TriageMove {
    /// The signal.
    pub id: Uuid,
    /// Its row as it was, as JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row: Option<Value>,
}

/// A write as it is sent.
#[derive(Clone, Debug, PartialEq)]
pub struct OutgoingWrite {
    /// Its id; ids grow with time.
    pub id: Uuid,
    /// Method and path, without ids.
    pub route: String,
    /// The last id in its path.
    pub target: Option<String>,
    /// What is sent, whole.
    pub body: Option<Value>,
}

impl OutgoingWrite {
    /// How many records it is about: the items of its batch, or one.
    pub fn record_count(&self) -> usize {
        self.body.as_ref().and_then(batch_items).map_or(1, Vec::len)
    }
}

/// The items of a batch.
fn batch_items(body: &Value) -> Option<&Vec<Value>> {
    ["signal_ids", "inputs", "ids", "subscriptions"].into_iter().find_map(|name| body.get(name)?.as_array())
}

/// What names the record that an item of a batch, or the body of a write of one, is about: its id, or what stands for it.
fn item_key(item: &Value) -> Option<&str> {
    const ID_FIELDS: [&str; 7] = ["record_id", "account_id", "contact_id", "project_id", "view_id", "skill_id", "id"];
    const KEY_POINTERS: [&str; 6] = ["/match/domain", "/match/email", "/name", "/slug", "/email", "/signal_type"];
    let id = || ID_FIELDS.into_iter().find_map(|name| item.get(name)?.as_str());
    let key = || KEY_POINTERS.into_iter().find_map(|path| item.pointer(path)?.as_str());
    item.as_str().or_else(id).or_else(key)
}

/// What the answer to a write says of its records; none where it does not say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WriteCounts {
    /// How many were changed.
    pub changed: Option<u64>,
    /// How many were rejected.
    pub rejected: Option<u64>,
    /// Why the first of them was rejected, in the service's words.
    pub rejection_reason: Option<String>,
}

impl WriteCounts {
    /// How far a write of so many records has come that was answered with these counts.
    pub fn progress(&self, records: u64) -> WriteProgress {
        match (self.changed, self.rejected) {
            (Some(0), None) => WriteProgress::Unchanged,
            (None, _) | (_, None) => WriteProgress::Done,
            (Some(changed), Some(_)) if changed >= records => WriteProgress::Done,
            (Some(0), Some(0)) => WriteProgress::Unknown,
            (Some(0), Some(rejected)) if rejected >= records => WriteProgress::Rejected,
            _ => WriteProgress::PartlyDone,
        }
    }
}

/// Who is told what the requests of a client take, and what it is about to write.
pub trait RequestRecorder: Send + Sync {
    /// A read that may cost something is about to leave. It leaves when this has answered; when a budget forbids it, it does not,
    /// and the words say which, and what to do.
    fn before_read(&self, asked: RequestCost) -> Pin<Box<dyn Future<Output = Result<(), String>> + Send>>;

    /// A read whose answer was lost is about to leave once more, and both may be paid for. As [`Recorder::spending`], but nobody is
    /// asked: they were before the first.
    fn before_retry(&self, asked: RequestCost) -> Pin<Box<dyn Future<Output = Result<(), String>> + Send>>;

    /// What a request takes, or more of the same request.
    fn record_cost(&self, spending: RequestCost);

    /// A write is about to leave. It leaves when this has answered; when this fails it does not, and the words say why.
    fn before_write(&self, write: OutgoingWrite) -> Pin<Box<dyn Future<Output = Result<(), String>> + Send>>;

    /// A write was answered, and was not refused as a whole.
    fn record_response(&self, write: Uuid, counts: WriteCounts);

    /// What became of a write that was not answered so.
    fn record_outcome(&self, write: Uuid, progress: WriteProgress, why: Option<String>);
}

/// What broke off is sent again by itself so long; later a colleague may have changed their mind for us.
pub const AUTO_RESEND_WINDOW: Duration = Duration::seconds(120);

/// What a program finds at its start of what was done before.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SavedState {
    /// The last acts, the oldest first, each with what of it was applied.
    pub entries: Vec<JournalEntry>,
    /// Writes of which nobody knows whether they arrived, the oldest first: those of the last [`FRESH`], and the last act of all.
    pub unconfirmed_writes: Vec<JournalEntry>,
    /// Triage of which nobody knows what became of it, the oldest first.
    pub interrupted_triage: Vec<InterruptedTriage>,
    /// Records that another program of this person is writing at this moment.
    pub writes_in_other_process: u64,
    /// What was typed and not sent, the oldest first.
    pub drafts: Vec<Draft>,
    /// The runs of Explore, the oldest first.
    pub search_runs: Vec<SavedSearchRun>,
    /// What is typed and run from now on outlives the program.
    pub is_persistent: bool,
}

/// The steps of acts: those that can be taken back, and those that were and can be done again.
#[derive(Clone, Debug)]
pub struct UndoHistory<S> {
    /// Done, the last one at the end.
    pub done: Vec<S>,
    /// Taken back, the last one at the end.
    pub undone: Vec<S>,
}

impl<S> Default for UndoHistory<S> {
    fn default() -> UndoHistory<S> {
        UndoHistory { done: Vec::new(), undone: Vec::new() }
    }
}

impl<S> UndoHistory<S> {
    /// Takes off what a wish is about.
    pub fn pop_step(&mut self, wish: &EntryCause) {
        match wish {
            EntryCause::Undo => drop(self.done.pop()),
            EntryCause::Redo => drop(self.undone.pop()),
            _ => self.undone.clear(),
        }
    }

    /// Keeps a step: on the other side, or where it was when it did not arrive.
    pub fn push_step(&mut self, wish: &EntryCause, arrived: bool, step: S) {
        let is_done = (*wish == EntryCause::Undo) != arrived;
        if is_done { self.done.push(step) } else { self.undone.push(step) }
    }
}

/// A triage that broke off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InterruptedTriage {
    /// When it was sent, on this machine's clock.
    pub at: DateTime<Utc>,
    /// The signals.
    pub ids: Vec<SignalId>,
    /// Where they were to go.
    pub status: TriageStatus,
}

impl InterruptedTriage {
    /// A write as a triage that broke off, if it is one.
    pub fn from_write(sent: &SentWrite) -> Option<InterruptedTriage> {
        #[derive(Deserialize)]
        struct TriageBody {
            signal_ids: Vec<SignalId>,
            status: TriageStatus,
        }
        let TriageBody { signal_ids, status } = serde_json::from_value(sent.body.clone()?).ok()?;
        Some(InterruptedTriage { at: sent.at, ids: signal_ids, status })
    }
}

/// A write that was sent, as it is read back.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SentWrite {
    /// Its id.
    pub id: Uuid,
    /// When it left, on this machine's clock.
    pub at: DateTime<Utc>,
    /// The act that it is of.
    pub op: Uuid,
    /// The command's id in the console, or the verb.
    pub reason: String,
    /// Method and path, without ids.
    pub route: String,
    /// How many records it is about.
    pub records: u64,
    /// How many of them were changed, where the service says so.
    pub changed: Option<u64>,
    /// How many of them were rejected, where the service says so.
    pub rejected: Option<u64>,
    /// How far it has come.
    pub progress: WriteProgress,
    /// Why it was not done, in the service's words.
    pub why: Option<String>,
    /// The last id in its path.
    pub target: Option<String>,
    /// What was sent; not kept when it was very long.
    pub body: Option<Value>,
}

impl SentWrite {
    /// The records that it is about: their ids, or what stands for them.
    pub fn record_keys(&self) -> Vec<&str> {
        let of_body = self.body.as_ref().map(|body| match batch_items(body) {
            Some(items) => items.iter().filter_map(item_key).collect(),
            None => item_key(body).into_iter().collect::<Vec<_>>(),
        });
        of_body.filter(|keys| !keys.is_empty()).unwrap_or_else(|| self.target.as_deref().into_iter().collect())
    }
}

impl JournalEntry {
    /// Whether everything that it changes was changed by another act and goes back to where it was.
    pub fn reverts(&self, other: &JournalEntry) -> bool {
        match (&self.change, &other.change) {
            (JournalChange::Triage { after, signals, .. }, JournalChange::Triage { before, signals: others, .. }) => {
                after == before && are_all_in(signals, others)
            }
            (JournalChange::Write { changes, .. }, JournalChange::Write { changes: others, .. }) => {
                let is_back =
                    |change: &writes::ReversibleWrite| others.iter().any(|other| other.back.as_ref() == Some(&change.forward));
                !changes.is_empty() && changes.iter().all(is_back)
            }
            _ => false,
        }
    }

    /// Whether everything that it changes was changed by another act in the same way.
    pub fn repeats(&self, other: &JournalEntry) -> bool {
        match (&self.change, &other.change) {
            (JournalChange::Triage { after, signals, .. }, JournalChange::Triage { after: same, signals: others, .. }) => {
                after == same && are_all_in(signals, others)
            }
            (JournalChange::Write { changes, .. }, JournalChange::Write { changes: others, .. }) => {
                let is_same = |change: &writes::ReversibleWrite| others.iter().any(|other| other.forward == change.forward);
                !changes.is_empty() && changes.iter().all(is_same)
            }
            _ => false,
        }
    }
}

fn are_all_in(signals: &[TriageMove], others: &[TriageMove]) -> bool {
    let others: HashSet<Uuid> = others.iter().map(|other| other.id).collect();
    !signals.is_empty() && signals.iter().all(|signal| others.contains(&signal.id))
}

impl JournalChange {
    /// How many records it is about.
    pub fn record_count(&self) -> usize {
        match self {
            JournalChange::Triage { signals, .. } => signals.len(),
            JournalChange::Write { things, .. } => *things,
        }
    }

    /// It is about nothing.
    pub fn is_empty(&self) -> bool {
        self.record_count() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_undone_step_can_be_redone_until_something_new_is_done() {
        let mut steps = UndoHistory::default();
        for (wish, done, undone) in [
            (EntryCause::New, vec![1], vec![]),
            (EntryCause::New, vec![1, 2], vec![]),
            (EntryCause::Undo, vec![1], vec![3]),
            (EntryCause::Undo, vec![], vec![3, 4]),
            (EntryCause::Redo, vec![5], vec![3]),
            (EntryCause::New, vec![5, 6], vec![]),
            (EntryCause::Undo, vec![5], vec![7]),
        ] {
            let number = steps.done.iter().chain(&steps.undone).max().unwrap_or(&0) + 1;
            steps.pop_step(&wish);
            steps.push_step(&wish, true, number);
            assert_eq!((&steps.done, &steps.undone), (&done, &undone), "{wish:?}");
        }
    }
}
