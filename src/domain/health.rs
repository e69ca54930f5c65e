//! The state of a connection, for display.

use chrono::{DateTime, Utc};

/// The state of a connection, from the most recent events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Health {
    /// Nothing received yet.
    #[default]
    Connecting,
    /// The last request was answered.
    Online,
    /// A response is slow, or did not come.
    Slow,
    /// Nothing is received.
    Offline {
        since: DateTime<Utc>,
        reason: String,
    },
    /// Some requests must wait. When the time has come, only a new response changes the state.
    RateLimited { until: DateTime<Utc> },
    /// The credential was rejected: nothing is sent until the person acts.
    SignedOut,
    /// The plan, membership, role or scopes do not allow it.
    Forbidden(String),
}
