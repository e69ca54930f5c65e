//! The clock of data that is served as of an earlier day: when it began, and how far it came. That
//! of a file stands still while nobody serves it. Instances on one PostgreSQL database share a
//! clock, which runs on from its first start.
//!
//! Never here: the clock itself.

use chrono::{DateTime, Utc};

use super::sql::{OptionalExtension as _, params};
use super::values::to_millis;
use super::{Conn, DbError};

/// Signals leave the queue after this many days.
const QUEUE_DAYS: i64 = 90;
const MILLIS_PER_DAY: i64 = 24 * 60 * 60 * 1000;
const NEXT_ARRIVAL: &str = "next_arrival";

/// Where a clock that starts at `start` continues, if it has the same start: where it was stopped,
/// or where it is by the system time `now`.
pub fn resume(
    conn: &Conn,
    start: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Result<DateTime<Utc>, DbError> {
    let is_known = load(conn, "clock_start")? == Some(to_millis(start));
    if conn.is_postgres() {
        let began = if is_known {
            load(conn, "clock_began")?.and_then(DateTime::from_timestamp_millis)
        } else {
            None
        };
        let began = began.filter(|began| *began <= now).unwrap_or(now);
        save_moments(conn, [("clock_start", start), ("clock_began", began)])?;
        return Ok(start + (now - began));
    }
    let reached = if is_known {
        load(conn, "clock_reached")?.and_then(DateTime::from_timestamp_millis)
    } else {
        None
    };
    let reached = reached.filter(|reached| *reached > start).unwrap_or(start);
    save(conn, start, reached)?;
    Ok(reached)
}

/// Remembers how far the clock of a file came.
pub fn save(conn: &Conn, start: DateTime<Utc>, reached: DateTime<Utc>) -> Result<(), DbError> {
    if conn.is_postgres() {
        return Ok(());
    }
    save_moments(conn, [("clock_start", start), ("clock_reached", reached)])
}

fn save_moments(conn: &Conn, moments: [(&str, DateTime<Utc>); 2]) -> Result<(), DbError> {
    moments
        .into_iter()
        .try_for_each(|(name, moment)| save_moment(conn, name, moment))
}

fn save_moment(conn: &Conn, name: &str, moment: DateTime<Utc>) -> Result<(), DbError> {
    conn.prepare_cached("INSERT INTO remembered VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = excluded.value")?
        .execute(params![name, to_millis(moment)])?;
    Ok(())
}

/// When the next signal of the sample world arrives.
pub fn load_next_arrival(conn: &Conn) -> Result<Option<DateTime<Utc>>, DbError> {
    Ok(load(conn, NEXT_ARRIVAL)?.and_then(DateTime::from_timestamp_millis))
}

pub fn save_next_arrival(conn: &Conn, next: DateTime<Utc>) -> Result<(), DbError> {
    save_moment(conn, NEXT_ARRIVAL, next)
}

fn load(conn: &Conn, name: &str) -> Result<Option<i64>, DbError> {
    let mut sql =
        conn.prepare_cached("SELECT CAST(value AS BIGINT) FROM remembered WHERE name = ?1")?;
    Ok(sql.query_row([name], |row| row.get(0)).optional()?)
}

/// The day with the fullest queue, if all signals are too old for today's. The newest signal would
/// not do: a file of one year often has a few much later ones.
pub fn fullest_day_of_old_signals(
    conn: &Conn,
    now: DateTime<Utc>,
) -> Result<Option<DateTime<Utc>>, DbError> {
    let now = to_millis(now);
    let newest: Option<i64> = conn
        .prepare_cached("SELECT max(discovered_at) FROM signals WHERE discovered_at <= ?1")?
        .query_row([now], |row| row.get(0))?;
    if newest.is_none_or(|newest| now - newest <= QUEUE_DAYS * MILLIS_PER_DAY) {
        return Ok(None);
    }
    let day: i64 = conn
        .prepare_cached(
            "WITH days AS (SELECT discovered_at / ?2 AS day, count(*) AS signals FROM signals WHERE discovered_at <= ?1 GROUP BY day)
             SELECT day FROM
               (SELECT day, sum(signals) OVER (ORDER BY day RANGE BETWEEN ?3 PRECEDING AND CURRENT ROW) AS queue FROM days) AS queues
             ORDER BY queue DESC, day DESC LIMIT 1",
        )?
        .query_row([now, MILLIS_PER_DAY, QUEUE_DAYS], |row| row.get(0))?;
    Ok(DateTime::from_timestamp_millis(day * MILLIS_PER_DAY))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::Storage;
    use crate::service::db::open_writer;

    #[test]
    fn a_clock_with_the_same_start_continues_where_it_stopped() {
        let conn = open_writer(&Storage::Memory).unwrap();
        let moment = |text: &str| text.parse::<DateTime<Utc>>().unwrap();
        let (start, later, other) = (
            moment("2018-03-01T00:00:00Z"),
            moment("2018-03-01T06:56:00Z"),
            moment("2018-02-01T00:00:00Z"),
        );
        assert_eq!(resume(&conn, start, start).unwrap(), start);
        save(&conn, start, later).unwrap();
        assert_eq!(resume(&conn, start, start).unwrap(), later);
        assert_eq!(
            resume(&conn, other, start).unwrap(),
            other,
            "another date starts there"
        );
    }

    #[test]
    fn the_day_to_look_at_is_the_one_with_the_fullest_queue_and_not_that_of_a_late_straggler() {
        let conn = open_writer(&Storage::Memory).unwrap();
        let moment = |text: &str| text.parse::<DateTime<Utc>>().unwrap();
        let now = moment("2026-07-09T09:00:00Z");
        assert_eq!(
            fullest_day_of_old_signals(&conn, now).unwrap(),
            None,
            "there are no signals"
        );
        conn.execute_batch("PRAGMA foreign_keys = OFF").unwrap();
        let add = |id: u128, day: &str| {
            let at = to_millis(moment(&format!("{day}T08:00:00Z")));
            conn.execute(
                "INSERT INTO signals (id, project_id, source_id, signal_type, filed_at, discovered_at)
                 VALUES (?1, zeroblob(16), zeroblob(16), 'permit_issued', ?2, ?2)",
                params![uuid::Uuid::from_u128(id), at],
            )
            .unwrap();
        };
        for (id, day) in [
            (1, "2018-09-20"),
            (2, "2018-12-01"),
            (3, "2018-12-18"),
            (4, "2019-06-01"),
            (5, "2024-02-27"),
        ] {
            add(id, day);
        }
        assert_eq!(
            fullest_day_of_old_signals(&conn, now).unwrap(),
            Some(moment("2018-12-18T00:00:00Z"))
        );
        add(6, "2026-07-01");
        assert_eq!(
            fullest_day_of_old_signals(&conn, now).unwrap(),
            None,
            "the queue is not empty"
        );
    }
}
