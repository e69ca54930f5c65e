//! What a transaction writes, which decides whom it waits for. On PostgreSQL these are advisory
//! locks, which end with the transaction; an SQLite file has one writer at a time in any case.
//!
//! Locks are taken in one order, everything before a workspace, and a transaction never widens its
//! scope: writers cannot wait for each other in a circle.

use uuid::Uuid;

/// What a transaction may write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteScope {
    /// Everything, such as the index, people, or the queues of all workspaces. Row ids and changes
    /// of the index become visible in their order, because nobody else writes them at the same
    /// time.
    All,
    /// The same, waited for as long as it takes: another instance may be creating the tables.
    Setup,
    /// The records of a workspace, while nobody writes everything.
    Workspace(Uuid),
    /// The records of a workspace that is known only once its caller is: see
    /// [`super::Conn::lock_workspace`].
    Unlocked,
    /// The meter of a workspace, which nothing else writes. It is on the server's disk a moment
    /// after the answer.
    Meter(Uuid),
}

/// The lock of those who write everything; others share it.
const ALL_LOCK: i64 = 0x6774_7273;
/// Tells the lock of a meter from that of its workspace.
const METER: i64 = 0x6d65_7465_7200_0000;

impl WriteScope {
    /// Begins the transaction, and waits until the scope is free.
    pub(super) fn begin_statements(self) -> String {
        match self {
            WriteScope::Unlocked => "BEGIN".to_owned(),
            scope => format!("BEGIN; {}", scope.lock_statements()),
        }
    }

    /// Waits until the scope is free.
    pub(super) fn lock_statements(self) -> String {
        match self {
            WriteScope::All => format!("SELECT pg_advisory_xact_lock({ALL_LOCK})"),
            WriteScope::Setup => {
                format!(
                    "SET LOCAL lock_timeout = 0; SELECT pg_advisory_xact_lock({ALL_LOCK}); SET LOCAL lock_timeout = '5s'"
                )
            }
            WriteScope::Workspace(id) => {
                format!(
                    "SELECT pg_advisory_xact_lock_shared({ALL_LOCK}); SELECT pg_advisory_xact_lock({})",
                    lock_number(id)
                )
            }
            WriteScope::Unlocked => String::new(),
            WriteScope::Meter(id) => {
                format!(
                    "SET LOCAL synchronous_commit = off; SELECT pg_advisory_xact_lock({})",
                    lock_number(id) ^ METER
                )
            }
        }
    }
}

/// The number of a workspace's lock. Two workspaces with the same one would merely wait for each
/// other.
fn lock_number(id: Uuid) -> i64 {
    let (high, low) = id.as_u64_pair();
    (high ^ low).cast_signed()
}
