//! Each project as of the service's clock: its stage and disposition, and the count and dates of
//! its signals.
//!
//! Writers describe a project by all of its signals. When a file is served as of an earlier day,
//! [`advance`] describes projects with later signals by those discovered so far, so that searches
//! and reads need not consider the time; the writer's values are kept in `projects_ahead` and
//! restored once the last signal is discovered. The moment stored as `projects_as_of` is the end of
//! the signals considered; without it, all are.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use super::sql::{Result, Row, params};
use super::values::to_millis;
use super::{Conn, remembered};
use crate::domain::signals::SignalType::{self, *};

/// Whether there are signals from after the clock's time.
pub fn has_future_signals(conn: &Conn, now: DateTime<Utc>) -> Result<bool> {
    let sql = "SELECT 1 FROM signals WHERE discovered_at > ?1";
    conn.exists(sql, [to_millis(now)])
}

/// Describes the projects as of `now`, whether the clock moved forward or back.
pub fn advance(conn: &Conn, now: DateTime<Utc>) -> Result<()> {
    set_as_of(conn, to_millis(now))
}

/// Describes all projects by all of their signals, as their writers expect.
pub fn apply_all_signals(conn: &Conn) -> Result<()> {
    set_as_of(conn, i64::MAX)
}

/// The end of the signals considered; after all of them if it is not stored.
const AS_OF: &str = "projects_as_of";

fn set_as_of(conn: &Conn, now: i64) -> Result<()> {
    let before = remembered::load_number(conn, AS_OF)?.unwrap_or(i64::MAX);
    let sql =
        "SELECT DISTINCT project_id FROM signals WHERE discovered_at > ?1 AND discovered_at <= ?2";
    let turned: Vec<Uuid> =
        conn.query_rows(sql, [before.min(now), before.max(now)], |row| row.get(0))?;
    for project in turned {
        update_project(conn, project, now)?;
    }
    let ahead = conn.exists("SELECT 1 FROM signals WHERE discovered_at > ?1", [now])?;
    if ahead {
        remembered::save(conn, AS_OF, now)
    } else {
        remembered::remove(conn, AS_OF)
    }
}

fn update_project(conn: &Conn, project: Uuid, now: i64) -> Result<()> {
    let sql = "SELECT signal_type, filed_at, source_filing_id, source_row, discovered_at <= ?2 FROM signals WHERE project_id = ?1 ORDER BY filed_at, rowid";
    let mut known: Vec<(FiledSignal, bool)> =
        conn.query_rows(sql, params![project, now], |row| {
            Ok((FiledSignal::read(row)?, row.get(4)?))
        })?;
    let all = known.len();
    known.retain(|(_, is_known)| *is_known);
    let mut known: Vec<&FiledSignal> = known.iter().map(|(signal, _)| signal).collect();
    known.sort_by_key(|signal| signal.order()); // stable
    let day = |signal: Option<&&FiledSignal>| signal.map(|signal| to_millis(signal.filed_at));
    let sql = "UPDATE projects SET signals_count = ?2, first_signal_at = ?3, last_signal_at = ?4 WHERE id = ?1";
    conn.prepare(sql)?.execute(params![
        project,
        known.len() as i64,
        day(known.first()),
        day(known.last())
    ])?;
    let (stage, disposition) = if known.len() < all {
        let sql = "INSERT INTO projects_ahead SELECT id, stage, disposition FROM projects WHERE id = ?1 ON CONFLICT DO NOTHING";
        conn.execute(sql, [project])?;
        let status = derive_status(&known);
        (
            Some(status.stage.to_owned()),
            Some(status.disposition.to_owned()),
        )
    } else {
        let sql = "DELETE FROM projects_ahead WHERE project_id = ?1 RETURNING stage, disposition";
        match conn.find_row(sql, [project], |row| Ok((row.get(0)?, row.get(1)?)))? {
            Some(saved) => saved,
            None => return Ok(()),
        }
    };
    let sql = "UPDATE projects SET stage = ?2, disposition = ?3 WHERE id = ?1";
    conn.execute(sql, params![project, stage, disposition])
        .map(drop)
}

/// The signals of a permit that was withdrawn, denied or has expired.
pub const ENDINGS: [SignalType; 3] = [EntitlementDenial, Withdrawal, Expiration];

/// The permits of one piece of work are filed within this time.
pub const WORK_TIME: TimeDelta = TimeDelta::days(366);

/// A signal of a project, with what tells its permit from others.
pub struct FiledSignal {
    pub signal_type: SignalType,
    pub filed_at: DateTime<Utc>,
    /// The number of its permit.
    pub number: Option<String>,
    /// The row of a file that it comes from.
    pub row: Option<i64>,
}

impl FiledSignal {
    /// Reads the columns `signal_type, filed_at, source_filing_id, source_row`.
    pub fn read(row: &Row<'_>) -> Result<FiledSignal> {
        Ok(FiledSignal {
            signal_type: row.get::<_, String>(0)?.as_str().into(),
            filed_at: DateTime::from_timestamp_millis(row.get(1)?).unwrap_or_default(),
            number: row.get(2)?,
            row: row.get(3)?,
        })
    }

    /// The order of filing. On the same day a permit is filed, then approved, then issued, then
    /// finished.
    pub fn order(&self) -> (DateTime<Utc>, usize) {
        let rank = match self.signal_type {
            PermitFiled => 0,
            EntitlementApproval => 1,
            DemolitionPermit => 2,
            PermitIssued => 3,
            Completion => 4,
            _ => 5,
        };
        (self.filed_at, rank)
    }
}

/// What became of a project.
pub struct ProjectStatus {
    pub stage: &'static str,
    pub disposition: &'static str,
    /// The rows of permits that were withdrawn, denied or have expired. None, if all of them did:
    /// then the project did.
    pub ended: HashSet<Option<i64>>,
}

/// A project's status, from its signals in the order of filing. Permits that ended count only if
/// all did. Of the others that go on the last signal that affects the stage determines it, and a
/// final signal ends the project if nothing follows.
pub fn derive_status(signals: &[&FiledSignal]) -> ProjectStatus {
    let last: HashMap<Option<i64>, &SignalType> = (signals.iter())
        .map(|signal| (signal.row, &signal.signal_type))
        .collect();
    let mut ended: HashSet<Option<i64>> = (last.iter())
        .filter(|(_, signal_type)| ENDINGS.contains(signal_type))
        .map(|(row, _)| *row)
        .collect();
    if ended.len() == last.len() {
        ended.clear();
    }
    let mut counted = signals.to_vec();
    counted.retain(|signal| !ended.contains(&signal.row));
    leave_out_finished_parts(&mut counted);
    let (mut stage, mut disposition) = ("proposed", "active");
    for signal in counted {
        stage = match signal.signal_type {
            EntitlementApplication | EnvironmentalReview | PublicReview => "in_review",
            EntitlementApproval => "approved",
            PermitFiled => "permit_review",
            PermitIssued | DemolitionPermit => "permitted",
            SitePrep if stage == "permitted" => "under_construction",
            Completion => "completed",
            _ => stage,
        };
        disposition = match signal.signal_type {
            EntitlementDenial => "denied",
            Withdrawal => "withdrawn",
            Expiration => "expired",
            Completion => "completed",
            _ => "active",
        };
    }
    ProjectStatus {
        stage,
        disposition,
        ended,
    }
}

/// Leaves out the permits that were completed while another goes on that is of the same work: one
/// with a signal later than [`WORK_TIME`] before their first.
fn leave_out_finished_parts<'s>(signals: &mut Vec<&'s FiledSignal>) {
    // a permit may have several rows, but no type of signal twice
    let mut seen = HashSet::new();
    let shared: HashSet<&Option<String>> = (signals.iter())
        .filter(|signal| !seen.insert((&signal.number, signal.signal_type.as_str())))
        .map(|signal| &signal.number)
        .collect();
    let permit_of = |signal: &'s FiledSignal| {
        let row = signal.row?;
        let row = Some(row).filter(|_| shared.contains(&signal.number));
        Some((&signal.number, row))
    };
    let mut permits = HashMap::new();
    for signal in signals.iter() {
        let permit = permits.entry(permit_of(signal));
        let (_, last) = permit.or_insert((signal.filed_at, *signal));
        *last = signal;
    }
    let is_open = |last: &FiledSignal| last.signal_type != Completion;
    let open_until = (permits.values())
        .filter(|(_, last)| is_open(last))
        .map(|(_, last)| last.filed_at)
        .max();
    signals.retain(|signal| {
        let (first, last) = permits[&permit_of(signal)];
        is_open(last) || open_until.is_none_or(|until| first - until > WORK_TIME)
    });
}
