//! `/workspace` and `/workspace/credits`: the workspace, the caller, and the credit meter. 0
//! credits, never throttled; payloads not shown.

use crate::domain::WorkspaceId;
use crate::domain::credits::Credits;
use crate::domain::request_error::{RequestError, RequestErrorKind};
use crate::domain::workspace::Workspace;
use crate::interface::RouteId;

use super::{Client, Request, Response};

pub fn get() -> Request {
    Request::new(RouteId::ShowWorkspace, &[])
}

pub fn get_credits() -> Request {
    Request::new(RouteId::ShowCredits, &[])
}

impl Client {
    /// The workspace and the signed-in user.
    pub async fn workspace(&self) -> Result<Response<Workspace>, RequestError> {
        self.fetch_value(get()).await
    }

    /// The workspace of the token: that of an API key, or a person's only workspace if the service
    /// reports it. With a user token the interface requires it in each request.
    ///
    /// # Errors
    /// As [`Client::fetch_value`]; for a user token whose workspace is unknown, the message says
    /// what to do.
    pub async fn find_workspace(&self) -> Result<Option<WorkspaceId>, RequestError> {
        let failure = match self.workspace().await {
            Ok(answer) => return Ok(answer.value.id),
            Err(failure) => failure,
        };
        let RequestErrorKind::Rejected(refusal) = failure.kind else {
            return Err(failure);
        };
        if refusal.status != 400 || refusal.code == "https_required" {
            return Err(RequestError {
                kind: RequestErrorKind::Rejected(refusal),
                ..failure
            });
        }
        let ids: Vec<WorkspaceId> = refusal
            .allowed
            .iter()
            .filter_map(|id| id.parse().ok())
            .collect();
        let message = match ids.as_slice() {
            [only] => return Ok(Some(*only)),
            [] => "a user token also needs the id of its workspace (a UUID); ask whoever gave you the token. \
                   Set it with --workspace, GANTRY_WORKSPACE or in the field \"workspace\""
                .to_owned(),
            several => {
                let listed: Vec<_> = several.iter().map(ToString::to_string).collect();
                let how = "Choose one with --workspace, GANTRY_WORKSPACE or in the field \"workspace\"";
                format!("this token is valid for {} workspaces. {how}: {}", listed.len(), listed.join(", "))
            }
        };
        Err(RequestError {
            kind: RequestErrorKind::Rejected(refusal),
            message,
        })
    }

    /// What the workspace has used in its rolling window.
    pub async fn credits(&self) -> Result<Response<Credits>, RequestError> {
        self.fetch_value(get_credits()).await
    }
}
