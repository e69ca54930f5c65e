//! What the console wants done. Plain comparable data, never a closure: the runtime does it, a test reads it.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;
use uuid::Uuid;

use crate::domain::annotate::AnnotationWrite;
use crate::domain::book::{Dataset, RecordKind};
use crate::domain::budgets::Budgets;
use crate::domain::journal::{EntryCause, JournalChange};
use crate::domain::members::MemberAction;
use crate::domain::queue::{QueueFilter, QueueSnapshot, TriageStatus};
pub use crate::domain::records::RecordKey;
use crate::domain::runs::SavedSearchRun;
use crate::domain::search::{RecordSource, Search};
use crate::domain::skills::{self, SkillFilter};
use crate::domain::subscriptions::SubscriptionCall;
use crate::domain::views::ViewDraft;
use crate::domain::{SignalId, SkillId, ViewId};

use super::export::ExportRequest;
use super::msg::{Timer, Token};
use super::panes::records::ListId;

/// An order to the runtime.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Writes are sent from now on although they cannot be written down first.
    SendUnjournaled,
    /// Ask the service; the answer comes back as `Replied` with the same token, always exactly once.
    Call {
        /// Ties the reply to this call.
        token: Token,
        /// What the call is for: [`Effect::Cancel`] names it.
        slot: Slot,
        /// What is asked.
        call: ServiceCall,
    },
    /// Give up the calls of a slot: reads are dropped, writes that have not left are not sent, writes that have left are waited
    /// for. Each still replies, with [`Kind::Cancelled`](crate::domain::failure::Kind::Cancelled) when it was given up.
    Cancel(Slot),
    /// Send `Elapsed` with this timer after a while.
    SetTimer {
        /// What the wait is for.
        timer: Timer,
        /// How long.
        delay: Duration,
    },
    /// Keep a choice of the person for the next session, under a name; an empty one is forgotten.
    SavePreference(String, String),
    /// Keep what was typed under a name, in the place of what was kept there, for the time after any end of the program; with nothing
    /// typed, drop it. Comes with every key: the disk is written less often.
    SaveDraft {
        /// Its name.
        name: String,
        /// What was typed.
        content: Option<Value>,
    },
    /// Keep a run for the time after any end of the program, with its rows from a place on: those before it were kept.
    SaveSearchRun {
        /// The run.
        run: Box<SavedSearchRun>,
        /// The place of its first row.
        first_row: usize,
    },
    /// Keep the queue as it stands on the screen for the next start, in the place of what was kept of it.
    SaveQueueSnapshot(Box<QueueSnapshot>),
    /// Let the person's own editor have a text; `Edited` follows.
    OpenEditor(String),
    /// Write down what the calls of this slot are about, before any of them leaves. It comes before them.
    JournalWrite {
        /// Which calls.
        slot: Slot,
        /// The act, when it is one of before that is sent again.
        op: Option<Uuid>,
        /// How it came to be.
        cause: EntryCause,
        /// What it is about.
        description: String,
        /// What changes.
        change: JournalChange,
    },
    /// Write down what of the calls of this slot was applied.
    JournalApplied {
        /// Which calls.
        slot: Slot,
        /// What was applied, with its way back.
        change: JournalChange,
    },
    /// Write down what was read of signals whose triage broke off: those that had gone to `status`, and those that had not.
    JournalReconciled {
        /// Where they were to go.
        status: TriageStatus,
        /// They are there.
        applied: Vec<SignalId>,
        /// They are not.
        not_applied: Vec<SignalId>,
    },
    /// Put a text on the clipboard (OSC 52).
    CopyToClipboard(String),
    /// Open an http or https page in the person's browser.
    OpenUrl(String),
    /// Ring the terminal's bell and show a notification where the terminal can (OSC 9).
    Notify(String),
    /// Ask for the stats now rather than at the next poll.
    Poll,
    /// Poll at this interval from now on.
    SetPollInterval(Duration),
    /// Switch the terminal's mouse capture.
    CaptureMouse(bool),
    /// Stop until the shell brings the program back; `Resumed` follows.
    Suspend,
    /// Draw everything anew.
    Repaint,
    /// End the program.
    Quit,
}

/// What a call is for. Of the reads of one slot the latest counts; writes all count.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Slot {
    /// The first screen's sign-in.
    Connect,
    /// Who and where.
    Workspace,
    /// The meter.
    Credits,
    /// The names of colleagues.
    Members,
    /// Why a priority.
    Subscriptions,
    /// Rows of the New list.
    New,
    /// Rows of the Done list.
    Done,
    /// Who took a signal that vanished.
    Taken,
    /// Rows of the wall's pages.
    Wall,
    /// What was done before this start.
    Past,
    /// The check of what became of a broken triage.
    Verify,
    /// A record with all that is around it.
    Record,
    /// Records of the annotation sheet.
    Sheet,
    /// A signal with its source's payload.
    Signal,
    /// The Views of the workspace.
    Views,
    /// The person's pointers to Views.
    Favorites,
    /// Rows of a list of records.
    Records(ListId),
    /// Rows on their way to a file.
    Export,
    /// What a dataset can be filtered by.
    Fields,
    /// A question in words.
    Ask,
    /// The Skills.
    Skills,
    /// A Skill, with its files and revisions.
    Skill,
    /// Texts of a Skill.
    SkillText,
    /// What was spent.
    Ledger,
    /// What may be spent.
    Budgets,
    /// Who was asked to join.
    Invitations,
    /// An act of triage, by its number.
    Triage(u64),
    /// A write of another kind, by its number.
    Write(u64),
}

/// A question to the service, or an order to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServiceCall {
    /// Start or reach a service, and be signed in to it.
    Connect(ConnectTarget),
    /// `GET /workspace`.
    Workspace,
    /// `GET /workspace/credits`.
    Credits,
    /// `POST /workspace/skills/list`, all of it.
    Skills(SkillFilter),
    /// `POST /workspace/skills/find`.
    FindSkills(String),
    /// `POST /workspace/skills/get`, and `/revisions`.
    Skill(SkillId),
    /// `POST /workspace/skills/get-file`, for some files of some Skills; those that a revision does not have are left out.
    SkillText(Vec<SkillFileRef>),
    /// The ledger of this machine, beside the meter as it stands now.
    Ledger,
    /// Keeps what may be spent, in the configuration.
    SetBudgets(Budgets),
    /// What was done before this start, from the journal of this machine.
    SavedState,
    /// `GET /workspace/members`.
    Members,
    /// `GET /signal-subscriptions`.
    Subscriptions,
    /// `GET /workspace/invitations`.
    Invitations,
    /// `GET /signals/queue`.
    Queue {
        /// What narrows it.
        filter: QueueFilter,
        /// Rows to skip.
        offset: u32,
        /// Rows to send, at most [`PAGE_MAX`](crate::domain::queue::PAGE_MAX).
        limit: u32,
    },
    /// `GET /signals/{id}`, with the source's payload.
    Signal(SignalId),
    /// A record with every include; 1 credit, and nothing when it was read before and kept.
    Record {
        /// The record.
        key: RecordKey,
        /// Read it from the service, whatever is kept.
        bypass_cache: bool,
    },
    /// A page of a search; 1 credit a row.
    Search {
        /// The route.
        source: RecordSource,
        /// What is looked for.
        search: Search,
        /// Where the page before ended; none for the first page.
        after: Option<String>,
        /// Rows to send, at most [`PAGE_MAX`](crate::domain::search::PAGE_MAX).
        limit: u32,
    },
    /// `POST /data/fields/search`: what a dataset can be filtered by. Its price is not told.
    Fields(Dataset),
    /// `POST /filters/ask`: a question in words to filters. Its price is not told.
    Ask {
        /// What is asked about.
        dataset: Dataset,
        /// The question.
        question: String,
    },
    /// `GET /workspace/views`.
    Views,
    /// `GET /workspace/favorite-views`; needs a user token.
    Favorites,
    /// Rows to a file, and for their price what of them is not loaded.
    Export(Box<ExportRequest>),
    /// A write. It costs nothing, save a credit for each record of the book that is read first.
    Write(WriteRequest),
    /// `POST /signals/triage`, at most [`TRIAGE_MAX`](crate::domain::queue::TRIAGE_MAX) ids.
    Triage {
        /// The signals.
        ids: Vec<SignalId>,
        /// Where they go.
        status: TriageStatus,
    },
}

impl ServiceCall {
    /// The most credits that it can take; unknown where the interface does not tell.
    pub fn max_credits(&self) -> Option<u64> {
        match self {
            ServiceCall::Record { .. } => Some(1),
            ServiceCall::Search { limit, .. } => Some(u64::from(*limit)),
            ServiceCall::Queue { .. } | ServiceCall::Signal(_) | ServiceCall::Fields(_) | ServiceCall::Ask { .. } => None,
            ServiceCall::Write(WriteRequest::Annotate { items, .. }) => {
                Some(items.iter().filter(|item| item.baseline.is_some()).count() as u64)
            }
            ServiceCall::Export(export) => export.rest.as_ref().map_or(Some(0), |rest| rest.left),
            _ => Some(0),
        }
    }
}

/// A write to the book, to Views, to favorites or to the settings: one request, at most [`BATCH_MAX`](crate::domain::batch::BATCH_MAX) records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WriteRequest {
    /// Puts records in the book and writes what the annotations set or clear; each is read first, unless nothing of it was seen.
    Annotate {
        /// What they are.
        record_kind: RecordKind,
        /// The records, each with its own change.
        items: Vec<AnnotationWrite>,
    },
    /// Takes records out of the book; what was written on them is lost.
    Forget {
        /// What they are.
        record_kind: RecordKind,
        /// The records.
        ids: Vec<Uuid>,
    },
    /// Adds records to a Static View.
    Add {
        /// The View.
        view: ViewId,
        /// The records.
        ids: Vec<Uuid>,
    },
    /// Takes records out of a Static View.
    Remove {
        /// The View.
        view: ViewId,
        /// The records.
        ids: Vec<Uuid>,
    },
    /// Makes or changes a View.
    SaveView(ViewDraft),
    /// Deletes a View for everyone; its records stay.
    DeleteView(ViewId),
    /// Changes Skills: all orders are of one kind.
    Skills(Vec<skills::SkillCall>),
    /// Makes a View a favorite of the person, or none.
    Favorite {
        /// The View.
        view: ViewId,
        /// It becomes one.
        is_favorite: bool,
    },
    /// Changes subscriptions; answered by the whole list.
    Subscription(SubscriptionCall),
    /// Changes who has access.
    Team(MemberAction),
}

/// A file of a Skill that is wanted.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SkillFileRef {
    /// The Skill.
    pub skill: SkillId,
    /// The revision.
    pub revision: u64,
    /// Its path.
    pub path: String,
}

/// What the first screen can open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConnectTarget {
    /// The sample world, in memory.
    Demo,
    /// A local database file.
    Local(PathBuf),
    /// A service elsewhere.
    Service {
        /// Its address, up to and with `/api/v1`.
        base_url: String,
        /// An API key or a user token.
        token: Secret,
        /// The workspace.
        workspace: String,
    },
}

/// A text that no debug output, log or error shows.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(pub String);

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(..)")
    }
}
