//! The state shared by all requests and background tasks.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::body::BodyBudget;
use super::clock::Clock;
use super::db::Database;
use super::db::columns::ColumnCache;
use super::db::join_codes::JoinAddress;
use super::db::replica::ReadReplica;
use super::metrics::Metrics;
use super::recent_callers::RecentCallers;
use super::routes::join::JoinLimiter;
use super::time_limits::TimeLimits;
use super::trusted_proxies::TrustedProxies;

pub struct AppState {
    pub db: Database,
    /// Where searches may be run that need not see the latest writes.
    pub replica: Option<ReadReplica>,
    /// What searches keep in memory.
    pub columns: Arc<ColumnCache>,
    /// Where join codes say that the service is; `None` if another one on the same data says that.
    pub join_address: Option<Arc<JoinAddress>>,
    pub clock: Clock,
    pub body_budget: BodyBudget,
    /// The host name by which colleagues call the service, besides its addresses.
    pub public_host: Option<String>,
    /// Who is believed about the address of a client.
    pub trusted_proxies: TrustedProxies,
    pub join_limiter: JoinLimiter,
    pub recent_callers: RecentCallers,
    pub metrics: Metrics,
    pub time_limits: TimeLimits,
    /// Whether each request is logged.
    pub logs_requests: bool,
    /// The service is about to stop: it answers requests, and wants no more of them.
    pub is_draining: AtomicBool,
}
