//! `/workspace/contacts/*`: the saved contacts; they can also be found by email address. Their
//! upsert returns fewer fields than their get.

use super::book::BookFamily;
use crate::service::api_error::ApiError;
use crate::service::dataset::Dataset;
use crate::service::db::{Conn, natural_keys, projection};
use crate::service::request::AuthorizedRequest;
use crate::service::response::ApiResponse;

static CONTACT_FAMILY: BookFamily = BookFamily {
    dataset: Dataset::Contacts,
    id_key: "contact_id",
    natural_key: Some(("email", natural_keys::contacts_by_email)),
    get_projection: &projection::BOOK_CONTACT,
    upsert_projection: &projection::BOOK_CONTACT_ROW,
};

pub fn search(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    CONTACT_FAMILY.search(conn, ask)
}

pub fn show(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    CONTACT_FAMILY.show(conn, ask)
}

pub fn upsert(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    CONTACT_FAMILY.upsert(conn, ask)
}

pub fn upsert_batch(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    CONTACT_FAMILY.upsert_batch(conn, ask)
}

pub fn remove(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    CONTACT_FAMILY.remove(conn, ask)
}

pub fn remove_batch(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    CONTACT_FAMILY.remove_batch(conn, ask)
}
