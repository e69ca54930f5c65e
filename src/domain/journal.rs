//! The journal: what a person changed, with before and after, and the result. It is the single
//! mechanism behind undo, hand-off, retries after a crash and the log.

use std::collections::HashSet;
use std::pin::Pin;

use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use super::SignalId;
use super::credits::RequestCost;
use super::drafts::Draft;
use super::named_searches::NamedSearch;
use super::open_enum::open_enum;
use super::promises::PromisingNote;
use super::queue::TriageStatus;
use super::runs::{SavedSearch, SavedSearchRun};
use super::snooze::{Snooze, SnoozeChange};
use super::writes;

open_enum! {
    /// Why a change was made.
    EntryCause {
        /// By the person.
        New = "act",
        /// As the undo of another change.
        Undo = "undo",
        /// As the redo of an undone change.
        Redo = "redo",
    }
}

open_enum! {
    /// The result of a write.
    WriteProgress {
        /// About to be sent, or sent.
        Sending = "sending",
        /// Applied.
        Done = "done",
        /// Partly applied.
        PartlyDone = "partly done",
        /// Nothing had to change.
        Unchanged = "unchanged",
        /// Rejected by the service.
        Rejected = "refused",
        /// Nothing left this machine.
        NotSent = "not sent",
        /// It may have been applied.
        Unknown = "unknown",
    }
}

/// A change: one entry of the journal.
#[derive(Clone, Debug, PartialEq)]
pub struct JournalEntry {
    /// Ids are time-ordered.
    pub op: Uuid,
    /// When it was made, by this machine's clock.
    pub at: DateTime<Utc>,
    pub cause: EntryCause,
    /// The change that it undoes or redoes.
    pub original_op: Option<Uuid>,
    /// The command's id in the console, or the verb.
    pub reason: String,
    /// What it concerns: `permit filed on Harbor Yard Lofts`.
    pub description: String,
    /// Changes of the same group are undone and redone together.
    pub group: Option<Uuid>,
    pub change: JournalChange,
}

/// What a change does, with before and after.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum JournalChange {
    /// Signals change their triage status.
    Triage {
        /// The old status.
        before: TriageStatus,
        /// The new status.
        after: TriageStatus,
        /// The signals: ids, and rows where available.
        signals: Vec<TriageMove>,
    },
    /// Records, Views or favorites are written.
    Write {
        things: usize,
        /// What is written on each, and how to undo it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        changes: Vec<writes::ReversibleWrite>,
    },
    /// Signals are snoozed on this machine, or their snoozes end. Nothing is sent for it.
    Snooze { changes: Vec<SnoozeChange> },
}

/// A signal that changes its triage status.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TriageMove {
    pub id: Uuid,
    /// Its row before the change, as JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row: Option<Value>,
}

/// A write as sent.
#[derive(Clone, Debug, PartialEq)]
pub struct OutgoingWrite {
    /// Ids are time-ordered.
    pub id: Uuid,
    /// Method and path, without ids.
    pub route: String,
    /// The last id in the path.
    pub target: Option<String>,
    /// The complete body.
    pub body: Option<Value>,
}

impl OutgoingWrite {
    /// The number of records: the items of its batch, or one.
    pub fn record_count(&self) -> usize {
        self.body.as_ref().and_then(batch_items).map_or(1, Vec::len)
    }

    /// The signals of a triage.
    pub fn signal_ids(&self) -> &[Value] {
        self.body
            .as_ref()
            .and_then(|body| body.get("signal_ids")?.as_array())
            .map_or(&[], Vec::as_slice)
    }

    /// The same triage of some of its signals, as a write of its own.
    pub fn with_signal_ids(&self, id: Uuid, ids: Vec<Value>) -> OutgoingWrite {
        let mut share = OutgoingWrite { id, ..self.clone() };
        if let Some(body) = &mut share.body {
            body["signal_ids"] = ids.into();
        }
        share
    }
}

fn batch_items(body: &Value) -> Option<&Vec<Value>> {
    ["signal_ids", "inputs", "ids", "subscriptions"]
        .into_iter()
        .find_map(|name| body.get(name)?.as_array())
}

/// The key of the record in a batch item or in the body of a single write: its id, or a natural
/// key.
fn item_key(item: &Value) -> Option<&str> {
    const ID_FIELDS: [&str; 7] = [
        "record_id",
        "account_id",
        "contact_id",
        "project_id",
        "view_id",
        "skill_id",
        "id",
    ];
    const KEY_POINTERS: [&str; 6] = [
        "/match/domain",
        "/match/email",
        "/name",
        "/slug",
        "/email",
        "/signal_type",
    ];
    let id = || {
        ID_FIELDS
            .into_iter()
            .find_map(|name| item.get(name)?.as_str())
    };
    let key = || {
        KEY_POINTERS
            .into_iter()
            .find_map(|path| item.pointer(path)?.as_str())
    };
    item.as_str().or_else(id).or_else(key)
}

/// The counts in the response to a write; `None` where the service does not report them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WriteCounts {
    pub changed: Option<u64>,
    pub rejected: Option<u64>,
    /// Why the first of them was rejected, as reported by the service.
    pub rejection_reason: Option<String>,
}

impl WriteCounts {
    /// The counts of a write of `items` records that shared a request of `all` records with others.
    pub fn of_share(&self, items: u64, all: u64) -> WriteCounts {
        let share = |count: Option<u64>| match count? {
            0 => Some(0),
            count if count >= all => Some(items),
            _ => None,
        };
        let (changed, rejected) = (share(self.changed), share(self.rejected));
        WriteCounts {
            changed,
            rejected,
            rejection_reason: self.rejection_reason.clone(),
        }
    }

    /// The result of a write of `records` records that was answered with these counts.
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

/// A finished request.
#[derive(Debug)]
pub struct RequestSummary<'a> {
    /// Method and path, without ids.
    pub route: &'a str,
    pub took: std::time::Duration,
    /// The credits it used, where the service reports them, or why it failed.
    pub outcome: Result<Option<u64>, &'a str>,
    /// It cannot cost credits.
    pub is_free: bool,
}

/// Receives the cost of a client's requests, and its writes before they are sent.
pub trait RequestRecorder: Send + Sync {
    /// Called before a read that may cost credits; the read is sent when this returns `Ok`. The
    /// error names the budget that forbids it and what to do.
    fn before_read(
        &self,
        asked: RequestCost,
    ) -> Pin<Box<dyn Future<Output = Result<(), String>> + Send>>;

    /// Called before retrying a read whose response was lost, since both may be paid for. Like
    /// [`RequestRecorder::before_read`], but without asking the person, who was asked before the
    /// first attempt.
    fn before_retry(
        &self,
        asked: RequestCost,
    ) -> Pin<Box<dyn Future<Output = Result<(), String>> + Send>>;

    /// Takes note of the time on the service's clock, as a response shows it.
    fn record_service_time(&self, date: DateTime<Utc>);

    /// Records the cost of a request, or an update of the same request.
    fn record_cost(&self, spending: RequestCost);

    /// Called before a write, which is sent when this returns `Ok`; the error says why not.
    fn before_write(
        &self,
        write: OutgoingWrite,
    ) -> Pin<Box<dyn Future<Output = Result<(), String>> + Send>>;

    /// Records that a write was answered and not rejected as a whole.
    fn record_response(&self, write: Uuid, counts: WriteCounts);

    /// Records the result of any other write.
    fn record_outcome(&self, write: Uuid, progress: WriteProgress, why: Option<String>);

    /// Shows a finished request to whoever watches them.
    fn show_request(&self, _request: &RequestSummary<'_>) {}
}

/// Interrupted writes are sent again automatically for this long; later a colleague may have
/// decided otherwise.
pub const AUTO_RESEND_WINDOW: Duration = Duration::seconds(120);

/// What is stored from earlier sessions, at start-up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SavedState {
    /// The last changes, oldest first, each with the part that was applied.
    pub entries: Vec<JournalEntry>,
    /// Writes that may not have arrived, oldest first: those within [`AUTO_RESEND_WINDOW`], and the
    /// last change of all.
    pub unconfirmed_writes: Vec<JournalEntry>,
    /// Triage with an unknown result, oldest first. No other process looks it up.
    pub interrupted_triage: Vec<InterruptedTriage>,
    /// Records that another process of this person is writing right now.
    pub writes_in_other_process: u64,
    /// Unsent drafts, oldest first.
    pub drafts: Vec<Draft>,
    /// The saved runs of Explore, oldest first.
    pub search_runs: Vec<SavedSearchRun>,
    /// The lists of the book and of Views whose rows are saved.
    pub saved_searches: Vec<SavedSearch>,
    /// The snoozed signals, in the order in which they were snoozed.
    pub snoozes: Vec<Snooze>,
    /// The notes that promise something.
    pub promises: Vec<PromisingNote>,
    /// The saved searches of Explore, by name.
    pub named_searches: Vec<NamedSearch>,
    /// What is typed and run from now on survives this session.
    pub is_persistent: bool,
}

/// The undo and redo stacks.
#[derive(Clone, Debug)]
pub struct UndoHistory<S> {
    /// Undoable, the latest at the end.
    pub done: Vec<S>,
    /// Redoable, the latest at the end.
    pub undone: Vec<S>,
}

impl<S> Default for UndoHistory<S> {
    fn default() -> UndoHistory<S> {
        UndoHistory {
            done: Vec::new(),
            undone: Vec::new(),
        }
    }
}

impl<S> UndoHistory<S> {
    /// Removes the step that a wish concerns.
    pub fn pop_step(&mut self, wish: &EntryCause) {
        match wish {
            EntryCause::Undo => drop(self.done.pop()),
            EntryCause::Redo => drop(self.undone.pop()),
            _ => self.undone.clear(),
        }
    }

    /// Adds a step: to the other stack, or back where it was if it was not applied.
    pub fn push_step(&mut self, wish: &EntryCause, arrived: bool, step: S) {
        let is_done = (*wish == EntryCause::Undo) != arrived;
        if is_done {
            self.done.push(step)
        } else {
            self.undone.push(step)
        }
    }
}

/// A triage that was sent, and of which it is unknown whether all of it arrived.
#[derive(Clone, Debug, PartialEq)]
pub struct InterruptedTriage {
    /// The whole change that it belongs to.
    pub entry: JournalEntry,
    /// The signals that may have been triaged.
    pub ids: Vec<SignalId>,
}

/// A write that was sent, as stored.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SentWrite {
    pub id: Uuid,
    /// When it was sent, by this machine's clock.
    pub at: DateTime<Utc>,
    /// The change it belongs to.
    pub op: Uuid,
    /// The command's id in the console, or the verb.
    pub reason: String,
    /// Method and path, without ids.
    pub route: String,
    /// Number of records it concerns.
    pub records: u64,
    /// How many of them were changed, where the service reports it.
    pub changed: Option<u64>,
    /// How many of them were rejected, where the service reports it.
    pub rejected: Option<u64>,
    pub progress: WriteProgress,
    /// Why it failed, as reported by the service.
    pub why: Option<String>,
    /// The last id in the path.
    pub target: Option<String>,
    /// The body; not stored if it was very long.
    pub body: Option<Value>,
}

impl SentWrite {
    /// What a command wrote, in the words of the console's changes.
    pub fn describe_command(&self) -> String {
        let field = |name: &str| self.body.as_ref()?.get(name)?.as_str();
        if let (Some(email), Some(role)) = (field("email"), field("role")) {
            return format!("invitation of {email} as {role}");
        }
        let mut verb = self.reason.split(' ');
        let what = match (verb.next(), verb.next_back()) {
            (Some("book"), Some("set")) => "annotation",
            (Some("book"), Some("remove")) => "removal from the book",
            (Some("views"), Some("create")) => "new View",
            (Some("views"), Some("add")) => "addition to a View",
            (Some("views"), Some("remove")) => "removal from a View",
            (Some("views"), Some("delete")) => "deletion of a View",
            (Some("favorites"), _) => "change of favorites",
            (Some("subscriptions"), _) => "change of subscriptions",
            (Some("invitations"), Some("renew")) => "new join code",
            (Some("invitations"), Some("revoke")) => "revocation of an invitation",
            (Some("members"), Some("set")) => "change of a role",
            (Some("members"), Some("remove")) => "removal from the team",
            _ => self.reason.as_str(),
        };
        what.to_owned()
    }

    /// The keys of its records: ids, or natural keys.
    pub fn record_keys(&self) -> Vec<&str> {
        let of_body = self.body.as_ref().map(|body| match batch_items(body) {
            Some(items) => items.iter().filter_map(item_key).collect(),
            None => item_key(body).into_iter().collect::<Vec<_>>(),
        });
        of_body
            .filter(|keys| !keys.is_empty())
            .unwrap_or_else(|| self.target.as_deref().into_iter().collect())
    }

    /// The notes that it wrote, each with the key of its record.
    pub fn notes(&self) -> Vec<(&str, &str)> {
        let Some(body) = &self.body else {
            return Vec::new();
        };
        let items = batch_items(body).map_or_else(|| std::slice::from_ref(body), Vec::as_slice);
        let notes = items.iter().filter_map(|item| {
            Some((
                item_key(item).or(self.target.as_deref())?,
                item.get("notes")?.as_str()?,
            ))
        });
        notes.filter(|(_, note)| !note.trim().is_empty()).collect()
    }
}

impl JournalEntry {
    /// Whether this change reverts everything it contains to the state before `other`.
    pub fn reverts(&self, other: &JournalEntry) -> bool {
        match (&self.change, &other.change) {
            (
                JournalChange::Triage { after, signals, .. },
                JournalChange::Triage {
                    before,
                    signals: others,
                    ..
                },
            ) => after == before && are_all_in(signals, others),
            (
                JournalChange::Write { changes, .. },
                JournalChange::Write {
                    changes: others, ..
                },
            ) => {
                let is_back = |change: &writes::ReversibleWrite| {
                    others
                        .iter()
                        .any(|other| other.back.as_ref() == Some(&change.forward))
                };
                !changes.is_empty() && changes.iter().all(is_back)
            }
            _ => false,
        }
    }

    /// Whether this change repeats everything it contains from `other`.
    pub fn repeats(&self, other: &JournalEntry) -> bool {
        match (&self.change, &other.change) {
            (
                JournalChange::Triage { after, signals, .. },
                JournalChange::Triage {
                    after: same,
                    signals: others,
                    ..
                },
            ) => after == same && are_all_in(signals, others),
            (
                JournalChange::Write { changes, .. },
                JournalChange::Write {
                    changes: others, ..
                },
            ) => {
                let is_same = |change: &writes::ReversibleWrite| {
                    others.iter().any(|other| other.forward == change.forward)
                };
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
    /// Number of records it concerns.
    pub fn record_count(&self) -> usize {
        match self {
            JournalChange::Triage { signals, .. } => signals.len(),
            JournalChange::Write { things, .. } => *things,
            JournalChange::Snooze { changes } => changes.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.record_count() == 0
    }

    /// Its signals, if it is a triage.
    pub fn signal_ids(&self) -> impl Iterator<Item = SignalId> {
        let signals = match self {
            JournalChange::Triage { signals, .. } => signals.as_slice(),
            JournalChange::Write { .. } | JournalChange::Snooze { .. } => &[],
        };
        signals.iter().map(|signal| SignalId(signal.id))
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
