//! `/workspace/accounts/*`: the saved accounts; they can also be found by domain, and only they
//! have a tier and a score.

use super::book::BookFamily;
use crate::service::api_error::ApiError;
use crate::service::dataset::Dataset;
use crate::service::db::{Conn, natural_keys, projection};
use crate::service::request::AuthorizedRequest;
use crate::service::response::ApiResponse;

static ACCOUNT_FAMILY: BookFamily = BookFamily {
    dataset: Dataset::Accounts,
    id_key: "account_id",
    natural_key: Some(("domain", natural_keys::accounts_by_domain)),
    get_projection: &projection::BOOK_ACCOUNT,
    upsert_projection: &projection::BOOK_ACCOUNT,
};

pub fn search(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    ACCOUNT_FAMILY.search(conn, ask)
}

pub fn show(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    ACCOUNT_FAMILY.show(conn, ask)
}

pub fn upsert(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    ACCOUNT_FAMILY.upsert(conn, ask)
}

pub fn upsert_batch(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    ACCOUNT_FAMILY.upsert_batch(conn, ask)
}

pub fn remove(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    ACCOUNT_FAMILY.remove(conn, ask)
}

pub fn remove_batch(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    ACCOUNT_FAMILY.remove_batch(conn, ask)
}
