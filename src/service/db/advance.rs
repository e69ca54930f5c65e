//! What time alone changes: signals enter and leave the queues, and projects are described by the
//! signals discovered so far.

use chrono::{DateTime, TimeDelta, Utc};

use super::sql::Result;
use super::values::to_millis;
use super::{Conn, project_status, queue};
use crate::domain::queue::QUEUE_HISTORY_DAYS;

/// Whether time has changed the queues or the projects since the last [`advance`], with
/// [`condition_values`] from `?3` on. It looks only at the index: a request reads nothing of other
/// workspaces, which may be on other machines.
pub(super) const NEEDS_ADVANCE: &str = "
    EXISTS (SELECT 1 FROM signals WHERE discovered_at <= ?3 AND discovered_at >
      ifnull((SELECT CAST(value AS BIGINT) FROM remembered WHERE name = 'queue_as_of'), ?4))
    OR EXISTS (SELECT 1 FROM signals WHERE filed_at < ?6 AND filed_at >=
      ifnull((SELECT CAST(value AS BIGINT) FROM remembered WHERE name = 'queue_as_of'), 0) - CAST(?7 AS BIGINT))
    OR EXISTS (SELECT 1 FROM signals WHERE
      discovered_at > min(?3, ifnull((SELECT CAST(value AS BIGINT) FROM remembered WHERE name = 'projects_as_of'), ?5)) AND
      discovered_at <= max(?3, ifnull((SELECT CAST(value AS BIGINT) FROM remembered WHERE name = 'projects_as_of'), ?5)))
    OR EXISTS (SELECT 1 FROM remembered WHERE name = 'queue_as_of' AND CAST(value AS BIGINT) > ?8)";

/// The values of [`NEEDS_ADVANCE`].
pub(super) fn condition_values(now: DateTime<Utc>) -> [i64; 6] {
    let history = TimeDelta::days(QUEUE_HISTORY_DAYS).num_milliseconds();
    [
        to_millis(now),
        i64::MIN,
        i64::MAX,
        queue::history_start_millis(now),
        history,
        to_millis(now + queue::MAX_CLOCK_DIFFERENCE),
    ]
}

/// Brings the queues and the projects to `now`.
pub fn advance(conn: &Conn, now: DateTime<Utc>) -> Result<()> {
    project_status::advance(conn, now)?;
    queue::advance(conn, now)
}
