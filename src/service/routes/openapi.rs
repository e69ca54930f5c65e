//! `GET /openapi.yaml`, beside the base path and without credentials: the description of the interface (`assets/openapi.yaml`).
//!
//! What the table of fields decides (filters, sorts, definitions) is written into it by this module's test; the rest is held
//! against the routes and their answers by `tests/service/description.rs`.

use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;

#[cfg(test)]
mod tests;

/// The description.
pub const OPENAPI_YAML: &str = include_str!("../../../assets/openapi.yaml");

/// Sends it.
pub async fn show() -> impl IntoResponse {
    ([(CONTENT_TYPE, "application/yaml")], OPENAPI_YAML)
}
