//! Changes of shared data, as every pane hears of them.

use uuid::Uuid;

use super::annotation_cache::CachedAnnotation;
use super::effect::{ListId, RecordKey};
use crate::app::outbox::undo_history::StepCause;
use crate::domain::members::{InvitationDelivery, Member};
use crate::domain::queue::QueueStats;
use crate::domain::runs::SavedSearchRun;
use crate::domain::search::SortOrder;
use crate::domain::signals::SignalType;
use crate::domain::writes::ReversibleWrite;
use crate::domain::{SignalId, ViewId};

#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Rows of a list of records arrived, from this index on.
    RowsRead {
        list: ListId,
        first_row: usize,
    },
    /// The rows of a list's filter are shown.
    Filtered(ListId),
    /// The user chose another order for a list; `None` is the order of its route.
    ListSorted(ListId, Option<SortOrder>),
    /// Search runs of earlier sessions.
    RunsRestored(Vec<SavedSearchRun>),
    /// The service responds again.
    Reconnected,
    /// The configuration was read again.
    SettingsReloaded,
    /// The counts were read; these were the ones before.
    Counts(Option<QueueStats>),
    PollFailed,
    /// The Views, the favorites, or the user's saved searches or queue tabs changed.
    Views,
    /// The user created this View.
    ViewCreated(ViewId),
    /// The page of a record was read.
    RecordRead(RecordKey),
    /// This record was read as one of the book, and is no longer in it.
    LeftBook(RecordKey),
    /// The members were read; these were the ones before.
    Members(Vec<Member>),
    /// The subscriptions were read; these were the types in display order before, none if nothing
    /// was loaded.
    Subscriptions(Vec<SignalType>),
    /// An own write of this record's annotation arrived.
    Annotated(Uuid, CachedAnnotation),
    /// These signals are back on the list that is shown, by an undo.
    SignalsReturned(Vec<SignalId>),
    /// An invitation to this address was created.
    Invited(String, Box<InvitationDelivery>),
    /// A write of any kind is finished, and its notice is shown.
    Written(FinishedWrite),
}

#[derive(Clone, Debug, PartialEq)]
pub struct FinishedWrite {
    pub description: String,
    pub cause: StepCause,
    pub applied: Vec<ReversibleWrite>,
    /// Records that already had the new values.
    pub unchanged: Vec<Uuid>,
    /// What did not arrive or was rejected, and why.
    pub failed: Vec<(ReversibleWrite, String)>,
    /// How many of `failed`, from the first, did not arrive or may not have.
    pub unsettled: usize,
    /// The service did not respond to a part of it.
    pub got_no_response: bool,
}
