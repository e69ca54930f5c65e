//! Credits: what reads cost (interface: Limits). The interface does not show the payload of `GET
//! /workspace/credits`; the names are ours.

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
    pub limit: Option<u64>,
    /// By everybody in the workspace.
    pub used: Option<u64>,
    pub remaining: Option<u64>,
    /// When the oldest credits are released from the window.
    pub next_release_at: Option<DateOrDateTime>,
    /// What `GET /signals/{id}` costs, if the service states it: the interface does not.
    pub signal_read_credits: Option<u64>,
}

impl From<AliasedFields> for Credits {
    fn from(sent: AliasedFields) -> Self {
        Credits {
            limit: sent.count(&["limit", "ceiling", "quota", "max"]),
            used: sent.count(&["used", "spent", "consumed", "usage"]),
            remaining: sent.count(&["remaining", "left", "available", "balance"]),
            next_release_at: sent.parse(&["next_release_at", "resets_at", "reset_at"]),
            signal_read_credits: sent.count(&["signal_read_credits"]),
        }
    }
}

/// The known cost of one request: an entry of the spend ledger. A later value with the same id
/// updates it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestCost {
    /// The request; ids are time-ordered.
    pub id: Uuid,
    /// Method and path, with `{id}` where it names a record: `GET /data/projects/{id}`.
    pub route: String,
    /// The cost; unknown until the response reports it, because a lost response may have been paid
    /// for.
    pub credits: Option<u64>,
    /// Rows received, if the response was a list.
    pub rows: Option<u64>,
    /// The most it can cost, if known before it is sent.
    pub max_credits: Option<u64>,
}

/// The sum of ledger entries with the same quarter of an hour, route and reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UsageSum {
    /// Start of the quarter of an hour.
    pub at: DateTime<Utc>,
    /// Method and path, without ids.
    pub route: String,
    /// The command's id in the console, `poll` or the verb.
    pub reason: String,
    pub requests: u64,
    /// The known cost.
    pub credits: u64,
    /// Number of requests of unknown cost.
    pub unknown: u64,
}

/// The ledger of one meter, as shown on the Credits screen.
#[derive(Clone, Debug, PartialEq)]
pub struct LedgerReport {
    /// The service's meter, or why it could not be read.
    pub meter: Result<Credits, String>,
    /// The comparison with the meter, if that was read.
    pub reconciliation: Option<MeterReconciliation>,
    /// Spent by this machine.
    pub spent: CreditsSpent,
    /// Meter readings within its window, oldest first.
    pub readings: Vec<(DateTime<Utc>, u64)>,
    /// Sums over [`LEDGER_REPORT_PERIOD`], newest first.
    pub usage: Vec<UsageSum>,
    /// The latest entries, newest first; at most [`MAX_LATEST_ENTRIES`].
    pub latest_entries: Vec<LedgerEntry>,
}

/// The period that the ledger is summed over.
pub const LEDGER_REPORT_PERIOD: chrono::Duration = chrono::Duration::days(31);

/// Maximum number of entries listed one by one.
pub const MAX_LATEST_ENTRIES: u32 = 500;

/// An entry of the spend ledger, as stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LedgerEntry {
    /// When it was sent, by this machine's clock.
    pub at: DateTime<Utc>,
    /// The cost; `None` if unknown.
    pub credits: Option<u64>,
    /// The response did not report the cost; a later meter reading confirmed it.
    pub settled: bool,
    /// Rows received, if the response was a list.
    pub rows: Option<u64>,
    /// Method and path, without ids.
    pub route: String,
    /// The command's id in the console, `poll` or the verb.
    pub reason: String,
    /// The change or search it belongs to: the pages of one search share it.
    pub op: Uuid,
    pub workspace_id: Option<WorkspaceId>,
}

/// The ledger of this machine compared with the service's meter, over the meter's window.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MeterReconciliation {
    /// Start of the window.
    pub since: DateTime<Utc>,
    /// Credits used by the workspace, according to the service.
    pub used: u64,
    /// Credits booked by this machine.
    pub booked: u64,
    /// Number of requests of unknown cost; not in `booked`.
    pub unknown: u64,
    /// `used` minus `booked`: spent by colleagues, by this person elsewhere, or by requests of
    /// unknown cost.
    pub drift: i64,
}

/// The window of the meter (interface: Limits).
pub const METER_WINDOW: chrono::Duration = chrono::Duration::hours(24);
