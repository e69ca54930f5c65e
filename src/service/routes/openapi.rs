//! `GET /openapi.yaml`, outside the base path and without credentials: the description of the
//! interface (`assets/openapi.yaml`).
//!
//! Its generated part, which follows from the table of fields (filters, sorts, definitions), is
//! written by this module's test; `tests/service/description.rs` checks the rest against the routes
//! and their responses.

use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;

#[cfg(test)]
mod tests;

pub const OPENAPI_YAML: &str = include_str!("../../../assets/openapi.yaml");

pub async fn show() -> impl IntoResponse {
    ([(CONTENT_TYPE, "application/yaml")], OPENAPI_YAML)
}
