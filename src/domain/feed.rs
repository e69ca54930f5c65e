//! The feed: all signals of the index, whether or not the workspace is subscribed to their types.

use chrono::{DateTime, Utc};

use super::signals::SignalType;
use super::{AccountId, ProjectId};

/// Filters of the feed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FeedFilter {
    pub project_id: Option<ProjectId>,
    /// Signals of the projects associated with this account.
    pub account_id: Option<AccountId>,
    pub signal_type: Option<SignalType>,
    /// Filed at or after.
    pub filed_after: Option<DateTime<Utc>>,
    /// Filed before (exclusive).
    pub filed_before: Option<DateTime<Utc>>,
    /// Discovered at or after.
    pub discovered_after: Option<DateTime<Utc>>,
    /// Fuzzy text over filing id, source URL and project name.
    pub q: String,
    /// The project's city.
    pub city: String,
}
