//! `/workspace/projects/*`: the saved projects; they have no natural key.

use super::book::BookFamily;
use crate::service::api_error::ApiError;
use crate::service::dataset::Dataset;
use crate::service::db::{Conn, projection};
use crate::service::request::AuthorizedRequest;
use crate::service::response::ApiResponse;

static PROJECT_FAMILY: BookFamily = BookFamily {
    dataset: Dataset::Projects,
    id_key: "project_id",
    natural_key: None,
    get_projection: &projection::BOOK_PROJECT,
    upsert_projection: &projection::BOOK_PROJECT,
};

pub fn search(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    PROJECT_FAMILY.search(conn, ask)
}

pub fn show(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    PROJECT_FAMILY.show(conn, ask)
}

pub fn upsert(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    PROJECT_FAMILY.upsert(conn, ask)
}

pub fn upsert_batch(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    PROJECT_FAMILY.upsert_batch(conn, ask)
}

pub fn remove(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    PROJECT_FAMILY.remove(conn, ask)
}

pub fn remove_batch(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
    PROJECT_FAMILY.remove_batch(conn, ask)
}
