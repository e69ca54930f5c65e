//! `/workspace/projects/*`: the saved projects; they have no natural key.

use super::book::Family;
use crate::service::answer::Answer;
use crate::service::ask::Ask;
use crate::service::db::Conn;
use crate::service::refusal::Refusal;
use crate::service::search::{Dataset, rows};

static PROJECTS: Family = Family {
    dataset: Dataset::Projects,
    id_key: "project_id",
    natural_key: None,
    shown: &rows::BOOK_PROJECT,
    written: &rows::BOOK_PROJECT,
};

/// A page of the book.
pub fn search(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    PROJECTS.search(conn, ask)
}

/// One project of the book.
pub fn show(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    PROJECTS.show(conn, ask)
}

/// Saves or annotates one.
pub fn upsert(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    PROJECTS.upsert(conn, ask)
}

/// Saves or annotates many.
pub fn upsert_batch(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    PROJECTS.upsert_batch(conn, ask)
}

/// Takes one out of the book.
pub fn remove(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    PROJECTS.remove(conn, ask)
}

/// Takes many out of the book.
pub fn remove_batch(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    PROJECTS.remove_batch(conn, ask)
}
