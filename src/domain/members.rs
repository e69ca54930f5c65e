//! Members: who has access to the workspace (interface: Member).

use serde::{Deserialize, Serialize};

use super::UserId;
use super::lenient::{self, When};
use super::open_enum::open_enum;

open_enum! {
    /// What a member may do.
    Role {
        /// Everything, other owners included.
        Owner = "owner",
        /// Everything but owners.
        Admin = "admin",
        /// The book, Views and triage.
        Member = "member",
    }
}

/// A member of the workspace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Member {
    /// The user's id.
    pub id: UserId,
    /// The address.
    #[serde(default, deserialize_with = "lenient::option")]
    pub email: Option<String>,
    /// The first name.
    #[serde(default, deserialize_with = "lenient::option")]
    pub first_name: Option<String>,
    /// The name shown to colleagues.
    #[serde(default, deserialize_with = "lenient::option")]
    pub display_name: Option<String>,
    /// The role.
    #[serde(default, deserialize_with = "lenient::option")]
    pub role: Option<Role>,
    /// When the user was last seen.
    #[serde(default, deserialize_with = "lenient::option")]
    pub last_active_at: Option<When>,
    /// When the user joined.
    #[serde(default, deserialize_with = "lenient::option")]
    pub joined_at: Option<When>,
}

impl Member {
    /// The best name there is: display name, first name, address, id.
    pub fn name(&self) -> String {
        [&self.display_name, &self.first_name, &self.email]
            .into_iter()
            .flatten()
            .find(|name| !name.trim().is_empty())
            .cloned()
            .unwrap_or_else(|| self.id.to_string())
    }
}
