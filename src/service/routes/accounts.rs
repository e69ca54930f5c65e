//! `/workspace/accounts/*`: the saved accounts; found by a domain too, and the only ones with a tier and a score.

use super::book::Family;
use crate::service::answer::Answer;
use crate::service::ask::Ask;
use crate::service::db::{Conn, natural_keys};
use crate::service::refusal::Refusal;
use crate::service::search::{Dataset, rows};

static ACCOUNTS: Family = Family {
    dataset: Dataset::Accounts,
    id_key: "account_id",
    natural_key: Some(("domain", natural_keys::accounts_with)),
    shown: &rows::BOOK_ACCOUNT,
    written: &rows::BOOK_ACCOUNT,
};

/// A page of the book.
pub fn search(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    ACCOUNTS.search(conn, ask)
}

/// One account of the book.
pub fn show(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    ACCOUNTS.show(conn, ask)
}

/// Saves or annotates one.
pub fn upsert(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    ACCOUNTS.upsert(conn, ask)
}

/// Saves or annotates many.
pub fn upsert_batch(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    ACCOUNTS.upsert_batch(conn, ask)
}

/// Takes one out of the book.
pub fn remove(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    ACCOUNTS.remove(conn, ask)
}

/// Takes many out of the book.
pub fn remove_batch(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    ACCOUNTS.remove_batch(conn, ask)
}
