//! Each project as of the service's clock: its stage and disposition, and the count and dates of
//! its signals.
//!
//! Writers describe a project by all of its signals. When a file is served as of an earlier day,
//! [`advance`] describes projects with later signals by those discovered so far, so that searches
//! and reads need not consider the time; the writer's values are kept in `projects_ahead` and
//! restored once the last signal is discovered. The moment stored as `projects_as_of` is the end of
//! the signals considered; without it, all are.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::sql::{OptionalExtension, params};
use super::values::to_millis;
use super::{Conn, DbError};
use crate::domain::signals::SignalType::{self, *};

/// Whether there are signals from after the clock's time.
pub fn has_future_signals(conn: &Conn, now: DateTime<Utc>) -> Result<bool, DbError> {
    Ok(conn
        .prepare_cached("SELECT 1 FROM signals WHERE discovered_at > ?1")?
        .exists([to_millis(now)])?)
}

/// Describes the projects as of `now`, whether the clock moved forward or back.
pub fn advance(conn: &Conn, now: DateTime<Utc>) -> Result<(), DbError> {
    set_as_of(conn, to_millis(now))
}

/// Describes all projects by all of their signals, as their writers expect.
pub fn apply_all_signals(conn: &Conn) -> Result<(), DbError> {
    set_as_of(conn, i64::MAX)
}

fn set_as_of(conn: &Conn, now: i64) -> Result<(), DbError> {
    let before = load_as_of(conn)?;
    let turned: Vec<Uuid> = conn
        .prepare_cached("SELECT DISTINCT project_id FROM signals WHERE discovered_at > ?1 AND discovered_at <= ?2")?
        .query_map([before.min(now), before.max(now)], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    for project in turned {
        update_project(conn, project, now)?;
    }
    let ahead = conn
        .prepare_cached("SELECT 1 FROM signals WHERE discovered_at > ?1")?
        .exists([now])?;
    conn.prepare_cached("DELETE FROM remembered WHERE name = 'projects_as_of'")?
        .execute([])?;
    if ahead {
        conn.prepare_cached("INSERT INTO remembered VALUES ('projects_as_of', ?1)")?
            .execute([now])?;
    }
    Ok(())
}

fn update_project(conn: &Conn, project: Uuid, now: i64) -> Result<(), DbError> {
    type Known = (i64, SignalType, bool, Option<i64>);
    let mut known: Vec<Known> = conn
        .prepare_cached(
            "SELECT filed_at, signal_type, discovered_at <= ?2, source_row FROM signals WHERE project_id = ?1 ORDER BY filed_at, rowid",
        )?
        .query_map(params![project, now], |row| {
            Ok((row.get(0)?, row.get::<_, String>(1)?.as_str().into(), row.get(2)?, row.get(3)?))
        })?
        .collect::<Result<_, _>>()?;
    let all = known.len();
    known.retain(|(_, _, is_known, _)| *is_known);
    known.sort_by_key(|(filed_at, signal_type, ..)| (*filed_at, filing_rank(signal_type))); // stable
    conn.prepare_cached("UPDATE projects SET signals_count = ?2, first_signal_at = ?3, last_signal_at = ?4 WHERE id = ?1")?
        .execute(params![project, known.len() as i64, known.first().map(|first| first.0), known.last().map(|last| last.0)])?;
    let (stage, disposition) = if known.len() < all {
        conn.prepare_cached(
            "INSERT INTO projects_ahead SELECT id, stage, disposition FROM projects WHERE id = ?1 ON CONFLICT DO NOTHING",
        )?
        .execute([project])?;
        let (stage, disposition) = derive_status(
            known
                .iter()
                .map(|(_, signal_type, _, row)| (*row, signal_type)),
        );
        (Some(stage.to_owned()), Some(disposition.to_owned()))
    } else {
        let mut saved = conn.prepare_cached(
            "DELETE FROM projects_ahead WHERE project_id = ?1 RETURNING stage, disposition",
        )?;
        let Some(saved) = saved
            .query_row([project], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?
        else {
            return Ok(());
        };
        saved
    };
    conn.prepare_cached("UPDATE projects SET stage = ?2, disposition = ?3 WHERE id = ?1")?
        .execute(params![project, stage, disposition])?;
    Ok(())
}

/// The end of the signals considered; after all of them if it is not stored.
fn load_as_of(conn: &Conn) -> Result<i64, DbError> {
    let mut sql = conn.prepare_cached(
        "SELECT CAST(value AS BIGINT) FROM remembered WHERE name = 'projects_as_of'",
    )?;
    Ok(sql
        .query_row([], |row| row.get(0))
        .optional()?
        .unwrap_or(i64::MAX))
}

/// The order of signals filed at the same moment: a permit is filed, then issued, then finished.
pub fn filing_rank(signal_type: &SignalType) -> usize {
    match signal_type {
        PermitFiled => 0,
        DemolitionPermit => 1,
        PermitIssued => 2,
        Completion => 3,
        _ => 4,
    }
}

/// The signals of a permit that was withdrawn, denied or has expired.
pub const ENDINGS: [SignalType; 3] = [EntitlementDenial, Withdrawal, Expiration];

/// The permits of a project that were withdrawn, denied or have expired, by the rows that describe
/// them, from its signals in the order of filing. None, if all of them did: then the project did.
pub fn ended_permits<'a>(
    signals: impl Iterator<Item = (Option<i64>, &'a SignalType)>,
) -> HashSet<Option<i64>> {
    let last: HashMap<Option<i64>, &SignalType> = signals.collect();
    let ended: HashSet<Option<i64>> = last
        .iter()
        .filter(|(_, signal_type)| ENDINGS.contains(signal_type))
        .map(|(permit, _)| *permit)
        .collect();
    if ended.len() < last.len() {
        ended
    } else {
        HashSet::new()
    }
}

/// A project's stage and disposition, from its signals in the order of filing, each with the row of
/// its permit. Permits that ended count only if all did. Of the others the last signal that affects
/// the stage determines it, and a final signal ends the project if nothing follows.
pub fn derive_status<'a>(
    signals: impl Iterator<Item = (Option<i64>, &'a SignalType)> + Clone,
) -> (&'static str, &'static str) {
    let ended = ended_permits(signals.clone());
    let (mut stage, mut disposition) = ("proposed", "active");
    for (_, signal_type) in signals.filter(|(permit, _)| !ended.contains(permit)) {
        stage = match signal_type {
            EntitlementApplication | EnvironmentalReview | PublicReview => "in_review",
            EntitlementApproval => "approved",
            PermitFiled => "permit_review",
            PermitIssued | DemolitionPermit => "permitted",
            SitePrep if stage == "permitted" => "under_construction",
            Completion => "completed",
            _ => stage,
        };
        disposition = match signal_type {
            EntitlementDenial => "denied",
            Withdrawal => "withdrawn",
            Expiration => "expired",
            Completion => "completed",
            _ => "active",
        };
    }
    (stage, disposition)
}
