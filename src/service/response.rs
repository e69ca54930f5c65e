//! Responses: JSON that is ready to send, and its cost (interface: Shared response envelope,
//! Limits).

use serde::Serialize;
use serde_json::json;

use super::api_error::ApiError;

/// A response with status 200.
#[derive(Clone, Debug)]
pub struct ApiResponse {
    /// The body, as JSON text.
    pub body: Vec<u8>,
    /// Credits charged to the workspace before the response is sent.
    pub credits: u32,
}

impl ApiResponse {
    /// A body with its own top-level keys, as on the `/signals` and `/signal-subscriptions` routes;
    /// free.
    pub fn from_body(body: &impl Serialize) -> Result<ApiResponse, ApiError> {
        ApiResponse::encode(body, 0)
    }

    /// `{data, metadata: {credits: 0}}`.
    pub fn from_data(data: impl Serialize) -> Result<ApiResponse, ApiError> {
        ApiResponse::with_credits(data, 0)
    }

    /// `{data, metadata: {credits}}`.
    pub fn with_credits(data: impl Serialize, credits: u32) -> Result<ApiResponse, ApiError> {
        ApiResponse::with_metadata(data, json!({ "credits": credits }), credits)
    }

    /// `{data, metadata}`, where `metadata` reports the same `credits`.
    pub fn with_metadata(
        data: impl Serialize,
        metadata: impl Serialize,
        credits: u32,
    ) -> Result<ApiResponse, ApiError> {
        #[derive(Serialize)]
        struct Envelope<D, M> {
            data: D,
            metadata: M,
        }
        ApiResponse::encode(&Envelope { data, metadata }, credits)
    }

    fn encode(body: &impl Serialize, credits: u32) -> Result<ApiResponse, ApiError> {
        let body = serde_json::to_vec(body).map_err(|error| {
            tracing::error!(%error, "cannot serialize a response");
            ApiError::new(
                axum::http::StatusCode::INTERNAL_SERVER_ERROR,
                "internal",
                "internal error: see the service's log",
            )
        })?;
        Ok(ApiResponse { body, credits })
    }
}
