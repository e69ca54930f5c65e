//! The sample world, as a person who has just started the demo sees it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use chrono::{DateTime, Utc};
use gantry::service::sample;
use rusqlite::Connection;

const INDEX: &str = include_str!("../src/service/db/index.sql");

fn now() -> DateTime<Utc> {
    "2026-07-09T16:20:00Z".parse().unwrap()
}

fn world(seed: u64, projects: usize) -> Connection {
    let conn = match std::env::var("GANTRY_SAMPLE_FILE") {
        Ok(path) if projects == 500 => Connection::open(path).unwrap(),
        _ => Connection::open_in_memory().unwrap(),
    };
    conn.execute_batch(INDEX).unwrap();
    let tx = conn.unchecked_transaction().unwrap();
    sample::fill_index(&conn, seed, projects, now()).unwrap();
    tx.commit().unwrap();
    conn
}

fn count(conn: &Connection, sql: &str) -> i64 {
    conn.query_row(sql, [], |row| row.get(0)).unwrap()
}

#[test]
fn five_hundred_projects_come_with_accounts_contacts_and_two_thousand_signals() {
    let conn = world(1, 500);
    assert!(count(&conn, "SELECT count(*) FROM projects") >= 500);
    assert!(count(&conn, "SELECT count(*) FROM signals") >= 2_000);
    assert!(count(&conn, "SELECT count(*) FROM accounts") >= 250);
    assert!(count(&conn, "SELECT count(*) FROM contacts") >= 400);
}
