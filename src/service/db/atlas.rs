//! `atlas_score` and `atlas_trend`: how promising an account of the book is, from 0 to 100, and
//! where it is heading.
//!
//! # The score
//! The interface calls both computed and does not define how. Here the score is the sum of what the
//! workspace and the index know:
//!
//! | Part   | Points | From |
//! |--------|--------|------|
//! | fit    | 0..40  | the tier: 40 for `tier_1`, 25 for `tier_2`, 10 for `tier_3`, 15 without a tier |
//! | moving | 0..30  | 3 for each of its projects with a signal filed within the last 90 days |
//! | news   | 0..20  | 1 for each signal filed on its projects within the last 30 days |
//! | reach  | 0..10  | 2 for each known contact |
//!
//! A `disqualified` account always scores 0. The trend compares the signals filed on its projects
//! within the last 90 days with those of the 90 days before: `up` if there are at least a quarter
//! more, `down` if there were at least a quarter more before, otherwise `flat`.
//!
//! # When
//! A write that changes a tier or saves an account computes its score in the same transaction, so
//! that its answer has it. Accounts of a new workspace are queued ([`schedule_score`]) until their
//! signals are there ([`compute_due_scores`]). `updated_at` does not change, since nobody changed
//! anything.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::Conn;
use super::sql::{Result, params};
use super::values::to_millis;
use crate::domain::WorkspaceId;

const DAY_MILLIS: i64 = 86_400_000;

/// Queues an account of a book for scoring.
pub fn schedule_score(conn: &Conn, workspace: WorkspaceId, account: Uuid) -> Result<()> {
    let sql =
        "INSERT INTO atlas_due (workspace_id, record_id) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
    conn.execute(sql, params![workspace.0, account]).map(drop)
}

/// Scores the queued accounts of all workspaces, and empties the queue.
pub fn compute_due_scores(conn: &Conn, now: DateTime<Utc>) -> Result<()> {
    let mut due = conn.prepare(
        "SELECT d.workspace_id, d.record_id, b.icp_tier FROM atlas_due d
         JOIN book b ON b.workspace_id = d.workspace_id AND b.dataset = 'account' AND b.record_id = d.record_id",
    )?;
    let due = due.query_map([], |row| {
        Ok((WorkspaceId(row.get(0)?), row.get(1)?, row.get(2)?))
    })?;
    let due = due.collect::<Result<Vec<(WorkspaceId, Uuid, Option<String>)>, _>>()?;
    for (workspace, account, tier) in due {
        compute_scores(conn, workspace, &[(account, tier)], now)?;
    }
    conn.execute("DELETE FROM atlas_due", []).map(drop)
}

/// Scores accounts of a book, each by its tier and by what the index knows.
pub fn compute_scores(
    conn: &Conn,
    workspace: WorkspaceId,
    accounts: &[(Uuid, Option<String>)],
    now: DateTime<Utc>,
) -> Result<()> {
    let mut known = conn.prepare(
        "WITH filed AS (
           SELECT s.project_id, s.filed_at FROM project_accounts l JOIN signals s ON s.project_id = l.project_id
           WHERE l.account_id = ?1 AND s.filed_at > CAST(?2 AS BIGINT) - 180 * CAST(?3 AS BIGINT) AND s.filed_at <= ?2 AND s.discovered_at <= ?2
           GROUP BY s.id, s.project_id, s.filed_at)
         SELECT count(DISTINCT project_id) FILTER (WHERE filed_at > ?2 - 90 * ?3), count(*) FILTER (WHERE filed_at > ?2 - 30 * ?3),
           count(*) FILTER (WHERE filed_at > ?2 - 90 * ?3), count(*) FILTER (WHERE filed_at <= ?2 - 90 * ?3),
           (SELECT count(*) FROM contacts WHERE account_id = ?1)
         FROM filed",
    )?;
    let mut kept = conn.prepare(
        "UPDATE book SET atlas_score = ?3, atlas_trend = ?4 WHERE workspace_id = ?1 AND dataset = 'account' AND record_id = ?2",
    )?;
    for (account, tier) in accounts {
        let facts = known.query_row(params![account, to_millis(now), DAY_MILLIS], |row| {
            Ok(ScoreInputs {
                active_projects: row.get(0)?,
                recent_signals: row.get(1)?,
                signals_last_90_days: row.get(2)?,
                signals_previous_90_days: row.get(3)?,
                contacts: row.get(4)?,
            })
        })?;
        kept.execute(params![
            workspace.0,
            account,
            score(tier.as_deref(), &facts),
            trend(&facts)
        ])?;
    }
    Ok(())
}

/// What the index knows about an account.
struct ScoreInputs {
    active_projects: i64,
    recent_signals: i64,
    signals_last_90_days: i64,
    signals_previous_90_days: i64,
    contacts: i64,
}

fn score(tier: Option<&str>, facts: &ScoreInputs) -> i64 {
    let fit = match tier {
        Some("tier_1") => 40,
        Some("tier_2") => 25,
        Some("tier_3") => 10,
        Some("disqualified") => return 0,
        _ => 15,
    };
    fit + (3 * facts.active_projects).min(30)
        + facts.recent_signals.min(20)
        + (2 * facts.contacts).min(10)
}

fn trend(facts: &ScoreInputs) -> &'static str {
    let more = |these: i64, those: i64| 4 * these > 5 * those;
    if more(facts.signals_last_90_days, facts.signals_previous_90_days) {
        "up"
    } else if more(facts.signals_previous_90_days, facts.signals_last_90_days) {
        "down"
    } else {
        "flat"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_is_the_sum_of_its_parts_and_stays_within_a_hundred() {
        let quiet = ScoreInputs {
            active_projects: 0,
            recent_signals: 0,
            signals_last_90_days: 0,
            signals_previous_90_days: 0,
            contacts: 0,
        };
        let busy = ScoreInputs {
            active_projects: 10,
            recent_signals: 99,
            signals_last_90_days: 100,
            signals_previous_90_days: 3,
            contacts: 50,
        };
        let scores = |facts: &ScoreInputs| {
            [Some("tier_1"), Some("tier_2"), Some("tier_3"), None].map(|tier| score(tier, facts))
        };
        assert_eq!((scores(&quiet), trend(&quiet)), ([40, 25, 10, 15], "flat"));
        assert_eq!((scores(&busy), trend(&busy)), ([100, 85, 70, 75], "up"));
        assert_eq!(score(Some("disqualified"), &busy), 0);
        assert_eq!(
            trend(&ScoreInputs {
                signals_last_90_days: 1,
                signals_previous_90_days: 2,
                ..quiet
            }),
            "down"
        );
        assert_eq!(
            trend(&ScoreInputs {
                signals_last_90_days: 5,
                signals_previous_90_days: 4,
                ..quiet
            }),
            "flat"
        );
    }
}
