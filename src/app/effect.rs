//! What the console asks of the runtime: plain comparable data, never a closure. Like `msg.rs`, it
//! never names a pane or the `Context`.

use std::path::PathBuf;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::Value;
use uuid::Uuid;

pub use super::connect_target::ConnectTarget;
pub use super::msg::StoredFactsQuery;
use super::msg::{EditorPurpose, Timer, Token};
use super::secret::Secret;
use crate::domain::annotate::AnnotationWrite;
use crate::domain::book::{Dataset, RecordKind};
use crate::domain::budgets::Budgets;
use crate::domain::description::Description;
use crate::domain::export::ExportRequest;
use crate::domain::feed::FeedFilter;
use crate::domain::journal::{EntryCause, JournalChange};
use crate::domain::members::MemberAction;
use crate::domain::named_searches::NamedSearch;
use crate::domain::promises::PromisingNote;
use crate::domain::queue::{QueueFilter, QueueSnapshot, TriageStatus};
use crate::domain::queue_tabs::SavedTab;
pub use crate::domain::records::RecordKey;
use crate::domain::runs::{SavedRowsChange, SavedSearchRun};
use crate::domain::search::{RecordSource, Search};
use crate::domain::skills::{self, SkillFileRef, SkillFilter};
use crate::domain::snooze::Snooze;
use crate::domain::subscriptions::SubscriptionCall;
use crate::domain::views::ViewDraft;
use crate::domain::{SignalId, SkillId, ViewId};

/// A request to the runtime.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// From now on, send writes although they cannot be journaled first.
    SendUnjournaled,
    /// Call the service. The reply arrives as `Replied` with the same token, always exactly once.
    Call {
        token: Token,
        /// What the call is for; [`Effect::Cancel`] refers to it.
        slot: Slot,
        call: ServiceCall,
        /// Why it is made, for the ledger: the ID of a command, or the kind of event.
        reason: &'static str,
    },
    /// Cancel the calls of a slot: reads are dropped, writes that have not left are not sent,
    /// writes that have left are awaited. Each still replies, with
    /// [`RequestErrorKind::Cancelled`](crate::domain::request_error::RequestErrorKind::Cancelled)
    /// when it was canceled.
    Cancel(Slot),
    /// Send `Elapsed` with this timer after a delay.
    SetTimer {
        timer: Timer,
        delay: Duration,
    },
    /// Save a preference under a name for the next session; an empty value deletes it.
    SavePreference(String, String),
    /// Save the tabs of the queue in the configuration.
    SaveQueueTabs(Vec<SavedTab>),
    /// Save a draft under its name, replacing the last one; `None` deletes it. Sent with every key;
    /// the runtime writes the disk less often.
    SaveDraft {
        name: String,
        content: Option<Value>,
    },
    /// Save a search run with its rows from `first_row` on; the rows before are already saved.
    SaveSearchRun {
        run: Box<SavedSearchRun>,
        first_row: usize,
    },
    /// Change saved rows as own writes and newer reads changed them.
    ChangeSavedRows(SavedRowsChange),
    /// Save snoozes that began or changed, and delete those that ended.
    SaveSnoozes {
        saved: Vec<Snooze>,
        ended: Vec<SignalId>,
    },
    /// Save the note of a record that promises something, or did.
    SavePromises(Box<PromisingNote>),
    /// Save a search of the index by its name, or delete it.
    SaveNamedSearch(String, Option<Box<NamedSearch>>),
    /// Save the queue as the screen shows it, for the next start, replacing the last snapshot.
    SaveQueueSnapshot(Box<QueueSnapshot>),
    /// Load what this machine knows of signals from earlier sessions;
    /// [`Push::StoredFacts`](super::msg::Push::StoredFacts) follows.
    LoadFacts(StoredFactsQuery),
    /// Save what the payload of a signal says.
    SaveDescription(SignalId, Description),
    /// Save whether the meter proved that reading a signal is free.
    SaveFreeSignalReads(bool),
    /// Open a text in the user's own editor; `EditorClosed` follows, for the same purpose.
    OpenEditor {
        purpose: EditorPurpose,
        text: String,
    },
    /// Journal what the calls of this slot are about. Sent before the calls themselves, so that it
    /// is written before any of them leaves.
    JournalWrite {
        slot: Slot,
        /// The journal entry, when an earlier one is sent again.
        op: Option<Uuid>,
        cause: EntryCause,
        description: String,
        /// Entries of the same group are undone together.
        group: Option<Uuid>,
        change: JournalChange,
    },
    /// Journal what the calls of this slot have applied.
    JournalApplied {
        slot: Slot,
        /// What was applied, with the changes that undo it.
        change: JournalChange,
        /// Nothing of what an earlier run began of it is unknown any more.
        settles_interrupted: bool,
    },
    /// Journal the result of an interrupted triage: the signals that had reached `status`, and
    /// those that had not.
    JournalReconciled {
        status: TriageStatus,
        applied: Vec<SignalId>,
        not_applied: Vec<SignalId>,
    },
    /// Copy a text to the clipboard; [`Push::Copied`](super::msg::Push::Copied) follows, with the
    /// same description of it.
    CopyToClipboard {
        what: String,
        text: Secret,
    },
    /// Open an http or https page in the user's browser.
    OpenUrl(String),
    /// Run a program of the user's custom command of this name;
    /// [`Push::ProgramEnded`](super::msg::Push::ProgramEnded) follows.
    RunProgram {
        name: &'static str,
        /// The program comes first.
        arguments: Vec<String>,
    },
    /// Run a program that alerts the room, and end it after a limit;
    /// [`Push::AlertEnded`](super::msg::Push::AlertEnded) follows.
    RunAlert(Vec<String>),
    /// Ring the terminal's bell and show a notification where the terminal can (OSC 9).
    Notify(String),
    /// Poll now rather than at the next interval.
    Poll,
    /// Read the configuration again; [`Push::SettingsReloaded`](super::msg::Push::SettingsReloaded)
    /// follows.
    ReloadConfiguration,
    /// Open the configuration in the user's editor, and then read it again.
    EditConfiguration,
    /// Read the settings of the configuration;
    /// [`Push::SettingsRead`](super::msg::Push::SettingsRead) follows.
    ReadSettings,
    /// Change a setting in the configuration as typed, or with `None` remove it, and apply the
    /// configuration again; [`Push::SettingChanged`](super::msg::Push::SettingChanged) follows.
    ChangeSetting {
        key: String,
        text: Option<String>,
    },
    /// Budgets of the configuration that apply from now on.
    ApplyBudgets(Budgets),
    SetPollInterval(Option<Duration>),
    CaptureMouse(bool),
    /// Suspend until the shell resumes the program; `Resumed` follows.
    Suspend,
    Repaint,
    /// Start again with another profile.
    SwitchProfile(String),
    Quit,
}

/// What a call is for. See [`Slot::is_exclusive`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Slot {
    /// The start screen's sign-in.
    Connect,
    /// Workspace and caller.
    Workspace,
    /// The meter.
    Credits,
    Members,
    Subscriptions,
    /// The subscriptions, read before staged changes are applied.
    SubscriptionsCheck,
    /// The subscriptions, read to explain a priority.
    Priority,
    /// Rows of the New list.
    New,
    /// Rows of the Done list.
    Done,
    /// Who triaged a signal that vanished from the list.
    WhoTriaged,
    /// Done rows, for what colleagues did.
    Activity,
    /// Rows of the dashboard's pages.
    Dashboard,
    /// The journal and drafts of earlier runs.
    SavedState,
    /// What this machine wrote.
    Journal,
    RecordHistory,
    /// The same, for a handoff.
    Handoff,
    /// A text that is saved to a file.
    SaveText,
    /// An imported list, and rows that its lines may mean.
    ListImport,
    /// The check of an interrupted triage.
    Reconcile,
    /// Checks before an undo: of signals, of records, of members and of subscriptions.
    Preflight,
    PreflightRecords,
    PreflightMembers,
    PreflightSubscriptions,
    /// Which signals a triage changed.
    Attribution,
    /// A record with everything around it.
    Record,
    /// Records that a list or a form lacks.
    MissingRecords,
    /// Records of the annotation form.
    AnnotationForm,
    /// A signal with its source's payload.
    Signal,
    /// Rows of the feed.
    Feed,
    /// A signal of the feed with its source's payload.
    FeedSignal,
    /// A signal that is read for its description.
    Description,
    Views,
    Favorites,
    /// Rows of a list of records.
    Records(ListId),
    Export,
    /// The filterable fields of a dataset.
    Fields,
    /// A question in plain words.
    Question,
    Skills,
    /// A Skill, with its files and revisions.
    Skill,
    SkillText,
    /// Skills and their files for the editor.
    SkillEditor,
    /// The Skill with the opening line of calls.
    CallOpening,
    Ledger,
    Budgets,
    Invitations,
    /// A write of any kind, by its number.
    Write(u64),
}

/// Identifies a list of records; each screen has its own.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ListId {
    View(ViewId),
    Book(RecordKind),
    Explore(u64),
}

impl Slot {
    /// Whether only its latest call counts. In the other slots every reply does: writes, and reads
    /// of which several belong together.
    pub fn is_exclusive(&self) -> bool {
        !matches!(
            self,
            Slot::Write(_)
                | Slot::Budgets
                | Slot::AnnotationForm
                | Slot::MissingRecords
                | Slot::PreflightRecords
                | Slot::SkillEditor
                | Slot::Attribution
                | Slot::Fields
                | Slot::Credits
                | Slot::Members
                | Slot::Description
        )
    }
}

/// A call to the service or to the runtime's own stores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServiceCall {
    /// Start or reach a service, and sign in.
    Connect(ConnectTarget),
    /// `GET /workspace`.
    Workspace,
    /// `GET /workspace/credits`.
    Credits,
    /// `POST /workspace/skills/list`, all pages.
    Skills(SkillFilter),
    /// `POST /workspace/skills/find`.
    FindSkills(String),
    /// `POST /workspace/skills/get`, and `/revisions`.
    Skill(SkillId),
    /// `POST /workspace/skills/get-file`, for some files of some Skills; files that a revision does
    /// not have are left out.
    SkillText(Vec<SkillFileRef>),
    /// This machine's ledger, with the current meter.
    Ledger,
    /// Save the budgets in the configuration.
    SetBudgets(Budgets),
    /// The state of earlier runs, from this machine's journal.
    SavedState,
    /// What this machine wrote in this workspace, from its journal.
    Journal,
    /// What this machine recorded since then.
    RecordedWork(DateTime<Utc>),
    /// Read a file of this machine, at most one byte more than a list may have.
    ReadFile(PathBuf),
    /// What this machine wrote on a record, and what changed between its reads; with how far the
    /// service's clock is ahead.
    RecordHistory(Uuid, TimeDelta),
    /// Write a text to a new file in the current folder.
    SaveText { file_name: String, text: String },
    /// `GET /workspace/members`.
    Members,
    /// `GET /signal-subscriptions`.
    Subscriptions,
    /// `GET /workspace/invitations`.
    Invitations,
    /// `GET /signals/queue`.
    Queue {
        filter: QueueFilter,
        /// Rows to skip.
        offset: u32,
        /// At most [`MAX_QUEUE_PAGE_ROWS`](crate::domain::queue::MAX_QUEUE_PAGE_ROWS).
        limit: u32,
    },
    /// `GET /signals/{id}`, with the source's payload. Its price is not stated.
    Signal {
        signal: SignalId,
        /// Read the meter right before and after it, to learn its price.
        is_metered: bool,
    },
    /// The same for its description, after everything that the user waits for.
    Description { signal: SignalId, is_metered: bool },
    /// `GET /signals`. Its price is not stated.
    Feed {
        filter: FeedFilter,
        /// Rows to skip.
        offset: u32,
        /// At most [`MAX_QUEUE_PAGE_ROWS`](crate::domain::queue::MAX_QUEUE_PAGE_ROWS).
        limit: u32,
    },
    /// A record with every include; 1 credit, free when a cached read exists.
    Record {
        key: RecordKey,
        /// Ignore the cache.
        bypass_cache: bool,
    },
    /// A page of a search; 1 credit per row.
    Search {
        source: RecordSource,
        search: Search,
        /// The end of the previous page; `None` for the first page.
        after: Option<String>,
        /// Rows to return.
        limit: u32,
    },
    /// The rows of a search as this machine saved them when they were read. Free.
    SavedSearch {
        source: RecordSource,
        search: Search,
    },
    /// `POST /data/fields/search`: the filterable fields of a dataset. Its price is not reported.
    Fields(Dataset),
    /// `POST /filters/ask`: translates a question in plain words to filters. Its price is not
    /// reported.
    AskQuestion { dataset: Dataset, question: String },
    /// `GET /workspace/views`.
    Views,
    /// `GET /workspace/favorite-views`; needs a user token.
    Favorites,
    /// Export rows to a file; rows that are not loaded cost 1 credit each.
    Export(Box<ExportRequest>),
    /// A write. Free, except for a credit per book record that is read first.
    Write(WriteRequest),
    /// `POST /signals/triage`, at most
    /// [`MAX_TRIAGE_SIGNALS`](crate::domain::queue::MAX_TRIAGE_SIGNALS) IDs.
    Triage {
        ids: Vec<SignalId>,
        status: TriageStatus,
        /// The acts that share the request, by the slot of their journal entry: how many of the IDs
        /// are of each, in order.
        acts: Vec<(Slot, usize)>,
    },
}

impl ServiceCall {
    /// Whether it reads signals at the user's wish, at a price that only the meter knows.
    pub fn reads_signals(&self) -> bool {
        matches!(self, ServiceCall::Signal { .. } | ServiceCall::Feed { .. })
    }

    /// The most credits it can cost; `None` where the interface does not report it.
    pub fn max_credits(&self) -> Option<u64> {
        match self {
            ServiceCall::Record { .. } => Some(1),
            ServiceCall::Search { limit, .. } => Some(u64::from(*limit)),
            ServiceCall::Queue { .. }
            | ServiceCall::Feed { .. }
            | ServiceCall::Signal { .. }
            | ServiceCall::Description { .. }
            | ServiceCall::Fields(_)
            | ServiceCall::AskQuestion { .. } => None,
            ServiceCall::Write(WriteRequest::Annotate { items, .. }) => {
                Some(items.iter().filter(|item| item.baseline.is_some()).count() as u64)
            }
            ServiceCall::Export(export) => export.rest.as_ref().map_or(Some(0), |rest| rest.left),
            _ => Some(0),
        }
    }
}

/// A write to the book, to Views, to favorites or to the settings: one request, at most
/// [`MAX_BATCH_ITEMS`](crate::domain::batch::MAX_BATCH_ITEMS) records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WriteRequest {
    /// Saves records to the book with their annotations. Each is read first, unless it has no
    /// baseline to compare with.
    Annotate {
        record_kind: RecordKind,
        items: Vec<AnnotationWrite>,
    },
    /// Removes records from the book; their annotations are lost.
    Forget {
        record_kind: RecordKind,
        ids: Vec<Uuid>,
    },
    /// Adds records to a Static View.
    Add {
        view: ViewId,
        ids: Vec<Uuid>,
    },
    /// Removes records from a Static View.
    Remove {
        view: ViewId,
        ids: Vec<Uuid>,
    },
    /// Creates or changes a View.
    SaveView(ViewDraft),
    /// Deletes a View for everyone; its records are kept.
    DeleteView(ViewId),
    /// Changes Skills; all calls are of the same kind.
    Skills(Vec<skills::SkillCall>),
    Favorite {
        view: ViewId,
        is_favorite: bool,
    },
    /// Changes subscriptions; the reply is the whole list.
    Subscription(SubscriptionCall),
    /// Changes roles, members or invitations.
    Team(MemberAction),
}
