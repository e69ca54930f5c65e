//! `/workspace/contacts/*`: the saved contacts; found by an e-mail address too. Their upsert answers with fewer fields than their get.

use super::book::Family;
use crate::service::answer::Answer;
use crate::service::ask::Ask;
use crate::service::db::{Conn, natural_keys};
use crate::service::refusal::Refusal;
use crate::service::search::{Dataset, rows};

static CONTACTS: Family = Family {
    dataset: Dataset::Contacts,
    id_key: "contact_id",
    natural_key: Some(("email", natural_keys::contacts_with)),
    shown: &rows::BOOK_CONTACT,
    written: &rows::BOOK_CONTACT_ROW,
};

/// A page of the book.
pub fn search(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    CONTACTS.search(conn, ask)
}

/// One contact of the book.
pub fn show(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    CONTACTS.show(conn, ask)
}

/// Saves or annotates one.
pub fn upsert(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    CONTACTS.upsert(conn, ask)
}

/// Saves or annotates many.
pub fn upsert_batch(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    CONTACTS.upsert_batch(conn, ask)
}

/// Takes one out of the book.
pub fn remove(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    CONTACTS.remove(conn, ask)
}

/// Takes many out of the book.
pub fn remove_batch(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    CONTACTS.remove_batch(conn, ask)
}
