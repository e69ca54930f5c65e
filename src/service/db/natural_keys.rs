//! Finds records of the index by natural key: accounts by domain, contacts by email address
//! (interface: natural-key match rules). Never here: what no match or several matches mean.

use std::collections::HashSet;

use uuid::Uuid;

use super::Conn;
use super::sql::Result;
use super::values::json_ids;
use crate::domain::fuzzy::lowercase;
use crate::service::dataset::Dataset;

/// The accounts with a domain, at most two; case and surrounding spaces do not matter.
pub fn accounts_by_domain(conn: &Conn, domain: &str) -> Result<Vec<Uuid>> {
    find_up_to_two(
        conn,
        "SELECT account_id FROM account_domains WHERE domain = ?1 LIMIT 2",
        domain,
    )
}

/// The contacts with an email address, at most two; compared like domains.
pub fn contacts_by_email(conn: &Conn, email: &str) -> Result<Vec<Uuid>> {
    find_up_to_two(
        conn,
        "SELECT contact_id FROM contact_emails WHERE email = ?1 LIMIT 2",
        email,
    )
}

/// Whether the index contains a record.
pub fn record_exists(conn: &Conn, dataset: Dataset, id: Uuid) -> Result<bool> {
    let sql = format!("SELECT 1 FROM {} WHERE id = ?1", dataset.plural());
    conn.exists(&sql, [id])
}

/// Those of these records that the index contains.
pub fn existing_records(
    conn: &Conn,
    dataset: Dataset,
    ids: impl IntoIterator<Item = Uuid>,
) -> Result<HashSet<Uuid>> {
    let sql = format!(
        "SELECT id FROM {} WHERE id IN (SELECT unhex(value) FROM json_each(?1))",
        dataset.plural()
    );
    conn.query_rows(&sql, [json_ids(ids)], |row| row.get(0))
}

fn find_up_to_two(conn: &Conn, sql: &str, key: &str) -> Result<Vec<Uuid>> {
    conn.query_rows(sql, [lowercase(key.trim())], |row| row.get(0))
}
