//! How a service answers: one state, for whoever wants to know.

use chrono::{DateTime, Utc};

/// How a service answers, by what was heard of it last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Health {
    /// Not heard of yet.
    #[default]
    Connecting,
    /// The last answer was an answer.
    Online,
    /// An answer is long in coming, or one did not come.
    Slow,
    /// Nothing comes.
    Offline {
        /// Since when.
        since: DateTime<Utc>,
        /// Why.
        reason: String,
    },
    /// The service wants some requests to wait; when that time has come, nothing but a new answer says so.
    RateLimited {
        /// Until when.
        until: DateTime<Utc>,
    },
    /// The credential is not accepted: nothing is sent until the person acts.
    SignedOut,
    /// The plan, the membership or the scope does not allow it.
    Forbidden(String),
}
