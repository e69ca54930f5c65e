//! Changes of shared data, as every pane hears of them.

use super::pending_writes::ReversibleWrite;
use crate::domain::members::Member;
use crate::domain::queue::QueueStats;

#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// The service responds again.
    Reconnected,
    /// The counts were read; these were the ones before.
    Counts(Option<QueueStats>),
    PollFailed,
    /// The members were read; these were the ones before.
    Members(Vec<Member>),
    /// A write of any kind is finished, and its notice is shown.
    Written {
        description: String,
        applied: Vec<ReversibleWrite>,
        /// What did not arrive or was rejected, and why.
        failed: Vec<(ReversibleWrite, String)>,
        /// How many of `failed`, from the first, did not arrive or may not have.
        unsettled: usize,
    },
}
