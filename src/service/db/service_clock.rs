//! The clock of a file that is served as of an earlier day: when it began, and how far it came.
//!
//! Never here: the clock itself.

use chrono::{DateTime, TimeDelta, Utc};
use rusqlite::{OptionalExtension as _, params};

use super::values::to_millis;
use super::{Conn, DbError};

/// Signals leave the queue after this many days.
const QUEUE_DAYS: i64 = 90;

/// Where a clock that starts at `start` continues: where it was stopped, if it has the same start.
pub fn resume(conn: &Conn, start: DateTime<Utc>) -> Result<DateTime<Utc>, DbError> {
    let reached =
        (load(conn, "clock_start")? == Some(to_millis(start))).then(|| load(conn, "clock_reached")).transpose()?.flatten();
    let reached = reached.and_then(DateTime::from_timestamp_millis).filter(|reached| *reached > start);
    save(conn, start, reached.unwrap_or(start))?;
    Ok(reached.unwrap_or(start))
}

/// Remembers how far a clock came.
pub fn save(conn: &Conn, start: DateTime<Utc>, reached: DateTime<Utc>) -> Result<(), DbError> {
    for (name, moment) in [("clock_start", start), ("clock_reached", reached)] {
        conn.prepare_cached("INSERT INTO remembered VALUES (?1, ?2) ON CONFLICT DO UPDATE SET value = excluded.value")?
            .execute(params![name, to_millis(moment)])?;
    }
    Ok(())
}

fn load(conn: &Conn, name: &str) -> Result<Option<i64>, DbError> {
    let mut sql = conn.prepare_cached("SELECT value FROM remembered WHERE name = ?1")?;
    Ok(sql.query_row([name], |row| row.get(0)).optional()?)
}

/// The day of the newest signal, if all of them are too old for the queue.
pub fn newest_of_old_signals(conn: &Conn, now: DateTime<Utc>) -> Result<Option<DateTime<Utc>>, DbError> {
    let mut sql = conn.prepare_cached("SELECT max(discovered_at) FROM signals WHERE discovered_at <= ?1")?;
    let newest: Option<i64> = sql.query_row([to_millis(now)], |row| row.get(0))?;
    let newest = newest.and_then(DateTime::from_timestamp_millis);
    Ok(newest.filter(|newest| now - *newest > TimeDelta::days(QUEUE_DAYS)))
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
        let (start, later, other) =
            (moment("2018-03-01T00:00:00Z"), moment("2018-03-01T06:56:00Z"), moment("2018-02-01T00:00:00Z"));
        assert_eq!(resume(&conn, start).unwrap(), start);
        save(&conn, start, later).unwrap();
        assert_eq!(resume(&conn, start).unwrap(), later);
        assert_eq!(resume(&conn, other).unwrap(), other, "another date starts there");
    }
}
