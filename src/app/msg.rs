//! What can happen to the console. Plain data: a test writes it by hand, the runtime from the world.

use chrono::{DateTime, Duration, Utc};
use crossterm::event::{KeyEvent, MouseEvent};

use super::effect::SkillFileRef;
use super::export::ExportProgress;
use crate::domain::batch::BatchItemResult;
use crate::domain::budgets::{Budgets, CreditsSpent};
use crate::domain::credits::{Credits, LedgerReport};
use crate::domain::health::Health;
use crate::domain::journal::SavedState;
use crate::domain::members::{Invitation, Member};
use crate::domain::pages::Page;
use crate::domain::queue::{QueueSignal, QueueSnapshot, QueueStats};
use crate::domain::records::Record;
use crate::domain::request_error::RequestError;
use crate::domain::search::SearchPage;
use crate::domain::signals::Signal;
use crate::domain::skills::{Skill, SkillRevision};
use crate::domain::subscriptions::Subscription;
use crate::domain::views::{Favorite, View};
use crate::domain::vocabulary::{NlTranslation, Vocabulary};
use crate::domain::workspace::Workspace;
use crate::ui::Background;

/// A message to [`App::update`](super::App::update).
#[derive(Clone, Debug, PartialEq)]
pub enum Msg {
    /// A key was pressed.
    Key(KeyEvent),
    /// A bracketed paste.
    Paste(String),
    /// The mouse did something.
    Mouse(MouseEvent),
    /// The terminal has this many columns and rows.
    Resized(u16, u16),
    /// The terminal window gained or lost the focus.
    Focused(bool),
    /// A call that an effect asked for is over.
    Replied(Token, Result<Reply, RequestError>),
    /// Something came that no effect asked for.
    Pushed(Push),
    /// A wait that an effect asked for is over.
    Elapsed(Timer),
    /// The person's own editor gave a text back, or why it did not.
    EditorClosed(Result<String, String>),
    /// What the terminal said that it draws on; nothing when it does not tell.
    Background(Option<Background>),
    /// The program came back from being suspended, or its screen was written over: everything is drawn anew.
    Resumed,
}

/// Ties a reply to its call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Token(pub u64);

/// What a wait was for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Timer {
    /// A prefix key has waited long enough to show what may follow.
    KeyContinuations(u64),
    /// The minute has turned on the wallboard.
    Minute(u64),
    /// The second Ctrl-c that quits did not come.
    QuitArmed(u64),
}

/// What comes unasked.
#[derive(Clone, Debug, PartialEq)]
pub enum Push {
    /// A write was not sent, because it could not be written down first, and why.
    JournalFailed(String),
    /// The service answers otherwise than before.
    Health(Health),
    /// An answer, or a failure, of the polling task.
    Stats {
        /// The counts, or why there are none.
        result: Result<QueueStats, RequestError>,
        /// How far the service's clock is ahead of this machine's.
        skew: Duration,
    },
    /// Something about this machine that the person should know: a file that could not be used, or written.
    Warning(String),
    /// The queue as it stood on the screen when the program ran before. It comes before the first frame.
    QueueSnapshot(Box<QueueSnapshot>),
    /// A page of an export is in its file.
    ExportProgressed(Token, ExportProgress),
    /// The machine slept for so long, and runs again.
    SystemSuspended(Duration),
    /// No browser opened a page.
    BrowserFailed {
        /// The page.
        url: String,
        /// Why not.
        reason: String,
    },
    /// What was wanted of this machine could not be done, and why.
    EffectFailed(String),
}

/// The answer to a [`Call`](super::effect::Call).
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// To `Connect`: the target answered; its name.
    Connected {
        /// Profile, file or host, for the header.
        label: String,
    },
    /// To `Workspace`.
    Workspace(Workspace),
    /// To `Credits`: the meter, and what this machine has spent, where that is known.
    Credits(Credits, Option<CreditsSpent>),
    /// To `Ledger`.
    Ledger(Box<LedgerReport>),
    /// To `SetBudgets`.
    Budgets(Budgets),
    /// To `Past`.
    SavedState(Box<SavedState>),
    /// To `Members`.
    Members(Vec<Member>),
    /// To `Subscriptions`, and to a write of them.
    Subscriptions(Vec<Subscription>),
    /// To `Invitations`.
    Invitations(Vec<Invitation>),
    /// To `Queue`.
    Queue(Page<QueueSignal>),
    /// To `Signal`.
    Signal(Box<Signal>),
    /// To `Record`, with the credits that it took, where the service said so.
    Record {
        /// The record and all that is around it.
        record: Box<Record>,
        /// When it was read before, on the service's clock; just now when absent. What was read before costs nothing more.
        read_at: Option<DateTime<Utc>>,
        /// What it cost.
        credits: Option<u64>,
    },
    /// To `Search`.
    SearchPage(SearchPage),
    /// To `Fields`.
    Fields(Vocabulary),
    /// To `Ask`.
    QuestionTranslated(NlTranslation),
    /// To `Views`.
    Views(Vec<View>),
    /// To `Favorites`.
    Favorites(Vec<Favorite>),
    /// To `Skills` and `FindSkills`.
    Skills(Vec<Skill>),
    /// To `Skill`.
    Skill(Box<Skill>, Vec<SkillRevision>),
    /// To `SkillText`: the files that are there, with their texts.
    SkillText(Vec<(SkillFileRef, String)>),
    /// To `Export`: the file is whole.
    Exported(ExportProgress),
    /// To `Write`: what became of each record, in the order of the write; one item for a View.
    Written(Vec<BatchItemResult>),
    /// To `Triage`: how many signals changed their state; unknown when an earlier send of the same call may have changed some.
    Triaged(Option<u64>),
}
