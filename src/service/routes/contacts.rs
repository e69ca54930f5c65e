//! `/workspace/contacts/*`: the saved contacts; found by an e-mail address too. Their upsert answers with fewer fields than their get.

use super::book::BookFamily;
use crate::service::api_error::ApiError;
use crate::service::db::{Conn, natural_keys};
use crate::service::request::AuthorizedRequest;
use crate::service::response::ApiResponse;
use crate::service::search::{Dataset, projection};

static CONTACT_FAMILY: BookFamily = BookFamily {
    dataset: Dataset::Contacts,
    id_key: "contact_id",
    natural_key: Some(("email", natural_keys::contacts_by_email)),
    get_projection: &projection::BOOK_CONTACT,
    upsert_projection: &projection::BOOK_CONTACT_ROW,
};

/// A page of the book.
pub fn search(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    CONTACT_FAMILY.search(conn, ask)
}

/// One contact of the book.
pub fn show(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    CONTACT_FAMILY.show(conn, ask)
}

/// Saves or annotates one.
pub fn upsert(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    CONTACT_FAMILY.upsert(conn, ask)
}

/// Saves or annotates many.
pub fn upsert_batch(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    CONTACT_FAMILY.upsert_batch(conn, ask)
}

/// Takes one out of the book.
pub fn remove(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    CONTACT_FAMILY.remove(conn, ask)
}

/// Takes many out of the book.
pub fn remove_batch(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    CONTACT_FAMILY.remove_batch(conn, ask)
}
