//! `/workspace` and `/workspace/credits`: who and where, and the meter. 0 credits, never throttled; payloads not shown.

use crate::domain::WorkspaceId;
use crate::domain::credits::Credits;
use crate::domain::request_error::{RequestError, RequestErrorKind};
use crate::domain::workspace::Workspace;

use super::{Client, PayloadPath, Request, Response, RetryClass};

/// `GET /workspace`.
pub fn get() -> Request {
    Request::get("/workspace", RetryClass::FreeRead, PayloadPath::Object("workspace"))
}

/// `GET /workspace/credits`.
pub fn get_credits() -> Request {
    Request::get("/workspace/credits", RetryClass::FreeRead, PayloadPath::Object("credits"))
}

impl Client {
    /// The workspace and who is asking.
    ///
    /// # Errors
    /// As [`Client::value`].
    pub async fn workspace(&self) -> Result<Response<Workspace>, RequestError> {
        self.fetch_value(get()).await
    }

    /// The workspace that the token stands for: that of an API key, or the only one of a person where the service tells. With a
    /// person's token the interface demands it of each request.
    ///
    /// # Errors
    /// As [`Client::value`]; for a person's token whose workspace is not told, with what to do.
    pub async fn find_workspace(&self) -> Result<Option<WorkspaceId>, RequestError> {
        let failure = match self.workspace().await {
            Ok(answer) => return Ok(answer.value.id),
            Err(failure) => failure,
        };
        let RequestErrorKind::Rejected(refusal) = failure.kind else { return Err(failure) };
        if refusal.status != 400 {
            return Err(RequestError { kind: RequestErrorKind::Rejected(refusal), ..failure });
        }
        let ids: Vec<WorkspaceId> = refusal.allowed.iter().filter_map(|id| id.parse().ok()).collect();
        let message = match ids.as_slice() {
            [only] => return Ok(Some(*only)),
            [] => "a person's token needs the id of its workspace as well (a UUID). Whoever gave you the token can tell it. \
                   Give it with --workspace, GANTRY_WORKSPACE or in the field \"workspace\""
                .to_owned(),
            several => {
                let listed: Vec<_> = several.iter().map(ToString::to_string).collect();
                let how = "Give one with --workspace, GANTRY_WORKSPACE or in the field \"workspace\"";
                format!("this token is good for {} workspaces. {how}: {}", listed.len(), listed.join(", "))
            }
        };
        Err(RequestError { kind: RequestErrorKind::Rejected(refusal), message })
    }

    /// What the workspace has used in its rolling window.
    ///
    /// # Errors
    /// As [`Client::value`].
    pub async fn credits(&self) -> Result<Response<Credits>, RequestError> {
        self.fetch_value(get_credits()).await
    }
}
