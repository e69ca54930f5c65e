//! What the console wants done. Plain comparable data, never a closure: the runtime does it, a test reads it.

use std::path::PathBuf;
use std::time::Duration;

use crate::domain::queue::{QueueFilter, TriageStatus};
use crate::domain::{ProjectId, SignalId};

use super::msg::{Timer, Token};

/// An order to the runtime.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Ask the service; the answer comes back as `Replied` with the same token, always exactly once.
    Call {
        /// Ties the reply to this call.
        token: Token,
        /// What the call is for: [`Effect::Cancel`] names it.
        slot: Slot,
        /// What is asked.
        call: Call,
    },
    /// Give up the calls of a slot: reads are dropped, writes that have not left are not sent, writes that have left are waited
    /// for. Each still replies, with [`Kind::Cancelled`](crate::domain::failure::Kind::Cancelled) when it was given up.
    Cancel(Slot),
    /// Send `Elapsed` with this timer after a while.
    Wait {
        /// What the wait is for.
        timer: Timer,
        /// How long.
        after: Duration,
    },
    /// Put a text on the clipboard (OSC 52).
    Copy(String),
    /// Open an http or https page in the person's browser.
    Open(String),
    /// Ask for the stats now rather than at the next poll.
    Poll,
    /// Poll at this interval from now on.
    PollEvery(Duration),
    /// Switch the terminal's mouse capture.
    Mouse(bool),
    /// Stop until the shell brings the program back; `Resumed` follows.
    Suspend,
    /// Draw everything anew.
    Repaint,
    /// End the program.
    Quit,
}

/// What a call is for. Of the reads of one slot the latest counts; writes all count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
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
    /// The check of what became of a broken triage.
    Verify,
    /// The dossier of a signal's project.
    Dossier,
    /// A signal with its source's payload.
    Signal,
    /// An act of triage, by its number.
    Triage(u64),
}

/// A question to the service, or an order to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Call {
    /// Start or reach a service, and be signed in to it.
    Connect(Target),
    /// `GET /workspace`.
    Workspace,
    /// `GET /workspace/credits`.
    Credits,
    /// `GET /workspace/members`.
    Members,
    /// `GET /signal-subscriptions`.
    Subscriptions,
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
    /// `GET /data/projects/{id}` with every include; 1 credit.
    Dossier(ProjectId),
    /// `POST /signals/triage`, at most [`TRIAGE_MAX`](crate::domain::queue::TRIAGE_MAX) ids.
    Triage {
        /// The signals.
        ids: Vec<SignalId>,
        /// Where they go.
        status: TriageStatus,
    },
}

/// What the first screen can open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
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
