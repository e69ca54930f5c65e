//! Contacts of the index as they are sent (interface: Workspace contact; decisions 2.12).

use super::values::{Json, json_rows, one};
use super::{Conn, Error, accounts, projects};
use crate::domain::ContactId;

/// The fields of a Data contact, as pairs for `json_object`; the contact is `c`.
pub(super) const FIELDS: &str = "'id', uuid(c.id), 'name', c.name, 'title', c.title, 'account_id', uuid(c.account_id),
    'email', c.email, 'phone', c.phone, 'created_at', moment(c.created_at),
    'projects_count', (SELECT count(*) FROM project_contacts l WHERE l.contact_id = c.id)";

/// A contact of the index.
///
/// # Errors
/// When the database refuses.
pub fn get(conn: &Conn, id: ContactId) -> Result<Option<Json>, Error> {
    one(conn, &format!("SELECT json_object({FIELDS}) FROM contacts c WHERE c.id = ?1"), [id.0])
}

/// The account of a contact, if it has one.
///
/// # Errors
/// When the database refuses.
pub fn account(conn: &Conn, id: ContactId) -> Result<Option<Json>, Error> {
    let fields = accounts::FIELDS;
    let sql = format!("SELECT json_object({fields}) FROM contacts c JOIN accounts a ON a.id = c.account_id WHERE c.id = ?1");
    one(conn, &sql, [id.0])
}

/// The projects that a contact appears on, newest signal first.
///
/// # Errors
/// When the database refuses.
pub fn projects(conn: &Conn, id: ContactId) -> Result<Vec<Json>, Error> {
    let fields = projects::FIELDS;
    let sql = format!(
        "SELECT json_object({fields}) FROM project_contacts l JOIN projects p ON p.id = l.project_id
         WHERE l.contact_id = ?1 ORDER BY p.last_signal_at DESC NULLS LAST, p.id"
    );
    json_rows(conn, &sql, [id.0])
}
