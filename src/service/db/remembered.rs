//! What the database remembers about itself, by name: how far its clock, queues and mails came, and
//! where clients reach it. PostgreSQL keeps every value as text.

use super::Conn;
use super::sql::{FromSql, Result, ToSql, params};

pub fn load<T: FromSql>(conn: &Conn, name: &str) -> Result<Option<T>> {
    let sql = "SELECT value FROM remembered WHERE name = ?1";
    conn.find_row(sql, [name], |row| row.get(0))
}

pub fn load_number(conn: &Conn, name: &str) -> Result<Option<i64>> {
    let sql = "SELECT CAST(value AS BIGINT) FROM remembered WHERE name = ?1";
    conn.find_row(sql, [name], |row| row.get(0))
}

pub fn save(conn: &Conn, name: &str, value: impl ToSql) -> Result<()> {
    let sql = "INSERT INTO remembered VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = excluded.value";
    conn.execute(sql, params![name, value]).map(drop)
}

pub fn remove(conn: &Conn, name: &str) -> Result<()> {
    let sql = "DELETE FROM remembered WHERE name = ?1";
    conn.execute(sql, [name]).map(drop)
}
