//! The reply router: which call was made by whom, and why.
//!
//! A reply goes to the asker of its call and to nobody else. Stale replies are dropped here and
//! nowhere else: of an exclusive slot the latest request wins, and the reply to an older one finds
//! no entry.

use std::collections::BTreeMap;

use crate::app::connection::HeaderRequest;
use crate::app::effect::{ListId, RecordKey, Slot};
use crate::app::model::queue::QueueRequest;
use crate::app::model::views::ViewsRequest;
use crate::app::msg::Token;
use crate::app::outbox::pending_write::WritePart;
use crate::app::outbox::preflight::UndoRequest;
use crate::app::overlay::call_form::OpeningRead;
use crate::app::panes::messages::PaneRequest;
use crate::domain::SignalId;
use crate::domain::queue::QueueSignal;

/// Rows of the Done list, and whether these are all.
pub type DoneRows = (Vec<QueueSignal>, bool);

/// Who asked, and what for: the asker's own request.
#[derive(Clone, Debug)]
pub enum Request {
    Pane(PaneRequest),
    Header(HeaderRequest),
    /// The journal and drafts of earlier runs.
    SavedState,
    /// What this machine wrote.
    Journal,
    Handoff {
        with_team: bool,
        /// The rows of the Done list that were read for it.
        done: Option<DoneRows>,
    },
    /// The next rows of the Done list for a handoff, after these.
    HandoffDone(Vec<QueueSignal>),
    SaveText,
    CallOpening(OpeningRead),
    Queue(QueueRequest),
    /// A signal, for its description.
    Description(SignalId),
    Record(RecordKey),
    /// A record that a list or a form lacks.
    MissingRecord(RecordKey),
    Records(ListId),
    Views(ViewsRequest),
    /// The subscriptions, to explain the priority of this row.
    Priority(Box<QueueSignal>),
    Export,
    Write(WritePart),
    /// The check of an interrupted triage.
    Reconcile,
    Undo(UndoRequest),
}

impl<R: Into<PaneRequest>> From<R> for Request {
    fn from(request: R) -> Request {
        Request::Pane(request.into())
    }
}

/// A call without a reply.
#[derive(Clone, Debug)]
pub struct OpenRequest {
    pub slot: Slot,
    pub request: Request,
    /// Why the call was made, for the ledger.
    pub reason: &'static str,
}

/// Data that several slots read. Of two replies the one to the later call counts, whichever arrives
/// first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SharedData {
    Budgets,
    Members,
    Subscriptions,
}

/// The last failure that the notice shows.
#[derive(Clone, Debug)]
struct ShownFailure {
    slot: Slot,
    notice: String,
    /// The last call made before it was shown.
    last_token: u64,
}

/// The calls without a reply, by token.
#[derive(Clone, Debug, Default)]
pub struct Requests {
    last_token: u64,
    open: BTreeMap<Token, OpenRequest>,
    /// The token of the reply that is being delivered.
    delivered: Token,
    /// The tokens of the replies that shared data was last taken from.
    newest: BTreeMap<SharedData, Token>,
    shown_failure: Option<ShownFailure>,
}

impl Requests {
    /// Registers a call. In an exclusive slot it supersedes the call before.
    pub fn open(&mut self, slot: Slot, request: Request, reason: &'static str) -> Token {
        if slot.is_exclusive() {
            self.abandon(&slot);
        }
        self.last_token += 1;
        let token = Token(self.last_token);
        self.open.insert(
            token,
            OpenRequest {
                slot,
                request,
                reason,
            },
        );
        token
    }

    /// Removes the request that a reply answers; `None` for a stale reply.
    pub fn take(&mut self, token: Token) -> Option<OpenRequest> {
        self.delivered = token;
        self.open.remove(&token)
    }

    /// The token of the reply that is being delivered.
    pub fn delivered(&self) -> Token {
        self.delivered
    }

    /// Whether the reply that is being delivered has newer data than the last one; from now on it
    /// is the last one.
    pub fn is_newest(&mut self, data: SharedData) -> bool {
        let newest = self.newest.entry(data).or_default();
        let is_newer = *newest <= self.delivered;
        *newest = self.delivered.max(*newest);
        is_newer
    }

    /// The notice shows the failure of a call of this slot.
    pub fn set_shown_failure(&mut self, slot: Slot, notice: String) {
        self.shown_failure = Some(ShownFailure {
            slot,
            notice,
            last_token: self.last_token,
        });
    }

    /// The notice of a failure in this slot, if this reply answers a later call.
    pub fn take_shown_failure(&mut self, slot: &Slot, token: Token) -> Option<String> {
        let is_answered =
            |failure: &mut ShownFailure| failure.slot == *slot && token.0 > failure.last_token;
        self.shown_failure
            .take_if(is_answered)
            .map(|failure| failure.notice)
    }

    /// Drops the requests of a slot: nobody waits for their replies any longer.
    pub fn abandon(&mut self, slot: &Slot) {
        self.open.retain(|_, open| open.slot != *slot);
    }

    /// Whether a request that matches has no reply yet.
    pub fn is_open(&self, matches: impl Fn(&Request) -> bool) -> bool {
        self.open.values().any(|open| matches(&open.request))
    }

    /// Whether a request of this slot has no reply yet.
    pub fn is_slot_open(&self, slot: &Slot) -> bool {
        self.open.values().any(|open| open.slot == *slot)
    }

    /// The token of the last request.
    pub fn last(&self) -> Token {
        Token(self.last_token)
    }

    /// Whether a request after the first of these, up to the second, has no reply yet.
    pub fn has_open_between(&self, first: Token, last: Token) -> bool {
        self.open.range(first..=last).any(|(open, _)| *open > first)
    }

    /// Whether this token's request has no reply yet.
    pub fn contains(&self, token: Token) -> bool {
        self.open.contains_key(&token)
    }
}
