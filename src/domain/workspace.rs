//! The workspace and the caller (`GET /workspace`; the interface does not show its payload, so everything is optional).

use serde::{Deserialize, Serialize};

use super::lenient;
use super::members::Role;
use super::open_enum::open_enum;
use super::{UserId, WorkspaceId};

open_enum! {
    Plan {
        /// Neither the Data API nor the Workspace API.
        Free = "free",
        /// Neither the Data API nor the Workspace API.
        Starter = "starter",
        /// Everything.
        Pro = "pro",
    }
}

open_enum! {
    /// The kind of credential.
    CallerKind {
        /// An API key: admin-equivalent, no favorites.
        ApiKey = "api_key",
        /// A user's access token.
        User = "user",
    }
}

/// What a service reports about the workspace.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Workspace {
    #[serde(default, deserialize_with = "lenient::option")]
    pub id: Option<WorkspaceId>,
    #[serde(default, deserialize_with = "lenient::option")]
    pub name: Option<String>,
    #[serde(default, deserialize_with = "lenient::option")]
    pub plan: Option<Plan>,
    #[serde(default, deserialize_with = "lenient::option")]
    pub caller: Option<Caller>,
    /// Whether invitations are sent by mail, where the service reports it: our own service does if it has a mail server.
    #[serde(default, deserialize_with = "lenient::option")]
    pub sends_invitations: Option<bool>,
}

impl Workspace {
    /// What a person who invites must know about this service.
    pub fn invitation_notice(&self) -> Option<&'static str> {
        (self.sends_invitations == Some(false)).then_some("This service sends no mail: pass the join code on yourself.")
    }
}

/// The caller, as seen by the service.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Caller {
    #[serde(default, deserialize_with = "lenient::option")]
    pub kind: Option<CallerKind>,
    /// The user, or the user who issued the key.
    #[serde(default, deserialize_with = "lenient::option")]
    pub user_id: Option<UserId>,
    /// Where the service reports it.
    #[serde(default, deserialize_with = "lenient::option")]
    pub role: Option<Role>,
    /// As reported by the service.
    #[serde(default, deserialize_with = "lenient::list")]
    pub scopes: Vec<String>,
}
