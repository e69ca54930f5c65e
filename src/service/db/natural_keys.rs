//! Records of the index by what people know them by: an account by a domain, a contact by an e-mail address (interface: natural-key
//! match rules). Never here: what one, none or many of them mean.

use uuid::Uuid;

use super::{Conn, DbError};
use crate::service::search::{Dataset, lowercase};

/// The accounts that have a domain, two at most; the domain is compared without regard to case and surrounding blanks.
///
/// # Errors
/// When the database refuses.
pub fn accounts_by_domain(conn: &Conn, domain: &str) -> Result<Vec<Uuid>, DbError> {
    find_up_to_two(conn, "SELECT account_id FROM account_domains WHERE domain = ?1 LIMIT 2", domain)
}

/// The contacts that have an e-mail address, two at most; compared as the domains are.
///
/// # Errors
/// When the database refuses.
pub fn contacts_by_email(conn: &Conn, email: &str) -> Result<Vec<Uuid>, DbError> {
    find_up_to_two(conn, "SELECT contact_id FROM contact_emails WHERE email = ?1 LIMIT 2", email)
}

/// Whether the index has a record.
///
/// # Errors
/// When the database refuses.
pub fn record_exists(conn: &Conn, dataset: Dataset, id: Uuid) -> Result<bool, DbError> {
    let sql = format!("SELECT 1 FROM {} WHERE id = ?1", dataset.plural());
    Ok(conn.prepare_cached(&sql)?.exists([id])?)
}

fn find_up_to_two(conn: &Conn, sql: &str, key: &str) -> Result<Vec<Uuid>, DbError> {
    let mut rows = conn.prepare_cached(sql)?;
    Ok(rows.query_map([lowercase(key.trim())], |row| row.get(0))?.collect::<Result<_, _>>()?)
}
