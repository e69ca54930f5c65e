//! Credits: what reads cost (interface: Limits). Payload of `GET /workspace/credits` is not shown there; names as ours.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::WorkspaceId;
use super::aliased_fields::AliasedFields;
use super::budgets::CreditsSpent;
use super::lenient::DateOrDateTime;

/// What the workspace has used in its rolling window of 24 hours.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "AliasedFields")]
pub struct Credits {
    /// The ceiling.
    pub limit: Option<u64>,
    /// Spent within the window, by everybody in the workspace.
    pub used: Option<u64>,
    /// Left within the window.
    pub remaining: Option<u64>,
    /// When the oldest spending leaves the window.
    pub next_release_at: Option<DateOrDateTime>,
}

impl From<AliasedFields> for Credits {
    fn from(sent: AliasedFields) -> Self {
        Credits {
            limit: sent.count(&["limit", "ceiling", "quota", "max"]),
            used: sent.count(&["used", "spent", "consumed", "usage"]),
            remaining: sent.count(&["remaining", "left", "available", "balance"]),
            next_release_at: sent.parse(&["next_release_at", "resets_at", "reset_at"]),
        }
    }
}

/// What one request took, as far as is known: a line of the spend ledger. The same id again says more of the same request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestCost {
    /// The request; ids grow with time.
    pub id: Uuid,
    /// Method and path, with `{id}` where it names a record: `GET /data/projects/{id}`.
    pub route: String,
    /// What it took. Unknown when the answer does not say, and until there is one: a lost answer may have been paid for.
    pub credits: Option<u64>,
    /// Rows that came, where the answer was a list.
    pub rows: Option<u64>,
    /// The most that it can take, where that is known before it leaves.
    pub max_credits: Option<u64>,
}

/// Lines of the ledger that share a quarter of an hour, a route and a reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UsageSum {
    /// When the quarter begins.
    pub at: DateTime<Utc>,
    /// Method and path, without ids.
    pub route: String,
    /// The command's id in the console, `poll` or the verb.
    pub reason: String,
    /// Requests.
    pub requests: u64,
    /// What they took, as far as it was told.
    pub credits: u64,
    /// Requests among them whose price nobody told.
    pub unknown: u64,
}

/// The ledger of one meter as the Credits screen shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct LedgerReport {
    /// The service's meter, or why it could not be read.
    pub meter: Result<Credits, String>,
    /// The ledger beside the meter, where that was read.
    pub reconciliation: Option<MeterReconciliation>,
    /// What this machine has spent.
    pub spent: CreditsSpent,
    /// What the meter stood at, over its window, the oldest first.
    pub readings: Vec<(DateTime<Utc>, u64)>,
    /// The lines of [`TALLIED`], the newest first.
    pub usage: Vec<UsageSum>,
    /// The last lines, the newest first; at most [`LATEST`].
    pub latest_entries: Vec<LedgerEntry>,
}

/// The ledger is summed over so long.
pub const LEDGER_REPORT_PERIOD: chrono::Duration = chrono::Duration::days(31);

/// Lines of the ledger that are listed one by one.
pub const MAX_LATEST_ENTRIES: u32 = 500;

/// A line of the spend ledger as it is read back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LedgerEntry {
    /// When it was asked, on this machine's clock.
    pub at: DateTime<Utc>,
    /// What it took; unknown when nobody told.
    pub credits: Option<u64>,
    /// The answer did not tell its price, and the meter has told it since.
    pub settled: bool,
    /// Rows that came, where the answer was a list.
    pub rows: Option<u64>,
    /// Method and path, without ids.
    pub route: String,
    /// The command's id in the console, `poll` or the verb.
    pub reason: String,
    /// One act of the person: the pages of one search share it.
    pub op: Uuid,
    /// Whose credits.
    pub workspace_id: Option<WorkspaceId>,
}

/// The ledger of this machine beside the service's meter, over the meter's window.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MeterReconciliation {
    /// Where the window begins.
    pub since: DateTime<Utc>,
    /// What the service says that the workspace has used.
    pub used: u64,
    /// What this machine has booked.
    pub booked: u64,
    /// Requests among them whose price nobody told; not in `booked`.
    pub unknown: u64,
    /// `used` less `booked`: what colleagues spent, or this person elsewhere, or what was of unknown price.
    pub drift: i64,
}

/// The window of the meter (interface: Limits).
pub const METER_WINDOW: chrono::Duration = chrono::Duration::hours(24);
