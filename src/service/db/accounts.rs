//! Accounts of the index as they are sent (interface: Workspace account; decisions 2.12).

use super::values::{Json, json_rows, one};
use super::{Conn, Error, contacts, projects, signals};
use crate::domain::AccountId;

/// The fields of a Data account, as pairs for `json_object`; the account is `a`.
pub(super) const FIELDS: &str =
    "'id', uuid(a.id), 'name', a.name, 'account_types', json(a.account_types), 'aliases', json(a.aliases),
    'domains', json(a.domains), 'website', a.website, 'linkedin_url', a.linkedin_url, 'city', a.city, 'state', a.state,
    'created_at', moment(a.created_at),
    'projects_count', (SELECT count(DISTINCT l.project_id) FROM project_accounts l WHERE l.account_id = a.id),
    'contacts_count', (SELECT count(*) FROM contacts m WHERE m.account_id = a.id),
    'hq_address', a.hq_address,
    'hq_location', CASE WHEN a.hq_lat IS NOT NULL THEN json_object('lat', a.hq_lat, 'lng', a.hq_lng) END,
    'public_phone', a.public_phone, 'public_email', a.public_email, 'specialties', json(a.specialties),
    'description', a.description, 'founded_year', a.founded_year, 'account_types_source', a.account_types_source";

/// An account of the index.
///
/// # Errors
/// When the database refuses.
pub fn get(conn: &Conn, id: AccountId) -> Result<Option<Json>, Error> {
    one(conn, &format!("SELECT json_object({FIELDS}) FROM accounts a WHERE a.id = ?1"), [id.0])
}

/// The projects of an account, newest signal first.
///
/// # Errors
/// When the database refuses.
pub fn projects(conn: &Conn, id: AccountId) -> Result<Vec<Json>, Error> {
    let fields = projects::FIELDS;
    let sql = format!(
        "SELECT json_object({fields}) FROM projects p
         WHERE p.id IN (SELECT project_id FROM project_accounts WHERE account_id = ?1)
         ORDER BY p.last_signal_at DESC NULLS LAST, p.id"
    );
    json_rows(conn, &sql, [id.0])
}

/// The contacts at an account.
///
/// # Errors
/// When the database refuses.
pub fn contacts(conn: &Conn, id: AccountId) -> Result<Vec<Json>, Error> {
    let fields = contacts::FIELDS;
    json_rows(
        conn,
        &format!("SELECT json_object({fields}) FROM contacts c WHERE c.account_id = ?1 ORDER BY c.name, c.id"),
        [id.0],
    )
}

/// The signals on an account's projects, newest filing first.
///
/// # Errors
/// When the database refuses.
pub fn signals(conn: &Conn, id: AccountId) -> Result<Vec<Json>, Error> {
    let sql = format!(
        "SELECT json_object({}) FROM {} WHERE s.project_id IN (SELECT project_id FROM project_accounts WHERE account_id = ?1)
         ORDER BY s.filed_at DESC, s.id",
        signals::FIELDS,
        signals::FROM
    );
    json_rows(conn, &sql, [id.0])
}
