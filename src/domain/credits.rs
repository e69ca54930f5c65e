//! Credits: what reads cost (interface: Limits). Payload of `GET /workspace/credits` is not shown there; names as ours.

use serde::{Deserialize, Serialize};

use super::lenient::{self, When};

/// What the workspace has used in its rolling window of 24 hours.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Credits {
    /// The ceiling.
    #[serde(default, deserialize_with = "lenient::option")]
    pub limit: Option<u64>,
    /// Spent within the window, by everybody in the workspace.
    #[serde(default, deserialize_with = "lenient::option")]
    pub used: Option<u64>,
    /// Left within the window.
    #[serde(default, deserialize_with = "lenient::option")]
    pub remaining: Option<u64>,
    /// When the oldest spending leaves the window.
    #[serde(default, deserialize_with = "lenient::option")]
    pub next_release_at: Option<When>,
}
