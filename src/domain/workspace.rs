//! The workspace and who is asking (`GET /workspace`; the interface does not show its payload, so everything is optional).

use serde::{Deserialize, Serialize};

use super::lenient;
use super::members::Role;
use super::open_enum::open_enum;
use super::{UserId, WorkspaceId};

open_enum! {
    /// What the workspace pays for.
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
    /// The kind of credential that is asking.
    CallerKind {
        /// An API key: admin-equivalent, no Favorites.
        ApiKey = "api_key",
        /// A user's access token.
        User = "user",
    }
}

/// What a service tells of the workspace.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Workspace {
    /// Its id.
    #[serde(default, deserialize_with = "lenient::option")]
    pub id: Option<WorkspaceId>,
    /// Its name.
    #[serde(default, deserialize_with = "lenient::option")]
    pub name: Option<String>,
    /// Its plan.
    #[serde(default, deserialize_with = "lenient::option")]
    pub plan: Option<Plan>,
    /// Who is asking.
    #[serde(default, deserialize_with = "lenient::option")]
    pub caller: Option<Caller>,
    /// Whether an invitation reaches anybody, where the service says so: our own sends none.
    #[serde(default, deserialize_with = "lenient::option")]
    pub sends_invitations: Option<bool>,
}

impl Workspace {
    /// What somebody who invites has to know of this service.
    pub fn invitation_notice(&self) -> Option<&'static str> {
        (self.sends_invitations == Some(false)).then_some(
            "This service sends no invitation and has no page to accept one: it only keeps a note of it. To let a person in, run on \
             its machine: gantry members add NAME EMAIL ROLE --local FILE",
        )
    }
}

/// The credential that is asking, as the service sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Caller {
    /// Key or user token.
    #[serde(default, deserialize_with = "lenient::option")]
    pub kind: Option<CallerKind>,
    /// The user, or the user who issued the key.
    #[serde(default, deserialize_with = "lenient::option")]
    pub user_id: Option<UserId>,
    /// The user's role, where the service tells it.
    #[serde(default, deserialize_with = "lenient::option")]
    pub role: Option<Role>,
    /// What it may do, in the service's words.
    #[serde(default, deserialize_with = "lenient::list")]
    pub scopes: Vec<String>,
}
