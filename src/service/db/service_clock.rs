//! The clock of data that is served as of an earlier day: when it began, and how far it came. That
//! of a file stands still while nobody serves it. Instances on one PostgreSQL database share a
//! clock, which runs on from its first start.
//!
//! Never here: the clock itself.

use chrono::{DateTime, Utc};

use super::sql::Result;
use super::values::to_millis;
use super::{Conn, remembered};

/// Signals leave the queue after this many days.
const QUEUE_DAYS: i64 = 90;
const MILLIS_PER_DAY: i64 = 24 * 60 * 60 * 1000;
const NEXT_ARRIVAL: &str = "next_arrival";

/// Where a clock that starts at `start` continues, if it has the same start: where it was stopped,
/// or where it is by the system time `now`.
pub fn resume(conn: &Conn, start: DateTime<Utc>, now: DateTime<Utc>) -> Result<DateTime<Utc>> {
    let known_start = remembered::load_number(conn, "clock_start")?;
    let is_known = known_start == Some(to_millis(start));
    if conn.is_postgres() {
        let began = load_moment(conn, "clock_began")?.filter(|began| is_known && *began <= now);
        let began = began.unwrap_or(now);
        save_moments(conn, [("clock_start", start), ("clock_began", began)])?;
        return Ok(start + (now - began));
    }
    let reached = load_moment(conn, "clock_reached")?;
    let reached = reached.filter(|reached| is_known && *reached > start);
    let reached = reached.unwrap_or(start);
    save(conn, start, reached)?;
    Ok(reached)
}

/// Remembers how far the clock of a file came.
pub fn save(conn: &Conn, start: DateTime<Utc>, reached: DateTime<Utc>) -> Result<()> {
    if conn.is_postgres() {
        return Ok(());
    }
    save_moments(conn, [("clock_start", start), ("clock_reached", reached)])
}

fn save_moments(conn: &Conn, moments: [(&str, DateTime<Utc>); 2]) -> Result<()> {
    moments
        .into_iter()
        .try_for_each(|(name, moment)| remembered::save(conn, name, to_millis(moment)))
}

/// When the next signal of the sample world arrives.
pub fn load_next_arrival(conn: &Conn) -> Result<Option<DateTime<Utc>>> {
    load_moment(conn, NEXT_ARRIVAL)
}

pub fn save_next_arrival(conn: &Conn, next: DateTime<Utc>) -> Result<()> {
    remembered::save(conn, NEXT_ARRIVAL, to_millis(next))
}

fn load_moment(conn: &Conn, name: &str) -> Result<Option<DateTime<Utc>>> {
    Ok(remembered::load_number(conn, name)?.and_then(DateTime::from_timestamp_millis))
}

/// The day with the fullest queue, if all signals are too old for today's. The newest signal would
/// not do: a file of one year often has a few much later ones.
pub fn fullest_day_of_old_signals(
    conn: &Conn,
    now: DateTime<Utc>,
) -> Result<Option<DateTime<Utc>>> {
    let now = to_millis(now);
    let sql = "SELECT max(discovered_at) FROM signals WHERE discovered_at <= ?1";
    let newest: Option<i64> = conn.query_row(sql, [now], |row| row.get(0))?;
    if newest.is_none_or(|newest| now - newest <= QUEUE_DAYS * MILLIS_PER_DAY) {
        return Ok(None);
    }
    let sql = "WITH days AS (SELECT discovered_at / ?2 AS day, count(*) AS signals FROM signals WHERE discovered_at <= ?1 GROUP BY day)
             SELECT day FROM
               (SELECT day, sum(signals) OVER (ORDER BY day RANGE BETWEEN ?3 PRECEDING AND CURRENT ROW) AS queue FROM days) AS queues
             ORDER BY queue DESC, day DESC LIMIT 1";
    let day: i64 = conn.query_row(sql, [now, MILLIS_PER_DAY, QUEUE_DAYS], |row| row.get(0))?;
    Ok(DateTime::from_timestamp_millis(day * MILLIS_PER_DAY))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::Storage;
    use crate::service::db::open_writer;
    use crate::service::db::sql::params;

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
