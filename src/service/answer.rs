//! Answers: JSON that is ready to send, and what it costs (interface: Shared response envelope, Limits).

use serde::Serialize;
use serde_json::json;

use super::refusal::Refusal;

/// A 200.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The body, as JSON text.
    pub body: Vec<u8>,
    /// What is charged to the workspace before the answer is sent.
    pub credits: u32,
}

impl Answer {
    /// A body with top-level keys of its own, as the `/signals` and `/signal-subscriptions` routes have; free.
    pub fn bare(body: &impl Serialize) -> Result<Answer, Refusal> {
        Answer::priced(body, 0)
    }

    /// `{data, metadata: {credits: 0}}`.
    pub fn free(data: impl Serialize) -> Result<Answer, Refusal> {
        Answer::data(data, 0)
    }

    /// `{data, metadata: {credits}}`.
    pub fn data(data: impl Serialize, credits: u32) -> Result<Answer, Refusal> {
        Answer::with(data, json!({ "credits": credits }), credits)
    }

    /// `{data, metadata}`, where `metadata` says what `credits` says.
    pub fn with(data: impl Serialize, metadata: impl Serialize, credits: u32) -> Result<Answer, Refusal> {
        #[derive(Serialize)]
        struct Envelope<D, M> {
            data: D,
            metadata: M,
        }
        Answer::priced(&Envelope { data, metadata }, credits)
    }

    fn priced(body: &impl Serialize, credits: u32) -> Result<Answer, Refusal> {
        let body = serde_json::to_vec(body).map_err(|error| {
            tracing::error!(%error, "an answer is no JSON");
            Refusal::new(axum::http::StatusCode::INTERNAL_SERVER_ERROR, "internal", "the service failed")
        })?;
        Ok(Answer { body, credits })
    }
}
