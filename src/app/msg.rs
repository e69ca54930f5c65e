//! What can happen to the console. Plain data: a test writes it by hand, the runtime produces it
//! from events.

use std::path::PathBuf;

use chrono::{DateTime, Duration, NaiveDate, Utc};
use crossterm::event::{KeyEvent, MouseEvent};

use crate::app::session::{AppSettings, StartTarget};
use crate::domain::batch::BatchItemResult;
use crate::domain::budgets::{Budgets, CreditsSpent};
use crate::domain::certificate::CertificateChange;
use crate::domain::credits::{Credits, LedgerReport};
use crate::domain::description::Description;
use crate::domain::export::ExportProgress;
use crate::domain::handoff::RecordedWork;
use crate::domain::health::Health;
use crate::domain::journal::SavedState;
use crate::domain::journal_lines::JournalLine;
use crate::domain::members::{Invitation, Member};
use crate::domain::pages::Page;
use crate::domain::queue::{QueueSignal, QueueSnapshot, QueueStats};
use crate::domain::record_history::RecordHistory;
use crate::domain::records::{Record, RecordKey};
use crate::domain::request_error::RequestError;
use crate::domain::runs::SavedSearchRun;
use crate::domain::search::SearchPage;
use crate::domain::settings::SettingRow;
use crate::domain::signals::Signal;
use crate::domain::skills::{Skill, SkillFile, SkillFileRef, SkillRevision};
use crate::domain::snooze::Snooze;
use crate::domain::subscriptions::Subscription;
use crate::domain::views::{Favorite, View};
use crate::domain::vocabulary::{NlTranslation, Vocabulary};
use crate::domain::workspace::Workspace;
use crate::domain::{ProjectId, SignalId};
use crate::ui::Background;
use crate::ui::text_area::MAX_TEXT_AREA_BYTES;

#[derive(Clone, Debug, PartialEq)]
pub enum Msg {
    Key(KeyEvent),
    /// A bracketed paste.
    Paste(String),
    Mouse(MouseEvent),
    /// New columns and rows of the terminal.
    Resized(u16, u16),
    /// The terminal window gained or lost focus.
    Focused(bool),
    /// The reply to a call.
    Replied(Token, CallResult),
    /// Something that no effect asked for.
    Pushed(Push),
    /// A timer of an effect elapsed.
    Elapsed(Timer),
    /// The text from the user's own editor, or why there is none.
    EditorClosed(EditorPurpose, Result<String, String>),
    /// The terminal's background.
    Background(Background),
    /// The program was resumed, or its screen was overwritten: everything is redrawn.
    Resumed,
}

/// Matches a reply to its call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Token(pub u64);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Timer {
    /// A prefix key has waited long enough to show its continuations.
    KeyContinuations(u64),
    /// No motion followed a digit in time: it was not a count.
    HeldDigits(u64),
    /// What was opened has been there long enough for its prices to be read.
    Look(u64),
    /// The minute changed, on the dashboard.
    Minute(u64),
    /// The time for a second Ctrl-c that quits is over.
    QuitArmed(u64),
    /// The cursor may have come to rest.
    CursorRest,
}

/// What a text in the user's own editor is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditorPurpose {
    Note,
    /// The annotation of one record.
    Record,
    Skills,
}

impl EditorPurpose {
    /// By which editors choose how to highlight the text.
    pub fn file_extension(self) -> &'static str {
        match self {
            EditorPurpose::Record => ".toml",
            EditorPurpose::Note | EditorPurpose::Skills => ".txt",
        }
    }

    /// The largest text that is accepted, in bytes: what a note has room for, or several of the
    /// largest Skills.
    pub fn max_bytes(self) -> usize {
        match self {
            EditorPurpose::Note | EditorPurpose::Record => MAX_TEXT_AREA_BYTES,
            EditorPurpose::Skills => 16 << 20,
        }
    }
}

/// An event that no effect asked for.
#[derive(Clone, Debug, PartialEq)]
pub enum Push {
    /// A write was not sent because it could not be journaled first, and why.
    JournalFailed(String),
    Health(Health),
    /// The service that the console starts with.
    Connected(ConnectedService),
    /// The result of a poll.
    Stats {
        result: CallResult<QueueStats>,
        /// How far the service's clock is ahead of this machine's.
        skew: Duration,
    },
    /// A problem of this machine that the user should know: a file that could not be used or
    /// written.
    Warning(String),
    /// The queue as an earlier run showed it. Arrives before the first frame.
    QueueSnapshot(Box<QueueSnapshot>),
    /// Where the console is to start.
    StartAt(Box<StartTarget>),
    /// What this machine knows of signals from earlier sessions.
    StoredFacts(Box<StoredFacts>),
    /// The snoozes on disk, read from this time on.
    Snoozes {
        read_at: DateTime<Utc>,
        snoozes: Vec<Snooze>,
    },
    /// A page of an export was written to its file.
    ExportProgressed(Token, ExportProgress),
    /// The machine was suspended for this long, and runs again.
    SystemSuspended(Duration),
    BrowserFailed {
        url: String,
        reason: String,
    },
    /// A text was copied, or not.
    Copied {
        /// What it is, for the user.
        what: String,
        result: CopyResult,
    },
    /// The program of the custom command of this name has ended.
    ProgramEnded(&'static str, Box<ProgramOutput>),
    /// A program that alerts the room has ended, or why it failed.
    AlertEnded(Result<(), String>),
    /// The configuration was read again: the settings, and what is wrong with it.
    SettingsReloaded {
        settings: Box<AppSettings>,
        problems: Vec<String>,
    },
    /// What is wrong with the configuration that the console starts with, a line each.
    SettingProblems(Vec<String>),
    /// The settings of the configuration, or why it cannot be read.
    SettingsRead(Result<Vec<SettingRow>, String>),
    /// A setting was changed, and how; or why it was not.
    SettingChanged {
        key: String,
        text: Option<String>,
        result: Result<String, String>,
    },
    /// An effect on this machine failed, and why.
    EffectFailed(String),
}

/// How a text was copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CopyResult {
    /// This program took it and succeeded.
    Program(&'static str),
    /// Sent to the terminal, which does not confirm it.
    Terminal,
    /// It was not copied for this reason, and is in this file instead.
    Saved(PathBuf, String),
    /// It was neither copied nor saved, and why.
    Failed(String),
}

/// How a program ended, and the beginning of what it wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramOutput {
    pub end: ProgramEnd,
    pub stdout: String,
    pub stderr: String,
    /// It wrote more than is kept.
    pub is_cut: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProgramEnd {
    Succeeded,
    /// Its exit status, or why it did not start.
    Failed(String),
    /// It is no longer waited for.
    StillRunning,
}

/// What is known of the cost of a read whose price the interface does not state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadCost {
    /// The response states it, in credits.
    Reported(u64),
    /// The workspace's meter right before and after it; others spend from it too.
    Metered { before: u64, after: u64 },
}

/// What to load of earlier sessions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredFactsQuery {
    pub signals: Vec<SignalId>,
    /// Their records, if they were read.
    pub projects: Vec<ProjectId>,
    /// The accounts and contacts of the book that were read.
    pub includes_book: bool,
}

/// What this machine knows from earlier sessions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StoredFacts {
    pub descriptions: Vec<(SignalId, Description)>,
    pub records: Vec<(RecordKey, Record)>,
    /// Reading a signal is free: it was proved earlier, or this program runs the service.
    pub has_free_signal_reads: bool,
}

/// A service that the console uses from now on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConnectedService {
    /// Profile, file or host, for the header.
    pub label: String,
    /// It rejects every write, as from a wall.
    pub is_read_only: bool,
    /// It was created with sample data.
    pub is_sample: bool,
    /// It runs in this program, and charges only for reads of the index and the book.
    pub is_local: bool,
    /// The day of the fullest queue of a local file, if all its signals are too old for the queue of
    /// today.
    pub busiest_day: Option<NaiveDate>,
}

/// The reply to a call, or what it carries; or why there is none.
pub type CallResult<T = Reply> = Result<T, RequestError>;

/// A record with everything around it; when a cached read of it was made, on the service's clock,
/// `None` for a fresh read; and its price, where the service reported it. A cached read costs
/// nothing.
pub type RecordReply = (Record, Option<DateTime<Utc>>, Option<u64>);

/// What came of signing in.
#[derive(Clone, Debug, PartialEq)]
pub enum ConnectReply {
    Connected(ConnectedService),
    /// Nothing was sent to the service, because neither this machine nor the user vouches for its
    /// certificate.
    UnknownCertificate {
        change: CertificateChange,
        reason: String,
    },
}

/// Declares the replies, each with the payload that its asker expects. A reply of another kind is a
/// failure that the asker shows.
macro_rules! replies {
    ($($(#[$doc:meta])* $reply:ident($payload:ty);)+) => {
        /// The reply to a [`Call`](super::effect::Effect::Call).
        #[derive(Clone, Debug, PartialEq)]
        pub enum Reply {
            $($(#[$doc])* $reply($payload),)+
        }

        $(impl TryFrom<Reply> for $payload {
            type Error = RequestError;

            fn try_from(reply: Reply) -> CallResult<Self> {
                match reply {
                    Reply::$reply(payload) => Ok(payload),
                    _ => Err(RequestError::new_ambiguous("unexpected response")),
                }
            }
        })+
    };
}

replies! {
    Connect(ConnectReply);
    Workspace(Workspace);
    /// The meter, and what this machine has spent, where known.
    Credits((Credits, Option<CreditsSpent>));
    Ledger(Box<LedgerReport>);
    /// To `SetBudgets`.
    Budgets(Budgets);
    SavedState(Box<SavedState>);
    /// Newest first.
    Journal(Vec<JournalLine>);
    RecordedWork(Box<RecordedWork>);
    RecordHistory(RecordHistory);
    /// To `SaveText`: where it is.
    TextSaved(PathBuf);
    /// To `ReadFile`.
    FileRead(Vec<u8>);
    Members(Vec<Member>);
    /// Also to writes of subscriptions.
    Subscriptions(Vec<Subscription>);
    Invitations(Vec<Invitation>);
    Queue(Page<QueueSignal>);
    /// With the credits that it cost, if the service states them.
    Feed((Page<Signal>, Option<u64>));
    /// To `Signal` and `Description`, with what the read cost as far as that is known.
    Signal((Box<Signal>, Option<ReadCost>));
    Record(RecordReply);
    /// To `Search`.
    SearchPage(SearchPage);
    /// `None` if the rows are not saved.
    SavedSearch(Option<Box<SavedSearchRun>>);
    Fields(Vocabulary);
    /// To `AskQuestion`.
    QuestionTranslated(NlTranslation);
    Views(Vec<View>);
    Favorites(Vec<Favorite>);
    /// To `Skills` and `FindSkills`.
    Skills(Vec<Skill>);
    Skill((Box<Skill>, Vec<SkillRevision>));
    /// The files that exist.
    SkillText(Vec<(SkillFileRef, SkillFile)>);
    /// To `Export`: the file is complete.
    Exported(ExportProgress);
    /// To `Write`: the result for each record, in the order of the write; one item for a View.
    Written(Vec<BatchItemResult>);
    /// To `Triage`: how many signals changed; unknown when an earlier attempt of the same call may
    /// have changed some.
    Triaged(Option<u64>);
}

/// The payload that the asker expects of its reply.
pub fn payload<T: TryFrom<Reply, Error = RequestError>>(result: CallResult) -> CallResult<T> {
    result.and_then(T::try_from)
}
